//! The atomic operations of C11.

use super::ast::{E, Node, Ty};
use super::lower::{Lower, Value, convert, mentions};
use ir::{BinaryOp, Expr, LocalId, Op, System, TagSet, Terminator, Width};
use source::{Diagnostic, Span};

/// A memory order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Order {
    fn parse(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("memory_order_")? {
            "relaxed" => Order::Relaxed,
            "consume" => Order::Consume,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcquireRelease,
            "seq_cst" => Order::SequentiallyConsistent,
            _ => return None,
        })
    }

    /// The tag of a fence, a load or a store.
    fn tag(self) -> &'static str {
        match self {
            Order::Relaxed => "RLX",
            Order::Consume => "CON",
            Order::Acquire => "ACQ",
            Order::Release => "REL",
            Order::AcquireRelease => "ACQ_REL",
            Order::SequentiallyConsistent => "SC",
        }
    }

    /// The tag of the read of a read-modify-write.
    fn read(self) -> &'static str {
        match self {
            Order::Release => "RLX",
            Order::AcquireRelease => "ACQ",
            other => other.tag(),
        }
    }

    /// The tag of the write of a read-modify-write.
    fn write(self) -> &'static str {
        match self {
            Order::Consume | Order::Acquire => "RLX",
            Order::AcquireRelease => "REL",
            other => other.tag(),
        }
    }
}

/// A read-modify-write: where, under which condition, what is written, and the tags.
pub(crate) struct Update {
    pub addr: Expr,
    pub ty: Ty,
    /// What the value read must be, compared with this one, for the write to happen.
    pub when: Option<(BinaryOp, Expr)>,
    /// What is written, or combined with what was read.
    pub operand: Expr,
    pub op: Option<BinaryOp>,
    pub read_tags: TagSet,
    pub write_tags: TagSet,
}

/// The operation that `add`, `sub`… name.
pub(crate) fn operation(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "add" | "inc" => BinaryOp::Add,
        "sub" | "dec" => BinaryOp::Sub,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        _ => return None,
    })
}

impl Lower<'_, '_, '_> {
    /// Translates a call.
    pub fn call(&mut self, name: &str, args: &[E<'_>], span: Span, hint: Option<LocalId>) -> Result<Value, Diagnostic> {
        if let Some(value) = self.linux_call(name, args, span, hint)? {
            return Ok(value);
        }
        let (base, explicit) = match name.strip_suffix("_explicit") {
            Some(base) => (base, true),
            None => (name, false),
        };
        let count = |plain: usize, orders: usize| plain + if explicit { orders } else { 0 };
        match base {
            "atomic_thread_fence" => {
                self.arity(name, args, 1, span)?;
                let order = self.order(args, 0)?;
                self.body.span = span;
                let tags = self.build.tags(&[order.tag()]);
                self.body.emit(Op::Fence { tags });
                Ok(Value::none())
            }
            "atomic_load" => {
                self.arity(name, args, count(1, 1), span)?;
                let order = self.order(args, 1)?;
                let (addr, ty) = self.pointer(&args[0])?;
                let tags = self.build.tags(&["A", order.tag()]);
                self.body.span = span;
                Ok(self.load(addr, ty, tags, hint))
            }
            "atomic_store" | "atomic_init" => {
                self.arity(name, args, count(2, 1), span)?;
                let order = self.order(args, 2)?;
                let (addr, ty) = self.pointer(&args[0])?;
                let value = convert(self.value(&args[1], None)?, ty);
                let tags =
                    if base == "atomic_init" { self.build.tags(&["NA"]) } else { self.build.tags(&["A", order.tag()]) };
                self.body.span = span;
                self.body.emit(Op::Store { addr, value, tags });
                Ok(Value::none())
            }
            "atomic_exchange" => {
                self.arity(name, args, count(2, 1), span)?;
                self.c11_update(args, None, span, hint)
            }
            "atomic_compare_exchange_weak" => {
                let message = format!("`{name}` may fail for no reason, which is not supported");
                Err(self.error(span, message).help("use atomic_compare_exchange_strong"))
            }
            "atomic_compare_exchange_strong" => {
                self.arity(name, args, count(3, 2), span)?;
                self.compare_exchange(args, span)
            }
            _ => match base.strip_prefix("atomic_fetch_").and_then(operation) {
                Some(op) => {
                    self.arity(name, args, count(2, 1), span)?;
                    self.c11_update(args, Some(op), span, hint)
                }
                None => Err(self.unknown_call(name, span)),
            },
        }
    }

    fn unknown_call(&self, name: &str, span: Span) -> Diagnostic {
        let help = match name {
            _ if name.starts_with("atomic") => {
                "known are atomic_load, atomic_store, atomic_exchange, atomic_fetch_{add,sub,and,or,xor} and \
                 atomic_compare_exchange_strong, with or without _explicit, and atomic_thread_fence"
            }
            _ => {
                "write its body where it is called; known are the atomic operations of C11, READ_ONCE, WRITE_ONCE, smp_mb, \
                  smp_load_acquire, smp_store_release, xchg, cmpxchg, spin_lock, rcu_read_lock, synchronize_rcu and their kin"
            }
        };
        self.error(span, format!("unknown function `{name}`")).help(help)
    }

    /// Complains about the wrong number of arguments.
    pub fn arity(&self, name: &str, args: &[E<'_>], count: usize, span: Span) -> Result<(), Diagnostic> {
        if args.len() == count {
            return Ok(());
        }
        Err(self.error(span, format!("`{name}` takes {count} arguments, not {}", args.len())))
    }

    /// The memory order in argument `at`; sequentially consistent if there is no such argument.
    fn order(&self, args: &[E<'_>], at: usize) -> Result<Order, Diagnostic> {
        let Some(arg) = args.get(at) else { return Ok(Order::SequentiallyConsistent) };
        let order = if let Node::Name(name) = arg.kind { Order::parse(name) } else { None };
        order.ok_or_else(|| {
            self.error(arg.span, "this is not a memory order")
                .help("write memory_order_relaxed, memory_order_seq_cst, …")
        })
    }

    /// Evaluates an argument that points to memory.
    pub fn pointer(&mut self, arg: &E<'_>) -> Result<(Expr, Ty), Diagnostic> {
        let value = self.value(arg, None)?;
        self.pointee(value, arg.span)
    }

    fn c11_update(
        &mut self,
        args: &[E<'_>],
        op: Option<BinaryOp>,
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Value, Diagnostic> {
        let order = self.order(args, 2)?;
        let (addr, ty) = self.pointer(&args[0])?;
        let operand = convert(self.value(&args[1], None)?, ty);
        let read_tags = self.build.tags(&["A", order.read()]);
        let write_tags = self.build.tags(&["A", order.write()]);
        self.body.span = span;
        let old = self.update(Update { addr, ty, when: None, operand, op, read_tags, write_tags }, hint);
        Ok(Value { expr: Expr::Local(old), ty })
    }

    /// Emits a read-modify-write and gives the local that takes the value read.
    pub fn update(&mut self, update: Update, hint: Option<LocalId>) -> LocalId {
        let Update { addr, ty, when, operand, op, read_tags, write_tags } = update;
        // In the operation its destination stands for the value read, so it must not stand for anything else.
        let other = when.as_ref().map(|(_, other)| other);
        let taken = |local| [Some(&addr), Some(&operand), other].into_iter().flatten().any(|e| mentions(e, local));
        let dst = self.destination(ty, hint.filter(|&local| !taken(local)));
        let when = when.map(|(comparison, other)| Expr::Local(dst).binary(comparison, other));
        let value = match op {
            Some(op) => Expr::Local(dst).binary(op, operand),
            None => operand,
        };
        self.body.emit(Op::Rmw { dst, addr, when, value, read_tags, write_tags });
        dst
    }

    /// A compare-and-swap: what it found, and whether it was what was wanted. If its read has another order where it fails, it
    /// is a choice between one that must succeed and a read of something else, since the tags of one must fit both.
    fn swap(&mut self, update: Update, wanted: Expr, failure_tags: TagSet) -> (LocalId, LocalId) {
        if update.read_tags == failure_tags {
            let old = self.update(Update { when: Some((BinaryOp::Eq, wanted.clone())), ..update }, None);
            let done = self.body.temporary(Width::BOOL);
            self.body.assign(done, Expr::Local(old).binary(BinaryOp::Eq, wanted));
            return (old, done);
        }
        let done = self.body.temporary(Width::BOOL);
        let (same, other, after) = (self.body.block(), self.body.block(), self.body.block());
        let (addr, ty) = (update.addr.clone(), update.ty);
        self.body.emit(Op::System(System::Nondet { dst: done }));
        self.body.branch(Expr::Local(done), (same, other), Some(after), same);
        let old = self.update(Update { when: Some((BinaryOp::Eq, wanted.clone())), ..update }, None);
        let equal = Expr::Local(old).binary(BinaryOp::Eq, wanted.clone());
        self.body.emit(Op::Assume { condition: equal, waits: false });
        self.body.end(Terminator::Goto(after), other);
        self.load(addr, ty, failure_tags, Some(old));
        let different = Expr::Local(old).binary(BinaryOp::Ne, wanted);
        self.body.emit(Op::Assume { condition: different, waits: false });
        self.body.fall_into(after);
        (old, done)
    }

    /// As in herd, `*expected` is read and, on failure, written non-atomically.
    fn compare_exchange(&mut self, args: &[E<'_>], span: Span) -> Result<Value, Diagnostic> {
        let success = self.order(args, 3)?;
        let failure = self.order(args, 4)?;
        let (addr, ty) = self.pointer(&args[0])?;
        let local = match &args[1].kind {
            Node::AddressOf(inner) => match inner.kind {
                Node::Name(name) => self.variable(name),
                _ => None,
            },
            _ => None,
        };
        let plain = self.build.tags(&["NA"]);
        let (expected, shared) = match local {
            Some((local, expected_ty)) => (Value { expr: Expr::Local(local), ty: expected_ty }, None),
            None => {
                let (expected_addr, expected_ty) = self.pointer(&args[1])?;
                self.body.span = args[1].span;
                (self.load(expected_addr.clone(), expected_ty, plain.clone(), None), Some(expected_addr))
            }
        };
        let expected_ty = expected.ty;
        let wanted = convert(expected, ty);
        let operand = convert(self.value(&args[2], None)?, ty);
        let read_tags = self.build.tags(&["A", success.read()]);
        let write_tags = self.build.tags(&["A", success.write()]);
        self.body.span = span;
        let update = Update { addr, ty, when: None, operand, op: None, read_tags, write_tags };
        let failure_tags = self.build.tags(&["A", failure.read()]);
        let (old, done) = self.swap(update, wanted, failure_tags);
        let found = convert(Value { expr: Expr::Local(old), ty }, expected_ty);
        match (shared, local) {
            (Some(addr), _) => {
                let (failed, after) = (self.body.block(), self.body.block());
                self.body.branch(Expr::Local(done), (after, failed), Some(after), failed);
                self.body.emit(Op::Store { addr, value: found, tags: plain });
                self.body.fall_into(after);
            }
            (None, Some((local, _))) => {
                let kept = Expr::Select(Box::new(Expr::Local(done)), Box::new(Expr::Local(local)), Box::new(found));
                self.body.assign(local, kept);
            }
            (None, None) => {}
        }
        Ok(Value { expr: Expr::Local(done), ty: Ty::TRUTH })
    }
}

//! The operations of the Linux kernel.
//!
//! An operation's ordering is a tag of its events: `MB`, `ACQUIRE`, `RELEASE`, `ONCE`, `NORETURN`. A read-modify-write that fails
//! (`cmpxchg`, `spin_trylock`, `atomic_add_unless`) has no write, and models give its read no order, whatever its tag.

use super::ast::{E, Node, Ty};
use super::library::{Update, operation};
use super::lower::{Lower, Value, convert};
use ir::{BinaryOp, Expr, LocalId, Op, TagSet, UnaryOp, Width};
use source::{Diagnostic, Span};

/// How an operation is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Full,
    Relaxed,
    Acquire,
    Release,
    /// An operation without a result orders nothing.
    NoReturn,
    /// `spin_lock` and `spin_trylock`.
    Lock,
}

/// Splits a name into its base and its ordering.
fn ordering(name: &str) -> (&str, Order) {
    for (suffix, order) in [("_relaxed", Order::Relaxed), ("_acquire", Order::Acquire), ("_release", Order::Release)] {
        if let Some(base) = name.strip_suffix(suffix) {
            return (base, order);
        }
    }
    (name, Order::Full)
}

/// The tag of a function that is nothing but a fence.
fn fence_tag(name: &str) -> Option<&'static str> {
    Some(match name {
        "smp_mb" => "MB",
        "smp_rmb" => "RMB",
        "smp_wmb" => "WMB",
        "smp_mb__before_atomic" => "BEFORE-ATOMIC",
        "smp_mb__after_atomic" => "AFTER-ATOMIC",
        "smp_mb__after_spinlock" => "AFTER-SPINLOCK",
        "smp_mb__after_unlock_lock" => "AFTER-UNLOCK-LOCK",
        "smp_mb__after_srcu_read_unlock" => "AFTER-SRCU-READ-UNLOCK",
        "barrier" => "BARRIER",
        "rcu_read_lock" => "RCU-LOCK",
        "rcu_read_unlock" => "RCU-UNLOCK",
        "synchronize_rcu" | "synchronize_rcu_expedited" => "SYNC-RCU",
        _ => return None,
    })
}

/// The tags of the domains of SRCU: a grace period has no location, so its domain is a tag.
const DOMAINS: [&str; 4] = ["SRCU-0", "SRCU-1", "SRCU-2", "SRCU-3"];

/// What an `atomic_` operation gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nothing,
    Old,
    New,
    NewIsZero,
    NewIsNegative,
}

impl Lower<'_, '_, '_> {
    /// Translates a call of the kernel's; nothing if it is none.
    pub fn linux_call(
        &mut self,
        name: &str,
        args: &[E<'_>],
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Option<Value>, Diagnostic> {
        if let Some(tag) = fence_tag(name) {
            self.arity(name, args, 0, span)?;
            self.fence(tag, span);
            return Ok(Some(Value::none()));
        }
        let value = match name {
            "READ_ONCE" | "rcu_dereference" | "rcu_access_pointer" | "atomic_read" => {
                self.read(name, args, "ONCE", span, hint)?
            }
            "smp_load_acquire" | "atomic_read_acquire" => self.read(name, args, "ACQUIRE", span, hint)?,
            "WRITE_ONCE" | "atomic_set" => self.write(name, args, "ONCE", span)?,
            "smp_store_release" | "rcu_assign_pointer" | "atomic_set_release" => {
                self.write(name, args, "RELEASE", span)?
            }
            "smp_store_mb" => {
                self.write(name, args, "ONCE", span)?;
                self.fence("MB", span);
                Value::none()
            }
            "spin_lock" => {
                let free = self.lock(name, args, span)?;
                self.body.emit(Op::Assume { condition: free, waits: true });
                Value::none()
            }
            "spin_trylock" => Value { expr: self.lock(name, args, span)?, ty: Ty::TRUTH },
            "spin_unlock" => self.unlock(name, args, span)?,
            "spin_is_locked" => {
                let Value { expr, ty } = self.read(name, args, "IS-LOCKED", span, None)?;
                Value { expr: expr.binary(BinaryOp::Ne, Expr::constant(0, ty.width())), ty: Ty::TRUTH }
            }
            "srcu_read_lock" | "srcu_down_read" => self.read(name, args, "SRCU-LOCK", span, hint)?,
            "srcu_read_unlock" | "srcu_up_read" => self.write(name, args, "SRCU-UNLOCK", span)?,
            "synchronize_srcu" | "synchronize_srcu_expedited" => {
                self.arity(name, args, 1, span)?;
                let tags = self.domain(&args[0], "SYNC-SRCU")?;
                self.body.span = span;
                self.body.emit(Op::Fence { tags });
                Value::none()
            }
            _ => return self.linux_update(name, args, span, hint),
        };
        Ok(Some(value))
    }

    /// Translates a read-modify-write of the kernel's; nothing if it is none.
    fn linux_update(
        &mut self,
        name: &str,
        args: &[E<'_>],
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Option<Value>, Diagnostic> {
        let (base, order) = ordering(name);
        let wide = base.strip_prefix("atomic64_").or_else(|| base.strip_prefix("atomic_long_"));
        let base = wide.map_or_else(|| base.to_owned(), |rest| format!("atomic_{rest}"));
        Ok(Some(match &*base {
            "xchg" | "atomic_xchg" => self.exchange(name, args, order, span, hint)?,
            "cmpxchg" | "atomic_cmpxchg" => self.cmpxchg(name, args, order, span, hint)?,
            "try_cmpxchg" | "atomic_try_cmpxchg" => self.try_cmpxchg(name, args, order, span)?,
            "atomic_add_unless" | "atomic_fetch_add_unless" => self.add_unless(name, args, order, span)?,
            "atomic_inc_not_zero" => self.add_unless(name, args, order, span)?,
            _ => return self.atomic(name, &base, args, order, span, hint),
        }))
    }

    /// The tags of an event of the domain that an argument names.
    fn domain(&mut self, arg: &E<'_>, tag: &str) -> Result<TagSet, Diagnostic> {
        let place = match &arg.kind {
            Node::Name(name) => Some(*name),
            Node::AddressOf(inner) => match inner.kind {
                Node::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let Some(name) = place.filter(|name| self.is_parameter(name)) else {
            return Err(self
                .error(arg.span, "the domain of SRCU is not known before the program runs")
                .help("pass a parameter `struct srcu_struct *s` as it is"));
        };
        let number = self.build.srcu_domain(name);
        let Some(domain) = DOMAINS.get(number) else {
            let message = format!("a test with more than {} domains of SRCU", DOMAINS.len());
            return Err(self.error(arg.span, message).help("use fewer"));
        };
        Ok(self.build.tags(&[tag, domain]))
    }

    fn fence(&mut self, tag: &str, span: Span) {
        let tags = self.build.tags(&[tag]);
        self.body.span = span;
        self.body.emit(Op::Fence { tags });
    }

    /// `*x` means the place, `x` what it points to.
    fn place_or_pointer(&mut self, arg: &E<'_>) -> Result<(Expr, Ty), Diagnostic> {
        match self.place(arg)? {
            Some(place) => Ok(place),
            None => self.pointer(arg),
        }
    }

    fn read(
        &mut self,
        name: &str,
        args: &[E<'_>],
        tag: &str,
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Value, Diagnostic> {
        self.arity(name, args, 1, span)?;
        let tags = self.access_tags(&args[0], tag)?;
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        self.body.span = span;
        Ok(self.load(addr, ty, tags, hint))
    }

    fn write(&mut self, name: &str, args: &[E<'_>], tag: &str, span: Span) -> Result<Value, Diagnostic> {
        self.arity(name, args, 2, span)?;
        let tags = self.access_tags(&args[0], tag)?;
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        let value = convert(self.value(&args[1], None)?, ty);
        self.body.span = span;
        self.body.emit(Op::Store { addr, value, tags });
        Ok(Value::none())
    }

    /// The tags of an access; those of SRCU belong to a domain.
    fn access_tags(&mut self, arg: &E<'_>, tag: &str) -> Result<TagSet, Diagnostic> {
        if tag.starts_with("SRCU-") { self.domain(arg, tag) } else { Ok(self.build.tags(&[tag])) }
    }

    /// Takes a lock if it is free, that is 0, and says whether it was. Executions in which `spin_lock` finds it taken are
    /// not looked at.
    fn lock(&mut self, name: &str, args: &[E<'_>], span: Span) -> Result<Expr, Diagnostic> {
        self.arity(name, args, 1, span)?;
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        let zero = Expr::constant(0, ty.width());
        let operand = Expr::constant(1, ty.width());
        let free = Some((BinaryOp::Eq, zero.clone()));
        let old = self.ordered(addr, ty, free, operand, None, Order::Lock, span, None);
        Ok(Expr::Local(old).binary(BinaryOp::Eq, zero))
    }

    fn unlock(&mut self, name: &str, args: &[E<'_>], span: Span) -> Result<Value, Diagnostic> {
        self.arity(name, args, 1, span)?;
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        let tags = self.build.tags(&["UL", "RELEASE"]);
        self.body.span = span;
        self.body.emit(Op::Store { addr, value: Expr::constant(0, ty.width()), tags });
        Ok(Value::none())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one operation")]
    fn ordered(
        &mut self,
        addr: Expr,
        ty: Ty,
        when: Option<(BinaryOp, Expr)>,
        operand: Expr,
        op: Option<BinaryOp>,
        order: Order,
        span: Span,
        hint: Option<LocalId>,
    ) -> LocalId {
        let (read, write): (&[&str], &[&str]) = match order {
            Order::Full => (&["RMW", "MB"], &["RMW", "MB"]),
            Order::Relaxed => (&["RMW", "ONCE"], &["RMW", "ONCE"]),
            Order::Acquire => (&["RMW", "ACQUIRE"], &["RMW", "ONCE"]),
            Order::Release => (&["RMW", "ONCE"], &["RMW", "RELEASE"]),
            Order::NoReturn => (&["RMW", "NORETURN"], &["RMW", "ONCE"]),
            Order::Lock => (&["LKR", "ACQUIRE"], &["LKW"]),
        };
        let (read_tags, write_tags) = (self.build.tags(read), self.build.tags(write));
        self.body.span = span;
        self.update(Update { addr, ty, when, operand, op, read_tags, write_tags }, hint)
    }

    fn exchange(
        &mut self,
        name: &str,
        args: &[E<'_>],
        order: Order,
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Value, Diagnostic> {
        self.arity(name, args, 2, span)?;
        let (addr, ty) = self.pointer(&args[0])?;
        let operand = convert(self.value(&args[1], None)?, ty);
        let old = self.ordered(addr, ty, None, operand, None, order, span, hint);
        Ok(Value { expr: Expr::Local(old), ty })
    }

    fn cmpxchg(
        &mut self,
        name: &str,
        args: &[E<'_>],
        order: Order,
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Value, Diagnostic> {
        self.arity(name, args, 3, span)?;
        let (addr, ty) = self.pointer(&args[0])?;
        let expected = convert(self.value(&args[1], None)?, ty);
        let operand = convert(self.value(&args[2], None)?, ty);
        let old = self.ordered(addr, ty, Some((BinaryOp::Eq, expected)), operand, None, order, span, hint);
        Ok(Value { expr: Expr::Local(old), ty })
    }

    /// `try_cmpxchg(x, &expected, new)`: whether it succeeded; `expected` becomes what was there.
    fn try_cmpxchg(&mut self, name: &str, args: &[E<'_>], order: Order, span: Span) -> Result<Value, Diagnostic> {
        self.arity(name, args, 3, span)?;
        let local = match &args[1].kind {
            Node::AddressOf(inner) => match inner.kind {
                Node::Name(name) => self.variable(name),
                _ => None,
            },
            _ => None,
        };
        let Some((expected, expected_ty)) = local else {
            let message = format!("`{name}` wants the address of a local variable here");
            return Err(self.error(args[1].span, message).help("declare `int old;` and pass `&old`"));
        };
        let (addr, ty) = self.pointer(&args[0])?;
        let wanted = convert(Value { expr: Expr::Local(expected), ty: expected_ty }, ty);
        let operand = convert(self.value(&args[2], None)?, ty);
        let same = Some((BinaryOp::Eq, wanted.clone()));
        let old = Expr::Local(self.ordered(addr, ty, same, operand, None, order, span, None));
        let done = self.body.temporary(Width::BOOL);
        self.body.assign(done, old.clone().binary(BinaryOp::Eq, wanted));
        let found = convert(Value { expr: old, ty }, expected_ty);
        let kept = Expr::Select(Box::new(Expr::Local(done)), Box::new(Expr::Local(expected)), Box::new(found));
        self.body.assign(expected, kept);
        Ok(Value { expr: Expr::Local(done), ty: Ty::TRUTH })
    }

    /// `atomic_add_unless(x, add, unless)` and `atomic_inc_not_zero(x)` say whether they added; with `fetch`, what was there.
    fn add_unless(&mut self, name: &str, args: &[E<'_>], order: Order, span: Span) -> Result<Value, Diagnostic> {
        let by_one = name.contains("inc_not_zero");
        self.arity(name, args, if by_one { 1 } else { 3 }, span)?;
        let (addr, ty) = self.pointer(&args[0])?;
        let (operand, unless) = if by_one {
            (Expr::constant(1, ty.width()), Expr::constant(0, ty.width()))
        } else {
            (convert(self.value(&args[1], None)?, ty), convert(self.value(&args[2], None)?, ty))
        };
        let other = Some((BinaryOp::Ne, unless.clone()));
        let old = Expr::Local(self.ordered(addr, ty, other, operand, Some(BinaryOp::Add), order, span, None));
        let added = Value { expr: old.clone().binary(BinaryOp::Ne, unless), ty: Ty::TRUTH };
        Ok(if name.contains("fetch") { Value { expr: old, ty } } else { added })
    }

    /// `atomic_inc(x)`, `atomic_add_return(1, x)`, `atomic_fetch_add(1, x)`…
    ///
    /// C11 has an `atomic_fetch_add(x, 1)` too: there the pointer comes first.
    fn atomic(
        &mut self,
        name: &str,
        base: &str,
        args: &[E<'_>],
        order: Order,
        span: Span,
        hint: Option<LocalId>,
    ) -> Result<Option<Value>, Diagnostic> {
        let Some(rest) = base.strip_prefix("atomic_") else { return Ok(None) };
        let (word, result) = if let Some(word) = rest.strip_prefix("fetch_") {
            (word, Gives::Old)
        } else if let Some(word) = rest.strip_suffix("_return") {
            (word, Gives::New)
        } else if let Some(word) = rest.strip_suffix("_and_test") {
            (word, Gives::NewIsZero)
        } else if let Some(word) = rest.strip_suffix("_negative") {
            (word, Gives::NewIsNegative)
        } else {
            (rest, Gives::Nothing)
        };
        let (word, inverted) = if word == "andnot" { ("and", true) } else { (word, false) };
        let Some(op) = operation(word) else { return Ok(None) };
        let by_one = matches!(word, "inc" | "dec");
        let count = if by_one { 1 } else { 2 };
        if result == Gives::Old && !by_one && (args.len() != 2 || !self.is_pointer(&args[1])) {
            return Ok(None);
        }
        self.arity(name, args, count, span)?;
        let operand = if by_one {
            Value { expr: Expr::constant(1, Width::INT), ty: Ty::INT }
        } else {
            self.value(&args[0], None)?
        };
        let (addr, ty) = self.pointer(&args[count - 1])?;
        let operand = convert(operand, ty);
        let operand = if inverted { operand.unary(UnaryOp::Not) } else { operand };
        let order = if result == Gives::Nothing { Order::NoReturn } else { order };
        let hint = hint.filter(|_| result == Gives::Old);
        let old = Expr::Local(self.ordered(addr, ty, None, operand.clone(), Some(op), order, span, hint));
        let new = old.clone().binary(op, operand);
        let zero = Expr::constant(0, ty.width());
        Ok(Some(match result {
            Gives::Nothing => Value::none(),
            Gives::Old => Value { expr: old, ty },
            Gives::New => Value { expr: new, ty },
            Gives::NewIsZero => Value { expr: new.binary(BinaryOp::Eq, zero), ty: Ty::TRUTH },
            Gives::NewIsNegative => Value { expr: new.binary(BinaryOp::SLt, zero), ty: Ty::TRUTH },
        }))
    }
}

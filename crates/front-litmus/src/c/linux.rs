//! The operations of the Linux kernel.
//!
//! A value-returning operation without a suffix has a full fence on both sides; a `cmpxchg` that fails has none behind
//! it. Operations whose ordering depends on success in a way that tags can't say are refused.

use super::ast::{E, Ty};
use super::library::{Update, operation};
use super::lower::{Lower, Value, convert};
use ir::{BinaryOp, Expr, LocalId, Op, Width};
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

/// What an `atomic_` operation gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nothing,
    Old,
    New,
    NewIsZero,
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
        let fence = match name {
            "smp_mb" => "MB",
            "smp_rmb" => "RMB",
            "smp_wmb" => "WMB",
            _ => "",
        };
        if !fence.is_empty() {
            self.arity(name, args, 0, span)?;
            self.fence(fence, span);
            return Ok(Some(Value::none()));
        }
        let value = match name {
            "READ_ONCE" | "rcu_dereference" | "atomic_read" => self.read(name, args, "ONCE", span, hint)?,
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
            "spin_lock" => self.lock(name, args, span)?,
            "spin_trylock" | "cmpxchg_acquire" | "atomic_cmpxchg_acquire" => {
                let message = format!("`{name}` orders only where it succeeds, which is not supported");
                return Err(self.error(span, message).help("use spin_lock, or cmpxchg"));
            }
            "spin_unlock" => {
                self.arity(name, args, 1, span)?;
                let (addr, ty) = self.place_or_pointer(&args[0])?;
                let tags = self.build.tags(&["RELEASE"]);
                self.body.span = span;
                self.body.emit(Op::Store { addr, value: Expr::constant(0, ty.width()), tags });
                Value::none()
            }
            _ => {
                let (base, order) = ordering(name);
                match base {
                    "xchg" | "atomic_xchg" => self.exchange(name, args, order, span, hint)?,
                    "cmpxchg" | "atomic_cmpxchg" => self.cmpxchg(name, args, order, span, hint)?,
                    _ => return self.atomic(name, base, args, order, span, hint),
                }
            }
        };
        Ok(Some(value))
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
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        let tags = self.build.tags(&[tag]);
        self.body.span = span;
        Ok(self.load(addr, ty, tags, hint))
    }

    fn write(&mut self, name: &str, args: &[E<'_>], tag: &str, span: Span) -> Result<Value, Diagnostic> {
        self.arity(name, args, 2, span)?;
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        let value = convert(self.value(&args[1], None)?, ty);
        let tags = self.build.tags(&[tag]);
        self.body.span = span;
        self.body.emit(Op::Store { addr, value, tags });
        Ok(Value::none())
    }

    /// A lock is free when it is 0. Executions in which `spin_lock` finds it taken are not looked at.
    fn lock(&mut self, name: &str, args: &[E<'_>], span: Span) -> Result<Value, Diagnostic> {
        self.arity(name, args, 1, span)?;
        let (addr, ty) = self.place_or_pointer(&args[0])?;
        let zero = Expr::constant(0, ty.width());
        let operand = Expr::constant(1, ty.width());
        let old = self.ordered(addr, ty, Some(zero.clone()), operand, None, Order::Acquire, span, None);
        let free = Expr::Local(old).binary(BinaryOp::Eq, zero);
        self.body.emit(Op::Assume { condition: free, waits: true });
        Ok(Value::none())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one operation")]
    fn ordered(
        &mut self,
        addr: Expr,
        ty: Ty,
        expected: Option<Expr>,
        operand: Expr,
        op: Option<BinaryOp>,
        order: Order,
        span: Span,
        hint: Option<LocalId>,
    ) -> LocalId {
        let (read, write): (&[&str], &[&str]) = match order {
            Order::Full | Order::Relaxed => (&["ONCE"], &["ONCE"]),
            Order::Acquire => (&["ACQUIRE"], &["ONCE"]),
            Order::Release => (&["ONCE"], &["RELEASE"]),
            Order::NoReturn => (&["NORETURN", "ONCE"], &["ONCE"]),
        };
        let (read_tags, write_tags) = (self.build.tags(read), self.build.tags(write));
        if order == Order::Full {
            self.fence("MB", span);
        }
        self.body.span = span;
        let old = self.update(Update { addr, ty, expected, operand, op, read_tags, write_tags }, hint);
        if order == Order::Full {
            self.fence("MB", span);
        }
        old
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
        if order == Order::Full {
            self.fence("MB", span);
        }
        let inner = if order == Order::Full { Order::Relaxed } else { order };
        let old = self.ordered(addr, ty, Some(expected.clone()), operand, None, inner, span, hint);
        if order == Order::Full {
            // The fence behind it is there only where it succeeds.
            let (first, after) = (self.body.block(), self.body.block());
            let succeeded = Expr::Local(old).binary(BinaryOp::Eq, expected);
            self.body.branch(succeeded, (first, after), Some(after), first);
            self.fence("MB", span);
            self.body.fall_into(after);
        }
        Ok(Value { expr: Expr::Local(old), ty })
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
        } else {
            (rest, Gives::Nothing)
        };
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
        let order = if result == Gives::Nothing { Order::NoReturn } else { order };
        let hint = hint.filter(|_| result == Gives::Old);
        let old = Expr::Local(self.ordered(addr, ty, None, operand.clone(), Some(op), order, span, hint));
        let new = old.clone().binary(op, operand);
        Ok(Some(match result {
            Gives::Nothing => Value::none(),
            Gives::Old => Value { expr: old, ty },
            Gives::New => Value { expr: new, ty },
            Gives::NewIsZero => Value { expr: new.binary(BinaryOp::Eq, Expr::constant(0, ty.width())), ty: Ty::TRUTH },
        }))
    }
}

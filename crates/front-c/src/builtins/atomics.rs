//! Atomic operations: GNU C's `__sync_*` and `__atomic_*`, and C11's under the names that headers give them.
//!
//! A read-modify-write is one [`ir::Op::Rmw`]. A compare-exchange whose failure has another order than its success is a
//! choice between two of them, one that must succeed and one that must fail, because the tags of one must fit both.

use super::Outcome;
use super::context::{Call, Update};
use crate::lower::{Role, Value};
use crate::types::{Kind, Type};
use ir::{BinaryOp, Expr, TagSet, UnaryOp, Width};
use source::Diagnostic;

/// A memory order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Order {
    /// The order that a constant stands for. The bits above the order are hints about transactions.
    fn from_constant(value: i64) -> Option<Self> {
        Some(match value & 0xffff {
            0 => Order::Relaxed,
            1 | 2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcquireRelease,
            5 => Order::SequentiallyConsistent,
            _ => return None,
        })
    }

    /// The tag of a fence, a load or a store.
    pub fn tag(self) -> &'static str {
        match self {
            Order::Relaxed => "RLX",
            Order::Acquire => "ACQ",
            Order::Release => "REL",
            Order::AcquireRelease => "ACQ_REL",
            Order::SequentiallyConsistent => "SC",
        }
    }

    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcquireRelease => "acq_rel",
            Order::SequentiallyConsistent => "seq_cst",
        }
    }

    /// The tag of the read of a read-modify-write, or of a load.
    fn read(self) -> &'static str {
        match self {
            Order::Relaxed | Order::Release => "RLX",
            Order::Acquire | Order::AcquireRelease => "ACQ",
            Order::SequentiallyConsistent => "SC",
        }
    }

    /// The tag of the write of a read-modify-write, or of a store.
    fn write(self) -> &'static str {
        match self {
            Order::Relaxed | Order::Acquire => "RLX",
            Order::Release | Order::AcquireRelease => "REL",
            Order::SequentiallyConsistent => "SC",
        }
    }
}

/// The memory order of an operation, and the mark of its site if it stands in the user's text.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    pub order: Order,
    pub mark: Option<String>,
}

impl Ordered {
    /// The tags of a read.
    fn read(&self) -> Vec<&str> {
        ["A", self.order.read()].into_iter().chain(self.mark.as_deref()).collect()
    }

    /// The tags of a write.
    fn write(&self) -> Vec<&str> {
        ["A", self.order.write()].into_iter().chain(self.mark.as_deref()).collect()
    }
}

/// What a read-modify-write computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Binary(BinaryOp),
    Nand,
    /// The one for which this comparison of old and operand holds, else the operand.
    Choose(BinaryOp),
}

impl Operation {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Operation::Binary(BinaryOp::Add),
            "sub" => Operation::Binary(BinaryOp::Sub),
            "and" => Operation::Binary(BinaryOp::And),
            "or" => Operation::Binary(BinaryOp::Or),
            "xor" => Operation::Binary(BinaryOp::Xor),
            "nand" => Operation::Nand,
            "min" => Operation::Choose(BinaryOp::SLt),
            "umin" => Operation::Choose(BinaryOp::ULt),
            "max" => Operation::Choose(BinaryOp::SLe),
            "umax" => Operation::Choose(BinaryOp::ULe),
            _ => return None,
        })
    }

    fn apply(self, old: Expr, operand: Expr) -> Expr {
        match self {
            Operation::Binary(op) => old.binary(op, operand),
            // The larger one is the operand where the old value is at most that.
            Operation::Choose(op @ (BinaryOp::SLe | BinaryOp::ULe)) => {
                let at_most = old.clone().binary(op, operand.clone());
                Expr::Select(Box::new(at_most), Box::new(operand), Box::new(old))
            }
            Operation::Choose(op) => {
                let less = old.clone().binary(op, operand.clone());
                Expr::Select(Box::new(less), Box::new(old), Box::new(operand))
            }
            Operation::Nand => old.binary(BinaryOp::And, operand).unary(UnaryOp::Not),
        }
    }
}

/// Where the memory order of an operation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Orders {
    /// From the arguments, beginning with this one.
    From(usize),
    /// It is always this one.
    Always(Order),
}

/// An operation, whatever family it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atomic {
    /// `Value`: as the result; `Through`: through the argument after the pointer.
    Load(Form),
    Store(Form),
    /// An ordinary write of an object that nobody knows yet.
    Init,
    Exchange(Form),
    /// Whether the new value is the result. `scaled`: a pointer moves by elements, not by bytes.
    Fetch {
        operation: Operation,
        new: bool,
        scaled: bool,
    },
    /// `*expected` is an argument; whether it is weak is one, or known.
    CompareExchange {
        form: Form,
        weak: Option<bool>,
    },
    /// The result is the old value, or whether it succeeded.
    CompareAndSwap {
        bool: bool,
    },
    TestAndSet,
    Clear,
}

/// How an operand is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Value,
    Through,
}

/// An operation by its name, with the place of its order and the number of its arguments.
#[derive(Debug, Clone, Copy)]
struct Parsed {
    atomic: Atomic,
    orders: Orders,
    arity: usize,
}

fn parse(name: &str) -> Option<Parsed> {
    if let Some(rest) = name.strip_prefix("__sync_") {
        return sync(rest);
    }
    if let Some(rest) = name.strip_prefix("__atomic_") {
        return gnu(rest);
    }
    // clang's `__c11_atomic_load` always has an order. C11's operations have one if they are `_explicit`.
    if let Some(rest) = name.strip_prefix("__c11_atomic_") {
        return c11(rest, true);
    }
    let rest = name.strip_prefix("atomic_")?;
    match rest.strip_suffix("_explicit") {
        Some(rest) => c11(rest, true),
        None => c11(rest, false),
    }
}

fn without_size(name: &str) -> &str {
    ["_1", "_2", "_4", "_8"].iter().find_map(|size| name.strip_suffix(size)).unwrap_or(name)
}

fn sync(name: &str) -> Option<Parsed> {
    let full = Orders::Always(Order::SequentiallyConsistent);
    let name = without_size(name);
    Some(match name {
        "val_compare_and_swap" => Parsed { atomic: Atomic::CompareAndSwap { bool: false }, orders: full, arity: 3 },
        "bool_compare_and_swap" => Parsed { atomic: Atomic::CompareAndSwap { bool: true }, orders: full, arity: 3 },
        "lock_test_and_set" => {
            Parsed { atomic: Atomic::Exchange(Form::Value), orders: Orders::Always(Order::Acquire), arity: 2 }
        }
        "lock_release" => Parsed { atomic: Atomic::Clear, orders: Orders::Always(Order::Release), arity: 1 },
        _ => {
            let (word, new) = match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
                (Some(word), _) => (word, false),
                (None, Some(word)) => (word, true),
                (None, None) => return None,
            };
            let operation = Operation::parse(word)?;
            Parsed { atomic: Atomic::Fetch { operation, new, scaled: false }, orders: full, arity: 2 }
        }
    })
}

fn gnu(name: &str) -> Option<Parsed> {
    let form = if name.ends_with("_n") || without_size(name) != name { Form::Value } else { Form::Through };
    let base = without_size(name.strip_suffix("_n").unwrap_or(name));
    let parsed = |atomic, order, arity| Some(Parsed { atomic, orders: Orders::From(order), arity });
    let through = usize::from(form == Form::Through);
    match base {
        "load" => parsed(Atomic::Load(form), 1 + through, 2 + through),
        "store" => parsed(Atomic::Store(form), 2, 3),
        "exchange" => parsed(Atomic::Exchange(form), 2 + through, 3 + through),
        "compare_exchange" => parsed(Atomic::CompareExchange { form, weak: None }, 4, 6),
        "test_and_set" => parsed(Atomic::TestAndSet, 1, 2),
        "clear" => parsed(Atomic::Clear, 1, 2),
        _ => {
            let (word, new) = match (base.strip_prefix("fetch_"), base.strip_suffix("_fetch")) {
                (Some(word), _) => (word, false),
                (None, Some(word)) => (word, true),
                (None, None) => return None,
            };
            parsed(Atomic::Fetch { operation: Operation::parse(word)?, new, scaled: false }, 2, 3)
        }
    }
}

fn c11(name: &str, explicit: bool) -> Option<Parsed> {
    let parsed = |atomic, order: usize, orders: usize| {
        let at = if explicit { Orders::From(order) } else { Orders::Always(Order::SequentiallyConsistent) };
        Some(Parsed { atomic, orders: at, arity: order + if explicit { orders } else { 0 } })
    };
    match name {
        "load" => parsed(Atomic::Load(Form::Value), 1, 1),
        "store" => parsed(Atomic::Store(Form::Value), 2, 1),
        "init" => Some(Parsed { atomic: Atomic::Init, orders: Orders::Always(Order::Relaxed), arity: 2 }),
        "exchange" => parsed(Atomic::Exchange(Form::Value), 2, 1),
        "compare_exchange_strong" => parsed(Atomic::CompareExchange { form: Form::Value, weak: Some(false) }, 3, 2),
        "compare_exchange_weak" => parsed(Atomic::CompareExchange { form: Form::Value, weak: Some(true) }, 3, 2),
        "flag_test_and_set" => parsed(Atomic::TestAndSet, 1, 1),
        "flag_clear" => parsed(Atomic::Clear, 1, 1),
        _ => {
            let operation = Operation::parse(name.strip_prefix("fetch_")?)?;
            parsed(Atomic::Fetch { operation, new: false, scaled: true }, 2, 1)
        }
    }
}

/// See [`super::writes_through`].
pub(super) fn writes_through(name: &str, arg: usize) -> bool {
    match parse(name).map(|parsed| parsed.atomic) {
        Some(Atomic::Load(Form::Through) | Atomic::Store(Form::Through)) => arg == 1,
        Some(Atomic::Exchange(Form::Through) | Atomic::CompareExchange { form: Form::Through, .. }) => {
            arg == 1 || arg == 2
        }
        Some(Atomic::CompareExchange { form: Form::Value, .. }) => arg == 1,
        Some(
            Atomic::Load(Form::Value)
            | Atomic::Store(Form::Value)
            | Atomic::Init
            | Atomic::Exchange(Form::Value)
            | Atomic::Fetch { .. }
            | Atomic::CompareAndSwap { .. }
            | Atomic::TestAndSet
            | Atomic::Clear,
        )
        | None => false,
    }
}

/// The kernel's `atomic_fetch_add(1, &x)` has the pointer second.
fn is_kernels(call: &mut Call<'_, '_>, parsed: Parsed) -> bool {
    if !matches!(parsed.atomic, Atomic::Fetch { .. }) || !call.name.starts_with("atomic_") || call.args.len() != 2 {
        return false;
    }
    let mut pointer = |at: usize| {
        call.lowering.type_of(&call.args[at]).is_ok_and(|ty| matches!(ty.kind, Kind::Pointer(_) | Kind::Array(..)))
    };
    !pointer(0) && pointer(1)
}

pub(super) fn call(call: &mut Call<'_, '_>) -> Outcome {
    match call.name {
        "__atomic_always_lock_free" | "__atomic_is_lock_free" | "__c11_atomic_is_lock_free" | "atomic_is_lock_free" => {
            return Ok(Some(Some(call.lowering.int(1, &Type::INT))));
        }
        _ => {}
    }
    let Some(parsed) = parse(call.name) else { return Ok(None) };
    if is_kernels(call, parsed) {
        return Ok(None);
    }
    // The `__sync` family takes further arguments, which mean nothing.
    if call.name.starts_with("__sync_") {
        call.at_least(parsed.arity)?;
    } else {
        call.arity(parsed.arity)?;
    }
    let order = order(call, parsed.orders, 0, role(parsed.atomic))?;
    let value = match parsed.atomic {
        Atomic::Load(form) => {
            let (addr, ty, record) = call.whole(0)?;
            let tags = call.lowering.tags(&order.read());
            let value = call.lowering.load(addr, &ty, tags)?;
            result(call, form, 1, value, record)?
        }
        Atomic::Store(form) => {
            let (addr, ty, record) = call.whole(0)?;
            let value = operand(call, form, 1, &ty, record.is_some())?;
            let tags = call.lowering.tags(&order.write());
            call.lowering.store(addr, value, tags);
            None
        }
        Atomic::Init => {
            let (addr, ty, record) = call.whole(0)?;
            let value = operand(call, Form::Value, 1, &ty, record.is_some())?;
            let tags = call.lowering.tags(&["NA"]);
            call.lowering.store(addr, value, tags);
            None
        }
        Atomic::Exchange(form) => {
            let (addr, ty, record) = call.whole(0)?;
            let (read_tags, write_tags) = tags(call, &order);
            let new = operand(call, form, 1, &ty, record.is_some())?.expr;
            let old = call.update(Update { addr, ty, read_tags, write_tags }, |_| (None, new));
            result(call, form, 2, old, record)?
        }
        Atomic::Fetch { operation, new, scaled } => Some(fetch(call, &order, operation, new, scaled)?),
        Atomic::CompareExchange { form, weak } => Some(compare_exchange(call, parsed.orders, &order, form, weak)?),
        Atomic::CompareAndSwap { bool } => {
            let update = update(call, &order)?;
            let expected = call.value_as(1, &update.ty)?;
            let expected = call.keep(expected).expr;
            let new = call.value_as(2, &update.ty)?.expr;
            let old = call.update(update, |old| (Some(old.binary(BinaryOp::Eq, expected.clone())), new));
            Some(if bool { call.truth_value(old.expr.binary(BinaryOp::Eq, expected)) } else { old })
        }
        Atomic::TestAndSet => {
            let update = flag(call, &order)?;
            let one = Expr::constant(1, update.ty.width().unwrap_or(Width::INT));
            let old = call.update(update, |_| (None, one));
            let set = call.lowering.truth(old);
            Some(call.truth_value(set))
        }
        Atomic::Clear => {
            let Update { addr, ty, .. } = flag(call, &order)?;
            let zero = call.lowering.int(0, &ty);
            let tags = call.lowering.tags(&order.write());
            call.lowering.store(addr, zero, tags);
            None
        }
    };
    Ok(Some(value))
}

/// What the order of an operation is for.
fn role(atomic: Atomic) -> Role {
    match atomic {
        Atomic::Load(_) => Role::Load,
        Atomic::Store(_) | Atomic::Init | Atomic::Clear => Role::Store,
        Atomic::Exchange(_) | Atomic::Fetch { .. } | Atomic::TestAndSet => Role::Update,
        Atomic::CompareExchange { .. } | Atomic::CompareAndSwap { .. } => Role::Swap,
    }
}

/// The memory order of an operation, or the one `offset` arguments after it.
fn order(call: &mut Call<'_, '_>, orders: Orders, offset: usize, role: Role) -> Result<Ordered, Diagnostic> {
    match orders {
        Orders::Always(order) => Ok(Ordered { order, mark: None }),
        Orders::From(at) => order_argument(call, at + offset, role),
    }
}

/// The memory order that an argument gives.
pub(super) fn order_argument(call: &mut Call<'_, '_>, at: usize, role: Role) -> Result<Ordered, Diagnostic> {
    let arg = &call.args[at];
    let order = call.lowering.const_value(arg).and_then(Order::from_constant).ok_or_else(|| {
        let span = call.lowering.at(arg.span);
        call.lowering
            .error(span, format!("the memory order of `{}` is not a constant order", call.name))
            .help("write memory_order_relaxed, memory_order_seq_cst, …; distinguish cases with `if`")
    })?;
    let mark = call.lowering.site(arg.span, role, order.name());
    Ok(Ordered { order, mark })
}

/// A read-modify-write of what the first argument points to.
fn update(call: &mut Call<'_, '_>, order: &Ordered) -> Result<Update, Diagnostic> {
    let (addr, ty) = call.object(0)?;
    let (read_tags, write_tags) = tags(call, order);
    Ok(Update { addr, ty, read_tags, write_tags })
}

fn tags(call: &mut Call<'_, '_>, order: &Ordered) -> (TagSet, TagSet) {
    (call.lowering.tags(&order.read()), call.lowering.tags(&order.write()))
}

/// As [`update`], but what `void *` points to is a byte.
fn flag(call: &mut Call<'_, '_>, order: &Ordered) -> Result<Update, Diagnostic> {
    let ty = call.lowering.type_of(&call.args[0])?;
    if !ty.pointee().is_some_and(Type::is_void) {
        return update(call, order);
    }
    let addr = call.value(0)?.expr;
    let (read_tags, write_tags) = tags(call, order);
    Ok(Update { addr, ty: Type::UCHAR, read_tags, write_tags })
}

/// An operand, as the object's type.
fn operand(call: &mut Call<'_, '_>, form: Form, at: usize, ty: &Type, record: bool) -> Result<Value, Diagnostic> {
    let value = match form {
        Form::Value if record => call.lowering.pack_argument(&call.args[at])?,
        Form::Value => call.value(at)?,
        Form::Through => call.lowering.read_through(&call.args[at])?,
    };
    let value = call.lowering.convert(value, ty)?;
    Ok(call.keep(value))
}

/// What an operation read: its value, or written through an argument.
fn result(
    call: &mut Call<'_, '_>,
    form: Form,
    at: usize,
    value: Value,
    record: Option<Type>,
) -> Result<Option<Value>, Diagnostic> {
    match form {
        Form::Value => Ok(Some(Value { ty: record.unwrap_or(value.ty), ..value })),
        Form::Through => {
            call.lowering.assign_through(&call.args[at], value)?;
            Ok(None)
        }
    }
}

fn fetch(
    call: &mut Call<'_, '_>,
    order: &Ordered,
    operation: Operation,
    new: bool,
    scaled: bool,
) -> Result<Value, Diagnostic> {
    let update = update(call, order)?;
    let ty = update.ty.clone();
    // The `__sync` family says by its names whether numbers have signs, the others go by the type.
    let operation = match operation {
        Operation::Choose(BinaryOp::SLt) if !ty.is_signed() && !call.name.starts_with("__sync_") => {
            Operation::Choose(BinaryOp::ULt)
        }
        Operation::Choose(BinaryOp::SLe) if !ty.is_signed() && !call.name.starts_with("__sync_") => {
            Operation::Choose(BinaryOp::ULe)
        }
        operation => operation,
    };
    let mut amount = match &ty.kind {
        Kind::Pointer(_) => call.value_as(1, &Type::LONG_LONG)?,
        _ => call.value_as(1, &ty)?,
    };
    if let (Kind::Pointer(to), true) = (&ty.kind, scaled) {
        let size = call.lowering.types.size(to).map_err(|why| call.error(why))?;
        let size = Expr::Const(size, Width::WORD);
        amount.expr = amount.expr.binary(BinaryOp::Mul, size);
    }
    let amount = call.keep(amount).expr;
    let truth = matches!(ty.kind, Kind::Bool);
    let computed = |old: Expr| {
        let value = operation.apply(old, amount.clone());
        if !truth {
            return value;
        }
        // A truth value is 0 or 1, whatever was added.
        let width = Type::BOOL.width().unwrap_or(Width::INT);
        value.binary(BinaryOp::Ne, Expr::Const(0, width)).unary(UnaryOp::ZeroExtend(width))
    };
    let old = call.update(update, |old| (None, computed(old)));
    Ok(if new { Value { expr: computed(old.expr), ty } } else { old })
}

/// On failure `*expected` takes what was found.
fn compare_exchange(
    call: &mut Call<'_, '_>,
    orders: Orders,
    success: &Ordered,
    form: Form,
    weak: Option<bool>,
) -> Result<Value, Diagnostic> {
    let failure = order(call, orders, 1, Role::Failure)?;
    let (addr, ty, record) = call.whole(0)?;
    let place = call.lowering.through(&call.args[1])?;
    let expected = call.lowering.pack(&place)?;
    let expected = call.lowering.convert(expected, &ty)?;
    let expected = call.keep(expected).expr;
    let new = operand(call, form, 2, &ty, record.is_some())?.expr;
    // Whether it is weak need not be known: it is then allowed to fail.
    let weak = match weak {
        Some(weak) => weak,
        None => call.lowering.const_value(&call.args[3]) != Some(0),
    };
    let swap = Swap { addr, ty: ty.clone(), expected, new, weak };
    let (found, done) = swap.emit(call, (&success.read(), &success.write()), &failure.read())?;
    let failed = done.clone().binary(BinaryOp::Eq, Expr::Const(0, Width::BOOL));
    let found = Value { expr: found, ty };
    call.lowering.if_(failed, |lowering| lowering.put(place, found), |_| Ok(()))?;
    Ok(call.truth_value(done))
}

/// A compare-and-swap.
pub(super) struct Swap {
    pub addr: Expr,
    pub ty: Type,
    pub expected: Expr,
    pub new: Expr,
    /// Whether it may fail for no reason.
    pub weak: bool,
}

impl Swap {
    /// Where it is asked whether a loop can spin for ever: a choice of its own says whether it fails for no reason, which it
    /// does not do for ever.
    fn emit_fairly(
        self,
        call: &mut Call<'_, '_>,
        success: (&[&str], &[&str]),
        failure: &[&str],
    ) -> Result<(Expr, Expr), Diagnostic> {
        let Swap { addr, ty, expected, new, weak: _ } = self;
        let (dst, done) = (call.lowering.temp(ty.width().unwrap_or(Width::WORD)), call.lowering.temp(Width::BOOL));
        let spurious = call.any(Width::BOOL);
        let tags = call.lowering.tags(failure);
        let fail = Update { addr: addr.clone(), ty: ty.clone(), read_tags: tags.clone(), write_tags: tags };
        let (name, span, never) = (call.name, call.span, Expr::Const(0, Width::BOOL));
        let old = new.clone();
        call.lowering.if_(
            spurious,
            |lowering| {
                let mut call = Call { lowering, name, args: &[], span, range: None };
                call.update_into(dst, &fail, Some(never.clone()), old);
                call.lowering.emit(ir::Op::Assign { dst: done, value: never });
                Ok(())
            },
            |lowering| {
                let mut call = Call { lowering, name, args: &[], span, range: None };
                let strong = Swap { addr, ty, expected, new, weak: false };
                let (found, succeeded) = strong.emit(&mut call, success, failure)?;
                call.lowering.emit(ir::Op::Assign { dst, value: found });
                call.lowering.emit(ir::Op::Assign { dst: done, value: succeeded });
                Ok(())
            },
        )?;
        Ok((Expr::Local(dst), Expr::Local(done)))
    }

    /// Emits it with the tags of a success (of the read and of the write) and of a failure. Gives what it found, and
    /// whether it succeeded.
    pub fn emit(
        self,
        call: &mut Call<'_, '_>,
        (read, write): (&[&str], &[&str]),
        failure: &[&str],
    ) -> Result<(Expr, Expr), Diagnostic> {
        if self.weak && call.lowering.options().checks.fair {
            return self.emit_fairly(call, (read, write), failure);
        }
        let Swap { addr, ty, expected, new, weak } = self;
        let dst = call.lowering.temp(ty.width().unwrap_or(Width::WORD));
        let equal = Expr::Local(dst).binary(BinaryOp::Eq, expected);
        let (read_tags, write_tags) = (call.lowering.tags(read), call.lowering.tags(write));
        let success = Update { addr, ty, read_tags, write_tags };
        if read == failure {
            let when = if weak {
                let willing = call.any(Width::BOOL);
                equal.binary(BinaryOp::And, willing)
            } else {
                equal
            };
            call.update_into(dst, &success, Some(when.clone()), new);
            let done = call.lowering.temp(Width::BOOL);
            call.lowering.emit(ir::Op::Assign { dst: done, value: when });
            return Ok((Expr::Local(dst), Expr::Local(done)));
        }
        let done = call.any(Width::BOOL);
        let failure_tags = call.lowering.tags(failure);
        let (name, span) = (call.name, call.span);
        let (same, other) = (equal.clone(), equal);
        let addr = success.addr.clone();
        let fail = Update { addr, ty: success.ty.clone(), read_tags: failure_tags.clone(), write_tags: failure_tags };
        let old = new.clone();
        call.lowering.if_(
            done.clone(),
            |lowering| {
                let mut call = Call { lowering, name, args: &[], span, range: None };
                call.update_into(dst, &success, Some(same.clone()), new);
                call.assume(same, false);
                Ok(())
            },
            |lowering| {
                let mut call = Call { lowering, name, args: &[], span, range: None };
                call.update_into(dst, &fail, Some(Expr::Const(0, Width::BOOL)), old);
                if !weak {
                    call.assume(other.binary(BinaryOp::Eq, Expr::Const(0, Width::BOOL)), false);
                }
                Ok(())
            },
        )?;
        Ok((Expr::Local(dst), done))
    }
}

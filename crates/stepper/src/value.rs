//! What locals and cells of one thread hold.

use crate::Halt;
use ir::{Address, Expr, Function, LocalId, Program, Width, eval_binary, eval_unary};
use source::Span;

/// What a local or a cell that one thread uses alone holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value<S> {
    /// This, whatever happened.
    Known(u64),
    /// What the symbol stands for.
    Symbolic(S),
}

impl<S> Value<S> {
    /// The bits, if they are known.
    pub fn known(self) -> Option<u64> {
        match self {
            Value::Known(bits) => Some(bits),
            Value::Symbolic(_) => None,
        }
    }
}

/// What has a value that belongs to one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holder {
    /// A local of a function that is executed, by how deep the call is; the outermost has depth 1.
    Local(usize, ir::FunctionId, LocalId),
    /// A cell that no other thread uses.
    Own(u32),
    /// What the thread returns.
    Result,
}

/// A function while it is executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Frame<S> {
    /// Which function.
    pub function: ir::FunctionId,
    /// The block that is executed.
    pub block: u32,
    /// The next instruction of it.
    pub index: u32,
    /// What its locals hold.
    pub values: Vec<Value<S>>,
    /// The local of the caller that takes the result.
    pub dst: Option<LocalId>,
    /// For a function of the library: where the library was called.
    pub called: Option<Span>,
}

/// Where expressions are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'s, S> {
    /// The program.
    pub program: &'s Program,
    /// The function.
    pub function: &'s Function,
    /// How deep its call is.
    pub depth: usize,
    /// Its execution.
    pub frame: &'s Frame<S>,
}

impl<S: Copy> Scope<'_, S> {
    /// The value of an expression that looks at no symbol, and its width: the machine's arithmetic holds.
    pub fn known(&self, expr: &Expr) -> Option<(u64, Width)> {
        known(expr, self.function, &self.frame.values)
    }

    /// The width of an expression.
    pub fn width(&self, expr: &Expr) -> Width {
        expr.width(self.function)
    }

    /// A local as something that has a value.
    pub fn holder(&self, local: LocalId) -> Holder {
        Holder::Local(self.depth, self.frame.function, local)
    }

    /// That something cannot be done at a place.
    pub fn limit<T>(&self, span: Span, what: &str) -> Result<T, Halt> {
        let place = self.program.source.place(self.frame.called.unwrap_or(span));
        Err(Halt::Limit(format!("{place}: {what}")))
    }
}

/// The value of an expression if the locals of a function that it looks at are known, and its width.
pub fn known<S: Copy>(expr: &Expr, function: &Function, values: &[Value<S>]) -> Option<(u64, Width)> {
    Some(match expr {
        Expr::Const(value, width) => (*value, *width),
        Expr::Address(object, offset) => (Address { object: *object, offset: *offset }.to_bits(), Width::WORD),
        Expr::Local(local) => (values[local.index()].known()?, function.locals[local.index()].width),
        Expr::Unary(op, operand) => {
            let (value, width) = known(operand, function, values)?;
            eval_unary(*op, value, width)
        }
        Expr::Binary(op, left, right) => {
            let (left, width) = known(left, function, values)?;
            eval_binary(*op, left, known(right, function, values)?.0, width)
        }
        Expr::Select(condition, then, otherwise) => {
            let chosen = if known(condition, function, values)?.0 != 0 { then } else { otherwise };
            known(chosen, function, values)?
        }
    })
}

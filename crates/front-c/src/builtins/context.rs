//! A call that is being translated, and what all families of functions need to do so.

use crate::lower::{Lowering, Role, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{Expression, Node, Range};
use ir::{Expr, LocalId, Op, System, TagSet, UnaryOp, Width};
use source::{Diagnostic, Span};

/// A call.
pub(super) struct Call<'a, 'b> {
    pub lowering: &'b mut Lowering,
    pub name: &'a str,
    pub args: &'a [Node<Expression>],
    pub span: Span,
    /// Where it stands in the text of the parser, if it is the whole of what is written there.
    pub range: Option<Range>,
}

/// A read-modify-write of a scalar.
pub(super) struct Update {
    pub addr: Expr,
    pub ty: Type,
    pub read_tags: TagSet,
    pub write_tags: TagSet,
}

impl<'a> Call<'a, '_> {
    /// A complaint about the call.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.lowering.error(self.span, message)
    }

    /// The mark of the site that the call is, if its order is in its name.
    pub fn operation_site(&mut self, name: &str, role: Role) -> Option<String> {
        self.lowering.operation_site(self.range?, name, role)
    }

    /// Complains about the wrong number of arguments.
    pub fn arity(&self, count: usize) -> Result<(), Diagnostic> {
        if self.args.len() == count {
            return Ok(());
        }
        let plural = if count == 1 { "" } else { "s" };
        Err(self.error(format!("`{}` takes {count} argument{plural}, not {}", self.name, self.args.len())))
    }

    /// Complains about too few arguments.
    pub fn at_least(&self, count: usize) -> Result<(), Diagnostic> {
        if self.args.len() >= count { Ok(()) } else { self.arity(count) }
    }

    /// The value of an argument.
    pub fn value(&mut self, at: usize) -> Result<Value, Diagnostic> {
        self.lowering.rvalue(&self.args[at])
    }

    /// The value of an argument, converted.
    pub fn value_as(&mut self, at: usize, ty: &Type) -> Result<Value, Diagnostic> {
        let value = self.value(at)?;
        self.lowering.convert(value, ty)
    }

    /// Whether an argument is not zero: one bit.
    pub fn truth(&mut self, at: usize) -> Result<Expr, Diagnostic> {
        let value = self.value(at)?;
        Ok(self.lowering.truth(value))
    }

    /// Whether an argument is the constant 0, with or without a cast.
    pub fn is_null(&mut self, at: usize) -> bool {
        let mut arg = &self.args[at];
        while let Expression::Cast(cast) = &arg.node {
            arg = &cast.expression;
        }
        self.lowering.const_value(arg) == Some(0)
    }

    /// Evaluates all arguments for what they do, but for texts and names, which do nothing.
    pub fn evaluate_all(&mut self) -> Result<(), Diagnostic> {
        let args = self.args;
        for (at, arg) in args.iter().enumerate() {
            if self.lowering.string_value(arg).is_some() || is_stream(arg) {
                continue;
            }
            self.value(at)?;
        }
        Ok(())
    }

    /// Evaluates what the arguments in this range do, if they do anything: the call itself looks at none of them.
    pub fn evaluate_effects(&mut self, range: std::ops::Range<usize>) -> Result<(), Diagnostic> {
        let args = self.args;
        for arg in args.get(range).unwrap_or_default() {
            if self.lowering.changes_something(arg) {
                self.lowering.rvalue(arg)?;
            }
        }
        Ok(())
    }

    /// What the function is given must satisfy a condition: else it is used wrongly, which is a failure. Competitions do not ask for it.
    pub fn demand(&mut self, condition: Expr, message: &str) {
        if !self.lowering.options().competition {
            self.lowering.emit(Op::System(System::Assert { condition, message: message.to_owned() }));
        }
    }

    /// The scalar that an argument points to: its address and its type. A structure of one scalar is that scalar.
    pub fn object(&mut self, at: usize) -> Result<(Expr, Type), Diagnostic> {
        let span = self.lowering.at(self.args[at].span);
        let pointer = self.value(at)?;
        let ty = self.lowering.pointee(&pointer)?;
        let ty = self.scalar(&ty, span)?;
        Ok((pointer.expr, ty))
    }

    /// The same for an operation that takes structures, too: the type of the number that is one, and the structure's.
    pub fn whole(&mut self, at: usize) -> Result<(Expr, Type, Option<Type>), Diagnostic> {
        let span = self.lowering.at(self.args[at].span);
        let pointer = self.value(at)?;
        let ty = self.lowering.pointee(&pointer)?;
        if let Some((image, record)) = self.lowering.image_of(&ty) {
            return Ok((pointer.expr, image, Some(record)));
        }
        Ok((pointer.expr, self.scalar(&ty, span)?, None))
    }

    fn scalar(&self, ty: &Type, span: Span) -> Result<Type, Diagnostic> {
        if ty.is_scalar() {
            return Ok(ty.unqualified());
        }
        let leaves = if ty.is_void() { Vec::new() } else { self.lowering.types.leaves(ty).unwrap_or_default() };
        match &leaves[..] {
            [leaf] if leaf.offset == 0 => Ok(leaf.ty.unqualified()),
            _ => {
                let what = self.lowering.types.describe(ty);
                let message = format!(
                    "`{}` is given a pointer to `{what}`, which is not one scalar and no structure of 1, 2, 4 or 8 bytes",
                    self.name
                );
                Err(self
                    .lowering
                    .error(span, message)
                    .help("give it a pointer to an integer, a pointer or a truth value"))
            }
        }
    }

    /// Emits a fence.
    pub fn fence(&mut self, tags: &[&str]) {
        let tags = self.lowering.tags(tags);
        self.lowering.emit(Op::Fence { tags });
    }

    /// Emits the fence that orders everything.
    pub fn full_fence(&mut self) {
        self.fence(&["SC"]);
    }

    /// Emits the fence that orders everything around a function of the library, for models of hardware.
    pub fn library_fence(&mut self) {
        self.fence(&["SC", "LIBRARY"]);
    }

    /// A value of one bit as C's `int`.
    pub fn truth_value(&self, bit: Expr) -> Value {
        Value { expr: bit.unary(UnaryOp::ZeroExtend(Width::INT)), ty: Type::INT }
    }

    /// The constant 0 of type `int`: success.
    pub fn success(&self) -> Value {
        self.lowering.int(0, &Type::INT)
    }

    /// Any value of this width.
    pub fn any(&mut self, width: Width) -> Expr {
        let dst = self.lowering.temp(width);
        self.lowering.emit(Op::System(System::Nondet { dst }));
        Expr::Local(dst)
    }

    /// Any value of a scalar type.
    pub fn any_value(&mut self, ty: &Type) -> Result<Value, Diagnostic> {
        let Some(width) = ty.width() else {
            let what = self.lowering.types.describe(ty);
            return Err(self.error(format!("`{what}` is not the type of a scalar")));
        };
        let expr = match ty.kind {
            Kind::Bool => self.any(Width::BOOL).unary(UnaryOp::ZeroExtend(width)),
            _ => self.any(width),
        };
        Ok(Value { expr, ty: ty.unqualified() })
    }

    /// The path ends here. It is none that anybody asks about.
    pub fn stop(&mut self) {
        self.lowering.unreachable_from_here();
    }

    /// Only paths on which the condition holds go on.
    pub fn assume(&mut self, condition: Expr, waits: bool) {
        self.lowering.emit(Op::Assume { condition, waits });
    }

    /// Emits a read-modify-write and gives what was read. `new` makes, of the value read, whether to write (always, if there
    /// is none) and what.
    pub fn update(&mut self, update: Update, new: impl FnOnce(Expr) -> (Option<Expr>, Expr)) -> Value {
        let width = update.ty.width().unwrap_or(Width::WORD);
        let dst = self.lowering.temp(width);
        let (when, value) = new(Expr::Local(dst));
        self.update_into(dst, &update, when, value);
        Value { expr: Expr::Local(dst), ty: update.ty }
    }

    /// Emits a read-modify-write whose destination is given.
    pub fn update_into(&mut self, dst: LocalId, update: &Update, when: Option<Expr>, value: Expr) {
        let Update { addr, read_tags, write_tags, .. } = update;
        let (addr, read_tags, write_tags) = (addr.clone(), read_tags.clone(), write_tags.clone());
        self.lowering.emit(Op::Rmw { dst, addr, when, value, read_tags, write_tags });
    }

    /// Keeps a value: what is computed from it later does not change with the variables that it was computed from.
    pub fn keep(&mut self, value: Value) -> Value {
        if value.ty.width().is_none() { value } else { self.lowering.keep(value) }
    }
}

/// Whether an argument is one of the standard streams, which are not modelled.
pub(super) fn is_stream(arg: &Node<Expression>) -> bool {
    match &arg.node {
        Expression::Identifier(name) => matches!(&**name, "stdin" | "stdout" | "stderr"),
        _ => false,
    }
}

//! From statements and expressions of C to blocks and instructions.
//!
//! As in herd, a variable belongs to the whole function, a control dependency ends with its `if` or loop, and every
//! memory access is an instruction of its own, left to right.

use super::ast::{E, Function, Node, Operator, Stmt, Ty};
use super::untyped;
use crate::body::Body;
use crate::build::Build;
use crate::init::Item;
use ir::{BinaryOp, Expr, LocalId, Op, TagSet, Terminator, UnaryOp, Width};
use source::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

/// Adds the thread of a function.
pub(crate) fn function(
    build: &mut Build<'_>,
    thread: usize,
    function: &Function<'_>,
    initial: &[&Item<'_>],
) -> Result<(), Diagnostic> {
    let mut body = Body::new(thread);
    build.initialise_registers(initial, super::register, &mut body)?;
    let mut variables = HashMap::new();
    for (name, &local) in &body.names {
        let ty = if body.width(local) == Width::WORD { Ty::INT.pointer() } else { Ty::INT };
        variables.insert(name.clone(), (local, ty));
    }
    let mut params = HashMap::new();
    for param in &function.params {
        build.object_with(param.name, param.ty.pointee().width());
        params.insert(param.name, param.ty);
    }
    let dereferenced = untyped::dereferenced(function);
    let mut lower = Lower { build, body, params, variables, dereferenced, scopes: vec![Vec::new()] };
    lower.statements(&function.body)?;
    let Lower { build, body, .. } = lower;
    build.thread(body);
    Ok(())
}

/// A value and its type.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub expr: Expr,
    pub ty: Ty,
}

impl Value {
    /// What a call without a result returns.
    pub fn none() -> Self {
        Value { expr: Expr::constant(0, Width::INT), ty: Ty::INT }
    }
}

/// A function being translated.
pub(crate) struct Lower<'b, 's, 'f> {
    pub build: &'b mut Build<'s>,
    pub body: Body,
    params: HashMap<&'f str, Ty>,
    variables: HashMap<String, (LocalId, Ty)>,
    /// The variables that are dereferenced somewhere.
    dereferenced: HashSet<&'f str>,
    /// The names declared in each enclosing block.
    scopes: Vec<Vec<String>>,
}

/// A truth value, an `int`, or a pointer, as a value of another type.
pub(crate) fn convert(value: Value, ty: Ty) -> Expr {
    let (from, to) = (value.ty.width(), ty.width());
    if from == to {
        value.expr
    } else if let Expr::Const(number, _) = value.expr {
        let number = if value.ty.signed { ir::sign_extend(number, from) } else { number.cast_signed() };
        Expr::constant(number, to)
    } else if from > to {
        value.expr.unary(UnaryOp::Truncate(to))
    } else if value.ty.signed && !value.ty.is_pointer() {
        value.expr.unary(UnaryOp::SignExtend(to))
    } else {
        value.expr.unary(UnaryOp::ZeroExtend(to))
    }
}

/// The value as a condition.
pub(crate) fn truth(value: Value) -> Expr {
    let width = value.ty.width();
    if width == Width::BOOL { value.expr } else { value.expr.binary(BinaryOp::Ne, Expr::constant(0, width)) }
}

/// Whether the expression mentions the local.
pub(crate) fn mentions(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    expr.for_each_local(&mut |mentioned| found |= mentioned == local);
    found
}

impl Lower<'_, '_, '_> {
    /// A complaint.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.build.file, span, message)
    }

    fn statements(&mut self, statements: &[Stmt<'_>]) -> Result<(), Diagnostic> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt<'_>) -> Result<(), Diagnostic> {
        match statement {
            Stmt::Block(inner) => {
                self.scopes.push(Vec::new());
                self.statements(inner)?;
                self.scopes.pop();
            }
            Stmt::Expr(e) => {
                self.value(e, None)?;
            }
            Stmt::Declare { ty, name, span, value } => {
                let holds_address = ty.depth == 0 && self.dereferenced.contains(name);
                let ty = if holds_address { ty.pointer() } else { *ty };
                let local = self.declare(name, ty, *span)?;
                if let Some(value) = value {
                    self.assign_local(local, ty, value, *span)?;
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let taken = self.condition(condition)?;
                let (first, after) = (self.body.block(), self.body.block());
                let second = if otherwise.is_some() { self.body.block() } else { after };
                self.body.branch(taken, (first, second), Some(after), first);
                self.statement(then)?;
                if let Some(otherwise) = otherwise {
                    self.body.end(Terminator::Goto(after), second);
                    self.statement(otherwise)?;
                }
                self.body.fall_into(after);
            }
            Stmt::While(condition, body) => self.repeat(Some(condition), body, None)?,
            Stmt::For(first, condition, step, body) => {
                self.statement(first)?;
                self.repeat(condition.as_ref(), body, step.as_ref())?;
            }
            Stmt::DoWhile(body, condition) => {
                let (head, after) = (self.body.block(), self.body.block());
                self.body.fall_into(head);
                self.statement(body)?;
                let again = self.condition(condition)?;
                self.body.branch(again, (head, after), Some(after), after);
            }
            Stmt::Seam(place) => self.body.seam(*place),
        }
        Ok(())
    }

    fn repeat(&mut self, condition: Option<&E<'_>>, body: &Stmt<'_>, step: Option<&E<'_>>) -> Result<(), Diagnostic> {
        let (head, first, after) = (self.body.block(), self.body.block(), self.body.block());
        self.body.fall_into(head);
        let again = match condition {
            Some(condition) => self.condition(condition)?,
            None => Expr::constant(1, Width::BOOL),
        };
        self.body.branch(again, (first, after), Some(after), first);
        self.statement(body)?;
        if let Some(step) = step {
            self.value(step, None)?;
        }
        self.body.end(Terminator::Goto(head), after);
        Ok(())
    }

    /// The condition as a truth value, with the place of the coming branch.
    fn condition(&mut self, condition: &E<'_>) -> Result<Expr, Diagnostic> {
        let value = truth(self.value(condition, None)?);
        self.body.span = condition.span;
        Ok(value)
    }

    /// The tags of an access that is written without a function: C makes those of atomic locations sequentially
    /// consistent.
    fn plain_tags(&mut self, ty: Ty) -> TagSet {
        if ty.atomic && !ty.is_pointer() { self.build.tags(&["A", "SC"]) } else { self.build.tags(&["NA"]) }
    }

    fn declare(&mut self, name: &str, ty: Ty, span: Span) -> Result<LocalId, Diagnostic> {
        if self.params.contains_key(name) {
            let message = format!("the variable `{name}` has the name of a parameter");
            return Err(self.error(span, message).help("give it another name"));
        }
        if self.scopes.iter().flatten().any(|visible| visible == name) {
            let message = format!("`{name}` is declared again where it is still visible");
            return Err(self.error(span, message).help("give one of them another name"));
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.to_owned());
        }
        if let Some((local, known)) = self.variables.get_mut(name) {
            let local = *local;
            if known.width() != ty.width() {
                let message = format!("`{name}` is declared twice with different types");
                return Err(self.error(span, message).help("give one of them another name"));
            }
            *known = ty;
            return Ok(local);
        }
        let local = self.body.local(name, name, ty.width());
        self.variables.insert(name.to_owned(), (local, ty));
        Ok(local)
    }

    /// As in herd, a variable that is not declared is there from its first assignment on, with the type of the value.
    fn undeclared(&mut self, name: &str, value: &E<'_>, span: Span) -> Result<Value, Diagnostic> {
        let value = self.value(value, None)?;
        let ty = Ty { atomic: false, ..promoted(value.ty) };
        // Whatever else is assigned later: addresses and numbers fit into a word.
        let local = self.body.local(name, name, ty.width());
        self.variables.insert(name.to_owned(), (local, ty));
        self.body.span = span;
        self.body.assign(local, convert(value, ty));
        Ok(Value { expr: Expr::Local(local), ty })
    }

    /// Whether a name is that of a parameter.
    pub fn is_parameter(&self, name: &str) -> bool {
        self.params.contains_key(name)
    }

    fn assign_local(&mut self, local: LocalId, ty: Ty, value: &E<'_>, span: Span) -> Result<(), Diagnostic> {
        let value = convert(self.value(value, Some(local))?, ty);
        self.body.span = span;
        if value != Expr::Local(local) {
            self.body.assign(local, value);
        }
        Ok(())
    }

    /// Reads memory, into `hint` where that has the right size.
    pub fn load(&mut self, addr: Expr, ty: Ty, tags: TagSet, hint: Option<LocalId>) -> Value {
        let dst = self.destination(ty, hint);
        self.body.emit(Op::Load { dst, addr, tags, reserve: false });
        Value { expr: Expr::Local(dst), ty }
    }

    /// The hint if it has the right size, or a temporary.
    pub fn destination(&mut self, ty: Ty, hint: Option<LocalId>) -> LocalId {
        match hint {
            Some(local) if self.body.width(local) == ty.width() => local,
            _ => self.body.temporary(ty.width()),
        }
    }

    /// The variable of that name.
    pub fn variable(&self, name: &str) -> Option<(LocalId, Ty)> {
        self.variables.get(name).copied()
    }

    /// Whether a name, as it stands, is a pointer.
    pub fn is_pointer(&self, e: &E<'_>) -> bool {
        match e.kind {
            Node::Name(name) => {
                let variable = self.variable(name).map(|(_, ty)| ty);
                variable.or_else(|| self.params.get(name).copied()).is_some_and(Ty::is_pointer)
            }
            Node::AddressOf(_) => true,
            _ => false,
        }
    }

    /// The address that `*e` or `e[i]` stands for, and the type of what is there.
    pub fn place(&mut self, e: &E<'_>) -> Result<Option<(Expr, Ty)>, Diagnostic> {
        match &e.kind {
            Node::Deref(pointer) => {
                let span = pointer.span;
                let pointer = self.value(pointer, None)?;
                self.pointee(pointer, span).map(Some)
            }
            Node::Index(base, index) => {
                let span = base.span;
                let base = self.value(base, None)?;
                let index = self.value(index, None)?;
                let element = self.pointer_plus(base, index, BinaryOp::Add);
                self.pointee(element, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, pointer: Value, span: Span) -> Result<(Expr, Ty), Diagnostic> {
        if pointer.ty.is_pointer() {
            Ok((pointer.expr, pointer.ty.pointee()))
        } else if pointer.ty.width() == Width::WORD {
            // An `intptr_t` that holds an address: herd's tests dereference it as it is.
            Ok((pointer.expr, pointer.ty))
        } else {
            Err(self
                .error(span, "this is not a pointer")
                .help("declare it as a parameter `int *x` or a local `int *r`"))
        }
    }

    fn pointer_plus(&self, pointer: Value, index: Value, op: BinaryOp) -> Value {
        let size = i64::from(pointer.ty.pointee().width().bits() / 8).max(1);
        let index = convert(index, Ty::LONG);
        let offset = match index {
            Expr::Const(number, width) => Expr::constant(number.cast_signed().wrapping_mul(size), width),
            index => index.binary(BinaryOp::Mul, Expr::constant(size, Width::WORD)),
        };
        Value { expr: pointer.expr.binary(op, offset), ty: pointer.ty }
    }

    /// Evaluates an expression. A value that is read from memory goes to `hint` where that has the right size.
    pub fn value(&mut self, e: &E<'_>, hint: Option<LocalId>) -> Result<Value, Diagnostic> {
        Ok(match &e.kind {
            Node::Number(number) => {
                let ty = if i32::try_from(*number).is_ok() { Ty::INT } else { Ty::LONG };
                Value { expr: Expr::constant(*number, ty.width()), ty }
            }
            Node::Name(name) => self.name(name, e.span)?,
            Node::Negate(inner) | Node::Complement(inner) => {
                let inner = self.value(inner, None)?;
                let ty = promoted(inner.ty);
                let op = if matches!(e.kind, Node::Negate(_)) { UnaryOp::Neg } else { UnaryOp::Not };
                Value { expr: convert(inner, ty).unary(op), ty }
            }
            Node::Not(inner) => {
                let inner = self.value(inner, None)?;
                Value { expr: truth(inner).unary(UnaryOp::Not), ty: Ty::TRUTH }
            }
            Node::Deref(_) | Node::Index(..) => {
                let Some((addr, ty)) = self.place(e)? else {
                    return Err(self.error(e.span, "this is no place in memory"));
                };
                let tags = self.plain_tags(ty);
                self.body.span = e.span;
                self.load(addr, ty, tags, hint)
            }
            Node::AddressOf(inner) => match self.place(inner)? {
                Some((addr, ty)) => Value { expr: addr, ty: ty.pointer() },
                None => {
                    return Err(self
                        .error(e.span, "the address of a local variable")
                        .help("use a shared location: a parameter `int *x`"));
                }
            },
            Node::Binary(op, left, right) => {
                let left = self.value(left, None)?;
                let right = self.value(right, None)?;
                self.binary(*op, left, right)
            }
            Node::And(left, right) => self.short_circuit(left, right, true)?,
            Node::Or(left, right) => self.short_circuit(left, right, false)?,
            Node::Choose(condition, then, otherwise) => self.choose(condition, then, otherwise)?,
            Node::Assign(target, op, value) => self.assign(e.span, target, *op, value, false)?,
            Node::Step(target, op) => {
                let one = E { kind: Node::Number(1), span: e.span };
                self.assign(e.span, target, Some(*op), &one, true)?
            }
            Node::Call(name, args) => self.call(name, args, e.span, hint)?,
            Node::Cast(ty, inner) => {
                let inner = self.value(inner, hint)?;
                // As in herd, a location has the type that it was declared with, whatever `*(char **)x` says.
                let same = inner.ty.is_pointer() && ty.is_pointer() && ty.pointee().is_pointer();
                if same { inner } else { Value { expr: convert(inner, *ty), ty: *ty } }
            }
        })
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Value, Diagnostic> {
        if let Some((local, ty)) = self.variable(name) {
            return Ok(Value { expr: Expr::Local(local), ty });
        }
        if let Some(&ty) = self.params.get(name) {
            return Ok(Value { expr: Expr::Address(self.build.object(name), 0), ty });
        }
        match name {
            "NULL" => Ok(Value { expr: Expr::constant(0, Width::WORD), ty: Ty::INT.pointer() }),
            "true" => Ok(Value { expr: Expr::constant(1, Width::INT), ty: Ty::INT }),
            "false" => Ok(Value::none()),
            _ => Err(self
                .error(span, format!("`{name}` is not declared"))
                .help(format!("declare a local `int {name};`, or a parameter `int *{name}` for a shared location"))),
        }
    }

    fn binary(&mut self, op: Operator, left: Value, right: Value) -> Value {
        let comparison = op.signed.is_comparison();
        if !comparison && left.ty.is_pointer() && !right.ty.is_pointer() {
            return self.pointer_plus(left, right, op.signed);
        }
        let ty = common(promoted(left.ty), promoted(right.ty));
        let unsigned = ty.is_pointer() || !ty.signed;
        let (left, right) = (convert(left, ty), convert(right, ty));
        let (left, right) = if op.swapped { (right, left) } else { (left, right) };
        let expr = left.binary(if unsigned { op.unsigned } else { op.signed }, right);
        Value { expr, ty: if comparison { Ty::TRUTH } else { ty } }
    }

    /// `&&` and `||`: a branch if the right side does more than compute.
    fn short_circuit(&mut self, left: &E<'_>, right: &E<'_>, and: bool) -> Result<Value, Diagnostic> {
        let first = self.condition(left)?;
        if !right.has_effects() {
            let second = truth(self.value(right, None)?);
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(Value { expr: first.binary(op, second), ty: Ty::TRUTH });
        }
        let result = self.body.temporary(Width::BOOL);
        let (more, short, after) = (self.body.block(), self.body.block(), self.body.block());
        let targets = if and { (more, short) } else { (short, more) };
        self.body.branch(first, targets, Some(after), more);
        let second = self.condition(right)?;
        self.body.assign(result, second);
        self.body.end(Terminator::Goto(after), short);
        self.body.assign(result, Expr::constant(i64::from(!and), Width::BOOL));
        self.body.fall_into(after);
        Ok(Value { expr: Expr::Local(result), ty: Ty::TRUTH })
    }

    fn choose(&mut self, condition: &E<'_>, then: &E<'_>, otherwise: &E<'_>) -> Result<Value, Diagnostic> {
        let chosen = self.condition(condition)?;
        if then.has_effects() || otherwise.has_effects() {
            let span = then.span.to(otherwise.span);
            return Err(self.error(span, "a memory access inside `?:`").help("write it with `if` and `else`"));
        }
        let then = self.value(then, None)?;
        let otherwise = self.value(otherwise, None)?;
        let ty = common(promoted(then.ty), promoted(otherwise.ty));
        let (then, otherwise) = (Box::new(convert(then, ty)), Box::new(convert(otherwise, ty)));
        Ok(Value { expr: Expr::Select(Box::new(chosen), then, otherwise), ty })
    }

    fn assign(
        &mut self,
        span: Span,
        target: &E<'_>,
        op: Option<Operator>,
        value: &E<'_>,
        old: bool,
    ) -> Result<Value, Diagnostic> {
        if let Node::Name(name) = target.kind {
            let Some((local, ty)) = self.variable(name) else {
                if self.params.contains_key(name) {
                    let help = format!("write `*{name}` for the location, or use a local pointer");
                    return Err(self.error(target.span, format!("the parameter `{name}` cannot change")).help(help));
                }
                if op.is_some() {
                    return self.name(name, target.span);
                }
                return self.undeclared(name, value, span);
            };
            let mut result = Value { expr: Expr::Local(local), ty };
            let Some(op) = op else {
                self.assign_local(local, ty, value, span)?;
                return Ok(result);
            };
            let right = self.value(value, None)?;
            self.body.span = span;
            if old {
                let copy = self.body.temporary(ty.width());
                self.body.assign(copy, Expr::Local(local));
                result.expr = Expr::Local(copy);
            }
            let combined = self.binary(op, Value { expr: Expr::Local(local), ty }, right);
            self.body.assign(local, convert(combined, ty));
            return Ok(result);
        }
        let Some((addr, ty)) = self.place(target)? else {
            return Err(self.error(target.span, "this cannot be assigned").help("assign to a local or to `*x`"));
        };
        if op.is_some() && ty.atomic && !ty.is_pointer() {
            let message = "an assignment that reads and writes an atomic location";
            return Err(self.error(target.span, message).help("write atomic_fetch_add or another operation"));
        }
        let tags = self.plain_tags(ty);
        let before = match op {
            Some(_) => {
                self.body.span = target.span;
                Some(self.load(addr.clone(), ty, tags.clone(), None))
            }
            None => None,
        };
        let mut right = self.value(value, None)?;
        if let (Some(op), Some(before)) = (op, before.clone()) {
            right = self.binary(op, before, right);
        }
        let value = convert(right, ty);
        self.body.span = span;
        self.body.emit(Op::Store { addr, value: value.clone(), tags });
        Ok(match before {
            Some(before) if old => before,
            _ => Value { expr: value, ty },
        })
    }
}

/// The type that arithmetic is done in: at least `int`.
fn promoted(ty: Ty) -> Ty {
    if ty.is_pointer() || ty.bits >= 32 { ty } else { Ty::INT }
}

/// The type that both sides of an operator are converted to.
fn common(left: Ty, right: Ty) -> Ty {
    match (left.is_pointer(), right.is_pointer()) {
        (true, _) => left,
        (false, true) => right,
        (false, false) if left.bits != right.bits => {
            if left.bits > right.bits {
                left
            } else {
                right
            }
        }
        (false, false) => Ty { signed: left.signed && right.signed, ..left },
    }
}

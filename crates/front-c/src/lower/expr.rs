//! Expressions.

use super::assign::compound;
use super::fold::fold;
use super::place::{At, Place};
use super::scope::Entity;
use super::sites::Written;
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{
    BinaryOperator, BlockItem, Conditional, Designator, Expression, GenericSelection, Node, OffsetOf, Range as Span,
    Statement, TypeName, UnaryOperator,
};
use ir::{BinaryOp, BlockId, Expr, Op, Terminator, UnaryOp, Width};
use source::Diagnostic;

/// What an expression gives.
#[derive(Debug)]
pub(crate) enum Outcome {
    Value(Value),
    /// A structure.
    Place(Place),
    /// It is `void`.
    Nothing,
}

impl Lowering {
    /// Evaluates an expression of scalar type. Arrays and functions become pointers.
    pub fn rvalue(&mut self, e: &Node<Expression>) -> Result<Value, Diagnostic> {
        match self.eval(e)? {
            Outcome::Value(value) => Ok(value),
            Outcome::Place(place) => {
                let message = format!("a value of type `{}` cannot be used here", self.types.describe(&place.ty));
                Err(self.error(self.at(e.span), message).help("use one of its members"))
            }
            Outcome::Nothing => {
                let complaint = self.error(self.at(e.span), "this expression has no value");
                Err(complaint.help("a function that returns `void` can only be called as a statement"))
            }
        }
    }

    /// Evaluates an expression for what it does.
    pub fn effect(&mut self, e: &Node<Expression>) -> Result<(), Diagnostic> {
        let outer = self.enter(e.span);
        let result = self.effect_inner(e);
        self.body.span = outer;
        result
    }

    fn effect_inner(&mut self, e: &Node<Expression>) -> Result<(), Diagnostic> {
        match &e.node {
            Expression::Conditional(parts) => {
                let (then, otherwise, after) = (self.body.block(), self.body.block(), self.body.block());
                self.branch_on(&parts.condition, then, otherwise)?;
                self.body.resume(then);
                if let Some(value) = &parts.then_expression {
                    self.effect(value)?;
                }
                self.body.end(Terminator::Goto(after), otherwise);
                self.effect(&parts.else_expression)?;
                self.body.fall_into(after);
                Ok(())
            }
            Expression::Binary(binary)
                if matches!(binary.operator, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
            {
                let (more, after) = (self.body.block(), self.body.block());
                match binary.operator {
                    BinaryOperator::LogicalAnd => self.branch_on(&binary.lhs, more, after)?,
                    _ => self.branch_on(&binary.lhs, after, more)?,
                }
                self.body.resume(more);
                self.effect(&binary.rhs)?;
                self.body.fall_into(after);
                Ok(())
            }
            Expression::Unary(unary) => match unary.operator {
                UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => {
                    self.step(&unary.operand, &BinaryOperator::Plus, false, Some(e.span)).map(|_| ())
                }
                UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => {
                    self.step(&unary.operand, &BinaryOperator::Minus, false, Some(e.span)).map(|_| ())
                }
                UnaryOperator::Address
                | UnaryOperator::Indirection
                | UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::Complement
                | UnaryOperator::Negate => self.eval(e).map(|_| ()),
            },
            Expression::Cast(cast) if self.type_name(&cast.type_name)?.is_void() => self.effect(&cast.expression),
            Expression::Binary(binary) if binary.operator == BinaryOperator::Assign => {
                self.assign(e, &binary.lhs, &binary.rhs, true).map(|_| ())
            }
            Expression::Binary(binary) if let Some(op) = compound(&binary.operator) => {
                self.compound_assign(&op, &binary.lhs, &binary.rhs, Some(e.span)).map(|_| ())
            }
            Expression::Comma(all) => all.iter().try_for_each(|each| self.effect(each)),
            _ => self.eval(e).map(|_| ()),
        }
    }

    /// Evaluates an expression of any type.
    pub fn eval(&mut self, e: &Node<Expression>) -> Result<Outcome, Diagnostic> {
        let outer = self.enter(e.span);
        let result = self.eval_inner(e);
        self.body.span = outer;
        result
    }

    fn eval_inner(&mut self, e: &Node<Expression>) -> Result<Outcome, Diagnostic> {
        let value = match &e.node {
            Expression::Identifier(name) => {
                if let Some(Entity::Constant(value, ty)) = self.lookup(name) {
                    self.int(value, &ty)
                } else {
                    return self.eval_place(e);
                }
            }
            Expression::Member(_) | Expression::StringLiteral(_) | Expression::CompoundLiteral(_) => {
                return self.eval_place(e);
            }
            Expression::Constant(constant) => self.literal(constant),
            Expression::GenericSelection(selection) => {
                let chosen = self.selected(selection, e.span)?;
                return self.eval(chosen);
            }
            Expression::Call(call) => return self.call(call, e),
            Expression::SizeOfType(of) => {
                let ty = self.type_name(of)?;
                self.size_of(&ty)?
            }
            Expression::SizeOfValue(of) => {
                let ty = self.type_of(of)?;
                self.size_of(&ty)?
            }
            Expression::AlignOfType(of) => {
                let ty = self.type_name(of)?;
                self.align_of(&ty)?
            }
            Expression::AlignOfValue(of) => {
                let ty = self.type_of(of)?;
                self.align_of(&ty)?
            }
            Expression::TypesCompatible(types) => {
                let (left, right) = (self.type_name(&types.left)?, self.type_name(&types.right)?);
                self.int(i64::from(left.unqualified().is_identical(&right.unqualified())), &Type::INT)
            }
            Expression::LabelAddress(label) => self.label_address(label),
            Expression::Unary(unary) => match unary.operator {
                UnaryOperator::Indirection => return self.eval_place(e),
                _ => self.unary(&unary.operator, &unary.operand)?,
            },
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.type_name)?;
                if ty.is_void() {
                    self.effect(&cast.expression)?;
                    return Ok(Outcome::Nothing);
                }
                if ty.is_record() {
                    return self.eval_place(e);
                }
                let value = self.rvalue(&cast.expression)?;
                self.note_cast(&value.ty, &ty);
                self.convert(value, &ty)?
            }
            Expression::Binary(binary) => {
                let (op, lhs, rhs) = (&binary.operator, &binary.lhs, &binary.rhs);
                match op {
                    BinaryOperator::Index => return self.eval_place(e),
                    BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => self.logical(op, lhs, rhs)?,
                    BinaryOperator::Assign => return self.assign(e, lhs, rhs, false),
                    _ => match compound(op) {
                        Some(op) => self.compound_assign(&op, lhs, rhs, None)?,
                        None => {
                            let left = self.rvalue(lhs)?;
                            let left = self.keep_unless_pure(left, &rhs.node);
                            let right = self.rvalue(rhs)?;
                            self.binary(op, left, right)?
                        }
                    },
                }
            }
            Expression::Conditional(conditional) => return self.conditional(conditional, e),
            Expression::Comma(all) => {
                let Some((last, first)) = all.split_last() else { return Ok(Outcome::Nothing) };
                for each in first {
                    self.effect(each)?;
                }
                return self.eval(last);
            }
            Expression::OffsetOf(of) => self.offset_of(of)?,
            Expression::VaArg(of) => self.va_arg(of, self.at(e.span))?,
            Expression::Statement(statement) => return self.statement_expression(statement),
        };
        Ok(Outcome::Value(value))
    }

    fn align_of(&mut self, ty: &Type) -> Result<Value, Diagnostic> {
        self.size(ty)?;
        let align = self.types.align(ty).unwrap_or(1);
        Ok(self.int(align as i64, &self.types.size_type()))
    }

    /// Reads the object that an expression names, or gives it if it is a structure.
    pub fn eval_place(&mut self, e: &Node<Expression>) -> Result<Outcome, Diagnostic> {
        let place = self.place(e)?;
        if place.ty.is_record() {
            return Ok(Outcome::Place(place));
        }
        if place.ty.is_void() {
            return Ok(Outcome::Nothing);
        }
        let value = self.written_as(&place, || Written::load(e.span), |lowering| lowering.read(&place))?;
        Ok(Outcome::Value(value))
    }

    fn unary(&mut self, op: &UnaryOperator, operand: &Node<Expression>) -> Result<Value, Diagnostic> {
        match op {
            UnaryOperator::PostIncrement => self.step(operand, &BinaryOperator::Plus, true, None),
            UnaryOperator::PostDecrement => self.step(operand, &BinaryOperator::Minus, true, None),
            UnaryOperator::PreIncrement => self.step(operand, &BinaryOperator::Plus, false, None),
            UnaryOperator::PreDecrement => self.step(operand, &BinaryOperator::Minus, false, None),
            UnaryOperator::Address | UnaryOperator::Indirection => {
                let place = self.place(operand)?;
                self.address(&place)
            }
            UnaryOperator::Plus => {
                let value = self.rvalue(operand)?;
                self.promote(value)
            }
            UnaryOperator::Minus | UnaryOperator::Complement => {
                let value = self.rvalue(operand)?;
                let value = self.promote(value)?;
                if value.ty.is_float() {
                    let zero = Value { expr: Expr::constant(0, self.body.width(&value.expr)), ty: value.ty.clone() };
                    return self.binary(&BinaryOperator::Minus, zero, value);
                }
                if value.ty.is_pointer() {
                    return Err(self
                        .error(self.span(), "this cannot be computed with pointers")
                        .help("use an integer"));
                }
                let op = if *op == UnaryOperator::Minus { UnaryOp::Neg } else { UnaryOp::Not };
                if op == UnaryOp::Neg {
                    self.check_negation(&value.expr, &value.ty);
                }
                Ok(Value { expr: fold(value.expr.unary(op)), ty: value.ty })
            }
            UnaryOperator::Negate => {
                let value = self.rvalue(operand)?;
                let bit = self.truth(value);
                Ok(self.int_from_bit(not(bit)))
            }
        }
    }

    fn logical(
        &mut self,
        op: &BinaryOperator,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
    ) -> Result<Value, Diagnostic> {
        let and = *op == BinaryOperator::LogicalAnd;
        let left = self.rvalue(lhs)?;
        let left = self.truth(left);
        match left {
            Expr::Const(value, _) if (value == 0) == and => return Ok(self.int(i64::from(!and), &Type::INT)),
            _ => {}
        }
        if self.pure(&rhs.node) {
            let right = self.rvalue(rhs)?;
            let right = self.truth(right);
            if matches!(left, Expr::Const(..)) {
                return Ok(self.int_from_bit(right));
            }
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(self.int_from_bit(fold(left.binary(op, right))));
        }
        let dst = self.temp(Width::BOOL);
        let (more, short, after) = (self.body.block(), self.body.block(), self.body.block());
        if and {
            self.body.branch(left, more, short, short);
        } else {
            self.body.branch(left, short, more, short);
        }
        self.body.assign(dst, Expr::constant(i64::from(!and), Width::BOOL));
        self.body.end(Terminator::Goto(after), more);
        let right = self.rvalue(rhs)?;
        let right = self.truth(right);
        self.body.assign(dst, right);
        self.body.fall_into(after);
        Ok(self.int_from_bit(Expr::Local(dst)))
    }

    /// Ends the current block by going to one of two others, as the condition says.
    pub fn branch_on(&mut self, e: &Node<Expression>, then: BlockId, otherwise: BlockId) -> Result<(), Diagnostic> {
        match &e.node {
            Expression::Unary(unary) if unary.operator == UnaryOperator::Negate => {
                return self.branch_on(&unary.operand, otherwise, then);
            }
            Expression::Binary(binary) if !self.pure(&binary.rhs.node) => match binary.operator {
                BinaryOperator::LogicalAnd => {
                    let more = self.body.block();
                    self.branch_on(&binary.lhs, more, otherwise)?;
                    self.body.resume(more);
                    return self.branch_on(&binary.rhs, then, otherwise);
                }
                BinaryOperator::LogicalOr => {
                    let more = self.body.block();
                    self.branch_on(&binary.lhs, then, more)?;
                    self.body.resume(more);
                    return self.branch_on(&binary.rhs, then, otherwise);
                }
                _ => {}
            },
            _ => {}
        }
        let value = self.rvalue(e)?;
        let outer = self.enter(e.span);
        let bit = self.truth(value);
        let here = self.body.current();
        self.body.branch(bit, then, otherwise, here);
        self.body.span = outer;
        Ok(())
    }

    fn conditional(&mut self, parts: &Conditional, e: &Node<Expression>) -> Result<Outcome, Diagnostic> {
        let ty = self.type_of(e)?;
        if ty.is_void() {
            self.effect_inner(e)?;
            return Ok(Outcome::Nothing);
        }
        if ty.is_record() {
            return self.eval_place(e);
        }
        let width = self.scalar_width(&ty)?;
        let first = self.rvalue(&parts.condition)?;
        let first = if parts.then_expression.is_none() { self.keep(first) } else { first };
        let bit = self.truth(first.clone());
        let pure = !ty.is_float()
            && parts.then_expression.as_ref().is_none_or(|then| self.pure(&then.node))
            && self.pure(&parts.else_expression.node);
        if pure || matches!(bit, Expr::Const(..)) {
            let chosen = match &bit {
                Expr::Const(0, _) => Some(false),
                Expr::Const(..) => Some(true),
                _ => None,
            };
            let side = |lowering: &mut Lowering, then: bool| -> Result<Expr, Diagnostic> {
                let value = match (then, &parts.then_expression) {
                    (true, None) => first.clone(),
                    (true, Some(then)) => lowering.rvalue(then)?,
                    (false, _) => lowering.rvalue(&parts.else_expression)?,
                };
                Ok(lowering.convert(value, &ty)?.expr)
            };
            let expr = match chosen {
                Some(then) => side(self, then)?,
                None => {
                    let (then, otherwise) = (side(self, true)?, side(self, false)?);
                    Expr::Select(Box::new(bit), Box::new(then), Box::new(otherwise))
                }
            };
            return Ok(Outcome::Value(Value { expr, ty }));
        }
        let dst = self.temp(width);
        let (then, otherwise, after) = (self.body.block(), self.body.block(), self.body.block());
        self.body.branch(bit, then, otherwise, then);
        let value = match &parts.then_expression {
            None => first,
            Some(then) => self.rvalue(then)?,
        };
        let value = self.convert(value, &ty)?;
        self.body.assign(dst, value.expr);
        self.body.end(Terminator::Goto(after), otherwise);
        let value = self.rvalue(&parts.else_expression)?;
        let value = self.convert(value, &ty)?;
        self.body.assign(dst, value.expr);
        self.body.fall_into(after);
        Ok(Outcome::Value(Value { expr: Expr::Local(dst), ty }))
    }

    /// A copy of a value that nothing changes.
    pub fn keep(&mut self, value: Value) -> Value {
        if matches!(value.expr, Expr::Const(..) | Expr::Address(..)) {
            return value;
        }
        let dst = self.temp(self.body.width(&value.expr));
        self.emit(Op::Assign { dst, value: value.expr });
        Value { expr: Expr::Local(dst), ty: value.ty }
    }

    /// `({ … })`: the value of the last statement.
    pub fn statement_expression(&mut self, statement: &Node<Statement>) -> Result<Outcome, Diagnostic> {
        let Statement::Compound(items) = &statement.node else {
            self.statement(statement)?;
            return Ok(Outcome::Nothing);
        };
        self.body.scopes.push(super::scope::Scope::default());
        let result = self.statement_expression_inner(items);
        let closed = self.close_scope();
        let outcome = result?;
        closed.map(|()| outcome)
    }

    fn statement_expression_inner(&mut self, items: &[Node<BlockItem>]) -> Result<Outcome, Diagnostic> {
        let last = items.last().and_then(|item| match &item.node {
            BlockItem::Statement(statement) => ends_with_expression(statement).then_some(statement),
            BlockItem::Declaration(_) | BlockItem::StaticAssert(_) | BlockItem::Labels(_) => None,
        });
        let before = if last.is_some() { &items[..items.len() - 1] } else { items };
        for item in before {
            self.block_item(item)?;
        }
        let Some(mut statement) = last else { return Ok(Outcome::Nothing) };
        while let Statement::Labeled(labeled) = statement {
            self.place_label(&labeled.label)?;
            statement = &labeled.statement.node;
        }
        match statement {
            Statement::Expression(Some(e)) => self.eval(e),
            _ => Ok(Outcome::Nothing),
        }
    }

    /// The branch of a `_Generic` that the type of its operand selects.
    pub fn selected<'a>(
        &mut self,
        selection: &'a GenericSelection,
        span: Span,
    ) -> Result<&'a Node<Expression>, Diagnostic> {
        let ty = super::declare::decayed(self.type_of(&selection.expression)?.unqualified());
        let mut default = None;
        for association in &selection.associations {
            match &association.ty {
                // The value has no qualifiers, so a branch for a qualified type is for nobody.
                Some(name) if self.is_for(name, &ty)? => return Ok(&association.expression),
                Some(_) => {}
                None => default = Some(&association.expression),
            }
        }
        default.ok_or_else(|| {
            let message = format!("no branch of this `_Generic` is for `{}`", self.types.describe(&ty));
            self.error(self.at(span), message).help("add a branch for it, or `default:`")
        })
    }

    fn is_for(&mut self, name: &TypeName, ty: &Type) -> Result<bool, Diagnostic> {
        let offered = self.type_name(name)?;
        let plain = offered.qualifiers == (false, false) && !offered.atomic;
        Ok(plain && offered.unqualified().is_identical(ty))
    }

    fn offset_of(&mut self, of: &OffsetOf) -> Result<Value, Diagnostic> {
        let ty = self.type_name(&of.type_name)?;
        let start = Place::memory(Expr::constant(0, Width::WORD), ty);
        let mut place = start;
        for designator in &of.designators {
            place = match &designator.node {
                Designator::Member(name) => self.member_of(&place, &name.text, name.span)?,
                Designator::Index(index) | Designator::Range(index, _) => {
                    let at = self.const_value(index).and_then(|at| u64::try_from(at).ok());
                    let element = match (&place.ty.kind, at) {
                        (Kind::Array(element, _), Some(at)) => Some(((**element).clone(), at)),
                        _ => None,
                    };
                    let Some((element, at)) = element else {
                        let complaint = self.error(self.at(index.span), "this index is not a constant");
                        return Err(complaint.help("use a constant index into an array"));
                    };
                    let size = self.size(&element)?;
                    self.part(&place, at.wrapping_mul(size), element)
                }
            };
        }
        let At::Memory(offset) = place.at else {
            return Err(self.error(self.span(), "this offset is not a constant").help("use a constant index"));
        };
        let ty = self.types.size_type();
        self.convert(Value { expr: offset, ty: Type::ULONG_LONG }, &ty)
    }
}

/// Whether a statement is an expression, behind labels perhaps.
fn ends_with_expression(statement: &Statement) -> bool {
    match statement {
        Statement::Labeled(labeled) => ends_with_expression(&labeled.statement.node),
        Statement::Expression(e) => e.is_some(),
        _ => false,
    }
}

/// The opposite of a truth value.
pub(crate) fn not(bit: Expr) -> Expr {
    match bit {
        Expr::Unary(UnaryOp::Not, inner) => *inner,
        Expr::Binary(BinaryOp::Eq, a, b) => Expr::Binary(BinaryOp::Ne, a, b),
        Expr::Binary(BinaryOp::Ne, a, b) => Expr::Binary(BinaryOp::Eq, a, b),
        bit => fold(bit.unary(UnaryOp::Not)),
    }
}

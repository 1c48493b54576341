//! The types of expressions, without evaluating them.

use super::declare::decayed;
use super::expr::Outcome;
use super::place::is_function_name;
use super::scope::Entity;
use super::{Lowering, arith};
use crate::types::{BitField, Kind, Member, Type};
use c_syntax::ast::{BinaryOperator, Conditional, Expression, MemberOperator, Node, UnaryOperator};
use source::Diagnostic;
use std::rc::Rc;

impl Lowering {
    /// The type of an expression, before arrays and functions become pointers; emits nothing.
    pub fn type_of(&mut self, e: &Node<Expression>) -> Result<Type, Diagnostic> {
        Ok(match &e.node {
            Expression::Identifier(name) => match self.lookup(name) {
                Some(Entity::Constant(_, ty)) => ty,
                Some(Entity::Variable(variable)) => variable.ty.clone(),
                Some(Entity::Global(id)) => self.global_type(id)?,
                Some(Entity::Function(id)) => Kind::Function(self.callees[id.0 as usize].signature.clone()).into(),
                Some(Entity::Bad(why)) => return Err((*why).clone()),
                None if is_function_name(name) => self.function_name_type(),
                Some(Entity::Typedef(_)) | None => return self.evaluated_type(e),
            },
            Expression::Constant(constant) => self.literal(constant).ty,
            Expression::StringLiteral(literal) => {
                let bytes = self.string_bytes(literal)?;
                Kind::Array(Rc::new(Type::CHAR), Some(bytes.len() as u64 + 1)).into()
            }
            Expression::GenericSelection(selection) => {
                let chosen = self.selected(selection, e.span)?;
                return self.type_of(chosen);
            }
            Expression::Member(member) => {
                let inner = self.type_of(&member.expression)?;
                let outer = match member.operator {
                    MemberOperator::Direct => inner,
                    MemberOperator::Indirect => match inner.pointee() {
                        Some(to) => to.clone(),
                        None => return self.evaluated_type(e),
                    },
                };
                let Kind::Record(id) = outer.kind else { return self.evaluated_type(e) };
                match self.types.member(id, &member.identifier.text) {
                    Some(member) => member.ty.qualified_as(&outer),
                    None => return self.evaluated_type(e),
                }
            }
            Expression::Call(call) => match self.result_type(call) {
                Some(ty) => ty,
                None => return self.evaluated_type(e),
            },
            Expression::CompoundLiteral(literal) => {
                let ty = self.type_name(&literal.type_name)?;
                match &ty.kind {
                    Kind::Array(element, None) => {
                        let count = self.items_count(&element.clone(), &literal.initializer)?;
                        Kind::Array(Rc::clone(element), Some(count)).into()
                    }
                    _ => ty,
                }
            }
            Expression::SizeOfType(_)
            | Expression::SizeOfValue(_)
            | Expression::AlignOfType(_)
            | Expression::AlignOfValue(_)
            | Expression::OffsetOf(_) => self.types.size_type(),
            Expression::TypesCompatible(_) => Type::INT,
            Expression::LabelAddress(_) => Type::VOID.pointer_to(),
            Expression::Unary(unary) => {
                let operand = self.type_of(&unary.operand)?;
                match unary.operator {
                    UnaryOperator::PostIncrement
                    | UnaryOperator::PostDecrement
                    | UnaryOperator::PreIncrement
                    | UnaryOperator::PreDecrement => operand.unqualified(),
                    UnaryOperator::Address => operand.pointer_to(),
                    UnaryOperator::Indirection => match &operand.kind {
                        Kind::Function(_) => operand,
                        _ => match operand.pointee() {
                            Some(to) => to.clone(),
                            None => return self.evaluated_type(e),
                        },
                    },
                    UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                        self.promoted_type(&unary.operand, &operand)
                    }
                    UnaryOperator::Negate => Type::INT,
                }
            }
            Expression::Cast(cast) => self.type_name(&cast.type_name)?.unqualified(),
            Expression::Binary(binary) => {
                let (op, lhs, rhs) = (&binary.operator, &binary.lhs, &binary.rhs);
                return self.binary_type(op, lhs, rhs, e);
            }
            Expression::Conditional(conditional) => return self.conditional_type(conditional),
            Expression::Comma(all) => match all.last() {
                // What comes out is a value: it has no qualifiers and is not atomic. C's own header relies on that.
                Some(last) => return self.type_of(last).map(|ty| decayed(ty).unqualified()),
                None => Type::VOID,
            },
            Expression::VaArg(of) => self.type_name(&of.type_name)?,
            Expression::Statement(_) => return self.evaluated_type(e),
        })
    }

    /// The type of an expression, found by evaluating it and throwing the code away.
    ///
    /// It is found once for each expression: otherwise the time would double with each level of nesting.
    fn evaluated_type(&mut self, e: &Node<Expression>) -> Result<Type, Diagnostic> {
        let key = (std::ptr::from_ref(e) as usize, e.span.start, e.span.end);
        if let Some(ty) = self.evaluated.get(&key) {
            return Ok(ty.clone());
        }
        let ty = self.dry(|lowering| {
            Ok(match lowering.eval(e)? {
                Outcome::Value(value) => value.ty,
                Outcome::Place(place) => place.ty,
                Outcome::Nothing => Type::VOID,
            })
        })?;
        self.evaluated.insert(key, ty.clone());
        Ok(ty)
    }

    fn binary_type(
        &mut self,
        op: &BinaryOperator,
        lhs: &Node<Expression>,
        rhs: &Node<Expression>,
        e: &Node<Expression>,
    ) -> Result<Type, Diagnostic> {
        let left = decayed(self.type_of(lhs)?);
        Ok(match op {
            BinaryOperator::Index => {
                let pointer = if left.is_pointer() { left } else { decayed(self.type_of(rhs)?) };
                match pointer.pointee() {
                    Some(to) => to.clone(),
                    None => return self.evaluated_type(e),
                }
            }
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => Type::INT,
            _ if arith::comparison(op) => Type::INT,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => self.promoted_type(lhs, &left),
            BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::BitwiseAnd
            | BinaryOperator::BitwiseXor
            | BinaryOperator::BitwiseOr => {
                let right = decayed(self.type_of(rhs)?);
                match (left.is_pointer(), right.is_pointer()) {
                    (true, true) => self.types.long(true),
                    (true, false) => left.unqualified(),
                    (false, true) => right.unqualified(),
                    (false, false) => {
                        Self::common_type(&self.promoted_type(lhs, &left), &self.promoted_type(rhs, &right))
                    }
                }
            }
            _ => left.unqualified(),
        })
    }

    fn conditional_type(&mut self, parts: &Conditional) -> Result<Type, Diagnostic> {
        let then = parts.then_expression.as_ref().unwrap_or(&parts.condition);
        let left = decayed(self.type_of(then)?).unqualified();
        let right = decayed(self.type_of(&parts.else_expression)?).unqualified();
        if left.is_void() || right.is_void() {
            return Ok(Type::VOID);
        }
        Ok(match (left.is_pointer(), right.is_pointer()) {
            (true, true) if left.is_void_pointer() && self.const_value(then) == Some(0) => right,
            (true, true) if right.is_void_pointer() && self.const_value(&parts.else_expression) == Some(0) => left,
            (true, true) => match (left.pointee(), right.pointee()) {
                // A pointer to what either points to, with the qualifiers of both.
                (Some(to), Some(other)) if other.is_void() => other.clone().qualified_as(to).pointer_to(),
                (Some(to), Some(other)) => to.clone().qualified_as(other).pointer_to(),
                _ => left,
            },
            (true, _) => left,
            (false, true) => right,
            (false, false) if left.is_record() => left,
            (false, false) => {
                let right = self.promoted_type(&parts.else_expression, &right);
                Self::common_type(&self.promoted_type(then, &left), &right)
            }
        })
    }

    /// The type of an expression of this type after the integer promotions.
    fn promoted_type(&mut self, e: &Node<Expression>, ty: &Type) -> Type {
        if let Expression::Member(member) = &e.node
            && let Ok(inner) = self.type_of(&member.expression)
            && let Kind::Record(id) = inner.pointee().unwrap_or(&inner).kind
            && let Some(Member { ty, bits: Some(field), .. }) = self.types.member(id, &member.identifier.text)
        {
            return promoted_field(&ty, field);
        }
        promoted(ty)
    }
}

/// The type of a bit-field after the integer promotions: `int` if that has all its values, whatever its type, as compilers do.
pub(crate) fn promoted_field(ty: &Type, field: BitField) -> Type {
    match field.bits {
        ..32 => Type::INT,
        32 if ty.is_signed() => Type::INT,
        32 => Type::UINT,
        _ => ty.unqualified(),
    }
}

/// The type after the integer promotions.
pub(crate) fn promoted(ty: &Type) -> Type {
    match ty.kind {
        Kind::Bool => Type::INT,
        Kind::Int { bits, .. } if bits < 32 => Type::INT,
        Kind::Int { .. }
        | Kind::Void
        | Kind::Float(_)
        | Kind::Pointer(_)
        | Kind::Array(..)
        | Kind::VariableArray(..)
        | Kind::Record(_)
        | Kind::Function(_)
        | Kind::Bad(_) => ty.unqualified(),
    }
}

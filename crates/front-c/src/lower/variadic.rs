//! Functions with arguments after `...`.
//!
//! Such a function has one more parameter: the address of a block with two words for each of these arguments, which the caller makes: a
//! number that stands for its type, and its value. A `va_list` is the address of the next pair. Who takes more arguments than there are reads behind the block, which is a
//! failure; so is taking one with a type that is not compatible with its own (C11, 7.16.1.1). Two things are fine: the signed or unsigned type of the same size, if the value is a number of both;
//! and `void *` for any pointer.

use super::fold::add_offset;
use super::place::Place;
use super::{Lowering, Value, type_of};
use crate::types::{Kind, Signature, Type};
use c_syntax::ast::{Expression, Node, VaArg};
use ir::{BinaryOp, Expr, Op, System, Width};
use source::{Diagnostic, Span};
use std::rc::Rc;

/// Whether a function has arguments after `...`. One that is declared with empty brackets takes any, and ignores what it does not
/// know.
pub(crate) fn is_variadic(signature: &Signature) -> bool {
    signature.open && !signature.params.is_empty()
}

impl Lowering {
    /// An argument after `...`: its type and its value, as words.
    pub fn rest_argument(&mut self, arg: &Node<Expression>) -> Result<[Expr; 2], Diagnostic> {
        if self.type_of(arg)?.is_record() {
            let complaint = self.error(self.at(arg.span), "a structure as an argument after `...` is not supported");
            return Err(complaint.help("give its address"));
        }
        let value = self.rvalue(arg)?;
        let promoted = type_of::promoted(&value.ty);
        let value = self.convert(value, &promoted)?;
        let number = self.type_number(&value.ty);
        let value = match value.ty.kind {
            Kind::Int { .. } | Kind::Bool => self.convert(value, &Type::LONG_LONG)?,
            _ => value,
        };
        let value = self.keep(Value { expr: value.expr, ty: Type::ULONG_LONG }).expr;
        Ok([Expr::Const(number, Width::WORD), value])
    }

    /// The block of the arguments after `...`: its address.
    pub fn rest_block(&mut self, arguments: Vec<[Expr; 2]>) -> Result<Expr, Diagnostic> {
        if arguments.is_empty() {
            return Ok(Expr::constant(0, Width::WORD));
        }
        let word = Rc::new(Type::ULONG_LONG);
        let words = 2 * arguments.len() as u64;
        let place = self.object("arguments", &Kind::Array(word, Some(words)).into(), false)?;
        let base = self.address(&place)?.expr;
        let tags = self.tags(&["NA"]);
        for (at, expr) in arguments.into_iter().flatten().enumerate() {
            let addr = add_offset(base.clone(), 8 * at as u64);
            self.store(addr, Value { expr, ty: Type::ULONG_LONG }, tags.clone());
        }
        Ok(base)
    }

    /// `va_start(list, last)`.
    pub fn va_start(&mut self, list: &Node<Expression>, span: Span) -> Result<(), Diagnostic> {
        let Some(rest) = self.body.rest else {
            let complaint = self.error(span, "this function has no arguments after `...`");
            return Err(complaint.help("`va_start` belongs into a function that is defined with `...`"));
        };
        let place = self.place(list)?;
        self.put_list(&place, Expr::Local(rest))
    }

    /// `va_copy(to, from)`.
    pub fn va_copy(&mut self, to: &Node<Expression>, from: &Node<Expression>) -> Result<(), Diagnostic> {
        let place = self.place(to)?;
        let value = self.rvalue(from)?;
        self.put_list(&place, value.expr)
    }

    fn put_list(&mut self, place: &Place, expr: Expr) -> Result<(), Diagnostic> {
        self.write(place, Value { expr, ty: Type::VOID.pointer_to() })?;
        Ok(())
    }

    /// `va_arg(list, type)`.
    pub fn va_arg(&mut self, of: &VaArg, span: Span) -> Result<Value, Diagnostic> {
        let ty = self.type_name(&of.type_name)?.unqualified();
        if !ty.is_scalar() {
            let complaint = self.error(span, "an argument after `...` that is no scalar is not supported");
            return Err(complaint.help("give the address of the structure"));
        }
        let place = self.place(&of.list)?;
        let next = self.read(&place)?;
        let next = self.keep(next).expr;
        self.put_list(&place, add_offset(next.clone(), 16))?;
        let tags = self.tags(&["NA"]);
        let number = self.load(next.clone(), &Type::ULONG_LONG, tags.clone())?;
        let word = self.load(add_offset(next, 8), &Type::ULONG_LONG, tags)?;
        self.check_argument(&ty, number.expr, &word.expr);
        match ty.kind {
            Kind::Int { .. } | Kind::Bool => self.convert(word, &ty),
            _ => Ok(Value { expr: word.expr, ty }),
        }
    }

    /// The number that stands for the type of an argument. What arguments are promoted from has numbers too, which no argument has.
    fn type_number(&mut self, ty: &Type) -> u64 {
        match &ty.kind {
            Kind::Int { signed, rank, .. } => 2 * u64::from(*rank) + u64::from(*signed),
            Kind::Bool => 1,
            Kind::Float(bits) => u64::from(*bits),
            Kind::Pointer(to) if to.is_void() || matches!(to.kind, Kind::Int { bits: 8, .. }) => ANY_POINTER,
            _ => {
                let known = self.argument_types.iter().position(|known| self.types.compatible(known, ty));
                let at = known.unwrap_or(self.argument_types.len());
                if at == self.argument_types.len() {
                    self.argument_types.push(ty.clone());
                }
                ANY_POINTER + 1 + at as u64
            }
        }
    }

    /// Asserts that an argument may be taken with this type: its own, or one of those for which C makes an exception.
    fn check_argument(&mut self, ty: &Type, number: Expr, value: &Expr) {
        if !self.options.checks.shifts || self.body.is_library() {
            return;
        }
        let own = self.type_number(ty);
        let is = |which: u64| number.clone().binary(BinaryOp::Eq, Expr::Const(which, Width::WORD));
        let condition = match ty.kind {
            Kind::Int { bits, rank, .. } if rank >= INT_RANK => {
                let sign = Expr::Const(1 << (bits - 1), Width::WORD);
                let both = value.clone().binary(BinaryOp::And, sign).binary(BinaryOp::Eq, Expr::Const(0, Width::WORD));
                is(own).binary(BinaryOp::Or, is(own ^ 1).binary(BinaryOp::And, both))
            }
            Kind::Pointer(_) if own == ANY_POINTER => {
                Expr::Const(ANY_POINTER, Width::WORD).binary(BinaryOp::ULe, number)
            }
            Kind::Pointer(_) => is(own).binary(BinaryOp::Or, is(ANY_POINTER)),
            _ => is(own),
        };
        let message = ir::faults::ARGUMENT.to_owned();
        self.emit(Op::System(System::Assert { condition, message }));
    }
}

/// The rank of `int`: arguments of lower rank are promoted.
const INT_RANK: u8 = 3;

/// The number of `void *` and of pointers to characters; those of other pointers are larger, those of all else smaller.
const ANY_POINTER: u64 = 1000;

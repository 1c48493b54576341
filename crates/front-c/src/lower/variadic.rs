//! Functions with arguments after `...`.
//!
//! Such a function has one more parameter: the address of a block with a word for each of these arguments, which the caller makes. A
//! `va_list` is the address of the next word. Who takes more arguments than there are reads behind the block, which is a
//! failure; who takes one with another type gets its bits.

use super::fold::add_offset;
use super::place::Place;
use super::{Lowering, Value, type_of};
use crate::types::{Kind, Signature, Type};
use c_syntax::ast::{Expression, Node, VaArg};
use ir::{Expr, Width};
use source::{Diagnostic, Span};
use std::rc::Rc;

/// Whether a function has arguments after `...`. One that is declared with empty brackets takes any, and ignores what it does not
/// know.
pub(crate) fn is_variadic(signature: &Signature) -> bool {
    signature.open && !signature.params.is_empty()
}

impl Lowering {
    /// An argument after `...`, as a word.
    pub fn rest_argument(&mut self, arg: &Node<Expression>) -> Result<Expr, Diagnostic> {
        if self.type_of(arg)?.is_record() {
            let complaint = self.error(self.at(arg.span), "a structure as an argument after `...` is not supported");
            return Err(complaint.help("give its address"));
        }
        let value = self.rvalue(arg)?;
        let promoted = type_of::promoted(&value.ty);
        let value = self.convert(value, &promoted)?;
        let value = match value.ty.kind {
            Kind::Int { .. } | Kind::Bool => self.convert(value, &Type::LONG_LONG)?,
            _ => value,
        };
        Ok(self.keep(Value { expr: value.expr, ty: Type::ULONG_LONG }).expr)
    }

    /// The block of the arguments after `...`: its address.
    pub fn rest_block(&mut self, values: Vec<Expr>) -> Result<Expr, Diagnostic> {
        if values.is_empty() {
            return Ok(Expr::constant(0, Width::WORD));
        }
        let word = Rc::new(Type::ULONG_LONG);
        let place = self.object("arguments", &Kind::Array(word, Some(values.len() as u64)).into(), false)?;
        let base = self.address(&place)?.expr;
        let tags = self.tags(&["NA"]);
        for (at, expr) in values.into_iter().enumerate() {
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
        self.put_list(&place, add_offset(next.clone(), 8))?;
        let tags = self.tags(&["NA"]);
        let word = self.load(next, &Type::ULONG_LONG, tags)?;
        match ty.kind {
            Kind::Int { .. } | Kind::Bool => self.convert(word, &ty),
            _ => Ok(Value { expr: word.expr, ty }),
        }
    }
}

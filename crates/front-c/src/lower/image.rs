//! Structures as one number: how an atomic operation takes a structure of up to 8 bytes, and what `_Atomic` makes of one.
//!
//! The number has each scalar at its place. What lies between the scalars is zero in it, so that a comparison never fails for
//! it.

use super::fold::fold;
use super::place::Place;
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{Expression, Node};
use ir::{BinaryOp, Expr, UnaryOp, Width};
use source::Diagnostic;

impl Lowering {
    /// The structure that a pointer points to, as the number that an atomic operation takes it for: its type, and the structure's.
    pub fn image_of(&self, ty: &Type) -> Option<(Type, Type)> {
        let plain = ty.unqualified();
        let image = self.types.image(&plain).filter(|_| plain.is_record())?;
        Some((image, plain))
    }

    /// A structure as a number.
    pub fn pack(&mut self, place: &Place) -> Result<Value, Diagnostic> {
        let Some((ty, plain)) = self.image_of(&place.ty) else { return self.read(place) };
        if place.ty.atomic {
            let whole = Place { ty: Type { atomic: true, ..ty }, ..place.clone() };
            return self.read(&whole);
        }
        let width = self.scalar_width(&ty)?;
        let mut all: Option<Expr> = None;
        for leaf in self.leaves(&plain)? {
            let part = self.part(place, leaf.offset, leaf.ty);
            let value = self.read(&part)?.expr;
            let value = fold(resize(value, self.scalar_width(&part.ty)?, width));
            let value = match leaf.offset {
                0 => value,
                offset => fold(value.binary(BinaryOp::Shl, Expr::Const(8 * offset, width))),
            };
            all = Some(match all {
                Some(others) => fold(others.binary(BinaryOp::Or, value)),
                None => value,
            });
        }
        Ok(Value { expr: all.unwrap_or(Expr::Const(0, width)), ty })
    }

    /// Writes the structure that a number stands for.
    pub fn unpack(&mut self, place: &Place, image: Value) -> Result<(), Diagnostic> {
        let Some((ty, plain)) = self.image_of(&place.ty) else { return self.write(place, image).map(|_| ()) };
        if place.ty.atomic {
            let whole = Place { ty: Type { atomic: true, ..ty }, ..place.clone() };
            return self.write(&whole, image).map(|_| ());
        }
        let width = self.scalar_width(&ty)?;
        let local = self.temp(width);
        self.emit(ir::Op::Assign { dst: local, value: image.expr });
        for leaf in self.leaves(&plain)? {
            let part = self.part(place, leaf.offset, leaf.ty.clone());
            let moved = match leaf.offset {
                0 => Expr::Local(local),
                offset => Expr::Local(local).binary(BinaryOp::LShr, Expr::Const(8 * offset, width)),
            };
            let expr = resize(moved, width, self.scalar_width(&leaf.ty)?);
            self.write(&part, Value { expr, ty: leaf.ty.unqualified() })?;
        }
        Ok(())
    }

    /// The structure that a number stands for, as a temporary value.
    pub fn unpacked(&mut self, image: Expr, record: &Type) -> Result<Place, Diagnostic> {
        let place = self.split_temporary("%atomic", record)?;
        self.unpack(&place, Value { expr: image, ty: record.clone() })?;
        Ok(place)
    }

    /// The structure that an argument is, as a number.
    pub fn pack_argument(&mut self, argument: &Node<Expression>) -> Result<Value, Diagnostic> {
        let place = self.place(argument)?;
        self.pack(&place)
    }
}

impl crate::types::Types {
    /// The type of the number that a structure of 1, 2, 4 or 8 bytes is for an atomic operation.
    pub fn image(&self, ty: &Type) -> Option<Type> {
        let Kind::Record(id) = ty.kind else { return None };
        let members = self.record(id).members.as_deref()?;
        // A structure around one scalar is that scalar: a pointer stays one.
        if let [only] = members
            && only.bits.is_none()
            && only.offset == 0
            && self.size(&only.ty) == self.size(ty)
        {
            return if only.ty.is_scalar() { Some(only.ty.unqualified()) } else { self.image(&only.ty) };
        }
        match self.size(ty).ok()? {
            1 => Some(Type::UCHAR),
            2 => Some(Type::USHORT),
            4 => Some(Type::UINT),
            8 => Some(Type::ULONG_LONG),
            _ => None,
        }
    }
}

fn resize(value: Expr, from: Width, to: Width) -> Expr {
    match to.cmp(&from) {
        std::cmp::Ordering::Less => fold(value.unary(UnaryOp::Truncate(to))),
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => fold(value.unary(UnaryOp::ZeroExtend(to))),
    }
}

//! The arguments of the function that the program begins with, if that is not `main`: they can be anything.
//!
//! A pointer is null, or points to an object of its own, or into an object of another pointer: to all of it, or to a part of it with the
//! same type. Two pointers of one type may also point to two neighbours in an array. Objects hold anything. Who promises with `restrict` that it
//! shares nothing does not.

use super::fold::add_offset;
use super::place::{At, Place};
use super::scope::{Entity, Variable};
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{Declarator, Derived};
use ir::{BinaryOp, Expr, Op, System, Width};
use source::Diagnostic;
use std::rc::Rc;

/// A parameter of the function.
pub(crate) struct Parameter {
    pub name: String,
    pub ty: Type,
    pub restrict: bool,
}

/// An object that a parameter points to.
struct Target {
    /// The number of the parameter.
    of: usize,
    address: Expr,
    ty: Type,
}

/// Whether the parameter with this number is declared with `restrict`.
pub(crate) fn is_restrict(declarator: &Declarator, at: usize) -> bool {
    let parameter = declarator.parameters().and_then(|all| all.parameters.get(at));
    match parameter.and_then(|parameter| parameter.declarator.derived.last()).map(|derived| &derived.node) {
        Some(Derived::Pointer(pointer)) => pointer.qualifiers.is_restrict,
        Some(Derived::Array(_) | Derived::Function(_) | Derived::OldFunction(_)) | None => false,
    }
}

/// A pointer has no more places to point to than this; what is left out are parts of the objects of others.
const MOST: usize = 16;

impl Lowering {
    /// Makes the parameters, and what they point to.
    pub fn any_parameters(&mut self, all: &[Parameter]) -> Result<(), Diagnostic> {
        let mut targets = Vec::new();
        for (of, parameter) in all.iter().enumerate() {
            let Some(ty) = self.pointed_to(&parameter.ty) else { continue };
            let place = self.object(&format!("*{}", parameter.name), &ty, false)?;
            self.only_booleans(&place)?;
            if let At::Memory(address) = place.at {
                targets.push(Target { of, address, ty });
            }
        }
        let neighbours = self.neighbours(all, &targets)?;
        for (at, parameter) in all.iter().enumerate() {
            let place = self.object(&parameter.name, &parameter.ty, false)?;
            self.only_booleans(&place)?;
            if let Some(ty) = self.pointed_to(&parameter.ty) {
                let mut places = self.places_for(at, &ty, all, &targets);
                let near =
                    neighbours.iter().filter(|(near, _)| !parameter.restrict && self.types.compatible(near, &ty));
                places.extend(near.map(|(_, address)| address.clone()));
                places.truncate(MOST);
                let null = Expr::constant(0, Width::WORD);
                let expr = places.into_iter().fold(null, |others, address| {
                    let choice = self.temp(Width::BOOL);
                    self.emit(Op::System(System::Nondet { dst: choice }));
                    Expr::Select(Box::new(Expr::Local(choice)), Box::new(address), Box::new(others))
                });
                self.write(&place, Value { expr, ty: parameter.ty.unqualified() })?;
            }
            let storage = self.storage_of(&place)?;
            let variable = Rc::new(Variable { ty: parameter.ty.clone(), storage });
            self.innermost().names.insert(parameter.name.clone(), Entity::Variable(variable));
        }
        Ok(())
    }

    /// What is of type `_Bool` in an object that holds anything is true or false.
    fn only_booleans(&mut self, place: &Place) -> Result<(), Diagnostic> {
        let leaves = self.types.leaves(&place.ty).unwrap_or_default();
        for leaf in leaves.into_iter().filter(|leaf| leaf.ty.kind == Kind::Bool) {
            let part = self.part(place, leaf.offset, Type::UCHAR);
            let value = self.read(&part)?;
            let width = self.scalar_width(&value.ty)?;
            let condition = value.expr.binary(BinaryOp::ULe, Expr::constant(1, width));
            self.emit(Op::Assume { condition, waits: false });
        }
        Ok(())
    }

    /// What a parameter points to, if it is a pointer and its objects have a size.
    fn pointed_to(&self, ty: &Type) -> Option<Type> {
        ty.pointee().filter(|to| self.types.size(to).is_ok_and(|size| size > 0)).cloned()
    }

    /// For each type that two pointers have: the two elements of an array.
    fn neighbours(&mut self, all: &[Parameter], targets: &[Target]) -> Result<Vec<(Type, Expr)>, Diagnostic> {
        let mut found: Vec<(Type, Expr)> = Vec::new();
        for (at, target) in targets.iter().enumerate() {
            let same = |other: &Target| !all[other.of].restrict && self.types.compatible(&other.ty, &target.ty);
            let known = found.iter().any(|(ty, _)| self.types.compatible(ty, &target.ty));
            let scalars = self.types.leaves(&target.ty).map_or(0, |leaves| leaves.len());
            if all[target.of].restrict || known || scalars == 0 || scalars > MOST || !targets[at + 1..].iter().any(same)
            {
                continue;
            }
            let name = format!("*{}", all[target.of].name);
            let pair = Kind::Array(Rc::new(target.ty.clone()), Some(2)).into();
            let place = self.object(&name, &pair, false)?;
            self.only_booleans(&place)?;
            if let At::Memory(address) = place.at {
                let size = self.size(&target.ty)?;
                found.push((target.ty.clone(), add_offset(address.clone(), size)));
                found.push((target.ty.clone(), address));
            }
        }
        Ok(found)
    }

    /// Where the pointer with this number may point to: into objects of others, and to its own, which comes last.
    fn places_for(&self, at: usize, ty: &Type, all: &[Parameter], targets: &[Target]) -> Vec<Expr> {
        let mut places = Vec::new();
        for target in targets.iter().filter(|target| target.of == at) {
            places.push(target.address.clone());
        }
        let bytes = ty.is_void() || matches!(ty.kind, Kind::Int { bits: 8, .. });
        for target in targets.iter().filter(|target| target.of != at) {
            if all[at].restrict || all[target.of].restrict {
                continue;
            }
            let whole = self.types.compatible(&target.ty, ty);
            let mut parts = Vec::new();
            if whole && target.of < at || bytes && !whole {
                parts.push(0);
            } else if !whole {
                self.parts(&target.ty, ty, 0, &mut parts);
            }
            places.extend(parts.into_iter().map(|offset| add_offset(target.address.clone(), offset)));
        }
        places
    }

    /// The offsets of the parts of an object that have this type.
    fn parts(&self, of: &Type, ty: &Type, base: u64, found: &mut Vec<u64>) {
        match &of.kind {
            Kind::Array(element, Some(count)) => {
                let size = self.types.size(element).unwrap_or(1);
                for at in 0..(*count).min(MOST as u64) {
                    self.part_or_parts(element, ty, base + at * size, found);
                }
            }
            Kind::Record(id) => {
                for member in self.types.record(*id).members.iter().flatten().filter(|member| member.bits.is_none()) {
                    self.part_or_parts(&member.ty, ty, base + member.offset, found);
                }
            }
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Array(_, None)
            | Kind::VariableArray(..)
            | Kind::Function(_)
            | Kind::Bad(_) => {}
        }
    }

    fn part_or_parts(&self, of: &Type, ty: &Type, base: u64, found: &mut Vec<u64>) {
        if self.types.compatible(of, ty) && found.len() < MOST {
            found.push(base);
        } else {
            self.parts(of, ty, base, found);
        }
    }
}

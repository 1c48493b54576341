//! Objects without a name: compound literals, which live as long as the block around them, and structures that expressions have as
//! their value, which live until the end of the full expression (C11, 6.2.4 and 6.5.2.5).
//!
//! The address of such a structure is known to nobody, unless it has an array in it whose name stands for an address.

use super::lifetime::OUTERMOST;
use super::place::{At, Place};
use super::{Lowering, alive};
use crate::types::Type;
use c_syntax::ast::{BinaryOperator, Expression, Node};
use ir::life::Storage;
use ir::{Expr, LocalId};
use source::Diagnostic;

/// A structure whose life ends with the full expression.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Temporary {
    address: LocalId,
    /// Whether its address may be kept somewhere.
    known: bool,
}

impl Lowering {
    /// The object of a compound literal. It may stand in a part of an expression that is not evaluated, and its life ends with the block either way.
    pub fn literal_object(&mut self, ty: &Type) -> Result<Place, Diagnostic> {
        if self.body.scopes.len() <= OUTERMOST || !self.options.checks.lifetimes {
            return self.object("(literal)", ty, true);
        }
        let place = self.object_made("(literal)", ty, true, true)?;
        if let At::Memory(Expr::Local(address)) = place.at {
            self.innermost().ending.push(address);
            self.begin_life(address);
        }
        Ok(place)
    }

    /// An object for a structure that is the value of an expression.
    pub fn temporary_object(&mut self, ty: &Type) -> Result<Place, Diagnostic> {
        if !self.types.has_array(ty) || !self.options.checks.lifetimes {
            return self.object("%result", ty, false);
        }
        let place = self.object_made("%result", ty, false, true)?;
        if let At::Memory(Expr::Local(address)) = place.at {
            self.body.passing.push(Temporary { address, known: false });
            self.begin_life(address);
        }
        Ok(place)
    }

    /// The structure whose member is asked for. One that is computed, and not just named, is a temporary object like the result of a call.
    pub fn outer_record(&mut self, e: &Node<Expression>) -> Result<Place, Diagnostic> {
        let place = self.place(e)?;
        let computed = match &e.node {
            Expression::Binary(binary) => binary.operator == BinaryOperator::Assign,
            Expression::Comma(_) | Expression::Statement(_) => true,
            _ => false,
        };
        if !computed || !matches!(place.at, At::Memory(_)) || !self.types.has_array(&place.ty) {
            return Ok(place);
        }
        let copy = self.temporary_object(&place.ty.unqualified())?;
        self.copy(&copy, &place)?;
        Ok(copy)
    }

    /// Notes that the address of an object may be kept.
    pub fn note_address(&mut self, addr: &Expr) {
        if let Expr::Local(local) = alive::base(addr) {
            let temporary = self.body.passing.iter_mut().find(|temporary| temporary.address == *local);
            temporary.into_iter().for_each(|temporary| temporary.known = true);
        }
    }

    /// Does what is a full expression, and ends the objects that live as long as it.
    pub fn full_expression<T>(
        &mut self,
        work: impl FnOnce(&mut Lowering) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let before = self.body.passing.len();
        let result = work(self)?;
        let passing = self.passing(before);
        self.end_objects(&passing);
        Ok(result)
    }

    /// The structures of a full expression that somebody may know, from a number on: they are to be ended.
    pub fn passing(&mut self, from: usize) -> Vec<LocalId> {
        let ending = self.body.passing.split_off(from);
        ending.into_iter().filter(|temporary| temporary.known).map(|temporary| temporary.address).collect()
    }

    /// Ends the lives of objects of the call.
    pub fn end_objects(&mut self, addresses: &[LocalId]) {
        let tags = self.tags(&["NA"]);
        for &address in addresses {
            let ends = alive::end(&Expr::Local(address), Storage::Automatic, &tags);
            ends.into_iter().for_each(|op| self.emit(op));
        }
    }

    /// The life of an object of the call begins, again if the place is reached again.
    pub fn begin_life(&mut self, address: LocalId) {
        let tags = self.tags(&["NA"]);
        let begins = alive::begin(&Expr::Local(address), Storage::Automatic, &tags);
        begins.into_iter().for_each(|op| self.emit(op));
    }
}

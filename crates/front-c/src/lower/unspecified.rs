//! What C leaves open and compilers decide: what is in the gaps between the members of a structure, and whether equal string
//! literals are one object. Few programs look at it, and the others do better without: it is known once all functions are lowered who does.

use super::place::{At, Place};
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::Range;
use ir::{BinaryOp, Cell, Expr, Object, ObjectId, Op, System, Width};
use rustc_hash::FxHashMap;
use source::Diagnostic;

/// What the program looks at, as far as is known.
#[derive(Debug, Default)]
pub(crate) struct Unspecified {
    /// Gaps between members, as bytes.
    pub gaps: bool,
    /// Addresses of characters, by comparing two of them.
    pub literals: bool,
    /// Where each text is first a literal inside functions: the number of the translation unit, and the place in it.
    first: FxHashMap<Vec<u8>, (usize, u32)>,
    /// The same text elsewhere: an object of its own, and the cell that says whether it is used.
    again: FxHashMap<(usize, u32), (ObjectId, ObjectId)>,
    /// All of these cells: they hold any value at first.
    pub choices: Vec<ObjectId>,
}

impl Lowering {
    /// Notes that somebody sees the bytes of an object.
    pub fn note_bytes(&mut self, ty: &Type) {
        let gaps = !self.types.is_library(ty) && self.types.gaps(ty).is_ok_and(|gaps| !gaps.is_empty());
        self.unspecified.gaps |= gaps;
    }

    /// Notes that the bytes of what a pointer points to are seen, if it becomes a pointer to characters.
    pub fn note_cast(&mut self, from: &Type, to: &Type) {
        let bytes = |ty: &Type| matches!(ty.kind, Kind::Int { bits: 8, .. });
        if let (Some(from), true) = (from.pointee().cloned(), to.pointee().is_some_and(bytes)) {
            self.note_bytes(&from);
        }
    }

    /// Notes that two addresses are compared.
    pub fn note_comparison(&mut self, left: &Value, right: &Value) {
        let text = |value: &Value| {
            let to = value.ty.pointee();
            let known = matches!(value.expr, Expr::Const(..));
            !known && to.is_some_and(|to| to.is_void() || matches!(to.kind, Kind::Int { bits: 8, .. }))
        };
        self.unspecified.literals |= text(left) && text(right) && self.body.unit.is_user();
    }

    /// The gaps of an object that gets a new value as a whole hold anything.
    pub fn forget_gaps(&mut self, place: &Place) -> Result<(), Diagnostic> {
        let At::Memory(address) = &place.at else { return Ok(()) };
        if !self.needs.gaps
            || !place.ty.is_record()
            || self.types.is_library(&place.ty)
            || self.types.has_atomic(&place.ty)
        {
            return Ok(());
        }
        let (address, tags) = (address.clone(), self.tags(&["NA"]));
        let gaps = self.types.gaps(&place.ty).map_err(|why| self.error(self.span(), why))?;
        for leaf in gaps {
            let width = self.scalar_width(&leaf.ty)?;
            let dst = self.temp(width);
            self.emit(Op::System(System::Nondet { dst }));
            let addr = super::fold::add_offset(address.clone(), leaf.offset);
            self.emit(Op::Store { addr, value: Expr::Local(dst), tags: tags.clone() });
        }
        Ok(())
    }

    /// The address of a string literal. One that is there before may be the same object, or not.
    pub fn literal_address(&mut self, bytes: Vec<u8>, span: Range) -> Expr {
        let first = self.string_object(bytes.clone());
        let here = (self.body.unit.index(), span.start);
        if !self.needs.literals || self.body.scopes.is_empty() || !self.body.unit.is_user() {
            return Expr::Address(first, 0);
        }
        if *self.unspecified.first.entry(bytes).or_insert(here) == here {
            return Expr::Address(first, 0);
        }
        let (own, choice) = match self.unspecified.again.get(&here) {
            Some(known) => *known,
            None => {
                let made = self.second_object(first);
                self.unspecified.again.insert(here, made);
                made
            }
        };
        let dst = self.temp(Width::BYTE);
        let tags = self.tags(&["NA"]);
        self.emit(Op::Load { dst, addr: Expr::Address(choice, 0), tags, reserve: false });
        let merged = Expr::Local(dst).binary(BinaryOp::Ne, Expr::constant(0, Width::BYTE));
        let address = |object| Box::new(Expr::Address(object, 0));
        let expr = Expr::Select(Box::new(merged), address(first), address(own));
        self.keep(Value { expr, ty: Type::ULONG_LONG }).expr
    }

    /// Another object with the same text, and a cell that chooses.
    fn second_object(&mut self, first: ObjectId) -> (ObjectId, ObjectId) {
        let own = ObjectId(self.program.objects.len() as u32);
        let text = self.program.objects[first.index()].clone();
        self.program.objects.push(text);
        self.program.constants.insert(own);
        let choice = ObjectId(self.program.objects.len() as u32);
        let cell = Cell { offset: 0, width: Width::BYTE, initial: Expr::constant(0, Width::BYTE) };
        let name = "%merged".to_owned();
        self.program.objects.push(Object { name, cells: vec![cell], shared: false, align: 1 });
        self.unspecified.choices.push(choice);
        (own, choice)
    }
}

//! What is known of addresses, and what the solver is asked.

use crate::walk::Walk;
use engine::NoAnswer;
use ir::{BinaryOp, Cell, ObjectId, Width};
use logic::{Bool, Outcome, Term, TermNode};
use rustc_hash::FxHashSet;
use source::Span;

/// An object: where it is, and how much of it can be accessed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    pub address: Term,
    /// Which one of the program it is; none if the program makes it.
    pub object: Option<ObjectId>,
    /// How many bytes it has without a gap.
    pub size: Term,
    /// Whether it may be written.
    pub writable: bool,
}

pub(crate) fn bytes(width: Width) -> u64 {
    u64::from(width.bits().div_ceil(8))
}

/// How many bytes of an object with these cells can be accessed, from its beginning to the first gap.
pub(crate) fn extent(cells: &[Cell]) -> u64 {
    let mut end = 0;
    for cell in cells {
        if cell.offset > end {
            break;
        }
        end = end.max(cell.offset + bytes(cell.width));
    }
    end
}

impl Walk<'_> {
    /// A new object, somewhere.
    pub(crate) fn base(&mut self, object: Option<ObjectId>, size: Term, writable: bool) -> Term {
        let address = self.terms.fresh(Width::WORD);
        let null = self.terms.constant(0, Width::WORD);
        let some = !self.terms.eq(address, null);
        self.blaster.assert(&self.terms, &mut self.solver, some);
        self.bases.insert(address, Base { address, object, size, writable });
        address
    }

    /// The address of an object of the program.
    pub(crate) fn object(&mut self, object: ObjectId) -> Term {
        if let Some(&address) = self.objects.get(&object) {
            return address;
        }
        let size = extent(&self.program.objects[object.index()].cells);
        let size = self.terms.constant(size, Width::WORD);
        let address = self.base(Some(object), size, !self.program.constants.contains(&object));
        self.objects.insert(object, address);
        address
    }

    /// The address of a part of an object of the program.
    pub(crate) fn address(&mut self, object: ObjectId, offset: u64) -> Term {
        let (base, offset) = (self.object(object), self.terms.constant(offset, Width::WORD));
        self.terms.binary(BinaryOp::Add, base, offset)
    }

    /// The objects that an address mentions.
    pub(crate) fn mentioned(&self, address: Term) -> (Vec<Base>, bool) {
        let (mut found, mut only) = (Vec::new(), true);
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut pending = vec![address];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.terms.node(term) {
                TermNode::Const(_) => {}
                TermNode::Var(_) => match self.bases.get(&term) {
                    Some(base) => found.push(*base),
                    None => only = false,
                },
                TermNode::Ite(_, then, otherwise) => {
                    // What decides is not looked at: it may be anything.
                    only = false;
                    pending.extend([then, otherwise]);
                }
                TermNode::Unary(_, operand) => pending.push(operand),
                TermNode::Binary(_, left, right) => pending.extend([left, right]),
            }
        }
        (found, only)
    }

    /// An access goes to an object: inside it, whatever the unknowns are.
    pub(crate) fn access(&mut self, guard: Bool, address: Term, width: Width, write: bool) -> Result<(), NoAnswer> {
        if !self.memory || self.quiet {
            return Ok(());
        }
        let mut valid = Bool::FALSE;
        for base in self.mentioned(address).0 {
            if write && !base.writable {
                continue;
            }
            let bytes = self.terms.constant(bytes(width), Width::WORD);
            let fits = self.terms.compare(BinaryOp::ULe, bytes, base.size);
            let offset = self.terms.binary(BinaryOp::Sub, address, base.address);
            let last = self.terms.binary(BinaryOp::Sub, base.size, bytes);
            let inside = self.terms.compare(BinaryOp::ULe, offset, last);
            let inside = self.terms.and(fits, inside);
            valid = self.terms.or(valid, inside);
        }
        self.prove(guard, valid, "an access")
    }

    /// Where the guard holds, the condition does.
    pub(crate) fn prove(&mut self, guard: Bool, condition: Bool, what: &str) -> Result<(), NoAnswer> {
        if self.quiet {
            return Ok(());
        }
        if self.holds(guard, condition)? {
            return Ok(());
        }
        let line = self.program.source.line(self.span());
        Err(NoAnswer::GaveUp(format!("line {line}: {what} cannot be proved by looking at one thread only")))
    }

    /// Whether the condition holds wherever the guard does.
    pub(crate) fn holds(&mut self, guard: Bool, condition: Bool) -> Result<bool, NoAnswer> {
        let wrong = self.terms.and(guard, !condition);
        if wrong == Bool::FALSE {
            return Ok(true);
        }
        self.asked += 1;
        let literal = self.blaster.lit(&self.terms, &mut self.solver, wrong);
        let observer = self.observer;
        match self.solver.solve(&[literal], &|| observer.stop().is_none()) {
            Outcome::Unsatisfiable => Ok(true),
            Outcome::Satisfiable => Ok(false),
            Outcome::Stopped => Err(observer.stop().unwrap_or(NoAnswer::Cancelled)),
        }
    }

    /// The place of what is being executed.
    fn span(&self) -> Span {
        self.at
    }
}

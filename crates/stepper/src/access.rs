//! Accesses to memory: where they go, and those that others cannot notice.

use crate::Halt;
use crate::code::{Action, Stepper, UNWRITTEN};
use crate::domain::{Access, Domain, Fault, Own};
use crate::memory::Target;
use crate::thread::private;
use crate::value::Holder;
use ir::{Address, Expr, LocalId, ObjectId, Op, TagSet, Usage, Width};
use source::Span;

/// Where an access goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// To a private object and its slot, by their positions.
    Heap(usize, usize),
    /// To an object and its slot, while there is only one thread.
    Alone(usize, usize),
    /// To a cell that others may know.
    Cell(u32),
    /// To nothing.
    Nowhere,
}

const MIXED: &str = "a part of a location is accessed, or several locations at once";

impl<'p, D: Domain<'p>> Stepper<'_, 'p, D> {
    pub(crate) fn load(
        &mut self,
        dst: LocalId,
        addr: &Expr,
        tags: &'p TagSet,
        span: Span,
    ) -> Result<Option<Action<'p, D::Term>>, Halt> {
        let width = self.scope().function.locals[dst.index()].width;
        let location = self.locate(addr, width, span, Access::Read)?;
        if let Some(cell) = self.shared(location, Access::Read)? {
            return Ok(Some(Action::Load { cell, tags }));
        }
        if location != Location::Nowhere {
            let term = self.read(location, width, span)?;
            self.assign(dst, term);
            self.next();
        }
        Ok(None)
    }

    pub(crate) fn store(
        &mut self,
        addr: &Expr,
        value: &Expr,
        tags: &'p TagSet,
        span: Span,
    ) -> Result<Option<Action<'p, D::Term>>, Halt> {
        let width = self.scope().width(value);
        let value = self.eval(value, span)?;
        let location = self.locate(addr, width, span, Access::Write)?;
        if let Some(cell) = self.shared(location, Access::Write)? {
            return Ok(Some(Action::Store { cell, value, tags }));
        }
        if location != Location::Nowhere {
            self.write(location, width, value)?;
            self.next();
        }
        Ok(None)
    }

    pub(crate) fn rmw(
        &mut self,
        dst: LocalId,
        addr: &Expr,
        tags: [&'p TagSet; 2],
        span: Span,
    ) -> Result<Option<Action<'p, D::Term>>, Halt> {
        let width = self.scope().function.locals[dst.index()].width;
        let location = self.locate(addr, width, span, Access::ReadWrite)?;
        if let Some(cell) = self.shared(location, Access::ReadWrite)? {
            return Ok(Some(Action::Rmw { cell, tags }));
        }
        match location {
            _ if self.thread.atomic > 0 => {}
            Location::Heap(object, _) => self.domain.own_update(Own::Object(self.thread.heap[object].1.site), tags)?,
            Location::Cell(cell) => self.domain.own_update(Own::Cell(cell), tags)?,
            Location::Alone(..) | Location::Nowhere => {}
        }
        if location != Location::Nowhere {
            let term = self.read(location, width, span)?;
            if let Some(written) = self.resume(term)? {
                self.write(location, width, written)?;
            }
        }
        Ok(None)
    }

    /// The cell that an access goes to, if other threads use it, too.
    fn shared(&mut self, location: Location, access: Access) -> Result<Option<u32>, Halt> {
        let Location::Cell(cell) = location else { return Ok(None) };
        match self.domain.touch(self.thread.number, cell, access)? {
            // A locked instruction is one access wherever it is.
            Usage::Shared if access != Access::ReadWrite && self.domain.memory().is_torn(cell) => {
                let span = self.thread.instr(self.program).map_or(Span::default(), |instr| instr.span);
                self.limit(span, "an access to shared memory that may not be aligned")
            }
            Usage::Shared => Ok(Some(cell)),
            Usage::Constant(_) | Usage::Private(_) => Ok(None),
        }
    }

    /// What memory holds that no other thread uses.
    fn read(&self, location: Location, width: Width, span: Span) -> Result<D::Term, Halt> {
        let bits = match location {
            Location::Heap(object, slot) => self.thread.heap[object].1.cells[slot].value,
            Location::Alone(object, slot) => self.domain.memory().objects[object].cells[slot].value,
            Location::Cell(cell) => match self.thread.own(cell) {
                Some(value) => return Ok(self.domain.term(value, width)),
                None => self.domain.memory().cells[cell as usize].initial,
            },
            Location::Nowhere => None,
        };
        match bits {
            Some(bits) => Ok(self.domain.constant(bits, width)),
            None => self.limit(span, UNWRITTEN),
        }
    }

    fn write(&mut self, location: Location, width: Width, term: D::Term) -> Result<(), Halt> {
        match location {
            Location::Heap(object, slot) => {
                self.thread.heap[object].1.cells[slot].value = Some(self.domain.bits(&term, width)?);
            }
            Location::Alone(object, slot) => {
                let bits = self.domain.bits(&term, width)?;
                self.domain.memory_mut().write_alone(object, slot, bits);
            }
            Location::Cell(cell) => {
                let initial = self.domain.memory().cells[cell as usize].initial;
                let value = self.domain.hold(Holder::Own(cell), width, term);
                let old = self.thread.set_own(cell, self.domain.kept(value, initial));
                if let (Some(old), Some(_)) = (old, value.known()) {
                    self.domain.forget(old);
                }
            }
            Location::Nowhere => {}
        }
        Ok(())
    }

    /// Where an access goes. If that is nowhere, the thread stops or the property fails.
    fn locate(&mut self, addr: &Expr, width: Width, span: Span, access: Access) -> Result<Location, Halt> {
        self.look(addr, span)?;
        let found = match self.domain.address(self.thread.scope(self.program), addr, width, span)? {
            Some(word) if access != Access::Read && self.program.write_target(word) != word => {
                return self.limit(span, "a string literal is written");
            }
            Some(word) => self.find(word, width, span)?,
            None => Location::Nowhere,
        };
        if found == Location::Nowhere {
            self.fault(Fault::Access, span, "an access to no location");
        }
        Ok(found)
    }

    /// Where an access to an address goes.
    pub fn find(&mut self, word: u64, width: Width, span: Span) -> Result<Location, Halt> {
        let Some(address) = Address::from_bits(word) else { return Ok(Location::Nowhere) };
        let number = address.object;
        let heap = self.thread.heap.iter().position(|(own, _)| *own == number.0);
        let memory = self.domain.memory();
        let object = match heap {
            Some(at) => Some(&self.thread.heap[at].1),
            None => memory.object(number),
        };
        let Some(object) = object else {
            // A private object of another thread cannot be known here.
            return match private(word) {
                Some(_) if !memory.alone => self.limit(span, "an address that nobody gave"),
                _ => Ok(Location::Nowhere),
            };
        };
        let at = match object.target(&memory.sites[object.site as usize], address.offset, width) {
            Target::Slot(at) => at,
            Target::New(slot) => {
                if !memory.alone {
                    self.domain.grow(self.thread.scope(self.program), number, &slot, span)?;
                }
                match heap {
                    Some(at) => self.thread.heap[at].1.insert(slot),
                    None => self.domain.memory_mut().object_mut(number).map_or(0, |object| object.insert(slot)),
                }
            }
            Target::Nowhere => return Ok(Location::Nowhere),
            Target::Mixed => return self.limit(span, MIXED),
        };
        Ok(self.location(number, heap, at, address))
    }

    fn location(&mut self, number: ObjectId, heap: Option<usize>, at: usize, address: Address) -> Location {
        let memory = self.domain.memory_mut();
        match heap {
            Some(object) => Location::Heap(object, at),
            None if memory.alone => Location::Alone(number.index(), at),
            None => {
                let slot = memory.object(number).map(|object| object.cells[at].clone());
                slot.map_or(Location::Nowhere, |slot| Location::Cell(memory.cell(address, &slot)))
            }
        }
    }

    /// Where the store goes that comes next, if it is one whose address is known.
    pub fn known_store(&mut self) -> Result<Option<Location>, Halt> {
        let Some(instr) = self.thread.instr(self.program) else { return Ok(None) };
        let Op::Store { addr, value, tags: _ } = &instr.op else { return Ok(None) };
        let scope = self.scope();
        let (Some((word, _)), width) = (scope.known(addr), scope.width(value)) else { return Ok(None) };
        self.find(word, width, instr.span).map(Some)
    }
}

//! Values as the search has them: machine words, and what has not been chosen yet.

use crate::world::{HANDLE, REPLICA, World};
use engine::Property;
use ir::{Expr, ObjectId, TagSet, UnaryOp, Usage, Width, truncate};
use model::Buffers;
use source::Span;
use stepper::{Access, Domain, Fault, Halt, Holder, Made, Memory, Object, Own, PRIVATE, Scope, Slot, Thread, Value};

/// Stands for a value that can be anything: what it is has never mattered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anything;

pub type Word = Value<Anything>;

/// What cannot be done with the handles of replicas.
pub const COMPUTES: &str = "the handle of one of any number of threads is compared or computed with";

/// How many objects may be made at one place by one thread, if others may know them.
const OBJECTS: u32 = 64;

/// Whether an expression is a local that can be anything, perhaps of another width.
pub fn is_open(scope: Scope<'_, Anything>, expr: &Expr) -> bool {
    match expr {
        Expr::Local(local) => matches!(scope.frame.values[local.index()], Value::Symbolic(Anything)),
        Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) | UnaryOp::Truncate(_), operand) => {
            is_open(scope, operand)
        }
        Expr::Const(..) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => false,
    }
}

impl<'p> Domain<'p> for World<'p> {
    type Symbol = Anything;
    type Term = Word;

    fn memory(&self) -> &Memory<'p> {
        &self.memory
    }

    fn memory_mut(&mut self) -> &mut Memory<'p> {
        &mut self.memory
    }

    /// A copy of what can be anything can be anything. All else that is looked at was chosen before.
    fn eval(&mut self, scope: Scope<'_, Anything>, expr: &Expr, span: Span) -> Result<Word, Halt> {
        if is_open(scope, expr) {
            return Ok(Value::Symbolic(Anything));
        }
        self.word(scope, expr, span, "a value").map(Value::Known)
    }

    fn decide(&mut self, scope: Scope<'_, Anything>, condition: &Expr, span: Span) -> Result<bool, Halt> {
        Ok(self.word(scope, condition, span, "a condition")? != 0)
    }

    fn address(
        &mut self,
        scope: Scope<'_, Anything>,
        addr: &Expr,
        _width: Width,
        span: Span,
    ) -> Result<Option<u64>, Halt> {
        match self.word(scope, addr, span, "an address")? {
            HANDLE if self.has_replicas() => scope.limit(span, COMPUTES),
            word => Ok(Some(word)),
        }
    }

    fn bits(&self, term: &Word, width: Width) -> Result<u64, Halt> {
        let bits = term.known().map(|bits| truncate(bits, width));
        bits.ok_or_else(|| Halt::Limit("internal: what is written was not chosen".to_owned()))
    }

    fn term(&self, value: Word, _width: Width) -> Word {
        value
    }

    fn hold(&mut self, _holder: Holder, width: Width, term: Word) -> Word {
        match term {
            Value::Known(bits) => Value::Known(truncate(bits, width)),
            Value::Symbolic(Anything) => term,
        }
    }

    /// It is chosen when somebody wants to know.
    fn choose(&mut self, thread: usize, holder: Holder, _width: Width) -> Word {
        if let (Some(record), Holder::Local(depth, _, local)) = (&mut self.record, holder) {
            record.postpone(thread, (depth, local));
        }
        Value::Symbolic(Anything)
    }

    fn kept(&self, value: Word, initial: Option<u64>) -> Option<Word> {
        Some(value).filter(|value| initial.is_none() || value.known() != initial)
    }

    fn touch(&mut self, thread: usize, cell: u32, access: Access) -> Result<Usage, Halt> {
        match access {
            Access::Read | Access::ReadWrite => self.note_read(cell)?,
            Access::Write => {}
        }
        self.classify(cell, thread, access != Access::Read)
    }

    fn own_update(&mut self, own: Own, tags: [&TagSet; 2]) -> Result<(), Halt> {
        if self.buffers == Buffers::None || !tags.iter().any(|tags| self.drains(tags)) {
            return Ok(());
        }
        Err(match own {
            Own::Object(site) => self.escape(site),
            Own::Cell(cell) => self.share(cell),
        })
    }

    fn violates(&self, fault: Fault) -> bool {
        match (self.property, fault) {
            (Property::Assertions { memory }, Fault::Access) => memory,
            (Property::Assertions { memory: _ }, Fault::Assertion) => true,
            (Property::Deadlock | Property::Progress | Property::Race, Fault::Assertion | Fault::Access) => false,
        }
    }

    fn handle(&self, scope: Scope<'_, Anything>, thread: usize, span: Span) -> Result<u64, Halt> {
        match thread {
            REPLICA => scope.limit(span, "one of any number of threads asks who it is"),
            _ => Ok(thread as u64 + 1),
        }
    }

    fn make(&mut self, thread: &mut Thread<Anything>, object: Object, span: Span) -> Result<u32, Halt> {
        let number = self.number(thread, object, span)?;
        if let Some(record) = &mut self.record {
            record.choose(thread.number, u64::from(number));
        }
        Ok(number)
    }

    fn grow(&mut self, _: Scope<'_, Anything>, object: ObjectId, slot: &Slot, _: Span) -> Result<(), Halt> {
        if let Some(at) = object.index().checked_sub(self.memory.objects.len())
            && let Some(object) = self.shown.get_mut(at)
        {
            object.insert(slot.clone());
        }
        Ok(())
    }
}

impl World<'_> {
    /// Puts a new object where it belongs, and gives its number there.
    fn number(&mut self, thread: &mut Thread<Anything>, object: Object, span: Span) -> Result<u32, Halt> {
        if self.memory.alone {
            self.memory.objects.push(object);
            return Ok(self.memory.objects.len() as u32 - 1);
        }
        let shown = self.record.is_some().then(|| {
            self.shown.push(object.clone());
            (self.memory.objects.len() + self.shown.len()) as u32 - 1
        });
        if !self.memory.sites[object.site as usize].escapes {
            let free = (PRIVATE..).find(|number| thread.heap.iter().all(|(own, _)| own != number));
            let number = shown.or(free).unwrap_or(PRIVATE);
            thread.heap.push((number, object));
            return Ok(number);
        }
        if thread.number == REPLICA {
            let what = "one of any number of threads makes an object that others may know";
            return thread.scope(self.memory.program).limit(span, what);
        }
        let site = object.site;
        let at = thread.made.iter().position(|(own, _)| *own == site).unwrap_or_else(|| {
            thread.made.push((site, 0));
            thread.made.len() - 1
        });
        let count = thread.made[at].1;
        if count >= OBJECTS {
            return thread.scope(self.memory.program).limit(span, "objects are made without an end");
        }
        thread.made[at].1 += 1;
        let first = self.memory.objects.len() as u32;
        let number = shown.unwrap_or_else(|| {
            let same = |made: &Made| made.object.site == site && made.thread == thread.number && made.count == count;
            let known = self.memory.made.iter().find(|(_, made)| same(made)).map(|(number, _)| *number);
            known.unwrap_or(first + self.memory.made.len() as u32)
        });
        self.memory.made.entry(number).or_insert(Made { object, thread: thread.number, count });
        Ok(number)
    }
}

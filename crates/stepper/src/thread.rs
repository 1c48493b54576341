//! What belongs to one thread: where it is, its locals, and the memory that only it uses.

use crate::memory::Object;
use crate::value::{Frame, Scope, Value};
use ir::liveness::Liveness;
use ir::{Address, FunctionId, Instr, LocalId, ObjectId, Program, truncate};
use source::Span;

/// The state of a thread, but for its store buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Thread<S> {
    /// Its number.
    pub number: usize,
    /// What it runs.
    pub body: FunctionId,
    /// The functions that are being executed, the innermost last. None unless it runs.
    pub frames: Vec<Frame<S>>,
    /// Whether it can go on.
    pub status: Status<S>,
    /// How many atomic sections are open.
    pub atomic: u32,
    /// Where it entered the critical section that it is inside.
    pub critical: Option<Span>,
    /// The cells that only this thread uses and that it has written, in order.
    pub own: Vec<(u32, Value<S>)>,
    /// The objects that it has made and nobody else can know, by their numbers.
    pub heap: Vec<(u32, Object)>,
    /// How many objects that others may know it has made at each allocation site.
    pub made: Vec<(u32, u32)>,
}

/// Whether a thread can go on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Status<S> {
    /// It has a next instruction.
    Runs,
    /// It has ended with this result.
    Ended(Value<S>),
    /// It does nothing any more.
    Stopped,
    /// The property fails here.
    Failed(Span, String),
}

/// The numbers of objects that only one thread knows begin here; no other objects have such numbers.
pub const PRIVATE: u32 = 1 << 22;

/// The number of the private object that a word points into.
pub fn private(word: u64) -> Option<u32> {
    Address::from_bits(word).map(|address| address.object.0).filter(|&number| number >= PRIVATE)
}

impl<S: Copy + Eq> Thread<S> {
    /// A thread that begins.
    pub fn start(program: &Program, number: usize, body: FunctionId, args: &[u64]) -> Self {
        let function = &program.functions[body.index()];
        let mut values = vec![Value::Known(0); function.locals.len()];
        for (at, &arg) in args.iter().enumerate() {
            values[at] = Value::Known(truncate(arg, function.locals[at].width));
        }
        Thread {
            number,
            body,
            frames: vec![Frame { function: body, block: 0, index: 0, values, dst: None, called: None }],
            status: Status::Runs,
            atomic: 0,
            critical: None,
            own: Vec::new(),
            heap: Vec::new(),
            made: Vec::new(),
        }
    }

    /// Where the innermost function evaluates expressions.
    pub fn scope<'s>(&'s self, program: &'s Program) -> Scope<'s, S> {
        let frame = self.frames.last().expect("a thread that runs has a frame");
        Scope { program, function: &program.functions[frame.function.index()], depth: self.frames.len(), frame }
    }

    /// The instruction that comes next, unless it is the end of a block.
    pub fn instr<'p>(&self, program: &'p Program) -> Option<&'p Instr> {
        let frame = self.frames.last()?;
        let function = &program.functions[frame.function.index()];
        function.blocks[frame.block as usize].instrs.get(frame.index as usize)
    }

    /// Where something at a place stands for the reader.
    pub fn shown(&self, span: Span) -> Span {
        self.frames.last().and_then(|frame| frame.called).unwrap_or(span)
    }

    /// The innermost function.
    pub fn frame(&mut self) -> &mut Frame<S> {
        self.frames.last_mut().expect("a thread that runs has a frame")
    }

    /// What it holds in a cell that it uses alone, if it has written it.
    pub fn own(&self, cell: u32) -> Option<Value<S>> {
        self.own.binary_search_by_key(&cell, |(own, _)| *own).ok().map(|at| self.own[at].1)
    }

    /// Writes a cell that it uses alone, or with nothing makes it as it was at first. Gives what it held.
    pub fn set_own(&mut self, cell: u32, value: Option<Value<S>>) -> Option<Value<S>> {
        match (self.own.binary_search_by_key(&cell, |(own, _)| *own), value) {
            (Ok(at), None) => Some(self.own.remove(at).1),
            (Ok(at), Some(value)) => Some(std::mem::replace(&mut self.own[at].1, value)),
            (Err(_), None) => None,
            (Err(at), Some(value)) => {
                self.own.insert(at, (cell, value));
                None
            }
        }
    }

    /// Forgets the values of locals that nobody will look at again; `forget` is told which.
    pub fn forget_dead(&mut self, liveness: &mut Liveness<'_>, mut forget: impl FnMut(Value<S>)) {
        let mut returns = None;
        for frame in self.frames.iter_mut().rev() {
            let live = liveness.before(frame.function, frame.block, frame.index);
            for (at, value) in frame.values.iter_mut().enumerate() {
                // What a call gives back is not there yet.
                if !live[at] || returns == Some(LocalId(at as u32)) {
                    forget(std::mem::replace(value, Value::Known(0)));
                }
            }
            returns = frame.dst;
        }
    }

    /// Forgets the private objects that the thread cannot reach, and numbers the others in the order in which it can.
    pub fn tidy_heap(&mut self) {
        if self.heap.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.heap);
        let mut names = Renaming { old: &old, kept: Vec::new() };
        let locals = self.frames.iter_mut().flat_map(|frame| &mut frame.values);
        let own = self.own.iter_mut().map(|(_, value)| value);
        let result = match &mut self.status {
            Status::Ended(value) => Some(value),
            Status::Runs | Status::Stopped | Status::Failed(..) => None,
        };
        for value in locals.chain(own).chain(result) {
            if let Value::Known(word) = value {
                names.rename(word);
            }
        }
        let mut next = 0;
        while let Some(&number) = names.kept.get(next) {
            let mut objects = old.iter().filter(|(own, _)| *own == number).map(|(_, object)| object.clone());
            if let Some(mut object) = objects.next() {
                object.cells.iter_mut().filter_map(|slot| slot.value.as_mut()).for_each(|word| names.rename(word));
                self.heap.push((PRIVATE + next as u32, object));
            }
            next += 1;
        }
    }
}

/// New numbers for private objects.
struct Renaming<'a> {
    old: &'a [(u32, Object)],
    /// The old numbers of the objects that can be reached, in the order of the new ones.
    kept: Vec<u32>,
}

impl Renaming<'_> {
    fn rename(&mut self, word: &mut u64) {
        let known = |number: &u32| self.old.iter().any(|(own, _)| own == number);
        let Some(number) = private(*word).filter(known) else { return };
        let at = self.kept.iter().position(|&kept| kept == number).unwrap_or_else(|| {
            self.kept.push(number);
            self.kept.len() - 1
        });
        let offset = Address::from_bits(*word).map_or(0, |address| address.offset);
        *word = Address { object: ObjectId(PRIVATE + at as u32), offset }.to_bits();
    }
}

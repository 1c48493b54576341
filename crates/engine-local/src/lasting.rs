//! Variables that others leave alone.
//!
//! Once there are several threads, many variables are written by nobody, or by one thread only. What such a variable holds is known as
//! long as in a program of one thread: everybody knows of the first kind what they held when the first other thread began, and of the
//! second kind their writer knows. At first nobody is taken to write anything; a write that is met makes it so and all threads are executed anew.
//! A read sees the last write that happens before it, if there is no other. That there is no other is known of executions in which a write
//! comes after the reads that lead to it: under models with load buffering nothing of this is used.

use crate::memory::{Cells, Target};
use crate::prove::bytes;
use crate::walk::Walk;
use ir::{FunctionId, ObjectId, Program, Width};
use logic::{Bool, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Who writes a variable once there are several threads, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Nobody,
    /// The only thread that executes this function.
    Thread(FunctionId),
    Several,
}

#[derive(Debug)]
struct Variable {
    width: Width,
    writer: Writer,
    /// What it held when the first other thread began.
    begin: Option<Term>,
}

/// What is known of writers.
#[derive(Debug, Default)]
pub(crate) struct Lasting {
    variables: BTreeMap<(ObjectId, u64), Variable>,
    /// The functions that several threads execute.
    crowds: BTreeSet<FunctionId>,
    /// The functions that were started in this pass.
    started: BTreeSet<FunctionId>,
    /// Whether the first other thread began at places that are passed once, where all that is known then remains true; and what is.
    begun: Option<Bool>,
    /// Whether it may have begun elsewhere.
    unclear: bool,
}

impl Lasting {
    /// All variables that only accesses which name them can reach.
    pub fn new(program: &Program, escaped: &BTreeSet<ObjectId>) -> Self {
        let mut variables = BTreeMap::new();
        for (at, object) in program.objects.iter().enumerate() {
            let id = ObjectId(at as u32);
            if let ([cell], false) = (object.cells.as_slice(), escaped.contains(&id)) {
                variables
                    .insert((id, cell.offset), Variable { width: cell.width, writer: Writer::Nobody, begin: None });
            }
        }
        let mut crowds = BTreeSet::new();
        let mut bodies = BTreeSet::new();
        for thread in &program.threads {
            if !bodies.insert(thread.body) {
                crowds.insert(thread.body);
            }
        }
        Lasting { variables, crowds, ..Lasting::default() }
    }

    /// All threads are executed anew.
    pub fn restart(&mut self, program: &Program) {
        self.started = program.threads.iter().map(|thread| thread.body).collect();
        (self.begun, self.unclear) = (None, false);
        self.variables.values_mut().for_each(|variable| variable.begin = None);
    }

    /// What is known wherever other threads run.
    pub fn condition(&self) -> Bool {
        self.begun.filter(|_| !self.unclear).unwrap_or(Bool::TRUE)
    }
}

impl Walk<'_> {
    /// Whether only the thread that is executed writes there, or nobody.
    pub(crate) fn owns(&self, address: Term, width: Width) -> bool {
        let Target::Exact(object, offset) = self.target(address) else { return false };
        let thread = self.thread;
        self.lasting.variables.get(&(object, offset)).is_some_and(|variable| {
            let own = variable.writer == Writer::Thread(thread) && !self.lasting.crowds.contains(&thread);
            variable.width == width && (own || variable.writer == Writer::Nobody)
        })
    }

    /// What there is at an address for ever, once there are several threads.
    pub(crate) fn frozen(&self, address: Term, width: Width) -> Option<Term> {
        let Target::Exact(object, offset) = self.target(address) else { return None };
        let variable = self.lasting.variables.get(&(object, offset))?;
        let known = variable.width == width && variable.writer == Writer::Nobody && !self.lasting.unclear;
        variable.begin.filter(|_| known)
    }

    /// What a thread that is started knows.
    pub(crate) fn inherited(&mut self) -> Cells {
        let mut cells = Cells::new();
        if self.lasting.unclear {
            return cells;
        }
        let known: Vec<_> =
            self.lasting.variables.iter().filter_map(|(at, v)| Some((*at, v.width, v.begin?))).collect();
        for ((object, offset), width, value) in known {
            let address = self.address(object, offset);
            if self.owns(address, width) {
                cells.insert((address, width), value);
            }
        }
        cells
    }

    /// Of what is known, what remains true beside other threads.
    pub(crate) fn lasting(&self, mut cells: Cells) -> Cells {
        cells.retain(|&(address, width), _| self.owns(address, width));
        cells
    }

    /// Something is written beside other threads.
    pub(crate) fn note_write(&mut self, address: Term, width: Width) {
        if self.quiet {
            return;
        }
        let thread = self.thread;
        let among = match self.target(address) {
            Target::Exact(object, offset) => {
                let near = self.lasting.variables.range_mut((object, 0)..(object, offset + bytes(width)));
                for (&(_, at), variable) in near {
                    let writer = match variable.writer {
                        _ if at + bytes(variable.width) <= offset => continue,
                        Writer::Nobody => Writer::Thread(thread),
                        Writer::Thread(known) if known == thread => continue,
                        Writer::Thread(_) | Writer::Several => Writer::Several,
                    };
                    self.invariant.weakened |= variable.writer != writer;
                    variable.writer = writer;
                }
                return;
            }
            Target::Anywhere(among) => among,
        };
        for (_, variable) in self.lasting.variables.iter_mut().filter(|(at, _)| among.contains(&at.0)) {
            self.invariant.weakened |= variable.writer != Writer::Several;
            variable.writer = Writer::Several;
        }
    }

    /// A thread is started that executes this function.
    pub(crate) fn note_start(&mut self, function: FunctionId) {
        if self.quiet {
            return;
        }
        let first = self.lasting.started.insert(function);
        if !first || self.loops > 0 || self.lasting.crowds.contains(&self.thread) {
            self.invariant.weakened |= self.lasting.crowds.insert(function);
        }
    }

    /// The first other thread may begin, and memory holds this: all that is true then, or perhaps less.
    pub(crate) fn note_begin(&mut self, guard: Bool, cells: Option<&Cells>) {
        let Some(cells) = cells.filter(|_| self.loops == 0) else {
            self.lasting.unclear = true;
            return;
        };
        let again = self.lasting.begun.is_some();
        self.lasting.begun = Some(self.terms.or(self.lasting.begun.unwrap_or(Bool::FALSE), guard));
        let places: Vec<_> = self.lasting.variables.iter().map(|(at, v)| (*at, v.width, v.begin)).collect();
        for ((object, offset), width, before) in places {
            let address = self.address(object, offset);
            let value = cells.get(&(address, width)).copied();
            let value = if again && before != value { None } else { value };
            self.lasting.variables.entry((object, offset)).and_modify(|variable| variable.begin = value);
        }
    }
}

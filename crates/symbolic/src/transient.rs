//! Writes of an iteration that the next one does again before anybody could see them.
//!
//! A thread that pushes to a list sets the link of its new node and tries to swing the head; if that fails, it does both again. The write is a
//! shared one, but as long as no other thread can have the address of the node nobody sees it, and the next iteration overwrites it. So
//! the iteration can be left out like one without effect.
//!
//! That it is so is known where the write is to one cell for certain, in an object that the thread has made itself, and where every way through the
//! iteration comes to the write before any read of the cell: from the same locals the next iteration takes the same way up to there, whatever
//! it reads. An object escapes where its address is written to a shared cell or given to a new thread.

use crate::memory::Place;
use crate::pointers::object_near;
use crate::run::Run;
use crate::state::State;
use crate::structure::Kind;
use ir::life::is_life;
use logic::{Bool, Implications, Term, TermNode};
use rustc_hash::{FxHashMap, FxHashSet};

/// The iteration of a loop that is being executed.
#[derive(Debug)]
pub struct Mark {
    /// The loop's place in [`State::effects`].
    level: usize,
    /// When the iteration begins, if all ways to it are known.
    guard: Option<Bool>,
    /// How many events there were when it began.
    events: usize,
    /// The objects that it writes as the next one does.
    objects: Vec<u32>,
}

/// What a thread knows of the objects that it has made.
#[derive(Debug, Default)]
pub struct Own {
    /// For each object when its address was given away.
    escapes: FxHashMap<u32, Vec<Bool>>,
    /// The iterations of loops, the innermost last.
    rounds: Vec<Mark>,
}

impl Run<'_> {
    /// The thread has made an object.
    pub(crate) fn own(&mut self, object: u32) {
        if self.published {
            self.current.own.escapes.entry(object).or_default();
        }
    }

    /// Somebody else may get to know this value. What was read from a shared cell is no news: an address is in one only if it has escaped before.
    pub(crate) fn escape(&mut self, value: Term, when: Bool) {
        let (terms, escapes) = (&self.structure.terms, &mut self.current.own.escapes);
        if escapes.is_empty() {
            return;
        }
        let (mut open, mut seen) = (vec![value], FxHashSet::default());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match terms.node(term) {
                TermNode::Const(bits) => {
                    if let Some(known) = object_near(bits).and_then(|object| escapes.get_mut(&object)) {
                        known.push(when);
                    }
                }
                TermNode::Var(_) => {}
                TermNode::Ite(_, then, otherwise) => open.extend([then, otherwise]),
                TermNode::Unary(_, operand) => open.push(operand),
                TermNode::Binary(_, left, right) => open.extend([left, right]),
            }
        }
    }

    /// An iteration of a loop begins.
    pub(crate) fn begin_mark(&mut self, level: usize, guard: Option<Bool>) {
        let events = self.structure.events.len();
        self.current.own.rounds.push(Mark { level, guard, events, objects: Vec::new() });
    }

    /// It is over.
    pub(crate) fn end_mark(&mut self) {
        self.current.own.rounds.pop();
    }

    /// Whether the next iteration of the innermost loop writes here before anybody could see it, unless the object has escaped by then.
    pub(crate) fn is_written_again(&mut self, state: &State, at: &Place) -> bool {
        let asked = self.settings.waits || self.settings.spins || self.settings.races || self.settings.finals;
        let [cell] = at.cells[..] else { return false };
        let known = self.structure.terms.as_const(at.address).is_some() && at.parts.is_empty();
        let Some(mark) = self.current.own.rounds.last() else { return false };
        let every_time = mark.level + 1 == state.effects.len() && mark.guard == Some(state.guard);
        let own = self.current.own.escapes.contains_key(&cell.object.0) && !is_life(cell.offset);
        if asked || !known || !every_time || !own {
            return false;
        }
        let here = self.knowledge.shared[&cell];
        let thread = Some(self.current.id);
        let reads = self.structure.events[mark.events..]
            .iter()
            .any(|event| event.thread == thread && event.kind == Kind::Read && event.candidates.contains(&here));
        if let Some(mark) = self.current.own.rounds.last_mut().filter(|_| !reads) {
            mark.objects.push(cell.object.0);
        }
        !reads
    }

    /// Whether what the iteration wrote and the next one writes again has not been seen where the state is.
    pub(crate) fn is_hidden(&self, state: &State) -> bool {
        let own = &self.current.own;
        let mut implications = Implications::new();
        let objects = own.rounds.last().into_iter().flat_map(|mark| &mark.objects);
        let mut escapes = objects.filter_map(|object| own.escapes.get(object)).flatten();
        escapes.all(|&when| implications.holds(&self.structure.terms, state.guard, !when))
    }
}

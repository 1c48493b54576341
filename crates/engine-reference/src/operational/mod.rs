//! Exhaustive search over the states of a machine with store buffers.
//!
//! # The method
//! A state is, for each thread, the functions it is in, with their locals, its reservation and its buffer, and the memory:
//! objects with cells, some of them made on the way. A thread that begins alone runs without buffers until it publishes; an
//! assertion that fails before that needs no other thread. Objects that one thread uses only are not worth a step, unless
//! they are declared to be shared: all others are taken for such at first, and the search begins anew whenever one turns
//! out to be shared. All states are visited once. A path to what was asked for is gone again with a history, to show it as
//! an execution.
//!
//! Starting a thread, ending one, locked instructions and atomic sections wait until the thread's buffer is empty. A
//! section whose assumption does not hold is not possible now; it may be later.
//!
//! # What it can miss
//! Nothing, within the bound on loops, for models whose head describes their buffers: none (SC), one queue per thread
//! (TSO), one per thread and location (PSO). Choices among more than 2^8 values are tried for a few values only, unless
//! these stand for all; then the engine gives up unless it finds what it was asked for. Cells are cut where accesses want
//! it, and the search begins anew; an entry of a buffer covers several cells and reaches memory at once, and a read takes each cell
//! from the newest entry that has it. Misaligned accesses to shared memory are beyond it. It counts states, not executions: final states have a count of 0 and no example.

mod access;
mod choice;
mod control;
mod history;
mod machine;
mod search;
mod state;

use crate::layout::gave_up;
use engine::{Answer, Engine, NoAnswer, Observer, Property, Question, Refusal, Task};

/// The engine `buffers`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Operational;

impl Engine for Operational {
    fn name(&self) -> &'static str {
        "buffers"
    }

    fn about(&self) -> &'static str {
        "explicit search over store buffers (SC, TSO, PSO): slow, the judge"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        if matches!(task.question, Question::Violation(Property::Progress)) {
            let reason = "the engine `buffers` does not look for loops that spin";
            return Err(Refusal::new(reason, "use the engine `partial-order`"));
        }
        match task.model.head.buffers {
            Some(_) => Ok(()),
            None => Err(Refusal {
                reason: format!("the model {} has no reading with store buffers", task.model.name),
                help: "use the engine `enumerate`, or a model with `@buffers` in its head".to_owned(),
            }),
        }
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        match task.model.head.buffers {
            Some(buffers) => search::search(task, buffers, observer),
            None => gave_up("the model has no reading with store buffers"),
        }
    }
}

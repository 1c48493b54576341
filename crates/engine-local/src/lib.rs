//! Proofs that look at one thread at a time.
//!
//! # The method
//! Each thread is executed symbolically by itself, and what it reads from memory can be nearly anything. Functions are executed where they
//! are called. A loop is executed once, from a state in which the locals that it changes can be anything but what
//! candidates of an invariant say that hold at its beginning and are kept by it: the local is at least, or at most, what it was before the loop
//! (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", FME 2001). What nobody else can write at the moment is known as long as that is so: all
//! of memory before other threads exist, what an atomic section has read and written, and variables that no other thread writes at all
//! (`lasting.rs`). Bounds of variables that every write of every thread keeps
//! hold of whatever is read, under models without load buffering (`invariant.rs`). Each assertion is one question
//! to the solver. What holds whatever others do holds under every memory model, for any number of threads and iterations. Most that
//! C asks of single operations is of this kind: that an index is inside its array, that a sum does not overflow.
//!
//! # How it deviates
//! The addresses of objects are variables that are not null: nothing else is known of them.
//!
//! # What it can miss
//! It never finds a violation. Where one assertion depends on what others do, or on an invariant that is no bound, it gives up.

mod frame;
mod invariant;
mod lasting;
mod memory;
mod prove;
mod walk;

use engine::{Answer, Declared, Engine, Findings, Guarantee, NoAnswer, Observer, Property, Question, Refusal, Task};
use walk::Walk;

/// The engine `local`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local;

impl Engine for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn about(&self) -> &'static str {
        "proofs that look at one thread at a time, whatever the others do (any model); finds no violations"
    }

    fn options(&self) -> Vec<Declared> {
        Vec::new()
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Refusal> {
        match task.question {
            Question::Violation(Property::Assertions { memory: _ }) if task.program.is_c() => Ok(()),
            Question::Violation(_) | Question::Reach(_) | Question::States => Err(Refusal::new(
                "the engine `local` proves assertions of C programs only",
                "use the engine `partial-order`",
            )),
        }
    }

    fn run(&self, task: &Task<'_>, observer: &dyn Observer) -> Result<Answer, NoAnswer> {
        let Question::Violation(Property::Assertions { memory }) = task.question else {
            return Err(NoAnswer::GaveUp("the engine `local` does not take this task".to_owned()));
        };
        let mut walk = Walk::new(task.program, task.model, memory, observer);
        walk.program()?;
        let statistics = vec![("questions".to_owned(), walk.questions())];
        Ok(Answer { findings: Findings::Reach(vec![None]), guarantee: Guarantee::FULL, statistics })
    }
}

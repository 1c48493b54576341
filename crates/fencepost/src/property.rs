//! What can go wrong in a C program.

use front_c::{Checks, Leaks};

/// What can go wrong in a C program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Property {
    /// Assertions can fail, accesses can go to no object or to one whose lifetime has ended, and shifts can be too far.
    #[default]
    Safety,
    /// Assertions can fail; a thread that accesses no object just stops.
    Assert,
    /// All threads that have not ended can wait for ever.
    Deadlock,
    /// The same, where a thread that goes round a loop for ever without any effect waits, too.
    Progress,
    /// Two accesses to one location, one a write and one not atomic, can come in no order.
    Race,
    /// Signed integers can overflow.
    Overflow,
    /// Memory can be left that was allocated, not freed, and that nothing points to when the program ends.
    MemoryLeak,
}

impl Property {
    /// The property as a sentence that holds for a safe program.
    pub fn sentence(self) -> &'static str {
        match self {
            Property::Safety => {
                "No assertion fails, every access goes to an object that lives, and no shift is too far."
            }
            Property::Assert => "No assertion fails.",
            Property::Deadlock => "At no time all threads that have not ended wait for ever.",
            Property::Progress => {
                "At no time all threads that have not ended wait or go round a loop in vain for ever."
            }
            Property::Race => "There is no data race.",
            Property::Overflow => "No signed integer overflows.",
            Property::MemoryLeak => "No memory is lost that was allocated and not freed.",
        }
    }

    /// What the front end makes assertions of.
    #[doc(hidden)]
    pub fn checks(self) -> Checks {
        let none = Checks::default();
        match self {
            Property::Safety => Checks { lifetimes: true, shifts: true, ..none },
            Property::Overflow => Checks { overflow: true, only: true, ..none },
            Property::MemoryLeak => Checks { leaks: Leaks::Lost, only: true, ..none },
            Property::Assert | Property::Deadlock | Property::Race => none,
            Property::Progress => Checks { fair: true, ..none },
        }
    }

    /// Whether an assertion of the program that fails just ends the path.
    #[doc(hidden)]
    pub fn ignores_assertions(self) -> bool {
        matches!(self, Property::Overflow | Property::MemoryLeak)
    }

    /// What an engine is asked.
    #[doc(hidden)]
    pub fn asked(self) -> engine::Property {
        match self {
            Property::Safety => engine::Property::Assertions { memory: true },
            Property::Assert | Property::Overflow | Property::MemoryLeak => {
                engine::Property::Assertions { memory: false }
            }
            Property::Deadlock => engine::Property::Deadlock,
            Property::Progress => engine::Property::Progress,
            Property::Race => engine::Property::Race,
        }
    }
}

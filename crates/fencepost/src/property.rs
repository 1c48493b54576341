//! What can go wrong in a C program.

use front_c::{Checks, Leaks};

/// What can go wrong in a C program.
///
/// [`Property::ALL`] lists them with their names, [`Property::about`] says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Property {
    /// Assertions, and what makes accesses and shifts undefined.
    #[default]
    Safety,
    /// Assertions alone.
    Assert,
    /// Threads that wait for each other.
    Deadlock,
    /// Threads that wait for each other, also in loops.
    Progress,
    /// Data races.
    Race,
    /// Overflows of signed integers.
    Overflow,
    /// Memory that is lost.
    MemoryLeak,
}

impl Property {
    /// All properties, the default first.
    pub const ALL: &'static [Property] = &[
        Property::Safety,
        Property::Assert,
        Property::Deadlock,
        Property::Progress,
        Property::Race,
        Property::Overflow,
        Property::MemoryLeak,
    ];

    /// The name that `--property` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Property::Safety => "safety",
            Property::Assert => "assert",
            Property::Deadlock => "deadlock",
            Property::Progress => "progress",
            Property::Race => "race",
            Property::Overflow => "overflow",
            Property::MemoryLeak => "memory-leak",
        }
    }

    /// The property of a name.
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.iter().copied().find(|property| property.name() == name)
    }

    /// What goes wrong in an unsafe program.
    pub fn about(self) -> &'static str {
        match self {
            Property::Safety => {
                "Assertions can fail, accesses can go to no object or to one whose lifetime has ended, and shifts can be too far"
            }
            Property::Assert => "Assertions can fail; a thread that accesses no object just stops",
            Property::Deadlock => "All threads that have not ended can wait for ever",
            Property::Progress => {
                "The same, where a thread that goes round a loop for ever without any effect waits, too"
            }
            Property::Race => "Two accesses to one location, one a write and one not atomic, can come in no order",
            Property::Overflow => "Signed integers can overflow",
            Property::MemoryLeak => {
                "Memory can be left that was allocated, not freed, and that nothing points to when the program ends"
            }
        }
    }

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

//! Failures that no program asserts: what assertions are called that front ends put before operations without a meaning.

/// An object is used after its end.
pub const ENDED: &str = "an access to an object whose lifetime has ended";
/// A block is freed again.
pub const TWICE: &str = "free of memory that was freed before";
/// What is freed is no block.
pub const FOREIGN: &str = "free of memory that was not allocated";
/// What is freed is not the beginning of a block.
pub const INSIDE: &str = "free of an address inside a block, not of its beginning";
/// A block is left.
pub const LEAK: &str = "memory that was allocated is left when the program ends";
/// Arithmetic.
pub const OVERFLOW: &str = "a signed integer overflows";
/// An object is written that was declared to be constant.
pub const CONSTANT: &str = "a write to a constant object";
/// Shifts.
pub const SHIFT: &str = "a shift by a negative number, or by as many bits as the number has, or more";
/// Arguments after `...`.
pub const ARGUMENT: &str = "an argument is taken with a type that it does not have";

/// Whether this is the name of such a failure, and no assertion of the program.
pub fn is_fault(message: &str) -> bool {
    [ENDED, TWICE, FOREIGN, INSIDE, LEAK, OVERFLOW, CONSTANT, SHIFT, ARGUMENT].contains(&message)
}

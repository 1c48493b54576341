//! The front end for C programs: preprocessed text in, [`ir::Program`] out.
//!
//! The text is parsed (`c-syntax`; `text` leads from its places to the user's), and what is reachable from `main` is
//! lowered function by function (`lower`). What the C library does is in `builtins`, partly as code, partly as C
//! text of our own that is lowered like the user's.
//!
//! # What it decides
//!
//! * Expressions are evaluated from left to right; each access to a variable in memory is one load or store.
//! * Pointers take 8 bytes in every data model. Otherwise the layout is gcc's on x86-64, with `packed`, `aligned` and
//!   `#pragma pack`; `long double` takes 16 bytes and has the values of `double`. Neighbouring bit-fields share a cell.
//! * A scalar variable whose address is never taken is a local of the function, and so is each scalar of a structure or
//!   array that is only accessed at constant places. All other variables are objects in memory.
//! * A call through a pointer that points to no function of a matching type ends the path.
//! * A variable that is declared and not defined holds any value at first.
//! * Floating-point values are kept, computing with them gives any value, and deciding anything by them is refused.
#![allow(clippy::wildcard_enum_match_arm, reason = "what is not known of the C language is refused")]

mod builtins;
mod compatible;
mod layout;
mod lower;
mod text;
mod types;

pub use text::{named_files, with_anchors};

use source::{Diagnostic, SourceFile};

/// How to read a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The function that the program begins with, if it is not `main`; its arguments can be anything.
    pub entry: Option<String>,
    /// Whether `long` has 32 bits.
    pub ilp32: bool,
    /// Whether only `reach_error` and `__VERIFIER_error` count as the property; an assertion that fails just stops.
    pub competition: bool,
    /// What can go wrong besides assertions.
    pub checks: Checks,
    /// Whether to say where in the text a fence could be put in (see [`ir::Program::seams`]).
    pub seams: bool,
    /// Whether, besides, accesses that are not atomic are sites (see [`ir::Program::sites`]): they could be made atomic.
    pub non_atomic: bool,
}

/// What can go wrong in a program besides assertions and accesses to no object. Each becomes assertions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checks {
    /// Uses of objects that were freed or whose function has ended, and what must not be freed.
    pub lifetimes: bool,
    /// With these: accesses to an object whose beginning does not happen before them, for models that know data races.
    pub begins: bool,
    /// Shifts by negative numbers and by too many bits, and arguments after `...` that are taken with another type.
    pub shifts: bool,
    /// Results of signed arithmetic that their type does not have.
    pub overflow: bool,
    /// Memory that is still allocated when the program ends.
    pub leaks: Leaks,
    /// For models whose writes may overtake each other: zeros of new memory are writes of the thread that asked for it.
    pub zeros: bool,
    /// Whether it is asked if a loop can spin for ever: what may fail for no reason does so by a choice of its own.
    pub fair: bool,
    /// Whether even `reach_error` and `__VERIFIER_error` only end the path.
    pub only: bool,
}

/// Which memory must not be left when the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leaks {
    /// It may be.
    #[default]
    Allowed,
    /// What nothing points to any more.
    Lost,
    /// All that was allocated.
    Any,
}

/// The part of memory safety that a failure with this message violates, as SV-COMP calls it.
pub fn memory_property(message: &str) -> &'static str {
    match message {
        ir::faults::TWICE | ir::faults::FOREIGN | ir::faults::INSIDE => "valid-free",
        ir::faults::LEAK => "valid-memtrack",
        _ => "valid-deref",
    }
}

/// Reads a C program.
///
/// `file` is the user's own text, with the files that it includes. `preprocessed` is what a preprocessor made of it, with
/// line markers; without it, the file is taken as it is. Of a file that a marker names and that is not there, the line
/// counts that includes it.
///
/// # Errors
/// When the text is no C program, or what is reachable from `main` uses something that is not supported.
pub fn parse(file: &SourceFile, preprocessed: Option<&str>, options: &Options) -> Result<ir::Program, Diagnostic> {
    let unit = Unit { name: file.name().to_owned(), preprocessed: preprocessed.map(str::to_owned) };
    parse_units(file, &[unit], options)
}

/// A translation unit: one of the user's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The name of the file.
    pub name: String,
    /// What a preprocessor made of it, with line markers; without it, the file is taken as it is.
    pub preprocessed: Option<String>,
}

/// Reads a C program of several translation units, and links them. Their files are all in `file`.
///
/// # Errors
/// As [`parse`], or when the units do not fit together.
pub fn parse_units(file: &SourceFile, units: &[Unit], options: &Options) -> Result<ir::Program, Diagnostic> {
    lower::program(file, units, options)
}

/// The headers that stand in for those of a system that has none: name and text. Those in the folder `first` come before the
/// system's.
pub fn headers() -> &'static [(&'static str, &'static str)] {
    builtins::headers()
}

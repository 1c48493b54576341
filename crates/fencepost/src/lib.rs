#![doc = include_str!("../README.md")]
//!
//! # What a verdict means
//!
//! [`Verdict::Safe`] without bounds is a proof for all executions; with bounds it is a proof for the executions within these, and each bound says what
//! it leaves out. Behind [`Verdict::Unsafe`] there is an execution that was replayed by a checker which shares no code with the search.
//! [`Verdict::Unknown`] says why nothing is known. What cannot be modelled is an [`Error`] that names the construct, its place and a way
//! round it, never a verdict. The assumptions behind all of them are in SOUNDNESS.md of the repository.
//!
//! # More than a name and a text
//!
//! [`Check`] has the settings: the property of a C program, the engine, bounds, a time limit, a model of your own.
//!
//! ```
//! use fencepost::{Check, Property, Source};
//!
//! let program = Source::new(
//!     "race.i",
//!     "int x;
//!      void *set(void *a) { x = 1; return a; }
//!      int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
//!      int main(void) { unsigned long t; pthread_create(&t, 0, set, 0); return x; }",
//! );
//! let report = Check::new("sc").property(Property::Race).run(&program)?;
//! assert_eq!(report.line(), "UNSAFE");
//! # Ok::<(), fencepost::Error>(())
//! ```

pub mod case;
mod check;
mod error;
pub mod preprocess;
mod property;
mod result;
mod text;

pub use check::Check;
pub use error::Error;
pub use property::Property;
pub use result::{Bound, Report, Verdict};
pub use text::Source;

/// Can the program go wrong under the model of this name? For a litmus test: can its condition be reached (`exists`) or violated
/// (`forall`)? For a C program: can an assertion fail, or an access go to no object? For a system: can a bad state be reached?
///
/// # Errors
/// Why there is no verdict: the text is wrong or not supported, there is no such model, or it is not about such programs.
pub fn check(source: &Source, model: &str) -> Result<Report, Error> {
    Check::new(model).run(source)
}

/// The names of the memory models that come along and what they are, from strong to weak.
pub fn models() -> Vec<(String, String)> {
    session::models().into_iter().map(|model| (model.name, model.title)).collect()
}

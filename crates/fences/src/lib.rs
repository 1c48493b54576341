//! The fewest fences that make a program safe, as a patch of its text.
//!
//! # Method
//! An implicit hitting set. The program gets an inert mark at each place where its text has room for a fence, so that
//! an execution shows which of these places it passed. From an execution that goes wrong we learn what every repair must
//! contain: fences are added to it one by one as long as the model still allows it; one of those that are left out must
//! be there. The cheapest set that satisfies all that was learnt is tried next. If the program is safe with it, no
//! cheaper one is; if not, there is a new execution to learn from. Nothing of this depends on how the verdict is
//! found: whoever implements [`Oracle`] can be asked.
//!
//! Memory orders go the same way. An access or a fence of the text whose order could be another one is a site ([`ir::Site`]); its
//! events carry a mark, so an execution can be looked at as if the site had another order: only tags and fences change. A choice is an
//! order at a site or a fence at a place, stronger orders satisfy what weaker ones satisfy, and one search finds the cheapest
//! of all. To weaken a program is to begin with the weakest orders. Several models are several machines that all have to be satisfied.
//!
//! Most tries are wrong. Where somebody can look for executions with all choices left open ([`Probe`]), a wrong try costs a question to
//! a solver that knows the program already, and only what it finds nothing wrong with is checked as a program of its own.
//!
//! # Sources
//! The question, and that all minimal placements are wanted, are from Abdulla, Atig, Chen, Leonardsson and Rezine,
//! "Counter-Example Guided Fence Insertion under TSO" (TACAS 2012) and from Kuperstein, Vechev and Yahav, "Partial-Coherence
//! Abstractions for Relaxed Memory Models" (PLDI 2011), whose ordering constraints are what [`Fence::orders`] says. We learn
//! from executions and the axioms of the model instead of from labels in the states of a search.
//!
//! # What it can miss
//! It puts fences between statements of the user's own text: not into expressions, macros and headers. A placement is as
//! good as the oracle's verdict about it. That fences and stronger orders only forbid executions, and never allow new ones, is taken for
//! granted; a placement is checked in any case, so a model for which this is not so costs minimality, not safety.

mod hitting;
mod infer;
mod kinds;
mod learn;
mod orders;
mod patch;
mod placement;
mod places;
mod probes;
mod seams;

pub use hitting::{Blocked, Hit, Hitting};
pub use infer::{Checked, End, Inference, Options, Oracle, infer};
pub use kinds::{Costs, Kind, Spelling, spellings, told_apart};
pub use orders::Change;
pub use patch::{Patch, insert, patch};
pub use placement::{Fence, OrderChange, Placement, Reason};
pub use places::Lines;
pub use probes::Probe;
pub use seams::{unmarked, useful, with_fences};

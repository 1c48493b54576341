//! Random C programs as text, smaller variants of such a text, and what it means that engines agree about one.
//!
//! The programs need no preprocessor: what they use they declare. They are small in every way, because the judge looks at
//! every state: few threads, few accesses, small values, and loops whose number of iterations constants decide or which
//! only wait.

mod agree;
mod body;
mod checksum;
mod cycle;
mod endless;
mod extra;
mod generate;
mod library;
mod place;
mod sequential;
mod shrink;

pub use agree::{Answer, Complaint, Tally, Way, agree, can_deadlock, grows_beyond_buffers};
pub use checksum::{claim, for_compilers};
pub use endless::endless;
pub use generate::{Config, generate};
pub use sequential::sequential;
pub use shrink::shrink;

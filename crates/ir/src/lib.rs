//! The program representation that every front end writes and every engine reads.
//!
//! A [`Program`] has shared [`Object`]s, threads, and a [`Function`] per thread body. A function is a control-flow graph
//! of [`Block`]s. A memory access is an instruction with an address expression, a value and tags; an address is an
//! object plus a byte offset, and every cell of an object is a location of its own. Values are bit-vectors.
//!
//! Expressions keep the syntactic shape of the source: `xor r3,r1,r1` stays an exclusive or of two reads of `r1`, since
//! dependencies are computed from what an expression mentions, not from its value.

mod condition;
pub mod domain;
mod eval;
mod expr;
pub mod faults;
pub mod life;
pub mod liveness;
pub mod numbers;
mod op;
mod params;
mod print;
mod program;
mod site;
mod usage;
mod validate;

pub use condition::{Atom, Comparison, Condition, Location, Proposition, Quantifier, State};
pub use eval::{eval, eval_binary, eval_unary, sign_extend, truncate};
pub use expr::{BinaryOp, Expr, UnaryOp, Width};
pub use op::{Op, Operands, Status, System};
pub use program::{
    Address, Block, BlockId, Cell, DIVISION, Function, FunctionId, Instr, Local, LocalId, Object, ObjectId, Place,
    Program, Seam, Shape, TagId, TagSet, Terminator, Thread, ThreadId,
};
pub use site::{MemoryOrder, Site, kernel, pointer};
pub use usage::Usage;
pub use validate::{Invalid, validate};

//! All tests of the command line, in one binary: what they are linked with is large.

mod common;

mod book;
mod c_bad_input;
mod c_crowd;
mod c_integers;
mod c_mutex;
mod c_shared;
mod coherence;
mod compiler;
mod corpus;
mod cubes;
mod emit;
mod exact_shared;
mod fences;
mod inspect;
mod lsp;
mod mutants;
mod pages;
mod places;
mod project;
mod sequential;
mod serve;
mod shared;
mod systems;
mod systems_mutants;
mod ui;
mod weaken;

//! All tests of the pipeline, in one binary: what they are linked with is large.

mod agreement;
mod c_agreement;
mod certificate;
mod common;
mod crowd;
mod fences;
mod heap;
mod kernel;
mod lazy;
mod linearisations;
mod local;
mod orders;
mod predicate;
mod progress;
mod races;
mod sections;
mod strategy;
mod symmetry;

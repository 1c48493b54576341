//! The front end for litmus tests of herd's format.

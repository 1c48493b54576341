//! Bounded model checking with partial orders.

//! Symbolic execution of a program into guarded events.

//! Terms, bit-blasting, SAT and the ordering theory.

//! What every engine must do.

testkit::conformance!(engine_coherence::Coherence, "coherence", programs: ["sc", "tso", "pso"]);

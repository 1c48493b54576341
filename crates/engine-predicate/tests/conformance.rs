//! What every engine must do.

testkit::conformance!(engine_predicate::Predicate, "predicate", programs: ["sc", "tso", "pso"]);

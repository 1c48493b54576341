//! What every engine must do.

testkit::conformance!(engine_lazy::Lazy, "lazy", reach: ["sc", "tso", "pso"], programs: ["sc", "tso", "pso"]);

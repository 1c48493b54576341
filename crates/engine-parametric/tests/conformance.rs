//! What every engine must do.

testkit::conformance!(engine_parametric::Parametric, "parametric", systems: ["sc", "tso", "pso"]);

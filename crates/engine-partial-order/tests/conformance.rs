//! What every engine must do.

testkit::conformance!(engine_partial_order::PartialOrder, "partial-order", states: ["sc", "tso", "pso", "rmo", "alpha", "power-frame"], reach: ["sc", "tso", "pso", "rmo", "alpha", "power-frame"], programs: ["sc", "tso", "pso", "rmo", "alpha", "power-frame"]);

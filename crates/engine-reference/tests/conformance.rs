//! What every engine must do: the judges judge each other.

mod enumerate {
    testkit::conformance!(engine_reference::Axiomatic, "enumerate", states: ["sc", "tso", "pso", "rmo", "alpha", "power-frame"], reach: ["sc", "tso", "pso", "rmo", "alpha", "power-frame"]);
}

mod buffers {
    testkit::conformance!(engine_reference::Operational, "buffers", states: ["sc", "tso", "pso"], reach: ["sc", "tso", "pso"], programs: ["sc", "tso", "pso"]);
}

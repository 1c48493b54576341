//! What every engine must do.

testkit::conformance!(
    engine_lazy::Lazy,
    "lazy",
    reach: ["sc", "tso", "pso"],
    gives_up_on: ["reservations", "no locked instruction"],
    programs: ["sc", "tso", "pso"]
);

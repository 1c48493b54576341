//! What every engine must do.

testkit::conformance!(
    engine_lazy::Lazy,
    "lazy",
    reach: ["sc", "tso", "pso"],
    gives_up_on: "reservations",
    programs: ["sc", "tso", "pso"]
);

//! The registries and the pipeline: load, choose, run, check, report.

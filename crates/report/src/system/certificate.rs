//! Why a system is safe, as a file: the cubes whose complement is an inductive invariant.

use super::{SystemCase, clean};
use crate::json::SCHEMA;
use serde::Serialize;
use system::certificate::{Certificate, Cube};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    about: &'static str,
    file: &'a str,
    model: &'a str,
    assumed: Vec<u32>,
    cubes: Vec<CubeDocument>,
}

/// A cube as data.
#[derive(Serialize)]
pub(super) struct CubeDocument {
    processes: u8,
    conditions: Vec<String>,
    reads: Vec<ReadDocument>,
}

#[derive(Serialize)]
struct ReadDocument {
    name: String,
    process: String,
    order: Vec<String>,
}

const ABOUT: &str = "No initial state is in a cube, every bad state is, and no transition leads into one from outside. \
                     A cube holds if some distinct processes #1, #2, … satisfy all its conditions; \
                     p @ X is what a read of p still to come will see.";

/// The cube in words.
pub(super) fn cube(case: &SystemCase<'_>, cube: &Cube) -> CubeDocument {
    let reads = cube.reads.iter().enumerate().map(|(at, read)| ReadDocument {
        name: format!("r{}", at + 1),
        process: format!("#{}", read.process + 1),
        order: read.order(case.system).iter().map(|words| clean(words)).collect(),
    });
    let conditions = cube.conditions.iter().map(|condition| clean(&cube.condition(case.system, condition)));
    CubeDocument { processes: cube.processes, conditions: conditions.collect(), reads: reads.collect() }
}

/// The certificate for a file.
pub fn certificate(case: &SystemCase<'_>, certificate: &Certificate) -> String {
    let document = Document {
        schema: SCHEMA,
        kind: "system-certificate",
        about: ABOUT,
        file: case.system.file.name(),
        model: &case.model.model.name,
        assumed: case.system.invariants.iter().map(|invariant| case.system.file.line(invariant.span)).collect(),
        cubes: certificate.cubes.iter().map(|of| cube(case, of)).collect(),
    };
    super::json::pretty(&document)
}

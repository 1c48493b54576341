//! Verdicts and executions as text, JSON, CSV, herd's block, dot, SVG, HTML, litmus tests and witnesses for SV-COMP.
//!
//! Everything here is a pure function from the plain data of [`data`] to a `String`. Nothing is read, written or
//! printed. One file per format; a new format is a new file.

pub mod certificate;
pub mod csv;
pub mod data;
pub mod dot;
mod fold;
mod graph;
pub mod herd;
pub mod html;
pub mod json;
pub mod litmus;
mod names;
pub mod replay;
mod route;
pub mod run;
pub mod story;
pub mod svcomp;
pub mod svg;
pub mod system;
pub mod text;

pub use data::{
    Case, Edge, EventKind, Explanation, Facts, FenceRow, Graph, GraphEvent, Kind, LineOf, ModelName, ModelRow,
    ModelTable, Observation, OrderRow, PlacementRow, ReasonRow, Refuted, Repair, RepairEnd, StateTable, Step, Why,
};

//! C: functions `P0`, `P1`… over pointers to shared locations.

mod ast;
mod lex;
mod library;
mod linux;
mod lower;
mod parse;
mod untyped;

use crate::build::Build;
use crate::init::{Item, Type};
use crate::state::LocationName;
use ir::Width;
use source::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;

pub(crate) use ast::base_type;
pub(crate) use lex::skip_comment;

/// In C every name can be a variable.
pub(crate) fn register(name: &str) -> Option<String> {
    Some(name.to_owned())
}

/// Reads the functions and adds a thread for each.
pub(crate) fn parse(build: &mut Build<'_>, range: Range<usize>, items: &[Item<'_>]) -> Result<(), Diagnostic> {
    let file = build.file;
    let tokens = lex::tokens(file, range.clone())?;
    let mut functions = parse::functions(file, &tokens, &range)?;
    let addresses = untyped::Addresses::new(items, &functions);
    let params = functions.iter_mut().flat_map(|function| &mut function.params);
    for param in params.filter(|param| param.ty.depth == 1 && addresses.holds(param.name)) {
        param.ty = param.ty.pointer();
    }
    let mut pointees: HashMap<&str, Width> = HashMap::new();
    for param in functions.iter().flat_map(|function| &function.params) {
        pointees.entry(param.name).or_insert(param.ty.pointee().width());
    }
    build.initialise(items, |item| match (item.ty, item.place) {
        (Type::None, LocationName::Memory(name)) => pointees.get(name).copied().unwrap_or(Width::INT),
        (ty, _) => Width::new(8 * ty.element_size() as u8),
    });
    let initial = build.registers_by_thread(items, functions.len())?;
    build.lines = functions.iter().map(|function| vec![function.printed.clone()]).collect();
    for (thread, function) in functions.iter().enumerate() {
        lower::function(build, thread, function, &initial[thread])?;
    }
    Ok(())
}

/// Tags that only the kernel's operations carry.
pub(crate) const LINUX_TAGS: &[&str] = &[
    "ONCE",
    "ACQUIRE",
    "RELEASE",
    "NORETURN",
    "RMW",
    "MB",
    "RMB",
    "WMB",
    "BEFORE-ATOMIC",
    "AFTER-ATOMIC",
    "AFTER-SPINLOCK",
    "AFTER-UNLOCK-LOCK",
    "AFTER-SRCU-READ-UNLOCK",
    "BARRIER",
    "LKR",
    "UL",
    "IS-LOCKED",
    "RCU-LOCK",
    "RCU-UNLOCK",
    "SYNC-RCU",
    "SRCU-LOCK",
    "SRCU-UNLOCK",
    "SYNC-SRCU",
];

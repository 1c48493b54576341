//! herd's hash of a test: the MD5 of the MD5s of the initial state, the code and the observed locations.
//!
//! Two tests with the same hash are the same test to herd and to litmus, which refuse to compare logs of different ones.

use crate::condition::Final;
use crate::init::{Item, Type};
use crate::state::LocationName;
use std::fmt::Write;

/// The hash in hexadecimal. `columns` holds, per thread, the lines of its code as herd prints them.
pub(crate) fn hash(items: &[Item<'_>], columns: &[Vec<String>], end: &Final<'_>) -> String {
    let mut all = Vec::with_capacity(48);
    all.extend_from_slice(&md5::compute(initial_state(items)).0);
    all.extend_from_slice(&md5::compute(code(columns)).0);
    all.extend_from_slice(&md5::compute(observed(end)).0);
    format!("{:x}", md5::compute(all))
}

fn initial_state(items: &[Item<'_>]) -> String {
    let mut sorted: Vec<&Item<'_>> = items.iter().collect();
    sorted.sort_by(|a, b| a.place.order(&b.place));
    let mut out = String::new();
    for item in sorted {
        if !out.is_empty() {
            out.push_str("; ");
        }
        let place = item.place;
        let _ = match item.ty {
            Type::None => write!(out, "{place}="),
            Type::Plain(ty) => write!(out, "{ty} {place}="),
            Type::Atomic(ty) => write!(out, "_Atomic {ty} {place}="),
            Type::Pointer("") => write!(out, "*{place}="),
            Type::Pointer(ty) => write!(out, "{ty} *{place}="),
            Type::Array(ty, size) => write!(out, "{ty} {place}[{size}]"),
        };
        if let (Some(value), false) = (item.values.first(), matches!(item.ty, Type::Array(..))) {
            let _ = write!(out, "{value}");
        }
    }
    out
}

/// The code in columns, padded to the widest line of each thread.
fn code(columns: &[Vec<String>]) -> String {
    let widths: Vec<usize> = columns.iter().map(|lines| lines.iter().map(String::len).max().unwrap_or(0)).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for row in 0..rows {
        for (at, (lines, width)) in columns.iter().zip(&widths).enumerate() {
            if at > 0 {
                out.push('|');
            }
            let line = lines.get(row).map_or("", String::as_str);
            out.push(' ');
            out.push_str(line);
            out.extend(std::iter::repeat_n(' ', width - line.len() + 1));
        }
        out.push_str(";\n");
    }
    out
}

fn observed(end: &Final<'_>) -> String {
    let mut places: Vec<LocationName<'_>> = end.locations.iter().map(|&(place, _)| place).collect();
    end.proposition.for_each_place(&mut |place| places.push(place));
    places.sort_by(LocationName::order);
    places.dedup();
    let mut out = String::new();
    for place in places {
        if !out.is_empty() {
            out.push_str("; ");
        }
        let _ = write!(out, "{place}");
    }
    out
}

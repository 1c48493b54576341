//! The block that herd7 prints for a test, byte for byte except for the time.
//!
//! Counts are executions. A run that a bound on loops cut short is not counted but makes the answer begin with `Loop`.

use crate::data::{Kind, StateTable};
use engine::UNDEFINED;
use ir::{Address, Comparison, Condition, Location, Program, Proposition, Quantifier, State};
use std::cmp::Ordering;
use std::fmt::Write;

/// The order of registers that herd's X86 has; other architectures number theirs or sort by name.
const X86_REGISTERS: [&str; 12] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP", "EIP", "ZF", "SF", "CF"];

/// A key that sorts locations as herd does: registers by thread and number, then memory by name.
pub(crate) fn location_key(program: &Program, location: Location) -> (u32, u64, String, u64) {
    match location {
        Location::Local(thread, local) => {
            let name = &program.body(thread).locals[local.index()].name;
            let known = X86_REGISTERS.iter().position(|register| register == name).map(|at| at as u64);
            let numbered = || name.strip_prefix('r').and_then(|number| number.parse().ok());
            let rank = if program.is_c() { None } else { known.or_else(numbered) };
            (thread.0, rank.unwrap_or(if program.is_c() { 0 } else { u64::MAX }), name.clone(), 0)
        }
        Location::Memory(address) => {
            let name = program.objects.get(address.object.index()).map_or("", |object| &object.name);
            (u32::MAX, 0, name.to_owned(), address.offset)
        }
    }
}

/// The name of a location as herd prints it: `0:EAX`, `[x]`, `a[1]` for the second cell of an array.
pub(crate) fn location_name(program: &Program, location: Location) -> String {
    if let Location::Memory(address) = location {
        let object = &program.objects[address.object.index()];
        let index = object.cells.iter().position(|cell| cell.offset == address.offset);
        if let (Some(index), true) = (index, object.cells.len() > 1) {
            return format!("{}[{index}]", object.name);
        }
    }
    location.name(program)
}

/// A key that sorts values as herd does: numbers by size, then addresses by name.
fn value_key(program: &Program, location: Location, value: u64) -> (bool, i64, String) {
    let width = location.width(program);
    let name = program.value_name(value, width);
    match Address::from_bits(value) {
        Some(address) if width == ir::Width::WORD && program.cell(address).is_some() => (true, 0, name),
        _ => (false, ir::sign_extend(value, width), String::new()),
    }
}

fn compare_states(program: &Program, order: &[Location], left: &State, right: &State) -> Ordering {
    let key = |state: &State, location: Location| {
        state.get(&location).map(|&value| value_key(program, location, value)).unwrap_or_default()
    };
    let differ = |&location: &Location| key(left, location).cmp(&key(right, location));
    order.iter().map(differ).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// A final state as herd prints it: `0:EAX=0; [x]=1;`.
pub fn state(program: &Program, state: &State) -> String {
    let shown = crate::data::show_state(program, state);
    shown.iter().map(|(name, value)| format!("{name}={value};")).collect::<Vec<_>>().join(" ")
}

/// The states in herd's order, with the number of executions that end in each.
pub fn sorted_states(table: &StateTable<'_>) -> Vec<(String, u64)> {
    let program = table.program;
    let mut order: Vec<Location> = table.states.first().map_or(Vec::new(), |s| s.state.keys().copied().collect());
    order.sort_by_key(|&location| location_key(program, location));
    let mut states: Vec<_> = table.states.iter().collect();
    states.sort_by(|a, b| compare_states(program, &order, &a.state, &b.state));
    states.into_iter().map(|s| (state(program, &s.state), s.executions)).collect()
}

/// How many executions satisfy the condition's proposition, and how many do not. Where an engine does not count
/// executions, each state counts once.
pub fn count(table: &StateTable<'_>) -> (u64, u64) {
    let mut counts = (0, 0);
    for found in table.states {
        let holds = table.program.condition.as_ref().is_none_or(|c| c.proposition.holds(&found.state));
        *(if holds { &mut counts.0 } else { &mut counts.1 }) += found.executions.max(1);
    }
    counts
}

/// The whole block.
pub fn block(table: &StateTable<'_>) -> String {
    let program = table.program;
    let name = &program.name;
    let quantifier = program.condition.as_ref().map_or(Quantifier::Forall, |c| c.quantifier);
    let (holding, failing) = count(table);
    let (kind, ok, positive, negative) = match quantifier {
        Quantifier::Exists => ("Allowed", holding > 0, holding, failing),
        Quantifier::NotExists => ("Forbidden", holding == 0, failing, holding),
        Quantifier::Forall => ("Required", failing == 0, holding, failing),
    };
    let mut flags: Vec<&str> = table.states.iter().flat_map(|s| s.flags.iter().map(String::as_str)).collect();
    // herd's own flag comes first: no name in a model begins with a star or anything before it.
    flags.sort_unstable();
    flags.dedup();
    let cut = !table.guarantee.is_full();
    let answer = match (flags.contains(&UNDEFINED), ok) {
        (true, _) => "Undef",
        (false, true) => "Ok",
        (false, false) => "No",
    };
    let mut out = format!("Test {name} {kind}\nStates {}\n", table.states.len());
    for (state, _) in sorted_states(table) {
        out += &state;
        out.push('\n');
    }
    let _ = writeln!(out, "{}{answer}\nWitnesses", if cut { "Loop " } else { "" });
    let _ = writeln!(out, "Positive: {positive} Negative: {negative}");
    for flag in flags {
        let _ = writeln!(out, "Flag {flag}");
    }
    let _ = writeln!(out, "Condition {}", condition(program));
    let _ = writeln!(out, "Observation {name} {} {holding} {failing}", Kind::of(holding, failing).name());
    let _ = writeln!(out, "Time {name} {:.2}", table.seconds);
    if let Some(hash) = program.info.get("Hash") {
        let _ = writeln!(out, "Hash={hash}");
    }
    out.push('\n');
    out
}

/// The program's condition as herd prints it; `forall (true)` if it has none.
pub fn condition(program: &Program) -> String {
    let Some(Condition { quantifier, proposition: inner }) = &program.condition else {
        return "forall (true)".to_owned();
    };
    let quantifier = match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    format!("{quantifier} ({})", proposition(program, inner))
}

/// What surrounds a proposition, which decides on parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Top,
    And,
    Or,
    Implies,
}

/// A proposition with the few parentheses that herd prints.
pub fn proposition(program: &Program, p: &Proposition) -> String {
    nested(program, p, Above::Top)
}

fn nested(program: &Program, p: &Proposition, above: Above) -> String {
    let join = |parts: &[Proposition], here: Above, between: &str| {
        parts.iter().map(|part| nested(program, part, here)).collect::<Vec<_>>().join(between)
    };
    let (text, parenthesised) = match p {
        Proposition::True => ("true".to_owned(), false),
        Proposition::False => ("false".to_owned(), false),
        Proposition::Atom(atom) => {
            let value = program.value_name(atom.value, atom.location.width(program));
            let equal = format!("{}={value}", location_name(program, atom.location));
            match atom.comparison {
                Comparison::Eq => (equal, false),
                Comparison::Ne => (format!("not ({equal})"), false),
            }
        }
        Proposition::Same(left, right) => {
            (format!("{}={}", location_name(program, *left), location_name(program, *right)), false)
        }
        Proposition::Not(inner) => (format!("not ({})", proposition(program, inner)), false),
        Proposition::And(all) if all.is_empty() => ("true".to_owned(), false),
        Proposition::Or(any) if any.is_empty() => ("false".to_owned(), false),
        Proposition::And(all) => (join(all, Above::And, " /\\ "), above == Above::Implies),
        Proposition::Or(any) => (join(any, Above::Or, " \\/ "), matches!(above, Above::Implies | Above::And)),
        Proposition::Implies(left, right) => {
            let side = |p: &Proposition| nested(program, p, Above::Implies);
            (format!("{} => {}", side(left), side(right)), matches!(above, Above::And | Above::Or))
        }
    };
    if parenthesised { format!("({text})") } else { text }
}

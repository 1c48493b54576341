//! Memory orders for litmus tests: what is found costs what the cheapest of all assignments costs, from either side, and its text is
//! what was meant.

use crate::common::{self, is_safe, litmus_tests};
use fences::{Change, Options};
use ir::{Op, Program, TagSet};
use model::Model;
use session::{Reading, Repairs};

/// More assignments than this are not tried.
const MAX_ASSIGNMENTS: usize = 150;

/// A test with its sites.
fn load(name: &str, text: &str) -> Program {
    common::load(name, text, &with_sites())
}

/// How a test is read so that it has sites.
fn with_sites() -> Reading {
    let mut reading = Reading::default();
    reading.c.seams = true;
    reading
}

/// What a tag costs, of an access and of a fence, as the documentation says it.
fn price(tag: &str, fence: bool) -> u64 {
    match (tag, fence) {
        ("A" | "L" | "Acq" | "Rel" | "ACQ" | "REL" | "ACQUIRE" | "RELEASE", false) => 2,
        ("Q", false) => 1,
        ("AcqRel" | "SC", false) => 4,
        ("DMB.SY" | "MFENCE" | "SYNC" | "Fence.rw.rw" | "MB" | "SC", true) => 10,
        ("LWSYNC" | "Fence.tso" | "ACQ_REL", true) => 5,
        ("DMB.LD" | "DMB.ST" | "SFENCE" | "LFENCE" | "EIEIO" | "WMB" | "RMB" | "ACQ" | "REL", true) => 3,
        ("Fence.w.w" | "Fence.r.r" | "Fence.r.rw" | "Fence.rw.w", true) => 3,
        // The compiler's barrier is what a fence of the kernel becomes that is not needed.
        (_, _) => 0,
    }
}

/// What the orders of all sites cost.
fn cost(program: &Program) -> u64 {
    let mut seen = vec![false; program.sites.len()];
    let mut sum = 0;
    for instr in program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs) {
        let Some(site) = program.site_of(instr) else { continue };
        if std::mem::replace(&mut seen[site], true) {
            continue;
        }
        let of = |tags: &TagSet, fence| tags.iter().map(|tag| price(&program.tags[tag.index()], fence)).sum::<u64>();
        // In C the tag A says that an access is atomic; it is there in any case.
        let all = |tags: &TagSet| of(tags, false) - if program.arch == "C" { 2 } else { 0 };
        sum += match &instr.op {
            Op::Load { tags, .. } | Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => all(tags),
            Op::Rmw { read_tags, write_tags, .. } => all(read_tags) + all(write_tags),
            Op::Fence { tags } => of(tags, true),
            Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => 0,
        };
    }
    sum
}

/// All programs that differ in orders which may be chosen.
fn assignments(program: &Program, change: Change) -> Option<Vec<Program>> {
    let mut all = vec![program.clone()];
    for (number, site) in program.sites.iter().enumerate() {
        let allowed = |order: &usize| match change {
            Change::None => *order == site.now,
            Change::Strengthen => site.orders[*order].covers.contains(&site.now),
            Change::Weaken => site.orders[site.now].covers.contains(order),
        };
        let orders: Vec<usize> = (0..site.orders.len()).filter(allowed).collect();
        if all.len() * orders.len() > MAX_ASSIGNMENTS {
            return None;
        }
        let with = |program: &Program, order: usize| {
            let mut changed = program.clone();
            changed.set_order(number, order);
            changed
        };
        all = all
            .iter()
            .flat_map(|program| orders.iter().map(|&order| with(program, order)).collect::<Vec<_>>())
            .collect();
    }
    Some(all)
}

fn search(program: &Program, model: &Model, change: Change) -> Repairs {
    let options = Options { change, no_fences: true, ..Options::default() };
    common::repairs(program, model, &options, &with_sites())
}

#[test]
fn what_is_found_costs_what_the_cheapest_assignment_costs() {
    let (mut compared, mut repaired, mut kept) = (0, 0, 0);
    for path in litmus_tests() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let program = load(&path.display().to_string(), &text);
        let name = match &*program.arch {
            "AArch64" => "aarch64",
            "RISCV" => "riscv",
            "C" => "rc11",
            "LINUX" => "lkmm",
            "PPC" => "ppc",
            _ => "tso",
        };
        let model = Model::builtin(name).expect("a model of ours");
        if program.sites.is_empty() || session::suits(&program, &model).is_err() {
            continue;
        }
        for change in [Change::Strengthen, Change::Weaken] {
            let Some(all) = assignments(&program, change) else { continue };
            let safe = all.iter().filter(|program| is_safe(program, &model)).map(cost).min();
            let found = search(&program, &model, change);
            let said = || format!("{} under {name}, {change:?}", path.display());
            let Some(best) = found.repairs.first() else {
                assert_eq!(safe, None, "{}", said());
                continue;
            };
            let changed = load(program.source.name(), &best.patch.text);
            assert!(is_safe(&changed, &model), "{}", said());
            // Orders that the machine does not tell apart cost the same, whichever is written.
            assert_eq!(Some(cost(&changed)), safe, "{}\n{}", said(), best.patch.text);
            compared += 1;
            repaired += usize::from(change == Change::Strengthen && best.placement.changes(&program) > 0);
            kept += best.placement.orders.iter().filter(|order| order.cost > 0).count();
            let unexplained = best.placement.orders.iter().filter(|order| order.cost > 0 && order.reasons.is_empty());
            assert_eq!(unexplained.count(), 0, "{}: each with a reason", said());
        }
    }
    assert!(compared > 60 && repaired > 8 && kept > 60, "{compared} compared, {repaired} repaired, {kept} orders kept");
}

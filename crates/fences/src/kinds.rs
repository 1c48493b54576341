//! Kinds of fences: what they are called, how they are written in each language, and what they cost.

use ir::Program;
use source::{Diagnostic, SourceFile, Span};
use std::fmt;

/// A kind of fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Orders every access before it with every access after it.
    Full,
    /// Orders all but a store and a later load.
    Light,
    /// Orders stores.
    StoreStore,
    /// Orders loads with what comes after them.
    LoadLoad,
}

impl Kind {
    /// All kinds, the strongest first.
    pub const ALL: [Kind; 4] = [Kind::Full, Kind::Light, Kind::StoreStore, Kind::LoadLoad];

    /// The name for options, cost files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Full => "full",
            Kind::Light => "light",
            Kind::StoreStore => "store-store",
            Kind::LoadLoad => "load-load",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether this one orders all that the other one orders.
    pub fn covers(self, other: Kind) -> bool {
        match self {
            Kind::Full => true,
            Kind::Light => other != Kind::Full,
            Kind::StoreStore | Kind::LoadLoad => self == other,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A fence as a language writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// The kind.
    pub kind: Kind,
    /// The statement or instruction.
    pub text: &'static str,
    /// The tag that the front end gives to it.
    pub tag: &'static str,
}

const fn spelling(kind: Kind, text: &'static str, tag: &'static str) -> Spelling {
    Spelling { kind, text, tag }
}

const X86: &[Spelling] = &[
    spelling(Kind::Full, "MFENCE", "MFENCE"),
    spelling(Kind::StoreStore, "SFENCE", "SFENCE"),
    spelling(Kind::LoadLoad, "LFENCE", "LFENCE"),
];

const PPC: &[Spelling] = &[
    spelling(Kind::Full, "sync", "SYNC"),
    spelling(Kind::Light, "lwsync", "LWSYNC"),
    spelling(Kind::StoreStore, "eieio", "EIEIO"),
];

const AARCH64: &[Spelling] = &[
    spelling(Kind::Full, "DMB ISH", "DMB.SY"),
    spelling(Kind::StoreStore, "DMB ISHST", "DMB.ST"),
    spelling(Kind::LoadLoad, "DMB ISHLD", "DMB.LD"),
];

const RISCV: &[Spelling] = &[
    spelling(Kind::Full, "fence rw,rw", "Fence.rw.rw"),
    spelling(Kind::Light, "fence.tso", "Fence.tso"),
    spelling(Kind::StoreStore, "fence w,w", "Fence.w.w"),
    spelling(Kind::LoadLoad, "fence r,rw", "Fence.r.rw"),
];

const KERNEL: &[Spelling] = &[
    spelling(Kind::Full, "smp_mb();", "MB"),
    spelling(Kind::StoreStore, "smp_wmb();", "WMB"),
    spelling(Kind::LoadLoad, "smp_rmb();", "RMB"),
];

const C11: &[Spelling] = &[
    spelling(Kind::Full, "atomic_thread_fence(memory_order_seq_cst);", "SC"),
    spelling(Kind::Light, "atomic_thread_fence(memory_order_acq_rel);", "ACQ_REL"),
    spelling(Kind::StoreStore, "atomic_thread_fence(memory_order_release);", "REL"),
    spelling(Kind::LoadLoad, "atomic_thread_fence(memory_order_acquire);", "ACQ"),
];

const GNU: &[Spelling] = &[
    spelling(Kind::Full, "__atomic_thread_fence(__ATOMIC_SEQ_CST);", "SC"),
    spelling(Kind::Light, "__atomic_thread_fence(__ATOMIC_ACQ_REL);", "ACQ_REL"),
    spelling(Kind::StoreStore, "__atomic_thread_fence(__ATOMIC_RELEASE);", "REL"),
    spelling(Kind::LoadLoad, "__atomic_thread_fence(__ATOMIC_ACQUIRE);", "ACQ"),
];

/// After the preprocessor there are no macros left: the numbers that they stand for.
const PREPROCESSED: &[Spelling] = &[
    spelling(Kind::Full, "__atomic_thread_fence(5);", "SC"),
    spelling(Kind::Light, "__atomic_thread_fence(4);", "ACQ_REL"),
    spelling(Kind::StoreStore, "__atomic_thread_fence(3);", "REL"),
    spelling(Kind::LoadLoad, "__atomic_thread_fence(2);", "ACQ"),
];

/// How fences are written in the language of a program, in the words that its text uses already.
pub fn spellings(program: &Program) -> &'static [Spelling] {
    let text = program.source.text();
    match &*program.arch {
        "X86" => X86,
        "PPC" => PPC,
        "AArch64" => AARCH64,
        "RISCV" => RISCV,
        "LINUX" => KERNEL,
        _ if program.condition.is_some() => C11,
        _ if program.source.name().ends_with(".i") => PREPROCESSED,
        // The kernel's names can be macros of the program's own; these headers make them what they are.
        _ if ["<fencepost.h>", "\"fencepost.h\"", "<lkmm.h>", "\"lkmm.h\""]
            .iter()
            .any(|header| text.contains(header))
            && is_kernel(text) =>
        {
            KERNEL
        }
        _ if text.contains("<stdatomic.h>") => C11,
        _ => GNU,
    }
}

/// Whether a text uses names of the kernel.
fn is_kernel(text: &str) -> bool {
    ["smp_", "READ_ONCE", "WRITE_ONCE", "xchg(", "spin_lock", "atomic_t "].iter().any(|name| text.contains(name))
}

/// The kinds that a model tells apart, each spelled so that it promises no more than it must.
///
/// `machine` gives the tags that a fence with a tag has on the model's hardware. A fence that becomes nothing is no
/// candidate. Of those that become the same, one is: if there is one for stores and one for loads among them, the one
/// that is both; else the weakest. If the full fence is among them, the machine has a full one for all, and that is what it costs.
pub fn told_apart(all: &[Spelling], machine: impl Fn(&str) -> Vec<String>) -> Vec<(Spelling, Vec<String>)> {
    let mut classes: Vec<(Vec<Spelling>, Vec<String>)> = Vec::new();
    for &one in all {
        let tags = machine(one.tag);
        if tags.is_empty() {
            continue;
        }
        match classes.iter_mut().find(|(_, known)| *known == tags) {
            Some((class, _)) => class.push(one),
            None => classes.push((vec![one], tags)),
        }
    }
    let choose = |class: &[Spelling]| {
        let has = |kind: Kind| class.iter().find(|one| one.kind == kind).copied();
        let both = has(Kind::StoreStore).is_some() && has(Kind::LoadLoad).is_some();
        let light = has(Kind::Light).filter(|_| both);
        let chosen = light.or_else(|| class.last().copied())?;
        Some(Spelling { kind: has(Kind::Full).map_or(chosen.kind, |full| full.kind), ..chosen })
    };
    classes.into_iter().filter_map(|(class, tags)| Some((choose(&class)?, tags))).collect()
}

/// What a fence of each kind costs, and what it costs an access to acquire, to release, and to be sequentially consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    fences: [u32; 4],
    accesses: [u32; 3],
    /// How many times as much all of this costs in a loop.
    looping: u32,
}

/// The names of what an access can cost.
const ACCESSES: [&str; 3] = ["acquire", "release", "seq-cst"];

/// The name of the factor for what is in a loop.
const LOOP: &str = "loop";

impl Default for Costs {
    fn default() -> Self {
        Costs { fences: [10, 5, 3, 3], accesses: [2, 2, 4], looping: 1 }
    }
}

/// No fence costs more, so that sums stay small.
const MAX_COST: u32 = 1_000_000;

impl Costs {
    /// The cost of a kind.
    pub fn of(&self, kind: Kind) -> u32 {
        self.fences[kind as usize]
    }

    /// How often something is paid for, depending on whether it is in a loop.
    pub(crate) fn times(&self, looping: bool) -> u32 {
        if looping { self.looping } else { 1 }
    }

    /// The cost of a fence with this tag on a machine.
    pub(crate) fn of_fence(&self, tag: &str) -> u32 {
        let known = [X86, PPC, AARCH64, RISCV, KERNEL, C11].into_iter().flatten().find(|one| one.tag == tag);
        match (known, tag) {
            (Some(one), _) => self.of(one.kind),
            (None, "ISYNC" | "ISB" | "DSB.LD" | "Fence.r.r" | "Fence.r.w") => self.of(Kind::LoadLoad),
            (None, "Fence.rw.w" | "DSB.ST") => self.of(Kind::StoreStore),
            // What the compiler keeps in order costs the machine nothing.
            (None, "BARRIER") => 0,
            (None, _) => self.of(Kind::Full),
        }
    }

    /// The cost of an access with this tag on a machine.
    pub(crate) fn of_access(&self, tag: &str) -> u32 {
        let [acquire, release, sequential] = self.accesses;
        match tag {
            "A" | "ACQ" | "CON" | "ACQUIRE" | "Acq" => acquire,
            // An acquire that a release does not wait for.
            "Q" => acquire.div_ceil(2),
            "L" | "REL" | "RELEASE" | "Rel" => release,
            "AcqRel" => acquire + release,
            "SC" => sequential,
            "MB" => 2 * self.of(Kind::Full),
            _ => 0,
        }
    }

    /// Reads lines `kind cost`; what follows `#` is a comment. Kinds that are not mentioned keep their cost.
    ///
    /// # Errors
    /// The first line that is no kind and cost.
    pub fn parse(file: &SourceFile) -> Result<Costs, Diagnostic> {
        let mut costs = Costs::default();
        let mut at = 0;
        for line in file.text().split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            let span = Span::new(at, at + code.trim_end().len());
            at += line.len();
            let words: Vec<&str> = code.split_whitespace().collect();
            let wrong = |message: String| {
                let names = [&Kind::ALL.map(Kind::name)[..], &ACCESSES, &[LOOP]].concat().join(", ");
                Err(Diagnostic::error(file, span, message)
                    .help(format!("write a kind and a number from 1, such as `full 10`; the kinds are {names}")))
            };
            match words[..] {
                [] => {}
                [name, cost] => {
                    let access = ACCESSES.iter().position(|known| *known == name);
                    let place = match (Kind::from_name(name), access) {
                        (Some(kind), _) => &mut costs.fences[kind as usize],
                        (None, Some(access)) => &mut costs.accesses[access],
                        (None, None) if name == LOOP => &mut costs.looping,
                        (None, None) => return wrong(format!("there is no kind of fence `{name}`")),
                    };
                    match cost.parse() {
                        Ok(cost @ 1..=MAX_COST) => *place = cost,
                        _ => return wrong(format!("`{cost}` is no cost")),
                    }
                }
                _ => return wrong("this is no kind and cost".to_owned()),
            }
        }
        Ok(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read() {
        let file = SourceFile::new("costs", "# mine\nfull 7 # seven\n\nstore-store 2\nloop 3\n");
        let costs = Costs::parse(&file).expect("good");
        assert_eq!(Kind::ALL.map(|kind| costs.of(kind)), [7, 5, 2, 3]);
        assert_eq!([costs.times(false), costs.times(true)], [1, 3]);
        for bad in ["full", "full 0", "full -1", "half 3", "full 3 3", "full 9999999"] {
            assert!(Costs::parse(&SourceFile::new("costs", bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn fences_that_become_the_same_are_one() {
        let chosen = |machine: fn(&str) -> &'static str| {
            let tags = |tag: &str| Some(machine(tag)).filter(|tag| !tag.is_empty()).map(str::to_owned);
            told_apart(C11, |tag| tags(tag).into_iter().collect())
                .into_iter()
                .map(|(one, _)| one.kind)
                .collect::<Vec<_>>()
        };
        let tso = |tag: &str| if tag == "SC" { "MFENCE" } else { "" };
        let pso = |tag: &str| match tag {
            "SC" => "MFENCE",
            "ACQ" => "",
            _ => "EIEIO",
        };
        let power = |tag: &str| if tag == "SC" { "SYNC" } else { "LWSYNC" };
        assert_eq!(chosen(tso), [Kind::Full]);
        assert_eq!(chosen(pso), [Kind::Full, Kind::StoreStore]);
        assert_eq!(chosen(power), [Kind::Full, Kind::Light]);
        // A release is a full fence on Arm: written as a release, paid as a full one.
        let arm = |tag: &str| if tag == "ACQ" { "DMB.LD" } else { "DMB.SY" };
        assert_eq!(chosen(arm), [Kind::Full, Kind::LoadLoad]);
        let texts = told_apart(C11, |tag| vec![arm(tag).to_owned()]);
        assert_eq!(texts[0].0.tag, "REL");
    }
}

//! Certificates of array-based systems, checked again: cubes whose complement is an inductive invariant.
//!
//! It is checked that every bad state is in a cube; that no cube has an initial state; and that every state from which a
//! transition leads into a cube is in a cube, or is excluded by an invariant of the text. Then no bad state can be
//! reached. Nothing here is shared with the engine that found the cubes: sets of states are kept as sets of values by
//! cell, the order of accesses as a graph that is closed anew at each step, and where one cube does not cover a set, it is
//! split by the values of a cell.
//!
//! # Why named processes suffice
//! A cube about m processes and a transition of p processes concern at most m + p; all others are free. Conditions on all
//! processes are asked only of those with names, and a condition on some process chooses one with a name or a new one. So
//! the sets that are looked at are at least as large as the real ones: what is found to be covered is.
//!
//! # Weak memory
//! A run is a sequence of transitions. Its writes take effect later than they are issued, in an order of their own, into
//! which reads fall too: this is the order `ghb` of Conchon, Declerck and Zaïdi (EPTCS 271, 2018). A run is in a cube if there are points in that order for the
//! cube's pending reads such that each is behind what it must be behind and sees what the conditions say: the newest
//! write of its own process, if there is one, else the last write that has taken effect. Under TSO it suffices to look at
//! runs that issue writes of one cell in the order in which they take effect (see SOUNDNESS.md).
//!
//! Take the last transition away from a run in a cube. Its reads become pending. Its write of a cell that a pending read
//! is about is the newest of the same process, so the read sees it; another process's read sees it and is behind it, or is
//! before it. Whatever the read had to be behind, and the transition did, gets an edge in the graph: from its reads, if
//! they are of the process or cell, and from its writes. If a write comes before itself there is no such run. What stays
//! behind a write: under TSO its process's reads and writes and all accesses to its cells, since all of them are earlier
//! in the run; under PSO only reads of the process, and of the process's writes those of the same cell. There a read may
//! also see a write that was issued earlier and takes effect later, of another process; then the write that it overtakes
//! stays in the graph until that one is found.
//! Pending reads about whose values nothing is said are forgotten, with the graph closed before.

mod cover;
mod facts;
mod ground;
mod images;
mod orders;
mod sums;

use cover::{Pattern, keys};
use facts::{Facts, NONE, World};
use ground::{Frame, Views};
use orders::{Hook, Node, Orders};
use std::cell::Cell as Flag;
use std::fmt;
use system::certificate::{Behind, Certificate, Condition, IndexedSymbol, Value};
use system::{Access, Memory, Property, System, Type};

/// How many cells are split at most to show that several cubes cover a set together.
const SPLITS: u8 = 2;

/// Why a certificate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CubeFlaw {
    /// It speaks of something that the system does not have.
    Malformed(String),
    /// This cube, counted from 0, has an initial state.
    Initial(usize),
    /// A bad state, by the number of its property, is in no cube.
    Bad(usize),
    /// A transition of these processes leads into a cube from a state that is in none.
    Step {
        /// The cube, counted from 0.
        cube: usize,
        /// The transition.
        transition: usize,
        /// Its processes: those of the cube, and new ones behind them.
        processes: Vec<u8>,
    },
    /// The check does not understand enough of the system to tell.
    Unsure(String),
    /// It was told to stop.
    Stopped,
}

impl fmt::Display for CubeFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CubeFlaw::Malformed(what) => f.write_str(what),
            CubeFlaw::Initial(cube) => write!(f, "cube {} has an initial state", cube + 1),
            CubeFlaw::Bad(property) => write!(f, "a bad state of property {} is in no cube", property + 1),
            CubeFlaw::Step { cube, transition, processes } => {
                let names: Vec<String> = processes.iter().map(|process| format!("#{}", process + 1)).collect();
                let names = names.join(", ");
                write!(f, "transition {} of {names} leads into cube {} from outside", transition + 1, cube + 1)
            }
            CubeFlaw::Unsure(why) => f.write_str(why),
            CubeFlaw::Stopped => f.write_str("stopped"),
        }
    }
}

/// Checks a certificate. Gives the number of sets of states that were looked at.
///
/// # Errors
/// Why the certificate is not accepted.
pub fn check_cubes(system: &System, certificate: &Certificate, stop: &dyn Fn() -> bool) -> Result<u64, CubeFlaw> {
    well_formed(system, certificate)?;
    let mut checker = Checker::new(system, certificate);
    checker.bad()?;
    checker.initial()?;
    for cube in 0..checker.patterns.len() {
        for transition in 0..system.transitions.len() {
            if stop() {
                return Err(CubeFlaw::Stopped);
            }
            checker.step(cube, transition)?;
        }
    }
    Ok(checker.sets)
}

/// Whether all numbers are in range.
fn well_formed(system: &System, certificate: &Certificate) -> Result<(), CubeFlaw> {
    let error = |what: &str| Err(CubeFlaw::Malformed(what.to_owned()));
    if system.enums.iter().any(|ty| ty.constructors.len() > 120) {
        return Err(CubeFlaw::Unsure("a type has more than 120 values".to_owned()));
    }
    for cube in &certificate.cubes {
        if cube.processes > 60 || cube.reads.len() > 200 {
            return Err(CubeFlaw::Unsure("a cube has more than 60 processes or 200 reads".to_owned()));
        }
        let process = |number: u8| number < cube.processes;
        let place = |place: &IndexedSymbol| {
            let symbol = system.symbols.get(place.symbol);
            symbol.is_some_and(|symbol| symbol.arity == place.args.len()) && place.args.iter().all(|&arg| process(arg))
        };
        let cell = |cell: &system::certificate::Cell| {
            place(&cell.place) && cell.read.is_none_or(|read| read < cube.reads.len())
        };
        for condition in &cube.conditions {
            let fits = match condition {
                Condition::Is(of, value, _) => {
                    cell(of)
                        && match (value, system.symbols[of.place.symbol].ty) {
                            (Value::Process(number), Type::Proc) => process(*number),
                            (Value::Constructor(at), Type::Enum(ty)) => {
                                usize::from(*at) < system.enums[ty].constructors.len()
                            }
                            (Value::Process(_) | Value::Constructor(_), _) => false,
                        }
                }
                Condition::Same(one, two, _) => {
                    cell(one) && cell(two) && system.symbols[one.place.symbol].ty == system.symbols[two.place.symbol].ty
                }
                Condition::Number(terms, ..) => {
                    terms.iter().all(|(_, of)| cell(of) && system.symbols[of.place.symbol].ty.is_number())
                }
                Condition::Before(one, two) => process(*one) && process(*two),
                Condition::Over(of, write) => cell(of) && *write < cube.reads.len(),
                Condition::NotFrom(of, by) => cell(of) && process(*by),
            };
            if !fits {
                return error("a condition speaks of something that is not there");
            }
        }
        for read in &cube.reads {
            let behind = read.behind.iter().all(|behind| match behind {
                Behind::Reads(by) | Behind::Writes(by) => process(*by),
                Behind::Cell(of) => place(of),
                Behind::CellOf(by, of) => process(*by) && place(of),
            });
            if !process(read.process) || !behind || read.before.iter().any(|&to| to >= cube.reads.len()) {
                return error("a read speaks of something that is not there");
            }
        }
    }
    Ok(())
}

/// A set of states: facts about some processes, and pending reads in their order.
struct Region<'a> {
    world: World<'a>,
    facts: Facts,
    orders: Orders,
}

struct Checker<'a> {
    system: &'a System,
    memory: Memory,
    weak: bool,
    fixed: u8,
    patterns: Vec<Pattern>,
    /// What the invariants of the text exclude.
    excluded: Vec<Pattern>,
    /// Of an invariant about numbers of the whole system: what holds because of it.
    granted: Vec<facts::Fact>,
    /// Something was taken to hold since this was reset.
    weaker: Flag<bool>,
    sets: u64,
}

impl<'a> Checker<'a> {
    fn new(system: &'a System, certificate: &Certificate) -> Self {
        let memory = certificate.memory;
        let mut checker = Checker {
            system,
            memory,
            weak: memory != Memory::Sc && system.is_weak(),
            fixed: system.fixed(),
            patterns: certificate.cubes.iter().map(Pattern::new).collect(),
            excluded: Vec::new(),
            granted: Vec::new(),
            weaker: Flag::new(false),
            sets: 0,
        };
        for invariant in &system.invariants {
            checker.weaker.set(false);
            let regions = checker.property(invariant);
            // A larger set than what the text excludes must not be taken for granted.
            if checker.weaker.get() || invariant.formula.has_quantifier() {
                continue;
            }
            if let [(world, conj, _)] = &regions[..]
                && let ([facts::Fact::Number(sum)], 0) = (&conj[..], world.named)
                && let [one] = &sum.denied()[..]
            {
                checker.granted.push(facts::Fact::Number(one.clone()));
            }
            let patterns = regions.iter().map(|(world, conj, orders)| Pattern::of_facts(world, conj, orders));
            checker.excluded.extend(patterns);
        }
        checker
    }

    fn world(&self, named: u8) -> World<'a> {
        World { system: self.system, named, fixed: self.fixed }
    }

    /// Tuples of distinct processes: those with names, and new ones in their order.
    fn tuples(&self, named: u8, length: usize) -> Vec<Vec<u8>> {
        let limit = self.system.processes.unwrap_or(u8::MAX);
        let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..length {
            let mut longer = Vec::new();
            for tuple in &tuples {
                let new = tuple.iter().map(|&process| process + 1).max().unwrap_or(0).max(named);
                for process in (0..=new).filter(|process| *process < limit && !tuple.contains(process)) {
                    longer.push(tuple.iter().copied().chain([process]).collect());
                }
            }
            tuples = longer;
        }
        tuples
    }

    /// The states of a property: conjunctions about some processes, and who looks.
    fn property(&self, property: &Property) -> Vec<(World<'a>, Vec<facts::Fact>, Orders)> {
        let mut found = Vec::new();
        for tuple in self.tuples(self.fixed, property.params.len()) {
            let named = tuple.iter().map(|&process| process + 1).max().unwrap_or(0).max(self.fixed);
            let mut readers: Vec<u8> = Vec::new();
            property.formula.accesses(&mut |access: &Access| {
                if self.weak && self.system.symbols[access.symbol].weak {
                    readers.extend(access.by.map(|by| match by {
                        system::Process::Slot(slot) => tuple.get(usize::from(slot)).copied().unwrap_or(NONE),
                        system::Process::Fixed(number) => number,
                    }));
                }
            });
            readers.sort_unstable();
            readers.dedup();
            // A process that a quantifier binds and that reads would need a read of its own.
            if readers.contains(&NONE) {
                self.weaker.set(true);
                readers.retain(|&reader| reader != NONE);
            }
            let mut views = vec![0; 64];
            readers.iter().enumerate().for_each(|(at, &by)| views[usize::from(by)] = at as u8 + 1);
            // All look at the same time.
            let hooks: Vec<Hook> = readers.iter().map(|&by| Hook::Reads(by)).collect();
            let nodes = readers.iter().map(|&process| Node { process, hooks: hooks.clone() }).collect();
            let count = readers.len();
            let pairs: Vec<(usize, usize)> = (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).collect();
            let orders = Orders::new(nodes, &pairs);
            let views = if self.weak { Views::Each(&views) } else { Views::State };
            for (named, chosen) in self.choices(&property.formula, &tuple, named) {
                let world = self.world(named);
                let mut frame = Frame { world, slots: tuple.clone(), views, chosen: &chosen, weaker: &self.weaker };
                let cases = frame.cases(&property.formula, true);
                found.extend(cases.into_iter().map(|conj| (world, conj, orders.clone())));
            }
        }
        found
    }

    /// Every bad state is in a cube.
    fn bad(&mut self) -> Result<(), CubeFlaw> {
        for (number, property) in self.system.bad.iter().enumerate() {
            self.weaker.set(false);
            for (world, conj, orders) in self.property(property) {
                let mut facts = Facts::default();
                let possible = conj.into_iter().all(|fact| facts.add(&world, fact)) && facts.settle(&world);
                if possible && !self.covered(&Region { world, facts, orders }, None) {
                    return Err(self.doubt(CubeFlaw::Bad(number)));
                }
            }
        }
        Ok(())
    }

    /// A flaw, or doubt if a larger set of states was looked at than there are.
    fn doubt(&self, flaw: CubeFlaw) -> CubeFlaw {
        if self.weaker.get() {
            return CubeFlaw::Unsure("it depends on a process that the check cannot choose".to_owned());
        }
        flaw
    }

    /// No cube has an initial state.
    fn initial(&mut self) -> Result<(), CubeFlaw> {
        for (number, pattern) in self.patterns.iter().enumerate() {
            self.weaker.set(false);
            // A read that sees a write sees no initial state.
            if pattern.parts.iter().any(|part| matches!(part, cover::Part::Over(..))) {
                continue;
            }
            // There is at least one process, so that `init` always says something.
            let named = pattern.processes.max(1);
            let world = self.world(named);
            let mut facts = Facts::default();
            let views = vec![0; pattern.orders.nodes.len()];
            let own = pattern.facts(&world, &views);
            if !own.into_iter().all(|fact| facts.add(&world, fact)) || !facts.settle(&world) {
                continue;
            }
            let mut regions = vec![facts];
            let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
            for _ in 0..self.system.init.params.len() {
                let longer = |tuple: &Vec<u8>| -> Vec<Vec<u8>> {
                    (0..named).map(|process| tuple.iter().copied().chain([process]).collect()).collect()
                };
                tuples = tuples.iter().flat_map(longer).collect();
            }
            for slots in tuples {
                let mut frame = Frame { world, slots, views: Views::State, chosen: &[], weaker: &self.weaker };
                let cases = frame.cases(&self.system.init.formula, true);
                let mut next: Vec<Facts> = Vec::new();
                for facts in &regions {
                    for conj in &cases {
                        let mut facts = facts.clone();
                        if conj.iter().all(|fact| facts.add(&world, fact.clone())) && facts.settle(&world) {
                            next.push(facts);
                        }
                    }
                }
                regions = next;
            }
            self.sets += 1;
            if !regions.is_empty() {
                return Err(self.doubt(CubeFlaw::Initial(number)));
            }
        }
        Ok(())
    }

    /// Whether all states of a region are in cubes, or excluded by the text.
    fn covered(&mut self, region: &Region<'a>, likely: Option<usize>) -> bool {
        self.sets += 1;
        self.covered_by(region, likely) || self.split(region, SPLITS)
    }

    fn covered_by(&self, region: &Region<'a>, likely: Option<usize>) -> bool {
        let keys = keys(&region.facts);
        let covers = |pattern: &Pattern| pattern.covers(&region.world, &region.facts, &region.orders, &keys);
        likely.is_some_and(|likely| covers(&self.patterns[likely]))
            || self.patterns.iter().any(covers)
            || self.excluded.iter().any(covers)
    }

    /// Tries the values of a cell one by one.
    fn split(&self, region: &Region<'a>, depth: u8) -> bool {
        if depth == 0 {
            return false;
        }
        region.facts.open().into_iter().take(8).any(|(cell, set)| {
            (0..128).filter(|bit| set & (1 << bit) != 0).all(|bit| {
                let mut facts = region.facts.clone();
                if !facts.add(&region.world, facts::Fact::In(cell, 1 << bit)) || !facts.settle(&region.world) {
                    return true;
                }
                let part = Region { world: region.world, facts, orders: region.orders.clone() };
                self.covered_by(&part, None) || self.split(&part, depth - 1)
            })
        })
    }
}

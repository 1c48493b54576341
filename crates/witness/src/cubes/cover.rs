//! Whether all states of one set are states of a cube, for some choice of processes and pending reads.

use super::facts::{Cell, Fact, Facts, NONE, Place, World};
use super::orders::{Hook, Node, Orders};
use super::sums::Sum;
use system::Comparison;
use system::certificate::{self, Behind, Condition, Value};

/// A condition of a cube, in the numbers of the cube's own processes and reads.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Constructor(Cell, u16, bool),
    Process(Cell, u8, bool),
    Same(Cell, Cell, bool),
    Number(Vec<(i64, Cell)>, i64, Comparison),
    Before(u8, u8),
    Over(Cell, u8),
    NotFrom(Cell, u8),
}

/// A cube to be compared with many sets of states.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub processes: u8,
    pub parts: Vec<Part>,
    pub orders: Orders,
    /// For each number of chosen processes, the parts that speak of no others.
    stages: Vec<Vec<usize>>,
    /// What a set must say of some cell.
    keys: Vec<u64>,
}

/// What is said of some cell: it has this value.
fn key(cell: Cell, value: u32) -> u64 {
    u64::from(cell.place.0) << 16 | u64::from(value) << 1 | u64::from(cell.view > 0)
}

fn place(place: &certificate::IndexedSymbol) -> Place {
    let mut args = [NONE; 3];
    for (to, &from) in args.iter_mut().zip(&place.args) {
        *to = from;
    }
    (place.symbol as u16, args)
}

fn cell(cell: &certificate::Cell) -> Cell {
    Cell { view: cell.read.map_or(0, |read| read as u8 + 1), place: place(&cell.place) }
}

impl Part {
    pub(super) fn cells(&self, see: &mut dyn FnMut(Cell)) {
        match self {
            Part::Constructor(cell, ..) | Part::Process(cell, ..) | Part::Over(cell, _) | Part::NotFrom(cell, _) => {
                see(*cell);
            }
            Part::Same(one, two, _) => {
                see(*one);
                see(*two);
            }
            Part::Number(terms, ..) => terms.iter().for_each(|&(_, cell)| see(cell)),
            Part::Before(..) => {}
        }
    }

    /// The condition about other processes and reads.
    fn fact(&self, world: &World<'_>, processes: &[u8], views: &[u8]) -> Fact {
        let cell = |cell: Cell| Cell {
            view: if cell.view == 0 { 0 } else { views[usize::from(cell.view) - 1] },
            place: renamed(cell.place, processes),
        };
        match self {
            Part::Constructor(of, value, sign) => world.value(cell(*of), *value as u8, *sign),
            Part::Process(of, value, sign) => world.value(cell(*of), processes[usize::from(*value)], *sign),
            Part::Same(one, two, sign) => Fact::Same(cell(*one), cell(*two), *sign),
            Part::Number(terms, constant, how) => {
                let terms: Vec<(i64, Cell)> = terms.iter().map(|&(factor, of)| (factor, cell(of))).collect();
                Fact::Number(Sum::new(&terms, *constant, *how))
            }
            Part::Before(one, two) => Fact::Before(processes[usize::from(*one)], processes[usize::from(*two)]),
            Part::Over(of, write) => Fact::Over(cell(*of), views[usize::from(*write) - 1]),
            Part::NotFrom(of, by) => Fact::NotFrom(cell(*of), processes[usize::from(*by)]),
        }
    }

    /// A fact as a condition; nothing if it always holds.
    fn of(fact: &Fact, is_process: &dyn Fn(Cell) -> bool) -> Option<Part> {
        Some(match fact {
            Fact::In(cell, set) => {
                let sign = set.count_ones() == 1;
                let value = if sign { set.trailing_zeros() } else { set.trailing_ones() };
                if is_process(*cell) {
                    Part::Process(*cell, value as u8, sign)
                } else {
                    Part::Constructor(*cell, value as u16, sign)
                }
            }
            Fact::Same(one, two, sign) => Part::Same(*one, *two, *sign),
            Fact::Number(sum) => {
                let terms = sum.terms.iter().map(|(&cell, &factor)| (factor as i64, cell)).collect();
                Part::Number(terms, sum.constant as i64, sum.how)
            }
            Fact::Before(one, two) => Part::Before(*one, *two),
            Fact::Over(cell, write) => Part::Over(*cell, *write),
            Fact::NotFrom(cell, by) => Part::NotFrom(*cell, *by),
            Fact::Known(_) => return None,
        })
    }
}

fn renamed((symbol, args): Place, processes: &[u8]) -> Place {
    (symbol, args.map(|arg| if arg == NONE { NONE } else { processes[usize::from(arg)] }))
}

fn renamed_hook(hook: Hook, processes: &[u8]) -> Hook {
    let process = |by: u8| processes[usize::from(by)];
    match hook {
        Hook::Reads(by) => Hook::Reads(process(by)),
        Hook::Writes(by) => Hook::Writes(process(by)),
        Hook::Cell(place) => Hook::Cell(renamed(place, processes)),
        Hook::CellOf(by, place) => Hook::CellOf(process(by), renamed(place, processes)),
    }
}

impl Pattern {
    /// A cube of a certificate. Its numbers must be in range.
    pub(super) fn new(cube: &certificate::Cube) -> Pattern {
        let part = |condition: &Condition| match condition {
            Condition::Is(of, Value::Constructor(value), sign) => Part::Constructor(cell(of), *value, *sign),
            Condition::Is(of, Value::Process(value), sign) => Part::Process(cell(of), *value, *sign),
            Condition::Same(one, two, sign) => Part::Same(cell(one), cell(two), *sign),
            Condition::Number(terms, constant, how) => {
                Part::Number(terms.iter().map(|(factor, of)| (*factor, cell(of))).collect(), *constant, *how)
            }
            Condition::Before(one, two) => Part::Before(*one, *two),
            Condition::Over(of, write) => Part::Over(cell(of), *write as u8 + 1),
            Condition::NotFrom(of, by) => Part::NotFrom(cell(of), *by),
        };
        let hook = |behind: &Behind| match behind {
            Behind::Reads(by) => Hook::Reads(*by),
            Behind::Writes(by) => Hook::Writes(*by),
            Behind::Cell(of) => Hook::Cell(place(of)),
            Behind::CellOf(by, of) => Hook::CellOf(*by, place(of)),
        };
        let nodes =
            cube.reads.iter().map(|read| Node { process: read.process, hooks: read.behind.iter().map(hook).collect() });
        let mut pairs = Vec::new();
        for (from, read) in cube.reads.iter().enumerate() {
            pairs.extend(read.before.iter().map(|&to| (from, to)));
        }
        let orders = Orders::new(nodes.collect(), &pairs);
        Pattern::of(cube.processes, cube.conditions.iter().map(part).collect(), orders)
    }

    /// A conjunction of facts about all processes with names.
    pub(super) fn of_facts(world: &World<'_>, conj: &[Fact], orders: &Orders) -> Pattern {
        let is_process = |cell: Cell| world.system.symbols[usize::from(cell.place.0)].ty == system::Type::Proc;
        let parts = conj.iter().filter_map(|fact| Part::of(fact, &is_process)).collect();
        Pattern::of(world.named, parts, orders.clone())
    }

    fn of(processes: u8, parts: Vec<Part>, orders: Orders) -> Pattern {
        let mut stages = vec![Vec::new(); usize::from(processes) + 1];
        let mut keys = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let mut last = 0;
            part.cells(&mut |cell| {
                cell.place.1.iter().filter(|&&arg| arg != NONE).for_each(|&arg| last = last.max(arg + 1));
                if cell.view > 0 {
                    last = last.max(orders.nodes[usize::from(cell.view) - 1].process + 1);
                }
            });
            match part {
                Part::Process(_, by, _) | Part::NotFrom(_, by) => last = last.max(by + 1),
                Part::Before(one, two) => last = last.max(one + 1).max(two + 1),
                Part::Constructor(cell, value, true) => keys.push(key(*cell, u32::from(*value))),
                Part::Over(_, write) => last = last.max(orders.nodes[usize::from(*write) - 1].process + 1),
                Part::Constructor(..) | Part::Same(..) | Part::Number(..) => {}
            }
            stages[usize::from(last)].push(at);
        }
        // Numbers cost the most.
        for stage in &mut stages {
            stage.sort_by_key(|&at| matches!(parts[at], Part::Number(..)));
        }
        Pattern { processes, parts, orders, stages, keys }
    }

    /// Its conditions about its own processes.
    pub(super) fn facts(&self, world: &World<'_>, views: &[u8]) -> Vec<Fact> {
        let processes: Vec<u8> = (0..self.processes).collect();
        self.parts.iter().map(|part| part.fact(world, &processes, views)).collect()
    }

    /// Whether all states with these facts and this order are among those of the cube.
    pub(super) fn covers(&self, world: &World<'_>, facts: &Facts, orders: &Orders, keys: &[u64]) -> bool {
        if self.processes > world.named
            || self.orders.nodes.len() > orders.nodes.len()
            || !self.keys.iter().all(|key| keys.binary_search(key).is_ok())
        {
            return false;
        }
        let mut found = Match {
            pattern: self,
            world,
            facts,
            orders,
            processes: vec![NONE; usize::from(self.processes)],
            views: vec![NONE; self.orders.nodes.len()],
        };
        found.parts_hold(0) && found.choose(0)
    }
}

/// What a set of states says of some cell.
pub(super) fn keys(facts: &Facts) -> Vec<u64> {
    let mut keys: Vec<u64> = facts
        .sets()
        .filter(|(_, set)| set.count_ones() == 1)
        .map(|(cell, set)| key(cell, set.trailing_zeros()))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

struct Match<'a> {
    pattern: &'a Pattern,
    world: &'a World<'a>,
    facts: &'a Facts,
    orders: &'a Orders,
    processes: Vec<u8>,
    views: Vec<u8>,
}

impl Match<'_> {
    fn parts_hold(&self, stage: usize) -> bool {
        self.pattern.stages[stage].iter().all(|&at| {
            let fact = self.pattern.parts[at].fact(self.world, &self.processes, &self.views);
            self.facts.implies(self.world, &fact)
        })
    }

    /// Chooses who stands for a process of the cube, and for those behind it.
    fn choose(&mut self, at: u8) -> bool {
        if at == self.pattern.processes {
            return self.order_holds();
        }
        for process in 0..self.world.named {
            let wrong = (at < self.world.fixed || process < self.world.fixed) && at != process;
            if wrong || self.processes[..usize::from(at)].contains(&process) {
                continue;
            }
            self.processes[usize::from(at)] = process;
            if self.choose_read(at, 0) {
                return true;
            }
        }
        self.processes[usize::from(at)] = NONE;
        false
    }

    /// Chooses what stands for the reads of a process.
    fn choose_read(&mut self, process: u8, from: usize) -> bool {
        let nodes = &self.pattern.orders.nodes;
        let Some(at) = (from..nodes.len()).find(|&at| nodes[at].process == process) else {
            return self.parts_hold(usize::from(process) + 1) && self.choose(process + 1);
        };
        for (number, node) in self.orders.nodes.iter().enumerate() {
            let view = number as u8 + 1;
            if node.process == self.processes[usize::from(process)] && !self.views.contains(&view) {
                self.views[at] = view;
                if self.choose_read(process, at + 1) {
                    return true;
                }
            }
        }
        self.views[at] = NONE;
        false
    }

    /// Whether the order says at least what the cube's order says.
    fn order_holds(&self) -> bool {
        let mine = &self.pattern.orders;
        let other = |at: usize| usize::from(self.views[at]) - 1;
        let same = |one: usize, two: usize| one == two || self.orders.edges[one][two];
        (0..mine.nodes.len()).all(|from| {
            let edges = (0..mine.nodes.len()).filter(|&to| mine.edges[from][to]);
            let mut hooks = mine.nodes[from].hooks.iter().map(|&hook| renamed_hook(hook, &self.processes));
            edges.into_iter().all(|to| same(other(from), other(to)))
                && hooks.all(|hook| self.orders.nodes[other(from)].hooks.contains(&hook))
        })
    }
}

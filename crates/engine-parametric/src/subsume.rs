//! Subsumption: whether all states of a cube are states of another one, for some renaming of processes and events.

use crate::cube::{Cell, Cube, Lit, NONE, Val};
use crate::linear::{self, Linear};
use system::{System, Type};

/// A cube prepared to be compared with many.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub cube: Cube,
    /// For each number of processes that have been chosen, the literals that can be looked at then.
    stages: Vec<Vec<usize>>,
}

impl Pattern {
    pub(crate) fn new(cube: Cube) -> Pattern {
        let mut stages = vec![Vec::new(); usize::from(cube.processes) + 1];
        for (at, lit) in cube.lits.iter().enumerate() {
            let mut stage = 0;
            lit.processes(&mut |process| stage = stage.max(usize::from(process) + 1));
            lit.events(&mut |event| {
                stage = stage.max(usize::from(cube.events[usize::from(event) - 1].process) + 1);
            });
            stages[stage].push(at);
        }
        Pattern { cube, stages }
    }

    /// Whether `other` has no states but those of this cube.
    pub(crate) fn covers(&self, system: &System, other: &Cube, fixed: u8) -> bool {
        let mine = &self.cube;
        if mine.signature & !other.signature != 0
            || mine.processes > other.processes
            || mine.events.len() > other.events.len()
        {
            return false;
        }
        let mut search = Match {
            system,
            pattern: self,
            other,
            fixed,
            processes: vec![NONE; usize::from(mine.processes)],
            events: vec![NONE; mine.events.len()],
            used: 0,
            numbers: None,
        };
        search.stage(0) && search.process(0)
    }
}

struct Match<'a> {
    system: &'a System,
    pattern: &'a Pattern,
    other: &'a Cube,
    fixed: u8,
    processes: Vec<u8>,
    events: Vec<u8>,
    /// The other's events that are taken.
    used: u64,
    numbers: Option<Vec<Linear>>,
}

impl Match<'_> {
    /// Chooses a partner for the process with this number and all behind it.
    fn process(&mut self, at: u8) -> bool {
        if at == self.pattern.cube.processes {
            return self.order() && self.numbers();
        }
        for partner in 0..self.other.processes {
            let wrong = (at < self.fixed || partner < self.fixed) && at != partner;
            let lacking = self.pattern.cube.profiles[usize::from(at)] & !self.other.profiles[usize::from(partner)] != 0;
            if wrong || lacking || self.processes[..usize::from(at)].contains(&partner) {
                continue;
            }
            self.processes[usize::from(at)] = partner;
            if self.event(0, at) {
                return true;
            }
        }
        self.processes[usize::from(at)] = NONE;
        false
    }

    /// Chooses partners for the events of a process.
    fn event(&mut self, from: usize, process: u8) -> bool {
        let cube = &self.pattern.cube;
        let Some(at) = (from..cube.events.len()).find(|&at| cube.events[at].process == process) else {
            return self.stage(usize::from(process) + 1) && self.process(process + 1);
        };
        for partner in 0..self.other.events.len() {
            let free = self.used & (1 << partner) == 0;
            if !free || self.other.events[partner].process != self.processes[usize::from(process)] {
                continue;
            }
            self.events[at] = partner as u8;
            self.used |= 1 << partner;
            if self.event(at + 1, process) {
                return true;
            }
            self.used &= !(1 << partner);
        }
        self.events[at] = NONE;
        false
    }

    /// Whether the literals about the chosen processes hold; numbers are left for the end.
    fn stage(&self, stage: usize) -> bool {
        self.pattern.stages[stage].iter().all(|&at| {
            let lit = &self.pattern.cube.lits[at];
            matches!(lit, Lit::Number(_)) || self.holds(&lit.renamed(&self.processes, &self.events))
        })
    }

    fn value(&self, cell: Cell) -> Option<Val> {
        let lits = &self.other.lits;
        let at = lits.partition_point(|lit| *lit < Lit::Is(cell, Val::Con(0), false));
        lits[at..]
            .iter()
            .take_while(|lit| matches!(lit, Lit::Is(of, _, _) if *of == cell))
            .find_map(|lit| if let Lit::Is(_, value, true) = lit { Some(*value) } else { None })
    }

    fn has(&self, lit: &Lit) -> bool {
        self.other.lits.binary_search(lit).is_ok()
    }

    fn holds(&self, lit: &Lit) -> bool {
        if self.has(lit) {
            return true;
        }
        match lit {
            Lit::Is(cell, value, false) => self.value(*cell).is_some_and(|known| known != *value),
            Lit::Same(one, two, sign) => match (self.value(*one), self.value(*two)) {
                (Some(one), Some(two)) => (one == two) == *sign,
                (Some(value), None) => !sign && self.has(&Lit::Is(*two, value, false)),
                (None, Some(value)) => !sign && self.has(&Lit::Is(*one, value, false)),
                (None, None) => false,
            },
            Lit::Is(_, _, true) | Lit::Number(_) | Lit::Before(..) | Lit::Over(..) | Lit::NotFrom(..) => false,
        }
    }

    /// Whether what comes before what in the pattern does so in the other.
    fn order(&self) -> bool {
        let cube = &self.pattern.cube;
        cube.events.iter().enumerate().all(|(at, event)| {
            let partner = &self.other.events[usize::from(self.events[at])];
            let after = (0..cube.events.len()).filter(|&later| event.after & (1 << later) != 0);
            let mut after = after.map(|later| self.events[later]);
            after.all(|later| partner.after & (1 << later) != 0)
                && event.hooks.iter().all(|hook| partner.has(hook.renamed(&self.processes)))
        })
    }

    fn numbers(&mut self) -> bool {
        for lit in &self.pattern.cube.lits {
            let Lit::Number(_) = lit else { continue };
            let lit = lit.renamed(&self.processes, &self.events);
            if self.has(&lit) {
                continue;
            }
            let Lit::Number(linear) = lit else { return false };
            let known = self.numbers.get_or_insert_with(|| {
                let of = |lit: &Lit| if let Lit::Number(linear) = lit { Some(linear.clone()) } else { None };
                self.other.lits.iter().filter_map(of).collect()
            });
            let whole = |cell: Cell| self.system.symbols[usize::from(cell.symbol)].ty == Type::Int;
            if known.is_empty() || !linear::implies(known, &linear, &whole) {
                return false;
            }
        }
        true
    }
}

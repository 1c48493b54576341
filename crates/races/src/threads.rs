//! The threads of a program as classes: `main`, and one for each instruction that starts threads.

use crate::At;
use crate::graph::cyclic;
use crate::points::{Points, instructions};
use ir::{FunctionId, Op, Program, System};
use std::collections::{BTreeMap, BTreeSet};

/// A class of threads: 0 for `main`, one more than its number for an instruction that starts threads.
pub(crate) type Class = u32;

/// `main`.
pub(crate) const MAIN: Class = 0;

/// The classes, and what holds of each.
#[derive(Debug)]
pub(crate) struct Classes {
    /// What its threads run.
    pub roots: Vec<FunctionId>,
    /// Where its threads are started; `main` is nowhere.
    pub starts: Vec<Option<At>>,
    /// Whether there is one thread of it at most.
    pub single: Vec<bool>,
    /// The classes whose threads start its threads.
    pub parents: Vec<BTreeSet<Class>>,
    /// All that its threads start, and so on.
    pub descendants: Vec<BTreeSet<Class>>,
    /// For each function, which blocks lie on a cycle.
    cyclic: Vec<Vec<bool>>,
    /// For each function, the places where it is called.
    calls: BTreeMap<FunctionId, Vec<At>>,
}

impl Classes {
    pub fn new(program: &Program, points: &Points<'_>) -> Option<Self> {
        let [main] = &program.threads[..] else { return None };
        let mut roots = vec![main.body];
        let mut starts = vec![None];
        for &at in &points.spawns {
            if let Op::System(System::Spawn { function, .. }) = at.op(program) {
                roots.push(*function);
                starts.push(Some(at));
            }
        }
        let mut calls: BTreeMap<FunctionId, Vec<At>> = BTreeMap::new();
        for (at, op) in instructions(program) {
            if let Op::System(System::Call { function, .. }) = op {
                calls.entry(*function).or_default().push(at);
            }
        }
        let reach: Vec<BTreeSet<FunctionId>> = roots.iter().map(|&root| reachable(program, root)).collect();
        let count = roots.len();
        let mut parents = vec![BTreeSet::new(); count];
        for (class, start) in starts.iter().enumerate() {
            let Some(start) = start else { continue };
            let starters = (0..count).filter(|&other| reach[other].contains(&start.function));
            parents[class].extend(starters.map(|other| other as Class));
        }
        let mut descendants: Vec<BTreeSet<Class>> = vec![BTreeSet::new(); count];
        loop {
            let mut grew = false;
            for class in 0..count {
                for &parent in &parents[class] {
                    let mut more = descendants[class].clone();
                    more.insert(class as Class);
                    let own = &mut descendants[parent as usize];
                    let before = own.len();
                    own.extend(more);
                    grew |= own.len() != before;
                }
            }
            if !grew {
                break;
            }
        }
        let cyclic = program.functions.iter().map(cyclic).collect();
        let mut classes = Classes { roots, starts, single: vec![false; count], parents, descendants, cyclic, calls };
        for class in 0..count {
            classes.single[class] = classes.is_single(class, &mut BTreeSet::new());
        }
        Some(classes)
    }

    /// Whether an instruction is executed at most once in a run of the program.
    pub fn is_once(&self, at: At) -> bool {
        self.once(at, &mut BTreeSet::new())
    }

    fn once(&self, at: At, seen: &mut BTreeSet<FunctionId>) -> bool {
        if self.cyclic[at.function.index()][at.block.index()] || !seen.insert(at.function) {
            return false;
        }
        let calls = self.calls.get(&at.function).map_or(&[][..], Vec::as_slice);
        let started: Vec<usize> = (0..self.roots.len()).filter(|&class| self.roots[class] == at.function).collect();
        let once = match (calls, &started[..]) {
            ([call], []) => self.once(*call, seen),
            ([], [class]) => self.is_single(*class, seen),
            ([], []) => true,
            _ => false,
        };
        seen.remove(&at.function);
        once
    }

    fn is_single(&self, class: usize, seen: &mut BTreeSet<FunctionId>) -> bool {
        self.starts[class].is_none_or(|start| self.once(start, seen))
    }

    /// Whether threads of two classes, neither of which is `main`, may run at the same time. `alive` says which classes may have
    /// threads where the threads of a class are started, as their starter knows.
    pub fn parallel(&self, a: Class, b: Class, alive: &BTreeMap<At, BTreeSet<Class>>) -> bool {
        let (Some(first), Some(second)) = (self.ancestor(a), self.ancestor(b)) else { return true };
        if first == second {
            return a != b || !self.single[a as usize];
        }
        let at_start = |of: Class, other: Class| match self.starts[of as usize].and_then(|at| alive.get(&at)) {
            Some(alive) => alive.contains(&other),
            None => false,
        };
        at_start(second, a) || at_start(first, b)
    }

    /// The class that `main` starts and that a class descends from, if there is just one.
    fn ancestor(&self, class: Class) -> Option<Class> {
        let mut at = class;
        for _ in 0..self.roots.len() {
            let mut parents = self.parents[at as usize].iter();
            match (parents.next(), parents.next()) {
                (Some(&MAIN), None) => return Some(at),
                (Some(&parent), None) => at = parent,
                _ => return None,
            }
        }
        None
    }
}

fn reachable(program: &Program, root: FunctionId) -> BTreeSet<FunctionId> {
    let mut seen = BTreeSet::from([root]);
    let mut pending = vec![root];
    while let Some(function) = pending.pop() {
        let blocks = &program.functions[function.index()].blocks;
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            if let Op::System(System::Call { function, .. }) = &instr.op
                && seen.insert(*function)
            {
                pending.push(*function);
            }
        }
    }
    seen
}

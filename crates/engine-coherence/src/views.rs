//! View abstraction: any number of threads that are started at the same place, replicas of one template.
//!
//! A state with replicas is known by its *views*: memory, the threads that have numbers, and some replicas, at
//! most so many. Abdulla, Haziza and Holík, "All for the Price of Few" (VMCAI 2013). A state may be there if all its views
//! are. What a thread does depends on memory, on threads that have numbers, and on itself, so views are enough to go on:
//!
//! * A view goes on as a state does, when one of its own threads takes a step.
//! * It also changes when a thread outside takes a step that changes memory. Such a thread and the view are a state of
//!   one thread more. That is looked at if all its views are known.
//!
//! With each view there are all smaller ones: what is left when a replica is not looked at.

use crate::machine::{Machine, Replica};
use crate::search::{Beginning, Explored, Search};
use crate::space::{NOBODY, Space};
use engine::NoAnswer;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;
use stepper::Halt;

/// The number of what a view has besides replicas.
type Base = u32;

/// The number of a replica in some state. 0 is nobody.
type ReplicaId = u32;

/// How many replicas a view may have.
pub const LARGEST: usize = 3;

/// What a step leads to.
struct Move {
    to: Base,
    /// The replica that took it, unless it has ended, and those that it started.
    replicas: Vec<ReplicaId>,
}

/// What is known about a base.
#[derive(Default)]
struct BaseInfo {
    /// The steps of threads that have numbers.
    moves: Rc<[Move]>,
    /// Where replicas can lead to.
    targets: Vec<Target>,
    /// The views of full size that were visited.
    full: Vec<Group>,
}

/// Another base to which steps of replicas lead.
struct Target {
    to: Base,
    /// Whose steps.
    movers: Vec<ReplicaId>,
    /// The views of full size that none of them can join, as far as is known.
    open: Vec<Group>,
}

/// The views that were found: rows of a base and replicas in ascending order.
struct Views {
    space: Space,
    /// How many replicas a view has at most.
    view_size: usize,
    bases: IndexSet<Box<[u32]>, FxBuildHasher>,
    states: IndexSet<Replica, FxBuildHasher>,
    known: Vec<BaseInfo>,
    /// The steps of replicas.
    moves: FxHashMap<(Base, ReplicaId), Rc<[Move]>>,
    row: Vec<u32>,
}

impl Views {
    fn new(view_size: usize) -> Self {
        let mut states = IndexSet::default();
        states.insert([0, 0]);
        Views {
            space: Space::new(1 + view_size),
            view_size,
            bases: IndexSet::default(),
            states,
            known: Vec::new(),
            moves: FxHashMap::default(),
            row: Vec::new(),
        }
    }

    fn base(&mut self, row: Box<[u32]>) -> Base {
        let (at, new) = self.bases.insert_full(row);
        if new {
            self.known.push(BaseInfo::default());
        }
        at as Base
    }

    fn find(&mut self, base: Base, replicas: &[ReplicaId]) -> Option<u32> {
        self.row.clear();
        self.row.push(base);
        self.row.extend(replicas);
        self.row.resize(1 + self.view_size, 0);
        self.space.find(&self.row)
    }

    /// Adds a view and all smaller ones, those first.
    fn insert(&mut self, base: Base, replicas: &[ReplicaId]) {
        if self.find(base, replicas).is_some() {
            return;
        }
        for at in 0..replicas.len() {
            if at == 0 || replicas[at] != replicas[at - 1] {
                self.insert(base, &without(replicas, at));
            }
        }
        let mut row = vec![base];
        row.extend(replicas);
        row.resize(1 + self.view_size, 0);
        self.space.insert(&row, NOBODY, |_, word| word);
    }

    /// Adds the views of a state.
    fn insert_all(&mut self, base: Base, mut replicas: Vec<ReplicaId>) {
        replicas.sort_unstable();
        let size = self.view_size.min(replicas.len());
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            let view: Vec<ReplicaId> = chosen.iter().map(|&at| replicas[at]).collect();
            self.insert(base, &view);
            // The next selection of as many, in the order of positions.
            let Some(last) = (0..size).rev().find(|&at| chosen[at] < replicas.len() - size + at) else { break };
            chosen[last] += 1;
            (last + 1..size).for_each(|at| chosen[at] = chosen[at - 1] + 1);
        }
    }

    /// Whether a thread can be there besides those of a view, as far as views tell.
    fn is_joined(&mut self, base: Base, replicas: &[ReplicaId], other: ReplicaId) -> bool {
        (0..replicas.len()).all(|at| self.find(base, &with(&without(replicas, at), other)).is_some())
    }

    /// What becomes of a view of full size when a thread outside takes a step. Also of other views, if the step is that of
    /// a thread in this one.
    fn meet(&mut self, base: Base, replicas: Group) {
        let mut targets = std::mem::take(&mut self.known[base as usize].targets);
        for Target { to, movers, open } in &mut targets {
            if self.find(*to, &replicas).is_none() {
                if movers.iter().any(|&mover| self.is_joined(base, &replicas, mover)) {
                    self.insert(*to, &replicas);
                } else {
                    open.push(replicas);
                }
            }
            for (at, &mover) in replicas.iter().enumerate().filter(|(_, mover)| movers.contains(mover)) {
                let rest = without(&replicas, at);
                open.retain(|view| {
                    let joined = is_part(&rest, view) && self.is_joined(base, view, mover);
                    if joined {
                        self.insert(*to, view);
                    }
                    !joined
                });
            }
        }
        let known = &mut self.known[base as usize];
        known.targets = targets;
        known.full.push(replicas);
    }

    /// The steps that a machine has found.
    fn moves(&mut self, machine: &mut Machine<'_>) -> Rc<[Move]> {
        let arrivals = std::mem::take(&mut machine.arrivals);
        let steps = arrivals.into_iter().map(|(base, replicas)| Move {
            to: self.base(base),
            replicas: replicas.into_iter().map(|member| self.states.insert_full(member).0 as ReplicaId).collect(),
        });
        steps.collect()
    }

    /// Finds the steps of the smallest views; those of others follow from them.
    fn learn(&mut self, machine: &mut Machine<'_>, base: Base, replicas: &[ReplicaId]) -> Result<(), Halt> {
        let mut state = self.bases[base as usize].to_vec();
        match *replicas {
            [] => {
                machine.expand(&state)?;
                self.known[base as usize].moves = self.moves(machine);
            }
            [replica] => {
                state.extend(self.states[replica as usize]);
                machine.expand_one(&state, machine.world.knowledge.threads)?;
                let moves = self.moves(machine);
                let known = &mut self.known[base as usize];
                for to in moves.iter().map(|step| step.to).filter(|to| *to != base) {
                    match known.targets.iter_mut().find(|target| target.to == to) {
                        Some(target) if target.movers.contains(&replica) => {}
                        Some(target) => target.movers.push(replica),
                        None => known.targets.push(Target { to, movers: vec![replica], open: known.full.clone() }),
                    }
                }
                self.moves.insert((base, replica), moves);
            }
            _ => {}
        }
        Ok(())
    }

    /// What becomes of a view when one of its own threads takes a step.
    fn go_on(&mut self, base: Base, replicas: &[ReplicaId]) {
        for step in self.known[base as usize].moves.clone().iter() {
            self.insert_all(step.to, [replicas, &step.replicas].concat());
        }
        for (at, replica) in
            replicas.iter().enumerate().filter(|(at, replica)| *at == 0 || replicas[at - 1] != **replica)
        {
            let Some(moves) = self.moves.get(&(base, *replica)).cloned() else { continue };
            for step in moves.iter() {
                self.insert_all(step.to, [&without(replicas, at), &step.replicas[..]].concat());
            }
        }
    }

    /// Whether two threads of a view are in a critical section.
    fn two_inside(&self, machine: &Machine<'_>, base: Base, replicas: &[ReplicaId]) -> bool {
        let numbered = self.bases[base as usize][1..].iter().step_by(2).copied();
        let others = replicas.iter().map(|replica| self.states[*replica as usize][0]);
        numbered.chain(others).filter(|local| machine.is_inside(*local)).nth(1).is_some()
    }
}

/// A few replicas, in ascending order.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    all: [ReplicaId; LARGEST],
    count: usize,
}

impl std::ops::Deref for Group {
    type Target = [ReplicaId];

    fn deref(&self) -> &[ReplicaId] {
        &self.all[..self.count]
    }
}

/// Whether all threads of one group are in another.
fn is_part(part: &[ReplicaId], all: &[ReplicaId]) -> bool {
    let mut all = all.iter();
    part.iter().all(|replica| all.any(|other| other == replica))
}

fn group(replicas: &[ReplicaId]) -> Group {
    let mut group = Group { count: replicas.len(), ..Group::default() };
    group.all[..replicas.len()].copy_from_slice(replicas);
    group
}

fn without(replicas: &[ReplicaId], at: usize) -> Group {
    let mut group = Group { count: replicas.len() - 1, ..Group::default() };
    group.all[..at].copy_from_slice(&replicas[..at]);
    group.all[at..group.count].copy_from_slice(&replicas[at + 1..]);
    group
}

fn with(replicas: &[ReplicaId], other: ReplicaId) -> Group {
    let at = replicas.partition_point(|replica| *replica < other);
    let mut group = Group { count: replicas.len() + 1, ..Group::default() };
    group.all[..at].copy_from_slice(&replicas[..at]);
    group.all[at] = other;
    group.all[at + 1..group.count].copy_from_slice(&replicas[at..]);
    group
}

impl Search<'_> {
    /// Visits all views, up to so many. A failure has no path: what views allow need not happen.
    pub fn explore_views(
        &mut self,
        machine: &mut Machine<'_>,
        beginning: &Beginning,
        budget: usize,
    ) -> Result<Result<Explored, Halt>, NoAnswer> {
        let first = match machine.start(beginning.local.clone()) {
            Ok(first) => first,
            Err(halt) => return Ok(Err(halt)),
        };
        if machine.failure.take().is_some() {
            return Ok(Ok(Explored::Failure(Vec::new())));
        }
        let mut views = Views::new(self.view_size);
        let base = views.base(first.into());
        views.insert(base, &[]);
        let (mut next, mut pulse) = (0u32, self.pulse());
        let outcome = loop {
            if next as usize >= views.space.len() {
                break Explored::Done { exact: !machine.buffers.abstracted };
            }
            if views.space.len() > budget {
                break Explored::Budget { exact: false };
            }
            if next.is_multiple_of(64) {
                pulse.beat(&views.space)?;
            }
            let row = views.space.row(next).to_vec();
            next += 1;
            let (base, replicas) = (row[0], row[1..].split(|replica| *replica == 0).next().unwrap_or_default());
            if let Err(halt) = views.learn(machine, base, replicas) {
                return Ok(Err(halt));
            }
            if machine.failure.take().is_some() || views.two_inside(machine, base, replicas) {
                break Explored::Failure(Vec::new());
            }
            views.go_on(base, replicas);
            if replicas.len() == views.view_size {
                views.meet(base, group(replicas));
            }
        };
        self.count(&views.space, machine);
        Ok(Ok(outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_views_come_first() {
        let mut views = Views::new(2);
        views.insert_all(7, vec![2, 1, 1]);
        let mut at = |replicas: &[ReplicaId]| views.find(7, replicas);
        assert!(at(&[]).is_some() && at(&[]) < at(&[1]) && at(&[1]) < at(&[1, 2]) && at(&[2]) < at(&[1, 2]));
        assert!(at(&[1, 1]).is_some() && at(&[2, 2]).is_none());
        assert_eq!(views.space.len(), 5);
    }

    /// Two bases, and a step of thread 1 from the first to the second.
    fn two(view_size: usize, seen: &[&[ReplicaId]]) -> Views {
        let mut views = Views::new(view_size);
        let (from, to) = (views.base([0].into()), views.base([1].into()));
        seen.iter().for_each(|replicas| views.insert(from, replicas));
        let known = &mut views.known[from as usize];
        known.targets = vec![Target { to, movers: vec![1], open: Vec::new() }];
        views
    }

    #[test]
    fn others_see_what_a_thread_does() {
        let mut views = two(1, &[&[1], &[2]]);
        views.meet(0, group(&[2]));
        assert!(views.find(1, &[2]).is_some() && views.find(1, &[1]).is_none());
        // Another thread may be in the same state.
        views.meet(0, group(&[1]));
        assert!(views.find(1, &[1]).is_some());
    }

    #[test]
    fn a_thread_that_cannot_be_there_does_nothing() {
        let mut views = two(2, &[&[1, 2], &[2, 2]]);
        views.meet(0, group(&[2, 2]));
        assert!(views.find(1, &[2, 2]).is_some());
        let mut views = two(2, &[&[1], &[2, 2]]);
        views.meet(0, group(&[2, 2]));
        assert!(views.find(1, &[2, 2]).is_none());
        // The last view to be visited looks at what the others waited for.
        views.insert(0, &[1, 2]);
        views.meet(0, group(&[1, 2]));
        assert!(views.find(1, &[2, 2]).is_some() && views.find(1, &[1, 2]).is_none());
    }
}

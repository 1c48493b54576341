//! Crowds: any number of threads that are started at the same place.
//!
//! A state with a crowd is known by its *views*: memory, the threads that have numbers, and some threads of the crowd, at
//! most so many. Abdulla, Haziza and Holík, "All for the Price of Few" (VMCAI 2013). A state may be there if all its views
//! are. What a thread does depends on memory and on itself only, so views are enough to go on:
//!
//! * A view goes on as a state does, when one of its own threads takes a step.
//! * It also changes when a thread outside takes a step that changes memory. Such a thread and the view are a state of
//!   one thread more. That is looked at if all its views are known.
//!
//! With each view there are all smaller ones: what is left when a thread of the crowd is not looked at.

use crate::machine::{Machine, Step};
use crate::search::{Beginning, Outcome, Search};
use crate::space::{NOBODY, Space};
use crate::world::Halt;
use engine::NoAnswer;
use rustc_hash::FxHashMap;

/// A thread of a crowd: its state and its buffer.
type Member = [u32; 2];

/// The views that were found.
struct Views {
    space: Space,
    /// How many numbers are about memory and threads that have numbers.
    prefix: usize,
    /// How many threads of crowds a view has at most.
    company: usize,
    /// The threads that are with such a prefix, by the views of one thread that were visited.
    members: FxHashMap<Box<[u32]>, Vec<Member>>,
    /// For views of one thread: the prefixes that its steps lead to, other than its own.
    moves: FxHashMap<u32, Vec<Box<[u32]>>>,
}

impl Views {
    fn new(prefix: usize, company: usize) -> Self {
        let space = Space::new(prefix + 2 * company);
        Views { space, prefix, company, members: FxHashMap::default(), moves: FxHashMap::default() }
    }

    fn row(&self, prefix: &[u32], crowd: &[Member]) -> Vec<u32> {
        let mut row = prefix.to_vec();
        row.extend(crowd.iter().flatten());
        row.resize(self.prefix + 2 * self.company, 0);
        row
    }

    /// The threads of crowds in a view.
    fn crowd(&self, row: &[u32]) -> Vec<Member> {
        row[self.prefix..].chunks_exact(2).map(|own| [own[0], own[1]]).filter(|own| own[0] != 0).collect()
    }

    /// Adds a view and all smaller ones, those first.
    fn insert(&mut self, row: &[u32]) {
        if self.space.find(row).is_some() {
            return;
        }
        let crowd = self.crowd(row);
        for (_, rest) in without_one(&crowd) {
            let smaller = self.row(&row[..self.prefix], &rest);
            self.insert(&smaller);
        }
        self.space.insert(row, NOBODY, |_, word| word);
    }

    /// A view that was visited and each thread that can be there besides: what the others see when one of them takes a step.
    fn meet(&mut self, at: u32) {
        let row = self.space.row(at).to_vec();
        let (prefix, crowd) = (&row[..self.prefix], self.crowd(&row));
        let others = self.members.get(prefix).cloned().unwrap_or_default();
        for other in others {
            let mut all = crowd.clone();
            all.insert(all.partition_point(|own| *own < other), other);
            let parts = without_one(&all);
            // The last of its views to be visited is the one that looks at it.
            let known = |rest: &Vec<Member>| self.space.find(&self.row(prefix, rest)).is_some_and(|known| known <= at);
            if !parts.iter().all(|(_, rest)| known(rest)) {
                continue;
            }
            for (mover, rest) in &parts {
                let Some(single) = self.space.find(&self.row(prefix, &[*mover])) else { continue };
                for to in self.moves.get(&single).cloned().unwrap_or_default() {
                    let seen = self.row(&to, rest);
                    self.insert(&seen);
                }
            }
        }
    }
}

/// The ways to take one thread out: it, and the rest.
fn without_one(crowd: &[Member]) -> Vec<(Member, Vec<Member>)> {
    let mut ways: Vec<(Member, Vec<Member>)> = Vec::new();
    for (at, &one) in crowd.iter().enumerate() {
        if ways.last().is_none_or(|(last, _)| *last != one) {
            ways.push((one, [&crowd[..at], &crowd[at + 1..]].concat()));
        }
    }
    ways
}

impl Search<'_> {
    /// Visits all views, up to so many. A failure has no path: what views allow need not happen.
    pub fn explore_views(
        &mut self,
        machine: &mut Machine<'_>,
        beginning: &Beginning,
        budget: usize,
    ) -> Result<Result<Outcome, Halt>, NoAnswer> {
        let first = match machine.start(beginning.local.clone()) {
            Ok(first) => first,
            Err(halt) => return Ok(Err(halt)),
        };
        let mut views = Views::new(machine.prefix(), self.company);
        views.insert(&first);
        let mut next: u32 = 0;
        let mut pulse = self.pulse();
        let outcome = loop {
            if next as usize >= views.space.len() {
                break Outcome::Done { exact: !machine.buffers.abstracted };
            }
            if views.space.len() > budget {
                break Outcome::Budget;
            }
            let at = next;
            next += 1;
            if at.is_multiple_of(64) {
                pulse.beat(&views.space)?;
            }
            let row = views.space.row(at).to_vec();
            if let Err(halt) = machine.expand(&row) {
                return Ok(Err(halt));
            }
            if machine.failure.take().is_some() {
                break Outcome::Failure(Vec::new());
            }
            let (prefix, crowd) = (&row[..views.prefix], views.crowd(&row));
            let found = std::mem::take(&mut machine.found);
            if let [member] = crowd[..] {
                let numbered = machine.world.knowledge.threads;
                let own = |step: &Step| match step {
                    Step::Run(thread, _) | Step::Flush(thread, _) => *thread >= numbered,
                };
                let rows = found.chunks_exact(row.len()).zip(&machine.steps).filter(|(_, step)| own(step));
                let mut to: Vec<Box<[u32]>> = rows.map(|(to, _)| to[..views.prefix].into()).collect();
                to.retain(|to| **to != *prefix);
                to.sort_unstable();
                to.dedup();
                views.moves.insert(at, to);
                views.members.entry(prefix.into()).or_default().push(member);
            }
            found.chunks_exact(row.len()).for_each(|row| views.insert(row));
            machine.found = found;
            if crowd.len() == views.company {
                views.meet(at);
            }
        };
        self.count(&views.space, machine);
        Ok(Ok(outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Member = [1, 0];
    const B: Member = [2, 0];

    #[test]
    fn smaller_views_come_first() {
        let mut views = Views::new(1, 2);
        views.insert(&[7, 1, 0, 2, 0]);
        let at = |crowd: &[Member]| views.space.find(&views.row(&[7], crowd));
        assert_eq!(views.space.len(), 4);
        assert!(at(&[]) < at(&[A]) && at(&[A]) < at(&[A, B]) && at(&[B]) < at(&[A, B]));
        assert_eq!(at(&[A, A]), None);
    }

    #[test]
    fn others_see_what_a_thread_does_if_it_can_be_there() {
        let mut views = Views::new(1, 1);
        views.insert(&[7, 1, 0]);
        views.insert(&[7, 2, 0]);
        let at = |views: &Views, crowd: &[Member]| views.space.find(&views.row(&[7], crowd)).expect("it is there");
        let (a, b) = (at(&views, &[A]), at(&views, &[B]));
        views.members.insert([7].into(), vec![A, B]);
        views.moves.insert(a, vec![[8].into()]);
        views.meet(b);
        assert_eq!(views.space.find(&[8, 2, 0]).is_some(), true);
        // Two threads in the same state.
        assert_eq!(views.space.find(&[8, 1, 0]), None);
        views.meet(a);
        assert_eq!(views.space.find(&[8, 1, 0]).is_some(), true);
    }
}

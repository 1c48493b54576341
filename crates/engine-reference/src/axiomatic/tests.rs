//! The relations that the traces carry are those that the checker computes by itself.

use super::candidate::Candidate;
use super::trace::Trace;
use super::{Layout, Loops, all_traces};
use engine::{Options, Unobserved};
use ir::State;
use model::{EventSet, Structure};
use std::collections::BTreeMap;
use testkit::{Config, generate};

/// What a structure says besides reads-from and coherence, as text.
fn content(structure: &Structure) -> String {
    let Structure { size, threads, reads, writes, fences, initial, tags, po, addr, data, ctrl, rmw, amo, loc, .. } =
        structure;
    let tags: BTreeMap<_, Vec<usize>> = tags.iter().map(|(tag, set)| (tag, EventSet::iter(set).collect())).collect();
    let sets = [reads, writes, fences, initial].map(|set| set.iter().collect::<Vec<_>>());
    let relations = [po, addr, data, ctrl, rmw, amo, loc].map(|relation| relation.iter().collect::<Vec<_>>());
    format!("{size} {threads:?} {tags:?}\n{sets:?}\n{relations:?}")
}

#[test]
fn relations_are_those_of_the_checker() {
    let mut pairs = [0; 3];
    for seed in 0..300 {
        let program = generate(seed, &Config { accesses: 8, ..Config::default() });
        let layout = Layout::new(&program);
        let options = Options::default();
        let loops = Loops::new(&program, &options);
        let threads = all_traces(&program, (&layout, &loops), &Unobserved).unwrap();
        let most = threads.iter().map(|traces| traces.all.len()).max().unwrap_or(0);
        for at in 0..most {
            // Every trace of every thread takes its turn; most of these choices have no reads-from, and are dropped.
            let chosen: Vec<&Trace> = threads.iter().map(|traces| &traces.all[at % traces.all.len()]).collect();
            let Some(candidate) = Candidate::new(&layout, &chosen) else { continue };
            let own = candidate.structure(&program);
            let orders = candidate.orders();
            let first: Vec<&Vec<usize>> = orders.iter().map(|orders| &orders[0]).collect();
            let sources = candidate.sources().next().unwrap();
            let execution = candidate.execution(&sources, &first, State::new());
            let checked = witness::structure(&program, &execution).unwrap_or_else(|flaw| panic!("{flaw}\n{program}"));
            assert_eq!(content(&own), content(&checked), "seed {seed}\n{program}");
            let counts = [&own.addr, &own.data, &own.ctrl].map(|relation| relation.iter().count());
            pairs.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    assert!(pairs.iter().all(|&count| count > 100), "address, data, control dependencies: {pairs:?}");
}

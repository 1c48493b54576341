//! Graphs that must have no cycle, against a search for cycles edge by edge.

use logic::{OrderGraph, Solver};
use testkit::Rng;

/// Whether a path leads from a node to another one.
fn leads(edges: &[(u32, u32)], from: u32, to: u32) -> bool {
    let (mut seen, mut at) = (vec![from], 0);
    while let Some(&node) = seen.get(at) {
        at += 1;
        for &(_, next) in edges.iter().filter(|edge| edge.0 == node) {
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
    }
    seen.contains(&to)
}

#[test]
fn impossible_edges_go_against_the_fixed_ones() {
    let mut rng = Rng::new(11);
    let mut found = 0;
    for round in 0..60 {
        let (mut graph, mut solver) = (OrderGraph::new(), Solver::new());
        // More ends than are looked at together.
        let nodes = 5 + rng.below(200) as u32;
        for node in 0..nodes {
            assert_eq!(graph.node(), node);
        }
        let mut any = || rng.below(nodes as usize) as u32;
        let forward = round % 3 != 0;
        let mut fixed: Vec<(u32, u32)> = (0..2 * nodes).map(|_| (any(), any())).collect();
        if forward {
            fixed.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
            fixed.retain(|edge| edge.0 != edge.1);
        }
        let edges: Vec<(u32, u32)> = (0..2 * nodes).map(|_| (any(), any())).collect();
        fixed.iter().for_each(|&(from, to)| graph.add_fixed(from, to));
        let mut expected = Vec::new();
        for &(from, to) in &edges {
            let literal = solver.fresh();
            graph.add(from, to, literal);
            if leads(&fixed, to, from) {
                expected.push(literal);
            }
        }
        found += expected.len();
        assert_eq!(graph.impossible(), expected, "round {round}");
    }
    assert!(found > 1000, "only {found} edges that cannot be");
}

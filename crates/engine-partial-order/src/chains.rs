//! Program order in a graph: chains of nodes along the threads.
//!
//! An event gets on the chain of its thread behind itself, and off it before later ones. That is linear in the events,
//! where the pairs would be quadratic. Links lead from chain to chain.

use crate::graph::{Ends, Layer, Product};
use logic::Bool;
use rustc_hash::FxHashMap;

/// An event that can get on or off a chain: its position in the thread, and when it can.
struct Stop {
    position: u32,
    event: usize,
    here: Bool,
}

impl Product<'_, '_, '_> {
    /// Program order: one chain per thread.
    pub(crate) fn program_order(&mut self, p: Layer, q: Layer, ends: &Ends) {
        let threads = 0..self.events.structure.threads.len();
        let stops = threads.map(|thread| {
            let events = self.events.structure.threads[thread].iter().enumerate();
            events.map(|(at, &event)| Stop { position: at as u32, event: event as usize, here: Bool::TRUE }).collect()
        });
        let stops: Vec<Vec<Stop>> = stops.collect();
        self.chains(&stops, p, q, ends);
    }

    /// Program order between accesses of one location: one chain per location and thread.
    pub(crate) fn program_order_by_location(&mut self, p: Layer, q: Layer, ends: &Ends) {
        for location in 0..self.events.accesses.len() {
            let mut stops: Vec<Vec<Stop>> = self.events.structure.threads.iter().map(|_| Vec::new()).collect();
            for &(event, here) in &self.events.accesses[location] {
                if let Some((thread, position)) = self.events.order.place(event) {
                    stops[thread as usize].push(Stop { position, event, here });
                }
            }
            stops.iter_mut().for_each(|stops| stops.sort_by_key(|stop| stop.position));
            self.chains(&stops, p, q, ends);
        }
    }

    fn chains(&mut self, stops: &[Vec<Stop>], p: Layer, q: Layer, ends: &Ends) {
        let can =
            |event: usize, set| self.events.guard(event) != Bool::FALSE && self.allowed(event, set) != Bool::FALSE;
        let all = || stops.iter().flatten();
        let used = all().any(|stop| can(stop.event, &ends.from)) && all().any(|stop| can(stop.event, &ends.to));
        if !used {
            return;
        }
        let links = self.events.order.links().to_vec();
        let mut ports: Vec<Vec<(u32, usize, bool)>> = vec![Vec::new(); stops.len()];
        for (number, link) in links.iter().enumerate() {
            ports[link.from.0 as usize].push((link.from.1, number, false));
            ports[link.to.0 as usize].push((link.to.1, number, true));
        }
        let mut left: FxHashMap<usize, u32> = FxHashMap::default();
        let mut reached: FxHashMap<usize, u32> = FxHashMap::default();
        for (stops, ports) in stops.iter().zip(&mut ports) {
            ports.sort_unstable();
            self.chain(stops, ports, (p, q), ends, (&mut left, &mut reached));
        }
        for (number, link) in links.iter().enumerate() {
            if let (Some(&from), Some(&to)) = (left.get(&number), reached.get(&number)) {
                self.edge(from, to, link.when);
            }
        }
    }

    /// A chain along a thread. The ports are the positions and numbers of the links that begin or end (then true) here;
    /// the nodes that they leave and reach go into the tables.
    fn chain(
        &mut self,
        stops: &[Stop],
        ports: &[(u32, usize, bool)],
        (p, q): (Layer, Layer),
        ends: &Ends,
        (left, reached): (&mut FxHashMap<usize, u32>, &mut FxHashMap<usize, u32>),
    ) {
        let mut link: Option<u32> = None;
        let mut ports = ports.iter().copied().peekable();
        // The unit that the last event belongs to, and its edges onto the chain, which it gets on when it is over.
        let mut unit: Option<usize> = None;
        let mut boarding: Vec<(u32, Bool)> = Vec::new();
        for at in 0..=stops.len() {
            let stop = stops.get(at).filter(|stop| self.events.guard(stop.event) != Bool::FALSE);
            if at < stops.len() && stop.is_none() {
                continue;
            }
            let next = stop.and_then(|stop| self.unit(stop.event));
            if unit.is_none() || unit != next {
                self.board(&mut link, &mut boarding);
            }
            while let Some((_, number, ends_here)) =
                ports.next_if(|port| stop.is_none_or(|stop| port.0 <= stop.position))
            {
                if ends_here {
                    let entry = self.graph.node();
                    if let Some(link) = link {
                        self.graph.add_fixed(link, entry);
                    }
                    reached.insert(number, entry);
                    link = Some(entry);
                } else if let Some(link) = link {
                    left.insert(number, link);
                }
            }
            let Some(&Stop { event, here, .. }) = stop else { continue };
            unit = next;
            let guard = self.events.guard(event);
            let off = self.allowed(event, &ends.to);
            if let Some(link) = link
                && off != Bool::FALSE
            {
                let condition = self.events.terms().all([off, here, guard]);
                let node = self.node(q, event);
                self.edge(link, node, condition);
            }
            let on = self.allowed(event, &ends.from);
            let departure = self.departure(p, event);
            let condition = self.events.terms().all([on, here, departure]);
            if condition != Bool::FALSE {
                let node = self.node(p, event);
                boarding.push((node, condition));
            }
        }
    }

    /// Those who wait get on: behind a new link of the chain.
    fn board(&mut self, link: &mut Option<u32>, boarding: &mut Vec<(u32, Bool)>) {
        if boarding.is_empty() {
            return;
        }
        let next = self.graph.node();
        if let Some(link) = *link {
            self.graph.add_fixed(link, next);
        }
        for (node, condition) in boarding.drain(..) {
            self.edge(node, next, condition);
        }
        *link = Some(next);
    }
}

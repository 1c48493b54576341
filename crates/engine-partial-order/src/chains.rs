//! Program order in a graph: chains of nodes along the threads.
//!
//! An event gets on the chain of its thread behind itself, and off it before later ones. That is linear in the events,
//! where the pairs would be quadratic. Links lead from chain to chain.

use crate::events::WriteChain;
use crate::graph::{Ends, HOME, Layer, Product};
use logic::Bool;
use rustc_hash::FxHashMap;
use symbolic::Link;

/// An event that can get on or off a chain: its position in the thread, and when it can do either.
struct Stop {
    position: u32,
    event: usize,
    on: Bool,
    off: Bool,
}

impl Product<'_, '_, '_> {
    /// Program order: one chain per thread.
    pub(crate) fn program_order(&mut self, p: Layer, q: Layer, ends: &Ends) {
        let threads = 0..self.events.structure.threads.len();
        let stops = threads.map(|thread| {
            let events = self.events.structure.threads[thread].iter().enumerate();
            let stop = |(at, &event): (usize, &u32)| Stop {
                position: at as u32,
                event: event as usize,
                on: Bool::TRUE,
                off: Bool::TRUE,
            };
            events.map(stop).collect()
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
                    stops[thread as usize].push(Stop { position, event, on: here, off: here });
                }
            }
            stops.iter_mut().for_each(|stops| stops.sort_by_key(|stop| stop.position));
            self.chains(&stops, p, q, ends);
        }
    }

    /// Coherence along chains of writes: from those that `boards` says, initial writes among them, to those that `leaves` says.
    pub(crate) fn write_chains(
        &mut self,
        (p, q): (Layer, Layer),
        ends: &Ends,
        boards: &dyn Fn(&Self, usize, u32) -> bool,
        leaves: &dyn Fn(&Self, usize) -> bool,
    ) {
        for at in 0..self.events.chains.len() {
            let WriteChain { location, thread, writes } = self.events.chains[at].clone();
            let when = |holds: bool| if holds { Bool::TRUE } else { Bool::FALSE };
            let stop = |&(position, event): &(u32, usize)| {
                let (on, off) = (when(boards(self, event, thread)), when(leaves(self, event)));
                Stop { position, event, on, off }
            };
            let stops: Vec<Stop> = writes.iter().map(stop).collect();
            // An initial write has the number of its location.
            let from_start = boards(self, location, thread) && self.allowed(location, &ends.from) != Bool::FALSE;
            let last_off = stops.iter().rposition(|stop| stop.off == Bool::TRUE);
            let first_on = stops.iter().position(|stop| stop.on == Bool::TRUE);
            let used = match (first_on, last_off) {
                (_, Some(_)) if from_start => true,
                (Some(on), Some(off)) => on < off,
                (None, _) | (_, None) => false,
            };
            if !used {
                continue;
            }
            let start = from_start.then(|| {
                let (node, start) = (self.node(p, location), self.graph.node());
                let allowed = self.allowed(location, &ends.from);
                self.edge(node, start, allowed);
                start
            });
            let (mut left, mut reached) = (FxHashMap::default(), FxHashMap::default());
            // Only in the first layer are the events of a unit one.
            let units = p == HOME && q == HOME;
            self.chain((start, units), &stops, &[], (p, q), ends, (&mut left, &mut reached));
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
        let links = self.useful_links(stops, ends);
        let mut ports: Vec<Vec<(u32, usize, bool)>> = vec![Vec::new(); stops.len()];
        for (number, link) in links.iter().enumerate() {
            ports[link.from.0 as usize].push((link.from.1, number, false));
            ports[link.to.0 as usize].push((link.to.1, number, true));
        }
        let mut left: FxHashMap<usize, u32> = FxHashMap::default();
        let mut reached: FxHashMap<usize, u32> = FxHashMap::default();
        for (stops, ports) in stops.iter().zip(&mut ports) {
            if ports.is_empty() && stops.len() < 2 {
                continue;
            }
            ports.sort_unstable();
            self.chain((None, true), stops, ports, (p, q), ends, (&mut left, &mut reached));
        }
        for (number, link) in links.iter().enumerate() {
            if let (Some(&from), Some(&to)) = (left.get(&number), reached.get(&number)) {
                self.edge(from, to, link.when);
            }
        }
    }

    /// The links that lead from a stop to another one, perhaps with others before and behind them.
    fn useful_links(&self, stops: &[Vec<Stop>], ends: &Ends) -> Vec<Link> {
        let position = |stops: &[Stop], set, last: bool| {
            let can = |stop: &&Stop| {
                self.events.guard(stop.event) != Bool::FALSE && self.allowed(stop.event, set) != Bool::FALSE
            };
            let found = if last { stops.iter().rfind(can) } else { stops.iter().find(can) };
            found.map(|stop| stop.position)
        };
        // From where on something is behind a stop in each thread, and until where something is before one.
        let mut earliest: Vec<Option<u32>> = stops.iter().map(|stops| position(stops, &ends.from, false)).collect();
        let mut latest: Vec<Option<u32>> = stops.iter().map(|stops| position(stops, &ends.to, true)).collect();
        let links = self.events.order.links();
        let mut more = true;
        while std::mem::take(&mut more) {
            for link in links {
                let (from, to) = (link.from.0 as usize, link.to.0 as usize);
                if earliest[from].is_some_and(|at| at <= link.from.1) && earliest[to].is_none_or(|at| at > link.to.1) {
                    (earliest[to], more) = (Some(link.to.1), true);
                }
                if latest[to].is_some_and(|at| at >= link.to.1) && latest[from].is_none_or(|at| at < link.from.1) {
                    (latest[from], more) = (Some(link.from.1), true);
                }
            }
        }
        let useful = |link: &&Link| {
            let fed = earliest[link.from.0 as usize].is_some_and(|at| at <= link.from.1);
            fed && latest[link.to.0 as usize].is_some_and(|at| at >= link.to.1)
        };
        links.iter().filter(useful).copied().collect()
    }

    /// A chain along a thread, behind a node that it starts at if there is one, and past units as a whole if it is
    /// to. The ports are the positions and numbers of the links that begin or end (then true) here;
    /// the nodes that they leave and reach go into the tables.
    fn chain(
        &mut self,
        (start, units): (Option<u32>, bool),
        stops: &[Stop],
        ports: &[(u32, usize, bool)],
        (p, q): (Layer, Layer),
        ends: &Ends,
        (left, reached): (&mut FxHashMap<usize, u32>, &mut FxHashMap<usize, u32>),
    ) {
        let mut link: Option<u32> = start;
        let mut ports = ports.iter().copied().peekable();
        // The unit that the last event belongs to, and its edges onto the chain, which it gets on when it is over.
        let mut unit: Option<usize> = None;
        let mut boarding: Vec<(u32, Bool)> = Vec::new();
        // Where units get off. A unit may have events behind others that are on another path, one that has left the section. What is between its
        // events is never executed together with the later ones, so all of them get off where the first one does.
        let mut doors: FxHashMap<usize, Option<u32>> = FxHashMap::default();
        for at in 0..=stops.len() {
            let stop = stops.get(at).filter(|stop| self.events.guard(stop.event) != Bool::FALSE);
            if at < stops.len() && stop.is_none() {
                continue;
            }
            let next = stop.filter(|_| units).and_then(|stop| self.together(stop.event));
            let inside = unit.is_some() && unit == next;
            if !inside {
                self.board(&mut link, &mut boarding);
            }
            let before = link;
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
            let Some(&Stop { event, on: gets_on, off: gets_off, .. }) = stop else { continue };
            unit = next;
            let door = match next {
                Some(own) => {
                    let door = doors.entry(own).or_insert(link);
                    if inside && *door == before {
                        *door = link;
                    }
                    *door
                }
                None => link,
            };
            let guard = self.events.guard(event);
            let off = self.allowed(event, &ends.to);
            if let Some(link) = door
                && off != Bool::FALSE
            {
                let condition = self.events.terms().all([off, gets_off, guard]);
                let node = self.node(q, event);
                self.edge(link, node, condition);
            }
            let on = self.allowed(event, &ends.from);
            let departure = self.departure(p, event);
            let condition = self.events.terms().all([on, gets_on, departure]);
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

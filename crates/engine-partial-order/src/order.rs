//! Program order, within threads and from thread to thread.

use engine::NoAnswer;
use logic::{Bool, Implications};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use symbolic::{Link, Structure};

/// Where an event stands: its thread, and how many events of the thread come before it.
pub type Position = (u32, u32);

/// Where a link begins or ends in a thread: the position, and the link's number. Links at the same position come in the
/// order of their numbers.
pub type Port = (u32, usize);

/// For each other thread: the positions such that its events before them come before, in descending order, each with
/// the condition that one at least as far is reached.
type Clock = BTreeMap<u32, Vec<(u32, Bool)>>;

/// When events are in program order.
#[derive(Debug, Default)]
pub struct ProgramOrder {
    places: Vec<Option<Position>>,
    /// For each thread the ports at which links arrive, ascending, and what comes before all from there on.
    arrivals: Vec<Vec<(Port, Clock)>>,
    links: Vec<Link>,
}

impl ProgramOrder {
    pub fn new(structure: &mut Structure, implications: &mut Implications) -> Result<Self, NoAnswer> {
        let mut places = vec![None; structure.events.len()];
        for (thread, events) in structure.threads.iter().enumerate() {
            let mut last: Option<(u32, usize)> = None;
            for (position, &event) in events.iter().enumerate() {
                // The events of one access have no order among themselves: all stand where the first does.
                let group = structure.events[event as usize].group.map(|group| group.number);
                let position = match (last, group) {
                    (Some((number, first)), Some(group)) if number == group => first,
                    _ => position,
                };
                last = group.map(|group| (group, position));
                places[event as usize] = Some((thread as u32, position as u32));
            }
        }
        let mut links: Vec<Link> = structure.links.iter().filter(|link| link.when != Bool::FALSE).copied().collect();
        for number in evident(&links, structure, implications) {
            links[number].when = Bool::TRUE;
        }
        let mut order = ProgramOrder { places, arrivals: vec![Vec::new(); structure.threads.len()], links };
        for _ in 0..=order.links.len() {
            let next = order.propagate(structure);
            if next == order.arrivals {
                return Ok(order);
            }
            order.arrivals = next;
        }
        Err(NoAnswer::GaveUp("threads can wait for each other to end, in a circle".to_owned()))
    }

    /// The links between threads.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The place of an event; the initial writes have none.
    pub fn place(&self, event: usize) -> Option<Position> {
        self.places[event]
    }

    /// One step along each link.
    fn propagate(&self, structure: &mut Structure) -> Vec<Vec<(Port, Clock)>> {
        let terms = &mut structure.terms;
        let mut arriving: Vec<BTreeMap<Port, FxHashMap<Position, Bool>>> = vec![BTreeMap::new(); self.arrivals.len()];
        for (number, link) in self.links.iter().enumerate() {
            let (thread, position) = link.from;
            let at = arriving[link.to.0 as usize].entry((link.to.1, number)).or_default();
            let mut sources: Vec<(Position, Bool)> = vec![(link.from, link.when)];
            if let Some(clock) = self.clock(thread, (position, number)) {
                for (&other, reached) in clock {
                    sources.extend(reached.iter().map(|&(q, when)| ((other, q), terms.and(when, link.when))));
                }
            }
            for (place, when) in sources.into_iter().filter(|(place, _)| place.0 != link.to.0) {
                let known = at.entry(place).or_insert(Bool::FALSE);
                *known = terms.or(*known, when);
            }
        }
        let mut result = Vec::with_capacity(arriving.len());
        for ports in arriving {
            let mut sum: BTreeMap<Position, Bool> = BTreeMap::new();
            let mut list = Vec::with_capacity(ports.len());
            for (port, places) in ports {
                let mut places: Vec<(Position, Bool)> = places.into_iter().collect();
                places.sort_unstable();
                for (place, when) in places {
                    let known = sum.entry(place).or_insert(Bool::FALSE);
                    *known = terms.or(*known, when);
                }
                let mut clock = Clock::new();
                for (&(thread, q), &when) in sum.iter().rev() {
                    let reached: &mut Vec<(u32, Bool)> = clock.entry(thread).or_default();
                    let further = reached.last().map_or(Bool::FALSE, |&(_, further)| further);
                    let either = terms.or(further, when);
                    if either != further {
                        reached.push((q, either));
                    }
                }
                list.push((port, clock));
            }
            result.push(list);
        }
        result
    }

    /// What comes before a port of a thread.
    fn clock(&self, thread: u32, port: Port) -> Option<&Clock> {
        let arrivals = &self.arrivals[thread as usize];
        let count = arrivals.partition_point(|&(at, _)| at < port);
        count.checked_sub(1).map(|last| &arrivals[last].1)
    }

    /// When the pair is in program order, given that both events are executed.
    pub fn holds(&self, a: usize, b: usize) -> Bool {
        let (Some((first, i)), Some((second, j))) = (self.places[a], self.places[b]) else { return Bool::FALSE };
        if first == second {
            return Bool::constant(i < j);
        }
        let Some(reached) = self.clock(second, (j, usize::MAX)).and_then(|clock| clock.get(&first)) else {
            return Bool::FALSE;
        };
        // The last one that is still behind the event has the weakest condition.
        let behind = reached.partition_point(|&(q, _)| q > i);
        behind.checked_sub(1).map_or(Bool::FALSE, |last| reached[last].1)
    }
}

/// The links whose condition need not be said: it holds whenever something comes after the link, be it an event of the thread or
/// another link. That is so of none in a circle, whose conditions say that not all of it is gone through.
fn evident(links: &[Link], structure: &Structure, implications: &mut Implications) -> Vec<usize> {
    let mut departing: Vec<Vec<usize>> = vec![Vec::new(); structure.threads.len()];
    let mut arriving = departing.clone();
    for (number, link) in links.iter().enumerate() {
        departing[link.from.0 as usize].push(number);
        arriving[link.to.0 as usize].push(number);
    }
    let after = |link: &Link| {
        let at = link.to.1;
        departing[link.to.0 as usize].iter().copied().filter(move |&next| links[next].from.1 >= at)
    };
    // Those behind which no other one comes, then those behind which only these come, and so on: what is left leads into circles.
    let mut behind: Vec<usize> = links.iter().map(|link| after(link).count()).collect();
    let mut open: Vec<usize> = (0..links.len()).filter(|&number| behind[number] == 0).collect();
    let mut found = Vec::new();
    while let Some(number) = open.pop() {
        let link = &links[number];
        for &before in arriving[link.from.0 as usize].iter().filter(|&&before| links[before].to.1 <= link.from.1) {
            behind[before] -= 1;
            if behind[before] == 0 {
                open.push(before);
            }
        }
        let later = structure.threads[link.to.0 as usize].iter().skip(link.to.1 as usize);
        let events = later.map(|&event| structure.events[event as usize].guard);
        let mut conditions = events.chain(after(link).map(|next| links[next].when));
        if conditions.all(|condition| implications.holds(&structure.terms, condition, link.when)) {
            found.push(number);
        }
    }
    found
}

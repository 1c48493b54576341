//! An order of all that happens in an execution that explains it.
//!
//! Each write happens twice: its thread issues it, and it arrives in memory. Some disciplines are tried, from the
//! one that is easiest to understand to the loosest; the first under which all constraints can be met explains it.
//! Within a discipline the order stays with a thread as long as it can, and a write arrives at once if nothing speaks
//! against it. A model is not asked: what is found is one way to see an execution that the model allows.

use model::Structure;

/// What may happen out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Discipline {
    /// The threads take turns, and every write arrives at once.
    Turns,
    /// Writes of a thread arrive later, in their order; fences and read-modify-writes wait for them.
    Queue,
    /// Writes of a thread to different locations arrive in any order; fences wait for them.
    Queues,
    /// As before, but only full fences wait; others keep writes in order.
    Light,
    /// Accesses take effect in any order that dependencies, fences and each location allow.
    Early,
}

/// A point of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// A thread executes an event.
    Issue(usize),
    /// A write reaches memory.
    Arrive(usize),
    /// The property fails.
    Fail,
}

/// An order that explains an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub discipline: Discipline,
    pub points: Vec<Point>,
}

/// Where the property fails: after all events of this thread, after those of all threads though writes may still be on
/// their way, or after everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    After(u32),
    Executed,
    Last,
}

/// Fences with these tags order everything.
pub(crate) const FULL: &[&str] = &["MFENCE", "SYNC", "SC", "MB", "LOCK", "DMB.SY", "DSB.SY", "Fence.rw.rw"];

/// Beyond this many events nobody reads a list of steps, and the search for one takes long.
const MOST_EVENTS: usize = 1200;

/// The easiest order that explains the execution, if there is one.
pub(crate) fn order(s: &Structure, end: End) -> Option<Order> {
    use Discipline::{Early, Light, Queue, Queues, Turns};
    if s.size > MOST_EVENTS {
        return None;
    }
    [Turns, Queue, Queues, Light, Early].into_iter().find_map(|discipline| {
        let points = Plan::new(s, discipline, end).best()?;
        Some(Order { discipline, points })
    })
}

/// The constraints of a discipline: nodes (issues, arrivals, the failure) in groups that nothing comes between, and pairs
/// of groups.
struct Plan<'a> {
    s: &'a Structure,
    discipline: Discipline,
    /// For each node the group that it is in; the node with the least number stands for the group.
    group: Vec<usize>,
    members: Vec<Vec<usize>>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// Whether a group matters for the failure.
    wanted: Vec<bool>,
    threads: Vec<u32>,
}

impl<'a> Plan<'a> {
    fn new(s: &'a Structure, discipline: Discipline, end: End) -> Self {
        let nodes = 2 * s.size + 1;
        let mut threads: Vec<u32> = s.threads.iter().flatten().copied().collect();
        threads.dedup();
        let mut plan = Plan {
            s,
            discipline,
            group: (0..nodes).collect(),
            members: vec![Vec::new(); nodes],
            successors: vec![Vec::new(); nodes],
            predecessors: vec![Vec::new(); nodes],
            wanted: vec![false; nodes],
            threads,
        };
        plan.form_groups();
        let mut pairs = plan.program_order();
        pairs.extend(plan.communication());
        let last = |event: usize| match end {
            End::After(thread) => s.threads[event] == Some(thread),
            End::Executed | End::Last => true,
        };
        for event in plan.events().filter(|&event| last(event)) {
            pairs.push((event, plan.fail()));
            if end == End::Last && s.writes.contains(event) {
                pairs.push((plan.arrival(event), plan.fail()));
            }
        }
        plan.connect(pairs);
        plan.prune();
        plan
    }

    fn events(&self) -> impl Iterator<Item = usize> + 'a {
        let s = self.s;
        (0..s.size).filter(|&event| s.threads[event].is_some())
    }

    fn arrival(&self, event: usize) -> usize {
        self.s.size + event
    }

    fn fail(&self) -> usize {
        2 * self.s.size
    }

    fn is_full(&self, fence: usize) -> bool {
        FULL.iter().any(|&tag| self.s.tags.get(tag).is_some_and(|set| set.contains(fence)))
    }

    /// Puts a read-modify-write into one group, an atomic section, and, where writes arrive at once, a write.
    fn form_groups(&mut self) {
        let s = self.s;
        let at_once = matches!(self.discipline, Discipline::Turns | Discipline::Early);
        let mut sections: Vec<(u32, usize)> = Vec::new();
        for event in self.events() {
            if let Some(section) = s.sections[event] {
                let first = sections.iter().find(|(other, _)| *other == section).map(|&(_, first)| first);
                match first {
                    Some(first) => self.join(first, event),
                    None => sections.push((section, event)),
                }
            }
            let locked = s.sections[event].is_some() || s.rmw.iter().any(|(_, write)| write == event);
            if s.writes.contains(event) && (at_once || locked) {
                self.join(event, self.arrival(event));
            }
        }
        for (read, write) in s.rmw.iter() {
            self.join(read, write);
        }
        // Nobody sees an access to several locations in part: its writes arrive together.
        for event in self.events() {
            let first = s.groups[event].and_then(|group| s.groups.iter().position(|&other| other == Some(group)));
            if let Some(first) = first.filter(|&first| first != event) {
                self.join(first, event);
                if s.writes.contains(event) {
                    self.join(self.arrival(first), self.arrival(event));
                }
            }
        }
        for node in 0..self.group.len() {
            self.members[self.group[node]].push(node);
        }
        let size = s.size;
        for members in &mut self.members {
            members.sort_unstable_by_key(|&node| (node % size.max(1), node));
        }
    }

    fn join(&mut self, one: usize, other: usize) {
        let (low, high) = (self.group[one].min(self.group[other]), self.group[one].max(self.group[other]));
        self.group.iter_mut().filter(|group| **group == high).for_each(|group| *group = low);
    }

    /// The pairs of nodes that program order, dependencies and fences keep in order.
    fn program_order(&self) -> Vec<(usize, usize)> {
        let s = self.s;
        let is_rmw = |event: usize| s.rmw.successors(event).next().is_some();
        let mut pairs = Vec::new();
        for (a, b) in s.po.iter().filter(|&(a, _)| s.threads[a].is_some()) {
            let (write, later_write) = (s.writes.contains(a), s.writes.contains(b));
            match self.discipline {
                Discipline::Early => {
                    if self.is_kept(a, b) {
                        pairs.push((a, b));
                    }
                }
                Discipline::Turns => pairs.push((a, b)),
                Discipline::Queue | Discipline::Queues | Discipline::Light => {
                    pairs.push((a, b));
                    let strict = self.discipline != Discipline::Light || self.is_full(b);
                    if write && strict && (s.fences.contains(b) || is_rmw(b)) {
                        pairs.push((self.arrival(a), b));
                    }
                    let same_thread = s.threads[a] == s.threads[b];
                    let queued = self.discipline == Discipline::Queue && same_thread;
                    let fenced = self.discipline == Discipline::Light && self.fence_between(a, b);
                    if write && later_write && (queued || fenced) {
                        pairs.push((self.arrival(a), self.arrival(b)));
                    }
                }
            }
        }
        pairs.extend(self.events().filter(|&e| s.writes.contains(e)).map(|e| (e, self.arrival(e))));
        pairs
    }

    fn fence_between(&self, a: usize, b: usize) -> bool {
        self.s.fences.iter().any(|fence| self.s.po.contains(a, fence) && self.s.po.contains(fence, b))
    }

    /// Whether two events in program order take effect in that order though everything may be early.
    fn is_kept(&self, a: usize, b: usize) -> bool {
        let s = self.s;
        if s.threads[a] != s.threads[b] {
            return true;
        }
        if s.fences.contains(a) || s.fences.contains(b) {
            let fence = if s.fences.contains(a) { a } else { b };
            return self.is_full(fence) || !(s.writes.contains(a) || s.reads.contains(b));
        }
        let depends = s.addr.contains(a, b) || s.data.contains(a, b) || s.ctrl.contains(a, b) && s.writes.contains(b);
        let store_load = s.writes.contains(a) && s.reads.contains(b);
        let same = s.loc.contains(a, b) && !store_load;
        depends || same || self.is_full(a) || self.is_full(b) || !store_load && self.fence_between(a, b)
    }

    /// The pairs of nodes that follow from who reads from whom and what arrives first.
    fn communication(&self) -> Vec<(usize, usize)> {
        let s = self.s;
        let mut pairs = Vec::new();
        let own = |event: usize| s.threads[event].is_some();
        for (write, read) in s.rf.iter() {
            if own(write) && (s.threads[write] != s.threads[read] || self.discipline == Discipline::Turns) {
                pairs.push((self.arrival(write), read));
            }
            for over in s.co.successors(write).filter(|&over| !s.rmw.contains(read, over)) {
                pairs.push((read, self.arrival(over)));
            }
        }
        pairs.extend(s.co.iter().filter(|&(a, _)| own(a)).map(|(a, b)| (self.arrival(a), self.arrival(b))));
        pairs
    }

    fn connect(&mut self, pairs: Vec<(usize, usize)>) {
        let group = &self.group;
        let mut pairs: Vec<(usize, usize)> = pairs.into_iter().map(|(a, b)| (group[a], group[b])).collect();
        pairs.retain(|(a, b)| a != b);
        pairs.sort_unstable();
        pairs.dedup();
        for (a, b) in pairs {
            self.successors[a].push(b);
            self.predecessors[b].push(a);
        }
    }

    /// Only what must happen before the failure is wanted, and the arrivals of the writes among that.
    fn prune(&mut self) {
        let mut open = vec![self.fail()];
        while let Some(group) = open.pop() {
            if !std::mem::replace(&mut self.wanted[group], true) {
                open.extend(&self.predecessors[group]);
            }
        }
        for event in self.events().filter(|&event| self.s.writes.contains(event)) {
            if self.wanted[self.group[event]] {
                let arrival = self.group[self.arrival(event)];
                self.wanted[arrival] = true;
            }
        }
        for list in self.predecessors.iter_mut().chain(&mut self.successors) {
            list.retain(|&group| self.wanted[group]);
        }
    }

    /// The order with the fewest delays, then the fewest changes of thread.
    fn best(&self) -> Option<Vec<Point>> {
        let mut found: Option<((usize, usize), Vec<Point>)> = None;
        for preference in preferences(&self.threads) {
            let (cost, points) = self.schedule(&preference)?;
            if found.as_ref().is_none_or(|(least, _)| cost < *least) {
                found = Some((cost, points));
            }
        }
        found.map(|(_, points)| points)
    }

    /// A topological order that likes threads in this order; nothing if there is a cycle.
    fn schedule(&self, preference: &[u32]) -> Option<((usize, usize), Vec<Point>)> {
        let fail = self.fail();
        let mut missing: Vec<usize> = self.predecessors.iter().map(Vec::len).collect();
        let is_wanted = |group: usize| self.wanted[group] && self.group[group] == group;
        let total = (0..=fail).filter(|&group| is_wanted(group)).count();
        let mut ready: Vec<usize> = (0..=fail).filter(|&g| is_wanted(g) && missing[g] == 0).collect();
        let (mut points, mut placed) = (Vec::new(), vec![false; fail + 1]);
        let (mut current, mut delays, mut switches, mut count) = (None, 0, 0, 0);
        while !ready.is_empty() {
            let score = |&group: &usize| {
                let Some(thread) = self.thread(group) else {
                    // A write arrives at once if it can; the failure does not wait for other arrivals.
                    let at_once = points.last() == Some(&Point::Issue(group % self.s.size.max(1)));
                    let rank = if at_once { 0 } else { 1 + usize::from(group != fail) };
                    return (0, rank, 0, group);
                };
                let liked = preference.iter().position(|&other| other == thread).unwrap_or(preference.len());
                let away = usize::from(current.is_some_and(|current| current != thread));
                (1 + usize::from(self.is_odd(group, &missing, &placed)), away, liked, group)
            };
            let at = (0..ready.len()).min_by_key(|&at| score(&ready[at]))?;
            let group = ready.swap_remove(at);
            delays += usize::from(score(&group).0 == 2);
            if let Some(thread) = self.thread(group) {
                switches += usize::from(current.is_some_and(|current| current != thread));
                current = Some(thread);
            }
            count += 1;
            for &node in &self.members[group] {
                placed[node] = true;
                points.push(self.point(node));
            }
            for &next in &self.successors[group] {
                missing[next] -= 1;
                if missing[next] == 0 && is_wanted(next) {
                    ready.push(next);
                }
            }
        }
        (count == total).then_some(((delays, switches), points))
    }

    fn point(&self, node: usize) -> Point {
        match node {
            node if node == self.fail() => Point::Fail,
            node if node >= self.s.size => Point::Arrive(node - self.s.size),
            node => Point::Issue(node),
        }
    }

    /// Whose group it is; arrivals alone and the failure are nobody's.
    fn thread(&self, group: usize) -> Option<u32> {
        if group < self.s.size { self.s.threads[group] } else { None }
    }

    /// Whether placing the group now means that a write of it is delayed, or that it is early.
    fn is_odd(&self, group: usize, missing: &[usize], placed: &[bool]) -> bool {
        let s = self.s;
        if self.discipline == Discipline::Early {
            return (0..group).any(|e| !placed[e] && s.threads[e] == s.threads[group] && self.wanted[self.group[e]]);
        }
        let delays = |&node: &usize| {
            let arrival = self.arrival(node);
            node < s.size && s.writes.contains(node) && self.group[arrival] == arrival && missing[arrival] > 1
        };
        self.members[group].iter().any(delays)
    }
}

/// Orders in which to like threads: all, if they are few.
fn preferences(threads: &[u32]) -> Vec<Vec<u32>> {
    if threads.len() > 4 {
        let rotated = |at: usize| [&threads[at..], &threads[..at]].concat();
        return (0..threads.len().min(8)).map(rotated).collect();
    }
    let mut all = vec![Vec::new()];
    for _ in threads {
        let longer = |start: &Vec<u32>| {
            let start = start.clone();
            let rest = threads.iter().filter(|thread| !start.contains(thread)).copied().collect::<Vec<_>>();
            rest.into_iter().map(move |thread| [&start[..], &[thread]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

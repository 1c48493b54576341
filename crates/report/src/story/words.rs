//! What happens in each step of an order, in words.

use super::call::{Call, call};
use super::order::{FULL, Point};
use super::{Failure, FailureKind, StepKind, StoryStep, line_text};
use crate::graph::{EventKind, Graph, GraphEvent};
use crate::names::Names;
use ir::life::{DEAD, LIFE, LIFE_OF_ATOMICS, Storage};
use ir::{Address, Program};
use model::Structure;
use std::collections::{BTreeMap, BTreeSet};
use witness::Execution;

/// A step before it has words.
struct Draft {
    kind: StepKind,
    thread: Option<u32>,
    /// The event whose line it is, if it is one.
    at: Option<usize>,
    events: Vec<usize>,
}

/// Tells an order of points as steps.
pub(super) struct Teller<'a> {
    program: &'a Program,
    pub(super) execution: &'a Execution,
    pub(super) s: &'a Structure,
    pub(super) graph: &'a Graph,
    pub(super) names: &'a Names<'a>,
    pub(super) points: &'a [Point],
    /// The position of each event's issue among the points.
    issued: Vec<Option<usize>>,
    /// The position of each write's arrival.
    pub(super) arrived: Vec<Option<usize>>,
    drafts: Vec<Draft>,
    /// The number of the step in which each event is issued, and in which each delayed write arrives; from 1.
    pub(super) step_of: Vec<Option<usize>>,
    pub(super) arrival_step: Vec<Option<usize>>,
}

impl<'a> Teller<'a> {
    pub fn new(
        program: &'a Program,
        execution: &'a Execution,
        s: &'a Structure,
        (graph, names): (&'a Graph, &'a Names<'a>),
        points: &'a [Point],
    ) -> Self {
        let none = || vec![None; s.size];
        let (mut issued, mut arrived) = (none(), none());
        for (at, point) in points.iter().enumerate() {
            match *point {
                Point::Issue(event) => issued[event] = Some(at),
                Point::Arrive(event) => arrived[event] = Some(at),
                Point::Fail => {}
            }
        }
        let (drafts, step_of, arrival_step) = (Vec::new(), none(), none());
        let mut teller =
            Teller { program, execution, s, graph, names, points, issued, arrived, drafts, step_of, arrival_step };
        teller.draft();
        teller
    }

    /// Cuts the points into steps: what a thread does in one line is one step.
    fn draft(&mut self) {
        for point in self.points {
            match *point {
                Point::Issue(event) => {
                    self.add(StepKind::Run, self.graph.events[event].thread, Some(event), event);
                    self.step_of[event] = Some(self.drafts.len());
                }
                Point::Arrive(event) if self.is_delayed(event) => {
                    self.add(StepKind::Arrive, self.graph.events[event].thread, None, event);
                    self.arrival_step[event] = Some(self.drafts.len());
                }
                Point::Arrive(_) => {}
                Point::Fail => {
                    self.drafts.push(Draft { kind: StepKind::Fail, thread: None, at: None, events: Vec::new() });
                }
            }
        }
    }

    fn add(&mut self, kind: StepKind, thread: Option<u32>, at: Option<usize>, event: usize) {
        let line = |at: Option<usize>| at.map(|at| &*self.graph.events[at].mark);
        let same = |last: &&mut Draft| (last.kind, last.thread, line(last.at)) == (kind, thread, line(at));
        match self.drafts.last_mut().filter(same) {
            Some(last) => last.events.push(event),
            None => self.drafts.push(Draft { kind, thread, at, events: vec![event] }),
        }
    }

    /// Whether something was issued between the write's issue and its arrival.
    fn is_delayed(&self, write: usize) -> bool {
        let (Some(from), Some(to)) = (self.issued[write], self.arrived[write]) else { return false };
        // What is one step may have its arrival first.
        let between = self.points.get(from + 1..to).unwrap_or_default();
        between.iter().any(|point| matches!(point, Point::Issue(_) | Point::Fail))
    }

    /// The writes that are issued, but not in memory when the property fails.
    pub fn pending(&self) -> Vec<usize> {
        let fails = self.points.iter().position(|point| *point == Point::Fail);
        let late = |write: &usize| self.arrived[*write].zip(fails).is_some_and(|(at, fails)| at > fails);
        (0..self.s.size).filter(|&write| self.issued[write].is_some()).filter(late).collect()
    }

    /// Whether a write arrives later than it is issued.
    pub fn has_delays(&self) -> bool {
        self.arrival_step.iter().any(Option::is_some)
    }

    /// The steps up to the failure, or all where nothing fails.
    pub fn steps(&self, failure: Option<&Failure>) -> Vec<StoryStep> {
        let mut steps: Vec<StoryStep> = Vec::new();
        for draft in &self.drafts {
            let number = steps.len() + 1;
            let what = match draft.kind {
                StepKind::Run => self.run(&draft.events),
                StepKind::Arrive => self.arrival(&draft.events),
                StepKind::Fail => {
                    if let Some(failure) = failure {
                        fail(&mut steps, failure);
                    }
                    break;
                }
            };
            let (kind, thread, events) = (draft.kind, draft.thread, draft.events.clone());
            let mut step = StoryStep { number, kind, thread, events, what, ..StoryStep::nowhere() };
            if let Some(at) = draft.at {
                let GraphEvent { line, file, mark, .. } = self.graph.events[at].clone();
                // A line of a litmus test is a row of its table: one instruction of each thread.
                let source = match self.program.condition {
                    None => line_text(self.program, self.execution.events[at].span),
                    Some(_) => self.graph.events[at].source.clone(),
                };
                step = StoryStep { line, file, mark, source, ..step };
            }
            steps.push(step);
        }
        steps
    }

    fn arrival(&self, writes: &[usize]) -> String {
        let each = |&write: &usize| {
            let step = self.step_of[write].unwrap_or(0);
            format!("{} (step {step})", self.assignment(write))
        };
        let all: Vec<String> = writes.iter().map(each).collect();
        format!("{} {} memory", all.join(", "), if all.len() == 1 { "reaches" } else { "reach" })
    }

    /// `x = 1`, for a read as for a write.
    fn assignment(&self, event: usize) -> String {
        let event = &self.execution.events[event];
        match (event.address(), event.value()) {
            (Some(address), Some(value)) => {
                format!("{} = {}", self.names.address(address), self.names.value(address, value))
            }
            (_, _) => String::new(),
        }
    }

    fn thread(&self, event: usize) -> String {
        self.graph.events[event].thread.map_or_else(String::new, |thread| self.names.thread(ir::ThreadId(thread)))
    }

    /// What a thread does in one line.
    fn run(&self, events: &[usize]) -> String {
        let mut phrases: Vec<String> = Vec::new();
        let graph = self.graph;
        let place = |event: usize| (graph.events[event].column, &graph.events[event].source);
        let (watches, events): (Vec<usize>, Vec<usize>) =
            events.iter().copied().partition(|&event| self.is_watch(event));
        let mut told: Vec<usize> = events.iter().copied().filter(|&event| !self.goes_without_saying(event)).collect();
        if told.is_empty() {
            told = events;
        }
        for same in told.chunk_by(|&a, &b| place(a) == place(b)) {
            let called = call(&graph.events[same[0]].source);
            match called.and_then(|called| self.call(called, same)) {
                Some(words) => phrases.push(words),
                None => phrases.extend(same.iter().filter_map(|&event| self.access(event))),
            }
        }
        phrases.extend(watches.iter().filter_map(|&event| self.about_to(event)));
        if phrases.is_empty() && watches.is_empty() {
            phrases.extend(told.iter().take(1).map(|&event| self.fence(event)));
        }
        join(&phrases)
    }

    /// Whether an event is the heap's: it looks for a freed block, or leaves one to be allocated again.
    fn is_heaps(&self, event: usize) -> bool {
        self.graph.events[event].tags.iter().any(|tag| tag == "HEAP")
    }

    /// Whether an event only looks at whether an object may be used, and it may; or says for atomic accesses, too, that its life begins or ends; or
    /// is the heap's and takes nothing.
    fn goes_without_saying(&self, event: usize) -> bool {
        if self.is_heaps(event) {
            return self.s.rmw.successors(event).next().is_none();
        }
        let own = &self.execution.events[event];
        own.address().zip(own.value()).is_some_and(|(address, value)| {
            if own.is_write() { address.offset == LIFE_OF_ATOMICS } else { is_alive(address, value) }
        })
    }

    /// What a write does to the life of an object, if that is what it writes.
    fn begins_or_ends(&self, write: usize) -> Option<String> {
        let own = &self.execution.events[write];
        let (address, value) = own.address().zip(own.value()).filter(|(address, _)| address.offset == LIFE)?;
        let name = self.names.object_name(address);
        Some(match value {
            _ if value & DEAD == 0 => format!("the life of {name} begins"),
            _ if value == Storage::Heap.ended() => format!("frees {name}"),
            _ => format!("the life of {name} ends"),
        })
    }

    /// Whether an event belongs to a watchpoint of the search for races.
    fn is_watch(&self, event: usize) -> bool {
        let address = self.execution.events[event].address();
        address.is_some_and(|address| races::watched(self.program, address.object))
    }

    /// What a thread is about to do that stops at a watchpoint.
    fn about_to(&self, event: usize) -> Option<String> {
        let own = &self.execution.events[event];
        let (cell, word) = own.address().zip(own.value()).filter(|_| own.is_write())?;
        let verb = if races::watches_writes(cell) { "write" } else { "read" };
        Some(format!("is about to {verb} {}", self.names.address(Address::from_bits(word)?)))
    }

    /// What a call of the thread library does.
    fn call(&self, called: Call, events: &[usize]) -> Option<String> {
        let address = |event: usize| self.execution.events[event].address().map(|at| self.names.address(at));
        let exchanged = || {
            let mut writes = events.iter().rev().filter(|&&event| self.s.rmw.iter().any(|(_, write)| write == event));
            writes.find_map(|&event| address(event))
        };
        let kind = |event: usize| self.graph.events[event].kind;
        let last = |wanted: EventKind| {
            let mut all = events.iter().rev().filter(|&&event| kind(event) == wanted);
            all.find_map(|&event| address(event))
        };
        let threads = |relation: &str, far: fn(&crate::Edge) -> usize, near: fn(&crate::Edge) -> usize| {
            let edges = self.graph.edges_of(relation).filter(|edge| events.contains(&near(edge)));
            edges.map(|edge| self.thread(far(edge))).collect::<Vec<_>>().join(", ")
        };
        match called {
            Call::Take(verb) | Call::Try(verb) => match (exchanged(), last(EventKind::Read)) {
                (Some(name), _) => Some(format!("{verb} {name}")),
                (None, Some(name)) if verb.ends_with("locks") => Some(format!("finds {name} locked")),
                (None, Some(name)) => Some(format!("finds {name} at 0")),
                (None, None) => None,
            },
            Call::Give(verb) => last(EventKind::Write).map(|name| format!("{verb} {name}")),
            // It sets a bit of the condition, and when it wakes up it takes the mutex again.
            Call::Wait => {
                let goes_on = events.first().and_then(|&event| event.checked_sub(1)).is_some_and(|before| {
                    let (one, other) = (&self.graph.events[before], &self.graph.events[before + 1]);
                    (one.thread, &one.mark, one.column) == (other.thread, &other.mark, other.column)
                });
                let first = events.iter().find_map(|&event| address(event));
                match (goes_on, first) {
                    (false, Some(name)) => Some(format!("waits on {name}")),
                    (true, _) => Some("is woken up".to_owned()),
                    (false, None) => None,
                }
            }
            Call::Start if events.iter().all(|&event| kind(event) == EventKind::Fence) => {
                let started = threads("start", |edge| edge.to, |edge| edge.from);
                Some(if started.is_empty() { "starts a thread".to_owned() } else { format!("starts {started}") })
            }
            Call::Join if events.iter().all(|&event| kind(event) == EventKind::Fence) => {
                let ended = threads("join", |edge| edge.from, |edge| edge.to);
                Some(if ended.is_empty() { "a thread has ended".to_owned() } else { format!("{ended} has ended") })
            }
            Call::Start | Call::Join => None,
        }
    }

    fn fence(&self, event: usize) -> String {
        let tags = &self.graph.events[event].tags;
        let full = tags.iter().any(|tag| FULL.contains(&tag.as_str()));
        if full { "full fence".to_owned() } else { format!("fence ({})", tags.join(" ")) }
    }

    /// What an access does; nothing for a fence, and for a write that is told with its read.
    fn access(&self, event: usize) -> Option<String> {
        match self.graph.events[event].kind {
            EventKind::Fence => None,
            EventKind::Write if self.s.rmw.iter().any(|(_, write)| write == event) => None,
            EventKind::Write => {
                let what = self.begins_or_ends(event).unwrap_or_else(|| self.assignment(event));
                Some(format!("{what}{}", self.write_note(event)))
            }
            EventKind::Read if self.is_heaps(event) && !self.goes_without_saying(event) => {
                let own = &self.execution.events[event];
                let block = own.address().zip(own.value()).map(|(at, value)| self.names.value(at, value));
                Some(format!("allocates *{} again", block.unwrap_or_default()))
            }
            EventKind::Read => Some(match self.s.rmw.successors(event).next() {
                Some(write) => {
                    let own = &self.execution.events[write];
                    let new = own.address().zip(own.value()).map(|(at, value)| self.names.value(at, value));
                    format!("{} -> {} in one step", self.assignment(event), new.unwrap_or_default())
                }
                None => format!("reads {}{}", self.assignment(event), self.read_note(event)),
            }),
        }
    }

    fn write_note(&self, write: usize) -> String {
        if let Some(place) = self.overtaken(write) {
            return format!(" (early: before {place} takes effect)");
        }
        let fails = self.points.iter().position(|point| *point == Point::Fail).unwrap_or(usize::MAX);
        match (self.arrival_step[write], self.arrived[write]) {
            (Some(_), Some(at)) if at > fails => " (delayed: not in memory before the failure)".to_owned(),
            (Some(step), _) => format!(" (delayed: reaches memory in step {step})"),
            (None, _) => String::new(),
        }
    }

    fn read_note(&self, read: usize) -> String {
        if let Some(place) = self.overtaken(read) {
            return format!(" (early: before {place} takes effect)");
        }
        let Some(source) = self.s.rf.iter().find(|&(_, reader)| reader == read).map(|(write, _)| write) else {
            return String::new();
        };
        let before = |at: Option<usize>| at.zip(self.issued[read]).is_some_and(|(at, read)| at < read);
        let own = |event: usize| self.s.threads[event] == self.s.threads[read];
        let mut newer = self.s.co.successors(source).filter(|&write| !own(write));
        if let Some(write) = newer.find(|&write| before(self.issued[write]) && !before(self.arrived[write])) {
            let (whose, what) = (self.thread(write), self.assignment(write));
            let step = self.step_of[write].unwrap_or(0);
            return format!(" (stale: {what} of {whose}, step {step}, is not in memory yet)");
        }
        if self.s.threads[source].is_none() {
            let unset = self.execution.events[source].address().is_some_and(|at| self.names.is_uninitialised(at));
            return if unset { " (uninitialised)".to_owned() } else { String::new() };
        }
        match self.step_of[source] {
            Some(_) if own(source) && before(self.arrived[source]) => String::new(),
            Some(step) if own(source) => format!(" (its own write of step {step}, not in memory yet)"),
            Some(step) => format!(" (from {}, step {step})", self.thread(source)),
            None => format!(" (its own write of {})", self.graph.events[source].place()),
        }
    }

    /// The line of an earlier access of the same thread that takes effect only after this one, other than by a delay.
    fn overtaken(&self, event: usize) -> Option<String> {
        let here = self.issued[event]?;
        let late = |&earlier: &usize| {
            let same = self.s.threads[earlier] == self.s.threads[event] && !self.s.fences.contains(earlier);
            same && self.issued[earlier].is_some_and(|at| at > here)
        };
        (0..event).find(late).map(|earlier| self.graph.events[earlier].place())
    }

    /// The initial values of the locations that the steps touch. What a new object holds matters only if it is read.
    pub fn initial(&self) -> Vec<(String, String)> {
        let touched = self.touched();
        let mut values = Vec::new();
        let heaps: BTreeSet<Address> = (0..self.s.size)
            .filter(|&event| self.is_heaps(event))
            .filter_map(|event| self.execution.events[event].address())
            .collect();
        let initial = self.execution.events.iter().enumerate().filter(|(_, event)| event.thread.is_none());
        for (at, event) in initial {
            let is_read = || self.s.rf.successors(at).any(|read| self.issued[read].is_some());
            if let (Some(address), Some(value)) = (event.address(), event.value())
                && touched.contains_key(&address)
                && !is_alive(address, value)
                && !heaps.contains(&address)
                && (address.object.index() < self.program.objects.len() || is_read())
            {
                let unset = if self.names.is_uninitialised(address) { " (uninitialised)" } else { "" };
                values.push((self.names.address(address), format!("{}{unset}", self.names.value(address, value))));
            }
        }
        values
    }

    /// The locations that the steps show, with what is in memory there when the property fails. Those of locks are not
    /// shown.
    pub(super) fn touched(&self) -> BTreeMap<Address, u64> {
        let mut memory = BTreeMap::new();
        for event in self.execution.events.iter().filter(|event| event.thread.is_none()) {
            memory.extend(event.address().zip(event.value()));
        }
        let mut touched = BTreeMap::new();
        for point in self.points.iter().take_while(|point| **point != Point::Fail) {
            let (Point::Issue(at) | Point::Arrive(at)) = *point else { continue };
            let event = &self.execution.events[at];
            let (Some(address), Some(value)) = (event.address(), event.value()) else { continue };
            if matches!(point, Point::Arrive(_)) {
                memory.insert(address, value);
            }
            if call(&self.graph.events[at].source).is_none() && !self.is_watch(at) {
                touched.insert(address, 0);
            }
        }
        for (address, value) in &mut touched {
            *value = memory.get(address).copied().unwrap_or(0);
        }
        touched
    }

    /// What is in memory, when the assertion fails, at the locations whose names it mentions.
    pub fn state(&self, failure: &Failure) -> Vec<(String, String)> {
        if failure.kind != FailureKind::Assertion {
            return Vec::new();
        }
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<&str> = failure.message.split(|c| !part(c)).collect();
        let mentioned = |address: &Address| {
            let name = self.names.object_name(*address).trim_start_matches('*');
            words.contains(&name.split('#').next().unwrap_or(name))
        };
        let touched = self.touched().into_iter().filter(|(address, _)| mentioned(address));
        touched.map(|(address, value)| (self.names.address(address), self.names.value(address, value))).collect()
    }
}

/// Whether a location holds that its object may be used.
fn is_alive(address: Address, value: u64) -> bool {
    matches!(address.offset, LIFE | LIFE_OF_ATOMICS) && value & DEAD == 0
}

/// Adds the failure to the last step, if that is in its line, or as a step of its own.
fn fail(steps: &mut Vec<StoryStep>, failure: &Failure) {
    let words = match failure.kind {
        FailureKind::Assertion => "the assertion fails".to_owned(),
        FailureKind::Reached => "must not be reached".to_owned(),
        FailureKind::Memory => failure.message.split(": ").next().unwrap_or("").to_owned(),
        FailureKind::Arithmetic => failure.message.clone(),
        FailureKind::Deadlock => "no thread can go on".to_owned(),
        FailureKind::Race => "is about to access it too, and nothing orders them".to_owned(),
        FailureKind::Critical => match failure.message.split_once(": ") {
            Some((_, other)) => format!("enters the critical section; {other}"),
            None => "enters the critical section".to_owned(),
        },
    };
    let deadlock = failure.kind == FailureKind::Deadlock;
    let here = |step: &&mut StoryStep| {
        step.kind == StepKind::Run && step.thread == Some(failure.thread) && step.mark == failure.mark && !deadlock
    };
    if let Some(step) = steps.last_mut().filter(here) {
        step.kind = StepKind::Fail;
        let between = if failure.kind == FailureKind::Race { ";" } else { ":" };
        step.what = if step.what.is_empty() { words } else { format!("{}{between} {words}", step.what) };
        return;
    }
    let number = steps.len() + 1;
    let mut step = StoryStep { number, kind: StepKind::Fail, what: words, ..StoryStep::nowhere() };
    if !deadlock {
        let Failure { thread, line, file, mark, source, .. } = failure.clone();
        step = StoryStep { thread: Some(thread), line, file, mark, source, ..step };
    }
    steps.push(step);
}

/// Phrases as one, repetitions counted, several reads under one verb.
fn join(phrases: &[String]) -> String {
    let mut out = String::new();
    let mut reading = false;
    for same in phrases.chunk_by(|a, b| a == b) {
        let read = same[0].strip_prefix("reads ");
        if !out.is_empty() {
            out += if reading && read.is_some() { ", " } else { "; " };
        }
        out += read.filter(|_| reading).unwrap_or(&same[0]);
        if same.len() > 1 {
            out += &format!(" ({} times)", same.len());
        }
        reading = read.is_some();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn repetitions_are_counted() {
        let phrases = |all: &[&str]| join(&all.iter().map(|&phrase| phrase.to_owned()).collect::<Vec<_>>());
        assert_eq!(
            phrases(&["reads x = 0", "reads x = 0", "reads y = 1", "z = 2"]),
            "reads x = 0 (2 times), y = 1; z = 2"
        );
        assert_eq!(phrases(&["x = 1", "x = 1"]), "x = 1 (2 times)");
    }
}

//! A small litmus test with the heart of a violation: the cycle that sequential consistency forbids. It is written with C11's
//! atomics, or with the Linux kernel's operations where the model is about these.
//!
//! The events of the cycle are kept, with the other halves of read-modify-writes and the writes that are read from. A part
//! of an execution that a model allows is allowed too, so the outcome of the test is possible under the model in question.
//! Orderings may be lost (dependencies, fences that C11 has no word for), which only allows more. Writes have the values
//! 1, 2, 3… in coherence order, so that every value says which write it is.

use crate::data::Case;
use crate::graph::{Graph, GraphEvent, base_relation};
use crate::story::FULL;
use engine::Verdict;
use ir::Address;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use witness::Execution;

/// A test with more events than this explains nothing.
const MOST_EVENTS: usize = 16;

/// The words of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// C11's atomics, which every machine's model has a mapping for.
    C11,
    /// The Linux kernel's operations.
    Kernel,
}

/// The test in herd's C format; nothing if the execution is sequential, if the cycle goes through the start or the end of
/// a thread, which litmus tests do not have, or if it is too long.
pub fn extract(case: &Case<'_>, words: Words) -> Option<String> {
    let Verdict::Unsafe(execution) = case.verdict else { return None };
    let (graph, explanation) = (case.graph.as_ref()?, case.explanation.as_ref()?);
    let across = |from: usize, to: usize| graph.events[from].thread != graph.events[to].thread;
    let is_order = |relation: &str| !matches!(base_relation(relation), "rf" | "co" | "fr");
    if explanation.steps.iter().any(|step| is_order(&step.relation) && across(step.from, step.to)) {
        return None;
    }
    let cycle = explanation.steps.iter().flat_map(|step| [step.from, step.to]);
    let test = Test::new(execution, graph, words, cycle)?;
    Some(test.print(case))
}

struct Test<'a> {
    execution: &'a Execution,
    graph: &'a Graph,
    words: Words,
    /// The accesses of the test, in the order of the execution.
    events: BTreeSet<usize>,
    /// The names of the locations.
    names: BTreeMap<Address, String>,
    /// The values of the writes; initial ones have none.
    values: BTreeMap<usize, usize>,
}

impl<'a> Test<'a> {
    fn new(
        execution: &'a Execution,
        graph: &'a Graph,
        words: Words,
        cycle: impl Iterator<Item = usize>,
    ) -> Option<Self> {
        let is_access = |event: &usize| execution.events[*event].address().is_some();
        let is_own = |event: &usize| execution.events[*event].thread.is_some();
        let mut events: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = cycle.filter(is_access).filter(is_own).collect();
        while let Some(event) = open.pop() {
            if events.insert(event) {
                open.extend(graph.edges_of("rf").filter(|edge| edge.to == event).map(|edge| edge.from).filter(is_own));
                open.extend(graph.edges_of("rmw").filter(|edge| edge.to == event).map(|edge| edge.from));
                open.extend(graph.edges_of("rmw").filter(|edge| edge.from == event).map(|edge| edge.to));
            }
        }
        if events.is_empty() || events.len() > MOST_EVENTS {
            return None;
        }
        let mut values = BTreeMap::new();
        for order in &execution.co {
            let kept = order.iter().map(|id| id.index()).filter(|event| events.contains(event));
            values.extend(kept.enumerate().map(|(at, event)| (event, at + 1)));
        }
        let mut test = Test { execution, graph, words, events, names: BTreeMap::new(), values };
        test.name_locations();
        Some(test)
    }

    /// Gives every location a name that C knows, close to its own.
    fn name_locations(&mut self) {
        for &event in &self.events {
            let Some(address) = self.execution.events[event].address() else { continue };
            if self.names.contains_key(&address) {
                continue;
            }
            let own = self.graph.events[event].location().trim_end_matches(']');
            let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            let mut name: String = own.chars().map(letter).collect();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || is_register(&name) || is_reserved(&name) {
                name = format!("v_{name}");
            }
            while self.names.values().any(|other| *other == name) {
                name.push('_');
            }
            self.names.insert(address, name);
        }
    }

    fn threads(&self) -> Vec<u32> {
        let all: BTreeSet<u32> = self.events.iter().filter_map(|&event| self.graph.events[event].thread).collect();
        all.into_iter().collect()
    }

    fn name(&self, event: usize) -> &str {
        let address = self.execution.events[event].address();
        address.and_then(|address| self.names.get(&address)).map_or("x", String::as_str)
    }

    fn source_value(&self, read: usize) -> usize {
        let source = self.graph.edges_of("rf").find(|edge| edge.to == read).map(|edge| edge.from);
        source.and_then(|write| self.values.get(&write)).copied().unwrap_or(0)
    }

    fn print(&self, case: &Case<'_>) -> String {
        let file = case.program.source.name().rsplit(['/', '\\']).next().unwrap_or("");
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '+' { c } else { '-' };
        let name: String = file.split('.').next().unwrap_or("").chars().map(plain).collect();
        let name = if name.is_empty() { "test".to_owned() } else { name };
        let mut out = format!("C {name}\n\"The heart of a violation in {}\"\n{{ }}\n", file.replace(['"', '\n'], " "));
        let mut facts = Vec::new();
        for (number, &thread) in self.threads().iter().enumerate() {
            self.thread(&mut out, &mut facts, number, thread);
        }
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (&event, &value) in &self.values {
            let highest = last.entry(self.name(event)).or_default();
            *highest = value.max(*highest);
        }
        facts.extend(last.iter().filter(|(_, value)| **value > 1).map(|(name, value)| format!("{name}={value}")));
        let _ = writeln!(out, "\nexists ({})", facts.join(" /\\ "));
        out
    }

    /// The body of a thread. What its reads see goes to `facts`.
    fn thread(&self, out: &mut String, facts: &mut Vec<String>, number: usize, thread: u32) {
        let own: Vec<usize> =
            self.events.iter().copied().filter(|&event| self.graph.events[event].thread == Some(thread)).collect();
        let names: BTreeSet<&str> = own.iter().map(|&event| self.name(event)).collect();
        let params: Vec<String> = names.iter().map(|name| format!("{} {name}", self.words.pointer())).collect();
        let called = self.graph.threads.get(thread as usize).map_or("", String::as_str);
        let comment: String = called.chars().filter(|c| c.is_ascii_alphanumeric() || "_#".contains(*c)).collect();
        let _ = writeln!(out, "\n/* {comment} */\nP{number} ({}) {{", params.join(", "));
        let (mut registers, mut before) = (0, None);
        for &event in &own {
            if let Some(fence) = before.and_then(|before| self.fence(before, event)) {
                let _ = writeln!(out, "  {fence};");
            }
            before = Some(event);
            let (name, line) = (self.name(event), self.graph.events[event].line);
            let write = self.graph.edges_of("rmw").find(|edge| edge.from == event).map(|edge| edge.to);
            let is_second = self.graph.edges_of("rmw").any(|edge| edge.to == event);
            let mut read = |call: String| {
                let _ = writeln!(out, "  int r{registers} = {call}; /* line {line} */");
                facts.push(format!("{number}:r{registers}={}", self.source_value(event)));
                registers += 1;
            };
            if let Some(write) = write {
                let value = self.values.get(&write).copied().unwrap_or(0);
                read(self.words.exchange(name, value, self.order(&[event, write])));
            } else if is_second {
                continue;
            } else if let Some(value) = self.values.get(&event) {
                let store = self.words.store(name, *value, self.order(&[event]));
                let _ = writeln!(out, "  {store}; /* line {line} */");
            } else {
                read(self.words.load(name, self.order(&[event])));
            }
        }
        out.push_str("}\n");
    }

    /// The strongest fence between two events of a thread that the language has a word for.
    fn fence(&self, from: usize, to: usize) -> Option<String> {
        let between = &self.graph.events[from + 1..to];
        let has = |tags: &[&str]| {
            let tagged = |event: &GraphEvent| event.tags.iter().any(|tag| tags.contains(&tag.as_str()));
            between.iter().any(|event| event.kind == crate::EventKind::Fence && tagged(event))
        };
        let known: &[(&[&str], &str)] = match self.words {
            Words::C11 => &[
                (FULL, "seq_cst"),
                (&["LWSYNC", "ACQ_REL", "Fence.tso"], "acq_rel"),
                (&["REL", "Fence.rw.w"], "release"),
                (&["ACQ", "DMB.LD", "DSB.LD", "Fence.r.rw"], "acquire"),
            ],
            Words::Kernel => &[(&["MB"], "smp_mb"), (&["WMB"], "smp_wmb"), (&["RMB"], "smp_rmb")],
        };
        let (_, word) = known.iter().find(|(tags, _)| has(tags))?;
        Some(match self.words {
            Words::C11 => format!("atomic_thread_fence(memory_order_{word})"),
            Words::Kernel => format!("{word}()"),
        })
    }

    /// The memory order of an access, by its tags.
    fn order(&self, events: &[usize]) -> Order {
        let has = |tags: &[&str]| {
            events.iter().any(|&event| self.graph.events[event].tags.iter().any(|tag| tags.contains(&tag.as_str())))
        };
        // Arm's acquires carry the tag of atomic accesses in C, where a memory order stands beside it.
        let arm = has(&["A"]) && !has(&["NA", "RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"]);
        let acquires = arm || has(&["ACQ", "ACQUIRE", "Q", "Acq", "AcqRel"]);
        let releases = has(&["REL", "RELEASE", "L", "Rel", "AcqRel"]);
        match (has(&["SC", "MB"]), acquires, releases) {
            (true, _, _) => Order::SeqCst,
            (false, true, true) => Order::AcqRel,
            (false, true, false) => Order::Acquire,
            (false, false, true) => Order::Release,
            (false, false, false) if self.words == Words::Kernel && !has(&["ONCE", "RMW"]) => Order::Plain,
            (false, false, false) => Order::Relaxed,
        }
    }
}

/// What an access promises.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// An access that the kernel's model lets the compiler do with what it likes.
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    fn c11(self) -> &'static str {
        match self {
            Order::Plain | Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        }
    }
}

impl Words {
    fn pointer(self) -> &'static str {
        match self {
            Words::C11 => "atomic_int*",
            Words::Kernel => "int*",
        }
    }

    fn load(self, name: &str, order: Order) -> String {
        match (self, order) {
            (Words::C11, _) => format!("atomic_load_explicit({name}, memory_order_{})", order.c11()),
            (Words::Kernel, Order::Plain) => format!("*{name}"),
            (Words::Kernel, Order::Relaxed | Order::Release) => format!("READ_ONCE(*{name})"),
            (Words::Kernel, Order::Acquire | Order::AcqRel | Order::SeqCst) => format!("smp_load_acquire({name})"),
        }
    }

    fn store(self, name: &str, value: usize, order: Order) -> String {
        match (self, order) {
            (Words::C11, _) => format!("atomic_store_explicit({name}, {value}, memory_order_{})", order.c11()),
            (Words::Kernel, Order::Plain) => format!("*{name} = {value}"),
            (Words::Kernel, Order::Relaxed | Order::Acquire) => format!("WRITE_ONCE(*{name}, {value})"),
            (Words::Kernel, Order::Release | Order::AcqRel | Order::SeqCst) => {
                format!("smp_store_release({name}, {value})")
            }
        }
    }

    fn exchange(self, name: &str, value: usize, order: Order) -> String {
        let kernel = match (self, order) {
            (Words::C11, _) => {
                return format!("atomic_exchange_explicit({name}, {value}, memory_order_{})", order.c11());
            }
            (Words::Kernel, Order::Plain | Order::Relaxed) => "xchg_relaxed",
            (Words::Kernel, Order::Acquire) => "xchg_acquire",
            (Words::Kernel, Order::Release) => "xchg_release",
            // The kernel has no exchange that acquires and releases and is no full fence.
            (Words::Kernel, Order::AcqRel) => "xchg_acquire",
            (Words::Kernel, Order::SeqCst) => "xchg",
        };
        format!("{kernel}({name}, {value})")
    }
}

/// Whether a name is one of our registers.
fn is_register(name: &str) -> bool {
    name.strip_prefix('r').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a name means something else in C or in conditions.
fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] =
        &["int", "if", "else", "while", "do", "for", "return", "true", "false", "exists", "forall", "not", "and", "or"];
    WORDS.contains(&name)
}

//! Questions about final states, and executions read off solutions.

use crate::encode::Found;
use crate::events::{Coherence, Events};
use crate::flags;
use ir::{Comparison, Location, Proposition, State};
use logic::{Bool, Evaluation, Term};
use model::Model;
use std::collections::{BTreeMap, BTreeSet};
use symbolic::{Input, Kind};
use witness::{Action, Event, EventId, Execution};

/// When a proposition holds in the final state.
pub fn proposition(events: &mut Events<'_>, goal: &Proposition) -> Bool {
    match goal {
        Proposition::True => Bool::TRUE,
        Proposition::False => Bool::FALSE,
        Proposition::Atom(atom) => {
            let value = final_value(events, atom.location);
            let width = events.terms().width(value);
            let equal = if atom.value > width.mask() {
                Bool::FALSE
            } else {
                let constant = events.terms().constant(atom.value, width);
                events.terms().eq(value, constant)
            };
            match atom.comparison {
                Comparison::Eq => equal,
                Comparison::Ne => !equal,
            }
        }
        Proposition::Same(left, right) => {
            let (left, right) = (final_value(events, *left), final_value(events, *right));
            events.terms().same_number(left, right)
        }
        Proposition::Not(inner) => !proposition(events, inner),
        Proposition::And(all) => {
            let all: Vec<Bool> = all.iter().map(|p| proposition(events, p)).collect();
            events.terms().all(all)
        }
        Proposition::Or(any) => {
            let any: Vec<Bool> = any.iter().map(|p| proposition(events, p)).collect();
            events.terms().any(any)
        }
        Proposition::Implies(left, right) => {
            let (left, right) = (proposition(events, left), proposition(events, right));
            events.terms().implies(left, right)
        }
    }
}

/// The value of a location when all is done.
fn final_value(events: &mut Events<'_>, location: Location) -> Term {
    let address = match location {
        Location::Local(thread, local) => return events.structure.finals[thread.index()][local.index()],
        Location::Memory(address) => address,
    };
    let place = events.structure.locations.iter().position(|l| l.address == address);
    let place = place.expect("validated: the location exists");
    let width = location.width(events.program);
    let initial = events.structure.events[place].value;
    let mut value = events.fit(initial, width);
    for (write, last) in events.last_writes(place) {
        let guard = events.guard(write);
        let written = events.structure.events[write].value;
        let written = events.fit(written, width);
        let terms = events.terms();
        let last = terms.and(last, guard);
        value = terms.ite(last, written, value);
    }
    value
}

/// The final values of all observed locations.
pub fn finals(events: &mut Events<'_>) -> Vec<(Location, Term)> {
    let observed = if events.structure.finals.is_empty() { Vec::new() } else { events.program.observables() };
    observed.into_iter().map(|location| (location, final_value(events, location))).collect()
}

/// Reads the execution off a solution, with the flags that it raises if there is a model that has flags.
pub fn extract(
    model: Option<&Model>,
    events: &Events<'_>,
    finals: &[(Location, Term)],
    solution: &mut Evaluation<'_>,
) -> Found {
    let mut number = vec![None; events.len()];
    let mut execution = Execution::default();
    let mut choices = Vec::new();
    // The initial writes, then the events of each thread in turn.
    let absent = absent_objects(events, solution);
    let location = |event: usize| events.structure.locations[event].address;
    let there = (0..events.len()).filter(|&e| events.is_initial(e) && !absent.contains(&location(e).object.0));
    let initial: Vec<usize> = there.filter(|&e| events.structure.fits(events.program, e, solution)).collect();
    let threads = events.structure.threads.iter().flatten().map(|&event| event as usize);
    for at in initial.into_iter().chain(threads) {
        let event = &events.structure.events[at];
        if !solution.truth(event.guard) {
            continue;
        }
        let action = match event.kind {
            Kind::Fence => Action::Fence,
            Kind::Read | Kind::Write => {
                let place = events.locations[at].iter().find(|&&(_, when)| solution.truth(when));
                let &(place, _) = place.expect("an executed access has a location");
                let symbolic::Location { address, width } = events.structure.locations[place];
                let value = solution.value(event.value);
                if event.kind == Kind::Read {
                    Action::Read { address, value }
                } else {
                    Action::Write { address, value: ir::truncate(value, width) }
                }
            }
        };
        number[at] = Some(EventId(execution.events.len() as u32));
        let tags = events.tags_with(at, |chosen| solution.truth(chosen));
        execution.events.push(Event { thread: event.thread, action, tags, span: event.span });
    }
    for (read, sources) in events.rf.iter().enumerate() {
        let Some(reader) = number[read].filter(|_| events.kind(read) == Kind::Read) else { continue };
        let chosen = sources.iter().find(|&&(_, when)| solution.truth(when));
        let &(write, when) = chosen.expect("an executed read has a source");
        execution.rf.push((number[write].expect("the source of a read is executed"), reader));
        choices.push(when);
    }
    execution.co = coherence(events, &number, solution, &mut choices);
    choices.extend(events.structure.choices.iter().map(|&choice| choice.negated_if(!solution.truth(choice))));
    execution.finals = finals.iter().map(|&(location, term)| (location, solution.value(term))).collect::<State>();
    execution.started = events.structure.started.clone();
    execution.made = events.structure.made.iter().map(|made| made.object(solution)).collect();
    execution.refined = events.structure.refined.clone();
    execution.choices = events.structure.inputs.iter().map(|inputs| given(inputs, solution)).collect();
    let flags = model.map(|model| flags::raised(model, events, &execution, &number, solution)).unwrap_or_default();
    let mut values = Vec::new();
    if reads_from_later(&execution) {
        let reads = (0..events.len()).filter(|&at| number[at].is_some() && events.kind(at) == Kind::Read);
        values.extend(
            reads.map(|at| (events.structure.events[at].value, solution.value(events.structure.events[at].value))),
        );
    }
    Found { execution, choices, values, flags }
}

/// Whether a read takes its value, by way of other threads, from what its own thread does later: then there may be several
/// values that it can take in this way.
fn reads_from_later(execution: &Execution) -> bool {
    let count = execution.events.len();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut last = BTreeMap::new();
    for (at, event) in execution.events.iter().enumerate() {
        if let Some(thread) = event.thread
            && let Some(before) = last.insert(thread, at)
        {
            after[before].push(at);
        }
    }
    for (write, read) in &execution.rf {
        after[write.index()].push(read.index());
    }
    let mut waits = vec![0usize; count];
    after.iter().flatten().for_each(|&next| waits[next] += 1);
    let mut ready: Vec<usize> = (0..count).filter(|&at| waits[at] == 0).collect();
    let mut done = 0;
    while let Some(at) = ready.pop() {
        done += 1;
        for &next in &after[at] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(next);
            }
        }
    }
    done < count
}

/// The numbers of the objects that are made in other executions, but not in this one.
fn absent_objects(events: &Events<'_>, solution: &mut Evaluation<'_>) -> BTreeSet<u32> {
    let first = events.program.objects.len() as u32;
    let mut absent: BTreeSet<u32> = (first..first + events.structure.made.len() as u32).collect();
    for &(when, input) in events.structure.inputs.iter().flatten() {
        match input {
            Input::Object(number) if solution.truth(when) => {
                absent.remove(&number);
            }
            Input::Object(_) | Input::Value(_) | Input::Thread(_) => {}
        }
    }
    absent
}

/// What a thread was given where the program leaves it open.
fn given(inputs: &[(Bool, Input)], solution: &mut Evaluation<'_>) -> Vec<u64> {
    let mut given = Vec::new();
    for &(when, input) in inputs {
        if solution.truth(when) {
            given.push(match input {
                Input::Value(value) => solution.value(value),
                Input::Object(number) | Input::Thread(number) => number.into(),
            });
        }
    }
    given
}

/// The writes of each location in coherence order, for the locations with more than their initial write.
fn coherence(
    events: &Events<'_>,
    number: &[Option<EventId>],
    solution: &mut Evaluation<'_>,
    choices: &mut Vec<Bool>,
) -> Vec<Vec<EventId>> {
    // How many writes come before each one: its place in the order of its location.
    let mut before = vec![0usize; events.len()];
    let mut first = vec![None; events.len()];
    for Coherence { first: a, second: b, when, .. } in events.coherent_pairs() {
        if number[a].is_some() && number[b].is_some() && solution.truth(when) {
            before[b] += 1;
            choices.push(when);
            if events.is_initial(a) {
                first[b] = Some(a);
            }
        }
    }
    let mut orders = Vec::new();
    for initial in (0..events.len()).filter(|&e| events.is_initial(e)) {
        let mut writes: Vec<usize> = (0..events.len()).filter(|&e| first[e] == Some(initial)).collect();
        if writes.is_empty() {
            continue;
        }
        writes.sort_by_key(|&write| before[write]);
        let order = std::iter::once(initial).chain(writes);
        orders.push(order.map(|write| number[write].expect("only executed writes are ordered")).collect());
    }
    orders
}

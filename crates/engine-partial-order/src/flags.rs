//! Which flags of the model an execution raises, from what the solution says about its events.

use crate::events::Events;
use logic::Evaluation;
use model::{Evaluator, EventSet, Model, Relation, Structure};
use symbolic::Dependency;
use witness::{Action, EventId, Execution};

/// The names of the model's flags that an execution raises. `number` has the numbers of the events that take place in it.
pub fn raised(
    model: &Model,
    events: &Events<'_>,
    execution: &Execution,
    number: &[Option<EventId>],
    solution: &mut Evaluation<'_>,
) -> Vec<String> {
    let structure = structure(events, execution, number, solution);
    let raised = Evaluator::new(model, &structure).flags();
    raised.into_iter().map(|axiom| engine::flag_name(&model.axioms[axiom])).collect()
}

/// The execution as a model sees it.
fn structure(
    events: &Events<'_>,
    execution: &Execution,
    number: &[Option<EventId>],
    solution: &mut Evaluation<'_>,
) -> Structure {
    let size = execution.events.len();
    let mut structure = Structure::new(size);
    for (at, event) in execution.events.iter().enumerate() {
        structure.threads[at] = event.thread.map(|thread| thread.0);
        match event.action {
            Action::Read { .. } => structure.reads.insert(at),
            Action::Write { .. } => structure.writes.insert(at),
            Action::Fence => structure.fences.insert(at),
        }
        if event.thread.is_none() {
            structure.initial.insert(at);
        }
        for tag in event.tags.iter() {
            let set = structure.tags.entry(events.program.tags[tag.index()].clone());
            set.or_insert_with(|| EventSet::empty(size)).insert(at);
        }
        let same = |other: &usize| event.address().is_some() && event.address() == execution.events[*other].address();
        (0..size).filter(same).for_each(|other| structure.loc.insert(at, other));
    }
    for (event, own) in events.structure.events.iter().zip(number) {
        if let Some(own) = own {
            structure.sections[own.index()] = event.section;
            structure.groups[own.index()] = event.group.filter(|group| group.atomic).map(|group| group.number);
        }
    }
    structure.po = program_order(events, number, size, solution);
    let mut pairs = |all: &[Dependency]| {
        let taken = all.iter().filter(|pair| solution.truth(pair.when));
        let ends = taken.filter_map(|pair| number[pair.from as usize].zip(number[pair.to as usize]));
        Relation::from_pairs(size, ends.map(|(from, to)| (from.index(), to.index())))
    };
    let symbolic = &events.structure;
    (structure.addr, structure.data, structure.ctrl) =
        (pairs(&symbolic.addr), pairs(&symbolic.data), pairs(&symbolic.ctrl));
    (structure.rmw, structure.amo) = (pairs(&symbolic.rmw), pairs(&symbolic.amo));
    structure.rf = Relation::from_pairs(size, execution.rf.iter().map(|(write, read)| (write.index(), read.index())));
    for order in &execution.co {
        for (at, write) in order.iter().enumerate() {
            order[..at].iter().for_each(|earlier| structure.co.insert(earlier.index(), write.index()));
        }
    }
    structure
}

/// The order within threads, and from and to threads that are started and joined.
fn program_order(
    events: &Events<'_>,
    number: &[Option<EventId>],
    size: usize,
    solution: &mut Evaluation<'_>,
) -> Relation {
    let threads = &events.structure.threads;
    let executed = |some: &[u32]| -> Vec<usize> {
        some.iter().filter_map(|&event| number[event as usize]).map(EventId::index).collect()
    };
    let mut po = Relation::empty(size);
    for own in threads.iter().map(|own| executed(own)) {
        own.windows(2).for_each(|pair| po.insert(pair[0], pair[1]));
    }
    for link in events.structure.links.iter().filter(|link| solution.truth(link.when)) {
        let (first, second) = (&threads[link.from.0 as usize], &threads[link.to.0 as usize]);
        let before = executed(first.get(..link.from.1 as usize).unwrap_or(first));
        let after = executed(second.get(link.to.1 as usize..).unwrap_or_default());
        before.iter().for_each(|&earlier| after.iter().for_each(|&later| po.insert(earlier, later)));
    }
    po.close();
    po
}

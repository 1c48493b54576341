//! Who waits for what in a deadlock.

use super::call::{Call, call};
use super::{Waiting, line_text};
use crate::graph::{EventKind, Graph};
use crate::names::Names;
use ir::Program;
use model::Structure;
use witness::Execution;

/// The threads that wait at the end of an execution.
pub(super) fn waiting(
    program: &Program,
    execution: &Execution,
    s: &Structure,
    graph: &Graph,
    names: &Names<'_>,
) -> Vec<Waiting> {
    // An execution that cannot be replayed is no evidence anyway; the one thread that it names is shown.
    let own = || execution.violation.iter().map(|violation| (violation.thread, violation.span)).collect();
    let places = witness::waiting(program, execution).unwrap_or_else(|_| own());
    let describe = |&(thread, span): &(ir::ThreadId, source::Span)| {
        let line = program.source.line(span);
        let (file, mark) = crate::graph::file_and_mark(program, span);
        let text = program.source.slice(span);
        let last = graph.events.iter().rfind(|event| event.thread == Some(thread.0));
        let read = last.filter(|event| event.kind == EventKind::Read && event.mark == mark);
        let what = match (call(text), read) {
            (Some(Call::Join), _) => {
                let others: Vec<String> = places
                    .iter()
                    .filter(|(other, _)| *other != thread)
                    .map(|&(other, _)| names.thread(other))
                    .collect();
                match &others[..] {
                    [one] => format!("waits for {one} to end"),
                    [] | [_, ..] => "waits for a thread to end".to_owned(),
                }
            }
            (called, Some(read)) => held(execution, s, graph, names, (called, read.id)),
            (_, None) => "waits".to_owned(),
        };
        Waiting { thread: thread.0, line, file, mark, source: line_text(program, span), what }
    };
    places.iter().map(describe).collect()
}

/// What a read saw that makes its thread wait: who has the lock, or the value.
fn held(
    execution: &Execution,
    s: &Structure,
    graph: &Graph,
    names: &Names<'_>,
    (called, read): (Option<Call>, usize),
) -> String {
    let event = &execution.events[read];
    let (Some(address), Some(value)) = (event.address(), event.value()) else { return "waits".to_owned() };
    let name = names.address(address);
    let source = s.rf.iter().find(|&(_, reader)| reader == read).map(|(write, _)| &graph.events[write]);
    let thread = source.and_then(|write| Some((write, write.thread?)));
    let value = names.value(address, value);
    let is_lock = matches!(called, Some(Call::Take(verb) | Call::Try(verb)) if verb.ends_with("locks"));
    match (called, thread) {
        (Some(Call::Wait), _) => format!("waits on {name} for a signal"),
        (_, Some((write, thread))) if is_lock => {
            let own = Some(thread) == event.thread.map(|thread| thread.0);
            let holder = if own { "itself".to_owned() } else { names.thread(ir::ThreadId(thread)) };
            format!("waits for {name}, held by {holder} since {}", write.place())
        }
        (_, None) if is_lock => format!("waits for {name}, which is locked from the start"),
        (_, Some((write, thread))) => {
            let thread = names.thread(ir::ThreadId(thread));
            format!("waits while {name} = {value}, as {thread} left it in {}", write.place())
        }
        (_, None) => format!("waits while {name} = {value}, as it was from the start"),
    }
}

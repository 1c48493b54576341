//! Executions made by hand: the classics, without a front end or an engine.
#![allow(dead_code, clippy::unwrap_used, clippy::needless_range_loop)]

pub mod scene;

use ir::{
    Address, Atom, Block, Cell, Comparison, Condition, Expr, Function, FunctionId, Local, LocalId, Location, Object,
    ObjectId, Program, Proposition, Quantifier, TagSet, Terminator, Thread, ThreadId, Width,
};
use model::{Relation, Structure};
use report::Graph;
use source::{SourceFile, Span};
use std::path::PathBuf;
use witness::{Action, Event, EventId, Execution};

/// An event: `R x 0`, `W x 1`, or `F mfence 0`, with the text of its instruction.
pub type Row = (char, &'static str, u64, &'static str);

/// A program with its execution.
pub struct Example {
    pub program: Program,
    pub execution: Execution,
    pub structure: Structure,
}

impl Example {
    pub fn graph(&self) -> Graph {
        Graph::new(&self.program, &self.execution, &self.structure)
    }
}

/// Builds an example. `rf` names events by their number among all, the initial writes (one per variable) first.
pub fn example(
    name: &str,
    arch: &str,
    variables: &[&str],
    threads: &[&[Row]],
    rf: &[(usize, usize)],
    co: &[&[usize]],
    deps: &[(&str, usize, usize)],
) -> Example {
    let mut text = format!("{arch} {name}\n{{ }}\n");
    let mut events = Vec::new();
    let mut program_tags: Vec<String> = Vec::new();
    let address = |variable: &str| {
        let at = variables.iter().position(|v| *v == variable).unwrap();
        Address { object: ObjectId(at as u32), offset: 0 }
    };
    for variable in variables {
        let action = Action::Write { address: address(variable), value: 0 };
        events.push(Event { thread: None, action, tags: TagSet::default(), span: Span::default() });
    }
    let depth = threads.iter().map(|t| t.len()).max().unwrap();
    let mut spans = vec![vec![Span::default(); depth]; threads.len()];
    let head: Vec<String> = (0..threads.len()).map(|t| format!(" P{t:<14}")).collect();
    text += &format!("{};\n", head.join("|"));
    for row in 0..depth {
        for (thread, rows) in threads.iter().enumerate() {
            text += if thread > 0 { "| " } else { " " };
            let source = rows.get(row).map_or("", |r| r.3);
            spans[thread][row] = Span::new(text.len(), text.len() + source.len());
            text += &format!("{source:<15}");
        }
        text += ";\n";
    }
    let mut structure_threads = vec![None; variables.len()];
    let mut observed = Vec::new();
    let mut finals = ir::State::new();
    let mut functions = Vec::new();
    for (thread, rows) in threads.iter().enumerate() {
        let mut locals = Vec::new();
        for (row, &(kind, variable, value, _)) in rows.iter().enumerate() {
            let mut tags = TagSet::default();
            let action = match kind {
                'R' => {
                    let name = ["EAX", "EBX", "ECX"][locals.len()].to_owned();
                    let location = Location::Local(ThreadId(thread as u32), LocalId(locals.len() as u32));
                    locals.push(Local { name, width: Width::INT });
                    observed.push(location);
                    finals.insert(location, value);
                    Action::Read { address: address(variable), value }
                }
                'W' => Action::Write { address: address(variable), value },
                _ => {
                    program_tags.push(variable.to_owned());
                    tags.insert(ir::TagId(program_tags.len() as u32 - 1));
                    Action::Fence
                }
            };
            structure_threads.push(Some(thread as u32));
            events.push(Event { thread: Some(ThreadId(thread as u32)), action, tags, span: spans[thread][row] });
        }
        let blocks = vec![Block { instrs: vec![], terminator: Terminator::Return(None) }];
        functions.push(Function { name: format!("P{thread}"), params: 0, library: false, locals, blocks });
    }
    let equal = |(&location, &value): (&Location, &u64)| {
        Proposition::Atom(Atom { location, comparison: Comparison::Eq, value })
    };
    let mut all: Vec<Proposition> = finals.iter().map(equal).collect();
    if all.is_empty() {
        for order in co {
            let event: &Event = &events[*order.last().unwrap()];
            finals.insert(Location::Memory(event.address().unwrap()), event.value().unwrap());
        }
        all = finals.iter().map(equal).collect();
    }
    let condition = Condition { quantifier: Quantifier::Exists, proposition: Proposition::And(all) };
    let mut program = Program::new(name, arch, SourceFile::new(format!("{name}.litmus"), text));
    program.objects = variables
        .iter()
        .map(|v| Object { name: (*v).to_owned(), cells: vec![cell()], shared: true, align: 8 })
        .collect();
    program.functions = functions;
    let thread = |t| Thread { name: format!("P{t}"), body: FunctionId(t as u32) };
    program.threads = (0..threads.len()).map(thread).collect();
    program.tags = program_tags;
    program.condition = Some(condition);
    program.info.insert("Hash".to_owned(), "2d53e83cd627ba17ab11c875525e078b".to_owned());

    let size = events.len();
    let mut s = Structure::new(size);
    s.threads = structure_threads;
    let after = |a: usize, b: usize| s.threads[a].is_some() && s.threads[a] == s.threads[b] && a < b;
    s.po = Relation::from_pairs(
        size,
        (0..size).flat_map(|a| (0..size).map(move |b| (a, b))).filter(|&(a, b)| after(a, b)),
    );
    s.rf = Relation::from_pairs(size, rf.iter().copied());
    let chains = co.iter().flat_map(|c| c.windows(2).map(|pair| (pair[0], pair[1])));
    s.co = Relation::from_pairs(size, chains).plus();
    for &(relation, from, to) in deps {
        match relation {
            "addr" => s.addr.insert(from, to),
            "data" => s.data.insert(from, to),
            "ctrl" => s.ctrl.insert(from, to),
            _ => s.rmw.insert(from, to),
        }
    }
    let id = |&e: &usize| EventId(e as u32);
    let execution = Execution {
        events,
        rf: rf.iter().map(|(w, r)| (id(w), id(r))).collect(),
        co: co.iter().map(|c| c.iter().map(id).collect()).collect(),
        finals,
        ..Execution::default()
    };
    Example { program, execution, structure: s }
}

fn cell() -> Cell {
    Cell { offset: 0, width: Width::INT, initial: Expr::constant(0, Width::INT) }
}

pub fn sb() -> Example {
    let t0: &[Row] = &[('W', "x", 1, "MOV [x],$1"), ('R', "y", 0, "MOV EAX,[y]")];
    let t1: &[Row] = &[('W', "y", 1, "MOV [y],$1"), ('R', "x", 0, "MOV EAX,[x]")];
    example("SB", "X86", &["x", "y"], &[t0, t1], &[(1, 3), (0, 5)], &[&[0, 2], &[1, 4]], &[])
}

pub fn sb_fences() -> Example {
    let t0: &[Row] = &[('W', "x", 1, "MOV [x],$1"), ('F', "mfence", 0, "MFENCE"), ('R', "y", 0, "MOV EAX,[y]")];
    let t1: &[Row] = &[('W', "y", 1, "MOV [y],$1"), ('F', "mfence", 0, "MFENCE"), ('R', "x", 0, "MOV EAX,[x]")];
    example("SB+mfences", "X86", &["x", "y"], &[t0, t1], &[(1, 4), (0, 7)], &[&[0, 2], &[1, 5]], &[])
}

pub fn mp() -> Example {
    let t0: &[Row] = &[('W', "x", 1, "MOV [x],$1"), ('W', "y", 1, "MOV [y],$1")];
    let t1: &[Row] = &[('R', "y", 1, "MOV EAX,[y]"), ('R', "x", 0, "MOV EBX,[x]")];
    example("MP", "X86", &["x", "y"], &[t0, t1], &[(3, 4), (0, 5)], &[&[0, 2], &[1, 3]], &[])
}

pub fn lb() -> Example {
    let t0: &[Row] = &[('R', "x", 1, "lwz r1,0(r2)"), ('W', "y", 1, "stw r1,0(r4)")];
    let t1: &[Row] = &[('R', "y", 1, "lwz r1,0(r4)"), ('W', "x", 1, "stw r1,0(r2)")];
    let deps = [("data", 2, 3), ("data", 4, 5)];
    example("LB+datas", "PPC", &["x", "y"], &[t0, t1], &[(5, 2), (3, 4)], &[&[0, 5], &[1, 3]], &deps)
}

pub fn two_two_w() -> Example {
    let t0: &[Row] = &[('W', "x", 1, "MOV [x],$1"), ('W', "y", 2, "MOV [y],$2")];
    let t1: &[Row] = &[('W', "y", 1, "MOV [y],$1"), ('W', "x", 2, "MOV [x],$2")];
    example("2+2W", "X86", &["x", "y"], &[t0, t1], &[], &[&[0, 5, 2], &[1, 3, 4]], &[])
}

pub fn iriw() -> Example {
    let t0: &[Row] = &[('W', "x", 1, "MOV [x],$1")];
    let t1: &[Row] = &[('R', "x", 1, "MOV EAX,[x]"), ('R', "y", 0, "MOV EBX,[y]")];
    let t2: &[Row] = &[('W', "y", 1, "MOV [y],$1")];
    let t3: &[Row] = &[('R', "y", 1, "MOV EAX,[y]"), ('R', "x", 0, "MOV EBX,[x]")];
    let rf = [(2, 3), (1, 4), (5, 6), (0, 7)];
    example("IRIW", "X86", &["x", "y"], &[t0, t1, t2, t3], &rf, &[&[0, 2], &[1, 5]], &[])
}

/// The SC cycle of SB, as `why` shows it.
pub fn sb_cycle() -> report::Explanation {
    let step =
        |from, to, relation: &str| report::Step { from, to, relation: relation.to_owned(), words: String::new() };
    report::Explanation {
        axiom: "sc".to_owned(),
        requirement: "acyclic po | rf | fr | co".to_owned(),
        steps: vec![step(2, 3, "po"), step(3, 4, "fre"), step(4, 5, "po"), step(5, 2, "fre")],
    }
}

/// Compares `actual` with the file of that name.
pub fn expect(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{name} differs; BLESS=1 rewrites it. Now it is:\n{actual}");
}

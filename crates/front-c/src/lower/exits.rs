//! Threads that end inside a call: `pthread_exit` also ends the variables of the calls around it.
//!
//! A function that may end its thread gets hidden parameters, the addresses of the variables of those calls that others may know; 0
//! where there is none. Where it ends the thread, it ends those variables as well as its own. Calls around each other in a circle may
//! have any number of variables: there the end of the thread is beyond a bound.

use super::alive::Own;
use ir::{Expr, Function, FunctionId, Instr, Local, LocalId, Op, Program, System, Terminator, Width};
use source::Span;

/// More variables of calls than this are not passed on.
const MOST: usize = 16;

/// How the hidden parameters are called.
const NAME: &str = "%around";

/// Lets functions that may end their thread know the variables of the calls around them. What the function `kept` has is there until
/// the program ends.
pub(crate) fn pass_variables(program: &mut Program, kept: Option<FunctionId>) {
    let exits = may_exit(program);
    let own = program.functions.iter().enumerate().map(|(at, function)| match kept {
        Some(kept) if kept.index() == at => Vec::new(),
        _ => Own::of(function).escaping,
    });
    let own: Vec<Vec<LocalId>> = own.collect();
    let wanted = wanted(program, &own, &exits);
    if wanted.iter().all(|&count| count == 0) {
        return;
    }
    for (at, function) in program.functions.iter_mut().enumerate() {
        if wanted[at] > MOST {
            cut_exits(function);
            continue;
        }
        let param = |number| Local { name: format!("{NAME}{number}"), width: Width::WORD };
        let hidden = function.add_params((0..wanted[at]).map(param).collect());
        let moved = |local: &LocalId| match hidden.first() {
            Some(first) if local.0 >= first.0 => LocalId(local.0 + hidden.len() as u32),
            _ => *local,
        };
        let known: Vec<Expr> = own[at].iter().map(moved).chain(hidden.iter().copied()).map(Expr::Local).collect();
        for instr in function.blocks.iter_mut().flat_map(|block| &mut block.instrs) {
            match &mut instr.op {
                Op::System(System::Call { function, args, .. }) => pass(args, &known, wanted[function.index()]),
                Op::System(System::Spawn { function, args, .. }) => pass(args, &[], wanted[function.index()]),
                _ => {}
            }
        }
    }
}

/// The hidden parameters of a function.
pub(crate) fn around(function: &Function) -> Vec<LocalId> {
    let params = function.locals.iter().take(function.params as usize).enumerate();
    params.filter(|(_, local)| local.name.starts_with(NAME)).map(|(at, _)| LocalId(at as u32)).collect()
}

/// Gives a call the arguments for hidden parameters.
fn pass(args: &mut Vec<Expr>, known: &[Expr], wanted: usize) {
    if wanted <= MOST {
        let none = std::iter::repeat_n(Expr::Const(0, Width::WORD), wanted.saturating_sub(known.len()));
        args.extend(known.iter().take(wanted).cloned().chain(none));
    }
}

/// Which functions may end their thread, themselves or by a call.
fn may_exit(program: &Program) -> Vec<bool> {
    let ends =
        |function: &Function| function.blocks.iter().any(|block| matches!(block.terminator, Terminator::Exit(Some(_))));
    let mut exits: Vec<bool> = program.functions.iter().map(ends).collect();
    loop {
        let more = |at: &usize| !exits[*at] && calls(&program.functions[*at]).any(|callee| exits[callee.index()]);
        let more: Vec<usize> = (0..exits.len()).filter(more).collect();
        if more.is_empty() {
            return exits;
        }
        more.into_iter().for_each(|at| exits[at] = true);
    }
}

fn calls(function: &Function) -> impl Iterator<Item = FunctionId> {
    let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
    instrs.filter_map(|instr: &Instr| match &instr.op {
        Op::System(System::Call { function, .. }) => Some(*function),
        _ => None,
    })
}

/// How many variables the calls around each function have at most, if it may end its thread; more than [`MOST`] if there is no telling.
fn wanted(program: &Program, own: &[Vec<LocalId>], exits: &[bool]) -> Vec<usize> {
    let mut wanted = vec![0; own.len()];
    loop {
        let before = wanted.clone();
        for (at, function) in program.functions.iter().enumerate() {
            for callee in calls(function).filter(|callee| exits[callee.index()]) {
                let around = (own[at].len() + wanted[at]).min(MOST + 1);
                wanted[callee.index()] = around.max(wanted[callee.index()]);
            }
        }
        if wanted == before {
            return wanted;
        }
    }
}

/// Where the function ends its thread is beyond a bound.
fn cut_exits(function: &mut Function) {
    for block in &mut function.blocks {
        if let Terminator::Exit(Some(_)) = block.terminator {
            let span = block.instrs.last().map_or(Span::default(), |instr| instr.span);
            block.terminator = Terminator::Cut { span };
        }
    }
}

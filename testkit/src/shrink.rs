//! Smaller variants of a program, for finding the core of a disagreement.

use crate::sketch::write_source;
use ir::{Atom, Condition, Expr, FunctionId, Location, Op, Program, Proposition, TagSet, Terminator, ThreadId, Width};

/// Programs that are smaller than this one by one step: without a thread, without an instruction, without a branch,
/// with a simpler value or address, without a tag.
///
/// Whoever looks for a smallest program with some property takes the first variant that has it, and starts again.
pub fn shrink(program: &Program) -> impl Iterator<Item = Program> + use<> {
    let mut variants = Vec::new();
    if program.threads.len() > 1 {
        variants.extend((0..program.threads.len()).map(|thread| without_thread(program, thread)));
    }
    for (function, body) in program.functions.iter().enumerate() {
        for (block, content) in body.blocks.iter().enumerate() {
            for index in 0..content.instrs.len() {
                let edit = |change: &dyn Fn(&mut Vec<ir::Instr>)| {
                    let mut variant = program.clone();
                    change(&mut variant.functions[function].blocks[block].instrs);
                    variant
                };
                variants.push(edit(&|instrs| drop(instrs.remove(index))));
                for op in simpler(&content.instrs[index].op) {
                    variants.push(edit(&|instrs| instrs[index].op = op.clone()));
                }
            }
            if let Terminator::Branch { then, otherwise, .. } = content.terminator {
                for to in [then, otherwise] {
                    let mut variant = program.clone();
                    variant.functions[function].blocks[block].terminator = Terminator::Goto(to);
                    variants.push(variant);
                }
            }
        }
    }
    variants.into_iter().map(|mut variant| {
        write_source(&mut variant);
        variant
    })
}

fn without_thread(program: &Program, thread: usize) -> Program {
    let mut variant = program.clone();
    variant.threads.remove(thread);
    // Bodies stay where they are unless each thread has its own, in order.
    if program.threads.iter().enumerate().all(|(at, t)| t.body.index() == at) && program.functions.len() > thread {
        variant.functions.remove(thread);
        for (at, thread) in variant.threads.iter_mut().enumerate() {
            thread.body = FunctionId(at as u32);
        }
    }
    let renumber = |location: Location| match location {
        Location::Local(ThreadId(t), _) if t as usize == thread => None,
        Location::Local(ThreadId(t), local) if t as usize > thread => Some(Location::Local(ThreadId(t - 1), local)),
        Location::Local(..) | Location::Memory(_) => Some(location),
    };
    variant.observed = variant.observed.into_iter().filter_map(renumber).collect();
    variant.condition = variant.condition.map(|condition| Condition {
        quantifier: condition.quantifier,
        proposition: relocate(&condition.proposition, &renumber),
    });
    variant.filter = variant.filter.map(|filter| relocate(&filter, &renumber));
    variant
}

/// The proposition with other locations; what is said about locations that are gone becomes true.
fn relocate(proposition: &Proposition, renumber: &dyn Fn(Location) -> Option<Location>) -> Proposition {
    let all = |parts: &[Proposition]| parts.iter().map(|part| relocate(part, renumber)).collect();
    match proposition {
        Proposition::True => Proposition::True,
        Proposition::False => Proposition::False,
        Proposition::Atom(atom) => renumber(atom.location)
            .map_or(Proposition::True, |location| Proposition::Atom(Atom { location, ..atom.clone() })),
        Proposition::Same(left, right) => match (renumber(*left), renumber(*right)) {
            (Some(left), Some(right)) => Proposition::Same(left, right),
            _ => Proposition::True,
        },
        Proposition::Not(inner) => Proposition::Not(Box::new(relocate(inner, renumber))),
        Proposition::And(parts) => Proposition::And(all(parts)),
        Proposition::Or(parts) => Proposition::Or(all(parts)),
        Proposition::Implies(left, right) => {
            Proposition::Implies(Box::new(relocate(left, renumber)), Box::new(relocate(right, renumber)))
        }
    }
}

/// Simpler forms of an instruction.
fn simpler(op: &Op) -> Vec<Op> {
    let mut forms = Vec::new();
    let untagged = TagSet::default();
    match op {
        Op::Assign { dst, value } => {
            forms.extend(constant(value).map(|value| Op::Assign { dst: *dst, value }));
        }
        Op::Load { dst, addr, tags, reserve } => {
            let load = |addr: &Expr, tags: &TagSet, reserve| Op::Load {
                dst: *dst,
                addr: addr.clone(),
                tags: tags.clone(),
                reserve,
            };
            forms.extend(plain_address(addr).map(|addr| load(&addr, tags, *reserve)));
            if !tags.is_empty() || *reserve {
                forms.push(load(addr, &untagged, false));
            }
        }
        Op::Store { addr, value, tags } => {
            let store = |addr: Expr, value: Expr, tags: &TagSet| Op::Store { addr, value, tags: tags.clone() };
            forms.extend(plain_address(addr).map(|addr| store(addr, value.clone(), tags)));
            forms.extend(constant(value).map(|value| store(addr.clone(), value, tags)));
            if !tags.is_empty() {
                forms.push(store(addr.clone(), value.clone(), &untagged));
            }
        }
        Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
            let rmw = |addr: &Expr, when: Option<Expr>, value: &Expr| Op::Rmw {
                dst: *dst,
                addr: addr.clone(),
                when,
                value: value.clone(),
                read_tags: read_tags.clone(),
                write_tags: write_tags.clone(),
            };
            forms.push(Op::Load { dst: *dst, addr: addr.clone(), tags: untagged, reserve: false });
            forms.extend(when.iter().map(|_| rmw(addr, None, value)));
            forms.extend(plain_address(addr).map(|addr| rmw(&addr, when.clone(), value)));
            forms.extend(constant(value).map(|value| rmw(addr, when.clone(), &value)));
        }
        Op::StoreConditional { success, addr, value, tags, status } => {
            let (success, status) = (*success, *status);
            let store = |addr, value| Op::StoreConditional { success, addr, value, tags: tags.clone(), status };
            forms.push(Op::Store { addr: addr.clone(), value: value.clone(), tags: untagged });
            forms.extend(plain_address(addr).map(|addr| store(addr, value.clone())));
            forms.extend(constant(value).map(|value| store(addr.clone(), value)));
        }
        Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => {}
    }
    forms
}

/// The constant 1 instead of something computed from locals, if the width is that of an `int` or a truth value.
fn constant(value: &Expr) -> Option<Expr> {
    let mut mentions = 0;
    value.for_each_local(&mut |_| mentions += 1);
    // Arithmetic on registers is 32 bits wide in generated programs; other widths are left alone.
    let is_sum = matches!(value, Expr::Binary(op, _, right) if !op.is_comparison()
        && matches!(**right, Expr::Const(_, Width::INT)));
    (mentions > 0 && is_sum).then(|| Expr::constant(1, Width::INT))
}

/// The address without what was added to it.
fn plain_address(addr: &Expr) -> Option<Expr> {
    match addr {
        Expr::Binary(ir::BinaryOp::Add, base, _) if matches!(**base, Expr::Address(..)) => Some((**base).clone()),
        Expr::Binary(..)
        | Expr::Const(..)
        | Expr::Local(_)
        | Expr::Address(..)
        | Expr::Unary(..)
        | Expr::Select(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, generate, shrink};

    #[test]
    fn variants_are_valid_and_different() {
        for seed in 0..100 {
            let program = generate(seed, &Config::default());
            let mut variants = 0;
            for variant in shrink(&program) {
                ir::validate(&variant).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{variant}"));
                assert_ne!(variant.to_string(), program.to_string(), "seed {seed}");
                variants += 1;
            }
            assert!(variants > 0, "seed {seed}");
        }
    }
}

//! Clauses against the meaning of operators: every operator on every pair of small values.

use ir::{BinaryOp, UnaryOp, Width};
use logic::{Blaster, Evaluation, Outcome, Solver, Term, Terms};
use testkit::Rng;

const OPERATORS: [BinaryOp; 19] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::URem,
    BinaryOp::SDiv,
    BinaryOp::SRem,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::ULt,
    BinaryOp::ULe,
    BinaryOp::SLt,
    BinaryOp::SLe,
];

/// Solves for the value of `result` when the variables have these values.
fn solve(terms: &mut Terms, inputs: &[(Term, u64)], result: Term) -> u64 {
    let (mut blaster, mut solver) = (Blaster::new(), Solver::new());
    let output = terms.fresh(terms.width(result));
    let same = terms.eq(output, result);
    blaster.assert(terms, &mut solver, same);
    for &(variable, value) in inputs {
        let constant = terms.constant(value, terms.width(variable));
        let fixed = terms.eq(variable, constant);
        blaster.assert(terms, &mut solver, fixed);
    }
    assert_eq!(solver.solve(&[], &|| true), Outcome::Satisfiable);
    let assignment = blaster.assignment(terms, &mut solver);
    let mut evaluation = Evaluation::new(terms, &assignment);
    let value = evaluation.value(output);
    assert_eq!(evaluation.value(result), value, "evaluation and clauses agree");
    value
}

#[test]
fn binary_operators() {
    for bits in [1, 3, 4] {
        let width = Width::new(bits);
        for op in OPERATORS {
            let mut terms = Terms::new();
            let (a, b) = (terms.fresh(width), terms.fresh(width));
            let result = terms.binary(op, a, b);
            for (x, y) in (0..=width.mask()).flat_map(|x| (0..=width.mask()).map(move |y| (x, y))) {
                let expected = ir::eval_binary(op, x, y, width).0;
                assert_eq!(solve(&mut terms, &[(a, x), (b, y)], result), expected, "{x} {op:?} {y} in {bits} bits");
            }
        }
    }
}

#[test]
fn wide_operators() {
    let values = [0, 1, 2, 63, 64, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, u64::MAX, 0x0123_4567_89AB_CDEF];
    for op in OPERATORS.into_iter().filter(|op| !matches!(op, BinaryOp::Mul)) {
        let mut terms = Terms::new();
        let (a, b) = (terms.fresh(Width::WORD), terms.fresh(Width::WORD));
        let result = terms.binary(op, a, b);
        for (x, y) in [(0, 3), (4, 2), (5, 3), (6, 7), (7, 0), (8, 5), (3, 3), (7, 1)] {
            let (x, y) = (values[x], values[y]);
            let expected = ir::eval_binary(op, x, y, Width::WORD).0;
            assert_eq!(solve(&mut terms, &[(a, x), (b, y)], result), expected, "{x} {op:?} {y}");
        }
    }
}

#[test]
fn unary_operators() {
    let (narrow, wide) = (Width::new(3), Width::new(5));
    for (from, op) in [
        (narrow, UnaryOp::Not),
        (narrow, UnaryOp::Neg),
        (narrow, UnaryOp::ZeroExtend(wide)),
        (narrow, UnaryOp::SignExtend(wide)),
        (wide, UnaryOp::Truncate(narrow)),
    ] {
        let mut terms = Terms::new();
        let a = terms.fresh(from);
        let result = terms.unary(op, a);
        for x in 0..=from.mask() {
            assert_eq!(solve(&mut terms, &[(a, x)], result), ir::eval_unary(op, x, from).0, "{op:?} {x}");
        }
    }
}

/// Random terms over choices and small constants: simplification does not change their value.
#[test]
fn simplification_keeps_values() {
    let mut rng = Rng::new(1);
    let mut next = |below: u64| rng.next_u64() % below;
    let width = Width::new(3);
    for _ in 0..300 {
        let mut terms = Terms::new();
        let variables: Vec<Term> = (0..2).map(|_| terms.fresh(width)).collect();
        let inputs: Vec<(Term, u64)> = variables.iter().map(|&v| (v, next(8))).collect();
        // Terms and their values side by side, built bottom up.
        let mut built: Vec<(Term, u64)> = inputs.clone();
        for constant in 0..3 {
            built.push((terms.constant(constant, width), constant));
        }
        for _ in 0..12 {
            let (a, x) = built[next(built.len() as u64) as usize];
            let (b, y) = built[next(built.len() as u64) as usize];
            let (c, z) = built[next(built.len() as u64) as usize];
            let entry = match next(3) {
                0 => {
                    let condition = terms.compare(BinaryOp::ULt, a, b);
                    (terms.ite(condition, c, a), if x < y { z } else { x })
                }
                1 => {
                    let (first, second) = (terms.eq(a, b), terms.compare(BinaryOp::SLt, b, c));
                    let signed = |v| ir::sign_extend(v, width);
                    let both = terms.or(first, second);
                    (terms.ite(both, b, c), if x == y || signed(y) < signed(z) { y } else { z })
                }
                _ => {
                    let op = OPERATORS[next(13) as usize];
                    (terms.binary(op, a, b), ir::eval_binary(op, x, y, width).0)
                }
            };
            built.push(entry);
        }
        let (last, expected) = built[built.len() - 1];
        assert_eq!(solve(&mut terms, &inputs, last), expected);
    }
}

/// The value of the greatest height that holds, whether the variable is used or not.
#[test]
fn copies_by_height() {
    let mut rng = Rng::new(7);
    for round in 0..200 {
        let width = Width::new(4);
        let (mut terms, mut blaster, mut solver) = (Terms::new(), Blaster::new(), Solver::new());
        let heights: Vec<(logic::Bool, Term)> =
            (0..1 + rng.below(6)).map(|_| (terms.fresh_bool(), terms.constant(rng.below(16) as u64, width))).collect();
        for two in heights.windows(2) {
            let nested = terms.implies(two[1].0, two[0].0);
            blaster.assert(&terms, &mut solver, nested);
        }
        let read = terms.fresh(width);
        blaster.copy_by_height(&mut terms, &mut solver, &heights, read);
        let used = round % 2 == 0;
        if used {
            blaster.use_variables(&terms, &mut solver, [read].into_iter());
        }
        blaster.settle(&mut terms, &mut solver);
        for reached in 0..heights.len() {
            let assumed: Vec<_> = heights
                .iter()
                .enumerate()
                .map(|(at, &(height, _))| {
                    let literal = blaster.lit(&terms, &mut solver, height);
                    if at <= reached { literal } else { !literal }
                })
                .collect();
            assert_eq!(solver.solve(&assumed, &|| true), Outcome::Satisfiable);
            let assignment = blaster.assignment(&terms, &mut solver);
            let mut evaluation = Evaluation::new(&terms, &assignment);
            let expected = evaluation.value(heights[reached].1);
            assert_eq!(evaluation.value(read), expected, "round {round}, height {reached}");
        }
    }
}

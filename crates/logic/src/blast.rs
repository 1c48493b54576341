//! From terms to clauses: truth values become literals, bit-vectors become literals per bit.

use crate::solver::{Lit, Solver};
use crate::substitute::Evaluation;
use crate::terms::{Bool, BoolNode, Term, TermNode, Terms};
use ir::{BinaryOp, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Remembers which literals stand for which terms.
#[derive(Debug, Default)]
pub struct Blaster {
    bools: FxHashMap<usize, Lit>,
    bits: FxHashMap<Term, Vec<Lit>>,
    /// Variables whose bits from some position on are zeros.
    narrow: FxHashMap<Term, u32>,
    /// What variables that nobody has used yet are equal to, and when.
    copies: FxHashMap<Term, Vec<(Bool, Term)>>,
    /// Those of them that are said by height, and for each copy when it is this one or a later one: see [`Blaster::copy_by_height`].
    heights: FxHashMap<Term, Vec<Bool>>,
    /// Variables with copies that have been used since.
    used: Vec<Term>,
}

impl Blaster {
    /// A blaster that knows nothing yet.
    pub fn new() -> Self {
        Blaster::default()
    }

    /// From here on only values of a variable count that need no more than so many bits.
    ///
    /// # Panics
    /// When the variable has literals already.
    pub fn limit(&mut self, variable: Term, bits: u32) {
        assert!(!self.bits.contains_key(&variable), "a variable is limited before it is used");
        self.narrow.insert(variable, bits);
    }

    /// Requires a truth value to hold.
    pub fn assert(&mut self, terms: &Terms, solver: &mut Solver, b: Bool) {
        if let BoolNode::And(left, right) = terms.bool_node(b)
            && !b.is_negated()
        {
            self.assert(terms, solver, left);
            self.assert(terms, solver, right);
        } else if b != Bool::TRUE {
            let mut clause = Vec::new();
            self.disjuncts(terms, solver, b, &mut clause);
            solver.clause(&clause);
        }
    }

    /// Requires two values of the same width to be equal where a condition holds.
    pub fn assert_equal(&mut self, terms: &mut Terms, solver: &mut Solver, when: Bool, a: Term, b: Term) {
        let equal = terms.eq(a, b);
        if when == Bool::FALSE || equal == Bool::TRUE {
            return;
        }
        if !matches!(terms.bool_node(equal), BoolNode::Eq(..)) {
            let constraint = terms.implies(when, equal);
            self.assert(terms, solver, constraint);
            return;
        }
        let unless = !self.lit(terms, solver, when);
        let truth = solver.truth();
        let (a, b) = (self.bits(terms, solver, a), self.bits(terms, solver, b));
        for (&x, &y) in a.iter().zip(&b) {
            for (not, then) in [(x, y), (y, x)] {
                // A bit and its equal that are constants need no clause of three.
                if not != !truth && then != truth && not != then {
                    let clause: Vec<Lit> = [unless, !not, then].into_iter().filter(|&l| l != !truth).collect();
                    solver.clause(&clause);
                }
            }
        }
    }

    /// The same, for a variable on the right that has no more than one value by all that is said about it in this way: nothing is said before somebody
    /// uses it. The variables on the left must be used: see [`Blaster::use_variables`]. After the last use, [`Blaster::settle`] says the rest.
    pub fn copy(&mut self, terms: &mut Terms, solver: &mut Solver, when: Bool, from: Term, to: Term) {
        if matches!(terms.node(to), TermNode::Var(_)) && !self.bits.contains_key(&to) {
            self.copies.entry(to).or_default().push((when, from));
        } else {
            self.assert_equal(terms, solver, when, from, to);
        }
    }

    /// The same for all that a variable can be equal to, where each height implies the one before it: it is equal to the value of the greatest height
    /// that holds, and to anything if none does. A bit that is the same at many heights in a row is said once for all of them.
    pub fn copy_by_height(&mut self, terms: &mut Terms, solver: &mut Solver, heights: &[(Bool, Term)], to: Term) {
        let late = self.bits.contains_key(&to) || self.copies.contains_key(&to);
        if !late && matches!(terms.node(to), TermNode::Var(_)) {
            self.heights.insert(to, heights.iter().map(|&(height, _)| height).collect());
        }
        for (at, &(height, from)) in heights.iter().enumerate() {
            let above = heights.get(at + 1).map_or(Bool::FALSE, |&(above, _)| above);
            let when = terms.and(height, !above);
            self.copy(terms, solver, when, from, to);
        }
    }

    /// Says that a variable is equal to the value of the greatest height that holds.
    fn assert_by_height(
        &mut self,
        terms: &Terms,
        solver: &mut Solver,
        heights: &[Bool],
        values: &[(Bool, Term)],
        to: Term,
    ) {
        let heights: Vec<Lit> = heights.iter().map(|&height| self.lit(terms, solver, height)).collect();
        let values: Vec<Vec<Lit>> = values.iter().map(|&(_, value)| self.bits(terms, solver, value)).collect();
        let truth = solver.truth();
        for (bit, then) in self.bits(terms, solver, to).into_iter().enumerate() {
            let mut first = 0;
            while first < values.len() {
                let from = values[first][bit];
                let after = (first..values.len()).find(|&at| values[at][bit] != from).unwrap_or(values.len());
                let above = heights.get(after).copied().unwrap_or(!truth);
                for (not, then) in [(from, then), (!from, !then)] {
                    if not != !truth && then != truth && not != then {
                        let clause = [!heights[first], above, !not, then];
                        let clause: Vec<Lit> = clause.into_iter().filter(|&literal| literal != !truth).collect();
                        solver.clause(&clause);
                    }
                }
                first = after;
            }
        }
    }

    /// Uses the variables in these terms.
    pub fn use_variables(&mut self, terms: &Terms, solver: &mut Solver, among: impl Iterator<Item = Term>) {
        let (mut pending, mut truths): (Vec<Term>, Vec<Bool>) = (among.collect(), Vec::new());
        let (mut seen, mut known) = (FxHashSet::default(), FxHashSet::default());
        loop {
            if let Some(term) = pending.pop() {
                if !seen.insert(term) {
                    continue;
                }
                match terms.node(term) {
                    TermNode::Const(_) => {}
                    TermNode::Var(_) => drop(self.bits(terms, solver, term)),
                    TermNode::Ite(condition, then, otherwise) => {
                        truths.push(condition);
                        pending.extend([then, otherwise]);
                    }
                    TermNode::Unary(_, operand) => pending.push(operand),
                    TermNode::Binary(_, left, right) => pending.extend([left, right]),
                }
            } else if let Some(truth) = truths.pop() {
                if !known.insert(truth.index()) {
                    continue;
                }
                match terms.bool_node(truth) {
                    BoolNode::True | BoolNode::Var(_) => {}
                    BoolNode::And(left, right) => truths.extend([left, right]),
                    BoolNode::Eq(left, right) | BoolNode::Ult(left, right) | BoolNode::Slt(left, right) => {
                        pending.extend([left, right]);
                    }
                }
            } else {
                return;
            }
        }
    }

    /// Says what the variables are equal to that have been used.
    pub fn settle(&mut self, terms: &mut Terms, solver: &mut Solver) {
        while let Some(variable) = self.used.pop() {
            let copies = self.copies.remove(&variable).unwrap_or_default();
            if let Some(heights) = self.heights.remove(&variable) {
                self.assert_by_height(terms, solver, &heights, &copies, variable);
                continue;
            }
            for (when, from) in copies {
                self.assert_equal(terms, solver, when, from, variable);
            }
        }
    }

    /// The literals of which one holds if `b` does.
    fn disjuncts(&mut self, terms: &Terms, solver: &mut Solver, b: Bool, clause: &mut Vec<Lit>) {
        if let BoolNode::And(left, right) = terms.bool_node(b)
            && b.is_negated()
        {
            self.disjuncts(terms, solver, !left, clause);
            self.disjuncts(terms, solver, !right, clause);
        } else if b != Bool::FALSE {
            clause.push(self.lit(terms, solver, b));
        }
    }

    /// The literal that stands for a truth value.
    pub fn lit(&mut self, terms: &Terms, solver: &mut Solver, b: Bool) -> Lit {
        let signed = |literal: Lit| if b.is_negated() { !literal } else { literal };
        if let Some(&known) = self.bools.get(&b.index()) {
            return signed(known);
        }
        let literal = match terms.bool_node(b) {
            BoolNode::True => solver.truth(),
            BoolNode::Var(_) => solver.fresh(),
            BoolNode::And(..) => {
                let mut operands = Vec::new();
                self.conjuncts(terms, solver, b.negated_if(b.is_negated()), &mut operands);
                conjunction(solver, &operands)
            }
            BoolNode::Eq(left, right) => {
                let (left, right) = (self.bits(terms, solver, left), self.bits(terms, solver, right));
                let same: Vec<Lit> = left.iter().zip(&right).map(|(&l, &r)| !xor(solver, l, r)).collect();
                conjunction(solver, &same)
            }
            BoolNode::Ult(left, right) => {
                let (left, right) = (self.bits(terms, solver, left), self.bits(terms, solver, right));
                unsigned_less(solver, &left, &right)
            }
            BoolNode::Slt(left, right) => {
                let (mut left, mut right) = (self.bits(terms, solver, left), self.bits(terms, solver, right));
                // Signed order is unsigned order with the sign bits flipped.
                for sign in left.last_mut().into_iter().chain(right.last_mut()) {
                    *sign = !*sign;
                }
                unsigned_less(solver, &left, &right)
            }
        };
        self.bools.insert(b.index(), literal);
        signed(literal)
    }

    /// The operands of a conjunction, through those that have no literal of their own yet.
    fn conjuncts(&mut self, terms: &Terms, solver: &mut Solver, b: Bool, operands: &mut Vec<Lit>) {
        if let BoolNode::And(left, right) = terms.bool_node(b)
            && !b.is_negated()
            && !self.bools.contains_key(&b.index())
        {
            self.conjuncts(terms, solver, left, operands);
            self.conjuncts(terms, solver, right, operands);
        } else {
            operands.push(self.lit(terms, solver, b));
        }
    }

    /// The literals of the bits of a term, the lowest first.
    pub fn bits(&mut self, terms: &Terms, solver: &mut Solver, t: Term) -> Vec<Lit> {
        if let Some(known) = self.bits.get(&t) {
            return known.clone();
        }
        let width = terms.width(t).bits() as usize;
        let bits = match terms.node(t) {
            TermNode::Const(value) => (0..width).map(|bit| constant(solver, value >> bit & 1 == 1)).collect(),
            TermNode::Var(_) => {
                if self.copies.contains_key(&t) {
                    self.used.push(t);
                }
                let used = self.narrow.get(&t).map_or(width, |&bits| width.min(bits as usize));
                let zero = constant(solver, false);
                (0..width).map(|bit| if bit < used { solver.fresh() } else { zero }).collect()
            }
            TermNode::Ite(condition, then, otherwise) => {
                let condition = self.lit(terms, solver, condition);
                let (then, otherwise) = (self.bits(terms, solver, then), self.bits(terms, solver, otherwise));
                choose_bits(solver, condition, &then, &otherwise)
            }
            TermNode::Unary(op, operand) => {
                let operand = self.bits(terms, solver, operand);
                unary(solver, op, &operand)
            }
            TermNode::Binary(op, left, right) => {
                let (left, right) = (self.bits(terms, solver, left), self.bits(terms, solver, right));
                binary(solver, op, &left, &right)
            }
        };
        assert_eq!(bits.len(), width, "every bit has a literal");
        self.bits.insert(t, bits.clone());
        bits
    }

    /// The values of all variables in the model just found. What never got a literal is unconstrained.
    pub fn assignment(&self, terms: &Terms, solver: &mut Solver) -> Assignment {
        let mut assignment = Assignment::default();
        for (&index, &literal) in &self.bools {
            assignment.truths.insert(index, solver.value(literal));
        }
        for (&term, bits) in &self.bits {
            if matches!(terms.node(term), TermNode::Var(_)) {
                let value = bits.iter().enumerate().fold(0, |v, (at, &bit)| v | u64::from(solver.value(bit)) << at);
                assignment.values.insert(term, value);
            }
        }
        let mut copied = Vec::new();
        let mut evaluation = Evaluation::new(terms, &assignment);
        for (&variable, copies) in &self.copies {
            let holds = copies.iter().find(|&&(when, _)| evaluation.truth(when));
            copied.extend(holds.map(|&(_, from)| (variable, evaluation.value(from))));
        }
        assignment.values.extend(copied);
        assignment
    }
}

/// The values of variables in a model.
#[derive(Debug, Default)]
pub struct Assignment {
    truths: FxHashMap<usize, bool>,
    values: FxHashMap<Term, u64>,
}

impl Assignment {
    /// The value of a truth variable; false if it is unconstrained.
    pub fn truth(&self, variable: Bool) -> bool {
        self.truths.get(&variable.index()).copied().unwrap_or(false)
    }

    /// The value of a bit-vector variable; zero if it is unconstrained.
    pub fn value(&self, variable: Term) -> u64 {
        self.values.get(&variable).copied().unwrap_or(0)
    }
}

fn constant(solver: &mut Solver, value: bool) -> Lit {
    let truth = solver.truth();
    if value { truth } else { !truth }
}

/// A literal that holds iff all operands do.
fn conjunction(solver: &mut Solver, operands: &[Lit]) -> Lit {
    let truth = solver.truth();
    let mut operands: Vec<Lit> = operands.iter().copied().filter(|&l| l != truth).collect();
    operands.sort();
    operands.dedup();
    if operands.contains(&!truth) || operands.iter().any(|&l| operands.contains(&!l)) {
        return !truth;
    }
    match operands[..] {
        [] => truth,
        [only] => only,
        _ => {
            let result = solver.fresh();
            for &operand in &operands {
                solver.clause(&[!result, operand]);
            }
            let mut clause: Vec<Lit> = operands.iter().map(|&l| !l).collect();
            clause.push(result);
            solver.clause(&clause);
            result
        }
    }
}

fn or(solver: &mut Solver, a: Lit, b: Lit) -> Lit {
    !conjunction(solver, &[!a, !b])
}

fn xor(solver: &mut Solver, a: Lit, b: Lit) -> Lit {
    let truth = solver.truth();
    if a == truth {
        return !b;
    }
    if a == !truth {
        return b;
    }
    if b == truth {
        return !a;
    }
    if b == !truth {
        return a;
    }
    if a == b {
        return !truth;
    }
    if a == !b {
        return truth;
    }
    let result = solver.fresh();
    solver.clause(&[!result, a, b]);
    solver.clause(&[!result, !a, !b]);
    solver.clause(&[result, !a, b]);
    solver.clause(&[result, a, !b]);
    result
}

fn choose(solver: &mut Solver, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
    let truth = solver.truth();
    if then == otherwise || condition == truth {
        return then;
    }
    if condition == !truth {
        return otherwise;
    }
    let is_plain =
        |literal: Lit| literal != truth && literal != !truth && literal != condition && literal != !condition;
    if then == !otherwise || !is_plain(then) || !is_plain(otherwise) {
        let yes = conjunction(solver, &[condition, then]);
        let no = conjunction(solver, &[!condition, otherwise]);
        return or(solver, yes, no);
    }
    let result = solver.fresh();
    solver.clause(&[!condition, !then, result]);
    solver.clause(&[!condition, then, !result]);
    solver.clause(&[condition, !otherwise, result]);
    solver.clause(&[condition, otherwise, !result]);
    // Implied, but not by unit propagation.
    solver.clause(&[!then, !otherwise, result]);
    solver.clause(&[then, otherwise, !result]);
    result
}

fn choose_bits(solver: &mut Solver, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Vec<Lit> {
    then.iter().zip(otherwise).map(|(&t, &o)| choose(solver, condition, t, o)).collect()
}

/// Sum and carry of three bits.
fn full_adder(solver: &mut Solver, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
    let carry = majority(solver, a, b, c);
    if !are_independent(solver, a, b, c) {
        let half = xor(solver, a, b);
        return (xor(solver, half, c), carry);
    }
    let sum = solver.fresh();
    for odd in [[a, b, c], [a, !b, !c], [!a, b, !c], [!a, !b, c]] {
        let [x, y, z] = odd;
        // An odd number of ones: these bits in common make the sum one, their negations make it zero.
        solver.clause(&[!x, !y, !z, sum]);
        solver.clause(&[x, y, z, !sum]);
    }
    // Implied, but not by unit propagation: carry and sum are both ones if and only if all are.
    for bit in [a, b, c] {
        solver.clause(&[!carry, !sum, bit]);
        solver.clause(&[carry, sum, !bit]);
    }
    (sum, carry)
}

/// Whether no two of these are the same or opposite, and none is a constant.
fn are_independent(solver: &mut Solver, a: Lit, b: Lit, c: Lit) -> bool {
    let truth = solver.truth().variable();
    let [a, b, c] = [a, b, c].map(Lit::variable);
    a != b && b != c && a != c && ![a, b, c].contains(&truth)
}

/// Whether two of three bits are ones.
fn majority(solver: &mut Solver, a: Lit, b: Lit, c: Lit) -> Lit {
    let truth = solver.truth();
    for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
        if x == truth || y == z {
            return if x == truth { or(solver, y, z) } else { y };
        }
        if x == !truth || y == !z {
            return if x == !truth { conjunction(solver, &[y, z]) } else { x };
        }
    }
    let result = solver.fresh();
    for (x, y) in [(a, b), (b, c), (a, c)] {
        solver.clause(&[!x, !y, result]);
        solver.clause(&[x, y, !result]);
    }
    result
}

/// The sum and the carry out.
fn add(solver: &mut Solver, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let (bit, next) = full_adder(solver, x, y, carry);
        sum.push(bit);
        carry = next;
    }
    (sum, carry)
}

fn negate(bits: &[Lit]) -> Vec<Lit> {
    bits.iter().map(|&bit| !bit).collect()
}

/// `a < b`: there is no carry out of `a + ~b + 1`.
fn unsigned_less(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Lit {
    let mut carry = constant(solver, true);
    for (&x, &y) in a.iter().zip(b) {
        carry = majority(solver, x, !y, carry);
    }
    !carry
}

fn multiply(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let zero = constant(solver, false);
    let mut product = vec![zero; a.len()];
    for (shift, &bit) in b.iter().enumerate() {
        let mut row = vec![zero; shift];
        for &x in &a[..a.len() - shift] {
            row.push(conjunction(solver, &[x, bit]));
        }
        product = add(solver, &product, &row, zero).0;
    }
    product
}

/// Quotient and remainder by long division; a divisor of zero gives all ones and the dividend.
fn divide(solver: &mut Solver, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let (zero, one) = (constant(solver, false), constant(solver, true));
    // One bit more, so that the shifted remainder does not overflow.
    let mut wide: Vec<Lit> = b.to_vec();
    wide.push(zero);
    let mut remainder = vec![zero; wide.len()];
    let mut quotient = vec![zero; a.len()];
    for at in (0..a.len()).rev() {
        remainder.rotate_right(1);
        remainder[0] = a[at];
        let (difference, fits) = add(solver, &remainder, &negate(&wide), one);
        quotient[at] = fits;
        remainder = choose_bits(solver, fits, &difference, &remainder);
    }
    remainder.pop();
    (quotient, remainder)
}

fn absolute(solver: &mut Solver, bits: &[Lit]) -> Vec<Lit> {
    let sign = bits[bits.len() - 1];
    negate_if(solver, sign, bits)
}

fn negate_if(solver: &mut Solver, condition: Lit, bits: &[Lit]) -> Vec<Lit> {
    let zero = constant(solver, false);
    let flipped: Vec<Lit> = bits.iter().map(|&bit| xor(solver, bit, condition)).collect();
    let zeros = vec![zero; bits.len()];
    add(solver, &flipped, &zeros, condition).0
}

fn shift(solver: &mut Solver, a: &[Lit], amount: &[Lit], left: bool, fill: Lit) -> Vec<Lit> {
    let mut bits = a.to_vec();
    let width = bits.len();
    let mut too_far = constant(solver, false);
    for (stage, &by) in amount.iter().enumerate() {
        if stage < 7 && 1 << stage < width {
            let step = 1 << stage;
            let shifted: Vec<Lit> = (0..width)
                .map(|at| {
                    let from = if left { at.checked_sub(step) } else { Some(at + step).filter(|&f| f < width) };
                    from.map_or(fill, |from| bits[from])
                })
                .collect();
            bits = choose_bits(solver, by, &shifted, &bits);
        } else {
            too_far = or(solver, too_far, by);
        }
    }
    let filled = vec![fill; width];
    choose_bits(solver, too_far, &filled, &bits)
}

fn unary(solver: &mut Solver, op: UnaryOp, operand: &[Lit]) -> Vec<Lit> {
    let resize = |to: ir::Width, fill: Lit| {
        let mut bits = operand.to_vec();
        bits.resize(to.bits() as usize, fill);
        bits
    };
    match op {
        UnaryOp::Not => negate(operand),
        UnaryOp::Neg => {
            let one = constant(solver, true);
            negate_if(solver, one, operand)
        }
        UnaryOp::ZeroExtend(to) | UnaryOp::Truncate(to) => {
            let zero = constant(solver, false);
            resize(to, zero)
        }
        UnaryOp::SignExtend(to) => resize(to, operand[operand.len() - 1]),
        UnaryOp::Life => {
            let bit = |(at, &own): (usize, &Lit)| match ir::Address::OFFSETS >> at & 1 {
                0 => own,
                _ => constant(solver, ir::life::LIFE >> at & 1 == 1),
            };
            operand.iter().enumerate().map(bit).collect()
        }
    }
}

fn binary(solver: &mut Solver, op: BinaryOp, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let pairs = || a.iter().copied().zip(b.iter().copied());
    let (zero, one) = (constant(solver, false), constant(solver, true));
    match op {
        BinaryOp::Add => add(solver, a, b, zero).0,
        BinaryOp::Sub => add(solver, a, &negate(b), one).0,
        BinaryOp::Mul => multiply(solver, a, b),
        BinaryOp::UDiv => divide(solver, a, b).0,
        BinaryOp::URem => divide(solver, a, b).1,
        BinaryOp::SDiv => {
            let (x, y) = (absolute(solver, a), absolute(solver, b));
            let quotient = divide(solver, &x, &y).0;
            let negative = xor(solver, a[a.len() - 1], b[b.len() - 1]);
            negate_if(solver, negative, &quotient)
        }
        BinaryOp::SRem => {
            let (x, y) = (absolute(solver, a), absolute(solver, b));
            let remainder = divide(solver, &x, &y).1;
            negate_if(solver, a[a.len() - 1], &remainder)
        }
        BinaryOp::And => pairs().map(|(x, y)| conjunction(solver, &[x, y])).collect(),
        BinaryOp::Or => pairs().map(|(x, y)| or(solver, x, y)).collect(),
        BinaryOp::Xor => pairs().map(|(x, y)| xor(solver, x, y)).collect(),
        BinaryOp::Shl => shift(solver, a, b, true, zero),
        BinaryOp::LShr => shift(solver, a, b, false, zero),
        BinaryOp::AShr => shift(solver, a, b, false, a[a.len() - 1]),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe => {
            panic!("comparisons are truth values, not bit-vectors")
        }
    }
}

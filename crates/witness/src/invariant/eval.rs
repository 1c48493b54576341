//! Expressions as linear terms, in cases.
//!
//! A value is a signed number of its width, a truth value 0 or 1. What constants alone make is computed as the machine does. Else
//! a result is the mathematical one, and [`Case::fits`] says in which range it has to be for that to be right. Each valuation
//! of the variables satisfies the conditions of a case.

use super::form::{Form, Var};
use ir::{Address, BinaryOp, Expr, Function, UnaryOp, Width, eval_binary, eval_unary, sign_extend, truncate};

/// A value on conditions.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// All of these are at most zero.
    pub guards: Vec<Form<Var>>,
    /// These results have to be in the range of the width.
    pub fits: Vec<(Form<Var>, Width)>,
    pub form: Form<Var>,
}

/// How many cases an expression may have.
const CASES: usize = 256;

const LARGE: &str = "numbers that are too large";

/// The bits of a width as a number.
pub(super) fn number(bits: u64, width: Width) -> i64 {
    if width == Width::BOOL { i64::from(bits & 1 != 0) } else { sign_extend(bits, width) }
}

/// The range of a width.
pub(super) fn range(width: Width) -> (i64, i64) {
    match width.bits() {
        1 => (0, 1),
        64 => (i64::MIN, i64::MAX),
        bits => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

impl Case {
    pub fn plain(form: Form<Var>) -> Self {
        Case { guards: Vec::new(), fits: Vec::new(), form }
    }

    /// The same with another value, on the conditions of another case too.
    fn with(&self, other: Option<&Case>, form: Form<Var>) -> Case {
        let mut all = Case { form, ..self.clone() };
        if let Some(other) = other {
            all.guards.extend(other.guards.iter().cloned());
            all.fits.extend(other.fits.iter().cloned());
        }
        all
    }

    /// The same on the condition that a term is at most zero; nothing if it never is.
    fn given(mut self, guard: Form<Var>) -> Option<Case> {
        match guard.number() {
            Some(number) if number > 0 => None,
            Some(_) => Some(self),
            None => {
                self.guards.push(guard);
                Some(self)
            }
        }
    }

    fn checked(mut self, width: Width) -> Case {
        if self.form.number().is_none() {
            self.fits.push((self.form.clone(), width));
        }
        self
    }
}

/// The locals of a function.
pub(super) struct Scope<'a> {
    pub function: &'a Function,
    pub locals: &'a dyn Fn(usize) -> Form<Var>,
}

type Cases = Result<Vec<Case>, &'static str>;

impl Scope<'_> {
    pub fn width(&self, expr: &Expr) -> Width {
        expr.width(self.function)
    }

    /// All cases of an expression.
    pub fn cases(&self, expr: &Expr) -> Cases {
        let all = match expr {
            Expr::Const(bits, width) => vec![Case::plain(Form::constant(number(*bits, *width)))],
            Expr::Address(object, offset) => {
                let address = Address { object: *object, offset: *offset };
                vec![Case::plain(Form::constant(number(address.to_bits(), Width::WORD)))]
            }
            Expr::Local(local) => vec![Case::plain((self.locals)(local.index()))],
            Expr::Unary(op, operand) => {
                let width = self.width(operand);
                let mut all = Vec::new();
                for case in self.cases(operand)? {
                    unary(*op, width, &case, &mut all)?;
                }
                all
            }
            Expr::Binary(op, left, right) => {
                let width = self.width(left);
                let (lefts, rights) = (self.cases(left)?, self.cases(right)?);
                let mut all = Vec::new();
                for left in &lefts {
                    for right in &rights {
                        binary(*op, width, left, right, &mut all)?;
                    }
                }
                all
            }
            Expr::Select(condition, then, otherwise) => {
                let mut all = Vec::new();
                for (wanted, branch) in [(true, then), (false, otherwise)] {
                    let values = self.cases(branch)?;
                    for chosen in self.truth(condition, wanted)? {
                        all.extend(values.iter().map(|value| chosen.with(Some(value), value.form.clone())));
                    }
                }
                all
            }
        };
        if all.len() > CASES { Err("an expression with too many cases") } else { Ok(all) }
    }

    /// The cases in which a truth value is as wanted.
    pub fn truth(&self, expr: &Expr, wanted: bool) -> Cases {
        let mut all = Vec::new();
        for case in self.cases(expr)? {
            all.extend(as_wanted(&case, wanted)?);
        }
        Ok(all)
    }
}

/// A case of a truth value on the condition that it is as wanted.
fn as_wanted(case: &Case, wanted: bool) -> Result<Option<Case>, &'static str> {
    let result = case.with(None, Form::constant(i64::from(wanted)));
    let guard = if wanted { Form::constant(1).plus(-1, &case.form).ok_or(LARGE)? } else { case.form.clone() };
    Ok(result.given(guard))
}

fn unary(op: UnaryOp, width: Width, case: &Case, all: &mut Vec<Case>) -> Result<(), &'static str> {
    if let Some(known) = case.form.number() {
        let (bits, to) = eval_unary(op, truncate(known as u64, width), width);
        all.push(case.with(None, Form::constant(number(bits, to))));
        return Ok(());
    }
    let truth = width == Width::BOOL;
    let linear = |constant: i64, factor: i64| {
        let form = Form::constant(constant).plus(factor, &case.form).ok_or(LARGE)?;
        Ok::<Case, &'static str>(case.with(None, form))
    };
    match op {
        UnaryOp::Not => all.push(linear(if truth { 1 } else { -1 }, -1)?),
        UnaryOp::Neg if truth => return Err("arithmetic on truth values"),
        UnaryOp::Neg => all.push(linear(0, -1)?.checked(width)),
        UnaryOp::ZeroExtend(to) if truth || to == width => all.push(case.clone()),
        UnaryOp::ZeroExtend(_) => {
            if width.bits() > 57 {
                return Err(LARGE);
            }
            let minus = Form::constant(0).plus(-1, &case.form).ok_or(LARGE)?;
            all.extend(case.clone().given(minus));
            let below = Form::constant(1).plus(1, &case.form).ok_or(LARGE)?;
            all.extend(linear(1 << width.bits(), 1)?.given(below));
        }
        UnaryOp::SignExtend(_) if truth => all.push(linear(0, -1)?),
        UnaryOp::SignExtend(_) => all.push(case.clone()),
        UnaryOp::Truncate(to) if to == Width::BOOL && !truth => return Err("the lowest bit of a number"),
        UnaryOp::Truncate(to) => all.push(case.clone().checked(to)),
        UnaryOp::Life => return Err("the life of an object that depends on what was read"),
    }
    Ok(())
}

fn binary(op: BinaryOp, width: Width, left: &Case, right: &Case, all: &mut Vec<Case>) -> Result<(), &'static str> {
    let (a, b) = (left.form.number(), right.form.number());
    if let (Some(a), Some(b)) = (a, b) {
        let (bits, to) = eval_binary(op, truncate(a as u64, width), truncate(b as u64, width), width);
        all.push(left.with(Some(right), Form::constant(number(bits, to))));
        return Ok(());
    }
    let truth = width == Width::BOOL;
    let scaled = |factor: i64, form: &Form<Var>| Form::constant(0).plus(factor, form);
    let sum = match op {
        BinaryOp::Add => left.form.plus(1, &right.form),
        BinaryOp::Sub => left.form.plus(-1, &right.form),
        BinaryOp::Mul => match (a, b) {
            (Some(a), _) => scaled(a, &right.form),
            (_, Some(b)) => scaled(b, &left.form),
            (None, None) => return Err("a product of two variables"),
        },
        BinaryOp::Shl => match b {
            Some(by) if (0..32).contains(&by) && by < i64::from(width.bits()) => scaled(1 << by, &left.form),
            Some(_) | None => return Err("a shift by a variable"),
        },
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if truth => {
            for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                let result = eval_binary(op, a.into(), b.into(), width).0;
                if let (Some(left), Some(right)) = (as_wanted(left, a)?, as_wanted(right, b)?) {
                    all.push(left.with(Some(&right), Form::constant(number(result, width))));
                }
            }
            return Ok(());
        }
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe => {
            return compare(op, width, left, right, all);
        }
        BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => return Err("a division of a variable"),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return Err("bits of a variable"),
        BinaryOp::LShr | BinaryOp::AShr => return Err("a variable that is shifted to the right"),
    };
    if truth {
        return Err("arithmetic on truth values");
    }
    all.push(left.with(Some(right), sum.ok_or(LARGE)?).checked(width));
    Ok(())
}

/// A comparison: its result is a constant in each case.
fn compare(op: BinaryOp, width: Width, left: &Case, right: &Case, all: &mut Vec<Case>) -> Result<(), &'static str> {
    // A single bit counts as -1 where it is signed.
    let swapped = width == Width::BOOL && matches!(op, BinaryOp::SLt | BinaryOp::SLe);
    let (low, high) = if swapped { (right, left) } else { (left, right) };
    let difference = low.form.plus(-1, &high.form).ok_or(LARGE)?;
    // constant + factor * (low - high) <= 0
    let when = |constant: i64, factor: i64| Form::constant(constant).plus(factor, &difference).ok_or(LARGE);
    let mut add = |truth: bool, guards: Vec<Form<Var>>| {
        let case = left.with(Some(right), Form::constant(i64::from(truth)));
        all.extend(guards.into_iter().try_fold(case, Case::given));
    };
    match op {
        BinaryOp::Eq | BinaryOp::Ne => {
            let equal = op == BinaryOp::Eq;
            add(equal, vec![when(0, 1)?, when(0, -1)?]);
            add(!equal, vec![when(1, 1)?]);
            add(!equal, vec![when(1, -1)?]);
        }
        BinaryOp::SLt => {
            add(true, vec![when(1, 1)?]);
            add(false, vec![when(0, -1)?]);
        }
        BinaryOp::SLe => {
            add(true, vec![when(0, 1)?]);
            add(false, vec![when(1, -1)?]);
        }
        BinaryOp::ULt | BinaryOp::ULe => {
            let (holds, fails) =
                if op == BinaryOp::ULt { (when(1, 1)?, when(0, -1)?) } else { (when(0, 1)?, when(1, -1)?) };
            let sign = |form: &Form<Var>, negative: bool| {
                let (constant, factor) = if negative { (1, 1) } else { (0, -1) };
                Form::constant(constant).plus(factor, form).ok_or(LARGE)
            };
            for negative in [false, true] {
                if negative && width == Width::BOOL {
                    continue;
                }
                for (truth, last) in [(true, &holds), (false, &fails)] {
                    let signs = [sign(&low.form, negative)?, sign(&high.form, negative)?];
                    add(truth, signs.into_iter().chain([last.clone()]).collect());
                }
            }
            if width != Width::BOOL {
                // What is negative as a signed number is large as an unsigned one.
                add(true, vec![sign(&low.form, false)?, sign(&high.form, true)?]);
                add(false, vec![sign(&low.form, true)?, sign(&high.form, false)?]);
            }
        }
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::UDiv
        | BinaryOp::URem
        | BinaryOp::SDiv
        | BinaryOp::SRem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr => return Err("a comparison that is none"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariant::Quantity;
    use ir::{Local, LocalId};
    use testkit::Rng;

    const BYTE: u8 = 4;

    fn function() -> Function {
        let local = |name: &str, bits: u8| Local { name: name.to_owned(), width: Width::new(bits) };
        let locals = vec![local("a", BYTE), local("b", BYTE), local("p", 1)];
        Function { name: "f".to_owned(), params: 0, library: false, locals, blocks: Vec::new() }
    }

    /// A random expression; `truth` says of which width.
    fn random(rng: &mut Rng, truth: bool, depth: u32) -> Expr {
        let pick = rng.next_u64() % 12;
        let (byte, wide) = (Width::new(BYTE), Width::new(BYTE + 2));
        let mut sub = |truth: bool| random(rng, truth, depth.saturating_sub(1));
        match (truth, pick) {
            (true, 0) => Expr::Local(LocalId(2)),
            (false, 0 | 1) => Expr::Local(LocalId(0)),
            (false, 2 | 3) => Expr::Local(LocalId(1)),
            (true, _) if depth == 0 => Expr::Local(LocalId(2)),
            (false, _) if depth == 0 => Expr::constant(pick as i64 - 4, byte),
            (true, 1) => sub(true).unary(UnaryOp::Not),
            (true, 2) => sub(true).binary(BinaryOp::And, sub(true)),
            (true, 3) => sub(true).binary(BinaryOp::Xor, sub(true)),
            (true, 4) => sub(false).binary(BinaryOp::Eq, sub(false)),
            (true, 5) => sub(false).binary(BinaryOp::ULt, sub(false)),
            (true, 6) => sub(false).binary(BinaryOp::ULe, sub(false)),
            (true, 7) => sub(false).binary(BinaryOp::SLt, sub(false)),
            (true, 8) => sub(true).binary(BinaryOp::SLt, sub(true)),
            (true, 9) => {
                let wider = |expr: Expr| expr.unary(UnaryOp::ZeroExtend(wide));
                wider(sub(false)).binary(BinaryOp::SLe, wider(sub(false)))
            }
            (true, 10) => {
                let wider = |expr: Expr| expr.unary(UnaryOp::SignExtend(wide));
                wider(sub(false)).binary(BinaryOp::Ne, wider(sub(false)))
            }
            (true, _) => sub(true).binary(BinaryOp::Or, sub(true)),
            (false, 4 | 5) => sub(false).binary(BinaryOp::Add, sub(false)),
            (false, 6) => sub(false).binary(BinaryOp::Sub, sub(false)),
            (false, 7) => sub(false).binary(BinaryOp::Mul, Expr::constant(3, byte)),
            (false, 8) => sub(false).unary(UnaryOp::Neg),
            (false, 9) => sub(true).unary(UnaryOp::ZeroExtend(byte)),
            (false, 10) => Expr::Select(Box::new(sub(true)), Box::new(sub(false)), Box::new(sub(false))),
            (false, _) => sub(false).unary(UnaryOp::Not),
        }
    }

    /// Cases against the machine's arithmetic: where all results are in range, a case holds, and each that holds has the value.
    /// Where the machine's value is another one, some result of a case that holds is out of range.
    #[test]
    fn cases_are_what_the_machine_computes() {
        let function = function();
        let quantity = |at: usize| Quantity::Local { thread: 0, frame: 0, local: LocalId(at as u32) };
        let locals = |at: usize| Form::var(Var::Now(quantity(at)));
        let scope = Scope { function: &function, locals: &locals };
        let (mut exact, mut wrapped) = (0, 0);
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let truth = seed % 2 == 0;
            let expr = random(&mut rng, truth, 3);
            let Ok(cases) = scope.cases(&expr) else { continue };
            for bits in 0..(1u64 << (2 * BYTE + 1)) {
                let values = [bits & 15, (bits >> 4) & 15, bits >> 8];
                let of = |form: &Form<Var>| {
                    form.terms.iter().fold(form.constant, |sum, (var, factor)| {
                        let Var::Now(Quantity::Local { local, .. }) = var else { return sum };
                        let width = function.locals[local.index()].width;
                        sum + factor * number(values[local.index()], width)
                    })
                };
                let (machine, width) = ir::eval(&expr, &function, &values);
                let mut held = 0;
                for case in cases.iter().filter(|case| case.guards.iter().all(|guard| of(guard) <= 0)) {
                    held += 1;
                    let fits = case.fits.iter().all(|(form, width)| {
                        let (low, high) = range(*width);
                        (low..=high).contains(&of(form))
                    });
                    if fits {
                        assert_eq!(of(&case.form), number(machine, width), "seed {seed}: {expr:?} at {values:?}");
                        exact += 1;
                    } else {
                        wrapped += 1;
                    }
                }
                assert!(held > 0, "seed {seed}: no case of {expr:?} holds at {values:?}");
            }
        }
        assert!(exact > 10_000 && wrapped > 1_000, "{exact} {wrapped}");
    }
}

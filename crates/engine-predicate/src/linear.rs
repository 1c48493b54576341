//! Linear expressions over mathematical integers, and how expressions of the program become such.
//!
//! A value of the program is read as a signed number of its width; a truth value is 0 or 1. As long as no result leaves
//! the range of its width this is exact, and [`Case::fits`] says which results have to be looked at.

use ir::{BinaryOp, Expr, Function, LocalId, UnaryOp, Width, eval_binary, sign_extend};

/// A symbolic variable of a thread.
pub type Var = u32;

/// A constant plus variables with factors, in the order of variables, no factor zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Form {
    pub constant: i64,
    pub terms: Vec<(Var, i64)>,
}

/// A value on the condition that all guards are at most zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub guards: Vec<Form>,
    /// Results that have to be in the range of their width.
    pub fits: Vec<(Form, Width)>,
    pub form: Form,
}

/// What a local holds: what it is known to be, or what a variable holds.
pub type Value = stepper::Value<Var>;

/// How many cases an expression may have.
const CASES: usize = 64;

impl Form {
    pub fn constant(constant: i64) -> Self {
        Form { constant, terms: Vec::new() }
    }

    pub fn var(var: Var) -> Self {
        Form { constant: 0, terms: vec![(var, 1)] }
    }

    /// `self + factor * other`; nothing if numbers become too large.
    pub fn plus(&self, other: &Form, factor: i64) -> Option<Form> {
        let limit = |value: i64| (value.unsigned_abs() < 1 << 58).then_some(value);
        let constant = limit(self.constant.checked_add(other.constant.checked_mul(factor)?)?)?;
        let mut terms = self.terms.clone();
        for &(var, own) in &other.terms {
            let more = own.checked_mul(factor)?;
            match terms.binary_search_by_key(&var, |term| term.0) {
                Ok(at) => terms[at].1 = limit(terms[at].1.checked_add(more)?)?,
                Err(at) => terms.insert(at, (var, limit(more)?)),
            }
        }
        terms.retain(|term| term.1 != 0);
        Some(Form { constant, terms })
    }

    /// As a guard: divided by what all factors have in common, rounded as integers allow.
    pub fn tightened(mut self) -> Form {
        let common = self.terms.iter().fold(0, |all, term| gcd(all, term.1.unsigned_abs()));
        if let Ok(common) = i64::try_from(common)
            && common > 1
        {
            self.terms.iter_mut().for_each(|term| term.1 /= common);
            self.constant = -(-self.constant).div_euclid(common);
        }
        self
    }

    /// Whether a zone can say exactly that this is at most zero.
    #[cfg(test)]
    pub fn is_difference(&self) -> bool {
        match self.terms[..] {
            [] => true,
            [(_, factor)] => factor.abs() == 1,
            [(_, one), (_, other)] => one.abs() == 1 && one == -other,
            _ => false,
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The locals of a function while one thread executes it.
#[derive(Debug, Clone, Copy)]
pub struct Env<'a> {
    pub function: &'a Function,
    pub values: &'a [Value],
}

/// What is not linear, in words.
pub type NotLinear = &'static str;

impl Env<'_> {
    fn value(&self, local: LocalId) -> (Value, Width) {
        (self.values[local.index()], self.function.locals[local.index()].width)
    }

    /// The value if it does not depend on symbols: the machine's arithmetic holds.
    pub fn known(&self, expr: &Expr) -> Option<(u64, Width)> {
        stepper::known(expr, self.function, self.values)
    }

    pub fn width(&self, expr: &Expr) -> Width {
        expr.width(self.function)
    }

    /// All cases of an expression. Each state satisfies the guards of one of them at least.
    pub fn cases(&self, expr: &Expr) -> Result<Vec<Case>, NotLinear> {
        if let Some((value, width)) = self.known(expr) {
            return Ok(vec![Case { guards: vec![], fits: vec![], form: Form::constant(number(value, width)) }]);
        }
        let cases = match expr {
            Expr::Const(..) | Expr::Address(..) => Vec::new(),
            Expr::Local(local) => match self.value(*local).0 {
                Value::Symbolic(var) => vec![Case { guards: vec![], fits: vec![], form: Form::var(var) }],
                Value::Known(_) => Vec::new(),
            },
            Expr::Unary(op, operand) => self.unary(*op, operand)?,
            Expr::Binary(op, left, right) => self.binary(*op, left, right)?,
            Expr::Select(condition, then, otherwise) => {
                let mut all = Vec::new();
                for (wanted, branch) in [(true, then), (false, otherwise)] {
                    let chosen = self.truth(condition, wanted)?;
                    all.extend(product(&chosen, &self.cases(branch)?, |_, value| Some(value.clone()))?);
                }
                all
            }
        };
        if cases.len() > CASES {
            return Err("an expression with too many cases");
        }
        Ok(cases)
    }

    /// The cases in which a truth value is as wanted.
    pub fn truth(&self, expr: &Expr, wanted: bool) -> Result<Vec<Case>, NotLinear> {
        let mut all = Vec::new();
        for mut case in self.cases(expr)? {
            if case.form.terms.is_empty() {
                if (case.form.constant != 0) == wanted {
                    all.push(case);
                }
                continue;
            }
            let one = Form::constant(1);
            let guard = if wanted { one.plus(&case.form, -1) } else { Some(case.form.clone()) };
            case.guards.push(guard.ok_or(TOO_LARGE)?.tightened());
            case.form = Form::constant(i64::from(wanted));
            all.push(case);
        }
        Ok(all)
    }

    fn unary(&self, op: UnaryOp, operand: &Expr) -> Result<Vec<Case>, NotLinear> {
        let from = self.width(operand);
        let mut all = Vec::new();
        for case in self.cases(operand)? {
            let scaled = |constant: i64, factor: i64| Form::constant(constant).plus(&case.form, factor);
            let with = |form: Option<Form>| form.map(|form| Case { form, ..case.clone() }).ok_or(TOO_LARGE);
            match op {
                UnaryOp::Not if from == Width::BOOL => all.push(with(scaled(1, -1))?),
                UnaryOp::Not => all.push(with(scaled(-1, -1))?),
                UnaryOp::Neg if from == Width::BOOL => return Err("arithmetic on truth values"),
                UnaryOp::Neg => all.push(checked(with(scaled(0, -1))?, from)),
                UnaryOp::ZeroExtend(_) if from == Width::BOOL => all.push(case),
                UnaryOp::ZeroExtend(to) if to == from => all.push(case),
                UnaryOp::ZeroExtend(_) => {
                    let mut positive = case.clone();
                    positive.guards.push(scaled(0, -1).ok_or(TOO_LARGE)?.tightened());
                    let mut negative = with(scaled(1 << from.bits().min(57), 1))?;
                    negative.guards.push(scaled(1, 1).ok_or(TOO_LARGE)?.tightened());
                    all.extend([positive, negative]);
                }
                UnaryOp::SignExtend(_) if from == Width::BOOL => all.push(with(scaled(0, -1))?),
                UnaryOp::SignExtend(_) => all.push(case),
                UnaryOp::Truncate(to) if to == Width::BOOL => return Err("the lowest bit of a number"),
                UnaryOp::Truncate(to) => all.push(checked(case, to)),
                UnaryOp::Life if case.form.terms.is_empty() => {
                    let life = ir::life::life_of(case.form.constant as u64);
                    all.push(with(Some(Form::constant(life as i64)))?);
                }
                UnaryOp::Life => return Err("the life of an object that depends on what was read"),
            }
        }
        Ok(all)
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Vec<Case>, NotLinear> {
        let width = self.width(left);
        let (lefts, rights) = (self.cases(left)?, self.cases(right)?);
        let linear = |form: &dyn Fn(&Form, &Form) -> Option<Form>| {
            let all = product(&lefts, &rights, |left, right| form(left, right))?;
            Ok(all.into_iter().map(|case| checked(case, width)).collect())
        };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl if width == Width::BOOL => {
                Err("arithmetic on truth values")
            }
            BinaryOp::Add => linear(&|left, right| left.plus(right, 1)),
            BinaryOp::Sub => linear(&|left, right| left.plus(right, -1)),
            BinaryOp::Mul => {
                if !lefts.iter().chain(&rights).any(|case| case.form.terms.is_empty()) {
                    return Err("a product of two variables");
                }
                let zero = Form::constant(0);
                product_checked(&lefts, &rights, width, |left, right| match (&left.terms[..], &right.terms[..]) {
                    (_, []) => zero.plus(left, right.constant),
                    ([], _) => zero.plus(right, left.constant),
                    _ => None,
                })
            }
            BinaryOp::Shl => {
                if rights.iter().any(|case| !case.form.terms.is_empty() || !(0..32).contains(&case.form.constant)) {
                    return Err("a shift by a variable");
                }
                let zero = Form::constant(0);
                product_checked(&lefts, &rights, width, |left, right| zero.plus(left, 1 << right.constant))
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if width == Width::BOOL => {
                let mut all = Vec::new();
                for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                    let result = Form::constant(number(eval_binary(op, a.into(), b.into(), width).0, width));
                    let (a, b) = (self.truth(left, a)?, self.truth(right, b)?);
                    all.extend(product(&a, &b, |_, _| Some(result.clone()))?);
                }
                Ok(all)
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe => {
                compare(op, width, &lefts, &rights)
            }
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => Err("a division of a variable"),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Err("bits of a variable"),
            BinaryOp::LShr | BinaryOp::AShr => Err("a variable that is shifted to the right"),
        }
    }
}

const TOO_LARGE: NotLinear = "numbers that are too large";

/// A value as the number that it stands for.
pub fn number(value: u64, width: Width) -> i64 {
    if width == Width::BOOL { (value & 1) as i64 } else { sign_extend(value, width) }
}

fn checked(mut case: Case, width: Width) -> Case {
    if !case.form.terms.is_empty() {
        case.fits.push((case.form.clone(), width));
    }
    case
}

/// All pairs of cases.
fn product(
    lefts: &[Case],
    rights: &[Case],
    form: impl Fn(&Form, &Form) -> Option<Form>,
) -> Result<Vec<Case>, NotLinear> {
    let mut all = Vec::new();
    for left in lefts {
        for right in rights {
            let form = form(&left.form, &right.form).ok_or(TOO_LARGE)?;
            let guards = left.guards.iter().chain(&right.guards).cloned().collect();
            let fits = left.fits.iter().chain(&right.fits).cloned().collect();
            all.push(Case { guards, fits, form });
        }
    }
    Ok(all)
}

fn product_checked(
    lefts: &[Case],
    rights: &[Case],
    width: Width,
    form: impl Fn(&Form, &Form) -> Option<Form>,
) -> Result<Vec<Case>, NotLinear> {
    Ok(product(lefts, rights, form)?.into_iter().map(|case| checked(case, width)).collect())
}

/// The cases of a comparison: its result is a constant in each.
fn compare(op: BinaryOp, width: Width, lefts: &[Case], rights: &[Case]) -> Result<Vec<Case>, NotLinear> {
    let mut all = Vec::new();
    let pairs = lefts.iter().flat_map(|left| rights.iter().map(move |right| (left, right)));
    for (difference, (left, right)) in
        product(lefts, rights, |left, right| left.plus(right, -1))?.into_iter().zip(pairs)
    {
        for (truth, guards) in results(op, width, &difference.form, [&left.form, &right.form])? {
            let guards = difference.guards.iter().cloned().chain(guards).collect();
            all.push(Case { guards, fits: difference.fits.clone(), form: Form::constant(truth.into()) });
        }
    }
    // What constants decide needs no case.
    all.retain(|case: &Case| !case.guards.iter().any(|guard| guard.terms.is_empty() && guard.constant > 0));
    for case in &mut all {
        case.guards.retain(|guard| !guard.terms.is_empty());
    }
    Ok(all)
}

/// The results that a comparison can have, with guards; `difference` is the left side without the right one.
fn results(
    op: BinaryOp,
    width: Width,
    difference: &Form,
    sides: [&Form; 2],
) -> Result<Vec<(bool, Vec<Form>)>, NotLinear> {
    let at_most = |constant: i64, factor: i64| {
        let guard = Form::constant(constant).plus(difference, factor);
        guard.map(Form::tightened).ok_or(TOO_LARGE)
    };
    let (less, more) = (at_most(1, 1)?, at_most(1, -1)?);
    let (not_more, not_less) = (at_most(0, 1)?, at_most(0, -1)?);
    match op {
        BinaryOp::Eq => Ok(vec![(true, vec![not_more, not_less]), (false, vec![less]), (false, vec![more])]),
        BinaryOp::Ne => Ok(vec![(false, vec![not_more, not_less]), (true, vec![less]), (true, vec![more])]),
        BinaryOp::SLt => Ok(vec![(true, vec![less]), (false, vec![not_less])]),
        BinaryOp::SLe => Ok(vec![(true, vec![not_more]), (false, vec![more])]),
        BinaryOp::ULt => unsigned(width, &less, &not_less, sides),
        BinaryOp::ULe => unsigned(width, &not_more, &more, sides),
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
        | BinaryOp::AShr => Err("a comparison that is none"),
    }
}

/// The same of a comparison of unsigned numbers, which is that of signed ones where the signs are equal.
fn unsigned(
    width: Width,
    holds: &Form,
    fails: &Form,
    [left, right]: [&Form; 2],
) -> Result<Vec<(bool, Vec<Form>)>, NotLinear> {
    let sign = |form: &Form, negative: bool| {
        let guard = if negative { form.plus(&Form::constant(1), 1) } else { Form::constant(0).plus(form, -1) };
        guard.map(Form::tightened).ok_or(TOO_LARGE)
    };
    let mut all = Vec::new();
    for (a, b) in [(false, false), (true, true), (true, false), (false, true)] {
        if width == Width::BOOL && (a || b) {
            continue;
        }
        let signs = vec![sign(left, a)?, sign(right, b)?];
        if a == b {
            all.push((true, [&signs[..], std::slice::from_ref(holds)].concat()));
            all.push((false, [&signs[..], std::slice::from_ref(fails)].concat()));
        } else {
            // What is negative is the larger one.
            all.push((b, signs));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Local, eval};

    fn function() -> Function {
        let local = |name: &str| Local { name: name.to_owned(), width: Width::INT };
        Function {
            name: "f".to_owned(),
            params: 0,
            library: false,
            locals: vec![local("x"), local("y")],
            blocks: vec![],
        }
    }

    fn of(form: &Form, values: [i64; 2]) -> i64 {
        form.terms.iter().fold(form.constant, |sum, &(var, factor)| sum + factor * values[var as usize])
    }

    /// For small values, the cases whose guards hold have the value that the machine computes, and there is one.
    #[test]
    fn cases_mean_what_the_machine_computes() {
        let (x, y) = (|| Expr::Local(LocalId(0)), || Expr::Local(LocalId(1)));
        let constant = |value| Expr::constant(value, Width::INT);
        let mut exprs = Vec::new();
        use BinaryOp::{Add, Eq, Mul, Ne, SLe, SLt, Sub, ULe, ULt};
        for op in [Add, Sub, Eq, Ne, SLt, SLe, ULt, ULe] {
            exprs.push(x().binary(op, y()));
            exprs.push(x().binary(Add, constant(1)).binary(op, y()));
            exprs.push(x().binary(op, constant(-1)));
        }
        exprs.push(x().binary(Mul, constant(3)));
        exprs.push(x().unary(UnaryOp::Not));
        exprs.push(x().unary(UnaryOp::Neg));
        exprs.push(x().unary(UnaryOp::ZeroExtend(Width::WORD)));
        exprs.push(x().unary(UnaryOp::SignExtend(Width::WORD)));
        let less = x().binary(SLt, y());
        exprs.push(less.clone().unary(UnaryOp::Not));
        exprs.push(less.clone().unary(UnaryOp::ZeroExtend(Width::INT)).binary(Add, y()));
        exprs.push(Expr::Select(Box::new(less.clone()), Box::new(x()), Box::new(y().binary(Sub, constant(1)))));
        for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            exprs.push(less.clone().binary(op, x().binary(Eq, constant(2))));
        }
        let function = function();
        let symbols = [Value::Symbolic(0), Value::Symbolic(1)];
        let env = Env { function: &function, values: &symbols };
        for expr in &exprs {
            let cases = env.cases(expr).expect("it is linear");
            for (x, y) in (-4..5).flat_map(|x| (-4..5).map(move |y| (x, y))) {
                let bits = [x, y].map(|value: i64| value as u64 & Width::INT.mask());
                let (value, width) = eval(expr, &function, &bits);
                let holds = |case: &&Case| case.guards.iter().all(|guard| of(guard, [x, y]) <= 0);
                let found: Vec<i64> = cases.iter().filter(holds).map(|case| of(&case.form, [x, y])).collect();
                assert!(!found.is_empty(), "{expr:?} has no case for {x}, {y}");
                let expected = number(value, width);
                assert!(found.iter().all(|found| *found == expected), "{expr:?} of {x}, {y}: {found:?}, {expected}");
            }
        }
    }

    /// A truth value that was read: each branch has the guard that goes with it.
    #[test]
    fn a_truth_value_is_one_or_the_other() {
        let mut function = function();
        function.locals[0].width = Width::BOOL;
        let symbols = [Value::Symbolic(0), Value::Symbolic(1)];
        let env = Env { function: &function, values: &symbols };
        for wanted in [false, true] {
            let cases = env.truth(&Expr::Local(LocalId(0)), wanted).expect("it is linear");
            for value in [0, 1] {
                let holds = |case: &Case| case.guards.iter().all(|guard| of(guard, [value, 0]) <= 0);
                assert_eq!(cases.iter().any(holds), wanted == (value == 1), "{value} {wanted}");
            }
        }
    }

    #[test]
    fn what_is_not_linear_is_refused() {
        let function = function();
        let symbols = [Value::Symbolic(0), Value::Symbolic(1)];
        let env = Env { function: &function, values: &symbols };
        let (x, y) = (|| Expr::Local(LocalId(0)), || Expr::Local(LocalId(1)));
        for op in [BinaryOp::Mul, BinaryOp::UDiv, BinaryOp::And, BinaryOp::Xor, BinaryOp::LShr, BinaryOp::Shl] {
            assert!(env.cases(&x().binary(op, y())).is_err(), "{op:?}");
        }
        assert!(env.cases(&x().unary(UnaryOp::Truncate(Width::BOOL))).is_err());
    }
}

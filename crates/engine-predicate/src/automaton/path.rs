//! Values as automata have them: linear forms over the variables of a thread, with the conditions under which they hold.

use super::{Automata, Forced, Step};
use crate::linear::{Case, Env, Form, Value, Var, number};
use engine::Property;
use ir::life::is_life;
use ir::{Address, Expr, ObjectId, TagSet, Usage, Width, truncate};
use model::Buffers;
use source::Span;
use stepper::{Access, Domain, Fault, Halt, Holder, Memory, Object, Own, Scope, Slot, Thread};

/// What was read is a variable, and nothing is known of it but its value: an address would be a number like others.
pub(super) const ADDRESS: &str = "an address is in memory that several threads use, and an address is no number";

/// The cases of one instruction: which ones were chosen on this path, and which are still to be tried.
///
/// An instruction with several cases is executed once for each of them, from the same state. So what instructions do is
/// said as if there were one case only.
#[derive(Default)]
pub struct Fork {
    /// The cases that this path takes, in the order in which they come up; behind these, the first ones.
    pub taken: Vec<usize>,
    next: usize,
    /// What other paths take; the last one is the next in order.
    pub open: Vec<Vec<usize>>,
}

impl Fork {
    /// A path that takes these cases.
    pub fn taking(taken: Vec<usize>, open: Vec<Vec<usize>>) -> Self {
        Fork { taken, next: 0, open }
    }

    /// Which of so many cases this path takes.
    fn pick(&mut self, count: usize) -> usize {
        if self.next == self.taken.len() {
            let others = (1..count).rev().map(|other| [&self.taken[..], &[other]].concat());
            self.open.extend(others);
            self.taken.push(0);
        }
        self.next += 1;
        self.taken[self.next - 1]
    }
}

/// An edge that is being made, as the world of its thread.
pub struct Path<'a, 'p> {
    pub automata: &'a mut Automata<'p>,
    pub steps: &'a mut Vec<Step>,
    pub fork: &'a mut Fork,
    /// Whether there cannot be other threads yet.
    pub early: bool,
}

fn env<'s>(scope: Scope<'s, Var>) -> Env<'s> {
    Env { function: scope.function, values: &scope.frame.values }
}

/// What cannot be said by linear forms is a limit.
fn linear<T>(scope: Scope<'_, Var>, span: Span, result: Result<T, crate::linear::NotLinear>) -> Result<T, Halt> {
    let advice = "write it with sums and comparisons, or use the engine `partial-order`";
    result.or_else(|what| scope.limit(span, &format!("{what}; {advice}")))
}

impl Path<'_, '_> {
    /// Goes on in one of these cases. While the first thread runs alone there must be one: memory has no cases then.
    fn split<T>(&mut self, mut cases: Vec<(Case, T)>) -> Result<(Form, T), Halt> {
        let chosen = match cases.len() {
            0 => return Err(Halt::Limit("internal: a value without a case".to_owned())),
            1 => 0,
            _ if self.automata.memory.alone => return Err(Halt::Choice),
            count => self.fork.pick(count),
        };
        let (case, with) = cases.swap_remove(chosen);
        self.steps.extend(case.guards.into_iter().map(Step::Guard));
        self.steps.extend(case.fits.into_iter().map(|(form, width)| Step::Fits(form, width)));
        Ok((case.form, with))
    }

    /// The cells that an address with variables may mean, and what lies beside them.
    fn spread(
        &self,
        scope: Scope<'_, Var>,
        case: &Case,
        (width, span): (Width, Span),
        all: &mut Vec<(Case, Option<u64>)>,
    ) -> Result<(), Halt> {
        let Some(base) = Address::from_bits(case.form.constant as u64) else {
            return scope.limit(span, "an address that was read from shared memory");
        };
        let memory = &self.automata.memory;
        let fixed = |object: &&Object| memory.sites[object.site as usize].fixed;
        let Some(object) = memory.object(base.object).filter(fixed) else {
            return scope.limit(span, "an index into memory without a type depends on what was read");
        };
        let step = i128::from(width.bits().div_ceil(8));
        let multiple = |number: i128| number % step == 0;
        let aligned = multiple(i128::from(base.offset));
        if !aligned || !case.form.terms.iter().all(|&(_, factor)| multiple(i128::from(factor))) {
            return scope.limit(span, "an index may fall between the elements");
        }
        let too_large = || Halt::Limit("numbers that are too large".to_owned());
        let mut bound = |low: Option<i64>, high: Option<i64>, word: Option<u64>| -> Result<(), Halt> {
            let mut own = case.clone();
            if let Some(low) = low {
                own.guards.push(Form::constant(low).plus(&case.form, -1).ok_or_else(too_large)?.tightened());
            }
            if let Some(high) = high {
                own.guards.push(Form::constant(-high).plus(&case.form, 1).ok_or_else(too_large)?.tightened());
            }
            all.push((own, word));
            Ok(())
        };
        let mut below: Option<i64> = None;
        for slot in object.cells.iter().filter(|slot| !is_life(slot.offset)) {
            if slot.width != width {
                return scope.limit(span, "an index into a structure depends on what was read");
            }
            let word = Address { object: base.object, offset: slot.offset }.to_bits();
            let at = word as i64;
            bound(below.map(|below| below + 1), Some(at - 1), None)?;
            bound(Some(at), Some(at), Some(word))?;
            below = Some(at);
        }
        bound(below.map(|below| below + 1), None, None)
    }
}

impl<'p> Domain<'p> for Path<'_, 'p> {
    type Symbol = Var;
    type Term = Form;

    fn memory(&self) -> &Memory<'p> {
        &self.automata.memory
    }

    fn memory_mut(&mut self) -> &mut Memory<'p> {
        &mut self.automata.memory
    }

    fn eval(&mut self, scope: Scope<'_, Var>, expr: &Expr, span: Span) -> Result<Form, Halt> {
        let cases = linear(scope, span, env(scope).cases(expr))?;
        Ok(self.split(cases.into_iter().map(|case| (case, ())).collect())?.0)
    }

    fn decide(&mut self, scope: Scope<'_, Var>, condition: &Expr, span: Span) -> Result<bool, Halt> {
        let mut cases = Vec::new();
        for wanted in [true, false] {
            let truth = linear(scope, span, env(scope).truth(condition, wanted))?;
            cases.extend(truth.into_iter().map(|case| (case, wanted)));
        }
        Ok(self.split(cases)?.1)
    }

    /// Whether the section takes place is decided by results that may overflow, also where it does not.
    fn require(&mut self, scope: Scope<'_, Var>, condition: &Expr, span: Span) -> Result<bool, Halt> {
        let fails = linear(scope, span, env(scope).truth(condition, false))?;
        let fits = fails.into_iter().flat_map(|case| case.fits);
        self.steps.extend(fits.map(|(form, width)| Step::Fits(form, width)));
        let holds = linear(scope, span, env(scope).truth(condition, true))?;
        if holds.is_empty() {
            return Ok(false);
        }
        self.split(holds.into_iter().map(|case| (case, ())).collect())?;
        Ok(true)
    }

    fn address(&mut self, scope: Scope<'_, Var>, addr: &Expr, width: Width, span: Span) -> Result<Option<u64>, Halt> {
        let cases = linear(scope, span, env(scope).cases(addr))?;
        let mut all = Vec::new();
        for case in cases {
            if case.form.terms.is_empty() {
                let word = case.form.constant as u64;
                all.push((case, Some(word)));
            } else if self.automata.memory.alone {
                return Err(Halt::Choice);
            } else {
                self.spread(scope, &case, (width, span), &mut all)?;
            }
        }
        Ok(self.split(all)?.1)
    }

    fn bits(&self, term: &Form, width: Width) -> Result<u64, Halt> {
        if term.terms.is_empty() { Ok(truncate(term.constant as u64, width)) } else { Err(Halt::Choice) }
    }

    fn term(&self, value: Value, width: Width) -> Form {
        match value {
            Value::Known(bits) => Form::constant(number(bits, width)),
            Value::Symbolic(var) => Form::var(var),
        }
    }

    fn hold(&mut self, holder: Holder, width: Width, term: Form) -> Value {
        let known = term.terms.is_empty().then(|| truncate(term.constant as u64, width));
        if let (Some(bits), false) = (known, self.automata.is_forced(holder)) {
            return Value::Known(bits);
        }
        let form = known.map_or(term, |bits| self.constant(bits, width));
        let var = self.automata.var(holder);
        // What was read is in its variable already.
        if form != Form::var(var) {
            self.steps.push(Step::Assign(var, form));
        }
        Value::Symbolic(var)
    }

    fn choose(&mut self, _thread: usize, holder: Holder, width: Width) -> Value {
        let var = self.automata.var(holder);
        self.steps.push(Step::Choose(var, width));
        if width.bits() < 58 {
            let half = 1i64 << (width.bits() - 1);
            let (low, high) = if width == Width::BOOL { (0, 1) } else { (-half, half - 1) };
            self.steps.push(Step::Guard(Form { constant: -high, terms: vec![(var, 1)] }));
            self.steps.push(Step::Guard(Form { constant: low, terms: vec![(var, -1)] }));
        }
        Value::Symbolic(var)
    }

    fn kept(&self, value: Value, _initial: Option<u64>) -> Option<Value> {
        Some(value)
    }

    fn convert(&mut self, term: &Form, to: Width) {
        self.steps.push(Step::Fits(term.clone(), to));
    }

    fn forget(&mut self, value: Value) {
        super::forget(self.steps, value);
    }

    fn touch(&mut self, thread: usize, cell: u32, access: Access) -> Result<Usage, Halt> {
        let writes = access != Access::Read;
        // While there can be no others, it does not count as written.
        let new = writes && !self.early && self.automata.knowledge.written.insert(cell);
        let usage = self.automata.classify(cell, thread, writes)?;
        if new && usage == Usage::Shared { Err(Halt::Again) } else { Ok(usage) }
    }

    fn own_update(&mut self, own: Own, tags: [&TagSet; 2]) -> Result<(), Halt> {
        let waits = self.automata.buffers != Buffers::None && !self.early;
        if !waits || !tags.iter().any(|tags| self.automata.drains(tags)) {
            return Ok(());
        }
        Err(match own {
            // As if others used it, too: then the instruction is a step of its own, which empties the buffer.
            Own::Cell(cell) => {
                self.automata.knowledge.classes.insert(cell, Usage::Shared);
                Halt::Again
            }
            Own::Object(_) => Halt::Limit("a locked instruction on memory that no other thread uses".to_owned()),
        })
    }

    fn violates(&self, fault: Fault) -> bool {
        match (self.automata.property, fault) {
            (Property::Assertions { memory }, Fault::Access) => memory,
            (Property::Assertions { memory: _ }, Fault::Assertion) => true,
            (Property::Deadlock | Property::Progress | Property::Race, Fault::Assertion | Fault::Access) => false,
        }
    }

    fn make(&mut self, thread: &mut Thread<Var>, object: Object, span: Span) -> Result<u32, Halt> {
        let memory = &mut self.automata.memory;
        if !memory.alone {
            let when = if self.early { "after the first choice" } else { "while there are threads" };
            return thread.scope(memory.program).limit(span, &format!("memory is made {when}"));
        }
        let number = memory.objects.len() as u32;
        memory.objects.push(object);
        self.steps.push(Step::Made(u64::from(number)));
        Ok(number)
    }

    fn grow(&mut self, scope: Scope<'_, Var>, _: ObjectId, slot: &Slot, span: Span) -> Result<(), Halt> {
        if is_life(slot.offset) {
            return Ok(());
        }
        scope.limit(span, "memory without a type is used that was not used before")
    }
}

impl Automata<'_> {
    /// Whether what holds a value is a variable even where the value is known.
    fn is_forced(&self, holder: Holder) -> bool {
        match holder {
            Holder::Local(_, function, local) => self.knowledge.forced.contains(&Forced::Local(function, local)),
            Holder::Own(cell) => self.knowledge.forced.contains(&Forced::Own(cell)),
            Holder::Result => false,
        }
    }

    pub(super) fn var(&mut self, holder: Holder) -> Var {
        self.vars.insert_full(holder).0 as Var
    }

    /// A thread uses a cell: who uses it now?
    fn classify(&mut self, cell: u32, thread: usize, writes: bool) -> Result<Usage, Halt> {
        let class = self.knowledge.classes.get(&cell).copied().unwrap_or(Usage::Constant(0));
        let now = class.with(thread, writes);
        if now != class {
            self.knowledge.classes.insert(cell, now);
            if !matches!(now, Usage::Constant(_)) {
                return Err(Halt::Again);
            }
        }
        let early = self.nodes[self.first as usize].early;
        let known = &self.memory.cells[cell as usize];
        if now == Usage::Shared && known.initial.is_none() && !early {
            let name = self.program.address_name(known.address);
            return Err(Halt::Limit(format!("{name} is shared, but nobody has written it before there are threads")));
        }
        if now == Usage::Shared && known.initial.is_some_and(|bits| self.is_address(bits)) {
            return Err(Halt::Limit(ADDRESS.to_owned()));
        }
        Ok(now)
    }

    /// Whether a number stands for an address.
    pub(super) fn is_address(&self, bits: u64) -> bool {
        Address::from_bits(bits).is_some_and(|address| self.memory.object(address.object).is_some())
    }
}

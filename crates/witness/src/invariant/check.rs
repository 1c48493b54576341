//! The checker: decides whether an invariant is one.

use super::bounds::{Facts, Matrix, NONE, difference};
use super::eval::{number, range};
use super::form::{Form, Var};
use super::steps::{Check, Fate, Way};
use super::world::World;
use super::{Buffer, ControlPoint, Held, Invariant, Quantity, Status};
use crate::execution::Property;
use crate::flaw::Flaw;
use ir::{FunctionId, LocalId, Program, Width};
use model::Model;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What an invariant is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// That this cannot fail.
    pub property: Property,
    /// Whether it is about the machine's integers. Else it is about executions in which no result is out of the range of
    /// its type.
    pub machine: bool,
}

/// The name of what is taken for granted by a claim that is not about the machine's integers.
pub const NO_OVERFLOW: &str = "no overflow";

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked {
    /// How many regions.
    pub regions: u64,
    /// How many steps from them.
    pub steps: u64,
}

/// Checks that an invariant shows what is claimed about a program under a model. Nothing comes back if `go_on` said no.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check_invariant(
    program: &Program,
    model: &Model,
    invariant: &Invariant,
    claim: Claim,
    go_on: &dyn Fn() -> bool,
) -> Result<Option<Checked>, Flaw> {
    let flaw = |what: &str| Err(Flaw::Invariant(what.to_owned()));
    if !program.begins_alone() || matches!(claim.property, Property::Deadlock | Property::Progress | Property::Race) {
        return flaw("it cannot be about this question");
    }
    if model.head.buffers != Some(invariant.buffers) {
        return flaw("it is about another model");
    }
    well_formed(program, invariant)?;
    let world = World::new(program, &model.head, invariant, claim.property);
    let mut checker = Checker::new(world, invariant, claim)?;
    checker.first()?;
    let mut steps = 0;
    for group in 0..checker.groups.len() {
        if !go_on() {
            return Ok(None);
        }
        steps += checker.group(group)?;
    }
    Ok(Some(Checked { regions: invariant.regions.len() as u64, steps }))
}

/// Whether all numbers are numbers of something.
fn well_formed(program: &Program, invariant: &Invariant) -> Result<(), Flaw> {
    let flaw = |what: String| Err(Flaw::Invariant(what));
    for (at, place) in invariant.places.iter().enumerate() {
        let mut caller = None;
        for frame in &place.frames {
            let function = program.functions.get(frame.function.index());
            let block = function.and_then(|function| function.blocks.get(frame.block as usize));
            let fits = match (function, block) {
                (Some(function), Some(block)) => {
                    function.locals.len() == frame.locals.len() && frame.index as usize <= block.instrs.len()
                }
                _ => false,
            };
            let returns = frame.dst.is_none_or(|dst| caller.is_some_and(|locals| dst.index() < locals));
            if !fits || !returns {
                return flaw(format!("place {at} is no place of the program"));
            }
            caller = Some(frame.locals.len());
        }
        if (place.status == Status::Runs) == place.frames.is_empty() {
            return flaw(format!("place {at} has functions and does not run, or the other way round"));
        }
    }
    for (at, region) in invariant.regions.iter().enumerate() {
        for (thread, (place, _)) in region.threads.iter().enumerate() {
            if invariant.places.get(*place as usize).is_none_or(|place| place.thread != thread) {
                return flaw(format!("region {at}: thread {thread} has no place"));
            }
        }
    }
    Ok(())
}

/// What the places of a way and of the certificate have to have in common.
#[derive(PartialEq, Eq, Hash)]
struct Skeleton {
    thread: usize,
    status: Status,
    open: u32,
    inside: bool,
    started: usize,
    early: bool,
    frames: Vec<(FunctionId, u32, u32, Option<LocalId>)>,
}

/// A thread at a place with a buffer, by its number in the checker.
type Control = u32;

/// Where a way leads to: a control, and the values of its variables.
type End = (Control, BTreeMap<Quantity, Form<Var>>);

/// What can happen to a control.
struct Outcome {
    checks: Vec<Check>,
    fresh: u32,
    written: BTreeMap<Quantity, Form<Var>>,
    ends: Ends,
    /// For a thread that is started: its number, and the controls that it can have.
    starts: Option<(usize, Vec<End>)>,
    joins: Option<(usize, u32)>,
}

enum Ends {
    /// Nothing happens, but what was computed has to be in range.
    Nowhere,
    Failed(String),
    To(Vec<End>),
}

/// How far the quantity at one position of a layout may exceed that at another.
type Limit = (usize, usize, i64);

/// All regions with the same controls.
struct Group {
    key: Vec<Control>,
    /// The quantities that there are, in order; the first is zero.
    layout: Vec<Quantity>,
    regions: Vec<Bounds>,
}

/// The bounds of a region, by positions in the layout.
struct Bounds {
    /// The number of the region.
    region: usize,
    differences: Vec<Limit>,
    /// Terms that are no differences, and their limits.
    others: Vec<(Form<usize>, i64)>,
}

/// A condition over the quantities of a group.
enum Condition {
    Guard(Form<usize>),
    Fits(Form<usize>, Width),
}

/// An outcome in a group.
struct Step {
    conditions: Vec<Condition>,
    fresh: usize,
    fails: Option<String>,
    nowhere: bool,
    /// The groups that it may lead to, each with the values of its quantities.
    targets: Vec<(usize, Vec<Form<usize>>)>,
    thread: usize,
}

struct Checker<'a> {
    world: World<'a>,
    invariant: &'a Invariant,
    machine: bool,
    skeletons: FxHashMap<Skeleton, Vec<u32>>,
    controls: Vec<(u32, &'a Buffer)>,
    numbers: FxHashMap<(u32, &'a Buffer), Control>,
    groups: Vec<Group>,
    keys: FxHashMap<Vec<Control>, usize>,
    outcomes: FxHashMap<Control, Rc<[Outcome]>>,
}

impl<'a> Checker<'a> {
    fn new(world: World<'a>, invariant: &'a Invariant, claim: Claim) -> Result<Self, Flaw> {
        let mut checker = Checker {
            world,
            invariant,
            machine: claim.machine,
            skeletons: FxHashMap::default(),
            controls: Vec::new(),
            numbers: FxHashMap::default(),
            groups: Vec::new(),
            keys: FxHashMap::default(),
            outcomes: FxHashMap::default(),
        };
        for (at, place) in invariant.places.iter().enumerate() {
            checker.skeletons.entry(skeleton(place)).or_default().push(at as u32);
        }
        for (at, region) in invariant.regions.iter().enumerate() {
            let mut key = Vec::new();
            for (place, buffer) in &region.threads {
                let next = checker.controls.len() as Control;
                let control = *checker.numbers.entry((*place, buffer)).or_insert(next);
                if control == next {
                    checker.controls.push((*place, buffer));
                }
                key.push(control);
            }
            let group = match checker.keys.get(&key) {
                Some(group) => *group,
                None => {
                    checker.good(&key)?;
                    let layout = checker.layout(&key);
                    checker.groups.push(Group { key: key.clone(), layout, regions: Vec::new() });
                    checker.keys.insert(key, checker.groups.len() - 1);
                    checker.groups.len() - 1
                }
            };
            let group = &mut checker.groups[group];
            let term = |number: u32| {
                let term = invariant.terms.get(number as usize)?;
                let mut sum = Form::constant(0);
                for (quantity, factor) in term {
                    sum = sum.plus(*factor, &Form::var(group.layout.binary_search(quantity).ok()?))?;
                }
                Some(without_zero(sum))
            };
            let mut own = Bounds { region: at, differences: Vec::new(), others: Vec::new() };
            for bound in &region.bounds {
                let form = term(bound.left).and_then(|left| left.plus(-1, &term(bound.right)?));
                let Some(form) = form else {
                    return Err(Flaw::Invariant(format!("region {at} bounds a quantity that it does not have")));
                };
                match difference(&form) {
                    Some((left, right)) => own.differences.push((left, right, bound.limit)),
                    None => own.others.push((form, bound.limit)),
                }
            }
            group.regions.push(own);
        }
        Ok(checker)
    }

    fn place(&self, control: Control) -> &'a ControlPoint {
        &self.invariant.places[self.controls[control as usize].0 as usize]
    }

    /// Whether no region with these controls is bad.
    fn good(&self, key: &[Control]) -> Result<(), Flaw> {
        let mut inside = 0;
        for &control in key {
            let place = self.place(control);
            if place.status == Status::Failed {
                return Err(Flaw::Invariant("an assertion has failed in a region".to_owned()));
            }
            inside += usize::from(place.inside && place.open == 0);
        }
        if inside > 1 {
            return Err(Flaw::Invariant(format!("a region is bad: {}", crate::TWO_INSIDE)));
        }
        Ok(())
    }

    fn layout(&self, key: &[Control]) -> Vec<Quantity> {
        let mut all = vec![Quantity::Zero];
        all.extend(self.world.shared.iter().map(|cell| Quantity::Memory(*cell)));
        for (thread, &control) in key.iter().enumerate() {
            let (place, buffer) = (self.place(control), self.controls[control as usize].1);
            for (frame, own) in place.frames.iter().enumerate() {
                let variables = own.locals.iter().enumerate().filter(|(_, held)| **held == Held::Variable);
                let local = |at: usize| Quantity::Local { thread, frame, local: LocalId(at as u32) };
                all.extend(variables.map(|(at, _)| local(at)));
            }
            let variables = place.own.iter().filter(|(_, held)| **held == Held::Variable);
            all.extend(variables.map(|(cell, _)| Quantity::Own { thread, cell: *cell }));
            if place.status == Status::Ended(Held::Variable) {
                all.push(Quantity::Result { thread });
            }
            all.extend((0..buffer.slots.len()).map(|at| Quantity::Slot { thread, at }));
            all.extend(buffer.rest.iter().map(|cell| Quantity::Newest { thread, cell: *cell }));
        }
        all.sort_unstable();
        all
    }

    /// The controls that the certificate has for where a way ends.
    fn ends(&self, way: &Way) -> Vec<End> {
        let status = match way.fate {
            Fate::Runs => Status::Runs,
            // What it returned is compared later.
            Fate::Ended(_) => Status::Ended(Held::Nothing),
            Fate::Stopped => Status::Stopped,
            Fate::Failed(_) | Fate::Dropped => return Vec::new(),
        };
        let runs = status == Status::Runs;
        let frames = way.frames.iter().filter(|_| runs);
        let wanted = Skeleton {
            thread: way.thread,
            status,
            open: way.open,
            inside: way.inside,
            started: way.started,
            early: way.early,
            frames: frames.map(|frame| (frame.function, frame.block, frame.index, frame.dst)).collect(),
        };
        let candidates = self.skeletons.get(&wanted).into_iter().flatten();
        let ends = candidates.filter_map(|&place| {
            let control = *self.numbers.get(&(place, &way.buffer))?;
            Some((control, self.held(way, &self.invariant.places[place as usize])?))
        });
        ends.collect()
    }

    /// The values of the variables of a place, if a way ends in it.
    fn held(&self, way: &Way, place: &ControlPoint) -> Option<BTreeMap<Quantity, Form<Var>>> {
        let thread = way.thread;
        let mut values = BTreeMap::new();
        let mut take = |held: Held, width: Width, form: &Form<Var>, quantity: Quantity| match held {
            Held::Known(bits) => form.number() == Some(number(bits, width)),
            Held::Variable => {
                values.insert(quantity, form.clone());
                true
            }
            Held::Nothing => true,
        };
        if let (Status::Ended(held), Fate::Ended(form)) = (place.status, &way.fate) {
            return take(held, Width::WORD, form, Quantity::Result { thread }).then_some(values);
        }
        if place.status != Status::Runs {
            return Some(values);
        }
        for (number, (own, frame)) in way.frames.iter().zip(&place.frames).enumerate() {
            let locals = &self.world.program.functions[frame.function.index()].locals;
            for (at, held) in frame.locals.iter().enumerate() {
                let quantity = Quantity::Local { thread, frame: number, local: LocalId(at as u32) };
                if !take(*held, locals[at].width, &own.locals[at].form, quantity) {
                    return None;
                }
            }
        }
        for cell in self.world.own(thread) {
            let Some(known) = self.world.cell(cell) else { continue };
            let initial = known.value.map(Form::constant);
            let value = way.own.get(&cell).map(|value| value.form.clone());
            let fits = match (place.own.get(&cell), value.or_else(|| initial.clone())) {
                (Some(held), Some(form)) => take(*held, known.width, &form, Quantity::Own { thread, cell }),
                (Some(held), None) => *held == Held::Nothing,
                (None, value) => value == initial,
            };
            if !fits {
                return None;
            }
        }
        Some(values)
    }

    /// All that can happen to a control.
    fn outcomes(&mut self, control: Control) -> Result<Rc<[Outcome]>, Flaw> {
        if let Some(known) = self.outcomes.get(&control) {
            return Ok(Rc::clone(known));
        }
        let (number, buffer) = self.controls[control as usize];
        let place = self.place(control);
        let mut all = Vec::new();
        for way in self.world.ways(place, buffer)? {
            let ends = match &way.fate {
                Fate::Dropped => Ends::Nowhere,
                Fate::Failed(message) => Ends::Failed(message.clone()),
                Fate::Runs | Fate::Ended(_) | Fate::Stopped => Ends::To(self.ends(&way)),
            };
            let starts = way.starts.as_ref().map(|start| {
                let begun = Way::begin(&self.world, start.number, start.function, &start.args);
                (start.number, self.ends(&begun))
            });
            let Way { checks, fresh, written, joins, .. } = way;
            all.push(Outcome { checks, fresh, written, ends, starts, joins });
        }
        for landing in buffer.landings(place.thread, self.world.buffers, self.world.keep) {
            let same = place.frames.iter().enumerate().flat_map(|(frame, own)| {
                let variables = own.locals.iter().enumerate().filter(|(_, held)| **held == Held::Variable);
                variables.map(move |(at, _)| Quantity::Local { thread: place.thread, frame, local: LocalId(at as u32) })
            });
            let own = place.own.iter().filter(|(_, held)| **held == Held::Variable);
            let own = own.map(|(cell, _)| Quantity::Own { thread: place.thread, cell: *cell });
            let result =
                (place.status == Status::Ended(Held::Variable)).then_some(Quantity::Result { thread: place.thread });
            let values =
                same.chain(own).chain(result).map(|quantity| (quantity, Form::var(Var::Now(quantity)))).collect();
            let end = self.numbers.get(&(number, &landing.buffer)).map(|control| (*control, values));
            all.push(Outcome {
                checks: Vec::new(),
                fresh: landing.fresh,
                written: landing.written,
                ends: Ends::To(end.into_iter().collect()),
                starts: None,
                joins: None,
            });
        }
        let all: Rc<[Outcome]> = all.into();
        self.outcomes.insert(control, Rc::clone(&all));
        Ok(all)
    }

    /// Checks that the state in which others may come to be is in a region.
    fn first(&mut self) -> Result<(), Flaw> {
        let mut way = self.world.prefix()?;
        for &cell in self.world.shared {
            let initial = self.world.cell(cell).and_then(|cell| cell.value);
            let form = initial.map_or_else(
                || {
                    way.fresh += 1;
                    Form::var(Var::Fresh(way.fresh - 1))
                },
                Form::constant,
            );
            way.written.insert(Quantity::Memory(cell), form);
        }
        let ends = Ends::To(self.ends(&way));
        let Way { checks, fresh, written, .. } = way;
        let outcome = Outcome { checks, fresh, written, ends, starts: None, joins: None };
        let step = self.step(&[], &[Quantity::Zero], 0, &outcome)?;
        let lands =
            step.map(|step| self.lands(&Facts { matrix: Matrix::new(1), others: Vec::new() }, &step)).transpose()?;
        match lands {
            Some(true) => Ok(()),
            Some(false) | None => Err(Flaw::Invariant("the first state is in no region".to_owned())),
        }
    }

    /// An outcome of a thread in a group; nothing if it is not possible there.
    fn step(
        &self,
        key: &[Control],
        layout: &[Quantity],
        thread: usize,
        outcome: &Outcome,
    ) -> Result<Option<Step>, Flaw> {
        let large = || Flaw::Invariant("numbers that are too large".to_owned());
        let dim = |var: Var| match var {
            Var::Now(quantity) => layout.binary_search(&quantity).ok().map(Form::var),
            Var::Fresh(at) => Some(Form::var(layout.len() + at as usize)),
        };
        let compile = |form: &Form<Var>| form.map(dim).map(without_zero).ok_or_else(large);
        let mut conditions = Vec::new();
        if let Some((other, returned)) = outcome.joins {
            let Some(&control) = key.get(other) else { return Ok(None) };
            let Status::Ended(held) = self.place(control).status else { return Ok(None) };
            if !self.controls[control as usize].1.is_empty() {
                return Ok(None);
            }
            let returned = Form::var(layout.len() + returned as usize);
            let value = match held {
                Held::Known(bits) => Some(Form::constant(number(bits, Width::WORD))),
                Held::Variable => Some(compile(&Form::var(Var::Now(Quantity::Result { thread: other })))?),
                Held::Nothing => None,
            };
            if let Some(value) = value {
                for (one, two) in [(&value, &returned), (&returned, &value)] {
                    conditions.push(Condition::Guard(one.plus(-1, two).ok_or_else(large)?));
                }
            }
        }
        for check in &outcome.checks {
            conditions.push(match check {
                Check::Guard(form) => Condition::Guard(compile(form)?),
                Check::Fits(form, width) => Condition::Fits(compile(form)?, *width),
            });
        }
        if let Some((number, _)) = outcome.starts
            && number != key.len()
        {
            return Err(Flaw::Invariant("threads are counted in another order".to_owned()));
        }
        let mut step = Step {
            conditions,
            fresh: outcome.fresh as usize,
            fails: None,
            nowhere: false,
            targets: Vec::new(),
            thread,
        };
        let ends = match &outcome.ends {
            Ends::Nowhere => {
                step.nowhere = true;
                &[][..]
            }
            Ends::Failed(message) => {
                step.fails = Some(message.clone());
                &[]
            }
            Ends::To(ends) => ends,
        };
        let nobody = (u32::MAX, BTreeMap::new());
        let begun: Vec<&End> = match &outcome.starts {
            Some((_, begun)) => begun.iter().collect(),
            None => vec![&nobody],
        };
        for (control, values) in ends {
            for (other, its) in &begun {
                let mut next = key.to_vec();
                match next.get_mut(thread) {
                    Some(own) => *own = *control,
                    None => next.push(*control),
                }
                if outcome.starts.is_some() {
                    next.push(*other);
                }
                let Some(&group) = self.keys.get(&next) else { continue };
                let value = |quantity: &Quantity| {
                    let known = values.get(quantity).or_else(|| its.get(quantity));
                    match known.or_else(|| outcome.written.get(quantity)) {
                        Some(form) => compile(form),
                        None if *quantity == Quantity::Zero => Ok(Form::constant(0)),
                        None => compile(&Form::var(Var::Now(*quantity))),
                    }
                };
                let forms = self.groups[group].layout.iter().map(value).collect::<Result<_, _>>()?;
                step.targets.push((group, forms));
            }
        }
        Ok(Some(step))
    }

    /// Whether a step from these values leads into a region, is not possible, or has nowhere to lead to.
    fn lands(&self, known: &Facts, step: &Step) -> Result<bool, Flaw> {
        let mut facts = Facts { matrix: known.matrix.wider(step.fresh), others: known.others.clone() };
        for condition in &step.conditions {
            match condition {
                Condition::Guard(form) => {
                    if !facts.assume(form) {
                        return Ok(true);
                    }
                }
                Condition::Fits(form, width) if self.machine => {
                    let (low, high) = range(*width);
                    let negative = Form::constant(0).plus(-1, form);
                    let depth = low.checked_neg().unwrap_or(i64::MAX).min(NONE - 1);
                    let low = negative.is_some_and(|negative| facts.implies(&negative, depth, true));
                    let bounded = low && facts.implies(form, high.min(NONE - 1), true);
                    if !bounded && !facts.refuted(None) {
                        return Err(Flaw::Invariant("a result may be out of the range of its type".to_owned()));
                    }
                }
                Condition::Fits(..) => {}
            }
        }
        if step.nowhere {
            return Ok(true);
        }
        if let Some(message) = &step.fails {
            if facts.others.is_empty() || !facts.refuted(None) {
                return Err(Flaw::Invariant(format!("`{message}` may fail")));
            }
            return Ok(true);
        }
        for hard in [false, true] {
            for (group, forms) in &step.targets {
                let inside = |bounds: &Bounds| {
                    let mut differences = bounds.differences.iter().map(|&(left, right, limit)| {
                        let form = forms[left].plus(-1, &forms[right]);
                        (form, limit)
                    });
                    let mut others = bounds.others.iter().map(|(form, limit)| {
                        let form = form.map(|dim| Some(forms[dim].clone()));
                        (form, *limit)
                    });
                    let follows = |(form, limit): (Option<Form<usize>>, i64)| {
                        form.is_some_and(|form| facts.implies(&form, limit, hard))
                    };
                    differences.all(follows) && others.all(follows)
                };
                if self.groups[*group].regions.iter().any(inside) {
                    return Ok(true);
                }
            }
        }
        Ok(!facts.others.is_empty() && facts.refuted(None))
    }

    /// Checks all steps from all regions of a group. Says how many there are.
    fn group(&mut self, at: usize) -> Result<u64, Flaw> {
        let key = self.groups[at].key.clone();
        let layout = self.groups[at].layout.clone();
        let opened = key.iter().position(|control| self.place(*control).open > 0);
        let mut steps = Vec::new();
        for (thread, &control) in key.iter().enumerate() {
            if opened.is_some_and(|opened| opened != thread) {
                continue;
            }
            let outcomes = self.outcomes(control)?;
            let empty = self.controls[control as usize].1.is_empty();
            let begins = empty && !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.starts.is_some());
            if begins {
                // Starting a thread comes first.
                steps.clear();
            }
            for outcome in outcomes.iter() {
                steps.extend(self.step(&key, &layout, thread, outcome)?);
            }
            if begins {
                break;
            }
        }
        let mut count = 0;
        for bounds in &self.groups[at].regions {
            let mut matrix = Matrix::new(layout.len());
            bounds.differences.iter().for_each(|&(left, right, limit)| matrix.note(left, right, limit));
            if !matrix.close() {
                continue;
            }
            let others = bounds.others.iter().map(|(form, limit)| form.plus(-1, &Form::constant(*limit)));
            // A bound that is too large to be written down says less.
            let known = Facts { matrix, others: others.flatten().map(Form::tightened).collect() };
            for step in &steps {
                count += 1;
                if !self.lands(&known, step)? {
                    return Err(self.astray(bounds.region, step.thread));
                }
            }
        }
        Ok(count)
    }

    fn astray(&self, region: usize, thread: usize) -> Flaw {
        let place = &self.invariant.places[self.invariant.regions[region].threads[thread].0 as usize];
        let at = place.frames.last().map(|frame| {
            let function = &self.world.program.functions[frame.function.index()];
            let instr = function.blocks[frame.block as usize].instrs.get(frame.index as usize);
            let place = instr.map_or(String::new(), |instr| self.world.program.source.place(instr.span));
            format!(" in {}, {place},", function.name)
        });
        let at = at.unwrap_or_default();
        Flaw::Invariant(format!("a step of thread {thread}{at} from region {region} leads into no region"))
    }
}

/// The variable of the number zero is zero.
fn without_zero(mut form: Form<usize>) -> Form<usize> {
    form.terms.retain(|term| term.0 != 0);
    form
}

fn skeleton(place: &ControlPoint) -> Skeleton {
    let frames = place.frames.iter().map(|frame| (frame.function, frame.block, frame.index, frame.dst)).collect();
    let ControlPoint { thread, status, open, inside, started, early, .. } = *place;
    let status = if let Status::Ended(_) = status { Status::Ended(Held::Nothing) } else { status };
    Skeleton { thread, status, open, inside, started, early, frames }
}

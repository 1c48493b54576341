//! The formula: the threads' steps in rounds over the shared memory abstraction.

use crate::lists::{Delays, Lists, Size};
use crate::memory::{Access, Build, Fence, Guess, Memory, Plain};
use crate::options::{Bounds, Representation};
use crate::queues::{self, Owner};
use crate::schedule::{Item, Rows, Turns};
use crate::sole::{self, Sole, Writer};
use crate::values::{Values, fit};
use engine::{NoAnswer, Observer, Property};
use ir::{Address, BinaryOp, Comparison, Location, ObjectId, Program, Proposition, TagSet, ThreadId, UnaryOp, Width};
use logic::{Assignment, Blaster, Bool, Evaluation, Lit, Outcome, Solver, Term, Terms};
use model::{Buffers, Head};
use symbolic::{Cause, Failing, Input, Kind, Structure};

/// What the tags of fences and locked accesses mean.
#[derive(Debug, Clone)]
pub struct Tags {
    pub buffers: Buffers,
    /// How buffers are represented.
    pub queues: Representation,
    drain: TagSet,
    order: TagSet,
    wait: TagSet,
}

impl Tags {
    pub fn new(program: &Program, head: &Head, buffers: Buffers, queues: Representation) -> Self {
        let named = |names: &[String]| program.tags_named(names);
        let queues = if buffers == Buffers::None { Representation::Timed } else { queues };
        Tags { buffers, queues, drain: named(&head.drain), order: named(&head.order_writes), wait: named(&head.wait) }
    }

    pub fn drains(&self, tags: &TagSet) -> bool {
        self.buffers == Buffers::None || tags.iter().any(|tag| self.drain.contains(tag))
    }

    /// What a fence with these tags does.
    pub fn fences(&self, tags: &TagSet) -> Vec<Fence> {
        let any = |set: &TagSet| tags.iter().any(|tag| set.contains(tag));
        let mut found = Vec::new();
        found.extend(any(&self.drain).then_some(Fence::Drain));
        found.extend(any(&self.order).then_some(Fence::Order));
        found.extend(any(&self.wait).then_some(Fence::Wait));
        found
    }
}

/// A step of the sequential program: an event that a thread comes to.
#[derive(Debug, Clone)]
pub struct Step {
    pub event: usize,
    pub thread: usize,
    pub unit: usize,
    /// When it has a turn, in each round.
    pub turns: Vec<Bool>,
    /// The locations that it can go to, and when it does if it happens.
    pub places: Vec<(usize, Bool)>,
    pub guess: Guess,
    /// When time may pass before it.
    pub ticks: Bool,
    /// Whether the thread's writes reach memory before.
    pub drains: bool,
    /// Whether it is a write that reaches memory at once.
    pub at_once: bool,
    /// Whether it happens before there are other threads.
    pub early: bool,
    /// Whether nobody notices when it happens.
    pub hidden: bool,
    /// What a fence does.
    pub fences: Vec<Fence>,
    /// With explicit queues: where the writes come from that reach memory before it.
    pub arrivals: Vec<Term>,
}

/// A point at which the writes of a thread have reached memory: before it starts another, and before it is joined.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The number of the link that this is about.
    pub link: usize,
    /// Whose writes.
    pub thread: usize,
    /// The unit of the thread that comes to this point.
    pub unit: usize,
    /// When there is such a point.
    pub when: Bool,
    /// When it has a turn, in each round.
    pub turns: Vec<Bool>,
    /// With explicit queues: where the writes come from that reach memory before it.
    pub arrivals: Vec<Term>,
}

/// What a thread comes to.
#[derive(Debug, Clone)]
pub enum Work {
    Step(Step),
    Settled(Settled),
}

impl Work {
    fn unit(&self) -> usize {
        match self {
            Work::Step(step) => step.unit,
            Work::Settled(settled) => settled.unit,
        }
    }

    /// The step, if it is one.
    pub fn step(&self) -> Option<&Step> {
        match self {
            Work::Step(step) => Some(step),
            Work::Settled(_) => None,
        }
    }
}

/// What may happen in a round, in order.
pub fn in_order<'w>(rows: &Rows, work: &'w [Vec<Work>], round: usize) -> Vec<&'w Work> {
    let is_first = |thread: usize, work: &Work| rows.is_first(thread, work.unit());
    let mut all = Vec::new();
    if round == 0 {
        all.extend(work.iter().take(1).flatten().filter(|work| is_first(0, work)));
    }
    for thread in rows.order() {
        all.extend(work[thread].iter().filter(|work| !is_first(thread, work)));
    }
    all
}

/// A program, a memory and bounds as clauses.
pub struct Problem<'p> {
    pub program: &'p Program,
    pub structure: Structure,
    pub rows: Rows,
    pub turns: Turns,
    /// What each thread comes to.
    pub work: Vec<Vec<Work>>,
    pub bounds: Bounds,
    /// Whether there is a node for every write.
    pub roomy: bool,
    /// The explicit queues, if that is what store buffers are.
    pub owners: Option<Vec<Owner>>,
    /// Where the writes come from that reach memory when all rounds are over.
    pub arrivals: Vec<Term>,
    /// What each location holds in the end: in a program in C a variable of its own.
    pub last: Vec<Term>,
    blaster: Blaster,
    solver: Solver,
    failing: Vec<Failing>,
    observer: &'p dyn Observer,
}

/// For each event whether it is a write that may as well reach memory at once: it is made with an empty buffer, or the
/// next event of its thread empties the buffer. In the second case the thread does nothing between the two that others
/// could notice, so a write that lands later is a write that is made later.
pub fn at_once(structure: &Structure, tags: &Tags) -> Vec<bool> {
    let drains = |event: &symbolic::Event| match event.kind {
        Kind::Fence => tags.fences(&event.tags).contains(&Fence::Drain),
        Kind::Read | Kind::Write => tags.drains(&event.tags) || event.section.is_some(),
    };
    let mut found = vec![false; structure.events.len()];
    for own in &structure.threads {
        let mut next: Option<&symbolic::Event> = None;
        for &number in own.iter().rev() {
            let event = &structure.events[number as usize];
            if event.guard == Bool::FALSE {
                continue;
            }
            let emptied = next.is_some_and(|next| next.guard == event.guard && drains(next));
            found[number as usize] = event.kind == Kind::Write && (drains(event) || emptied);
            next = Some(event);
        }
    }
    found
}

/// The bounds that leave nothing out.
pub fn enough(structure: &Structure, tags: &Tags) -> Bounds {
    let (early, at_once) = (sole::early(structure), at_once(structure, tags));
    let delayed = |&at: &usize| {
        let event = &structure.events[at];
        let makes = event.thread.is_some() && event.kind == Kind::Write && event.guard != Bool::FALSE;
        makes && !at_once[at] && !early[at]
    };
    let delayed = (0..structure.events.len()).filter(delayed).count();
    let nodes = match tags.queues {
        Representation::Timed => nodes(&sole::writers(structure, &early)),
        Representation::Explicit => sole::length(structure, tags, &early),
    };
    let rows = Rows::new(structure, Some(&sole::hidden(structure, tags, nodes)));
    Bounds { rounds: rows.enough(), clock: (delayed as u32).max(1), nodes }
}

/// How many nodes are enough for all writes.
fn nodes(writers: &[(usize, Writer)]) -> u32 {
    let many = writers.iter().filter(|(_, writer)| *writer == Writer::Many).map(|(count, _)| *count);
    (many.max().unwrap_or(0) as u32 + 1).max(2)
}

impl<'p> Problem<'p> {
    /// The formula; `each`: every event is a step of its own, as in C.
    pub fn new(
        program: &'p Program,
        mut structure: Structure,
        tags: &Tags,
        bounds: Bounds,
        each: bool,
        observer: &'p dyn Observer,
    ) -> Result<Self, NoAnswer> {
        let hidden = (!each).then(|| sole::hidden(&structure, tags, bounds.nodes));
        let rows = Rows::new(&structure, hidden.as_deref());
        let mut facts = structure.constraints.clone();
        let turns = Turns::new(&mut structure.terms, &rows, bounds.rounds, &mut facts);
        let early = if rows.begins { sole::early(&structure) } else { vec![false; structure.events.len()] };
        let explicit = !each && tags.queues == Representation::Explicit;
        let writers = if explicit { sole::unknown(&structure) } else { sole::writers(&structure, &early) };
        let total = tags.buffers == Buffers::Thread;
        let owners = explicit.then(|| {
            let delayed: Vec<(usize, usize)> = sole::delayed(&structure, tags, &early).into_keys().collect();
            queues::owners(total, &delayed)
        });
        let passing = Passing {
            count: if owners.as_ref().is_some_and(|owners| !owners.is_empty()) { bounds.clock } else { 0 },
            width: queues::choice(owners.as_deref().unwrap_or_default()),
        };
        let roomy = !explicit && bounds.nodes >= nodes(&writers);
        let size = Size { clock: bounds.clock, nodes: bounds.nodes, threads: structure.threads.len(), roomy };
        let hidden = hidden.unwrap_or_else(|| vec![false; structure.events.len()]);
        let known = Known { at_once: at_once(&structure, tags), early, hidden, passing };
        let work = work(&mut structure, tags, &rows, &turns, size, &known, &mut facts);
        let mut values = Values::new(&structure);
        let mut initial = Vec::with_capacity(structure.locations.len());
        for location in 0..structure.locations.len() {
            let value = structure.events[location].value;
            initial.push(values.encode(&mut structure.terms, location, value));
        }
        let Structure { terms, events, locations, threads, .. } = &mut structure;
        let mut build = Build { terms, facts, copies: Vec::new() };
        let steps = || work.iter().flatten().filter_map(Work::step);
        // Before there are other threads memory is what it seems to be.
        let mut first = Plain::new(initial);
        for step in steps().filter(|step| step.early) {
            operate(&mut build, &mut first, &mut values, None, &events[step.event], step, 0);
        }
        let initial = first.values();
        let mut sole = Sole::new(&writers, &initial);
        let flags = |count: usize| vec![false; count];
        let alone: Vec<bool> = (0..initial.len()).map(|place| sole.has(place)).collect();
        let mut delays = Delays { locations: flags(initial.len()), threads: flags(threads.len()), sole: alone };
        for step in steps().filter(|step| !step.early && events[step.event].kind == Kind::Write) {
            let event = &events[step.event];
            for &(place, here) in step.places.iter().filter(|(place, _)| delays.sole[*place]) {
                let value = values.encode(build.terms, place, event.value);
                sole.add(build.terms, step, event.guard, (place, here), value);
            }
            if !step.at_once {
                step.places.iter().for_each(|&(place, _)| delays.locations[place] = true);
                delays.threads[step.thread] = true;
            }
        }
        let mut memory: Box<dyn Memory> = match (tags.buffers, &owners) {
            (Buffers::None, _) => Box::new(Plain::new(initial)),
            (Buffers::Thread | Buffers::Location, None) => {
                Box::new(Lists::new(&mut build, size, total, &initial, &delays))
            }
            (Buffers::Thread | Buffers::Location, Some(owners)) => {
                let orders = steps().filter(|step| step.fences.contains(&Fence::Order)).count();
                let counts = (threads.len(), orders);
                Box::new(queues::Queues::new(&mut build, total, bounds.nodes, &initial, owners, counts))
            }
        };
        for round in 0..bounds.rounds as usize {
            if let Some(stop) = observer.stop() {
                return Err(stop);
            }
            for work in in_order(&rows, &work, round) {
                match work {
                    Work::Step(step) if step.early => {}
                    Work::Step(step) => {
                        let sole = Some((&mut sole, &turns));
                        operate(&mut build, &mut *memory, &mut values, sole, &events[step.event], step, round);
                    }
                    Work::Settled(Settled { thread, when, turns, arrivals, .. }) => {
                        let when = build.terms.and(*when, turns[round]);
                        memory.pass(&mut build, when, arrivals);
                        memory.fence(&mut build, *thread, when, Fence::Drain);
                    }
                }
            }
        }
        let arrivals = passing.guess(build.terms);
        memory.pass(&mut build, Bool::TRUE, &arrivals);
        memory.finish(&mut build);
        let mut last = Vec::with_capacity(locations.len());
        for (at, location) in locations.iter().enumerate() {
            if each {
                last.push(build.terms.fresh(location.width));
                continue;
            }
            let held = match sole.last(build.terms, &turns, at) {
                Some(held) => held,
                None => memory.last(&mut build, at),
            };
            last.push(values.decode(build.terms, at, held, location.width));
        }
        let Build { facts, copies, .. } = build;
        let meter = observer.meter();
        let (mut blaster, mut solver) = (Blaster::new(), Solver::metered(Box::new(move |units| meter.spend(units))));
        for (at, fact) in facts.into_iter().enumerate() {
            if at.is_multiple_of(4096)
                && let Some(stop) = observer.stop()
            {
                return Err(stop);
            }
            blaster.assert(&structure.terms, &mut solver, fact);
        }
        for (at, (when, left, right)) in copies.into_iter().enumerate() {
            if at.is_multiple_of(4096)
                && let Some(stop) = observer.stop()
            {
                return Err(stop);
            }
            blaster.assert_equal(&mut structure.terms, &mut solver, when, left, right);
        }
        let failing = Vec::new();
        Ok(Problem {
            program,
            structure,
            rows,
            turns,
            work,
            bounds,
            roomy,
            owners,
            arrivals,
            last,
            blaster,
            solver,
            failing,
            observer,
        })
    }

    fn lit(&mut self, condition: Bool) -> Lit {
        self.blaster.lit(&self.structure.terms, &mut self.solver, condition)
    }

    fn solve(&mut self, goal: Bool) -> Result<bool, NoAnswer> {
        let goal = self.lit(goal);
        let observer = self.observer;
        if let Some(stop) = observer.stop() {
            return Err(stop);
        }
        match self.solver.solve(&[goal], &|| observer.stop().is_none()) {
            Outcome::Unsatisfiable => Ok(false),
            Outcome::Stopped => Err(observer.stop().unwrap_or(NoAnswer::Cancelled)),
            Outcome::Satisfiable => Ok(true),
        }
    }

    /// Looks for values that satisfy a goal.
    pub fn find(&mut self, goal: Bool) -> Result<Option<Assignment>, NoAnswer> {
        if !self.solve(goal)? {
            return Ok(None);
        }
        Ok(Some(self.blaster.assignment(&self.structure.terms, &mut self.solver)))
    }

    /// When the property fails.
    pub fn violation(&mut self, property: Property) -> Bool {
        let Property::Assertions { memory } = property else { return Bool::FALSE };
        let mut goals = Vec::new();
        for failure in self.structure.failures.clone().into_iter().filter(|failure| memory || !failure.memory) {
            // Only the one that fails may stop inside a section.
            let others = self.structure.not_stuck(|stuck| stuck.when == failure.when);
            let come = self.come(failure.thread, failure.moment);
            let when = self.structure.terms.all([failure.when, others, come]);
            goals.push(when);
            let (thread, span, message) = (failure.thread, failure.span, failure.message);
            self.failing.push(Failing { when, thread, span, message });
        }
        let mut stands = self.structure.stands.clone();
        let nobody = self.structure.not_stuck(|_| false);
        for stand in &mut stands {
            let come = self.come(stand.thread, stand.moment);
            stand.when = self.structure.terms.all([stand.when, come, nobody]);
        }
        let together = Failing::together(&mut self.structure.terms, stands, witness::TWO_INSIDE);
        goals.extend(together.iter().map(|failing| failing.when));
        self.failing.extend(together);
        let allowed = self.structure.not_stuck(|stuck| match stuck.cause {
            Cause::Assertion => true,
            Cause::Memory => memory,
            Cause::Bound => false,
        });
        let some = self.structure.terms.any(goals);
        self.structure.terms.and(some, allowed)
    }

    /// Whether a thread comes so far.
    fn come(&self, thread: ThreadId, moment: symbolic::Moment) -> Bool {
        let unit = self.rows.unit(thread.index(), moment);
        unit.map_or(Bool::TRUE, |unit| self.turns.passed(thread.index(), unit))
    }

    /// The failure that a solution shows.
    pub fn failing(&self, solution: &mut Evaluation<'_>) -> Option<&Failing> {
        let stuck = &self.structure.stuck;
        let fails = self.failing.iter().filter(|failing| solution.truth(failing.when));
        fails.max_by_key(|failing| stuck.iter().any(|stuck| stuck.when == failing.when))
    }

    /// When all threads have ended and a proposition about the final state holds.
    pub fn reaches(&mut self, goal: &Proposition) -> Bool {
        let mut all = self.structure.finished.clone();
        all.extend((0..self.work.len()).map(|thread| self.turns.ended(thread)));
        all.push(self.proposition(goal));
        if let Some(filter) = &self.program.filter {
            all.push(self.proposition(filter));
        }
        self.structure.terms.all(all)
    }

    fn proposition(&mut self, goal: &Proposition) -> Bool {
        let each = |problem: &mut Self, parts: &[Proposition]| -> Vec<Bool> {
            parts.iter().map(|part| problem.proposition(part)).collect()
        };
        match goal {
            Proposition::True => Bool::TRUE,
            Proposition::False => Bool::FALSE,
            Proposition::Atom(atom) => {
                let value = self.final_value(atom.location);
                let width = self.structure.terms.width(value);
                let equal = if atom.value > width.mask() {
                    Bool::FALSE
                } else {
                    let constant = self.structure.terms.constant(atom.value, width);
                    self.structure.terms.eq(value, constant)
                };
                match atom.comparison {
                    Comparison::Eq => equal,
                    Comparison::Ne => !equal,
                }
            }
            Proposition::Same(left, right) => {
                let (left, right) = (self.final_value(*left), self.final_value(*right));
                self.structure.terms.same_number(left, right)
            }
            Proposition::Not(inner) => !self.proposition(inner),
            Proposition::And(parts) => {
                let parts = each(self, parts);
                self.structure.terms.all(parts)
            }
            Proposition::Or(parts) => {
                let parts = each(self, parts);
                self.structure.terms.any(parts)
            }
            Proposition::Implies(left, right) => {
                let (left, right) = (self.proposition(left), self.proposition(right));
                self.structure.terms.implies(left, right)
            }
        }
    }

    /// What a location holds in the end.
    pub fn final_value(&mut self, location: Location) -> Term {
        match location {
            Location::Local(thread, local) => self.structure.finals[thread.index()][local.index()],
            Location::Memory(address) => {
                let place = self.structure.locations.iter().position(|l| l.address == address);
                let place = place.expect("validated: the location exists");
                let width = location.width(self.program);
                fit(&mut self.structure.terms, self.last[place], width)
            }
        }
    }

    /// Whether what is read, written and chosen fits into so many bits, as a signed number, or is an address.
    pub fn small(&mut self, bits: u32) -> Bool {
        let objects = (self.program.objects.len() + self.structure.made.len()) as u32;
        let address = |number: u32| Address { object: ObjectId(number), offset: 0 }.to_bits();
        let (first, end) = (address(0), address(objects));
        let accesses = self.structure.events.iter().filter(|event| event.kind != Kind::Fence);
        let mut values: Vec<(Bool, Term)> = accesses.map(|event| (event.guard, event.value)).collect();
        for (when, input) in self.structure.inputs.iter().flatten() {
            match input {
                Input::Value(value) => values.push((*when, *value)),
                Input::Object(_) | Input::Thread(_) => {}
            }
        }
        let terms = &mut self.structure.terms;
        let mut all = Vec::new();
        for (when, value) in values {
            let width = terms.width(value);
            if width.bits() <= bits {
                continue;
            }
            let cut = terms.unary(UnaryOp::Truncate(Width::new(bits as u8)), value);
            let back = terms.unary(UnaryOp::SignExtend(width), cut);
            let mut fits = terms.eq(value, back);
            if width == Width::WORD {
                let (first, end) = (terms.constant(first, width), terms.constant(end, width));
                let above = terms.compare(BinaryOp::ULe, first, value);
                let below = terms.compare(BinaryOp::ULt, value, end);
                let is_address = terms.and(above, below);
                fits = terms.or(fits, is_address);
            }
            all.push(terms.implies(when, fits));
        }
        terms.all(all)
    }

    /// Whether an execution can reach the bound of a loop.
    pub fn is_cut(&mut self) -> Result<bool, NoAnswer> {
        let mut cuts = Vec::new();
        for at in 0..self.structure.cuts.len() {
            let (thread, moment) = self.structure.cut_moments[at];
            let come = self.come(thread, moment);
            cuts.push(self.structure.terms.and(self.structure.cuts[at].0, come));
        }
        let some = self.structure.terms.any(cuts);
        if some == Bool::FALSE {
            return Ok(false);
        }
        self.solve(some)
    }

    pub fn describe(&self) -> String {
        let Bounds { rounds, .. } = self.bounds;
        let (variables, clauses) = (self.solver.variable_count(), self.solver.clause_count());
        format!("rounds {rounds}: {} events, {variables} variables, {clauses} clauses", self.structure.events.len())
    }

    pub fn statistics(&self) -> Vec<(String, u64)> {
        let entry = |name: &str, value: u64| (name.to_owned(), value);
        vec![
            entry("events", self.structure.events.len() as u64),
            entry("rounds", self.bounds.rounds.into()),
            entry("variables", self.solver.variable_count()),
            entry("clauses", self.solver.clause_count()),
            entry("decisions", self.solver.decision_count()),
            entry("conflicts", self.solver.conflict_count()),
        ]
    }
}

/// What is known of events: which writes land at once, what happens before there are other threads, what is hidden.
struct Known {
    at_once: Vec<bool>,
    early: Vec<bool>,
    hidden: Vec<bool>,
    passing: Passing,
}

/// With explicit queues: how many writes reach memory before a step, and the width of a guess where one comes from.
#[derive(Debug, Clone, Copy)]
struct Passing {
    count: u32,
    width: Width,
}

impl Passing {
    fn guess(self, terms: &mut Terms) -> Vec<Term> {
        (0..self.count).map(|_| terms.fresh(self.width)).collect()
    }
}

/// What each thread comes to.
fn work(
    structure: &mut Structure,
    tags: &Tags,
    rows: &Rows,
    turns: &Turns,
    size: Size,
    known: &Known,
    facts: &mut Vec<Bool>,
) -> Vec<Vec<Work>> {
    let mut all = Vec::with_capacity(rows.rows.len());
    for (thread, row) in rows.rows.iter().enumerate() {
        let mut own: Vec<Work> = Vec::new();
        for (at, item) in row.items.iter().enumerate() {
            let unit = row.units[at];
            let terms = &mut structure.terms;
            let turns: Vec<Bool> =
                (0..turns.rounds()).map(|round| turns.in_round(terms, thread, unit, round)).collect();
            let event = match *item {
                Item::Event(number) => number as usize,
                Item::Arrives(number) => {
                    // Who is joined has ended, and its writes have reached memory.
                    let link = structure.links[number];
                    if !rows.starts(number) {
                        let (thread, when) = (link.from.0 as usize, link.when);
                        let arrivals = known.passing.guess(terms);
                        own.push(Work::Settled(Settled { link: number, thread, unit, when, turns, arrivals }));
                    }
                    continue;
                }
                Item::Departs(link) if !rows.starts(link) => continue,
                Item::Departs(link) => {
                    let started = structure.links[link].to.0;
                    for when in starting(structure, thread, started) {
                        let (turns, arrivals) = (turns.clone(), known.passing.guess(&mut structure.terms));
                        own.push(Work::Settled(Settled { link, thread, unit, when, turns, arrivals }));
                    }
                    continue;
                }
            };
            if structure.events[event].guard == Bool::FALSE {
                continue;
            }
            let places = places(structure, event, facts);
            let mut earlier = Vec::new();
            for work in &own {
                if let Work::Step(step) = work
                    && step.unit == unit
                    && together(structure, step.event, event)
                {
                    earlier.push(structure.events[step.event].guard);
                }
            }
            let terms = &mut structure.terms;
            let follows = terms.any(earlier);
            let guess = Guess {
                time: terms.fresh(size.time()),
                lands: terms.fresh(size.time()),
                before: terms.fresh(size.node()),
            };
            let arrivals = known.passing.guess(terms);
            let symbolic = &structure.events[event];
            let (drains, fences) = match symbolic.kind {
                Kind::Fence => (false, tags.fences(&symbolic.tags)),
                Kind::Read | Kind::Write => (tags.drains(&symbolic.tags) || symbolic.section.is_some(), Vec::new()),
            };
            let early = known.early[event];
            let hidden = known.hidden[event] && !early;
            let at_once = known.at_once[event] || early;
            let ticks = if early || hidden { Bool::FALSE } else { !follows };
            own.push(Work::Step(Step {
                event,
                thread,
                unit,
                turns,
                places,
                guess,
                ticks,
                drains,
                at_once,
                early,
                hidden,
                fences,
                arrivals,
            }));
        }
        all.push(own);
    }
    all
}

/// When a thread starts another.
fn starting(structure: &Structure, thread: usize, started: u32) -> Vec<Bool> {
    let starts = |input: &Input| matches!(input, Input::Thread(number) if *number == started);
    structure.inputs[thread].iter().filter(|(_, input)| starts(input)).map(|&(when, _)| when).collect()
}

/// Whether nothing comes between two events of a thread: they are in one section, or those of one read-modify-write.
fn together(structure: &Structure, first: usize, second: usize) -> bool {
    let section = structure.events[first].section;
    let pair = |pair: &symbolic::Dependency| pair.from as usize == first && pair.to as usize == second;
    (section.is_some() && section == structure.events[second].section) || structure.amo.iter().any(pair)
}

/// The locations that an event can access, and when.
fn places(structure: &mut Structure, event: usize, facts: &mut Vec<Bool>) -> Vec<(usize, Bool)> {
    if structure.events[event].kind == Kind::Fence {
        return Vec::new();
    }
    if let [only] = structure.events[event].candidates[..] {
        return vec![(only as usize, Bool::TRUE)];
    }
    let mut found = Vec::new();
    let (address, guard) = (structure.events[event].address, structure.events[event].guard);
    for candidate in structure.events[event].candidates.clone() {
        let location = candidate as usize;
        let bits = structure.locations[location].address.to_bits();
        let here = structure.terms.constant(bits, Width::WORD);
        let when = structure.terms.eq(address, here);
        if when != Bool::FALSE {
            found.push((location, when));
        }
    }
    if !structure.finals.is_empty() {
        let somewhere = structure.terms.any(found.iter().map(|&(_, when)| when));
        facts.push(structure.terms.implies(guard, somewhere));
    }
    if let [(_, when)] = &mut found[..] {
        *when = Bool::TRUE;
    }
    found
}

/// What a step does if it has its turn in this round; `sole`: locations that one thread writes, and the turns.
fn operate(
    build: &mut Build<'_>,
    memory: &mut dyn Memory,
    values: &mut Values,
    mut sole: Option<(&mut Sole, &Turns)>,
    event: &symbolic::Event,
    step: &Step,
    round: usize,
) {
    let when = build.terms.and(step.turns[round], event.guard);
    if when == Bool::FALSE {
        return;
    }
    if step.ticks != Bool::FALSE {
        let passes = build.terms.and(when, step.ticks);
        memory.pass(build, passes, &step.arrivals);
    }
    for &fence in &step.fences {
        memory.fence(build, step.thread, when, fence);
    }
    if step.drains {
        memory.fence(build, step.thread, when, Fence::Drain);
    }
    let has = |place: usize| sole.as_ref().is_some_and(|(sole, _)| sole.has(place));
    let late = |place: usize| sole.as_ref().is_some_and(|(sole, _)| sole.is_late(place, step.thread));
    let (mut alone, mut others) = (Vec::new(), Vec::new());
    for &(place, here) in &step.places {
        if has(place) { &mut alone } else { &mut others }.push((place, here));
    }
    let mut access = Access {
        thread: step.thread,
        when,
        late: alone.iter().any(|&(place, _)| late(place)),
        places: others,
        ticks: step.ticks,
        at_once: step.at_once,
        guess: step.guess,
    };
    match event.kind {
        Kind::Fence => {}
        Kind::Read => {
            // What nobody notices costs nothing and takes no time.
            let held = if step.hidden { Vec::new() } else { memory.read(build, &access) };
            let mut all: Vec<((usize, Bool), Term)> = access.places.iter().copied().zip(held).collect();
            if let Some((sole, turns)) = &mut sole {
                for (place, here) in alone {
                    let when = build.terms.and(when, here);
                    let held = sole.read(build, turns, step, (place, when), round, memory.clock());
                    all.push(((place, here), held));
                }
            }
            for ((place, here), held) in all {
                let when = build.terms.and(when, here);
                let encoded = values.read(build.terms, place, event.value, held);
                build.copies.push((when, encoded.0, encoded.1));
            }
        }
        Kind::Write => {
            // Who keeps no time has nothing to remember of a write to a location that one thread writes.
            if memory.clock().is_some() {
                access.places = step.places.clone();
            }
            let encode = |&(place, _): &(usize, Bool)| values.encode(build.terms, place, event.value);
            let written: Vec<Term> = access.places.iter().map(encode).collect();
            memory.write(build, &access, &written);
        }
    }
}

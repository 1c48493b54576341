//! The formula of a program under a model, and its solutions.

use crate::artefacts;
use crate::events::{Coherence, Events};
use crate::goals;
use crate::graph::{Product, Units};
use crate::query;
use crate::ranges;
use crate::relations::{Bound, Relations};
use crate::shape;
use crate::symmetry;
use engine::{Choices, NoAnswer, Observer, Property};
use ir::{Location, Program, Proposition, State};
use logic::{Blaster, Bool, Evaluation, Lit, OrderGraph, Outcome, Solver, Term, Theory};
use model::{Axiom, Model, Requirement, Role, Scope};
use symbolic::{Cause, Dependency, Failing, Group, Kind, Structure};
use witness::{Execution, Violation};

/// A program and a model as clauses and graphs.
pub struct Problem<'p> {
    pub events: Events<'p>,
    blaster: Blaster,
    solver: Solver,
    /// How many threads are interchangeable with others.
    alike: usize,
    nodes: usize,
    edges: usize,
    /// The final values of the observed locations.
    finals: Vec<(Location, Term)>,
    /// What is assumed besides the goal.
    assumed: Vec<Lit>,
    /// How often loops may go round, as assumptions.
    bound: Vec<Lit>,
    /// What is chosen where tags are open, as assumptions.
    chosen: Vec<Lit>,
    /// The places that can fail, if the question is about failures.
    failing: Vec<Failing>,
    /// The pairs of events by which an execution makes the program undefined, if that is asked, and when they do.
    races: Vec<(usize, usize, Bool)>,
}

/// A graph that must have no path from the first to the second of these nodes.
type Open = (OrderGraph, Vec<(u32, u32)>);

/// How a problem is made.
#[derive(Debug, Clone, Copy)]
pub struct How<'c> {
    /// Clocks instead of the theory.
    pub clocks: bool,
    /// Whether the pairs of events are wanted that make the program undefined.
    pub races: bool,
    /// Whether one of the executions that differ only in which of some equal threads did what is enough.
    pub representatives: bool,
    /// What can be chosen in the program, if its tags are open.
    pub choices: Option<&'c Choices>,
}

/// A solution: the execution, and the choices that tell it from every other.
pub struct Found {
    pub execution: Execution,
    pub choices: Vec<Bool>,
    /// The values of reads, where the choices do not decide them: where values may come out of thin air.
    pub values: Vec<(Term, u64)>,
    /// The flags of the model that it raises, if they are wanted.
    pub flags: Vec<String>,
}

impl<'p> Problem<'p> {
    pub fn new(
        program: &'p Program,
        structure: Structure,
        model: &Model,
        how: How<'_>,
        observer: &'p dyn Observer,
    ) -> Result<Self, NoAnswer> {
        let How { clocks, representatives, .. } = how;
        let mut events = Events::new(program, structure, model, observer)?;
        if let Some(choices) = how.choices {
            events.open_tags(choices);
        }
        let alike = if representatives { symmetry::representatives(&mut events, model)? } else { 0 };
        let finals = query::finals(&mut events);
        let meter = events.meter.clone();
        let (blaster, solver) = (Blaster::new(), Solver::metered(Box::new(move |units| meter.spend(units))));
        let (failing, pairs) = (Vec::new(), Vec::new());
        let (assumed, bound, chosen) = (Vec::new(), Vec::new(), Vec::new());
        let mut problem = Problem {
            events,
            blaster,
            solver,
            alike,
            nodes: 0,
            edges: 0,
            finals,
            assumed,
            bound,
            chosen,
            failing,
            races: pairs,
        };
        artefacts::show_events(&problem.events, observer);
        if observer.wants("formula") {
            problem.solver.record();
        }
        for (value, bound) in ranges::largest(&problem.events) {
            problem.blaster.limit(value, u64::BITS - bound.leading_zeros());
        }
        for (at, constraint) in std::mem::take(&mut problem.events.constraints).into_iter().enumerate() {
            problem.now_and_then(at)?;
            problem.assert(constraint);
        }
        for (at, (when, left, right)) in std::mem::take(&mut problem.events.copies).into_iter().enumerate() {
            problem.now_and_then(at)?;
            problem.blaster.copy(&mut problem.events.structure.terms, &mut problem.solver, when, left, right);
        }
        for (at, (heights, value)) in std::mem::take(&mut problem.events.heights).into_iter().enumerate() {
            problem.now_and_then(at)?;
            let terms = &mut problem.events.structure.terms;
            problem.blaster.copy_by_height(terms, &mut problem.solver, &heights, value);
        }
        // What is written must be some value, even if nobody looks at what is read.
        let written = problem.events.structure.events.iter().filter(|event| event.kind == Kind::Write);
        let written = written.map(|event| event.value);
        problem.blaster.use_variables(&problem.events.structure.terms, &mut problem.solver, written);
        let (graphs, open) = problem.axioms(model, how)?;
        problem.order(&graphs, &open, clocks);
        artefacts::show_formula(&graphs, &problem.solver, observer);
        Ok(problem)
    }

    /// Asks now and then whether to go on.
    fn now_and_then(&self, at: usize) -> Result<(), NoAnswer> {
        if at.is_multiple_of(256) { self.events.count(0) } else { Ok(()) }
    }

    fn assert(&mut self, condition: Bool) {
        self.blaster.assert(&self.events.structure.terms, &mut self.solver, condition);
    }

    pub fn lit(&mut self, condition: Bool) -> Lit {
        self.blaster.lit(&self.events.structure.terms, &mut self.solver, condition)
    }

    /// Asserts the axioms that forbid pairs and returns the graphs of those that forbid cycles, and of those that forbid
    /// paths from an event to itself. With `races`, also finds out when the model leaves an execution undefined.
    fn axioms(&mut self, model: &Model, how: How<'_>) -> Result<(Vec<OrderGraph>, Vec<Open>), NoAnswer> {
        let How { clocks, races, .. } = how;
        let mut relations = Relations::new(model);
        let (mut graphs, mut open) = (Vec::new(), Vec::new());
        let axioms: Vec<&Axiom> = model.axioms.iter().filter(|axiom| axiom.role == Role::Forbids).collect();
        let sections = self.sections();
        if !sections.is_empty() && !axioms.iter().any(|axiom| shape::is_global(model, axiom)) {
            return Err(NoAnswer::GaveUp(format!(
                "the program has atomic sections, and the model {} has no order of all accesses to put them into",
                model.name
            )));
        }
        let groups = self.groups(model)?;
        let joins_events = !sections.is_empty() || !groups.is_empty();
        let atomic = axioms.iter().any(|axiom| shape::is_atomicity(model, axiom));
        let mut joined = false;
        for axiom in axioms.iter().filter(|axiom| axiom.requirement == Requirement::Acyclic) {
            if shape::is_implied(model, axiom, joins_events) {
                continue;
            }
            let mut units = Units::none(self.events.len());
            if shape::is_global(model, axiom) {
                sections.iter().for_each(|section| units.join(section));
            }
            if model.head.mixed_size.contains(&axiom.name) {
                groups.iter().for_each(|group| units.join(group));
            }
            let joins = atomic && shape::joins_instructions(model, axiom);
            if joins {
                let pairs = self.events.structure.amo.iter().filter(|pair| pair.when == Bool::TRUE);
                pairs.for_each(|pair| units.join(&[pair.from as usize, pair.to as usize]));
                joined = true;
            }
            let (blaster, solver) = (&mut self.blaster, &mut self.solver);
            graphs.push(Product::new(&mut self.events, &mut relations, blaster, solver, units).build(axiom.node)?);
            // Where reads-from is not global, it is here that a section sees all of another one or nothing.
            let local = !shape::is_global(model, axiom) && shape::is_uniproc(model, axiom);
            if local && !sections.is_empty() && !shape::is_implied(model, axiom, false) {
                let mut units = Units::none(self.events.len());
                sections.iter().for_each(|section| units.join(section));
                let (blaster, solver) = (&mut self.blaster, &mut self.solver);
                graphs.push(Product::new(&mut self.events, &mut relations, blaster, solver, units).build(axiom.node)?);
            }
        }
        for axiom in axioms.iter().filter(|axiom| axiom.requirement != Requirement::Acyclic) {
            if shape::is_atomicity(model, axiom) {
                self.atomicity(joined);
            } else if axiom.requirement == Requirement::Irreflexive && !axiom.negated && !clocks {
                let units = Units::none(self.events.len());
                let (blaster, solver) = (&mut self.blaster, &mut self.solver);
                let product = Product::new(&mut self.events, &mut relations, blaster, solver, units);
                open.push(product.build_open(axiom.node)?);
            } else {
                self.deny(&mut relations, model, axiom)?;
            }
        }
        if !shape::has_uniproc(model) {
            graphs.push(self.coherence_order());
        }
        let undefining = model.axioms.iter().filter(|axiom| races && axiom.role == Role::Undefines);
        for axiom in undefining {
            // Whoever wants a pair to be there must find it in the smaller relation.
            let bad = bad_pairs(&mut self.events, &mut relations, model, axiom, Bound::Lower)?;
            for (a, b, when) in bad {
                let when = executed(&mut self.events, a, b, when);
                self.races.push((a, b, when));
            }
        }
        for constraint in std::mem::take(&mut self.events.constraints) {
            self.assert(constraint);
        }
        for holds in std::mem::take(&mut self.events.lean) {
            let literal = self.lit(holds);
            self.solver.prefer(!literal);
        }
        Ok((graphs, open))
    }

    /// The events of each single-copy atomic access to several cells.
    fn groups(&self, model: &Model) -> Result<Vec<Vec<usize>>, NoAnswer> {
        let events = self.events.structure.events.iter().enumerate();
        let inside: Vec<(Group, usize)> = events.filter_map(|(at, event)| Some((event.group?, at))).collect();
        if let Some(&(_, at)) = inside.first()
            && model.head.mixed_size.is_empty()
        {
            return Err(self.mixed_sizes(at, model));
        }
        let atomic = inside.chunk_by(|a, b| a.0 == b.0).filter(|group| group[0].0.atomic);
        Ok(atomic.map(|group| group.iter().map(|&(_, at)| at).collect()).collect())
    }

    /// The model says nothing about an access to several cells.
    fn mixed_sizes(&self, at: usize, model: &Model) -> NoAnswer {
        let all = &self.events.structure.events;
        let line = |event: &symbolic::Event| self.events.program.source.line(event.span);
        let touches = |event: &&symbolic::Event| {
            event.thread.is_some()
                && event.group != all[at].group
                && event.candidates.iter().any(|c| all[at].candidates.contains(c))
        };
        let other = all.iter().filter(touches).find(|other| other.group.is_none()).or_else(|| all.iter().find(touches));
        let other = other.map_or_else(String::new, |other| format!(", as line {} does,", line(other)));
        NoAnswer::GaveUp(format!(
            "line {} accesses several locations at once of which others access single ones{other} and the model {} has no \
             published reading for accesses of different sizes; sc, tso, x86tso, pso and aarch64 have one",
            line(&all[at]),
            model.name
        ))
    }

    /// The events of each atomic section.
    fn sections(&self) -> Vec<Vec<usize>> {
        let events = self.events.structure.events.iter().enumerate();
        let mut inside: Vec<(u32, usize)> = events.filter_map(|(at, event)| Some((event.section?, at))).collect();
        inside.sort_unstable();
        inside.chunk_by(|a, b| a.0 == b.0).map(|section| section.iter().map(|&(_, at)| at).collect()).collect()
    }

    /// Forbids that a write of another thread comes between the read and the write of a pair; `joined`: those of single
    /// instructions are nodes of a graph, which sees to it.
    fn atomicity(&mut self, joined: bool) {
        let events = &self.events;
        let alone = |pair: &&Dependency| !(joined && pair.when == Bool::TRUE && events.structure.amo.contains(pair));
        let pairs: Vec<&Dependency> = events.structure.rmw.iter().filter(alone).collect();
        if pairs.is_empty() {
            return;
        }
        let mut later: Vec<Vec<Coherence>> = vec![Vec::new(); events.len()];
        let mut earlier: Vec<Vec<Coherence>> = vec![Vec::new(); events.len()];
        for pair in events.coherent_pairs() {
            later[pair.first].push(pair);
            earlier[pair.second].push(pair);
        }
        let mut forbidden = Vec::new();
        for pair in pairs {
            let (read, write) = (pair.from as usize, pair.to as usize);
            let before = &earlier[write];
            for &(source, reads) in &events.rf[read] {
                for first in &later[source] {
                    let between = first.second;
                    let external = events.in_scope(Scope::External, read, between)
                        && events.in_scope(Scope::External, between, write);
                    for second in before.iter().filter(|second| external && second.first == between) {
                        let guards = [events.guard(between), events.guard(write)];
                        forbidden.push([pair.when, reads, first.when, second.when, guards[0], guards[1]]);
                    }
                }
            }
        }
        for conditions in forbidden {
            let all = self.events.terms().all(conditions);
            self.assert(!all);
        }
    }

    /// Asserts an axiom that is not about cycles, pair by pair.
    fn deny(&mut self, relations: &mut Relations<'_>, model: &Model, axiom: &Axiom) -> Result<(), NoAnswer> {
        // What must not be is looked for in a larger relation, what must be in a smaller one.
        let bound = if axiom.negated { Bound::Lower } else { Bound::Upper };
        let bad = bad_pairs(&mut self.events, relations, model, axiom, bound)?;
        let events = &mut self.events;
        let conditions: Vec<Bool> = bad.into_iter().map(|(a, b, when)| executed(events, a, b, when)).collect();
        if axiom.negated {
            let some = self.events.terms().any(conditions);
            self.assert(some);
        } else {
            conditions.into_iter().for_each(|condition| self.assert(!condition));
        }
        Ok(())
    }

    /// Where no axiom makes coherence an order, this graph does.
    fn coherence_order(&mut self) -> OrderGraph {
        let mut order = OrderGraph::new();
        let nodes: Vec<u32> = (0..self.events.len()).map(|_| order.node()).collect();
        for Coherence { first, second, when, .. } in self.events.co.clone() {
            let condition = executed(&mut self.events, first, second, when);
            let literal = self.lit(condition);
            order.add(nodes[first], nodes[second], literal);
        }
        order.simplify()
    }

    /// Sees to it that the graphs are acyclic, and the open ones without certain paths.
    fn order(&mut self, graphs: &[OrderGraph], open: &[Open], clocks: bool) {
        let mut theory = Theory::new();
        for graph in graphs {
            self.nodes += graph.node_count();
            self.edges += graph.edges().len() + graph.fixed().len();
            for literal in graph.impossible() {
                self.solver.clause(&[!literal]);
            }
            if clocks {
                graph.encode_clocks(&mut self.solver);
            } else if !theory.add_graph(graph) {
                self.solver.clause(&[]);
            }
        }
        for (graph, ends) in open {
            self.nodes += graph.node_count();
            self.edges += graph.edges().len() + graph.fixed().len();
            if !theory.add_open(graph, ends) {
                self.solver.clause(&[]);
            }
        }
        if !clocks {
            self.solver.connect(theory);
        }
    }

    /// From here on only executions count in which every thread runs to its end.
    pub fn finish(&mut self) {
        let finished = self.events.structure.finished.clone();
        let all = self.events.terms().all(finished);
        self.assume(all);
    }

    fn assume(&mut self, condition: Bool) {
        if condition != Bool::TRUE {
            let literal = self.lit(condition);
            self.assumed.push(literal);
        }
    }

    /// The literal of a proposition about the final state (and of the program's filter).
    pub fn goal(&mut self, goal: &Proposition) -> Lit {
        let mut condition = query::proposition(&mut self.events, goal);
        if let Some(filter) = &self.events.program.filter {
            let filter = query::proposition(&mut self.events, filter);
            condition = self.events.terms().and(condition, filter);
        }
        self.lit(condition)
    }

    /// Looks from here on only for executions of one cube: the bits of its number say which of these conditions hold. A cube whose
    /// number has more bits than there are conditions has no executions.
    pub fn fix(&mut self, conditions: &[Bool], cube: u32) {
        for (bit, &condition) in conditions.iter().enumerate() {
            let literal = self.lit(condition);
            self.assumed.push(if cube >> bit & 1 == 1 { literal } else { !literal });
        }
        if u64::from(cube) >> conditions.len() != 0 {
            let never = self.lit(Bool::FALSE);
            self.assumed.push(never);
        }
    }

    /// The literal of a property failing.
    pub fn violation(&mut self, property: Property) -> Lit {
        let (condition, failing) = goals::violation(&mut self.events, property, &self.races);
        self.failing = failing;
        let allowed = self.events.structure.not_stuck(|stuck| match property {
            Property::Assertions { memory } => match stuck.cause {
                Cause::Assertion => true,
                Cause::Memory => memory,
                Cause::Bound => false,
            },
            Property::Deadlock | Property::Progress | Property::Race => false,
        });
        self.assume(allowed);
        self.lit(condition)
    }

    /// Whether an execution can reach the bound of a loop.
    pub fn is_cut(&mut self, observer: &dyn Observer) -> Result<bool, NoAnswer> {
        let cuts = self.events.structure.cuts.iter().map(|&(when, _)| when).collect();
        self.can_stop(cuts, observer)
    }

    /// Whether an execution can come to an access to several cells that was taken for one to a whole cell.
    pub fn is_mixed(&mut self, observer: &dyn Observer) -> Result<bool, NoAnswer> {
        let mixed = self.events.structure.mixed.clone();
        self.can_stop(mixed, observer)
    }

    /// Whether a thread can stop for one of these reasons.
    fn can_stop(&mut self, cuts: Vec<Bool>, observer: &dyn Observer) -> Result<bool, NoAnswer> {
        let some = self.events.terms().any(cuts);
        if some == Bool::FALSE {
            return Ok(false);
        }
        let allowed = self.events.structure.not_stuck(|stuck| stuck.cause == Cause::Bound);
        let some = self.events.terms().and(some, allowed);
        let some = self.lit(some);
        let assumptions: Vec<Lit> = self.bound.iter().copied().chain([some]).collect();
        self.solve(&assumptions, observer)
    }

    /// From here on nothing is chosen but these alternatives. What the solver has learnt stays.
    pub fn choose(&mut self, chosen: &[usize]) {
        let alternatives = self.events.alternatives().into_iter().enumerate();
        let literals = alternatives.map(|(at, holds)| (self.lit(holds), chosen.contains(&at)));
        self.chosen = literals.map(|(literal, holds)| if holds { literal } else { !literal }).collect();
    }

    /// From here on loops may go round this often beyond the first bound. What the solver has learnt stays.
    pub fn widen(&mut self, by: u32) {
        let widen = self.events.structure.widen.clone();
        let literals = widen.into_iter().enumerate().map(|(at, more)| (self.lit(more), at < by as usize));
        self.bound = literals.map(|(literal, holds)| if holds { literal } else { !literal }).collect();
    }

    fn solve(&mut self, assumptions: &[Lit], observer: &dyn Observer) -> Result<bool, NoAnswer> {
        if let Some(stop) = observer.stop() {
            return Err(stop);
        }
        self.blaster.settle(&mut self.events.structure.terms, &mut self.solver);
        match self.solver.solve(assumptions, &|| observer.stop().is_none()) {
            Outcome::Unsatisfiable => Ok(false),
            Outcome::Stopped => Err(observer.stop().unwrap_or(NoAnswer::Cancelled)),
            Outcome::Satisfiable => Ok(true),
        }
    }

    /// An execution that satisfies a goal.
    pub fn find(&mut self, goal: Lit, observer: &dyn Observer) -> Result<Option<Found>, NoAnswer> {
        self.find_flagged(goal, None, observer)
    }

    /// The same, with the flags of a model that the execution raises.
    pub fn find_flagged(
        &mut self,
        goal: Lit,
        model: Option<&Model>,
        observer: &dyn Observer,
    ) -> Result<Option<Found>, NoAnswer> {
        let assumptions: Vec<Lit> =
            self.assumed.iter().chain(&self.bound).chain(&self.chosen).copied().chain([goal]).collect();
        if !self.solve(&assumptions, observer)? {
            return Ok(None);
        }
        let assignment = self.blaster.assignment(&self.events.structure.terms, &mut self.solver);
        let mut evaluation = Evaluation::new(&self.events.structure.terms, &assignment);
        let mut found = query::extract(model, &self.events, &self.finals, &mut evaluation);
        // A thread that stops inside a section can only be the one that fails.
        let stuck = &self.events.structure.stuck;
        let fails = self.failing.iter().filter(|failing| evaluation.truth(failing.when));
        let failing = fails.max_by_key(|failing| stuck.iter().any(|stuck| stuck.when == failing.when));
        found.execution.violation = failing.map(|failing| Violation {
            thread: failing.thread,
            span: failing.span,
            message: failing.message.clone(),
        });
        Ok(Some(found))
    }

    /// Excludes an execution from further search.
    pub fn exclude(&mut self, found: &Found) {
        let mut chosen = found.choices.clone();
        for &(term, value) in &found.values {
            let terms = self.events.terms();
            let value = terms.constant(value, terms.width(term));
            chosen.push(terms.eq(term, value));
        }
        self.forbid(&chosen);
    }

    /// Excludes all executions that end in a state.
    pub fn exclude_state(&mut self, state: &State) {
        let mut chosen = Vec::with_capacity(state.len());
        for at in 0..self.finals.len() {
            let (location, term) = self.finals[at];
            let terms = self.events.terms();
            let value = terms.constant(state[&location], terms.width(term));
            chosen.push(terms.eq(term, value));
        }
        self.forbid(&chosen);
    }

    /// These do not all hold.
    fn forbid(&mut self, conditions: &[Bool]) {
        let mut clause: Vec<Lit> = conditions.iter().map(|&condition| !self.lit(condition)).collect();
        clause.extend(self.assumed.iter().map(|&assumed| !assumed));
        self.solver.clause(&clause);
    }

    pub fn describe(&self) -> String {
        format!(
            "{} events, {} variables, {} clauses, {} nodes and {} edges to order",
            self.events.len(),
            self.solver.variable_count(),
            self.solver.clause_count(),
            self.nodes,
            self.edges
        )
    }

    pub fn statistics(&self) -> Vec<(String, u64)> {
        let entry = |name: &str, value: u64| (name.to_owned(), value);
        let alike = (self.alike > 0).then(|| entry("threads alike", self.alike as u64));
        let mut statistics = vec![
            entry("events", self.events.len() as u64),
            entry("variables", self.solver.variable_count()),
            entry("clauses", self.solver.clause_count()),
            entry("order nodes", self.nodes as u64),
            entry("order edges", self.edges as u64),
            entry("decisions", self.solver.decision_count()),
            entry("conflicts", self.solver.conflict_count()),
            entry("order conflicts", self.solver.theory_conflicts()),
        ];
        statistics.extend(alike);
        statistics
    }
}

/// The pairs, or events paired with themselves, that violate an axiom which is not about cycles.
fn bad_pairs(
    events: &mut Events<'_>,
    relations: &mut Relations<'_>,
    model: &Model,
    axiom: &Axiom,
    bound: Bound,
) -> Result<Vec<(usize, usize, Bool)>, NoAnswer> {
    Ok(match (axiom.requirement, model.sorts[axiom.node.index()]) {
        (Requirement::Empty, model::Sort::Set) => {
            let members = relations.members(events, axiom.node, bound)?;
            members.iter().enumerate().map(|(e, &when)| (e, e, when)).collect()
        }
        (requirement, _) => {
            let pairs = relations.pairs(events, axiom.node, bound)?;
            let bad = pairs.iter().filter(|((a, b), _)| requirement == Requirement::Empty || a == b);
            bad.map(|(&(a, b), &when)| (a, b, when)).collect()
        }
    })
}

/// When a pair is in a relation: its condition, and both events are executed.
fn executed(events: &mut Events<'_>, a: usize, b: usize, when: Bool) -> Bool {
    let (first, second) = (events.guard(a), events.guard(b));
    events.terms().all([when, first, second])
}

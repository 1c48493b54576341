//! The formula of a program under a model, and its solutions.

use crate::events::{Events, has_uniproc};
use crate::graph::{Product, is_within};
use crate::query;
use crate::relations::Relations;
use engine::{NoAnswer, Observer};
use ir::{Location, Program, Proposition};
use logic::{Blaster, Bool, Evaluation, Lit, OrderGraph, Outcome, Solver, Term, Theory};
use model::{Model, NodeId, Requirement, Role};
use symbolic::Structure;
use witness::Execution;

/// A program and a model as clauses and graphs.
pub struct Problem<'p> {
    pub events: Events<'p>,
    blaster: Blaster,
    solver: Solver,
    nodes: usize,
    edges: usize,
    /// The final values of the observed locations.
    finals: Vec<(Location, Term)>,
}

/// A solution: the execution, and the choices that tell it from every other.
pub struct Found {
    pub execution: Execution,
    pub choices: Vec<Bool>,
}

impl<'p> Problem<'p> {
    pub fn new(
        program: &'p Program,
        structure: Structure,
        model: &Model,
        clocks: bool,
        observer: &'p dyn Observer,
    ) -> Result<Self, NoAnswer> {
        let mut events = Events::new(program, structure, model, observer)?;
        let finals = query::finals(&mut events);
        let (blaster, solver) = (Blaster::new(), Solver::new());
        let mut problem = Problem { events, blaster, solver, nodes: 0, edges: 0, finals };
        for constraint in problem.events.constraints.clone() {
            problem.assert(constraint);
        }
        let graphs = problem.axioms(model)?;
        problem.order(&graphs, clocks);
        Ok(problem)
    }

    fn assert(&mut self, condition: Bool) {
        self.blaster.assert(&self.events.structure.terms, &mut self.solver, condition);
    }

    pub fn lit(&mut self, condition: Bool) -> Lit {
        self.blaster.lit(&self.events.structure.terms, &mut self.solver, condition)
    }

    /// Asserts the axioms that forbid pairs and returns the graphs of those that forbid cycles.
    fn axioms(&mut self, model: &Model) -> Result<Vec<OrderGraph>, NoAnswer> {
        let mut relations = Relations::new(model);
        let mut graphs = Vec::new();
        let axioms: Vec<_> = model.axioms.iter().filter(|axiom| axiom.role == Role::Forbids).collect();
        for (at, axiom) in axioms.iter().enumerate() {
            if axiom.requirement == Requirement::Acyclic {
                // Of two that imply each other the first one counts.
                let implied = axioms.iter().enumerate().any(|(other, by)| {
                    let strong = by.requirement == Requirement::Acyclic && implies(model, by.node, axiom.node);
                    strong && other != at && (other < at || !implies(model, axiom.node, by.node))
                });
                if !implied {
                    graphs.push(self.graph(&mut relations, axiom.node)?);
                }
                continue;
            }
            let events = &mut self.events;
            let conditions: Vec<Bool> = match (axiom.requirement, model.sorts[axiom.node.index()]) {
                (Requirement::Empty, model::Sort::Set) => {
                    let members = relations.members(events, axiom.node)?;
                    let present = members.iter().enumerate().map(|(e, &when)| (e, e, when)).collect::<Vec<_>>();
                    present.into_iter().map(|(a, b, when)| executed(events, a, b, when)).collect()
                }
                (requirement, _) => {
                    let pairs = relations.pairs(events, axiom.node)?;
                    let bad = pairs.iter().filter(|((a, b), _)| requirement == Requirement::Empty || a == b);
                    let bad: Vec<_> = bad.map(|(&(a, b), &when)| (a, b, when)).collect();
                    bad.into_iter().map(|(a, b, when)| executed(events, a, b, when)).collect()
                }
            };
            if axiom.negated {
                let some = self.events.terms().any(conditions);
                self.assert(some);
            } else {
                conditions.into_iter().for_each(|condition| self.assert(!condition));
            }
        }
        if !has_uniproc(model) {
            // No axiom makes coherence an order: say so ourselves.
            let mut order = OrderGraph::new();
            let nodes: Vec<u32> = (0..self.events.len()).map(|_| order.node()).collect();
            for (a, b, when) in self.events.co.clone() {
                let condition = executed(&mut self.events, a, b, when);
                let literal = self.lit(condition);
                order.add(nodes[a], nodes[b], literal);
            }
            graphs.push(order.simplify());
        }
        Ok(graphs)
    }

    fn graph(&mut self, relations: &mut Relations<'_>, node: NodeId) -> Result<OrderGraph, NoAnswer> {
        Product::new(&mut self.events, relations, &mut self.blaster, &mut self.solver).build(node)
    }

    /// Sees to it that the graphs are acyclic.
    fn order(&mut self, graphs: &[OrderGraph], clocks: bool) {
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
        if !clocks {
            self.solver.connect(theory);
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

    /// An execution that satisfies a goal.
    pub fn find(&mut self, goal: Lit, observer: &dyn Observer) -> Result<Option<Found>, NoAnswer> {
        if let Some(stop) = observer.stop() {
            return Err(stop);
        }
        match self.solver.solve(&[goal], &|| observer.stop().is_none()) {
            Outcome::Unsatisfiable => return Ok(None),
            Outcome::Stopped => return Err(observer.stop().unwrap_or(NoAnswer::Cancelled)),
            Outcome::Satisfiable => {}
        }
        let assignment = self.blaster.assignment(&self.events.structure.terms, &mut self.solver);
        let mut evaluation = Evaluation::new(&self.events.structure.terms, &assignment);
        Ok(Some(query::extract(&self.events, &self.finals, &mut evaluation)))
    }

    /// Excludes an execution from further search.
    pub fn exclude(&mut self, found: &Found) {
        let clause: Vec<Lit> = found.choices.iter().map(|&choice| !self.lit(choice)).collect();
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
        vec![
            entry("events", self.events.len() as u64),
            entry("variables", self.solver.variable_count()),
            entry("clauses", self.solver.clause_count()),
            entry("order nodes", self.nodes as u64),
            entry("order edges", self.edges as u64),
            entry("order conflicts", self.solver.theory_conflicts()),
        ]
    }
}

/// When a pair is in a relation: its condition, and both events are executed.
fn executed(events: &mut Events<'_>, a: usize, b: usize, when: Bool) -> Bool {
    let (first, second) = (events.guard(a), events.guard(b));
    events.terms().all([when, first, second])
}

/// Whether `acyclic strong` obviously implies `acyclic weak`: every member of the weak union is in the strong one.
fn implies(model: &Model, strong: NodeId, weak: NodeId) -> bool {
    let strong = model.union_members(strong);
    model.union_members(weak).iter().all(|&member| is_within(model, member, &strong))
}

//! Recursive definitions that are regular.
//!
//! `let rec` with rules such as `ii = dependency | ci | (ic; ci)` is a context-free grammar over the steps that it does not define itself. The
//! preserved program order of Power is one, and it is regular: each name is a set of paths between two states (an access is initiated, it is
//! committed). An automaton is much smaller than the pairs, which are a cubic number of compositions.
//!
//! Each name has a beginning and an end. `n = a; b` asks that n's beginning leads to a's, a's end to b's beginning, and b's end to n's;
//! `n = m` likewise. A step of its own leads from the beginning of a name to its end. So each name has at least the paths that the rules give it. Whether it has
//! no others is then looked at: a path of one step must be one of the name by rules without steps, and of a longer path
//! the last step must be the second half of a rule whose first half can have what comes before, by induction on the length.

use crate::graph::{Ends, Layer, Product};
use crate::shape;
use engine::NoAnswer;
use model::{Base, Model, Node, NodeId, Scope};

/// An automaton of a group of recursive definitions. Name `n` goes from state `2 n` to state `2 n + 1`.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// For each name the steps that it has of its own.
    steps: Vec<Vec<NodeId>>,
    /// Which states lead to which others without a step; reflexive and transitive.
    leads: Vec<Vec<bool>>,
}

/// A rule that mentions names of the group.
enum Rule {
    Is(usize),
    Then(usize, usize),
}

fn begin(name: usize) -> usize {
    2 * name
}

fn end(name: usize) -> usize {
    2 * name + 1
}

fn close(leads: &mut [Vec<bool>]) {
    for middle in 0..leads.len() {
        for from in 0..leads.len() {
            if leads[from][middle] {
                let further = leads[middle].clone();
                leads[from].iter_mut().zip(further).for_each(|(known, more)| *known |= more);
            }
        }
    }
}

impl Automaton {
    /// The automaton of a group, if it is regular in this way and its own steps are program order, so that they have no cycles.
    pub(crate) fn new(model: &Model, group: u32) -> Option<Automaton> {
        let bodies = &model.groups[group as usize].bodies;
        let count = bodies.len();
        let mut steps: Vec<Vec<NodeId>> = vec![Vec::new(); count];
        let mut rules: Vec<(usize, Rule)> = Vec::new();
        let name = |node: NodeId| {
            if let Node::Rec(of, member) = *model.node(node) { (of == group).then_some(member as usize) } else { None }
        };
        for (at, &body) in bodies.iter().enumerate() {
            for part in model.union_members(body) {
                let pair = if let Node::Sequence(parts) = model.node(part) { &parts[..] } else { &[] };
                if let Some(other) = name(part) {
                    rules.push((at, Rule::Is(other)));
                } else if let [first, second] = pair
                    && let (Some(first), Some(second)) = (name(*first), name(*second))
                {
                    rules.push((at, Rule::Then(first, second)));
                } else if is_forward(model, part) && !shape::may_stay(model, part, &mut Vec::new()) {
                    steps[at].push(part);
                } else {
                    return None;
                }
            }
        }
        let mut leads: Vec<Vec<bool>> = (0..2 * count).map(|at| (0..2 * count).map(|to| at == to).collect()).collect();
        // Which names are part of which others by rules without steps.
        let mut part: Vec<Vec<bool>> = (0..count).map(|at| (0..count).map(|to| at == to).collect()).collect();
        for (at, rule) in &rules {
            match *rule {
                Rule::Is(other) => {
                    leads[begin(*at)][begin(other)] = true;
                    leads[end(other)][end(*at)] = true;
                    part[*at][other] = true;
                }
                Rule::Then(first, second) => {
                    leads[begin(*at)][begin(first)] = true;
                    leads[end(first)][begin(second)] = true;
                    leads[end(second)][end(*at)] = true;
                }
            }
        }
        close(&mut leads);
        close(&mut part);
        is_exact(&rules, &leads, &part).then_some(Automaton { steps, leads })
    }
}

/// Whether the paths of the automaton are no more than what the rules give.
fn is_exact(rules: &[(usize, Rule)], leads: &[Vec<bool>], part: &[Vec<bool>]) -> bool {
    let names = || 0..part.len();
    names().all(|whole| {
        let single = names()
            .all(|name| !(leads[begin(whole)][begin(name)] && leads[end(name)][end(whole)]) || part[whole][name]);
        let firsts = || names().filter(|&first| leads[begin(whole)][begin(first)]);
        let lasts = || names().filter(|&last| leads[end(last)][end(whole)]);
        let longer = lasts().all(|last| {
            names().filter(|&before| leads[end(before)][begin(last)]).all(|before| {
                firsts().all(|first| {
                    rules.iter().any(|(at, rule)| match *rule {
                        Rule::Is(_) => false,
                        Rule::Then(left, right) => {
                            part[whole][*at]
                                && part[right][last]
                                && leads[begin(left)][begin(first)]
                                && leads[end(before)][end(left)]
                        }
                    })
                })
            })
        });
        single && longer
    })
}

/// Whether a relation only leads forward in program order.
fn is_forward(model: &Model, node: NodeId) -> bool {
    match model.node(node) {
        Node::Base(base) => match base {
            Base::Po | Base::PoLoc | Base::Addr | Base::Data | Base::Ctrl | Base::Rmw | Base::Amo => true,
            // A read cannot take its value from a later write of its thread.
            Base::Rf(Scope::Internal) => shape::has_uniproc(model),
            Base::Rf(_) | Base::Co(_) | Base::Fr(_) | Base::Loc | Base::Int | Base::Ext | Base::Id => false,
        },
        Node::EmptyRelation | Node::Test(_) => true,
        Node::Union(parts) | Node::Sequence(parts) => parts.iter().all(|&part| is_forward(model, part)),
        Node::Intersection(parts) => parts.iter().any(|&part| is_forward(model, part)),
        Node::Difference(inner, _) | Node::Optional(inner) | Node::Star(inner) | Node::Plus(inner) => {
            is_forward(model, *inner)
        }
        Node::Set(_)
        | Node::EmptySet
        | Node::Complement(_)
        | Node::Inverse(_)
        | Node::Product(..)
        | Node::Domain(_)
        | Node::Range(_)
        | Node::Rec(..)
        | Node::Order(..) => false,
    }
}

impl Product<'_, '_, '_> {
    /// The paths of a name of a regular group, as layers: one for each state that lies on them.
    pub(crate) fn recursion(
        &mut self,
        automaton: &Automaton,
        name: u32,
        (p, q): (Layer, Layer),
        ends: &Ends,
    ) -> Result<(), NoAnswer> {
        let (first, last) = (begin(name as usize), end(name as usize));
        let Automaton { steps, leads } = automaton;
        let states = leads.len();
        // States that lead to each other are one.
        let class =
            |state: usize| (0..states).find(|&other| leads[state][other] && leads[other][state]).unwrap_or(state);
        let layers: Vec<Option<Layer>> =
            (0..states).map(|state| (class(state) == state).then(|| self.layer())).collect();
        let layer = |state: usize| layers[class(state)].expect("the first state of a class has a layer");
        self.skip(p, layer(first), &Ends { from: ends.from.clone(), to: None });
        for from in (0..states).filter(|&state| class(state) == state) {
            for to in (0..states).filter(|&state| class(state) == state && state != from && leads[from][state]) {
                self.skip(layer(from), layer(to), &Ends { from: None, to: None });
            }
        }
        for (name, steps) in steps.iter().enumerate() {
            for &step in steps {
                self.follow(step, layer(begin(name)), layer(end(name)), &Ends { from: None, to: None })?;
            }
        }
        self.skip(layer(last), q, &Ends { from: None, to: ends.to.clone() });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn automaton(definition: &str) -> Option<Automaton> {
        let text = format!(
            "\"m\"\nlet rec {definition}\nacyclic a | rf | co | fr as everything\nacyclic po-loc | rf | co | fr as uniproc\n"
        );
        let model = Model::load("m", &source::SourceFile::new("m.cat", text), &model::NoInclude).expect("a model");
        Automaton::new(&model, 0)
    }

    #[test]
    fn what_is_regular_has_an_automaton() {
        assert!(automaton("a = po-loc | (a; a)").is_some());
        assert!(automaton("a = data | (a; a) and b = addr | (b; b)").is_some_and(|found| found.leads.len() == 4));
        let ppc = Model::builtin("ppc").expect("a model of ours");
        assert!(Automaton::new(&ppc, 0).is_some(), "the preserved program order of Power");
    }

    #[test]
    fn what_is_not_or_may_not_be_has_none() {
        // As many of one as of the other.
        assert!(automaton("a = (data; b) | data and b = a; addr").is_none());
        assert!(automaton("a = data | (b; c) and b = addr | (b; a) and c = ctrl").is_none());
        // It is regular, but what comes before a step of b is not looked at closely enough to see it.
        assert!(automaton("a = data | b | (a; b) and b = addr | (b; b)").is_none());
        // Not within program order.
        assert!(automaton("a = rfe | (a; a)").is_none());
    }
}

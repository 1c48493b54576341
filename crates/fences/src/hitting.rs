//! The cheapest set that has an element in common with each of many sets.
//!
//! A minimum-cost hitting set by branch and bound. Before each branching the instance is reduced: a set that contains
//! another one is implied by it, an element that hits no more than a cheaper one is never needed, an element that is alone
//! in its set is taken. What is left falls apart into components without common elements, each solved by itself. Sets
//! without common elements give the lower bound.

use std::collections::BTreeSet;

/// Whether a set must not be the answer: it holds for a set only if it holds for all sets that contain it.
pub type Blocked<'a> = &'a dyn Fn(&[usize]) -> bool;

/// A question: the elements are numbers from 0.
pub struct Hitting<'a> {
    /// What each element costs; at least 1.
    pub costs: &'a [u32],
    /// What decides between sets of equal cost and size: less is better. Nothing does where there is none.
    pub ties: &'a [u32],
    /// The sets to be hit.
    pub clauses: &'a [Vec<usize>],
    /// What must not be the answer, if anything.
    pub blocked: Option<Blocked<'a>>,
    /// Whether to go on looking.
    pub go_on: &'a dyn Fn() -> bool,
}

/// The answer to a question about hitting sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    /// A cheapest set; of those of equal cost one with the fewest elements, and of those the best by `ties`; in ascending order.
    Set(Vec<usize>),
    /// There is none.
    None,
    /// Somebody said stop.
    Stopped,
}

/// Costs first, then the number of elements, then ties, as one number: the weights of disjoint sets add up.
type Weight = u128;

/// More than any set weighs.
const UNBOUNDED: Weight = Weight::MAX;

/// A solution of a part of the question.
struct Found {
    weight: Weight,
    elements: Vec<usize>,
}

/// Sets that are still to be hit, each in ascending order.
type Clauses = Vec<Vec<usize>>;

struct Search<'a, 'h> {
    question: &'h Hitting<'a>,
    stopped: bool,
}

impl Hitting<'_> {
    /// The cheapest set that hits all and is not blocked.
    pub fn cheapest(&self) -> Hit {
        let mut search = Search { question: self, stopped: false };
        let clauses = self.clauses.iter().map(|clause| sorted(clause)).collect();
        let found = search.descend(clauses, &mut Vec::new(), UNBOUNDED);
        match found {
            _ if search.stopped => Hit::Stopped,
            Some(Found { mut elements, .. }) => {
                elements.sort_unstable();
                Hit::Set(elements)
            }
            None => Hit::None,
        }
    }
}

fn sorted(clause: &[usize]) -> Vec<usize> {
    clause.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether each element of one ascending row is in another.
fn is_within(small: &[usize], large: &[usize]) -> bool {
    let mut large = large.iter();
    small.len() <= large.len() && small.iter().all(|element| large.any(|other| other == element))
}

impl Search<'_, '_> {
    fn weight(&self, element: usize) -> Weight {
        let tie = self.question.ties.get(element).copied().unwrap_or(0);
        (Weight::from(self.question.costs[element]) << 80) + (1 << 56) + Weight::from(tie)
    }

    /// The lightest set that weighs less than `limit`, hits all clauses and is not blocked together with `chosen`.
    fn descend(&mut self, mut clauses: Clauses, chosen: &mut Vec<usize>, limit: Weight) -> Option<Found> {
        self.stopped |= !(self.question.go_on)();
        if self.stopped || self.question.blocked.is_some_and(|blocked| blocked(chosen)) {
            return None;
        }
        if self.question.blocked.is_some() {
            return self.branch(clauses, chosen, limit);
        }
        let mut taken = Found { weight: 0, elements: Vec::new() };
        self.reduce(&mut clauses, &mut taken);
        let parts = components(clauses);
        let bounds: Vec<Weight> = parts.iter().map(|part| self.bound(part)).collect();
        let mut ahead: Weight = bounds.iter().sum();
        for (part, bound) in parts.into_iter().zip(bounds) {
            ahead -= bound;
            let left = limit.checked_sub(taken.weight + ahead)?;
            let found = self.branch(part, chosen, left)?;
            taken.weight += found.weight;
            taken.elements.extend(found.elements);
        }
        (taken.weight < limit).then_some(taken)
    }

    /// Tries the elements of a smallest clause one after the other. One that was tried is out of the question for what
    /// follows, so no set is seen twice.
    fn branch(&mut self, mut clauses: Clauses, chosen: &mut Vec<usize>, mut limit: Weight) -> Option<Found> {
        let Some(clause) = clauses.iter().min_by_key(|clause| clause.len()).cloned() else {
            return (limit > 0).then(|| Found { weight: 0, elements: Vec::new() });
        };
        let mut best = None;
        for element in clause {
            if self.bound(&clauses) >= limit {
                break;
            }
            let rest = clauses.iter().filter(|clause| clause.binary_search(&element).is_err()).cloned().collect();
            chosen.push(element);
            if let Some(left) = limit.checked_sub(self.weight(element))
                && let Some(mut found) = self.descend(rest, chosen, left)
            {
                found.weight += self.weight(element);
                found.elements.push(element);
                limit = found.weight;
                best = Some(found);
            }
            chosen.pop();
            clauses.iter_mut().for_each(|clause| clause.retain(|&other| other != element));
        }
        best
    }

    /// What clauses without common elements weigh at least; unbounded if one of them is empty.
    fn bound(&self, clauses: &Clauses) -> Weight {
        let mut used = vec![false; self.question.costs.len()];
        let mut weight = 0;
        for clause in clauses {
            let Some(least) = clause.iter().map(|&element| self.weight(element)).min() else { return UNBOUNDED >> 1 };
            if clause.iter().all(|&element| !used[element]) {
                weight += least;
                clause.iter().for_each(|&element| used[element] = true);
            }
        }
        weight
    }

    /// Leaves out what others imply and takes what is needed anyway, until nothing changes.
    fn reduce(&self, clauses: &mut Clauses, taken: &mut Found) {
        loop {
            clauses.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            clauses.dedup();
            let mut kept: Clauses = Vec::with_capacity(clauses.len());
            for clause in clauses.drain(..) {
                if !kept.iter().any(|smaller| is_within(smaller, &clause)) {
                    kept.push(clause);
                }
            }
            *clauses = kept;
            let needed = clauses.iter().find(|clause| clause.len() == 1).map(|clause| clause[0]);
            if let Some(element) = needed {
                taken.weight += self.weight(element);
                taken.elements.push(element);
                clauses.retain(|clause| clause.binary_search(&element).is_err());
            } else if !self.drop_dominated(clauses) {
                return;
            }
        }
    }

    /// Removes elements that hit no more than another one that weighs no more; whether there were any.
    fn drop_dominated(&self, clauses: &mut Clauses) -> bool {
        let mut hits: Vec<(usize, Vec<usize>)> = Vec::new();
        for element in clauses.iter().flatten().copied().collect::<BTreeSet<_>>() {
            let hit = clauses.iter().enumerate().filter(|(_, clause)| clause.binary_search(&element).is_ok());
            hits.push((element, hit.map(|(at, _)| at).collect()));
        }
        let mut dropped = BTreeSet::new();
        for (one, few) in &hits {
            let better = |(other, many): &&(usize, Vec<usize>)| {
                let order = (self.weight(*other), *other).cmp(&(self.weight(*one), *one));
                let equal = many.len() == few.len();
                one != other
                    && !dropped.contains(other)
                    && self.weight(*other) <= self.weight(*one)
                    && is_within(few, many)
                    && (!equal || order.is_lt())
            };
            if hits.iter().any(|pair| better(&pair)) {
                dropped.insert(*one);
            }
        }
        clauses.iter_mut().for_each(|clause| clause.retain(|element| !dropped.contains(element)));
        !dropped.is_empty()
    }
}

/// The clauses in groups that have no element in common.
fn components(clauses: Clauses) -> Vec<Clauses> {
    let mut parts: Vec<(BTreeSet<usize>, Clauses)> = Vec::new();
    for clause in clauses {
        let (mut elements, mut part) = (clause.iter().copied().collect::<BTreeSet<_>>(), vec![clause]);
        let touches = |(others, _): &mut (BTreeSet<usize>, Clauses)| part[0].iter().any(|e| others.contains(e));
        for (others, more) in parts.extract_if(.., touches).collect::<Vec<_>>() {
            elements.extend(others);
            part.extend(more);
        }
        parts.push((elements, part));
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    fn brute(
        costs: &[u32],
        ties: &[u32],
        clauses: &[Vec<usize>],
        blocked: &dyn Fn(&[usize]) -> bool,
    ) -> Option<(u64, usize, u64)> {
        let sum = |of: &[u32], set: &[usize]| set.iter().map(|&e| u64::from(of[e])).sum();
        let subsets = 0u32..1 << costs.len();
        let sets = subsets.map(|bits| (0..costs.len()).filter(|e| bits >> e & 1 == 1).collect::<Vec<_>>());
        let hits = |set: &Vec<usize>| clauses.iter().all(|clause| clause.iter().any(|e| set.contains(e)));
        let good = sets.filter(|set| hits(set) && !blocked(set));
        good.map(|set| (sum(costs, &set), set.len(), sum(ties, &set))).min()
    }

    #[test]
    fn the_cheapest_set_is_found() {
        let mut random = Rng::new(7);
        let (mut found, mut without) = (0, 0);
        for round in 0..3000 {
            let elements = 1 + random.below(9);
            let costs: Vec<u32> = (0..elements).map(|_| 1 + random.below(6) as u32).collect();
            let ties: Vec<u32> = (0..elements).map(|_| random.below(4) as u32).collect();
            let some = |random: &mut Rng| (0..elements).filter(|_| random.below(3) == 0).collect::<Vec<usize>>();
            let clauses: Vec<Vec<usize>> = (0..random.below(10)).map(|_| some(&mut random)).collect();
            let forbidden: Vec<Vec<usize>> = (0..random.below(3)).map(|_| some(&mut random)).collect();
            let blocked = |set: &[usize]| forbidden.iter().any(|f| f.iter().all(|e| set.contains(e)));
            let some_blocked: Option<Blocked<'_>> = if forbidden.is_empty() { None } else { Some(&blocked) };
            let hitting =
                Hitting { costs: &costs, ties: &ties, clauses: &clauses, blocked: some_blocked, go_on: &|| true };
            let expected = brute(&costs, &ties, &clauses, &blocked);
            match hitting.cheapest() {
                Hit::Set(set) => {
                    found += 1;
                    let sum = |of: &[u32]| set.iter().map(|&e| u64::from(of[e])).sum();
                    assert_eq!(
                        Some((sum(&costs), set.len(), sum(&ties))),
                        expected,
                        "round {round}: {clauses:?} {costs:?}"
                    );
                    assert!(clauses.iter().all(|clause| clause.iter().any(|e| set.contains(e))) && !blocked(&set));
                }
                Hit::None => {
                    without += 1;
                    assert_eq!(expected, None, "round {round}: {clauses:?} {costs:?}");
                }
                Hit::Stopped => panic!("nobody said stop"),
            }
        }
        assert!(found > 100 && without > 100, "both happen: {found}, {without}");
    }

    #[test]
    fn it_stops_when_told() {
        let hitting = Hitting { costs: &[1], ties: &[], clauses: &[vec![0]], blocked: None, go_on: &|| false };
        assert_eq!(hitting.cheapest(), Hit::Stopped);
    }

    /// Demands of independent pairs: without components this is exponential in their number.
    #[test]
    fn independent_demands_are_met_one_by_one() {
        let pairs = 64;
        let costs = vec![3; 6 * pairs];
        let mut clauses = Vec::new();
        for pair in 0..pairs {
            let at = |number: usize| 6 * pair + number;
            clauses.extend([vec![at(0), at(1)], vec![at(1), at(2)], vec![at(2), at(0)]]);
            clauses.extend([vec![at(3), at(4)], vec![at(4), at(5)], vec![at(5), at(3)]]);
        }
        let hitting = Hitting { costs: &costs, ties: &[], clauses: &clauses, blocked: None, go_on: &|| true };
        let Hit::Set(set) = hitting.cheapest() else { panic!("there is one") };
        assert_eq!(set.len(), 4 * pairs);
    }
}

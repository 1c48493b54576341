//! The cheapest set that has an element in common with each of many sets.
//!
//! Branch and bound: take a set that is not hit yet, try its elements one after the other. An element that was tried is
//! out of the question for what follows, so no set is seen twice. What sets without common elements must still cost is a
//! lower bound.

/// A question: the elements are numbers from 0.
pub struct Hitting<'a> {
    /// What each element costs; at least 1.
    pub costs: &'a [u32],
    /// The sets to be hit.
    pub clauses: &'a [Vec<usize>],
    /// What must not be the answer: holds for a set only if it holds for all sets that contain it.
    pub blocked: &'a dyn Fn(&[usize]) -> bool,
    /// Whether to go on looking.
    pub go_on: &'a dyn Fn() -> bool,
}

/// The answer to a question about hitting sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    /// A cheapest set; of those of equal cost one with the fewest elements, in ascending order.
    Set(Vec<usize>),
    /// There is none.
    None,
    /// Somebody said stop.
    Stopped,
}

struct Search<'a, 'h> {
    question: &'h Hitting<'a>,
    chosen: Vec<usize>,
    excluded: Vec<bool>,
    best: Option<(u64, usize, Vec<usize>)>,
    stopped: bool,
}

impl Hitting<'_> {
    /// The cheapest set that hits all and is not blocked.
    pub fn cheapest(&self) -> Hit {
        let excluded = vec![false; self.costs.len()];
        let mut search = Search { question: self, chosen: Vec::new(), excluded, best: None, stopped: false };
        search.descend(0);
        match search.best {
            _ if search.stopped => Hit::Stopped,
            Some((_, _, mut set)) => {
                set.sort_unstable();
                Hit::Set(set)
            }
            None => Hit::None,
        }
    }
}

impl Search<'_, '_> {
    fn is_hit(&self, clause: &[usize]) -> bool {
        clause.iter().any(|element| self.chosen.contains(element))
    }

    fn open<'c>(&self, clause: &'c [usize]) -> impl Iterator<Item = usize> + use<'c, '_> {
        clause.iter().copied().filter(|&element| !self.excluded[element])
    }

    /// What sets without common elements that are not hit yet cost at least, and how many there are.
    fn bound(&self) -> (u64, usize) {
        let mut used = vec![false; self.excluded.len()];
        let (mut cost, mut count) = (0, 0);
        for clause in self.question.clauses.iter().filter(|clause| !self.is_hit(clause)) {
            if self.open(clause).all(|element| !used[element]) {
                cost += self.open(clause).map(|e| u64::from(self.question.costs[e])).min().unwrap_or(0);
                count += 1;
                self.open(clause).for_each(|element| used[element] = true);
            }
        }
        (cost, count)
    }

    fn descend(&mut self, cost: u64) {
        self.stopped |= !(self.question.go_on)();
        if self.stopped || (self.question.blocked)(&self.chosen) {
            return;
        }
        let (more, count) = self.bound();
        let least = (cost + more, self.chosen.len() + count);
        if self.best.as_ref().is_some_and(|(cost, count, _)| least >= (*cost, *count)) {
            return;
        }
        let open = self.question.clauses.iter().filter(|clause| !self.is_hit(clause));
        let Some(clause) = open.min_by_key(|clause| self.open(clause).count()) else {
            self.best = Some((cost, self.chosen.len(), self.chosen.clone()));
            return;
        };
        let elements: Vec<usize> = self.open(clause).collect();
        for &element in &elements {
            self.chosen.push(element);
            self.descend(cost + u64::from(self.question.costs[element]));
            self.chosen.pop();
            self.excluded[element] = true;
        }
        elements.iter().for_each(|&element| self.excluded[element] = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    fn brute(costs: &[u32], clauses: &[Vec<usize>], blocked: &dyn Fn(&[usize]) -> bool) -> Option<(u64, usize)> {
        let subsets = 0u32..1 << costs.len();
        let sets = subsets.map(|bits| (0..costs.len()).filter(|e| bits >> e & 1 == 1).collect::<Vec<_>>());
        let hits = |set: &Vec<usize>| clauses.iter().all(|clause| clause.iter().any(|e| set.contains(e)));
        let good = sets.filter(|set| hits(set) && !blocked(set));
        good.map(|set| (set.iter().map(|&e| u64::from(costs[e])).sum(), set.len())).min()
    }

    #[test]
    fn the_cheapest_set_is_found() {
        let mut random = Rng::new(7);
        let (mut found, mut without) = (0, 0);
        for round in 0..600 {
            let elements = 1 + random.below(9);
            let costs: Vec<u32> = (0..elements).map(|_| 1 + random.below(6) as u32).collect();
            let some = |random: &mut Rng| (0..elements).filter(|_| random.below(3) == 0).collect::<Vec<usize>>();
            let clauses: Vec<Vec<usize>> = (0..random.below(7)).map(|_| some(&mut random)).collect();
            let forbidden: Vec<Vec<usize>> = (0..random.below(3)).map(|_| some(&mut random)).collect();
            let blocked = |set: &[usize]| forbidden.iter().any(|f| f.iter().all(|e| set.contains(e)));
            let hitting = Hitting { costs: &costs, clauses: &clauses, blocked: &blocked, go_on: &|| true };
            let expected = brute(&costs, &clauses, &blocked);
            match hitting.cheapest() {
                Hit::Set(set) => {
                    found += 1;
                    let cost = set.iter().map(|&e| u64::from(costs[e])).sum();
                    assert_eq!(Some((cost, set.len())), expected, "round {round}: {clauses:?} {costs:?}");
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
        let hitting = Hitting { costs: &[1], clauses: &[vec![0]], blocked: &|_| false, go_on: &|| false };
        assert_eq!(hitting.cheapest(), Hit::Stopped);
    }
}

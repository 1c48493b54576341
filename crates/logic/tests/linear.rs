//! Linear constraints against enumeration of values, and interpolants against their definition.

use logic::linear::{Constraint, Decision, Formula, Proof, Strength, decide, interpolants};
use std::collections::{BTreeMap, BTreeSet};

/// A small generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> i128 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        i128::from((self.0 >> 33) % limit)
    }

    fn around(&mut self, limit: u64) -> i128 {
        self.below(2 * limit + 1) - i128::from(limit)
    }

    /// A constraint over some of the variables from `from` on.
    fn constraint(&mut self, from: u32, vars: u32, factor: u64) -> Constraint {
        let mut terms = Vec::new();
        for _ in 0..1 + self.below(3) {
            terms.push((from + self.below(u64::from(vars)) as u32, self.around(factor)));
        }
        let bound = self.around(5);
        let made = if self.below(4) == 0 { Constraint::equal(terms, bound) } else { Constraint::at_most(terms, bound) };
        made.expect("numbers are small")
    }
}

const LIMIT: i128 = 3;

/// The variable is not larger in absolute terms than the limit.
fn boxed(var: u32) -> [Constraint; 2] {
    [1, -1].map(|sign| Constraint::at_most([(var, sign)], LIMIT).expect("numbers are small"))
}

fn vars(constraints: &[Constraint]) -> BTreeSet<u32> {
    constraints.iter().flat_map(|own| own.terms().iter().map(|term| term.0)).collect()
}

/// All values within the limit of these variables.
fn all(vars: &BTreeSet<u32>) -> Vec<BTreeMap<u32, i128>> {
    let mut all = vec![BTreeMap::new()];
    for &var in vars {
        let with = |values: &BTreeMap<u32, i128>| {
            let values = values.clone();
            (-LIMIT..=LIMIT).map(move |value| {
                let mut values = values.clone();
                values.insert(var, value);
                values
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

fn satisfied(constraints: &[Constraint], values: &BTreeMap<u32, i128>) -> bool {
    constraints.iter().all(|own| own.holds(values).expect("numbers are small"))
}

#[test]
fn decisions_agree_with_enumeration() {
    let (mut feasible, mut infeasible, mut forks) = (0, 0, 0);
    for seed in 0..4_000 {
        let mut numbers = Numbers(seed * 7919 + 3);
        let mut constraints: Vec<Constraint> = (0..2 + numbers.below(5)).map(|_| numbers.constraint(0, 4, 4)).collect();
        constraints.extend((0..4).flat_map(boxed));
        let found = all(&vars(&constraints)).iter().any(|values| satisfied(&constraints, values));
        match decide(&constraints) {
            Decision::Feasible(values) => {
                assert!(satisfied(&constraints, &values), "seed {seed}: {values:?} {constraints:?}");
                feasible += 1;
            }
            Decision::Infeasible(proof) => {
                assert!(!found, "seed {seed}: there are values for {constraints:?}");
                assert!(proof.is_valid(&constraints), "seed {seed}: {proof:?} {constraints:?}");
                infeasible += 1;
                forks += u32::from(matches!(proof, Proof::Fork { .. }));
            }
            Decision::Unknown => panic!("seed {seed}: nothing is known about {constraints:?}"),
        }
    }
    assert!(feasible > 1_000 && infeasible > 1_000 && forks > 50, "{feasible} {infeasible} {forks}");
}

#[test]
fn variables_without_bounds_are_decided_too() {
    let (mut feasible, mut infeasible, mut unknown) = (0, 0, 0);
    for seed in 0..4_000 {
        let mut numbers = Numbers(seed * 104_729 + 5);
        let constraints: Vec<Constraint> = (0..3 + numbers.below(7)).map(|_| numbers.constraint(0, 4, 6)).collect();
        match decide(&constraints) {
            Decision::Feasible(values) => {
                assert!(satisfied(&constraints, &values), "seed {seed}: {values:?} {constraints:?}");
                feasible += 1;
            }
            Decision::Infeasible(proof) => {
                assert!(proof.is_valid(&constraints), "seed {seed}: {proof:?} {constraints:?}");
                assert!(!all(&vars(&constraints)).iter().any(|values| satisfied(&constraints, values)), "seed {seed}");
                infeasible += 1;
            }
            Decision::Unknown => unknown += 1,
        }
    }
    assert!(feasible > 500 && infeasible > 500 && unknown < 40, "{feasible} {infeasible} {unknown}");
}

#[test]
fn equations_without_integer_solutions_are_refuted() {
    // x = 2u, x = 2v + 1; no bound on any of them.
    let even = Constraint::equal([(0, 1), (1, -2)], 0).expect("numbers are small");
    let odd = Constraint::equal([(0, 1), (2, -2)], 1).expect("numbers are small");
    let Decision::Infeasible(proof) = decide(&[even.clone(), odd.clone()]) else { panic!("it has no solution") };
    assert!(proof.is_valid(&[even.clone(), odd.clone()]));
    assert!(!proof.is_valid(&[even.clone(), even.clone()]));
    // "x is even" is no combination of linear constraints.
    assert_eq!(interpolants(&[vec![even], vec![odd]], &proof, Strength::Strong), [None]);
    // 6x + 10y = 15z + 1 has one, 6x + 10y = 14z + 1 has none.
    let equation = |z| Constraint::equal([(0, 6), (1, 10), (2, z)], 1).expect("numbers are small");
    assert!(matches!(decide(&[equation(-15)]), Decision::Feasible(_)));
    assert!(matches!(decide(&[equation(-14)]), Decision::Infeasible(_)));
}

#[test]
fn false_proofs_are_rejected() {
    let low = Constraint::at_most([(0, -1), (1, 1)], -1).expect("numbers are small");
    let high = Constraint::at_most([(0, 1), (1, -1)], 0).expect("numbers are small");
    let both = [low, high];
    assert!(Proof::Sum(vec![(0, 1), (1, 1)]).is_valid(&both));
    for wrong in [vec![(0, 1), (1, 2)], vec![(0, 1)], vec![(0, -1), (1, -1)], vec![], vec![(2, 1)]] {
        assert!(!Proof::Sum(wrong.clone()).is_valid(&both), "{wrong:?}");
    }
    let leaf = || Box::new(Proof::Sum(vec![(0, 1), (1, 1)]));
    let empty = || Box::new(Proof::Sum(vec![]));
    let fork = |below, above| Proof::Fork { terms: vec![(0, 1)], bound: 0, below, above };
    assert!(fork(leaf(), leaf()).is_valid(&both));
    assert!(!fork(leaf(), empty()).is_valid(&both));
    assert!(!fork(empty(), leaf()).is_valid(&both));
}

#[test]
fn numbers_that_are_too_large_give_no_answer() {
    let large = i128::MAX / 3;
    let terms = |sign: i128| [(0, sign * large), (1, sign * (large - 1))];
    let constraints = [
        Constraint::equal(terms(1), 7).expect("it is a constraint"),
        Constraint::equal([(0, large - 2), (1, 5)], 3).expect("it is a constraint"),
    ];
    assert_eq!(decide(&constraints), Decision::Unknown);
    assert_eq!(Constraint::at_most([(0, i128::MAX), (0, 1)], 0), None);
}

/// Groups of constraints over variables some of which are in neighbouring groups only.
fn groups(numbers: &mut Numbers, count: u32, with_bounds: bool) -> Vec<Vec<Constraint>> {
    let mut groups: Vec<Vec<Constraint>> = Vec::new();
    for group in 0..count {
        let of = |numbers: &mut Numbers| numbers.constraint(group, 2, 3);
        groups.push((0..1 + numbers.below(3)).map(|_| of(numbers)).collect());
    }
    if with_bounds {
        for var in vars(&groups.concat()) {
            let has = |group: &Vec<Constraint>| vars(group).contains(&var);
            let (first, last) = (groups.iter().position(has), groups.iter().rposition(has));
            for at in [first, last].into_iter().flatten() {
                groups[at].extend(boxed(var));
            }
        }
    }
    groups
}

/// The definition, with enumeration of all values within the limit.
fn check_by_enumeration(seed: u64, groups: &[Vec<Constraint>], cut: usize, formula: &Formula) {
    let (before, behind) = (groups[..=cut].concat(), groups[cut + 1..].concat());
    let (left, right) = (vars(&before), vars(&behind));
    for atom in formula.atoms() {
        let shared = vars(std::slice::from_ref(atom)).iter().all(|var| left.contains(var) && right.contains(var));
        assert!(shared, "seed {seed}, cut {cut}: {formula:?} is not about shared variables of {groups:?}");
    }
    for values in all(&left).iter().filter(|values| satisfied(&before, values)) {
        assert_eq!(
            formula.holds(values),
            Some(true),
            "seed {seed}, cut {cut}: {formula:?} does not follow: {groups:?}"
        );
    }
    for values in all(&right).iter().filter(|values| satisfied(&behind, values)) {
        assert_eq!(formula.holds(values), Some(false), "seed {seed}, cut {cut}: {formula:?} is possible: {groups:?}");
    }
}

#[test]
fn interpolants_are_what_their_definition_says() {
    let (mut checked, mut combined, mut none) = (0, 0, 0);
    for seed in 0..6_000 {
        let mut numbers = Numbers(seed * 31_337 + 11);
        let count = 2 + numbers.below(3) as u32;
        let groups = groups(&mut numbers, count, true);
        let Decision::Infeasible(proof) = decide(&groups.concat()) else { continue };
        assert!(proof.is_valid(&groups.concat()), "seed {seed}");
        for strength in [Strength::Strong, Strength::Weak] {
            let found = interpolants(&groups, &proof, strength);
            assert_eq!(found.len(), groups.len() - 1);
            for (cut, formula) in found.iter().enumerate() {
                let Some(formula) = formula else {
                    none += 1;
                    continue;
                };
                check_by_enumeration(seed, &groups, cut, formula);
                checked += 1;
                combined += u32::from(formula.atoms().len() > 1);
            }
        }
    }
    assert!(checked > 4_000 && combined > 20 && none < checked / 20, "{checked} {combined} {none}");
}

/// The ways in which a formula holds, or does not hold.
fn ways(formula: &Formula, wanted: bool) -> Vec<Vec<Constraint>> {
    let (parts, together) = match formula {
        Formula::Atom(atom) if wanted => return vec![vec![atom.clone()]],
        Formula::Atom(atom) => {
            let terms = atom.terms().iter().map(|(var, factor)| (*var, -factor));
            return vec![vec![Constraint::at_most(terms, -atom.bound() - 1).expect("numbers are small")]];
        }
        Formula::All(parts) => (parts, wanted),
        Formula::Any(parts) => (parts, !wanted),
    };
    let parts = parts.iter().map(|part| ways(part, wanted));
    if !together {
        return parts.flatten().collect();
    }
    parts.fold(vec![vec![]], |all, part| {
        all.iter().flat_map(|own| part.iter().map(move |more| [own.clone(), more.clone()].concat())).collect()
    })
}

/// Whether the constraints have no solution, by a proof that was checked; nothing if that is not known.
fn refuted(constraints: &[Constraint]) -> Option<bool> {
    match decide(constraints) {
        Decision::Feasible(_) => Some(false),
        Decision::Infeasible(proof) => Some(proof.is_valid(constraints)),
        Decision::Unknown => None,
    }
}

#[test]
fn sequences_are_inductive_and_need_no_bounds() {
    let (mut checked, mut unknown) = (0, 0);
    for seed in 0..6_000 {
        let mut numbers = Numbers(seed * 15_485_863 + 17);
        let groups = groups(&mut numbers, 4, false);
        let Decision::Infeasible(proof) = decide(&groups.concat()) else { continue };
        for strength in [Strength::Strong, Strength::Weak] {
            let (truth, lie) = (Some(Formula::All(vec![])), Some(Formula::Any(vec![])));
            let chain: Vec<_> =
                [truth].into_iter().chain(interpolants(&groups, &proof, strength)).chain([lie]).collect();
            for (at, group) in groups.iter().enumerate() {
                let (Some(from), Some(to)) = (&chain[at], &chain[at + 1]) else { continue };
                for (from, not) in
                    ways(from, true).iter().flat_map(|a| ways(to, false).into_iter().map(move |b| (a, b)))
                {
                    let step = [&from[..], &group[..], &not[..]].concat();
                    match refuted(&step) {
                        Some(holds) => assert!(holds, "seed {seed}, step {at}: {groups:?} {chain:?}"),
                        None => unknown += 1,
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 4_000 && unknown < checked / 50, "{checked} {unknown}");
}

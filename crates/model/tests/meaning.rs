//! What a model's expressions mean, however they are simplified: compared with plain evaluation of what is written.

mod random;

use model::{Evaluator, EventSet, Model, NoInclude, Relation, Structure};
use random::{FENCES, execution};
use source::SourceFile;
use testkit::Rng;

/// A random relation as text, and its value computed operator by operator.
fn relation(numbers: &mut Rng, s: &Structure, depth: usize) -> (String, Relation) {
    let all = EventSet::universe(s.size);
    if depth == 0 {
        return base(numbers, s);
    }
    let choice = numbers.below(14);
    let (text, value) = relation(numbers, s, depth - 1);
    match choice {
        0..=5 => {
            let (other_text, other) = relation(numbers, s, depth - 1);
            match choice {
                0 => (format!("({text} | {other_text})"), value.zip(&other, |a, b| a | b)),
                1 | 2 => (format!("({text} & {other_text})"), value.zip(&other, |a, b| a & b)),
                3 => (format!("({text} \\ {other_text})"), value.zip(&other, |a, b| a & !b)),
                _ => (format!("({text}; {other_text})"), value.compose(&other)),
            }
        }
        6 => (format!("~{text}"), value.complement()),
        7 => (format!("{text}^-1"), value.inverse()),
        8 => (format!("({text})+"), value.plus()),
        9 => (format!("({text})*"), value.plus().optional()),
        10 => (format!("({text})?"), value.optional()),
        11 => (format!("[domain({text})]"), Relation::test(&value.domain())),
        12 => (format!("(range({text}) * R)"), Relation::product(&value.range(), &s.reads)),
        _ => (format!("(({text}) & (_ * W))"), value.zip(&Relation::product(&all, &s.writes), |a, b| a & b)),
    }
}

fn base(numbers: &mut Rng, s: &Structure) -> (String, Relation) {
    let mut int = Relation::empty(s.size);
    for a in 0..s.size {
        for b in 0..s.size {
            if s.threads[a].is_some() && s.threads[a] == s.threads[b] {
                int.insert(a, b);
            }
        }
    }
    // Two initial writes are neither internal nor external to each other.
    let initial = Relation::product(&s.initial, &s.initial);
    let ext = int.complement().zip(&initial, |all, initial| all & !initial);
    let fr = s.rf.inverse().compose(&s.co);
    let and = |a: &Relation, b: &Relation| a.zip(b, |a, b| a & b);
    let all: Vec<(&str, Relation)> = vec![
        ("po", s.po.clone()),
        ("po-loc", and(&s.po, &s.loc)),
        ("addr", s.addr.clone()),
        ("rmw", s.rmw.clone()),
        ("rf", s.rf.clone()),
        ("rfi", and(&s.rf, &int)),
        ("rfe", and(&s.rf, &ext)),
        ("co", s.co.clone()),
        ("coi", and(&s.co, &int)),
        ("coe", and(&s.co, &ext)),
        ("fr", fr.clone()),
        ("fri", and(&fr, &int)),
        ("fre", and(&fr, &ext)),
        ("loc", s.loc.clone()),
        ("int", int.clone()),
        ("ext", ext.clone()),
        ("id", Relation::identity(s.size)),
        ("rf^-1", s.rf.inverse()),
        ("0", Relation::empty(s.size)),
        ("[R]", Relation::test(&s.reads)),
        ("[_]", Relation::identity(s.size)),
        ("(W * R)", Relation::product(&s.writes, &s.reads)),
    ];
    let (text, value) = all[numbers.below(all.len())].clone();
    (text.to_owned(), value)
}

#[test]
fn simplification_keeps_the_meaning() {
    let mut numbers = Rng::new(17);
    for _ in 0..20_000 {
        let s = execution(&mut numbers, FENCES, &[], true);
        let depth = 1 + numbers.below(4);
        let (text, value) = relation(&mut numbers, &s, depth);
        let file = SourceFile::new("random.cat", format!("empty {text}"));
        let model = Model::load("random", &file, &NoInclude).unwrap_or_else(|error| panic!("{}", error.render(false)));
        let mut evaluator = Evaluator::new(&model, &s);
        assert_eq!(*evaluator.relation(model.axioms[0].node), value, "{text}");
    }
}

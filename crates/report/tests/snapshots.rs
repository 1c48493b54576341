//! What users see, compared with files in `tests/expected`. `BLESS=1 cargo test -p fencepost-report` rewrites them.
// Clippy's exception for tests does not see helper functions of integration tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Example, expect, iriw, lb, mp, sb, sb_cycle, sb_fences, two_two_w};
use engine::{FinalState, Guarantee, NoAnswer, Verdict};
use report::{Case, Kind, ModelName, ModelRow, ModelTable, Observation, Refuted, StateTable, Why, text};
use source::Span;

fn tso() -> ModelName {
    ModelName { name: "tso".to_owned(), title: "TSO".to_owned() }
}

fn case<'a>(example: &'a Example, verdict: &'a Verdict, relaxed: &[(usize, usize)]) -> Case<'a> {
    let graph = matches!(verdict, Verdict::Unsafe(_)).then(|| {
        let mut graph = example.graph();
        graph.highlight_relaxed(relaxed);
        graph
    });
    Case {
        program: &example.program,
        model: tso(),
        engine: "partial-order".to_owned(),
        verdict,
        graph,
        explanation: None,
        relaxed: relaxed.to_vec(),
        undefined: None,
        notes: vec![],
        seconds: 0.012,
        statistics: vec![("clauses".to_owned(), 41), ("conflicts".to_owned(), 3)],
        facts: report::Facts::default(),
    }
}

fn unsafe_in(example: &Example) -> Verdict {
    Verdict::Unsafe(Box::new(example.execution.clone()))
}

/// The four final states of SB under TSO.
fn sb_states(example: &Example) -> Vec<FinalState> {
    let keys: Vec<_> = example.execution.finals.keys().copied().collect();
    let state = |a: u64, b: u64, executions| FinalState {
        state: [(keys[0], a), (keys[1], b)].into_iter().collect(),
        executions,
        example: None,
        flags: vec![],
    };
    vec![state(1, 1, 1), state(0, 0, 1), state(0, 1, 1), state(1, 0, 1)]
}

#[test]
fn check_as_text() {
    let example = sb();
    let plain = text::Options::default();
    let full = text::Options { colour: true, statistics: true, width: None };
    let verdict = unsafe_in(&example);
    let sb = case(&example, &verdict, &[(2, 3)]);
    expect("sb-unsafe.txt", &text::check(&sb, plain));
    expect("sb-unsafe-colour.txt", &text::check(&sb, full));
    let iriw = iriw();
    expect("iriw-unsafe.txt", &text::check(&case(&iriw, &unsafe_in(&iriw), &[]), plain));
    let two = two_two_w();
    expect("2+2w-unsafe.txt", &text::check(&case(&two, &unsafe_in(&two), &[]), plain));
    let safe = Verdict::Safe(Guarantee::FULL);
    expect("sb-safe.txt", &text::check(&case(&example, &safe, &[]), plain));
    let loops = vec![Span::new(30, 31), Span::new(60, 61)];
    let bounded = Verdict::Safe(Guarantee::unwound(&example.program.source, 5, loops));
    expect("sb-bounded.txt", &text::check(&case(&example, &bounded, &[]), plain));
    let unknown = Verdict::Unknown(NoAnswer::Cancelled);
    expect("sb-unknown.txt", &text::check(&case(&example, &unknown, &[]), plain));
}

#[test]
fn the_last_line_is_the_verdict() {
    let example = sb();
    let verdicts = [
        unsafe_in(&example),
        Verdict::Safe(Guarantee::FULL),
        Verdict::Safe(Guarantee::unwound(&example.program.source, 5, vec![])),
        Verdict::Unknown(NoAnswer::GaveUp("too large".to_owned())),
    ];
    for verdict in &verdicts {
        let text =
            text::check(&case(&example, verdict, &[]), text::Options { statistics: true, ..text::Options::default() });
        assert_eq!(text.lines().last().unwrap(), verdict.to_string());
    }
}

fn refuted(example: &Example) -> Refuted {
    let mut graph = example.graph();
    graph.highlight(&sb_cycle().steps);
    Refuted { graph, explanation: sb_cycle() }
}

#[test]
fn why_as_text_json_and_page() {
    let example = sb();
    let model = ModelName { name: "sc".to_owned(), title: "SC".to_owned() };
    let why = Why { program: &example.program, model, refuted: vec![refuted(&example)] };
    expect("sb-why.txt", &text::why(&why, text::Options::default()));
    expect("sb-why.json", &report::json::why(&why));
    expect("sb-why.html", &report::html::why(&why));
}

#[test]
fn states_as_text_json_and_block() {
    let example = sb();
    let states = sb_states(&example);
    let full = Guarantee::FULL;
    let table = |states| StateTable { program: &example.program, model: tso(), states, guarantee: &full, seconds: 0.0 };
    expect("sb-states.txt", &text::states(&table(&states), text::Options::default()));
    expect("sb-states.json", &report::json::states(&table(&states)));
    expect("sb-herd.txt", &report::herd::block(&table(&states)));
    let mut flagged = states.clone();
    flagged[0].flags = vec!["zz".to_owned(), "aa".to_owned(), engine::UNDEFINED.to_owned()];
    expect("sb-herd-flags.txt", &report::herd::block(&table(&flagged)));
}

#[test]
fn models_as_text_and_json() {
    let example = sb();
    let row = |name: &str, weaker: &[&str], verdict| ModelRow {
        model: ModelName { name: name.to_owned(), title: name.to_uppercase() },
        weaker_than: weaker.iter().map(|&w| w.to_owned()).collect(),
        verdict,
        seconds: 0.5,
    };
    let safe = || Verdict::Safe(Guarantee::FULL);
    let mut table = ModelTable {
        program: &example.program,
        rows: vec![row("sc", &[], safe()), row("tso", &["sc"], safe()), row("pso", &["tso"], unsafe_in(&example))],
    };
    expect("sb-models.txt", &text::models(&table, text::Options { statistics: true, ..text::Options::default() }));
    expect("sb-models.json", &report::json::models(&table));
    table.rows.push(row("rmo", &["pso"], safe()));
    assert_eq!(table.weakest_safe(), ["rmo"], "weaker through a chain of rows, one of them unsafe");
    table.rows.truncate(0);
    assert!(table.weakest_safe().is_empty());
}

#[test]
fn observations_as_csv_and_json() {
    let observation = |file: &str, kind, states| Observation {
        file: file.to_owned(),
        test: "SB".to_owned(),
        model: "tso".to_owned(),
        kind,
        states,
        note: String::new(),
        seconds: 0.25,
    };
    let mut all =
        vec![observation("a/sb.litmus", Kind::Sometimes, None), observation("odd, \"name\"\n", Kind::Never, None)];
    expect("observations.csv", &report::csv::table(&all));
    all[0].states = Some(4);
    expect("observations-states.csv", &report::csv::table(&all));
    expect("observations.json", &report::json::litmus(&all, &[]));
}

#[test]
fn pictures() {
    for (example, relaxed) in [
        (sb(), vec![(2, 3)]),
        (sb_fences(), vec![]),
        (mp(), vec![(4, 5)]),
        (iriw(), vec![]),
        (lb(), vec![]),
        (two_two_w(), vec![(2, 3)]),
    ] {
        let mut graph = example.graph();
        graph.highlight_relaxed(&relaxed);
        let name = example.program.name.to_lowercase();
        expect(&format!("{name}.svg"), &report::svg::render(&graph, &example.program.name));
        expect(&format!("{name}.dot"), &report::dot::render(&graph, &format!("Test {}, TSO", example.program.name)));
    }
}

#[test]
fn check_as_page_and_json() {
    let example = sb();
    let verdict = unsafe_in(&example);
    let case = case(&example, &verdict, &[(2, 3), (4, 5)]);
    expect("sb-unsafe.html", &report::html::check(&case));
    expect("sb-unsafe.json", &report::json::check(&case));
}

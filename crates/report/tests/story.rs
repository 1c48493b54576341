//! How violations in C programs are told, in all formats. `BLESS=1 cargo test -p fencepost-report` rewrites what is expected.
// Clippy's exception for tests does not see helper functions of integration tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::scene::{deadlock, different_orders, early_read, lost_update, pointer, store_buffering};
use common::{Example, expect};
use engine::{Guarantee, Verdict};
use report::story::{StepKind, Telling};
use report::{Case, ModelName, text};

fn case<'a>(example: &'a Example, verdict: &'a Verdict, relaxed: &[(usize, usize)]) -> Case<'a> {
    Case {
        program: &example.program,
        model: ModelName { name: "tso".to_owned(), title: "TSO".to_owned() },
        engine: "partial-order".to_owned(),
        verdict,
        graph: matches!(verdict, Verdict::Unsafe(_)).then(|| example.graph()),
        explanation: None,
        relaxed: relaxed.to_vec(),
        undefined: None,
        notes: vec![],
        seconds: 0.012,
        statistics: vec![],
        facts: report::Facts::default(),
    }
}

fn told(example: &Example, relaxed: &[(usize, usize)]) -> String {
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    text::check(&case(example, &verdict, relaxed), text::Options::default())
}

#[test]
fn stories_as_text() {
    expect("c-sb.txt", &told(&store_buffering(), &[(10, 11), (13, 14)]));
    expect("c-early.txt", &told(&early_read(), &[(5, 6)]));
    expect("c-apart.txt", &told(&different_orders(), &[]));
    expect("c-lost-update.txt", &told(&lost_update(), &[]));
    expect("c-deadlock.txt", &told(&deadlock(), &[]));
    expect("c-pointer.txt", &told(&pointer(), &[(6, 7)]));
}

#[test]
fn a_safe_program_is_told_in_a_line() {
    let example = store_buffering();
    let verdict = Verdict::Safe(Guarantee::FULL);
    let text = text::check(&case(&example, &verdict, &[]), text::Options::default());
    assert_eq!(text, "sb.c under TSO: can it go wrong?\nNo. Proved for all executions.\n\nSAFE\n");
}

/// What the steps do, without the words of the text format.
fn kinds(example: &Example) -> (Telling, Vec<(StepKind, Option<u32>, u32)>) {
    let story = example.graph().story.unwrap();
    let steps = story.steps.iter().map(|step| (step.kind, step.thread, step.line)).collect();
    (story.telling, steps)
}

#[test]
fn an_order_without_delays_is_preferred() {
    let (telling, steps) = kinds(&lost_update());
    assert_eq!(telling, Telling::Turns);
    assert!(steps.iter().all(|step| step.0 != StepKind::Arrive));
    let (telling, steps) = kinds(&store_buffering());
    assert_eq!(telling, Telling::Delayed);
    assert_eq!(steps.iter().filter(|step| step.0 == StepKind::Arrive).count(), 1, "one delay is enough");
    assert_eq!(kinds(&early_read()).0, Telling::Early);
    assert_eq!(kinds(&different_orders()), (Telling::Apart, vec![]));
}

#[test]
fn what_does_not_matter_is_left_out() {
    let mut example = lost_update();
    // Nobody reads what the second worker writes now.
    example.execution.violation.as_mut().unwrap().thread = ir::ThreadId(2);
    let (_, steps) = kinds(&example);
    assert!(!steps.contains(&(StepKind::Run, Some(1), 6)), "{steps:?}");
    assert_eq!(steps.last(), Some(&(StepKind::Fail, Some(2), 6)));
}

#[test]
fn threads_that_start_and_end_are_drawn() {
    let graph = store_buffering().graph();
    let pairs = |relation: &str| graph.edges_of(relation).map(|e| (e.from, e.to)).collect::<Vec<_>>();
    assert_eq!(pairs("start"), [(4, 10), (5, 13)]);
    assert_eq!(pairs("join"), [(12, 6), (15, 7)]);
    assert!(pairs("po").iter().all(|&(from, to)| graph.events[from].thread == graph.events[to].thread));
    assert_eq!(lost_update().graph().threads, ["main", "worker#1", "worker#2"]);
}

#[test]
fn the_page_has_steps_beside_the_source() {
    let example = store_buffering();
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    let page = report::html::check(&case(&example, &verdict, &[(10, 11)]));
    assert_eq!(page.matches("class=\"run thread-").count(), 10);
    let row =
        |line: &&str| line.contains("class=\"run thread-2\"") && line.contains("data-goto=\"11\" data-events=\"14\"");
    assert!(page.lines().any(|line| row(&line)), "{page}");
    assert!(page.contains("<p class=\"question\">assertion `r0 == 1 || r1 == 1` fails in thread main, line 20</p>"));
    assert!(page.contains("<li>Reordered: left reads y (line 5) before its x = 1 (line 4) reaches memory</li>"));
    let lines = page.matches("class=\"line\" data-line=\"21\"").count();
    assert_eq!(lines, 1, "all lines of the source are there, once");
}

/// The cycle of store buffering.
fn cycle() -> report::Explanation {
    let step = |(from, to, relation): (usize, usize, &str)| report::Step {
        from,
        to,
        relation: relation.to_owned(),
        words: String::new(),
    };
    let steps = [(10, 11, "po"), (11, 13, "fr"), (13, 14, "po"), (14, 10, "fr")].map(step).into();
    report::Explanation { axiom: "ghb".to_owned(), requirement: String::new(), steps }
}

#[test]
fn the_heart_of_a_violation_is_a_litmus_test() {
    let example = store_buffering();
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    let mut case = case(&example, &verdict, &[(10, 11)]);
    assert_eq!(report::litmus::extract(&case, report::litmus::Words::C11), None, "a sequential execution has no heart");
    case.explanation = Some(cycle());
    expect("c-sb.litmus", &report::litmus::extract(&case, report::litmus::Words::C11).unwrap());
    // Through the start of a thread.
    case.explanation.as_mut().unwrap().steps[0].from = 4;
    assert_eq!(report::litmus::extract(&case, report::litmus::Words::C11), None);
}

#[test]
fn fences_exchanges_and_coherence_come_with_the_heart() {
    let example = lost_update();
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    let mut case = case(&example, &verdict, &[]);
    let step = |(from, to, relation): (usize, usize, &str)| report::Step {
        from,
        to,
        relation: relation.to_owned(),
        words: String::new(),
    };
    let steps = [(3, 6, "po"), (6, 14, "fr"), (10, 14, "po"), (8, 14, "co")].map(step).into();
    case.explanation = Some(report::Explanation { steps, ..cycle() });
    expect("c-lost-update.litmus", &report::litmus::extract(&case, report::litmus::Words::C11).unwrap());
}

const TASK: report::svcomp::Task<'static> = report::svcomp::Task {
    specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    ilp32: true,
    creation_time: "2026-01-31T12:00:00Z",
    uuid: "91023a0f-9f45-4385-88c4-1152ade45537",
    version: "0.1.0",
};

/// An element of XML: its name, its attributes, its text.
type Element = (String, Vec<(String, String)>, String);

/// The elements of an XML text: name, attributes, text.
fn elements(xml: &str) -> Vec<Element> {
    #![expect(clippy::wildcard_enum_match_arm, reason = "what else XML can have is of no interest")]
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut all, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
    let text = |part: &str| part.to_owned();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let pair = |a: quick_xml::events::attributes::Attribute<'_>| (text(a.key.as_ref()), text(&a.value));
                let attributes = start.attributes().map(|a| pair(a.unwrap())).collect();
                open.push(all.len());
                all.push((text(start.name().as_ref()), attributes, String::new()));
            }
            Event::Text(words) => {
                if let Some(&at) = open.last() {
                    all[at].2 += &text(&words);
                }
            }
            Event::End(_) => drop(open.pop().unwrap()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    all
}

#[test]
fn the_graphml_witness_is_a_path_to_the_violation() {
    for example in [store_buffering(), lost_update()] {
        let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
        let xml = report::svcomp::graphml(&case(&example, &verdict, &[]), &TASK).unwrap();
        let all = elements(&xml);
        let named = |name: &str| all.iter().filter(|e| e.0 == name).collect::<Vec<_>>();
        let attribute = |e: &(String, Vec<(String, String)>, String), key: &str| {
            e.1.iter().find(|(other, _)| other == key).unwrap().1.clone()
        };
        let declared: Vec<String> = named("key").iter().map(|e| attribute(e, "id")).collect();
        assert!(named("data").iter().all(|e| declared.contains(&attribute(e, "key"))), "{xml}");
        let nodes: Vec<String> = named("node").iter().map(|e| attribute(e, "id")).collect();
        let edges: Vec<(String, String)> =
            named("edge").iter().map(|e| (attribute(e, "source"), attribute(e, "target"))).collect();
        let path: Vec<(String, String)> = nodes.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        assert_eq!(edges, path, "a path through all nodes");
        let data = |key: &str| {
            let own = named("data").into_iter().filter(|e| attribute(e, "key") == key);
            own.map(|e| e.2.clone()).collect::<Vec<_>>()
        };
        assert_eq!(data("createThread"), ["0", "1", "2"]);
        assert_eq!(data("enterFunction").len(), 3);
        assert_eq!((data("entry").len(), data("violation").len()), (1, 1));
        assert_eq!(data("architecture"), ["32bit"]);
        assert_eq!(data("programhash"), [report::svcomp::sha256(example.program.source.text())]);
        let last = data("startline").last().unwrap().parse::<u32>().unwrap();
        assert_eq!(last, example.graph().story.unwrap().failure.line);
    }
    let example = lost_update();
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    expect("c-lost-update.graphml", &report::svcomp::graphml(&case(&example, &verdict, &[]), &TASK).unwrap());
    let safe = Verdict::Safe(Guarantee::FULL);
    assert_eq!(report::svcomp::graphml(&case(&example, &safe, &[]), &TASK), None);
}

#[test]
fn the_yaml_witness_ends_at_the_target() {
    let mut example = lost_update();
    let text = example.program.source.text().to_owned();
    example.program.source = source::SourceFile::new("a \"b\"\\c:\n.c", text.clone());
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    let yaml = report::svcomp::yaml(&case(&example, &verdict, &[]), &TASK).unwrap();
    let value: serde_json::Value = serde_yaml_ng::from_str(&yaml).unwrap();
    let entry = &value[0];
    assert_eq!(entry["entry_type"], "violation_sequence");
    let task = &entry["metadata"]["task"];
    assert_eq!(task["input_files"][0], "a \"b\"\\c:\n.c");
    assert_eq!(task["input_file_hashes"]["a \"b\"\\c:\n.c"], report::svcomp::sha256(&text).as_str());
    assert_eq!((&task["data_model"], &task["language"]), (&"ILP32".into(), &"C".into()));
    assert_eq!(entry["metadata"]["format_version"], "2.0");
    let segments = entry["content"].as_array().unwrap();
    let target = &segments.last().unwrap()["segment"][0]["waypoint"];
    assert_eq!((&target["type"], &target["location"]["line"]), (&"target".into(), &6.into()));
    let assumed = segments.iter().filter(|s| s["segment"][0]["waypoint"]["type"] == "assumption").count();
    assert_eq!(assumed, segments.len() - 1);
    assert!(assumed > 0);
}

#[test]
fn hashes_and_last_lines() {
    use engine::NoAnswer;
    use report::svcomp::{last_line, sha256};
    assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(last_line(&Verdict::Safe(Guarantee::FULL), "unreach-call"), "true");
    let bounded = Verdict::Safe(Guarantee::within([engine::Bound::limit("turns", 2, "each has two turns")]));
    assert_eq!(last_line(&bounded, "unreach-call"), "unknown");
    assert_eq!(last_line(&Verdict::Unknown(NoAnswer::Cancelled), "unreach-call"), "unknown");
    let wrong = Verdict::Unsafe(Box::default());
    assert_eq!(last_line(&wrong, "unreach-call"), "false(unreach-call)");
    assert_eq!(last_line(&wrong, "no-overflow"), "false(no-overflow)");
}

/// Memory and buffers follow the steps: a delayed write is in the buffer of its thread until it reaches memory.
#[test]
fn each_step_has_what_memory_and_buffers_hold() {
    let example = store_buffering();
    let replay = example.graph().replay.expect("an order explains it");
    assert_eq!(replay.moments.len(), replay.steps.len() + 1);
    let holds = |cells: &[(String, String)], name: &str| {
        cells.iter().find(|(location, _)| location == name).map(|(_, value)| value.clone())
    };
    let mut delayed = 0;
    for (step, pair) in replay.steps.iter().zip(replay.moments.windows(2)) {
        let [before, after] = pair else { panic!("windows have two moments") };
        let waiting = |moment: &report::replay::Moment| moment.buffers.iter().map(Vec::len).sum::<usize>();
        match step.kind {
            StepKind::Arrive => {
                assert!(waiting(after) < waiting(before), "{}", step.what);
                assert_ne!(before.memory, after.memory, "{}", step.what);
            }
            StepKind::Run | StepKind::Fail if step.what.contains("delayed") => {
                assert!(waiting(after) > waiting(before), "{}", step.what);
                assert_eq!(holds(&before.memory, "x"), holds(&after.memory, "x"), "{}", step.what);
                delayed += 1;
            }
            StepKind::Run | StepKind::Fail => {}
        }
    }
    assert!(delayed > 0, "store buffering delays a write");
    assert_eq!(replay.moments.last().map_or(1, |last| last.buffers.iter().map(Vec::len).sum()), 0);
}

//! Shapes and escapes: what must hold of the formats whatever the example.
// Clippy's exception for tests does not see helper functions of integration tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Example, sb, sb_cycle};
use engine::{FinalState, Guarantee, NoAnswer, Verdict};
use ir::{Atom, Comparison, Condition, Location, ObjectId, Proposition, Quantifier, ThreadId};
use report::{Case, Kind, ModelName, ModelRow, ModelTable, Observation, Refuted, StateTable, Why};
use serde_json::Value;

/// Properties that came later, and are there only for C programs in which a property fails.
const OPTIONAL: [&str; 3] = ["steps", "threads", "violation"];

/// Checks a value against a schema: the few keywords that ours uses, and objects with exactly the listed properties, but
/// for the optional ones.
fn validate(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(&reference[1..]).ok_or(format!("{reference} does not exist"))?;
        return validate(root, target, value, at);
    }
    if let Some(any) = schema.get("oneOf").and_then(Value::as_array) {
        let results: Vec<_> = any.iter().map(|s| validate(root, s, value, at)).collect();
        if results.iter().filter(|r| r.is_ok()).count() == 1 {
            return Ok(());
        }
        let why: Vec<String> = results.into_iter().filter_map(Result::err).collect();
        return Err(format!("{at}: not one of: {}", why.join(" | ")));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return if allowed.contains(value) { Ok(()) } else { Err(format!("{at}: {value} not in {allowed:?}")) };
    }
    let types = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let is = |t: &Value| match t.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the validator does not know the type {other}"),
    };
    if !types.iter().any(is) {
        return Err(format!("{at}: {value} is not {types:?}"));
    }
    if let (Some(items), Some(all)) = (schema.get("items"), value.as_array()) {
        for (index, item) in all.iter().enumerate() {
            validate(root, items, item, &format!("{at}[{index}]"))?;
        }
    }
    if let (Some(properties), Some(object)) = (schema.get("properties"), value.as_object()) {
        let properties = properties.as_object().unwrap();
        let required: Vec<&str> = schema["required"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
        let optional: Vec<&str> = properties.keys().map(String::as_str).filter(|key| !required.contains(key)).collect();
        // Of a line, the file is said where it is not the one that the user named.
        let known = optional.is_empty()
            || optional == ["file"]
            || optional == ["shown"]
            || (at == "check" || at == "top") && optional == OPTIONAL;
        if !known || required.len() + optional.len() != properties.len() {
            return Err(format!("{at}: the schema does not require what it lists"));
        }
        if let Some(extra) = object.keys().find(|key| !properties.contains_key(*key)) {
            return Err(format!("{at}: the schema does not list {extra}"));
        }
        for (key, schema) in properties {
            let value = object.get(key);
            if value.is_none() && optional.contains(&key.as_str()) {
                continue;
            }
            let value = value.ok_or(format!("{at}: {key} is missing"))?;
            validate(root, schema, value, &format!("{at}.{key}"))?;
        }
    }
    Ok(())
}

fn conforms(json: &str, kind: &str) {
    let schema: Value = serde_json::from_str(report::json::SCHEMA_TEXT).unwrap();
    let value: Value = serde_json::from_str(json).unwrap();
    assert_eq!(value["schema"], "fencepost/1");
    assert_eq!(value["kind"], kind);
    validate(&schema, &schema["$defs"][kind], &value, kind).unwrap();
    validate(&schema, &schema, &value, "top").unwrap();
}

fn model() -> ModelName {
    ModelName { name: "tso".to_owned(), title: "TSO".to_owned() }
}

fn case<'a>(example: &'a Example, verdict: &'a Verdict) -> Case<'a> {
    let mut graph = example.graph();
    graph.highlight(&sb_cycle().steps);
    Case {
        program: &example.program,
        model: model(),
        engine: "reference".to_owned(),
        verdict,
        graph: Some(graph),
        explanation: Some(sb_cycle()),
        relaxed: vec![(2, 3)],
        undefined: None,
        notes: vec!["A note.".to_owned()],
        seconds: 0.5,
        statistics: vec![("states".to_owned(), 7)],
        facts: report::Facts::default(),
    }
}

fn state(example: &Example, values: [u64; 2], executions: u64) -> FinalState {
    let keys = example.execution.finals.keys().copied();
    FinalState { state: keys.zip(values).collect(), executions, example: None, flags: vec!["race".to_owned()] }
}

#[test]
fn documents_have_exactly_what_the_schema_lists() {
    let example = sb();
    let loops = vec![source::Span::new(0, 1)];
    let verdicts = [
        Verdict::Unsafe(Box::new(example.execution.clone())),
        Verdict::Safe(Guarantee::unwound(&example.program.source, 2, loops)),
        Verdict::Unknown(NoAnswer::Cancelled),
    ];
    for verdict in &verdicts {
        let mut full = case(&example, verdict);
        conforms(&report::json::check(&full), "check");
        (full.graph, full.explanation) = (None, None);
        conforms(&report::json::check(&full), "check");
    }
    for example in [common::scene::store_buffering(), common::scene::deadlock(), common::scene::different_orders()] {
        let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
        let json = report::json::check(&Case { graph: Some(example.graph()), ..case(&example, &verdict) });
        conforms(&json, "check");
        let value: Value = serde_json::from_str(&json).unwrap();
        assert!(OPTIONAL.iter().all(|&key| value.get(key).is_some()), "{json}");
    }
    for end in [
        report::RepairEnd::Complete,
        report::RepairEnd::Unknown("no time".to_owned()),
        report::RepairEnd::NotRepairable("no hope".to_owned(), Some(&case(&example, &verdicts[0]))),
    ] {
        let fence = report::FenceRow {
            kind: "full".to_owned(),
            text: "MFENCE".to_owned(),
            line: 7,
            file: None,
            mark: "7".to_owned(),
            side: "after".to_owned(),
            statement: "MOV [x],$1".to_owned(),
            function: "P0".to_owned(),
            cost: 10,
            orders: vec![(report::LineOf::Main(7), report::LineOf::Main(8))],
            without: None,
        };
        let verdict = verdicts[1].clone();
        let row = report::PlacementRow {
            fences: vec![fence],
            orders: Vec::new(),
            cost: 10,
            verdict,
            diff: "--- f\n".to_owned(),
        };
        let mut repair = report::Repair {
            program: &example.program,
            model: model(),
            placements: vec![row],
            end,
            places: 2,
            tried: 3,
            progress: false,
            weakened: None,
            seconds: 0.5,
        };
        assert_eq!(repair.line(), "FENCES 1 (cost 10, unwind 2)");
        conforms(&report::json::fences(&repair), "fences");
        repair.placements[0].orders.push(report::OrderRow {
            line: 3,
            file: None,
            mark: "3".to_owned(),
            text: "memory_order_relaxed".to_owned(),
            now: "relaxed".to_owned(),
            needed: "acquire".to_owned(),
            cost: 2,
            orders: vec![(report::LineOf::Main(3), report::LineOf::Main(4))],
            reasons: Vec::new(),
        });
        assert_eq!(repair.line(), "FENCES 1 ORDERS 1 (cost 10, unwind 2)");
        conforms(&report::json::fences(&repair), "fences");
        repair.weakened = Some(20);
        assert_eq!(repair.line(), "WEAKENED 1 of 1 (cost 10, was 20, unwind 2)");
        conforms(&report::json::fences(&repair), "weaken");
        repair.placements[0].orders.clear();
        assert_eq!(repair.line(), "NOTHING TO WEAKEN (cost 10, unwind 2)");
        repair.weakened = None;
        repair.placements[0].fences.clear();
        assert_eq!(repair.line(), "NO FENCES NEEDED (unwind 2)");
        repair.placements.clear();
        let unknown = matches!(repair.end, report::RepairEnd::Unknown(_));
        assert_eq!(repair.line(), if unknown { "UNKNOWN (no time)" } else { "NOT REPAIRABLE" });
        conforms(&report::json::fences(&repair), "fences");
        let text = report::text::fences(&repair, report::text::Options::default());
        assert_eq!(text.lines().last(), Some(&*repair.line()));
    }
    let observation = Observation {
        file: "f".to_owned(),
        test: "t".to_owned(),
        model: "m".to_owned(),
        kind: Kind::Unknown,
        states: Some(3),
        note: "timeout".to_owned(),
        seconds: 1.0,
    };
    let trouble = report::json::Trouble {
        reason: "input",
        message: "what is this?".to_owned(),
        help: None,
        file: Some("a.litmus".to_owned()),
        line: Some(3),
        column: None,
        exit_code: 2,
        rendered: "error: what is this?".to_owned(),
    };
    conforms(&report::json::error(&trouble), "error");
    conforms(&report::json::litmus(&[observation], &[trouble]), "litmus");
    let states = [state(&example, [0, 1], 3)];
    let guarantee = Guarantee::FULL;
    let table =
        StateTable { program: &example.program, model: model(), states: &states, guarantee: &guarantee, seconds: 0.0 };
    conforms(&report::json::states(&table), "states");
    let refuted = vec![Refuted { graph: example.graph(), explanation: sb_cycle() }];
    conforms(&report::json::why(&Why { program: &example.program, model: model(), refuted }), "why");
    let rows = verdicts.map(|verdict| ModelRow { model: model(), weaker_than: vec![], verdict, seconds: 0.0 });
    conforms(&report::json::models(&ModelTable { program: &example.program, rows: rows.into() }), "models");
}

#[test]
fn the_validator_sees_what_is_missing_and_what_is_new() {
    let schema: Value = serde_json::from_str(report::json::SCHEMA_TEXT).unwrap();
    let model = &schema["$defs"]["model"];
    let check = |text: &str| validate(&schema, model, &serde_json::from_str(text).unwrap(), "m");
    assert!(check(r#"{"name": "a", "title": "b"}"#).is_ok());
    assert!(check(r#"{"name": "a"}"#).is_err());
    assert!(check(r#"{"name": "a", "title": "b", "more": 1}"#).is_err());
    assert!(check(r#"{"name": "a", "title": 1}"#).is_err());
}

/// A program whose every name is an attack.
fn nasty() -> Example {
    let mut example = sb();
    let bad = "<script>\"&'\n\u{1b}[31m]]>--></title></pre>\\";
    let text = format!("{}{bad}\n", example.program.source.text());
    example.program.name = bad.to_owned();
    example.program.source = source::SourceFile::new(bad, text);
    example.program.objects[0].name = bad.to_owned();
    example.program.threads[0].name = bad.to_owned();
    example.program.functions[0].locals[0].name = bad.to_owned();
    example
}

#[test]
fn names_from_files_are_escaped() {
    let example = nasty();
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    let mut case = case(&example, &verdict);
    case.model.title = "<b>\"".to_owned();
    case.engine = "<i>".to_owned();
    case.notes = vec!["<u>&".to_owned()];
    for (format, text) in [("html", report::html::check(&case)), ("svg", report::svg::render(&example.graph(), "<s>"))]
    {
        for tag in ["<script>\"", "<b>\"", "<i>&", "<u>", "<s>", "]]>", "-->", "\u{1b}"] {
            assert!(!text.contains(tag), "{format} has {tag}");
        }
        assert_eq!(text.matches("<title>").count(), text.matches("</title>").count(), "{format}");
        assert_eq!(text.matches("<pre").count(), text.matches("</pre>").count(), "{format}");
        assert!(text.contains("&lt;script&gt;&quot;&amp;&#39;"), "{format} shows the name");
    }
    let terminal = report::text::check(&case, report::text::Options::default());
    assert!(!terminal.contains('\u{1b}'), "no control character reaches the terminal");
    assert_eq!(terminal.lines().last(), Some("UNSAFE"));
    let dot = report::dot::render(case.graph.as_ref().unwrap(), "a\"b\\\nc");
    assert!(dot.contains("label=\"a\\\"b\\\\\\nc\";"), "{dot}");
    assert!(
        dot.lines().all(|line| line.replace("\\\\", "").replace("\\\"", "").matches('"').count() % 2 == 0),
        "{dot}"
    );
    let json: Value = serde_json::from_str(&report::json::check(&case)).unwrap();
    assert_eq!(json["test"]["name"], example.program.name.as_str());
}

#[test]
fn the_page_loads_nothing() {
    let example = sb();
    let verdict = Verdict::Unsafe(Box::new(example.execution.clone()));
    let page = report::html::check(&case(&example, &verdict)).replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "src=", "href=", "@import", "url(h"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

fn atom(location: Location, value: u64) -> Proposition {
    Proposition::Atom(Atom { location, comparison: Comparison::Eq, value })
}

fn block(example: &Example, states: &[FinalState], guarantee: &Guarantee) -> String {
    report::herd::block(&StateTable { program: &example.program, model: model(), states, guarantee, seconds: 0.0 })
}

#[test]
fn the_block_of_each_quantifier() {
    let mut example = sb();
    let states = [state(&example, [1, 0], 2), state(&example, [0, 0], 5)].map(|s| FinalState { flags: vec![], ..s });
    let full = Guarantee::FULL;
    let bounded = Guarantee::unwound(&example.program.source, 2, vec![]);
    let mut with = |quantifier, guarantee: &Guarantee| {
        example.program.condition.as_mut().unwrap().quantifier = quantifier;
        block(&example, &states, guarantee).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let exists = with(Quantifier::Exists, &full);
    assert_eq!(exists[0], "Test SB Allowed");
    assert_eq!(exists[4..7], ["Ok", "Witnesses", "Positive: 5 Negative: 2"]);
    assert_eq!(exists[8], "Observation SB Sometimes 5 2");
    let never = with(Quantifier::NotExists, &full);
    assert_eq!(never[0], "Test SB Forbidden");
    assert_eq!(never[4..8], ["No", "Witnesses", "Positive: 2 Negative: 5", "Condition ~exists (0:EAX=0 /\\ 1:EAX=0)"]);
    assert_eq!(never[8], "Observation SB Sometimes 5 2", "the observation is about the proposition");
    let all = with(Quantifier::Forall, &bounded);
    assert_eq!(all[0], "Test SB Required");
    assert_eq!(all[4], "Loop No");
    example.program.condition = None;
    let none = block(&example, &states, &full);
    assert!(none.contains("Required\n") && none.contains("Condition forall (true)\n"), "{none}");
    assert!(block(&example, &[], &full).contains("States 0\nOk\nWitnesses\nPositive: 0 Negative: 0\n"));
}

#[test]
fn conditions_have_the_parentheses_of_herd() {
    let mut example = sb();
    let x = || atom(Location::Memory(ir::Address { object: ObjectId(0), offset: 0 }), 1);
    let r = || atom(Location::Local(ThreadId(0), ir::LocalId(0)), u64::from(u32::MAX));
    let and = |all: Vec<Proposition>| Proposition::And(all);
    let or = |any: Vec<Proposition>| Proposition::Or(any);
    let implies = |a, b| Proposition::Implies(Box::new(a), Box::new(b));
    let not = |p| Proposition::Not(Box::new(p));
    let Proposition::Atom(atom) = x() else { panic!("`x` is an atom") };
    let different = Proposition::Atom(Atom { comparison: Comparison::Ne, ..atom });
    let cases = [
        (and(vec![x(), or(vec![and(vec![r(), x()]), r()])]), r"[x]=1 /\ (0:EAX=-1 /\ [x]=1 \/ 0:EAX=-1)"),
        (and(vec![x(), and(vec![x(), r()])]), r"[x]=1 /\ [x]=1 /\ 0:EAX=-1"),
        (implies(not(and(vec![x(), r()])), and(vec![])), r"not ([x]=1 /\ 0:EAX=-1) => true"),
        (
            implies(and(vec![x(), r()]), implies(x(), or(vec![r(), x()]))),
            r"([x]=1 /\ 0:EAX=-1) => [x]=1 => (0:EAX=-1 \/ [x]=1)",
        ),
        (or(vec![implies(x(), r()), or(vec![])]), r"([x]=1 => 0:EAX=-1) \/ false"),
        (different, "not ([x]=1)"),
    ];
    for (proposition, expected) in cases {
        example.program.condition = Some(Condition { quantifier: Quantifier::Exists, proposition });
        assert_eq!(report::herd::condition(&example.program), format!("exists ({expected})"));
    }
}

/// herd 7.58 printed this order: registers by number, memory by name, numbers by size and before addresses.
#[test]
fn states_sort_as_in_herd() {
    let mut example = sb();
    example.program.arch = "PPC".to_owned();
    example.program.objects[0].name = "z".to_owned();
    let local = |name: &str| ir::Local { name: name.to_owned(), width: ir::Width::WORD };
    example.program.functions[0].locals = vec![local("r10"), local("r9")];
    let memory = |object| ir::Address { object: ObjectId(object), offset: 0 };
    let register = |at| Location::Local(ThreadId(0), ir::LocalId(at));
    let make = |r9: u64| FinalState {
        state: [
            (register(0), 7),
            (register(1), r9),
            (Location::Memory(memory(0)), 1),
            (Location::Memory(memory(1)), 2),
        ]
        .into(),
        executions: 1,
        example: None,
        flags: vec![],
    };
    let states = [memory(0).to_bits(), 10, 9, u64::MAX, memory(1).to_bits()].map(make);
    let text = block(&example, &states, &Guarantee::FULL);
    let expected = ["-1", "9", "10", "y", "z"].map(|value| format!("0:r9={value}; 0:r10=7; [y]=2; [z]=1;"));
    assert_eq!(text.lines().skip(2).take(5).collect::<Vec<_>>(), expected);
}

#[test]
fn a_large_execution_is_drawn_too() {
    let threads: Vec<Vec<common::Row>> = (0..6)
        .map(|t| {
            (0..25).map(|i| if (t + i) % 2 == 0 { ('W', "x", 1, "write") } else { ('F', "f", 0, "fence") }).collect()
        })
        .collect();
    let threads: Vec<&[common::Row]> = threads.iter().map(Vec::as_slice).collect();
    let all: Vec<usize> = (1..151).filter(|e| ((e - 1) / 25 + (e - 1) % 25) % 2 == 0).collect();
    let co: Vec<usize> = std::iter::once(0).chain(all).collect();
    let example = common::example("big", "X86", &["x"], &threads, &[], &[&co], &[]);
    let graph = example.graph();
    assert_eq!(graph.events.last().unwrap().label, "et", "letters go on after z");
    let svg = report::svg::render(&graph, "big");
    assert_eq!(svg.matches("class=\"event ").count(), 150);
    assert_eq!(svg.matches("class=\"edge rel-co").count(), 74);
}

/// An exchange, a branch and a plain chain, to see which pairs a picture gets.
#[test]
fn graphs_have_the_immediate_pairs() {
    let t0: &[common::Row] =
        &[('R', "x", 0, "XCHG [x],EAX"), ('W', "x", 1, ""), ('W', "y", 1, "b"), ('W', "y", 2, "c")];
    let t1: &[common::Row] = &[('R', "y", 2, "d")];
    let deps = [("rmw", 2, 3), ("ctrl", 2, 4), ("ctrl", 2, 5)];
    let example = common::example("g", "X86", &["x", "y"], &[t0, t1], &[(0, 2), (5, 6)], &[&[0, 3], &[1, 4, 5]], &deps);
    let mut graph = example.graph();
    let pairs = |graph: &report::Graph, relation: &str| -> Vec<(usize, usize)> {
        graph.edges_of(relation).map(|edge| (edge.from, edge.to)).collect()
    };
    assert_eq!(pairs(&graph, "po"), [(2, 3), (3, 4), (4, 5)]);
    assert_eq!(pairs(&graph, "co"), [(0, 3), (1, 4), (4, 5)]);
    assert_eq!(pairs(&graph, "fr"), [], "a read-modify-write overwrites what it read");
    assert_eq!(pairs(&graph, "ctrl"), [(2, 4)]);
    assert!(graph.is_drawn(0) && !graph.is_drawn(1), "only initial writes that are read are drawn");
    let before = graph.edges.len();
    let step =
        |from, to, relation: &str| report::Step { from, to, relation: relation.to_owned(), words: String::new() };
    graph.highlight(&[step(5, 6, "rfe"), step(3, 5, "ppo")]);
    assert_eq!(graph.edges.len(), before + 1, "an edge that was there is marked, another is added");
    let marked: Vec<&str> = graph.edges.iter().filter(|e| e.highlight).map(|e| e.relation.as_str()).collect();
    assert_eq!(marked, ["rf", "ppo"]);
    assert_eq!((graph.events[2].column, graph.events[2].end_column), (2, 14));
}

#[test]
fn documents_about_systems_have_exactly_what_the_schema_lists() {
    use engine::{Run, SystemVerdict};
    use report::system::{
        SystemCase, SystemModel, SystemPlacement, SystemRepair, certificate, dot, html, json, repair_json, repair_text,
        svg, text,
    };
    use report::text::Options;
    use system::certificate::{Behind, Cell, Certificate, Condition, Cube, Found, IndexedSymbol, Read, Value as Of};
    use system::machine::{Machine, Search};

    let source = "type t = A | B\narray P[proc] : t\nweak var X : t\ninit (p) { P[p] = A && X = A }\n\
                  unsafe (p q) { P[p] = B && q @ X = A }\n\
                  transition go ([p]) requires { P[p] = A && X = A } { P[p] := B }\n\
                  transition set ([p]) { X := B }\n"
        .to_owned();
    let system = front_arrays::parse(&source::SourceFile::new("a<b>.cub", source)).unwrap();
    let memory = system::Memory::Tso;
    let Search::Bad { first, steps, states, property } = Machine::new(&system, 2, memory).search(1000, &|| false)
    else {
        panic!("there is a bad run");
    };
    let read = Read { process: 0, before: vec![0], behind: vec![Behind::Reads(0), Behind::Writes(0)] };
    let seen = Cell { read: Some(0), place: IndexedSymbol { symbol: 1, args: Vec::new() } };
    let conditions = vec![Condition::Is(seen, Of::Constructor(0), false)];
    let cube = Cube { processes: 1, conditions, reads: vec![read] };
    let node = |from: Option<(usize, usize, Vec<u8>)>| Found {
        cube: cube.clone(),
        covered: from.is_some(),
        guessed: false,
        on_trace: true,
        from,
    };
    let found = [node(None), node(Some((0, 0, vec![0])))];
    let under = SystemModel { model: model(), memory };
    let why = Certificate { memory, cubes: vec![cube.clone()] };
    for verdict in [
        SystemVerdict::Unsafe(Run { processes: 2, first, steps, states, property }),
        SystemVerdict::Safe { checked: true },
        SystemVerdict::Unknown(NoAnswer::Cancelled),
    ] {
        let safe = matches!(verdict, SystemVerdict::Safe { .. });
        let case = SystemCase {
            system: &system,
            model: &under,
            verdict: &verdict,
            statistics: &[("cubes".to_owned(), 1)],
            certificate: safe.then_some(&why),
            found: &found,
            seconds: 0.5,
        };
        conforms(&json(&case), "system");
        conforms(&certificate(&case, &why), "system-certificate");
        assert!(text(&case, true).ends_with(&format!("{verdict}\n")));
        let (page, picture, graph) = (html(&case), svg(&case).unwrap(), dot(&case));
        assert!(page.contains("a&lt;b&gt;.cub") && !page.contains("a<b>"), "{page}");
        assert!(picture.contains("stroke-dasharray") && picture.contains(">go(#1)</text>"), "{picture}");
        assert!(picture.contains("#1 @ X &lt;&gt; A"), "{picture}");
        assert!(graph.contains("n2 -> n1 [label=\"go(#1)\", style=dashed, color=red"), "{graph}");
    }
    let placement = SystemPlacement { transitions: vec![0], cost: 10, diff: "--- a\n".to_owned() };
    let mut repair = SystemRepair { placements: vec![placement], ..SystemRepair::default() };
    conforms(&repair_json(&system, &under, &repair, 0.5), "system-fences");
    assert!(repair_text(&system, &under, &repair, Options::default()).ends_with("\nFENCES 1 (cost 10)\n"));
    repair = SystemRepair { unknown: Some(NoAnswer::Cancelled), ..SystemRepair::default() };
    conforms(&repair_json(&system, &under, &repair, 0.5), "system-fences");
    assert!(repair_text(&system, &under, &repair, Options::default()).ends_with("\nUNKNOWN (cancelled)\n"));
}

#[test]
fn certificates_have_their_shape_and_the_names_of_the_program() {
    use witness::invariant::{Bound, Buffer, ControlPoint, Held, Invariant, Keep, Quantity, Region, Status};
    let example = sb();
    let mut cells = example.program.addresses();
    let (x, y) = (cells.next().unwrap(), cells.next().unwrap());
    let place = ControlPoint {
        thread: 0,
        frames: Vec::new(),
        status: Status::Ended(Held::Known(0)),
        open: 0,
        inside: false,
        own: [].into(),
        started: 0,
        early: false,
    };
    let buffer = Buffer { slots: vec![(x, 0)], rest: vec![y], closed: false };
    let bounds = [(1, 0, 3), (0, 2, -1), (1, 2, 5)];
    let bounds = bounds.map(|(left, right, limit)| Bound { left, right, limit }).to_vec();
    let invariant = Invariant {
        buffers: model::Buffers::Location,
        keep: Keep::Oldest,
        k: 1,
        shared: [x, y].into(),
        settled: [].into(),
        private: [].into(),
        variables: [].into(),
        counted: [].into(),
        places: vec![place],
        terms: [Quantity::Zero, Quantity::Memory(x), Quantity::Newest { thread: 0, cell: y }]
            .map(|quantity| vec![(quantity, 1)])
            .to_vec(),
        regions: vec![Region { threads: vec![(0, buffer)], bounds }],
    };
    let json = report::certificate::certificate(&example.program, &model(), "SAFE", &invariant);
    conforms(&json, "certificate");
    let value: Value = serde_json::from_str(&json).unwrap();
    let newest = "thread 0: newest write to y";
    let expected = ["x <= 3".to_owned(), format!("{newest} >= 1"), format!("(x) - ({newest}) <= 5")];
    assert_eq!(value["states"][0]["bounds"], serde_json::json!(expected));
    assert_eq!(value["states"][0]["threads"][0]["writes"], serde_json::json!([["x", 0]]));
}

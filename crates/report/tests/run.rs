//! The results of a project in all formats.
// Clippy's exception for tests does not see helper functions of integration tests.
#![allow(clippy::unwrap_used)]

use report::run::{Row, Status, from_json_line, json_line, junit, markdown, sarif, summary, text, worst};
use serde_json::{Value, json};

/// The parts of SARIF 2.1.0 that are used: objects have these properties and no others; those with a star must be there. The
/// names, types and what must be there are those of the standard's schema.
const SARIF: &[(&str, &[(&str, &str)])] = &[
    ("sarifLog", &[("$schema", "uri"), ("version*", "2.1.0"), ("runs*", "[run]")]),
    (
        "run",
        &[
            ("tool*", "tool"),
            ("invocations", "[invocation]"),
            ("originalUriBaseIds", "any"),
            ("columnKind", "unicodeCodePoints"),
            ("results", "[result]"),
        ],
    ),
    ("tool", &[("driver*", "toolComponent")]),
    ("toolComponent", &[("name*", "text"), ("semanticVersion", "text"), ("rules", "[reportingDescriptor]")]),
    (
        "reportingDescriptor",
        &[
            ("id*", "text"),
            ("name", "text"),
            ("shortDescription", "message"),
            ("defaultConfiguration", "configuration"),
        ],
    ),
    ("configuration", &[("level", "level")]),
    ("invocation", &[("executionSuccessful*", "truth")]),
    (
        "result",
        &[
            ("ruleId", "text"),
            ("ruleIndex", "number"),
            ("level", "level"),
            ("message*", "message"),
            ("locations", "[location]"),
            ("relatedLocations", "[location]"),
            ("codeFlows", "[codeFlow]"),
            ("fixes", "[fix]"),
            ("partialFingerprints", "any"),
            ("properties", "any"),
        ],
    ),
    ("message", &[("text*", "text")]),
    ("location", &[("physicalLocation", "physicalLocation"), ("message", "message")]),
    ("physicalLocation", &[("artifactLocation*", "artifactLocation"), ("region", "region")]),
    ("artifactLocation", &[("uri*", "uri"), ("uriBaseId", "text")]),
    (
        "region",
        &[("startLine*", "positive"), ("startColumn", "positive"), ("endLine", "positive"), ("endColumn", "positive")],
    ),
    ("codeFlow", &[("message", "message"), ("threadFlows*", "[threadFlow]")]),
    ("threadFlow", &[("id", "text"), ("locations*", "[threadFlowLocation]")]),
    ("threadFlowLocation", &[("location", "location"), ("executionOrder", "number")]),
    ("fix", &[("description", "message"), ("artifactChanges*", "[artifactChange]")]),
    ("artifactChange", &[("artifactLocation*", "artifactLocation"), ("replacements*", "[replacement]")]),
    ("replacement", &[("deletedRegion*", "region"), ("insertedContent", "content")]),
    ("content", &[("text", "text")]),
];

fn valid(value: &Value, kind: &str, at: &str) -> Result<(), String> {
    let wrong = || Err(format!("{at}: {value} is no {kind}"));
    if let Some(item) = kind.strip_prefix('[') {
        let Some(all) = value.as_array().filter(|all| !all.is_empty() || at.ends_with("results")) else {
            return wrong();
        };
        let item = item.trim_end_matches(']');
        return all.iter().enumerate().try_for_each(|(index, value)| valid(value, item, &format!("{at}[{index}]")));
    }
    let holds = match kind {
        "any" => value.is_object(),
        "text" => value.as_str().is_some_and(|text| !text.is_empty()),
        "uri" => value.as_str().is_some_and(|uri| !uri.contains([' ', '<', '>', '"', '\\', '`', '{'])),
        "number" => value.is_u64(),
        "positive" => value.as_u64().is_some_and(|number| number > 0),
        "truth" => value.is_boolean(),
        "level" => ["none", "note", "warning", "error"].iter().any(|level| value == level),
        "2.1.0" | "unicodeCodePoints" => value == kind,
        object => {
            let (_, properties) = SARIF.iter().find(|(name, _)| *name == object).unwrap();
            let Some(given) = value.as_object() else { return wrong() };
            let plain = |name: &str| name.trim_end_matches('*').to_owned();
            if let Some(extra) = given.keys().find(|key| !properties.iter().any(|(name, _)| plain(name) == **key)) {
                return Err(format!("{at}: {object} has no {extra}"));
            }
            for (name, kind) in *properties {
                match given.get(&plain(name)) {
                    Some(value) => valid(value, kind, &format!("{at}.{}", plain(name)))?,
                    None if name.ends_with('*') => return Err(format!("{at}: {name} is missing")),
                    None => {}
                }
            }
            true
        }
    };
    if holds { Ok(()) } else { wrong() }
}

fn row(index: usize, expected: &str, result: Value) -> Row {
    let mut row = Row {
        index,
        total: 5,
        target: format!("target <{index}> | `x`"),
        file: "src/a b<c>.c".to_owned(),
        model: "tso".to_owned(),
        expected: expected.to_owned(),
        allow_bounded: false,
        verdict: String::new(),
        line: String::new(),
        status: Status::Incomplete,
        seconds: 0.5,
        cached: false,
        result,
        fences: Value::Null,
    };
    row.judge();
    row
}

fn violated() -> Value {
    json!({
        "kind": "check",
        "outcome": {"verdict": "unsafe", "line": "UNSAFE"},
        "threads": ["main", "left\u{1b}]]>"],
        "violation": {"sentence": "assertion `a < b && \"c\"` fails", "line": 7, "column": 3, "source": "assert(a < b);"},
        "relaxed": [{"from": 0, "to": 1}],
        "execution": {"events": [{"line": 4, "text": "W[x]=1"}, {"line": 5, "text": "R[y]=0"}]},
        "steps": [
            {"number": 1, "kind": "run", "thread": 0, "line": 3, "source": "go();", "what": "starts left"},
            {"number": 2, "kind": "run", "thread": 1, "line": 4, "source": "x = 1;", "what": "x = 1 (delayed)"},
            {"number": 3, "kind": "arrive", "thread": 1, "line": 0, "source": "", "what": "x = 1 reaches memory"},
            {"number": 4, "kind": "fail", "thread": 1, "line": 7, "source": "assert(a < b);", "what": "```fails"}
        ]
    })
}

fn rows() -> Vec<Row> {
    let outcome = |verdict: &str, line: &str| json!({"kind": "check", "outcome": {"verdict": verdict, "line": line}});
    let error = json!({"kind": "error", "reason": "input", "message": "what is `x`?", "line": 2, "column": 9});
    let mut failed = row(1, "safe", violated());
    let diff = "--- a\n+++ a\n@@ -3,3 +3,4 @@\n go();\n x = 1;\n+fence();\n-y = 1;\n+y = 2;\n r = y;\n";
    failed.fences = json!({"line": "FENCES 1 (cost 10)", "placements": [{"diff": diff}]});
    vec![
        row(0, "safe", outcome("safe", "SAFE")),
        failed,
        row(2, "safe", outcome("safe", "SAFE (unwind 3)")),
        row(3, "unsafe", outcome("safe", "SAFE")),
        row(4, "safe", error),
    ]
}

#[test]
fn verdicts_mean_what_the_project_expects() {
    let status: Vec<Status> = rows().iter().map(|row| row.status).collect();
    assert_eq!(status, [Status::Passed, Status::Failed, Status::Incomplete, Status::Failed, Status::Error]);
    assert_eq!(worst(&rows()), Status::Failed);
    assert_eq!(summary(&rows()), "1 as expected, 2 failed, 1 without a full answer, 1 not read");
    let mut bounded = rows().remove(2);
    bounded.allow_bounded = true;
    bounded.judge();
    assert_eq!(bounded.status, Status::Passed);
    for (reason, status) in [("internal", Status::Internal), ("stopped", Status::Incomplete)] {
        assert_eq!(row(0, "any", json!({"kind": "error", "reason": reason, "message": "m"})).status, status);
    }
    assert_eq!(row(0, "any", json!({"kind": "nonsense"})).status, Status::Error, "what is not understood never passes");
}

#[test]
fn sarif_is_what_the_standard_says() {
    let document: Value = serde_json::from_str(&sarif(&rows(), "0.1.0")).unwrap();
    valid(&document, "sarifLog", "log").unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "what passed is no result");
    let failed = &results[0];
    assert_eq!(failed["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a%20b%3Cc%3E.c");
    let flows = failed["codeFlows"][0]["threadFlows"].as_array().unwrap();
    assert_eq!(flows.iter().map(|flow| flow["locations"].as_array().unwrap().len()).sum::<usize>(), 3);
    assert_eq!(failed["relatedLocations"].as_array().unwrap().len(), 2);
    let replacements = &failed["fixes"][0]["artifactChanges"][0]["replacements"];
    assert_eq!(
        *replacements,
        json!([{"deletedRegion": {"startLine": 5, "startColumn": 1, "endLine": 6, "endColumn": 1},
            "insertedContent": {"text": "fence();\ny = 2;\n"}}])
    );
    let mut wrong = document.clone();
    wrong["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = json!(0);
    assert!(valid(&wrong, "sarifLog", "log").is_err(), "the validator can fail");
    valid(&serde_json::from_str(&sarif(&[], "0.1.0")).unwrap(), "sarifLog", "log").unwrap();
}

#[test]
fn junit_is_xml_with_the_right_counts() {
    use quick_xml::events::Event;
    let document = junit(&rows());
    let mut reader = quick_xml::Reader::from_str(&document);
    let (mut cases, mut failures, mut errors) = (0, 0, 0);
    loop {
        let event = reader.read_event().unwrap();
        if let Event::Start(element) | Event::Empty(element) = &event {
            match element.name().as_ref() {
                "testcase" => cases += 1,
                "failure" => failures += 1,
                "error" => errors += 1,
                _ => {}
            }
        }
        if event == Event::Eof {
            break;
        }
    }
    assert_eq!((cases, failures, errors), (5, 3, 1));
    assert!(document.contains("tests=\"5\" failures=\"3\" errors=\"1\""));
    assert!(!document.contains('\u{1b}'));
}

#[test]
fn markdown_is_not_injected() {
    let document = markdown(&rows());
    assert!(document.contains("| target &lt;0&gt; \\| \\`x\\` |"), "{document}");
    assert!(document.contains("\n````\n"), "a fence in the story needs a longer one around it: {document}");
    assert_eq!(document.matches("<details>").count(), 1);
    let lines = document.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(lines, 6, "a head and five rows");
}

#[test]
fn rows_survive_a_journey() {
    for row in rows() {
        assert_eq!(from_json_line(&json_line(&row)).unwrap(), row);
    }
    let forged = json_line(&rows()[1]).replace("\"failed\"", "\"passed\"");
    assert_eq!(from_json_line(&forged).unwrap().status, Status::Failed);
    assert!(from_json_line("{}").is_err() && from_json_line("").is_err());
    let shown = text(&rows(), report::text::Options::default());
    assert!(shown.contains("failed     target <1> | `x`  tso      UNSAFE, expected safe\n"), "{shown}");
}

//! What was proved, under which model, with which definitions and options, by which engine, up to which bound.

use crate::data::Case;
use crate::herd;
use crate::svg::escape;
use engine::Verdict;
use ir::Quantifier;
use std::fmt::Write;

/// The table for a case without an execution.
pub(super) fn proof(out: &mut String, case: &Case<'_>) {
    let (title, extent) = match case.verdict {
        Verdict::Safe(guarantee) if guarantee.is_full() => ("What was proved", Some(guarantee.words())),
        Verdict::Safe(guarantee) => ("What was proved, up to a bound", Some(guarantee.words())),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => ("What was asked", None),
    };
    let _ = writeln!(out, "<h2>{title}</h2>\n<div class=\"wide\"><table class=\"facts\">");
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(value));
        }
    };
    row("Claim", &claim(case));
    row("Holds for", &extent.unwrap_or_default());
    row("Model", &format!("{} ({})", case.model.title, case.model.name));
    row("Engine", &case.engine);
    for (name, value) in &case.facts.options {
        row(name, value);
    }
    row("Evidence", evidence(case));
    row("Check it again", &case.facts.again);
    out.push_str("</table></div>\n");
    if !case.facts.definitions.is_empty() {
        let text = escape(&case.facts.definitions);
        let name = escape(&case.model.name);
        let _ = writeln!(
            out,
            "<details>\n<summary>The model <code>{name}</code></summary>\n<pre class=\"text\">{text}</pre>\n</details>"
        );
    }
    if !case.statistics.is_empty() {
        out.push_str("<details>\n<summary>What the search cost</summary>\n<table>\n");
        for (name, value) in &case.statistics {
            let _ = writeln!(out, "<tr><td>{}</td><td>{value}</td></tr>", escape(name));
        }
        out.push_str("</table>\n</details>\n");
    }
}

/// What is claimed, in a sentence.
fn claim(case: &Case<'_>) -> String {
    match &case.program.condition {
        None => case.facts.property.clone(),
        Some(condition) => {
            let what = herd::proposition(case.program, &condition.proposition);
            match condition.quantifier {
                Quantifier::Exists | Quantifier::NotExists => format!("No execution ends with {what}."),
                Quantifier::Forall => format!("Every execution ends with {what}."),
            }
        }
    }
}

/// What stands behind the verdict.
fn evidence(case: &Case<'_>) -> &'static str {
    match (case.verdict, case.facts.certified) {
        (Verdict::Safe(_), true) => "An inductive invariant, which an independent checker has checked.",
        (Verdict::Safe(_), false) => "The engine's search; this engine gives no certificate.",
        (Verdict::Unsafe(_) | Verdict::Unknown(_), _) => "",
    }
}

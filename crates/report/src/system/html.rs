//! One page about a system: the run, the search as a picture, the text, the cubes.

use super::graph::{drawn, order};
use super::{SystemCase, SystemModel, SystemRepair, clean, graph};
use crate::html::{bar, diff, moments, page_of};
use crate::svg::escape;
use engine::{Run, SystemVerdict};
use std::fmt::Write;
use system::System;
use system::certificate::{Certificate, Cube};
use system::machine::Machine;

/// More cubes than this are not listed.
const LISTED: usize = 400;

/// The page for what `check` found out.
pub fn html(case: &SystemCase<'_>) -> String {
    let mut body = String::new();
    for invariant in &case.system.invariants {
        let line = case.system.file.line(invariant.span);
        let _ = writeln!(
            body,
            "<p class=\"note\">Taken for granted: the states of the invariant in line {line} do not occur.</p>"
        );
    }
    let badge = match case.verdict {
        SystemVerdict::Safe { checked } => {
            let cubes = case.certificate.map_or(0, |certificate| certificate.cubes.len());
            let how = if *checked { "checked" } else { "not checked" };
            let processes = case.system.processes.map_or("any number of".to_owned(), |n| n.to_string());
            let (model, name) = (escape(&case.model.model.title), escape(&case.model.model.name));
            let _ = writeln!(
                body,
                "<h2>What was proved</h2>\n<div class=\"wide\"><table class=\"facts\">\n\
                 <tr><th>Claim</th><td>No bad state can be reached.</td></tr>\n\
                 <tr><th>Holds for</th><td>{processes} processes</td></tr>\n\
                 <tr><th>Model</th><td>{model} ({})</td></tr>\n<tr><th>Engine</th><td>parametric</td></tr>\n\
                 <tr><th>Evidence</th><td>A certificate of {cubes} cubes, which was {how} by an independent checker.</td></tr>\n\
                 <tr><th>Check it again</th><td>fencepost check {file} --model {name} --certificate FILE writes it, and it is checked again</td></tr>\n</table></div>\n\
                 <div class=\"pair\">",
                name,
                file = escape(case.system.file.name()),
            );
            "safe"
        }
        SystemVerdict::Unsafe(run) => {
            told(&mut body, case, run);
            "unsafe"
        }
        SystemVerdict::Unknown(_) => {
            body += "<div class=\"pair\">\n";
            "unknown"
        }
    };
    if !matches!(case.verdict, SystemVerdict::Unsafe(_)) {
        source(&mut body, case, &bad_lines(case));
        body += "</div>\n";
    }
    picture(&mut body, case);
    if let Some(certificate) = case.certificate {
        cubes(&mut body, case, certificate);
    }
    let _ = writeln!(body, "<p class=\"fine\">Engine parametric, {:.2} s</p>", case.seconds);
    let processes = case.system.processes.map_or("any number of processes".to_owned(), |n| format!("{n} processes"));
    let question = format!("Can a bad state be reached, with {processes}?");
    let line = case.verdict.to_string();
    page_of(case.system.file.name(), &case.model.model.title, (badge, &line, &question), &body)
}

/// A run with the bar to step through it, beside the text.
fn told(out: &mut String, case: &SystemCase<'_>, run: &Run) {
    let mut marked = bad_lines(case);
    let machine = Machine::new(case.system, run.processes, case.model.memory);
    *out += "<section class=\"execution\">\n";
    bar(out, run.steps.len() + 1, "step");
    let first = escape(&clean(&case.first(&machine, run).join(", ")));
    let _ = writeln!(
        out,
        "<div class=\"pair\">\n<div class=\"story\">\n<h2>A run of {} processes</h2>\n<p>At first: <code>{first}</code></p>\n\
         <div class=\"wide\"><table class=\"happenings\">",
        run.processes
    );
    for (at, line) in case.lines(&machine, run).iter().enumerate() {
        let class = line.process.map_or(0, |process| usize::from(process) % 5 + 1);
        let arrive = if line.line.is_none() { " arrive" } else { "" };
        let number = line.line.map_or(String::new(), |line| line.to_string());
        let goto = if number.is_empty() { "0" } else { &number };
        marked.extend(line.line);
        let _ = writeln!(
            out,
            "<tr class=\"thread-{class}{arrive}\" tabindex=\"0\" data-step=\"{0}\" data-goto=\"{goto}\"><td>{0}</td><td>{1}</td><td>{number}</td><td>{2}</td></tr>",
            at + 1,
            escape(&line.who),
            escape(&line.words.join("; "))
        );
    }
    let bad = escape(&case.bad(&machine, run));
    let goto = case.system.bad.get(run.property).map_or(0, |bad| case.system.file.line(bad.span));
    let _ = writeln!(
        out,
        "<tr class=\"fail\" tabindex=\"0\" data-step=\"{}\" data-goto=\"{goto}\"><td></td><td>bad state</td><td></td><td>{bad}</td></tr>\n\
         </table></div>",
        run.steps.len() + 1
    );
    let names: Vec<String> = (1..=run.processes).map(|number| format!("#{number}")).collect();
    moments(out, &names, &case.moments(&machine, run));
    for waiting in case.waiting(&machine, run) {
        let _ = writeln!(out, "<p>Still waiting: <code>{}</code></p>", escape(&waiting));
    }
    *out += "</div>\n";
    source(out, case, &marked);
    *out += "</div>\n</section>\n";
}

/// The lines of the bad states.
fn bad_lines(case: &SystemCase<'_>) -> Vec<u32> {
    case.system.bad.iter().map(|bad| case.system.file.line(bad.span)).collect()
}

/// The page for what `fences` found out.
pub fn repair_html(system: &System, model: &SystemModel, repair: &SystemRepair, seconds: f64) -> String {
    let mut body = String::new();
    let count = repair.placements.len();
    for (at, placement) in repair.placements.iter().enumerate() {
        if count > 1 {
            let _ = writeln!(body, "<h2>Placement {} of {count}</h2>", at + 1);
        }
        let words =
            if placement.transitions.is_empty() { "It is safe as it is." } else { "It is safe with fences here:" };
        let _ = writeln!(body, "<p>{words}</p>\n<ul>");
        for &number in &placement.transitions {
            let transition = &system.transitions[number];
            let (name, line) = (escape(&clean(&transition.name)), system.file.line(transition.span));
            let _ = writeln!(body, "<li><code>fence()</code> in the guard of <code>{name}</code>, line {line}</li>");
        }
        body += "</ul>\n";
        diff(&mut body, &placement.diff);
    }
    if let Some(run) = &repair.unrepairable {
        let verdict = SystemVerdict::Unsafe(run.clone());
        let (statistics, found, certificate) = (&[], &[], None);
        let case = SystemCase { system, model, verdict: &verdict, statistics, certificate, found, seconds };
        body += "<p class=\"note\">This run is there with a fence in every transition:</p>\n";
        told(&mut body, &case, run);
    }
    if let Some(reason) = &repair.unknown {
        let _ = writeln!(body, "<p class=\"note\">The search ended: {}.</p>", escape(&reason.to_string()));
    }
    let _ = writeln!(body, "<p class=\"fine\">{seconds:.2} s</p>");
    let badge = match (repair.placements.is_empty(), &repair.unknown) {
        (false, _) => "safe",
        (true, Some(_)) => "unknown",
        (true, None) => "unsafe",
    };
    let question = "Which fences make it right?";
    page_of(system.file.name(), &model.model.title, (badge, &repair.line(), question), &body)
}

/// The text with line numbers.
fn source(out: &mut String, case: &SystemCase<'_>, marked: &[u32]) {
    let _ = writeln!(out, "<div class=\"source\">\n<h2>{}</h2>\n<pre>", escape(case.system.file.name()));
    for (at, text) in case.system.file.text().lines().enumerate() {
        let line = at + 1;
        let class = if marked.contains(&(line as u32)) { " marked" } else { "" };
        let text = if class.is_empty() {
            escape(text)
        } else {
            format!("<span class=\"instruction\">{}</span>", escape(text))
        };
        let _ = writeln!(out, "<span class=\"line{class}\" data-line=\"{line}\"><i>{line}</i>{text}</span>");
    }
    out.push_str("</pre>\n</div>\n");
}

fn picture(out: &mut String, case: &SystemCase<'_>) {
    if case.found.is_empty() {
        return;
    }
    out.push_str("<h2>The search, backwards from the bad states</h2>\n<p>Each box is a set of states from \
         which a bad one can be reached: all in which its lines hold. The search ends where a box has an initial state. A line \
         <code>#1 @ x = v</code> says that #1 is still to read v from x. The processes of a transition are those of the box that it leads to.</p>\n");
    match graph::svg(case) {
        Some(svg) => {
            let (all, shown) = (case.found.len(), drawn(case).len());
            if shown < all {
                let _ = writeln!(out, "<p>Of {all} cubes the {shown} of the run are drawn.</p>");
            }
            let _ = writeln!(out, "<div class=\"search\">\n{svg}</div>");
        }
        None => {
            let _ = writeln!(
                out,
                "<p>It has {} cubes, too many for a picture; --format dot has them.</p>",
                case.found.len()
            );
        }
    }
    let reads: Vec<(usize, Vec<String>)> = drawn(case)
        .into_iter()
        .map(|at| (at, order(case, &case.found[at])))
        .filter(|(_, all)| !all.is_empty())
        .collect();
    if reads.is_empty() || case.certificate.is_some() {
        return;
    }
    out.push_str(
        "<details>\n<summary>When the pending reads happen</summary>\n<table>\n<tr><th>box</th><th>order</th></tr>\n",
    );
    for (at, words) in reads {
        let words: Vec<String> = words.iter().map(|words| escape(words)).collect();
        let _ = writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", at + 1, words.join("<br>"));
    }
    out.push_str("</table>\n</details>\n");
}

fn cubes(out: &mut String, case: &SystemCase<'_>, certificate: &Certificate) {
    out.push_str("<h2>The certificate</h2>\n<p>No initial state is in a cube, every bad state is, and no transition leads into one from outside.</p>\n");
    if certificate.cubes.len() > LISTED {
        let _ = writeln!(out, "<p>It has {} cubes; --certificate writes them.</p>", certificate.cubes.len());
        return;
    }
    out.push_str("<table>\n<tr><th></th><th>some distinct processes satisfy</th><th>pending reads</th></tr>\n");
    for (at, cube) in certificate.cubes.iter().enumerate() {
        let reads = |cube: &Cube| {
            let words = cube.reads.iter().enumerate().map(|(at, read)| {
                format!("r{} by #{}: {}", at + 1, read.process + 1, escape(&clean(&read.order(case.system).join(", "))))
            });
            words.collect::<Vec<_>>().join("<br>")
        };
        let text = escape(&clean(&cube.text(case.system)));
        let _ = writeln!(out, "<tr><td>{}</td><td><code>{text}</code></td><td>{}</td></tr>", at + 1, reads(cube));
    }
    out.push_str("</table>\n");
}

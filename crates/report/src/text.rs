//! What a person reads on a terminal.

mod repair;
mod violation;
pub(crate) mod wrap;

pub use repair::fences;
pub(crate) use repair::painted;
pub(crate) use violation::overtakings;

use crate::data::{Case, EventKind, Explanation, Graph, GraphEvent, ModelRow, ModelTable, StateTable, Why};
use crate::herd;
use engine::Verdict;
use ir::{Program, Quantifier};
use std::fmt::Write;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// With ANSI colours.
    pub colour: bool,
    /// With the engine's statistics and the time.
    pub statistics: bool,
    /// Lines are broken that are longer than this, if there is a limit.
    pub width: Option<usize>,
}

/// Columns are put side by side up to this width; beyond it, instructions go under their events.
const WIDTH: usize = 110;

#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
}

impl Options {
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Bold => 1,
            Paint::Dim => 2,
            Paint::Red => 31,
            Paint::Green => 32,
            Paint::Yellow => 33,
        };
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Names come from files: no control character of theirs reaches the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

fn question(program: &Program, model: &str) -> String {
    let (name, file) = (clean(&program.name), clean(program.source.name()));
    let Some(condition) = &program.condition else {
        return format!("{file} under {model}: can it go wrong?");
    };
    let what = clean(&herd::proposition(program, &condition.proposition));
    match condition.quantifier {
        Quantifier::Exists => format!("{name} ({file}) under {model}: can it end with {what}?"),
        Quantifier::NotExists => format!("{name} ({file}) under {model}: does it never end with {what}?"),
        Quantifier::Forall => format!("{name} ({file}) under {model}: does it always end with {what}?"),
    }
}

fn answer(program: &Program, yes: bool) -> &'static str {
    let Some(condition) = &program.condition else {
        return if yes { "Yes. An execution that does:" } else { "No." };
    };
    match (condition.quantifier, yes) {
        (Quantifier::Exists, true) => "Yes, it can. An execution that ends so:",
        (Quantifier::Exists, false) => "No, it cannot.",
        (_, true) => "No. An execution that ends otherwise:",
        (_, false) => "Yes.",
    }
}

/// A verdict in its colour.
pub(crate) fn verdict_line(verdict: &Verdict, options: Options) -> String {
    let paint = match verdict {
        Verdict::Safe(guarantee) if guarantee.is_full() => Paint::Green,
        Verdict::Unsafe(_) => Paint::Red,
        Verdict::Safe(_) | Verdict::Unknown(_) => Paint::Yellow,
    };
    options.paint(paint, &clean(&verdict.to_string()))
}

/// What `check` says. The last line is the verdict, an interface.
pub fn check(case: &Case<'_>, options: Options) -> String {
    let program = case.program;
    let question = wrap::lines(&question(program, &clean(&case.model.title)), options.width, 0, 0).join("\n");
    let mut out = format!("{}\n", options.paint(Paint::Bold, &question));
    match case.verdict {
        Verdict::Unsafe(_) => {
            let told = case.graph.as_ref().and_then(|graph| Some((graph, graph.story.as_ref()?)));
            if let (Some((graph, story)), None) = (told, &case.undefined) {
                out += &violation::headline(graph, story, options);
                out += &violation::story(case, graph, story, options);
            } else {
                out += &ends_so(case, options);
            }
        }
        Verdict::Safe(guarantee) => {
            let answer = options.paint(Paint::Green, answer(program, false));
            let _ = writeln!(out, "{answer} Proved for {}.", guarantee.words());
        }
        Verdict::Unknown(reason) => {
            let answer = options.paint(Paint::Yellow, "No answer:");
            let _ = writeln!(out, "{answer} {}.", clean(&reason.to_string()));
        }
    }
    for note in &case.notes {
        let note = wrap::paragraph(&format!("Note: {}", clean(note)), options.width, 0);
        let _ = write!(out, "\n{note}");
    }
    if options.statistics {
        out.push('\n');
        let width = case.statistics.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(6);
        let _ = writeln!(out, "  {:<width$}  {}", "engine", clean(&case.engine));
        for (name, value) in &case.statistics {
            let _ = writeln!(out, "  {:<width$}  {value}", clean(name));
        }
        let _ = writeln!(out, "  {:<width$}  {:.2} s", "time", case.seconds);
    }
    let _ = writeln!(out, "\n{}", verdict_line(case.verdict, options));
    out
}

/// An execution that ends as asked, and what the model did with it.
fn ends_so(case: &Case<'_>, options: Options) -> String {
    let mut out = String::new();
    let words = match &case.undefined {
        Some(axiom) => format!("It is undefined: anything may happen, since `{}` fails here:", clean(axiom)),
        None => answer(case.program, true).to_owned(),
    };
    let _ = writeln!(out, "{}", options.paint(Paint::Red, &words));
    if let Some(graph) = &case.graph {
        out.push('\n');
        out += &execution(graph, options);
        out += &relaxed(graph, &case.relaxed, options);
        if let Some(explanation) = &case.explanation {
            out.push('\n');
            out += &explain(graph, explanation, options);
        }
    }
    out
}

/// Pads to a width counted in characters.
fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

/// An execution: a column per thread, who reads from whom, what reaches memory in which order, the final values.
pub fn execution(graph: &Graph, options: Options) -> String {
    let cell =
        |event: &GraphEvent| (clean(&event.show()), format!("{:>3} | {}", clean(&event.mark), clean(&event.source)));
    let mut columns: Vec<Vec<(String, String)>> = vec![Vec::new(); graph.threads.len()];
    // A fence without tags only marks a place of the text.
    let counts = |event: &&GraphEvent| event.kind != EventKind::Fence || !event.tags.is_empty();
    for event in graph.events.iter().filter(counts) {
        if let Some(column) = event.thread.and_then(|thread| columns.get_mut(thread as usize)) {
            column.push(cell(event));
        }
    }
    let longest =
        |column: &[(String, String)], of: fn(&(String, String)) -> usize| column.iter().map(of).max().unwrap_or(0);
    let widths = |column: &Vec<(String, String)>| {
        (longest(column, |c| c.0.chars().count()), longest(column, |c| c.1.chars().count()))
    };
    let sizes: Vec<(usize, usize)> = columns.iter().map(widths).collect();
    let limit = options.width.unwrap_or(WIDTH);
    let stacked = sizes.iter().map(|(event, source)| event + source + 6).sum::<usize>() + 2 > limit;
    let width_of = |at: usize| {
        let (event, source) = sizes[at];
        let name = graph.threads[at].chars().count();
        (if stacked { event.max(source) } else { event + 2 + source }).max(name) + 4
    };
    let total = 2 + (0..sizes.len()).map(width_of).sum::<usize>();
    if options.width.is_some_and(|width| total > width + 4) {
        return one_by_one(graph, &columns, options) + &ending(graph, options);
    }
    let mut out = String::new();
    let mut line = |cells: Vec<String>, paint: Option<Paint>| {
        let text: String = cells.iter().enumerate().map(|(at, cell)| pad(cell, width_of(at))).collect();
        let text = text.trim_end();
        let text = paint.map_or(text.to_owned(), |paint| options.paint(paint, text));
        let _ = writeln!(out, "  {text}");
    };
    line(graph.threads.iter().map(|name| clean(name)).collect(), Some(Paint::Bold));
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells = || columns.iter().map(move |column| column.get(row).cloned().unwrap_or_default());
        if stacked {
            line(cells().map(|(event, _)| event).collect(), None);
            line(cells().map(|(_, source)| source).collect(), Some(Paint::Dim));
        } else {
            let both =
                |(at, (event, source)): (usize, (String, String))| format!("{}  {source}", pad(&event, sizes[at].0));
            line(cells().enumerate().map(both).collect(), None);
        }
    }
    out + &ending(graph, options)
}

/// Threads below each other, where they do not fit side by side.
fn one_by_one(graph: &Graph, columns: &[Vec<(String, String)>], options: Options) -> String {
    let mut out = String::new();
    for (name, column) in graph.threads.iter().zip(columns).filter(|(_, column)| !column.is_empty()) {
        let _ = writeln!(out, "  {}", options.paint(Paint::Bold, &clean(name)));
        let width = column.iter().map(|(event, _)| event.chars().count()).max().unwrap_or(0);
        for (event, source) in column {
            let _ = writeln!(out, "    {}  {source}", pad(event, width));
        }
    }
    out
}

/// Who reads from whom, what reaches memory in which order, the final values.
fn ending(graph: &Graph, options: Options) -> String {
    let mut out = String::from("\n");
    facts(&mut out, graph, options);
    if !graph.finals.is_empty() {
        let values: Vec<String> = graph.finals.iter().map(|(name, value)| clean(&format!("{name}={value};"))).collect();
        out += &wrap::paragraph(&format!("At the end: {}", values.join(" ")), options.width, 2);
    }
    out
}

fn short(event: &GraphEvent) -> String {
    if event.initial { clean(&event.mention()) } else { clean(&event.show()) }
}

fn facts(out: &mut String, graph: &Graph, options: Options) {
    for event in graph.events.iter().filter(|event| event.kind == EventKind::Read) {
        let from = graph.edges_of("rf").find(|edge| edge.to == event.id);
        let Some(from) = from.map(|edge| &graph.events[edge.from]) else { continue };
        let over: Vec<String> =
            graph.edges_of("fr").filter(|e| e.from == event.id).map(|e| short(&graph.events[e.to])).collect();
        let stale = if over.is_empty() { String::new() } else { format!(", not yet from {}", over.join(", ")) };
        let fact = format!("{} reads from {}{stale}", short(event), short(from));
        out.push_str(&wrap::paragraph(&fact, options.width, 2));
    }
    for edge in graph.edges_of("co").filter(|edge| !graph.events[edge.from].initial) {
        let (from, to) = (&graph.events[edge.from], &graph.events[edge.to]);
        let fact = format!("{} reaches memory before {}", short(from), short(to));
        out.push_str(&wrap::paragraph(&fact, options.width, 2));
    }
}

fn relaxed(graph: &Graph, pairs: &[(usize, usize)], options: Options) -> String {
    let mut out = String::new();
    for &(first, second) in pairs {
        let (Some(first), Some(second)) = (graph.events.get(first), graph.events.get(second)) else { continue };
        let (second, first) = (clean(&second.mention()), clean(&first.mention()));
        let words = format!("Reordered: {second} took effect before {first}");
        out += &wrap::paragraph(&words, options.width, 2);
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

fn explain(graph: &Graph, explanation: &Explanation, options: Options) -> String {
    let axiom = clean(&explanation.axiom);
    let requirement =
        if explanation.requirement.is_empty() { "" } else { &format!(" ({})", clean(&explanation.requirement)) };
    let steps = &explanation.steps;
    let closed = steps.first().zip(steps.last()).is_some_and(|(first, last)| first.from == last.to);
    let violated = if closed { "is violated by this cycle:" } else { "is violated by:" };
    let head = wrap::paragraph(&format!("Axiom {axiom}{requirement} {violated}"), options.width, 2);
    // The name is painted where it is whole; broken over two lines it stays as it is.
    let mut out = head.replacen(&format!("Axiom {axiom}"), &format!("Axiom {}", options.paint(Paint::Bold, &axiom)), 1);
    let width = steps.iter().map(|step| step.relation.chars().count()).max().unwrap_or(0);
    for step in steps {
        let words =
            if step.words.is_empty() { graph.words(step.from, step.to, &step.relation) } else { step.words.clone() };
        let lines = wrap::lines(&clean(&words), options.width, width + 6, width + 6);
        let later = format!("\n{}", " ".repeat(width + 6));
        let _ = writeln!(out, "    {}  {}", pad(&clean(&step.relation), width), lines.join(&later));
    }
    out
}

/// What `why` is asked.
pub(crate) fn why_question(why: &Why<'_>) -> String {
    let (name, model) = (clean(&why.program.name), clean(&why.model.title));
    match &why.program.condition {
        Some(condition) => {
            let what = clean(&herd::proposition(why.program, &condition.bad()));
            format!("Why can {name} not end with {what} under {model}?")
        }
        None => format!("Why can {name} not go wrong under {model}?"),
    }
}

/// What `why` says.
pub fn why(why: &Why<'_>, options: Options) -> String {
    let question = wrap::lines(&why_question(why), options.width, 0, 0).join("\n");
    let mut out = format!("{}\n", options.paint(Paint::Bold, &question));
    if why.refuted.is_empty() {
        out += match why.program.condition {
            Some(_) => "No choice of who reads from whom ends so, whatever the model.\n",
            None => "No choice of who reads from whom makes it fail, whatever the model.\n",
        };
    }
    let count = why.refuted.len();
    for (at, refuted) in why.refuted.iter().enumerate() {
        let number = if count > 1 { format!(" {} of {count}", at + 1) } else { String::new() };
        let fails = refuted.graph.story.as_ref().map_or(String::new(), |story| {
            format!(", in which {}", clean(&story.failure.sentence(&refuted.graph.threads)))
        });
        let words = format!("It would take this execution{number}{fails}:");
        let _ = writeln!(out, "\n{}", wrap::paragraph(&words, options.width, 0));
        out += &execution(&refuted.graph, options);
        out.push('\n');
        out += &explain(&refuted.graph, &refuted.explanation, options);
    }
    out
}

/// All final states with the number of executions that end in each.
pub fn states(table: &StateTable<'_>, options: Options) -> String {
    let program = table.program;
    let head =
        format!("{} ({}) under {}", clean(&program.name), clean(program.source.name()), clean(&table.model.title));
    let mut out = format!("{}\n", options.paint(Paint::Bold, &head));
    let states = herd::sorted_states(table);
    let holding: Vec<String> = table
        .states
        .iter()
        .filter(|s| program.condition.as_ref().is_some_and(|c| c.proposition.holds(&s.state)))
        .map(|s| herd::state(program, &s.state))
        .collect();
    let total: u64 = states.iter().map(|(_, executions)| executions).sum();
    let plural = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let count = plural(states.len() as u64, "final state");
    let counted = total > 0 || states.is_empty();
    let executions = if counted { plural(total, "execution") } else { "executions not counted".to_owned() };
    let _ = writeln!(out, "{count}, {executions}\n");
    for (state, executions) in &states {
        let mark = if holding.contains(state) { "*" } else { " " };
        let number = if counted { executions.to_string() } else { String::new() };
        let _ = writeln!(out, "{number:>8} {mark} {}", clean(state));
    }
    if let (Some(condition), false) = (&program.condition, holding.is_empty()) {
        let _ = writeln!(out, "\n* {}", clean(&herd::proposition(program, &condition.proposition)));
    }
    if !table.guarantee.is_full() {
        let _ = writeln!(out, "\nThese are the states of {}.", table.guarantee.words());
    }
    let mut flags: Vec<&str> = table.states.iter().flat_map(|s| s.flags.iter().map(String::as_str)).collect();
    flags.sort_unstable();
    flags.dedup();
    for flag in flags {
        let _ = writeln!(out, "Flag {}", clean(flag));
    }
    out
}

/// A program under several models, and the weakest of them that is still safe.
pub fn models(table: &ModelTable<'_>, options: Options) -> String {
    let program = table.program;
    let condition =
        program.condition.as_ref().map_or(String::new(), |_| format!(": {}", clean(&herd::condition(program))));
    let head = format!("{} ({}){condition}", clean(&program.name), clean(program.source.name()));
    let mut out = format!("{}\n\n", options.paint(Paint::Bold, &head));
    let width = table.rows.iter().map(|row| row.model.name.chars().count()).max().unwrap_or(0);
    for row in &table.rows {
        let time = if options.statistics { format!("{:>8.2} s  ", row.seconds) } else { String::new() };
        let verdict = verdict_line(&row.verdict, options);
        let _ = writeln!(out, "  {}  {time}{verdict}", pad(&clean(&row.model.name), width));
    }
    out.push('\n');
    let weakest = table.weakest_safe();
    let is_bounded = |row: &ModelRow| matches!(&row.verdict, Verdict::Safe(guarantee) if !guarantee.is_full());
    let bounded = if table.rows.iter().any(is_bounded) { " up to the bound" } else { "" };
    let _ = match weakest.as_slice() {
        [] => writeln!(out, "Safe under none of them."),
        [one] => writeln!(out, "The weakest model that is still safe{bounded}: {}", clean(one)),
        several => writeln!(out, "The weakest models that are still safe{bounded}: {}", clean(&several.join(", "))),
    };
    out
}

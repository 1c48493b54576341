//! How a property of a C program comes to fail, for a terminal.

use super::{Options, Paint, clean, execution, explain, pad, wrap};
use crate::data::{Case, EventKind, Graph, GraphEvent};
use crate::story::{FailureKind, StepKind, Story, StoryStep, Telling};
use std::fmt::Write;

/// Source text is cut to this width in the list of steps, and to less where lines must be short.
const SOURCE: usize = 46;

/// What happens gets at least this width beside the source, or goes below it.
const WORDS: usize = 26;

/// What fails and where, before the verdict's explanation.
pub(super) fn headline(graph: &Graph, story: &Story, options: Options) -> String {
    let words = format!("Yes: {}", clean(&story.failure.sentence(&graph.threads)));
    let mut out = String::new();
    if story.failure.kind == FailureKind::Deadlock {
        let _ = writeln!(out, "{}", options.paint(Paint::Red, &wrapped(&format!("{words}."), options)));
        waiting(&mut out, graph, story);
    } else {
        let _ = writeln!(out, "{}", options.paint(Paint::Red, &wrapped(&format!("{words}:"), options)));
        let _ = writeln!(out, "  {:>5} | {}", clean(&story.failure.mark), clean(&story.failure.source));
    }
    out
}

fn wrapped(text: &str, options: Options) -> String {
    wrap::lines(text, options.width, 0, 0).join("\n")
}

fn waiting(out: &mut String, graph: &Graph, story: &Story) {
    let name = |thread: u32| graph.threads.get(thread as usize).map_or("?", String::as_str);
    let width = story.waiting.iter().map(|w| name(w.thread).chars().count()).max().unwrap_or(0);
    for waiting in &story.waiting {
        let (thread, source) = (pad(&clean(name(waiting.thread)), width), clean(&waiting.source));
        let _ = writeln!(out, "  {thread}  {:>5} | {source}", clean(&waiting.mark));
        let _ = writeln!(out, "  {}        | {}", " ".repeat(width), clean(&waiting.what));
    }
}

/// How it comes about: the steps, and what was reordered.
pub(super) fn story(case: &Case<'_>, graph: &Graph, story: &Story, options: Options) -> String {
    let mut out = String::from("\n");
    let telling = match story.telling {
        Telling::Turns => "The threads take turns:",
        Telling::Delayed => "The threads take turns; a delayed write reaches memory later, and others read old values:",
        Telling::Early => "The steps in the order in which they take effect, which is not always that of the program:",
        Telling::Apart => "No order of all steps explains this. Each thread by itself:",
    };
    let _ = writeln!(out, "{}", wrapped(telling, options));
    if story.telling == Telling::Apart {
        out.push('\n');
        out += &execution(graph, options);
    } else {
        out += &steps(graph, story, options);
    }
    out += &reordered(graph, &case.relaxed, options);
    if let (Telling::Apart, Some(explanation)) = (story.telling, &case.explanation) {
        out.push('\n');
        out += &explain(graph, explanation, options);
    }
    out
}

/// Beyond this many values those that are zero are not listed.
const MANY: usize = 8;

/// Initial values in a sentence.
fn initially(all: &[(String, String)]) -> String {
    let other: Vec<(String, String)> =
        all.iter().filter(|(_, value)| !matches!(&**value, "0" | "NULL")).cloned().collect();
    if all.len() <= MANY || other.len() * 2 > all.len() {
        return format!("Initially {}.", values(all));
    }
    if other.is_empty() {
        "Initially all is 0.".to_owned()
    } else {
        format!("Initially {}, all else 0.", values(&other))
    }
}

fn values(all: &[(String, String)]) -> String {
    let all: Vec<String> = all.iter().map(|(name, value)| clean(&format!("{name} = {value}"))).collect();
    all.join(", ")
}

fn cut(text: &str, width: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= width {
        return text;
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// How wide the columns of the list of steps are.
struct Columns {
    thread: usize,
    line: usize,
    source: usize,
    /// Where the line is between the places and the source.
    bar: usize,
    /// Where the words begin if they go beside the source.
    words: usize,
    /// Whether they go below it.
    below: bool,
}

impl Columns {
    fn new(thread: usize, (longest, line): (usize, usize), options: Options) -> Columns {
        let bar = thread + line + 11;
        let room = options.width.unwrap_or(usize::MAX).saturating_sub(bar + 4);
        let source = longest.min(SOURCE).min((room / 5 * 2).max(16));
        let below = room.saturating_sub(source) < WORDS;
        let source = if below { longest.min(SOURCE).min(room.max(16)) } else { source };
        Columns { thread, line, source, bar, words: if below { bar + 2 } else { bar + 4 + source }, below }
    }
}

fn steps(graph: &Graph, story: &Story, options: Options) -> String {
    let mut out = String::new();
    if !story.initial.is_empty() {
        out += &wrap::paragraph(&initially(&story.initial), options.width, 2);
    }
    out.push('\n');
    let name = |thread: u32| clean(graph.threads.get(thread as usize).map_or("?", String::as_str));
    let who = |step: &StoryStep| match (step.kind, step.thread) {
        (StepKind::Arrive, _) => "(memory)".to_owned(),
        (_, Some(thread)) => name(thread),
        (_, None) => String::new(),
    };
    let whose = |step: &StoryStep| match (step.kind, step.thread) {
        (StepKind::Arrive, Some(thread)) => format!("{}'s ", name(thread)),
        (_, _) => String::new(),
    };
    let width = story.steps.iter().map(|step| who(step).chars().count()).max().unwrap_or(0).max(6);
    let source = story.steps.iter().map(|step| clean(&step.source).chars().count()).max().unwrap_or(0);
    let lines = story.steps.iter().map(|step| clean(&step.mark).chars().count()).max().unwrap_or(0).max(5);
    let columns = Columns::new(width, (source, lines), options);
    let head =
        format!("{:>4}  {}  {:>lines$} | {}", "step", pad("thread", width), "line", pad("source", columns.source));
    let head = if columns.below { head } else { format!("{head}  what happens") };
    let _ = writeln!(out, "  {}", options.paint(Paint::Dim, head.trim_end()));
    let mut last = None;
    for step in &story.steps {
        let name = pad(&who(step), columns.thread);
        let name = if last == step.thread { name } else { options.paint(Paint::Bold, &name) };
        let what = format!("{}{}", whose(step), clean(&step.what));
        out += &row(step, &name, &what, &columns, options);
        last = step.thread;
    }
    if !story.state.is_empty() {
        let words = format!("In memory when it fails: {}.", values(&story.state));
        let _ = write!(out, "\n{}", wrap::paragraph(&words, options.width, 2));
    }
    out
}

/// A step: its number, the thread, the line, the source and what happens, which may take several lines.
fn row(step: &StoryStep, name: &str, what: &str, columns: &Columns, options: Options) -> String {
    let paint = |line: &String| match step.kind {
        StepKind::Run => line.clone(),
        StepKind::Arrive => options.paint(Paint::Yellow, line),
        StepKind::Fail => options.paint(Paint::Red, line),
    };
    let (line, width) = (clean(&step.mark), columns.line);
    let what: Vec<String> = wrap::lines(what, options.width, columns.words, columns.words).iter().map(paint).collect();
    let source = cut(&step.source, columns.source);
    let begin = format!("{:>4}  {name}  {line:>width$} |", step.number);
    let margin = " ".repeat(columns.bar);
    let blank = if columns.below { String::new() } else { " ".repeat(columns.source + 2) };
    let (first, rest) = if !columns.below || source.is_empty() {
        let first = if columns.below { String::new() } else { format!("{}  ", pad(&source, columns.source)) };
        (format!("{begin} {first}{}", what[0]), &what[1..])
    } else {
        (format!("{begin} {source}"), &what[..])
    };
    let mut out = format!("  {}\n", first.trim_end());
    for line in rest {
        let _ = writeln!(out, "{margin}| {blank}{line}");
    }
    out
}

fn reordered(graph: &Graph, pairs: &[(usize, usize)], options: Options) -> String {
    let mut out = String::new();
    for words in overtakings(graph, pairs) {
        out += &wrap::paragraph(&clean(&words), options.width, 2);
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

/// The pairs of program order that the model does not keep, in the words of the program: those that took effect in the
/// other order, then those that could have.
pub(crate) fn overtakings(graph: &Graph, pairs: &[(usize, usize)]) -> Vec<String> {
    let story = graph.story.as_ref().filter(|story| story.telling != Telling::Apart);
    let (mut done, mut possible) = (Vec::new(), Vec::new());
    for &(first, second) in pairs {
        let (Some(one), Some(other)) = (graph.events.get(first), graph.events.get(second)) else { continue };
        let thread = other.thread.and_then(|thread| graph.threads.get(thread as usize)).map_or("?", String::as_str);
        if story.is_none_or(|story| story.inverts(first, second)) {
            done.push(format!("Reordered: {}", overtaking(thread, one, other)));
        } else {
            let (one, other) = (access(one), access(other));
            possible.push(format!("Not kept in order either: in {thread}, {one} and {other}"));
        }
    }
    done.extend(possible);
    done
}

/// An access as a thing: `x = 1 (line 3)`, `the read of y (line 4)`.
fn access(event: &GraphEvent) -> String {
    match event.kind {
        EventKind::Read => format!("the read of {} ({})", event.location(), event.place()),
        EventKind::Write => format!("{} ({})", event.assignment(), event.place()),
        EventKind::Fence => format!("the fence ({})", event.place()),
    }
}

/// How the second of two events in program order took effect before the first.
fn overtaking(thread: &str, first: &GraphEvent, second: &GraphEvent) -> String {
    let early = match second.kind {
        EventKind::Read => format!("{thread} reads {} ({})", second.location(), second.place()),
        EventKind::Write => format!("{thread}'s {} ({}) reaches memory", second.assignment(), second.place()),
        EventKind::Fence => format!("{thread}'s fence ({})", second.place()),
    };
    let late = match first.kind {
        EventKind::Read => format!("it reads {} ({})", first.location(), first.place()),
        EventKind::Write => {
            let does = if second.kind == EventKind::Write { "does" } else { "reaches memory" };
            format!("its {} ({}) {does}", first.assignment(), first.place())
        }
        EventKind::Fence => format!("its fence ({})", first.place()),
    };
    format!("{early} before {late}")
}

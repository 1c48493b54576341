//! How cost grows: programs of one kind, each twice as large as the one before, until there is no answer in time.
//!
//! The slope is that of the last three points above a tenth of a second, in a plot with logarithmic axes: 1 is linear. A bar is what we promise
//! at one size; what lies beyond it is there to be seen.

mod plot;
mod programs;

use crate::run::{cpu_seconds, fencepost, root, scratch};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;

/// CPU seconds after which a series ends.
const ENOUGH: f64 = 30.0;

/// One kind of program.
#[derive(Clone, Copy)]
pub struct Series {
    pub name: &'static str,
    /// `check` or `fences`, and its options.
    command: &'static [&'static str],
    ending: &'static str,
    model: &'static str,
    make: fn(u32) -> String,
    sizes: &'static [u32],
    /// The last line, without what stands behind `FENCES`.
    answer: &'static str,
    /// The size and the seconds of what is promised.
    bar: Option<(u32, f64)>,
}

/// The first line of the table in the book.
const TABLE: &str = "| series | model | size: CPU seconds | slope | bar |";

/// What was measured: size and CPU seconds.
pub type Points = Vec<(u32, f64)>;

/// How much longer a program may take under the full model of Power than under its frame.
const POWERS: f64 = 5.0;

const TWICE: &[u32] = &[4, 8, 16, 32, 64, 128, 256, 512, 1024];
const SLOWLY: &[u32] = &[2, 4, 6, 8, 10, 12, 16];

const fn check(name: &'static str, make: fn(u32) -> String, sizes: &'static [u32], bar: (u32, f64)) -> Series {
    Series { name, command: &["check"], ending: "c", model: "tso", make, sizes, answer: "SAFE", bar: Some(bar) }
}

const fn fences(name: &'static str, model: &'static str, make: fn(u32) -> String, bar: (u32, f64)) -> Series {
    Series { name, command: &["fences"], ending: "c", model, make, sizes: TWICE, answer: "FENCES", bar: Some(bar) }
}

const fn system(
    name: &'static str,
    make: fn(u32) -> String,
    model: &'static str,
    sizes: &'static [u32],
    bar: (u32, f64),
) -> Series {
    Series { name, command: &["check"], ending: "cub", model, make, sizes, answer: "SAFE", bar: Some(bar) }
}

/// The same under another model, without a promise.
const fn under(series: Series, model: &'static str, answer: &'static str) -> Series {
    Series { model, answer, bar: None, ..series }
}

const SERIES: &[Series] = &[
    check("independent pairs", programs::pairs, &[4, 8, 16, 32, 64, 128], (64, 1.0)),
    check("ring of threads", programs::ring, &[4, 8, 16, 32, 64, 128], (64, 1.0)),
    check("accesses to two locations", programs::straight, &[64, 128, 256, 512, 1024, 2048], (1024, 3.0)),
    check("stores in a loop", programs::counted_stores, &[64, 128, 256, 512, 1024, 2048, 4096], (1024, 2.0)),
    check("array, any index", programs::array, &[32, 64, 128, 256, 512, 1024], (512, 2.0)),
    check("list read while written", programs::list, &[4, 8, 16, 32, 64], (64, 5.0)),
    check("push and pop with malloc", programs::push_pop, SLOWLY, (8, 5.0)),
    check("mutex, identical threads", programs::mutex, SLOWLY, (12, 10.0)),
    check("ticket lock, identical threads", programs::ticket, SLOWLY, (8, 10.0)),
    check("compare-and-swap, identical threads", programs::compare_and_swap, SLOWLY, (12, 10.0)),
    under(
        check("accesses to two locations", programs::straight, &[64, 128, 256, 512], (0, 0.0)),
        "power-frame",
        "SAFE",
    ),
    under(check("accesses to two locations", programs::straight, &[64, 128, 256, 512], (0, 0.0)), "ppc", "SAFE"),
    under(check("independent pairs", programs::pairs, &[4, 8, 16, 32, 64], (0, 0.0)), "ppc", "SAFE"),
    under(check("list read while written", programs::list, &[4, 8, 16, 32], (0, 0.0)), "ppc", "SAFE"),
    fences("fences: independent pairs", "tso", programs::pairs_without_fences, (16, 5.0)),
    fences("fences: messages", "power-frame", programs::messages, (32, 5.0)),
    fences("fences: places", "tso", programs::places, (1024, 5.0)),
    system("system: places of an enumeration", programs::enumeration, "sc", &[8, 16, 32, 64, 128], (128, 5.0)),
    system("system: weak flags", programs::flags, "tso", SLOWLY, (10, 5.0)),
    system("system: processes in `unsafe`", programs::crowd, "sc", &[2, 3, 4, 5, 6, 7, 8], (8, 5.0)),
];

/// Prints a block for each series and draws the plot of the book; a quick look takes the sizes of the bars.
pub fn run(quick: bool) -> Result<()> {
    let binary = fencepost()?;
    let folder = scratch("growth")?;
    println!("CPU seconds, start-up included; `!` marks what is behind its bar");
    let mut drawn: Vec<(&Series, Points)> = Vec::new();
    let mut late = 0;
    for series in SERIES {
        let points = measure(&binary, &folder, series, quick, u32::MAX)?;
        let behind = series.bar.is_some_and(|(size, most)| {
            (quick || series.sizes.contains(&size)) && !points.iter().any(|&(at, took)| at == size && took <= most)
        });
        late += usize::from(behind);
        let slope = slope(&points).map_or("-".to_owned(), |slope| format!("{slope:.1}"));
        let figures: Vec<String> = points.iter().map(|(size, seconds)| format!("{size}: {seconds:.2}")).collect();
        let bar = series.bar.map_or(String::new(), |(size, most)| format!("  (at most {most} at {size})"));
        let mark = if behind { "!" } else { " " };
        println!("{mark} {:<36} {:<6} slope {slope:>4}  {}{bar}", series.name, series.model, figures.join("  "));
        drawn.push((series, points));
    }
    println!("{} series, {late} behind their bars", SERIES.len());
    if !quick {
        compare_powers(&binary, &folder)?;
        write_page(&drawn)?;
    }
    Ok(())
}

/// How much longer programs of each kind take under the full model of Power than under its frame: at the largest size up to the bar's that both decide.
fn compare_powers(binary: &Path, folder: &Path) -> Result<()> {
    println!("CPU seconds under ppc and power-frame; `!` marks more than {POWERS} times, above a tenth of a second");
    for series in SERIES.iter().filter(|series| series.command == ["check"] && series.model == "tso") {
        let Some((most, _)) = series.bar.filter(|_| series.ending == "c") else { continue };
        let mut points = [Points::new(), Points::new()];
        for (model, points) in ["ppc", "power-frame"].into_iter().zip(&mut points) {
            *points = measure(binary, folder, &under(*series, model, "SAFE"), false, most)?;
        }
        let [full, frame] = points;
        let both = full.iter().rev().find_map(|&(size, slow)| {
            let &(_, quick) = frame.iter().find(|&&(at, _)| at == size)?;
            Some((size, slow, quick))
        });
        let Some((size, slow, quick)) = both else { continue };
        let mark = if slow > 0.1 && slow > POWERS * quick { "!" } else { " " };
        println!("{mark} {:<36} {size}: {slow:.2} and {quick:.2}, {:.1} times", series.name, slow / quick);
    }
    Ok(())
}

/// Draws the plot of the book's page and writes its table anew.
fn write_page(drawn: &[(&Series, Points)]) -> Result<()> {
    let book = root().join("book/src");
    let lines: Vec<(String, Points)> =
        drawn.iter().map(|(series, points)| (format!("{} ({})", series.name, series.model), points.clone())).collect();
    std::fs::write(book.join("growth.svg"), plot::svg(&lines))?;
    let page = std::fs::read_to_string(book.join("growth.md"))?;
    let (before, rest) = page.split_once(TABLE).context("growth.md has no table")?;
    let behind = rest.find("\n\n").map_or("", |end| &rest[end..]);
    std::fs::write(book.join("growth.md"), format!("{before}{}{behind}", table(drawn).trim_end()))?;
    Ok(())
}

/// The series as rows of Markdown, the last four sizes of each.
fn table(drawn: &[(&Series, Points)]) -> String {
    let mut text = format!("{TABLE}\n|---|---|---|---|---|\n");
    for (series, points) in drawn {
        let slope = slope(points).map_or("–".to_owned(), |slope| format!("{slope:.1}"));
        let last = &points[points.len().saturating_sub(4)..];
        let figures: Vec<String> = last.iter().map(|(size, seconds)| format!("{size}: {seconds:.2}")).collect();
        let bar = series.bar.map_or("–".to_owned(), |(size, most)| format!("{size}: {most}"));
        let _ = writeln!(text, "| {} | {} | {} | {slope} | {bar} |", series.name, series.model, figures.join(", "));
    }
    text
}

/// The points of a series up to a size, as far as there were answers in time.
fn measure(binary: &Path, folder: &Path, series: &Series, quick: bool, most: u32) -> Result<Points> {
    let mut points = Points::new();
    let only = series.bar.map(|(size, _)| size);
    for &size in series.sizes.iter().filter(|&&size| size <= most && (!quick || Some(size) == only)) {
        let file = folder.join(format!("program.{}", series.ending));
        std::fs::write(&file, (series.make)(size))?;
        let file = file.to_string_lossy().into_owned();
        let limit = (ENOUGH * 2.0).to_string();
        let mut args = series.command.to_vec();
        args.extend([file.as_str(), "--model", series.model, "--timeout", &limit, "--memory", "4000"]);
        let (text, seconds) = cpu_seconds(binary, &args, 1)?;
        let last = text.lines().last().unwrap_or_default();
        if last != series.answer && !(series.answer == "FENCES" && last.starts_with("FENCES")) {
            println!("  {} of size {size} under {}: {last} after {seconds:.1} s", series.name, series.model);
            break;
        }
        points.push((size, seconds));
        if seconds > ENOUGH {
            break;
        }
    }
    Ok(points)
}

/// How steep the last three points above a tenth of a second are.
fn slope(points: &[(u32, f64)]) -> Option<f64> {
    let visible: Vec<(f64, f64)> =
        points.iter().filter(|point| point.1 > 0.1).map(|&(size, took)| (f64::from(size).ln(), took.ln())).collect();
    let last = &visible[visible.len().saturating_sub(3)..];
    let (first, end) = (last.first()?, last.last()?);
    (end.0 > first.0).then(|| (end.1 - first.1) / (end.0 - first.0))
}

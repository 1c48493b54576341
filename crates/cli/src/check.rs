//! `fencepost check`.

use crate::args::{Check, CheckFormat};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, competition, facts, input, machines, output, systems};
use anyhow::Result;
use engine::{Engine, NoAnswer, Verdict};
use fencepost::case::{bare, described, model_name};
use ir::Program;
use model::Model;
use report::json::Trouble;
use report::{Case, Graph, ModelRow, ModelTable, text};
use session::{Failure, Subject};
use std::path::Path;

/// Checks a program under one model, or under several.
pub fn run(args: &Check) -> Result<u8> {
    let watch = Watch::new(&args.running, true);
    let read = || -> Result<Subject> {
        let (file, mut reading) = input::read_program(args.file.as_deref(), &args.c)?;
        input::suit_models(&mut reading.c.checks, &args.model);
        Ok(session::read(&file, &reading)?)
    };
    let loaded = watch.guard(read, |why| not_even_read(args, why));
    if loaded.is_err() && args.c.svcomp_property.is_some() {
        // The competition wants an answer even if there is none.
        output::write("unknown\n", args.output.as_deref())?;
    }
    let program = match loaded? {
        Subject::Program(program) => *program,
        Subject::System(system) => return systems::check(args, &system, &watch),
    };
    if args.model.is_empty() && program.condition.is_none() && args.c.svcomp_property.is_none() {
        files_apply(args, &program, 0)?;
        request(args, &program)?;
        return machines::check(args, &program);
    }
    let sc = ["sc".to_owned()];
    let mut models = input::models(if args.model.is_empty() { &sc } else { &args.model })?;
    if args.model.iter().any(|name| name == "all") {
        models.retain(|model| applies(model, &program));
    }
    files_apply(args, &program, models.len())?;
    request(args, &program)?;
    models.iter().flat_map(|model| session::remarks(&program, model)).for_each(|remark| output::say(&remark));
    if let [model] = &models[..] { one(args, &program, model, &watch) } else { several(args, &program, &models) }
}

/// Whether each file that is asked for can come to be.
fn files_apply(args: &Check, program: &Program, models: usize) -> Result<(), Failure> {
    let files = [
        ("--emit-c", &args.emit_c, false),
        ("--certificate", &args.certificate, true),
        ("--witness", &args.witness, true),
        ("--emit-litmus", &args.emit_litmus, true),
    ];
    for (name, _, is_for_c) in files.into_iter().filter(|(_, path, _)| path.is_some()) {
        if is_for_c && program.condition.is_some() {
            return Err(Failure::Usage(format!("{name} is for C programs: nothing would be written")));
        }
        if models != 1 {
            return Err(Failure::Usage(format!("{name} is about one model: name one with --model")));
        }
    }
    let engines = session::members(&args.running.engine);
    let certifies = |name: &&str| session::engine(args.running.engines, name).is_none_or(Engine::certifies);
    if args.certificate.is_some() && !engines.iter().any(certifies) {
        let message = format!("the engine {} gives no certificates: nothing would be written", args.running.engine);
        return Err(Failure::Usage(message));
    }
    Ok(())
}

/// Says that the limits were reached before the program was understood.
fn not_even_read(args: &Check, why: NoAnswer) {
    let text = match args.format {
        CheckFormat::Text if args.c.svcomp_property.is_some() => "unknown\n".to_owned(),
        CheckFormat::Text => format!("{}\n", Verdict::Unknown(why)),
        CheckFormat::Json => report::json::error(&stopped(&why)),
        CheckFormat::Html | CheckFormat::Dot | CheckFormat::Svg => {
            return output::say(&format!("no result: {}", Verdict::Unknown(why)));
        }
    };
    // The process ends now: if nobody can be told, that is all.
    let _ = output::write(&text, args.output.as_deref());
}

/// That a limit was reached before there was a program to say something about.
fn stopped(why: &NoAnswer) -> Trouble {
    Trouble {
        reason: "stopped",
        message: format!("no result: {why}"),
        help: None,
        file: None,
        line: None,
        column: None,
        exit_code: UNKNOWN,
        rendered: format!("no result: {why}"),
    }
}

/// Whether a model is about programs of this kind.
pub fn applies(model: &Model, program: &Program) -> bool {
    // Data races of C programs are not looked for.
    let undefines = model.undefines();
    if program.condition.is_none() && undefines {
        return false;
    }
    session::suits(program, model).is_ok()
}

/// What to ask of the session.
pub fn request(args: &Check, program: &Program) -> Result<session::Request, Failure> {
    // The sequential program is what the engine `lazy` searches.
    let also = args.emit_c.as_ref().map(|_| "lazy");
    args.running.request(program.condition.is_none().then(|| args.c.property()), also)
}

fn one(args: &Check, program: &Program, model: &Model, watch: &Watch) -> Result<u8> {
    let give_up = |why| {
        let verdict = Verdict::Unknown(why);
        let case = case(program, model, "none", &verdict, watch);
        // The process ends now: if nobody can be told, that is all.
        let _ = render(args, &case).and_then(|text| print(args, text));
    };
    if let Some(path) = &args.emit_c {
        let text = session::sequential(program, model, &request(args, program)?, watch)?;
        output::write(&text, Some(path))?;
    }
    let (text, code) = watch.guard(|| decide(args, program, model, watch), give_up)?;
    print(args, text)?;
    Ok(code)
}

pub fn print(args: &Check, text: Option<String>) -> Result<()> {
    text.map_or(Ok(()), |text| output::write(&text, args.output.as_deref()))
}

pub fn case<'a>(program: &'a Program, model: &Model, engine: &str, verdict: &'a Verdict, watch: &Watch) -> Case<'a> {
    Case { seconds: watch.seconds(), ..bare(program, model, engine, verdict) }
}

/// The report, if there is something to report, and the exit code.
fn decide(args: &Check, program: &Program, model: &Model, watch: &Watch) -> Result<(Option<String>, u8)> {
    let found = session::check(program, model, &request(args, program)?, watch)?;
    let facts = facts::facts(args, model, found.engine, found.certificate.is_some());
    let mut case = Case { facts, seconds: watch.seconds(), ..described(&found, model)? };
    remarks(args, &mut case, program, model, watch)?;
    competition::witness(&case, args)?;
    competition::litmus(&case, model, args)?;
    if let Some(path) = &args.certificate {
        match &found.certificate {
            Some(invariant) => {
                let claim = found.result.to_string();
                let text = report::certificate::certificate(&found.program, &case.model, &claim, invariant);
                output::write(&text, Some(path))?;
            }
            None => output::say(&format!("no certificate was written: the engine {} gave none", found.engine)),
        }
    }
    Ok((render(args, &case)?, code(&found.result)))
}

/// Says beside a verdict what it does not mean.
pub fn remarks(args: &Check, case: &mut Case<'_>, program: &Program, model: &Model, watch: &Watch) -> Result<()> {
    let (request, vacuity) = (request(args, program)?, args.c.svcomp_property.is_none());
    Ok(fencepost::case::remarks(case, (program, model), (&request, vacuity), watch)?)
}

/// The report in the format that was asked for.
pub fn render(args: &Check, case: &Case<'_>) -> Result<Option<String>> {
    let options = text_options(args.output.as_deref(), args.stats);
    let verdict = case.verdict;
    let text = match args.format {
        CheckFormat::Text if args.c.svcomp_property.is_some() => {
            let text = text::check(case, options);
            let (story, _) = text.trim_end().rsplit_once('\n').unwrap_or_default();
            let specification = args.c.specification().unwrap_or_default();
            format!("{story}\n{}\n", specification.last_line(verdict))
        }
        CheckFormat::Text => text::check(case, options),
        CheckFormat::Json => report::json::check(case),
        CheckFormat::Html => report::html::check(case),
        CheckFormat::Dot | CheckFormat::Svg if case.graph.is_none() => {
            output::say(&format!("no execution to draw: {verdict}"));
            return Ok(None);
        }
        CheckFormat::Dot => draw(case.graph.as_ref(), &case.program.name, report::dot::render)?,
        CheckFormat::Svg => draw(case.graph.as_ref(), &case.program.name, report::svg::render)?,
    };
    Ok(Some(text))
}

fn several(args: &Check, program: &Program, models: &[Model]) -> Result<u8> {
    let row = |model: &Model, verdict: Verdict, seconds: f64| ModelRow {
        model: model_name(model),
        weaker_than: model.head.weaker_than.clone(),
        verdict,
        seconds,
    };
    let mut rows: Vec<ModelRow> = Vec::new();
    for (at, model) in models.iter().enumerate() {
        let watch = Watch::new(&args.running, true);
        let give_up = |why: NoAnswer| {
            let untried = |model| row(model, Verdict::Unknown(NoAnswer::GaveUp("not tried".to_owned())), 0.0);
            let this = row(model, Verdict::Unknown(why), watch.seconds());
            let rows = rows.iter().cloned().chain([this]).chain(models[at + 1..].iter().map(untried)).collect();
            // The process ends now: if nobody can be told, that is all.
            let _ = table(args, &ModelTable { program, rows }).and_then(|text| print(args, Some(text)));
        };
        let request = request(args, program)?;
        let found = watch.guard(|| session::check(program, model, &request, &watch), give_up)?;
        rows.push(row(model, found.result, watch.seconds()));
    }
    let worst = rows.iter().map(|row| code(&row.verdict)).max().unwrap_or(SAFE);
    output::write(&table(args, &ModelTable { program, rows })?, args.output.as_deref())?;
    Ok(worst)
}

/// The verdicts of all models in the format that was asked for.
pub fn table(args: &Check, table: &ModelTable<'_>) -> Result<String> {
    match args.format {
        CheckFormat::Text => Ok(text::models(table, text_options(args.output.as_deref(), args.stats))),
        CheckFormat::Json => Ok(report::json::models(table)),
        CheckFormat::Dot | CheckFormat::Svg | CheckFormat::Html => {
            let message = "pictures are of one execution: give one model";
            Err(Failure::Usage(message.to_owned()).into())
        }
    }
}

pub fn code(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Safe(guarantee) if guarantee.is_full() => SAFE,
        Verdict::Safe(_) | Verdict::Unknown(_) => UNKNOWN,
        Verdict::Unsafe(_) => UNSAFE,
    }
}

/// How to write text: on a terminal in colour and as wide as that is.
pub fn text_options(to: Option<&Path>, statistics: bool) -> text::Options {
    let out = std::io::stdout();
    let width = if to.is_none() { output::width(&out) } else { None };
    text::Options { colour: to.is_none() && output::color(&out), statistics, width }
}

/// A picture of an execution, if there is one.
pub fn draw(graph: Option<&Graph>, title: &str, render: fn(&Graph, &str) -> String) -> Result<String> {
    let nothing = || Failure::Usage("there is no execution to draw; see `--format text`".to_owned());
    Ok(render(graph.ok_or_else(nothing)?, title))
}

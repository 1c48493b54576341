//! `fencepost fences`.

use crate::args::{Fences, FencesFormat};
use crate::check::{applies, describe, model_name, text_options};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output, preprocess, systems, units};
use anyhow::{Context, Result};
use engine::Verdict;
use fences::{Costs, Fence};
use ir::Program;
use model::Model;
use report::{Case, FenceRow, LineOf, PlacementRow, RepairEnd};
use session::{Conclusion, Failure, Found, Reading, Repair, Repairs, Subject};
use source::{File, SourceFile, Span};

/// Finds fences for a program under one model, or under several in turn.
pub fn run(args: &Fences) -> Result<u8> {
    if args.write && args.file.as_deref() == Some(std::path::Path::new("-")) {
        return Err(Failure::Usage("--write puts fences into a file, not into the standard input".to_owned()).into());
    }
    let (file, mut reading) = input::read_program(args.file.as_deref(), &args.c)?;
    reading.c.seams = true;
    let anchored = changed(&file, |file| front_c::with_anchors(file.text, file.start));
    again(args, &anchored, &mut reading)?;
    let program = match session::read(&file, &reading)? {
        Subject::Program(program) => *program,
        Subject::System(system) => return systems::fences(args, &system),
    };
    let sc = ["sc".to_owned()];
    let mut models = input::models(if args.model.is_empty() { &sc } else { &args.model })?;
    if args.model.iter().any(|name| name == "all") {
        models.retain(|model| applies(model, &program));
    }
    if models.len() != 1 && (args.write || args.diff || args.format == FencesFormat::Json) {
        let message = "--write, --diff and --format json are about one model: give one".to_owned();
        return Err(Failure::Usage(message).into());
    }
    let costs = match &args.cost {
        Some(path) => Costs::parse(&input::read(path)?).map_err(Failure::Input)?,
        None => Costs::default(),
    };
    let options = fences::Options { costs, kinds: args.kinds.clone(), all: args.all };
    let (mut text, mut worst) = (String::new(), SAFE);
    for model in &models {
        let (part, code) = one(args, &program, &reading, model, &options)?;
        if !text.is_empty() {
            text.push('\n');
        }
        text += &part;
        worst = worst.max(code);
    }
    output::write(&text, args.output.as_deref())?;
    Ok(worst)
}

fn one(
    args: &Fences,
    program: &Program,
    reading: &Reading,
    model: &Model,
    options: &fences::Options,
) -> Result<(String, u8)> {
    let watch = Watch::new(&args.running, true);
    let request = args.running.request(program.condition.is_none().then(|| args.c.property()), None)?;
    let reload = |file: &SourceFile| reload(args, file, reading);
    let found = session::fences(program, model, (&request, options), &watch, &reload)?;
    let Repairs { repairs, conclusion, tried, places } = found;
    let code = code(&repairs, &conclusion);
    let sequential = session::model("sc")?;
    let (why, found, of) = match &conclusion {
        Conclusion::Complete | Conclusion::Stopped(_) => (String::new(), None, model),
        Conclusion::Sequential(found) => {
            let why = "It goes wrong under sequential consistency too, where fences make no difference:";
            (why.to_owned(), Some(found), &sequential)
        }
        Conclusion::Beyond(found) => {
            let why =
                format!("Fences of these kinds at the {places} places of the text with room for them do not help:");
            (why, Some(found), model)
        }
    };
    let mut case = match found {
        Some(found) => Some(case_of(found, of)?),
        None => None,
    };
    if let Some(case) = &mut case {
        case.notes.clear();
    }
    let end = match &conclusion {
        Conclusion::Complete => RepairEnd::Complete,
        Conclusion::Stopped(reason) => RepairEnd::Unknown(reason.to_string()),
        Conclusion::Sequential(_) | Conclusion::Beyond(_) => RepairEnd::NotRepairable(why, case.as_ref()),
    };
    let placements = repairs.iter().map(|repair| placement(program, repair)).collect();
    let seconds = watch.seconds();
    let report = report::Repair { program, model: model_name(model), placements, end, places, tried, seconds };
    let best = repairs.first();
    if let (true, Some(best)) = (args.write, best.filter(|best| !best.placement.fences.is_empty())) {
        for file in best.patch.source.files().filter(|file| best.patch.changed.iter().any(|name| name == file.name)) {
            std::fs::write(file.name, file.text).with_context(|| format!("cannot write {}", file.name))?;
            output::say(&format!("{} has the fences now", file.name));
        }
    }
    let text = match args.format {
        _ if args.diff => {
            output::say(&report.line());
            best.map(|best| best.patch.diff.clone()).unwrap_or_default()
        }
        FencesFormat::Text => report::text::fences(&report, text_options(args.output.as_deref(), args.stats)),
        FencesFormat::Json => report::json::fences(&report),
    };
    Ok((text, code))
}

/// Preprocesses changed files as before.
fn again(args: &Fences, files: &SourceFile, reading: &mut Reading) -> Result<()> {
    for (unit, input) in reading.units.iter_mut().zip(units::inputs(args.file.as_deref(), &args.c)?) {
        if unit.preprocessed.is_some() {
            unit.preprocessed = Some(preprocess::preprocess_changed(&input, files)?);
        }
    }
    Ok(())
}

/// The files with other texts.
fn changed(source: &SourceFile, text: impl Fn(File<'_>) -> String) -> SourceFile {
    let mut files = source.files().map(|file| (file.name.to_owned(), text(file)));
    let (name, first) = files.next().unwrap_or_default();
    SourceFile::new(name, first).with_files(files)
}

/// Reads a changed text of the program.
fn reload(args: &Fences, file: &SourceFile, reading: &Reading) -> Result<Program, Failure> {
    let mut reading = reading.clone();
    reading.c.seams = false;
    again(args, file, &mut reading).map_err(|error| Failure::Internal(format!("{error:#}")))?;
    session::load(file, &reading)
}

fn case_of<'a>(found: &'a Found<Verdict>, model: &Model) -> Result<Case<'a>> {
    let mut case = Case {
        program: &found.program,
        model: model_name(model),
        engine: found.engine.to_owned(),
        verdict: &found.result,
        graph: None,
        explanation: None,
        relaxed: Vec::new(),
        undefined: found.undefined.clone(),
        notes: Vec::new(),
        seconds: 0.0,
        statistics: Vec::new(),
    };
    describe(&mut case, model)?;
    Ok(case)
}

fn code(repairs: &[Repair], conclusion: &Conclusion) -> u8 {
    let proved = |repair: &Repair| repair.guarantee.is_full();
    match conclusion {
        Conclusion::Complete if repairs.is_empty() => UNSAFE,
        Conclusion::Complete if repairs.iter().all(proved) => SAFE,
        Conclusion::Complete | Conclusion::Stopped(_) => UNKNOWN,
        Conclusion::Sequential(_) | Conclusion::Beyond(_) => UNSAFE,
    }
}

fn placement(program: &Program, repair: &Repair) -> PlacementRow {
    PlacementRow {
        fences: repair.placement.fences.iter().map(|fence| row(program, fence)).collect(),
        cost: repair.placement.cost,
        verdict: Verdict::Safe(repair.guarantee.clone()),
        diff: repair.patch.diff.clone(),
    }
}

fn row(program: &Program, fence: &Fence) -> FenceRow {
    let statement = program.source.slice(fence.statement());
    let statement = match fence.seam.place {
        ir::Place::Row { column, .. } => statement.trim_end_matches(';').split('|').nth(column as usize),
        ir::Place::Before { .. } | ir::Place::After { .. } => statement.lines().next(),
    };
    let line = |span: Span| LineOf::of(&program.source, span);
    let mut orders: Vec<(LineOf, LineOf)> = fence.orders.iter().map(|&(one, other)| (line(one), line(other))).collect();
    orders.sort();
    orders.dedup();
    FenceRow {
        kind: fence.spelling.kind.name().to_owned(),
        text: fence.spelling.text.to_owned(),
        line: program.source.line(fence.statement()),
        file: (!program.source.is_main(fence.statement().start))
            .then(|| program.source.file_at(fence.statement().start).name.to_owned()),
        mark: program.source.mark(fence.statement()),
        side: if fence.is_before() { "before" } else { "after" }.to_owned(),
        statement: statement.unwrap_or_default().trim().to_owned(),
        function: program.functions[fence.seam.function.index()].name.clone(),
        cost: fence.cost,
        orders,
    }
}

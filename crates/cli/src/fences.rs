//! `fencepost fences` and `fencepost weaken`.

use crate::args::{Fences, FencesFormat, Repair as Args, Weaken};
use crate::check::{applies, text_options};
use crate::watch::Watch;
use crate::{SAFE, UNKNOWN, UNSAFE, input, output, systems, units};
use anyhow::{Context, Result};
use engine::Verdict;
use fencepost::case::{described, model_name};
use fencepost::preprocess::preprocess_changed;
use fences::{Change, Costs, Fence, OrderChange, Placement};
use ir::Program;
use model::Model;
use report::{Case, FenceRow, LineOf, ModelName, OrderRow, PlacementRow, ReasonRow, RepairEnd};
use session::{Conclusion, Demand, Failure, Found, Reading, Repair, Repairs, Subject};
use source::{File, SourceFile, Span};

/// What is to be changed, and how.
struct Job<'a> {
    args: &'a Args,
    /// The models that were named.
    named: Vec<Model>,
    program: Program,
    reading: Reading,
    options: fences::Options,
    /// Whether the executions behind reasons are told.
    explain: bool,
}

/// Finds fences and orders for a program: under one model, under several in turn, or for all of them together.
pub fn run(args: &Fences) -> Result<u8> {
    let orders = args.kinds.is_empty() || args.kinds.contains(&None);
    let kinds: Vec<fences::Kind> = args.kinds.iter().copied().flatten().collect();
    let no_fences = !args.kinds.is_empty() && kinds.is_empty();
    let change = if orders { Change::Strengthen } else { Change::None };
    let options = fences::Options {
        kinds,
        change,
        no_fences,
        at_most: args.at_most,
        pareto: args.pareto,
        ..fences::Options::default()
    };
    let job = match job(&args.repair, options)? {
        Ok(job) => job,
        Err(Subject::System(system)) => return systems::fences(&args.repair, !args.kinds.is_empty(), &system),
        Err(Subject::Program(_)) => return Err(Failure::Internal("a program is no system".to_owned()).into()),
    };
    let models = job.models()?;
    let together = args.together || job.args.model.is_empty();
    let groups: Vec<&[Model]> = if together { vec![&models] } else { models.chunks(1).collect() };
    if groups.len() != 1 && (job.args.write || job.args.diff || job.args.format != FencesFormat::Text) {
        let message = "--write, --diff and --format are about one model: give one, or --together".to_owned();
        return Err(Failure::Usage(message).into());
    }
    let (mut text, mut worst) = (String::new(), SAFE);
    for models in groups {
        let (part, code) = job.run(models)?;
        if !text.is_empty() {
            text.push('\n');
        }
        text += &part;
        worst = worst.max(code);
    }
    output::write(&text, job.args.output.as_deref())?;
    Ok(worst)
}

/// Finds the weakest orders for a program that suit all models.
pub fn weaken(args: &Weaken) -> Result<u8> {
    let options = fences::Options { change: Change::Weaken, no_fences: true, ..fences::Options::default() };
    let Ok(job) = job(&args.repair, options)? else {
        let message = "array-based systems have no memory orders: `fences` is for them".to_owned();
        return Err(Failure::Usage(message).into());
    };
    let job = Job { explain: args.explain, ..job };
    let (text, code) = job.run(&job.models()?)?;
    output::write(&text, job.args.output.as_deref())?;
    Ok(code)
}

/// Reads what is to be changed; an error is a system.
fn job(args: &Args, options: fences::Options) -> Result<Result<Job<'_>, Subject>> {
    if args.write && args.file.as_deref() == Some(std::path::Path::new("-")) {
        return Err(Failure::Usage("--write changes a file, not the standard input".to_owned()).into());
    }
    args.running.whole()?;
    let (file, mut reading) = input::read_program(args.file.as_deref(), &args.c)?;
    reading.c.seams = true;
    // Where races make a program undefined, it can help to make accesses atomic.
    let named = input::models(&args.model)?;
    reading.c.non_atomic = named.iter().any(Model::undefines);
    input::suit_models(&mut reading.c.checks, &args.model);
    // It may also be asked whether a thread waits for ever.
    reading.c.checks.fair |= args.c.property.is_none();
    let anchored = changed(&file, |file| front_c::with_anchors(file.text, file.start));
    again(args, &anchored, &mut reading)?;
    let program = match session::read(&file, &reading)? {
        Subject::Program(program) => *program,
        system @ Subject::System(_) => return Ok(Err(system)),
    };
    let costs = match &args.cost {
        Some(path) => Costs::parse(&input::read(path)?).map_err(Failure::Input)?,
        None => Costs::default(),
    };
    let (only, not) = (args.only.clone(), args.not.clone());
    let options = fences::Options { costs, all: args.all, only, not, ..options };
    Ok(Ok(Job { args, named, program, reading, options, explain: false }))
}

impl Job<'_> {
    fn models(&self) -> Result<Vec<Model>> {
        let sc = ["sc".to_owned()];
        let names = &self.args.model;
        if names.is_empty() && self.program.is_c() && self.program.condition.is_none() {
            return Ok(crate::machines::models(&self.program)?);
        }
        let mut models = if names.is_empty() { input::models(&sc)? } else { self.named.clone() };
        if names.iter().any(|name| name == "all") {
            models.retain(|model| applies(model, &self.program));
        }
        Ok(models)
    }

    /// Finds what suits all these models: the text to print, and the exit code.
    fn run(&self, models: &[Model]) -> Result<(String, u8)> {
        let (args, program) = (self.args, &self.program);
        let watch = Watch::new(&args.running, true);
        let request = args.running.request(program.condition.is_none().then(|| args.c.property()), None)?;
        let reload = |file: &SourceFile| self.reload(file);
        let asks_more = self.options.change != Change::None && args.c.property.is_none();
        let demands = session::demands(program, models, (&request, asks_more), &watch)?;
        let found = session::fences(program, &demands, (&request, &self.options), &watch, &reload)?;
        let Repairs { repairs, conclusion, tried, places, now } = found;
        let code = code(&repairs, &conclusion);
        let weakens = self.options.change == Change::Weaken;
        let sequential = session::model("sc")?;
        let (why, found, of) = match &conclusion {
            Conclusion::Complete | Conclusion::Stopped(_) => (String::new(), None, None),
            Conclusion::TooMany(most) => (format!("No repair has at most {most} changes."), None, None),
            Conclusion::Sequential(found) => {
                let why = "It goes wrong under sequential consistency too, where fences make no difference:";
                (why.to_owned(), Some(found), Some(&sequential))
            }
            Conclusion::Beyond(model, found) if weakens => {
                ("It goes wrong as it is:".to_owned(), Some(found), demands.get(*model).map(|one| &one.model))
            }
            Conclusion::Beyond(model, found) => {
                let why =
                    format!("Fences of these kinds at the {places} places of the text with room for them do not help:");
                (why, Some(found), demands.get(*model).map(|one| &one.model))
            }
        };
        let mut case = match found.zip(of) {
            Some((found, of)) => Some(described(found, of)?),
            None => None,
        };
        if let Some(case) = &mut case {
            case.notes.clear();
        }
        let end = match &conclusion {
            Conclusion::Complete => RepairEnd::Complete,
            Conclusion::Stopped(reason) => RepairEnd::Unknown(reason.to_string()),
            Conclusion::TooMany(_) | Conclusion::Sequential(_) | Conclusion::Beyond(..) => {
                RepairEnd::NotRepairable(why, case.as_ref())
            }
        };
        let mut placements = Vec::new();
        for repair in &repairs {
            placements.push(self.placement(repair, &demands)?);
        }
        let (seconds, weakened) = (watch.seconds(), weakens.then_some(now));
        let model = names(models);
        let progress = demands.iter().any(|demand| demand.property == engine::Property::Progress);
        let report = report::Repair { program, model, placements, end, places, tried, progress, weakened, seconds };
        let best = repairs.first();
        if let (true, Some(best)) = (args.write, best.filter(|best| best.placement.changes(program) > 0)) {
            let what = if best.placement.fences.is_empty() { "memory orders" } else { "fences" };
            let changed = |file: &File<'_>| best.patch.changed.iter().any(|name| name == file.name);
            for file in best.patch.source.files().filter(changed) {
                std::fs::write(file.name, file.text).with_context(|| format!("cannot write {}", file.name))?;
                output::say(&format!("{} has the {what} now", file.name));
            }
        }
        let text = match args.format {
            _ if args.diff => {
                output::say(&report.line());
                best.map(|best| best.patch.diff.clone()).unwrap_or_default()
            }
            FencesFormat::Text => report::text::fences(&report, text_options(args.output.as_deref(), args.stats)),
            FencesFormat::Json => report::json::fences(&report),
            FencesFormat::Html => report::html::fences(&report),
        };
        Ok((text, code))
    }

    /// Reads a changed text of the program.
    fn reload(&self, file: &SourceFile) -> Result<Program, Failure> {
        let mut reading = self.reading.clone();
        (reading.c.seams, reading.c.non_atomic) = (false, false);
        again(self.args, file, &mut reading).map_err(|error| Failure::Internal(format!("{error:#}")))?;
        session::load(file, &reading)
    }

    fn placement(&self, repair: &Repair, demands: &[Demand]) -> Result<PlacementRow> {
        let Placement { fences, orders, cost, without, .. } = &repair.placement;
        let mut rows = Vec::new();
        for change in orders {
            rows.push(self.order(change, demands)?);
        }
        let mut fence_rows = Vec::new();
        for (at, fence) in fences.iter().enumerate() {
            let reason = match without.get(at) {
                Some((model, execution, program)) => {
                    let verdict = Verdict::Unsafe(Box::new(execution.clone()));
                    Some(Self::reason(&demands[*model].model, program, verdict)?)
                }
                None => None,
            };
            fence_rows.push(FenceRow { without: reason, ..row(&self.program, fence) });
        }
        Ok(PlacementRow {
            fences: fence_rows,
            orders: rows,
            cost: *cost,
            verdict: Verdict::Safe(repair.guarantee.clone()),
            diff: repair.patch.diff.clone(),
        })
    }

    /// An execution that goes wrong under a model.
    fn reason(model: &Model, program: &Program, verdict: Verdict) -> Result<ReasonRow> {
        let found = Found::new(verdict, "", Vec::new(), program.clone());
        let Case { graph, explanation, .. } = described(&found, model)?;
        let what = graph.as_ref().map_or_else(String::new, |graph| match &graph.story {
            Some(story) => story.failure.sentence(&graph.threads),
            None => {
                let finals = graph.finals.iter().map(|(name, value)| format!("{name}={value}"));
                format!("it can end with {}", finals.collect::<Vec<_>>().join("; "))
            }
        });
        let (order, story) = (String::new(), String::new());
        Ok(ReasonRow { order, model: model.name.clone(), what, execution: graph, story, explanation })
    }

    fn order(&self, change: &OrderChange, demands: &[Demand]) -> Result<OrderRow> {
        let site = &self.program.sites[change.site];
        let mut reasons = Vec::new();
        for reason in &change.reasons {
            let model = &demands[reason.model].model;
            let order = site.orders[reason.order].name.clone();
            let story = if self.explain { told(reason, model)? } else { String::new() };
            let verdict = Verdict::Unsafe(Box::new(reason.execution.clone()));
            reasons.push(ReasonRow { order, story, ..Self::reason(model, &reason.program, verdict)? });
        }
        Ok(OrderRow {
            line: self.program.source.line(site.span),
            file: file_of(&self.program, site.span),
            mark: self.program.source.mark(site.span),
            text: self.program.source.slice(site.span).to_owned(),
            now: site.orders[site.now].name.clone(),
            needed: site.orders[change.order].name.clone(),
            cost: change.cost,
            orders: lines(&self.program, &change.orders),
            reasons,
        })
    }
}

/// Preprocesses changed files as before.
fn again(args: &Args, files: &SourceFile, reading: &mut Reading) -> Result<()> {
    for (unit, input) in reading.units.iter_mut().zip(units::inputs(args.file.as_deref(), &args.c)?) {
        if unit.preprocessed.is_some() {
            unit.preprocessed = Some(preprocess_changed(&input, files)?);
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

/// The execution behind a reason as `check` tells it, without the last line.
fn told(reason: &fences::Reason, model: &Model) -> Result<String> {
    let verdict = Verdict::Unsafe(Box::new(reason.execution.clone()));
    let found = Found::new(verdict, "", Vec::new(), reason.program.clone());
    let mut case = described(&found, model)?;
    case.notes.clear();
    let text = report::text::check(&case, text_options(None, false));
    Ok(text.trim_end().rsplit_once('\n').map_or_else(String::new, |(story, _)| story.to_owned()))
}

/// The names of several models as one.
fn names(models: &[Model]) -> ModelName {
    let all: Vec<ModelName> = models.iter().map(model_name).collect();
    let join = |parts: Vec<&str>, by: &str| parts.join(by);
    ModelName {
        name: join(all.iter().map(|model| &*model.name).collect(), ","),
        title: join(all.iter().map(|model| &*model.title).collect(), " and "),
    }
}

fn code(repairs: &[Repair], conclusion: &Conclusion) -> u8 {
    let proved = |repair: &Repair| repair.guarantee.is_full();
    match conclusion {
        Conclusion::Complete if repairs.is_empty() => UNSAFE,
        Conclusion::Complete if repairs.iter().all(proved) => SAFE,
        Conclusion::Complete | Conclusion::Stopped(_) => UNKNOWN,
        Conclusion::TooMany(_) | Conclusion::Sequential(_) | Conclusion::Beyond(..) => UNSAFE,
    }
}

fn row(program: &Program, fence: &Fence) -> FenceRow {
    let statement = program.source.slice(fence.statement());
    let statement = match fence.seam.place {
        ir::Place::Row { column, .. } => statement.trim_end_matches(';').split('|').nth(column as usize),
        ir::Place::Before { .. } | ir::Place::After { .. } => statement.lines().next(),
    };
    FenceRow {
        kind: fence.spelling.kind.name().to_owned(),
        text: fence.spelling.text.to_owned(),
        line: program.source.line(fence.statement()),
        file: file_of(program, fence.statement()),
        mark: program.source.mark(fence.statement()),
        side: if fence.is_before() { "before" } else { "after" }.to_owned(),
        statement: statement.unwrap_or_default().trim().to_owned(),
        function: program.functions[fence.seam.function.index()].name.clone(),
        cost: fence.cost,
        orders: lines(program, &fence.orders),
        without: None,
    }
}

/// The file of a place, if it is not the one that the user named.
fn file_of(program: &Program, span: Span) -> Option<String> {
    (!program.source.is_main(span.start)).then(|| program.source.file_at(span.start).name.to_owned())
}

/// The lines of pairs of places.
fn lines(program: &Program, pairs: &[(Span, Span)]) -> Vec<(LineOf, LineOf)> {
    let line = |span: Span| LineOf::of(&program.source, span);
    let mut lines: Vec<(LineOf, LineOf)> = pairs.iter().map(|&(one, other)| (line(one), line(other))).collect();
    lines.sort();
    lines.dedup();
    lines
}

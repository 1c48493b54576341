//! What a proof does not say: assertions that no execution reaches, assumptions that never hold, threads that nobody starts.
//!
//! Each such place gets an assertion that fails whenever the place is reached, and the question is asked again. What one
//! execution reaches is known then; the question is repeated for the rest. It is asked under sequential consistency first, where
//! answers are cheapest: what is reached there is reached under every model.

use crate::violation::somehow_fails;
use crate::{Failure, Request};
use engine::{Guarantee, Meter, NoAnswer, Observer, Property, Task, Verdict};
use ir::{Block, BlockId, Expr, FunctionId, Instr, Op, Program, System, Terminator, Width};
use model::Model;
use source::Span;
use witness::Execution;

/// Programs with more places than this are not looked through.
const MOST: usize = 64;

/// How much work each question may be.
const WORK: u64 = engine::SECOND;

/// What is at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// An assertion is checked here. If one is reached that suffices.
    Assertion,
    /// Behind an assumption.
    Assumption,
    /// A thread of this function is started here.
    Start(FunctionId),
}

/// A place that an execution should reach: before an instruction of a block.
#[derive(Debug, Clone)]
struct Site {
    what: What,
    at: (FunctionId, BlockId, usize),
    span: Span,
}

/// What is said beside a proof that holds as far as `guarantee` says.
///
/// # Errors
/// Why nobody knows.
pub fn vacuous(
    program: &Program,
    model: &Model,
    request: &Request,
    guarantee: &Guarantee,
    observer: &dyn Observer,
) -> Result<Vec<String>, Failure> {
    let mut open = sites(program);
    let mut notes = Vec::new();
    if !open.iter().any(|site| site.what == What::Assertion) {
        notes.push("the program has no assertion: only what goes wrong by itself was looked for".to_owned());
    }
    if open.len() > MOST {
        return Ok(notes);
    }
    let property = Property::Assertions { memory: false };
    let request = Request { property, deepen: request.deepen.map(|work| work.min(WORK)), ..request.clone() };
    let sequential = crate::model("sc")?;
    // What a model alone gives a meaning to is asked about under that model.
    let models = [&sequential, model];
    for model in models.into_iter().filter(|model| crate::suits::suits(program, model).is_ok()) {
        while !open.is_empty() {
            let found = somehow_fails(&marked(program, &open), model, &request, &Quiet(observer))?;
            let Verdict::Unsafe(execution) = found.result else {
                if matches!(found.result, Verdict::Unknown(_)) {
                    return Ok(notes);
                }
                break;
            };
            let started: Vec<FunctionId> = execution.started.iter().map(|thread| thread.body).collect();
            let number =
                execution.violation.as_ref().and_then(|violation| violation.message.strip_prefix(MARK)?.parse().ok());
            let Some(reached) = number.and_then(|number: usize| open.get(number)).map(|site| site.what.clone()) else {
                return Ok(notes);
            };
            let at = number.unwrap_or_default();
            let mut index = 0;
            open.retain(|site| {
                let hit = match &site.what {
                    What::Assertion => reached == What::Assertion,
                    What::Assumption => index == at,
                    What::Start(function) => index == at || started.contains(function),
                };
                index += 1;
                !hit
            });
        }
    }
    let within = if guarantee.is_full() { String::new() } else { format!(" within the bounds ({guarantee})") };
    if open.iter().any(|site| site.what == What::Assertion) {
        notes.push(format!("no assertion can be reached{within}"));
    }
    for site in &open {
        let place = program.source.place(site.span);
        match site.what {
            What::Assertion => {}
            What::Assumption => {
                notes.push(format!("the assumption in {place} never holds{within}: nothing behind it was checked"));
            }
            What::Start(function) => {
                let name = &program.functions[function.index()].name;
                notes.push(format!("the thread `{name}` is never started{within} ({place})"));
            }
        }
    }
    notes.dedup();
    Ok(notes)
}

/// Nobody watches these questions: what they show is not about the user's.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn stop(&self) -> Option<NoAnswer> {
        self.0.stop()
    }

    fn phase(&self, _name: &str, _detail: &str) {}

    fn meter(&self) -> Meter {
        self.0.meter()
    }

    fn confirm(&self, task: &Task<'_>, execution: &Execution) -> Result<(), String> {
        self.0.confirm(task, execution)
    }
}

/// What the message of a mark begins with; its number follows.
const MARK: &str = "?reached ";

/// The places of a program that should be reached.
fn sites(program: &Program) -> Vec<Site> {
    let mut sites = Vec::new();
    for (number, function) in program.functions.iter().enumerate().filter(|(_, function)| !function.library) {
        for (block, body) in function.blocks.iter().enumerate() {
            let here = |index: usize| (FunctionId(number as u32), BlockId(block as u32), index);
            for (index, instr) in body.instrs.iter().enumerate() {
                let span = instr.span;
                match &instr.op {
                    Op::System(System::Assert { message, .. })
                        if message == ir::DIVISION || ir::faults::is_fault(message) => {}
                    // What must not be reached stands behind a check, and it is the check that counts.
                    Op::System(System::Assert { condition: Expr::Const(0, _), .. }) => {
                        let checks = checks(&function.blocks, block);
                        sites.extend(checks.into_iter().map(|(block, index)| {
                            let at = (FunctionId(number as u32), BlockId(block as u32), index);
                            Site { what: What::Assertion, at, span }
                        }));
                    }
                    Op::System(System::Assert { .. }) => {
                        sites.push(Site { what: What::Assertion, at: here(index), span });
                    }
                    // Mutual exclusion is a property, too.
                    Op::System(System::Critical { enter: true }) => {
                        sites.push(Site { what: What::Assertion, at: here(index), span });
                    }
                    Op::Assume { condition, waits: false }
                        if !matches!(condition, Expr::Const(..)) && !is_outcome(&body.instrs[..index]) =>
                    {
                        sites.push(Site { what: What::Assumption, at: here(index + 1), span });
                    }
                    Op::System(System::Spawn { function, .. }) => {
                        sites.push(Site { what: What::Start(*function), at: here(index), span });
                    }
                    Op::Assign { .. }
                    | Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Rmw { .. }
                    | Op::StoreConditional { .. }
                    | Op::Fence { .. }
                    | Op::Assume { .. }
                    | Op::System(_) => {}
                }
            }
        }
    }
    sites
}

/// Whether an assumption behind these instructions only says how a compare-and-swap ends whose success and failure are paths of their own. Nobody
/// wrote it, and a compare-and-swap that never fails is no mistake.
fn is_outcome(before: &[Instr]) -> bool {
    before.last().is_some_and(|last| matches!(last.op, Op::Rmw { when: Some(_), .. }))
}

/// The ends of the blocks that decide whether a block is reached; its own beginning, if nobody does.
fn checks(blocks: &[Block], block: usize) -> Vec<(usize, usize)> {
    let (mut work, mut seen, mut found) = (vec![block], vec![block], Vec::new());
    while let Some(at) = work.pop() {
        let target = BlockId(at as u32);
        let before = (0..blocks.len()).filter(|&from| blocks[from].terminator.successors().any(|to| to == target));
        let before: Vec<usize> = before.collect();
        if before.is_empty() {
            found.push((at, 0));
        }
        for from in before {
            if matches!(blocks[from].terminator, Terminator::Branch { .. }) {
                found.push((from, blocks[from].instrs.len()));
            } else if !seen.contains(&from) {
                seen.push(from);
                work.push(from);
            }
        }
    }
    found
}

/// The program in which nothing fails but reaching one of these places.
fn marked(program: &Program, sites: &[Site]) -> Program {
    let mut marked = program.clone();
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse((sites[number].at, number)));
    for number in order {
        let Site { at: (function, block, index), span, .. } = sites[number];
        let message = format!("{MARK}{number}");
        let op = Op::System(System::Assert { condition: Expr::Const(0, Width::BOOL), message });
        marked.functions[function.index()].blocks[block.index()].instrs.insert(index, Instr { op, span });
    }
    for block in marked.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instrs.retain(|instr| {
            let Op::System(System::Assert { message, .. }) = &instr.op else { return true };
            message.starts_with(MARK)
        });
    }
    marked
}

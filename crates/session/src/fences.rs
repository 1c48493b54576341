//! Fences for a program: the search of `fences` with the session's verdicts, each result verified on the patched text.

use crate::{Failure, Found, Request, check, compiled};
use engine::{Guarantee, NoAnswer, Observer, Verdict};
use fences::{Checked, End, Inference, Oracle, Patch, Placement};
use ir::{Op, Program, TagSet};
use model::Model;
use source::SourceFile;

/// Fences that make a program safe, in its text.
#[derive(Debug, Clone)]
pub struct Repair {
    /// The fences.
    pub placement: Placement,
    /// The text with them.
    pub patch: Patch,
    /// What the check of that text says: that it is safe.
    pub guarantee: Guarantee,
}

/// Why there are no more fences to show.
#[derive(Debug, Clone)]
pub enum Conclusion {
    /// All that was asked for was found.
    Complete,
    /// The program goes wrong under sequential consistency too, as this shows: fences make no difference there.
    Sequential(Box<Found<Verdict>>),
    /// The fences that could be put in do not forbid this.
    Beyond(Box<Found<Verdict>>),
    /// It had to stop.
    Stopped(NoAnswer),
}

/// What was found out about fences for a program.
#[derive(Debug, Clone)]
pub struct Repairs {
    /// Ways to make the program safe, the cheapest first; one without fences, if none is needed.
    pub repairs: Vec<Repair>,
    /// Why there are no more.
    pub conclusion: Conclusion,
    /// How many placements were tried.
    pub tried: u64,
    /// At how many places of the text fences could stand.
    pub places: usize,
}

/// Finds the fences that make a program safe under a model. `reload` reads a changed text of the program.
///
/// # Errors
/// Why there is no answer.
pub fn fences(
    program: &Program,
    model: &Model,
    (request, options): (&Request, &fences::Options),
    observer: &dyn Observer,
    reload: &dyn Fn(&SourceFile) -> Result<Program, Failure>,
) -> Result<Repairs, Failure> {
    // There are many checks to make in the time that there is.
    let request = Request { deepen: request.deepen.map(|work| work / 4), ..request.clone() };
    let asked = Asked { model, request: &request, observer };
    let Inference { placements, end, tried, seams } = fences::infer(program, model, &asked, options)?;
    let mut conclusion = match end {
        End::Complete => Conclusion::Complete,
        End::Stopped(reason) => Conclusion::Stopped(reason),
        End::Unrepairable => hopeless(program, model, &request, observer)?,
    };
    let mut repairs = Vec::new();
    for placement in placements {
        let patch = fences::patch(&program.source, &placement.fences, program.threads.len());
        // Without the marks, also where nothing changes.
        let changed = reload(&patch.source)?;
        match check(&changed, model, &request, observer)?.result {
            Verdict::Safe(guarantee) => repairs.push(Repair { placement, patch, guarantee }),
            Verdict::Unknown(reason) => {
                conclusion = Conclusion::Stopped(reason);
                break;
            }
            Verdict::Unsafe(_) => {
                let reason = if placement.guarantee.is_limited() {
                    format!("what suffices up to {} does not suffice beyond it", placement.guarantee)
                } else {
                    "the model gives a meaning even to fences that it does not know".to_owned()
                };
                conclusion = Conclusion::Stopped(NoAnswer::GaveUp(reason));
                break;
            }
        }
    }
    Ok(Repairs { repairs, conclusion, tried, places: seams })
}

/// What goes wrong whatever fences there are: under sequential consistency, if it does there.
fn hopeless(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Conclusion, Failure> {
    let sequential = crate::model("sc")?;
    if let Ok(found) = check(program, &sequential, request, observer)
        && matches!(found.result, Verdict::Unsafe(_))
    {
        return Ok(Conclusion::Sequential(Box::new(found)));
    }
    Ok(Conclusion::Beyond(Box::new(check(program, model, request, observer)?)))
}

/// The session as the one who knows whether programs are safe.
struct Asked<'a> {
    model: &'a Model,
    request: &'a Request,
    observer: &'a dyn Observer,
}

impl Oracle for Asked<'_> {
    type Error = Failure;

    fn check(&self, program: &Program) -> Result<Checked, Failure> {
        let found = check(program, self.model, self.request, self.observer)?;
        Ok(Checked { verdict: found.result, program: found.program, undefined: found.undefined })
    }

    fn machine_tags(&self, program: &Program, tag: &str) -> Result<Vec<String>, Failure> {
        let mut small = Program::new("fence", program.arch.clone(), program.source.clone());
        let tags = TagSet::from_iter([small.tag(tag)]);
        let instr = ir::Instr { op: Op::Fence { tags }, span: source::Span::default() };
        let block = ir::Block { instrs: vec![instr], terminator: ir::Terminator::Return(None) };
        let function =
            ir::Function { name: String::new(), params: 0, library: false, locals: Vec::new(), blocks: vec![block] };
        small.functions.push(function);
        let machine = compiled(&small, self.model)?;
        let mut names = Vec::new();
        for instr in machine.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs) {
            if let Op::Fence { tags } = &instr.op {
                names.extend(tags.iter().map(|tag| machine.tags[tag.index()].clone()));
            }
        }
        Ok(names)
    }

    fn stop(&self) -> Option<NoAnswer> {
        self.observer.stop()
    }

    fn phase(&self, name: &str, detail: &str) {
        self.observer.phase(name, detail);
    }

    fn defect(&self, what: String) -> Failure {
        Failure::Internal(what)
    }
}

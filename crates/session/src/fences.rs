//! Fences and memory orders for a program: the search of `fences` with the session's verdicts, each result verified on the patched
//! text under every model.

use crate::minimal::minimal;
use crate::probes::Prober;
use crate::{Failure, Found, Request, check, compiled};
use engine::{Choices, Guarantee, NoAnswer, Observer, Property, Verdict};
use fences::{Checked, End, Inference, Oracle, Patch, Placement, Probe};
use ir::{Program, Proposition};
use model::Model;
use source::SourceFile;
use witness::Execution;

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

/// What is to be true of the program: nothing goes wrong in this way under this model.
#[derive(Debug, Clone)]
pub struct Demand {
    /// The model.
    pub model: Model,
    /// What could go wrong.
    pub property: Property,
}

/// Why there are no more fences to show.
#[derive(Debug, Clone)]
pub enum Conclusion {
    /// All that was asked for was found.
    Complete,
    /// The program goes wrong under sequential consistency too, as this shows: fences make no difference there.
    Sequential(Box<Found<Verdict>>),
    /// What could be changed does not forbid this, contrary to the demand of this number.
    Beyond(usize, Box<Found<Verdict>>),
    /// There is no repair with so few changes.
    TooMany(usize),
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
    /// What the orders of the text cost, more than the weakest that were allowed.
    pub now: u64,
}

/// What is to stay true while a program is changed: that it is safe, as the request asks, and if `progress` is wanted and
/// there are memory orders that could change, also that no thread waits for ever, if that is so under sequential
/// consistency and can be decided under the models. Who relaxes the store that wakes somebody up keeps all assertions, and
/// the program hangs.
///
/// # Errors
/// Why there is no answer.
pub fn demands(
    program: &Program,
    models: &[Model],
    (request, progress): (&Request, bool),
    observer: &dyn Observer,
) -> Result<Vec<Demand>, Failure> {
    let ask = |property: Property| models.iter().map(move |model| Demand { model: model.clone(), property });
    let mut demands: Vec<Demand> = ask(request.property).collect();
    let can_change = program.condition.is_none() && !program.sites.is_empty();
    if !progress || !can_change || !matches!(request.property, Property::Assertions { .. }) {
        return Ok(demands);
    }
    let progress =
        Request { property: Property::Progress, deepen: request.deepen.map(|work| work / 4), ..request.clone() };
    let says = |model: &Model| check(program, model, &progress, observer).map(|found| found.result);
    let ends = matches!(says(&crate::model("sc")?), Ok(Verdict::Safe(_)));
    if ends && models.iter().all(|model| matches!(says(model), Ok(Verdict::Safe(_) | Verdict::Unsafe(_)))) {
        demands.extend(ask(Property::Progress));
    }
    Ok(demands)
}

/// Finds the fences and memory orders with which nothing goes wrong that is asked about. `reload` reads a changed text of the program.
///
/// # Errors
/// Why there is no answer.
pub fn fences(
    program: &Program,
    demands: &[Demand],
    (request, options): (&Request, &fences::Options),
    observer: &dyn Observer,
    reload: &dyn Fn(&SourceFile) -> Result<Program, Failure>,
) -> Result<Repairs, Failure> {
    // There are many checks to make in the time that there is.
    let request = Request { deepen: request.deepen.map(|work| work / 4), ..request.clone() };
    let models = demands.iter().map(|demand| demand.model.clone()).collect();
    let probers = demands.iter().map(|demand| Prober::new(demand, &request, observer)).collect();
    let asked = Asked { demands, models, request: &request, observer, probers };
    let Inference { placements, end, tried, seams, now } = fences::infer(program, &asked, options)?;
    let mut conclusion = match end {
        End::Complete => Conclusion::Complete,
        End::Stopped(reason) => Conclusion::Stopped(reason),
        End::TooMany(most) => Conclusion::TooMany(most),
        End::Unrepairable => asked.hopeless(program)?,
    };
    let mut repairs = Vec::new();
    for mut placement in placements {
        asked.unmark_reasons(&mut placement);
        let edits = placement.edits(program);
        let patch = fences::patch(&program.source, &placement.fences, &edits, program.threads.len());
        // Without the marks, also where nothing changes.
        let changed = reload(&patch.source)?;
        match asked.verify(&changed)? {
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
    Ok(Repairs { repairs, conclusion, tried, places: seams, now })
}

/// The session as the one who knows whether programs are safe.
struct Asked<'a> {
    demands: &'a [Demand],
    /// Those of the demands.
    models: Vec<Model>,
    request: &'a Request,
    observer: &'a dyn Observer,
    /// For each demand, who can find executions quickly.
    probers: Vec<Prober<'a>>,
}

impl Asked<'_> {
    /// Whether the demand of this number is met.
    fn answer(&self, program: &Program, number: usize) -> Result<Found<Verdict>, Failure> {
        let Demand { model, property } = &self.demands[number];
        check(program, model, &Request { property: *property, ..self.request.clone() }, self.observer)
    }

    /// The verdict on a changed text: the first that is not safe, else the one that looked least far.
    fn verify(&self, program: &Program) -> Result<Verdict, Failure> {
        let mut least = Guarantee::FULL;
        for number in 0..self.demands.len() {
            match self.answer(program, number)?.result {
                Verdict::Safe(guarantee) if guarantee.is_full() => {}
                Verdict::Safe(guarantee) => least = guarantee,
                other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => return Ok(other),
            }
        }
        Ok(Verdict::Safe(least))
    }

    /// Takes the marks of places where fences could stand out of the executions that are told.
    fn unmark_reasons(&self, placement: &mut Placement) {
        for (model, execution, program) in &mut placement.without {
            self.unmark(*model, execution, program);
        }
        for reason in placement.orders.iter_mut().flat_map(|change| &mut change.reasons) {
            self.unmark(reason.model, &mut reason.execution, &mut reason.program);
        }
    }

    fn unmark(&self, number: usize, execution: &mut Execution, program: &mut Program) {
        let Demand { model, property } = &self.demands[number];
        let (clean, shorter) = fences::unmarked(program, execution);
        let flaw = match clean.condition {
            Some(_) => witness::check(&clean, model, &shorter, &Proposition::True),
            None => witness::check_violation(&clean, model, &shorter, *property),
        };
        // A model may give a meaning even to fences that it does not know.
        if flaw.is_ok() {
            *execution = minimal(&clean, model, &shorter, *property).unwrap_or(shorter);
            *program = clean;
        }
    }

    /// What goes wrong whatever fences there are: under sequential consistency, if it does there.
    fn hopeless(&self, program: &Program) -> Result<Conclusion, Failure> {
        let sequential = crate::model("sc")?;
        if let Ok(found) = check(program, &sequential, self.request, self.observer)
            && matches!(found.result, Verdict::Unsafe(_))
        {
            return Ok(Conclusion::Sequential(Box::new(found)));
        }
        let mut found = None;
        for number in 0..self.demands.len() {
            let checked = self.answer(program, number)?;
            let wrong = matches!(checked.result, Verdict::Unsafe(_));
            if wrong || found.is_none() {
                found = Some((number, checked));
            }
            if wrong {
                break;
            }
        }
        let (number, found) = found.ok_or_else(|| Failure::Usage("no model was given".to_owned()))?;
        Ok(Conclusion::Beyond(number, Box::new(found)))
    }
}

impl Oracle for Asked<'_> {
    type Error = Failure;

    fn models(&self) -> &[Model] {
        &self.models
    }

    fn check(&self, program: &Program, model: usize) -> Result<Checked, Failure> {
        let found = self.answer(program, model)?;
        Ok(Checked { verdict: found.result, program: found.program, undefined: found.undefined })
    }

    fn machine(&self, program: &Program, model: usize) -> Result<Program, Failure> {
        compiled(program, &self.models[model]).map(std::borrow::Cow::into_owned)
    }

    fn probe<'s>(
        &'s self,
        machine: &'s Program,
        model: usize,
        choices: &Choices,
    ) -> Option<Box<dyn Probe<Failure> + 's>> {
        self.probers[model].probe(machine, choices)
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

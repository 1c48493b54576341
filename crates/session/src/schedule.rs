//! Follows a strategy: engines side by side or in turn, each held when its work is used up, until one decides.
//!
//! Each row of the table has a thread of its own. It is let go on for as much work as the table says, and held when that is
//! used up: what it has built stays. So nothing is ever built twice, and how many threads are let go on at a time (`jobs`)
//! makes no difference to what comes out.

use crate::evidence::run_engine;
use crate::stack::STACK;
use crate::strategy::{Setting, Step};
use crate::{Failure, Found, Request};
use engine::{
    ARTEFACTS, Answer, Engine, Findings, MILLI, Meter, NoAnswer, Observer, Options, Property, Question, Task, UNWIND,
};
use ir::{Program, Proposition};
use model::Model;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much more work the first row may do while it has not done its first bound itself. It may be close to an answer for
/// all executions, and what a row knows that takes few iterations for free says much less.
const FIRST_BOUND: u64 = 8;

/// How often the user's limits are looked at.
const INTERVAL: Duration = Duration::from_millis(10);

/// How long engines that are not needed any more are waited for. They end when they notice; their memory is theirs till then.
const FAREWELL: Duration = Duration::from_millis(500);

/// What an engine came to, checked; or that it has a defect.
type Ended = Result<Result<Found<Answer>, NoAnswer>, Failure>;

/// What the thread of a row tells.
enum Event {
    /// Its work is used up.
    Held(usize),
    Ended(usize, Box<Ended>),
    Phase(String, String),
    /// An intermediate result: its name and its text.
    Artefact(String, String),
}

/// The same question, owned.
#[derive(Clone)]
enum Asked {
    Reach(Vec<Proposition>),
    States,
    Violation(Property),
}

/// What all rows work on.
struct Common {
    program: Program,
    model: Model,
    asked: Asked,
    options: Options,
    /// Whether larger bounds follow.
    deepens: bool,
    /// The intermediate results that somebody wants to see.
    wanted: Vec<&'static str>,
    /// Whether everybody is to stop.
    over: AtomicBool,
}

/// A model that a row works under instead of the task's.
#[derive(Debug, Clone)]
enum StandIn {
    /// The task's is weaker: what goes wrong counts if the task's allows it, a proof says nothing.
    Stronger(Model),
    /// The task's with simpler relations: a proof counts, and what goes wrong if the task's allows it. Where it does not, the row goes on with
    /// the task's.
    Relaxed(Model),
}

/// A row at work.
struct Lane<'s> {
    step: &'s Step,
    engine: &'static dyn Engine,
    stand_in: Option<StandIn>,
    meter: Meter,
    state: State,
    /// The best answer so far, if it has bounds.
    known: Arc<Mutex<Option<Found<Answer>>>>,
    ended: Option<Ended>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Held,
    Running,
    Ended,
}

/// The one who watches an engine in its thread.
struct Watcher {
    common: Arc<Common>,
    at: usize,
    engine: &'static str,
    meter: Meter,
    known: Arc<Mutex<Option<Found<Answer>>>>,
    events: Sender<Event>,
}

impl Observer for Watcher {
    fn stop(&self) -> Option<NoAnswer> {
        self.common.over.load(Ordering::Relaxed).then_some(NoAnswer::Cancelled)
    }

    fn phase(&self, name: &str, detail: &str) {
        // Nobody listens any more when there is an answer.
        let _ = self.events.send(Event::Phase(name.to_owned(), detail.to_owned()));
    }

    fn meter(&self) -> Meter {
        self.meter.clone()
    }

    fn wants(&self, artefact: &str) -> bool {
        self.common.wanted.contains(&artefact)
    }

    fn artefact(&self, name: &str, text: &str) {
        let _ = self.events.send(Event::Artefact(name.to_owned(), text.to_owned()));
    }

    fn known(&self, answer: Answer) {
        let found = Found::answered(answer, self.engine, self.common.program.clone());
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }
}

/// The bounds that are tried one after the other: the first one, and by how much the engine may widen it.
pub fn bounds(first: u32) -> impl Iterator<Item = (u32, u32)> {
    std::iter::successors(Some((first, 0)), |&(first, widen)| {
        let next = first.checked_add(widen)?.checked_add(1)?;
        Some((next, (next - 1) / 2))
    })
}

/// Whether nobody could know more: all that was asked for was found, or the answer holds for all executions.
fn is_decided(answer: &Answer) -> bool {
    let found = match &answer.findings {
        Findings::Reach(found) => found.iter().all(Option::is_some),
        Findings::States(_) => false,
        Findings::Proof(_) => true,
    };
    found || !answer.guarantee.is_limited()
}

/// Whether a larger bound on loops may show more.
fn is_cut(answer: &Answer) -> bool {
    answer.guarantee.bound(UNWIND).is_some()
}

/// A stronger model instead of the task's, if the engine knows this one only and what is found under it is about the task.
fn stronger(name: &str, engine: &dyn Engine, task: &Task<'_>) -> Result<Option<StandIn>, Failure> {
    let fails = matches!(task.question, Question::Violation(Property::Assertions { .. }));
    let stronger = task.model.head.weaker_than.iter().any(|stronger| stronger == name);
    if !fails || !stronger || engine.accepts(task).is_ok() {
        return Ok(None);
    }
    let model = crate::model(name)?;
    let takes = engine.accepts(&Task { model: &model, ..*task }).is_ok();
    Ok(takes.then_some(StandIn::Stronger(model)))
}

/// The task's model with simpler relations, if it has some and that makes a difference to the engine.
fn relaxed(engine: &dyn Engine, task: &Task<'_>) -> Option<StandIn> {
    let asked = engine.reads_relations() && matches!(task.question, Question::Violation(_));
    let model = asked.then(|| task.model.relaxed()).flatten()?;
    let takes = engine.accepts(&Task { model: &model, ..*task }).is_ok();
    takes.then_some(StandIn::Relaxed(model))
}

/// Whether the model of the task allows all executions of an answer that was found under another one.
fn is_allowed(common: &Common, answer: &Answer) -> bool {
    let Asked::Violation(property) = common.asked else { return false };
    let holds = |execution: &witness::Execution| {
        witness::check_violation(&common.program, &common.model, execution, property).is_ok()
    };
    matches!(&answer.findings, Findings::Reach(found) if found.iter().flatten().all(holds))
}

/// The answer for one bound, under the task's model or one that stands in for it.
fn ask(
    watcher: &Watcher,
    engine: &dyn Engine,
    options: &Options,
    stand_in: &mut Option<StandIn>,
) -> Result<Result<Answer, NoAnswer>, Failure> {
    let common = &*watcher.common;
    let question = match &common.asked {
        Asked::Reach(goals) => Question::Reach(goals),
        Asked::States => Question::States,
        Asked::Violation(property) => Question::Violation(*property),
    };
    let task = Task { program: &common.program, model: &common.model, question, options };
    match stand_in {
        None => run_engine(engine, &task, watcher),
        Some(StandIn::Stronger(model)) => {
            let answer = run_engine(engine, &Task { model, ..task }, watcher)?;
            Ok(answer.and_then(|answer| match &answer.findings {
                Findings::Reach(found) if found.iter().all(Option::is_some) && is_allowed(common, &answer) => {
                    Ok(answer)
                }
                Findings::Reach(_) | Findings::States(_) | Findings::Proof(_) => {
                    Err(NoAnswer::GaveUp("nothing goes wrong under the stronger model".to_owned()))
                }
            }))
        }
        Some(StandIn::Relaxed(model)) => match run_engine(engine, &Task { model, ..task }, watcher)? {
            Ok(answer) if !is_allowed(common, &answer) => {
                *stand_in = None;
                run_engine(engine, &task, watcher)
            }
            answer => Ok(answer),
        },
    }
}

/// The work of a row: one bound after the other.
fn work(watcher: &Watcher, engine: &dyn Engine, step: &Step, mut stand_in: Option<StandIn>) -> Ended {
    let common = &*watcher.common;
    for (at, (unwind, widen)) in bounds(common.options.unwind).enumerate() {
        let mut options = common.options.clone();
        options.unwind = unwind;
        options.widen = if common.deepens { widen } else { 0 };
        step.set(&mut options);
        let answer = match ask(watcher, engine, &options, &mut stand_in)? {
            Ok(answer) => answer,
            Err(reason) => return Ok(Err(reason)),
        };
        if is_decided(&answer) || !common.deepens || !is_cut(&answer) {
            return Ok(Ok(Found::answered(answer, engine.name(), common.program.clone())));
        }
        watcher.known(answer);
        // Perhaps others cover all iterations at once: they come first.
        if at == 0 && !watcher.meter.rest() {
            break;
        }
    }
    Ok(Err(NoAnswer::Cancelled))
}

/// What to follow.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'s> {
    /// The name of the strategy or of the only engine.
    pub name: &'static str,
    pub steps: &'s [Step],
    /// In how many rounds the rows are tried in turn.
    pub patient: usize,
}

/// Follows a strategy. The program is the one that the model's machine runs.
pub struct Schedule<'s> {
    plan: Plan<'s>,
    common: Arc<Common>,
    lanes: Vec<Lane<'s>>,
    observer: &'s dyn Observer,
    events: Receiver<Event>,
    sender: Sender<Event>,
    jobs: usize,
    /// How much work the first row may do once a bound is done.
    limit: Option<u64>,
}

impl<'s> Schedule<'s> {
    /// The rows whose engines take the task.
    ///
    /// # Errors
    /// There are none.
    pub fn new(
        plan: &Plan<'s>,
        task: &Task<'_>,
        request: &Request,
        observer: &'s dyn Observer,
    ) -> Result<Self, Failure> {
        let (sender, events) = channel();
        let (mut lanes, mut refusals) = (Vec::new(), Vec::new());
        for step in plan.steps {
            let engine = crate::engine(request.engines, step.engine)
                .ok_or_else(|| Failure::Internal(format!("the strategy has no engine `{}`", step.engine)))?;
            let stand_in = match step.setting {
                Setting::Under(name) => match stronger(name, engine, task)? {
                    Some(model) => Some(model),
                    None => continue,
                },
                Setting::Plain | Setting::Small => {
                    if let Err(refusal) = engine.accepts(task) {
                        refusals.push(refusal);
                        continue;
                    }
                    relaxed(engine, task)
                }
            };
            let (at, to) = (lanes.len(), sender.clone());
            // Nobody listens any more when there is an answer.
            let meter = Meter::new(move || to.send(Event::Held(at)).unwrap_or_default());
            lanes.push(Lane { step, engine, stand_in, meter, state: State::New, known: Arc::default(), ended: None });
        }
        if lanes.is_empty() {
            return Err(match &refusals[..] {
                [only] => Failure::Refused(only.reason.clone(), only.help.clone()),
                several => {
                    let reasons: Vec<&str> = several.iter().map(|refusal| refusal.reason.as_str()).collect();
                    Failure::Refused(reasons.join("; "), "no engine takes this task".to_owned())
                }
            });
        }
        let asked = match task.question {
            Question::Reach(goals) => Asked::Reach(goals.to_vec()),
            Question::States => Asked::States,
            Question::Violation(property) => Asked::Violation(property),
        };
        let common = Arc::new(Common {
            program: task.program.clone(),
            model: task.model.clone(),
            asked,
            options: request.options.clone(),
            deepens: request.deepen.is_some(),
            wanted: ARTEFACTS.iter().map(|&(name, ..)| name).filter(|name| observer.wants(name)).collect(),
            over: AtomicBool::new(false),
        });
        let (jobs, limit) = (request.jobs.max(1), request.deepen);
        Ok(Schedule { plan: *plan, common, lanes, observer, events, sender, jobs, limit })
    }

    /// Round after round until somebody decides, nobody is left, the work for larger bounds is used up, or the user's limits
    /// are reached.
    ///
    /// # Errors
    /// An engine has a defect.
    pub fn follow(mut self) -> Result<Result<Found<Answer>, (&'static str, NoAnswer)>, Failure> {
        let mut scheduled = 0u64;
        for round in 0.. {
            let allowed = scheduled;
            let decided = match self.round(round, &mut scheduled) {
                Ok(decided) => decided,
                Err(stopped) => return self.end(None, Some(stopped)),
            };
            // What the first row gave back after its first bound is for larger ones.
            if let Some(lead) = self.lanes.first().filter(|lane| lane.state != State::Ended) {
                scheduled = scheduled.min(lead.meter.granted().max(allowed));
            }
            if decided.is_some() {
                return self.end(decided, None);
            }
            let is_left = self.lanes.iter().any(|lane| lane.state != State::Ended && !lane.step.is_last_resort());
            if !is_left {
                let last = match self.last_resort() {
                    Ok(last) => last,
                    Err(stopped) => return self.end(None, Some(stopped)),
                };
                return self.end(last, None);
            }
            let enough = match self.patience() {
                Some(limit) => scheduled >= limit,
                None => self.lanes.first().is_some_and(|lane| lane.state == State::Ended),
            };
            if self.is_bounded() && enough {
                break;
            }
        }
        self.end(None, None)
    }

    /// How much work the first row may do once a bound is done, by itself or by another row of its engine.
    fn patience(&self) -> Option<u64> {
        let own = self.lanes.first().is_none_or(|lane| lane.is_bounded() || lane.state == State::Ended);
        self.limit.map(|limit| if own { limit } else { limit.saturating_mul(FIRST_BOUND) })
    }

    /// Whether a bound is done by an engine whose bounds count.
    fn is_bounded(&self) -> bool {
        let Some(lead) = self.lanes.first() else { return false };
        self.lanes.iter().any(|lane| lane.step.engine == lead.step.engine && lane.is_bounded())
    }

    /// One round. Gives the row that decides, if one does.
    fn round(&mut self, round: usize, scheduled: &mut u64) -> Result<Option<usize>, NoAnswer> {
        let in_turn = round < self.plan.patient;
        let mut bounded = self.is_bounded();
        let lead = self.lead(round, bounded, *scheduled);
        *scheduled = scheduled.saturating_add(lead);
        let mut plan: Vec<usize> = (0..self.lanes.len()).collect();
        plan.retain(|&at| self.lanes[at].state != State::Ended);
        let mut started = 0;
        loop {
            let running = plan.iter().filter(|&&at| self.lanes[at].state == State::Running).count();
            let room = if in_turn { 1 } else { self.jobs };
            if let Some(answer) = self.first_decided(&plan[..started]) {
                return Ok(answer);
            }
            if started < plan.len() && running < room && !self.has_decided(&plan[..started]) {
                let at = plan[started];
                started += 1;
                if in_turn {
                    bounded = self.is_bounded();
                }
                let grant = if at == 0 { lead } else { self.lanes[at].step.grant(round, bounded) };
                if grant > 0 {
                    self.let_go(at, grant);
                }
                continue;
            }
            if running == 0 && started == plan.len() {
                return Ok(None);
            }
            self.listen()?;
        }
    }

    /// How much the first row may do in a round: once there is a bound, no more than is left for larger ones.
    fn lead(&self, round: usize, bounded: bool, scheduled: u64) -> u64 {
        let left = self.patience().filter(|_| bounded).map_or(u64::MAX, |all| all.saturating_sub(scheduled));
        self.lanes.first().map_or(0, |lane| lane.step.grant(round, bounded).min(left))
    }

    /// The row that decides, if all before it in the plan are through. The outer option is empty while that is open.
    fn first_decided(&self, plan: &[usize]) -> Option<Option<usize>> {
        for &at in plan {
            let lane = &self.lanes[at];
            match lane.state {
                State::Running => return None,
                State::Ended if lane.decides() => return Some(Some(at)),
                State::New | State::Held | State::Ended => {}
            }
        }
        None
    }

    fn has_decided(&self, plan: &[usize]) -> bool {
        plan.iter().any(|&at| self.lanes[at].decides())
    }

    /// Asks those that are there for when nobody else is left, if nobody knows anything.
    fn last_resort(&mut self) -> Result<Option<usize>, NoAnswer> {
        if self.lanes.iter().any(Lane::is_bounded) {
            return Ok(None);
        }
        for at in 0..self.lanes.len() {
            if self.lanes[at].step.is_last_resort() {
                self.let_go(at, u64::MAX / 4);
                while self.lanes[at].state == State::Running {
                    self.listen()?;
                }
                if self.lanes[at].decides() {
                    return Ok(Some(at));
                }
            }
        }
        Ok(None)
    }

    /// Lets a row go on for so much work.
    fn let_go(&mut self, at: usize, units: u64) {
        let lane = &mut self.lanes[at];
        let is_new = lane.state == State::New;
        lane.state = State::Running;
        lane.meter.grant(units);
        if !is_new {
            return;
        }
        let watcher = Watcher {
            common: Arc::clone(&self.common),
            at,
            engine: lane.engine.name(),
            meter: lane.meter.clone(),
            known: Arc::clone(&lane.known),
            events: self.sender.clone(),
        };
        let (engine, step, stand_in) = (lane.engine, *lane.step, lane.stand_in.clone());
        let run = move || {
            let ended = work(&watcher, engine, &step, stand_in);
            // Nobody listens any more when there is an answer.
            let _ = watcher.events.send(Event::Ended(watcher.at, Box::new(ended)));
        };
        if let Err(error) = std::thread::Builder::new().stack_size(STACK).spawn(run) {
            lane.state = State::Ended;
            lane.ended = Some(Ok(Err(NoAnswer::GaveUp(format!("no thread for the engine: {error}")))));
        }
    }

    /// Waits for something to happen.
    ///
    /// # Errors
    /// The user's limits are reached.
    fn listen(&mut self) -> Result<(), NoAnswer> {
        loop {
            match self.events.recv_timeout(INTERVAL) {
                Ok(Event::Phase(name, detail)) => self.observer.phase(&name, &detail),
                Ok(Event::Artefact(name, text)) => self.observer.artefact(&name, &text),
                Ok(Event::Held(at)) => {
                    self.lanes[at].state = State::Held;
                    return Ok(());
                }
                Ok(Event::Ended(at, ended)) => {
                    self.lanes[at].state = State::Ended;
                    self.lanes[at].ended = Some(*ended);
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if let Some(why) = self.observer.stop() {
                return Err(why);
            }
        }
    }

    /// Sends everybody home, and says what is known: what a row decided, or else the best bounds, or else why nothing is.
    fn end(
        mut self,
        decided: Option<usize>,
        stopped: Option<NoAnswer>,
    ) -> Result<Result<Found<Answer>, (&'static str, NoAnswer)>, Failure> {
        self.common.over.store(true, Ordering::Relaxed);
        self.lanes.iter().for_each(|lane| lane.meter.close());
        self.farewell();
        self.tell_work();
        if let Some(ended) = decided.and_then(|at| self.lanes[at].ended.take()) {
            return ended.map(|answer| answer.map_err(|reason| (self.plan.name, reason)));
        }
        let mut reason = stopped.map(|why| (self.lanes.first().map_or(self.plan.name, |lane| lane.engine.name()), why));
        for lane in self.lanes {
            let known = lane.known.lock().unwrap_or_else(PoisonError::into_inner).take();
            match lane.ended {
                Some(Ok(Ok(found))) => return Ok(Ok(found)),
                _ if known.is_some() => return Ok(known.ok_or((lane.engine.name(), NoAnswer::Cancelled))),
                Some(Ok(Err(why))) => reason = reason.or(Some((lane.engine.name(), why))),
                Some(Err(failure)) => return Err(failure),
                None => {}
            }
        }
        Ok(Err(reason.unwrap_or((self.plan.name, NoAnswer::Cancelled))))
    }

    /// Tells who has done how much.
    fn tell_work(&self) {
        let begun = self.lanes.iter().filter(|lane| lane.state != State::New);
        let shares = begun.map(|lane| format!("{} {}", lane.engine.name(), lane.meter.spent() / MILLI));
        self.observer.phase("work", &format!("in thousands of units: {}", shares.collect::<Vec<_>>().join(", ")));
    }

    /// Waits a little for those that are still at work, so that they do not compete with what comes next.
    fn farewell(&mut self) {
        let until = Instant::now() + FAREWELL;
        let mut busy = self.lanes.iter().filter(|lane| matches!(lane.state, State::Running | State::Held)).count();
        while busy > 0 {
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Ended(..)) => busy -= 1,
                Ok(Event::Held(_) | Event::Phase(..) | Event::Artefact(..)) => {}
                Err(_) => return,
            }
        }
    }
}

impl Lane<'_> {
    /// Whether it is through with an answer that cannot get better, or with a defect, which is never hidden.
    fn decides(&self) -> bool {
        match &self.ended {
            Some(Ok(Ok(found))) => is_decided(&found.result),
            Some(Err(_)) => true,
            Some(Ok(Err(_))) | None => false,
        }
    }

    /// Whether it knows something with bounds.
    fn is_bounded(&self) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        known || matches!(&self.ended, Some(Ok(Ok(_))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::ALL;
    use engine::Unobserved;
    use source::SourceFile;

    const HEAD: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
int x, y, z, r, s;
";

    /// Two threads, and what holds when they have ended.
    fn two_threads(first: &str, second: &str, after: &str, model: &Model) -> Program {
        let text = format!(
            "{HEAD}void *p(void *u) {{ {first} return 0; }}\nvoid *q(void *u) {{ {second} return 0; }}\n\
            int main(void) {{ pthread_t a, b; pthread_create(&a, 0, p, 0); pthread_create(&b, 0, q, 0);\n\
            pthread_join(a, 0); pthread_join(b, 0); __VERIFIER_assert({after}); return 0; }}\n"
        );
        let program = crate::load(&SourceFile::new("row.c", &text), &crate::Reading::default()).expect("a program");
        crate::compiled(&program, model).expect("a program of the machine").into_owned()
    }

    const FAILS: Question<'_> = Question::Violation(Property::Assertions { memory: true });

    /// What a row alone knows of a program: whether something goes wrong.
    fn row(step: Step, program: &Program, model: &Model) -> Result<bool, NoAnswer> {
        let plan = Plan { name: "row", steps: &[step], patient: 0 };
        let request = Request::default();
        let task = Task { program, model, question: FAILS, options: &request.options };
        let schedule = Schedule::new(&plan, &task, &request, &Unobserved).unwrap_or_else(|why| panic!("{why}"));
        let found = schedule.follow().unwrap_or_else(|why| panic!("{why}"));
        let fails =
            |answer: &Answer| matches!(&answer.findings, Findings::Reach(found) if found.iter().any(Option::is_some));
        found.map(|found| fails(&found.result)).map_err(|(_, reason)| reason)
    }

    /// What the row under sequential consistency knows of two threads under a model.
    fn under_sc(first: &str, second: &str, after: &str, model: &str) -> Result<bool, NoAnswer> {
        let model = Model::builtin(model).expect("a model of ours");
        let step = Step { setting: Setting::Under("sc"), first: ALL, then: ALL, ..Step::alone("coherence") };
        row(step, &two_threads(first, second, after, &model), &model)
    }

    #[test]
    fn what_goes_wrong_under_a_stronger_model_goes_wrong_and_a_proof_is_none() {
        for model in ["ppc", "aarch64", "rc11"] {
            let lost = under_sc("int t = x; x = t + 1;", "int t = x; x = t + 1;", "x == 2", model);
            assert!(matches!(lost, Ok(true)), "{model}: {lost:?}");
            // Only weak memory makes both zero.
            let buffered = under_sc("x = 1; r = y;", "y = 1; s = x;", "r || s", model);
            assert!(matches!(buffered, Err(NoAnswer::GaveUp(_))), "{model}: {buffered:?}");
        }
    }

    #[test]
    fn a_proof_under_a_relaxed_model_is_one_and_what_goes_wrong_there_alone_does_not() {
        let ppc = Model::builtin("ppc").expect("a model of ours");
        // The orders are relaxed (0), acquire (2) and release (3).
        let message = "x = 1; __atomic_store_n(&y, 1, 3);";
        let chain = "r = __atomic_load_n(&y, 0); z = r; int t = z; s = *(&x + (t ^ t));";
        let acquire = "r = __atomic_load_n(&y, 2); s = x;";
        let relaxed_load = "r = __atomic_load_n(&y, 0); s = x;";
        let other = format!("{message} z = 2;");
        let cases =
            [(message, acquire, false, false), (&*other, chain, true, false), (message, relaxed_load, true, true)];
        for (first, second, fails_relaxed, fails) in cases {
            let program = two_threads(first, second, "!r || s", &ppc);
            let found = row(Step::alone("partial-order"), &program, &ppc);
            assert!(matches!(found, Ok(found) if found == fails), "{second}: {found:?}");
            let found = row(Step::alone("partial-order"), &program, &ppc.relaxed().expect("simpler relations"));
            assert!(matches!(found, Ok(found) if found == fails_relaxed), "{second}, relaxed: {found:?}");
        }
    }

    #[test]
    fn who_does_not_read_relations_and_who_asks_for_states_has_the_models_own() {
        let (ppc, tso) = (Model::builtin("ppc").expect("a model"), Model::builtin("tso").expect("a model"));
        let program = two_threads("x = 1;", "x = 2;", "x", &ppc);
        let options = Options::default();
        let stands_in = |engine: &str, model: &Model, question| {
            let engine = crate::engine(crate::ENGINES, engine).expect("an engine");
            relaxed(engine, &Task { program: &program, model, question, options: &options }).is_some()
        };
        assert!(stands_in("partial-order", &ppc, FAILS));
        assert!(!stands_in("partial-order", &tso, FAILS));
        assert!(!stands_in("local", &ppc, FAILS));
        assert!(!stands_in("partial-order", &ppc, Question::States));
    }
}

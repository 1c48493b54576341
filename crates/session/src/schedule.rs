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

/// A row at work.
struct Lane<'s> {
    step: &'s Step,
    engine: &'static dyn Engine,
    /// The model that it works under, if that is not the task's.
    stand_in: Option<Model>,
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
        Some((next, (next / 2).max(1)))
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

/// The model that the row wants instead of the task's, if what is found under it is about the task.
fn stand_in(step: &Step, engine: &dyn Engine, task: &Task<'_>) -> Result<Option<Model>, Failure> {
    let Setting::Under(name) = step.setting else { return Ok(None) };
    let fails = matches!(task.question, Question::Violation(Property::Assertions { .. }));
    if !fails || !task.model.head.weaker_than.iter().any(|stronger| stronger == name) {
        return Ok(None);
    }
    let model = crate::model(name)?;
    let takes = engine.accepts(&Task { model: &model, ..*task }).is_ok();
    Ok(takes.then_some(model))
}

/// What a violation under a stand-in says about the task; a proof says nothing.
fn under_the_models_own(common: &Common, answer: Answer) -> Result<Answer, NoAnswer> {
    let Asked::Violation(property) = common.asked else { return Err(NoAnswer::Cancelled) };
    let holds = |found: &Option<witness::Execution>| {
        let checked = |execution| witness::check_violation(&common.program, &common.model, execution, property);
        found.as_ref().is_some_and(|execution| checked(execution).is_ok())
    };
    match &answer.findings {
        Findings::Reach(found) if found.iter().all(holds) => Ok(answer),
        Findings::Reach(_) | Findings::States(_) | Findings::Proof(_) => {
            Err(NoAnswer::GaveUp("nothing goes wrong under the stronger model".to_owned()))
        }
    }
}

/// The work of a row: one bound after the other.
fn work(watcher: &Watcher, engine: &dyn Engine, step: &Step, stand_in: Option<&Model>) -> Ended {
    let common = &*watcher.common;
    for (at, (unwind, widen)) in bounds(common.options.unwind).enumerate() {
        let mut options = common.options.clone();
        options.unwind = unwind;
        options.widen = if common.deepens { widen } else { 0 };
        step.set(&mut options);
        let question = match &common.asked {
            Asked::Reach(goals) => Question::Reach(goals),
            Asked::States => Question::States,
            Asked::Violation(property) => Question::Violation(*property),
        };
        let model = stand_in.unwrap_or(&common.model);
        let task = Task { program: &common.program, model, question, options: &options };
        let mut answer = run_engine(engine, &task, watcher)?;
        if stand_in.is_some() {
            answer = answer.and_then(|answer| under_the_models_own(common, answer));
        }
        let answer = match answer {
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
            let stand_in = stand_in(step, engine, task)?;
            match engine.accepts(task) {
                // Who knows the model needs no other one.
                Ok(()) if matches!(step.setting, Setting::Under(_)) => continue,
                Err(refusal) if stand_in.is_none() => {
                    refusals.push(refusal);
                    continue;
                }
                Ok(()) | Err(_) => {}
            }
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
            let ended = work(&watcher, engine, &step, stand_in.as_ref());
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
int x, y, r, s;
";

    /// What the row under sequential consistency knows of two threads under a model.
    fn under_sc(first: &str, second: &str, after: &str, model: &str) -> Result<bool, NoAnswer> {
        let text = format!(
            "{HEAD}void *p(void *u) {{ {first} return 0; }}\nvoid *q(void *u) {{ {second} return 0; }}\n\
            int main(void) {{ pthread_t a, b; pthread_create(&a, 0, p, 0); pthread_create(&b, 0, q, 0);\n\
            pthread_join(a, 0); pthread_join(b, 0); __VERIFIER_assert({after}); return 0; }}\n"
        );
        let model = Model::builtin(model).expect("a model of ours");
        let program = crate::load(&SourceFile::new("row.c", &text), &crate::Reading::default()).expect("a program");
        let program = crate::compiled(&program, &model).expect("a program of the machine");
        let steps = [Step { setting: Setting::Under("sc"), first: ALL, then: ALL, ..Step::alone("coherence") }];
        let plan = Plan { name: "row", steps: &steps, patient: 0 };
        let request = Request::default();
        let question = Question::Violation(Property::Assertions { memory: true });
        let task = Task { program: &program, model: &model, question, options: &request.options };
        let schedule = Schedule::new(&plan, &task, &request, &Unobserved).unwrap_or_else(|why| panic!("{why}"));
        let found = schedule.follow().unwrap_or_else(|why| panic!("{why}"));
        found.map(|found| is_decided(&found.result)).map_err(|(_, reason)| reason)
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
}

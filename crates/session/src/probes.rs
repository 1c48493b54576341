//! Executions that go wrong for what `fences` tries: an engine leaves fences and orders open, and is asked about one choice after the other.
//! What it shows is replayed in the program with that choice, like all evidence.

use crate::evidence::panic_message;
use crate::fences::Demand;
use crate::minimal::minimal;
use crate::schedule::bounds;
use crate::strategy::AUTO;
use crate::violation::Limited;
use crate::{Failure, Request, engine};
use engine::{
    Choices, Engine, Family, MILLI, Meter, NoAnswer, Observer, Options, Property, Question, SECOND, Task, Verdict,
};
use fences::{Checked, Probe};
use ir::Program;
use model::{Model, Role};
use std::panic::{AssertUnwindSafe, catch_unwind};
use witness::Execution;

/// Who leaves tags open.
const ENGINE: &str = "partial-order";

/// How much work the search for executions of one demand may be.
const WORK: u64 = 60 * SECOND;

/// How often the bounds on loops are raised at most.
const LEVELS: usize = 4;

/// Who finds executions contrary to a demand.
pub struct Prober<'a> {
    model: &'a Model,
    engine: Option<&'static dyn Engine>,
    /// What is asked, one after the other: the property, and whether the program is defined at all.
    properties: Vec<Property>,
    /// How loops are bounded at each level.
    levels: Vec<Options>,
    observer: Limited<'a>,
}

impl<'a> Prober<'a> {
    pub fn new(demand: &'a Demand, request: &Request, observer: &'a dyn Observer) -> Self {
        let asked = request.engine.as_deref().unwrap_or(AUTO);
        let engine = engine(request.engines, ENGINE).filter(|_| asked == AUTO || asked == ENGINE);
        // Who asks for more asks for this too, and once is enough.
        let asserts = matches!(demand.property, Property::Assertions { .. });
        let races = (demand.model.undefines() && asserts).then_some(Property::Race);
        let levels = bounds(request.options.unwind).take(if request.deepen.is_some() { LEVELS } else { 1 });
        let level = |(unwind, widen)| Options { unwind, widen, ..request.options.clone() };
        Prober {
            model: &demand.model,
            engine,
            properties: [demand.property].into_iter().chain(races).collect(),
            levels: levels.map(level).collect(),
            observer: Limited { inner: observer, meter: Meter::limited(WORK) },
        }
    }

    /// Somebody who knows a program in which something can be chosen, if the engine takes it.
    pub fn probe<'s>(&'s self, program: &'s Program, choices: &Choices) -> Option<Box<dyn Probe<Failure> + 's>> {
        // Conditions of litmus tests are about ends, and decided at once.
        let engine = self.engine.filter(|_| program.condition.is_none())?;
        let families = self.properties.iter().map(|&property| (property, Formula::New)).collect();
        Some(Box::new(Open { prober: self, engine, program, choices: choices.clone(), level: 0, families }))
    }
}

/// What an engine has made of a program for a property.
enum Formula<'s> {
    /// Nothing yet.
    New,
    Built(Box<dyn Family + 's>),
    /// It cannot, or its work is used up: each choice is checked by itself.
    None,
}

/// A program in which something can be chosen, and what an engine has made of it for each property.
struct Open<'s, 'a> {
    prober: &'s Prober<'a>,
    engine: &'static dyn Engine,
    program: &'s Program,
    choices: Choices,
    level: usize,
    families: Vec<(Property, Formula<'s>)>,
}

impl<'s> Open<'s, '_> {
    /// Has the formula for a property built with the present bounds.
    fn build(&self, property: Property) -> Result<Formula<'s>, Failure> {
        let options = &self.prober.levels[self.level];
        let question = Question::Violation(property);
        let task = Task { program: self.program, model: self.prober.model, question, options };
        if self.engine.accepts(&task).is_err() {
            return Ok(Formula::None);
        }
        let built = guarded(|| self.engine.family(&task, &self.choices, &self.prober.observer))?;
        Ok(match built {
            Ok(family) => family.map_or(Formula::None, Formula::Built),
            Err(reason) => {
                let spent = self.prober.observer.meter.spent() / MILLI;
                tracing::debug!(?property, level = self.level, spent, %reason, "no probe");
                Formula::None
            }
        })
    }

    /// What an execution shows, if it holds in the program with what is chosen.
    fn checked(&self, chosen: &[usize], property: Property, execution: Execution) -> Result<Checked, Failure> {
        let (program, model) = (self.choices.chosen(self.program, chosen), self.prober.model);
        witness::check_violation(&program, model, &execution, property).map_err(|flaw| {
            let engine = self.engine.name();
            Failure::Internal(format!("{}: an execution that {engine} found does not hold: {flaw}", program.name))
        })?;
        let execution = minimal(&program, model, &execution, property).unwrap_or(execution);
        let axiom = model.axioms.iter().find(|axiom| property == Property::Race && axiom.role == Role::Undefines);
        let undefined = axiom.map(|axiom| axiom.name.clone());
        Ok(Checked { verdict: Verdict::Unsafe(Box::new(execution)), program, undefined })
    }
}

impl Probe<Failure> for Open<'_, '_> {
    fn ask(&mut self, chosen: &[usize]) -> Result<Option<Checked>, Failure> {
        for at in 0..self.families.len() {
            let property = self.families[at].0;
            if matches!(self.families[at].1, Formula::New) {
                self.families[at].1 = self.build(property)?;
            }
            let Formula::Built(family) = &mut self.families[at].1 else { continue };
            let found = guarded(|| family.find(chosen))?;
            let (level, spent) = (self.level, self.prober.observer.meter.spent() / MILLI);
            tracing::debug!(?property, level, spent, found = ?found.as_ref().map(Option::is_some), "probe");
            match found {
                Ok(Some(execution)) => return self.checked(chosen, property, execution).map(Some),
                Ok(None) => {}
                Err(_) => self.families[at].1 = Formula::None,
            }
        }
        Ok(None)
    }

    fn deepen(&mut self) {
        if self.level + 1 < self.prober.levels.len() {
            self.level += 1;
            self.families.iter_mut().for_each(|(_, formula)| *formula = Formula::New);
        }
    }
}

/// What an engine says; if it panics, that is a defect and no answer.
fn guarded<T>(ask: impl FnOnce() -> Result<T, NoAnswer>) -> Result<Result<T, NoAnswer>, Failure> {
    catch_unwind(AssertUnwindSafe(ask))
        .map_err(|panic| Failure::Internal(format!("the engine {ENGINE} stopped: {}", panic_message(&*panic))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reading, compiled, load};
    use engine::{Alternative, Findings, Marked, Unobserved};
    use ir::{Instr, Op, Site, TagSet};
    use source::SourceFile;
    use std::collections::BTreeMap;

    /// Store buffering, message passing, and read-modify-writes. What can have another order is found without a preprocessor: operators on
    /// atomic objects, and accesses that are not atomic.
    const TEXTS: [&str; 3] = [
        "_Atomic int x, y; int a, b;\n\
         static void *one(void *u) { x = 1; a = y; return 0; }\n\
         static void *two(void *u) { y = 1; b = x; return 0; }\n\
         #END if (!(a || b)) abort();\n",
        "_Atomic int y; int x, a, b;\n\
         static void *one(void *u) { x = 1; y = 1; return 0; }\n\
         static void *two(void *u) { a = y; if (a) b = x; return 0; }\n\
         #END if (a && !b) abort();\n",
        "_Atomic int x, y; int a, b;\n\
         static void *one(void *u) { x = 1; y++; return 0; }\n\
         static void *two(void *u) { a = y++; b = x; return 0; }\n\
         #END if (a == 1 && !b) abort();\n",
    ];

    fn program(text: &str) -> Program {
        let (threads, end) = text.split_once("#END").expect("a text with an end");
        let text = format!(
            "typedef unsigned long pthread_t; int pthread_create(pthread_t *, void *, void *(*)(void *), void *);\n\
             int pthread_join(pthread_t, void **); void abort(void);\n{threads}\n\
             int main(void) {{ pthread_t p, q; pthread_create(&p, 0, one, 0); pthread_create(&q, 0, two, 0);\n\
             pthread_join(p, 0); pthread_join(q, 0); {end} return 0; }}\n",
        );
        let mut reading = Reading::default();
        (reading.c.seams, reading.c.non_atomic) = (true, true);
        load(&SourceFile::new("probe.c", text), &reading).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// The tags of the marked instructions of a program, by mark: of reads, writes and fences.
    fn tags_by_mark(machine: &Program) -> BTreeMap<String, [Vec<String>; 3]> {
        let mut all: BTreeMap<String, [Vec<String>; 3]> = BTreeMap::new();
        let mut add = |half: usize, tags: &TagSet| {
            let names: Vec<&String> = tags.iter().map(|tag| &machine.tags[tag.index()]).collect();
            let Some(mark) = names.iter().find(|name| name.starts_with('!')) else { return };
            let own = names.iter().filter(|name| !name.starts_with('!')).map(|name| (*name).clone());
            all.entry((*mark).clone()).or_default()[half] = own.collect();
        };
        let instrs = machine.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs);
        for Instr { op, .. } in instrs {
            match op {
                Op::Load { tags, .. } => add(0, tags),
                Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => add(1, tags),
                Op::Rmw { read_tags, write_tags, .. } => {
                    add(0, read_tags);
                    add(1, write_tags);
                }
                Op::Fence { tags } => add(2, tags),
                Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
        all
    }

    /// What each order of each site is on a machine, by compiling the program with it.
    fn alternatives(program: &Program, model: &Model) -> (Vec<Alternative>, Vec<(usize, usize)>) {
        let (mut all, mut names) = (Vec::new(), Vec::new());
        for (site, known) in program.sites.iter().enumerate() {
            for order in 0..known.orders.len() {
                let mut changed = program.clone();
                changed.set_order(site, order);
                let machine = compiled(&changed, model).unwrap_or_else(|failure| panic!("{failure}"));
                let own = |mark: &str| mark.trim_end_matches(['-', '+']) == Site::mark(site);
                let marked = tags_by_mark(&machine).into_iter().filter(|(mark, _)| own(mark));
                let marked = marked.map(|(mark, [read, write, fence])| Marked { mark, read, write, fence });
                all.push(Alternative(marked.collect()));
                names.push((site, order));
            }
        }
        (all, names)
    }

    #[test]
    fn one_formula_says_of_each_choice_what_a_program_of_its_own_says() {
        let engine = engine(crate::ENGINES, ENGINE).expect("it is there");
        let options = Options::default();
        let (mut wrong, mut right) = (0, 0);
        for (text, name) in TEXTS.iter().flat_map(|text| ["rc11", "aarch64", "riscv", "tso"].map(|name| (text, name))) {
            let (program, model) = (program(text), Model::builtin(name).expect("a model of ours"));
            let (alternatives, names) = alternatives(&program, &model);
            assert!(names.len() > 4, "the text has sites");
            let mut base = compiled(&program, &model).expect("for all machines").into_owned();
            let choices = Choices::new(&mut base, &alternatives);
            for property in [Property::Assertions { memory: true }, Property::Race] {
                if property == Property::Race && !model.undefines() {
                    continue;
                }
                let question = Question::Violation(property);
                let task = Task { program: &base, model: &model, question, options: &options };
                let family = engine.family(&task, &choices, &Unobserved).expect("an answer");
                let mut family = family.expect("tags can be left open");
                for round in 0..24 {
                    let pick = |site: usize| (round * 7 + site * 5 + round / 3) % program.sites[site].orders.len();
                    let chosen: Vec<usize> = (0..names.len()).filter(|&at| names[at].1 == pick(names[at].0)).collect();
                    let mut changed = program.clone();
                    (0..program.sites.len()).for_each(|site| changed.set_order(site, pick(site)));
                    let alone = compiled(&changed, &model).expect("for all machines");
                    let answer = engine.run(&Task { program: &alone, ..task }, &Unobserved).expect("an answer");
                    let Findings::Reach(expected) = answer.findings else { panic!("another question") };
                    let found = family.find(&chosen).expect("an answer");
                    assert_eq!(found.is_some(), expected[0].is_some(), "{name}, {property:?}, {chosen:?}\n{text}");
                    if let Some(execution) = found {
                        let program = choices.chosen(&base, &chosen);
                        let replayed = witness::check_violation(&program, &model, &execution, property);
                        assert!(replayed.is_ok(), "{name}, {property:?}, {chosen:?}: {replayed:?}\n{text}");
                        wrong += 1;
                    } else {
                        right += 1;
                    }
                }
            }
        }
        assert!(wrong > 60 && right > 60, "both happen: {wrong}, {right}");
    }
}

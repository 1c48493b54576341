//! One formula for all programs that differ in tags only: an alternative is a truth value, a set that tags make has conditions, and what
//! is chosen is assumed.

use crate::encode::Problem;
use crate::prepare;
use engine::{Choices, Family, NoAnswer, Observer, Question, Task};
use logic::Lit;
use witness::Execution;

/// The formula of a task about a program in which something can be chosen; nothing if the question is not about violations.
pub fn family<'t>(
    task: &Task<'t>,
    choices: &Choices,
    observer: &'t dyn Observer,
) -> Result<Option<Box<dyn Family + 't>>, NoAnswer> {
    let Question::Violation(property) = task.question else { return Ok(None) };
    let (mut problem, _) = prepare(task, false, Some(choices), observer)?;
    problem.widen(0);
    if problem.is_mixed(observer)? {
        problem = prepare(task, true, Some(choices), observer)?.0;
    }
    let goal = problem.violation(property);
    Ok(Some(Box::new(Open { problem, goal, widen: task.options.widen, observer })))
}

/// A formula whose alternatives are open.
struct Open<'t> {
    problem: Problem<'t>,
    goal: Lit,
    widen: u32,
    observer: &'t dyn Observer,
}

impl Family for Open<'_> {
    fn find(&mut self, chosen: &[usize]) -> Result<Option<Execution>, NoAnswer> {
        self.problem.choose(chosen);
        self.problem.widen(self.widen);
        Ok(self.problem.find(self.goal, self.observer)?.map(|found| found.execution))
    }
}

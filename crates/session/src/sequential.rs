//! Programs as sequential programs.

use crate::{Failure, Request, compiled};
use engine::{Engine, Observer, Question, Refusal, Task};
use engine_lazy::Lazy;
use ir::Program;
use model::Model;

/// The program as a sequential one, as C text: see the engine `lazy`.
///
/// # Errors
/// Why there is none.
pub fn sequential(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<String, Failure> {
    let program = compiled(program, model)?;
    let goal = program.condition.as_ref().map(ir::Condition::bad);
    let question = match &goal {
        Some(goal) => Question::Reach(std::slice::from_ref(goal)),
        None => Question::Violation(request.property),
    };
    let task = Task { program: &program, model, question, options: &request.options };
    let refused = |refusal: Refusal| Failure::Refused(refusal.reason, refusal.help);
    Lazy.accepts(&task).map_err(refused)?;
    engine_lazy::emit_c(&task, observer)
        .map_err(|reason| Failure::Refused(reason.to_string(), "try smaller bounds, or more time".to_owned()))
}

//! Programs that a model of a language gives no meaning to, such as those with a data race.

use crate::{Failure, Found, Request, reached, run};
use engine::{Observer, Question, Verdict};
use ir::{Program, Proposition};
use model::{Model, Role};

/// An execution that the model says makes the program undefined, such as a data race.
pub fn undefined(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Option<Found<Verdict>>, Failure> {
    for at in (0..model.axioms.len()).filter(|&at| model.axioms[at].role == Role::Undefines) {
        let mut demanding = model.clone();
        demanding.axioms[at].role = Role::Forbids;
        demanding.axioms[at].negated = !model.axioms[at].negated;
        let (program, result, engine) =
            match run(program, &demanding, request, Question::Reach(&[Proposition::True]), observer)? {
                Err((engine, reason)) => (program.clone(), Verdict::Unknown(reason), engine),
                Ok(found) => match reached(&found.result)? {
                    [Some(execution)] => (found.program, Verdict::Unsafe(Box::new(execution.clone())), found.engine),
                    _ => continue,
                },
            };
        let undefined = matches!(result, Verdict::Unsafe(_)).then(|| model.axioms[at].name.clone());
        return Ok(Some(Found { undefined, ..Found::new(result, engine, Vec::new(), program) }));
    }
    Ok(None)
}

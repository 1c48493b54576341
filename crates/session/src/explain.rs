//! Why a model forbids an outcome.

use crate::{Failure, Found, Request, check, structure};
use engine::{Observer, Verdict};
use ir::Program;
use model::{Evaluator, Explanation, Model, Node, Role};
use witness::Execution;

/// A candidate execution that ends as asked, and the axiom that forbids it.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The execution.
    pub execution: Execution,
    /// The cycle.
    pub explanation: Explanation,
    /// The program that was run: the given one, compiled for the model where it needed to be.
    pub program: Program,
}

/// Why the model forbids the program's outcome; nothing if no candidate execution ends so whatever the model.
///
/// The candidate is one that as few and as late axioms as possible forbid: the model without one axiom is asked for it,
/// from the last axiom to the first, then the model without several.
///
/// # Errors
/// The outcome is allowed, or nobody knows.
pub fn why(
    program: &Program,
    model: &Model,
    request: &Request,
    observer: &dyn Observer,
) -> Result<Result<Option<Reason>, Verdict>, Failure> {
    if model.nodes.iter().any(|node| matches!(node, Node::Order(..))) {
        let reason =
            format!("the model {} tries all orders of `linearisations`, and each fails for another reason", model.name);
        let help = "use `check`, or a model that defines its orders: `fencepost list models`";
        return Err(Failure::Refused(reason, help.to_owned()));
    }
    let verdict = check(program, model, request, observer)?.result;
    if !matches!(verdict, Verdict::Safe(_)) {
        return Ok(Err(verdict));
    }
    let axioms: Vec<usize> = (0..model.axioms.len()).filter(|&a| model.axioms[a].role == Role::Forbids).collect();
    let single = axioms.iter().rev().map(|&axiom| vec![axiom]);
    let several = (0..axioms.len()).rev().map(|from| axioms[from..].to_vec());
    for dropped in single.chain(several) {
        let mut weaker = model.clone();
        dropped.iter().for_each(|&axiom| weaker.axioms[axiom].role = Role::Flags);
        let Found { result, program, .. } = check(program, &weaker, request, observer)?;
        let Verdict::Unsafe(execution) = result else { continue };
        let structure = structure(&program, &execution)?;
        let mut evaluator = Evaluator::new(model, &structure);
        let violated = evaluator.violated();
        let explanations = violated.into_iter().filter_map(|axiom| evaluator.explain(axiom));
        let shortest = explanations.min_by_key(|explanation| explanation.steps.len());
        if let Some(explanation) = shortest {
            return Ok(Ok(Some(Reason { execution: *execution, explanation, program })));
        }
    }
    Ok(Ok(None))
}

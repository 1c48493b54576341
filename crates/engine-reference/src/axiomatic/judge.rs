//! The model's word on a candidate execution.

use model::{Evaluator, Model, Relation, Structure};

/// Decides about the executions of one choice of traces, which differ in reads-from and coherence.
pub(super) struct Judge<'a> {
    model: &'a Model,
    evaluator: Evaluator<'a>,
}

impl<'a> Judge<'a> {
    /// A judge for the executions of this structure.
    pub fn new(model: &'a Model, structure: &Structure) -> Self {
        Judge { model, evaluator: Evaluator::new(model, structure) }
    }

    /// Whether the model allows the execution with these reads-from and coherence.
    pub fn allows(&mut self, rf: &Relation, co: &Relation) -> bool {
        self.evaluator.set(rf, co);
        self.evaluator.is_consistent()
    }

    /// The names of the flags that the execution last asked about raises.
    pub fn flags(&mut self) -> Vec<String> {
        self.evaluator.flags().into_iter().map(|axiom| engine::flag_name(&self.model.axioms[axiom])).collect()
    }
}

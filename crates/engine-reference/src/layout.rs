//! What both engines need to know of a program: its cells by number, and what is observed at the end.

use engine::{NoAnswer, Question, Task};
use ir::{Address, Function, Location, Program, State, Width, eval, truncate};
use source::Span;

/// The cells of shared memory, numbered in the order of [`Program::addresses`].
pub(crate) struct Layout {
    pub addresses: Vec<Address>,
    pub widths: Vec<Width>,
    pub initial: Vec<u64>,
}

impl Layout {
    pub fn new(program: &Program) -> Self {
        // Initial values are constants and addresses: they mention no local.
        let nowhere = nowhere();
        let addresses: Vec<Address> = program.addresses().collect();
        let cells: Vec<_> = addresses.iter().filter_map(|&address| program.cell(address)).collect();
        let widths: Vec<Width> = cells.iter().map(|cell| cell.width).collect();
        let initial = cells.iter().map(|cell| truncate(eval(&cell.initial, &nowhere, &[]).0, cell.width)).collect();
        Layout { addresses, widths, initial }
    }

    /// The number of the cell that the word points to, if it points to the beginning of one.
    pub fn cell(&self, word: u64) -> Option<usize> {
        let address = Address::from_bits(word)?;
        self.addresses.iter().position(|&known| known == address)
    }
}

/// A function without locals, to evaluate constants in.
pub(crate) fn nowhere() -> Function {
    Function { name: String::new(), params: 0, library: false, locals: Vec::new(), blocks: Vec::new() }
}

/// The complaint about an access that touches no cell.
pub(crate) fn stray(program: &Program, span: Span, word: u64) -> String {
    let line = program.source.line(span);
    let value = program.value_name(word, Width::WORD);
    format!("line {line} accesses {value}, which is not a location of the program")
}

/// The final values that decide what a task asks for.
pub(crate) struct Observation<'a> {
    program: &'a Program,
    observed: Vec<Location>,
    /// What the filter and the question mention besides.
    all: Vec<Location>,
}

impl<'a> Observation<'a> {
    pub fn new(task: &Task<'a>) -> Self {
        let program = task.program;
        let observed = program.observables();
        let mut all = observed.clone();
        program.filter.iter().for_each(|filter| filter.for_each_location(&mut |location| all.push(location)));
        match task.question {
            Question::Reach(goals) => {
                goals.iter().for_each(|goal| goal.for_each_location(&mut |location| all.push(location)));
            }
            Question::States | Question::Violation(_) => {}
        }
        Observation { program, observed, all }
    }

    /// The final state with everything that is asked about, if the program's filter lets it through.
    pub fn state(&self, value: impl Fn(Location) -> u64) -> Option<State> {
        let state: State = self.all.iter().map(|&location| (location, value(location))).collect();
        self.program.filter.as_ref().is_none_or(|filter| filter.holds(&state)).then_some(state)
    }

    /// The part of a state that is observed.
    pub fn observed(&self, state: &State) -> State {
        self.observed.iter().filter_map(|location| Some((*location, *state.get(location)?))).collect()
    }
}

/// A limit of an engine was reached.
pub(crate) fn gave_up<T>(why: impl Into<String>) -> Result<T, NoAnswer> {
    Err(NoAnswer::GaveUp(why.into()))
}

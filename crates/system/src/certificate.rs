//! Why a system is safe: cubes that no initial state is in, that all bad states are in, and that no transition leads into
//! from outside. What is in none of them is an inductive invariant.
//!
//! A cube speaks of some distinct processes, numbered from 0; those that the text names by number come first. Under weak
//! memory it also has reads that are still to come: each is at some point of the order in which reads and writes take
//! effect, behind what [`Read::behind`] says and before the reads in [`Read::before`].

use crate::{Comparison, Memory, System, Type};
use std::fmt::Write;

/// The cubes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Under which model.
    pub memory: Memory,
    /// The cubes.
    pub cubes: Vec<Cube>,
}

/// A set of states: some distinct processes are like this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cube {
    /// How many.
    pub processes: u8,
    /// All of these hold.
    pub conditions: Vec<Condition>,
    /// Reads of weak memory whose writes are still open, and writes that [`Condition::Over`] speaks of.
    pub reads: Vec<Read>,
}

/// A symbol and its indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedSymbol {
    /// An entry of [`System::symbols`].
    pub symbol: usize,
    /// Processes of the cube.
    pub args: Vec<u8>,
}

/// A cell of the state, or what a read sees in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The number of the read; nothing for the state itself.
    pub read: Option<usize>,
    /// Which cell.
    pub place: IndexedSymbol,
}

/// A value that is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The place of a constructor in the cell's type.
    Constructor(u16),
    /// A process of the cube.
    Process(u8),
}

/// What holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The cell has the value, or has another one.
    Is(Cell, Value, bool),
    /// Both have the same value, or different ones.
    Same(Cell, Cell, bool),
    /// A sum of multiples and a number compares with zero like this.
    Number(Vec<(i64, Cell)>, i64, Comparison),
    /// The first process has the smaller number.
    Before(u8, u8),
    /// The read takes its value from a write that takes effect after the write of this entry of [`Cube::reads`].
    Over(Cell, usize),
    /// The read does not take its value from a write of this process.
    NotFrom(Cell, u8),
}

/// The reads of one transition whose writes are still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Who reads.
    pub process: u8,
    /// The reads that are not before it.
    pub before: Vec<usize>,
    /// What has taken effect when it reads.
    pub behind: Vec<Behind>,
}

/// What comes before a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behind {
    /// All reads and fences that the process has done.
    Reads(u8),
    /// All writes of the process.
    Writes(u8),
    /// All accesses to the cell.
    Cell(IndexedSymbol),
    /// All reads of the cell, and all writes of it by the process.
    CellOf(u8, IndexedSymbol),
}

/// A cube that the search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The cube.
    pub cube: Cube,
    /// The cube that it leads to, by which transition of which processes; nothing for a bad state. The processes have the
    /// numbers of the cube that it leads to, new ones behind them.
    pub from: Option<(usize, usize, Vec<u8>)>,
    /// Another cube covers it.
    pub covered: bool,
    /// It was guessed.
    pub guessed: bool,
    /// It leads from an initial state to a bad one.
    pub on_trace: bool,
}

/// `#1`, `#2`…
fn process(number: u8) -> String {
    format!("#{}", number + 1)
}

impl IndexedSymbol {
    /// As the text would say it.
    pub fn text(&self, system: &System) -> String {
        let name = &system.symbols[self.symbol].name;
        let args: Vec<String> = self.args.iter().map(|&arg| process(arg)).collect();
        if args.is_empty() { name.clone() } else { format!("{name}[{}]", args.join(",")) }
    }
}

impl Cube {
    fn cell(&self, system: &System, cell: &Cell) -> String {
        let place = cell.place.text(system);
        match cell.read {
            None => place,
            Some(read) => {
                let by = self.reads[read].process;
                let several = self.reads.iter().filter(|read| read.process == by).count() > 1;
                let which = if several { format!(" (r{})", read + 1) } else { String::new() };
                format!("{} @ {place}{which}", process(by))
            }
        }
    }

    /// A condition as the text would say it. The number of a pending read is there if its process has several.
    pub fn condition(&self, system: &System, condition: &Condition) -> String {
        match condition {
            Condition::Is(cell, value, sign) => {
                let value = match (value, system.symbols[cell.place.symbol].ty) {
                    (Value::Process(number), _) => process(*number),
                    (Value::Constructor(at), Type::Enum(ty)) => {
                        let known = system.enums[ty].constructors.get(usize::from(*at));
                        known.cloned().unwrap_or_else(|| at.to_string())
                    }
                    (Value::Constructor(at), Type::Int | Type::Real | Type::Proc | Type::Opaque(_)) => at.to_string(),
                };
                format!("{} {} {value}", self.cell(system, cell), if *sign { "=" } else { "<>" })
            }
            Condition::Same(one, two, sign) => {
                let (one, two) = (self.cell(system, one), self.cell(system, two));
                format!("{one} {} {two}", if *sign { "=" } else { "<>" })
            }
            Condition::Number(terms, constant, how) => self.number(system, terms, *constant, *how),
            Condition::Before(one, two) => format!("{} < {}", process(*one), process(*two)),
            Condition::Over(cell, write) => {
                let by = self.reads.get(*write).map_or_else(String::new, |event| process(event.process));
                format!("{} from a write after one of {by}", self.cell(system, cell))
            }
            Condition::NotFrom(cell, by) => format!("{} not from {}", self.cell(system, cell), process(*by)),
        }
    }

    /// What is negative goes to the right.
    fn number(&self, system: &System, terms: &[(i64, Cell)], constant: i64, how: Comparison) -> String {
        let side = |sign: i64| {
            let mut out = String::new();
            for (factor, cell) in terms.iter().filter(|(factor, _)| factor.signum() == sign) {
                if !out.is_empty() {
                    out.push_str(" + ");
                }
                if factor.abs() != 1 {
                    // Writing to a string does not fail.
                    let _ = write!(out, "{} * ", factor.abs());
                }
                out.push_str(&self.cell(system, cell));
            }
            if constant.signum() == sign || (out.is_empty() && constant.signum() != -sign) {
                if !out.is_empty() {
                    out.push_str(" + ");
                }
                let _ = write!(out, "{}", constant.abs());
            } else if out.is_empty() {
                out.push('0');
            }
            out
        };
        let how = match how {
            Comparison::Equal => "=",
            Comparison::Differ => "<>",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
        };
        format!("{} {how} {}", side(1), side(-1))
    }

    /// All conditions, joined.
    pub fn text(&self, system: &System) -> String {
        let all: Vec<String> = self.conditions.iter().map(|condition| self.condition(system, condition)).collect();
        if all.is_empty() { "true".to_owned() } else { all.join(" && ") }
    }
}

impl Read {
    /// What is before it, in words.
    pub fn order(&self, system: &System) -> Vec<String> {
        let one = |behind: &Behind| match behind {
            Behind::Reads(by) => format!("after the reads of {}", process(*by)),
            Behind::Writes(by) => format!("after the writes of {}", process(*by)),
            Behind::Cell(place) => format!("after all accesses to {}", place.text(system)),
            Behind::CellOf(by, place) => {
                format!("after the reads of {} and its writes by {}", place.text(system), process(*by))
            }
        };
        let mut all: Vec<String> = self.behind.iter().map(one).collect();
        all.extend(self.before.iter().map(|read| format!("not after r{}", read + 1)));
        all
    }
}

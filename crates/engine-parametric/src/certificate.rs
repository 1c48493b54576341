//! Cubes in the words of the system, for whoever wants to check or to show them.

use crate::cube::{self, Cube, Hook, Lit, NONE, Val};
use crate::linear::Relation;
use system::Comparison;
use system::certificate::{self, Behind, Cell, Condition, IndexedSymbol, Read, Value};

fn place((symbol, args): cube::Place) -> IndexedSymbol {
    IndexedSymbol { symbol: usize::from(symbol), args: args.into_iter().filter(|&arg| arg != NONE).collect() }
}

fn cell(cell: cube::Cell) -> Cell {
    Cell { read: usize::from(cell.event).checked_sub(1), place: place(cell.place()) }
}

fn condition(lit: &Lit) -> Condition {
    match lit {
        Lit::Is(of, Val::Con(value), sign) => Condition::Is(cell(*of), Value::Constructor(*value), *sign),
        Lit::Is(of, Val::Proc(value), sign) => Condition::Is(cell(*of), Value::Process(*value), *sign),
        Lit::Same(one, two, sign) => Condition::Same(cell(*one), cell(*two), *sign),
        Lit::Number(linear) => {
            let terms = linear.terms.iter().map(|&(factor, of)| (factor, cell(of))).collect();
            match linear.relation {
                Relation::Zero => Condition::Number(terms, linear.constant, Comparison::Equal),
                Relation::AtMost => Condition::Number(terms, linear.constant, Comparison::AtMost),
                Relation::Less => Condition::Number(terms, linear.constant, Comparison::Less),
                Relation::Not => Condition::Number(terms, linear.constant, Comparison::Differ),
                // One is at most nothing: never.
                Relation::Never => Condition::Number(Vec::new(), 1, Comparison::AtMost),
            }
        }
        Lit::Before(one, two) => Condition::Before(*one, *two),
        Lit::Over(of, write) => Condition::Over(cell(*of), usize::from(write.event) - 1),
        Lit::NotFrom(of, by) => Condition::NotFrom(cell(*of), *by),
    }
}

/// A cube as others see it.
pub(crate) fn shown(cube: &Cube) -> certificate::Cube {
    let behind = |hook: &Hook| match hook {
        Hook::Any(by) => Behind::Reads(*by),
        Hook::Write(by) => Behind::Writes(*by),
        Hook::Cell(of) => Behind::Cell(place(*of)),
        Hook::CellOf(by, of) => Behind::CellOf(*by, place(*of)),
    };
    let reads = cube.events.iter().map(|event| Read {
        process: event.process,
        before: (0..cube.events.len()).filter(|&at| event.after & (1 << at) != 0).collect(),
        behind: event.hooks.iter().map(behind).collect(),
    });
    certificate::Cube {
        processes: cube.processes,
        conditions: cube.lits.iter().map(condition).collect(),
        reads: reads.collect(),
    }
}

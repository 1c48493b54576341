//! Predicates: formulas with their parameters replaced.

use system::{Access, Formula, Process, Term};

/// A predicate, with its parameters in the first slots.
#[derive(Debug, Clone)]
pub(crate) struct Predicate {
    pub name: String,
    pub arity: usize,
    /// The number of slots in its body.
    pub slots: u8,
    pub body: Formula,
}

impl Predicate {
    /// The body with `args` for the parameters; what it binds begins at slot `next`.
    pub(crate) fn expand(&self, args: &[Process], next: u8) -> Formula {
        let place = |process: Process| match process {
            Process::Fixed(_) => process,
            Process::Slot(slot) => {
                let own = || Process::Slot(slot - args.len() as u8 + next);
                args.get(usize::from(slot)).copied().unwrap_or_else(own)
            }
        };
        formula(&self.body, &place)
    }
}

fn formula(of: &Formula, place: &dyn Fn(Process) -> Process) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| formula(part, place)).collect();
    match of {
        Formula::Bool(_) | Formula::Fence => of.clone(),
        Formula::Compare(how, left, right) => Formula::Compare(*how, term(left, place), term(right, place)),
        Formula::Not(inner) => Formula::Not(Box::new(formula(inner, place))),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Each { all, slot, apart, body } => Formula::Each {
            all: *all,
            // What a predicate binds is none of its parameters.
            slot: match place(Process::Slot(*slot)) {
                Process::Slot(slot) | Process::Fixed(slot) => slot,
            },
            apart: apart.iter().map(|&p| place(p)).collect(),
            body: Box::new(formula(body, place)),
        },
    }
}

fn term(of: &Term, place: &dyn Fn(Process) -> Process) -> Term {
    let access = |of: &Access| Access {
        by: of.by.map(place),
        symbol: of.symbol,
        args: of.args.iter().map(|&p| place(p)).collect(),
        span: of.span,
    };
    match of {
        Term::Proc(process) => Term::Proc(place(*process)),
        Term::Constructor(..) => of.clone(),
        Term::Access(of) => Term::Access(access(of)),
        Term::Sum(parts, number) => Term::Sum(parts.iter().map(|(n, of)| (*n, access(of))).collect(), *number),
    }
}

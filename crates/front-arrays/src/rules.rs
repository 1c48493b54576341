//! What the language demands of systems with weak memory.

use source::Diagnostic;
use system::{Access, Formula, Kind, NewValue, Process, Property, System, Target, Transition};

/// Checks a system.
pub(crate) fn check(system: &System) -> Result<(), Diagnostic> {
    for property in system.bad.iter().chain(&system.invariants) {
        no_fence(system, property)?;
    }
    no_fence(system, &system.init)?;
    for property in &system.invariants {
        if property.formula.has_quantifier() || disjuncts(&property.formula, true) > 1000 {
            let message = "an invariant with quantifiers, or with very many cases, is not supported";
            return Err(Diagnostic::error(&system.file, property.span, message)
                .help("write several invariants; their parameters stand for some distinct processes"));
        }
    }
    if !system.is_weak() {
        for transition in &system.transitions {
            if transition.has_fence() {
                return Err(Diagnostic::error(&system.file, transition.span, "`fence()` without weak variables")
                    .help("declare shared variables as `weak`, or leave the fence out"));
            }
        }
        return Ok(());
    }
    for symbol in &system.symbols {
        if symbol.arity == 0 && !symbol.weak && symbol.kind == Kind::Variable {
            let message = format!("`{}` is shared, but not weak", symbol.name);
            return Err(Diagnostic::error(&system.file, symbol.span, message)
                .help("declare it as `weak var`: every shared variable of a system with weak memory is weak"));
        }
    }
    no_reader(system, &system.init)?;
    for invariant in &system.invariants {
        let mut weak = None;
        invariant.formula.accesses(&mut |access| {
            if system.symbols[access.symbol].weak {
                weak.get_or_insert(access.span);
            }
        });
        if let Some(span) = weak {
            return Err(Diagnostic::error(&system.file, span, "an invariant about weak variables is not supported")
                .help("state it about constants and local arrays"));
        }
    }
    for property in &system.bad {
        named_readers(system, property)?;
        if property.formula.has_quantifier() {
            let message = "quantifiers about bad states are not supported under weak memory";
            return Err(Diagnostic::error(&system.file, property.span, message)
                .help("write the processes as parameters, which stand for some distinct processes"));
        }
    }
    system.transitions.iter().try_for_each(|transition| one(system, transition))
}

fn no_fence(system: &System, property: &Property) -> Result<(), Diagnostic> {
    if property.formula.has_fence() {
        return Err(Diagnostic::error(&system.file, property.span, "`fence()` belongs into `requires`"));
    }
    Ok(())
}

fn no_reader(system: &System, property: &Property) -> Result<(), Diagnostic> {
    let mut found = None;
    property.formula.accesses(&mut |access| {
        if access.by.is_some() {
            found.get_or_insert(access.span);
        }
    });
    found.map_or(Ok(()), |span| {
        Err(Diagnostic::error(&system.file, span, "at first all processes see the same").help("leave `p @` out"))
    })
}

fn named_readers(system: &System, property: &Property) -> Result<(), Diagnostic> {
    let mut found = None;
    property.formula.accesses(&mut |access| {
        if access.by.is_none() && system.symbols[access.symbol].weak {
            found.get_or_insert(access.span);
        }
    });
    found.map_or(Ok(()), |span| {
        Err(Diagnostic::error(&system.file, span, "whose view of this weak variable?")
            .help("write `p @ X` for what the process p sees"))
    })
}

/// One transition: it has an actor, who touches only what is shared or its own.
fn one(system: &System, transition: &Transition) -> Result<(), Diagnostic> {
    let Some(actor) = transition.actor else {
        return Err(Diagnostic::error(&system.file, transition.span, "which process does this?")
            .help("put the process that acts into brackets: `transition t ([p])`"));
    };
    let actor = Process::Slot(actor);
    let mut trouble = None;
    let mut see = |access: &Access| {
        let symbol = &system.symbols[access.symbol];
        let message = if access.by.is_some_and(|by| by != actor) {
            Some(("a process cannot read for another one", "leave `q @` out: it is the acting process that reads"))
        } else if !symbol.weak && symbol.kind == Kind::Variable && access.args.first() != Some(&actor) {
            Some(("this array is not weak: a process has only its own cell", "declare the array as `weak array`"))
        } else {
            None
        };
        if let Some((message, help)) = message {
            trouble.get_or_insert((access.span, message, help));
        }
    };
    transition.accesses(&mut see);
    for update in &transition.updates {
        if let NewValue::Case(cases) = &update.value
            && cases.iter().any(|(condition, _)| condition.has_fence())
        {
            trouble.get_or_insert((update.span, "`fence()` belongs into `requires`", "move it there"));
        }
        let local = !system.symbols[update.symbol].weak;
        let own = match &update.target {
            Target::Cell(args) => args.first() == Some(&actor),
            Target::Every(_) => false,
        };
        if local && !own {
            let message = "this array is not weak: a process has only its own cell";
            trouble.get_or_insert((update.span, message, "change the acting process's cell only, without `case … j`"));
        }
    }
    if !fence_is_demanded(&transition.guard, true) {
        let message = "`fence()` can only be demanded, not denied or chosen";
        trouble.get_or_insert((transition.span, message, "make it a conjunct of the guard, or split the transition"));
    }
    if transition.params.len() > 1 && fence_below_quantifier(&transition.guard, false) {
        let message = "this `fence()` belongs to the `forall` before it: without other processes there is none";
        trouble.get_or_insert((transition.span, message, "write `fence()` before the `forall`"));
    }
    trouble.map_or(Ok(()), |(span, message, help)| Err(Diagnostic::error(&system.file, span, message).help(help)))
}

/// Whether every `fence()` is a conjunct, possibly below a quantifier over all.
fn fence_is_demanded(formula: &Formula, here: bool) -> bool {
    match formula {
        Formula::Fence => here,
        Formula::Bool(_) | Formula::Compare(..) => true,
        Formula::Not(inner) => fence_is_demanded(inner, false),
        Formula::Or(parts) => parts.iter().all(|part| fence_is_demanded(part, false)),
        Formula::And(parts) => parts.iter().all(|part| fence_is_demanded(part, here)),
        Formula::Each { all, body, .. } => fence_is_demanded(body, here && *all),
    }
}

fn fence_below_quantifier(formula: &Formula, below: bool) -> bool {
    match formula {
        Formula::Fence => below,
        Formula::Bool(_) | Formula::Compare(..) => false,
        Formula::Not(inner) => fence_below_quantifier(inner, below),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| fence_below_quantifier(part, below)),
        Formula::Each { body, .. } => fence_below_quantifier(body, true),
    }
}

/// How many conjunctions the formula, or its denial, has when it is multiplied out.
fn disjuncts(formula: &Formula, sign: bool) -> usize {
    match formula {
        Formula::Bool(_) | Formula::Fence | Formula::Compare(..) => 1,
        Formula::Not(inner) => disjuncts(inner, !sign),
        Formula::And(parts) | Formula::Or(parts) => {
            let sizes = parts.iter().map(|part| disjuncts(part, sign));
            if matches!(formula, Formula::And(_)) == sign {
                sizes.fold(1, usize::saturating_mul)
            } else {
                sizes.fold(0, usize::saturating_add)
            }
        }
        Formula::Each { body, .. } => disjuncts(body, sign),
    }
}

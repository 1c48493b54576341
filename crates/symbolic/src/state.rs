//! What is known at a point of a thread, and how paths that meet are merged.

use ir::{Address, BlockId};
use logic::{Bool, BoolNode, Term, Terms};
use rustc_hash::FxHashMap;
use source::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A read that a value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    pub read: u32,
    /// Whether the read decided at a branch which of several values it is. That is a control dependency of whatever uses
    /// the value, and no more: a branch lets later reads go ahead even if it has chosen their address.
    pub chosen: bool,
}

/// What a value depends on, and when, sorted.
pub type Taint = Vec<(Source, Bool)>;

/// What depends on the value that this read takes.
pub fn taint_of(read: u32, when: Bool) -> Taint {
    vec![(Source { read, chosen: false }, when)]
}

/// What cells hold that make no events; a cell that is not here holds its first value.
pub type Memory = Rc<FxHashMap<Address, Term>>;

/// Cells that held an address of which some bytes were overwritten, and the bits that are left of it. Nobody knows which number they are.
pub type Broken = Rc<BTreeMap<Address, u64>>;

/// What the values of such cells depend on; a cell that is not here depends on nothing.
pub type MemoryTaints = Rc<FxHashMap<Address, Taint>>;

/// Branches that were taken on the way, and where their influence ends: at a block of the function at some depth of
/// calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    pub taint: Taint,
    pub depth: usize,
    pub join: Option<BlockId>,
}

/// A reservation that may stand: by which read, for which address, computed from what, and when.
#[derive(Debug, Clone)]
pub struct Reservation {
    pub read: u32,
    pub address: Term,
    pub taint: Taint,
    pub when: Bool,
}

/// What is known at a point of a thread.
#[derive(Debug, Clone)]
pub struct State {
    pub guard: Bool,
    pub locals: Vec<Term>,
    pub taints: Vec<Taint>,
    pub control: Vec<Control>,
    pub reservations: Vec<Reservation>,
    pub memory: Memory,
    pub memory_taints: MemoryTaints,
    pub broken: Broken,
    /// For each loop being executed, outermost first: when something happened in this iteration that anybody could see.
    pub effects: Vec<Bool>,
    /// The atomic section, and how many sections are nested.
    pub section: Option<(u32, u32)>,
    /// Only sections with smaller numbers may have ended.
    pub ended: u32,
    /// What the section has read and written of shared cells.
    pub cache: Rc<BTreeMap<Address, Cached>>,
    /// Where the thread entered the critical section that it is inside, and when it is.
    pub inside: Vec<(Span, Bool)>,
}

/// What an atomic section knows about a shared cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cached {
    /// What it holds, where that is known.
    pub value: Term,
    pub taint: Taint,
    /// When it is known: it was read or written.
    pub known: Bool,
    /// When it was written.
    pub written: Bool,
}

impl State {
    /// Something happens that somebody could see.
    pub fn effect(&mut self, terms: &mut Terms, when: Bool) {
        for effect in &mut self.effects {
            *effect = terms.or(*effect, when);
        }
    }
}

impl State {
    /// Something happens that is of no consequence within so many of the innermost loops.
    pub fn effect_outside(&mut self, terms: &mut Terms, inner: usize) {
        let outer = self.effects.len().saturating_sub(inner);
        for effect in &mut self.effects[..outer] {
            *effect = terms.or(*effect, Bool::TRUE);
        }
    }
}

/// If the two conditions are `common & selector` and `common & !selector`: these.
pub fn fork(terms: &Terms, a: Bool, b: Bool) -> Option<(Bool, Bool)> {
    if a == !b {
        return Some((Bool::TRUE, a));
    }
    if a.is_negated() || b.is_negated() {
        return None;
    }
    let (BoolNode::And(x, y), BoolNode::And(u, v)) = (terms.bool_node(a), terms.bool_node(b)) else { return None };
    let same = |x: Bool, y: Bool, u: Bool, v: Bool| (x == u && y == !v).then_some((x, y));
    same(x, y, u, v).or(same(x, y, v, u)).or(same(y, x, u, v)).or(same(y, x, v, u))
}

/// What depends on either depends on both.
pub fn join_taints(terms: &mut Terms, a: &Taint, b: &Taint) -> Taint {
    if b.is_empty() || a == b {
        return a.clone();
    }
    let mut joined = a.clone();
    for &(source, when) in b {
        match joined.binary_search_by_key(&source, |&(own, _)| own) {
            Ok(at) => joined[at].1 = terms.or(joined[at].1, when),
            Err(at) => joined.insert(at, (source, when)),
        }
    }
    joined
}

/// The taint of a value that is one thing under one guard and another under the other.
pub fn merge_taints(terms: &mut Terms, guard_a: Bool, a: &Taint, guard_b: Bool, b: &Taint) -> Taint {
    if a == b {
        return a.clone();
    }
    let (a, b) = (guarded(terms, a, guard_a), guarded(terms, b, guard_b));
    join_taints(terms, &a, &b)
}

/// The same under a condition.
pub fn guarded(terms: &mut Terms, taint: &Taint, guard: Bool) -> Taint {
    taint
        .iter()
        .map(|&(source, when)| (source, terms.and(when, guard)))
        .filter(|&(_, when)| when != Bool::FALSE)
        .collect()
}

/// What cells that make no events depend on where two paths meet.
fn merge_memory_taints(terms: &mut Terms, a: &State, b: &State) -> MemoryTaints {
    if Rc::ptr_eq(&a.memory_taints, &b.memory_taints) {
        return Rc::clone(&a.memory_taints);
    }
    let mut cells: Vec<Address> = a.memory_taints.keys().chain(b.memory_taints.keys()).copied().collect();
    cells.sort();
    cells.dedup();
    let nothing = Taint::new();
    let mut merged = FxHashMap::default();
    for cell in cells {
        let (x, y) = (a.memory_taints.get(&cell).unwrap_or(&nothing), b.memory_taints.get(&cell).unwrap_or(&nothing));
        merged.insert(cell, merge_taints(terms, a.guard, x, b.guard, y));
    }
    Rc::new(merged)
}

/// What is left of addresses where two paths meet: what is on either.
fn merge_broken(a: &State, b: &State) -> Broken {
    if a.broken == b.broken {
        return Rc::clone(&a.broken);
    }
    let mut merged = (*a.broken).clone();
    for (&cell, &left) in b.broken.iter() {
        *merged.entry(cell).or_default() |= left;
    }
    Rc::new(merged)
}

/// The branches of two paths that meet.
fn merge_control(terms: &mut Terms, a: &State, b: &State) -> Vec<Control> {
    if a.control == b.control {
        return a.control.clone();
    }
    let mut control: Vec<Control> = Vec::new();
    for (side, other) in [(a, b), (b, a)] {
        for entry in &side.control {
            if other.control.contains(entry) {
                if !control.contains(entry) {
                    control.push(entry.clone());
                }
            } else {
                let taint = guarded(terms, &entry.taint, side.guard);
                control.push(Control { taint, ..*entry });
            }
        }
    }
    control
}

/// What the section knows where two paths meet.
fn merge_cache(terms: &mut Terms, selector: Bool, a: &State, b: &State) -> Rc<BTreeMap<Address, Cached>> {
    if a.cache == b.cache {
        return Rc::clone(&a.cache);
    }
    let mut merged = BTreeMap::new();
    for cell in a.cache.keys().chain(b.cache.keys()) {
        let entry = match (a.cache.get(cell), b.cache.get(cell)) {
            (Some(x), Some(y)) => Cached {
                value: terms.ite(selector, x.value, y.value),
                taint: merge_taints(terms, a.guard, &x.taint, b.guard, &y.taint),
                known: terms.ite_bool(selector, x.known, y.known),
                written: terms.ite_bool(selector, x.written, y.written),
            },
            (Some(only), None) => {
                let (known, written) = (terms.and(selector, only.known), terms.and(selector, only.written));
                Cached { known, written, ..only.clone() }
            }
            (None, Some(only)) => {
                let (known, written) = (terms.and(!selector, only.known), terms.and(!selector, only.written));
                Cached { known, written, ..only.clone() }
            }
            (None, None) => continue,
        };
        merged.insert(*cell, entry);
    }
    Rc::new(merged)
}

/// Where two paths meet that may be inside a critical section.
fn merge_inside(terms: &mut Terms, selector: Bool, a: &State, b: &State) -> Vec<(Span, Bool)> {
    if a.inside == b.inside {
        return a.inside.clone();
    }
    let mut places: Vec<Span> = a.inside.iter().chain(&b.inside).map(|&(span, _)| span).collect();
    places.sort();
    places.dedup();
    let when = |state: &State, place: Span| {
        let entered = state.inside.iter().find(|&&(span, _)| span == place);
        entered.map_or(Bool::FALSE, |&(_, when)| when)
    };
    places.into_iter().map(|place| (place, terms.ite_bool(selector, when(a, place), when(b, place)))).collect()
}

/// The two states as one; `first` gives what a cell that one of them does not have in memory holds.
///
/// Sections are the caller's business: the result has those of `a`.
pub fn merge_two(terms: &mut Terms, a: &State, b: &State, first: &mut dyn FnMut(&mut Terms, Address) -> Term) -> State {
    let (guard, selector) = match fork(terms, a.guard, b.guard) {
        Some((common, selector)) => (common, selector),
        None => (terms.or(a.guard, b.guard), a.guard),
    };
    let pick = |terms: &mut Terms, x: Term, y: Term| terms.ite(selector, x, y);
    let locals = a.locals.iter().zip(&b.locals).map(|(&x, &y)| pick(terms, x, y)).collect();
    let taints = a.taints.iter().zip(&b.taints).map(|(x, y)| merge_taints(terms, a.guard, x, b.guard, y)).collect();
    let memory = if Rc::ptr_eq(&a.memory, &b.memory) {
        Rc::clone(&a.memory)
    } else {
        let mut cells: Vec<Address> = a.memory.keys().chain(b.memory.keys()).copied().collect();
        cells.sort();
        cells.dedup();
        let mut merged = FxHashMap::default();
        for cell in cells {
            let (x, y) = (a.memory.get(&cell).copied(), b.memory.get(&cell).copied());
            let x = x.unwrap_or_else(|| first(terms, cell));
            let y = y.unwrap_or_else(|| first(terms, cell));
            merged.insert(cell, pick(terms, x, y));
        }
        Rc::new(merged)
    };
    let memory_taints = merge_memory_taints(terms, a, b);
    let cache = merge_cache(terms, selector, a, b);
    let effects = a.effects.iter().zip(&b.effects).map(|(&x, &y)| terms.ite_bool(selector, x, y)).collect();
    let mut reservations = Vec::new();
    for side in [a, b] {
        for reservation in &side.reservations {
            let when = terms.and(reservation.when, side.guard);
            reservations.push(Reservation { when, ..reservation.clone() });
        }
    }
    let control = merge_control(terms, a, b);
    let inside = merge_inside(terms, selector, a, b);
    State {
        guard,
        locals,
        taints,
        control,
        reservations,
        memory,
        memory_taints,
        broken: merge_broken(a, b),
        effects,
        section: a.section,
        ended: a.ended.max(b.ended),
        cache,
        inside,
    }
}

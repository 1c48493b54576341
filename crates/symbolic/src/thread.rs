//! The way through functions, blocks and loops.

use crate::regions::{Analysis, Item, Loop};
use crate::run::{Halt, Run, within};
use crate::spin::Begin;
use crate::state::{Control, Memory, Source, State, Taint, join_taints, merge_two};
use crate::structure::Cause;
use ir::{Address, BlockId, FunctionId, Terminator, Width};
use logic::{Bool, Term, TermNode, Terms};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Iterations of a loop that constants decide do not count against the bound, but there are not more than this.
const DECIDED_ITERATIONS: u32 = 20_000;

/// Functions nested deeper than this are refused. A thread is nested in the one that starts it.
const CALL_DEPTH: usize = 4_000;

/// More events than this are refused.
const MAX_EVENTS: usize = 200_000;

/// What a function returns: the state and, unless it is `void`, the value and what it depends on.
pub type Returned = Option<(State, Option<(Term, Taint)>)>;

/// A function being executed.
struct Frame {
    function: FunctionId,
    analysis: Rc<Analysis>,
    /// The depth of calls.
    depth: usize,
    /// How many loops of the callers are being executed.
    outer: usize,
    /// The states that wait at the beginning of each block.
    incoming: BTreeMap<BlockId, Vec<State>>,
    returned: Vec<(State, Option<(Term, Taint)>)>,
    /// The loops being executed, outermost first.
    loops: Vec<Round>,
}

/// The current iteration of a loop.
struct Round {
    contains: Vec<bool>,
    /// Whether a branch that leaves the loop was met, and whether one was met that constants do not decide.
    met: bool,
    undecided: bool,
}

impl Run<'_> {
    /// Executes a function. The arguments are its first locals; the caller's locals are not touched.
    pub fn function(&mut self, id: FunctionId, args: Vec<(Term, Taint)>, state: State) -> Result<Returned, Halt> {
        let function = &self.program.functions[id.index()];
        let keep = self.settings.finals;
        let analysis = self.analyses.entry(id).or_insert_with(|| Rc::new(Analysis::new(function, keep)));
        let analysis = Rc::clone(analysis);
        if self.current.outer + self.current.calls.len() >= CALL_DEPTH {
            let span = Span::default();
            return Err(self.refuse(span, "functions are nested too deeply"));
        }
        self.current.calls.push(id);
        let depth = self.current.calls.len();
        let mut state = state;
        state.locals = function.locals.iter().map(|l| self.structure.terms.constant(0, l.width)).collect();
        state.taints = vec![Taint::new(); state.locals.len()];
        for (at, (value, taint)) in args.into_iter().enumerate() {
            state.locals[at] = value;
            state.taints[at] = taint;
        }
        let outer = state.effects.len();
        let incoming = BTreeMap::from([(BlockId(0), vec![state])]);
        let mut frame = Frame {
            function: id,
            analysis: Rc::clone(&analysis),
            depth,
            outer,
            incoming,
            returned: Vec::new(),
            loops: Vec::new(),
        };
        self.items(&mut frame, &analysis.items)?;
        self.current.calls.pop();
        self.join_returned(frame.returned, depth, outer)
    }

    /// The ways in which a function returned as one.
    fn join_returned(
        &mut self,
        returned: Vec<(State, Option<(Term, Taint)>)>,
        depth: usize,
        outer: usize,
    ) -> Result<Returned, Halt> {
        // The value travels as one more local.
        let mut states = Vec::new();
        let mut has_value = false;
        for (mut state, value) in returned {
            state.effects.truncate(outer);
            state.control.retain(|control| control.depth < depth || control.join.is_none());
            if let Some((value, taint)) = value {
                has_value = true;
                state.locals.push(value);
                state.taints.push(taint);
            }
            states.push(state);
        }
        let Some(mut state) = self.merge(states)? else { return Ok(None) };
        let value = if has_value { state.locals.pop().zip(state.taints.pop()) } else { None };
        Ok(Some((state, value)))
    }

    fn items(&mut self, frame: &mut Frame, items: &[Item]) -> Result<(), Halt> {
        for item in items {
            match item {
                Item::Block(block) => self.block(frame, *block)?,
                Item::Loop(inner) => self.repeat(frame, inner)?,
            }
        }
        Ok(())
    }

    /// Executes a loop until nobody stays in it.
    fn repeat(&mut self, frame: &mut Frame, this: &Loop) -> Result<(), Halt> {
        let level = frame.outer + frame.loops.len();
        let own_bound = self.own_bound(frame.function, this.header);
        let outside = self.current.context;
        let (mut counted, mut decided, mut free) = (0, 0, 0);
        let round = Round { contains: this.contains.clone(), met: false, undecided: false };
        frame.loops.push(round);
        for iteration in 0u32.. {
            self.current.context = within(outside, (this.header, iteration));
            let entering = frame.incoming.remove(&this.header).unwrap_or_default();
            let entry = self.enter(entering, level, (frame.depth, this.header))?;
            let start = entry.as_ref().map(|state| state.locals.clone());
            let memory = entry.as_ref().map(|state| Rc::clone(&state.memory));
            let variables = self.structure.terms.variables();
            let entered = entry.as_ref().map(|state| state.guard);
            match entry {
                Some(state) => frame.incoming.insert(this.header, vec![state]),
                None => {
                    let waiting = frame.incoming.iter().any(|(block, states)| {
                        this.contains[block.index()] && states.iter().any(|state| state.guard != Bool::FALSE)
                    });
                    if !waiting {
                        break;
                    }
                    None
                }
            };
            if let Some(round) = frame.loops.last_mut() {
                (round.met, round.undecided) = (false, false);
            }
            let size = self.structure.events.len() + self.structure.links.len();
            let begin = self.begin_round();
            self.begin_mark(level, entered);
            self.items(frame, &this.items)?;
            let back = frame.incoming.remove(&this.header).unwrap_or_default();
            let live = &frame.analysis.live[this.header.index()];
            let started = start.as_deref().zip(memory.as_ref()).map(|(locals, memory)| (locals, memory, variables));
            let endless = started.is_some_and(|started| back.iter().all(|state| self.is_stuck(state, started, live)));
            let back = self.changed((frame, this.header), back, start.as_deref(), level, begin);
            self.end_mark();
            let round = frame.loops.last().expect("pushed above");
            let seen = self.structure.events.len() + self.structure.links.len() != size;
            // Constants of a run that is not the last may be values of shared cells: a loop could wait for ever for them.
            let free_of_charge = !seen || free < self.settings.free && !self.stale;
            let by_constants = round.met && !round.undecided && !endless && decided < DECIDED_ITERATIONS;
            self.structure.charged |= by_constants && seen && free >= self.settings.free;
            if by_constants && free_of_charge {
                decided += 1;
                free += u32::from(seen);
            } else {
                counted += 1;
            }
            let allowed = match own_bound {
                Some(bound) => Bool::constant(counted <= bound),
                None => self.allowed(counted),
            };
            let back = self.cut(frame, this.header, back, allowed);
            frame.incoming.insert(this.header, back);
        }
        frame.loops.pop();
        self.current.context = outside;
        Ok(())
    }

    /// The states at the beginning of a loop as one, with nothing seen yet in this iteration.
    fn enter(&mut self, mut states: Vec<State>, level: usize, place: (usize, BlockId)) -> Result<Option<State>, Halt> {
        for state in &mut states {
            state.effects.truncate(level);
            state.effects.resize(level, Bool::TRUE);
        }
        let mut merged = self.meet(states, place)?;
        if let Some(state) = &mut merged {
            state.effects.push(Bool::FALSE);
        }
        Ok(merged)
    }

    /// Whether all values are what they were when the iteration began, but for those that it has found out: then no constant decides that the loop
    /// ends. `first` is the first variable of the iteration.
    fn is_stuck(&self, state: &State, (locals, memory, first): (&[Term], &Memory, u32), live: &[bool]) -> bool {
        let terms = &self.structure.terms;
        let alike = |now: Term, before: Term| now == before || is_found(terms, now, first, FOUND_DEPTH);
        let mut all = state.locals.iter().zip(locals).zip(live);
        let held = |address: &Address| memory.get(address).copied();
        all.all(|((&now, &before), &live)| !live || alike(now, before))
            && (Rc::ptr_eq(&state.memory, memory)
                || state.memory.iter().all(|(at, &now)| held(at).is_some_and(|before| alike(now, before))))
    }

    /// Of the states that jump back, those in which the iteration changed something. An iteration that nobody could see
    /// and that leaves everything as it was can be left out, so a loop that only waits needs no second one.
    fn changed(
        &mut self,
        (frame, header): (&Frame, BlockId),
        states: Vec<State>,
        start: Option<&[Term]>,
        level: usize,
        begin: Begin,
    ) -> Vec<State> {
        let live = &frame.analysis.live[header.index()];
        let mut kept = Vec::new();
        for mut state in states {
            let same = start.is_some_and(|start| {
                let mut locals = state.locals.iter().zip(start).zip(live);
                locals.all(|((now, before), &live)| !live || now == before)
            });
            // Where it is asked who waits for ever, a loop that does is not left out: it is a wait, or the bound says that it
            // is there.
            if same && (!self.settings.waits || self.settings.spins) {
                let hidden = self.is_hidden(&state);
                let seen = state.effects.get(level).copied().filter(|_| hidden).unwrap_or(Bool::TRUE);
                if self.settings.spins {
                    self.spin(&state, seen, begin);
                }
                state.guard = self.structure.terms.and(state.guard, seen);
            }
            if state.guard != Bool::FALSE {
                kept.push(state);
            }
        }
        kept
    }

    /// The states may go round again only where that is allowed.
    fn cut(&mut self, frame: &Frame, header: BlockId, mut states: Vec<State>, allowed: Bool) -> Vec<State> {
        if allowed == Bool::TRUE {
            return states;
        }
        let block = &self.program.functions[frame.function.index()].blocks[header.index()];
        let span = match &block.terminator {
            Terminator::Branch { span, .. } | Terminator::Cut { span } => *span,
            Terminator::Goto(_) | Terminator::Return(_) | Terminator::Exit(_) => {
                block.instrs.first().map_or(Span::default(), |instr| instr.span)
            }
        };
        states.iter_mut().for_each(|state| self.cut_here(state, allowed, span));
        states.retain(|state| state.guard != Bool::FALSE);
        states
    }

    /// Where this is not allowed, a bound is exceeded: the thread stops.
    pub fn cut_here(&mut self, state: &mut State, allowed: Bool, span: Span) {
        let span = self.current.visible.unwrap_or(span);
        let exceeds = self.structure.terms.and(state.guard, !allowed);
        if exceeds != Bool::FALSE {
            self.structure.cuts.push((exceeds, span));
            let moment = (self.current.id, self.moment());
            self.structure.cut_moments.push(moment);
            self.stop(state, allowed, Cause::Bound);
        }
    }

    /// Executes a block, once for all paths that lead to it; more often if some are in other atomic sections than others.
    fn block(&mut self, frame: &mut Frame, id: BlockId) -> Result<(), Halt> {
        let Some(mut states) = frame.incoming.remove(&id) else { return Ok(()) };
        states.retain(|state| state.guard != Bool::FALSE);
        let outside = self.current.context;
        for turn in 0.. {
            let Some(first) = states.first().cloned() else { break };
            let (together, others): (Vec<State>, Vec<State>) =
                states.into_iter().partition(|state| self.can_meet(&first, state));
            states = others;
            if turn > 0 {
                self.current.context = within(outside, (id, turn));
            }
            self.block_once(frame, id, together)?;
        }
        self.current.context = outside;
        Ok(())
    }

    fn block_once(&mut self, frame: &mut Frame, id: BlockId, mut states: Vec<State>) -> Result<(), Halt> {
        if !(self.settings.go_on)() {
            return Err(Halt::Cancelled);
        }
        if self.structure.events.len() > MAX_EVENTS {
            return Err(self.refuse(Span::default(), "too many events; use a smaller bound"));
        }
        let level = frame.outer + frame.loops.len();
        for state in &mut states {
            state.effects.truncate(level);
            state.effects.resize(level, Bool::TRUE);
        }
        let depth = frame.depth;
        let Some(mut state) = self.meet(states, (depth, id))? else { return Ok(()) };
        state.control.retain(|control| control.depth != depth || control.join != Some(id));
        let block = &self.program.functions[frame.function.index()].blocks[id.index()];
        for (at, instr) in block.instrs.iter().enumerate() {
            self.instr(&mut state, frame.function, (id, at), instr)?;
            if state.guard == Bool::FALSE {
                return Ok(());
            }
        }
        let mut go = |to: BlockId, state: State| frame.incoming.entry(to).or_default().push(state);
        match &block.terminator {
            Terminator::Goto(to) => go(*to, state),
            Terminator::Branch { condition, then, otherwise, join, span } => {
                self.current.at = *span;
                let taint = self.taint(&state, condition);
                let condition = self.expr(&state, condition);
                let condition = self.structure.terms.to_bool(condition);
                if !taint.is_empty() {
                    state.control.push(Control { taint, depth, join: *join });
                }
                let terms = &mut self.structure.terms;
                let (yes, no) = (terms.and(state.guard, condition), terms.and(state.guard, !condition));
                let decided = yes == Bool::FALSE || no == Bool::FALSE;
                for round in frame.loops.iter_mut().filter(|round| round.contains[id.index()]) {
                    if !round.contains[then.index()] || !round.contains[otherwise.index()] {
                        round.met = true;
                        round.undecided |= !decided;
                    }
                }
                if no != Bool::FALSE && yes != Bool::FALSE {
                    go(*then, State { guard: yes, ..state.clone() });
                    go(*otherwise, State { guard: no, ..state });
                } else {
                    let (to, guard) = if no == Bool::FALSE { (*then, yes) } else { (*otherwise, no) };
                    go(to, State { guard, ..state });
                }
            }
            Terminator::Return(value) => {
                let value = value.as_ref().map(|value| (self.expr(&state, value), self.taint(&state, value)));
                frame.returned.push((state, value));
            }
            Terminator::Exit(value) => {
                let value = value.as_ref().map(|value| self.expr(&state, value));
                let value = match value {
                    Some(value) => value,
                    None => self.structure.terms.constant(0, Width::WORD),
                };
                self.current.ends.push((state, value));
            }
            Terminator::Cut { span } => self.cut_here(&mut state, Bool::FALSE, *span),
        }
        Ok(())
    }

    /// One state for all the paths that lead to a block of the function at this depth. Branches end there: what they have
    /// chosen, a value that is not the same on all paths, depends on what decided them.
    fn meet(&mut self, states: Vec<State>, (depth, block): (usize, BlockId)) -> Result<Option<State>, Halt> {
        let mut deciding = Taint::new();
        if self.settings.dependencies && states.len() > 1 {
            let ends = |control: &&Control| control.depth == depth && control.join == Some(block);
            for control in states.iter().flat_map(|state| &state.control).filter(ends) {
                for &(source, when) in &control.taint {
                    let chosen = vec![(Source { chosen: true, ..source }, when)];
                    deciding = join_taints(&mut self.structure.terms, &deciding, &chosen);
                }
            }
        }
        if deciding.is_empty() {
            return self.merge(states);
        }
        let live: Vec<&State> = states.iter().filter(|state| state.guard != Bool::FALSE).collect();
        let Some((first, others)) = live.split_first() else { return Ok(None) };
        let differs = |at: usize| others.iter().any(|other| other.locals[at] != first.locals[at]);
        let locals: Vec<usize> = (0..first.locals.len()).filter(|&at| differs(at)).collect();
        let cells = self.changed_cells(first, others);
        let Some(mut state) = self.merge(states)? else { return Ok(None) };
        let terms = &mut self.structure.terms;
        for at in locals {
            state.taints[at] = join_taints(terms, &state.taints[at], &deciding);
        }
        for cell in cells {
            let taint = Rc::make_mut(&mut state.memory_taints).entry(cell).or_default();
            *taint = join_taints(terms, taint, &deciding);
        }
        Ok(Some(state))
    }

    /// The cells that make no events and do not hold the same in all of these states.
    fn changed_cells(&mut self, first: &State, others: &[&State]) -> Vec<Address> {
        let mut cells = BTreeSet::new();
        for other in others.iter().filter(|other| !Rc::ptr_eq(&other.memory, &first.memory)) {
            for &cell in first.memory.keys().chain(other.memory.keys()) {
                if self.held(first, cell) != self.held(other, cell) {
                    cells.insert(cell);
                }
            }
        }
        cells.into_iter().collect()
    }

    /// One state for all the paths that lead here; none if no path does.
    pub fn merge(&mut self, mut states: Vec<State>) -> Result<Option<State>, Halt> {
        states.retain(|state| state.guard != Bool::FALSE);
        while states.len() > 1 {
            // Those that parted last meet first: then their condition is forgotten.
            let mut pair = (states.len() - 2, states.len() - 1);
            'search: for b in (1..states.len()).rev() {
                for a in (0..b).rev() {
                    if crate::state::fork(&self.structure.terms, states[a].guard, states[b].guard).is_some() {
                        pair = (a, b);
                        break 'search;
                    }
                }
            }
            let b = states.remove(pair.1);
            self.same_section(&states[pair.0], &b)?;
            let (program, made) = (self.program, &self.made);
            let mut first = |terms: &mut Terms, cell| crate::memory::first_value(terms, program, made, cell);
            let merged = merge_two(&mut self.structure.terms, &states[pair.0], &b, &mut first);
            states[pair.0] = merged;
        }
        Ok(states.pop())
    }

    /// Whether two paths that meet are in one section, or both in none. Sections of paths that exclude each other become one; not so a section and one
    /// that begins after it.
    fn can_meet(&self, a: &State, b: &State) -> bool {
        match (a.section, b.section) {
            (None, None) => true,
            (Some((a, depth)), Some((b, other))) => {
                let (a, b) = (self.section(a), self.section(b));
                let (one, also) = (self.sections[a as usize], self.sections[b as usize]);
                depth == other && (a == b || one.first >= also.ended && also.first >= one.ended)
            }
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Two paths meet: their sections are one.
    fn same_section(&mut self, a: &State, b: &State) -> Result<(), Halt> {
        if !self.can_meet(a, b) {
            let what = "an atomic section is left on one path and not on another";
            return Err(self.refuse(self.current.at, what));
        }
        if let (Some((a, _)), Some((b, _))) = (a.section, b.section) {
            let (a, b) = (self.section(a), self.section(b));
            let (one, also) = (self.sections[a as usize], self.sections[b as usize]);
            self.sections[b as usize].parent = a;
            self.sections[a as usize].first = one.first.min(also.first);
            self.sections[a as usize].ended = one.ended.max(also.ended);
        }
        Ok(())
    }
}

/// How deep a value is looked into for what an iteration has found out.
const FOUND_DEPTH: u32 = 8;

/// Whether a variable from this one on is a part of a value: an input, or what was read of shared memory.
fn is_found(terms: &Terms, value: Term, first: u32, depth: u32) -> bool {
    let inner = |value| depth > 0 && is_found(terms, value, first, depth - 1);
    match terms.node(value) {
        TermNode::Const(_) => false,
        TermNode::Var(variable) => variable >= first,
        TermNode::Ite(_, left, right) | TermNode::Binary(_, left, right) => inner(left) || inner(right),
        TermNode::Unary(_, operand) => inner(operand),
    }
}

//! Instructions.

use crate::group::{Access, Found};
use crate::memory::{MadeObject, Place};
use crate::run::{END, Halt, Run, Section, within};
use crate::state::{Cached, Reservation, State, Taint, join_taints, taint_of};
use crate::structure::{Cause, Dependency, Event, Group, Input, Kind, Link, Stand, Structure, Wait};
use ir::{
    Address, BinaryOp, BlockId, Expr, FunctionId, Instr, LocalId, ObjectId, Op, Status, System, TagSet, Thread,
    ThreadId, Width,
};
use logic::{Bool, Term};
use source::Span;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What an event does, under which guard, with which value and tags.
pub struct Action<'a> {
    pub kind: Kind,
    pub guard: Bool,
    pub value: Term,
    pub tags: &'a TagSet,
    pub span: Span,
    pub group: Option<Group>,
}

/// Objects larger than this are refused.
const MAX_OBJECT: u64 = 1 << 32;

/// Blocks whose size is no constant are looked at up to this size.
const MAX_VARIABLE: u64 = 256;

impl Run<'_> {
    /// Executes an instruction, which stands at this place of the function.
    pub fn instr(
        &mut self,
        state: &mut State,
        function: FunctionId,
        place: (BlockId, usize),
        instr: &Instr,
    ) -> Result<(), Halt> {
        self.current.at = instr.span;
        let seen = self.structure.events.len() + self.structure.links.len();
        self.operation(state, function, place, instr)?;
        let (enters, may) = match &instr.op {
            Op::System(System::Critical { enter }) => (*enter, *enter),
            // What the function does has its own places to stop at.
            Op::System(System::Call { .. }) => (false, false),
            Op::System(System::AtomicEnd) => (false, true),
            Op::System(_)
            | Op::Assign { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Assume { .. } => (false, self.structure.events.len() + self.structure.links.len() != seen),
        };
        if may {
            self.stand(state, enters);
        }
        Ok(())
    }

    /// Inside a critical section, the thread may stop here.
    fn stand(&mut self, state: &mut State, enters: bool) {
        if state.inside.is_empty() || state.section.is_some() || !self.published || self.settings.waits {
            return;
        }
        let moment = self.moment();
        let terms = &mut self.structure.terms;
        let stops = terms.fresh_bool();
        let mut inside = Bool::FALSE;
        for &(span, when) in &state.inside {
            inside = terms.or(inside, when);
            let when = terms.all([state.guard, stops, when]);
            self.structure.stands.push(Stand { when, thread: self.current.id, span, enters, moment });
        }
        let stops = terms.and(stops, inside);
        state.guard = terms.and(state.guard, !stops);
    }

    fn operation(
        &mut self,
        state: &mut State,
        function: FunctionId,
        place: (BlockId, usize),
        instr: &Instr,
    ) -> Result<(), Halt> {
        let span = instr.span;
        match &instr.op {
            Op::Assign { dst, value } => {
                state.taints[dst.index()] = self.taint(state, value);
                state.locals[dst.index()] = self.expr(state, value);
            }
            Op::Load { dst, addr, tags, reserve } => {
                let taint = self.taint(state, addr);
                let width = self.width(function, *dst);
                let at = self.place(state, addr, width, (false, *reserve), span)?;
                if state.section.is_some() && at.shared {
                    let (value, taint) = self.read_in_section(state, &at, width, &taint, tags, span)?;
                    state.locals[dst.index()] = value;
                    state.taints[dst.index()] = taint;
                    return Ok(());
                }
                let access = Access { kind: Kind::Read, tags, span, locked: false };
                let Found { value, taint: found, reads } = self.read(state, &at, width, &taint, &access);
                let plain = || tags.iter().any(|tag| self.program.tags[tag.index()] == "NA");
                if self.settings.races && !reads.is_empty() && plain() {
                    state.effect(&mut self.structure.terms, Bool::TRUE);
                }
                if *reserve && at.shared {
                    let [read] = reads[..] else { return Err(self.refuse(span, "a reservation of several cells")) };
                    state.reservations = vec![Reservation { read, address: at.address, taint, when: Bool::TRUE }];
                }
                state.locals[dst.index()] = value;
                state.taints[dst.index()] = found;
            }
            Op::Store { addr, value, tags } => {
                let (addr_taint, taint) = (self.taint(state, addr), self.taint(state, value));
                let value = self.expr(state, value);
                let width = self.structure.terms.width(value);
                let at = self.place(state, addr, width, (true, false), span)?;
                if at.shared && state.section.is_some() {
                    let taint = join_taints(&mut self.structure.terms, &taint, &addr_taint);
                    self.write_in_section(state, &at, value, &taint, Bool::TRUE)?;
                } else if at.shared {
                    let access = Access { kind: Kind::Write, tags, span, locked: false };
                    let again = self.is_written_again(state, &at);
                    self.write(state, &at, value, Bool::TRUE, (&addr_taint, &taint), &access)?;
                    state.effect_outside(&mut self.structure.terms, usize::from(again));
                } else {
                    let taint = join_taints(&mut self.structure.terms, &taint, &addr_taint);
                    self.write_private(state, &at, (value, &taint), Bool::TRUE);
                }
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let tags = (read_tags, write_tags);
                self.read_modify_write(state, function, *dst, addr, (when.as_ref(), value), tags, span)?;
            }
            Op::StoreConditional { success, addr, value, tags, status } => {
                self.store_conditional(state, (*success, *status), addr, value, tags, span)?;
            }
            Op::Fence { tags } => {
                // Inside a section there is nothing for a fence to order.
                if self.published && state.section.is_none() {
                    let zero = self.structure.terms.constant(0, Width::WORD);
                    let nowhere = Place::nowhere(zero);
                    let action = Action { kind: Kind::Fence, guard: state.guard, value: zero, tags, span, group: None };
                    self.event(state, &nowhere, &Taint::new(), &action);
                }
            }
            Op::Assume { condition, waits } => {
                let reads = self.taint(state, condition);
                let condition = self.expr(state, condition);
                let condition = self.structure.terms.to_bool(condition);
                let unseen = state.cache.values().all(|cached| cached.written == Bool::FALSE);
                if *waits && self.settings.waits && unseen {
                    // Nobody sees a section that has only read, so the thread may as well wait inside.
                    let repeated = reads.into_iter().filter(|(source, _)| source.read >= self.current.awaits).collect();
                    self.wait(state, condition, repeated, span);
                    state.guard = self.structure.terms.and(state.guard, condition);
                } else {
                    self.stop_unless(state, condition);
                }
            }
            Op::System(op) => self.system(state, function, place, op, span)?,
        }
        Ok(())
    }

    /// The thread may wait here for ever.
    fn wait(&mut self, state: &State, condition: Bool, reads: Taint, span: Span) {
        let when = self.structure.terms.and(state.guard, !condition);
        if when != Bool::FALSE {
            let span = self.current.visible.unwrap_or(span);
            let reads = reads.into_iter().map(|(source, when)| (source.read, when)).collect();
            self.structure.waits.push(Wait { when, thread: self.current.id, span, reads });
        }
    }

    fn width(&self, function: FunctionId, local: LocalId) -> Width {
        self.program.functions[function.index()].locals[local.index()].width
    }

    /// Where an access goes.
    fn place(
        &mut self,
        state: &mut State,
        addr: &Expr,
        width: Width,
        (write, locked): (bool, bool),
        span: Span,
    ) -> Result<Place, Halt> {
        let address = self.expr(state, addr);
        self.locate(state, address, width, (write, locked), span)
    }

    #[allow(clippy::too_many_arguments)]
    fn read_modify_write(
        &mut self,
        state: &mut State,
        function: FunctionId,
        dst: LocalId,
        addr: &Expr,
        (when, value): (Option<&Expr>, &Expr),
        (read_tags, write_tags): (&TagSet, &TagSet),
        span: Span,
    ) -> Result<(), Halt> {
        let width = self.width(function, dst);
        let addr_taint = self.taint(state, addr);
        let at = self.place(state, addr, width, (true, true), span)?;
        let in_section = state.section.is_some() && at.shared;
        if self.published && state.section.is_none() && !at.shared && !(read_tags.is_empty() && write_tags.is_empty()) {
            // It orders what comes before and after it, whoever else uses its operand: so it makes events.
            self.mixed.extend(at.all_cells());
        }
        let Found { value: found, taint: found_taint, reads } = if in_section {
            let (value, taint) = self.read_in_section(state, &at, width, &addr_taint, read_tags, span)?;
            Found { value, taint, reads: Vec::new() }
        } else {
            let access = Access { kind: Kind::Read, tags: read_tags, span, locked: true };
            self.read(state, &at, width, &addr_taint, &access)
        };
        // The value read decides what is written, but that is no dependency of the write on the read: the pair is in
        // rmw. What makes no event has no such pair.
        let mut inputs = state.clone();
        let makes_events = at.shared && !in_section;
        inputs.taints[dst.index()] = if makes_events { Taint::new() } else { found_taint.clone() };
        inputs.locals[dst.index()] = found;
        let mut taint = self.taint(&inputs, value);
        let mut condition = Bool::TRUE;
        if let Some(when) = when {
            let decided_by = self.taint(&inputs, when);
            taint = join_taints(&mut self.structure.terms, &taint, &decided_by);
            let when = self.expr(&inputs, when);
            condition = self.structure.terms.to_bool(when);
        }
        let value = self.expr(&inputs, value);
        if in_section {
            let taint = join_taints(&mut self.structure.terms, &taint, &found_taint);
            self.write_in_section(state, &at, value, &taint, condition)?;
        } else if makes_events {
            let access = Access { kind: Kind::Write, tags: write_tags, span, locked: true };
            let writes = self.write(state, &at, value, condition, (&addr_taint, &taint), &access)?;
            for (from, to) in reads.into_iter().zip(writes) {
                let pair = Dependency { from, to, when: Bool::TRUE };
                self.structure.rmw.push(pair);
                self.structure.amo.push(pair);
            }
            state.effect(&mut self.structure.terms, condition);
        } else {
            let taint = join_taints(&mut self.structure.terms, &taint, &addr_taint);
            self.write_private(state, &at, (value, &taint), condition);
        }
        state.locals[dst.index()] = found;
        state.taints[dst.index()] = found_taint;
        Ok(())
    }

    fn store_conditional(
        &mut self,
        state: &mut State,
        (success, status): (LocalId, Status),
        addr: &Expr,
        value: &Expr,
        tags: &TagSet,
        span: Span,
    ) -> Result<(), Halt> {
        let succeeds = self.structure.terms.fresh_bool();
        let chosen = self.structure.terms.from_bool(succeeds);
        self.input(state.guard, Input::Value(chosen));
        let addr_taint = self.taint(state, addr);
        let mut taint = self.taint(state, value);
        if status == Status::Operands {
            for reservation in &state.reservations {
                taint = join_taints(&mut self.structure.terms, &taint, &reservation.taint);
            }
        }
        let value = self.expr(state, value);
        let width = self.structure.terms.width(value);
        let at = self.place(state, addr, width, (true, true), span)?;
        let guard = self.structure.terms.and(state.guard, succeeds);
        let access = Access { kind: Kind::Write, tags, span, locked: true };
        let writes = self.write(state, &at, value, succeeds, (&addr_taint, &taint), &access)?;
        let [write] = writes[..] else { return Err(self.refuse(span, "a conditional store to several cells")) };
        let mut reserved = Bool::FALSE;
        for reservation in std::mem::take(&mut state.reservations) {
            let terms = &mut self.structure.terms;
            let same = terms.eq(reservation.address, at.address);
            let stands = terms.and(reservation.when, same);
            reserved = terms.or(reserved, stands);
            self.structure.rmw.push(Dependency { from: reservation.read, to: write, when: reservation.when });
        }
        let constraint = self.structure.terms.implies(guard, reserved);
        self.structure.constraints.push(constraint);
        self.structure.choices.push(guard);
        let terms = &mut self.structure.terms;
        state.effect(terms, succeeds);
        state.taints[success.index()] = match status {
            Status::Operands => join_taints(terms, &taint, &addr_taint),
            Status::Write if self.settings.dependencies => taint_of(write, Bool::TRUE),
            Status::Write | Status::Nothing => Taint::new(),
        };
        state.locals[success.index()] = chosen;
        Ok(())
    }

    /// Reads shared cells in an atomic section: only what the section does not know yet makes an event.
    pub fn read_in_section(
        &mut self,
        state: &mut State,
        at: &Place,
        width: Width,
        addr_taint: &Taint,
        tags: &TagSet,
        span: Span,
    ) -> Result<(Term, Taint), Halt> {
        if !at.parts.is_empty() {
            return self.read_parts_in_section(state, at, width, addr_taint, tags, span);
        }
        let conditions = self.conditions(at);
        let mut known = Bool::FALSE;
        let (mut value, mut taint) = (None, Taint::new());
        for (cell, here) in &conditions {
            let Some(cached) = state.cache.get(cell) else { continue };
            let terms = &mut self.structure.terms;
            let when = terms.and(*here, cached.known);
            known = terms.or(known, when);
            value = Some(value.map_or(cached.value, |value| terms.ite(when, cached.value, value)));
            taint = join_taints(terms, &taint, &cached.taint);
        }
        let guard = self.structure.terms.and(state.guard, !known);
        let value = match value {
            Some(value) if guard == Bool::FALSE => value,
            _ => {
                let read = self.structure.terms.fresh(width);
                self.learn_pointers(read, &at.cells);
                let action = Action { kind: Kind::Read, guard, value: read, tags, span, group: None };
                let event = self.event(state, at, addr_taint, &action);
                let terms = &mut self.structure.terms;
                if self.settings.dependencies {
                    taint = join_taints(terms, &taint, &taint_of(event, !known));
                }
                value.map_or(read, |value| terms.ite(known, value, read))
            }
        };
        for (cell, here) in conditions {
            let terms = &mut self.structure.terms;
            let entry = match state.cache.get(&cell) {
                Some(old) => Cached {
                    value: terms.ite(here, value, old.value),
                    taint: join_taints(terms, &old.taint, &taint),
                    known: terms.or(old.known, here),
                    written: old.written,
                },
                None => Cached { value, taint: taint.clone(), known: here, written: Bool::FALSE },
            };
            Rc::make_mut(&mut state.cache).insert(cell, entry);
        }
        Ok((value, taint))
    }

    /// Writes shared cells in an atomic section: what is left at its end is written then.
    pub fn write_in_section(
        &mut self,
        state: &mut State,
        at: &Place,
        value: Term,
        taint: &Taint,
        when: Bool,
    ) -> Result<(), Halt> {
        if !at.parts.is_empty() {
            return self.write_parts_in_section(state, at, value, taint, when);
        }
        for (cell, here) in self.conditions(at) {
            let terms = &mut self.structure.terms;
            let here = terms.and(here, when);
            let entry = match state.cache.get(&cell) {
                Some(old) => Cached {
                    value: terms.ite(here, value, old.value),
                    taint: join_taints(terms, &old.taint, taint),
                    known: terms.or(old.known, here),
                    written: terms.or(old.written, here),
                },
                None => Cached { value, taint: taint.clone(), known: here, written: here },
            };
            Rc::make_mut(&mut state.cache).insert(cell, entry);
        }
        Ok(())
    }

    /// The section ends: what it wrote becomes events.
    fn write_out(&mut self, state: &mut State, span: Span) -> Result<(), Halt> {
        let cache = std::mem::take(&mut state.cache);
        for (&cell, cached) in cache.iter().filter(|(_, cached)| cached.written != Bool::FALSE) {
            let terms = &mut self.structure.terms;
            let address = terms.constant(cell.to_bits(), Width::WORD);
            let guard = terms.and(state.guard, cached.written);
            let at = Place::shared(address, vec![cell]);
            let tags = TagSet::default();
            let action = Action { kind: Kind::Write, guard, value: cached.value, tags: &tags, span, group: None };
            let write = self.event(state, &at, &Taint::new(), &action);
            self.depend(write, &cached.taint, |s| &mut s.data);
            self.note_pointers(&[cell], cached.value, guard, span)?;
            state.effect(&mut self.structure.terms, cached.written);
        }
        Ok(())
    }

    /// The cells of a place, and when it is each of them.
    fn conditions(&mut self, at: &Place) -> Vec<(Address, Bool)> {
        if let [only] = at.cells[..] {
            return vec![(only, Bool::TRUE)];
        }
        let terms = &mut self.structure.terms;
        let mut conditions = Vec::with_capacity(at.cells.len());
        for &cell in &at.cells {
            let here = terms.constant(cell.to_bits(), Width::WORD);
            conditions.push((cell, terms.eq(at.address, here)));
        }
        conditions
    }

    /// Adds an event with its address and control dependencies.
    pub fn event(&mut self, state: &State, at: &Place, addr_taint: &Taint, action: &Action<'_>) -> u32 {
        let number = self.structure.events.len() as u32;
        let thread = self.current.id;
        let mut candidates: Vec<u32> = at.cells.iter().map(|cell| self.knowledge.shared[cell]).collect();
        candidates.sort_unstable();
        self.structure.threads[thread.index()].push(number);
        self.structure.events.push(Event {
            thread: Some(thread),
            kind: action.kind,
            guard: action.guard,
            address: at.address,
            candidates,
            value: action.value,
            tags: action.tags.clone(),
            span: self.current.visible.unwrap_or(action.span),
            section: state.section.map(|(section, _)| section),
            group: action.group,
        });
        self.depend(number, addr_taint, |s| &mut s.addr);
        let mut control = Taint::new();
        for entry in &state.control {
            control = join_taints(&mut self.structure.terms, &control, &entry.taint);
        }
        self.depend(number, &control, |s| &mut s.ctrl);
        number
    }

    /// An event depends on reads, in the way that the list says; where a branch chose, it is a control dependency.
    pub fn depend(&mut self, to: u32, taint: &Taint, list: impl Fn(&mut Structure) -> &mut Vec<Dependency>) {
        for &(source, when) in taint {
            let dependency = Dependency { from: source.read, to, when };
            if source.chosen {
                if self.settings.choices {
                    self.structure.ctrl.push(dependency);
                }
            } else {
                list(&mut self.structure).push(dependency);
            }
        }
    }

    /// What an expression depends on.
    pub fn taint(&mut self, state: &State, expr: &Expr) -> Taint {
        let mut taint = Taint::new();
        expr.for_each_local(&mut |local| {
            let more = &state.taints[local.index()];
            if !more.is_empty() {
                taint = join_taints(&mut self.structure.terms, &taint, more);
            }
        });
        taint
    }

    /// The value of an expression.
    pub fn expr(&mut self, state: &State, expr: &Expr) -> Term {
        match expr {
            Expr::Const(value, width) => self.structure.terms.constant(*value, *width),
            Expr::Local(local) => state.locals[local.index()],
            Expr::Address(object, offset) => {
                let address = Address { object: *object, offset: *offset };
                self.structure.terms.constant(address.to_bits(), Width::WORD)
            }
            Expr::Unary(op, operand) => {
                let operand = self.expr(state, operand);
                self.watch_unary(*op, operand);
                self.structure.terms.unary(*op, operand)
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(state, left);
                let right = self.expr(state, right);
                self.watch_binary(*op, left, right);
                if *op == BinaryOp::Eq && self.are_apart(left, right) {
                    return self.structure.terms.constant(0, Width::BOOL);
                }
                self.structure.terms.binary(*op, left, right)
            }
            Expr::Select(condition, then, otherwise) => {
                let condition = self.expr(state, condition);
                let then = self.expr(state, then);
                let otherwise = self.expr(state, otherwise);
                let condition = self.structure.terms.to_bool(condition);
                self.structure.terms.ite(condition, then, otherwise)
            }
        }
    }

    fn assign(&mut self, state: &mut State, dst: LocalId, value: Term) {
        state.locals[dst.index()] = value;
        state.taints[dst.index()] = Taint::new();
    }

    fn system(
        &mut self,
        state: &mut State,
        function: FunctionId,
        place: (BlockId, usize),
        op: &System,
        span: Span,
    ) -> Result<(), Halt> {
        let here = within(self.current.context, (function, place));
        match op {
            System::Call { dst, function: callee, args } => self.call(state, *dst, *callee, args, here, span)?,
            System::Nondet { dst } => {
                let value = self.structure.terms.fresh(self.width(function, *dst));
                self.input(state.guard, Input::Value(value));
                self.assign(state, *dst, value);
            }
            System::Assert { condition, message } => {
                let condition = self.expr(state, condition);
                let terms = &mut self.structure.terms;
                let condition = terms.to_bool(condition);
                let fails = terms.and(state.guard, !condition);
                self.failure(fails, message, span, false);
                self.stop(state, condition, Cause::Assertion);
            }
            System::Check { condition, message } => {
                let condition = self.expr(state, condition);
                let terms = &mut self.structure.terms;
                let condition = terms.to_bool(condition);
                let fails = terms.and(state.guard, !condition);
                self.failure(fails, message, span, false);
            }
            System::Spawn { dst, function: body, args } => self.spawn(state, *dst, *body, args, here, span)?,
            System::Join { thread, result } => self.join(state, thread, *result, span),
            System::Current { dst } => {
                let handle = self.structure.terms.constant(u64::from(self.current.id.0) + 1, Width::WORD);
                self.assign(state, *dst, handle);
            }
            System::Alloc { dst, name, size, cells, zeroed, align, storage } => {
                let bytes = self.expr(state, size);
                let size = self.most_bytes(state, bytes, span)?;
                let mut object = MadeObject::new(name, size, cells.is_some(), *zeroed, (*align, *storage));
                object.limit = Some(bytes).filter(|&bytes| self.structure.terms.as_const(bytes).is_none());
                self.alloc(state, *dst, object, cells.as_deref().unwrap_or_default(), here);
            }
            System::AtomicBegin => self.begin(state, function, place),
            System::Await => self.current.awaits = self.structure.events.len() as u32,
            System::AtomicEnd => {
                state.section = match state.section {
                    Some((section, depth)) if depth > 1 => Some((section, depth - 1)),
                    Some(_) => {
                        self.write_out(state, span)?;
                        state.ended = self.sections.len() as u32;
                        None
                    }
                    None => return Err(self.refuse(span, "the end of an atomic section that did not begin")),
                };
            }
            System::Critical { enter } => {
                let span = self.current.visible.unwrap_or(span);
                state.inside = if *enter { vec![(span, Bool::TRUE)] } else { Vec::new() };
                state.effect(&mut self.structure.terms, Bool::TRUE);
            }
            System::Publish => self.publish(state, span)?,
        }
        Ok(())
    }

    fn call(
        &mut self,
        state: &mut State,
        dst: Option<LocalId>,
        callee: FunctionId,
        args: &[Expr],
        here: u64,
        span: Span,
    ) -> Result<(), Halt> {
        let nested = self.current.calls.iter().filter(|&&function| function == callee).count();
        let allowed = self.allowed(nested as u32);
        self.cut_here(state, allowed, span);
        if state.guard == Bool::FALSE {
            return Ok(());
        }
        let values: Vec<(Term, Taint)> =
            args.iter().map(|arg| (self.expr(state, arg), self.taint(state, arg))).collect();
        let library = self.program.functions[callee.index()].library;
        let outside = self.current.visible;
        if library {
            self.current.visible = outside.or(Some(span));
        }
        let context = std::mem::replace(&mut self.current.context, here);
        let returned = self.function(callee, values, state.clone());
        self.current.context = context;
        self.current.visible = outside;
        match returned? {
            Some((mut after, value)) => {
                after.locals = std::mem::take(&mut state.locals);
                after.taints = std::mem::take(&mut state.taints);
                *state = after;
                if let (Some(dst), Some((value, taint))) = (dst, value) {
                    state.locals[dst.index()] = value;
                    state.taints[dst.index()] = taint;
                }
            }
            None => state.guard = Bool::FALSE,
        }
        Ok(())
    }

    fn spawn(
        &mut self,
        state: &mut State,
        dst: LocalId,
        body: FunctionId,
        args: &[Expr],
        here: u64,
        span: Span,
    ) -> Result<(), Halt> {
        let first = self.program.threads.len();
        let number = match self.knowledge.threads.get(&here) {
            Some(&number) => number,
            None => {
                let number = (first + self.knowledge.started.len()) as u32;
                self.knowledge.threads.insert(here, number);
                let name = self.program.functions[body.index()].name.clone();
                self.knowledge.started.push(Thread { name, body });
                // Whoever was joined before can have been this one.
                self.grew |= self.joined;
                number
            }
        };
        let id = ThreadId(number);
        self.make_room(id);
        let values: Vec<(Term, Taint)> = args.iter().map(|arg| (self.expr(state, arg), Taint::new())).collect();
        values.iter().for_each(|&(value, _)| self.escape(value, state.guard));
        let parent = self.current.id;
        self.input(state.guard, Input::Thread(number));
        state.effect(&mut self.structure.terms, Bool::TRUE);
        // A thread may always come too late to do anything: that is what those beyond the bound do.
        self.starts += 1;
        self.structure.charged |= self.starts > self.settings.threads;
        let enough = self.allowed(self.starts.saturating_sub(self.settings.threads));
        // Threads that start threads like themselves are like functions that call themselves.
        let nested = self.current.line.iter().filter(|&&function| function == body).count();
        let nested = self.allowed(nested as u32);
        let allowed = self.structure.terms.and(enough, nested);
        let mut begin = self.fresh_state(state.guard);
        self.cut_here(&mut begin, allowed, span);
        if begin.guard != Bool::FALSE {
            let position = self.structure.threads[parent.index()].len() as u32;
            let link = Link { from: (parent.0, position), to: (number, 0), when: begin.guard };
            self.structure.links.push(link);
            self.thread(id, here, body, values, begin)?;
        }
        let handle = self.structure.terms.constant(u64::from(number) + 1, Width::WORD);
        self.assign(state, dst, handle);
        Ok(())
    }

    fn join(&mut self, state: &mut State, thread: &Expr, result: Option<LocalId>, span: Span) {
        let reads = self.taint(state, thread);
        let handle = self.expr(state, thread);
        let threads = (self.program.threads.len() + self.knowledge.started.len()) as u32;
        let this = self.current.id.0;
        let position = self.structure.threads[this as usize].len() as u32;
        let mut done = Bool::FALSE;
        let mut value = self.structure.terms.constant(0, Width::WORD);
        let certain = self.structure.terms.as_const(handle).map(|handle| handle.wrapping_sub(1));
        let others = match certain {
            Some(other) if other < u64::from(threads) => other as u32..other as u32 + 1,
            Some(_) => 0..0,
            None => 0..threads,
        };
        self.joined |= others.len() != 1;
        for other in others.filter(|&other| other != this) {
            let terms = &mut self.structure.terms;
            let name = terms.constant(u64::from(other) + 1, Width::WORD);
            let same = terms.eq(handle, name);
            if same == Bool::FALSE {
                continue;
            }
            let end = self.end(other);
            let terms = &mut self.structure.terms;
            let ended = terms.and(same, end.finished);
            done = terms.or(done, ended);
            value = terms.ite(same, end.result, value);
            // Only where it is passed, and in the order of execution: see `END`.
            let when = terms.and(state.guard, ended);
            self.structure.links.push(Link { from: (other, END), to: (this, position), when });
        }
        if self.settings.waits {
            self.wait(state, done, reads, span);
        }
        self.stop_unless(state, done);
        if let Some(result) = result {
            self.assign(state, result, value);
        }
    }

    /// How large a block can be. One whose size is no constant and may be large is only looked at up to some size.
    fn most_bytes(&mut self, state: &mut State, bytes: Term, span: Span) -> Result<u64, Halt> {
        if let Some(size) = self.structure.terms.as_const(bytes) {
            let refused = || self.refuse(span, "an allocation of more than four gigabytes");
            return if size <= MAX_OBJECT { Ok(size) } else { Err(refused()) };
        }
        let most = crate::numbers::most(&self.structure.terms, bytes, 0);
        if most <= MAX_VARIABLE {
            return Ok(most);
        }
        let terms = &mut self.structure.terms;
        let limit = terms.constant(MAX_VARIABLE, Width::WORD);
        let fits = terms.binary(BinaryOp::ULe, bytes, limit);
        let fits = terms.to_bool(fits);
        self.cut_here(state, fits, span);
        Ok(MAX_VARIABLE)
    }

    fn alloc(&mut self, state: &mut State, dst: LocalId, object: MadeObject, cells: &[ir::Cell], here: u64) {
        let first = self.program.objects.len();
        let next = (first + self.knowledge.objects.len()) as u32;
        let number = *self.knowledge.objects.entry(here).or_insert(next);
        let own: Vec<(u64, Width)> =
            cells.iter().flat_map(|cell| self.knowledge.pieces(number, cell.offset, cell.width)).collect();
        let known = self.knowledge.cells.entry(number).or_default();
        known.extend(own);
        self.knowledge.made.insert(number, object.clone());
        match (self.made.get(&number).map(|made| made.limit), object.limit) {
            (None, _) => self.make(number, object),
            (Some(Some(supposed)), Some(limit)) => {
                let terms = &mut self.structure.terms;
                let same = terms.eq(supposed, limit);
                let constraint = terms.implies(state.guard, same);
                self.structure.constraints.push(constraint);
            }
            (Some(_), _) => {}
        }
        let object = ObjectId(number);
        if self.published {
            // What the cells hold at first, where they are shared, is an initial write.
            let offsets: Vec<u64> = self.made[&number].cells.keys().copied().collect();
            offsets.into_iter().for_each(|offset| self.set_initial(Address { object, offset }, None));
        }
        self.input(state.guard, Input::Object(number));
        self.own(number);
        state.effect(&mut self.structure.terms, Bool::TRUE);
        let address = self.structure.terms.constant(Address { object, offset: 0 }.to_bits(), Width::WORD);
        self.assign(state, dst, address);
    }

    /// The initial write of a cell, if it is shared, writes what the state holds there.
    fn set_initial(&mut self, cell: Address, state: Option<&State>) {
        let Some(&number) = self.knowledge.shared.get(&cell) else { return };
        let value = match state {
            Some(state) => self.held(state, cell),
            None => self.first_value(cell),
        };
        self.structure.events[number as usize].value = value;
        self.structure.locations[number as usize].width = self.structure.terms.width(value);
    }

    /// Other threads may exist from here on.
    fn publish(&mut self, state: &State, span: Span) -> Result<(), Halt> {
        if self.published {
            return Err(self.refuse(span, "internal: published twice"));
        }
        self.published = true;
        self.initial = Rc::clone(&state.memory);
        state.broken.keys().for_each(|&cell| self.watch_broken(state, cell, u64::MAX));
        for cell in self.knowledge.order.clone() {
            self.set_initial(cell, Some(state));
            let value = self.structure.events[self.knowledge.shared[&cell] as usize].value;
            self.note_pointers(&[cell], value, Bool::TRUE, span)?;
        }
        Ok(())
    }

    /// An atomic section begins. If it can get stuck, the thread may as well stop before it.
    fn begin(&mut self, state: &mut State, function: FunctionId, place: (BlockId, usize)) {
        if let Some((section, depth)) = state.section {
            state.section = Some((section, depth + 1));
            return;
        }
        let section = self.sections.len() as u32;
        self.sections.push(Section { parent: section, first: section, ended: state.ended });
        state.section = Some((section, 1));
        if self.may_get_stuck(function, place) {
            let terms = &mut self.structure.terms;
            let enters = terms.fresh_bool();
            state.guard = terms.and(state.guard, enters);
        }
    }

    /// Whether something between the beginning of a section and its end may stop the thread.
    fn may_get_stuck(&self, function: FunctionId, (block, at): (BlockId, usize)) -> bool {
        let body = &self.program.functions[function.index()];
        let mut seen: BTreeSet<BlockId> = BTreeSet::new();
        let mut pending = vec![(block, at + 1)];
        while let Some((block, from)) = pending.pop() {
            let mut ended = false;
            for instr in &body.blocks[block.index()].instrs[from..] {
                match &instr.op {
                    Op::Assign { .. } | Op::Fence { .. } => {}
                    Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Rmw { addr, .. } => {
                        if !matches!(addr, Expr::Address(..)) {
                            return true;
                        }
                    }
                    Op::System(System::AtomicEnd) => {
                        ended = true;
                        break;
                    }
                    Op::System(
                        System::Nondet { .. }
                        | System::Current { .. }
                        | System::Alloc { .. }
                        | System::Critical { .. }
                        | System::Check { .. }
                        | System::Await,
                    ) => {}
                    Op::StoreConditional { .. }
                    | Op::Assume { .. }
                    | Op::System(
                        System::Call { .. }
                        | System::Assert { .. }
                        | System::Spawn { .. }
                        | System::Join { .. }
                        | System::AtomicBegin
                        | System::Publish,
                    ) => return true,
                }
            }
            if !ended {
                for to in body.blocks[block.index()].terminator.successors() {
                    if !seen.insert(to) {
                        return true;
                    }
                    pending.push((to, 0));
                }
            }
        }
        false
    }
}

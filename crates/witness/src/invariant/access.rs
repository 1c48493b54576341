//! What accesses do: where they go, what they read, and where their writes are then.

use super::Quantity;
use super::eval::{Case, number};
use super::form::{Form, Var};
use super::steps::{Check, Fate, Value, Way, Ways};
use super::world::{Use, World};
use crate::execution::Property;
use crate::flaw::Flaw;
use ir::{Address, Expr, LocalId, TagSet, Width, truncate};
use model::Buffers;
use source::Span;

impl<'a> World<'a> {
    /// Goes on for each cell that an access may go to.
    pub(super) fn locate(
        &mut self,
        way: &Way,
        (addr, width, span): (&'a Expr, Width, Span),
        mut then: impl FnMut(&mut Self, Way, Address) -> Ways,
    ) -> Ways {
        let mut all = Vec::new();
        let cases = self.cases(way, addr, span)?;
        if self.alone && (cases.len() > 1 || cases.iter().any(|case| case.form.number().is_none())) {
            return self.chooses();
        }
        for case in cases {
            let next = way.under(&case);
            let base = Address::from_bits(case.form.constant as u64);
            if case.form.number().is_some() {
                let found = match base {
                    Some(base) => self.exists(base, width).map_err(|what| self.flaw(span, what))?.then_some(base),
                    None => None,
                };
                match found {
                    Some(cell) => all.extend(then(self, next, cell)?),
                    None => all.push(self.strays(next)),
                }
                continue;
            }
            let row = base.and_then(|base| Some((base.object, self.row(base.object, width)?)));
            let Some((object, offsets)) = row else {
                return Err(self.flaw(span, "an address that depends on what was read"));
            };
            let large = || self.flaw(span, "numbers that are too large");
            // Between two limits, as far as there are any.
            let between = |low: Option<i64>, high: Option<i64>| {
                let mut next = next.clone();
                if let Some(low) = low {
                    next.checks.push(Check::Guard(Form::constant(low).plus(-1, &case.form).ok_or_else(large)?));
                }
                if let Some(high) = high {
                    next.checks.push(Check::Guard(case.form.plus(-1, &Form::constant(high)).ok_or_else(large)?));
                }
                Ok::<Way, Flaw>(next)
            };
            let mut parts = Vec::new();
            let mut last: Option<i64> = None;
            for offset in offsets {
                let cell = Address { object, offset };
                let at = cell.to_bits() as i64;
                parts.push((between(last.map(|last| last + 1), Some(at - 1))?, None));
                parts.push((between(Some(at), Some(at))?, Some(cell)));
                last = Some(at);
            }
            parts.push((between(last.map(|last| last + 1), None)?, None));
            for (next, cell) in parts {
                match cell {
                    Some(cell) => all.extend(then(self, next, cell)?),
                    None => all.push(self.strays(next)),
                }
            }
        }
        Ok(all)
    }

    /// An access where there is no location.
    fn strays(&self, way: Way) -> Way {
        match self.property {
            Property::Assertions { memory: true } => way.with(Fate::Failed("an access to no location".to_owned())),
            Property::Assertions { memory: false } | Property::Deadlock | Property::Progress | Property::Race => {
                way.stopped()
            }
        }
    }

    /// What a cell holds that is not shared.
    fn own_value(&self, way: &mut Way, cell: Address) -> Form<Var> {
        let known = way.own.get(&cell).map(|value| value.form.clone());
        let initial = || self.cell(cell).and_then(|cell| cell.value).map(Form::constant);
        known.or_else(initial).unwrap_or_else(|| way.anything())
    }

    fn set_own(&self, way: &mut Way, cell: Address, form: Form<Var>) {
        let width = self.cell(cell).map_or(Width::WORD, |cell| cell.width);
        let form = match form.number() {
            Some(known) => Form::constant(number(truncate(known as u64, width), width)),
            None => form,
        };
        let variable = form.number().is_none() || self.counted.contains(&cell);
        way.own.insert(cell, Value { form, variable });
    }

    /// A write to a shared cell while there may be several threads: it must not be one that nobody writes then.
    fn may_write(&self, way: &Way, cell: Address, span: Span) -> Result<(), Flaw> {
        if !way.early && self.is_settled(cell) {
            let name = self.program.address_name(cell);
            return Err(self.flaw(span, format!("{name} is written, and the certificate says that nobody writes it")));
        }
        Ok(())
    }

    fn foreign(&self, cell: Address, span: Span) -> Flaw {
        let name = self.program.address_name(cell);
        self.flaw(span, format!("{name} is used by a thread that the certificate does not know to use it"))
    }

    pub(super) fn load(&mut self, mut way: Way, dst: LocalId, cell: Address, tags: &TagSet, span: Span) -> Ways {
        let usage = if self.alone { Use::Own } else { self.usage(cell, way.thread) };
        match usage {
            Use::Shared => {
                let direct = way.early || way.open > 0 || self.drains(tags);
                let waits = direct && self.buffers != Buffers::None;
                let settled = !way.early && !waits && self.is_settled(cell);
                if !(if settled { way.unnoticed() } else { way.noticed() }) {
                    return Ok(vec![way]);
                }
                if direct && !way.buffer.is_empty() {
                    return Ok(Vec::new());
                }
                let value = way.read(way.buffer.source(way.thread, cell, self.keep));
                self.assign(&mut way, dst, value);
                // So it does even if this step has written a constant there.
                way.top_mut().locals[dst.index()].variable = true;
            }
            Use::Own | Use::Constant => {
                let value = self.own_value(&mut way, cell);
                self.assign(&mut way, dst, value);
            }
            Use::Foreign => return Err(self.foreign(cell, span)),
        }
        Ok(vec![way.next()])
    }

    pub(super) fn store(&mut self, mut way: Way, cell: Address, form: Form<Var>, tags: &TagSet, span: Span) -> Ways {
        if self.alone {
            let Some(known) = form.number() else { return self.chooses() };
            self.write(cell, known);
            return Ok(vec![way.next()]);
        }
        match self.usage(cell, way.thread) {
            Use::Shared => {
                self.may_write(&way, cell, span)?;
                let direct = way.early || way.open > 0 || self.drains(tags);
                if direct && !way.noticed() {
                    return Ok(vec![way]);
                }
                if direct && !way.buffer.is_empty() {
                    return Ok(Vec::new());
                }
                // What comes next may have to wait until the write has reached memory.
                way.may = false;
                let quantity = match direct {
                    true => Quantity::Memory(cell),
                    false => {
                        let kind = (self.buffers, self.keep, self.k);
                        let (quantity, moves) = way.buffer.append(way.thread, cell, kind);
                        for (to, from) in moves {
                            let value = way.read(from);
                            way.written.insert(to, value);
                        }
                        quantity
                    }
                };
                way.written.insert(quantity, form);
            }
            Use::Own => self.set_own(&mut way, cell, form),
            Use::Constant | Use::Foreign => return Err(self.foreign(cell, span)),
        }
        Ok(vec![way.next()])
    }

    pub(super) fn update(
        &mut self,
        mut way: Way,
        (dst, cell, when, value): (LocalId, Address, Option<&'a Expr>, &'a Expr),
        span: Span,
    ) -> Ways {
        let shared = !self.alone && matches!(self.usage(cell, way.thread), Use::Shared);
        if shared {
            self.may_write(&way, cell, span)?;
            if !way.noticed() {
                return Ok(vec![way]);
            }
            if !way.buffer.is_empty() {
                return Ok(Vec::new());
            }
            let read = way.read(Quantity::Memory(cell));
            self.assign(&mut way, dst, read);
            way.top_mut().locals[dst.index()].variable = true;
        } else {
            if !self.alone && !matches!(self.usage(cell, way.thread), Use::Own) {
                return Err(self.foreign(cell, span));
            }
            let read = self.own_value(&mut way, cell);
            self.assign(&mut way, dst, read);
        }
        let mut all = Vec::new();
        let holds = match when {
            Some(when) => {
                let fails = self.truth(&way, when, false, span)?;
                all.extend(fails.iter().map(|case| way.under(case).next()));
                let holds = self.truth(&way, when, true, span)?;
                if self.alone && !fails.is_empty() && !holds.is_empty() {
                    return self.chooses();
                }
                holds
            }
            None => vec![Case::plain(Form::constant(1))],
        };
        if self.alone && holds.len() > 1 {
            return self.chooses();
        }
        for case in holds {
            let way = way.under(&case);
            let cases = self.cases(&way, value, span)?;
            if self.alone && cases.len() > 1 {
                return self.chooses();
            }
            for case in cases {
                let mut next = way.under(&case);
                if self.alone {
                    let Some(known) = case.form.number() else { return self.chooses() };
                    self.write(cell, known);
                } else if shared {
                    next.written.insert(Quantity::Memory(cell), case.form);
                } else {
                    self.set_own(&mut next, cell, case.form);
                }
                all.push(next.next());
            }
        }
        Ok(all)
    }
}

//! Cells: who uses them, and what accesses do.

use super::*;

impl<'p> Automata<'p> {
    /// A thread uses a cell: who uses it now?
    pub(super) fn touch(&mut self, cell: u32, thread: usize, writes: bool) -> Result<Usage, Halt> {
        let class = self.knowledge.classes.get(&cell).copied().unwrap_or(Usage::Constant(0));
        let now = class.with(thread, writes);
        if now != class {
            self.knowledge.classes.insert(cell, now);
            if !matches!(now, Usage::Constant(_)) {
                return Err(Halt::Again);
            }
        }
        let early = self.nodes[self.first as usize].early;
        if now == Usage::Shared && self.cells[cell as usize].initial.is_none() && !early {
            let name = self.program.address_name(self.cells[cell as usize].address);
            return Err(Halt::Limit(format!("{name} is shared, but nobody has written it before there are threads")));
        }
        Ok(now)
    }

    /// A thread writes a cell: who uses it now? While there can be no others, it does not count as written.
    fn touch_to_write(&mut self, item: &Item, cell: u32) -> Result<Usage, Halt> {
        let new = !item.node.early && self.knowledge.written.insert(cell);
        let usage = self.touch(cell, item.node.thread, true)?;
        if new && usage == Usage::Shared { Err(Halt::Again) } else { Ok(usage) }
    }

    /// Whether an access reaches memory at once, when the buffer is empty.
    fn direct(&self, item: &Item, tags: &TagSet) -> bool {
        item.node.early || item.node.open > 0 || self.buffers == Buffers::None || self.drains(tags)
    }

    pub(super) fn own(&self, item: &Item, cell: u32, span: Span) -> Result<Form, Halt> {
        let Cell { initial, width, .. } = &self.cells[cell as usize];
        match (item.node.own.get(&cell), initial) {
            (Some(Value::Known(value)), _) | (None, Some(value)) => Ok(Form::constant(number(*value, *width))),
            (Some(Value::Symbol(var)), _) => Ok(Form::var(*var)),
            (None, None) => self.limit(item, span, "memory is read that was never written"),
        }
    }

    pub(super) fn set_own(&mut self, item: &mut Item, cell: u32, form: &Form) {
        let width = self.cells[cell as usize].width;
        let known = form.terms.is_empty().then(|| truncate(form.constant as u64, width));
        let value = if let Some(known) = known
            && !self.knowledge.forced.contains(&Holder::Own(cell))
        {
            Value::Known(known)
        } else {
            let var = self.var(Name::Own(cell));
            let form = known.map_or_else(|| form.clone(), |known| Form::constant(number(known, width)));
            item.steps.push(Step::Assign(var, form));
            Value::Symbol(var)
        };
        if let (Some(old), Value::Known(_)) = (item.node.own.insert(cell, value), value) {
            forget(&mut item.steps, [old]);
        }
    }

    pub(super) fn alone_slot(&mut self, cell: u32) -> &mut Slot {
        &mut self.objects[(cell >> 16) as usize].cells[(cell & 0xffff) as usize]
    }

    pub(super) fn load(
        &mut self,
        item: &mut Item,
        dst: LocalId,
        cell: u32,
        tags: &TagSet,
        span: Span,
    ) -> Result<(), Halt> {
        if self.alone {
            let Slot { value, width, .. } = *self.alone_slot(cell);
            let Some(value) = value else { return self.limit(item, span, "memory is read that was never written") };
            self.assign(item, dst, &Form::constant(number(value, width)));
            Self::next(item);
            return Ok(());
        }
        match self.touch(cell, item.node.thread, false)? {
            Usage::Shared => {
                // What nobody writes any more is the same at all times.
                let waits = self.buffers != Buffers::None && self.direct(item, tags);
                let settled = !item.node.early && !waits && !self.knowledge.written.contains(&cell);
                if !(if settled { Self::quiet(item) } else { Self::visible(item) }) {
                    return Ok(());
                }
                let way = if self.direct(item, tags) { Way::Direct } else { Way::Buffer };
                let shown = self.event(item, tags, span);
                let var = self.symbol(item, dst);
                item.steps.push(Step::Load { cell, var, way, shown });
            }
            Usage::Constant(_) | Usage::Private(_) => {
                let form = self.own(item, cell, span)?;
                self.assign(item, dst, &form);
            }
        }
        Self::next(item);
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        item: &mut Item,
        cell: u32,
        form: &Form,
        width: Width,
        tags: &TagSet,
        span: Span,
    ) -> Result<(), Halt> {
        if self.alone {
            if !form.terms.is_empty() {
                return Err(Halt::Choice);
            }
            self.alone_slot(cell).value = Some(truncate(form.constant as u64, width));
            Self::next(item);
            return Ok(());
        }
        match self.touch_to_write(item, cell)? {
            Usage::Shared => {
                let direct = self.direct(item, tags);
                if direct && !Self::visible(item) {
                    return Ok(());
                }
                // What comes next may have to wait until the write has reached memory.
                item.may = false;
                let way = if direct { Way::Direct } else { Way::Buffer };
                let shown = self.event(item, tags, span);
                item.steps.push(Step::Store { cell, form: form.clone(), way, shown });
            }
            Usage::Constant(_) | Usage::Private(_) => self.set_own(item, cell, form),
        }
        Self::next(item);
        Ok(())
    }

    pub(super) fn rmw(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        (dst, cell, when, value): (LocalId, u32, Option<&'p Expr>, &'p Expr),
        ([read_tags, write_tags], span): ([&TagSet; 2], Span),
    ) -> Result<(), Halt> {
        let mut shared = false;
        let width;
        if self.alone {
            let Slot { value, width: own, .. } = *self.alone_slot(cell);
            width = own;
            let Some(value) = value else { return self.limit(item, span, "memory is read that was never written") };
            self.assign(item, dst, &Form::constant(number(value, width)));
        } else {
            width = self.cells[cell as usize].width;
            shared = self.touch_to_write(item, cell)? == Usage::Shared;
            if shared {
                if !Self::visible(item) {
                    return Ok(());
                }
                let shown = self.event(item, read_tags, span);
                let var = self.symbol(item, dst);
                item.steps.push(Step::Load { cell, var, way: Way::Direct, shown });
            } else {
                let form = self.own(item, cell, span)?;
                self.assign(item, dst, &form);
            }
        }
        if let Some(when) = when {
            let fails = self.truth(item, when, false, span)?;
            if self.alone && !fails.is_empty() && !self.truth(item, when, true, span)?.is_empty() {
                return Err(Halt::Choice);
            }
            for case in fails {
                let mut fails = item.under(case);
                Self::next(&mut fails);
                more.push(fails);
            }
        }
        let holds = match when {
            Some(when) => self.truth(item, when, true, span)?,
            None => vec![Case { guards: vec![], fits: vec![], form: Form::constant(1) }],
        };
        if holds.is_empty() {
            // It never writes: the other cases are all there is.
            *item = more.pop().unwrap_or_else(|| item.clone());
            return Ok(());
        }
        let mut later = Vec::new();
        self.split(item, &mut later, holds, |all, item, _| {
            let cases = all.cases(item, value, span)?;
            let mut inner = Vec::new();
            all.split(item, &mut inner, cases, |all, item, form| {
                if all.alone {
                    if !form.terms.is_empty() {
                        return Err(Halt::Choice);
                    }
                    all.alone_slot(cell).value = Some(truncate(form.constant as u64, width));
                } else if shared {
                    let shown = all.event(item, write_tags, span);
                    item.steps.push(Step::Store { cell, form, way: Way::Direct, shown });
                } else {
                    all.set_own(item, cell, &form);
                }
                Self::next(item);
                Ok(())
            })?;
            more.extend(inner);
            Ok(())
        })?;
        more.extend(later);
        Ok(())
    }

    /// Goes on for each cell that an access may go to.
    pub(super) fn locate(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        (addr, width, span): (&'p Expr, Width, Span),
        then: &mut dyn FnMut(&mut Self, &mut Item, u32) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let cases = self.cases(item, addr, span)?;
        if self.alone && (cases.len() > 1 || cases.iter().any(|case| !case.form.terms.is_empty())) {
            return Err(Halt::Choice);
        }
        let mut all = Vec::new();
        for case in cases {
            let Some(base) = Address::from_bits(case.form.constant as u64) else {
                if case.form.terms.is_empty() {
                    all.push((case, None));
                    continue;
                }
                return self.limit(item, span, "an address that was read from shared memory");
            };
            if case.form.terms.is_empty() {
                let cell = self.cell(item, base, width, span)?;
                all.push((case, cell));
                continue;
            }
            self.spread(item, &case, base, (width, span), &mut all)?;
        }
        let cells: Vec<Option<u32>> = all.iter().map(|(_, cell)| *cell).collect();
        let mut cells = cells.into_iter();
        let cases = all.into_iter().map(|(case, _)| case).collect();
        self.split(item, more, cases, |all, item, _| match cells.next().flatten() {
            Some(cell) => then(all, item, cell),
            None => {
                match all.property {
                    Property::Assertions { memory: true } => Self::fail(item, span, "an access to no location"),
                    Property::Assertions { memory: false } | Property::Deadlock => item.node.status = Status::Stopped,
                }
                Ok(())
            }
        })
    }

    /// The cells that an address with variables may mean, and what lies beside them.
    pub(super) fn spread(
        &self,
        item: &Item,
        case: &Case,
        base: Address,
        (width, span): (Width, Span),
        all: &mut Vec<(Case, Option<u32>)>,
    ) -> Result<(), Halt> {
        let Some(object) = self.objects.get(base.object.index()).filter(|object| object.grows.is_none()) else {
            return self.limit(item, span, "an index into memory without a type depends on what was read");
        };
        let too_large = || Halt::Limit("numbers that are too large".to_owned());
        let mut bound = |low: Option<i64>, high: Option<i64>, cell: Option<u32>| -> Result<(), Halt> {
            let mut own = case.clone();
            if let Some(low) = low {
                own.guards.push(Form::constant(low).plus(&case.form, -1).ok_or_else(too_large)?.tightened());
            }
            if let Some(high) = high {
                own.guards.push(Form::constant(-high).plus(&case.form, 1).ok_or_else(too_large)?.tightened());
            }
            all.push((own, cell));
            Ok(())
        };
        let mut below: Option<i64> = None;
        for slot in &object.cells {
            let address = Address { object: base.object, offset: slot.offset };
            if slot.width != width {
                return self.limit(item, span, "an index into a structure depends on what was read");
            }
            let at = address.to_bits() as i64;
            bound(below.map(|below| below + 1), Some(at - 1), None)?;
            bound(Some(at), Some(at), self.numbers.get(&address).copied())?;
            below = Some(at);
        }
        bound(below.map(|below| below + 1), None, None)
    }

    /// The cell at an address.
    pub(super) fn cell(
        &mut self,
        item: &Item,
        address: Address,
        width: Width,
        span: Span,
    ) -> Result<Option<u32>, Halt> {
        let mixed = "a part of a location is accessed, or several locations at once";
        let alone = self.alone;
        let Some(object) = self.objects.get_mut(address.object.index()) else { return Ok(None) };
        let at = match object.cells.iter().position(|slot| slot.offset == address.offset) {
            Some(at) if object.cells[at].width == width => at,
            Some(_) => return self.limit(item, span, mixed),
            None => {
                let bytes = |width: Width| u64::from(width.bits().div_ceil(8));
                let end = address.offset + bytes(width);
                let Some(size) = object.grows else { return Ok(None) };
                if end > size {
                    return Ok(None);
                }
                let apart = |slot: &Slot| slot.offset >= end || slot.offset + bytes(slot.width) <= address.offset;
                if !object.cells.iter().all(apart) {
                    return self.limit(item, span, mixed);
                }
                if !alone {
                    return self.limit(item, span, "memory without a type is used that was not used before");
                }
                // At the end, so that the numbers of the others stay.
                let value = object.zeroed.then_some(0);
                object.cells.push(Slot { offset: address.offset, width, value });
                object.cells.len() - 1
            }
        };
        if alone {
            if at > 0xffff || address.object.index() > 0xffff {
                return self.limit(item, span, "an object that is too large");
            }
            return Ok(Some((address.object.0 << 16) | at as u32));
        }
        Ok(self.numbers.get(&address).copied())
    }
}

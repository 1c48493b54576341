//! Instructions: what becomes of an edge that is being made.

use super::*;

impl<'p> Automata<'p> {
    pub(super) fn leave(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        terminator: &'p Terminator,
    ) -> Result<(), Halt> {
        let goes = |item: &mut Item, to: ir::BlockId| {
            let frame = item.node.frames.last_mut().expect("a thread that runs has a frame");
            let back = to.0 <= frame.block;
            (frame.block, frame.index) = (to.0, 0);
            if back {
                if item.seen.contains(&item.node) {
                    item.done = true;
                } else {
                    item.seen.push(item.node.clone());
                }
            }
        };
        match terminator {
            Terminator::Goto(to) => {
                goes(item, *to);
                Ok(())
            }
            Terminator::Branch { condition, then, otherwise, join: _, span } => {
                let mut all = Vec::new();
                for (wanted, to) in [(true, *then), (false, *otherwise)] {
                    all.extend(self.truth(item, condition, wanted, *span)?.into_iter().map(|case| (case, to)));
                }
                let targets: Vec<ir::BlockId> = all.iter().map(|(_, to)| *to).collect();
                let mut targets = targets.into_iter();
                let cases = all.into_iter().map(|(case, _)| case).collect();
                self.split(item, more, cases, |_, item, _| {
                    goes(item, targets.next().expect("each case has a target"));
                    Ok(())
                })
            }
            Terminator::Return(result) => {
                let last = item.node.frames.len() == 1;
                if last {
                    return self.end(item, more, result.as_ref());
                }
                let returned = result.as_ref().map(|result| self.width(item, result));
                let cases = match result {
                    Some(result) => self.cases(item, result, Span::default())?,
                    None => vec![Case { guards: vec![], fits: vec![], form: Form::constant(0) }],
                };
                self.split(item, more, cases, |all, item, form| {
                    let frame = item.node.frames.pop().expect("there is a caller");
                    if let Some(dst) = frame.dst {
                        let width = all.function(item).locals[dst.index()].width;
                        if returned.is_some_and(|returned| returned != width) {
                            item.steps.push(Step::Fits(form.clone(), width));
                        }
                        all.assign(item, dst, &form);
                    }
                    forget(&mut item.steps, frame.values);
                    Ok(())
                })
            }
            Terminator::Exit(result) => self.end(item, more, result.as_ref()),
            Terminator::Cut { span } => self.limit(item, *span, "a loop was cut before"),
        }
    }

    pub(super) fn end(&mut self, item: &mut Item, more: &mut Vec<Item>, result: Option<&'p Expr>) -> Result<(), Halt> {
        if item.node.inside.is_some() {
            if !Self::visible(item) {
                return Ok(());
            }
            item.node.inside = None;
        }
        if item.node.open > 0 {
            return self.limit(item, Span::default(), "a thread ends inside an atomic section");
        }
        let cases = match result {
            None => vec![Case { guards: vec![], fits: vec![], form: Form::constant(0) }],
            Some(result) => self.cases(item, result, Span::default())?,
        };
        self.split(item, more, cases, |all, item, form| {
            if form.terms.is_empty() {
                item.node.status = Status::Ended(form.constant as u64);
            } else {
                let var = all.var(Name::Returned);
                item.steps.push(Step::Assign(var, form));
                item.node.status = Status::Ended(0);
                item.node.returns = Some(var);
            }
            Ok(())
        })
    }

    pub(super) fn instr(&mut self, item: &mut Item, more: &mut Vec<Item>, instr: &'p Instr) -> Result<(), Halt> {
        let span = instr.span;
        match &instr.op {
            Op::Assign { dst, value } => {
                let cases = self.cases(item, value, span)?;
                self.split(item, more, cases, |all, item, form| {
                    all.assign(item, *dst, &form);
                    Self::next(item);
                    Ok(())
                })
            }
            Op::Load { dst, addr, tags, reserve: false } => {
                let width = self.function(item).locals[dst.index()].width;
                self.locate(item, more, (addr, width, span), &mut |all, item, cell| {
                    all.load(item, *dst, cell, tags, span)
                })
            }
            Op::Store { addr, value, tags } => {
                // A truth value is never stored as such, so the width is that of the value.
                let width = self.width(item, value);
                let value_cases = self.cases(item, value, span)?;
                let mut later = Vec::new();
                self.split(item, &mut later, value_cases, |all, item, form| {
                    let mut inner = Vec::new();
                    all.locate(item, &mut inner, (addr, width, span), &mut |all, item, cell| {
                        all.store(item, cell, &form, width, tags, span)
                    })?;
                    more.extend(inner);
                    Ok(())
                })?;
                more.extend(later);
                Ok(())
            }
            Op::Rmw { dst, addr, when, value, read_tags, write_tags } => {
                let width = self.function(item).locals[dst.index()].width;
                let mut later = Vec::new();
                self.locate(item, &mut later, (addr, width, span), &mut |all, item, cell| {
                    let tags = [read_tags, write_tags];
                    let locked = tags.iter().any(|tags| all.drains(tags)) || all.buffers == Buffers::None;
                    if !all.alone && !item.node.early && item.node.open == 0 && !locked {
                        return all.limit(item, span, "a read-modify-write that is no locked instruction");
                    }
                    let mut inner = Vec::new();
                    all.rmw(item, &mut inner, (*dst, cell, when.as_ref(), value), (tags, span))?;
                    more.extend(inner);
                    Ok(())
                })?;
                more.extend(later);
                Ok(())
            }
            Op::Load { reserve: true, .. } | Op::StoreConditional { .. } => {
                self.limit(item, span, "reservations do not go with threads that are started")
            }
            Op::Fence { tags } => {
                if !self.alone && !item.node.early && item.node.open == 0 {
                    let drains = self.drains(tags) && self.buffers != Buffers::None;
                    if drains && !Self::visible(item) {
                        return Ok(());
                    }
                    let shown = self.shown(item, tags, span);
                    item.steps.push(Step::Fence { drains, orders: self.orders(tags), shown });
                }
                Self::next(item);
                Ok(())
            }
            Op::Assume { condition, waits: _ } => {
                let fails = self.truth(item, condition, false, span)?;
                if item.node.open > 0 {
                    // The section does not take place then; but whether it does is decided by results that may overflow.
                    let fits = fails.iter().flat_map(|case| case.fits.iter().cloned());
                    item.steps.extend(fits.map(|(form, width)| Step::Fits(form, width)));
                }
                let whole = item.clone();
                let holds = self.truth(item, condition, true, span)?;
                self.split(item, more, holds, |_, item, _| {
                    Self::next(item);
                    Ok(())
                })?;
                if whole.node.open == 0 {
                    for case in fails {
                        let mut stops = whole.under(case);
                        stops.node.status = Status::Stopped;
                        more.push(stops);
                    }
                }
                Ok(())
            }
            Op::System(op) => self.system(item, more, op, span),
        }
    }

    pub(super) fn system(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        op: &'p System,
        span: Span,
    ) -> Result<(), Halt> {
        match op {
            System::Call { dst, function, args } => return self.call(item, more, (*dst, *function, args), span),
            System::Nondet { dst } => {
                let width = self.function(item).locals[dst.index()].width;
                let var = self.symbol(item, *dst);
                item.steps.push(Step::Choose(var, width));
                if width.bits() < 58 {
                    let half = 1i64 << (width.bits() - 1);
                    let (low, high) = if width == Width::BOOL { (0, 1) } else { (-half, half - 1) };
                    item.steps.push(Step::Guard(Form { constant: -high, terms: vec![(var, 1)] }));
                    item.steps.push(Step::Guard(Form { constant: low, terms: vec![(var, -1)] }));
                }
            }
            System::Assert { condition, message } => {
                let whole = item.clone();
                let holds = self.truth(item, condition, true, span)?;
                self.split(item, more, holds, |_, item, _| {
                    Self::next(item);
                    Ok(())
                })?;
                for case in self.truth(&whole, condition, false, span)? {
                    let mut fails = whole.under(case);
                    match self.property {
                        Property::Assertions { memory: _ } => Self::fail(&mut fails, span, message),
                        Property::Deadlock => fails.node.status = Status::Stopped,
                    }
                    more.push(fails);
                }
                return Ok(());
            }
            System::Spawn { dst, function, args } => {
                if self.alone || item.node.early || item.node.thread != 0 || item.node.open > 0 {
                    return self.limit(item, span, "a thread is started by another one than `main`");
                }
                if !Self::visible(item) {
                    return Ok(());
                }
                let what = "what a thread is given";
                let args = args.iter().map(|arg| self.known(item, arg, span, what));
                let args: Vec<u64> = args.collect::<Result<_, _>>()?;
                item.node.spawned += 1;
                let number = item.node.spawned;
                let start = self.start(number, *function, &args);
                let start = self.intern(start)?;
                item.steps.push(Step::Spawn(number, start));
                self.assign(item, *dst, &Form::constant(number as i64 + 1));
            }
            System::Join { thread, result } => {
                let handle = self.known(item, thread, span, "which thread is waited for")?;
                let other = usize::try_from(handle).ok().and_then(|handle| handle.checked_sub(1));
                match other.filter(|other| *other != item.node.thread && !self.alone && !item.node.early) {
                    None => {
                        item.node.status = Status::Stopped;
                        return Ok(());
                    }
                    Some(other) => {
                        if !Self::visible(item) {
                            return Ok(());
                        }
                        let var = result.map(|result| self.symbol(item, result));
                        item.steps.push(Step::Join(other, var));
                    }
                }
            }
            System::Current { dst } => {
                let handle = Form::constant(item.node.thread as i64 + 1);
                self.assign(item, *dst, &handle);
            }
            System::Alloc { dst, name, size, cells, zeroed } => {
                if !self.alone {
                    let what = if item.node.early { "after the first choice" } else { "while there are threads" };
                    return self.limit(item, span, &format!("memory is made {what}"));
                }
                let size = self.known(item, size, span, "how much memory is made")?;
                let value = zeroed.then_some(0);
                let slot = |cell: &ir::Cell| Slot { offset: cell.offset, width: cell.width, value };
                let grows = cells.is_none().then_some(size);
                let cells = cells.iter().flatten().map(slot).collect();
                let number = self.objects.len();
                self.objects.push(Object { name: name.clone(), grows, zeroed: *zeroed, cells });
                item.steps.push(Step::Made(number as u64));
                let address = Address { object: ir::ObjectId(number as u32), offset: 0 };
                self.assign(item, *dst, &Form::constant(address.to_bits() as i64));
            }
            System::AtomicBegin => {
                if item.node.open == 0 && !self.alone && !item.node.early {
                    if !Self::visible(item) {
                        return Ok(());
                    }
                    item.steps.push(Step::Begin);
                }
                item.node.open += 1;
            }
            System::AtomicEnd => {
                item.node.open = item.node.open.saturating_sub(1);
                if item.node.open == 0 && !self.alone && !item.node.early {
                    let Shown { span, .. } = self.shown(item, &TagSet::default(), span);
                    item.steps.push(Step::End(span));
                }
            }
            System::Critical { enter } => {
                if !self.alone && !Self::visible(item) {
                    return Ok(());
                }
                let Shown { span, .. } = self.shown(item, &TagSet::default(), span);
                item.node.inside = enter.then_some(span);
                // Others can see it there, whatever comes next.
                item.done = !self.alone && item.node.open == 0;
            }
            System::Await => {}
            System::Publish => {
                if !self.alone && !item.node.early {
                    return self.limit(item, span, "memory is published twice");
                }
                self.alone = false;
                item.node.early = false;
            }
        }
        Self::next(item);
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        item: &mut Item,
        more: &mut Vec<Item>,
        (dst, function, args): (Option<LocalId>, FunctionId, &'p [Expr]),
        span: Span,
    ) -> Result<(), Halt> {
        if item.node.frames.len() >= DEPTH {
            return self.limit(item, span, "calls are nested without an end");
        }
        let body = &self.program.functions[function.index()];
        // One argument after the other: each may have cases.
        let mut open = vec![(item.clone(), Vec::new())];
        for arg in args {
            let mut next = Vec::new();
            for (whole, forms) in open {
                for case in self.cases(&whole, arg, span)? {
                    let mut forms: Vec<Form> = forms.clone();
                    forms.push(case.form.clone());
                    next.push((whole.under(case), forms));
                }
            }
            open = next;
        }
        let mut called = Vec::new();
        for (mut own, forms) in open {
            Self::next(&mut own);
            let outer = own.node.frames.last().and_then(|frame| frame.place);
            let place = outer.or(Some(span).filter(|_| body.library));
            let values = vec![Value::Known(0); body.locals.len()];
            own.node.frames.push(Frame { function, block: 0, index: 0, values, dst, place });
            for (at, form) in forms.iter().enumerate() {
                self.assign(&mut own, LocalId(at as u32), form);
            }
            called.push(own);
        }
        let mut called = called.into_iter();
        if let Some(first) = called.next() {
            *item = first;
        }
        more.extend(called);
        Ok(())
    }
}

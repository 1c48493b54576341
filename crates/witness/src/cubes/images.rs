//! One transition backwards: the states from which it leads into a cube.

use super::cover::Part;
use super::facts::{ANY, Cell, Fact, Facts, Ground, NONE, Place, World};
use super::ground::{Frame, Views, some};
use super::orders::{Doing, Orders};
use super::{Checker, CubeFlaw, Region};
use system::{Formula, Memory, NewValue, Target, Transition, Update};

/// One choice of the cases of updates, and of the reads that see the new writes.
#[derive(Clone, Default)]
struct Choice {
    facts: Facts,
    /// What cells of the cube have after the transition.
    put: Vec<(Cell, Ground)>,
    /// Pending reads before the writes, and behind them.
    earlier: Vec<usize>,
    later: Vec<usize>,
    written: Vec<Place>,
}

/// Processes that were chosen for the conditions of a guard about some process.
pub(super) type Chosen<'a> = Vec<(&'a Formula, u8)>;

impl<'a> Checker<'a> {
    /// Every state from which the transition leads into the cube is in a cube.
    pub(super) fn step(&mut self, cube: usize, transition: usize) -> Result<(), CubeFlaw> {
        let of = &self.system.transitions[transition];
        for tuple in self.tuples(self.patterns[cube].processes, of.params.len()) {
            let named = tuple.iter().map(|&process| process + 1).max().unwrap_or(0).max(self.patterns[cube].processes);
            self.weaker.set(false);
            for (named, chosen) in self.witnesses(of, &tuple, named) {
                for region in self.before(cube, of, &tuple, named, &chosen) {
                    if !self.covered(&region, Some(cube)) {
                        let flaw = CubeFlaw::Step { cube, transition, processes: tuple };
                        return Err(self.doubt(flaw));
                    }
                }
            }
        }
        Ok(())
    }

    /// The ways to choose processes for the conditions of the guard about some process.
    fn witnesses(&self, transition: &'a Transition, tuple: &[u8], named: u8) -> Vec<(u8, Chosen<'a>)> {
        self.choices(&transition.guard, tuple, named)
    }

    /// The ways to choose processes for the parts of a formula that are about some process and must hold.
    pub(super) fn choices<'f>(&self, formula: &'f Formula, tuple: &[u8], named: u8) -> Vec<(u8, Chosen<'f>)> {
        let mut wanted = Vec::new();
        some(formula, true, &mut wanted);
        let limit = self.system.processes.unwrap_or(u8::MAX);
        let mut ways: Vec<(u8, Chosen<'f>)> = vec![(named, Vec::new())];
        for formula in wanted {
            let Formula::Each { apart, .. } = formula else { continue };
            let mut more = Vec::new();
            for (named, chosen) in ways {
                let mut frame = Frame {
                    world: self.world(named),
                    slots: tuple.to_vec(),
                    views: Views::State,
                    chosen: &[],
                    weaker: &self.weaker,
                };
                for (outer, process) in &chosen {
                    if let Formula::Each { slot, .. } = outer {
                        frame.put(*slot, *process);
                    }
                }
                let apart = frame.apart(apart);
                for process in (0..=named).filter(|process| *process < limit && !apart.contains(process)) {
                    let mut chosen = chosen.clone();
                    chosen.push((formula, process));
                    more.push((named.max(process + 1), chosen));
                }
            }
            ways = more;
        }
        ways
    }

    /// The update of a cell, and the frame in which its terms are read.
    fn update<'f>(of: &'a Transition, place: Place, frame: &Frame<'f>) -> Option<(&'a Update, Frame<'f>)> {
        of.updates.iter().filter(|update| update.symbol == usize::from(place.0)).find_map(|update| {
            match &update.target {
                Target::Cell(args) => (frame.args(args) == place.1).then(|| (update, frame.clone())),
                Target::Every(slots) => {
                    let mut frame = frame.clone();
                    slots.iter().zip(place.1).for_each(|(&slot, index)| frame.put(slot, index));
                    Some((update, frame))
                }
            }
        })
    }

    /// The states from which a transition of given processes leads into a cube; none if it changes nothing that the cube
    /// speaks of, for then it was in the cube before.
    fn before(&self, cube: usize, of: &'a Transition, tuple: &[u8], named: u8, chosen: &Chosen<'_>) -> Vec<Region<'a>> {
        let pattern = &self.patterns[cube];
        let world = self.world(named);
        let new = pattern.orders.nodes.len() as u8 + 1;
        let views = if self.weak { Views::One(new) } else { Views::State };
        let mut frame = Frame { world, slots: tuple.to_vec(), views, chosen, weaker: &self.weaker };
        let actor = of.actor.map_or(NONE, |slot| tuple[usize::from(slot)]);
        let mut cells: Vec<Cell> = Vec::new();
        pattern.parts.iter().for_each(|part| part.cells(&mut |cell| cells.push(cell)));
        cells.sort_unstable();
        cells.dedup();
        let mut places: Vec<Place> = cells.iter().map(|cell| cell.place).collect();
        places.sort_unstable();
        places.dedup();
        places.retain(|&place| Self::update(of, place, &frame).is_some());
        if places.is_empty() {
            return Vec::new();
        }
        // What the transition leaves alone holds before it.
        let own: Vec<u8> = (1..new).collect();
        let mut start = Choice::default();
        for (part, fact) in pattern.parts.iter().zip(pattern.facts(&world, &own)) {
            let mut changed = false;
            part.cells(&mut |cell| changed |= places.contains(&cell.place));
            if !changed && !start.facts.add(&world, fact) {
                return Vec::new();
            }
        }
        if !self.granted.iter().all(|fact| start.facts.add(&world, fact.clone())) || !start.facts.settle(&world) {
            return Vec::new();
        }
        // Where its reads and writes are one, the reads stand for both.
        let locked = of.reads(self.system) && of.writes(self.system);
        let write = if locked { new } else { new + 1 };
        let mut choices = vec![start];
        for &place in &places {
            let Some((update, mut inner)) = Self::update(of, place, &frame) else { continue };
            let ways = values(update, place, &mut inner);
            let here: Vec<Cell> = cells.iter().copied().filter(|cell| cell.place == place).collect();
            let mut next = Vec::new();
            for choice in &choices {
                for (conj, value) in &ways {
                    let mut choice = choice.clone();
                    if !conj.iter().all(|fact| choice.facts.add(&world, fact.clone())) {
                        continue;
                    }
                    match value {
                        None => next.push(choice),
                        Some(value) => next.extend(self.write(cube, choice, &here, (actor, write, locked), value)),
                    }
                }
            }
            choices = next;
        }
        let guards = frame.cases(&of.guard, true);
        let sure = if self.weak { self.sure(of, &frame, &places) } else { Vec::new() };
        let mut found = Vec::new();
        for mut choice in choices {
            choice.written.extend(&sure);
            if !changed_parts_hold(pattern.parts.iter(), &places, &world, &mut choice) {
                continue;
            }
            for guard in &guards {
                let mut facts = choice.facts.clone();
                if !guard.iter().all(|fact| facts.add(&world, fact.clone())) || !facts.settle(&world) {
                    continue;
                }
                if let Some(orders) = self.orders(cube, of, actor, &choice, &facts) {
                    found.push(Region { world, facts, orders });
                }
            }
        }
        found
    }

    /// A cell of the cube gets a new value: that of the state at once, pending reads in all ways.
    fn write(
        &self,
        cube: usize,
        choice: Choice,
        cells: &[Cell],
        (actor, write, locked): (u8, u8, bool),
        value: &Ground,
    ) -> Vec<Choice> {
        let mut ways = vec![choice];
        let pattern = &self.patterns[cube];
        for &cell in cells {
            if cell.view == 0 {
                ways.iter_mut().for_each(|choice| choice.put.push((cell, value.clone())));
                continue;
            }
            let read = usize::from(cell.view) - 1;
            let own = pattern.orders.nodes[read].process == actor;
            let not_from = |part: &Part| matches!(part, Part::NotFrom(of, by) if *of == cell && *by == actor);
            let may_take = !pattern.parts.iter().any(not_from);
            let overtaken = pattern.parts.iter().filter_map(|part| {
                let Part::Over(of, write) = part else { return None };
                (*of == cell).then(|| usize::from(*write) - 1)
            });
            let overtaken: Vec<usize> = overtaken.collect();
            let mut next = Vec::new();
            for choice in ways {
                if !own {
                    let mut before = choice.clone();
                    before.earlier.push(read);
                    next.push(before);
                }
                // What does not wait in a buffer is not late.
                if may_take && (overtaken.is_empty() || !locked) {
                    let mut takes = choice.clone();
                    takes.put.push((cell, value.clone()));
                    takes.earlier.extend(&overtaken);
                    if !own {
                        takes.later.push(read);
                    }
                    next.push(takes);
                }
                if self.memory == Memory::Pso && self.system.can_be_late(usize::from(cell.place.0)) {
                    let mut over = choice;
                    over.later.push(read);
                    // A process's writes of one cell keep their order: of several the last one tells.
                    if may_take {
                        over.facts.mark(cell, write, actor);
                    }
                    next.push(over);
                }
            }
            ways = next;
        }
        let weak = cells.iter().any(|cell| cell.view > 0);
        if weak && let Some(cell) = cells.first() {
            ways.iter_mut().for_each(|choice| choice.written.push(cell.place));
        }
        ways
    }

    /// Cells with names, besides those that the cube speaks of, that the transition writes in any case.
    fn sure(&self, of: &Transition, frame: &Frame<'_>, met: &[Place]) -> Vec<Place> {
        let mut places = Vec::new();
        for update in of.updates.iter().filter(|update| self.system.symbols[update.symbol].weak) {
            let always = match &update.value {
                NewValue::Term(_) | NewValue::Any => true,
                NewValue::Case(cases) => cases.iter().any(|(condition, _)| *condition == Formula::Bool(true)),
            };
            if !always {
                continue;
            }
            let symbol = update.symbol as u16;
            match &update.target {
                Target::Cell(args) => places.push((symbol, frame.args(args))),
                Target::Every(slots) => {
                    let mut all = vec![[NONE; 3]];
                    for at in 0..slots.len() {
                        let longer = |args: [u8; 3]| {
                            (0..frame.world.named).map(move |process| {
                                let mut args = args;
                                args[at] = process;
                                args
                            })
                        };
                        all = all.into_iter().flat_map(longer).collect();
                    }
                    places.extend(all.into_iter().map(|args| (symbol, args)));
                }
            }
        }
        places.retain(|place| !met.contains(place));
        places
    }

    /// The pending reads before the transition; its own are the last.
    fn orders(&self, cube: usize, of: &Transition, actor: u8, choice: &Choice, facts: &Facts) -> Option<Orders> {
        if !self.weak {
            return Some(Orders::default());
        }
        let orders = &self.patterns[cube].orders;
        let new = orders.nodes.len() as u8 + 1;
        let seen = facts.seen();
        let reads: Vec<Place> = seen.iter().filter(|cell| cell.view == new).map(|cell| cell.place).collect();
        let locked = of.reads(self.system) && of.writes(self.system);
        let doing = Doing {
            memory: self.memory,
            actor,
            locked,
            flush: locked || of.has_fence(),
            reads: &reads,
            written: &choice.written,
            earlier: &choice.earlier,
            later: &choice.later,
        };
        orders.before(&doing)
    }
}

/// The ways in which an update gives a cell a value; `None` leaves it alone.
fn values(update: &Update, place: Place, frame: &mut Frame<'_>) -> Vec<(Vec<Fact>, Option<Ground>)> {
    match &update.value {
        NewValue::Term(term) => vec![(Vec::new(), Some(frame.term(term)))],
        NewValue::Any => vec![(Vec::new(), Some(Ground::Cell(Cell { view: ANY, place })))],
        NewValue::Case(cases) => {
            let mut ways = Vec::new();
            let mut none_before = vec![Vec::new()];
            for (condition, term) in cases {
                let holds = frame.cases(condition, true);
                let value = frame.term(term);
                let here = frame.both(none_before.clone(), &holds);
                ways.extend(here.into_iter().map(|conj| (conj, Some(value.clone()))));
                let denied = frame.cases(condition, false);
                none_before = frame.both(none_before, &denied);
            }
            ways.extend(none_before.into_iter().map(|conj| (conj, None)));
            ways
        }
    }
}

/// Adds the conditions of the cube that the transition changes, with the new values put in.
fn changed_parts_hold<'p>(
    parts: impl Iterator<Item = &'p Part>,
    places: &[Place],
    world: &World<'_>,
    choice: &mut Choice,
) -> bool {
    let put = std::mem::take(&mut choice.put);
    let term = |cell: Cell| {
        put.iter().find(|(known, _)| *known == cell).map_or(Ground::Cell(cell), |(_, value)| value.clone())
    };
    let how = |sign: bool| if sign { system::Comparison::Equal } else { system::Comparison::Differ };
    for part in parts {
        let mut changed = false;
        part.cells(&mut |cell| changed |= places.contains(&cell.place));
        if !changed {
            continue;
        }
        let fact = match part {
            Part::Constructor(cell, value, sign) => {
                world.compare(how(*sign), &term(*cell), &Ground::Constructor(*value))
            }
            Part::Process(cell, value, sign) => world.compare(how(*sign), &term(*cell), &Ground::Process(*value)),
            Part::Same(one, two, sign) => world.compare(how(*sign), &term(*one), &term(*two)),
            Part::Number(terms, constant, how) => {
                let mut sum: Vec<(i64, Cell)> = Vec::new();
                let mut rest = *constant;
                for &(factor, cell) in terms {
                    match term(cell) {
                        Ground::Cell(cell) => sum.push((factor, cell)),
                        Ground::Sum(parts, add) => {
                            sum.extend(parts.iter().map(|&(by, cell)| (factor.saturating_mul(by), cell)));
                            rest = rest.saturating_add(factor.saturating_mul(add));
                        }
                        Ground::Constructor(_) | Ground::Process(_) => {}
                    }
                }
                world.compare(*how, &Ground::Sum(sum, rest), &Ground::Sum(Vec::new(), 0))
            }
            Part::Before(one, two) => Fact::Before(*one, *two),
            // A read that has found its write needs no marks.
            Part::Over(cell, _) | Part::NotFrom(cell, _) if put.iter().any(|(known, _)| known == cell) => {
                Fact::Known(true)
            }
            Part::Over(cell, write) => Fact::Over(*cell, *write),
            Part::NotFrom(cell, by) => Fact::NotFrom(*cell, *by),
        };
        if !choice.facts.add(world, fact) {
            return false;
        }
    }
    true
}

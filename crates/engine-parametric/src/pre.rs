//! Pre-images: what a cube was like before a transition.
//!
//! The transition's new values are put in for the cells it changes. Under weak memory its writes meet the pending reads:
//! a read of the same process takes the newest write, others take it or are before it. Only pending reads can get
//! something before them that is found later, so all that must be remembered of the global order is which of them come
//! before which, and, for each, whose and which accesses come before it: its hooks. An order in which an event would
//! come before itself ends the branch.

use crate::cube::{Cell, Cube, Event, FORGOTTEN, Hook, Lit, NONE, Place, normal};
use crate::ground::{Conj, Frame, Ground, Reader, Truth, product, substitute, wanted};
use system::{Formula, Memory, NewValue, Process, Property, System, Target, Transition, Update};

/// What is known about a transition once and for all.
#[derive(Debug, Clone, Copy)]
struct Kinds {
    /// It reads and writes weak memory.
    locked: bool,
    /// It waits for an empty buffer.
    flush: bool,
}

/// The system and the model.
#[derive(Debug)]
pub(crate) struct Images<'a> {
    pub system: &'a System,
    pub memory: Memory,
    pub weak: bool,
    pub fixed: u8,
    kinds: Vec<Kinds>,
    /// The symbols whose writes may take effect out of order, under PSO.
    late: Vec<bool>,
    /// What the invariants say about numbers of the whole system.
    facts: Vec<(Cell, Lit)>,
}

/// A pre-image, and how its processes are those of the cube and of the transition.
#[derive(Debug)]
pub(crate) struct Image {
    pub cube: Cube,
    /// The transition's processes, numbered like the cube's, new ones behind.
    pub args: Vec<u8>,
    /// For each of those numbers the one in the pre-image, or [`NONE`].
    pub rename: Vec<u8>,
}

/// One way to choose the values of changed cells and which reads see which writes.
#[derive(Debug, Clone, Default)]
struct Branch {
    conj: Conj,
    put: Vec<(Cell, Ground)>,
    /// Events that see a write of this transition, or one that came after it.
    later: u64,
    /// Events that are before the write.
    earlier: u64,
    written: Vec<Place>,
}

impl<'a> Images<'a> {
    pub(crate) fn new(system: &'a System, memory: Memory) -> Self {
        let weak = memory != Memory::Sc && system.is_weak();
        let kinds = |transition: &Transition| {
            let locked = weak && transition.reads(system) && transition.writes(system);
            Kinds { locked, flush: weak && (locked || transition.has_fence()) }
        };
        let kinds = system.transitions.iter().map(kinds).collect();
        let late =
            (0..system.symbols.len()).map(|symbol| memory == Memory::Pso && system.can_be_late(symbol)).collect();
        let mut images = Images { system, memory, weak, fixed: system.fixed(), kinds, late, facts: Vec::new() };
        let plain = |invariant: &&Property| !invariant.formula.has_quantifier() && invariant.params.is_empty();
        for invariant in system.invariants.iter().filter(plain) {
            for cube in images.cubes(invariant) {
                if let ([Lit::Number(linear)], 0) = (&cube.lits[..], cube.processes)
                    && let ([fact], [(_, cell)]) = (&linear.denied()[..], &linear.terms[..])
                {
                    images.facts.push((*cell, Lit::Number(fact.clone())));
                }
            }
        }
        images
    }

    fn frame<'f>(&'f self, slots: &[u8], named: u8, reader: Reader<'f>) -> Frame<'f> {
        let (fixed, weak) = (self.fixed, self.weak);
        Frame { system: self.system, slots: slots.to_vec(), named, reader, fixed, weak, chosen: &[] }
    }

    /// The ways to choose processes for the quantifiers over some process in a formula that must hold: the slots that are
    /// chosen, and for each way all slots and how many processes have names.
    fn witnesses(&self, formula: &Formula, slots: &[u8], named: u8) -> (Vec<u8>, Vec<(Vec<u8>, u8)>) {
        let mut some = Vec::new();
        wanted(formula, true, &mut some);
        let limit = self.system.processes.unwrap_or(60);
        let mut ways = vec![(slots.to_vec(), named)];
        for (slot, apart) in &some {
            let mut next = Vec::new();
            for (slots, named) in ways {
                let mut slots = slots;
                slots.resize(slots.len().max(usize::from(*slot) + 1), NONE);
                let place = |process: &Process| match *process {
                    Process::Slot(slot) => slots[usize::from(slot)],
                    Process::Fixed(process) => process,
                };
                let apart: Vec<u8> = apart.iter().map(place).collect();
                for process in (0..=named).filter(|process| *process < limit && !apart.contains(process)) {
                    slots[usize::from(*slot)] = process;
                    next.push((slots.clone(), named.max(process + 1)));
                }
            }
            ways = next;
        }
        (some.into_iter().map(|(slot, _)| slot).collect(), ways)
    }

    /// Tuples of distinct processes: those with names, or new ones in their order.
    pub(crate) fn tuples(&self, named: u8, length: usize) -> Vec<Vec<u8>> {
        let limit = self.system.processes.unwrap_or(60);
        let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..length {
            let mut next = Vec::new();
            for tuple in tuples {
                let fresh = tuple.iter().copied().max().map_or(named, |most| named.max(most + 1));
                for process in (0..=fresh).filter(|process| *process < limit && !tuple.contains(process)) {
                    next.push(tuple.iter().copied().chain([process]).collect());
                }
            }
            tuples = next;
        }
        tuples
    }

    /// The cubes of a property.
    pub(crate) fn cubes(&self, property: &Property) -> Vec<Cube> {
        let mut cubes = Vec::new();
        for tuple in self.tuples(self.fixed, property.params.len()) {
            let named = tuple.iter().map(|&process| process + 1).max().unwrap_or(0).max(self.fixed);
            let mut events = Vec::new();
            let mut numbers = vec![0; usize::from(named)];
            let frame = self.frame(&tuple, named, Reader::Memory);
            property.formula.accesses(&mut |access| {
                let Some(by) = access.by.filter(|_| self.weak && self.system.symbols[access.symbol].weak) else {
                    return;
                };
                let process = frame.process(by);
                if numbers[usize::from(process)] == 0 {
                    events.push(Event { process, after: 0, hooks: vec![Hook::Any(process)] });
                    numbers[usize::from(process)] = events.len() as u8;
                }
            });
            // All see what they see at the same time.
            let hooks: Vec<Hook> = events.iter().map(|event| Hook::Any(event.process)).collect();
            let all = (1u64 << events.len()) - 1;
            for (at, event) in events.iter_mut().enumerate() {
                event.after = all & !(1 << at);
                event.add(&hooks);
            }
            let (chosen, ways) = self.witnesses(&property.formula, &tuple, named);
            for (slots, named) in ways {
                numbers.resize(usize::from(named), 0);
                let mut frame = self.frame(&slots, named, Reader::Each(&numbers));
                frame.chosen = &chosen;
                for conj in frame.formula(&property.formula, true) {
                    if let Some(lits) = normal(self.system, conj) {
                        cubes.push(self.compact(named, lits, &events).0);
                    }
                }
            }
        }
        cubes
    }

    /// What `init` says about some processes. There is at least one, so that it always says something.
    pub(crate) fn initial(&self, named: u8) -> Vec<Conj> {
        let named = named.max(1);
        let length = self.system.init.params.len();
        let mut tuples: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..length {
            let longer = |tuple: &Vec<u8>| {
                let next: Vec<Vec<u8>> =
                    (0..named).map(|process| tuple.iter().copied().chain([process]).collect()).collect();
                next
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        let mut all = vec![Vec::new()];
        for tuple in tuples {
            let part = self.frame(&tuple, named, Reader::Memory).formula(&self.system.init.formula, true);
            all = product(all, &part);
        }
        all
    }

    /// Whether the cube has an initial state; `initial` is what `init` says about its processes.
    pub(crate) fn is_initial(&self, cube: &Cube, initial: &[Conj]) -> bool {
        let mut lits = Vec::with_capacity(cube.lits.len());
        for lit in &cube.lits {
            if let Lit::Over(..) = lit {
                return false;
            }
            let memory = |cell: Cell| Some(Ground::Cell(Cell { event: 0, ..cell }));
            match substitute(self.system, lit, &memory, self.fixed) {
                Truth::Always => {}
                Truth::Never => return false,
                Truth::If(lit) => lits.push(lit),
            }
        }
        initial.iter().any(|conj| normal(self.system, lits.iter().chain(conj).cloned().collect()).is_some())
    }

    /// The ways in which a transition gives a cell a new value; `None` leaves it alone.
    fn values(&self, update: &Update, cell: Place, frame: &mut Frame<'_>) -> Vec<(Vec<Conj>, Option<Ground>)> {
        match &update.value {
            NewValue::Term(term) => vec![(vec![Vec::new()], Some(frame.term(term)))],
            NewValue::Any => {
                let any = Cell { event: FORGOTTEN, symbol: cell.0, args: cell.1 };
                vec![(vec![Vec::new()], Some(Ground::Cell(any)))]
            }
            NewValue::Case(cases) => {
                let mut before = vec![Vec::new()];
                let mut ways = Vec::new();
                for (condition, term) in cases {
                    let holds = frame.formula(condition, true);
                    let here = product(before.clone(), &holds);
                    if !here.is_empty() && !holds.is_empty() {
                        ways.push((here, Some(frame.term(term))));
                    }
                    let denied = frame.formula(condition, false);
                    before = if denied.is_empty() { Vec::new() } else { product(before, &denied) };
                    if before.is_empty() {
                        break;
                    }
                }
                if !before.is_empty() {
                    ways.push((before, None));
                }
                ways
            }
        }
    }

    /// The update of a cell, and the frame in which its terms are read.
    fn update<'f>(
        &self,
        transition: &'f Transition,
        place: Place,
        frame: &Frame<'f>,
    ) -> Option<(&'f Update, Frame<'f>)> {
        transition.updates.iter().filter(|update| update.symbol == usize::from(place.0)).find_map(|update| {
            let mut inner = frame.clone();
            match &update.target {
                Target::Cell(args) => (frame.args(args) == place.1).then_some((update, inner)),
                Target::Every(slots) => {
                    for (&slot, &arg) in slots.iter().zip(&place.1) {
                        inner.slots.resize(inner.slots.len().max(usize::from(slot) + 1), NONE);
                        inner.slots[usize::from(slot)] = arg;
                    }
                    Some((update, inner))
                }
            }
        })
    }

    /// The pre-images of a cube under a transition.
    pub(crate) fn pre(&self, cube: &Cube, number: usize, found: &mut dyn FnMut(Image)) {
        let transition = &self.system.transitions[number];
        for tuple in self.tuples(cube.processes, transition.params.len()) {
            let named = tuple.iter().map(|&process| process + 1).max().unwrap_or(0).max(cube.processes);
            let (chosen, ways) = self.witnesses(&transition.guard, &tuple, named);
            for (slots, named) in ways {
                self.instance(cube, number, &tuple, (&slots, &chosen, named), found);
            }
        }
    }

    /// The pre-images for given processes; those in slots, the slots that were chosen, and how many have names.
    fn instance(
        &self,
        cube: &Cube,
        number: usize,
        tuple: &[u8],
        (slots, chosen, named): (&[u8], &[u8], u8),
        found: &mut dyn FnMut(Image),
    ) {
        let transition = &self.system.transitions[number];
        let new = cube.events.len() as u8 + 1;
        let mut frame = self.frame(slots, named, Reader::Event(new));
        frame.chosen = chosen;
        let mut cells: Vec<Cell> = Vec::new();
        for lit in &cube.lits {
            lit.cells(&mut |cell| {
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            });
        }
        let actor = transition.actor.map_or(NONE, |slot| tuple[usize::from(slot)]);
        let mut branches = vec![Branch::default()];
        let mut touched = false;
        for &cell in cells.iter().filter(|cell| cell.event == 0) {
            let Some((update, mut inner)) = self.update(transition, cell.place(), &frame) else { continue };
            let ways = self.values(update, cell.place(), &mut inner);
            touched |= ways.iter().any(|(_, value)| value.as_ref().is_some_and(|value| *value != Ground::Cell(cell)));
            branches = branches
                .iter()
                .flat_map(|branch| {
                    ways.iter().flat_map(|(conjs, value)| {
                        conjs.iter().map(|conj| {
                            let mut next = branch.clone();
                            next.conj.extend(conj.iter().cloned());
                            next.put.extend(value.clone().map(|value| (cell, value)));
                            next
                        })
                    })
                })
                .collect();
        }
        if self.weak {
            touched |= self.writes(cube, transition, &frame, actor, &cells, &mut branches);
        }
        if !touched {
            return;
        }
        let guards = frame.formula(&transition.guard, true);
        for branch in &branches {
            let Some(lits) = self.put(cube, branch) else { continue };
            for guard in &guards {
                let mut all: Vec<Lit> = lits.iter().chain(guard).cloned().collect();
                for (about, fact) in &self.facts {
                    let mut found = false;
                    all.iter().for_each(|lit| lit.cells(&mut |cell| found |= cell == *about));
                    if found {
                        all.push(fact.clone());
                    }
                }
                let Some(lits) = normal(self.system, all) else { continue };
                let Some(events) = self.events(cube, branch, actor, self.kinds[number], &lits) else { continue };
                let (cube, rename) = self.compact(named, lits, &events);
                found(Image { cube, args: tuple.to_vec(), rename });
            }
        }
    }

    /// The cube's literals with new values put in.
    fn put(&self, cube: &Cube, branch: &Branch) -> Option<Vec<Lit>> {
        let mut lits = Vec::with_capacity(cube.lits.len() + branch.conj.len());
        let value = |cell: Cell| branch.put.iter().find(|(known, _)| *known == cell).map(|(_, value)| value.clone());
        for lit in &cube.lits {
            match substitute(self.system, lit, &value, self.fixed) {
                Truth::Always => {}
                Truth::Never => return None,
                Truth::If(lit) => lits.push(lit),
            }
        }
        lits.extend(branch.conj.iter().cloned());
        Some(lits)
    }

    /// Lets the writes of a transition meet the pending reads. Says whether they do.
    fn writes(
        &self,
        cube: &Cube,
        transition: &Transition,
        frame: &Frame<'_>,
        actor: u8,
        cells: &[Cell],
        branches: &mut Vec<Branch>,
    ) -> bool {
        let mut places: Vec<Place> = cells.iter().filter(|cell| cell.event > 0).map(|cell| cell.place()).collect();
        places.sort_unstable();
        places.dedup();
        let mut touched = false;
        let locked = transition.reads(self.system);
        for &place in &places {
            let Some((update, mut inner)) = self.update(transition, place, frame) else { continue };
            touched = true;
            let ways = self.values(update, place, &mut inner);
            let readers: Vec<Cell> =
                cells.iter().copied().filter(|cell| cell.event > 0 && cell.place() == place).collect();
            let mut next = Vec::new();
            for branch in branches.iter() {
                for (conjs, value) in &ways {
                    for conj in conjs {
                        let mut here = branch.clone();
                        here.conj.extend(conj.iter().cloned());
                        let Some(value) = value else {
                            next.push(here);
                            continue;
                        };
                        here.written.push(place);
                        let mut all = vec![here];
                        for &reader in &readers {
                            all = all
                                .iter()
                                .flat_map(|branch| self.meet(cube, branch, reader, (actor, locked), value))
                                .collect();
                        }
                        next.extend(all);
                    }
                }
            }
            *branches = next;
        }
        let sure = self.sure(transition, frame, &places);
        for branch in branches {
            branch.written.extend(&sure);
            branch.written.sort_unstable();
            branch.written.dedup();
        }
        touched
    }

    /// The cells with names, besides `met`, that the transition writes whatever its conditions say.
    fn sure(&self, transition: &Transition, frame: &Frame<'_>, met: &[Place]) -> Vec<Place> {
        let mut places = Vec::new();
        for update in transition.updates.iter().filter(|update| self.system.symbols[update.symbol].weak) {
            let certain = match &update.value {
                NewValue::Term(_) | NewValue::Any => true,
                NewValue::Case(cases) => cases.iter().any(|(c, _)| *c == Formula::Bool(true)),
            };
            if !certain {
                continue;
            }
            match &update.target {
                Target::Cell(args) => places.push((update.symbol as u16, frame.args(args))),
                Target::Every(slots) => {
                    let mut all = vec![[NONE; 3]];
                    for at in 0..slots.len() {
                        let longer = |args: &[u8; 3]| {
                            let mut args = *args;
                            let next: Vec<[u8; 3]> = (0..frame.named)
                                .map(|process| {
                                    args[at] = process;
                                    args
                                })
                                .collect();
                            next
                        };
                        all = all.iter().flat_map(longer).collect();
                    }
                    places.extend(all.into_iter().map(|args| (update.symbol as u16, args)));
                }
            }
        }
        places.retain(|place| !met.contains(place));
        places
    }

    /// A pending read meets a write of its cell.
    fn meet(
        &self,
        cube: &Cube,
        branch: &Branch,
        reader: Cell,
        (actor, locked): (u8, bool),
        value: &Ground,
    ) -> Vec<Branch> {
        let bit = 1u64 << (reader.event - 1);
        let overtaken = |lit: &Lit| {
            let Lit::Over(of, write) = lit else { return 0 };
            if *of == reader { 1u64 << (write.event - 1) } else { 0 }
        };
        let own = cube.events[usize::from(reader.event) - 1].process == actor;
        let mut takes = branch.clone();
        takes.put.push((reader, value.clone()));
        takes.earlier |= cube.lits.iter().map(overtaken).fold(0, |all, bit| all | bit);
        let mut ways = Vec::new();
        if !own {
            takes.later |= bit;
            let mut before = branch.clone();
            before.earlier |= bit;
            ways.push(before);
        }
        let known = cube.lits.contains(&Lit::NotFrom(reader, actor));
        // What does not wait in a buffer is not late.
        let late = cube.lits.iter().any(|lit| matches!(lit, Lit::Over(of, _) if *of == reader));
        let possible = !late || !locked;
        if possible && !known {
            ways.push(takes);
        }
        if self.late[usize::from(reader.symbol)] {
            // The order of writes need not be the order in which they were issued: one that was issued before this one
            // may have become visible after it.
            let mut over = branch.clone();
            over.later |= bit;
            // A process's own writes of one cell keep their order: it is another one's. Of several that are overtaken the
            // last one tells.
            if !known {
                let write = Cell { event: cube.events.len() as u8 + 1, ..reader };
                over.conj.extend([Lit::Over(reader, write), Lit::NotFrom(reader, actor)]);
            }
            ways.push(over);
        }
        ways
    }

    /// The pending reads before the transition, or nothing if something would come before itself.
    fn events(&self, cube: &Cube, branch: &Branch, actor: u8, kinds: Kinds, lits: &[Lit]) -> Option<Vec<Event>> {
        if !self.weak {
            return Some(Vec::new());
        }
        let mut events = cube.events.clone();
        let new = events.len() as u8 + 1;
        let mut reads: Vec<Place> = Vec::new();
        for lit in lits {
            lit.cells(&mut |cell| {
                if cell.event == new {
                    reads.push(cell.place());
                }
            });
        }
        let mut overtaken = false;
        lits.iter().for_each(|lit| overtaken |= matches!(lit, Lit::Over(_, write) if write.event == new));
        let writes = !branch.written.is_empty();
        let mut after_write = 0u64;
        let mut after_read = 0u64;
        for (at, event) in events.iter().enumerate() {
            let bit = 1 << at;
            if writes {
                let hooked = event.hooks.iter().any(|&hook| match hook {
                    Hook::Any(_) => false,
                    Hook::Write(process) => process == actor,
                    Hook::Cell(place) => branch.written.contains(&place),
                    Hook::CellOf(process, place) => process == actor && branch.written.contains(&place),
                });
                if hooked {
                    after_write |= bit;
                }
                if branch.later & bit != 0 {
                    after_write |= bit | event.after;
                }
            }
            if !reads.is_empty() || kinds.flush {
                let hooked = event.hooks.iter().any(|&hook| match hook {
                    Hook::Any(process) => process == actor,
                    Hook::Write(_) => false,
                    Hook::Cell(place) | Hook::CellOf(_, place) => reads.contains(&place),
                });
                if hooked {
                    after_read |= bit;
                }
            }
        }
        if kinds.locked {
            after_write |= after_read;
            after_read = after_write;
        } else if kinds.flush {
            after_read |= after_write;
        }
        if writes && branch.earlier & after_write != 0 {
            return None;
        }
        let mut earlier_hooks = Vec::new();
        for (at, event) in events.iter().enumerate() {
            if branch.earlier & (1 << at) != 0 {
                earlier_hooks.extend(&event.hooks);
            }
        }
        let mut write_hooks = Vec::new();
        if writes {
            write_hooks.push(Hook::Any(actor));
            if self.memory == Memory::Tso {
                write_hooks.push(Hook::Write(actor));
            }
            write_hooks.extend(branch.written.iter().map(|&place| match self.memory {
                Memory::Sc | Memory::Tso => Hook::Cell(place),
                Memory::Pso => Hook::CellOf(actor, place),
            }));
            write_hooks.extend(&earlier_hooks);
        }
        let mut read_hooks = vec![Hook::Any(actor)];
        if kinds.flush {
            read_hooks.push(Hook::Write(actor));
        }
        if kinds.locked {
            read_hooks.extend(&write_hooks);
        }
        let before = |events: &[Event], at: usize| branch.earlier & (1 << at | events[at].after) != 0;
        let preceding: Vec<bool> = (0..events.len()).map(|at| writes && before(&events, at)).collect();
        for (at, event) in events.iter_mut().enumerate() {
            let bit = 1 << at;
            if preceding[at] {
                event.after |= after_write;
                if overtaken || (kinds.locked && !reads.is_empty()) {
                    event.after |= 1 << (new - 1);
                }
            }
            if after_write & bit != 0 && writes {
                event.add(&write_hooks);
            }
            if after_read & bit != 0 {
                event.add(&read_hooks);
            }
        }
        if overtaken || !reads.is_empty() {
            // Only a locked transition both reads and writes; there everything happens at the same time.
            let after = if overtaken { after_write | after_read } else { after_read };
            let mut event = Event { process: actor, after, hooks: Vec::new() };
            if overtaken {
                event.add(&write_hooks);
            }
            if !overtaken || kinds.flush {
                event.add(&read_hooks);
            }
            events.push(event);
        }
        // More bits than this do not fit; nobody has seen so many pending reads.
        assert!(events.len() < 60, "too many pending reads");
        Some(events)
    }

    /// The cube without events that read nothing and processes that nothing is said about; and the new numbers.
    pub(crate) fn compact(&self, named: u8, mut lits: Vec<Lit>, events: &[Event]) -> (Cube, Vec<u8>) {
        if self.memory == Memory::Pso {
            // Where a value comes from does not matter if the value does not.
            let mut valued = Vec::new();
            for lit in lits.iter().filter(|lit| !matches!(lit, Lit::Over(..) | Lit::NotFrom(..))) {
                lit.cells(&mut |cell| valued.push(cell));
            }
            lits.retain(|lit| !matches!(lit, Lit::Over(cell, _) | Lit::NotFrom(cell, _) if !valued.contains(cell)));
        }
        let mut reading = 0u64;
        for lit in &lits {
            lit.events(&mut |event| reading |= 1 << (event - 1));
        }
        let mut numbers = vec![NONE; events.len()];
        let mut kept: Vec<Event> = Vec::new();
        for (at, event) in events.iter().enumerate() {
            if reading & (1 << at) != 0 {
                numbers[at] = kept.len() as u8;
                kept.push(event.clone());
            }
        }
        for event in &mut kept {
            let after = (0..events.len()).filter(|&at| event.after & (1 << at) != 0 && numbers[at] != NONE);
            event.after = after.map(|at| 1u64 << numbers[at]).sum();
        }
        let mut used = vec![false; usize::from(named)];
        used.iter_mut().take(usize::from(self.fixed)).for_each(|used| *used = true);
        for lit in &lits {
            lit.processes(&mut |process| used[usize::from(process)] = true);
        }
        for event in &kept {
            used[usize::from(event.process)] = true;
            event.hooks.iter().for_each(|hook| hook.processes(&mut |process| used[usize::from(process)] = true));
        }
        let mut rename = vec![NONE; usize::from(named)];
        let mut count = 0;
        for (at, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            rename[at] = count;
            count += 1;
        }
        let mut lits: Vec<Lit> = lits.iter().map(|lit| lit.renamed(&rename, &numbers)).collect();
        lits.sort_unstable();
        for event in &mut kept {
            event.process = rename[usize::from(event.process)];
            event.hooks.iter_mut().for_each(|hook| *hook = hook.renamed(&rename));
            event.hooks.sort_unstable();
        }
        (Cube::new(count, lits, kept), rename)
    }
}

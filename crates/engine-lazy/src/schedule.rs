//! Who has a turn when: threads in rounds, each going on where it was left.
//!
//! A thread is a row of items: its events, and the places where it starts or joins others. What must not be taken apart
//! (a read-modify-write, an atomic section) is one unit. In each round each thread, in the order of their numbers, passes
//! some of its units; which ones is guessed: for each unit and each round, whether it is passed by the end of the round.
//! What happens before the first thread is started, and the first starts, are one unit that is passed before the first
//! round. Where there is such a unit the first thread comes last in each round: it mostly waits for the others.

use logic::{Bool, Terms};
use symbolic::{Kind, Link, Moment, Structure};

/// Up to so many units, only one of several schedules of the same run counts: that pays where nothing is found.
const SMALL: usize = 64;

/// A step of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// An event, by its number in the structure.
    Event(u32),
    /// Others come after this point: the number of the link.
    Departs(usize),
    /// This point comes after others: the number of the link.
    Arrives(usize),
}

/// The steps of a thread.
#[derive(Debug, Clone, Default)]
pub struct Row {
    pub items: Vec<Item>,
    /// For each item: the position in the thread that it stands at, which counts events.
    positions: Vec<u32>,
    /// For each item the unit that it belongs to.
    pub units: Vec<usize>,
    /// How many units there are.
    pub count: usize,
}

/// The steps of all threads.
#[derive(Debug, Clone)]
pub struct Rows {
    pub rows: Vec<Row>,
    links: Vec<Link>,
    /// How many threads are there from the start.
    own: u32,
    /// Whether the first unit of the first thread is passed before anything else happens.
    pub begins: bool,
}

/// How many events of the first thread happen before there are others, if it is alone at first.
pub fn begins(structure: &Structure) -> Option<usize> {
    if structure.threads.len() != structure.started.len() + 1 {
        return None;
    }
    let first = &structure.threads[0];
    let leaves = structure.links.iter().filter(|link| link.from.0 == 0 && link.when != Bool::FALSE);
    let count = leaves.map(|link| link.from.1 as usize).min().unwrap_or(usize::MAX).min(first.len());
    // An atomic section is not taken apart.
    let section = |at: usize| first.get(at).and_then(|&event| structure.events[event as usize].section);
    let inside = count > 0 && section(count - 1).is_some() && section(count - 1) == section(count);
    (!inside).then_some(count)
}

impl Rows {
    /// The steps; `hidden`: which events belong to the step before, or nothing if each event is a step of its own.
    pub fn new(structure: &Structure, hidden: Option<&[bool]>) -> Self {
        let links = structure.links.clone();
        let count = structure.threads.len();
        let own = (count - structure.started.len()) as u32;
        let mut rows = Rows { rows: vec![Row::default(); count], links, own, begins: false };
        for thread in 0..count {
            rows.rows[thread] = rows.row(structure, thread, hidden);
        }
        rows.begins = hidden.is_some() && begins(structure).is_some() && rows.rows[0].count > 0;
        rows
    }

    /// The threads in the order in which they have their turns in a round.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        if self.begins {
            order.rotate_left(1);
        }
        order
    }

    /// Whether a unit is passed before the first round.
    pub fn is_first(&self, thread: usize, unit: usize) -> bool {
        self.begins && (thread, unit) == (0, 0)
    }

    /// Whether a link is that of a start: it is the first one that arrives at the beginning of a thread that is started.
    pub fn starts(&self, number: usize) -> bool {
        let link = &self.links[number];
        link.to.0 >= self.own && self.links.iter().position(|other| other.to == (link.to.0, 0)) == Some(number)
    }

    /// Whether a link is that of a join: it leaves at the end of a thread.
    fn joins(&self, number: usize, length: u32) -> bool {
        self.links[number].from.1 >= length && !self.starts(number)
    }

    fn row(&self, structure: &Structure, thread: usize, hidden: Option<&[bool]>) -> Row {
        let events = &structure.threads[thread];
        let length = events.len() as u32;
        // The position; at a position first the links, in their order, then the event; the end comes last.
        let mut keyed: Vec<((u32, usize), Item)> = Vec::new();
        keyed.extend(events.iter().enumerate().map(|(at, &event)| ((at as u32, usize::MAX), Item::Event(event))));
        for (number, link) in self.links.iter().enumerate().filter(|(_, link)| link.when != Bool::FALSE) {
            if link.to.0 as usize == thread {
                keyed.push(((link.to.1, number), Item::Arrives(number)));
            }
            if link.from.0 as usize == thread {
                let last = self.joins(number, length);
                let key = if last { (length, usize::MAX) } else { (link.from.1, number) };
                keyed.push((key, Item::Departs(number)));
            }
        }
        keyed.sort_by_key(|(key, _)| *key);
        let positions: Vec<u32> = keyed.iter().map(|((position, _), _)| *position).collect();
        let items: Vec<Item> = keyed.into_iter().map(|(_, item)| item).collect();
        let alone = begins(structure).filter(|_| thread == 0).map(|count| count as u32);
        let joined = |at: usize| {
            let Some(hidden) = hidden else { return false };
            match items[at] {
                Item::Event(event) => hidden[event as usize] || alone.is_some_and(|alone| positions[at] < alone),
                // Whoever starts one thread may as well start the next one, since its writes have reached memory.
                Item::Departs(link) => {
                    let silent = |item: &&Item| match **item {
                        Item::Event(event) => {
                            hidden[event as usize] && structure.events[event as usize].kind != Kind::Write
                        }
                        Item::Departs(_) | Item::Arrives(_) => false,
                    };
                    let after = items[..at].iter().rev().find(|item| !silent(item));
                    let again = matches!(after, Some(&Item::Departs(before)) if self.starts(before));
                    self.starts(link) && (again || alone.is_some_and(|alone| positions[at] <= alone))
                }
                Item::Arrives(_) => false,
            }
        };
        let units = units(structure, &items, &joined);
        let count = units.last().map_or(0, |last| last + 1);
        Row { items, positions, units, count }
    }

    /// The unit that a thread must have passed to have come so far; none if it has come so far from the start.
    pub fn unit(&self, thread: usize, moment: Moment) -> Option<usize> {
        self.item(thread, moment).map(|at| self.rows[thread].units[at])
    }

    /// The last item of a thread that comes before a moment.
    pub fn item(&self, thread: usize, moment: Moment) -> Option<usize> {
        let row = &self.rows[thread];
        let length = row.items.iter().filter(|item| matches!(item, Item::Event(_))).count() as u32;
        let before = |at: &usize| match row.items[*at] {
            Item::Event(_) => row.positions[*at] < moment.events,
            Item::Arrives(link) => row.positions[*at] <= moment.events && (link as u32) < moment.links,
            Item::Departs(link) => {
                row.positions[*at] <= moment.events && (link as u32) < moment.links && !self.joins(link, length)
            }
        };
        (0..row.items.len()).rev().find(before)
    }

    /// The thread that a link leaves, and the unit of it that comes before.
    pub fn departure(&self, number: usize) -> Option<(usize, usize)> {
        let from = self.links[number].from.0 as usize;
        let row = &self.rows[from];
        let at = row.items.iter().position(|item| *item == Item::Departs(number))?;
        Some((from, row.units[at]))
    }

    /// How many rounds there are at most in which something happens that could not have happened in another one.
    pub fn enough(&self) -> u32 {
        let mut counts: Vec<usize> = self.rows.iter().map(|row| row.count).collect();
        if self.begins {
            counts[0] -= 1;
        }
        let longest = counts.iter().copied().max().unwrap_or(0);
        (1 + counts.iter().sum::<usize>() - longest) as u32
    }
}

/// For each item the unit that it belongs to; some items belong to that of the one before.
fn units(structure: &Structure, items: &[Item], belongs: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let place = |event: u32| items.iter().position(|item| *item == Item::Event(event));
    let mut together: Vec<(usize, usize)> = Vec::new();
    for pair in &structure.amo {
        together.extend(place(pair.from).zip(place(pair.to)));
    }
    let mut sections: Vec<(u32, usize)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if let Item::Event(event) = item {
            sections.extend(structure.events[*event as usize].section.map(|section| (section, at)));
        }
    }
    sections.sort_unstable();
    for section in sections.chunk_by(|a, b| a.0 == b.0) {
        together.extend(section.first().zip(section.last()).map(|(first, last)| (first.1, last.1)));
    }
    let mut units: Vec<usize> = Vec::with_capacity(items.len());
    for at in 0..items.len() {
        let joined = belongs(at) || together.iter().any(|&(first, last)| first < at && at <= last);
        let unit = match units.last() {
            None => 0,
            Some(&last) => last + usize::from(!joined),
        };
        units.push(unit);
    }
    units
}

/// The guessed turns.
#[derive(Debug, Clone)]
pub struct Turns {
    /// For each thread, unit and round: whether the unit is passed by the end of the round.
    passed: Vec<Vec<Vec<Bool>>>,
    rounds: usize,
    /// Whether the first unit of the first thread comes before all rounds, and its others last in each.
    begins: bool,
}

impl Turns {
    /// Guesses turns, and says what they must satisfy.
    pub fn new(terms: &mut Terms, rows: &Rows, rounds: u32, facts: &mut Vec<Bool>) -> Self {
        let rounds = rounds as usize;
        let mut passed: Vec<Vec<Vec<Bool>>> = Vec::new();
        for (thread, row) in rows.rows.iter().enumerate() {
            let mut own: Vec<Vec<Bool>> = Vec::new();
            for unit in 0..row.count {
                if rows.is_first(thread, unit) {
                    own.push(vec![Bool::TRUE; rounds]);
                    continue;
                }
                let guesses: Vec<Bool> = (0..rounds).map(|_| terms.fresh_bool()).collect();
                for pair in guesses.windows(2) {
                    facts.push(terms.implies(pair[0], pair[1]));
                }
                if unit > 0 {
                    for (&this, &before) in guesses.iter().zip(&own[unit - 1]) {
                        facts.push(terms.implies(this, before));
                    }
                }
                own.push(guesses);
            }
            passed.push(own);
        }
        let turns = Turns { passed, rounds, begins: rows.begins };
        if rows.rows.iter().map(|row| row.count).sum::<usize>() <= SMALL {
            turns.no_idle_waiting(terms, rows, facts);
        }
        for (thread, row) in rows.rows.iter().enumerate() {
            for (at, item) in row.items.iter().enumerate() {
                let Item::Arrives(number) = *item else { continue };
                let link = rows.links[number];
                let (from, departs) = (link.from.0 as usize, rows.departure(number));
                for round in 0..rounds {
                    let here = turns.passed[thread][row.units[at]][round];
                    let there = departs.map_or(Bool::FALSE, |(_, unit)| turns.by_then(from, unit, thread, round));
                    let both = terms.and(here, link.when);
                    facts.push(terms.implies(both, there));
                }
            }
        }
        turns
    }

    /// A thread goes on in a later round only if another one has done something since its last turn: otherwise it could as
    /// well have gone on then. This leaves no run out, only schedules that are the same run.
    fn no_idle_waiting(&self, terms: &mut Terms, rows: &Rows, facts: &mut Vec<Bool>) {
        let mut active: Vec<Vec<Bool>> = Vec::new();
        for thread in rows.order() {
            let mut own = Vec::with_capacity(self.rounds);
            for round in 0..self.rounds {
                let units = (0..self.passed[thread].len()).filter(|&unit| !rows.is_first(thread, unit));
                let all: Vec<Bool> = units.map(|unit| self.in_round(terms, thread, unit, round)).collect();
                own.push(terms.any(all));
            }
            active.push(own);
        }
        for round in 1..self.rounds {
            for thread in 0..active.len() {
                let later = active[thread + 1..].iter().map(|other| other[round - 1]);
                let earlier = active[..thread].iter().map(|other| other[round]);
                let others = terms.any(later.chain(earlier));
                facts.push(terms.implies(active[thread][round], others));
            }
        }
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Whether a unit is passed in the end.
    pub fn passed(&self, thread: usize, unit: usize) -> Bool {
        self.passed[thread][unit][self.rounds - 1]
    }

    /// Whether a unit is passed when another thread has its turn in a round.
    pub fn by_then(&self, thread: usize, unit: usize, other: usize, round: usize) -> Bool {
        if self.begins && (thread, unit) == (0, 0) {
            return Bool::TRUE;
        }
        let rank = |thread: usize| if self.begins && thread == 0 { usize::MAX } else { thread };
        // Who comes before us in a round has had its turn.
        let round = if rank(thread) < rank(other) { Some(round) } else { round.checked_sub(1) };
        round.map_or(Bool::FALSE, |round| self.passed[thread][unit][round])
    }

    /// Whether a unit is passed in this round.
    pub fn in_round(&self, terms: &mut Terms, thread: usize, unit: usize, round: usize) -> Bool {
        let now = self.passed[thread][unit][round];
        match round.checked_sub(1) {
            Some(before) => terms.and(now, !self.passed[thread][unit][before]),
            None => now,
        }
    }

    /// Whether a thread has come to its end.
    pub fn ended(&self, thread: usize) -> Bool {
        self.passed[thread].last().map_or(Bool::TRUE, |last| last[self.rounds - 1])
    }
}

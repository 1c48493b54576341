//! The events with their locations, and program order.

use crate::ladders::Ladder;
use crate::order::ProgramOrder;
use engine::{Choices, Half, Meter, NoAnswer, Observer};
use ir::{Program, TagId, TagSet, UnaryOp, Width};
use logic::{Bool, Implications, Term, TermNode, Terms};
use model::{Model, Scope};
use rustc_hash::FxHashMap;
use symbolic::{Kind, Structure};

/// The events of a problem and their communication: reads-from and coherence as conditions on pairs.
///
/// Conditions on pairs are relative: a pair is in a relation if its condition holds *and both events are executed*.
pub struct Events<'p> {
    pub program: &'p Program,
    pub structure: Structure,
    /// The locations that each event can access, and when.
    pub locations: Vec<Vec<(usize, Bool)>>,
    /// For each location the events that can access it, and when, in the order of their numbers.
    pub accesses: Vec<Vec<(usize, Bool)>>,
    pub order: ProgramOrder,
    /// For each read, the writes that it can read from, and when it does. These conditions imply both guards.
    pub rf: Vec<Vec<(usize, Bool)>>,
    /// The pairs of writes that coherence can order this way, and when it does, but for those along chains: see
    /// [`Events::coherent_pairs`].
    pub co: Vec<Coherence>,
    /// For each location and thread the writes that certainly go there, if there are several and their order is program
    /// order: coherence among them needs no pairs in a graph.
    pub chains: Vec<WriteChain>,
    /// For each read of a location that only one thread writes: see [`Events::ladder`].
    pub(crate) ladders: FxHashMap<usize, Ladder>,
    /// For two reads of one thread and one location, whether they see different writes, if somebody asked.
    pub(crate) differing: FxHashMap<(usize, usize), Bool>,
    /// What reads-from and coherence must satisfy.
    pub constraints: Vec<Bool>,
    /// Truth values that hold where something demands it and have no reason to hold elsewhere: the search tries first that they do not.
    pub lean: Vec<Bool>,
    /// Values that are equal where a condition holds.
    pub copies: Vec<(Bool, Term, Term)>,
    /// For reads with ladders that see whole writes: when this write or a later one is seen, what it writes, and what is read.
    pub heights: Vec<(Vec<(Bool, Term)>, Term)>,
    /// What can be chosen in the program, and for each alternative the truth value that it is chosen.
    open: Option<(Choices, Vec<Bool>)>,
    implications: Implications,
    observer: &'p dyn Observer,
    pub meter: Meter,
}

/// The writes of a thread that certainly go to a location, with their positions in the thread, in program order.
#[derive(Debug, Clone)]
pub struct WriteChain {
    pub location: usize,
    pub thread: u32,
    pub writes: Vec<(u32, usize)>,
}

/// A pair of writes in coherence order.
#[derive(Debug, Clone, Copy)]
pub struct Coherence {
    pub first: usize,
    pub second: usize,
    pub when: Bool,
    /// Whether the condition implies that both are executed.
    pub sure: bool,
    /// Whether it follows from the chain of a thread's writes to a location, or from where that begins: see
    /// [`Events::chains`].
    pub chained: bool,
}

impl<'p> Events<'p> {
    pub fn new(
        program: &'p Program,
        mut structure: Structure,
        model: &Model,
        observer: &'p dyn Observer,
    ) -> Result<Self, NoAnswer> {
        let mut implications = Implications::new();
        let order = ProgramOrder::new(&mut structure, &mut implications)?;
        let mut events = Events {
            program,
            locations: Vec::new(),
            accesses: vec![Vec::new(); structure.locations.len()],
            order,
            rf: Vec::new(),
            co: Vec::new(),
            chains: Vec::new(),
            ladders: FxHashMap::default(),
            differing: FxHashMap::default(),
            constraints: structure.constraints.clone(),
            lean: Vec::new(),
            copies: Vec::new(),
            heights: Vec::new(),
            open: None,
            implications,
            structure,
            observer,
            meter: observer.meter(),
        };
        let numbers = events.structure.locations.iter().enumerate();
        let numbers: FxHashMap<u64, usize> = numbers.map(|(at, l)| (l.address.to_bits(), at)).collect();
        for event in 0..events.len() {
            let locations = events.resolve(event, &numbers)?;
            for &(location, when) in &locations {
                events.accesses[location].push((event, when));
            }
            events.locations.push(locations);
        }
        events.communicate(crate::shape::has_uniproc(model))?;
        Ok(events)
    }

    pub fn len(&self) -> usize {
        self.structure.events.len()
    }

    /// Leaves open what can be chosen.
    pub fn open_tags(&mut self, choices: &Choices) {
        let chosen = (0..choices.len()).map(|_| self.terms().fresh_bool()).collect();
        self.open = Some((choices.clone(), chosen));
    }

    /// For each alternative the truth value that it is chosen.
    pub fn alternatives(&self) -> Vec<Bool> {
        self.open.as_ref().map(|(_, chosen)| chosen.clone()).unwrap_or_default()
    }

    /// When an event has a tag.
    pub fn tagged(&mut self, event: usize, tag: TagId) -> Bool {
        let symbolic::Event { kind, tags, .. } = &self.structure.events[event];
        let deciding = self.open.as_ref().and_then(|(choices, _)| choices.deciding(tags, half(*kind), tag));
        match (deciding, &self.open) {
            (Some(deciding), Some((_, chosen))) => {
                let deciding: Vec<Bool> = deciding.into_iter().map(|alternative| chosen[alternative]).collect();
                self.terms().any(deciding)
            }
            (None, _) | (_, None) => Bool::constant(tags.contains(tag)),
        }
    }

    /// The tags of an event in a solution in which these alternatives are chosen.
    pub fn tags_with(&self, event: usize, holds: impl FnMut(Bool) -> bool) -> TagSet {
        let symbolic::Event { kind, tags, .. } = &self.structure.events[event];
        let Some((choices, literals)) = &self.open else { return tags.clone() };
        let mut holds = holds;
        let chosen: Vec<usize> = (0..literals.len()).filter(|&at| holds(literals[at])).collect();
        choices.tags(tags, half(*kind), &chosen)
    }

    pub fn terms(&mut self) -> &mut Terms {
        &mut self.structure.terms
    }

    pub fn guard(&self, event: usize) -> Bool {
        self.structure.events[event].guard
    }

    pub fn kind(&self, event: usize) -> Kind {
        self.structure.events[event].kind
    }

    /// The first event of the access to several cells that an event is a part of.
    pub fn group_start(&self, event: usize) -> Option<usize> {
        let number = self.structure.events[event].group?.number;
        let mut start = event;
        while start > 0 && self.structure.events[start - 1].group.is_some_and(|group| group.number == number) {
            start -= 1;
        }
        Some(start)
    }

    pub fn is_initial(&self, event: usize) -> bool {
        self.structure.events[event].thread.is_none()
    }

    pub fn same_thread(&self, a: usize, b: usize) -> bool {
        let thread = |e: usize| self.structure.events[e].thread;
        thread(a).is_some() && thread(a) == thread(b)
    }

    /// When the pair is in program order, if both are executed.
    pub fn po(&mut self, a: usize, b: usize) -> Bool {
        let when = self.order.holds(a, b);
        let (first, second) = (self.guard(a), self.guard(b));
        if self.implied(first, when) || self.implied(second, when) { Bool::TRUE } else { when }
    }

    /// Whether a pair can be in this scope.
    pub fn in_scope(&self, scope: Scope, a: usize, b: usize) -> bool {
        match scope {
            Scope::Any => true,
            Scope::Internal => self.same_thread(a, b),
            Scope::External => !self.same_thread(a, b),
        }
    }

    /// Whether one condition obviously implies another.
    pub fn implied(&mut self, by: Bool, what: Bool) -> bool {
        self.implications.holds(&self.structure.terms, by, what)
    }

    /// The locations that an event can access.
    fn resolve(&mut self, event: usize, numbers: &FxHashMap<u64, usize>) -> Result<Vec<(usize, Bool)>, NoAnswer> {
        let (kind, guard, address, span) = {
            let event = &self.structure.events[event];
            (event.kind, event.guard, event.address, event.span)
        };
        if kind == Kind::Fence || guard == Bool::FALSE {
            return Ok(Vec::new());
        }
        if let [only] = self.structure.events[event].candidates[..] {
            return Ok(vec![(only as usize, Bool::TRUE)]);
        }
        let mut found = Vec::new();
        if constant_leaves(&self.structure.terms, address) {
            let mut leaves = Vec::new();
            collect_leaves(&mut self.structure.terms, address, guard, &mut leaves);
            for (bits, when) in leaves {
                let known = numbers.get(&bits).copied();
                match known.filter(|&at| self.structure.events[event].candidates.contains(&(at as u32))) {
                    Some(location) => found.push((location, when)),
                    None if when == Bool::FALSE || self.structure.finals.is_empty() => {}
                    None => return Err(self.wild(span)),
                }
            }
            found.sort_unstable_by_key(|&(location, _)| location);
        } else {
            for candidate in self.structure.events[event].candidates.clone() {
                let location = candidate as usize;
                let bits = self.structure.locations[location].address.to_bits();
                let terms = &mut self.structure.terms;
                let here = terms.constant(bits, Width::WORD);
                let when = terms.eq(address, here);
                if when != Bool::FALSE {
                    found.push((location, when));
                }
            }
            if !self.structure.finals.is_empty() {
                let terms = &mut self.structure.terms;
                let somewhere = terms.any(found.iter().map(|&(_, when)| when));
                let constraint = terms.implies(guard, somewhere);
                self.constraints.push(constraint);
            }
        }
        // Relative to the guard: a single certain location needs no condition.
        if let [(_, when)] = &mut found[..] {
            *when = Bool::TRUE;
        }
        Ok(found)
    }

    fn wild(&self, span: source::Span) -> NoAnswer {
        let place = self.program.source.place(span);
        NoAnswer::GaveUp(format!("the access in {place} can go to an address where there is no location"))
    }

    /// Large problems take long to build: whoever builds counts pairs here and asks whether to go on.
    pub fn count(&self, pairs: usize) -> Result<(), NoAnswer> {
        engine::spend(&self.meter, self.observer, 1 + pairs as u64)
    }

    /// A truth value that holds where something demands it.
    pub fn demanded(&mut self) -> Bool {
        let holds = self.terms().fresh_bool();
        self.lean.push(holds);
        holds
    }

    /// The location of an event that can access one only.
    pub fn certain_location(&self, event: usize) -> Option<usize> {
        match self.locations[event][..] {
            [(location, when)] if when == Bool::TRUE => Some(location),
            _ => None,
        }
    }

    /// The value cut or widened with zeros to a width.
    pub fn fit(&mut self, value: Term, to: Width) -> Term {
        let terms = &mut self.structure.terms;
        let op = if terms.width(value) > to { UnaryOp::Truncate(to) } else { UnaryOp::ZeroExtend(to) };
        terms.unary(op, value)
    }

    /// All pairs of writes that coherence can order this way, those along chains too.
    pub fn coherent_pairs(&self) -> impl Iterator<Item = Coherence> + '_ {
        let along = |chain: &'_ WriteChain| {
            let writes: Vec<usize> = chain.writes.iter().map(|&(_, write)| write).collect();
            let pair = |first, second| Coherence { first, second, when: Bool::TRUE, sure: false, chained: true };
            let later = |at: usize| writes[at + 1..].iter().map(|&second| pair(writes[at], second)).collect::<Vec<_>>();
            (0..writes.len()).flat_map(later).collect::<Vec<_>>()
        };
        self.co.iter().copied().chain(self.chains.iter().flat_map(along))
    }

    /// When each write to a location is the last one there, given that it is executed.
    pub fn last_writes(&mut self, location: usize) -> Vec<(usize, Bool)> {
        let mut last: Vec<(usize, Bool)> = self.accesses[location].clone();
        last.retain(|&(event, _)| self.kind(event) == Kind::Write);
        let place: FxHashMap<usize, usize> = last.iter().enumerate().map(|(at, &(event, _))| (event, at)).collect();
        let pairs: Vec<Coherence> = self.coherent_pairs().filter(|pair| place.contains_key(&pair.first)).collect();
        for Coherence { first, second, when, sure, .. } in pairs {
            if let Some(&at) = place.get(&first) {
                let guard = if sure { Bool::TRUE } else { self.guard(second) };
                let terms = &mut self.structure.terms;
                let after = terms.and(when, guard);
                last[at].1 = terms.and(last[at].1, !after);
            }
        }
        last
    }
}

fn half(kind: Kind) -> Half {
    match kind {
        Kind::Read => Half::Read,
        Kind::Write => Half::Write,
        Kind::Fence => Half::Fence,
    }
}

/// Whether a term is a tree of choices between constants.
fn constant_leaves(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        TermNode::Const(_) => true,
        TermNode::Ite(_, then, otherwise) => constant_leaves(terms, then) && constant_leaves(terms, otherwise),
        TermNode::Var(_) | TermNode::Unary(..) | TermNode::Binary(..) => false,
    }
}

/// The constants of a tree of choices, each once, with the condition under which it is chosen.
fn collect_leaves(terms: &mut Terms, term: Term, when: Bool, found: &mut Vec<(u64, Bool)>) {
    match terms.node(term) {
        TermNode::Const(value) => match found.iter_mut().find(|(v, _)| *v == value) {
            Some((_, already)) => *already = terms.or(*already, when),
            None => found.push((value, when)),
        },
        TermNode::Ite(condition, then, otherwise) => {
            let yes = terms.and(when, condition);
            collect_leaves(terms, then, yes, found);
            let no = terms.and(when, !condition);
            collect_leaves(terms, otherwise, no, found);
        }
        TermNode::Var(_) | TermNode::Unary(..) | TermNode::Binary(..) => {
            panic!("the leaves were found to be constants")
        }
    }
}

//! What happens on a path of a machine with store buffers: enough to show it as an execution.

use ir::{Address, Cell, Expr, FunctionId, LocalId, Object, Program, TagSet, ThreadId};
use source::Span;
use std::collections::BTreeMap;
use witness::{Action, Event, EventId, Execution, Violation};

/// An event before the events are numbered: a location's initial write, or the thread and the position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventKey {
    Initial(Address),
    Thread(usize, usize),
}

/// The events so far, the sources of reads, the writes of each location as they reach memory, and all choices. Engines that
/// search the states of such a machine tell it what happens on the path that they want to show.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The locations that events touch, with what they held when other threads came to be.
    initial: BTreeMap<Address, u64>,
    /// What cells held that were read before anybody wrote them.
    any: BTreeMap<Address, u64>,
    threads: Vec<Vec<Event>>,
    rf: Vec<(EventKey, EventKey)>,
    memory: BTreeMap<Address, Vec<EventKey>>,
    /// For each thread the writes that are in its buffer, oldest first.
    buffered: Vec<Vec<(Address, EventKey)>>,
    choices: Vec<Vec<u64>>,
    /// Where among the choices those stand that were made last for locals.
    postponed: BTreeMap<(usize, (usize, LocalId)), usize>,
    /// The atomic section that is being executed: what it knows of locations, and whether it has written there.
    section: Option<BTreeMap<Address, (u64, bool)>>,
}

impl Record {
    fn own<T: Default>(list: &mut Vec<T>, thread: usize) -> &mut T {
        while list.len() <= thread {
            list.push(T::default());
        }
        &mut list[thread]
    }

    fn push(&mut self, thread: usize, action: Action, tags: &TagSet, span: Span) -> EventKey {
        let event = Event { thread: Some(ThreadId(thread as u32)), action, tags: tags.clone(), span };
        let own = Self::own(&mut self.threads, thread);
        own.push(event);
        EventKey::Thread(thread, own.len() - 1)
    }

    fn order(&mut self, address: Address) -> &mut Vec<EventKey> {
        self.memory.entry(address).or_insert_with(|| vec![EventKey::Initial(address)])
    }

    /// An event is about to touch a location that holds this; nothing, if that has never mattered.
    pub fn touch(&mut self, address: Address, value: Option<u64>) {
        self.initial.entry(address).or_insert(value.unwrap_or(0));
    }

    /// What an uninitialised cell holds is chosen.
    pub fn any(&mut self, address: Address, value: u64) {
        self.any.insert(address, value);
        if let Some(initial) = self.initial.get_mut(&address) {
            *initial = value;
        }
    }

    /// A thread chooses.
    pub fn choose(&mut self, thread: usize, value: u64) {
        Self::own(&mut self.choices, thread).push(value);
    }

    /// A thread chooses the value of a local, but nobody wants to know it yet: the local of the frame at this depth.
    pub fn postpone(&mut self, thread: usize, local: (usize, LocalId)) {
        let own = Self::own(&mut self.choices, thread);
        own.push(0);
        self.postponed.insert((thread, local), own.len() - 1);
    }

    /// Now somebody wants to know it.
    pub fn settle(&mut self, thread: usize, local: (usize, LocalId), value: u64) {
        if let Some(&at) = self.postponed.get(&(thread, local)) {
            Self::own(&mut self.choices, thread)[at] = value;
        }
    }

    /// A thread reads a location: the newest write to it in its buffer, if the value is its `own`, or from memory.
    pub fn read(&mut self, thread: usize, action: Action, own: bool, tags: &TagSet, span: Span) {
        let Action::Read { address, value } = action else { return };
        if let Some(section) = &mut self.section {
            if section.contains_key(&address) {
                return;
            }
            section.insert(address, (value, false));
        }
        let read = self.push(thread, action, tags, span);
        let pending = self.buffered.get(thread).filter(|_| own).map_or(&[][..], Vec::as_slice);
        let buffered = pending.iter().rev().find(|(at, _)| *at == address).map(|(_, place)| *place);
        let last = || *self.order(address).last().expect("every location has an initial write");
        let source = buffered.unwrap_or_else(last);
        self.rf.push((source, read));
    }

    /// A thread writes: to its buffer, or to memory.
    pub fn write(&mut self, thread: usize, action: Action, to_buffer: bool, tags: &TagSet, span: Span) {
        let Action::Write { address, value } = action else { return };
        if let Some(section) = &mut self.section {
            section.insert(address, (value, true));
            return;
        }
        let write = self.push(thread, action, tags, span);
        if to_buffer {
            Self::own(&mut self.buffered, thread).push((address, write));
        } else {
            self.order(address).push(write);
        }
    }

    /// An atomic section begins.
    pub fn begin(&mut self) {
        self.section = Some(BTreeMap::new());
    }

    /// The atomic section of a thread ends here: what it wrote becomes events.
    pub fn end(&mut self, thread: usize, span: Span) {
        let section = self.section.take().unwrap_or_default();
        for (address, (value, _)) in section.into_iter().filter(|(_, (_, written))| *written) {
            self.write(thread, Action::Write { address, value }, false, &TagSet::default(), span);
        }
    }

    /// The atomic section that was begun does not take place.
    pub fn abandon(&mut self) {
        self.section = None;
    }

    /// A thread passes a fence.
    pub fn fence(&mut self, thread: usize, tags: &TagSet, span: Span) {
        self.push(thread, Action::Fence, tags, span);
    }

    /// The oldest write to a location in the buffer of a thread reaches memory.
    pub fn land(&mut self, thread: usize, address: Address) {
        let pending = Self::own(&mut self.buffered, thread);
        if let Some(at) = pending.iter().position(|(own, _)| *own == address) {
            let (_, write) = pending.remove(at);
            self.order(address).push(write);
        }
    }

    /// The execution in which this fails. The threads, by what they run, and the objects that were made, by their cells,
    /// are given in the order of their numbers.
    pub fn execution(
        mut self,
        program: &Program,
        threads: &[FunctionId],
        made: Vec<Object>,
        violation: Violation,
    ) -> Execution {
        // What is still in the buffers reaches memory now.
        for pending in std::mem::take(&mut self.buffered) {
            pending.into_iter().for_each(|(address, write)| self.order(address).push(write));
        }
        Self::own(&mut self.threads, threads.len().max(1) - 1);
        let positions: BTreeMap<Address, usize> = self.initial.keys().enumerate().map(|(at, a)| (*a, at)).collect();
        let mut firsts = Vec::new();
        let mut next = positions.len();
        for thread in &self.threads {
            firsts.push(next);
            next += thread.len();
        }
        let id = |place: EventKey| match place {
            EventKey::Initial(address) => EventId(positions[&address] as u32),
            EventKey::Thread(thread, at) => EventId((firsts[thread] + at) as u32),
        };
        let initial = self.initial.iter().map(|(&address, &value)| Event {
            thread: None,
            action: Action::Write { address, value },
            tags: TagSet::default(),
            span: Span::default(),
        });
        let mut rf: Vec<_> = self.rf.iter().map(|&(write, read)| (id(write), id(read))).collect();
        rf.sort();
        let written = self.memory.values().filter(|writes| writes.len() > 1);
        Execution {
            events: initial.chain(self.threads.iter().flatten().cloned()).collect(),
            rf,
            co: written.map(|writes| writes.iter().map(|&write| id(write)).collect()).collect(),
            started: started(program, threads),
            made: self.made(program, made),
            choices: self.choices,
            violation: Some(violation),
            ..Execution::default()
        }
    }

    /// The objects with what they held at first.
    fn made(&self, program: &Program, mut made: Vec<Object>) -> Vec<Object> {
        for (at, object) in made.iter_mut().enumerate() {
            for Cell { offset, width, initial } in &mut object.cells {
                let number = program.objects.len() + at;
                let address = Address { object: ir::ObjectId(number as u32), offset: *offset };
                *initial = Expr::Const(self.any.get(&address).copied().unwrap_or(0), *width);
            }
        }
        made
    }
}

/// The threads that were started, each with a name of its own: that of its function, with a number if several run it.
fn started(program: &Program, threads: &[FunctionId]) -> Vec<ir::Thread> {
    let started = threads.get(program.threads.len()..).unwrap_or_default();
    let same = |body: &FunctionId| started.iter().filter(|other| *other == body).count();
    let before = |at: usize| started[..=at].iter().filter(|other| **other == started[at]).count();
    let named = |(at, body): (usize, &FunctionId)| {
        let function = &program.functions[body.index()].name;
        let name = if same(body) > 1 { format!("{function}#{}", before(at)) } else { function.clone() };
        ir::Thread { name, body: *body }
    };
    started.iter().enumerate().map(named).collect()
}

//! What happens on a path: enough to show it as an execution.

use ir::{Address, Cell, Expr, FunctionId, LocalId, Object, ObjectId, Program, TagSet, ThreadId, eval, truncate};
use source::Span;
use std::collections::BTreeMap;
use witness::{Action, Event, EventId, Execution};

/// An event before the events are numbered: a location's initial write, or the thread and the position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventKey {
    Initial(Address),
    Thread(usize, usize),
}

/// What one thread did.
#[derive(Debug, Default)]
struct Own {
    events: Vec<Event>,
    choices: Vec<u64>,
    /// Where among the choices those stand that were made last for locals, by the depth of the frame.
    postponed: BTreeMap<(usize, LocalId), usize>,
    /// The writes in its buffer, by the machine's numbers.
    buffered: BTreeMap<u32, Vec<(Address, EventKey)>>,
}

/// The events so far, the sources of reads, and the writes of each location in the order in which they reach memory.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The locations that events touch, with what they held before.
    initial: BTreeMap<Address, u64>,
    /// What cells turned out to hold that nobody had written.
    unwritten: BTreeMap<Address, u64>,
    threads: Vec<Own>,
    rf: Vec<(EventKey, EventKey)>,
    memory: BTreeMap<Address, Vec<EventKey>>,
    /// The atomic section that is being executed: what it knows of locations, and whether it has written there.
    section: Option<BTreeMap<Address, (u64, bool)>>,
}

impl History {
    /// Nothing has happened; the locations that are declared to be shared have their initial writes.
    pub fn new(program: &Program) -> Self {
        let nowhere = crate::layout::nowhere();
        let value = |cell: &Cell| truncate(eval(&cell.initial, &nowhere, &[]).0, cell.width);
        let declared = program.addresses().filter(|address| program.is_shared(address.object));
        let initial = declared.filter_map(|address| Some((address, value(program.cell(address)?)))).collect();
        History { initial, ..History::default() }
    }

    fn own(&mut self, thread: usize) -> &mut Own {
        while self.threads.len() <= thread {
            self.threads.push(Own::default());
        }
        &mut self.threads[thread]
    }

    fn push(&mut self, thread: usize, action: Action, (tags, span): (&TagSet, Span)) -> EventKey {
        let event = Event { thread: Some(ThreadId(thread as u32)), action, tags: tags.clone(), span };
        let events = &mut self.own(thread).events;
        events.push(event);
        EventKey::Thread(thread, events.len() - 1)
    }

    fn writes(&mut self, address: Address) -> &mut Vec<EventKey> {
        self.memory.entry(address).or_insert_with(|| vec![EventKey::Initial(address)])
    }

    /// An event is about to touch a location that holds this; nothing, if that has never mattered.
    pub fn touch(&mut self, address: Address, value: Option<u64>) {
        self.initial.entry(address).or_insert(value.unwrap_or(0));
    }

    /// What an uninitialised cell holds is chosen.
    pub fn settle(&mut self, address: Address, value: u64) {
        self.unwritten.insert(address, value);
        self.initial.entry(address).and_modify(|initial| *initial = value);
    }

    /// A thread chooses.
    pub fn choose(&mut self, thread: usize, value: u64) {
        self.own(thread).choices.push(value);
    }

    /// A thread chooses the value of a local of the frame at this depth, but nobody wants to know it yet.
    pub fn postpone(&mut self, thread: usize, local: (usize, LocalId)) {
        let own = self.own(thread);
        own.postponed.insert(local, own.choices.len());
        own.choices.push(0);
    }

    /// Now somebody wants to know it.
    pub fn decide(&mut self, thread: usize, local: (usize, LocalId), value: u64) {
        let own = self.own(thread);
        if let Some(&at) = own.postponed.get(&local) {
            own.choices[at] = value;
        }
    }

    /// A thread reads a location: from the write with this number in its buffer, or from memory.
    pub fn read(&mut self, thread: usize, (address, value): (Address, u64), own: Option<u32>, at: (&TagSet, Span)) {
        if let Some(section) = &mut self.section {
            if section.contains_key(&address) {
                return;
            }
            section.insert(address, (value, false));
        }
        let read = self.push(thread, Action::Read { address, value }, at);
        let entry = own.and_then(|number| self.own(thread).buffered.get(&number));
        let buffered = entry.and_then(|cells| cells.iter().find(|(own, _)| *own == address)).map(|&(_, write)| write);
        let source = buffered.unwrap_or_else(|| *self.writes(address).last().expect("an initial write is there"));
        self.rf.push((source, read));
    }

    /// A thread writes: to its buffer under this number, or to memory.
    pub fn write(&mut self, thread: usize, (address, value): (Address, u64), to: Option<u32>, at: (&TagSet, Span)) {
        if let Some(section) = &mut self.section {
            section.insert(address, (value, true));
            return;
        }
        let write = self.push(thread, Action::Write { address, value }, at);
        match to {
            Some(number) => self.own(thread).buffered.entry(number).or_default().push((address, write)),
            None => self.writes(address).push(write),
        }
    }

    /// A thread passes a fence.
    pub fn fence(&mut self, thread: usize, at: (&TagSet, Span)) {
        self.push(thread, Action::Fence, at);
    }

    /// The write with this number in the buffer of a thread reaches memory.
    pub fn land(&mut self, thread: usize, number: u32) {
        for (address, write) in self.own(thread).buffered.remove(&number).unwrap_or_default() {
            self.writes(address).push(write);
        }
    }

    /// An atomic section begins.
    pub fn begin(&mut self) {
        self.section = Some(BTreeMap::new());
    }

    /// The atomic section of a thread ends here: what it wrote becomes events.
    pub fn end(&mut self, thread: usize, span: Span) {
        for (address, (value, written)) in self.section.take().unwrap_or_default() {
            if written {
                self.write(thread, (address, value), None, (&TagSet::default(), span));
            }
        }
    }

    /// The atomic section that was begun does not take place.
    pub fn abandon(&mut self) {
        self.section = None;
    }

    /// The execution. The threads, by what they run, and the objects that were made are in the order of their numbers.
    pub fn execution(
        mut self,
        program: &Program,
        threads: &[FunctionId],
        made: Vec<Object>,
        refined: Vec<(ObjectId, Vec<Cell>)>,
    ) -> Execution {
        // What is still in the buffers reaches memory now.
        for thread in 0..self.threads.len() {
            let left: Vec<u32> = self.threads[thread].buffered.keys().copied().collect();
            left.into_iter().for_each(|number| self.land(thread, number));
        }
        self.own(threads.len().max(1) - 1);
        let positions: BTreeMap<Address, usize> = self.initial.keys().enumerate().map(|(at, a)| (*a, at)).collect();
        let mut firsts = Vec::new();
        let mut next = positions.len();
        for thread in &self.threads {
            firsts.push(next);
            next += thread.events.len();
        }
        let id = |place: &EventKey| match place {
            EventKey::Initial(address) => EventId(positions[address] as u32),
            EventKey::Thread(thread, at) => EventId((firsts[*thread] + at) as u32),
        };
        let mut rf: Vec<_> = self.rf.iter().map(|(write, read)| (id(write), id(read))).collect();
        rf.sort();
        let written = self.memory.values().filter(|writes| writes.len() > 1);
        let co = written.map(|writes| writes.iter().map(id).collect()).collect();
        let initial = self.initial.iter().map(|(&address, &value)| Event {
            thread: None,
            action: Action::Write { address, value },
            tags: TagSet::default(),
            span: Span::default(),
        });
        let started = threads.iter().skip(program.threads.len());
        let name = |body: FunctionId| program.functions[body.index()].name.clone();
        Execution {
            events: initial.chain(self.threads.iter().flat_map(|own| own.events.iter().cloned())).collect(),
            rf,
            co,
            started: started.map(|&body| ir::Thread { name: name(body), body }).collect(),
            made: self.made(program, made),
            refined,
            choices: self.threads.into_iter().map(|own| own.choices).collect(),
            ..Execution::default()
        }
    }

    /// The objects with what they held at first.
    fn made(&self, program: &Program, mut made: Vec<Object>) -> Vec<Object> {
        for (at, object) in made.iter_mut().enumerate() {
            for Cell { offset, width, initial } in &mut object.cells {
                let number = program.objects.len() + at;
                let address = Address { object: ObjectId(number as u32), offset: *offset };
                *initial = Expr::Const(self.unwritten.get(&address).copied().unwrap_or(0), *width);
            }
        }
        made
    }
}

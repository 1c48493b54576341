//! What happens on a path: enough to show it as an execution.

use crate::layout::Layout;
use ir::{Address, State, TagSet, ThreadId};
use source::Span;
use witness::{Action, Event, EventId, Execution};

/// An event before the events are numbered: a cell's initial write, or the thread and the position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Initial(usize),
    Thread(usize, usize),
}

/// The events so far, the sources of reads, and the writes of each cell in the order in which they reach memory.
pub(super) struct History {
    addresses: Vec<Address>,
    initial: Vec<u64>,
    threads: Vec<Vec<Event>>,
    /// The events of the writes of each thread, by the number that the machine gives them.
    writes: Vec<Vec<usize>>,
    rf: Vec<(Place, Place)>,
    memory: Vec<Vec<Place>>,
}

impl History {
    pub fn new(layout: &Layout, threads: usize) -> Self {
        History {
            addresses: layout.addresses.clone(),
            initial: layout.initial.clone(),
            threads: vec![Vec::new(); threads],
            writes: vec![Vec::new(); threads],
            rf: Vec::new(),
            memory: (0..layout.addresses.len()).map(|cell| vec![Place::Initial(cell)]).collect(),
        }
    }

    fn push(&mut self, thread: usize, action: Action, tags: &TagSet, span: Span) -> usize {
        let event = Event { thread: Some(ThreadId(thread as u32)), action, tags: tags.clone(), span };
        self.threads[thread].push(event);
        self.threads[thread].len() - 1
    }

    /// A thread reads a cell: from its own write with this number, which is still in its buffer, or from memory.
    pub fn read(&mut self, thread: usize, cell: usize, value: u64, own: Option<u32>, tags: &TagSet, span: Span) {
        let at = self.push(thread, Action::Read { address: self.addresses[cell], value }, tags, span);
        let source = match own {
            Some(number) => Place::Thread(thread, self.writes[thread][number as usize]),
            None => *self.memory[cell].last().expect("every cell has an initial write"),
        };
        self.rf.push((source, Place::Thread(thread, at)));
    }

    /// A thread makes its next write.
    pub fn write(&mut self, thread: usize, cell: usize, value: u64, tags: &TagSet, span: Span) {
        let at = self.push(thread, Action::Write { address: self.addresses[cell], value }, tags, span);
        self.writes[thread].push(at);
    }

    /// A thread passes a fence.
    pub fn fence(&mut self, thread: usize, tags: &TagSet, span: Span) {
        self.push(thread, Action::Fence, tags, span);
    }

    /// A write reaches memory.
    pub fn land(&mut self, thread: usize, cell: usize, number: u32) {
        self.memory[cell].push(Place::Thread(thread, self.writes[thread][number as usize]));
    }

    /// The execution that ends in these final values.
    pub fn execution(&self, finals: State) -> Execution {
        let mut firsts = Vec::new();
        let mut next = self.addresses.len();
        for thread in &self.threads {
            firsts.push(next);
            next += thread.len();
        }
        let id = |place: Place| match place {
            Place::Initial(cell) => EventId(cell as u32),
            Place::Thread(thread, at) => EventId((firsts[thread] + at) as u32),
        };
        let initial = self.addresses.iter().zip(&self.initial).map(|(&address, &value)| Event {
            thread: None,
            action: Action::Write { address, value },
            tags: TagSet::default(),
            span: Span::default(),
        });
        Execution {
            events: initial.chain(self.threads.iter().flatten().cloned()).collect(),
            rf: {
                let mut rf: Vec<_> = self.rf.iter().map(|&(write, read)| (id(write), id(read))).collect();
                rf.sort();
                rf
            },
            co: self
                .memory
                .iter()
                .filter(|writes| writes.len() > 1)
                .map(|writes| writes.iter().map(|&write| id(write)).collect())
                .collect(),
            finals,
            ..Execution::default()
        }
    }
}

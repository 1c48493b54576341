//! The names of threads, locations and values for the reader, whether the program has them or an execution made them.
//!
//! Litmus tests keep the names that herd gives. In a C program several threads run one function and several objects are
//! made at one place, so that they are numbered; a cell of an array is known by its index; a pointer is known by what it
//! points to.

use ir::life::{is_life, is_size, life_name};
use ir::{Address, Cell, Object, Program, ThreadId, Width, sign_extend};
use std::collections::BTreeSet;
use witness::{Action, Execution};

/// Knows the names of everything in an execution.
pub(crate) struct Names<'a> {
    program: &'a Program,
    execution: &'a Execution,
    threads: Vec<String>,
    objects: Vec<String>,
    /// The locations that hold an address at some time.
    pointers: BTreeSet<Address>,
    /// The locations that nobody had set when they were shared.
    unset: BTreeSet<Address>,
}

/// The names, those that occur several times with a number: `worker#1`, `worker#2`.
fn numbered(names: &[&str]) -> Vec<String> {
    let number = |(at, name): (usize, &&str)| {
        let same = |others: &[&str]| others.iter().filter(|other| *other == name).count();
        if same(names) > 1 { format!("{name}#{}", same(&names[..at]) + 1) } else { (*name).to_owned() }
    };
    names.iter().enumerate().map(number).collect()
}

/// Whether a name is one that C knows.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The index of a cell in an object all of whose cells are alike and stand side by side.
fn index(object: &Object, offset: u64) -> Option<usize> {
    let width = object.cells.first()?.width;
    let step = u64::from(width.bits().div_ceil(8));
    let even = |(at, cell): (usize, &Cell)| cell.width == width && cell.offset == at as u64 * step;
    let array = object.cells.len() > 1 && object.cells.iter().enumerate().all(even);
    object.cells.iter().position(|cell| cell.offset == offset).filter(|_| array)
}

impl<'a> Names<'a> {
    /// The names in an execution of a program.
    pub fn new(program: &'a Program, execution: &'a Execution) -> Self {
        let threads: Vec<&str> = program.threads.iter().chain(&execution.started).map(|t| t.name.as_str()).collect();
        let objects: Vec<&str> = program.objects.iter().chain(&execution.made).map(|o| o.name.as_str()).collect();
        let (threads, objects) = (numbered(&threads), numbered(&objects));
        let mut names =
            Names { program, execution, threads, objects, pointers: BTreeSet::new(), unset: BTreeSet::new() };
        if !execution.made.is_empty() {
            names.unset = witness::unset(program, execution).unwrap_or_default();
        }
        let holds_address = |action: &Action| match *action {
            Action::Read { address, value } | Action::Write { address, value } => {
                names.pointee(value, names.width(address)).map(|_| address)
            }
            Action::Fence => None,
        };
        let pointers = execution.events.iter().filter_map(|event| holds_address(&event.action)).collect();
        names.pointers = pointers;
        names
    }

    /// The names of all threads.
    pub fn threads(&self) -> &[String] {
        &self.threads
    }

    /// The name of a thread.
    pub fn thread(&self, thread: ThreadId) -> String {
        self.threads.get(thread.index()).cloned().unwrap_or_else(|| format!("thread {}", thread.0))
    }

    fn object(&self, address: Address) -> Option<&'a Object> {
        let at = address.object.index();
        let (program, execution): (&'a Program, &'a Execution) = (self.program, self.execution);
        program.objects.get(at).or_else(|| execution.made.get(at.checked_sub(program.objects.len())?))
    }

    fn cell(&self, address: Address) -> Option<&'a Cell> {
        self.object(address)?.cells.iter().find(|cell| cell.offset == address.offset)
    }

    /// How wide a location is; a word where that is not known.
    pub fn width(&self, address: Address) -> Width {
        self.cell(address).map_or(Width::WORD, |cell| cell.width)
    }

    /// Whether what a location holds at first was never set: memory that was allocated, or a variable of a function.
    pub fn is_uninitialised(&self, address: Address) -> bool {
        !self.as_herd() && self.unset.contains(&address)
    }

    /// The name of the object that a location belongs to.
    pub fn object_name(&self, address: Address) -> &str {
        self.objects.get(address.object.index()).map_or("?", String::as_str)
    }

    /// Whether values and locations are written as herd does: in a test with a condition, which is written so too.
    fn as_herd(&self) -> bool {
        self.program.condition.is_some()
    }

    /// The name of a location as the program would write it: `x`, `a[3]`, `q.tail`, `m#1->next`; `malloc:3+8` for the cell
    /// at byte 8 of something of unknown type.
    pub fn address(&self, address: Address) -> String {
        if self.as_herd() {
            return self.program.address_name(address);
        }
        let name = self.object_name(address);
        if is_size(address.offset) {
            return format!("size of {name}");
        }
        if is_life(address.offset) {
            return format!("life of {name}");
        }
        let object = self.object(address);
        if let Some(shape) = object.and_then(|object| self.program.shapes.get(&object.name)) {
            let behind = |cell: &Cell| cell.offset >= shape.stride && !is_life(cell.offset);
            let several = object.is_some_and(|object| object.cells.iter().any(behind));
            return shape.name(name, address.offset, several);
        }
        let first = Address { offset: 0, ..address };
        if let Some((at, part)) = self.program.parts.range(first..=address).next_back() {
            let beyond = address.offset - at.offset;
            return if beyond == 0 { format!("{name}{part}") } else { format!("{name}{part}+{beyond}") };
        }
        match object.and_then(|object| index(object, address.offset)) {
            Some(index) => format!("{name}[{index}]"),
            None if address.offset == 0 => name.to_owned(),
            None => format!("{name}+{}", address.offset),
        }
    }

    /// The name of what begins at a location: not of the first scalar in it but of the largest structure. Who points there most
    /// likely means that.
    fn whole(&self, address: Address) -> String {
        let mut name = self.address(address);
        let inside = |name: &str| {
            let before = address.offset.checked_sub(1).map(|offset| self.address(Address { offset, ..address }));
            before.is_some_and(|before| before.starts_with(name))
        };
        while let Some((outer, member)) = name.rsplit_once('.') {
            let plain = member.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !plain || !outer.starts_with(self.object_name(address)) || inside(&format!("{outer}.")) {
                break;
            }
            name = outer.to_owned();
        }
        name
    }

    /// What a value points to, if it is an address.
    fn pointee(&self, value: u64, width: Width) -> Option<Address> {
        let target = Address::from_bits(value).filter(|_| width == Width::WORD)?;
        self.object(target).map(|_| target)
    }

    /// A value that a location holds: a signed number, `&x`, `NULL`.
    pub fn value(&self, address: Address, value: u64) -> String {
        let width = self.width(address);
        if is_size(address.offset) {
            return value.to_string();
        }
        if is_life(address.offset) {
            return life_name(value).to_owned();
        }
        if self.as_herd() {
            return self.program.value_name(value, width);
        }
        match self.pointee(value, width) {
            Some(target) => match self.object_name(target).strip_prefix('*').filter(|_| target.offset == 0) {
                Some(pointer) => pointer.to_owned(),
                None => format!("&{}", self.whole(target)),
            },
            None if value == 0 && self.pointers.contains(&address) => "NULL".to_owned(),
            None => sign_extend(value, width).to_string(),
        }
    }
}

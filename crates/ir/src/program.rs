//! Programs, objects, functions, blocks and instructions.

use crate::condition::{Condition, Location};
use crate::expr::{Expr, Width};
use crate::life::is_life;
use crate::op::Op;
use crate::site::Site;
use source::{SourceFile, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the vector that this indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(/** A shared object of a program. */ ObjectId);
index!(/** A local variable or register of a function. */ LocalId);
index!(/** A block of a function. */ BlockId);
index!(/** A function of a program. */ FunctionId);
index!(/** A thread of a program. */ ThreadId);
index!(/** A tag of a program: a name that models give a meaning to. */ TagId);

/// The tags of an access or a fence, sorted, without repetition.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TagSet(Vec<TagId>);

impl TagSet {
    /// Adds a tag.
    pub fn insert(&mut self, tag: TagId) {
        if let Err(at) = self.0.binary_search(&tag) {
            self.0.insert(at, tag);
        }
    }

    /// Whether the tag is there.
    pub fn contains(&self, tag: TagId) -> bool {
        self.0.binary_search(&tag).is_ok()
    }

    /// The tags in order.
    pub fn iter(&self) -> impl Iterator<Item = TagId> + '_ {
        self.0.iter().copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<TagId> for TagSet {
    fn from_iter<I: IntoIterator<Item = TagId>>(tags: I) -> Self {
        let mut set = TagSet::default();
        tags.into_iter().for_each(|tag| set.insert(tag));
        set
    }
}

/// The message of the assertion that a divisor is not zero.
pub const DIVISION: &str = "division by zero";

/// A program: what a front end makes of a text.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name of the test or of the file.
    pub name: String,
    /// Whose instructions these are: `X86`, `PPC`, `C` (with C11's atomics), `LINUX` (C with the kernel's).
    pub arch: String,
    /// The text that spans point into.
    pub source: SourceFile,
    /// Shared memory.
    pub objects: Vec<Object>,
    /// The objects that nobody may write: string literals. A write there is an access to no object.
    pub constants: BTreeSet<ObjectId>,
    /// The names of cells inside objects, for the reader: `[3]`, `.next`. What is not here is named by its offset.
    pub parts: Arc<BTreeMap<Address, String>>,
    /// The same for the objects that [`crate::System::Alloc`] makes, by the name of the object.
    pub shapes: Arc<BTreeMap<String, Shape>>,
    /// The bodies of threads.
    pub functions: Vec<Function>,
    /// The threads that are there from the start: those of a litmus test, or C's `main`. Threads that these start are
    /// not here.
    pub threads: Vec<Thread>,
    /// The names of tags; models give them meaning.
    pub tags: Vec<String>,
    /// What is asked about the final state.
    pub condition: Option<Condition>,
    /// Only final states that satisfy this count.
    pub filter: Option<crate::Proposition>,
    /// Further locations whose final values are observed, besides those in the condition.
    pub observed: Vec<Location>,
    /// What the front end knows beyond this, for reports: `Hash`, `Cycle`… Under [`Program::ASSUMES`] is what it took for granted, which
    /// has to be said beside a verdict that nothing goes wrong.
    pub info: BTreeMap<String, String>,
    /// Where a statement could be put into the text, in the order of the text.
    pub seams: Vec<Seam>,
    /// Accesses and fences of the text whose memory order could be another one.
    pub sites: Vec<Site>,
}

/// What objects look like that one place of the program makes: one value of a type, or several side by side.
///
/// An object that is known by a pointer to it is called as C calls it: `*p`. Then its parts are `p->next` and `p[3]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// How many bytes a value of the type has.
    pub stride: u64,
    /// The scalars in it, by offset, with the way to them: `.next`, `[3]`, or nothing for a scalar.
    pub parts: BTreeMap<u64, String>,
}

impl Shape {
    /// The name of the cell at an offset of an object with this name and shape; `several`: it holds more than one value of
    /// the type.
    pub fn name(&self, object: &str, offset: u64, several: bool) -> String {
        let stride = self.stride.max(1);
        let (index, inside) = (offset / stride, offset % stride);
        let Some((&at, part)) = self.parts.range(..=inside).next_back() else { return format!("{object}+{offset}") };
        let beyond = if at == inside { String::new() } else { format!("+{}", inside - at) };
        let element = several || index > 0;
        match (object.strip_prefix('*'), element, part.strip_prefix('.')) {
            (Some(pointer), true, _) => format!("{pointer}[{index}]{part}{beyond}"),
            (Some(pointer), false, Some(member)) => format!("{pointer}->{member}{beyond}"),
            (Some(_), false, None) if part.is_empty() => format!("{object}{beyond}"),
            (Some(_), false, None) => format!("({object}){part}{beyond}"),
            (None, true, _) => format!("{object}[{index}]{part}{beyond}"),
            (None, false, _) => format!("{object}{part}{beyond}"),
        }
    }
}

/// A place between two instructions at which the text has room for one more statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The instruction of the block that would come after the new one; their number, if none would.
    pub index: u32,
    /// Where in the text.
    pub place: Place,
}

/// Where in a text a new statement goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Right before a statement; with `braces`, both have to be put into braces.
    Before {
        /// The statement.
        statement: Span,
        /// Whether the statement is, without braces, the body of a loop or a branch.
        braces: bool,
    },
    /// Right after a statement; with `braces`, both have to be put into braces.
    After {
        /// The statement, with its semicolon.
        statement: Span,
        /// Whether the statement is, without braces, the body of a loop or a branch.
        braces: bool,
    },
    /// In a table with a column for each thread: in a new row below this one.
    Row {
        /// The row, with the semicolon at its end.
        row: Span,
        /// The column, counted from 0.
        column: u32,
    },
}

/// A shared object: a variable, an array, a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its name in the source.
    pub name: String,
    /// The cells, by offset; each is a location of its own.
    pub cells: Vec<Cell>,
    /// Whether it is declared to be shared, as the variables of a litmus test are: then each access to it is an event.
    /// Otherwise an access is an event if other threads exist ([`crate::System::Publish`]) and the cell is one that several
    /// threads use, not only to read it.
    pub shared: bool,
    /// What its address is a multiple of: no more is known of it as a number.
    pub align: u64,
}

/// A location: a scalar inside an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The byte at which it begins.
    pub offset: u64,
    /// Its size.
    pub width: Width,
    /// What it holds at first: a constant or an address.
    pub initial: Expr,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// `P0`, `P1`…
    pub name: String,
    /// What it runs.
    pub body: FunctionId,
}

/// A function: a control-flow graph that begins at block 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// How many of the locals, the first ones, are parameters.
    pub params: u32,
    /// Whether it belongs to our own library: its instructions stand, for the reader, where the library was called.
    pub library: bool,
    /// Registers and variables.
    pub locals: Vec<Local>,
    /// The graph.
    pub blocks: Vec<Block>,
}

/// A register or a local variable; zero at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// Its name in the source, or a name that no source can have, such as `%zf`.
    pub name: String,
    /// Its size.
    pub width: Width,
}

/// A sequence of instructions with one exit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Executed in order.
    pub instrs: Vec<Instr>,
    /// What comes then.
    pub terminator: Terminator,
}

/// An instruction and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instr {
    /// What it does.
    pub op: Op,
    /// The place in the source.
    pub span: Span,
}

/// The exit of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terminator {
    /// Go on there.
    Goto(BlockId),
    /// Go on in one of two places.
    Branch {
        /// A truth value.
        condition: Expr,
        /// Where to go if it holds.
        then: BlockId,
        /// Where to go if not.
        otherwise: BlockId,
        /// Where the control dependency ends: at this block for structured languages, never for machine code.
        join: Option<BlockId>,
        /// The place in the source.
        span: Span,
    },
    /// The function ends, and with the outermost function the thread. The result, if there is one, is a word for a
    /// function that a thread runs.
    Return(Option<Expr>),
    /// The thread ends, whatever functions are being executed; the result is a word.
    Exit(Option<Expr>),
    /// The bound on loop iterations is exceeded here: this path is not explored further.
    Cut {
        /// The loop's place in the source.
        span: Span,
    },
}

impl Terminator {
    /// The blocks that control can go to.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + use<> {
        let (first, second) = match self {
            Terminator::Goto(to) => (Some(*to), None),
            Terminator::Branch { then, otherwise, .. } => (Some(*then), Some(*otherwise)),
            Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A concrete address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// Which object.
    pub object: ObjectId,
    /// Which byte of it.
    pub offset: u64,
}

/// Addresses as words: the object above, the offset below; no small integer is an address.
const OFFSET_BITS: u32 = 40;

/// Words that stand for addresses begin with this number, so that neither powers of two nor what programs count is taken for
/// an address.
const FIRST_OBJECT: u64 = 0xA6B3;

impl Address {
    /// The bits of a word that are the offset.
    pub const OFFSETS: u64 = (1 << OFFSET_BITS) - 1;

    /// The word that stands for this address.
    pub fn to_bits(self) -> u64 {
        ((u64::from(self.object.0) + FIRST_OBJECT) << OFFSET_BITS) | self.offset
    }

    /// The address that a word stands for.
    pub fn from_bits(bits: u64) -> Option<Address> {
        let object = (bits >> OFFSET_BITS).checked_sub(FIRST_OBJECT)?;
        let object = ObjectId(u32::try_from(object).ok()?);
        Some(Address { object, offset: bits & Address::OFFSETS })
    }
}

impl Program {
    /// See [`Program::info`].
    pub const ASSUMES: &'static str = "Assumes";

    /// An empty program about `source`.
    pub fn new(name: impl Into<String>, arch: impl Into<String>, source: SourceFile) -> Self {
        Program {
            name: name.into(),
            arch: arch.into(),
            source,
            objects: Vec::new(),
            constants: BTreeSet::new(),
            parts: Arc::default(),
            shapes: Arc::default(),
            functions: Vec::new(),
            threads: Vec::new(),
            tags: Vec::new(),
            condition: None,
            filter: None,
            observed: Vec::new(),
            info: BTreeMap::new(),
            seams: Vec::new(),
            sites: Vec::new(),
        }
    }

    /// Whether the first thread runs alone until it executes [`crate::System::Publish`]: it is the only one, and no object is
    /// declared to be shared. So it is with C's `main`.
    pub fn begins_alone(&self) -> bool {
        self.threads.len() == 1 && !self.objects.iter().any(|object| object.shared)
    }

    /// Whether this is C, whoever's atomics it has.
    pub fn is_c(&self) -> bool {
        matches!(&*self.arch, "C" | "LINUX")
    }

    /// The number of the tag called `name`, which is added if it is new.
    pub fn tag(&mut self, name: &str) -> TagId {
        let at = self.tags.iter().position(|tag| tag == name).unwrap_or_else(|| {
            self.tags.push(name.to_owned());
            self.tags.len() - 1
        });
        TagId(at as u32)
    }

    /// The tags of the program that have one of these names.
    pub fn tags_named(&self, names: &[String]) -> TagSet {
        let tags = self.tags.iter().enumerate().filter(|(_, tag)| names.contains(tag));
        tags.map(|(at, _)| TagId(at as u32)).collect()
    }

    /// The function that a thread runs.
    pub fn body(&self, thread: ThreadId) -> &Function {
        &self.functions[self.threads[thread.index()].body.index()]
    }

    /// The cell at an address, if an access there falls on one exactly.
    pub fn cell(&self, address: Address) -> Option<&Cell> {
        self.objects.get(address.object.index())?.cells.iter().find(|cell| cell.offset == address.offset)
    }

    /// Where a write to this word goes: nowhere, if that is an object that nobody may write.
    pub fn write_target(&self, word: u64) -> u64 {
        let constant = |address: Address| self.constants.contains(&address.object);
        if Address::from_bits(word).is_some_and(constant) { 0 } else { word }
    }

    /// Whether an object of the program is declared to be shared.
    pub fn is_shared(&self, object: ObjectId) -> bool {
        self.objects.get(object.index()).is_some_and(|object| object.shared)
    }

    /// Every location of shared memory, in order.
    pub fn addresses(&self) -> impl Iterator<Item = Address> + '_ {
        self.objects.iter().enumerate().flat_map(|(object, o)| {
            o.cells.iter().map(move |cell| Address { object: ObjectId(object as u32), offset: cell.offset })
        })
    }

    /// The name of a location for the reader: `x`, `s.next`, or `a[8]` for the cell at byte 8 if it has no other name.
    pub fn address_name(&self, address: Address) -> String {
        let name = self.objects.get(address.object.index()).map_or("?", |object| &object.name);
        if is_life(address.offset) {
            return format!("life of {name}");
        }
        if let Some(part) = self.parts.get(&address) {
            return format!("{name}{part}");
        }
        if address.offset == 0 { name.to_owned() } else { format!("{name}[{}]", address.offset) }
    }

    /// A value for the reader: the name of what it points to if it is an address, else a signed number.
    pub fn value_name(&self, value: u64, width: Width) -> String {
        match Address::from_bits(value) {
            Some(address) if width == Width::WORD && self.cell(address).is_some() => self.address_name(address),
            _ => crate::sign_extend(value, width).to_string(),
        }
    }

    /// Everything the final state is observed at: what the condition mentions, then what was asked for besides.
    pub fn observables(&self) -> Vec<Location> {
        let mut all: Vec<Location> = self.observed.clone();
        if let Some(condition) = &self.condition {
            condition.proposition.for_each_location(&mut |location| all.push(location));
        }
        all.sort();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn parts_are_called_as_c_calls_them() {
        let parts = [(0, ".id".to_owned()), (8, ".next".to_owned()), (16, ".slot[0]".to_owned())];
        let node = Shape { stride: 24, parts: parts.into() };
        assert_eq!(node.name("*m", 0, false), "m->id");
        assert_eq!(node.name("*m#2", 8, false), "m#2->next");
        assert_eq!(node.name("*m", 18, false), "m->slot[0]+2");
        assert_eq!(node.name("*m", 32, true), "m[1].next");
        assert_eq!(node.name("node", 8, false), "node.next");
        let int = Shape { stride: 4, parts: [(0, String::new())].into() };
        assert_eq!((int.name("*p", 0, false), int.name("*p", 0, true)), ("*p".to_owned(), "p[0]".to_owned()));
        assert_eq!(int.name("*p", 9, true), "p[2]+1");
        let row = Shape { stride: 8, parts: [(0, "[0]".to_owned()), (4, "[1]".to_owned())].into() };
        assert_eq!((row.name("*r", 4, false), row.name("a", 4, false)), ("(*r)[1]".to_owned(), "a[1]".to_owned()));
    }
}

//! Array-based systems: any number of processes that change variables and arrays by guarded transitions.
//!
//! A [`System`] stands beside `ir::Program`: its processes are not counted and its transitions are formulas. Process
//! variables are slots: a transition's parameters first, then what its quantifiers and cases bind.
//! [`machine`] runs a system with a given number of processes and store buffers: the judge.

pub mod certificate;
pub mod machine;

use source::{SourceFile, Span};

/// A system.
#[derive(Debug, Clone)]
pub struct System {
    /// The text.
    pub file: SourceFile,
    /// The number of processes, where the text fixes it.
    pub processes: Option<u8>,
    /// Enumerations; the first is `bool`.
    pub enums: Vec<Enumeration>,
    /// Names of types without constructors.
    pub opaque: Vec<String>,
    /// Constants, variables and arrays.
    pub symbols: Vec<Symbol>,
    /// What holds at first, for all processes in place of the parameters.
    pub init: Property,
    /// States that are taken for granted never to occur.
    pub invariants: Vec<Property>,
    /// States that must not be reached, by distinct processes in place of the parameters.
    pub bad: Vec<Property>,
    /// The steps.
    pub transitions: Vec<Transition>,
}

/// A type with constructors.
#[derive(Debug, Clone)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// Its values.
    pub constructors: Vec<String>,
}

/// The type of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Integers without bounds.
    Int,
    /// Real numbers.
    Real,
    /// Processes.
    Proc,
    /// An entry of [`System::enums`].
    Enum(usize),
    /// An entry of [`System::opaque`].
    Opaque(usize),
}

impl Type {
    /// Whether values of it can be added.
    pub fn is_number(self) -> bool {
        matches!(self, Type::Int | Type::Real)
    }
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It never changes.
    Constant,
    /// It is shared.
    Variable,
}

/// A constant, a variable or an array.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The number of its indices.
    pub arity: usize,
    /// The type of its cells.
    pub ty: Type,
    /// Whether it is in weak memory.
    pub weak: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A process, as a text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Process {
    /// The process in a slot.
    Slot(u8),
    /// `#n`, counted from 0.
    Fixed(u8),
}

/// The use of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Who reads, where the text says so.
    pub by: Option<Process>,
    /// An entry of [`System::symbols`].
    pub symbol: usize,
    /// The indices.
    pub args: Vec<Process>,
    /// Where.
    pub span: Span,
}

/// A term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// A process.
    Proc(Process),
    /// A constructor: its enumeration and its place there.
    Constructor(usize, u16),
    /// A cell.
    Access(Access),
    /// A sum of multiples and a number.
    Sum(Vec<(i64, Access)>, i64),
}

/// How two terms are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    Differ,
    /// `<`
    Less,
    /// `<=`
    AtMost,
}

impl Comparison {
    /// The comparison that holds if this one does not, and whether the sides change places.
    #[must_use]
    pub fn denied(self) -> (Comparison, bool) {
        match self {
            Comparison::Equal => (Comparison::Differ, false),
            Comparison::Differ => (Comparison::Equal, false),
            Comparison::Less => (Comparison::AtMost, true),
            Comparison::AtMost => (Comparison::Less, true),
        }
    }
}

/// A formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// `true` or `false`.
    Bool(bool),
    /// `fence()`
    Fence,
    /// A comparison.
    Compare(Comparison, Term, Term),
    /// It does not hold.
    Not(Box<Formula>),
    /// All hold.
    And(Vec<Formula>),
    /// One holds.
    Or(Vec<Formula>),
    /// For all processes, or for one.
    Each {
        /// For all.
        all: bool,
        /// The slot of the process.
        slot: u8,
        /// It differs from these.
        apart: Vec<Process>,
        /// What holds for it.
        body: Box<Formula>,
    },
}

/// A formula about some processes: slots 0 up to the number of names.
#[derive(Debug, Clone)]
pub struct Property {
    /// Its name, or nothing.
    pub name: String,
    /// The names of the parameters.
    pub params: Vec<String>,
    /// The formula.
    pub formula: Formula,
    /// Where.
    pub span: Span,
}

/// A guarded step.
#[derive(Debug, Clone)]
pub struct Transition {
    /// Its name.
    pub name: String,
    /// The names of the parameters, which are distinct processes.
    pub params: Vec<String>,
    /// The slot of the process that acts, where the text says so.
    pub actor: Option<u8>,
    /// When it can be taken.
    pub guard: Formula,
    /// What it changes, all at once.
    pub updates: Vec<Update>,
    /// Where.
    pub span: Span,
    /// Where the text has room for a conjunct of the guard.
    pub room: Room,
}

/// Where a guard can be extended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// There is a guard, from here to there.
    Guard(u32, u32),
    /// There is none; `requires { … }` fits here.
    Body(u32),
}

/// A change of one cell, or of all cells of an array.
#[derive(Debug, Clone)]
pub struct Update {
    /// What is changed.
    pub symbol: usize,
    /// Which cells.
    pub target: Target,
    /// The new value.
    pub value: NewValue,
    /// Where.
    pub span: Span,
}

/// Which cells are changed.
#[derive(Debug, Clone)]
pub enum Target {
    /// One.
    Cell(Vec<Process>),
    /// All; the slots hold the indices.
    Every(Vec<u8>),
}

/// A new value.
#[derive(Debug, Clone)]
pub enum NewValue {
    /// A term.
    Term(Term),
    /// Anything.
    Any,
    /// The term of the first condition that holds; without one the cell is left alone.
    Case(Vec<(Formula, Term)>),
}

/// A memory model for systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Writes are visible at once.
    Sc,
    /// One buffer per process.
    Tso,
    /// One buffer per process and cell.
    Pso,
}

impl System {
    /// Whether some variable is in weak memory.
    pub fn is_weak(&self) -> bool {
        self.symbols.iter().any(|symbol| symbol.weak)
    }

    /// The type of a term.
    pub fn type_of(&self, term: &Term) -> Type {
        match term {
            Term::Proc(_) => Type::Proc,
            Term::Constructor(ty, _) => Type::Enum(*ty),
            Term::Access(access) => self.symbols[access.symbol].ty,
            Term::Sum(parts, _) => parts.first().map_or(Type::Int, |(_, access)| self.symbols[access.symbol].ty),
        }
    }

    /// Whether a write of this symbol may be overtaken by one of another process that was issued earlier: only writes that
    /// wait in a buffer can be late, and not those of cells that only their owner writes.
    pub fn can_be_late(&self, symbol: usize) -> bool {
        let writers = || {
            let of = |transition: &'_ Transition| transition.updates.iter().any(|update| update.symbol == symbol);
            self.transitions.iter().filter(move |transition| of(transition))
        };
        let owned = |transition: &Transition| {
            let actor = transition.actor.map(Process::Slot);
            transition.updates.iter().filter(|update| update.symbol == symbol).all(|update| match &update.target {
                Target::Cell(args) => args.first().is_some_and(|first| Some(*first) == actor),
                Target::Every(_) => false,
            })
        };
        writers().any(|transition| !transition.reads(self)) && !writers().all(owned)
    }

    /// How many processes the text names by number.
    pub fn fixed(&self) -> u8 {
        let mut most = 0;
        let mut see = |process: Process| {
            if let Process::Fixed(n) = process {
                most = most.max(n + 1);
            }
        };
        for property in self.bad.iter().chain(&self.invariants).chain([&self.init]) {
            property.formula.processes(&mut see);
        }
        for transition in &self.transitions {
            transition.guard.processes(&mut see);
            for update in &transition.updates {
                if let Target::Cell(args) = &update.target {
                    args.iter().for_each(|&p| see(p));
                }
                match &update.value {
                    NewValue::Term(term) => term.processes(&mut see),
                    NewValue::Any => {}
                    NewValue::Case(cases) => {
                        for (condition, term) in cases {
                            condition.processes(&mut see);
                            term.processes(&mut see);
                        }
                    }
                }
            }
        }
        most
    }
}

impl Transition {
    /// Whether the guard wants an empty buffer.
    pub fn has_fence(&self) -> bool {
        self.guard.has_fence()
    }

    /// Whether it reads weak memory.
    pub fn reads(&self, system: &System) -> bool {
        let mut found = false;
        self.accesses(&mut |access| found |= system.symbols[access.symbol].weak);
        found
    }

    /// All accesses in its guard and in the values of its updates.
    pub fn accesses(&self, see: &mut dyn FnMut(&Access)) {
        self.guard.accesses(see);
        for update in &self.updates {
            match &update.value {
                NewValue::Term(term) => term.accesses(see),
                NewValue::Any => {}
                NewValue::Case(cases) => {
                    for (condition, term) in cases {
                        condition.accesses(see);
                        term.accesses(see);
                    }
                }
            }
        }
    }

    /// Whether it writes weak memory.
    pub fn writes(&self, system: &System) -> bool {
        self.updates.iter().any(|update| system.symbols[update.symbol].weak)
    }
}

impl Term {
    /// All accesses in it.
    pub fn accesses(&self, see: &mut dyn FnMut(&Access)) {
        match self {
            Term::Proc(_) | Term::Constructor(..) => {}
            Term::Access(access) => see(access),
            Term::Sum(parts, _) => parts.iter().for_each(|(_, access)| see(access)),
        }
    }

    /// All processes in it.
    pub fn processes(&self, see: &mut dyn FnMut(Process)) {
        if let Term::Proc(process) = self {
            see(*process);
        }
        self.accesses(&mut |access| {
            access.args.iter().for_each(|&p| see(p));
            if let Some(by) = access.by {
                see(by);
            }
        });
    }
}

impl Formula {
    /// All accesses in it.
    pub fn accesses(&self, see: &mut dyn FnMut(&Access)) {
        match self {
            Formula::Bool(_) | Formula::Fence => {}
            Formula::Compare(_, left, right) => {
                left.accesses(see);
                right.accesses(see);
            }
            Formula::Not(inner) => inner.accesses(see),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.accesses(see)),
            Formula::Each { body, .. } => body.accesses(see),
        }
    }

    /// All processes in it.
    pub fn processes(&self, see: &mut dyn FnMut(Process)) {
        match self {
            Formula::Bool(_) | Formula::Fence => {}
            Formula::Compare(_, left, right) => {
                left.processes(see);
                right.processes(see);
            }
            Formula::Not(inner) => inner.processes(see),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.processes(see)),
            Formula::Each { apart, body, .. } => {
                apart.iter().for_each(|&p| see(p));
                body.processes(see);
            }
        }
    }

    /// Whether there is a `fence()` in it.
    pub fn has_fence(&self) -> bool {
        match self {
            Formula::Fence => true,
            Formula::Bool(_) | Formula::Compare(..) => false,
            Formula::Not(inner) => inner.has_fence(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::has_fence),
            Formula::Each { body, .. } => body.has_fence(),
        }
    }

    /// Whether a process is quantified in it.
    pub fn has_quantifier(&self) -> bool {
        match self {
            Formula::Bool(_) | Formula::Fence | Formula::Compare(..) => false,
            Formula::Not(inner) => inner.has_quantifier(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(Formula::has_quantifier),
            Formula::Each { .. } => true,
        }
    }
}

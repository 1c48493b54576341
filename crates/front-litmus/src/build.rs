//! The program under construction: shared memory, tags, and what the condition means.

use crate::body::Body;
use crate::condition::{Final, Prop};
use crate::init::{Item, Type};
use crate::state::{LocationName, Value};
use ir::{
    Address, Atom, Cell, Comparison, Condition, Expr, Function, FunctionId, Location, Object, ObjectId, Program,
    Proposition, Seam, TagSet, Thread, ThreadId, Width,
};
use source::{Diagnostic, SourceFile, Span};
use std::collections::HashMap;

/// The program so far, and the names in it.
#[derive(Debug)]
pub(crate) struct Build<'s> {
    pub file: &'s SourceFile,
    pub program: Program,
    /// The size of a cell that nothing says more about.
    pub cell: Width,
    /// The size of a register that nothing says more about.
    pub register: Width,
    /// Per thread, the code as herd prints it for its hash.
    pub lines: Vec<Vec<String>>,
    objects: HashMap<String, ObjectId>,
    /// Per object, the distance of its elements in bytes.
    strides: Vec<u64>,
    names: Vec<HashMap<String, ir::LocalId>>,
    /// The domains of SRCU, in the order in which they are first used.
    domains: Vec<String>,
}

/// How an architecture names its registers: the name that identifies the register, or nothing if there is none such.
pub(crate) type Registers = fn(&str) -> Option<String>;

impl<'s> Build<'s> {
    /// An empty program.
    pub fn new(file: &'s SourceFile, name: &str, arch: &str, (cell, register): (Width, Width)) -> Self {
        let program = Program::new(name, arch, file.clone());
        Build {
            file,
            program,
            cell,
            register,
            lines: Vec::new(),
            objects: HashMap::new(),
            strides: Vec::new(),
            names: Vec::new(),
            domains: Vec::new(),
        }
    }

    /// The tags with these names.
    pub fn tags(&mut self, names: &[&str]) -> TagSet {
        names.iter().map(|name| self.program.tag(name)).collect()
    }

    /// The object called `name`, which is added, with one cell of the usual size holding 0, if it is new.
    pub fn object(&mut self, name: &str) -> ObjectId {
        let cell = self.cell;
        self.object_with(name, cell)
    }

    /// As [`Build::object`], with a cell of `width` if the object is new.
    pub fn object_with(&mut self, name: &str, width: Width) -> ObjectId {
        if let Some(&object) = self.objects.get(name) {
            return object;
        }
        let id = ObjectId(self.program.objects.len() as u32);
        let cells = vec![Cell { offset: 0, width, initial: Expr::Const(0, width) }];
        self.program.objects.push(Object { name: name.to_owned(), cells, shared: true, align: 8 });
        self.strides.push(u64::from(width.bits()) / 8);
        self.objects.insert(name.to_owned(), id);
        id
    }

    /// The number of a domain of SRCU.
    pub fn srcu_domain(&mut self, name: &str) -> usize {
        self.domains.iter().position(|known| known == name).unwrap_or_else(|| {
            self.domains.push(name.to_owned());
            self.domains.len() - 1
        })
    }

    /// Makes the objects that the initial state mentions. `width` says how wide a cell of an item is.
    pub fn initialise(&mut self, items: &[Item<'_>], width: impl Fn(&Item<'_>) -> Width) {
        for item in items {
            if let LocationName::Memory(name) = item.place {
                let width = width(item);
                let object = self.object_with(name, width);
                if let Type::Array(_, size) = item.ty {
                    let stride = item.ty.element_size();
                    self.strides[object.index()] = stride;
                    let cell = |at: u32| Cell { offset: u64::from(at) * stride, width, initial: Expr::Const(0, width) };
                    self.program.objects[object.index()].cells = (0..size).map(cell).collect();
                }
            }
        }
        for item in items {
            if let LocationName::Memory(name) = item.place {
                let object = self.object(name);
                for (at, value) in item.values.iter().enumerate() {
                    let width = self.program.objects[object.index()].cells[at].width;
                    let initial = self.value(*value, width);
                    let cell = &mut self.program.objects[object.index()].cells[at];
                    if matches!(initial, Expr::Address(..)) {
                        cell.width = Width::WORD;
                    }
                    cell.initial = initial;
                }
            }
        }
    }

    /// The distance of the elements of an object in bytes.
    pub fn stride(&self, object: ObjectId) -> u64 {
        self.strides[object.index()]
    }

    /// The value as an expression: a constant of `width`, or an address.
    pub fn value(&mut self, value: Value<'_>, width: Width) -> Expr {
        match value {
            Value::Number(number, _) => Expr::constant(number, width),
            Value::Address(name, index) => {
                let object = self.object(name);
                Expr::Address(object, u64::from(index) * self.strides[object.index()])
            }
        }
    }

    /// Assigns the registers of thread `thread` that the initial state mentions.
    pub fn initialise_registers(
        &mut self,
        items: &[&Item<'_>],
        registers: Registers,
        body: &mut Body,
    ) -> Result<(), Diagnostic> {
        for item in items {
            let LocationName::Register(_, name) = item.place else { continue };
            let key = registers(name).ok_or_else(|| self.no_register(name, item.span))?;
            let usual = if matches!(item.ty, Type::Pointer(_)) { Width::WORD } else { self.register };
            let first = item.values.first().copied().unwrap_or(Value::Number(0, "0"));
            let width = if matches!(first, Value::Address(..)) { Width::WORD } else { usual };
            let local = body.local(&key, name, width);
            let value = self.value(first, body.width(local));
            body.span = item.span;
            body.assign(local, value);
        }
        Ok(())
    }

    fn no_register(&self, name: &str, span: Span) -> Diagnostic {
        Diagnostic::error(self.file, span, format!("{} has no register `{name}`", self.program.arch))
    }

    /// Groups the registers of the initial state by thread.
    pub fn registers_by_thread<'i, 'n>(
        &self,
        items: &'i [Item<'n>],
        threads: usize,
    ) -> Result<Vec<Vec<&'i Item<'n>>>, Diagnostic> {
        let mut grouped = vec![Vec::new(); threads];
        for item in items {
            if let LocationName::Register(thread, _) = item.place {
                let group =
                    grouped.get_mut(thread as usize).ok_or_else(|| self.no_thread(thread, item.span, threads))?;
                group.push(item);
            }
        }
        Ok(grouped)
    }

    fn no_thread(&self, thread: u32, span: Span, threads: usize) -> Diagnostic {
        Diagnostic::error(self.file, span, format!("there is no thread {thread}"))
            .help(format!("the test has {threads} threads, counted from 0"))
    }

    /// Adds a thread.
    pub fn thread(&mut self, body: Body) {
        let Body { function, names, seams, .. } = body;
        let id = FunctionId(self.program.functions.len() as u32);
        self.program.seams.extend(seams.into_iter().map(|seam| Seam { function: id, ..seam }));
        self.program.threads.push(Thread { name: function.name.clone(), body: id });
        self.program.functions.push(function);
        self.names.push(names);
    }

    /// Gives the program its condition, filter and observed locations.
    pub fn conclude(&mut self, end: &Final<'_>, registers: Registers) -> Result<(), Diagnostic> {
        for &(place, span) in &end.locations {
            let observed = match place {
                // An array without an index stands for all its elements.
                LocationName::Memory(name) => {
                    let object = self.object(name);
                    let cells = &self.program.objects[object.index()].cells;
                    cells.iter().map(|cell| Location::Memory(Address { object, offset: cell.offset })).collect()
                }
                LocationName::Register(..) | LocationName::Element(..) => vec![self.location(place, registers, span)?],
            };
            self.program.observed.extend(observed);
        }
        if let Some(filter) = &end.filter {
            self.program.filter = Some(self.proposition(filter, registers)?);
        }
        let proposition = self.proposition(&end.proposition, registers)?;
        self.program.condition = Some(Condition { quantifier: end.quantifier, proposition });
        Ok(())
    }

    fn proposition(&mut self, prop: &Prop<'_>, registers: Registers) -> Result<Proposition, Diagnostic> {
        let mut all =
            |props: &[Prop<'_>]| props.iter().map(|p| self.proposition(p, registers)).collect::<Result<Vec<_>, _>>();
        Ok(match prop {
            Prop::True => Proposition::True,
            Prop::False => Proposition::False,
            Prop::And(props) => Proposition::And(all(props)?),
            Prop::Or(props) => Proposition::Or(all(props)?),
            Prop::Not(inner) => Proposition::Not(Box::new(self.proposition(inner, registers)?)),
            Prop::Implies(left, right) => Proposition::Implies(
                Box::new(self.proposition(left, registers)?),
                Box::new(self.proposition(right, registers)?),
            ),
            Prop::Same { places: [left, right], comparison, span } => {
                let (left, right) = (self.location(*left, registers, *span)?, self.location(*right, registers, *span)?);
                if [left, right].iter().any(|&location| !self.parts(location).is_empty()) {
                    let message = "a comparison with a location that is accessed in parts";
                    return Err(Diagnostic::error(self.file, *span, message).help("compare with a constant"));
                }
                let same = Proposition::Same(left, right);
                match comparison {
                    Comparison::Eq => same,
                    Comparison::Ne => Proposition::Not(Box::new(same)),
                }
            }
            Prop::Atom { place, comparison, value, span } => {
                let location = self.location(*place, registers, *span)?;
                let parts = self.parts(location);
                let width = if parts.is_empty() { location.width(&self.program) } else { Width::WORD };
                let value = match self.value(*value, width) {
                    Expr::Address(object, offset) => Address { object, offset }.to_bits(),
                    Expr::Const(value, _) => value,
                    _ => 0,
                };
                if parts.is_empty() {
                    return Ok(Proposition::Atom(Atom { location, comparison: *comparison, value }));
                }
                let atom = |(location, shift, width): (Location, u32, Width)| {
                    let value = value >> shift & width.mask();
                    Proposition::Atom(Atom { location, comparison: *comparison, value })
                };
                let atoms = parts.into_iter().map(atom).collect();
                match comparison {
                    Comparison::Eq => Proposition::And(atoms),
                    Comparison::Ne => Proposition::Or(atoms),
                }
            }
        })
    }

    /// The cells that a declared location consists of, if they are several: each with its place in the value.
    fn parts(&self, location: Location) -> Vec<(Location, u32, Width)> {
        let Location::Memory(Address { object, offset }) = location else { return Vec::new() };
        let element = offset..offset + self.strides[object.index()];
        let cells = self.program.objects[object.index()].cells.iter().filter(|cell| element.contains(&cell.offset));
        let part = |cell: &Cell| {
            let address = Address { object, offset: cell.offset };
            (Location::Memory(address), 8 * (cell.offset - offset) as u32, cell.width)
        };
        let parts: Vec<_> = cells.map(part).collect();
        if parts.len() > 1 { parts } else { Vec::new() }
    }

    /// The location that a place stands for. Registers and locations that nothing mentions exist and hold 0.
    fn location(&mut self, place: LocationName<'_>, registers: Registers, span: Span) -> Result<Location, Diagnostic> {
        match place {
            LocationName::Register(thread, name) => {
                let at = thread as usize;
                let threads = self.names.len();
                let names = self.names.get_mut(at).filter(|_| at < threads);
                let Some(names) = names else { return Err(self.no_thread(thread, span, threads)) };
                let Some(key) = registers(name) else { return Err(self.no_register(name, span)) };
                let function: &mut Function = &mut self.program.functions[at];
                let width = self.register;
                let local = *names.entry(key).or_insert_with(|| {
                    function.locals.push(ir::Local { name: name.to_owned(), width });
                    ir::LocalId(function.locals.len() as u32 - 1)
                });
                // One register can have several names: the reader sees the one the condition has.
                name.clone_into(&mut function.locals[local.index()].name);
                Ok(Location::Local(ThreadId(thread), local))
            }
            LocationName::Memory(name) => Ok(Location::Memory(Address { object: self.object(name), offset: 0 })),
            LocationName::Element(name, index) => {
                let object = self.object(name);
                let size = self.program.objects[object.index()].cells.len();
                if index as usize >= size {
                    let message = format!("`{name}` has no element {index}");
                    return Err(Diagnostic::error(self.file, span, message)
                        .help(format!("declare it in the initial state: `int {name}[{}];`", index + 1)));
                }
                let offset = u64::from(index) * self.strides[object.index()];
                Ok(Location::Memory(Address { object, offset }))
            }
        }
    }
}

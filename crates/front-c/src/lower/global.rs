//! What is declared outside functions, and static variables inside.

use super::declare::Base;
use super::initial::{Setting, Source};
use super::scope::Entity;
use super::usage::address_of;
use super::{Global, GlobalId, Item, Lowering, Unit, strip_casts};
use crate::types::{Kind, Type};
use c_syntax::ast::{self, Declaration, Expression, InitDeclarator, Initializer, MemberOperator, Node};
use ir::{Address, Cell, Expr, FunctionId, Instr, Local, LocalId, Object, ObjectId, Op, System, Width};
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};
use std::rc::Rc;
use std::sync::Arc;

impl Lowering {
    /// Declares what stands outside functions. What is not supported is complained about where it is used.
    pub fn declare_item(&mut self, item: &Item) -> Result<(), Diagnostic> {
        match item {
            Item::Function(definition) => {
                let signature = self.definition_signature(definition);
                self.note_lifetime(&definition.specifiers, &definition.declarator)?;
                let Some(name) = &definition.declarator.name else { return Ok(()) };
                let storage = &definition.specifiers.storage;
                // An inline definition is for its own translation unit.
                let own = storage.is_static || storage.is_inline && !storage.is_extern;
                self.declare_function(&name.text, signature, Some(definition.clone()), (own, name.span))
            }
            Item::Other(item) => match item {
                ast::Item::Declaration(declaration) => self.declare_outside(declaration),
                ast::Item::StaticAssert(assert) => self.static_assert(assert),
                ast::Item::Function(_) => Ok(()),
                ast::Item::Asm(asm) if only_directives(&asm.template.text()) => Ok(()),
                ast::Item::Asm(asm) => {
                    let complaint = self.error(self.at(asm.span), "assembly outside functions is not supported");
                    Err(complaint.help("write it in C"))
                }
            },
        }
    }

    fn declare_outside(&mut self, declaration: &Declaration) -> Result<(), Diagnostic> {
        let base = self.base(&declaration.specifiers);
        for init in &declaration.declarators {
            let Some(name) = &init.declarator.name else { continue };
            self.note_lifetime(&declaration.specifiers, &init.declarator)?;
            let result = base.clone().and_then(|base| self.declare_one_outside(&base, init));
            if let Err(why) = result {
                self.file().names.insert(name.text.clone(), Entity::Bad(Rc::new(why)));
            }
        }
        Ok(())
    }

    fn declare_one_outside(&mut self, base: &Base, init: &InitDeclarator) -> Result<(), Diagnostic> {
        let Some(name) = &init.declarator.name else { return Ok(()) };
        let (name, span) = (&*name.text, name.span);
        let ty = self.declared_type(base, init)?;
        if base.typedef {
            let ours = match self.files[Unit::Library.index()].names.get(name) {
                Some(Entity::Typedef(ours)) if self.body.unit.is_user() && library_type(name) => Some(ours.clone()),
                _ => None,
            };
            self.file().names.insert(name.to_owned(), Entity::Typedef(ours.unwrap_or(ty)));
            return Ok(());
        }
        if let Kind::Function(signature) = ty.kind {
            return self.declare_function(name, Ok(signature), None, (base.fixed, span));
        }
        let place = self.at(span);
        if let Some(label) = &init.declarator.label
            && self.string_bytes(label)? != name.as_bytes()
        {
            let complaint = self.error(place, format!("`{name}` has another name for the linker"));
            return Err(complaint.help("use one name for the variable, or `__attribute__((alias))`"));
        }
        let initializer = init.initializer.clone().map(Rc::new);
        let external = base.external && initializer.is_none();
        let aligned = base.aligned.max(self.alignment(&init.declarator.attributes, &[])?);
        let linked = if base.fixed { None } else { self.linked.get(name).cloned() };
        if let Some(Entity::Global(id)) = self.file().names.get(name).cloned().or(linked) {
            self.file().names.insert(name.to_owned(), Entity::Global(id));
            self.check_redeclared(id, &ty, base.thread, place);
            let unit = self.body.unit;
            let known = &mut self.globals[id.0 as usize];
            if known.initializer.is_some() && initializer.is_some() {
                let complaint = self.error(place, format!("`{name}` is defined twice"));
                self.complain(complaint.help("remove one of the definitions, or make them static"));
                return Ok(());
            }
            if known.unit != unit && (initializer.is_some() || known.external && !external) {
                (known.unit, known.ty, known.span) = (unit, ty.clone(), place);
            }
            if matches!(known.ty.kind, Kind::Array(_, None)) {
                known.ty = ty;
            }
            if initializer.is_some() {
                known.initializer = initializer;
            }
            known.external &= external;
            known.thread |= base.thread;
            known.constant |= base.is_constant(&init.declarator);
            known.aligned = known.aligned.max(aligned);
            return Ok(());
        }
        let id = self.new_global(name, ty, initializer, external, base.thread, place);
        self.globals[id.0 as usize].aligned = aligned;
        self.globals[id.0 as usize].constant = base.is_constant(&init.declarator);
        self.file().names.insert(name.to_owned(), Entity::Global(id));
        if !base.fixed && self.body.unit.is_user() {
            self.linked.insert(name.to_owned(), Entity::Global(id));
        }
        Ok(())
    }

    /// Complains about a variable that is declared with another type than before, in this file or in another one.
    pub fn check_redeclared(&mut self, id: GlobalId, ty: &Type, thread: bool, place: Span) {
        let known = &self.globals[id.0 as usize];
        if !known.unit.is_user() || known.thread == thread && self.types.compatible(&known.ty, ty) {
            return;
        }
        let describe =
            |ty: &Type, thread| format!("{}{}", if thread { "_Thread_local " } else { "" }, self.types.describe(ty));
        let (name, old, new) = (&known.name, describe(&known.ty, known.thread), describe(ty, thread));
        let there = self.other_place(known.span, place);
        let message = format!("`{name}` is declared as `{new}` here and as `{old}` in {there}");
        let complaint = self.error(place, message);
        self.complain(
            complaint
                .help("give all declarations of a variable the same type, best in a header that all files include"),
        );
    }

    /// The type of a declarator; `__auto_type` takes that of the initialiser.
    pub fn declared_type(&mut self, base: &Base, init: &InitDeclarator) -> Result<Type, Diagnostic> {
        let ty = match (&base.ty, &init.initializer) {
            (Some(ty), _) => ty.clone(),
            (None, Some(initializer)) => match &initializer.node {
                Initializer::Expression(e) => super::declare::decayed(self.type_of(e)?.unqualified()),
                Initializer::List(_) => Type::INT,
            },
            (None, None) => Type::INT,
        };
        let mut ty = self.declarator_type(ty, &init.declarator)?;
        if base.typedef {
            let aligned = base.aligned.max(self.alignment(&init.declarator.attributes, &[])?);
            ty.align = aligned.map_or(ty.align, |bytes| bytes as u32);
        }
        Ok(ty)
    }

    /// A new variable that is no local one.
    pub fn new_global(
        &mut self,
        name: &str,
        ty: Type,
        initializer: Option<Rc<Node<Initializer>>>,
        external: bool,
        thread: bool,
        span: Span,
    ) -> GlobalId {
        let unit = self.body.unit;
        let name = name.to_owned();
        let inner = !self.body.scopes.is_empty();
        let (object, offset) = (None, None);
        self.globals.push(Global {
            name,
            unit,
            ty,
            initializer,
            external,
            thread,
            constant: false,
            aligned: None,
            inner,
            object,
            offset,
            span,
        });
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// The type of a variable, complete if its initialiser says so.
    pub fn global_type(&mut self, id: GlobalId) -> Result<Type, Diagnostic> {
        let global = &self.globals[id.0 as usize];
        if let (Kind::Array(element, None), Some(initializer)) = (&global.ty.kind, global.initializer.clone()) {
            let element = element.clone();
            let count = self.initializer_count(&element, &initializer.node)?;
            self.globals[id.0 as usize].ty = Kind::Array(element, Some(count)).into();
        } else if let (Kind::Array(element, None), false) = (&global.ty.kind, global.external) {
            // A tentative definition: one element.
            let ty = Kind::Array(element.clone(), Some(1)).into();
            self.globals[id.0 as usize].ty = ty;
        }
        Ok(self.globals[id.0 as usize].ty.clone())
    }

    /// The address and the type of a variable that is no local one.
    pub fn global_address(&mut self, id: GlobalId, span: Span) -> Result<(Expr, Type), Diagnostic> {
        let ty = self.global_type(id)?;
        let global = &self.globals[id.0 as usize];
        if global.external && self.types.leaves(&ty).is_ok_and(|leaves| leaves.len() > MAX_UNKNOWN) {
            let complaint = self.error(span, format!("the variable `{}` is declared but not defined", global.name));
            return Err(complaint.help("define it, with the value that it has at first"));
        }
        if global.thread {
            let offset = self.tls_offset(id)?;
            let addr = super::fold::add_offset(self.tls_address(), offset);
            return Ok((addr, ty));
        }
        if let Some(object) = global.object {
            return Ok((Expr::Address(object, 0), ty));
        }
        let name = global.name.clone();
        let align = self.types.align(&ty).unwrap_or(1).max(global.aligned.unwrap_or(1));
        self.program.objects.push(Object { name, cells: Vec::new(), shared: false, align });
        let object = ObjectId(self.program.objects.len() as u32 - 1);
        self.globals[id.0 as usize].object = Some(object);
        // Of a variable that is defined elsewhere with a type that is defined elsewhere, only the address is known.
        if !self.globals[id.0 as usize].external || self.types.size(&ty).is_ok() {
            let cells = self.initial_cells(id)?;
            for cell in &cells {
                let part = self.types.path(&ty, cell.offset);
                if !part.is_empty() || self.types.is_library(&ty) {
                    Arc::make_mut(&mut self.program.parts).insert(Address { object, offset: cell.offset }, part);
                }
            }
            self.program.objects[object.index()].cells = cells;
        }
        Ok((Expr::Address(object, 0), ty))
    }

    /// Whether an argument is the address of a variable outside functions, or of a member of one: what that holds at first is known.
    pub fn is_static(&self, e: &Node<Expression>) -> bool {
        let mut operand = address_of(strip_casts(&e.node)).map(|operand| &operand.node);
        while let Some(Expression::Member(member)) = operand {
            operand = (member.operator == MemberOperator::Direct).then_some(&member.expression.node);
        }
        match operand {
            Some(Expression::Identifier(name)) => match self.lookup(name) {
                Some(Entity::Global(id)) => {
                    let global = &self.globals[id.0 as usize];
                    !global.external && !global.thread
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Objects that are declared to be constant cannot be written.
    pub fn protect_constants(&mut self) {
        let constant = |global: &Global| global.object.filter(|_| global.constant && !global.external);
        self.program.constants.extend(self.globals.iter().filter_map(constant));
    }

    /// What is only declared, and defined elsewhere, holds any value at first: `main` begins by saying so.
    pub fn forget_externals(&mut self, main: FunctionId) {
        let external = |global: &Global| if global.external { global.object } else { None };
        let unknown = self.globals.iter().filter_map(external);
        let objects: Vec<ObjectId> = unknown.chain(self.unspecified.choices.iter().copied()).collect();
        let tags = self.tags(&["NA"]);
        let mut instrs = Vec::new();
        for object in objects {
            let cells: Vec<(u64, Width)> =
                self.program.objects[object.index()].cells.iter().map(|cell| (cell.offset, cell.width)).collect();
            for (offset, width) in cells {
                let function = &mut self.program.functions[main.index()];
                let dst = LocalId(function.locals.len() as u32);
                function.locals.push(Local { name: format!("%unknown{}", dst.0), width });
                instrs.push(Op::System(System::Nondet { dst }));
                let (addr, value, tags) = (Expr::Address(object, offset), Expr::Local(dst), tags.clone());
                instrs.push(Op::Store { addr, value, tags });
            }
        }
        if let Some(first) = self.program.functions[main.index()].blocks.first_mut() {
            first.instrs.splice(0..0, instrs.into_iter().map(|op| Instr { op, span: Span::default() }));
        }
    }

    /// The cells of a variable with their first values.
    pub fn initial_cells(&mut self, id: GlobalId) -> Result<Vec<Cell>, Diagnostic> {
        let Global { unit, initializer, span, ty, inner, .. } = &self.globals[id.0 as usize];
        let (unit, initializer, span, ty, inner) = (*unit, initializer.clone(), *span, ty.clone(), *inner);
        // The names of the function that mentions the variable mean nothing in its initialiser.
        let hidden = if inner { None } else { Some(std::mem::take(&mut self.body.scopes)) };
        let outer = std::mem::replace(&mut self.body.span, span);
        let here = std::mem::replace(&mut self.body.unit, unit);
        let result = self.initial_cells_inner(&ty, initializer.as_deref());
        self.body.unit = here;
        self.body.span = outer;
        if let Some(scopes) = hidden {
            self.body.scopes = scopes;
        }
        result
    }

    fn initial_cells_inner(
        &mut self,
        ty: &Type,
        initializer: Option<&Node<Initializer>>,
    ) -> Result<Vec<Cell>, Diagnostic> {
        let mut cells = self.cells(ty, 1)?;
        let Some(initializer) = initializer else { return Ok(cells) };
        let settings = self.flatten(ty, initializer)?;
        let settings = self.with_literals(settings)?;
        self.make_room(ty, &settings, &mut cells)?;
        for setting in settings {
            let span = self.setting_span(&setting);
            let value = self.constant_setting(&setting)?;
            let at = cells.partition_point(|cell| cell.offset <= setting.offset).saturating_sub(1);
            let width = self.body.width(&value);
            let exact = cells.get(at).is_some_and(|cell| cell.offset == setting.offset && cell.width == width);
            if !exact {
                // A member of a union that divides the memory in another way.
                let bits = setting.bits.map_or(width.mask(), |field| Width::new(field.bits).mask() << field.shift);
                if set_bytes(&mut cells, setting.offset, &value, bits).is_none() {
                    let complaint = self.error(span, "this initialises a part of the variable with another size");
                    return Err(complaint.help("initialise the largest member of the union"));
                }
                continue;
            }
            let cell = &mut cells[at];
            cell.initial = match (&cell.initial, value, setting.bits) {
                (Expr::Const(unit, width), Expr::Const(value, _), Some(field)) => {
                    let mask = Width::new(field.bits).mask() << field.shift;
                    Expr::Const((unit & !mask) | value, *width)
                }
                (_, value, _) => value,
            };
        }
        Ok(cells)
    }

    /// Cells for what an initialiser sets behind the end of the type: elements of an array without a size.
    fn make_room(&mut self, ty: &Type, settings: &[Setting<'_>], cells: &mut Vec<Cell>) -> Result<(), Diagnostic> {
        let mut at = self.size(ty)?;
        let end = settings.iter().map(|s| s.offset + s.size).max().unwrap_or(0);
        let beyond = settings.iter().filter(|s| s.offset >= at && s.bits.is_none());
        let beyond: FxHashMap<u64, &Type> = beyond.map(|s| (s.offset, &s.ty)).collect();
        while at < end {
            let width = beyond.get(&at).map_or(Ok(Width::new(8)), |ty| self.scalar_width(ty))?;
            cells.push(Cell { offset: at, width, initial: Expr::constant(0, width) });
            at += u64::from(width.bits()) / 8;
        }
        Ok(())
    }

    /// GNU C takes a compound literal for the list that it has.
    fn with_literals<'a>(&mut self, settings: Vec<Setting<'a>>) -> Result<Vec<Setting<'a>>, Diagnostic> {
        let mut out = Vec::with_capacity(settings.len());
        for setting in settings {
            match setting.source {
                Source::Expression(Node { node: Expression::CompoundLiteral(literal), .. })
                    if setting.ty.is_record() && self.type_name(&literal.type_name)?.kind == setting.ty.kind =>
                {
                    let inner = self.flatten_items(&setting.ty, setting.offset, &literal.initializer)?;
                    out.extend(self.with_literals(inner)?);
                }
                Source::Expression(_) | Source::Number(_) => out.push(setting),
            }
        }
        Ok(out)
    }

    /// The object that holds a string.
    pub fn string_object(&mut self, bytes: Vec<u8>) -> ObjectId {
        if let Some(&object) = self.strings.get(&bytes) {
            return object;
        }
        let width = Width::new(8);
        let cell = |(at, byte): (usize, &u8)| Cell {
            offset: at as u64,
            width,
            initial: Expr::constant(i64::from(*byte), width),
        };
        let cells = bytes.iter().chain([&0]).enumerate().map(cell).collect();
        let name = format!("{:?}", String::from_utf8_lossy(&bytes));
        self.program.objects.push(Object { name, cells, shared: false, align: 1 });
        let object = ObjectId(self.program.objects.len() as u32 - 1);
        self.program.constants.insert(object);
        self.strings.insert(bytes, object);
        object
    }
}

/// Variables that are defined elsewhere can have so many scalars.
const MAX_UNKNOWN: usize = 1000;

/// Whether assembly has no instructions: only what the assembler and the linker are told.
fn only_directives(text: &str) -> bool {
    let mut lines = text.split([';', '\n']).map(str::trim);
    lines.all(|line| line.is_empty() || line.starts_with(['.', '#']))
}

/// Types for which ours counts whatever the headers say.
fn library_type(name: &str) -> bool {
    name.starts_with("pthread_") || matches!(name, "sem_t" | "mtx_t" | "cnd_t" | "thrd_t" | "tss_t" | "once_flag")
}

/// Puts these bits of a number into cells of other sizes, byte by byte. Nothing comes back where there is an address.
fn set_bytes(cells: &mut [Cell], offset: u64, value: &Expr, bits: u64) -> Option<()> {
    let Expr::Const(value, width) = value else { return None };
    for byte in 0..u64::from(width.bits().div_ceil(8)) {
        let at = offset + byte;
        let (mask, value) = ((bits >> (8 * byte)) & 0xff, (value >> (8 * byte)) & 0xff);
        if mask == 0 {
            continue;
        }
        let cell =
            cells.iter_mut().find(|cell| cell.offset <= at && at - cell.offset < u64::from(cell.width.bits()) / 8)?;
        let Expr::Const(old, _) = cell.initial else { return None };
        let shift = 8 * (at - cell.offset);
        cell.initial = Expr::Const(old & !(mask << shift) | (value & mask) << shift, cell.width);
    }
    Some(())
}

//! Declarations inside functions.

use super::Lowering;
use super::declare::Base;
use super::place::{At, Place};
use super::scope::{Entity, Storage, Variable};
use crate::types::{Kind, Type};
use c_syntax::ast::{Declaration, InitDeclarator, Initializer, InitializerItem, Name, Node, Range, StaticAssert};
use ir::{Expr, Op, System};
use source::Diagnostic;
use std::rc::Rc;

impl Lowering {
    /// Declares variables, types and functions.
    pub fn declaration(&mut self, declaration: &Declaration) -> Result<(), Diagnostic> {
        if declaration.declarators.is_empty() {
            self.tag_of_its_own(&declaration.specifiers.ty);
        }
        let base = self.base(&declaration.specifiers)?;
        for init in &declaration.declarators {
            let outer = self.enter(init.span);
            let cleanup = super::lifetime::cleanup(&declaration.specifiers, &init.declarator);
            let result = self.full_expression(|lowering| lowering.declare_local(&base, init, cleanup));
            self.body.span = outer;
            result?;
        }
        Ok(())
    }

    fn declare_local(&mut self, base: &Base, init: &InitDeclarator, cleanup: Option<&Name>) -> Result<(), Diagnostic> {
        let Some(name) = &init.declarator.name else { return Ok(()) };
        let (name, span) = (&*name.text, name.span);
        let automatic = !(base.typedef || base.fixed || base.thread || base.external);
        let mut ty = self.declared_type(base, init)?;
        if automatic && self.types.is_variable(&ty) {
            return self.declare_variable_length(name, ty, init);
        }
        if base.typedef {
            self.innermost().names.insert(name.to_owned(), Entity::Typedef(ty));
            return Ok(());
        }
        if let Kind::Function(signature) = ty.kind {
            // Known outside too; what is defined stays defined.
            self.declare_function(name, Ok(signature), None, (false, span))?;
            if let Some(entity) = self.file().names.get(name).cloned() {
                self.innermost().names.insert(name.to_owned(), entity);
            }
            return Ok(());
        }
        if base.external && init.initializer.is_none() {
            let known = self.file().names.get(name).cloned();
            let entity = match known.or_else(|| self.linked.get(name).cloned()) {
                Some(entity) => {
                    if let Entity::Global(id) = entity {
                        self.check_redeclared(id, &ty, base.thread, self.at(span));
                    }
                    entity
                }
                None => {
                    let place = self.at(span);
                    let id = self.new_global(name, ty, None, true, base.thread, place);
                    self.file().names.insert(name.to_owned(), Entity::Global(id));
                    if self.body.unit.is_user() {
                        self.linked.insert(name.to_owned(), Entity::Global(id));
                    }
                    Entity::Global(id)
                }
            };
            self.innermost().names.insert(name.to_owned(), entity);
            return Ok(());
        }
        if let (Kind::Array(element, None), Some(initializer)) = (&ty.kind, &init.initializer) {
            let element = element.clone();
            let count = self.initializer_count(&element, &initializer.node)?;
            ty = Kind::Array(element, Some(count)).into();
        }
        if base.fixed || base.thread {
            let place = self.at(span);
            let initializer = init.initializer.clone().map(Rc::new);
            let full = format!("{}.{name}", self.body.function.name);
            let id = self.new_global(&full, ty, initializer, false, base.thread, place);
            self.globals[id.0 as usize].constant = base.is_constant(&init.declarator);
            self.innermost().names.insert(name.to_owned(), Entity::Global(id));
            if !base.thread {
                // Its initialiser is evaluated here, where the names in it are known.
                self.global_address(id, place)?;
            }
            return Ok(());
        }
        let zeroed = matches!(&init.initializer, Some(initializer) if matches!(initializer.node, Initializer::List(_)) && !ty.is_scalar());
        let place = self.new_variable(name, &ty, span, zeroed)?;
        let storage = self.storage_of(&place)?;
        if let Storage::Memory(address) = &storage {
            self.note_variable(*address);
            if let Some(function) = cleanup {
                self.note_cleanup(function, *address, &ty);
            }
        }
        let sealed = match storage {
            Storage::Memory(address) if base.is_constant(&init.declarator) => Some(address),
            Storage::Memory(_) | Storage::Local(_) | Storage::Split(_) => None,
        };
        let variable = Rc::new(Variable { ty: ty.clone(), storage });
        self.innermost().names.insert(name.to_owned(), Entity::Variable(variable));
        match &init.initializer {
            Some(initializer) => {
                let in_memory = matches!(place.at, At::Memory(_));
                self.taker = ty.pointee().map(|_| name.to_owned());
                if zeroed {
                    self.forget_gaps(&place)?;
                }
                let result = self.initialize(&place, initializer, zeroed && in_memory);
                self.taker = None;
                sealed.into_iter().for_each(|address| self.seal_variable(address));
                result
            }
            None => {
                self.forget(&place);
                Ok(())
            }
        }
    }

    /// A new variable where it has to be.
    fn new_variable(&mut self, name: &str, ty: &Type, span: Range, zeroed: bool) -> Result<Place, Diagnostic> {
        let usage = self.body.usage.clone();
        if self.needs_memory(ty, usage.of(span.start)) {
            return self.object(name, ty, zeroed);
        }
        if ty.is_scalar() {
            let width = self.scalar_width(ty)?;
            let local = self.body.local(name, width);
            return Ok(Place { at: At::Local(local), ty: ty.clone(), bits: None });
        }
        let parts = self.split(name, ty)?;
        Ok(Place { at: At::Split(parts, 0), ty: ty.clone(), bits: None })
    }

    /// How the variable at a place is stored.
    pub fn storage_of(&mut self, place: &Place) -> Result<Storage, Diagnostic> {
        match &place.at {
            At::Local(local) => Ok(Storage::Local(*local)),
            At::Split(parts, _) => Ok(Storage::Split(parts.clone())),
            At::Memory(Expr::Local(address)) => Ok(Storage::Memory(*address)),
            At::Memory(_) => Err(self.error(self.span(), "this variable has no place").help("declare it outside")),
        }
    }

    /// Lets a variable without initialiser hold any value. In memory it does so already.
    fn forget(&mut self, place: &Place) {
        match &place.at {
            At::Local(local) => self.emit(Op::System(System::Nondet { dst: *local })),
            At::Split(parts, _) => {
                for (_, local) in parts.clone().iter() {
                    self.emit(Op::System(System::Nondet { dst: *local }));
                }
            }
            At::Memory(_) => {}
        }
    }

    /// `(type){ … }`: outside functions an object of its own, inside a new object each time.
    pub fn compound_literal(&mut self, ty: Type, items: &[InitializerItem], span: Range) -> Result<Place, Diagnostic> {
        let initializer = Node::new(Initializer::List(items.to_vec()), span);
        let mut ty = ty;
        if let Kind::Array(element, None) = &ty.kind {
            let count = self.initializer_count(&element.clone(), &initializer.node)?;
            ty = Kind::Array(element.clone(), Some(count)).into();
        }
        if self.body.scopes.is_empty() {
            let place = self.at(span);
            let id = self.new_global("(literal)", ty.clone(), Some(Rc::new(initializer)), false, false, place);
            let (addr, ty) = self.global_address(id, place)?;
            return Ok(Place::memory(addr, ty));
        }
        let place = self.literal_object(&ty)?;
        self.forget_gaps(&place)?;
        self.initialize(&place, &initializer, true)?;
        Ok(place)
    }

    /// Complains about a static assertion that does not hold.
    pub fn static_assert(&mut self, assert: &StaticAssert) -> Result<(), Diagnostic> {
        if self.const_value(&assert.expression) != Some(0) {
            return Ok(());
        }
        let text = assert.message.as_ref().map_or(String::new(), |text| format!(": {}", text.text()));
        let message = format!("this static assertion does not hold{text}");
        Err(self
            .error(self.at(assert.span), message)
            .help("sizes here are those of 64-bit pointers and natural alignment"))
    }
}

//! Functions: which are reachable, their parameters, their bodies.

use super::body::Body;
use super::declare::{bad, decayed};
use super::entry::{Parameter, is_restrict};
use super::scope::{Entity, Storage, Variable};
use super::usage::{self, Context, Use};
use super::variadic::is_variadic;
use super::{Callee, CalleeId, Lowering, Unit, alive};
use crate::builtins;
use crate::types::{Kind, Signature, Type};
use c_syntax::ast::{FunctionDefinition, Name, Range as Place};
use ir::{Expr, Function, FunctionId, Local, Op, System, Terminator, Width};
use source::{Diagnostic, Span};
use std::rc::Rc;

/// A parameter as the program representation has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Whether a structure is returned: then the first parameter is where to put it.
    pub returns_record: bool,
    /// The width of the result, if there is one.
    pub result: Option<Width>,
    /// The widths of the parameters, structures scalar by scalar.
    pub params: Vec<Width>,
}

impl Lowering {
    /// How a function of this type is called.
    pub fn shape(&self, signature: &Signature) -> Result<Shape, Diagnostic> {
        let mut params = Vec::new();
        for param in &signature.params {
            for leaf in self.leaves(param)? {
                params.push(self.scalar_width(&leaf.ty)?);
            }
        }
        if is_variadic(signature) {
            params.push(Width::WORD);
        }
        let result = if signature.result.is_void() || signature.result.is_record() {
            None
        } else {
            Some(self.scalar_width(&signature.result)?)
        };
        Ok(Shape { returns_record: signature.result.is_record(), result, params })
    }

    /// The number of a function, which is lowered later if it is not yet.
    pub fn request(&mut self, callee: CalleeId, span: Span) -> FunctionId {
        let known = &self.callees[callee.0 as usize];
        if let Some(id) = known.id {
            return id;
        }
        let name = known.name.clone();
        let id = self.new_function(&name);
        self.callees[callee.0 as usize].id = Some(id);
        self.queue.push_back((callee, span));
        id
    }

    /// A function without a body yet.
    pub fn new_function(&mut self, name: &str) -> FunctionId {
        let function =
            Function { name: name.to_owned(), params: 0, library: true, locals: Vec::new(), blocks: Vec::new() };
        self.program.functions.push(function);
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    /// The type of a function that is defined; for old definitions from the declarations after the parameters.
    pub fn definition_signature(&mut self, definition: &FunctionDefinition) -> Result<Rc<Signature>, Diagnostic> {
        let base = self.base(&definition.specifiers)?;
        let ty = self.declarator_type(base.ty.unwrap_or(Type::INT), &definition.declarator)?;
        let Kind::Function(signature) = ty.kind else {
            let complaint = self.error(self.at(definition.span), "this is not a function");
            return Err(complaint.help("a body follows only a function"));
        };
        let Some(names) = definition.declarator.old_parameters() else { return Ok(signature) };
        let mut params = vec![Type::INT; names.len()];
        for declaration in &definition.declarations {
            let base = self.base(&declaration.specifiers)?.ty.unwrap_or(Type::INT);
            for init in &declaration.declarators {
                let ty = self.declarator_type(base.clone(), &init.declarator)?;
                let name = init.declarator.name.as_ref().map(|name| &name.text);
                if let Some(at) = names.iter().position(|n| Some(&n.text) == name) {
                    params[at] = decayed(ty);
                }
            }
        }
        Ok(Rc::new(Signature { result: signature.result.clone(), params, open: false }))
    }

    /// Lowers the body of a function.
    pub fn function(&mut self, callee: CalleeId, called: Span) -> Result<(), Diagnostic> {
        let Callee { name, unit, signature, definition, id, .. } = &self.callees[callee.0 as usize];
        let (Some(definition), Some(id)) = (definition.clone(), *id) else { return Ok(()) };
        let (name, unit, signature) = (name.clone(), *unit, signature.clone());
        let is_main = unit.is_user() && self.begins_with(&name);
        let mut body = Body::new(&name, unit);
        body.span = if unit == Unit::Library { called } else { Span::default() };
        body.is_main = is_main;
        body.result = if is_main { Type::VOID } else { signature.result.clone() };
        body.usage = Rc::new(self.usage(&definition, unit));
        body.scopes.push(std::mem::take(&mut self.callees[callee.0 as usize].scope));
        self.body = body;
        if unit.is_user() {
            self.body.span = self.at(definition.declarator.span);
        }
        if self.tls.on && !is_main {
            self.body.tls = Some(self.body.param("%tls", Width::WORD));
        }
        if signature.result.is_record() {
            self.body.result_address = Some(self.body.param("%result", Width::WORD));
        }
        self.parameters(&definition, &signature)?;
        if is_main {
            self.main_prologue();
            self.call_constructors()?;
        }
        let atomic = unit.is_user() && builtins::is_atomic_function(&name);
        if atomic {
            let result = match self.body.result.width() {
                Some(width) => Some(self.body.local("%returned", width)),
                None => None,
            };
            self.body.epilogue = Some((self.body.block(), result));
            builtins::atomic_begin(self);
        }
        self.statement(&definition.statement)?;
        self.fall_off_the_end()?;
        if let Some((block, result)) = self.body.epilogue {
            self.body.resume(block);
            builtins::atomic_end(self);
            self.body.leave(Terminator::Return(result.map(Expr::Local)));
        }
        self.finish_computed_gotos();
        self.check_labels()?;
        let mut body = std::mem::replace(&mut self.body, Body::new("", Unit::User(0)));
        if body.enters {
            alive::outlive_blocks(&mut body.function);
        }
        if body.enters || body.skips {
            super::finish::any_at_first(&mut body.function);
        }
        self.program.functions[id.index()] = super::finish::finish(body.function);
        Ok(())
    }

    fn usage(&self, definition: &FunctionDefinition, unit: Unit) -> usage::Usage {
        let constant = |name: &str| match self.files[unit.index()].names.get(name) {
            Some(Entity::Constant(value, _)) => Some(*value),
            _ => None,
        };
        let writes_through = |name: &str, at: usize| {
            let own = match self.files[unit.index()].names.get(name) {
                Some(Entity::Function(id)) => self.callees[id.0 as usize].definition.is_some(),
                _ => false,
            };
            (!own || builtins::ours_wins(name)) && builtins::writes_through(name, at)
        };
        usage::usage(definition, &Context { constant: &constant, writes_through: &writes_through })
    }

    fn parameters(&mut self, definition: &FunctionDefinition, signature: &Signature) -> Result<(), Diagnostic> {
        let declarator = &definition.declarator;
        let named: Vec<Option<Name>> = match declarator.old_parameters() {
            Some(names) => {
                let declared = |name: &Name| {
                    let mut all = definition.declarations.iter().flat_map(|d| &d.declarators);
                    let own = all.find_map(|init| init.declarator.name.clone().filter(|own| own.text == name.text));
                    own.or_else(|| Some(name.clone()))
                };
                names.iter().map(declared).collect()
            }
            None => {
                let parameters = declarator.parameters().map_or(&[][..], |all| &all.parameters);
                parameters.iter().map(|parameter| parameter.declarator.name.clone()).collect()
            }
        };
        let (mut variables, mut given) = (Vec::new(), Vec::new());
        for (at, ty) in signature.params.iter().enumerate() {
            let (name, span) = match named.get(at).cloned().flatten() {
                Some(name) => (name.text, Some(name.span)),
                None => (format!("%{at}"), None),
            };
            if self.body.is_main && self.options.entry.is_none() {
                let used = span.is_some_and(|span| !self.body.usage.of(span.start).is_empty());
                self.main_parameter(at, &name, ty, used)?;
                continue;
            }
            if self.body.is_main {
                given.push(Parameter { name, ty: ty.clone(), restrict: is_restrict(declarator, at) });
                continue;
            }
            let mut parts = Vec::new();
            for leaf in self.leaves(ty)? {
                let width = self.scalar_width(&leaf.ty)?;
                let part = self.types.path(ty, leaf.offset);
                parts.push((leaf.offset, self.body.param(&format!("{name}{part}"), width)));
            }
            variables.push((at, name, span, ty.clone(), parts));
        }
        self.any_parameters(&given)?;
        if is_variadic(signature) && !self.body.is_main {
            self.body.rest = Some(self.body.param("%rest", Width::WORD));
        }
        for (at, name, span, ty, parts) in variables {
            let ty = self.parameter_inside(declarator, at, ty)?;
            let usage = self.body.usage.clone();
            let in_memory = span.is_some_and(|span| self.needs_memory(&ty, usage.of(span.start)));
            let storage = if in_memory {
                let place = self.object(&name, &ty, false)?;
                let from = super::place::Place {
                    at: super::place::At::Split(Rc::new(parts), 0),
                    ty: ty.unqualified(),
                    bits: None,
                };
                let mut to = place.clone();
                // Setting up a parameter is no access that the program makes.
                to.ty.atomic = false;
                if ty.is_scalar() {
                    let value = self.read(&from)?;
                    self.write(&to, value)?;
                } else {
                    self.copy(&to, &from)?;
                }
                self.storage_of(&place)?
            } else if ty.is_scalar() {
                Storage::Local(parts[0].1)
            } else {
                Storage::Split(Rc::new(parts))
            };
            let variable = Entity::Variable(Rc::new(Variable { ty, storage }));
            self.innermost().names.insert(name, variable);
        }
        Ok(())
    }

    /// `argc` is any number from 1; `argv`, where it is used, has any texts up to some number and length.
    fn main_parameter(&mut self, at: usize, name: &str, ty: &Type, used: bool) -> Result<(), Diagnostic> {
        let entity = if at == 0 && ty.is_integer() {
            let width = self.scalar_width(ty)?;
            let local = self.body.local(name, width);
            self.emit(Op::System(System::Nondet { dst: local }));
            let one = Expr::constant(1, width);
            let condition = one.binary(ir::BinaryOp::SLe, Expr::Local(local));
            self.emit(Op::Assume { condition, waits: false });
            self.body.argc = Some(local);
            Entity::Variable(Rc::new(Variable { ty: ty.clone(), storage: Storage::Local(local) }))
        } else if let (1, Some(argc), true, true) = (at, self.body.argc, used, ty.is_pointer()) {
            let count = super::Value { expr: Expr::Local(argc), ty: Type::INT };
            let texts = self.call_function("__fencepost_arguments", vec![count])?;
            let local = self.body.local(name, Width::WORD);
            if let Some(texts) = texts {
                self.emit(Op::Assign { dst: local, value: texts.expr });
            }
            Entity::Variable(Rc::new(Variable { ty: ty.clone(), storage: Storage::Local(local) }))
        } else {
            let message = format!("the arguments of the program, `{name}`, are not known");
            let complaint = self.error(self.span(), message);
            Entity::Bad(Rc::new(complaint.help("use constants, or values of nondet_int() and its kin")))
        };
        self.innermost().names.insert(name.to_owned(), entity);
        Ok(())
    }

    /// Whether a variable has to be in memory: its address is taken, or an array is accessed at a place not known.
    pub fn needs_memory(&self, ty: &Type, uses: &[Use]) -> bool {
        if uses.iter().any(|used| self.use_needs_memory(ty, used)) {
            return true;
        }
        // What is done to an atomic variable orders other accesses, even if nobody else can know it.
        if self.types.is_uneven(ty) || self.types.has_atomic(ty) {
            return true;
        }
        !ty.is_scalar() && self.types.leaves(ty).map_or(true, |leaves| leaves.len() > MAX_SPLIT)
    }

    fn use_needs_memory(&self, ty: &Type, used: &Use) -> bool {
        let mut ty = ty.clone();
        for step in &used.path {
            ty = match (&ty.kind, step) {
                (Kind::Array(element, count), usage::Step::Index(Some(at))) => match (u64::try_from(*at), count) {
                    (Ok(at), Some(count)) if at < *count => (**element).clone(),
                    _ => return true,
                },
                (Kind::Array(..), usage::Step::Index(None) | usage::Step::Member(_)) => return true,
                (Kind::Record(id), usage::Step::Member(name)) => match self.types.member(*id, name) {
                    Some(member) => member.ty,
                    None => return false,
                },
                // What follows a pointer is elsewhere.
                _ => return false,
            };
        }
        used.address || matches!(ty.kind, Kind::Array(..))
    }

    /// The end of a function's body without `return`.
    fn fall_off_the_end(&mut self) -> Result<(), Diagnostic> {
        if self.body.result.is_void() || self.body.result.is_record() {
            return self.leave_function(None);
        }
        let result = self.body.result.clone();
        let width = self.scalar_width(&result)?;
        let any = self.any(&result, width);
        self.leave_function(Some(any.expr))
    }

    /// `return`, with the value already converted.
    pub fn leave_function(&mut self, value: Option<Expr>) -> Result<(), Diagnostic> {
        self.clean_up(0)?;
        if self.body.is_main {
            self.call_destructors()?;
            self.judge_leaks();
        }
        match self.body.epilogue {
            Some((block, result)) => {
                if let (Some(dst), Some(value)) = (result, value) {
                    self.body.assign(dst, value);
                }
                self.body.leave(Terminator::Goto(block));
            }
            None => self.body.leave(Terminator::Return(value)),
        }
        Ok(())
    }

    fn check_labels(&self) -> Result<(), Diagnostic> {
        if let (true, Some(span)) = (self.body.cleans, self.body.jumps) {
            let complaint = self.error(span, "`goto` in a function whose variables are cleaned up is not supported");
            return Err(complaint.help("use `if`, `break` or `return`"));
        }
        let missing = self.body.labels.iter().filter(|(_, label)| !label.defined).min_by_key(|(_, l)| l.span);
        match missing {
            Some((name, label)) => {
                let name = name.split('%').next().unwrap_or(name);
                let complaint = self.error(label.span, format!("there is no label `{name}` in this function"));
                Err(complaint.help("put `label:` before a statement of the same function"))
            }
            None => Ok(()),
        }
    }

    /// Declares or defines a function.
    pub fn declare_function(
        &mut self,
        name: &str,
        signature: Result<Rc<Signature>, Diagnostic>,
        definition: Option<Rc<FunctionDefinition>>,
        (own, span): (bool, Place),
    ) -> Result<(), Diagnostic> {
        let unit = self.body.unit;
        let scope = std::mem::take(&mut self.parameter_scope);
        let weak = definition.is_some() && self.lifetime.is_weak(unit, name);
        let signature = match signature {
            Ok(signature) => signature,
            Err(why) => {
                // A call of it will complain; what nobody calls does not matter.
                let result = bad(why.clone());
                if definition.is_none() {
                    Rc::new(Signature { result, params: Vec::new(), open: true })
                } else {
                    self.file().names.insert(name.to_owned(), Entity::Bad(Rc::new(why)));
                    return Ok(());
                }
            }
        };
        let linked = if own { None } else { self.linked.get(name).cloned() };
        let known = self.file().names.get(name).cloned().filter(|known| !matches!(known, Entity::Bad(_)));
        if let Some(Entity::Function(id)) = known.or(linked) {
            self.file().names.insert(name.to_owned(), Entity::Function(id));
            let old = definition.as_ref().is_some_and(|definition| definition.declarator.old_parameters().is_some());
            if !old {
                self.check_prototype(id, &signature, span);
            }
            let known = &mut self.callees[id.0 as usize];
            if definition.is_some() {
                if known.definition.is_some() && weak {
                    return Ok(());
                }
                if known.definition.is_some() && !known.weak {
                    let complaint = self.error(self.at(span), format!("`{name}` is defined twice"));
                    return Err(complaint.help("remove one of the definitions, or make them static"));
                }
                known.definition = definition;
                known.signature = signature;
                known.unit = unit;
                known.scope = scope;
                known.weak = weak;
            } else if known.definition.is_none() && !signature.open {
                known.signature = signature;
            }
            return Ok(());
        }
        let id = CalleeId(self.callees.len() as u32);
        let span = self.at(span);
        let name_of = name.to_owned();
        let callee = Callee { name: name_of, unit, signature, definition, scope, weak, span, id: None, object: None };
        self.callees.push(callee);
        self.file().names.insert(name.to_owned(), Entity::Function(id));
        if !own && unit.is_user() {
            self.linked.insert(name.to_owned(), Entity::Function(id));
        }
        Ok(())
    }

    /// Complains about a function that is declared with another type than before, in this file or in another one.
    fn check_prototype(&mut self, id: CalleeId, signature: &Signature, span: Place) {
        let known = &self.callees[id.0 as usize];
        let defined = known.definition.as_ref();
        let old = defined.is_some_and(|definition| definition.declarator.old_parameters().is_some());
        // Verifiers declare what they provide differently, and a program may include headers of several.
        let provided = defined.is_none() && known.name.starts_with("__VERIFIER_");
        if old || provided || !known.unit.is_user() || self.types.same_signature(&known.signature, signature) {
            return;
        }
        let place = self.at(span);
        let describe = |signature: &Signature| self.types.describe(&Kind::Function(Rc::new(signature.clone())).into());
        let (name, old, new) = (&known.name, describe(&known.signature), describe(signature));
        let there = self.other_place(known.span, place);
        let message = format!("`{name}` is declared as `{new}` here and as `{old}` in {there}");
        let complaint = self.error(place, message);
        self.complain(
            complaint
                .help("give all declarations of a function the same type, best in a header that all files include"),
        );
    }

    /// The parameters of a function in the making, from its shape.
    pub fn shape_locals(shape: &Shape, tls: bool) -> Vec<Local> {
        let mut locals = Vec::new();
        if tls {
            locals.push(Local { name: "%tls".to_owned(), width: Width::WORD });
        }
        if shape.returns_record {
            locals.push(Local { name: "%result".to_owned(), width: Width::WORD });
        }
        locals.extend(shape.params.iter().enumerate().map(|(at, &width)| Local { name: format!("%{at}"), width }));
        locals
    }
}

/// Structures and arrays with more scalars than this stay in memory.
const MAX_SPLIT: usize = 64;

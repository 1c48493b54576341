//! Calls.

use super::expr::Outcome;
use super::place::{At, Place};
use super::scope::Entity;
use super::variadic::is_variadic;
use super::{CalleeId, Lowering, Unit, Value};
use crate::builtins;
use crate::types::{Kind, Signature, Type};
use c_syntax::ast::{Call, Expression, FunctionDefinition, Node, Range as Span};
use ir::{Expr, Op, System, Width};
use source::Diagnostic;
use std::rc::Rc;

/// Who is called.
enum Target {
    Function(CalleeId),
    Pointer(Value),
}

impl Lowering {
    /// A call, whatever it gives.
    pub fn call(&mut self, call: &Call, e: &Node<Expression>) -> Result<Outcome, Diagnostic> {
        let callee = &call.callee;
        if let Expression::Identifier(name) = &callee.node {
            match self.resolve(name) {
                Resolved::Function(id) => return self.call_target(Target::Function(id), call, e),
                Resolved::Variable => {}
                Resolved::Builtin => {
                    let outer = self.enter(e.span);
                    let span = self.body.span;
                    let found = builtins::call(self, name, &call.arguments, (span, e.span));
                    self.body.span = outer;
                    if let Some(result) = found? {
                        // An atomic operation gives a structure as a number.
                        if let Some(value) = result.as_ref().filter(|value| value.ty.is_record()) {
                            return self.unpacked(value.expr.clone(), &value.ty).map(Outcome::Place);
                        }
                        return Ok(result.map_or(Outcome::Nothing, Outcome::Value));
                    }
                    return match self.library_function(name) {
                        Some(id) => self.call_target(Target::Function(id), call, e),
                        None => Err(self.unknown_function(name, callee.span)),
                    };
                }
                Resolved::Bad(why) => return Err(why),
            }
        }
        let pointer = self.rvalue(callee)?;
        self.call_target(Target::Pointer(pointer), call, e)
    }

    fn unknown_function(&self, name: &str, span: Span) -> Diagnostic {
        let complaint = self.error(self.at(span), format!("the function `{name}` is not defined, and not one we know"));
        complaint.help("define it, or write its body where it is called; a value that may be anything is nondet_int()")
    }

    /// The function of our library with this name.
    pub fn library_function(&self, name: &str) -> Option<CalleeId> {
        match self.files[Unit::Library.index()].names.get(name) {
            Some(Entity::Function(id)) if self.callees[id.0 as usize].definition.is_some() => Some(*id),
            _ => None,
        }
    }

    /// What a function of the user does, if it is the user's.
    pub fn definition(&self, name: &str) -> Option<Rc<FunctionDefinition>> {
        match self.lookup(name) {
            Some(Entity::Function(id)) => self.callees[id.0 as usize].definition.clone(),
            _ => None,
        }
    }

    fn resolve(&self, name: &str) -> Resolved {
        match self.lookup(name) {
            Some(Entity::Function(id)) => {
                let defined = self.callees[id.0 as usize].definition.is_some();
                let own = self.body.unit == Unit::Library || !builtins::ours_wins(name);
                if defined && own {
                    Resolved::Function(id)
                } else if self.is_missing(id) {
                    Resolved::Variable
                } else {
                    Resolved::Builtin
                }
            }
            Some(Entity::Variable(_) | Entity::Global(_)) => Resolved::Variable,
            Some(Entity::Bad(why)) => Resolved::Bad((*why).clone()),
            Some(Entity::Typedef(_) | Entity::Constant(..)) | None => Resolved::Builtin,
        }
    }

    /// The type of what a call gives, if the declarations say it.
    pub fn result_type(&mut self, call: &Call) -> Option<Type> {
        let callee = &call.callee;
        if let Expression::Identifier(name) = &callee.node {
            match self.resolve(name) {
                Resolved::Function(id) => return Some(self.callees[id.0 as usize].signature.result.unqualified()),
                Resolved::Builtin | Resolved::Bad(_) => return None,
                Resolved::Variable => {}
            }
        }
        let ty = self.type_of(callee).ok()?;
        signature_of(&ty).map(|signature| signature.result.unqualified())
    }

    fn call_target(&mut self, target: Target, call: &Call, e: &Node<Expression>) -> Result<Outcome, Diagnostic> {
        let mut signature = self.target_signature(&target)?;
        if signature.result.is_record() {
            return Ok(Outcome::Place(self.place(e)?));
        }
        if matches!(target, Target::Pointer(_)) && signature.open && signature.params.is_empty() {
            for arg in &call.arguments {
                let ty = super::declare::decayed(self.type_of(arg)?);
                signature.params.push(super::type_of::promoted(&ty));
            }
            signature.open = false;
        }
        let args = self.arguments(&signature, &call.arguments, e.span)?;
        let value = self.emit_call(target, &signature, None, args)?;
        Ok(value.map_or(Outcome::Nothing, Outcome::Value))
    }

    /// A call that returns a structure, which is put at an address.
    pub fn call_record(&mut self, call: &Call, result: Expr, span: Span) -> Result<(), Diagnostic> {
        let callee = &call.callee;
        let target = match &callee.node {
            Expression::Identifier(name) => match self.resolve(name) {
                Resolved::Function(id) => Target::Function(id),
                Resolved::Variable => Target::Pointer(self.rvalue(callee)?),
                Resolved::Builtin => match self.library_function(name) {
                    Some(id) => Target::Function(id),
                    None => return Err(self.unknown_function(name, callee.span)),
                },
                Resolved::Bad(why) => return Err(why),
            },
            _ => Target::Pointer(self.rvalue(callee)?),
        };
        let signature = self.target_signature(&target)?;
        let args = self.arguments(&signature, &call.arguments, span)?;
        self.emit_call(target, &signature, Some(result), args)?;
        Ok(())
    }

    fn target_signature(&self, target: &Target) -> Result<Signature, Diagnostic> {
        match target {
            Target::Function(id) => Ok((*self.callees[id.0 as usize].signature).clone()),
            Target::Pointer(value) => signature_of(&value.ty).cloned().ok_or_else(|| {
                let message = format!("a value of type `{}` cannot be called", self.types.describe(&value.ty));
                self.error(self.span(), message).help("call a function or a pointer to one")
            }),
        }
    }

    /// Evaluates arguments from left to right, structures scalar by scalar.
    fn arguments(
        &mut self,
        signature: &Signature,
        args: &[Node<Expression>],
        span: Span,
    ) -> Result<Vec<Expr>, Diagnostic> {
        let (wanted, given) = (signature.params.len(), args.len());
        if given < wanted || (given > wanted && !signature.open) {
            let message = format!("this function takes {wanted} arguments, not {given}");
            return Err(self.error(self.at(span), message).help("give it as many as it is declared with"));
        }
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            let Some(ty) = signature.params.get(at) else {
                if is_variadic(signature) {
                    rest.push(self.rest_argument(arg)?);
                } else {
                    self.effect(arg)?;
                }
                continue;
            };
            if ty.is_record() {
                let place = self.place(arg)?;
                for leaf in self.leaves(ty)? {
                    let part = self.part(&place, leaf.offset, leaf.ty.clone());
                    out.push(self.read(&part)?.expr);
                }
                continue;
            }
            let value = self.rvalue(arg)?;
            let mut value = self.convert(value, ty)?;
            for later in &args[at + 1..] {
                value = self.keep_unless_pure(value, &later.node);
            }
            out.push(value.expr);
        }
        if is_variadic(signature) {
            out.push(self.rest_block(rest)?);
        }
        Ok(out)
    }

    fn emit_call(
        &mut self,
        target: Target,
        signature: &Signature,
        result: Option<Expr>,
        args: Vec<Expr>,
    ) -> Result<Option<Value>, Diagnostic> {
        let shape = self.shape(signature)?;
        let mut all = Vec::new();
        let function = match target {
            Target::Function(id) => {
                let callee = &self.callees[id.0 as usize];
                if callee.unit.is_user() && self.begins_with(&callee.name) {
                    let complaint = self.error(self.span(), "`main` is called here");
                    return Err(complaint.help("put its body into another function, and call that"));
                }
                self.request(id, self.span())
            }
            Target::Pointer(value) => match self.known_function(&value.expr) {
                Some(id)
                    if self.shape(&self.callees[id.0 as usize].signature.clone()).ok().as_ref() == Some(&shape) =>
                {
                    self.request(id, self.span())
                }
                _ => {
                    all.push(value.expr);
                    self.dispatcher(&shape)
                }
            },
        };
        if self.tls.on {
            let tls = self.tls_address();
            all.push(tls);
        }
        all.extend(result);
        all.extend(args);
        let dst = shape.result.map(|width| self.temp(width));
        self.emit(Op::System(System::Call { dst, function, args: all }));
        Ok(dst.map(|dst| Value { expr: Expr::Local(dst), ty: signature.result.unqualified() }))
    }

    /// Calls a function defined in C, ours or the user's. None: it returns nothing.
    pub fn call_function(&mut self, name: &str, args: Vec<Value>) -> Result<Option<Value>, Diagnostic> {
        let id = match self.files[self.body.unit.index()].names.get(name) {
            Some(Entity::Function(id)) if self.callees[id.0 as usize].definition.is_some() => Some(*id),
            _ => self.library_function(name),
        };
        let Some(id) = id else {
            let complaint = self.error(self.span(), format!("the function `{name}` is not defined"));
            return Err(complaint.help("define it"));
        };
        let signature = (*self.callees[id.0 as usize].signature).clone();
        if signature.params.len() != args.len() {
            let message = format!("`{name}` takes {} arguments, not {}", signature.params.len(), args.len());
            return Err(self.error(self.span(), message).help("give it as many as it is declared with"));
        }
        let mut converted = Vec::new();
        for (arg, ty) in args.into_iter().zip(&signature.params) {
            converted.push(self.convert(arg, ty)?.expr);
        }
        self.emit_call(Target::Function(id), &signature, None, converted)
    }

    /// `return e;`.
    pub fn return_value(&mut self, e: Option<&Node<Expression>>) -> Result<(), Diagnostic> {
        let ty = self.body.result.clone();
        let Some(e) = e else {
            if let Some(width) = ty.width() {
                let any = self.any(&ty, width);
                return self.leave_function(Some(any.expr));
            }
            return self.leave_function(None);
        };
        if let Some(address) = self.body.result_address {
            let from = self.place(e)?;
            let to = Place { at: At::Memory(Expr::Local(address)), ty: ty.unqualified(), bits: None };
            self.copy(&to, &from)?;
            return self.leave_function(None);
        }
        if ty.is_void() {
            self.effect(e)?;
            return self.leave_function(None);
        }
        let value = self.rvalue(e)?;
        let value = self.convert(value, &ty)?;
        self.leave_function(Some(value.expr))
    }

    /// The block of thread-local variables, where there are any.
    pub fn tls_address(&self) -> Expr {
        self.body.tls.map_or(Expr::constant(0, Width::WORD), Expr::Local)
    }
}

/// What the name of a called function stands for.
enum Resolved {
    Function(CalleeId),
    Variable,
    /// The library's business: undeclared, only declared, or ours in any case.
    Builtin,
    Bad(Diagnostic),
}

/// The type of the function that a value of this type calls.
pub(crate) fn signature_of(ty: &Type) -> Option<&Signature> {
    match &ty.kind {
        Kind::Function(signature) => Some(signature),
        Kind::Pointer(to) => match &to.kind {
            Kind::Function(signature) => Some(signature),
            _ => None,
        },
        _ => None,
    }
}

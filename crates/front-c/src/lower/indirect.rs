//! Functions as values: their addresses, calls through pointers, threads.
//!
//! A function whose address is taken is represented by an object without cells. A call through a pointer is a call of a
//! dispatcher: a function of our own that compares the pointer with the address of each function of matching shape. The
//! dispatchers get their bodies when everything reachable is known.

use super::body::Body;
use super::function::Shape;
use super::scope::{Entity, Scope, Storage, Variable};
use super::{Callee, CalleeId, Lowering, Unit, Value, strip_casts};
use crate::builtins;
use crate::types::{Signature, Type};
use c_syntax::ast::{Expression, Node, Range, UnaryOperator};
use ir::{BinaryOp, Expr, FunctionId, LocalId, ObjectId, Op, System, TagSet, Terminator, UnaryOp, Width};
use source::{Diagnostic, Span};
use std::rc::Rc;

/// What calls through pointers need.
#[derive(Debug, Default)]
pub(crate) struct Dispatch {
    /// A dispatcher for each shape of functions that are called through pointers.
    callers: Vec<(Shape, FunctionId)>,
    /// The dispatcher that starts threads.
    spawner: Option<FunctionId>,
    /// For each function that a thread begins with, what the thread runs.
    starts: Vec<(CalleeId, FunctionId)>,
    /// Functions whose address is taken, and where that is first done.
    taken: Vec<(CalleeId, Span)>,
    /// Functions that are code in [`crate::builtins`] and have a body here, since pointers may lead to them.
    wrapped: Vec<CalleeId>,
}

impl Lowering {
    /// The object that stands for a function.
    pub fn function_object(&mut self, id: CalleeId) -> ObjectId {
        let callee = &self.callees[id.0 as usize];
        if let Some(object) = callee.object {
            return object;
        }
        let name = callee.name.clone();
        self.program.objects.push(ir::Object { name, cells: Vec::new(), shared: false, align: 1 });
        let object = ObjectId(self.program.objects.len() as u32 - 1);
        self.callees[id.0 as usize].object = Some(object);
        self.dispatch.taken.push((id, self.body.span));
        object
    }

    /// The function whose address an expression is.
    pub fn known_function(&self, e: &Expr) -> Option<CalleeId> {
        let Expr::Address(object, 0) = e else { return None };
        let taken = self.dispatch.taken.iter().find(|(id, _)| self.callees[id.0 as usize].object == Some(*object))?;
        self.defined(taken.0)
    }

    /// The dispatcher for calls of functions of this shape; its first parameter is the pointer.
    pub fn dispatcher(&mut self, shape: &Shape) -> FunctionId {
        if let Some((_, id)) = self.dispatch.callers.iter().find(|(known, _)| known == shape) {
            return *id;
        }
        let id = self.new_function("%call");
        self.dispatch.callers.push((shape.clone(), id));
        id
    }

    /// Starts a thread that runs `start(arg)`: the name of a function, or any pointer to one. Gives the handle.
    pub fn spawn(&mut self, start: &Node<Expression>, arg: Value) -> Result<Value, Diagnostic> {
        let arg = self.convert(arg, &Type::ULONG_LONG)?;
        if let Some(id) = self.start_routine(strip_casts(&start.node)) {
            let function = self.thread_function(id, self.at(start.span))?;
            return Ok(self.emit_spawn(function, arg.expr));
        }
        let pointer = self.rvalue(start)?;
        self.spawn_pointer(pointer, arg)
    }

    /// Starts a thread that runs what a pointer points to.
    pub fn spawn_pointer(&mut self, pointer: Value, arg: Value) -> Result<Value, Diagnostic> {
        let arg = self.convert(arg, &Type::ULONG_LONG)?;
        if let Some(id) = self.known_function(&pointer.expr) {
            let function = self.thread_function(id, self.span())?;
            return Ok(self.emit_spawn(function, arg.expr));
        }
        let spawner = match self.dispatch.spawner {
            Some(id) => id,
            None => {
                let id = self.new_function("%spawn");
                self.dispatch.spawner = Some(id);
                id
            }
        };
        let pointer = self.convert(pointer, &Type::ULONG_LONG)?;
        let dst = self.temp(Width::WORD);
        let args = vec![pointer.expr, arg.expr];
        self.emit(Op::System(System::Call { dst: Some(dst), function: spawner, args }));
        Ok(Value { expr: Expr::Local(dst), ty: Type::ULONG_LONG })
    }

    fn emit_spawn(&mut self, function: FunctionId, arg: Expr) -> Value {
        let dst = self.temp(Width::WORD);
        self.emit(Op::System(System::Spawn { dst, function, args: vec![arg] }));
        Value { expr: Expr::Local(dst), ty: Type::ULONG_LONG }
    }

    /// The function that an expression names.
    fn start_routine(&self, e: &Expression) -> Option<CalleeId> {
        match e {
            Expression::Identifier(name) => match self.lookup(name) {
                Some(Entity::Function(id)) if self.callees[id.0 as usize].definition.is_some() => Some(id),
                _ => None,
            },
            Expression::Unary(unary)
                if matches!(unary.operator, UnaryOperator::Address | UnaryOperator::Indirection) =>
            {
                self.start_routine(strip_casts(&unary.operand.node))
            }
            _ => None,
        }
    }

    /// What a thread runs that begins with this function: a word in, a word out.
    fn thread_function(&mut self, id: CalleeId, span: Span) -> Result<FunctionId, Diagnostic> {
        if let Some((_, function)) = self.dispatch.starts.iter().find(|(known, _)| *known == id) {
            return Ok(*function);
        }
        let signature = self.callees[id.0 as usize].signature.clone();
        let shape = self.shape(&signature)?;
        if !startable(&shape) {
            let name = &self.callees[id.0 as usize].name;
            let complaint = self.error(span, format!("a thread cannot begin with `{name}`"));
            return Err(
                complaint.help("it must take one pointer, or nothing, and return a pointer, a number or nothing")
            );
        }
        let body = self.request(id, span);
        let fits = shape.params == [Width::WORD] && shape.result.is_none_or(|width| width == Width::WORD);
        let function = if fits && !self.tls.on {
            body
        } else {
            let name = self.callees[id.0 as usize].name.clone();
            let function = self.new_function(&name);
            let adapter = self.adapter(&name, body, &shape, signature.result.is_signed());
            self.program.functions[function.index()] = adapter;
            function
        };
        self.dispatch.starts.push((id, function));
        Ok(function)
    }

    /// A function that makes the thread's block of variables, calls `body` with its argument, and then the destructors of keys.
    fn adapter(&mut self, name: &str, body: FunctionId, shape: &Shape, signed: bool) -> ir::Function {
        let mut adapter = Body::new(name, Unit::Library);
        let arg = adapter.param("%arg", Width::WORD);
        let mut args = Vec::new();
        if self.tls.on {
            let tls = adapter.local("%tls", Width::WORD);
            let make = self.tls_maker();
            adapter.emit(Op::System(System::Call { dst: Some(tls), function: make, args: Vec::new() }));
            args.push(Expr::Local(tls));
        }
        args.extend(shape.params.iter().map(|&width| {
            if width < Width::WORD { Expr::Local(arg).unary(UnaryOp::Truncate(width)) } else { Expr::Local(arg) }
        }));
        let dst = shape.result.map(|width| adapter.local("%returned", width));
        let block = args.first().cloned();
        adapter.emit(Op::System(System::Call { dst, function: body, args }));
        if self.needs.destroys
            && let Some(destroys) = self.library_function("__fencepost_destroys")
        {
            let function = self.request(destroys, self.span());
            adapter.emit(Op::System(System::Call { dst: None, function, args: block.into_iter().collect() }));
        }
        let result = match (dst, shape.result) {
            (Some(dst), Some(width)) if width < Width::WORD => {
                let extend = if signed { UnaryOp::SignExtend(Width::WORD) } else { UnaryOp::ZeroExtend(Width::WORD) };
                Expr::Local(dst).unary(extend)
            }
            (Some(dst), _) => Expr::Local(dst),
            (None, _) => Expr::constant(0, Width::WORD),
        };
        adapter.leave(Terminator::Return(Some(result)));
        super::finish::finish(adapter.function)
    }

    /// The definition of a function: its own, or that of our library. Functions that are code here have one as well, where
    /// they are of use as values.
    pub fn defined(&self, id: CalleeId) -> Option<CalleeId> {
        let callee = &self.callees[id.0 as usize];
        if callee.definition.is_some() || self.dispatch.wrapped.contains(&id) {
            return Some(id);
        }
        let own = self.library_function(&callee.name);
        own.or_else(|| self.library_function(&format!("__fencepost_value_{}", callee.name)))
    }

    /// Requests the functions that dispatchers may call; true if there is a new one.
    pub fn find_candidates(&mut self) -> Result<bool, Diagnostic> {
        let before = (self.program.functions.len(), self.queue.len());
        for (id, span) in self.dispatch.taken.clone() {
            let Ok(shape) = self.shape(&self.callees[id.0 as usize].signature.clone()) else { continue };
            let called = self.dispatch.callers.iter().any(|(wanted, _)| fits(wanted, &shape));
            let started = self.dispatch.spawner.is_some() && startable(&shape);
            if !called && !started {
                continue;
            }
            let defined = match self.defined(id) {
                None if self.wrap(id, span)? => Some(id),
                defined => defined,
            };
            let Some(defined) = defined else {
                let name = &self.callees[id.0 as usize].name;
                let message = format!("`{name}`, which may be called through a pointer, is not defined");
                return Err(self.error(span, message).help("define it in this file, or leave its address out"));
            };
            if called {
                self.request(defined, span);
            }
            if started {
                self.thread_function(defined, span)?;
            }
        }
        Ok(before != (self.program.functions.len(), self.queue.len()))
    }

    /// Gives a function that is code in [`builtins`] a body that calls it, if there is such a one and its parameters are scalars.
    fn wrap(&mut self, id: CalleeId, span: Span) -> Result<bool, Diagnostic> {
        let Callee { name, signature, .. } = &self.callees[id.0 as usize];
        let (name, signature) = (name.clone(), Rc::clone(signature));
        let scalars = signature.params.iter().all(Type::is_scalar);
        let result = &signature.result;
        if signature.open || !scalars || !(result.is_scalar() || result.is_void()) {
            return Ok(false);
        }
        let mut body = Body::new(&name, Unit::Library);
        body.span = span;
        let outer = std::mem::replace(&mut self.body, body);
        let wrapped = self.wrapper(&name, &signature, span);
        let body = std::mem::replace(&mut self.body, outer);
        if !wrapped? {
            return Ok(false);
        }
        let function = self.new_function(&name);
        self.program.functions[function.index()] = super::finish::finish(body.function);
        self.callees[id.0 as usize].id = Some(function);
        self.dispatch.wrapped.push(id);
        Ok(true)
    }

    /// Lowers the call of such a function with the parameters of the function in the making.
    fn wrapper(&mut self, name: &str, signature: &Signature, span: Span) -> Result<bool, Diagnostic> {
        if self.tls.on {
            self.body.tls = Some(self.body.param("%tls", Width::WORD));
        }
        let (mut scope, mut args) = (Scope::default(), Vec::new());
        for (at, ty) in signature.params.iter().enumerate() {
            let (name, width) = (format!("%{at}"), self.scalar_width(ty)?);
            let storage = Storage::Local(self.body.param(&name, width));
            args.push(Node::new(Expression::Identifier(name.clone()), Range::default()));
            scope.names.insert(name, Entity::Variable(Rc::new(Variable { ty: ty.clone(), storage })));
        }
        self.body.scopes.push(scope);
        let Some(value) = builtins::call(self, name, &args, (span, Range::default()))? else { return Ok(false) };
        let value = match value.filter(|_| !signature.result.is_void()) {
            Some(value) => Some(self.convert(value, &signature.result)?.expr),
            None => None,
        };
        self.body.leave(Terminator::Return(value));
        Ok(true)
    }

    /// Gives the dispatchers their bodies.
    pub fn build_dispatch(&mut self) {
        for (shape, id) in self.dispatch.callers.clone() {
            let candidates = self.candidates(|lowering, callee| {
                let known = &lowering.callees[callee.0 as usize];
                let own = lowering.shape(&known.signature).ok()?;
                if fits(&shape, &own) { Some((known.id?, own.result.is_some(), own.params.len())) } else { None }
            });
            let mut body = Body::new("%call", Unit::Library);
            let pointer = body.param("%function", Width::WORD);
            let mut args = Vec::new();
            for local in Self::shape_locals(&shape, self.tls.on) {
                args.push(Expr::Local(body.param(&local.name, local.width)));
            }
            let dst = shape.result.map(|width| body.local("%returned", width));
            let hidden = args.len() - shape.params.len();
            choose(&mut body, pointer, &candidates, |body, (function, returns, params)| {
                let taken = if returns { dst } else { None };
                let args = args[..hidden + params].to_vec();
                body.emit(Op::System(System::Call { dst: taken, function, args }));
                if let (Some(dst), None) = (dst, taken) {
                    body.emit(Op::System(System::Nondet { dst }));
                }
                dst.map(Expr::Local)
            });
            self.program.functions[id.index()] = super::finish::finish(body.function);
        }
        if let Some(id) = self.dispatch.spawner {
            let starts = self.dispatch.starts.clone();
            let candidates = self.candidates(|_, callee| {
                starts.iter().find(|(known, _)| *known == callee).map(|(_, function)| *function)
            });
            let mut body = Body::new("%spawn", Unit::Library);
            let pointer = body.param("%function", Width::WORD);
            let arg = body.param("%arg", Width::WORD);
            let dst = body.local("%thread", Width::WORD);
            choose(&mut body, pointer, &candidates, |body, function| {
                body.emit(Op::System(System::Spawn { dst, function, args: vec![Expr::Local(arg)] }));
                Some(Expr::Local(dst))
            });
            self.program.functions[id.index()] = super::finish::finish(body.function);
        }
    }

    /// What each function whose address is taken is for a dispatcher.
    fn candidates<T>(&self, function: impl Fn(&Lowering, CalleeId) -> Option<T>) -> Vec<(ObjectId, T)> {
        let each = |(id, _): &(CalleeId, Span)| {
            Some((self.callees[id.0 as usize].object?, function(self, self.defined(*id)?)?))
        };
        self.dispatch.taken.iter().filter_map(each).collect()
    }
}

/// Whether a thread can begin with a function of this shape.
fn startable(shape: &Shape) -> bool {
    !shape.returns_record && shape.params.len() <= 1
}

/// Whether a function can be called as one of another shape: what it returns may be ignored, or be missing, and arguments
/// that it does not have are ignored, as machines do it.
fn fits(wanted: &Shape, own: &Shape) -> bool {
    let results = wanted.result.is_none() || own.result.is_none() || wanted.result == own.result;
    wanted.params.starts_with(&own.params) && wanted.returns_record == own.returns_record && results
}

/// A chain of branches over candidates; to call a pointer to none of them is an access to no object.
fn choose<T: Copy>(
    body: &mut Body,
    pointer: LocalId,
    candidates: &[(ObjectId, T)],
    mut call: impl FnMut(&mut Body, T) -> Option<Expr>,
) {
    for &(object, function) in candidates {
        let (then, next) = (body.block(), body.block());
        let matches = Expr::Local(pointer).binary(BinaryOp::Eq, Expr::Address(object, 0));
        body.branch(matches, then, next, then);
        let result = call(body, function);
        body.end(Terminator::Return(result), next);
    }
    let dst = body.temporary(Width::WORD);
    body.emit(Op::Load { dst, addr: Expr::constant(0, Width::WORD), tags: TagSet::default(), reserve: false });
    body.emit(Op::Assume { condition: Expr::constant(0, Width::BOOL), waits: false });
    body.leave(Terminator::Exit(None));
}

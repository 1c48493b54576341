//! Gives names their meaning: from the tree of a file to the nodes and axioms of a [`Model`].
//!
//! Functions and procedures are inlined where they are used. There is no I/O: included texts come from an [`Include`].

use crate::ast::{Binding, Bindings, Bound, Expr, ExprKind, File, Function, Instr, InstrKind, Procedure};
use crate::builder::Builder;
use crate::model::AssumedTag;
use crate::model::Head;
use crate::node::{Axiom, Base, NodeId, RecGroup, Requirement, Role, Sort};
use crate::{fixpoint, head, parse};
use source::{Diagnostic, SourceFile, Span};
use std::rc::Rc;

/// The tags that every model may use as sets.
pub const KNOWN_TAGS: &[&str] = &[
    // Fences of the machines.
    "MFENCE",
    "LFENCE",
    "SFENCE",
    "SYNC",
    "LWSYNC",
    "EIEIO",
    "ISYNC",
    // Arm's barriers, acquires and releases (`A` is below), and reads whose value goes nowhere.
    "DMB.SY",
    "DMB.LD",
    "DMB.ST",
    "DSB.SY",
    "DSB.LD",
    "DSB.ST",
    "ISB",
    "L",
    "Q",
    "NoRet",
    // RISC-V's fences, by what is before and after them, its annotations, and atomic memory operations.
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
    "Fence.tso",
    "Fence.i",
    "Acq",
    "Rel",
    "AcqRel",
    "AMO",
    // Accesses of read-modify-writes: all of them, those of locked x86 instructions.
    "X",
    "LOCK",
    // C11: atomic, not atomic, memory orders.
    "A",
    "NA",
    "RLX",
    "CON",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    // Linux.
    "MB",
    "RMB",
    "WMB",
    "ONCE",
    "ACQUIRE",
    "RELEASE",
    "NORETURN",
    "BEFORE-ATOMIC",
    "MUTEX",
    "LIBRARY",
    "TRY",
    "AFTER-ATOMIC",
    "AFTER-SPINLOCK",
    "AFTER-UNLOCK-LOCK",
    "AFTER-SRCU-READ-UNLOCK",
    "BARRIER",
    "RMW",
    "LKR",
    "LKW",
    "UL",
    "IS-LOCKED",
    "RCU-LOCK",
    "RCU-UNLOCK",
    "SYNC-RCU",
    "SRCU-LOCK",
    "SRCU-UNLOCK",
    "SYNC-SRCU",
    "SRCU-0",
    "SRCU-1",
    "SRCU-2",
    "SRCU-3",
    // What herd's models mention and no test here has: locks of C11, shareability domains of Arm.
    "LS",
    "LK",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DMB.OSH",
    "DMB.OSHLD",
    "DMB.OSHST",
    "DMB.NSH",
    "DSB.ISH",
    "DSB.ISHLD",
    "DSB.ISHST",
    "DSB.OSH",
    "DSB.OSHLD",
    "DSB.OSHST",
    "DSB.NSH",
];

/// Where included texts come from.
pub trait Include {
    /// The text of the file that a model includes under this name.
    fn read(&self, name: &str) -> Option<String>;
}

/// Offers no texts: a model can include the library only.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoInclude;

impl Include for NoInclude {
    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

/// How deep the resolver may recurse, and how many steps it may take: functions that call functions can grow without end.
const DEPTH: u32 = 150;
const STEPS: u32 = 20_000;

/// What a name stands for.
#[derive(Clone)]
pub(crate) enum Value {
    Node(NodeId),
    Tuple(Vec<Value>),
    Function(Rc<Closure>),
    Procedure(Rc<ProcedureClosure>),
    Domain,
    Range,
    /// herd's function that gives the pairs of a relation whose events have different values.
    DifferentValues,
}

pub(crate) struct Closure {
    function: Rc<Function>,
    scope: Scope,
    file: SourceFile,
}

pub(crate) struct ProcedureClosure {
    procedure: Rc<Procedure>,
    scope: Scope,
    file: SourceFile,
}

/// The innermost definition that is visible, as a position in [`Resolver::definitions`].
type Scope = Option<usize>;

struct Definition {
    name: String,
    value: Value,
    next: Scope,
}

/// A failure; `try` recovers from unknown names only.
pub(crate) enum Failure {
    Unknown(Diagnostic),
    Other(Diagnostic),
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Self {
        Failure::Other(error)
    }
}

impl Failure {
    pub fn into_diagnostic(self) -> Diagnostic {
        match self {
            Failure::Unknown(error) | Failure::Other(error) => error,
        }
    }
}

pub(crate) type Resolved<T> = Result<T, Failure>;

pub(crate) struct Resolver<'a> {
    includes: &'a dyn Include,
    pub builder: Builder,
    pub groups: Vec<RecGroup>,
    pub axioms: Vec<Axiom>,
    /// Tags that files declared with `@tags` or `enum`.
    pub tags: Vec<String>,
    /// Names without a meaning that were taken for tags.
    pub assumed: Vec<AssumedTag>,
    pub warnings: Vec<Diagnostic>,
    /// Whether an unknown name is wanted as a failure, for `try`.
    pub trying: u32,
    definitions: Vec<Definition>,
    scope: Scope,
    /// The file that is being resolved, for diagnostics.
    pub file: SourceFile,
    /// The names of the files that are being included, outermost first.
    including: Vec<String>,
    depth: u32,
    steps: u32,
    /// Inside functions, procedures and local definitions names are not kept for display.
    local: u32,
    in_recursion: bool,
}

impl<'a> Resolver<'a> {
    pub fn new(file: &SourceFile, includes: &'a dyn Include) -> Self {
        Resolver {
            includes,
            builder: Builder::default(),
            groups: Vec::new(),
            axioms: Vec::new(),
            tags: Vec::new(),
            assumed: Vec::new(),
            warnings: Vec::new(),
            trying: 0,
            definitions: Vec::new(),
            scope: None,
            file: file.clone(),
            including: Vec::new(),
            depth: 0,
            steps: 0,
            local: 0,
            in_recursion: false,
        }
    }

    /// Parses and resolves one file in the present scope.
    pub fn run(&mut self, file: &SourceFile) -> Resolved<(File, Head)> {
        let parsed = parse::parse(file)?;
        let head = head::head(file, &parsed)?;
        self.tags.extend(head.tags.iter().cloned());
        let outer = std::mem::replace(&mut self.file, file.clone());
        self.block(&parsed.instrs)?;
        self.file = outer;
        Ok((parsed, head))
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(&self.file, span, message)
    }

    pub fn define(&mut self, name: &str, value: Value) {
        self.definitions.push(Definition { name: name.to_owned(), value, next: self.scope });
        self.scope = Some(self.definitions.len() - 1);
    }

    fn lookup(&self, name: &str) -> Option<Value> {
        let mut scope = self.scope;
        while let Some(at) = scope {
            let definition = &self.definitions[at];
            if definition.name == name {
                return Some(definition.value.clone());
            }
            scope = definition.next;
        }
        None
    }

    /// The names that could have been meant.
    pub fn visible_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut scope = self.scope;
        while let Some(at) = scope {
            names.push(self.definitions[at].name.clone());
            scope = self.definitions[at].next;
        }
        names
    }

    fn block(&mut self, instrs: &[Instr]) -> Resolved<()> {
        instrs.iter().try_for_each(|instr| self.deeper(instr.span, |this| this.instr(instr)))
    }

    /// Counts a step and a level, so that no model can make the resolver run away.
    fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Resolved<T>) -> Resolved<T> {
        self.steps += 1;
        if self.depth >= DEPTH || self.steps >= STEPS {
            let what = if self.depth >= DEPTH { "nested too deeply" } else { "the model grows too large here" };
            let error = self.error(span, what);
            return Err(error.help("write it with fewer functions that call each other").into());
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn instr(&mut self, instr: &Instr) -> Resolved<()> {
        match &instr.kind {
            InstrKind::Nothing => Ok(()),
            InstrKind::Enum(tags) => {
                self.tags.extend(tags.iter().cloned());
                Ok(())
            }
            InstrKind::From(name, from) => self.one_of(name, from, instr.span),
            InstrKind::Let(bindings) => self.bindings(bindings),
            InstrKind::If(condition, then, otherwise) => self.block(if condition.holds() { then } else { otherwise }),
            InstrKind::Include(name) => self.include(name, instr.span),
            InstrKind::Procedure(name, procedure) => {
                let closure =
                    ProcedureClosure { procedure: procedure.clone(), scope: self.scope, file: self.file.clone() };
                self.define(name, Value::Procedure(Rc::new(closure)));
                Ok(())
            }
            InstrKind::Call { name, argument, rename } => self.call(name, argument, rename.as_deref(), instr.span),
            InstrKind::Axiom { role, negated, requirement, expr, name } => {
                let node = match requirement {
                    Requirement::Empty => self.node(expr)?,
                    Requirement::Acyclic | Requirement::Irreflexive => self.relation(expr)?,
                };
                let name = name.clone().unwrap_or_else(|| format!("{}-{}", word(*requirement), self.axioms.len() + 1));
                self.axiom(name, *requirement, *negated, node, *role, instr.span);
                Ok(())
            }
        }
    }

    pub fn axiom(
        &mut self,
        name: String,
        requirement: Requirement,
        negated: bool,
        node: NodeId,
        role: Role,
        span: Span,
    ) {
        self.axioms.push(Axiom { name, requirement, negated, node, role, file: self.file.clone(), span });
    }

    fn include(&mut self, name: &str, span: Span) -> Resolved<()> {
        if crate::library::BUILT_IN_INCLUDES.contains(&name) {
            return Ok(());
        }
        if let Some(text) = crate::library::native(name) {
            return self.run(&SourceFile::new(name, text)).map(|_| ());
        }
        if self.including.iter().any(|outer| outer == name) {
            let chain = self.including.join("` includes `");
            let error = self.error(span, format!("`{name}` includes itself"));
            return Err(error.label("included again here").help(format!("`{chain}` includes `{name}`")).into());
        }
        let text = self.includes.read(name).or_else(|| crate::library::included(name).map(str::to_owned));
        let Some(text) = text else {
            let error = self.error(span, format!("cannot find `{name}` to include"));
            return Err(error.help("put the file beside the model, or write its definitions here").into());
        };
        self.including.push(name.to_owned());
        self.run(&SourceFile::new(name, text))?;
        self.including.pop();
        Ok(())
    }

    /// Resolves the bell file that belongs to the model, if there is one: herd is told of it on its command line.
    pub fn run_bell(&mut self, name: &str) -> Resolved<()> {
        match self.includes.read(name) {
            Some(text) => self.run(&SourceFile::new(name, text)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The name under which the main file would include itself.
    pub fn enter(&mut self, name: &str) {
        self.including.push(name.to_owned());
    }

    fn call(&mut self, name: &str, argument: &Expr, rename: Option<&str>, span: Span) -> Resolved<()> {
        let Some(value) = self.lookup(name) else { return Err(self.unknown(name, span)) };
        let Value::Procedure(closure) = value else {
            return Err(self.error(span, format!("`{name}` is no procedure")).help("use it in an expression").into());
        };
        let argument = self.value(argument)?;
        let before = self.axioms.len();
        self.inside(closure.scope, &closure.file, |this| {
            this.bind(&closure.procedure.params, argument, name, span)?;
            this.block(&closure.procedure.body)
        })?;
        if let Some(rename) = rename {
            self.axioms[before..].iter_mut().for_each(|axiom| rename.clone_into(&mut axiom.name));
        }
        Ok(())
    }

    /// Runs `inner` in the scope and file of a definition.
    fn inside<T>(
        &mut self,
        scope: Scope,
        file: &SourceFile,
        inner: impl FnOnce(&mut Self) -> Resolved<T>,
    ) -> Resolved<T> {
        let outer = (std::mem::replace(&mut self.scope, scope), std::mem::replace(&mut self.file, file.clone()));
        self.local += 1;
        let result = inner(self);
        self.local -= 1;
        (self.scope, self.file) = outer;
        result
    }

    fn bind(&mut self, params: &[Option<String>], argument: Value, name: &str, span: Span) -> Resolved<()> {
        let arguments = match (params, argument) {
            ([_], argument) => vec![argument],
            (_, Value::Tuple(arguments)) => arguments,
            (_, other) => vec![other],
        };
        if arguments.len() != params.len() {
            let (wanted, given) = (params.len(), arguments.len());
            return Err(self.error(span, format!("`{name}` takes {wanted} arguments, {given} given")).into());
        }
        for (param, argument) in params.iter().zip(arguments) {
            if let Some(param) = param {
                self.define(param, argument);
            }
        }
        Ok(())
    }

    fn bindings(&mut self, bindings: &Bindings) -> Resolved<()> {
        if bindings.recursive {
            return self.recursion(&bindings.items);
        }
        let mut values = Vec::new();
        for binding in &bindings.items {
            values.push(match &binding.value {
                Bound::Value(expr) => self.value(expr)?,
                Bound::Function(function) => self.closure(function),
            });
        }
        for (binding, value) in bindings.items.iter().zip(values) {
            if let (Value::Node(node), 0) = (&value, self.local) {
                self.builder.name(*node, &binding.name);
            }
            self.define(&binding.name, value);
        }
        Ok(())
    }

    fn recursion(&mut self, items: &[Binding]) -> Resolved<()> {
        if self.in_recursion {
            let error = self.error(items[0].span, "`let rec` inside `let rec` is not supported in models");
            return Err(error.help("define both together with `let rec … and …`").into());
        }
        let scope = self.scope;
        self.in_recursion = true;
        let sorts = self.recursive_sorts(items);
        let result = self.recursion_of(items, &sorts).or_else(|first| {
            self.scope = scope;
            self.recursion_of(items, &vec![Sort::Set; items.len()]).map_err(|_| first)
        });
        self.in_recursion = false;
        result
    }

    /// Which members of a group are sets and which are relations, by the operators of their definitions; relations where these
    /// do not say.
    fn recursive_sorts(&self, items: &[Binding]) -> Vec<Sort> {
        let mut sorts: Vec<Option<Sort>> = vec![None; items.len()];
        for _ in 0..=items.len() {
            for (at, binding) in items.iter().enumerate() {
                if let (None, Bound::Value(expr)) = (sorts[at], &binding.value) {
                    sorts[at] = self
                        .sort_of(expr, &|name| items.iter().position(|other| other.name == name).map(|at| sorts[at]));
                }
            }
        }
        sorts.into_iter().map(|sort| sort.unwrap_or(Sort::Relation)).collect()
    }

    /// The sort of an expression, as far as its operators and the names in it say it.
    fn sort_of(&self, expr: &Expr, member: &dyn Fn(&str) -> Option<Option<Sort>>) -> Option<Sort> {
        match &expr.kind {
            ExprKind::Name(name) => member(name).unwrap_or_else(|| match self.lookup(name) {
                Some(Value::Node(node)) if !self.builder.is_empty(node) => Some(self.builder.sort(node)),
                Some(_) => None,
                None if Base::from_name(name).is_some() => Some(Sort::Relation),
                None => Some(Sort::Set),
            }),
            ExprKind::Union(parts) | ExprKind::Intersection(parts) => {
                parts.iter().find_map(|part| self.sort_of(part, member))
            }
            ExprKind::Difference(a, b) => self.sort_of(a, member).or_else(|| self.sort_of(b, member)),
            ExprKind::Complement(a) => self.sort_of(a, member),
            ExprKind::Sequence(_)
            | ExprKind::Product(..)
            | ExprKind::Inverse(_)
            | ExprKind::Plus(_)
            | ExprKind::Star(_)
            | ExprKind::Optional(_)
            | ExprKind::Test(_) => Some(Sort::Relation),
            ExprKind::Apply(function, _) => {
                let projects = matches!(&function.kind, ExprKind::Name(name) if matches!(&**name, "domain" | "range"));
                projects.then_some(Sort::Set)
            }
            ExprKind::Let(_, body) => self.sort_of(body, member),
            ExprKind::Try(a, b) | ExprKind::If(_, a, b) => self.sort_of(a, member).or_else(|| self.sort_of(b, member)),
            ExprKind::Zero | ExprKind::Braces | ExprKind::Universe | ExprKind::Tuple(_) | ExprKind::Fun(_) => None,
        }
    }

    fn recursion_of(&mut self, items: &[Binding], sorts: &[Sort]) -> Resolved<()> {
        let group = self.groups.len() as u32;
        self.groups.push(RecGroup::default());
        let outside = self.file.clone();
        for (member, binding) in (0..).zip(items) {
            let node = self.builder.rec(group, member, sorts[member as usize]);
            self.define(&binding.name, Value::Node(node));
        }
        let mut bodies = Vec::new();
        let mut falls = None;
        for (binding, sort) in items.iter().zip(sorts) {
            let Bound::Value(expr) = &binding.value else {
                let error =
                    self.error(binding.span, format!("the recursive function `{}` is not supported", binding.name));
                return Err(error.help("only sets and relations can be defined by `let rec`").into());
            };
            let node = self.sorted(expr, Some(*sort))?;
            if !fixpoint::is_monotone(&self.builder, node, group) {
                falls = falls.or(Some((binding, expr.span)));
            }
            bodies.push(node);
        }
        if let Some((binding, span)) = falls {
            let varies = |body: &NodeId| fixpoint::varies(&self.builder, &self.groups, *body, group);
            if !fixpoint::is_inflationary(&self.builder, &bodies, group) || bodies.iter().any(varies) {
                let message = format!("`{}` is defined by its own complement", binding.name);
                let error = Diagnostic::error(&outside, span, message);
                return Err(error.help("use recursive names neither under `~` nor on the right of `\\`").into());
            }
        }
        if self.local == 0 {
            for (member, binding) in (0..).zip(items) {
                let node = self.builder.rec(group, member, sorts[member as usize]);
                self.builder.name(node, &binding.name);
            }
        }
        let names = items.iter().map(|binding| binding.name.clone()).collect();
        self.groups[group as usize] = RecGroup { names, bodies, stepwise: falls.is_some() };
        Ok(())
    }

    fn closure(&self, function: &Rc<Function>) -> Value {
        let closure = Closure { function: function.clone(), scope: self.scope, file: self.file.clone() };
        Value::Function(Rc::new(closure))
    }

    pub fn value(&mut self, expr: &Expr) -> Resolved<Value> {
        self.deeper(expr.span, |this| this.value_inner(expr))
    }

    fn value_inner(&mut self, expr: &Expr) -> Resolved<Value> {
        match &expr.kind {
            ExprKind::Name(name) => match self.lookup(name) {
                Some(value) => Ok(value),
                None => match self.built_in(name) {
                    Some(value) => Ok(value),
                    None => self.tag_or_unknown(name, expr.span),
                },
            },
            ExprKind::Tuple(parts) => {
                let parts: Resolved<Vec<Value>> = parts.iter().map(|part| self.value(part)).collect();
                parts.map(Value::Tuple)
            }
            ExprKind::Fun(function) => Ok(self.closure(function)),
            ExprKind::Apply(function, argument) => {
                let function_value = self.value(function)?;
                let argument_value = self.value(argument)?;
                self.apply(function, function_value, argument, argument_value, expr.span)
            }
            ExprKind::Let(bindings, body) => {
                let outer = self.scope;
                self.local += 1;
                let result = self.bindings(bindings).and_then(|()| self.value(body));
                self.local -= 1;
                self.scope = outer;
                result
            }
            ExprKind::Try(first, second) => {
                self.trying += 1;
                let result = self.value(first);
                self.trying -= 1;
                match result {
                    Err(Failure::Unknown(_)) => self.value(second),
                    other => other,
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                if condition.holds() {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            ExprKind::Zero
            | ExprKind::Braces
            | ExprKind::Universe
            | ExprKind::Union(_)
            | ExprKind::Intersection(_)
            | ExprKind::Sequence(_)
            | ExprKind::Difference(..)
            | ExprKind::Product(..)
            | ExprKind::Complement(_)
            | ExprKind::Inverse(_)
            | ExprKind::Plus(_)
            | ExprKind::Star(_)
            | ExprKind::Optional(_)
            | ExprKind::Test(_) => self.operator(expr).map(Value::Node),
        }
    }

    fn apply(&mut self, at: &Expr, function: Value, arg_at: &Expr, argument: Value, span: Span) -> Resolved<Value> {
        match function {
            Value::Function(closure) => {
                let name = self.file.slice(at.span).to_owned();
                // Arity errors belong to the place of the call, not to that of the definition.
                let outer = self.file.clone();
                self.inside(closure.scope, &outer, |this| {
                    this.bind(&closure.function.params, argument, &name, span)?;
                    this.file = closure.file.clone();
                    this.value(&closure.function.body)
                })
            }
            Value::Domain | Value::Range => {
                let node = self.node_of(&argument, arg_at)?;
                let node = self.coerce(node, Some(Sort::Relation), arg_at)?;
                let domain = matches!(function, Value::Domain);
                Ok(Value::Node(if domain { self.builder.domain(node) } else { self.builder.range(node) }))
            }
            Value::DifferentValues => {
                let node = self.node_of(&argument, arg_at)?;
                self.coerce(node, Some(Sort::Relation), arg_at)?;
                let warning = Diagnostic::warning(&self.file, span, "`different-values` is taken to be empty");
                self.warnings.push(warning.help("values are not compared: what depends on it is never flagged"));
                Ok(Value::Node(self.builder.empty(Sort::Relation)))
            }
            Value::Node(_) | Value::Tuple(_) => {
                let error = self.error(at.span, format!("`{}` is no function", self.file.slice(at.span)));
                Err(error.help("write an operator such as `;` or `|` between the two").into())
            }
            Value::Procedure(_) => {
                Err(self.error(at.span, "a procedure has no value").help("use `call` to state its axioms").into())
            }
        }
    }
}

fn word(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Acyclic => "acyclic",
        Requirement::Irreflexive => "irreflexive",
        Requirement::Empty => "empty",
    }
}

//! From the syntax tree to the program representation.
//!
//! [`program`] parses the user's text and our library, declares what both declare outside functions, and lowers `main`;
//! whatever a function mentions is added to a list and lowered in turn. Then the pieces that need the whole program are
//! made: dispatch of calls through pointers, the block of thread-local variables, and the place where other threads may
//! begin to exist.

pub(crate) mod alive;
mod arith;
mod assign;
mod body;
mod call;
mod checks;
mod constant;
mod declare;
mod effects;
mod entry;
mod exits;
mod expr;
mod finish;
pub(crate) mod fold;
mod function;
mod global;
mod handles;
mod image;
mod indirect;
mod initial;
mod interface;
mod labels;
mod leaks;
mod lengths;
mod lifetime;
mod naming;
mod owners;
pub(crate) mod place;
mod publish;
mod reuse;
mod scope;
mod seams;
mod sites;
mod sizes;
mod stmt;
mod temporary;
mod tls;
mod type_of;
mod unspecified;
mod usage;
mod variable;
mod variadic;

use crate::Options;
use crate::text::Text;
use crate::types::{Signature, Type, Types};
use body::Body;
use c_syntax::ast::{Expression, FunctionDefinition, Initializer, Node};
use ir::{Expr, FunctionId, ObjectId, Program};
use rustc_hash::FxHashMap;
use scope::{Entity, Scope, Tag};
pub(crate) use sites::Role;
use source::{Diagnostic, SourceFile, Span};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
pub(crate) use usage::address_of;

/// A value that has been computed. Structures are no values.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub expr: Expr,
    pub ty: Type,
}

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// A translation unit of the user's.
    User(u32),
    Library,
}

impl Unit {
    /// Whether it is the user's.
    pub fn is_user(self) -> bool {
        self != Unit::Library
    }

    /// The position among the scopes outside functions.
    pub fn index(self) -> usize {
        match self {
            Unit::Library => 0,
            Unit::User(number) => number as usize + 1,
        }
    }
}

/// A function that is declared outside functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CalleeId(u32);

/// A variable that is no local one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GlobalId(u32);

/// What is known about a function.
#[derive(Debug)]
struct Callee {
    name: String,
    unit: Unit,
    signature: Rc<Signature>,
    definition: Option<Rc<FunctionDefinition>>,
    /// The types and enumerators that its parameters declare.
    scope: Scope,
    /// Whether another definition takes the place of this one.
    weak: bool,
    /// Where its type was said first.
    span: Span,
    /// Once it is reachable.
    id: Option<FunctionId>,
    /// Once its address is taken: the object that stands for it.
    object: Option<ObjectId>,
}

/// What is known about a variable that is no local one.
#[derive(Debug)]
struct Global {
    name: String,
    unit: Unit,
    ty: Type,
    initializer: Option<Rc<Node<Initializer>>>,
    /// Whether it is only declared so far.
    external: bool,
    thread: bool,
    /// Whether it cannot be written.
    constant: bool,
    /// What its declaration says that its address is a multiple of.
    aligned: Option<u64>,
    /// Whether it is declared inside a function.
    inner: bool,
    /// Once it is reachable.
    object: Option<ObjectId>,
    /// Once it is reachable, for a thread-local variable: where it is in the block of its thread.
    offset: Option<u64>,
    span: Span,
}

/// A program under construction.
pub(crate) struct Lowering {
    pub program: Program,
    pub types: Types,
    options: Options,
    /// The texts of the user's translation units.
    texts: Rc<Vec<Text>>,
    body: Body,
    /// The scopes outside functions: the library's, and those of the user's translation units.
    files: Vec<Scope>,
    /// What several translation units know by the same name.
    linked: FxHashMap<String, Entity>,
    callees: Vec<Callee>,
    globals: Vec<Global>,
    /// Functions that are reachable and not lowered yet, with the place of the first call.
    queue: VecDeque<(CalleeId, Span)>,
    strings: FxHashMap<Vec<u8>, ObjectId>,
    dispatch: indirect::Dispatch,
    tls: tls::Tls,
    /// What this program needs and others do not.
    needs: Needs,
    /// The types of expressions that had to be evaluated for it, by where they are.
    evaluated: FxHashMap<(usize, u32, u32), Type>,
    /// The last place asked for that is in a header, and its name there.
    header: RefCell<Option<(Span, String)>>,
    /// Where statements could be put in.
    seams: Vec<ir::Place>,
    /// The memory orders of the user's text that were used so far.
    sites: Vec<sites::Found>,
    /// How the access is written that comes next.
    written: Option<sites::Written>,
    lifetime: lifetime::Lifetime,
    watch: leaks::Watch,
    /// By size: where freed blocks wait to be allocated again.
    slots: std::collections::BTreeMap<u64, ObjectId>,
    /// The variable that is being initialised, if it is a pointer.
    taker: Option<String>,
    /// The labels whose address is taken, with their functions.
    label_addresses: Vec<((String, String), Span)>,
    unspecified: unspecified::Unspecified,
    /// The types of pointers that arguments after `...` have.
    argument_types: Vec<Type>,
    /// The first complaint that came where none could be returned.
    complaint: Option<Diagnostic>,
    /// Whether the parameters of a type of function are read, whose names mean nothing yet.
    prototype: bool,
    /// Where handlers are pushed, and where a thread ends inside a call.
    handlers: (Option<Span>, Option<Span>),
    /// What the parameters declare of the type of function that was read last.
    parameter_scope: Scope,
}

/// See [`crate::parse`].
pub(crate) fn program(file: &SourceFile, units: &[crate::Unit], options: &Options) -> Result<Program, Diagnostic> {
    let work = || lower(file, units, options);
    // The parser and what follows it recurse with the nesting of the text.
    let result = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(c_syntax::STACK).spawn_scoped(scope, work);
        worker.map(std::thread::ScopedJoinHandle::join)
    });
    match result {
        Ok(Ok(result)) => result,
        // A defect of ours is not something wrong with the file: whoever called gets to know of it.
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            let complaint = format!("there is no memory for the stack of the front end: {error}");
            Err(Diagnostic::error(file, Span::default(), complaint).help("free some memory and try again"))
        }
    }
}

fn lower(file: &SourceFile, all: &[crate::Unit], options: &Options) -> Result<Program, Diagnostic> {
    let raw = all.first().is_some_and(|unit| unit.preprocessed.is_none());
    let file = &if raw { crate::text::with_markers(file) } else { file.clone() };
    let texts = all.iter().map(|unit| Text::new(file, &unit.name, unit.preprocessed.as_deref()));
    let texts: Rc<Vec<Text>> = Rc::new(texts.collect());
    let mut library = Vec::new();
    for (name, source) in crate::builtins::RUNTIME {
        let file = SourceFile::new(*name, *source);
        library.extend(parse_text(&file, &Text::new(&file, name, None))?);
    }
    let mut units = vec![(Unit::Library, library)];
    for (number, text) in texts.iter().enumerate() {
        units.push((Unit::User(number as u32), parse_text(file, text)?));
    }
    let mut needs = Needs::default();
    loop {
        let lowering = Lowering::new(file, texts.clone(), options, needs);
        match lowering.run(&units) {
            Err(Failure::Needs(more)) if more != needs => needs = more,
            Err(Failure::Needs(_)) => {
                return Err(Diagnostic::error(file, Span::default(), "thread-local variables have no place"));
            }
            Err(Failure::Complaint(complaint)) => return Err(complaint),
            Ok(program) => return Ok(program),
        }
    }
}

/// What few programs need, and the others do better without. It is known only once all functions are lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Needs {
    /// Thread-local variables, for which functions have one more parameter.
    tls: bool,
    /// That a mutex says who has it.
    owners: bool,
    /// That allocated blocks say how large they are.
    sizes: bool,
    /// That functions are called which were registered for the end of the program.
    exits: bool,
    /// That keys' destructors are called where threads end.
    destroys: bool,
    /// That starting a thread looks at its attributes.
    detaches: bool,
    /// That gaps between members hold anything.
    gaps: bool,
    /// That equal string literals may be several objects.
    literals: bool,
}

/// Why there is no program.
enum Failure {
    Complaint(Diagnostic),
    /// It has to be lowered anew, with all of these.
    Needs(Needs),
}

/// A declaration outside functions; function bodies are shared with the list of functions.
pub(crate) enum Item {
    Function(Rc<FunctionDefinition>),
    Other(c_syntax::ast::Item),
}

impl Item {
    fn new(item: c_syntax::ast::Item) -> Item {
        match item {
            c_syntax::ast::Item::Function(definition) => Item::Function(Rc::from(definition)),
            c_syntax::ast::Item::Declaration(_)
            | c_syntax::ast::Item::StaticAssert(_)
            | c_syntax::ast::Item::Asm(_) => Item::Other(item),
        }
    }
}

fn parse_text(file: &SourceFile, text: &Text) -> Result<Vec<Item>, Diagnostic> {
    let unit = c_syntax::parse(&text.parsed, &[]).map_err(|error| syntax_error(file, text, error))?;
    Ok(unit.items.into_iter().map(Item::new).collect())
}

fn syntax_error(file: &SourceFile, text: &Text, error: c_syntax::Error) -> Diagnostic {
    let place = text.place(error.span);
    let inside = place.header.map_or(String::new(), |header| format!(" (in {header})"));
    let complaint = Diagnostic::error(file, place.span, format!("{}{inside}", error.message));
    complaint.help(error.help.unwrap_or_else(|| "the C front end reads C23 with most of GNU's extensions".to_owned()))
}

/// An expression without the casts around it.
pub(crate) fn strip_casts(e: &Expression) -> &Expression {
    match e {
        Expression::Cast(cast) => strip_casts(&cast.expression.node),
        _ => e,
    }
}

impl Lowering {
    fn new(file: &SourceFile, texts: Rc<Vec<Text>>, options: &Options, needs: Needs) -> Self {
        let name = file.name().rsplit('/').next().unwrap_or(file.name());
        Lowering {
            program: Program::new(name, "C", file.clone()),
            types: Types::new(options.ilp32),
            options: options.clone(),
            files: std::iter::repeat_with(Scope::default).take(texts.len() + 1).collect(),
            texts,
            body: Body::new("", Unit::User(0)),
            linked: FxHashMap::default(),
            callees: Vec::new(),
            globals: Vec::new(),
            queue: VecDeque::new(),
            strings: FxHashMap::default(),
            dispatch: indirect::Dispatch::default(),
            tls: tls::Tls::new(needs.tls),
            needs,
            evaluated: FxHashMap::default(),
            header: RefCell::new(None),
            seams: Vec::new(),
            sites: Vec::new(),
            written: None,
            lifetime: lifetime::Lifetime::default(),
            watch: leaks::Watch::default(),
            slots: std::collections::BTreeMap::new(),
            taker: None,
            label_addresses: Vec::new(),
            unspecified: unspecified::Unspecified::default(),
            argument_types: Vec::new(),
            complaint: None,
            prototype: false,
            handlers: (None, None),
            parameter_scope: Scope::default(),
        }
    }

    fn run(mut self, units: &[(Unit, Vec<Item>)]) -> Result<Program, Failure> {
        let outcome = self.run_inner(units);
        let uses = |name: &str| !self.library_ids(&[name]).is_empty();
        let mut needs = self.needs;
        needs.tls |= self.tls.missing;
        needs.gaps |= self.unspecified.gaps;
        needs.literals |= self.unspecified.literals;
        needs.sizes |= uses("realloc");
        needs.exits |= uses("atexit");
        needs.destroys |= uses("__fencepost_new_key_with");
        needs.detaches |= uses("__fencepost_detach_state") && !self.options.competition;
        match outcome {
            _ if self.tls.missing => Err(Failure::Needs(needs)),
            Err(complaint) => Err(Failure::Complaint(complaint)),
            Ok(()) if needs != self.needs => Err(Failure::Needs(needs)),
            Ok(()) if !needs.owners && !self.owners_are_evident() => {
                Err(Failure::Needs(Needs { owners: true, ..needs }))
            }
            Ok(()) => match self.complaint {
                Some(complaint) => Err(Failure::Complaint(complaint)),
                None => Ok(self.program),
            },
        }
    }

    fn run_inner(&mut self, units: &[(Unit, Vec<Item>)]) -> Result<(), Diagnostic> {
        for (unit, items) in units {
            self.body = Body::new("", *unit);
            for item in items {
                self.declare_item(item)?;
            }
            self.resolve_aliases();
        }
        let main = self.entry()?;
        let body = self.request(main, Span::default());
        self.program.threads.push(ir::Thread { name: "main".to_owned(), body });
        loop {
            while let Some((callee, span)) = self.queue.pop_front() {
                self.function(callee, span)?;
            }
            self.build_tls()?;
            if !self.find_candidates()? {
                break;
            }
        }
        self.build_dispatch();
        self.build_leaks();
        self.forget_externals(body);
        self.settle_reuse();
        let consumers = self.library_ids(&["__fencepost_joins", "__fencepost_detaches"]);
        handles::forget_evident(&mut self.program, &consumers);
        if self.options.checks.lifetimes {
            self.protect_constants();
            let tags = self.tags(&["NA"]);
            let asked = alive::Asked {
                begins: self.options.checks.begins,
                orders_change: self.options.seams,
                main_ends: !self.options.competition,
            };
            alive::guard(&mut self.program, asked, &tags);
        }
        publish::publish(&mut self.program);
        seams::extract(&mut self.program, &self.seams);
        self.finish_sites();
        Ok(())
    }

    /// Functions of the library, as far as the program uses them.
    fn library_ids(&self, names: &[&str]) -> Vec<FunctionId> {
        let known = names.iter().filter_map(|name| self.library_function(name));
        known.filter_map(|id| self.callees[id.0 as usize].id).collect()
    }

    /// Whether a mutex says who has it.
    pub fn has_owners(&self) -> bool {
        self.needs.owners
    }

    /// Whether a thread may be detached from the start.
    pub fn has_detached(&self) -> bool {
        self.needs.detaches
    }

    /// Whether nobody asks who has a mutex, or it can be seen that nobody unlocks another thread's.
    fn owners_are_evident(&self) -> bool {
        let id = |name: &str| self.library_ids(&[name]).first().copied();
        let roles: Vec<_> =
            owners::FUNCTIONS.iter().filter_map(|(name, role, from)| Some((id(name)?, *role, *from))).collect();
        self.options.competition || owners::evident(&self.program, &roles)
    }

    /// The function that the program begins with.
    fn entry(&mut self) -> Result<CalleeId, Diagnostic> {
        let name = self.options.entry.clone().unwrap_or_else(|| "main".to_owned());
        let own = self.files[1..].iter().filter_map(|scope| match scope.names.get(&name) {
            Some(Entity::Function(id)) => Some(*id),
            _ => None,
        });
        let all: Vec<CalleeId> = own.collect();
        let defined = all.iter().find(|id| self.callees[id.0 as usize].definition.is_some());
        let help = match self.options.entry {
            None => "a program begins with `int main(void) { … }`; `--entry FUNCTION` begins elsewhere",
            Some(_) => "name a function that the program defines",
        };
        match (defined, all.is_empty()) {
            (Some(id), _) => Ok(*id),
            (None, true) => Err(self.error(Span::default(), format!("there is no function `{name}`")).help(help)),
            (None, false) => {
                Err(self.error(Span::default(), format!("`{name}` is declared but not defined")).help(help))
            }
        }
    }

    /// Whether the program begins with a function of this name.
    fn begins_with(&self, name: &str) -> bool {
        name == self.options.entry.as_deref().unwrap_or("main")
    }

    /// The scope outside functions of the text being lowered.
    fn file(&mut self) -> &mut Scope {
        &mut self.files[self.body.unit.index()]
    }

    /// The innermost scope.
    fn innermost(&mut self) -> &mut Scope {
        match self.body.scopes.last_mut() {
            Some(scope) => scope,
            None => &mut self.files[self.body.unit.index()],
        }
    }

    /// What a name stands for here.
    fn lookup(&self, name: &str) -> Option<Entity> {
        let inner = self.body.scopes.iter().rev().find_map(|scope| scope.names.get(name));
        inner.or_else(|| self.files[self.body.unit.index()].names.get(name)).cloned()
    }

    fn lookup_tag(&self, name: &str) -> Option<Tag> {
        let inner = self.body.scopes.iter().rev().find_map(|scope| scope.tags.get(name));
        inner.or_else(|| self.files[self.body.unit.index()].tags.get(name)).cloned()
    }

    /// Does something whose instructions are thrown away.
    fn dry<T>(&mut self, work: impl FnOnce(&mut Lowering) -> T) -> T {
        let name = self.body.function.name.clone();
        let mut scratch = Body::new(&name, self.body.unit);
        scratch.function.locals = std::mem::take(&mut self.body.function.locals);
        let locals = scratch.function.locals.len();
        scratch.scopes = std::mem::take(&mut self.body.scopes);
        scratch.usage = self.body.usage.clone();
        scratch.span = self.body.span;
        scratch.tls = self.body.tls;
        let depth = scratch.scopes.len();
        let real = std::mem::replace(&mut self.body, scratch);
        let result = work(self);
        let scratch = std::mem::replace(&mut self.body, real);
        self.body.function.locals = scratch.function.locals;
        self.body.function.locals.truncate(locals);
        self.body.scopes = scratch.scopes;
        self.body.scopes.truncate(depth);
        result
    }
}

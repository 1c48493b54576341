//! What runs without being called: constructors before `main`, destructors after it, and the cleanups of variables. And
//! functions that are other names of functions.

use super::scope::Entity;
use super::{CalleeId, Lowering, Unit, Value, alive};
use crate::builtins;
use crate::types::Type;
use c_syntax::ast::{Attribute, Declarator, Meaning, Name, Range, Specifiers};
use ir::{Expr, LocalId};
use rustc_hash::FxHashSet;
use source::Diagnostic;

/// The priority of those that have none: the last of constructors, the first of destructors.
const LATE: i64 = 65_535;

/// The scopes of parameters and of the outermost block of a function.
pub(crate) const OUTERMOST: usize = 2;

/// Functions that run before and after `main`, by priority and in the order of the text; names for other functions.
#[derive(Debug, Default)]
pub(crate) struct Lifetime {
    constructors: Vec<(i64, Unit, String)>,
    destructors: Vec<(i64, Unit, String)>,
    aliases: Vec<(String, String, Range)>,
    /// Names with `weak`, and where they have it.
    weak: FxHashSet<(Unit, String)>,
}

impl Lifetime {
    /// Whether a name is said to be weak in a translation unit.
    pub fn is_weak(&self, unit: Unit, name: &str) -> bool {
        self.weak.contains(&(unit, name.to_owned()))
    }
}

/// What is called when a variable goes out of scope.
#[derive(Debug, Clone)]
pub(crate) struct Cleanup {
    function: String,
    /// Where the variable is.
    address: LocalId,
    ty: Type,
}

/// The function that a variable is cleaned up with.
pub(crate) fn cleanup<'a>(specifiers: &'a Specifiers, declarator: &'a Declarator) -> Option<&'a Name> {
    both(specifiers, declarator).find_map(|attribute| match &attribute.meaning {
        Meaning::Cleanup(function) => Some(function),
        _ => None,
    })
}

fn both<'a>(specifiers: &'a Specifiers, declarator: &'a Declarator) -> impl Iterator<Item = &'a Attribute> {
    specifiers.attributes.iter().chain(&declarator.attributes)
}

impl Lowering {
    /// Remembers what the attributes of a declaration outside functions say about when it runs.
    pub fn note_lifetime(&mut self, specifiers: &Specifiers, declarator: &Declarator) -> Result<(), Diagnostic> {
        let Some(name) = &declarator.name else { return Ok(()) };
        for attribute in both(specifiers, declarator) {
            let priority = match &attribute.meaning {
                Meaning::Constructor(priority) | Meaning::Destructor(priority) => priority,
                Meaning::Alias(target) => {
                    self.lifetime.aliases.push((name.text.clone(), target.clone(), attribute.span));
                    continue;
                }
                Meaning::Weak => {
                    self.lifetime.weak.insert((self.body.unit, name.text.clone()));
                    continue;
                }
                _ => continue,
            };
            let priority = match priority {
                None => LATE,
                Some(e) => self.const_value(e).ok_or_else(|| {
                    let complaint = self.error(self.at(e.span), "this priority is not a constant");
                    complaint.help("use a number from 101 to 65535")
                })?,
            };
            let list = match attribute.meaning {
                Meaning::Constructor(_) => &mut self.lifetime.constructors,
                _ => &mut self.lifetime.destructors,
            };
            let unit = self.body.unit;
            if !list.iter().any(|(_, of, known)| *of == unit && *known == name.text) {
                list.push((priority, unit, name.text.clone()));
            }
        }
        Ok(())
    }

    /// Whether a function is weak and nobody defines it: its address is null then.
    pub fn is_missing(&self, id: CalleeId) -> bool {
        let name = &self.callees[id.0 as usize].name;
        let weak = self.lifetime.weak.iter().any(|(_, weak)| weak == name);
        weak && self.defined(id).is_none() && !builtins::declares(name)
    }

    /// Lets the names that are aliases stand for what they are aliases of.
    pub fn resolve_aliases(&mut self) {
        for (name, target, span) in std::mem::take(&mut self.lifetime.aliases) {
            let known = match self.file().names.get(&target) {
                Some(entity @ (Entity::Function(_) | Entity::Global(_))) => Ok(entity.clone()),
                _ => Err(format!("`{name}` is another name of `{target}`, which is not defined here")),
            };
            let entity = known.unwrap_or_else(|message| {
                let complaint = self.error(self.at(span), message);
                Entity::Bad(std::rc::Rc::new(complaint.help("define it in the same file")))
            });
            self.file().names.insert(name, entity);
        }
    }

    /// Calls what runs before `main`: small numbers first, then in the order of the text.
    pub fn call_constructors(&mut self) -> Result<(), Diagnostic> {
        let mut all = self.lifetime.constructors.clone();
        all.sort_by_key(|(priority, ..)| *priority);
        self.call_all(&all)
    }

    /// Whether anything runs when the program ends.
    pub fn runs_at_exit(&self) -> bool {
        self.needs.exits || !self.lifetime.destructors.is_empty()
    }

    /// Calls what runs when the program ends: the opposite order.
    pub fn call_destructors(&mut self) -> Result<(), Diagnostic> {
        if self.needs.exits {
            self.call_function("__fencepost_exits", Vec::new())?;
        }
        let mut all = self.lifetime.destructors.clone();
        all.sort_by_key(|(priority, ..)| *priority);
        all.reverse();
        self.call_all(&all)
    }

    fn call_all(&mut self, functions: &[(i64, Unit, String)]) -> Result<(), Diagnostic> {
        for (_, unit, name) in functions {
            let here = std::mem::replace(&mut self.body.unit, *unit);
            let result = self.call_function(name, Vec::new());
            self.body.unit = here;
            result?;
        }
        Ok(())
    }

    /// Remembers that a variable in memory is cleaned up at the end of its scope.
    pub fn note_cleanup(&mut self, function: &Name, address: LocalId, ty: &Type) {
        self.body.cleans = true;
        let cleanup = Cleanup { function: function.text.clone(), address, ty: ty.clone() };
        self.innermost().cleanups.push(cleanup);
    }

    /// Cleans up the variables of all scopes from a depth on, the last one first.
    pub fn clean_up(&mut self, depth: usize) -> Result<(), Diagnostic> {
        let cleanups = self.body.scopes[depth..].iter().flat_map(|scope| scope.cleanups.iter().cloned());
        let cleanups: Vec<Cleanup> = cleanups.collect();
        for Cleanup { function, address, ty } in cleanups.into_iter().rev() {
            let pointer = Value { expr: Expr::Local(address), ty: ty.pointer_to() };
            self.call_function(&function, vec![pointer])?;
        }
        Ok(())
    }

    /// Remembers that the life of a variable in memory ends with its block. It begins anew each time that the block is entered. What the
    /// outermost block declares ends with the call.
    pub fn note_variable(&mut self, address: LocalId) {
        if self.body.scopes.len() <= OUTERMOST || !self.options.checks.lifetimes {
            return;
        }
        self.innermost().ending.push(address);
        if self.body.repeats() {
            self.begin_life(address);
        }
    }

    /// A constant variable in memory has its value: from here on it cannot be written.
    pub fn seal_variable(&mut self, address: LocalId) {
        if self.options.checks.lifetimes {
            let tags = self.tags(&["NA"]);
            alive::seal(&Expr::Local(address), &tags).into_iter().for_each(|op| self.emit(op));
        }
    }

    /// Ends the lives of the variables of all scopes from a depth on.
    pub fn end_variables(&mut self, depth: usize) {
        let ending: Vec<LocalId> = self.body.scopes[depth..].iter().flat_map(|scope| scope.ending.clone()).collect();
        self.end_objects(&ending);
    }

    /// Ends the innermost scope.
    pub fn close_scope(&mut self) -> Result<(), Diagnostic> {
        let depth = self.body.scopes.len() - 1;
        let result = self.clean_up(depth);
        self.end_variables(depth);
        self.body.scopes.pop();
        result
    }
}

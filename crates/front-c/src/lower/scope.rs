//! Names and what they stand for.

use super::lifetime::Cleanup;
use super::{CalleeId, GlobalId};
use crate::types::{RecordId, Type};
use ir::LocalId;
use rustc_hash::FxHashMap;
use source::Diagnostic;
use std::rc::Rc;

/// What a name stands for.
#[derive(Debug, Clone)]
pub(crate) enum Entity {
    Typedef(Type),
    /// An enumerator.
    Constant(i64, Type),
    Variable(Rc<Variable>),
    Global(GlobalId),
    Function(CalleeId),
    /// Something that is not supported; the complaint is due where the name is used.
    Bad(Rc<Diagnostic>),
}

/// What the tag of a structure, union or enumeration stands for.
#[derive(Debug, Clone)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(Type),
}

/// A variable of a function.
#[derive(Debug)]
pub(crate) struct Variable {
    pub ty: Type,
    pub storage: Storage,
}

/// Where a variable of a function lives.
#[derive(Debug, Clone)]
pub(crate) enum Storage {
    /// A local of the function.
    Local(LocalId),
    /// One local for each scalar, by its offset.
    Split(Rc<Vec<(u64, LocalId)>>),
    /// In memory; the local holds the address.
    Memory(LocalId),
}

/// The names that one block declares.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub names: FxHashMap<String, Entity>,
    pub tags: FxHashMap<String, Tag>,
    /// Labels that belong to this block only, under names of their own.
    pub labels: FxHashMap<String, String>,
    /// What to do with its variables at its end.
    pub cleanups: Vec<Cleanup>,
    /// The addresses of its variables whose life ends with it.
    pub ending: Vec<LocalId>,
}

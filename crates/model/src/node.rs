//! The resolved form of a model: a hash-consed graph of set and relation expressions.
//!
//! Functions are inlined, names are gone (but kept for display), `let rec` is a group of mutually recursive nodes.
//! Children come before parents, except through [`Node::Rec`], so one pass in order evaluates everything else.

use source::{SourceFile, Span};

/// A node of a [`crate::Model`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position in [`crate::Model::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which pairs of a communication relation: all, those within a thread, those between threads.
///
/// The initial writes belong to no thread: pairs with them are external.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// All pairs.
    Any,
    /// Within a thread.
    Internal,
    /// Between threads.
    External,
}

/// The relations that an execution has by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// Program order: transitive, within a thread; includes the pair of read and write of one read-modify-write.
    Po,
    /// Program order between accesses of the same location.
    PoLoc,
    /// Address dependency: from a read to an access whose address was computed from its value.
    Addr,
    /// Data dependency: from a read to a write whose value was computed from its value.
    Data,
    /// Control dependency: from a read to the events after a branch that was decided by its value.
    Ctrl,
    /// From the read to the write of a read-modify-write: one instruction, or load-reserve and store-conditional.
    Rmw,
    /// From the read to the write of a single read-modify-write instruction.
    Amo,
    /// Reads-from: from a write to the reads that take its value.
    Rf(Scope),
    /// Coherence: a total order of the writes of each location, beginning with the initial one.
    Co(Scope),
    /// From-read: from a read to the writes that are coherence-after the write it reads from.
    Fr(Scope),
    /// Same location (reads and writes).
    Loc,
    /// Same thread (initial writes are in no thread, and related to nothing).
    Int,
    /// Different threads (initial writes are external to the events of every thread, but not to each other).
    Ext,
    /// Every event to itself.
    Id,
}

/// The sets that an execution has by itself. Everything else is a tag.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaseSet {
    /// All events.
    Universe,
    /// Reads.
    R,
    /// Writes, the initial ones included.
    W,
    /// Fences.
    F,
    /// Initial writes.
    Iw,
    /// Final writes: the last of each location in coherence order.
    Fw,
    /// Events that carry this tag.
    Tag(String),
}

/// A set or relation expression. Operands of commutative operators are flattened and sorted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// A relation of the execution.
    Base(Base),
    /// A set of the execution.
    Set(BaseSet),
    /// The empty relation.
    EmptyRelation,
    /// The empty set.
    EmptySet,
    /// `a | b | …`, all sets or all relations.
    Union(Vec<NodeId>),
    /// `a & b & …`, all sets or all relations.
    Intersection(Vec<NodeId>),
    /// `a \ b`, both sets or both relations.
    Difference(NodeId, NodeId),
    /// `~a`, of a set or a relation.
    Complement(NodeId),
    /// `a ; b ; …` of relations.
    Sequence(Vec<NodeId>),
    /// `a^-1`.
    Inverse(NodeId),
    /// `a+`.
    Plus(NodeId),
    /// `a*`: reflexive on all events.
    Star(NodeId),
    /// `a?`: reflexive on all events.
    Optional(NodeId),
    /// `A * B`: the cartesian product of two sets.
    Product(NodeId, NodeId),
    /// `[A]`: the identity on a set.
    Test(NodeId),
    /// The set of sources of a relation.
    Domain(NodeId),
    /// The set of targets of a relation.
    Range(NodeId),
    /// The least solution for one variable of a group of recursive definitions: group, and member of it.
    Rec(u32, u32),
    /// Some linear order of a set that contains a relation, which is transitive on the set: the number of the order, the set, the
    /// relation. An execution is allowed if no axiom forbids it with one of these orders.
    Order(u32, NodeId, NodeId),
}

/// A sort of expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// A set of events.
    Set,
    /// A relation between events.
    Relation,
}

/// `let rec a = … and b = …`: the bodies, which mention the members as [`Node::Rec`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecGroup {
    /// The names of the members.
    pub names: Vec<String>,
    /// The definitions of the members.
    pub bodies: Vec<NodeId>,
    /// Whether a definition mentions a member under `~` or right of `\\`. Then it matters how the members are iterated: from
    /// nothing, each with what those before it have become in this round.
    pub stepwise: bool,
}

/// What is required of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// No cycle.
    Acyclic,
    /// No event related to itself.
    Irreflexive,
    /// Nothing at all (a relation or a set).
    Empty,
}

/// What an axiom is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Where the requirement is not met, the execution does not exist.
    Forbids,
    /// Where the requirement *is* met, the execution is marked: `flag ~empty race as data-race`.
    Flags,
    /// Where the requirement is not met, the whole program is undefined: `undefined_unless empty race`.
    Undefines,
}

/// An axiom of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axiom {
    /// Its name, from `as name`, or one made from its position.
    pub name: String,
    /// What is required.
    pub requirement: Requirement,
    /// Whether the requirement is negated (`~empty r`).
    pub negated: bool,
    /// Of what.
    pub node: NodeId,
    /// What it is for.
    pub role: Role,
    /// The file it comes from: the model's own or an included one.
    pub file: SourceFile,
    /// Where it stands in that file.
    pub span: Span,
}

impl Node {
    /// The number of a recursive variable in its group.
    pub fn member(&self) -> Option<u32> {
        if let Node::Rec(_, member) = self { Some(*member) } else { None }
    }

    /// The operands, in order; none for a recursive variable.
    pub fn children(&self) -> Vec<NodeId> {
        match self {
            Node::Base(_) | Node::Set(_) | Node::EmptyRelation | Node::EmptySet | Node::Rec(..) => Vec::new(),
            Node::Union(parts) | Node::Intersection(parts) | Node::Sequence(parts) => parts.clone(),
            Node::Difference(a, b) | Node::Product(a, b) | Node::Order(_, a, b) => vec![*a, *b],
            Node::Complement(child)
            | Node::Inverse(child)
            | Node::Plus(child)
            | Node::Star(child)
            | Node::Optional(child)
            | Node::Test(child)
            | Node::Domain(child)
            | Node::Range(child) => vec![*child],
        }
    }
}

impl Base {
    /// The name in the language of models.
    pub fn name(self) -> &'static str {
        let scoped = |scope, names: [&'static str; 3]| match scope {
            Scope::Any => names[0],
            Scope::Internal => names[1],
            Scope::External => names[2],
        };
        match self {
            Base::Po => "po",
            Base::PoLoc => "po-loc",
            Base::Addr => "addr",
            Base::Data => "data",
            Base::Ctrl => "ctrl",
            Base::Rmw => "rmw",
            Base::Amo => "amo",
            Base::Rf(scope) => scoped(scope, ["rf", "rfi", "rfe"]),
            Base::Co(scope) => scoped(scope, ["co", "coi", "coe"]),
            Base::Fr(scope) => scoped(scope, ["fr", "fri", "fre"]),
            Base::Loc => "loc",
            Base::Int => "int",
            Base::Ext => "ext",
            Base::Id => "id",
        }
    }

    /// The base relation of this name.
    pub fn from_name(name: &str) -> Option<Base> {
        Base::ALL.into_iter().find(|base| base.name() == name)
    }

    /// All base relations.
    pub const ALL: [Base; 20] = {
        use Scope::{Any, External, Internal};
        [
            Base::Po,
            Base::PoLoc,
            Base::Addr,
            Base::Data,
            Base::Ctrl,
            Base::Rmw,
            Base::Amo,
            Base::Rf(Any),
            Base::Rf(Internal),
            Base::Rf(External),
            Base::Co(Any),
            Base::Co(Internal),
            Base::Co(External),
            Base::Fr(Any),
            Base::Fr(Internal),
            Base::Fr(External),
            Base::Loc,
            Base::Int,
            Base::Ext,
            Base::Id,
        ]
    };

    /// Whether it depends on what reads from what and on coherence, not on the program alone.
    pub fn is_dynamic(self) -> bool {
        matches!(self, Base::Rf(_) | Base::Co(_) | Base::Fr(_))
    }
}

//! The resolved form of a model: a hash-consed graph of set and relation expressions.
//!
//! Functions are inlined, names are gone (but kept for display), `let rec` is a group of mutually recursive nodes.
//! Children come before parents, except through [`Node::Rec`], so one pass in order evaluates everything else.

use source::Span;

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
    /// Different threads (initial writes are external to everything, and to each other).
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

/// What it means when the requirement is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The execution does not exist.
    Forbids,
    /// The execution exists and is marked (`flag`).
    Flags,
    /// The execution exists and makes the whole program undefined (`undefined_unless`).
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
    /// Where it stands in the file it comes from.
    pub span: Span,
}

//! Functions, statements and expressions of C as written.

use ir::{BinaryOp, Width};
use source::Span;

/// A type: an integer, or a pointer `depth` times over one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ty {
    pub bits: u8,
    pub signed: bool,
    pub depth: u8,
    /// Whether the integer is atomic: a plain access of it is sequentially consistent.
    pub atomic: bool,
}

impl Ty {
    pub const INT: Ty = Ty { bits: 32, signed: true, depth: 0, atomic: false };
    pub const LONG: Ty = Ty { bits: 64, signed: true, depth: 0, atomic: false };
    /// The result of a comparison, before it is promoted to `int`.
    pub const TRUTH: Ty = Ty { bits: 1, signed: false, depth: 0, atomic: false };

    pub fn is_pointer(self) -> bool {
        self.depth > 0
    }

    pub fn width(self) -> Width {
        if self.is_pointer() { Width::WORD } else { Width::new(self.bits) }
    }

    /// What a pointer of this type points to.
    pub fn pointee(self) -> Ty {
        Ty { depth: self.depth.saturating_sub(1), ..self }
    }

    /// A pointer to this type.
    pub fn pointer(self) -> Ty {
        Ty { depth: self.depth.saturating_add(1), ..self }
    }
}

/// The bits of a type of that name and whether it is signed; `int` if the name is not known.
pub(crate) fn base_type(name: &str) -> (u8, bool) {
    known_type(name).unwrap_or((32, true))
}

/// The bits of a type of that name and whether it is signed.
pub(crate) fn known_type(name: &str) -> Option<(u8, bool)> {
    if name == "atomic_t" {
        return Some((32, true));
    }
    Some(match name.strip_prefix("atomic_").unwrap_or(name) {
        "int" | "void" | "spinlock_t" | "int32_t" | "mutex" | "srcu_struct" => (32, true),
        "uint" | "uint32_t" | "u32" => (32, false),
        "long" | "llong" | "int64_t" | "intptr_t" | "ptrdiff_t" | "atomic64_t" | "long_t" | "s64" => (64, true),
        "ulong" | "ullong" | "uint64_t" | "uintptr_t" | "size_t" | "u64" => (64, false),
        "char" | "schar" | "int8_t" => (8, true),
        "uchar" | "uint8_t" | "u8" | "bool" | "_Bool" => (8, false),
        "short" | "int16_t" => (16, true),
        "ushort" | "uint16_t" | "u16" => (16, false),
        _ => return None,
    })
}

/// A thread's function.
#[derive(Debug)]
pub(crate) struct Function<'s> {
    pub params: Vec<Param<'s>>,
    pub body: Vec<Stmt<'s>>,
    /// The function as herd prints it for its hash.
    pub printed: String,
}

/// A parameter: a pointer to the shared location of the same name.
#[derive(Debug)]
pub(crate) struct Param<'s> {
    pub ty: Ty,
    pub name: &'s str,
}

/// A statement.
#[derive(Debug)]
pub(crate) enum Stmt<'s> {
    Block(Vec<Stmt<'s>>),
    Declare {
        ty: Ty,
        name: &'s str,
        span: Span,
        value: Option<E<'s>>,
    },
    Expr(E<'s>),
    If(E<'s>, Box<Stmt<'s>>, Option<Box<Stmt<'s>>>),
    While(E<'s>, Box<Stmt<'s>>),
    DoWhile(Box<Stmt<'s>>, E<'s>),
    For(Box<Stmt<'s>>, Option<E<'s>>, Option<E<'s>>, Box<Stmt<'s>>),
    /// Nothing; another statement could be put in here.
    Seam(ir::Place),
}

/// An expression and where it stands.
#[derive(Debug)]
pub(crate) struct E<'s> {
    pub kind: Node<'s>,
    pub span: Span,
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Node<'s> {
    Number(i64),
    Name(&'s str),
    Negate(Box<E<'s>>),
    Complement(Box<E<'s>>),
    Not(Box<E<'s>>),
    Deref(Box<E<'s>>),
    AddressOf(Box<E<'s>>),
    Index(Box<E<'s>>, Box<E<'s>>),
    Binary(Operator, Box<E<'s>>, Box<E<'s>>),
    And(Box<E<'s>>, Box<E<'s>>),
    Or(Box<E<'s>>, Box<E<'s>>),
    Choose(Box<E<'s>>, Box<E<'s>>, Box<E<'s>>),
    /// `a = b`, or `a += b` with an operator.
    Assign(Box<E<'s>>, Option<Operator>, Box<E<'s>>),
    /// `a++` and `a--`: the value is the one before.
    Step(Box<E<'s>>, Operator),
    Call(&'s str, Vec<E<'s>>),
    Cast(Ty, Box<E<'s>>),
}

/// An operator with two operands: for signed operands, for unsigned ones, and whether the operands change sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operator {
    pub signed: BinaryOp,
    pub unsigned: BinaryOp,
    pub swapped: bool,
}

impl Operator {
    /// An operator for which signs do not matter.
    pub const fn plain(op: BinaryOp) -> Self {
        Operator { signed: op, unsigned: op, swapped: false }
    }
}

impl E<'_> {
    /// Whether evaluating this does more than compute a value.
    pub fn has_effects(&self) -> bool {
        match &self.kind {
            Node::Number(_) | Node::Name(_) => false,
            Node::Deref(_) | Node::Index(..) | Node::Assign(..) | Node::Step(..) | Node::Call(..) => true,
            Node::AddressOf(_) => false,
            Node::Negate(e) | Node::Complement(e) | Node::Not(e) | Node::Cast(_, e) => e.has_effects(),
            Node::Binary(_, a, b) | Node::And(a, b) | Node::Or(a, b) => a.has_effects() || b.has_effects(),
            Node::Choose(c, a, b) => c.has_effects() || a.has_effects() || b.has_effects(),
        }
    }
}

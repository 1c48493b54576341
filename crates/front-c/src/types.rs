//! C's types and their layout in memory.

use ir::{LocalId, Width};
use source::Diagnostic;
use std::rc::Rc;

/// A type, with its qualifiers and its alignment. Types are equal if they are but for `const` and `volatile`.
#[derive(Debug, Clone)]
pub(crate) struct Type {
    /// What it is.
    pub kind: Kind,
    /// Whether it is `_Atomic`. Values are never atomic, only objects.
    pub atomic: bool,
    /// The alignment in bytes that a `typedef` gives it; 0 for its own.
    pub align: u32,
    /// Whether it is `const` and whether it is `volatile`: only `_Generic` and its kin ask for that.
    pub qualifiers: (bool, bool),
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        self.kind == other.kind && self.atomic == other.atomic && self.align == other.align
    }
}

/// The bits that `long double` takes.
const LONG_DOUBLE: u8 = 128;

/// What a type is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Void,
    /// `_Bool`: a byte that is 0 or 1.
    Bool,
    /// An integer; the rank tells `long` from `long long` where both have the same size.
    Int {
        bits: u8,
        signed: bool,
        rank: u8,
    },
    /// `float` has 32 bits, `double` 64, `long double` takes 128 and has the values of `double`.
    Float(u8),
    Pointer(Rc<Type>),
    /// The number of elements is missing for `a[]`.
    Array(Rc<Type>, Option<u64>),
    /// An array whose number of elements is a value: that of a local of the function, where the array or its type was declared.
    VariableArray(Rc<Type>, LocalId),
    Record(RecordId),
    Function(Rc<Signature>),
    /// A type that is not supported; the complaint is due where it is used.
    Bad(Rc<Diagnostic>),
}

/// The type of a function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signature {
    pub result: Type,
    pub params: Vec<Type>,
    /// Whether more arguments may follow: `...`, or a declaration without parameters.
    pub open: bool,
}

/// A structure or a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RecordId(pub u32);

/// The definition of a structure or a union.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Its tag, or a description.
    pub name: String,
    pub union: bool,
    /// Whether it comes from our library, so that any initialiser is accepted.
    pub library: bool,
    /// The translation unit that it belongs to, by number.
    pub unit: usize,
    /// Why it has no members although it is defined.
    pub broken: Option<String>,
    /// None while it is only declared.
    pub members: Option<Vec<Member>>,
    pub size: u64,
    pub align: u64,
}

/// A member of a structure or a union.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// None for an anonymous structure or union.
    pub name: Option<String>,
    pub ty: Type,
    pub offset: u64,
    pub bits: Option<BitField>,
}

/// Where a bit-field is inside its unit. Neighbours share a unit, which is one cell: to write one of them is to read and
/// write the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BitField {
    /// How many bits it has.
    pub bits: u8,
    /// How many bits of the unit are below it.
    pub shift: u8,
    /// How many bits the unit has.
    pub unit: u8,
}

impl BitField {
    /// The type of the cell that it is in.
    pub fn unit_type(self) -> Type {
        match self.unit {
            8 => Type::UCHAR,
            16 => Type::USHORT,
            32 => Type::UINT,
            64 => Type::ULONG_LONG,
            // What is left between other members of a packed structure.
            bits => Type::integer(bits, false, if bits < 32 { 3 } else { 5 }),
        }
    }
}

/// A scalar inside an object.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub offset: u64,
    pub ty: Type,
}

/// More cells than this in one object are refused.
const MAX_CELLS: u64 = 1 << 20;

impl Type {
    pub const VOID: Type = Type { kind: Kind::Void, atomic: false, align: 0, qualifiers: (false, false) };
    pub const BOOL: Type = Type { kind: Kind::Bool, atomic: false, align: 0, qualifiers: (false, false) };
    pub const CHAR: Type = Type::integer(8, true, 1);
    pub const SCHAR: Type = Type::integer(8, true, 0);
    pub const UCHAR: Type = Type::integer(8, false, 1);
    pub const SHORT: Type = Type::integer(16, true, 2);
    pub const USHORT: Type = Type::integer(16, false, 2);
    pub const INT: Type = Type::integer(32, true, 3);
    pub const UINT: Type = Type::integer(32, false, 3);
    pub const LONG_LONG: Type = Type::integer(64, true, 5);
    pub const ULONG_LONG: Type = Type::integer(64, false, 5);
    pub const DOUBLE: Type = Type { kind: Kind::Float(64), atomic: false, align: 0, qualifiers: (false, false) };
    pub const LONG_DOUBLE: Type =
        Type { kind: Kind::Float(LONG_DOUBLE), atomic: false, align: 0, qualifiers: (false, false) };
    pub const FLOAT: Type = Type { kind: Kind::Float(32), atomic: false, align: 0, qualifiers: (false, false) };

    /// An integer type.
    pub const fn integer(bits: u8, signed: bool, rank: u8) -> Type {
        Type { kind: Kind::Int { bits, signed, rank }, atomic: false, align: 0, qualifiers: (false, false) }
    }

    /// `self *`.
    pub fn pointer_to(self) -> Type {
        Kind::Pointer(Rc::new(self)).into()
    }

    /// Whether objects of this type are `_Atomic`.
    pub fn is_atomic(&self) -> bool {
        self.atomic
    }

    /// The type of a value read from an object of this type.
    pub fn unqualified(&self) -> Type {
        Type { kind: self.kind.clone(), atomic: false, align: 0, qualifiers: (false, false) }
    }

    /// The same type, also `const` or `volatile` if the other one is.
    #[must_use]
    pub fn qualified_as(mut self, other: &Type) -> Type {
        self.qualifiers.0 |= other.qualifiers.0;
        self.qualifiers.1 |= other.qualifiers.1;
        self
    }

    /// Whether they are the same type, with the qualifiers of what they point to.
    pub fn is_identical(&self, other: &Type) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Pointer(to), Kind::Pointer(others)) => {
                self == other && to.qualifiers == others.qualifiers && to.is_identical(others)
            }
            (Kind::Array(element, count), Kind::Array(others, other_count)) => {
                (count == other_count || count.is_none() || other_count.is_none())
                    && element.qualifiers == others.qualifiers
                    && element.is_identical(others)
            }
            _ => self == other,
        }
    }

    /// Whether it is a pointer to anything.
    pub fn is_void_pointer(&self) -> bool {
        self.pointee().is_some_and(Type::is_void)
    }

    /// Whether it is `_Bool` or an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Bool | Kind::Int { .. })
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer(_))
    }

    /// Whether it is a floating type.
    pub fn is_float(&self) -> bool {
        matches!(self.kind, Kind::Float(_))
    }

    /// Whether it is `void`.
    pub fn is_void(&self) -> bool {
        matches!(self.kind, Kind::Void)
    }

    /// Whether a value of it is one cell.
    pub fn is_scalar(&self) -> bool {
        self.width().is_some()
    }

    /// Whether it is a structure, a union.
    pub fn is_record(&self) -> bool {
        matches!(self.kind, Kind::Record(_))
    }

    /// Whether it is a signed integer.
    pub fn is_signed(&self) -> bool {
        matches!(self.kind, Kind::Int { signed: true, .. })
    }

    /// The width of a value of a scalar type.
    pub fn width(&self) -> Option<Width> {
        match self.kind {
            Kind::Bool => Some(Width::new(8)),
            Kind::Int { bits, .. } => Some(Width::new(bits)),
            Kind::Float(bits) => Some(Width::new(bits.min(64))),
            Kind::Pointer(_) => Some(Width::WORD),
            Kind::Void
            | Kind::Array(..)
            | Kind::VariableArray(..)
            | Kind::Record(_)
            | Kind::Function(_)
            | Kind::Bad(_) => None,
        }
    }

    /// What a pointer points to, what an array has as elements.
    pub fn pointee(&self) -> Option<&Type> {
        match &self.kind {
            Kind::Pointer(to) | Kind::Array(to, _) | Kind::VariableArray(to, _) => Some(to),
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Record(_)
            | Kind::Function(_)
            | Kind::Bad(_) => None,
        }
    }
}

impl From<Kind> for Type {
    fn from(kind: Kind) -> Type {
        Type { kind, atomic: false, align: 0, qualifiers: (false, false) }
    }
}

/// All structures and unions, and the sizes that the data model decides.
#[derive(Debug)]
pub(crate) struct Types {
    pub records: Vec<Record>,
    /// Whether `long` has 32 bits.
    pub ilp32: bool,
}

/// Why a type has no layout: words to put into a complaint.
pub(crate) type NoLayout = String;

impl Types {
    pub fn new(ilp32: bool) -> Self {
        Types { records: Vec::new(), ilp32 }
    }

    pub fn long(&self, signed: bool) -> Type {
        Type::integer(if self.ilp32 { 32 } else { 64 }, signed, 4)
    }

    /// `size_t`.
    pub fn size_type(&self) -> Type {
        self.long(false)
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The size in bytes. Pointers take 8 bytes in every data model, since they are words everywhere else.
    pub fn size(&self, ty: &Type) -> Result<u64, NoLayout> {
        match &ty.kind {
            Kind::Void | Kind::Function(_) | Kind::Bool => Ok(1),
            Kind::Int { bits, .. } | Kind::Float(bits) => Ok(u64::from(*bits) / 8),
            Kind::Pointer(_) => Ok(8),
            Kind::Array(element, Some(count)) => {
                self.size(element)?.checked_mul(*count).ok_or_else(|| "an array too large to have a size".to_owned())
            }
            Kind::Array(_, None) => Err("an array of unknown size".to_owned()),
            Kind::VariableArray(..) => Err("an array of variable length".to_owned()),
            Kind::Record(id) => {
                let record = self.record(*id);
                if record.members.is_none() {
                    let missing = || format!("`{}` is declared but not defined", record.name);
                    return Err(record.broken.clone().unwrap_or_else(missing));
                }
                Ok(record.size)
            }
            Kind::Bad(why) => Err(why.message().to_owned()),
        }
    }

    /// The alignment in bytes.
    pub fn align(&self, ty: &Type) -> Result<u64, NoLayout> {
        if ty.align > 0 {
            return Ok(u64::from(ty.align));
        }
        match &ty.kind {
            Kind::Array(element, _) | Kind::VariableArray(element, _) => self.align(element),
            Kind::Record(id) => {
                let size = self.size(ty)?;
                // What is accessed as one is aligned for that.
                let whole = ty.atomic && [1, 2, 4, 8, 16].contains(&size);
                Ok(if whole { self.record(*id).align.max(size) } else { self.record(*id).align })
            }
            Kind::Void
            | Kind::Function(_)
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Bad(_) => self.size(ty),
        }
    }

    /// The member called `name`, also inside anonymous members, with its offset from the beginning of the record.
    pub fn member(&self, id: RecordId, name: &str) -> Option<Member> {
        let members = self.record(id).members.as_ref()?;
        if let Some(found) = members.iter().find(|m| m.name.as_deref() == Some(name)) {
            return Some(found.clone());
        }
        members.iter().filter(|m| m.name.is_none()).find_map(|outer| {
            let Kind::Record(inner) = outer.ty.kind else { return None };
            let mut found = self.member(inner, name)?;
            found.offset += outer.offset;
            Some(found)
        })
    }

    /// The scalars that an object of this type consists of, by offset. Of a union, the member with most scalars counts.
    pub fn leaves(&self, ty: &Type) -> Result<Vec<Leaf>, NoLayout> {
        let mut out = Vec::new();
        self.collect(ty, 0, &mut out)?;
        Ok(out)
    }

    /// The same, and numbers that fill the gaps.
    pub fn all_leaves(&self, ty: &Type) -> Result<Vec<Leaf>, NoLayout> {
        let size = self.size(ty)?;
        let mut all = Vec::new();
        let mut at = 0;
        let leaves = self.leaves(ty)?;
        let ends = leaves.iter().map(Some).chain([None]);
        for leaf in ends {
            self.fill(at..leaf.map_or(size, |leaf| leaf.offset), &mut all)?;
            if let Some(leaf) = leaf {
                at = at.max(leaf.offset + self.size(&leaf.ty)?);
                self.push(leaf.clone(), &mut all)?;
            }
        }
        Ok(all)
    }

    /// Numbers that fill these bytes.
    fn fill(&self, bytes: std::ops::Range<u64>, out: &mut Vec<Leaf>) -> Result<(), NoLayout> {
        let mut at = bytes.start;
        while at < bytes.end {
            let fits = |size: &u64| at.is_multiple_of(*size) && at + size <= bytes.end;
            let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            self.push(Leaf { offset: at, ty: Type::integer(8 * size as u8, false, 1) }, out)?;
            at += size;
        }
        Ok(())
    }

    /// The gaps in it, as numbers that fill them.
    pub fn gaps(&self, ty: &Type) -> Result<Vec<Leaf>, NoLayout> {
        let leaves = self.leaves(ty)?;
        let mut all = self.all_leaves(ty)?;
        all.retain(|leaf| leaves.binary_search_by_key(&leaf.offset, |other| other.offset).is_err());
        Ok(all)
    }

    /// Whether a type is a structure of our library, or an array of these.
    pub fn is_library(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Array(element, _) | Kind::VariableArray(element, _) => self.is_library(element),
            Kind::Record(id) => self.record(*id).library,
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Function(_)
            | Kind::Bad(_) => false,
        }
    }

    /// Whether there is an array in it.
    pub fn has_array(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Array(..) | Kind::VariableArray(..) => true,
            Kind::Record(id) => self.record(*id).members.iter().flatten().any(|member| self.has_array(&member.ty)),
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Function(_)
            | Kind::Bad(_) => false,
        }
    }

    /// Whether there is something atomic in it.
    pub fn has_atomic(&self, ty: &Type) -> bool {
        ty.atomic
            || match &ty.kind {
                Kind::Array(element, _) | Kind::VariableArray(element, _) => self.has_atomic(element),
                Kind::Record(id) => self.record(*id).members.iter().flatten().any(|member| self.has_atomic(&member.ty)),
                Kind::Void
                | Kind::Bool
                | Kind::Int { .. }
                | Kind::Float(_)
                | Kind::Pointer(_)
                | Kind::Function(_)
                | Kind::Bad(_) => false,
            }
    }

    /// Whether its size is a value.
    pub fn is_variable(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::VariableArray(..) => true,
            Kind::Array(element, _) => self.is_variable(element),
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Record(_)
            | Kind::Function(_)
            | Kind::Bad(_) => false,
        }
    }

    /// Whether there is a union in it whose members divide the memory in different ways, or bit-fields that overlap.
    pub fn is_uneven(&self, ty: &Type) -> bool {
        match &ty.kind {
            Kind::Array(element, _) | Kind::VariableArray(element, _) => self.is_uneven(element),
            Kind::Record(id) => {
                let record = self.record(*id);
                let members = record.members.as_deref().unwrap_or_default();
                if members.iter().any(|member| self.is_uneven(&member.ty)) {
                    return true;
                }
                let Ok(cells) = self.leaves(ty) else { return false };
                let there = |leaf: &Leaf| {
                    let at = cells.binary_search_by_key(&leaf.offset, |cell| cell.offset);
                    at.is_ok_and(|at| cells[at].ty.width() == leaf.ty.width())
                };
                !members.iter().all(|member| match member.bits {
                    Some(field) => there(&Leaf { offset: member.offset, ty: field.unit_type() }),
                    None => !record.union || self.leaves(&member.ty).is_ok_and(|own| own.iter().all(there)),
                })
            }
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Function(_)
            | Kind::Bad(_) => false,
        }
    }

    fn collect(&self, ty: &Type, base: u64, out: &mut Vec<Leaf>) -> Result<(), NoLayout> {
        match &ty.kind {
            Kind::Array(element, count) => {
                let count = count.ok_or("an array of unknown size")?;
                let size = self.size(element)?;
                for at in 0..count {
                    self.collect(element, base + at * size, out)?;
                }
                Ok(())
            }
            Kind::VariableArray(..) => self.size(ty).map(|_| ()),
            Kind::Record(_) if ty.atomic && self.image(ty).is_some() => {
                let image = self.image(ty).map(|image| Type { atomic: true, ..image });
                image.into_iter().try_for_each(|ty| self.push(Leaf { offset: base, ty }, out))
            }
            Kind::Record(id) => {
                self.size(ty)?;
                let record = self.record(*id);
                let members = record.members.as_deref().unwrap_or_default();
                if record.union {
                    for leaf in self.union_leaves(members)? {
                        self.push(Leaf { offset: base + leaf.offset, ty: leaf.ty }, out)?;
                    }
                    return Ok(());
                }
                for member in members {
                    match member.bits {
                        Some(field) => {
                            let (offset, unit) = (base + member.offset, u64::from(field.unit) / 8);
                            let taken = match out.last() {
                                Some(last) => last.offset + self.size(&last.ty)?,
                                None => base,
                            };
                            if offset >= taken {
                                self.push(Leaf { offset, ty: field.unit_type() }, out)?;
                                continue;
                            }
                            // A field that shares bytes with the one before has the same unit, or bytes behind it.
                            for offset in taken..offset + unit {
                                self.push(Leaf { offset, ty: Type::UCHAR }, out)?;
                            }
                        }
                        None => self.collect(&member.ty, base + member.offset, out)?,
                    }
                }
                Ok(())
            }
            Kind::Bad(why) => Err(why.message().to_owned()),
            Kind::Void | Kind::Function(_) => Err("a type without size".to_owned()),
            Kind::Bool | Kind::Int { .. } | Kind::Float(_) | Kind::Pointer(_) => {
                self.push(Leaf { offset: base, ty: ty.clone() }, out)
            }
        }
    }

    fn push(&self, leaf: Leaf, out: &mut Vec<Leaf>) -> Result<(), NoLayout> {
        if out.len() as u64 >= MAX_CELLS {
            return Err(format!("an object with more than {MAX_CELLS} cells"));
        }
        out.push(leaf);
        Ok(())
    }

    /// The cells of a union: those of all members that do not overlap with an earlier one of another size, and numbers for the other bytes that
    /// a member has.
    fn union_leaves(&self, members: &[Member]) -> Result<Vec<Leaf>, NoLayout> {
        let mut all = Vec::new();
        let mut split = Vec::new();
        let mut by_size: Vec<&Member> = members.iter().collect();
        by_size.sort_by_key(|m| std::cmp::Reverse(self.size(&m.ty).unwrap_or(0)));
        for member in by_size {
            let mut own = Vec::new();
            match member.bits {
                Some(field) => self.push(Leaf { offset: 0, ty: field.unit_type() }, &mut own)?,
                None => self.collect(&member.ty, 0, &mut own)?,
            }
            for leaf in own {
                let (start, end) = (leaf.offset, leaf.offset + self.size(&leaf.ty)?);
                let clash = |other: &Leaf| {
                    let other_end = other.offset + self.size(&other.ty).unwrap_or(1);
                    start < other_end && other.offset < end
                };
                if !all.iter().any(clash) {
                    all.push(leaf);
                } else {
                    split.push(start..end);
                }
            }
        }
        all.sort_by_key(|leaf| leaf.offset);
        for bytes in split {
            let mut at = bytes.start;
            let mut more = Vec::new();
            for leaf in &all {
                let end = leaf.offset + self.size(&leaf.ty)?;
                self.fill(at..leaf.offset.min(bytes.end), &mut more)?;
                at = at.max(end);
            }
            self.fill(at..bytes.end, &mut more)?;
            if !more.is_empty() {
                all.append(&mut more);
                all.sort_by_key(|leaf| leaf.offset);
            }
        }
        Ok(all)
    }

    /// Whether values of one type are values of the other. Structures of different translation units are the same if they
    /// have the same name and size.
    pub fn is_same(&self, one: &Type, other: &Type) -> bool {
        let (Kind::Record(a), Kind::Record(b)) = (&one.kind, &other.kind) else { return one.kind == other.kind };
        let (first, second) = (self.record(*a), self.record(*b));
        a == b || (first.unit != second.unit && first.name == second.name && first.size == second.size)
    }

    /// The way from an object of this type to the scalar at an offset, for the reader: `[3]`, `.next`, `.a[1]`.
    pub fn path(&self, ty: &Type, offset: u64) -> String {
        match &ty.kind {
            Kind::Array(element, _) | Kind::VariableArray(element, _) => {
                let size = self.size(element).unwrap_or(1).max(1);
                format!("[{}]{}", offset / size, self.path(element, offset % size))
            }
            // An atomic structure is accessed as a whole.
            Kind::Record(_) if ty.atomic && offset == 0 && self.image(ty).is_some() => String::new(),
            // What a mutex is made of is our own business.
            Kind::Record(id) if self.record(*id).library => String::new(),
            Kind::Record(id) => {
                let members = self.record(*id).members.as_deref().unwrap_or_default();
                let inside = |member: &&Member| {
                    let size = match member.bits {
                        Some(field) => u64::from(field.unit) / 8,
                        None => self.size(&member.ty).unwrap_or(0),
                    };
                    (member.offset..member.offset + size).contains(&offset)
                };
                let Some(member) = members.iter().find(inside) else { return format!("+{offset}") };
                if member.bits.is_some() && !self.record(*id).union {
                    let unit = members.iter().filter(|m| m.bits.is_some() && m.offset == member.offset);
                    let names: Vec<&str> = unit.filter_map(|m| m.name.as_deref()).collect();
                    return if let [name] = names[..] {
                        format!(".{name}")
                    } else {
                        format!(".{{{}}}", names.join(","))
                    };
                }
                let rest = self.path(&member.ty, offset - member.offset);
                member.name.as_ref().map_or(rest.clone(), |name| format!(".{name}{rest}"))
            }
            Kind::Void
            | Kind::Bool
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Pointer(_)
            | Kind::Function(_)
            | Kind::Bad(_) => String::new(),
        }
    }

    /// A type for the reader.
    pub fn describe(&self, ty: &Type) -> String {
        let plain = match &ty.kind {
            Kind::Void => "void".to_owned(),
            Kind::Bool => "_Bool".to_owned(),
            Kind::Int { bits, signed, rank } => {
                let name = match rank {
                    0 => "signed char",
                    1 => "char",
                    2 => "short",
                    3 => "int",
                    4 => "long",
                    _ => "long long",
                };
                let _ = bits;
                if *signed { name.to_owned() } else { format!("unsigned {name}") }
            }
            Kind::Float(32) => "float".to_owned(),
            Kind::Float(LONG_DOUBLE) => "long double".to_owned(),
            Kind::Float(_) => "double".to_owned(),
            Kind::Pointer(to) => match &to.kind {
                Kind::Function(signature) => self.describe_signature(signature, "(*)"),
                _ => format!("{} *", self.describe(to)),
            },
            Kind::Array(element, count) => {
                format!("{}[{}]", self.describe(element), count.map_or(String::new(), |n| n.to_string()))
            }
            Kind::VariableArray(element, _) => format!("{}[*]", self.describe(element)),
            Kind::Record(id) => self.record(*id).name.clone(),
            Kind::Function(signature) => self.describe_signature(signature, ""),
            Kind::Bad(_) => "an unsupported type".to_owned(),
        };
        if ty.atomic { format!("_Atomic {plain}") } else { plain }
    }

    fn describe_signature(&self, signature: &Signature, middle: &str) -> String {
        let params: Vec<String> = signature.params.iter().map(|p| self.describe(p)).collect();
        format!("{} {middle}({})", self.describe(&signature.result), params.join(", "))
    }
}

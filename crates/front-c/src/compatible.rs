//! Whether two declarations of one thing can mean the same: C's compatible types (C11, 6.2.7), also across translation units.
//!
//! Qualifiers other than `_Atomic` are not compared: nobody's value depends on them.

use crate::types::{Kind, Member, Record, RecordId, Signature, Type, Types};

impl Types {
    /// Whether two types are compatible. One that is not supported is compatible with all: the complaint is due where it is used.
    pub fn compatible(&self, one: &Type, other: &Type) -> bool {
        self.compatible_within(one, other, &mut Vec::new())
    }

    /// The same, while these pairs of structures are being compared.
    fn compatible_within(&self, one: &Type, other: &Type, open: &mut Vec<(RecordId, RecordId)>) -> bool {
        match (&one.kind, &other.kind) {
            (Kind::Bad(_), _) | (_, Kind::Bad(_)) => true,
            _ if one.atomic != other.atomic => false,
            (Kind::Pointer(one), Kind::Pointer(other)) => self.compatible_within(one, other, open),
            (Kind::Array(one, count), Kind::Array(other, other_count)) => {
                let fits = count.is_none() || other_count.is_none() || count == other_count;
                fits && self.compatible_within(one, other, open)
            }
            (Kind::VariableArray(one, _), Kind::Array(other, _) | Kind::VariableArray(other, _))
            | (Kind::Array(one, _), Kind::VariableArray(other, _)) => self.compatible_within(one, other, open),
            (Kind::Function(one), Kind::Function(other)) => self.same_signature_within(one, other, open),
            (Kind::Record(one), Kind::Record(other)) => self.same_record(*one, *other, open),
            _ => one.kind == other.kind,
        }
    }

    /// Whether two declarations of a function can mean the same. A declaration without parameters says nothing about them.
    pub fn same_signature(&self, one: &Signature, other: &Signature) -> bool {
        self.same_signature_within(one, other, &mut Vec::new())
    }

    fn same_signature_within(&self, one: &Signature, other: &Signature, open: &mut Vec<(RecordId, RecordId)>) -> bool {
        if !self.compatible_within(&one.result.unqualified(), &other.result.unqualified(), open) {
            return false;
        }
        let says_nothing = |signature: &Signature| signature.open && signature.params.is_empty();
        if says_nothing(one) || says_nothing(other) {
            return true;
        }
        one.open == other.open
            && one.params.len() == other.params.len()
            && one
                .params
                .iter()
                .zip(&other.params)
                .all(|(a, b)| self.compatible_within(&a.unqualified(), &b.unqualified(), open))
    }

    /// Whether two structures are the same, or have the same name and the same members in two translation units.
    fn same_record(&self, one: RecordId, other: RecordId, open: &mut Vec<(RecordId, RecordId)>) -> bool {
        let (a, b) = (self.record(one), self.record(other));
        if one == other || open.contains(&(one, other)) {
            return true;
        }
        if a.library || b.library {
            return a.name == b.name;
        }
        if a.unit == b.unit || a.name != b.name || a.union != b.union {
            return false;
        }
        // What is only declared in one of them is what the other says.
        let (Some(own), Some(others)) = (&a.members, &b.members) else { return true };
        open.push((one, other));
        let same = own.len() == others.len()
            && layout(a) == layout(b)
            && own.iter().zip(others).all(|(a, b)| self.same_member(a, b, open));
        open.pop();
        same
    }

    fn same_member(&self, one: &Member, other: &Member, open: &mut Vec<(RecordId, RecordId)>) -> bool {
        one.name == other.name
            && one.offset == other.offset
            && one.bits == other.bits
            && self.compatible_within(&one.ty, &other.ty, open)
    }
}

fn layout(record: &Record) -> (u64, u64) {
    (record.size, record.align)
}

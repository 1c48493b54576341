//! Where members are placed: as gcc does it on x86-64, with `packed`, `aligned` and `#pragma pack`.
//!
//! The rules are those of the System V ABI. A member goes to the next multiple of its alignment. A bit-field goes to the
//! next bit, unless it would then touch more units of its type than one; packed, it always goes to the next bit. What is
//! not named does not count for the alignment of the whole.

use crate::types::{Kind, Member, NoLayout, RecordId, Types};

/// What the definition of a structure or union says about its layout.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules {
    pub packed: bool,
    pub aligned: Option<u64>,
    /// What `#pragma pack` says.
    pub pack: Option<u64>,
}

/// A member, and what its declaration says about its place.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub member: Member,
    pub packed: bool,
    pub aligned: Option<u64>,
}

const TOO_LARGE: &str = "a structure too large to have a size";

/// A structure in the making.
struct Layout {
    union: bool,
    rules: Rules,
    /// The first bit that is free.
    next: u64,
    /// How many bits there are.
    bits: u64,
    align: u64,
}

impl Layout {
    /// Places so many bits at the next multiple of an alignment in bits. Gives the place.
    fn place(&mut self, bits: u64, align: u64) -> Result<u64, NoLayout> {
        let at = if self.union { 0 } else { self.next.checked_next_multiple_of(align).ok_or(TOO_LARGE)? };
        self.next = at.checked_add(bits).ok_or(TOO_LARGE)?;
        self.bits = self.bits.max(self.next);
        Ok(at)
    }
}

impl Types {
    /// Gives a structure or union its members, which are placed in order.
    pub fn complete(&mut self, id: RecordId, fields: Vec<Field>, rules: Rules) -> Result<(), NoLayout> {
        let union = self.record(id).union;
        let mut layout = Layout { union, rules, next: 0, bits: 0, align: rules.aligned.unwrap_or(1) };
        let last = fields.len().saturating_sub(1);
        let (mut members, mut places) = (Vec::new(), Vec::new());
        for (at, mut field) in fields.into_iter().enumerate() {
            let place = match field.member.bits {
                Some(_) => self.place_bits(&mut layout, &field)?,
                None => {
                    if let Kind::Array(element, None) = &field.member.ty.kind
                        && at == last
                        && !union
                    {
                        field.member.ty = Kind::Array(element.clone(), Some(0)).into();
                    }
                    self.place_member(&mut layout, &field)?
                }
            };
            field.member.offset = place / 8;
            places.push(place);
            members.push(field.member);
        }
        let size = layout.bits.div_ceil(8).checked_next_multiple_of(layout.align).ok_or(TOO_LARGE)?;
        if union {
            self.union_units(&mut members, size)?;
        } else {
            self.units(&mut members, &places, size)?;
        }
        // What has no name was there for its room only.
        members.retain(|member| member.name.is_some() || member.bits.is_none());
        let record = &mut self.records[id.0 as usize];
        record.size = size;
        record.align = layout.align;
        record.members = Some(members);
        Ok(())
    }

    fn place_member(&self, layout: &mut Layout, field: &Field) -> Result<u64, NoLayout> {
        let bits = self.size(&field.member.ty)?.checked_mul(8).ok_or(TOO_LARGE)?;
        let natural = self.align(&field.member.ty)?;
        let align = if layout.rules.packed || field.packed {
            field.aligned.unwrap_or(1)
        } else {
            natural.max(field.aligned.unwrap_or(1))
        };
        let align = align.min(layout.rules.pack.unwrap_or(u64::MAX));
        layout.align = layout.align.max(align);
        layout.place(bits, align * 8)
    }

    fn place_bits(&self, layout: &mut Layout, field: &Field) -> Result<u64, NoLayout> {
        let width = field.member.bits.map_or(0, |bits| u64::from(bits.bits));
        let (size, natural) = (self.size(&field.member.ty)? * 8, self.align(&field.member.ty)?);
        if width == 0 {
            return layout.place(0, natural * 8);
        }
        let pack = layout.rules.pack.unwrap_or(u64::MAX);
        let packed = layout.rules.packed || field.packed;
        let aligned = field.aligned.map_or(1, |align| align.min(pack) * 8);
        let at = layout.next.checked_next_multiple_of(aligned).ok_or(TOO_LARGE)?;
        let unit = natural * 8;
        let crosses = (at % unit + width).div_ceil(unit) > size / unit;
        let step = if crosses && !packed && layout.rules.pack.is_none() { unit.max(aligned) } else { aligned };
        if field.member.name.is_some() {
            let own = if layout.rules.pack.is_none() && packed { 1 } else { natural.min(pack) };
            layout.align = layout.align.max(own).max(aligned.div_ceil(8));
        }
        layout.place(width, step)
    }

    /// The units of the bit-fields of a union: those of their types, as far as the union has room.
    fn union_units(&self, members: &mut [Member], size: u64) -> Result<(), NoLayout> {
        for member in members {
            let own = self.size(&member.ty)?;
            if let Some(field) = &mut member.bits {
                field.shift = 0;
                field.unit = (own.min(size) * 8) as u8;
            }
        }
        Ok(())
    }

    /// Finds the cells of bit-fields. Those that follow each other without a field of no bits between them are one memory
    /// location in C: they share a cell as far as one holds them that is no wider than the widest of their types. To write
    /// one of them is to read and write the cell.
    fn units(&self, members: &mut [Member], places: &[u64], size: u64) -> Result<(), NoLayout> {
        let bytes = |members: &[Member], at: usize| {
            let width = members[at].bits.map_or(0, |field| u64::from(field.bits));
            (places[at] / 8, (places[at] + width).div_ceil(8))
        };
        let is_field = |member: &Member| member.bits.is_some_and(|field| field.bits > 0);
        let (mut at, mut floor) = (0, 0);
        while at < members.len() {
            if members[at].bits.is_none() {
                floor = members[at].offset + self.size(&members[at].ty)?;
            }
            if !is_field(&members[at]) {
                at += 1;
                continue;
            }
            let end = members[at..].iter().position(|member| !is_field(member)).map_or(members.len(), |n| at + n);
            let named: Vec<usize> = (at..end).filter(|&at| members[at].name.is_some()).collect();
            let mut widest = 1;
            for &field in &named {
                widest = widest.max(self.size(&members[field].ty)?);
            }
            let after = members[end..].iter().position(|m| m.bits.is_none() || (is_field(m) && m.name.is_some()));
            let ceiling = after.map_or(size, |n| places[end + n] / 8);
            let mut start = 0;
            while start < named.len() {
                let (first, mut last) = bytes(members, named[start]);
                let mut stop = start + 1;
                while let Some(&next) = named.get(stop) {
                    let (from, to) = bytes(members, next);
                    if from >= last && window(first, to, floor, ceiling, widest).is_none() {
                        break;
                    }
                    last = last.max(to);
                    stop += 1;
                }
                let limit = named.get(stop).map_or(ceiling, |&next| bytes(members, next).0);
                let exact = (last - first <= 8).then_some((first, last - first));
                let found = window(first, last, floor, limit, widest).or(exact);
                for &field in &named[start..stop] {
                    let (from, to) = bytes(members, field);
                    // Where no cell holds all fields that share bytes, each has its own bytes, which overlap.
                    let own = (to - from <= 8).then_some((from, to - from));
                    let (offset, unit) = found.or(own).ok_or("a bit-field that touches more than 8 bytes")?;
                    let shift = places[field] - offset * 8;
                    members[field].offset = offset;
                    if let Some(bits) = &mut members[field].bits {
                        (bits.shift, bits.unit) = (shift as u8, (unit * 8) as u8);
                    }
                }
                floor = found.map_or(last, |(offset, unit)| offset + unit);
                start = stop;
            }
            at = end;
        }
        Ok(())
    }
}

/// The smallest aligned cell that has these bytes and lies between two places.
fn window(first: u64, last: u64, floor: u64, ceiling: u64, widest: u64) -> Option<(u64, u64)> {
    let cells = [1, 2, 4, 8].into_iter().filter(|&unit| unit <= widest).map(|unit| (first / unit * unit, unit));
    cells.into_iter().find(|&(offset, unit)| offset >= floor && offset + unit >= last && offset + unit <= ceiling)
}

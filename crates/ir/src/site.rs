//! Sites: accesses and fences of a text whose memory order could be another one.
//!
//! An instruction belongs to the site whose mark is among its tags. No model knows marks, so they mean nothing.

pub mod kernel;

use crate::{Instr, Op, Program, TagSet};
use source::Span;

/// What a mark begins with; the number of the site follows.
const MARK: char = '!';

/// An access or a fence of the text that could have another memory order. Where a macro or a function stands for several
/// accesses, they are one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// What is changed in the text, for the reader: the order, or the operation.
    pub span: Span,
    /// Which of the orders stands in the text.
    pub now: usize,
    /// The orders that it could have, none before one that is weaker.
    pub orders: Vec<MemoryOrder>,
}

/// A memory order at a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryOrder {
    /// Its name, such as `acquire`.
    pub name: String,
    /// The tags that it gives to a read.
    pub read: Vec<String>,
    /// The tags that it gives to a write.
    pub write: Vec<String>,
    /// The tags that it gives to a fence.
    pub fence: Vec<String>,
    /// The orders of the site, by number, that this one is at least as strong as; itself among them.
    pub covers: Vec<usize>,
    /// How the text is changed to have it: what is replaced, and by what.
    pub edits: Vec<(Span, String)>,
}

/// An order of a family: the name, the tags (with blanks between them) of a read, of a write and of a fence, and what it is at least as strong as.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

/// C11's orders.
const C11: &[Row] = &[
    ("relaxed", "RLX", "RLX", "", &["relaxed"]),
    ("acquire", "ACQ", "RLX", "ACQ", &["relaxed", "acquire"]),
    ("release", "RLX", "REL", "REL", &["relaxed", "release"]),
    ("acq_rel", "ACQ", "REL", "ACQ_REL", &["relaxed", "acquire", "release", "acq_rel"]),
    ("seq_cst", "SC", "SC", "SC", &["relaxed", "acquire", "release", "acq_rel", "seq_cst"]),
];

/// What an access that is not atomic could be instead.
const NON_ATOMIC: &[Row] = &[
    ("non-atomic", "NA", "NA", "", &["non-atomic"]),
    ("relaxed", "A RLX", "A RLX", "", &["non-atomic", "relaxed"]),
    ("acquire", "A ACQ", "A RLX", "", &["non-atomic", "relaxed", "acquire"]),
    ("release", "A RLX", "A REL", "", &["non-atomic", "relaxed", "release"]),
    ("seq_cst", "A SC", "A SC", "", &["non-atomic", "relaxed", "acquire", "release", "seq_cst"]),
];

impl MemoryOrder {
    /// What an access that is not atomic could be: that, or atomic with the orders that are allowed.
    pub fn non_atomic(allowed: impl Fn(&str) -> bool, edits: impl Fn(&str) -> Vec<(Span, String)>) -> Vec<MemoryOrder> {
        MemoryOrder::family(&NON_ATOMIC.iter().filter(|(name, ..)| allowed(name)).collect::<Vec<_>>(), edits)
    }

    /// The orders of C11 that are allowed somewhere, and how the text is changed to have them.
    pub fn c11(allowed: impl Fn(&str) -> bool, edits: impl Fn(&str) -> Vec<(Span, String)>) -> Vec<MemoryOrder> {
        MemoryOrder::family(&C11.iter().filter(|(name, ..)| allowed(name)).collect::<Vec<_>>(), edits)
    }

    fn family(rows: &[&Row], edits: impl Fn(&str) -> Vec<(Span, String)>) -> Vec<MemoryOrder> {
        let tags = |tags: &str| tags.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let order = |(name, read, write, fence, below): &&Row| MemoryOrder {
            name: (*name).to_owned(),
            read: tags(read),
            write: tags(write),
            fence: tags(fence),
            covers: (0..rows.len()).filter(|&at| below.contains(&rows[at].0)).collect(),
            edits: edits(name),
        };
        rows.iter().map(order).collect()
    }
}

impl Site {
    /// The tag that marks the instructions of a site.
    pub fn mark(number: usize) -> String {
        format!("{MARK}{number}")
    }

    /// The site that a tag is the mark of.
    pub fn of_mark(tag: &str) -> Option<usize> {
        tag.strip_prefix(MARK)?.parse().ok()
    }

    /// The weakest order that is at least as strong as all of these.
    pub fn join(&self, orders: &[usize]) -> usize {
        let above = |at: &usize| orders.iter().all(|order| self.orders[*at].covers.contains(order));
        (0..self.orders.len()).find(above).unwrap_or(self.orders.len().saturating_sub(1))
    }
}

/// The text of a pointer to an object, whose text is given.
pub fn pointer(object: &str) -> String {
    let object = object.trim();
    match object.strip_prefix('*').map(str::trim) {
        Some(pointer) if is_postfix(pointer) => pointer.to_owned(),
        _ if is_postfix(object) => format!("&{object}"),
        _ => format!("&({object})"),
    }
}

/// Whether an expression has no operator that binds weaker than `&` and `*` in front of it.
fn is_postfix(text: &str) -> bool {
    let mut depth = 0usize;
    let bytes = text.as_bytes();
    let plain = |(at, &byte): (usize, &u8)| match byte {
        b'(' | b'[' => {
            depth += 1;
            // What begins with a parenthesis could be a cast.
            at > 0
        }
        b')' | b']' => {
            depth = depth.saturating_sub(1);
            true
        }
        b'-' => depth > 0 || bytes.get(at + 1) == Some(&b'>'),
        b'>' => depth > 0 || (at > 0 && bytes[at - 1] == b'-'),
        b'.' | b'_' => true,
        _ => depth > 0 || byte.is_ascii_alphanumeric(),
    };
    !text.is_empty() && bytes.iter().enumerate().all(plain)
}

impl Program {
    /// The site that an instruction belongs to.
    pub fn site_of(&self, instr: &Instr) -> Option<usize> {
        let tags = match &instr.op {
            Op::Load { tags, .. } | Op::Store { tags, .. } | Op::StoreConditional { tags, .. } | Op::Fence { tags } => {
                tags
            }
            Op::Rmw { read_tags, .. } => read_tags,
            Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => return None,
        };
        tags.iter().find_map(|tag| Site::of_mark(&self.tags[tag.index()]))
    }

    /// Makes a site of instructions, which are given by function, block and number.
    pub fn mark_site(&mut self, site: Site, instrs: &[(usize, usize, usize)]) {
        let mark = self.tag(&Site::mark(self.sites.len()));
        self.sites.push(site);
        for &(function, block, at) in instrs {
            match &mut self.functions[function].blocks[block].instrs[at].op {
                Op::Load { tags, .. }
                | Op::Store { tags, .. }
                | Op::StoreConditional { tags, .. }
                | Op::Fence { tags } => {
                    tags.insert(mark);
                }
                Op::Rmw { read_tags, write_tags, .. } => {
                    read_tags.insert(mark);
                    write_tags.insert(mark);
                }
                Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
    }

    /// Gives a site another of its orders.
    pub fn set_order(&mut self, site: usize, order: usize) {
        let Some(known) = self.sites.get(site).cloned() else { return };
        let chosen = &known.orders[order];
        let all =
            |half: fn(&MemoryOrder) -> &Vec<String>| known.orders.iter().flat_map(half).cloned().collect::<Vec<_>>();
        let halves = [all(|order| &order.read), all(|order| &order.write), all(|order| &order.fence)];
        let mut changed = Vec::new();
        for (function, body) in self.functions.iter().enumerate() {
            for (block, code) in body.blocks.iter().enumerate() {
                let here = code.instrs.iter().enumerate().filter(|(_, instr)| self.site_of(instr) == Some(site));
                changed.extend(here.map(|(at, _)| (function, block, at)));
            }
        }
        for (function, block, at) in changed {
            let mut op = self.functions[function].blocks[block].instrs[at].op.clone();
            let mut replace = |tags: &mut TagSet, old: &[String], new: &[String]| {
                let kept = tags.iter().filter(|tag| !old.contains(&self.tags[tag.index()])).collect::<Vec<_>>();
                *tags = kept.into_iter().chain(new.iter().map(|name| self.tag(name))).collect();
            };
            match &mut op {
                Op::Load { tags, .. } => replace(tags, &halves[0], &chosen.read),
                Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => replace(tags, &halves[1], &chosen.write),
                Op::Fence { tags } => replace(tags, &halves[2], &chosen.fence),
                Op::Rmw { read_tags, write_tags, .. } => {
                    replace(read_tags, &halves[0], &chosen.read);
                    replace(write_tags, &halves[1], &chosen.write);
                }
                Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
            self.functions[function].blocks[block].instrs[at].op = op;
        }
    }
}

//! Operations of the Linux kernel as sites: marked accesses and barriers, whose order is in their name.

use super::{MemoryOrder, Row, Site, is_postfix, pointer};
use source::Span;

const LOADS: &[Row] = &[("once", "ONCE", "", "", &["once"]), ("acquire", "ACQUIRE", "", "", &["once", "acquire"])];
const STORES: &[Row] = &[("once", "", "ONCE", "", &["once"]), ("release", "", "RELEASE", "", &["once", "release"])];
const FENCES: &[Row] = &[
    ("none", "", "", "BARRIER", &["none"]),
    ("smp_wmb", "", "", "WMB", &["none", "smp_wmb"]),
    ("smp_rmb", "", "", "RMB", &["none", "smp_rmb"]),
    ("smp_mb", "", "", "MB", &["none", "smp_wmb", "smp_rmb", "smp_mb"]),
];

/// What can stand for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Load,
    Store,
    Fence,
}

impl Family {
    fn rows(self) -> &'static [Row] {
        match self {
            Family::Load => LOADS,
            Family::Store => STORES,
            Family::Fence => FENCES,
        }
    }
}

/// The operations, by their names: the family, the order, and whether the first argument is an object, not a pointer to it.
const WORDS: &[(&str, Family, &str, bool)] = &[
    ("READ_ONCE", Family::Load, "once", true),
    ("smp_load_acquire", Family::Load, "acquire", false),
    ("WRITE_ONCE", Family::Store, "once", true),
    ("smp_store_release", Family::Store, "release", false),
    ("barrier", Family::Fence, "none", false),
    ("smp_wmb", Family::Fence, "smp_wmb", false),
    ("smp_rmb", Family::Fence, "smp_rmb", false),
    ("smp_mb", Family::Fence, "smp_mb", false),
];

/// Whether a word is such an operation.
pub fn is_word(word: &str) -> bool {
    WORDS.iter().any(|(known, ..)| *known == word)
}

/// The site of an operation that begins at `at` in a text; nothing if it is none of the operations here, or no call.
pub fn site(text: &str, at: usize) -> Option<Site> {
    let rest = text.get(at..)?;
    let length = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
    let (_, family, now, object) = *WORDS.iter().find(|(known, ..)| *known == &rest[..length])?;
    let (from, to) = first_argument(rest, length)?;
    let span = Span::new(at, at + length);
    let argument = Span::new(at + from, at + to);
    let edits = |order: &str| {
        let wanted = WORDS.iter().find(|(_, other, name, _)| *other == family && *name == order);
        let Some((word, _, _, wanted)) = wanted else { return Vec::new() };
        let mut edits = vec![(span, (*word).to_owned())];
        if *wanted != object {
            edits.push((argument, if object { pointer(&rest[from..to]) } else { pointee(&rest[from..to]) }));
        }
        edits
    };
    let orders = MemoryOrder::family(&family.rows().iter().collect::<Vec<_>>(), edits);
    let now = orders.iter().position(|order| order.name == now)?;
    Some(Site { span, now, orders })
}

/// Where the first argument of a call stands whose parentheses open behind `from`.
fn first_argument(text: &str, from: usize) -> Option<(usize, usize)> {
    let open = from + text[from..].find(|c: char| !c.is_whitespace())?;
    if !text[open..].starts_with('(') {
        return None;
    }
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b',' if depth == 1 => return Some((open + 1, at)),
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((open + 1, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// What a pointer points to.
fn pointee(pointer: &str) -> String {
    let pointer = pointer.trim();
    match pointer.strip_prefix('&').map(str::trim) {
        Some(object) if is_postfix(object) => object.to_owned(),
        _ if is_postfix(pointer) => format!("*{pointer}"),
        _ => format!("*({pointer})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts with each of the orders in place of the one that is there.
    fn written(text: &str) -> Vec<String> {
        let Some(site) = site(text, 0) else { return Vec::new() };
        let change = |order: &MemoryOrder| {
            let mut new = text.to_owned();
            order.edits.iter().rev().for_each(|(span, word)| {
                new.replace_range(span.start as usize..span.end as usize, word);
            });
            new
        };
        site.orders.iter().map(change).collect()
    }

    #[test]
    fn arguments_become_pointers_and_objects() {
        assert_eq!(written("READ_ONCE(*x)"), ["READ_ONCE(*x)", "smp_load_acquire(x)"]);
        assert_eq!(written("READ_ONCE(q->a[i - 1].b) + 1")[1], "smp_load_acquire(&q->a[i - 1].b) + 1");
        assert_eq!(written("READ_ONCE(*p++)")[1], "smp_load_acquire(&(*p++))");
        assert_eq!(written("smp_store_release(&q->x, f(1, 2));")[0], "WRITE_ONCE(q->x, f(1, 2));");
        assert_eq!(written("smp_store_release(p + 1, 2);")[0], "WRITE_ONCE(*(p + 1), 2);");
        assert_eq!(written("smp_load_acquire((int *)p)")[0], "READ_ONCE(*((int *)p))");
        assert_eq!(written("smp_mb ()"), ["barrier ()", "smp_wmb ()", "smp_rmb ()", "smp_mb ()"]);
        assert!(site("smp_mb;", 0).is_none() && site("smp_mb__after_atomic()", 0).is_none());
    }
}

//! Anchors: words that are put into the user's text before the preprocessor runs, so that places in what it makes of the
//! text can be found again in the user's own, whatever macros stand beside them.
//!
//! An anchor stands where a statement ends or may begin: after `;`, `{` and `}`, after `)`, after `else` and `do`, but never
//! inside parentheses, so in no argument of a macro, and not in directives. Its name is the place in the user's text.
//!
//! Another kind of anchor stands behind each memory order, also in arguments and in definitions of macros. Operations of `<stdatomic.h>`
//! that have no order get the one that they stand for, so that there is something to anchor.
//!
//! A third kind stands before each operation whose order is in its name: the Linux kernel's, and `__sync_synchronize`. Nothing may stand
//! behind the name of a macro, nor among its arguments if it has none.

/// What an anchor begins with; the place and two underscores follow.
const PREFIX: &str = "__fencepost_anchor_";

/// What the anchor of a memory order begins with; the place of the order in the user's files and two underscores follow.
const ORDER: &str = "__fencepost_order_";

/// What the anchor of an operation begins with whose order is in its name.
const OPERATION: &str = "__fencepost_operation_";

/// The operations of `<stdatomic.h>` that are sequentially consistent without saying so, and how many orders their explicit
/// forms take.
const IMPLICIT: &[(&str, usize)] = &[
    ("atomic_load", 1),
    ("atomic_store", 1),
    ("atomic_exchange", 1),
    ("atomic_fetch_add", 1),
    ("atomic_fetch_sub", 1),
    ("atomic_fetch_and", 1),
    ("atomic_fetch_or", 1),
    ("atomic_fetch_xor", 1),
    ("atomic_flag_test_and_set", 1),
    ("atomic_flag_clear", 1),
    ("atomic_compare_exchange_strong", 2),
    ("atomic_compare_exchange_weak", 2),
];

/// How many orders the explicit form of an operation takes that has none.
pub(crate) fn implicit(name: &str) -> Option<usize> {
    IMPLICIT.iter().find(|(known, _)| *known == name).map(|(_, orders)| *orders)
}

/// The full fence that has no order.
pub(crate) const SYNCHRONIZE: &str = "__sync_synchronize";

/// Whether a word is an operation whose order is in its name.
fn is_operation(word: &str) -> bool {
    ir::kernel::is_word(word) || word == SYNCHRONIZE
}

/// Whether a word is a memory order.
fn is_order(word: &str) -> bool {
    let rest = word.strip_prefix("memory_order_").or_else(|| word.strip_prefix("__ATOMIC_"));
    let known = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"];
    rest.is_some_and(|rest| known.iter().any(|order| order.eq_ignore_ascii_case(rest)))
}

/// The text with anchors. Their names count from `base`: where the text begins among the user's files.
pub fn with_anchors(text: &str, base: u32) -> String {
    let (bytes, base) = (text.as_bytes(), base as usize);
    let mut out = String::with_capacity(text.len() * 2);
    let (mut at, mut depth, mut done) = (0usize, 0usize, 0usize);
    let mut line_begins = true;
    let header = text.contains("stdatomic.h");
    // Calls that are open: the depth of their parentheses, their place, and how many orders they lack.
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    while at < bytes.len() {
        let rest = &text[at..];
        let skipped = match bytes[at] {
            b'#' if line_begins => directive(rest),
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            quote @ (b'"' | b'\'') => literal(rest, quote),
            byte if byte == b'_' || byte.is_ascii_alphanumeric() => word(rest).len(),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        match bytes[at] {
            b'\n' => line_begins = true,
            byte if byte.is_ascii_whitespace() => {}
            _ => line_begins = false,
        }
        let opens = matches!(bytes[at], b'(' | b'[');
        let closes = matches!(bytes[at], b')' | b']');
        if closes && let Some((_, place, orders)) = open.pop_if(|(inner, ..)| *inner == depth) {
            out.push_str(&text[done..at]);
            out.push_str(&format!(", memory_order_seq_cst {ORDER}{}__", base + place).repeat(orders));
            done = at;
        }
        if bytes[at] == b'#' && skipped > 1 {
            out.push_str(&text[done..at]);
            out.push_str(&with_orders(&rest[..skipped], base + at));
            done = at + skipped;
        }
        let wanted = implicit(&rest[..skipped]).filter(|_| header && rest[skipped..].trim_start().starts_with('('));
        if let Some(orders) = wanted {
            out.push_str(&text[done..at + skipped]);
            out.push_str("_explicit");
            done = at + skipped;
            open.push((depth + 1, at, orders));
        } else if is_order(&rest[..skipped]) {
            out.push_str(&text[done..at + skipped]);
            out.push_str(&format!(" {ORDER}{}__", base + at));
            done = at + skipped;
        } else if is_operation(&rest[..skipped]) {
            out.push_str(&text[done..at]);
            out.push_str(&format!("{OPERATION}{}__ ", base + at));
            done = at;
        }
        depth = (depth + usize::from(opens)).saturating_sub(usize::from(closes));
        let here = match bytes[at] {
            b';' | b'{' | b'}' => true,
            // What follows a call could be the arguments of what it returns.
            b')' => !rest[1..].trim_start().starts_with('('),
            _ => matches!(&rest[..skipped], "else" | "do"),
        };
        at += skipped;
        if here && depth == 0 {
            out.push_str(&text[done..at]);
            out.push_str(&format!(" {PREFIX}{}__", base + at));
            done = at;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// The definition of a macro, which begins at `place` in the user's files, with anchors at its memory orders and operations.
fn with_orders(directive: &str, place: usize) -> String {
    let is_definition = directive[1..].trim_start().starts_with("define");
    if !is_definition || directive.contains("##") {
        return directive.to_owned();
    }
    let (mut out, mut at) = (String::new(), 0);
    // The word `define` and the name of the macro come first.
    let mut words = 0;
    while let Some(next) = directive[at..].chars().next() {
        let length = word(&directive[at..]).len().max(next.len_utf8());
        words += usize::from(!word(&directive[at..]).is_empty());
        if words > 2 && is_operation(&directive[at..at + length]) {
            out.push_str(&format!("{OPERATION}{}__ ", place + at));
        }
        out.push_str(&directive[at..at + length]);
        if is_order(&directive[at..at + length]) {
            out.push_str(&format!(" {ORDER}{}__", place + at));
        }
        at += length;
    }
    out
}

fn word(rest: &str) -> &str {
    let length = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
    &rest[..length]
}

/// The length of a directive, with the lines that continue it, without its last line break.
fn directive(rest: &str) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            return length - usize::from(line.ends_with('\n'));
        }
    }
    length
}

fn literal(rest: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// A text without its anchors, and what they say.
pub(crate) struct Taken {
    pub text: String,
    /// Pairs of a place in that text and one in the user's. Those that are there several times are left out.
    pub anchors: Vec<(usize, usize)>,
    /// The places in that text behind memory orders, and where these are in the user's.
    pub orders: Vec<(usize, usize)>,
    /// The places in that text before operations whose order is in their name, and where these are in the user's.
    pub operations: Vec<(usize, usize)>,
}

/// Takes the anchors out of a text.
pub(crate) fn take(text: &str) -> Taken {
    let mut clean = String::with_capacity(text.len());
    let mut anchors: Vec<(usize, usize)> = Vec::new();
    let (mut orders, mut operations) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find("__fencepost_") {
        let found =
            [PREFIX, ORDER, OPERATION].into_iter().find_map(|prefix| Some((prefix, rest[at..].strip_prefix(prefix)?)));
        let Some((prefix, number)) = found else {
            let (kept, more) = rest.split_at(at + 1);
            clean.push_str(kept);
            rest = more;
            continue;
        };
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        clean.push_str(&rest[..at]);
        rest = number[digits..].strip_prefix("__").unwrap_or(&number[digits..]);
        if prefix == OPERATION {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        } else if clean.ends_with(' ') {
            clean.pop();
        }
        let list = match prefix {
            PREFIX => &mut anchors,
            ORDER => &mut orders,
            _ => &mut operations,
        };
        list.extend(number[..digits].parse().ok().map(|own: usize| (clean.len(), own)));
    }
    clean.push_str(rest);
    let mut owns: Vec<usize> = anchors.iter().map(|(_, own)| *own).collect();
    owns.sort_unstable();
    let repeated = |own: usize| owns.partition_point(|&o| o <= own) - owns.partition_point(|&o| o < own) > 1;
    anchors.retain(|&(_, own)| !repeated(own));
    Taken { text: clean, anchors, orders, operations }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_anchors_out_gives_the_text_back() {
        let text = "#define M(x) x; \\\n  y;\nint f(void) { if (a) M(b); else c(d)(e); /* ; */ s = \";\"; do g(';'); while (0); }\n// ;\n";
        let anchored = with_anchors(text, 0);
        let Taken { text: clean, anchors, .. } = take(&anchored);
        assert_eq!(clean, text);
        assert!(anchors.iter().all(|(here, own)| here == own));
        let before: Vec<&str> = anchors.iter().map(|&(at, _)| &text[..at]).collect();
        assert!(before.iter().all(|text| [";", "{", "}", ")", "else", "do"].iter().any(|end| text.ends_with(end))));
        assert_eq!(anchors.len(), 15, "{anchored}");
        assert!(!anchored[..anchored.find("int f").expect("there")].contains(PREFIX), "none in directives");
    }

    #[test]
    fn an_anchor_that_is_there_twice_is_none() {
        let Taken { text: clean, anchors, .. } =
            take("a; __fencepost_anchor_2__ b; __fencepost_anchor_2__ c; __fencepost_anchor_8__\n");
        assert_eq!(clean, "a; b; c;\n");
        assert_eq!(anchors, [(8, 8)]);
    }

    #[test]
    fn operations_are_found_again() {
        let text = "#define smp_rmb() f()\n#define FULL(x) do { smp_mb(); x; } while (0)\nvoid f(void) { if (READ_ONCE(x))\n\
                    smp_wmb(); g(smp_store_release(&x, 1)); smp_mb__after_atomic(); __sync_synchronize(); }\n";
        let Taken { text: clean, operations, .. } = take(&with_anchors(text, 0));
        assert_eq!(clean, text);
        assert!(operations.iter().all(|(here, own)| here == own));
        let words: Vec<&str> = operations.iter().map(|&(at, _)| word(&text[at..])).collect();
        assert_eq!(words, ["smp_mb", "READ_ONCE", "smp_wmb", "smp_store_release", SYNCHRONIZE]);
    }

    #[test]
    fn memory_orders_are_found_again() {
        let text = "#include <stdatomic.h>\n#define MO memory_order_release\nvoid f(void) { atomic_store_explicit(&x, 1, MO); \
                    g(__ATOMIC_RELAXED, \"memory_order_acquire\"); atomic_store(&x, (1)); atomic_init(&x, 0); }\n";
        let Taken { text: clean, orders, .. } = take(&with_anchors(text, 0));
        let behind: Vec<(&str, &str)> = orders
            .iter()
            .map(|&(here, own)| (clean[..here].rsplit([' ', '(']).next().unwrap_or(""), word(&text[own..])))
            .collect();
        let expected = [
            ("memory_order_release", "memory_order_release"),
            ("__ATOMIC_RELAXED", "__ATOMIC_RELAXED"),
            ("memory_order_seq_cst", "atomic_store"),
        ];
        assert_eq!(behind, expected, "{clean}");
        assert!(clean.contains("atomic_store_explicit(&x, (1), memory_order_seq_cst); atomic_init"), "{clean}");
    }
}

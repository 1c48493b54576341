//! Accesses and fences of a test whose memory order could be another one.
//!
//! What an instruction of the program was in the text is known from its place: the operation is read again there, and the orders that its
//! architecture offers are written down with the words that stand for them.

use ir::{MemoryOrder, Op, Program, Site, kernel};
use source::Span;
use std::collections::BTreeMap;

/// An order in a family: its name, the tags of a read, of a write and of a fence, and the orders before it that it is stronger than.
type Row = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str], &'static [usize]);

/// What an operation could be instead, with how each of these is written.
struct Family {
    now: usize,
    orders: Vec<(Row, String)>,
    /// What is replaced; the whole instruction if nothing else is said.
    span: Option<Span>,
}

/// Writes down the sites of a program, and marks their instructions.
pub fn mark_sites(program: &mut Program) {
    let mut places: BTreeMap<Span, Vec<(usize, usize, usize)>> = BTreeMap::new();
    for (function, body) in program.functions.iter().enumerate() {
        for (block, code) in body.blocks.iter().enumerate() {
            for (at, instr) in code.instrs.iter().enumerate() {
                let has_order = match &instr.op {
                    Op::Load { .. }
                    | Op::Store { .. }
                    | Op::StoreConditional { .. }
                    | Op::Rmw { .. }
                    | Op::Fence { .. } => true,
                    Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => false,
                };
                if has_order {
                    places.entry(instr.span).or_default().push((function, block, at));
                }
            }
        }
    }
    for (span, instrs) in places {
        let text = program.source.slice(span).to_owned();
        let site = match &*program.arch {
            "AArch64" => aarch64(&text).map(|family| family.site(span)),
            "RISCV" => riscv(&text).map(|family| family.site(span)),
            "PPC" => words(&text, PPC).map(|family| family.site(span)),
            "X86" => words(&text, X86).map(|family| family.site(span)),
            // The halves of an operation that can fail have orders of their own.
            "C" if instrs.len() == 1 => c11(&text, span),
            "LINUX" if instrs.len() == 1 => kernel::site(program.source.row(), span.start as usize),
            _ => None,
        };
        if let Some(site) = site {
            program.mark_site(site, &instrs);
        }
    }
}

impl Family {
    fn site(self, span: Span) -> Site {
        let span =
            self.span.map_or(span, |inner| Span { start: span.start + inner.start, end: span.start + inner.end });
        let names = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let order = |(at, ((name, read, write, fence, below), text)): (usize, (Row, String))| MemoryOrder {
            name: name.to_owned(),
            read: names(read),
            write: names(write),
            fence: names(fence),
            covers: below.iter().copied().chain([at]).collect(),
            edits: vec![(span, text)],
        };
        Site { span, now: self.now, orders: self.orders.into_iter().enumerate().map(order).collect() }
    }
}

/// A family of which each order is one word for the whole instruction, or the first of several.
type Words = &'static [(Row, &'static [&'static str])];

const PPC: Words = &[
    (("none", &[], &[], &[], &[]), &[""]),
    (("eieio", &[], &[], &["EIEIO"], &[0]), &["eieio"]),
    (("lwsync", &[], &[], &["LWSYNC"], &[0, 1]), &["lwsync"]),
    (("sync", &[], &[], &["SYNC"], &[0, 1, 2]), &["sync"]),
];

const X86: Words = &[
    (("none", &[], &[], &[], &[]), &[""]),
    (("sfence", &[], &[], &["SFENCE"], &[0]), &["SFENCE"]),
    (("lfence", &[], &[], &["LFENCE"], &[0]), &["LFENCE"]),
    (("mfence", &[], &[], &["MFENCE"], &[0, 1, 2]), &["MFENCE"]),
];

const BARRIERS: Words = &[
    (("none", &[], &[], &[], &[]), &[""]),
    (("dmb st", &[], &[], &["DMB.ST"], &[0]), &["DMB ST", "DMB ISHST", "DMB OSHST"]),
    (("dmb ld", &[], &[], &["DMB.LD"], &[0]), &["DMB LD", "DMB ISHLD", "DMB OSHLD"]),
    (("dmb sy", &[], &[], &["DMB.SY"], &[0, 1, 2]), &["DMB SY", "DMB ISH", "DMB OSH"]),
];

const RISCV_FENCES: Words = &[
    (("none", &[], &[], &[], &[]), &[""]),
    (("fence w,w", &[], &[], &["Fence.w.w"], &[0]), &["fence w,w"]),
    (("fence r,r", &[], &[], &["Fence.r.r"], &[0]), &["fence r,r"]),
    (("fence r,rw", &[], &[], &["Fence.r.rw"], &[0, 2]), &["fence r,rw"]),
    (("fence rw,w", &[], &[], &["Fence.rw.w"], &[0, 1]), &["fence rw,w"]),
    (("fence.tso", &[], &[], &["Fence.tso"], &[0, 1, 2, 3, 4]), &["fence.tso"]),
    (("fence rw,rw", &[], &[], &["Fence.rw.rw"], &[0, 1, 2, 3, 4, 5]), &["fence rw,rw"]),
];

/// The family of an instruction that is one of these words.
fn words(text: &str, known: Words) -> Option<Family> {
    let plain =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace(", ", ",").to_ascii_lowercase();
    let now = known.iter().position(|(_, words)| words.iter().any(|word| plain(word) == plain(text)))?;
    // With the domain that the text has.
    let same = known[now].1.iter().position(|word| plain(word) == plain(text)).unwrap_or(0);
    let word = |words: &[&str]| (*words.get(same).or(words.first()).unwrap_or(&"")).to_owned();
    Some(Family { now, orders: known.iter().map(|(row, words)| (*row, word(words))).collect(), span: None })
}

const PLAIN_LOAD: [Row; 3] =
    [("plain", &[], &[], &[], &[]), ("acquirePC", &["Q"], &[], &[], &[0]), ("acquire", &["A"], &[], &[], &[0, 1])];
const EXCLUSIVE_LOAD: [Row; 2] = [("plain", &[], &[], &[], &[]), ("acquire", &["A"], &[], &[], &[0])];
const STORE: [Row; 2] = [("plain", &[], &[], &[], &[]), ("release", &[], &["L"], &[], &[0])];
const ATOMIC: [Row; 4] = [
    ("plain", &[], &[], &[], &[]),
    ("acquire", &["A"], &[], &[], &[0]),
    ("release", &[], &["L"], &[], &[0]),
    ("acq_rel", &["A"], &["L"], &[], &[0, 1, 2]),
];
const ANNOTATED: [Row; 4] = [
    ("plain", &[], &[], &[], &[]),
    ("acquire", &["Acq"], &["Acq"], &[], &[0]),
    ("release", &["Rel"], &["Rel"], &[], &[0]),
    ("acq_rel", &["AcqRel"], &["AcqRel"], &[], &[0, 1, 2]),
];

/// A family of mnemonics, the first word of an instruction; the rest stays.
fn mnemonics(text: &str, rows: &[Row], spelled: &[String]) -> Option<Family> {
    let word = text.split_whitespace().next()?;
    let now = spelled.iter().position(|one| one.eq_ignore_ascii_case(word))?;
    let lower = word.starts_with(|first: char| first.is_ascii_lowercase());
    let case = |one: &String| if lower { one.to_ascii_lowercase() } else { one.clone() };
    let orders = rows.iter().copied().zip(spelled.iter().map(case)).collect();
    Some(Family { now, orders, span: Some(Span::new(0, word.len())) })
}

fn aarch64(text: &str) -> Option<Family> {
    if let Some(family) = words(text, BARRIERS) {
        return Some(family);
    }
    let word = text.split_whitespace().next()?.to_ascii_uppercase();
    // Acquires and releases address memory by a register alone.
    let inside = text.split_once('[')?.1;
    let (address, rest) = inside.split_once(']')?;
    if address.contains(',') || !rest.trim().is_empty() {
        return None;
    }
    let (base, size) = match word.as_bytes().last() {
        Some(b'B' | b'H') => word.split_at(word.len() - 1),
        _ => (&*word, ""),
    };
    let spelled = |stems: &[&str]| stems.iter().map(|stem| format!("{stem}{size}")).collect::<Vec<_>>();
    match base {
        "LDR" | "LDAPR" | "LDAR" => mnemonics(text, &PLAIN_LOAD, &spelled(&["LDR", "LDAPR", "LDAR"])),
        "LDXR" | "LDAXR" => mnemonics(text, &EXCLUSIVE_LOAD, &spelled(&["LDXR", "LDAXR"])),
        "STR" | "STLR" => mnemonics(text, &STORE, &spelled(&["STR", "STLR"])),
        "STXR" | "STLXR" => mnemonics(text, &STORE, &spelled(&["STXR", "STLXR"])),
        _ => {
            let stem = ["AL", "A", "L"].iter().find_map(|suffix| base.strip_suffix(suffix)).unwrap_or(base);
            let known = ["SWP", "CAS", "LDADD", "LDCLR", "LDEOR", "LDSET", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN"];
            // What is forgotten is not acquired.
            if !known.contains(&stem) || text.to_ascii_uppercase().contains("ZR") {
                return None;
            }
            let forms: Vec<String> =
                ["", "A", "L", "AL"].iter().map(|suffix| format!("{stem}{suffix}{size}")).collect();
            mnemonics(text, &ATOMIC, &forms)
        }
    }
}

fn riscv(text: &str) -> Option<Family> {
    if let Some(family) = words(text, RISCV_FENCES) {
        return Some(family);
    }
    let word = text.split_whitespace().next()?.to_ascii_lowercase();
    let stem = [".aq.rl", ".aqrl", ".aq", ".rl"].iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(&word);
    if !(stem.starts_with("amo") || stem.starts_with("lr.") || stem.starts_with("sc.")) {
        return None;
    }
    let both = if word.ends_with(".aqrl") { ".aqrl" } else { ".aq.rl" };
    let forms: Vec<String> = ["", ".aq", ".rl", both].iter().map(|suffix| format!("{stem}{suffix}")).collect();
    mnemonics(text, &ANNOTATED, &forms)
}

/// The arguments of a call, as places in its text.
fn arguments(text: &str) -> Option<Vec<Span>> {
    let open = text.find('(')?;
    let (mut depth, mut from, mut found) = (0usize, open + 1, Vec::new());
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b',' if depth == 1 => {
                found.push(Span::new(from, at));
                from = at + 1;
            }
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(Span::new(from, at));
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// The site of an operation of C11 with one order, which is its last argument.
fn c11(text: &str, span: Span) -> Option<Site> {
    let name = text.split('(').next()?.trim();
    let last = *arguments(text)?.last()?;
    let argument = text.get(last.start as usize..last.end as usize)?;
    let order = argument.trim().strip_prefix("memory_order_")?;
    let start = span.start + last.start + (argument.len() - argument.trim_start().len()) as u32;
    let place = Span { start, end: start + argument.trim().len() as u32 };
    let allowed = |order: &str| match name {
        "atomic_load_explicit" => !matches!(order, "release" | "acq_rel"),
        "atomic_store_explicit" => !matches!(order, "acquire" | "acq_rel"),
        _ => name == "atomic_thread_fence" || (name.ends_with("_explicit") && !name.contains("compare")),
    };
    let orders = MemoryOrder::c11(allowed, |order| vec![(place, format!("memory_order_{order}"))]);
    let now = orders.iter().position(|known| known.name == order)?;
    Some(Site { span: place, now, orders })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(family: Option<Family>) -> (usize, Vec<String>) {
        family.map_or((0, Vec::new()), |family| (family.now, family.orders.into_iter().map(|(_, text)| text).collect()))
    }

    #[test]
    fn operations_have_the_forms_that_their_architecture_has() {
        let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(written(aarch64("LDAR W0,[X1]")), (2, strings(&["LDR", "LDAPR", "LDAR"])));
        assert_eq!(written(aarch64("strb W0, [X1]")), (0, strings(&["strb", "stlrb"])));
        assert_eq!(written(aarch64("LDADDAL W0,W1,[X2]")), (3, strings(&["LDADD", "LDADDA", "LDADDL", "LDADDAL"])));
        assert_eq!(written(aarch64("DMB ISHLD")), (2, strings(&["", "DMB ISHST", "DMB ISHLD", "DMB ISH"])));
        for none in ["LDR W0,[X1,#4]", "LDR W0,[X1],#4", "STADD W0,[X1]", "SWP W0,WZR,[X1]", "LDP W0,W1,[X2]"] {
            assert!(aarch64(none).is_none(), "{none}");
        }
        assert_eq!(written(riscv("amoadd.w.aq x1,x2,(x3)")).0, 1);
        assert_eq!(written(riscv("fence rw, w")).0, 4);
        assert!(riscv("lw x1,0(x2)").is_none());
    }
}

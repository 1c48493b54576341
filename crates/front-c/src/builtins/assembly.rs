//! Inline assembly: fences of all machines. The rest is x86's.

use super::context::Call;
use super::fences::emit_pairs;
use crate::lower::Lowering;
use c_syntax::ast::Asm;
use source::{Diagnostic, Span};

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    /// Nothing that a model knows of: a hint, an empty line.
    Nothing,
    /// The fence with this tag.
    Fence(&'static str),
    /// A fence for these pairs.
    Pairs(Vec<&'static str>),
    /// Not known.
    Unknown,
}

/// Translates inline assembly.
pub(crate) fn asm(lowering: &mut Lowering, asm: &Asm, span: Span) -> Result<(), Diagnostic> {
    let text = plain(&asm.template.text());
    let mut call = Call { lowering, name: "asm", args: &[], span, range: None };
    if asm.is_goto || !asm.labels.is_empty() {
        let complaint = call.error("inline assembly that may jump to a label is not supported");
        return Err(complaint.help("write it in C, with `if` and `goto`"));
    }
    // An operand that is read and written keeps its value where nothing changes one. One that is only written takes a value.
    let computes = asm.outputs.iter().any(|operand| !operand.constraint.text().starts_with('+'));
    let known = instructions(&text).iter().all(|instruction| meaning(instruction) != Meaning::Unknown);
    if computes || !known {
        return super::x86::statement(&mut call, asm);
    }
    for instruction in instructions(&text) {
        match meaning(&instruction) {
            Meaning::Nothing => {}
            Meaning::Fence(tag) => call.fence(&[tag]),
            Meaning::Pairs(pairs) => emit_pairs(&mut call, &pairs),
            Meaning::Unknown => {}
        }
    }
    Ok(())
}

/// The text of a string literal, as far as assembly looks at it.
fn plain(text: &str) -> String {
    text.replace('\t', " ").replace("%%", "%")
}

/// The instructions of a text, in small letters with single spaces, a prefix `lock` together with what it locks.
fn instructions(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut locked = false;
    for piece in text.split([';', '\n']) {
        let piece = piece.split(['#', '@']).next().filter(|_| !piece.contains("membar")).unwrap_or(piece);
        let words = piece.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        match &*words {
            "" => {}
            // `rep; nop` is `pause`.
            "rep" => {}
            "lock" => locked = true,
            _ if locked => {
                out.push(format!("lock {words}"));
                locked = false;
            }
            _ => out.push(words),
        }
    }
    out
}

fn meaning(instruction: &str) -> Meaning {
    let (mnemonic, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let operands: String = operands.split_whitespace().collect();
    let full = || Meaning::Pairs(vec!["WW", "WR", "RW", "RR"]);
    match (mnemonic, &*operands) {
        ("nop" | "pause" | "yield" | "hint" | "wfe" | "sev", _) => Meaning::Nothing,
        ("rep", "nop") => Meaning::Nothing,
        ("or", "27,27,27" | "31,31,31" | "1,1,1" | "2,2,2") => Meaning::Nothing,
        ("mfence", "") => Meaning::Fence("MFENCE"),
        ("lfence", "") => Meaning::Fence("LFENCE"),
        ("sfence", "") => Meaning::Fence("SFENCE"),
        // A locked addition of zero to the stack is how a full fence is often written.
        ("lock", locked) if neutral(locked) => Meaning::Fence("MFENCE"),
        ("sync" | "hwsync" | "msync" | "ptesync", "" | "0") => Meaning::Fence("SYNC"),
        ("lwsync", "") | ("sync", "1") => Meaning::Fence("LWSYNC"),
        ("isync", "") | ("isb", "" | "sy") => Meaning::Fence("ISYNC"),
        ("eieio", "") => Meaning::Fence("EIEIO"),
        ("dmb" | "dsb", "" | "sy" | "ish" | "osh" | "nsh") | ("mb", "") => full(),
        ("dmb" | "dsb", "st" | "ishst" | "oshst" | "nshst") | ("wmb", "") => Meaning::Pairs(vec!["WW"]),
        ("dmb" | "dsb", "ld" | "ishld" | "oshld" | "nshld") => Meaning::Pairs(vec!["RR", "RW"]),
        ("rmb", "") => Meaning::Pairs(vec!["RR"]),
        ("membar", mask) => sparc(mask),
        ("fence.tso", "") => Meaning::Pairs(vec!["RR", "RW", "WW"]),
        ("fence", "") => full(),
        ("fence", sets) => riscv(sets),
        _ => Meaning::Unknown,
    }
}

/// Whether a locked instruction, without spaces, adds or sets nothing on the stack: `addl$0,0(%rsp)`.
fn neutral(locked: &str) -> bool {
    let operation = locked.starts_with("add") || locked.starts_with("or");
    let stack = ["(%rsp)", "(%esp)", "(%sp)"].iter().any(|place| locked.ends_with(place));
    let zero = locked.split_once('$').is_some_and(|(_, rest)| rest.starts_with("0,") || rest.starts_with("0x0,"));
    operation && stack && zero
}

/// SPARC's `membar #StoreLoad|#LoadLoad`.
fn sparc(mask: &str) -> Meaning {
    let mut pairs = Vec::new();
    for part in mask.split('|') {
        match part {
            "#storestore" => pairs.push("WW"),
            "#storeload" => pairs.push("WR"),
            "#loadstore" => pairs.push("RW"),
            "#loadload" => pairs.push("RR"),
            "#sync" | "#memissue" => pairs.extend(["WW", "WR", "RW", "RR"]),
            _ => return Meaning::Unknown,
        }
    }
    Meaning::Pairs(pairs)
}

/// RISC-V's `fence rw,w`.
fn riscv(sets: &str) -> Meaning {
    let Some((before, after)) = sets.split_once(',') else { return Meaning::Unknown };
    if [before, after].iter().any(|set| set.is_empty() || !set.chars().all(|c| "iorw".contains(c))) {
        return Meaning::Unknown;
    }
    let mut pairs = Vec::new();
    for (pair, first, second) in [("WW", 'w', 'w'), ("WR", 'w', 'r'), ("RW", 'r', 'w'), ("RR", 'r', 'r')] {
        if before.contains(first) && after.contains(second) {
            pairs.push(pair);
        }
    }
    Meaning::Pairs(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Meaning> {
        instructions(&plain(text)).iter().map(|instruction| meaning(instruction)).collect()
    }

    #[test]
    fn fences_are_known_by_their_mnemonics() {
        assert_eq!(all("mfence"), [Meaning::Fence("MFENCE")]);
        assert_eq!(all("  LWSYNC\n\t"), [Meaning::Fence("LWSYNC")]);
        assert_eq!(all("lwsync; isync"), [Meaning::Fence("LWSYNC"), Meaning::Fence("ISYNC")]);
        assert_eq!(all("dmb ishst"), [Meaning::Pairs(vec!["WW"])]);
        assert_eq!(all("membar #StoreLoad | #StoreStore"), [Meaning::Pairs(vec!["WR", "WW"])]);
        assert_eq!(all("fence r, rw"), [Meaning::Pairs(vec!["RW", "RR"])]);
    }

    #[test]
    fn a_locked_addition_of_zero_to_the_stack_is_a_full_fence() {
        for text in ["lock; addl $0,0(%%rsp)", "lock addl $0x0, (%%esp)", "lock orq $0,0(%rsp)"] {
            assert_eq!(all(text), [Meaning::Fence("MFENCE")], "{text}");
        }
        assert_eq!(all("lock; addl $1,%0"), [Meaning::Unknown]);
        assert_eq!(all("lock; addl $0,%0"), [Meaning::Unknown]);
    }

    #[test]
    fn hints_and_empty_texts_do_nothing_and_the_rest_is_unknown() {
        assert_eq!(all(""), []);
        assert_eq!(all("rep; nop"), [Meaning::Nothing]);
        assert_eq!(all("pause # wait"), [Meaning::Nothing]);
        assert_eq!(all("xchgl %0,%1"), [Meaning::Unknown]);
    }
}

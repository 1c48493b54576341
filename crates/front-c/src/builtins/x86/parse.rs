//! The text of inline assembly for x86, in AT&T's syntax: instructions with their operands.

/// A size of operands, in bits.
pub(super) type Size = u8;

/// One of the sixteen general registers, by its number in the machine's encoding: a, c, d, b, sp, bp, si, di, 8 to 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Hard(pub u8);

impl Hard {
    pub const A: Hard = Hard(0);
    pub const C: Hard = Hard(1);
    pub const D: Hard = Hard(2);
    pub const B: Hard = Hard(3);
    pub const SP: Hard = Hard(4);
    pub const SI: Hard = Hard(6);
    pub const DI: Hard = Hard(7);
}

/// A register as the text names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// `%rax`, `%eax`…
    Hard(Hard, Size),
    /// `%0`, `%[name]`, and the size that a letter between asks for: `%b0`.
    Operand(usize, Option<Size>),
}

/// An operand of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    /// `$1`.
    Immediate(i64),
    /// `$%c0`: the constant that an operand of the statement is.
    Constant(usize),
    Named(Name),
    /// `8(%0,%1,4)`.
    Memory {
        offset: i64,
        base: Option<Name>,
        index: Option<Name>,
        scale: u64,
    },
    /// What is not understood.
    Unknown(String),
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    pub locked: bool,
    /// In small letters, with the letter for the size.
    pub mnemonic: String,
    pub arguments: Vec<Argument>,
    /// As it stands in the text.
    pub text: String,
}

/// The instructions of a template. `operands` are the names of the statement's operands.
///
/// # Errors
/// With what is not understood.
pub(super) fn parse(template: &str, operands: &[Option<&str>], extended: bool) -> Result<Vec<Instruction>, String> {
    let text = if extended { dialect(template)? } else { template.to_owned() };
    let mut out = Vec::new();
    let mut locked = false;
    for piece in text.split([';', '\n']) {
        let piece = piece.split('#').next().unwrap_or(piece).trim();
        let mut words = piece.splitn(2, char::is_whitespace);
        let mut mnemonic = words.next().unwrap_or("").to_lowercase();
        let mut rest = words.next().unwrap_or("").trim();
        while matches!(&*mnemonic, "lock" | "rep" | "repz") {
            locked |= mnemonic == "lock";
            let mut words = rest.splitn(2, char::is_whitespace);
            mnemonic = words.next().unwrap_or("").to_lowercase();
            rest = words.next().unwrap_or("").trim();
        }
        if mnemonic.is_empty() {
            continue;
        }
        let known =
            |word: &str| argument(word, operands, extended).unwrap_or_else(|| Argument::Unknown(word.to_owned()));
        let arguments = split(rest).into_iter().map(known).collect();
        out.push(Instruction { locked, mnemonic, arguments, text: piece.to_owned() });
        locked = false;
    }
    Ok(out)
}

/// Chooses AT&T's text where a template has two: `{att|intel}`. `%{`, `%|` and `%}` are the characters themselves.
fn dialect(template: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = template.chars().peekable();
    // Whether the text is inside braces, and in which part of them.
    let mut part: Option<u32> = None;
    while let Some(c) = chars.next() {
        let escaped = c == '%' && matches!(chars.peek(), Some('{' | '|' | '}'));
        let mut taken = String::from(c);
        if escaped {
            taken = chars.next().map(String::from).unwrap_or_default();
        } else if c == '%' && chars.peek() == Some(&'%') {
            chars.next();
            taken.push('%');
        } else {
            match (c, part) {
                ('{', None) => {
                    part = Some(0);
                    continue;
                }
                ('|', Some(at)) => {
                    part = Some(at + 1);
                    continue;
                }
                ('}', Some(_)) => {
                    part = None;
                    continue;
                }
                ('{', Some(_)) => return Err("braces in braces".to_owned()),
                (_, _) => {}
            }
        }
        if part.unwrap_or(0) == 0 {
            out.push_str(&taken);
        }
    }
    if part.is_some() { Err("braces that are not closed".to_owned()) } else { Ok(out) }
}

/// Splits at commas that are not in brackets.
fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        out.push(text[start..].trim());
    }
    out
}

fn argument(word: &str, operands: &[Option<&str>], extended: bool) -> Option<Argument> {
    if let Some(value) = word.strip_prefix('$') {
        return match value.strip_prefix("%c").or_else(|| value.strip_prefix("%P")) {
            Some(rest) if extended => operand(rest, operands).map(Argument::Constant),
            _ => number(value).map(Argument::Immediate),
        };
    }
    if let Some(inside) = word.strip_suffix(')') {
        let (offset, inside) = inside.split_once('(')?;
        let offset = if offset.trim().is_empty() { 0 } else { number(offset.trim())? };
        let mut parts = inside.split(',').map(str::trim);
        let mut register = || match parts.next() {
            None | Some("") => Some(None),
            Some(text) => name(text, operands, extended).map(Some),
        };
        let (base, index) = (register()?, register()?);
        let scale = match parts.next() {
            None | Some("") => 1,
            Some(text) => u64::try_from(number(text)?).ok().filter(|scale| [1, 2, 4, 8].contains(scale))?,
        };
        return parts.next().is_none().then_some(Argument::Memory { offset, base, index, scale });
    }
    if let Some(inside) = word.strip_prefix("%a").filter(|_| extended)
        && let Some(at) = operand(inside, operands)
    {
        return Some(Argument::Memory { offset: 0, base: Some(Name::Operand(at, None)), index: None, scale: 1 });
    }
    name(word, operands, extended).map(Argument::Named)
}

fn name(word: &str, operands: &[Option<&str>], extended: bool) -> Option<Name> {
    let register = if extended { word.strip_prefix("%%") } else { word.strip_prefix('%') };
    if let Some(register) = register {
        return hard(register).map(|(hard, size)| Name::Hard(hard, size));
    }
    let rest = word.strip_prefix('%').filter(|_| extended)?;
    if let Some(at) = operand(rest, operands) {
        return Some(Name::Operand(at, None));
    }
    let (letter, rest) = rest.split_at_checked(1)?;
    let size = match letter {
        "b" => 8,
        "w" => 16,
        "k" => 32,
        "q" => 64,
        _ => return None,
    };
    operand(rest, operands).map(|at| Name::Operand(at, Some(size)))
}

/// The operand that `0` or `[name]` stands for.
fn operand(word: &str, operands: &[Option<&str>]) -> Option<usize> {
    if let Some(name) = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return operands.iter().position(|known| *known == Some(name));
    }
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| word.parse().ok())?.filter(|&at: &usize| at < operands.len())
}

fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<u64>().ok()?,
    };
    Some(if negative { (value as i64).wrapping_neg() } else { value as i64 })
}

/// A register by its name, without the sign before it.
pub(super) fn hard(name: &str) -> Option<(Hard, Size)> {
    const NAMES: [[&str; 4]; 8] = [
        ["rax", "eax", "ax", "al"],
        ["rcx", "ecx", "cx", "cl"],
        ["rdx", "edx", "dx", "dl"],
        ["rbx", "ebx", "bx", "bl"],
        ["rsp", "esp", "sp", "spl"],
        ["rbp", "ebp", "bp", "bpl"],
        ["rsi", "esi", "si", "sil"],
        ["rdi", "edi", "di", "dil"],
    ];
    let name = name.to_lowercase();
    for (at, names) in NAMES.iter().enumerate() {
        if let Some(size) = names.iter().position(|known| *known == name) {
            return Some((Hard(at as u8), 64 >> size as u8));
        }
    }
    let rest = name.strip_prefix('r')?;
    let (digits, size) = match rest.strip_suffix(['d', 'w', 'b']) {
        Some(digits) => (
            digits,
            if rest.ends_with('d') {
                32
            } else if rest.ends_with('w') {
                16
            } else {
                8
            },
        ),
        None => (rest, 64),
    };
    let number: u8 = digits.parse().ok()?;
    (8..16).contains(&number).then_some((Hard(number), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, operands: &[Option<&str>]) -> Instruction {
        let mut all = parse(text, operands, true).expect("it is understood");
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    #[test]
    fn operands_are_found_by_number_and_by_name() {
        let operands = [Some("Memory"), None];
        let cas = one("lock; cmpxchgq %1, %[Memory]", &operands);
        assert!(cas.locked);
        assert_eq!(cas.mnemonic, "cmpxchgq");
        assert_eq!(cas.arguments, [Argument::Named(Name::Operand(1, None)), Argument::Named(Name::Operand(0, None))]);
        assert_eq!(one("setz %b1", &operands).arguments, [Argument::Named(Name::Operand(1, Some(8)))]);
        let load = one("movq 8(%1,%%rcx,4), %%r11", &operands);
        let base = Some(Name::Operand(1, None));
        let index = Some(Name::Hard(Hard::C, 64));
        assert_eq!(load.arguments[0], Argument::Memory { offset: 8, base, index, scale: 4 });
        assert_eq!(load.arguments[1], Argument::Named(Name::Hard(Hard(11), 64)));
        let missing = one("movl %2, %0", &operands);
        assert_eq!(missing.arguments[0], Argument::Unknown("%2".to_owned()), "there is no operand 2");
    }

    #[test]
    fn of_two_dialects_the_first_is_read() {
        let swap = one("xchg{l %1, %0| %0, %1}", &[None, None]);
        assert_eq!(swap.mnemonic, "xchgl");
        assert_eq!(swap.arguments.len(), 2);
        assert!(parse("xchg{l %1, %0", &[None, None], true).is_err());
    }

    #[test]
    fn registers_have_four_sizes() {
        assert_eq!(hard("eax"), Some((Hard::A, 32)));
        assert_eq!(hard("dil"), Some((Hard::DI, 8)));
        assert_eq!(hard("r10w"), Some((Hard(10), 16)));
        assert_eq!(hard("ah"), None);
        assert_eq!(hard("r16"), None);
    }
}

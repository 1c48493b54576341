//! What numbers, characters and strings stand for.

use crate::ast::{Character, Constant, Encoding, Float, FloatSuffix, Integer, Range, StringLiteral};
use crate::error::{Error, Parsed};

/// The constant that a preprocessing number is.
pub(crate) fn number(text: &str, span: Range) -> Parsed<Constant> {
    let digits: String = text.chars().filter(|c| *c != '\'').collect();
    let lower = digits.to_ascii_lowercase();
    let hexadecimal = lower.starts_with("0x");
    let floating = if hexadecimal { lower.contains(['.', 'p']) } else { lower.contains('.') || lower.contains('e') };
    if floating && !lower.starts_with("0b") { float(&lower, hexadecimal, span) } else { integer(&lower, span) }
}

fn integer(lower: &str, span: Range) -> Parsed<Constant> {
    let (radix, digits) = match lower {
        _ if lower.starts_with("0x") => (16, &lower[2..]),
        _ if lower.starts_with("0b") => (2, &lower[2..]),
        _ if lower.starts_with('0') => (8, lower),
        _ => (10, lower),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let invalid = |what: String| Error::new(span, what).help("write digits and one of the suffixes u, l, ul, ll, ull");
    if digits.is_empty() {
        return Err(invalid("this number has no digits".to_owned()));
    }
    let (is_unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        "z" => (false, 1),
        "uz" | "zu" => (true, 1),
        _ if radix == 8 && suffix.starts_with(['8', '9']) => {
            return Err(invalid(format!("invalid digit `{}` in an octal constant", &suffix[..1])));
        }
        _ => return Err(invalid(format!("invalid suffix `{suffix}` of an integer constant"))),
    };
    let value = u64::from_str_radix(digits, radix)
        .map_err(|_| Error::new(span, "this integer constant does not fit in 64 bits").help("use a smaller number"))?;
    Ok(Constant::Integer(Integer { value, is_decimal: radix == 10, is_unsigned, longs }))
}

fn float(lower: &str, hexadecimal: bool, span: Range) -> Parsed<Constant> {
    let suffixes = [
        ("f128", FloatSuffix::Long),
        ("f64x", FloatSuffix::Long),
        ("f32x", FloatSuffix::Double),
        ("f64", FloatSuffix::Double),
        ("f32", FloatSuffix::Float),
        ("f16", FloatSuffix::Float),
        ("q", FloatSuffix::Long),
        ("w", FloatSuffix::Long),
        ("l", FloatSuffix::Long),
        ("f", FloatSuffix::Float),
    ];
    let found = suffixes.iter().find_map(|(suffix, ty)| Some((lower.strip_suffix(suffix)?, *ty)));
    // The digits of a hexadecimal number may end in `f`, but an exponent follows them.
    let (digits, suffix) = found.unwrap_or((lower, FloatSuffix::Double));
    let value = if hexadecimal { hexadecimal_float(&digits[2..]) } else { digits.parse().ok() };
    match value {
        Some(value) => Ok(Constant::Float(Float { value, suffix })),
        None => Err(Error::new(span, format!("`{lower}` is no floating constant")).help("write it like 1.5e-3")),
    }
}

/// `1.8p3` in base 16.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut exponent: i32 = exponent.parse().ok()?;
    let mut value = 0f64;
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    exponent = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    Some(value * 2f64.powi(exponent))
}

/// The units of one literal with its quotes and prefix.
fn units(literal: &str, span: Range) -> Parsed<(Encoding, Vec<u32>)> {
    let open = literal.find(['"', '\'']).unwrap_or(0);
    let encoding = match &literal[..open] {
        "u8" => Encoding::Utf8,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        "L" => Encoding::Wide,
        _ => Encoding::Plain,
    };
    let inner = literal.get(open + 1..literal.len().saturating_sub(1)).unwrap_or("");
    let mut chars = inner.chars().peekable();
    let mut out = Vec::new();
    while let Some(c) = chars.next() {
        if c != '\\' {
            encode(c, encoding, &mut out);
            continue;
        }
        let Some(escaped) = chars.next() else { break };
        let mut digits = |first: Option<char>, radix: u32, most: usize| {
            let mut value = first.and_then(|c| c.to_digit(radix)).unwrap_or(0);
            let mut count = usize::from(first.is_some());
            while count < most
                && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
            {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                chars.next();
                count += 1;
            }
            (value, count)
        };
        let unit = match escaped {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '\n' => continue,
            'x' => {
                let (value, count) = digits(None, 16, usize::MAX);
                if count == 0 {
                    return Err(Error::new(span, "`\\x` with no hexadecimal digits after it").help("write like \\x1b"));
                }
                value
            }
            '0'..='7' => digits(Some(escaped), 8, 3).0,
            'u' | 'U' => {
                let most = if escaped == 'u' { 4 } else { 8 };
                let (value, count) = digits(None, 16, most);
                let letter = char::from_u32(value).filter(|_| count == most);
                let Some(letter) = letter else {
                    return Err(Error::new(span, "incomplete universal character name").help("write like \\u00e9"));
                };
                encode(letter, encoding, &mut out);
                continue;
            }
            '\'' | '"' | '?' | '\\' => escaped as u32,
            other => {
                encode(other, encoding, &mut out);
                continue;
            }
        };
        out.push(match encoding {
            Encoding::Plain | Encoding::Utf8 => unit & 0xff,
            Encoding::Utf16 => unit & 0xffff,
            Encoding::Utf32 | Encoding::Wide => unit,
        });
    }
    Ok((encoding, out))
}

fn encode(c: char, encoding: Encoding, out: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
        Encoding::Utf16 => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| u32::from(*unit))),
        Encoding::Utf32 | Encoding::Wide => out.push(c as u32),
    }
}

/// The value of a character constant.
pub(crate) fn character(text: &str, span: Range) -> Parsed<Character> {
    let (encoding, units) = units(text, span)?;
    let value = match (encoding, units.as_slice()) {
        (_, []) => {
            return Err(Error::new(span, "empty character constant").help("write one character between the quotes"));
        }
        (Encoding::Plain, [one]) => i64::from(*one as u8 as i8),
        // As gcc has it: each character moves those before it up by a byte, and the last four count.
        (Encoding::Plain, all) => i64::from(all.iter().fold(0u32, |value, unit| value << 8 | unit) as i32),
        (Encoding::Wide, [.., last]) => i64::from(*last as i32),
        (Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf32, [.., last]) => i64::from(*last),
    };
    Ok(Character { value, encoding })
}

/// Joins neighbouring string literals.
pub(crate) fn string<'a>(parts: impl Iterator<Item = (&'a str, Range)>) -> Parsed<StringLiteral> {
    let parts: Vec<_> = parts.collect();
    let prefix = |text: &str| text.find('"').map_or(0, |open| open);
    // One prefix holds for all.
    let prefixed = parts.iter().find(|(text, _)| prefix(text) > 0).map_or("", |(text, _)| &text[..prefix(text)]);
    let mut joined = StringLiteral { encoding: Encoding::Plain, units: Vec::new(), span: Range::default() };
    for (at, (text, span)) in parts.iter().enumerate() {
        let own = &text[..prefix(text)];
        if !own.is_empty() && own != prefixed {
            return Err(Error::new(*span, "neighbouring strings have different prefixes").help("use one of them"));
        }
        let whole = format!("{prefixed}{}", &text[own.len()..]);
        let (encoding, units) = units(&whole, *span)?;
        joined.encoding = encoding;
        joined.units.extend(units);
        joined.span = if at == 0 { *span } else { joined.span.to(*span) };
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Constant {
        number(text, Range::default()).expect("a number")
    }

    fn int(text: &str) -> (u64, bool, bool, u8) {
        match value(text) {
            Constant::Integer(i) => (i.value, i.is_decimal, i.is_unsigned, i.longs),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers_in_all_bases() {
        assert_eq!(int("0"), (0, false, false, 0));
        assert_eq!(int("42u"), (42, true, true, 0));
        assert_eq!(int("0x1fUL"), (31, false, true, 1));
        assert_eq!(int("0b101ll"), (5, false, false, 2));
        assert_eq!(int("0777"), (511, false, false, 0));
        assert_eq!(int("1'000'000"), (1_000_000, true, false, 0));
        assert_eq!(int("18446744073709551615ull").0, u64::MAX);
        for wrong in ["08", "1x", "0x", "18446744073709551616", "1lul", "1.2.3", "1e"] {
            assert!(number(wrong, Range::default()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn floating_constants() {
        let float = |text: &str| match value(text) {
            Constant::Float(f) => (f.value, f.suffix),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(float("1.5"), (1.5, FloatSuffix::Double));
        assert_eq!(float("1.f"), (1.0, FloatSuffix::Float));
        assert_eq!(float(".5e1L"), (5.0, FloatSuffix::Long));
        assert_eq!(float("1e-2"), (0.01, FloatSuffix::Double));
        assert_eq!(float("0x1.8p3"), (12.0, FloatSuffix::Double));
        assert_eq!(float("0xfp-1f"), (7.5, FloatSuffix::Float));
    }

    #[test]
    fn characters_and_strings() {
        let char = |text: &str| character(text, Range::default()).expect("a character").value;
        assert_eq!(char("'a'"), 97);
        assert_eq!(char("'\\xff'"), -1);
        assert_eq!(char("'\\0'"), 0);
        assert_eq!(char("'ab'"), 0x6162);
        assert_eq!(char("L'\\u00e9'"), 0xe9);
        let text = |parts: &[&str]| string(parts.iter().map(|part| (*part, Range::default())));
        let joined = text(&["\"a\\x41\"", "\"B\\101\\n\""]).expect("a string");
        assert_eq!(joined.bytes().expect("plain"), b"aABA\n");
        assert_eq!(text(&["\"\u{e9}\""]).expect("a string").units, [0xc3, 0xa9]);
        assert_eq!(text(&["L\"\u{e9}\"", "\"x\""]).expect("a string").units, [0xe9, 0x78]);
        assert!(text(&["L\"a\"", "u\"b\""]).is_err());
        assert!(character("''", Range::default()).is_err());
    }
}

//! Anchors: words that are put into the user's text before the preprocessor runs, so that places in what it makes of the
//! text can be found again in the user's own, whatever macros stand beside them.
//!
//! An anchor stands where a statement ends or may begin: after `;`, `{` and `}`, after `)`, after `else` and `do`, but never
//! inside parentheses, so in no argument of a macro, and not in directives. Its name is the place in the user's text.

/// What an anchor begins with; the place and two underscores follow.
const PREFIX: &str = "__fencepost_anchor_";

/// The text with anchors. Their names count from `base`: where the text begins among the user's files.
pub fn with_anchors(text: &str, base: u32) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() * 2);
    let (mut at, mut depth, mut done) = (0usize, 0usize, 0usize);
    let mut line_begins = true;
    while at < bytes.len() {
        let rest = &text[at..];
        let skipped = match bytes[at] {
            b'#' if line_begins => directive(rest),
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            quote @ (b'"' | b'\'') => literal(rest, quote),
            byte if byte == b'_' || byte.is_ascii_alphanumeric() => word(rest).len(),
            _ => 1,
        };
        match bytes[at] {
            b'\n' => line_begins = true,
            byte if byte.is_ascii_whitespace() => {}
            _ => line_begins = false,
        }
        let opens = matches!(bytes[at], b'(' | b'[');
        let closes = matches!(bytes[at], b')' | b']');
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
            out.push_str(&format!(" {PREFIX}{}__", base as usize + at));
            done = at;
        }
    }
    out.push_str(&text[done..]);
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

/// A text without its anchors, and the anchors: pairs of a place in that text and one in the user's. Those that are there
/// several times are left out.
pub(crate) fn take(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut clean = String::with_capacity(text.len());
    let mut anchors: Vec<(usize, usize)> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(PREFIX) {
        let number = &rest[at + PREFIX.len()..];
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        clean.push_str(&rest[..at]);
        if clean.ends_with(' ') {
            clean.pop();
        }
        anchors.extend(number[..digits].parse().ok().map(|own: usize| (clean.len(), own)));
        rest = number[digits..].strip_prefix("__").unwrap_or(&number[digits..]);
    }
    clean.push_str(rest);
    let mut owns: Vec<usize> = anchors.iter().map(|(_, own)| *own).collect();
    owns.sort_unstable();
    let repeated = |own: usize| owns.partition_point(|&o| o <= own) - owns.partition_point(|&o| o < own) > 1;
    anchors.retain(|&(_, own)| !repeated(own));
    (clean, anchors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_anchors_out_gives_the_text_back() {
        let text = "#define M(x) x; \\\n  y;\nint f(void) { if (a) M(b); else c(d)(e); /* ; */ s = \";\"; do g(';'); while (0); }\n// ;\n";
        let anchored = with_anchors(text, 0);
        let (clean, anchors) = take(&anchored);
        assert_eq!(clean, text);
        assert!(anchors.iter().all(|(here, own)| here == own));
        let before: Vec<&str> = anchors.iter().map(|&(at, _)| &text[..at]).collect();
        assert!(before.iter().all(|text| [";", "{", "}", ")", "else", "do"].iter().any(|end| text.ends_with(end))));
        assert_eq!(anchors.len(), 15, "{anchored}");
        assert!(!anchored[..anchored.find("int f").expect("there")].contains(PREFIX), "none in directives");
    }

    #[test]
    fn an_anchor_that_is_there_twice_is_none() {
        let (clean, anchors) = take("a; __fencepost_anchor_2__ b; __fencepost_anchor_2__ c; __fencepost_anchor_8__\n");
        assert_eq!(clean, "a; b; c;\n");
        assert_eq!(anchors, [(8, 8)]);
    }
}

//! Damaged files: what editors, disks and typing errors make of a program.

use crate::rng::Rng;

/// In how many ways a text is damaged.
pub const WAYS: usize = 6;

/// Damages a text in one of these ways: bits, its end, a part twice; a line away, two lines in each other's places, a word
/// for another one, so that types and names no longer fit.
pub fn damaged(text: &[u8], how: usize, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    match how % WAYS {
        0 => {
            for _ in 0..=rng.below(4) {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
            }
            bytes
        }
        1 => {
            bytes.truncate(rng.below(text.len()));
            bytes
        }
        2 => {
            let from = rng.below(bytes.len());
            let to = from + rng.below(bytes.len() - from);
            let part = bytes[from..to].to_vec();
            bytes.splice(to..to, part);
            bytes
        }
        how => rewritten(&String::from_utf8_lossy(text), how, rng).into_bytes(),
    }
}

fn rewritten(text: &str, how: usize, rng: &mut Rng) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (one, other) = (rng.below(lines.len()), rng.below(lines.len()));
    match how {
        3 => {
            lines.remove(one);
            lines.join("\n")
        }
        4 => {
            lines.swap(one, other);
            lines.join("\n")
        }
        _ => {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let words: Vec<&str> = text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
            if words.is_empty() {
                return text.to_owned();
            }
            let (from, to) = (*rng.pick(&words), *rng.pick(&words));
            text.replacen(from, to, 1 + rng.below(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_changes_something() {
        let text = b"int x;\nint main(void) {\n  x = 1;\n  return x;\n}\n";
        for how in 0..WAYS {
            let changed = (0..20).filter(|&seed| damaged(text, how, &mut Rng::new(seed)) != text).count();
            assert!(changed >= 10, "way {how} changes {changed} of 20");
            assert_eq!(damaged(b"", how, &mut Rng::new(0)), b"");
        }
    }
}

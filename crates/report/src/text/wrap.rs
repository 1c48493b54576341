//! Text in lines that fit a terminal.

/// Breaks a text at blanks so that no line is longer than `width`; a word that is longer stays whole. The first line begins
/// behind `first` characters that are there already, later lines are for an indentation of `rest`; neither is put in here.
pub(crate) fn lines(text: &str, width: Option<usize>, first: usize, rest: usize) -> Vec<String> {
    let Some(width) = width else { return vec![text.to_owned()] };
    let mut lines: Vec<String> = Vec::new();
    let (mut line, mut used, mut begins) = (String::new(), first, true);
    for word in text.split(' ') {
        let long = word.chars().count();
        if !begins && used + 1 + long > width {
            lines.push(std::mem::take(&mut line));
            (used, begins) = (rest, true);
        }
        if !begins {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += long;
        begins = false;
    }
    lines.push(line);
    lines
}

/// A text behind an indentation, in lines that fit; all lines but the first are indented by two more.
pub(crate) fn paragraph(text: &str, width: Option<usize>, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let later = format!("\n{margin}  ");
    format!("{margin}{}\n", lines(text, width, indent, indent + 2).join(&later))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_lose_nothing() {
        let text = "a delayed write reaches memory later, and others read old values";
        for width in 1..70 {
            let broken = lines(text, Some(width), 0, 2);
            assert_eq!(broken.join(" "), text);
            let fits =
                |(at, line): (usize, &String)| line.chars().count() + 2 * at.min(1) <= width || !line.contains(' ');
            assert!(broken.iter().enumerate().all(fits), "{width}: {broken:?}");
        }
        assert_eq!(lines(text, None, 0, 0), [text]);
    }

    #[test]
    fn a_paragraph_hangs() {
        assert_eq!(paragraph("one two three", Some(10), 2), "  one two\n    three\n");
    }
}

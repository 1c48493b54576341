//! How far an answer reaches: a list of bounds, each named and put into words by the engine that has it.

use source::{SourceFile, Span};
use std::fmt;

/// The name of the bound that engines have in common which unroll loops.
pub const UNWIND: &str = "unwind";

/// How far an answer reaches. What was found is real in any case; this says what it means that nothing was found: all
/// executions were covered that are within all of the bounds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guarantee {
    bounds: Vec<Bound>,
}

/// A bound on the executions that were covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// What it is called in a verdict.
    pub name: &'static str,
    /// How much. A bound without a number takes something for granted: there is no larger one to try.
    pub value: Option<u32>,
    /// What holds for executions within it, as a part of a sentence: `each thread has at most 3 turns`.
    pub within: String,
    /// What it cuts, if that has places in the text: loops.
    pub cuts: Vec<Span>,
}

impl Guarantee {
    /// All executions were covered.
    pub const FULL: Guarantee = Guarantee { bounds: Vec::new() };

    /// Those were covered that are within these bounds.
    pub fn within(bounds: impl IntoIterator<Item = Bound>) -> Self {
        Guarantee { bounds: bounds.into_iter().collect() }
    }

    /// Those were covered in which none of these loops goes back more than `unwind` times.
    pub fn unwound(source: &SourceFile, unwind: u32, loops: Vec<Span>) -> Self {
        Guarantee::within([Bound::unwind(source, unwind, loops)])
    }

    /// Whether all executions were covered.
    pub fn is_full(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Whether larger bounds may tell more.
    pub fn is_limited(&self) -> bool {
        self.bounds.iter().any(|bound| bound.value.is_some())
    }

    /// The bounds, in the engine's order.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The bound of this name, if there is one.
    pub fn bound(&self, name: &str) -> Option<&Bound> {
        self.bounds.iter().find(|bound| bound.name == name)
    }

    /// The executions that were covered, as the end of a sentence.
    pub fn words(&self) -> String {
        let parts: Vec<&str> = self.bounds.iter().map(|bound| &*bound.within).collect();
        let within = match parts.as_slice() {
            [] => return "all executions".to_owned(),
            [one] => (*one).to_owned(),
            [first @ .., last] => format!("{}, and {last}", first.join(", ")),
        };
        let rest = if self.is_limited() { "; others were not looked at" } else { "" };
        format!("all executions in which {within}{rest}")
    }
}

impl fmt::Display for Guarantee {
    /// The bounds as they stand in brackets: `rounds 3, unwind 5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Bound { name, value, .. }) in self.bounds.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}")?;
            value.map_or(Ok(()), |value| write!(f, " {value}"))?;
        }
        Ok(())
    }
}

impl Bound {
    /// So much of something.
    pub fn limit(name: &'static str, value: u32, within: impl Into<String>) -> Self {
        Bound { name, value: Some(value), within: within.into(), cuts: Vec::new() }
    }

    /// Something that is taken for granted.
    pub fn assumption(name: &'static str, within: impl Into<String>) -> Self {
        Bound { name, value: None, within: within.into(), cuts: Vec::new() }
    }

    /// No jump back of these loops is taken more than `unwind` times on a path.
    pub fn unwind(source: &SourceFile, unwind: u32, loops: Vec<Span>) -> Self {
        let mut lines: Vec<(bool, u32, String)> =
            loops.iter().map(|&span| (!source.is_main(span.start), source.line(span), source.mark(span))).collect();
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<String> = lines.into_iter().map(|(_, _, mark)| mark).collect();
        let subject = match lines.as_slice() {
            [] => "loops go".to_owned(),
            [one] => format!("the loop at {} goes", source::line_words(one)),
            [first @ .., last] => format!("the loops at lines {} and {last} go", first.join(", ")),
        };
        Bound { cuts: loops, ..Bound::limit(UNWIND, unwind, format!("{subject} back at most {unwind} times")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_said_in_brackets_and_in_words() {
        let file = SourceFile::new("a.c", "a\nb\nc\n");
        let loops = vec![Span::new(2, 3), Span::new(4, 5)];
        let turns = Bound::limit("turns", 3, "each thread has 3 turns");
        let both = Guarantee::within([turns, Bound::unwind(&file, 2, loops.clone())]);
        assert_eq!(both.to_string(), "turns 3, unwind 2");
        assert_eq!(
            both.words(),
            "all executions in which each thread has 3 turns, and the loops at lines 2 and 3 go back at most 2 times; \
             others were not looked at"
        );
        assert_eq!(both.bound(UNWIND).map(|bound| (bound.value, &bound.cuts)), Some((Some(2), &loops)));
        let granted = Guarantee::within([Bound::assumption("no luck", "nobody is lucky")]);
        assert_eq!((granted.to_string(), granted.is_limited()), ("no luck".to_owned(), false));
        assert_eq!(granted.words(), "all executions in which nobody is lucky");
        assert!(
            !Guarantee::unwound(&file, 2, Vec::new()).is_full(),
            "a bound is one even if nobody knows what it cuts"
        );
        assert_eq!(Guarantee::FULL.words(), "all executions");
    }
}

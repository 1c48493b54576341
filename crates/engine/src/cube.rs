//! A part of a search: executions with some choices fixed, so that several machines can share one question.

use crate::Bound;

/// The name of the bound of an answer about one cube.
pub const CUBE: &str = "cube";

/// One of the cubes that a question is cut into. All of them together are the whole question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cube {
    /// Its number, from 0.
    pub index: u32,
    /// How many there are.
    pub of: u32,
    /// Tells the question, and how it was cut, from others: answers about different questions must not be put together.
    pub split: u64,
}

impl Cube {
    /// The bound of an answer about this cube. A larger one tells nothing more, so it has no number.
    pub fn bound(&self) -> Bound {
        let Cube { index, of, split } = self;
        Bound::assumption(CUBE, format!("the choices are those of cube {index} of {of} (split {split:016x})"))
    }

    /// The cube of a bound, by its words.
    pub fn from_words(words: &str) -> Option<Cube> {
        let rest = words.strip_prefix("the choices are those of cube ")?;
        let (index, rest) = rest.split_once(" of ")?;
        let (of, rest) = rest.split_once(" (split ")?;
        let split = u64::from_str_radix(rest.strip_suffix(')')?, 16).ok()?;
        Some(Cube { index: index.parse().ok()?, of: of.parse().ok()?, split })
    }
}

#[cfg(test)]
mod tests {
    use super::Cube;

    #[test]
    fn the_words_of_a_cube_are_read_again() {
        let cube = Cube { index: 2, of: 4, split: 0x1234_abcd };
        assert_eq!(Cube::from_words(&cube.bound().within), Some(cube));
        assert_eq!(Cube::from_words("loops go back at most 2 times"), None);
    }
}

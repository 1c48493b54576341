//! How an engine does a task: what all engines have in common, and what each declares of its own. The command line, its help
//! and the lists are made from the declarations.

use std::collections::BTreeMap;

/// How to find out. Engines that unroll no loops ignore the bounds on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How often each jump back is taken at most, and how deep a function may be inside itself.
    pub unwind: u32,
    /// By how much the engine may widen that bound if it is not enough, step by step.
    pub widen: u32,
    /// How many iterations that constants decide are free in each loop; further ones count against the bound. An engine may give up where neither
    /// this nor [`Options::free_threads`] makes a difference: somebody else has the same task.
    pub free_iterations: u32,
    /// How many threads are started for free; further ones count against the bound.
    pub free_threads: u32,
    /// Bounds for single loops, by the line in which the loop begins; they replace `unwind` there.
    pub loops: Vec<(u32, u32)>,
    /// The values of options that engines declare. Read through the declaration: [`Number::of`], [`OneOf::of`].
    pub own: Own,
}

/// Values of declared options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Own(BTreeMap<&'static str, Given>);

/// The value of a declared option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Number(u32),
    /// The name of a choice.
    Choice(&'static str),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            unwind: 2,
            widen: 0,
            free_iterations: u32::MAX,
            free_threads: u32::MAX,
            loops: Vec::new(),
            own: Own::default(),
        }
    }
}

/// An option of an engine, whatever its values are. Engines that share an option declare it with the same name and the
/// same values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What its value is called.
    pub value: &'static str,
    /// One line about it.
    pub help: &'static str,
    /// What it can be.
    pub values: Values,
}

/// What an option can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// A number between these, both included.
    Number(u32, u32),
    /// One of these.
    Choice(Vec<Choice>),
}

/// A value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub help: &'static str,
}

/// An option that is a number.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What its value is called.
    pub value: &'static str,
    /// One line about it.
    pub help: &'static str,
    /// The least and the largest that it can be.
    pub range: (u32, u32),
}

/// An option that is one of a few things.
#[derive(Debug, Clone, Copy)]
pub struct OneOf<T: 'static> {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What its value is called.
    pub value: &'static str,
    /// One line about it.
    pub help: &'static str,
    /// What it can be: the name, one line about it, and what it is to the engine.
    pub choices: &'static [(&'static str, &'static str, T)],
}

/// An option that engines share which keep the order of some writes in a store buffer and abstract from that of the others.
pub const K: Number = Number {
    name: "k",
    value: "N",
    help: "How many writes of a buffer are kept in order; otherwise as many as are needed",
    range: (0, u32::MAX),
};

impl Number {
    /// What the command line is made from.
    pub fn declared(&self) -> Declared {
        let Number { name, value, help, range: (from, to) } = *self;
        Declared { name, value, help, values: Values::Number(from, to) }
    }

    /// What it is, if somebody says so.
    pub fn of(&self, options: &Options) -> Option<u32> {
        match options.own.0.get(self.name) {
            Some(Given::Number(number)) => Some(*number),
            Some(Given::Choice(_)) | None => None,
        }
    }
}

impl<T: Copy> OneOf<T> {
    /// What the command line is made from.
    pub fn declared(&self) -> Declared {
        let OneOf { name, value, help, choices } = *self;
        let choices = choices.iter().map(|&(name, help, _)| Choice { name, help }).collect();
        Declared { name, value, help, values: Values::Choice(choices) }
    }

    /// What it is, if somebody says so.
    pub fn of(&self, options: &Options) -> Option<T> {
        let Some(Given::Choice(given)) = options.own.0.get(self.name) else { return None };
        self.choices.iter().find(|(name, ..)| name == given).map(|&(_, _, meant)| meant)
    }
}

impl Declared {
    /// Sets the option to a value.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn set(&self, options: &mut Options, value: &str) -> Result<(), String> {
        let given = match &self.values {
            Values::Number(from, to) => match value.parse() {
                Ok(number) if (*from..=*to).contains(&number) => Given::Number(number),
                _ => return Err(format!("`{value}` is no number from {from} to {to} for --{}", self.name)),
            },
            Values::Choice(choices) => match choices.iter().find(|choice| choice.name == value) {
                Some(choice) => Given::Choice(choice.name),
                None => {
                    let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
                    return Err(format!("`{value}` is none of {} for --{}", names.join(", "), self.name));
                }
            },
        };
        options.own.0.insert(self.name, given);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTH: Number = Number { name: "depth", value: "N", help: "how deep", range: (2, 5) };
    const WAY: OneOf<u8> = OneOf {
        name: "way",
        value: "WAY",
        help: "which way",
        choices: &[("near", "close by", 1), ("far", "far away", 2)],
    };

    #[test]
    fn a_value_out_of_range_is_no_value() {
        let (depth, way) = (DEPTH.declared(), WAY.declared());
        let mut options = Options::default();
        assert_eq!((DEPTH.of(&options), WAY.of(&options)), (None, None));
        assert_eq!(depth.set(&mut options, "5"), Ok(()));
        assert!(depth.set(&mut options, "6").is_err() && depth.set(&mut options, "deep").is_err());
        assert_eq!(way.set(&mut options, "far"), Ok(()));
        assert!(way.set(&mut options, "wide").is_err());
        assert_eq!((DEPTH.of(&options), WAY.of(&options)), (Some(5), Some(2)));
    }
}

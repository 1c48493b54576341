//! The options that an engine has, declared where the engine is. The command line, its help and the lists are made from these.

use crate::Options;

/// An option of an engine. Engines that share an option declare it with the same name and the same values.
#[derive(Debug, Clone, Copy)]
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
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// A number between these, both included.
    Number {
        /// The least.
        from: u32,
        /// The largest.
        to: u32,
        /// Sets it.
        set: fn(&mut Options, u32),
    },
    /// One of these; the first is what it is if nobody says otherwise.
    Choice(&'static [Choice]),
}

/// A value of an option.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub help: &'static str,
    /// Sets it.
    pub set: fn(&mut Options),
}

impl Declared {
    /// Sets the option to a value.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn set(&self, options: &mut Options, value: &str) -> Result<(), String> {
        match self.values {
            Values::Number { from, to, set } => match value.parse() {
                Ok(number) if (from..=to).contains(&number) => set(options, number),
                _ => return Err(format!("`{value}` is no number from {from} to {to} for --{}", self.name)),
            },
            Values::Choice(choices) => match choices.iter().find(|choice| choice.name == value) {
                Some(choice) => (choice.set)(options),
                None => {
                    let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
                    return Err(format!("`{value}` is none of {} for --{}", names.join(", "), self.name));
                }
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_out_of_range_is_no_value() {
        let depth = Values::Number { from: 2, to: 5, set: |options, n| options.unwind = n };
        let depth = Declared { name: "depth", value: "N", help: "how deep", values: depth };
        let mut options = Options::default();
        assert_eq!(depth.set(&mut options, "5"), Ok(()));
        assert_eq!(options.unwind, 5);
        assert!(depth.set(&mut options, "6").is_err() && depth.set(&mut options, "deep").is_err());
        static FAR: &[Choice] = &[Choice { name: "far", help: "far away", set: |options| options.unwind = 100 }];
        let way = Declared { name: "way", value: "WAY", help: "which way", values: Values::Choice(FAR) };
        assert!(way.set(&mut options, "near").is_err());
        assert_eq!((way.set(&mut options, "far"), options.unwind), (Ok(()), 100));
    }
}

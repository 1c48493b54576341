//! Places in shared memory, values and conditions.

use super::generate::Generator;

impl Generator<'_> {
    /// An integer in shared memory.
    pub fn place(&mut self) -> String {
        let mut choices: Vec<&str> = vec!["x", "y", "x", "y"];
        if self.rng.chance(40) {
            choices.push("z");
        }
        if self.has.array {
            choices.extend(["a[0]", "a[1]", "a[]"]);
        }
        if self.has.pointer {
            choices.extend(["*p", "*p"]);
        }
        if self.has.structure {
            choices.extend(["s.f", "s.g", "sp->f"]);
        }
        if self.pointed {
            choices.extend(["*arg", "*arg", "*arg"]);
        }
        self.budget = self.budget.saturating_sub(1);
        match *self.rng.pick(&choices) {
            "a[]" => {
                let index = match self.local() {
                    Some(local) => local,
                    None => {
                        self.budget = self.budget.saturating_sub(1);
                        "y".to_owned()
                    }
                };
                format!("a[{index} & 1]")
            }
            "*p" => {
                self.budget = self.budget.saturating_sub(1);
                "*p".to_owned()
            }
            place => place.to_owned(),
        }
    }

    /// A place whose address helper functions and atomic operations can take: an `int`.
    pub fn int_place(&mut self) -> String {
        loop {
            let place = self.place();
            if place != "z" && place != "s.g" {
                return place;
            }
        }
    }

    /// The address of a place.
    pub fn address(&mut self) -> String {
        let place = self.int_place();
        place.strip_prefix('*').map_or_else(|| format!("&{place}"), str::to_owned)
    }

    /// One of the integers in scope.
    pub fn local(&mut self) -> Option<String> {
        (!self.locals.is_empty()).then(|| self.rng.pick(&self.locals).clone())
    }

    /// A constant, mostly a new one, so that a read tells which write it saw.
    pub fn constant(&mut self) -> usize {
        let constant = if self.rng.chance(50) && self.stored < 3 { self.stored + 1 } else { 1 + self.rng.below(2) };
        self.stored = self.stored.max(constant);
        constant
    }

    /// A value to write.
    pub fn value(&mut self) -> String {
        let constant = self.constant();
        let Some(local) = self.local() else {
            return match self.rng.below(12) {
                0 => format!("{} + 1", self.place()),
                1 => format!("{} ? 1 : 2", self.place()),
                2 if self.has.nondet => self.any(),
                _ => constant.to_string(),
            };
        };
        match self.rng.below(34) {
            0 | 1 => local,
            2 | 3 => format!("{local} + 1"),
            4 => format!("{local} ^ 1"),
            5 => format!("({local} - 1) & 3"),
            6 => format!("{local} * 2"),
            7 => format!("{local} << 1"),
            8 => format!("!{local}"),
            9 => format!("{local} == {constant}"),
            10 => format!("{local} > 1 ? 1 : {constant}"),
            11 => format!("{local} % 2 + 1"),
            12 => format!("(unsigned char)(~{local}) & 3"),
            13 => format!("-{local} < 0"),
            14 => format!("{local} + {}", self.place()),
            15 if self.has.call => format!("next({local})"),
            16 if self.has.nondet => self.any(),
            17 => format!("{local} / 2 | 1"),
            18 => format!("{} - {local} ? {constant} : 0", self.place()),
            19 => format!("({local}, {constant})"),
            _ => constant.to_string(),
        }
    }

    /// Any small number.
    pub fn any(&mut self) -> String {
        let text = if self.rng.chance(70) { "__VERIFIER_nondet_bool()" } else { "(__VERIFIER_nondet_uchar() & 1)" };
        text.to_owned()
    }

    /// A condition over a local or over shared memory.
    pub fn condition(&mut self) -> String {
        let first = self.comparison();
        match self.rng.below(10) {
            0 => format!("{first} && {}", self.comparison()),
            1 => format!("{first} || {}", self.comparison()),
            2 => format!("!({first})"),
            _ => first,
        }
    }

    fn comparison(&mut self) -> String {
        if self.has.nondet && self.rng.chance(20) {
            return self.any();
        }
        let what = match self.local() {
            Some(local) if self.rng.chance(65) => local,
            _ => self.place(),
        };
        let value = self.rng.below(3);
        match self.rng.below(6) {
            0 => what,
            1 => format!("{what} != {value}"),
            2 => format!("{what} < {}", value + 1),
            _ => format!("{what} == {value}"),
        }
    }
}

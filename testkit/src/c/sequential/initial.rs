//! Initialisers with designators: some say several times what a part holds, some go on behind a part inside another one.

use super::{Member, Writer};

impl Writer<'_> {
    /// The first value of a structure or union, in braces.
    pub(super) fn initializer(&mut self, record: usize) -> String {
        let items: Vec<String> = (0..1 + self.rng.below(4)).map(|_| self.designated(record)).collect();
        format!("{{ {} }}", items.join(", "))
    }

    /// Some part by its designators, and what it holds; perhaps also what the next part holds.
    fn designated(&mut self, record: usize) -> String {
        let members = self.records[record].members.clone();
        let at = self.rng.below(members.len());
        let name = format!(".m{at}");
        // Behind a member of a union there is nothing.
        let next = if self.records[record].union { None } else { members.get(at + 1) };
        match &members[at] {
            Member::Plain(scalar) | Member::Bits(scalar, _) => {
                let value = self.number(*scalar);
                let further = match next {
                    Some(Member::Plain(scalar)) if self.rng.chance(30) => format!(", {}", self.number(*scalar)),
                    _ => String::new(),
                };
                format!("{name} = {value}{further}")
            }
            Member::Array(scalar, length) => {
                let (first, value) = (self.rng.below(*length), self.number(*scalar));
                match self.rng.below(4) {
                    0 => format!("{name} = {{ {value} }}"),
                    1 => format!("{name}[{first} ... {}] = {value}", length - 1),
                    2 if first + 1 < *length => format!("{name}[{first}] = {value}, {}", self.number(*scalar)),
                    _ => format!("{name}[{first}] = {value}"),
                }
            }
            Member::Inner(inner) if self.rng.chance(50) => format!("{name} = {}", self.initializer(*inner)),
            Member::Inner(inner) => format!("{name}{}", self.designated(*inner)),
        }
    }
}

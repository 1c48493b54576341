//! Which names are types: C cannot be parsed without knowing it.

use rustc_hash::FxHashMap;

/// What a name stands for, as far as the grammar asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Type,
    /// A type that compilers know without declaration.
    Builtin,
    /// A variable, a function, an enumerator.
    Other,
}

/// The names in force, with what to restore at the end of each block.
pub(crate) struct Scopes<'t> {
    names: FxHashMap<&'t str, Meaning>,
    shadowed: Vec<Vec<(&'t str, Option<Meaning>)>>,
}

impl<'t> Scopes<'t> {
    /// The names of types that are known without declaration: to compilers, and those given.
    pub fn new(types: impl Iterator<Item = &'t str>) -> Self {
        let builtin = ["__builtin_va_list", "__int128_t", "__uint128_t", "bool"];
        let builtin = builtin.into_iter().map(|name| (name, Meaning::Builtin));
        let names = builtin.chain(types.map(|name| (name, Meaning::Type))).collect();
        Scopes { names, shadowed: Vec::new() }
    }

    pub fn open(&mut self) {
        self.shadowed.push(Vec::new());
    }

    pub fn close(&mut self) {
        for (name, before) in self.shadowed.pop().unwrap_or_default().into_iter().rev() {
            match before {
                Some(meaning) => self.names.insert(name, meaning),
                None => self.names.remove(name),
            };
        }
    }

    pub fn declare(&mut self, name: &'t str, meaning: Meaning) {
        let before = self.names.insert(name, meaning);
        if let Some(block) = self.shadowed.last_mut() {
            block.push((name, before));
        }
    }

    pub fn get(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).copied()
    }
}

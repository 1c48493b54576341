//! Declarators.

use super::Parser;
use super::specifiers::{SpecifierContext, add_qualifier};
use crate::ast::{
    ArrayDeclarator, Declarator, Derived, Name, Node, Parameter, Parameters, PointerDeclarator, Qualifiers, Range,
    TypeSpecifier,
};
use crate::error::Parsed;
use crate::scope::Meaning;
use crate::token::{Keyword, Kind, Punct};

/// Whether a declarator has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// It must: in declarations.
    Required,
    /// It may: parameters.
    Optional,
    /// It must not: type names.
    Abstract,
}

/// A declarator in the making.
struct Parts {
    name: Option<Name>,
    derived: Vec<Node<Derived>>,
    attributes: Vec<crate::ast::Attribute>,
}

impl Parser<'_> {
    /// A declarator. What it declares is not yet known to what follows.
    pub(super) fn declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        let start = self.start();
        let Parts { name, derived, attributes } = self.declarator_parts(naming)?;
        let span = if self.start() == start { Range { start, end: start } } else { self.since(start) };
        Ok(Declarator { name, derived, attributes, label: None, span })
    }

    fn declarator_parts(&mut self, naming: Naming) -> Parsed<Parts> {
        self.deeper(|parser| {
            let mut attributes = Vec::new();
            parser.attributes(&mut attributes)?;
            let pointers = parser.pointers()?;
            parser.attributes(&mut attributes)?;
            let inner = parser.inner_declarator(naming)?;
            let suffixes = parser.suffixes()?;
            // Pointers apply first, in order; then, from the last to the first, what follows; then what is in parentheses.
            let mut parts = Parts { name: inner.name, derived: pointers, attributes };
            parts.derived.extend(suffixes.into_iter().rev());
            parts.derived.extend(inner.derived);
            parts.attributes.extend(inner.attributes);
            Ok(parts)
        })
    }

    fn pointers(&mut self) -> Parsed<Vec<Node<Derived>>> {
        let mut pointers = Vec::new();
        // The caret is the pointer to a block of Apple's compilers.
        while self.is(Punct::Star) || self.is(Punct::Caret) {
            self.check_depth(pointers.len())?;
            let start = self.start();
            self.bump();
            let mut pointer = PointerDeclarator { qualifiers: Qualifiers::default(), attributes: Vec::new() };
            loop {
                match self.kind() {
                    Kind::Keyword(keyword) if add_qualifier(&mut pointer.qualifiers, keyword) => {
                        self.bump();
                    }
                    Kind::Keyword(Keyword::Attribute) => self.attributes(&mut pointer.attributes)?,
                    _ => break,
                }
            }
            pointers.push(Node::new(Derived::Pointer(pointer), self.since(start)));
        }
        Ok(pointers)
    }

    /// The name, or a declarator in parentheses, or nothing.
    fn inner_declarator(&mut self, naming: Naming) -> Parsed<Parts> {
        let mut parts = Parts { name: None, derived: Vec::new(), attributes: Vec::new() };
        match self.kind() {
            Kind::Identifier if naming != Naming::Abstract => {
                parts.name = Some(self.identifier("a name")?);
                if self.begins_attributes() {
                    self.attributes(&mut parts.attributes)?;
                }
            }
            Kind::Punct(Punct::LeftParen) if self.begins_inner(naming) => {
                self.bump();
                parts = self.declarator_parts(naming)?;
                self.expect(Punct::RightParen, "the declarator")?;
            }
            _ if naming == Naming::Required => {
                let error = match self.kind() {
                    Kind::Keyword(_) => {
                        let message = format!("expected a name, but {} is a keyword", self.found());
                        self.error(message)
                    }
                    _ => self.expected("a name or `(`"),
                };
                return Err(error.help("a declaration is a type, then names"));
            }
            _ => {}
        }
        Ok(parts)
    }

    /// Whether the next parenthesis encloses a declarator, and not parameters.
    fn begins_inner(&self, naming: Naming) -> bool {
        if naming == Naming::Required {
            return true;
        }
        match self.nth(1).kind {
            Kind::Punct(Punct::Star | Punct::Caret | Punct::LeftParen | Punct::LeftBracket) => true,
            Kind::Keyword(Keyword::Attribute) => true,
            Kind::Identifier => naming == Naming::Optional && !self.names_type(self.nth(1)),
            _ => false,
        }
    }

    fn suffixes(&mut self) -> Parsed<Vec<Node<Derived>>> {
        let mut suffixes = Vec::new();
        loop {
            self.check_depth(suffixes.len())?;
            let start = self.start();
            let derived = match self.kind() {
                Kind::Punct(Punct::LeftBracket) if self.begins_attributes() => {
                    // Those of the array or the function; none of them is known to matter there.
                    self.attributes(&mut Vec::new())?;
                    continue;
                }
                Kind::Punct(Punct::LeftBracket) => self.array()?,
                Kind::Punct(Punct::LeftParen) => self.parameters()?,
                _ => return Ok(suffixes),
            };
            suffixes.push(Node::new(derived, self.since(start)));
        }
    }

    fn array(&mut self) -> Parsed<Derived> {
        self.bump();
        let mut array = ArrayDeclarator { size: None, qualifiers: Qualifiers::default(), is_static: false };
        loop {
            match self.kind() {
                Kind::Keyword(Keyword::Static) => {
                    array.is_static = true;
                    self.bump();
                }
                Kind::Keyword(keyword) if add_qualifier(&mut array.qualifiers, keyword) => {
                    self.bump();
                }
                _ => break,
            }
        }
        if self.is(Punct::Star) && self.nth_is(1, Punct::RightBracket) {
            self.bump();
        } else if !self.is(Punct::RightBracket) {
            array.size = Some(Box::new(self.assignment()?));
        }
        self.expect(Punct::RightBracket, "the size of the array")?;
        Ok(Derived::Array(array))
    }

    fn parameters(&mut self) -> Parsed<Derived> {
        self.bump();
        if self.eat(Punct::RightParen) {
            return Ok(Derived::OldFunction(Vec::new()));
        }
        if self.kind() == Kind::Identifier && !self.names_type(self.nth(0)) {
            return self.old_parameters();
        }
        self.scopes.open();
        let parameters = self.parameter_list();
        self.scopes.close();
        let parameters = parameters?;
        self.expect(Punct::RightParen, "the parameters")?;
        Ok(Derived::Function(parameters))
    }

    fn parameter_list(&mut self) -> Parsed<Parameters> {
        let mut list = Parameters { parameters: Vec::new(), ellipsis: false };
        loop {
            if self.eat(Punct::Ellipsis) {
                list.ellipsis = true;
                return Ok(list);
            }
            list.parameters.push(self.parameter()?);
            if !self.eat(Punct::Comma) {
                return Ok(list);
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.start();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let specifiers = self.specifiers(SpecifierContext::Inner, attributes)?;
        if matches!(specifiers.ty, TypeSpecifier::Implicit) && specifiers.span.start == specifiers.span.end {
            return Err(self.expected("a parameter"));
        }
        let mut declarator = self.declarator(Naming::Optional)?;
        self.attributes(&mut declarator.attributes)?;
        if let Some(name) = &declarator.name {
            self.declare(name, Meaning::Other);
        }
        Ok(Parameter { specifiers, declarator, span: self.since(start) })
    }

    /// The names of the parameters of a definition in the old style.
    fn old_parameters(&mut self) -> Parsed<Derived> {
        let mut names = Vec::new();
        let mut first = None;
        loop {
            let token = self.nth(0);
            first = first.or(Some(token));
            if self.names_type(token) || self.kind() != Kind::Identifier {
                return Err(first.map_or_else(|| self.expected("a parameter"), |first| self.unknown_type(first)));
            }
            let name = self.identifier("the name of a parameter")?;
            if !self.is(Punct::Comma) && !self.is(Punct::RightParen) {
                return Err(self.unknown_type(token));
            }
            names.push(name);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RightParen, "the names of the parameters")?;
        // Only a definition may have names without types, and then types or the body follow.
        let definition = self.is(Punct::LeftBrace) || self.begins_declaration(0) || self.is_keyword(Keyword::Attribute);
        match first {
            Some(first) if !definition => Err(self.unknown_type(first)),
            _ => Ok(Derived::OldFunction(names)),
        }
    }
}

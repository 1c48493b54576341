//! Declarations and definitions.

use super::Parser;
use super::declarator::Naming;
use super::specifiers::SpecifierContext;
use crate::ast::{
    Attribute, Declaration, Declarator, FunctionDefinition, InitDeclarator, Item, Name, Specifiers, StaticAssert,
    TypeSpecifier,
};
use crate::error::Parsed;
use crate::scope::Meaning;
use crate::token::{Keyword, Kind, Punct};

impl Parser<'_> {
    /// What can stand outside functions.
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let start = self.start();
        if self.is_keyword(Keyword::Asm) {
            let asm = self.asm()?;
            return Ok(Item::Asm(Box::new(asm)));
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        self.skip_extension();
        if self.is_keyword(Keyword::StaticAssert) {
            return Ok(Item::StaticAssert(Box::new(self.static_assert()?)));
        }
        let specifiers = self.file_specifiers(attributes)?;
        if self.eat(Punct::Semicolon) {
            let declaration = Declaration { specifiers, declarators: Vec::new(), span: self.since(start) };
            return Ok(Item::Declaration(Box::new(declaration)));
        }
        let first = self.start();
        let declarator = self.declared_declarator(&specifiers)?;
        let function = declarator.is_function();
        if function && (self.is(Punct::LeftBrace) || self.begins_declaration(0)) {
            let definition = self.definition(start, specifiers, declarator)?;
            return Ok(Item::Function(Box::new(definition)));
        }
        let declarators = self.init_declarators(&specifiers, declarator, first)?;
        self.expect(Punct::Semicolon, "the declaration")?;
        Ok(Item::Declaration(Box::new(Declaration { specifiers, declarators, span: self.since(start) })))
    }

    /// Specifiers outside functions, where text that is no declaration at all ends up, too.
    fn file_specifiers(&mut self, attributes: Vec<Attribute>) -> Parsed<Specifiers> {
        let token = self.nth(0);
        let specifiers = self.specifiers(SpecifierContext::Declaration, attributes)?;
        let nothing = specifiers.span.start == specifiers.span.end && matches!(specifiers.ty, TypeSpecifier::Implicit);
        if nothing && self.kind() != Kind::Identifier && !self.is(Punct::Star) {
            return Err(self.expected("a declaration").help("outside functions there are only declarations"));
        }
        // Without any specifier only a function can follow: `main() { … }`.
        if nothing && self.kind() == Kind::Identifier && !self.nth_is(1, Punct::LeftParen) {
            return Err(self.unknown_type(token));
        }
        Ok(specifiers)
    }

    pub(super) fn skip_extension(&mut self) {
        while self.eat_keyword(Keyword::Extension) {}
    }

    /// A declaration inside a function, with its semicolon.
    pub(super) fn declaration(&mut self, start: u32, attributes: Vec<Attribute>) -> Parsed<Declaration> {
        let specifiers = self.specifiers(SpecifierContext::Declaration, attributes)?;
        let mut declarators = Vec::new();
        if !self.is(Punct::Semicolon) {
            let first = self.start();
            let declarator = self.declared_declarator(&specifiers)?;
            if declarator.is_function() && self.is(Punct::LeftBrace) {
                let error = self.error("a function is defined inside a function here, which is not supported");
                return Err(error.help("move it out of the function"));
            }
            declarators = self.init_declarators(&specifiers, declarator, first)?;
        }
        self.expect(Punct::Semicolon, "the declaration")?;
        Ok(Declaration { specifiers, declarators, span: self.since(start) })
    }

    /// A declarator whose name is known from here on.
    fn declared_declarator(&mut self, specifiers: &Specifiers) -> Parsed<Declarator> {
        let mut declarator = self.declarator(Naming::Required)?;
        self.declarator_end(&mut declarator)?;
        if let Some(name) = &declarator.name {
            let meaning = if specifiers.storage.is_typedef { Meaning::Type } else { Meaning::Other };
            self.declare(name, meaning);
        }
        Ok(declarator)
    }

    /// The name for the linker, and attributes.
    fn declarator_end(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        self.attributes(&mut declarator.attributes)?;
        if self.eat_keyword(Keyword::Asm) {
            self.expect(Punct::LeftParen, "`asm`")?;
            declarator.label = Some(self.strings("the name in quotes")?);
            self.expect(Punct::RightParen, "the name")?;
        }
        self.attributes(&mut declarator.attributes)
    }

    /// The first declarator, its initialiser, and those that follow.
    fn init_declarators(
        &mut self,
        specifiers: &Specifiers,
        first: Declarator,
        mut start: u32,
    ) -> Parsed<Vec<InitDeclarator>> {
        let mut all = Vec::new();
        let mut declarator = first;
        loop {
            let initializer = if self.eat(Punct::Assign) { Some(self.initializer()?) } else { None };
            all.push(InitDeclarator { declarator, initializer, span: self.since(start) });
            if !self.eat(Punct::Comma) {
                return Ok(all);
            }
            start = self.start();
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            declarator = self.declared_declarator(specifiers)?;
            declarator.attributes.extend(attributes);
        }
    }

    fn definition(&mut self, start: u32, specifiers: Specifiers, declarator: Declarator) -> Parsed<FunctionDefinition> {
        self.scopes.open();
        let result = self.definition_body(&declarator);
        self.scopes.close();
        let (declarations, statement) = result?;
        Ok(FunctionDefinition { specifiers, declarator, declarations, statement, span: self.since(start) })
    }

    fn definition_body(
        &mut self,
        declarator: &Declarator,
    ) -> Parsed<(Vec<Declaration>, crate::ast::Node<crate::ast::Statement>)> {
        let parameters = declarator.parameters().map_or(&[][..], |all| &all.parameters);
        let names: Vec<Name> = match declarator.old_parameters() {
            Some(names) => names.to_vec(),
            None => parameters.iter().filter_map(|parameter| parameter.declarator.name.clone()).collect(),
        };
        for name in &names {
            self.declare(name, Meaning::Other);
        }
        let mut declarations = Vec::new();
        while !self.is(Punct::LeftBrace) {
            if declarator.old_parameters().is_none() || !self.begins_declaration(0) {
                let message = format!("expected `;` or a body after the declaration, found {}", self.found());
                return Err(self.error(message).help("put `;` here"));
            }
            let start = self.start();
            declarations.push(self.declaration(start, Vec::new())?);
        }
        let statement = self.compound()?;
        Ok((declarations, statement))
    }

    /// `_Static_assert(…);`
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.start();
        self.bump();
        self.expect(Punct::LeftParen, "`_Static_assert`")?;
        let expression = self.conditional()?;
        let message = if self.eat(Punct::Comma) { Some(self.strings("the message")?) } else { None };
        self.expect(Punct::RightParen, "the assertion")?;
        self.expect(Punct::Semicolon, "the assertion")?;
        Ok(StaticAssert { expression, message, span: self.since(start) })
    }
}

//! Structures, unions and enumerations.

use super::Parser;
use super::declarator::Naming;
use super::specifiers::SpecifierContext;
use crate::ast::{EnumSpecifier, Enumerator, Field, FieldDeclarator, RecordSpecifier, TypeSpecifier};
use crate::error::Parsed;
use crate::scope::Meaning;
use crate::token::{Keyword, Kind, Punct};

impl Parser<'_> {
    pub(super) fn record(&mut self) -> Parsed<RecordSpecifier> {
        let start = self.start();
        let is_union = self.is_keyword(Keyword::Union);
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        // A tag may be called like a type.
        let tag = if self.kind() == Kind::Identifier { Some(self.identifier("a tag")?) } else { None };
        if !self.is(Punct::LeftBrace) {
            if tag.is_none() {
                return Err(self.expected("a tag or `{`"));
            }
            return Ok(RecordSpecifier {
                is_union,
                tag,
                fields: None,
                attributes,
                pack: None,
                span: self.since(start),
            });
        }
        let fields = self.deeper(Self::fields)?;
        let pack = self.pack();
        if self.is_keyword(Keyword::Attribute) {
            self.attributes(&mut attributes)?;
        }
        Ok(RecordSpecifier { is_union, tag, fields: Some(fields), attributes, pack, span: self.since(start) })
    }

    /// The bound on alignments in force before the token taken last.
    fn pack(&self) -> Option<u64> {
        let at = self.packs.partition_point(|(from, _)| *from < self.at).checked_sub(1)?;
        self.packs[at].1
    }

    fn fields(&mut self) -> Parsed<Vec<Field>> {
        self.bump();
        let mut fields = Vec::new();
        loop {
            match self.kind() {
                Kind::Punct(Punct::RightBrace) => {
                    self.bump();
                    return Ok(fields);
                }
                Kind::Punct(Punct::Semicolon) => {
                    self.bump();
                }
                Kind::End => return Err(self.expected("`}`").help("the structure is not closed")),
                Kind::Keyword(Keyword::StaticAssert) => {
                    fields.push(Field::StaticAssert(Box::new(self.static_assert()?)));
                }
                _ => fields.push(self.field()?),
            }
        }
    }

    fn field(&mut self) -> Parsed<Field> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let specifiers = Box::new(self.specifiers(SpecifierContext::Inner, attributes)?);
        if matches!(specifiers.ty, TypeSpecifier::Implicit) {
            return Err(self.expected("the type of a member"));
        }
        let mut declarators = Vec::new();
        if !self.is(Punct::Semicolon) && !self.is(Punct::RightBrace) {
            loop {
                declarators.push(self.field_declarator()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        // The last one may go without, says gcc.
        if !self.is(Punct::RightBrace) {
            self.expect(Punct::Semicolon, "the member")?;
        }
        Ok(Field::Members { specifiers, declarators })
    }

    fn field_declarator(&mut self) -> Parsed<FieldDeclarator> {
        let naming = if self.is(Punct::Colon) { Naming::Abstract } else { Naming::Required };
        let mut declarator = self.declarator(naming)?;
        let width = if self.eat(Punct::Colon) { Some(self.conditional()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        Ok(FieldDeclarator { declarator, width })
    }

    pub(super) fn enumeration(&mut self) -> Parsed<EnumSpecifier> {
        let start = self.start();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = if self.kind() == Kind::Identifier { Some(self.identifier("a tag")?) } else { None };
        let underlying = if self.is(Punct::Colon) && self.begins_type(self.nth(1)) {
            self.bump();
            Some(Box::new(self.type_name()?))
        } else {
            None
        };
        let enumerators = if self.is(Punct::LeftBrace) { Some(self.enumerators()?) } else { None };
        if enumerators.is_none() && tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        if enumerators.is_some() && self.is_keyword(Keyword::Attribute) {
            self.attributes(&mut attributes)?;
        }
        Ok(EnumSpecifier { tag, underlying, enumerators, attributes, span: self.since(start) })
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        self.bump();
        let mut all = Vec::new();
        while !self.eat(Punct::RightBrace) {
            let name = self.identifier("the name of an enumerator")?;
            // Attributes of an enumerator only lead to warnings.
            self.attributes(&mut Vec::new())?;
            let value = if self.eat(Punct::Assign) { Some(self.conditional()?) } else { None };
            self.declare(&name, Meaning::Other);
            all.push(Enumerator { name, value });
            if !self.is(Punct::RightBrace) {
                self.expect(Punct::Comma, "the enumerator")?;
            }
        }
        Ok(all)
    }
}

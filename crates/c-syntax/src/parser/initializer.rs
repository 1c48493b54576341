//! Initialisers.

use super::Parser;
use crate::ast::{Designator, Initializer, InitializerItem, Node};
use crate::error::Parsed;
use crate::token::{Kind, Punct};

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Parsed<Node<Initializer>> {
        let start = self.start();
        let initializer = if self.is(Punct::LeftBrace) {
            Initializer::List(self.initializer_list()?)
        } else {
            Initializer::Expression(Box::new(self.assignment()?))
        };
        Ok(Node::new(initializer, self.since(start)))
    }

    /// `{ … }`.
    pub(super) fn initializer_list(&mut self) -> Parsed<Vec<InitializerItem>> {
        self.deeper(|parser| {
            parser.bump();
            let mut items = Vec::new();
            let mut height = 0;
            while !parser.eat(Punct::RightBrace) {
                items.push(parser.initializer_item()?);
                height = height.max(parser.height);
                if !parser.is(Punct::RightBrace) && !parser.eat(Punct::Comma) {
                    return Err(parser.expected("`,` or `}`"));
                }
            }
            parser.height = height;
            Ok(items)
        })
    }

    fn initializer_item(&mut self) -> Parsed<InitializerItem> {
        let mut designation = Vec::new();
        if self.kind() == Kind::Identifier && self.nth_is(1, Punct::Colon) {
            let name = self.identifier("a member")?;
            let span = name.span;
            self.bump();
            designation.push(Node::new(Designator::Member(name), span));
        } else if self.is(Punct::Dot) || self.is(Punct::LeftBracket) {
            designation = self.designators()?;
            // Of arrays, gcc knows an old form without it.
            let index =
                matches!(designation.last().map(|last| &last.node), Some(Designator::Index(_) | Designator::Range(..)));
            if !self.eat(Punct::Assign) && !index {
                return Err(self.expected("`=`"));
            }
        }
        Ok(InitializerItem { designation, initializer: self.initializer()? })
    }

    pub(super) fn designators(&mut self) -> Parsed<Vec<Node<Designator>>> {
        let mut all = Vec::new();
        loop {
            let start = self.start();
            let designator = if self.eat(Punct::Dot) {
                Designator::Member(self.identifier("the name of a member")?)
            } else if self.eat(Punct::LeftBracket) {
                let low = self.conditional()?;
                let designator = if self.eat(Punct::Ellipsis) {
                    Designator::Range(low, self.conditional()?)
                } else {
                    Designator::Index(low)
                };
                self.expect(Punct::RightBracket, "the index")?;
                designator
            } else {
                return Ok(all);
            };
            all.push(Node::new(designator, self.since(start)));
        }
    }
}

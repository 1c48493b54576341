//! Statements.

use super::Parser;
use crate::ast::{
    BlockItem, DoWhile, Expression, For, ForInitializer, If, Label, Labeled, Node, Range, Statement, Switch, While,
};
use crate::error::Parsed;
use crate::token::{Keyword, Kind, Punct};

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub(super) fn compound(&mut self) -> Parsed<Node<Statement>> {
        if !self.is(Punct::LeftBrace) {
            return Err(self.expected("`{`"));
        }
        self.scopes.open();
        let result = self.deeper(Self::block);
        self.scopes.close();
        result
    }

    fn block(&mut self) -> Parsed<Node<Statement>> {
        let open = self.bump().span;
        let mut items = Vec::new();
        let mut height = 0;
        while !self.eat(Punct::RightBrace) {
            if self.kind() == Kind::End {
                let line = self.text[..open.start as usize].bytes().filter(|byte| *byte == b'\n').count() + 1;
                let error = self.expected("`}`");
                return Err(error.help(format!("the block that begins in line {line} of the text is not closed")));
            }
            self.height = 0;
            items.push(self.block_item()?);
            height = height.max(self.height);
        }
        self.height = height;
        Ok(Node::new(Statement::Compound(items), self.since(open.start)))
    }

    fn block_item(&mut self) -> Parsed<Node<BlockItem>> {
        let start = self.start();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let item = match self.kind() {
            Kind::Keyword(Keyword::Label) => BlockItem::Labels(self.local_labels()?),
            _ if self.begins_declaration(0) => {
                self.skip_extension();
                if self.is_keyword(Keyword::StaticAssert) {
                    BlockItem::StaticAssert(Box::new(self.static_assert()?))
                } else {
                    BlockItem::Declaration(Box::new(self.declaration(start, attributes)?))
                }
            }
            Kind::Identifier if self.is_unknown_declaration() => return Err(self.unknown_type(self.nth(0))),
            // The attributes of a statement are hints.
            _ => BlockItem::Statement(self.statement()?.node),
        };
        Ok(Node::new(item, self.since(start)))
    }

    /// Whether `name name` follows, or `name *name =`, where the first name is nothing: a declaration with a type that is missing.
    fn is_unknown_declaration(&self) -> bool {
        if self.scopes.get(self.text_of(self.nth(0))).is_some() {
            return false;
        }
        let mut ahead = 1;
        while self.nth_is(ahead, Punct::Star) {
            ahead += 1;
        }
        let named = self.nth(ahead).kind == Kind::Identifier;
        let ends = |at: usize| {
            let kinds = [Punct::Semicolon, Punct::Assign, Punct::Comma, Punct::LeftBracket];
            kinds.iter().any(|punct| self.nth_is(at, *punct))
        };
        named && (ahead == 1 || ends(ahead + 1))
    }

    fn local_labels(&mut self) -> Parsed<Vec<crate::ast::Name>> {
        self.bump();
        let mut names = vec![self.identifier("the name of a label")?];
        while self.eat(Punct::Comma) {
            names.push(self.identifier("the name of a label")?);
        }
        self.expect(Punct::Semicolon, "the labels")?;
        Ok(names)
    }

    pub(super) fn statement(&mut self) -> Parsed<Node<Statement>> {
        self.deeper(|parser| {
            let start = parser.start();
            let statement = parser.statement_inner()?;
            Ok(Node::new(statement, parser.since(start)))
        })
    }

    fn statement_inner(&mut self) -> Parsed<Statement> {
        let Kind::Keyword(keyword) = self.kind() else { return self.plain_statement() };
        match keyword {
            Keyword::If => self.if_statement(),
            Keyword::Switch => {
                self.bump();
                let expression = self.condition("switch")?;
                Ok(Statement::Switch(Box::new(Switch { expression, statement: self.body()? })))
            }
            Keyword::While => {
                self.bump();
                let expression = self.condition("while")?;
                Ok(Statement::While(Box::new(While { expression, statement: self.body()? })))
            }
            Keyword::Do => {
                self.bump();
                let statement = self.body()?;
                if !self.eat_keyword(Keyword::While) {
                    return Err(self.expected("`while`").help("a loop that begins with `do` ends with `while (…);`"));
                }
                let expression = self.condition("while")?;
                self.expect(Punct::Semicolon, "the condition")?;
                Ok(Statement::DoWhile(Box::new(DoWhile { statement, expression })))
            }
            Keyword::For => self.for_statement(),
            Keyword::Case | Keyword::Default => {
                let label = self.case_label()?;
                self.labeled(label)
            }
            Keyword::Asm => Ok(Statement::Asm(Box::new(self.asm()?))),
            Keyword::Goto | Keyword::Continue | Keyword::Break | Keyword::Return => self.jump(keyword),
            Keyword::Else => Err(self.error("`else` without `if` before it").help("look for a `;` or a `}` too many")),
            Keyword::Attribute => {
                self.attributes(&mut Vec::new())?;
                self.statement_inner()
            }
            _ => self.plain_statement(),
        }
    }

    fn jump(&mut self, keyword: Keyword) -> Parsed<Statement> {
        let word = self.bump();
        let statement = match keyword {
            Keyword::Goto if self.eat(Punct::Star) => Statement::ComputedGoto(Box::new(self.expression()?)),
            Keyword::Goto => Statement::Goto(self.identifier("the name of a label")?),
            Keyword::Continue => Statement::Continue,
            Keyword::Return if !self.is(Punct::Semicolon) => Statement::Return(Some(Box::new(self.expression()?))),
            Keyword::Return => Statement::Return(None),
            _ => Statement::Break,
        };
        let after = match statement {
            Statement::Return(Some(_)) => "the value".to_owned(),
            _ => format!("`{}`", self.text_of(word)),
        };
        self.expect(Punct::Semicolon, &after)?;
        Ok(statement)
    }

    /// A block, a label, an expression.
    fn plain_statement(&mut self) -> Parsed<Statement> {
        if self.is(Punct::LeftBrace) {
            return Ok(self.compound()?.node);
        }
        if self.begins_attributes() {
            self.attributes(&mut Vec::new())?;
            return self.statement_inner();
        }
        if self.eat(Punct::Semicolon) {
            return Ok(Statement::Expression(None));
        }
        if self.kind() == Kind::Identifier && self.nth_is(1, Punct::Colon) {
            let start = self.start();
            let name = self.identifier("a label")?;
            self.bump();
            return self.labeled(Node::new(Label::Name(name), self.since(start)));
        }
        if self.begins_declaration(0) {
            let error = self.error("a declaration cannot stand here");
            return Err(error.help("put it into braces: `{ … }`"));
        }
        let e = self.expression()?;
        if !self.is(Punct::Semicolon)
            && self.kind() == Kind::Identifier
            && let Expression::Identifier(name) = &e.node
            && self.scopes.get(name).is_none()
        {
            return Err(self.unknown_type(self.tokens[self.at - 1]));
        }
        self.expect(Punct::Semicolon, "the expression")?;
        Ok(Statement::Expression(Some(Box::new(e))))
    }

    fn case_label(&mut self) -> Parsed<Node<Label>> {
        let start = self.start();
        let label = if self.eat_keyword(Keyword::Default) {
            Label::Default
        } else {
            self.bump();
            let low = Box::new(self.conditional()?);
            if self.eat(Punct::Ellipsis) {
                Label::CaseRange(low, Box::new(self.conditional()?))
            } else {
                Label::Case(low)
            }
        };
        self.expect(Punct::Colon, "the case")?;
        Ok(Node::new(label, self.since(start)))
    }

    /// What follows a label. Before a declaration and at the end of a block, it is nothing.
    fn labeled(&mut self, label: Node<Label>) -> Parsed<Statement> {
        self.attributes(&mut Vec::new())?;
        let statement = if self.is(Punct::RightBrace) || self.begins_declaration(0) {
            let end = self.since(label.span.start).end;
            Node::new(Statement::Expression(None), Range { start: end, end })
        } else {
            self.statement()?
        };
        Ok(Statement::Labeled(Box::new(Labeled { label, statement })))
    }

    fn condition(&mut self, word: &str) -> Parsed<Node<Expression>> {
        self.expect(Punct::LeftParen, &format!("`{word}`"))?;
        let e = self.expression()?;
        self.expect(Punct::RightParen, "the condition")?;
        Ok(e)
    }

    /// The body of a branch or a loop: what it declares is not seen outside.
    fn body(&mut self) -> Parsed<Node<Statement>> {
        self.scopes.open();
        let result = self.statement();
        self.scopes.close();
        result
    }

    fn if_statement(&mut self) -> Parsed<Statement> {
        self.bump();
        let condition = self.condition("if")?;
        let mut height = self.height;
        let then_statement = self.body()?;
        height = height.max(self.height);
        let else_statement = if self.eat_keyword(Keyword::Else) { Some(self.body()?) } else { None };
        self.height = self.height.max(height);
        Ok(Statement::If(Box::new(If { condition, then_statement, else_statement })))
    }

    fn for_statement(&mut self) -> Parsed<Statement> {
        self.bump();
        self.scopes.open();
        let result = self.for_parts();
        self.scopes.close();
        Ok(Statement::For(Box::new(result?)))
    }

    fn for_parts(&mut self) -> Parsed<For> {
        self.expect(Punct::LeftParen, "`for`")?;
        let start = self.start();
        let initializer = if self.eat(Punct::Semicolon) {
            ForInitializer::Empty
        } else if self.begins_declaration(0) {
            self.skip_extension();
            if self.is_keyword(Keyword::StaticAssert) {
                ForInitializer::StaticAssert(Box::new(self.static_assert()?))
            } else {
                ForInitializer::Declaration(Box::new(self.declaration(start, Vec::new())?))
            }
        } else if self.kind() == Kind::Identifier && self.is_unknown_declaration() {
            return Err(self.unknown_type(self.nth(0)));
        } else {
            let e = self.expression()?;
            self.expect(Punct::Semicolon, "the beginning of the loop")?;
            ForInitializer::Expression(Box::new(e))
        };
        let condition = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semicolon, "the condition of the loop")?;
        let step = if self.is(Punct::RightParen) { None } else { Some(self.expression()?) };
        self.expect(Punct::RightParen, "the head of the loop")?;
        let statement = self.body()?;
        Ok(For { initializer, condition, step, statement })
    }
}

//! Inline assembly.

use super::Parser;
use crate::ast::{Asm, AsmOperand};
use crate::error::Parsed;
use crate::token::{Keyword, Kind, Punct};

impl Parser<'_> {
    /// `asm volatile ("…" : outputs : inputs : clobbers : labels);`
    pub(super) fn asm(&mut self) -> Parsed<Asm> {
        let start = self.start();
        self.bump();
        let (mut is_volatile, mut is_goto) = (false, false);
        loop {
            match self.kind() {
                Kind::Keyword(Keyword::Volatile) => is_volatile = true,
                Kind::Keyword(Keyword::Goto) => is_goto = true,
                Kind::Keyword(Keyword::Inline | Keyword::Const) => {}
                _ => break,
            }
            self.bump();
        }
        self.expect(Punct::LeftParen, "`asm`")?;
        let template = self.strings("the instructions in quotes")?;
        let mut asm = Asm {
            is_volatile,
            is_goto,
            is_extended: self.is(Punct::Colon),
            template,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            span: self.since(start),
        };
        for section in 0..4 {
            if !self.eat(Punct::Colon) {
                break;
            }
            while !self.is(Punct::Colon) && !self.is(Punct::RightParen) {
                match section {
                    0 => asm.outputs.push(self.asm_operand()?),
                    1 => asm.inputs.push(self.asm_operand()?),
                    2 => asm.clobbers.push(self.strings("the name of a register")?),
                    _ => asm.labels.push(self.identifier("the name of a label")?),
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::RightParen, "the assembly")?;
        self.expect(Punct::Semicolon, "the assembly")?;
        asm.span = self.since(start);
        Ok(asm)
    }

    fn asm_operand(&mut self) -> Parsed<AsmOperand> {
        let start = self.start();
        let name = if self.eat(Punct::LeftBracket) {
            let name = self.identifier("the name of an operand")?;
            self.expect(Punct::RightBracket, "the name of the operand")?;
            Some(name)
        } else {
            None
        };
        let constraint = self.strings("the constraint of an operand in quotes")?;
        self.expect(Punct::LeftParen, "the constraint")?;
        let expression = self.expression()?;
        self.expect(Punct::RightParen, "the operand")?;
        Ok(AsmOperand { name, constraint, expression, span: self.since(start) })
    }
}

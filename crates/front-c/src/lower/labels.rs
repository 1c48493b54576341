//! Labels: those of one block, and those whose address is taken.
//!
//! The address of a label is a number of its own in the whole program. A jump to an address goes to one place in the
//! function, where it is compared with the addresses of all labels of the function.

use super::{Lowering, Value};
use crate::types::Type;
use c_syntax::ast::{Expression, Name, Node};
use ir::{BinaryOp, Expr, Op, System, Terminator, Width};
use source::Diagnostic;

impl Lowering {
    /// Declares labels that belong to the innermost block only.
    pub fn declare_labels(&mut self, names: &[Name]) {
        for name in names {
            self.body.own_labels += 1;
            let unique = format!("{}%{}", name.text, self.body.own_labels);
            self.innermost().labels.insert(name.text.clone(), unique);
        }
    }

    /// The name of a label, which is another one for the labels of a block.
    pub fn label_name(&self, name: &Name) -> String {
        let own = self.body.scopes.iter().rev().find_map(|scope| scope.labels.get(&name.text));
        own.unwrap_or(&name.text).clone()
    }

    /// `&&label`.
    pub fn label_address(&mut self, name: &Name) -> Value {
        let key = (self.body.function.name.clone(), self.label_name(name));
        let known = self.label_addresses.iter().position(|(known, _)| *known == key);
        let number = known.unwrap_or_else(|| {
            let span = self.at(name.span);
            self.label_addresses.push((key, span));
            self.label_addresses.len() - 1
        });
        self.int(number as i64 + 1, &Type::VOID.pointer_to())
    }

    /// `goto *address;`
    pub fn computed_goto(&mut self, to: &Node<Expression>) -> Result<(), Diagnostic> {
        let value = self.rvalue(to)?;
        let value = self.convert(value, &Type::VOID.pointer_to())?;
        let (target, block) = match self.body.computed {
            Some(known) => known,
            None => {
                let known = (self.body.local("%label", Width::WORD), self.body.block());
                *self.body.computed.insert(known)
            }
        };
        self.body.assign(target, value.expr);
        self.body.leave(Terminator::Goto(block));
        Ok(())
    }

    /// Gives the jumps to addresses their targets, at the end of a function.
    pub fn finish_computed_gotos(&mut self) {
        let own = self.label_addresses.iter().enumerate();
        let own = own.filter(|(_, ((function, _), _))| *function == self.body.function.name);
        // One that belongs to a block that was only looked at is not there.
        let own = own.filter(|(_, ((_, label), _))| !label.contains('%') || self.body.labels.contains_key(label));
        let own: Vec<(usize, String, source::Span)> =
            own.map(|(number, ((_, label), span))| (number, label.clone(), *span)).collect();
        // A label whose address is taken must be there, whether or not anybody jumps.
        let blocks: Vec<_> = own.iter().map(|(_, label, span)| self.body.label(label, *span)).collect();
        let Some((target, dispatch)) = self.body.computed else { return };
        self.body.resume(dispatch);
        for ((number, ..), block) in own.iter().zip(blocks) {
            let next = self.body.block();
            let address = Expr::constant(*number as i64 + 1, Width::WORD);
            self.body.branch(Expr::Local(target).binary(BinaryOp::Eq, address), block, next, next);
        }
        let condition = Expr::constant(0, Width::BOOL);
        let message = "a jump to an address that is no label of the function".to_owned();
        self.emit(Op::System(System::Assert { condition, message }));
        self.unreachable_from_here();
    }
}

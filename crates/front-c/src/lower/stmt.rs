//! Statements.

use super::Lowering;
use super::body::Switch;
use super::fold::fold;
use super::scope::Scope;
use super::seams::Side;
use crate::builtins;
use c_syntax::ast::{
    BlockItem, Expression, For, ForInitializer, If, Label, Labeled, Node, Range, Statement, Switch as SwitchStatement,
};
use ir::{BinaryOp, BlockId, Expr, LocalId, Op, Terminator, UnaryOp, Width};
use source::{Diagnostic, Span};

impl Lowering {
    /// Lowers a statement.
    pub fn statement(&mut self, statement: &Node<Statement>) -> Result<(), Diagnostic> {
        self.statement_at(&statement.node, statement.span)
    }

    fn statement_at(&mut self, statement: &Statement, span: Range) -> Result<(), Diagnostic> {
        let outer = self.enter(span);
        let result = self.statement_inner(statement);
        self.body.span = outer;
        result
    }

    fn statement_inner(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        match statement {
            Statement::Labeled(labeled) => self.labeled(labeled),
            Statement::Compound(items) => {
                self.in_scope(|lowering| items.iter().try_for_each(|item| lowering.with_seams(item)))
            }
            Statement::Expression(Some(e)) => self.full_expression(|lowering| lowering.effect(e)),
            Statement::Expression(None) => Ok(()),
            Statement::If(inner) => self.in_scope(|lowering| lowering.if_statement(inner)),
            Statement::Switch(inner) => self.in_scope(|lowering| lowering.switch(inner)),
            Statement::While(inner) if self.only_waits(&inner.statement, &inner.expression) => {
                let woken = self.temp(Width::BOOL);
                self.body.assign(woken, Expr::constant(0, Width::BOOL));
                let outer = self.body.woken.replace(woken);
                let result = self.in_scope(|lowering| lowering.while_statement(&inner.expression, &inner.statement));
                self.body.woken = outer;
                result
            }
            Statement::While(inner) => {
                let outer = self.body.woken.take();
                let result = self.in_scope(|lowering| lowering.while_statement(&inner.expression, &inner.statement));
                self.body.woken = outer;
                result
            }
            Statement::DoWhile(inner) => {
                self.in_scope(|lowering| lowering.do_statement(&inner.statement, &inner.expression))
            }
            Statement::For(inner) => self.in_scope(|lowering| lowering.for_statement(inner)),
            Statement::Goto(name) => {
                let span = self.at(name.span);
                self.body.jumps.get_or_insert(span);
                let label = self.label_name(name);
                let block = self.body.label(&label, span);
                self.body.leave(Terminator::Goto(block));
                Ok(())
            }
            Statement::ComputedGoto(to) => {
                self.body.jumps.get_or_insert(self.at(to.span));
                self.computed_goto(to)
            }
            Statement::Continue => {
                let to = self.body.continues.last().copied();
                self.jump(to, "continue")
            }
            Statement::Break => {
                let to = self.body.breaks.last().copied();
                self.jump(to, "break")
            }
            Statement::Return(e) => self.full_expression(|lowering| lowering.return_value(e.as_deref())),
            Statement::Asm(asm) => builtins::asm(self, asm, self.span()),
        }
    }

    /// Lowers what is a block of its own: also each statement that chooses or repeats, and what it chooses or repeats (C11, 6.8.4 and 6.8.5).
    fn in_scope(&mut self, work: impl FnOnce(&mut Lowering) -> Result<(), Diagnostic>) -> Result<(), Diagnostic> {
        self.body.scopes.push(Scope::default());
        let result = work(self);
        result.and(self.close_scope())
    }

    fn jump(&mut self, to: Option<(BlockId, usize)>, word: &str) -> Result<(), Diagnostic> {
        let Some((to, depth)) = to else {
            let complaint = self.error(self.span(), format!("there is nothing to {word} here"));
            return Err(complaint.help("it can only stand in a loop, or `break` in a switch"));
        };
        self.clean_up(depth)?;
        self.end_variables(depth);
        self.body.leave(Terminator::Goto(to));
        Ok(())
    }

    /// An item of a block, and the places before and after it.
    fn with_seams(&mut self, item: &Node<BlockItem>) -> Result<(), Diagnostic> {
        self.seam(item.span, Side::Before, false);
        self.block_item(item)?;
        self.seam(item.span, Side::After, false);
        Ok(())
    }

    /// The body of a branch or a loop, and the places before and after it if it has no braces.
    fn inner_statement(&mut self, statement: &Node<Statement>) -> Result<(), Diagnostic> {
        if matches!(&statement.node, Statement::Compound(_) | Statement::Expression(None)) {
            return self.statement(statement);
        }
        self.seam(statement.span, Side::Before, true);
        self.in_scope(|lowering| lowering.statement(statement))?;
        self.seam(statement.span, Side::After, true);
        Ok(())
    }

    /// An item of a block.
    pub fn block_item(&mut self, item: &Node<BlockItem>) -> Result<(), Diagnostic> {
        match &item.node {
            BlockItem::Declaration(declaration) => self.declaration(declaration),
            BlockItem::StaticAssert(assert) => self.static_assert(assert),
            BlockItem::Statement(statement) => self.statement_at(statement, item.span),
            BlockItem::Labels(names) => {
                self.declare_labels(names);
                Ok(())
            }
        }
    }

    fn do_statement(&mut self, statement: &Node<Statement>, condition: &Node<Expression>) -> Result<(), Diagnostic> {
        let (head, test, after) = (self.body.block(), self.body.block(), self.body.block());
        self.body.fall_into(head);
        self.loop_body(statement, after, test)?;
        self.body.fall_into(test);
        let passing = self.condition(condition, head, after)?;
        self.body.resume(after);
        self.end_objects(&passing);
        Ok(())
    }

    /// Branches on a condition, which is a full expression: the objects to be ended at both of its ends.
    fn condition(
        &mut self,
        condition: &Node<Expression>,
        then: BlockId,
        otherwise: BlockId,
    ) -> Result<Vec<LocalId>, Diagnostic> {
        let before = self.body.passing.len();
        self.branch_on(condition, then, otherwise)?;
        Ok(self.passing(before))
    }

    fn while_statement(&mut self, condition: &Node<Expression>, statement: &Node<Statement>) -> Result<(), Diagnostic> {
        let (head, first, after) = (self.body.block(), self.body.block(), self.body.block());
        self.body.fall_into(head);
        let passing = self.condition(condition, first, after)?;
        self.body.resume(first);
        self.end_objects(&passing);
        if let Some(woken) = self.body.woken {
            let condition = Expr::Local(woken).unary(UnaryOp::Not);
            self.emit(Op::Assume { condition, waits: false });
        }
        self.loop_body(statement, after, head)?;
        self.body.end(Terminator::Goto(head), after);
        self.end_objects(&passing);
        Ok(())
    }

    /// Whether a loop is `while (c) pthread_cond_wait(…);` with a condition that changes nothing. A thread that is woken for no
    /// reason and finds that it has to wait again has done nothing but give the mutex back and take it once more: it might as
    /// well have slept on, so that such rounds are left out.
    fn only_waits(&self, body: &Node<Statement>, condition: &Node<Expression>) -> bool {
        let call = match &body.node {
            Statement::Compound(items) => match &items[..] {
                [item] => match &item.node {
                    BlockItem::Statement(inner) => inner,
                    BlockItem::Declaration(_) | BlockItem::StaticAssert(_) | BlockItem::Labels(_) => return false,
                },
                _ => return false,
            },
            node => node,
        };
        let Statement::Expression(Some(e)) = call else { return false };
        let Expression::Call(call) = super::strip_casts(&e.node) else { return false };
        let waits = match &call.callee.node {
            Expression::Identifier(name) => matches!(&**name, "pthread_cond_wait" | "cnd_wait"),
            _ => false,
        };
        waits && !self.changes_something(condition) && !call.arguments.iter().any(|arg| self.changes_something(arg))
    }

    fn loop_body(&mut self, body: &Node<Statement>, after: BlockId, next: BlockId) -> Result<(), Diagnostic> {
        let depth = self.body.scopes.len();
        self.body.breaks.push((after, depth));
        self.body.continues.push((next, depth));
        let result = self.inner_statement(body);
        self.body.breaks.pop();
        self.body.continues.pop();
        result
    }

    fn for_statement(&mut self, inner: &For) -> Result<(), Diagnostic> {
        match &inner.initializer {
            ForInitializer::Empty => {}
            ForInitializer::Expression(e) => self.full_expression(|lowering| lowering.effect(e))?,
            ForInitializer::Declaration(declaration) => self.declaration(declaration)?,
            ForInitializer::StaticAssert(assert) => self.static_assert(assert)?,
        }
        let (head, first) = (self.body.block(), self.body.block());
        let (step, after) = (self.body.block(), self.body.block());
        self.body.fall_into(head);
        let passing = match &inner.condition {
            Some(condition) => self.condition(condition, first, after)?,
            None => {
                self.body.end(Terminator::Goto(first), first);
                Vec::new()
            }
        };
        self.body.resume(first);
        self.end_objects(&passing);
        self.loop_body(&inner.statement, after, step)?;
        self.body.fall_into(step);
        if let Some(e) = &inner.step {
            self.full_expression(|lowering| lowering.effect(e))?;
        }
        self.body.end(Terminator::Goto(head), after);
        self.end_objects(&passing);
        Ok(())
    }

    fn if_statement(&mut self, inner: &If) -> Result<(), Diagnostic> {
        let (first, after) = (self.body.block(), self.body.block());
        let second = if inner.else_statement.is_some() { self.body.block() } else { after };
        let passing = self.condition(&inner.condition, first, second)?;
        self.body.resume(first);
        self.end_objects(&passing);
        self.inner_statement(&inner.then_statement)?;
        if let Some(otherwise) = &inner.else_statement {
            self.body.end(Terminator::Goto(after), second);
            self.end_objects(&passing);
            self.inner_statement(otherwise)?;
            self.body.fall_into(after);
        } else {
            self.body.fall_into(after);
            self.end_objects(&passing);
        }
        Ok(())
    }

    /// The body comes first; the tests that lead to its cases are known after it.
    fn switch(&mut self, inner: &SwitchStatement) -> Result<(), Diagnostic> {
        let before = self.body.passing.len();
        let value = self.rvalue(&inner.expression)?;
        if !value.ty.is_integer() {
            let complaint = self.error(self.at(inner.expression.span), "a switch needs an integer");
            return Err(complaint.help("use `if` for other types"));
        }
        let value = self.promote(value)?;
        let value = self.keep(value);
        let passing = self.passing(before);
        self.end_objects(&passing);
        let after = self.body.block();
        let tests = self.body.current();
        let dead = self.body.block();
        self.body.resume(dead);
        self.body.breaks.push((after, self.body.scopes.len()));
        let depth = self.body.scopes.len();
        self.body.switches.push(Switch { value, cases: Vec::new(), default: None, depth });
        let result = self.statement(&inner.statement);
        self.body.breaks.pop();
        let switch = self.body.switches.pop();
        result?;
        self.body.end(Terminator::Goto(after), tests);
        let Some(Switch { value, cases, default, .. }) = switch else { return Ok(()) };
        for (low, high, block, span) in cases {
            let next = self.body.block();
            let low_value = self.int(low, &value.ty);
            let condition = if low == high {
                fold(value.expr.clone().binary(BinaryOp::Eq, low_value.expr))
            } else {
                let high_value = self.int(high, &value.ty);
                let at_most = if value.ty.is_signed() { BinaryOp::SLe } else { BinaryOp::ULe };
                let above = fold(low_value.expr.binary(at_most, value.expr.clone()));
                let below = fold(value.expr.clone().binary(at_most, high_value.expr));
                fold(above.binary(BinaryOp::And, below))
            };
            let outer = std::mem::replace(&mut self.body.span, span);
            self.body.branch(condition, block, next, next);
            self.body.span = outer;
        }
        self.body.end(Terminator::Goto(default.unwrap_or(after)), after);
        Ok(())
    }

    fn labeled(&mut self, inner: &Labeled) -> Result<(), Diagnostic> {
        self.place_label(&inner.label)?;
        self.statement(&inner.statement)
    }

    /// What follows begins at a label.
    pub fn place_label(&mut self, label: &Node<Label>) -> Result<(), Diagnostic> {
        match &label.node {
            Label::Name(name) => {
                let span = self.at(name.span);
                let label = self.label_name(name);
                if self.body.labels.get(&label).is_some_and(|label| label.defined) {
                    let complaint = self.error(span, format!("the label `{}` is there twice", name.text));
                    return Err(complaint.help("give one of them another name"));
                }
                let block = self.body.label(&label, span);
                if let Some(label) = self.body.labels.get_mut(&label) {
                    label.defined = true;
                }
                self.body.enters = true;
                self.body.fall_into(block);
            }
            Label::Case(value) => {
                let value = self.case_value(value)?;
                self.case(value, value, self.at(label.span))?;
            }
            Label::CaseRange(low, high) => {
                let (low, high) = (self.case_value(low)?, self.case_value(high)?);
                self.case(low, high, self.at(label.span))?;
            }
            Label::Default => {
                let block = self.body.block();
                self.enter_by_case();
                match self.body.switches.last_mut() {
                    Some(switch) => switch.default = Some(block),
                    None => return Err(self.outside_switch(self.at(label.span))),
                }
                self.body.fall_into(block);
            }
        }
        Ok(())
    }

    fn case(&mut self, low: i64, high: i64, span: Span) -> Result<(), Diagnostic> {
        let block = self.body.block();
        self.enter_by_case();
        let Some(switch) = self.body.switches.last_mut() else { return Err(self.outside_switch(span)) };
        switch.cases.push((low, high, block, span));
        self.body.fall_into(block);
        Ok(())
    }

    /// A case that stands in a block, or behind a declaration, in the body of its switch.
    fn enter_by_case(&mut self) {
        let Some(depth) = self.body.switches.last().map(|switch| switch.depth) else { return };
        let scopes = self.body.scopes.get(depth..).unwrap_or_default();
        self.body.skips |= scopes.iter().any(|scope| !scope.names.is_empty());
        self.body.enters |= scopes.len() > 1 || scopes.iter().any(|scope| !scope.ending.is_empty());
    }

    fn outside_switch(&self, span: Span) -> Diagnostic {
        self.error(span, "this case belongs to no switch").help("cases stand in the body of a switch")
    }

    fn case_value(&mut self, e: &Node<Expression>) -> Result<i64, Diagnostic> {
        self.const_value(e).ok_or_else(|| {
            let complaint = self.error(self.at(e.span), "this is not an integer constant");
            complaint.help("the value of a case must be known when the program is compiled")
        })
    }
}

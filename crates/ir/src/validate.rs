//! The rules that a program keeps: checked after the last pass, before an engine sees it.

use crate::expr::{BinaryOp, Expr, UnaryOp, Width};
use crate::program::{Function, Program, Terminator};
use std::fmt;

/// A rule that a program breaks: a defect of a front end or a pass, never of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Which function.
    pub function: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}: {}", self.function, self.what)
    }
}

impl std::error::Error for Invalid {}

/// Checks indices and widths of the whole program.
///
/// # Errors
/// The first rule that is broken.
pub fn validate(program: &Program) -> Result<(), Invalid> {
    for function in &program.functions {
        let checker = Checker { program, function };
        checker.check().map_err(|what| Invalid { function: function.name.clone(), what })?;
    }
    let outside = |what: &str| Err(Invalid { function: program.name.clone(), what: what.to_owned() });
    if program.threads.iter().any(|thread| thread.body.index() >= program.functions.len()) {
        return outside("a thread runs a function that does not exist");
    }
    for location in program.observables() {
        match location {
            crate::Location::Local(thread, local) => {
                if thread.index() >= program.threads.len() || local.index() >= program.body(thread).locals.len() {
                    return outside("an observed register does not exist");
                }
            }
            crate::Location::Memory(address) => {
                if program.cell(address).is_none() {
                    return outside("an observed location does not exist");
                }
            }
        }
    }
    Ok(())
}

/// Looks at one function of a program.
pub(crate) struct Checker<'p> {
    program: &'p Program,
    function: &'p Function,
}

impl Checker<'_> {
    fn check(&self) -> Result<(), String> {
        if self.function.blocks.is_empty() {
            return Err("no blocks".to_owned());
        }
        for block in &self.function.blocks {
            for instr in &block.instrs {
                instr.op.validate(self)?;
            }
            if let Terminator::Branch { condition, .. } = &block.terminator {
                self.expect(condition, Width::BOOL)?;
            }
            if block.terminator.successors().any(|to| to.index() >= self.function.blocks.len()) {
                return Err("a jump to a block that does not exist".to_owned());
            }
        }
        Ok(())
    }

    pub(crate) fn arguments(&self, function: crate::FunctionId, args: &[Expr]) -> Result<(), String> {
        let Some(callee) = self.program.functions.get(function.index()) else {
            return Err("a call of a function that does not exist".to_owned());
        };
        if callee.params as usize != args.len() || callee.locals.len() < args.len() {
            return Err(format!("{} is called with {} arguments", callee.name, args.len()));
        }
        args.iter().zip(&callee.locals).try_for_each(|(arg, local)| self.expect(arg, local.width))
    }

    pub(crate) fn local(&self, local: crate::LocalId) -> Result<Width, String> {
        let found = self.function.locals.get(local.index());
        found.map(|l| l.width).ok_or_else(|| format!("local {} does not exist", local.0))
    }

    pub(crate) fn expect(&self, expr: &Expr, width: Width) -> Result<(), String> {
        let found = self.width(expr)?;
        if found == width {
            Ok(())
        } else {
            Err(format!("an expression of {} bits where {} are needed", found.bits(), width.bits()))
        }
    }

    pub(crate) fn width(&self, expr: &Expr) -> Result<Width, String> {
        match expr {
            Expr::Const(value, width) if *value <= width.mask() => Ok(*width),
            Expr::Const(..) => Err("a constant wider than its width".to_owned()),
            Expr::Local(local) => self.local(*local),
            Expr::Address(object, _) if object.index() < self.program.objects.len() => Ok(Width::WORD),
            Expr::Address(..) => Err("the address of an object that does not exist".to_owned()),
            Expr::Unary(op, operand) => {
                let width = self.width(operand)?;
                match op {
                    UnaryOp::Not | UnaryOp::Neg => Ok(width),
                    UnaryOp::Life if width == Width::WORD => Ok(width),
                    UnaryOp::Life => Err(format!("the life of a value of {} bits", width.bits())),
                    UnaryOp::ZeroExtend(to) | UnaryOp::SignExtend(to) if *to >= width => Ok(*to),
                    UnaryOp::Truncate(to) if *to <= width => Ok(*to),
                    UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) | UnaryOp::Truncate(_) => {
                        Err("a conversion in the wrong direction".to_owned())
                    }
                }
            }
            Expr::Binary(op, left, right) => {
                let width = self.width(left)?;
                self.expect(right, width)?;
                Ok(if BinaryOp::is_comparison(*op) { Width::BOOL } else { width })
            }
            Expr::Select(condition, then, otherwise) => {
                self.expect(condition, Width::BOOL)?;
                let width = self.width(then)?;
                self.expect(otherwise, width)?;
                Ok(width)
            }
        }
    }
}

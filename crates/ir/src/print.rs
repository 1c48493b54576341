//! Programs as text, for `--print-after` and for failing tests.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::program::{Address, BlockId, Function, Program, TagSet, Terminator};
use std::fmt::{self, Write};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {} ({})", self.name, self.arch)?;
        for object in &self.objects {
            for cell in &object.cells {
                let initial = match &cell.initial {
                    Expr::Const(value, width) => self.value_name(*value, *width),
                    Expr::Address(object, offset) => {
                        format!("&{}", self.address_name(Address { object: *object, offset: *offset }))
                    }
                    other @ (Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..)) => {
                        format!("{other:?}")
                    }
                };
                writeln!(f, "  {}+{}: i{} = {initial}", object.name, cell.offset, cell.width.bits())?;
            }
        }
        for (at, function) in self.functions.iter().enumerate() {
            let params: Vec<&str> = function.locals.iter().take(function.params as usize).map(|l| &*l.name).collect();
            match self.threads.iter().find(|thread| thread.body.index() == at) {
                Some(thread) => writeln!(f, "thread {}:", thread.name)?,
                None => writeln!(f, "function {}({}):", function.name, params.join(", "))?,
            }
            blocks(self, function, f)?;
        }
        Ok(())
    }
}

fn blocks(program: &Program, function: &Function, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, block) in function.blocks.iter().enumerate() {
        writeln!(f, " b{at}:")?;
        for instr in &block.instrs {
            writeln!(f, "    {}", instr.op.text(program, function))?;
        }
        writeln!(f, "    {}", terminator(program, function, &block.terminator))?;
    }
    Ok(())
}

pub(crate) fn tags(program: &Program, tags: &TagSet) -> String {
    let mut out = String::new();
    for tag in tags.iter() {
        let _ = write!(out, " {}", program.tags[tag.index()]);
    }
    out
}

fn terminator(program: &Program, function: &Function, terminator: &Terminator) -> String {
    let block = |b: &BlockId| format!("b{}", b.0);
    let with_value = |verb: &str, value: &Option<Expr>| match value {
        Some(value) => format!("{verb} {}", expr(program, function, value)),
        None => verb.to_owned(),
    };
    match terminator {
        Terminator::Goto(to) => format!("goto {}", block(to)),
        Terminator::Branch { condition, then, otherwise, join, span: _ } => {
            let join = join.as_ref().map_or(String::new(), |j| format!(" until {}", block(j)));
            format!("if {} goto {} else {}{join}", expr(program, function, condition), block(then), block(otherwise))
        }
        Terminator::Return(value) => with_value("return", value),
        Terminator::Exit(value) => with_value("exit", value),
        Terminator::Cut { span: _ } => "cut".to_owned(),
    }
}

pub(crate) fn expr(program: &Program, function: &Function, e: &Expr) -> String {
    let show = |e: &Expr| expr(program, function, e);
    match e {
        Expr::Const(value, width) => crate::sign_extend(*value, *width).to_string(),
        Expr::Local(local) => function.locals[local.index()].name.clone(),
        Expr::Address(object, offset) => {
            format!("&{}", program.address_name(Address { object: *object, offset: *offset }))
        }
        Expr::Unary(op, operand) => {
            let operand = show(operand);
            match op {
                UnaryOp::Not => format!("~{operand}"),
                UnaryOp::Life => format!("life({operand})"),
                UnaryOp::Neg => format!("-{operand}"),
                UnaryOp::ZeroExtend(to) => format!("zext{}({operand})", to.bits()),
                UnaryOp::SignExtend(to) => format!("sext{}({operand})", to.bits()),
                UnaryOp::Truncate(to) => format!("trunc{}({operand})", to.bits()),
            }
        }
        Expr::Binary(op, left, right) => format!("({} {} {})", show(left), symbol(*op), show(right)),
        Expr::Select(condition, then, otherwise) => {
            format!("({} ? {} : {})", show(condition), show(then), show(otherwise))
        }
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::UDiv => "/u",
        BinaryOp::URem => "%u",
        BinaryOp::SDiv => "/",
        BinaryOp::SRem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr => ">>u",
        BinaryOp::AShr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::ULt => "<u",
        BinaryOp::ULe => "<=u",
        BinaryOp::SLt => "<",
        BinaryOp::SLe => "<=",
    }
}

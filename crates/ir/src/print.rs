//! Programs as text, for `--print-after` and for failing tests.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::program::{Address, BlockId, Function, Op, Program, System, TagSet, Terminator};
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
            writeln!(f, "    {}", op(program, function, &instr.op))?;
        }
        writeln!(f, "    {}", terminator(program, function, &block.terminator))?;
    }
    Ok(())
}

fn tags(program: &Program, tags: &TagSet) -> String {
    let mut out = String::new();
    for tag in tags.iter() {
        let _ = write!(out, " {}", program.tags[tag.index()]);
    }
    out
}

fn op(program: &Program, function: &Function, op: &Op) -> String {
    let name = |local: crate::LocalId| &function.locals[local.index()].name;
    let show = |e: &Expr| expr(program, function, e);
    match op {
        Op::Assign { dst, value } => format!("{} := {}", name(*dst), show(value)),
        Op::Load { dst, addr, tags: t, reserve } => {
            let verb = if *reserve { "reserve" } else { "load" };
            format!("{} := {verb} {}{}", name(*dst), show(addr), tags(program, t))
        }
        Op::Store { addr, value, tags: t } => format!("store {} := {}{}", show(addr), show(value), tags(program, t)),
        Op::Rmw { dst, addr, when, value, read_tags, write_tags } => format!(
            "{} := rmw {} := {}{}{}{}",
            name(*dst),
            show(addr),
            show(value),
            when.as_ref().map_or(String::new(), |w| format!(" when {}", show(w))),
            tags(program, read_tags),
            tags(program, write_tags),
        ),
        Op::StoreConditional { success, addr, value, tags: t, status: _ } => {
            format!("{} := store-conditional {} := {}{}", name(*success), show(addr), show(value), tags(program, t))
        }
        Op::Fence { tags: t } => format!("fence{}", tags(program, t)),
        Op::Assume { condition, waits } => {
            let verb = if *waits { "wait" } else { "assume" };
            format!("{verb} {}", show(condition))
        }
        Op::System(op) => system(program, function, op),
    }
}

fn system(program: &Program, function: &Function, op: &System) -> String {
    let name = |local: crate::LocalId| &function.locals[local.index()].name;
    let show = |e: &Expr| expr(program, function, e);
    let callee = |id: crate::FunctionId| &program.functions[id.index()].name;
    let list = |args: &[Expr]| args.iter().map(show).collect::<Vec<_>>().join(", ");
    match op {
        System::Call { dst, function, args } => {
            let dst = dst.map_or(String::new(), |dst| format!("{} := ", name(dst)));
            format!("{dst}call {}({})", callee(*function), list(args))
        }
        System::Nondet { dst } => format!("{} := any", name(*dst)),
        System::Assert { condition, message } => format!("assert {} as {message:?}", show(condition)),
        System::Spawn { dst, function, args } => {
            format!("{} := spawn {}({})", name(*dst), callee(*function), list(args))
        }
        System::Join { thread, result } => {
            let result = result.map_or(String::new(), |dst| format!("{} := ", name(dst)));
            format!("{result}join {}", show(thread))
        }
        System::Current { dst } => format!("{} := current thread", name(*dst)),
        System::Alloc { dst, name: object, size, cells: _, zeroed, align: _ } => {
            let zeroed = if *zeroed { " zeroed" } else { "" };
            format!("{} := alloc {object} of {}{zeroed}", name(*dst), show(size))
        }
        System::AtomicBegin => "atomic {".to_owned(),
        System::AtomicEnd => "} atomic".to_owned(),
        System::Await => "await".to_owned(),
        System::Critical { enter: true } => "critical {".to_owned(),
        System::Critical { enter: false } => "} critical".to_owned(),
        System::Publish => "publish".to_owned(),
    }
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

fn expr(program: &Program, function: &Function, e: &Expr) -> String {
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

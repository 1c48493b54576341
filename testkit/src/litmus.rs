//! Programs as litmus tests, where the litmus languages can say them.

use ir::{BinaryOp, Expr, Function, LocalId, Location, Op, Program, Proposition, Quantifier, TagSet, Terminator};
use std::fmt::Write;

/// The program as a litmus test for X86, or for PPC, if one of the two can say it.
///
/// Only straight-line code, 32-bit locations that are zero at first, and one register per load.
/// Store-conditionals can be printed as long as nobody asks whether they succeeded.
pub fn to_litmus(program: &Program) -> Option<String> {
    print(program, &X86).or_else(|| print(program, &Ppc))
}

/// One thread in a litmus language: its instructions, and the initial values of its registers.
struct Column {
    lines: Vec<String>,
    registers: Vec<(String, String)>,
    /// The register of each local that has one.
    names: Vec<Option<String>>,
}

/// A litmus language.
trait Language {
    fn name(&self) -> &'static str;
    fn column(&self, program: &Program, function: &Function) -> Option<Column>;
}

fn print(program: &Program, language: &dyn Language) -> Option<String> {
    if program.filter.is_some() || program.objects.iter().any(|object| object.cells.len() != 1) {
        return None;
    }
    let zero = |cell: &ir::Cell| matches!(cell.initial, Expr::Const(0, _));
    if !program.objects.iter().all(|object| zero(&object.cells[0])) {
        return None;
    }
    let bodies = program.threads.iter().map(|thread| &program.functions[thread.body.index()]);
    let columns: Vec<Column> = bodies.map(|body| language.column(program, body)).collect::<Option<_>>()?;
    let mut text = format!("{} {}\n{{\n", language.name(), program.name);
    for (thread, column) in columns.iter().enumerate() {
        for (register, value) in &column.registers {
            let _ = writeln!(text, "{thread}:{register}={value};");
        }
    }
    text.push_str("}\n");
    let widths: Vec<usize> =
        columns.iter().map(|c| c.lines.iter().map(String::len).max().unwrap_or(0).max(2)).collect();
    let rows = columns.iter().map(|column| column.lines.len()).max().unwrap_or(0);
    let mut row = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = widths.iter().enumerate().map(|(t, &w)| format!(" {:w$} ", cell(t))).collect();
        let _ = writeln!(text, "{};", cells.join("|"));
    };
    row(&|thread| format!("P{thread}"));
    for at in 0..rows {
        row(&|thread| columns[thread].lines.get(at).cloned().unwrap_or_default());
    }
    let name = |location: Location| match location {
        Location::Local(thread, local) => {
            let register = columns[thread.index()].names[local.index()].as_ref()?;
            Some(format!("{}:{register}", thread.0))
        }
        Location::Memory(address) => Some(program.address_name(address)),
    };
    let observed: Vec<String> = program.observed.iter().filter_map(|&location| name(location)).collect();
    let _ = writeln!(text, "locations [{}]", observed.iter().map(|o| format!("{o};")).collect::<String>());
    let condition = program.condition.as_ref()?;
    let quantifier = match condition.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let _ = writeln!(text, "{quantifier} {}", proposition(&condition.proposition, &name)?);
    Some(text)
}

fn proposition(p: &Proposition, name: &dyn Fn(Location) -> Option<String>) -> Option<String> {
    let join = |parts: &[Proposition], with: &str, empty: &str| {
        let parts: Option<Vec<String>> = parts.iter().map(|part| proposition(part, name)).collect();
        parts.map(|parts| if parts.is_empty() { empty.to_owned() } else { format!("({})", parts.join(with)) })
    };
    match p {
        Proposition::True => Some("true".to_owned()),
        Proposition::False => Some("false".to_owned()),
        Proposition::Atom(atom) => {
            let equal = format!("{}={}", name(atom.location)?, atom.value as u32 as i32);
            Some(match atom.comparison {
                ir::Comparison::Eq => equal,
                ir::Comparison::Ne => format!("not ({equal})"),
            })
        }
        Proposition::Same(left, right) => Some(format!("{}={}", name(*left)?, name(*right)?)),
        Proposition::Not(inner) => Some(format!("not ({})", proposition(inner, name)?)),
        Proposition::And(parts) => join(parts, " /\\ ", "true"),
        Proposition::Or(parts) => join(parts, " \\/ ", "false"),
        Proposition::Implies(left, right) => {
            Some(format!("({} => {})", proposition(left, name)?, proposition(right, name)?))
        }
    }
}

/// The instructions of straight-line code.
fn straight(function: &Function) -> Option<Vec<&Op>> {
    let mut ops = Vec::new();
    let mut at = 0;
    // Jumps that only go forward end after as many steps as there are blocks.
    for _ in 0..function.blocks.len() {
        let block = function.blocks.get(at)?;
        ops.extend(block.instrs.iter().map(|instr| &instr.op));
        match &block.terminator {
            Terminator::Goto(to) => at = to.index(),
            Terminator::Return(_) => return Some(ops),
            Terminator::Branch { .. } | Terminator::Exit(_) | Terminator::Cut { .. } => return None,
        }
    }
    None
}

fn tag_names<'p>(program: &'p Program, tags: &TagSet) -> Vec<&'p str> {
    tags.iter().map(|tag| program.tags[tag.index()].as_str()).collect()
}

/// The location that an address names without further ado.
fn plain(program: &Program, addr: &Expr) -> Option<String> {
    match addr {
        Expr::Address(object, 0) => Some(program.objects[object.index()].name.clone()),
        Expr::Address(..)
        | Expr::Const(..)
        | Expr::Local(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..) => None,
    }
}

/// A constant, a register, or a sum of the two.
fn sum(value: &Expr) -> Option<(Option<LocalId>, i32)> {
    match value {
        Expr::Const(value, _) => Some((None, *value as u32 as i32)),
        Expr::Local(local) => Some((Some(*local), 0)),
        Expr::Binary(BinaryOp::Add, left, right) => {
            let (Expr::Local(local), Expr::Const(value, _)) = (&**left, &**right) else { return None };
            Some((Some(*local), *value as u32 as i32))
        }
        Expr::Binary(..) | Expr::Address(..) | Expr::Unary(..) | Expr::Select(..) => None,
    }
}

struct X86;

impl Language for X86 {
    fn name(&self) -> &'static str {
        "X86"
    }

    fn column(&self, program: &Program, function: &Function) -> Option<Column> {
        const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];
        let names: Vec<Option<String>> =
            (0..function.locals.len()).map(|at| REGISTERS.get(at).map(|&name| name.to_owned())).collect();
        let register = |local: LocalId| names[local.index()].as_ref();
        let mut lines = Vec::new();
        for op in straight(function)? {
            match op {
                Op::Load { dst, addr, tags, reserve: false } if tags.is_empty() => {
                    lines.push(format!("MOV {},[{}]", register(*dst)?, plain(program, addr)?));
                }
                Op::Store { addr, value, tags } if tags.is_empty() => {
                    let value = match sum(value)? {
                        (None, value) => format!("${value}"),
                        (Some(local), 0) => register(local)?.clone(),
                        (Some(_), _) => return None,
                    };
                    lines.push(format!("MOV [{}],{value}", plain(program, addr)?));
                }
                Op::Rmw { dst, addr, when: None, value, read_tags, write_tags: _ }
                    if tag_names(program, read_tags).contains(&"LOCK") =>
                {
                    let (None, value) = sum(value)? else { return None };
                    lines.push(format!("MOV {},${value}", register(*dst)?));
                    lines.push(format!("XCHG [{}],{}", plain(program, addr)?, register(*dst)?));
                }
                Op::Fence { tags } => match tag_names(program, tags)[..] {
                    [name @ ("MFENCE" | "SFENCE" | "LFENCE")] => lines.push(name.to_owned()),
                    _ => return None,
                },
                Op::Load { .. }
                | Op::Store { .. }
                | Op::Rmw { .. }
                | Op::StoreConditional { .. }
                | Op::Assign { .. }
                | Op::Assume { .. }
                | Op::System(_) => return None,
            }
        }
        Some(Column { lines, registers: Vec::new(), names })
    }
}

struct Ppc;

/// A column for PPC in the making: registers are handed out as they are needed.
struct PpcColumn<'a> {
    program: &'a Program,
    column: Column,
    next: usize,
}

impl PpcColumn<'_> {
    fn fresh(&mut self) -> Option<String> {
        self.next += 1;
        (self.next < 31).then(|| format!("r{}", self.next))
    }

    /// The register that holds the address of a location.
    fn base(&mut self, location: &str) -> Option<String> {
        if let Some((register, _)) = self.column.registers.iter().find(|(_, value)| value == location) {
            return Some(register.clone());
        }
        let register = self.fresh()?;
        self.column.registers.push((register.clone(), location.to_owned()));
        Some(register)
    }

    fn register(&mut self, local: LocalId) -> Option<String> {
        if self.column.names[local.index()].is_none() {
            self.column.names[local.index()] = self.fresh();
        }
        self.column.names[local.index()].clone()
    }

    /// The index register, if there is an address dependency, and the base register of an address.
    fn address(&mut self, addr: &Expr) -> Option<(Option<String>, String)> {
        let Expr::Binary(BinaryOp::Add, base, offset) = addr else {
            let location = plain(self.program, addr)?;
            return Some((None, self.base(&location)?));
        };
        let location = plain(self.program, base)?;
        let Expr::Unary(ir::UnaryOp::ZeroExtend(_), zero) = &**offset else { return None };
        let Expr::Binary(BinaryOp::Xor, left, right) = &**zero else { return None };
        let (Expr::Local(left), Expr::Local(right)) = (&**left, &**right) else { return None };
        let (left, right, index) = (self.register(*left)?, self.register(*right)?, self.fresh()?);
        self.column.lines.push(format!("xor {index},{left},{right}"));
        Some((Some(index), self.base(&location)?))
    }

    /// A register that holds the value.
    fn value(&mut self, value: &Expr) -> Option<String> {
        let (local, constant) = sum(value)?;
        let Some(local) = local else {
            let register = self.fresh()?;
            self.column.lines.push(format!("li {register},{constant}"));
            return Some(register);
        };
        let source = self.register(local)?;
        if constant == 0 {
            return Some(source);
        }
        let register = self.fresh()?;
        self.column.lines.push(format!("addi {register},{source},{constant}"));
        Some(register)
    }

    /// An access: `name` with a base, or its indexed form.
    fn access(&mut self, name: &str, register: &str, address: (Option<String>, String)) {
        self.column.lines.push(match address {
            (None, base) => format!("{name} {register},0({base})"),
            (Some(index), base) => format!("{name}x {register},{index},{base}"),
        });
    }

    fn op(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Load { dst, addr, tags, reserve: false } if tags.is_empty() => {
                let address = self.address(addr)?;
                let register = self.register(*dst)?;
                self.access("lwz", &register, address);
            }
            Op::Load { dst, addr, tags: _, reserve: true } => {
                let (index, base) = self.address(addr)?;
                let register = self.register(*dst)?;
                self.column.lines.push(format!("lwarx {register},{},{base}", index.unwrap_or("r0".to_owned())));
            }
            Op::Store { addr, value, tags } if tags.is_empty() => {
                let value = self.value(value)?;
                let address = self.address(addr)?;
                self.access("stw", &value, address);
            }
            Op::StoreConditional { success: _, addr, value, tags: _, status: _ } => {
                let value = self.value(value)?;
                let (index, base) = self.address(addr)?;
                self.column.lines.push(format!("stwcx. {value},{},{base}", index.unwrap_or("r0".to_owned())));
            }
            Op::Fence { tags } => match tag_names(self.program, tags)[..] {
                [name @ ("SYNC" | "LWSYNC" | "EIEIO" | "ISYNC")] => self.column.lines.push(name.to_lowercase()),
                _ => return None,
            },
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Rmw { .. }
            | Op::Assign { .. }
            | Op::Assume { .. }
            | Op::System(_) => return None,
        }
        Some(())
    }
}

impl Language for Ppc {
    fn name(&self) -> &'static str {
        "PPC"
    }

    fn column(&self, program: &Program, function: &Function) -> Option<Column> {
        let names = vec![None; function.locals.len()];
        let column = Column { lines: Vec::new(), registers: Vec::new(), names };
        let mut column = PpcColumn { program, column, next: 0 };
        straight(function)?.into_iter().try_for_each(|op| column.op(op))?;
        Some(column.column)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Sketch, generate, to_litmus};
    use ir::{LocalId, Location, ThreadId};

    #[test]
    fn store_buffering_is_an_x86_test() {
        let mut sketch = Sketch::new("SB", "X86", &["x", "y"]);
        sketch.thread();
        sketch.store(0, 1).fence("MFENCE").load("a", 1);
        sketch.thread();
        sketch.store(1, 1).load("b", 0);
        let read = |thread| (Location::Local(ThreadId(thread), LocalId(0)), 0);
        let text = to_litmus(&sketch.finish(&[], &[read(0), read(1)])).unwrap();
        assert!(text.contains(" MOV [x],$1  | MOV [y],$1  ;\n MFENCE      | MOV EAX,[x] ;"), "{text}");
        assert!(text.ends_with("exists (0:EAX=0 /\\ 1:EAX=0)\n"), "{text}");
    }

    #[test]
    fn many_random_programs_can_be_printed() {
        let config = Config { atomics: false, branches: false, fences: vec!["SYNC", "LWSYNC"], ..Config::default() };
        let printed = (0..200).filter_map(|seed| to_litmus(&generate(seed, &config)));
        assert!(printed.filter(|text| text.starts_with("PPC")).count() > 50);
    }
}

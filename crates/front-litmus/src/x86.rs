//! X86 in Intel's order of operands.
//!
//! Registers are words; `EAX` and `RAX` are one register. Flags are truth values under names that no source can have:
//! `%zf`, `%sf`, `%cf`, and `%lt` for "signed less", which is `SF≠OF`. Overflow of 64 bits is not modelled.

use crate::asm::{Cell, Isa, word};
use crate::build::Registers;
use crate::lex::{Cursor, Kind};
use ir::{BinaryOp, Expr, LocalId, Op, UnaryOp, Width};
use source::Diagnostic;
use std::ops::{Deref, DerefMut};

/// X86.
pub(crate) struct X86;

const ZF: u64 = 1;
const SF: u64 = 2;
const CF: u64 = 4;
const LT: u64 = 8;

/// The tags of the read and the write of a locked instruction.
const LOCKED: &[&str] = &["LOCK", "X"];

const KNOWN: &str = "known are MOV, XCHG, XADD, CMPXCHG, ADD, SUB, AND, OR, XOR, INC, DEC, NEG, NOT (with LOCK or without), CMP, \
                     TEST, JMP, conditional jumps, MFENCE, LFENCE, SFENCE and NOP";

/// The legacy registers: 64, 32, 16 and 8 bits.
const NAMES: [[&str; 4]; 8] = [
    ["RAX", "EAX", "AX", "AL"],
    ["RBX", "EBX", "BX", "BL"],
    ["RCX", "ECX", "CX", "CL"],
    ["RDX", "EDX", "DX", "DL"],
    ["RSI", "ESI", "SI", "SIL"],
    ["RDI", "EDI", "DI", "DIL"],
    ["RBP", "EBP", "BP", "BPL"],
    ["RSP", "ESP", "SP", "SPL"],
];

/// The 64-bit name of a register.
pub(crate) fn register(name: &str) -> Option<String> {
    if name.len() > 4 {
        return None;
    }
    let upper = name.to_ascii_uppercase();
    if let Some(row) = NAMES.iter().find(|row| row.contains(&&*upper)) {
        return Some(row[0].to_owned());
    }
    let number = upper.strip_prefix('R')?;
    let number = number.strip_suffix(['D', 'W', 'B']).unwrap_or(number);
    matches!(number, "8" | "9" | "10" | "11" | "12" | "13" | "14" | "15").then(|| format!("R{number}"))
}

#[derive(Debug, Clone)]
enum Operand {
    Register(LocalId),
    Memory(Expr),
    Immediate(Expr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alu {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Neg,
    Not,
}

impl Isa for X86 {
    fn registers(&self) -> Registers {
        register
    }

    fn flags_read(&self, cell: Cursor<'_, '_>) -> u64 {
        let name = cell.text(cell.peek()).to_ascii_uppercase();
        name.strip_prefix('J').and_then(condition).map_or(0, |(flags, _)| flags)
    }

    fn instruction(&self, cell: &mut Cell<'_, '_, '_>) -> Result<(), Diagnostic> {
        let mut cell = At(cell);
        let (mut name, mut span) = cell.cursor.name("an instruction")?;
        let locked = name.eq_ignore_ascii_case("lock");
        if locked {
            cell.cursor.eat(";");
            (name, span) = cell.cursor.name("an instruction after LOCK")?;
            cell.line.text.push_str("LOCK; ");
        }
        let mnemonic = name.to_ascii_uppercase();
        let base = without_size(&mnemonic);
        let alu = match base {
            "ADD" => Some(Alu::Add),
            "SUB" => Some(Alu::Sub),
            "AND" => Some(Alu::And),
            "OR" => Some(Alu::Or),
            "XOR" => Some(Alu::Xor),
            "INC" => Some(Alu::Inc),
            "DEC" => Some(Alu::Dec),
            "NEG" => Some(Alu::Neg),
            "NOT" => Some(Alu::Not),
            _ => None,
        };
        if locked && alu.is_none() && !matches!(base, "XADD" | "CMPXCHG" | "XCHG") {
            return Err(cell.cursor.error(span, format!("`{name}` cannot be locked")).help("leave out LOCK"));
        }
        cell.line.text.push_str(base);
        // herd prints these three with two blanks, and hashes what it prints.
        cell.line.text.push_str(if matches!(base, "INC" | "DEC" | "CMP") { "  " } else { " " });
        match base {
            "MFENCE" | "LFENCE" | "SFENCE" => {
                cell.line.text.pop();
                cell.fence(base);
            }
            "NOP" => {
                cell.line.text.pop();
            }
            "MOV" => cell.mov()?,
            "XCHG" => cell.exchange()?,
            "XADD" => cell.exchange_add(locked)?,
            "CMPXCHG" => cell.compare_exchange(locked)?,
            "CMP" | "TEST" => cell.compare(base == "CMP")?,
            "JMP" => {
                let to = cell.label()?;
                cell.jump(to);
            }
            _ => match (alu, mnemonic.strip_prefix('J').and_then(condition)) {
                (Some(alu), _) => cell.alu(alu, base, locked)?,
                (None, Some((_, taken))) => {
                    let to = cell.label()?;
                    // herd knows one name for each condition.
                    let printed = match &*mnemonic {
                        "JZ" => "JE ",
                        "JNZ" => "JNE ",
                        _ => "",
                    };
                    if !printed.is_empty() {
                        printed.clone_into(&mut cell.line.text);
                    }
                    let condition = taken(cell.0);
                    cell.jump_if(condition, to);
                }
                (None, None) => {
                    return Err(cell.cursor.error(span, format!("unknown instruction `{name}`")).help(KNOWN));
                }
            },
        }
        Ok(())
    }
}

/// The instruction without the letter that gives its size.
fn without_size(mnemonic: &str) -> &str {
    const SIZED: &[&str] = &[
        "MOV", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC", "NEG", "NOT", "XADD", "CMPXCHG", "XCHG", "CMP", "TEST",
    ];
    match mnemonic.strip_suffix(['B', 'W', 'L', 'Q', 'T']) {
        Some(base) if SIZED.contains(&base) => base,
        _ => mnemonic,
    }
}

type Taken = fn(&mut Cell<'_, '_, '_>) -> Expr;

/// The flags that a condition reads, and the condition.
fn condition(code: &str) -> Option<(u64, Taken)> {
    fn flag(cell: &mut Cell<'_, '_, '_>, name: &str) -> Expr {
        Expr::Local(cell.flag(name))
    }
    fn not(e: Expr) -> Expr {
        e.unary(UnaryOp::Not)
    }
    fn less_or_equal(cell: &mut Cell<'_, '_, '_>, less: &str) -> Expr {
        flag(cell, less).binary(BinaryOp::Or, flag(cell, "%zf"))
    }
    Some(match code {
        "E" | "Z" => (ZF, |c| flag(c, "%zf")),
        "NE" | "NZ" => (ZF, |c| not(flag(c, "%zf"))),
        "L" | "NGE" => (LT, |c| flag(c, "%lt")),
        "GE" | "NL" => (LT, |c| not(flag(c, "%lt"))),
        "LE" | "NG" => (LT | ZF, |c| less_or_equal(c, "%lt")),
        "G" | "NLE" => (LT | ZF, |c| not(less_or_equal(c, "%lt"))),
        "B" | "C" | "NAE" => (CF, |c| flag(c, "%cf")),
        "AE" | "NC" | "NB" => (CF, |c| not(flag(c, "%cf"))),
        "BE" | "NA" => (CF | ZF, |c| less_or_equal(c, "%cf")),
        "A" | "NBE" => (CF | ZF, |c| not(less_or_equal(c, "%cf"))),
        "S" => (SF, |c| flag(c, "%sf")),
        "NS" => (SF, |c| not(flag(c, "%sf"))),
        _ => return None,
    })
}

/// The cell under translation, with the operations of this architecture.
struct At<'a, 'c, 's, 't>(&'a mut Cell<'c, 's, 't>);

impl<'c, 's, 't> Deref for At<'_, 'c, 's, 't> {
    type Target = Cell<'c, 's, 't>;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl DerefMut for At<'_, '_, '_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0
    }
}

impl At<'_, '_, '_, '_> {
    /// Reads `EAX`, `[x]`, `[EAX]`, `(EAX)`, `$1` or `1`.
    fn operand(&mut self) -> Result<Operand, Diagnostic> {
        let token = self.cursor.peek();
        let dollar = self.cursor.eat("$");
        match self.cursor.peek().kind {
            Kind::Number | Kind::Sym("-") => {
                let (value, _) = self.cursor.number("a number")?;
                self.line.text.push_str(&format!("${value}"));
                Ok(Operand::Immediate(word(value)))
            }
            Kind::Name => {
                let (name, span) = self.cursor.name("an operand")?;
                if dollar {
                    self.line.text.push_str(&format!("${name}"));
                    return Ok(Operand::Immediate(Expr::Address(self.build.object(name), 0)));
                }
                let Some(local) = self.register(name) else {
                    let message = format!("`{name}` is not a register");
                    return Err(self.cursor.error(span, message).help(format!("for memory write `[{name}]`")));
                };
                self.line.text.push_str(&name.to_ascii_uppercase());
                Ok(Operand::Register(local))
            }
            Kind::Sym(open @ ("[" | "(")) if !dollar => {
                self.cursor.bump();
                let (name, _) = self.cursor.name("a register or a location")?;
                self.cursor.expect(if open == "[" { "]" } else { ")" })?;
                Ok(Operand::Memory(match self.register(name) {
                    Some(local) => {
                        self.line.text.push_str(&format!("[{}]", name.to_ascii_uppercase()));
                        Expr::Local(local)
                    }
                    None => {
                        self.line.text.push_str(&format!("[{name}]"));
                        Expr::Address(self.build.object(name), 0)
                    }
                }))
            }
            Kind::Sym(_) | Kind::End => {
                Err(self.cursor.error(token.span, "expected a register, a number or `[location]`"))
            }
        }
    }

    fn two_operands(&mut self) -> Result<(Operand, Operand), Diagnostic> {
        let first = self.operand()?;
        self.cursor.expect(",")?;
        self.line.text.push(',');
        Ok((first, self.operand()?))
    }

    /// The value of an operand, loaded first if it is in memory.
    fn read(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Register(local) => Expr::Local(local),
            Operand::Immediate(value) => value,
            Operand::Memory(addr) => {
                let dst = self.body.temporary(Width::WORD);
                self.load(dst, addr);
                Expr::Local(dst)
            }
        }
    }

    fn load(&mut self, dst: LocalId, addr: Expr) {
        self.body.emit(Op::Load { dst, addr, tags: ir::TagSet::default(), reserve: false });
    }

    fn store(&mut self, addr: Expr, value: Expr) {
        self.body.emit(Op::Store { addr, value, tags: ir::TagSet::default() });
    }

    /// An atomic step that reads into `dst`.
    fn locked(&mut self, dst: LocalId, addr: Expr, when: Option<Expr>, value: Expr) {
        let read_tags = self.build.tags(LOCKED);
        let write_tags = read_tags.clone();
        self.body.emit(Op::Rmw { dst, addr, when, value, read_tags, write_tags });
    }

    fn mov(&mut self) -> Result<(), Diagnostic> {
        match self.two_operands()? {
            (Operand::Register(dst), Operand::Memory(addr)) => self.load(dst, addr),
            (Operand::Register(dst), source) => {
                let value = self.read(source);
                self.body.assign(dst, value);
            }
            (Operand::Memory(_), Operand::Memory(_)) | (Operand::Immediate(_), _) => {
                return Err(self.wrong_operands(
                    self.body.span,
                    "MOV",
                    "`MOV EAX,[x]`, `MOV [x],EAX`, `MOV [x],$1` or `MOV EAX,EBX`",
                ));
            }
            (Operand::Memory(addr), source) => {
                let value = self.read(source);
                self.store(addr, value);
            }
        }
        Ok(())
    }

    /// XCHG with memory is locked with and without LOCK.
    fn exchange(&mut self) -> Result<(), Diagnostic> {
        let old = self.body.temporary(Width::WORD);
        match self.two_operands()? {
            (Operand::Memory(addr), Operand::Register(local)) | (Operand::Register(local), Operand::Memory(addr)) => {
                self.locked(old, addr, None, Expr::Local(local));
                self.body.assign(local, Expr::Local(old));
            }
            (Operand::Register(left), Operand::Register(right)) => {
                self.body.assign(old, Expr::Local(left));
                self.body.assign(left, Expr::Local(right));
                self.body.assign(right, Expr::Local(old));
            }
            _ => return Err(self.wrong_operands(self.body.span, "XCHG", "`XCHG [x],EAX` or `XCHG EAX,[x]`")),
        }
        Ok(())
    }

    fn exchange_add(&mut self, locked: bool) -> Result<(), Diagnostic> {
        let (Operand::Memory(addr), Operand::Register(local)) = self.two_operands()? else {
            return Err(self.wrong_operands(self.body.span, "XADD", "`XADD [x],EAX`"));
        };
        let old = self.body.temporary(Width::WORD);
        let sum = Expr::Local(old).binary(BinaryOp::Add, Expr::Local(local));
        if locked {
            self.locked(old, addr, None, sum);
        } else {
            self.load(old, addr.clone());
            self.store(addr, sum);
        }
        self.set_flags(Alu::Add, &Expr::Local(old), &Expr::Local(local));
        self.body.assign(local, Expr::Local(old));
        Ok(())
    }

    fn compare_exchange(&mut self, locked: bool) -> Result<(), Diagnostic> {
        let (Operand::Memory(addr), Operand::Register(new)) = self.two_operands()? else {
            return Err(self.wrong_operands(self.body.span, "CMPXCHG", "`CMPXCHG [x],EBX`"));
        };
        let expected = self.body.local("RAX", "EAX", Width::WORD);
        let old = self.body.temporary(Width::WORD);
        let equal = Expr::Local(old).binary(BinaryOp::Eq, Expr::Local(expected));
        if locked {
            self.locked(old, addr, Some(equal), Expr::Local(new));
        } else {
            self.load(old, addr.clone());
            let value = Expr::Select(Box::new(equal), Box::new(Expr::Local(new)), Box::new(Expr::Local(old)));
            self.store(addr, value);
        }
        self.set_flags(Alu::Sub, &Expr::Local(expected), &Expr::Local(old));
        self.body.assign(expected, Expr::Local(old));
        Ok(())
    }

    fn compare(&mut self, subtract: bool) -> Result<(), Diagnostic> {
        let (left, right) = self.two_operands()?;
        if matches!((&left, &right), (Operand::Memory(_), Operand::Memory(_)) | (Operand::Immediate(_), _)) {
            return Err(self.wrong_operands(
                self.body.span,
                "CMP",
                "`CMP EAX,$1`, `CMP [x],$1`, `CMP EAX,EBX` or `CMP EAX,[x]`",
            ));
        }
        let left = self.read(left);
        let right = self.read(right);
        self.set_flags(if subtract { Alu::Sub } else { Alu::And }, &left, &right);
        Ok(())
    }

    fn alu(&mut self, alu: Alu, name: &str, locked: bool) -> Result<(), Diagnostic> {
        let one = matches!(alu, Alu::Inc | Alu::Dec | Alu::Neg | Alu::Not);
        let (target, source) = if one { (self.operand()?, Operand::Immediate(word(1))) } else { self.two_operands()? };
        let two_cells = matches!((&target, &source), (Operand::Memory(_), Operand::Memory(_)));
        let unlockable = locked && !matches!(target, Operand::Memory(_));
        if two_cells || unlockable || matches!(target, Operand::Immediate(_)) {
            let forms = match (one, locked) {
                (true, true) => format!("`LOCK {name} [x]`"),
                (true, false) => format!("`{name} EAX` or `{name} [x]`"),
                (false, true) => format!("`LOCK {name} [x],EAX` or `LOCK {name} [x],$1`"),
                (false, false) => format!("`{name} EAX,$1`, `{name} EAX,[x]` or `{name} [x],EAX`"),
            };
            return Err(self.wrong_operands(self.body.span, name, &forms));
        }
        let source = self.read(source);
        match target {
            Operand::Memory(addr) => {
                let old = self.body.temporary(Width::WORD);
                let value = result(alu, Expr::Local(old), source.clone());
                if locked {
                    self.locked(old, addr, None, value);
                } else {
                    self.load(old, addr.clone());
                    self.store(addr, value);
                }
                self.set_flags(alu, &Expr::Local(old), &source);
            }
            Operand::Register(local) => {
                self.set_flags(alu, &Expr::Local(local), &source);
                self.body.assign(local, result(alu, Expr::Local(local), source));
            }
            Operand::Immediate(_) => {}
        }
        Ok(())
    }

    /// Sets those flags that the thread reads, from the operands before the operation.
    fn set_flags(&mut self, alu: Alu, left: &Expr, right: &Expr) {
        let value = || result(alu, left.clone(), right.clone());
        let negative = || value().binary(BinaryOp::SLt, word(0));
        let subtract = alu == Alu::Sub;
        let compare = |op| left.clone().binary(op, right.clone());
        if alu == Alu::Not || self.flags == 0 {
            return;
        }
        if self.flags & ZF != 0 {
            let zero = if subtract { compare(BinaryOp::Eq) } else { value().binary(BinaryOp::Eq, word(0)) };
            self.set_flag("%zf", zero);
        }
        if self.flags & SF != 0 {
            self.set_flag("%sf", negative());
        }
        if self.flags & LT != 0 {
            self.set_flag("%lt", if subtract { compare(BinaryOp::SLt) } else { negative() });
        }
        if self.flags & CF != 0 {
            match alu {
                Alu::Sub => self.set_flag("%cf", compare(BinaryOp::ULt)),
                Alu::Add => self.set_flag("%cf", value().binary(BinaryOp::ULt, left.clone())),
                Alu::Neg => self.set_flag("%cf", left.clone().binary(BinaryOp::Ne, word(0))),
                Alu::And | Alu::Or | Alu::Xor => self.set_flag("%cf", Expr::constant(0, Width::BOOL)),
                Alu::Inc | Alu::Dec | Alu::Not => {}
            }
        }
    }

    fn set_flag(&mut self, name: &str, value: Expr) {
        let flag = self.flag(name);
        self.body.assign(flag, value);
    }
}

fn result(alu: Alu, left: Expr, right: Expr) -> Expr {
    match alu {
        Alu::Add | Alu::Inc => left.binary(BinaryOp::Add, right),
        Alu::Sub | Alu::Dec => left.binary(BinaryOp::Sub, right),
        Alu::And => left.binary(BinaryOp::And, right),
        Alu::Or => left.binary(BinaryOp::Or, right),
        Alu::Xor => left.binary(BinaryOp::Xor, right),
        Alu::Neg => left.unary(UnaryOp::Neg),
        Alu::Not => left.unary(UnaryOp::Not),
    }
}

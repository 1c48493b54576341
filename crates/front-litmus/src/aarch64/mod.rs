//! Arm's 64-bit architecture.
//!
//! Registers have 64 bits; `W1` is the lower half of `X1`, and writing it clears the upper half. The flags are four truth
//! values, `%n`, `%z`, `%c` and `%v`, of which only those are computed that the thread reads. All threads are in one
//! inner shareable domain, so `SY`, `ISH` and `OSH` are the same to a barrier.
//!
//! A conditional select is a branch whose control dependency ends right behind it. The architecture orders a later *write*
//! that uses the selected value after what the condition was computed from; here nothing is ordered by the condition,
//! which allows more and never less.

mod arithmetic;
mod memory;

use crate::asm::{Cell, Isa};
use crate::build::Registers;
use crate::lex::{Cursor, Kind};
use ir::{BinaryOp, Expr, LocalId, UnaryOp, Width};
use source::{Diagnostic, Span};
use std::ops::{Deref, DerefMut};

/// Arm's 64-bit architecture.
pub(crate) struct AArch64;

const KNOWN: &str = "known are LDR, STR, LDAR, STLR, LDAPR, LDXR, LDAXR, STXR, STLXR (also with B and H), LDP, STP, CAS, SWP, LDADD, \
                     LDCLR, LDEOR, LDSET and their ST forms (with A, L, AL), MOV, ADD, SUB, AND, ORR, EOR, BIC, LSL, LSR, ASR, \
                     MUL, MVN, NEG, CMP, TST, CSEL, CSET, CSINC, B, B.EQ and the like, CBZ, CBNZ, TBZ, TBNZ, DMB, DSB, ISB and NOP";

/// The flags, as bits of [`Cell::flags`] in this order.
const FLAGS: [&str; 4] = ["%n", "%z", "%c", "%v"];
const N: u64 = 1;
const Z: u64 = 2;
const C: u64 = 4;
const V: u64 = 8;

/// The name of a general register: `W1` and `X1` are one.
fn register(name: &str) -> Option<String> {
    let number: u32 = name.strip_prefix(['X', 'W', 'x', 'w']).filter(|digits| digits.len() <= 2)?.parse().ok()?;
    (number < 31).then(|| format!("x{number}"))
}

/// The flags that a condition reads.
fn flags_of(condition: &str) -> Option<u64> {
    Some(match condition {
        "EQ" | "NE" => Z,
        "CS" | "HS" | "CC" | "LO" => C,
        "MI" | "PL" => N,
        "VS" | "VC" => V,
        "HI" | "LS" => C | Z,
        "GE" | "LT" => N | V,
        "GT" | "LE" => N | Z | V,
        _ => return None,
    })
}

impl Isa for AArch64 {
    fn registers(&self) -> Registers {
        register
    }

    fn flags_read(&self, cell: Cursor<'_, '_>) -> u64 {
        let mnemonic = cell.text(cell.peek()).to_ascii_uppercase();
        if let Some(condition) = mnemonic.strip_prefix("B.") {
            return flags_of(condition).unwrap_or(0);
        }
        if !mnemonic.starts_with("CS") {
            return 0;
        }
        let last = (1..).map(|at| cell.peek_at(at)).take_while(|token| token.kind != Kind::End).last();
        last.and_then(|token| flags_of(&cell.text(token).to_ascii_uppercase())).unwrap_or(0)
    }

    fn instruction(&self, cell: &mut Cell<'_, '_, '_>) -> Result<(), Diagnostic> {
        let mut cell = At(cell);
        let (name, span) = cell.cursor.name("an instruction")?;
        let mnemonic = name.to_ascii_uppercase();
        cell.line.text.push_str(&mnemonic);
        match &*mnemonic {
            "NOP" => Ok(()),
            "ISB" => {
                cell.cursor.eat_word("SY");
                cell.fence("ISB");
                Ok(())
            }
            "DMB" | "DSB" => cell.barrier(&mnemonic),
            "B" => {
                cell.line.text.push(' ');
                let to = cell.label()?;
                cell.jump(to);
                Ok(())
            }
            "CBZ" | "CBNZ" | "TBZ" | "TBNZ" => cell.branch_on_register(&mnemonic),
            _ => {
                if let Some(condition) = mnemonic.strip_prefix("B.") {
                    cell.line.text.push(' ');
                    let to = cell.label()?;
                    let holds = cell.condition(condition, span)?;
                    cell.jump_if(holds, to);
                    return Ok(());
                }
                if cell.memory(&mnemonic)? || cell.arithmetic(&mnemonic)? {
                    return Ok(());
                }
                Err(cell.cursor.error(span, format!("unknown instruction `{name}`")).help(KNOWN))
            }
        }
    }
}

/// A register as an instruction names it: whole or its lower half; no local stands for zero.
#[derive(Debug, Clone, Copy)]
struct Register {
    local: Option<LocalId>,
    width: Width,
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
    /// Reads a register, after a comma unless it is the first operand.
    fn gpr(&mut self, first: bool) -> Result<Register, Diagnostic> {
        self.separator(first)?;
        self.try_gpr().ok_or_else(|| self.cursor.expected("a register such as `X0` or `W0`"))
    }

    /// Takes a register if one is here.
    fn try_gpr(&mut self) -> Option<Register> {
        let token = self.cursor.peek();
        let name = self.cursor.text(token);
        let width = if name.starts_with(['W', 'w']) { Width::INT } else { Width::WORD };
        let local = match &*name.to_ascii_uppercase() {
            "XZR" | "WZR" => None,
            _ if token.kind == Kind::Name => Some(self.register(name)?),
            _ => return None,
        };
        self.cursor.bump();
        self.line.text.push_str(name);
        Some(Register { local, width })
    }

    /// Reads a 64-bit register that holds an address.
    fn base(&mut self) -> Result<LocalId, Diagnostic> {
        let span = self.cursor.peek().span;
        match self.try_gpr() {
            Some(Register { local: Some(local), width: Width::WORD }) => Ok(local),
            _ => Err(self.cursor.error(span, "expected a register that holds an address, `X0` to `X30`")),
        }
    }

    /// Whether a number comes next, and takes the `#` before it.
    fn immediate_ahead(&mut self) -> bool {
        let ahead = matches!(self.cursor.peek().kind, Kind::Sym("#" | "-") | Kind::Number);
        if ahead {
            self.cursor.eat("#");
            self.line.text.push('#');
        }
        ahead
    }

    /// Reads `#3`.
    fn immediate(&mut self) -> Result<i64, Diagnostic> {
        self.immediate_ahead();
        self.number()
    }

    /// The value of a register, as wide as it was named.
    fn value(&self, register: Register) -> Expr {
        match register.local {
            None => Expr::constant(0, register.width),
            Some(local) => narrow(Expr::Local(local), Width::WORD, register.width),
        }
    }

    /// Writes a register; the value is as wide as the register was named.
    fn set(&mut self, register: Register, value: Expr) {
        if let Some(local) = register.local {
            self.body.assign(local, widen(value, register.width, Width::WORD));
        }
    }

    /// Reads the kind of a barrier.
    fn barrier(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        let (option, span) = self.cursor.name("the kind of the barrier, such as SY, LD or ST")?;
        let option = option.to_ascii_uppercase();
        self.line.text.push(' ');
        self.line.text.push_str(&option);
        let kind = match option.strip_prefix("ISH").or_else(|| option.strip_prefix("OSH")).unwrap_or(&option) {
            "" | "SY" => "SY",
            "LD" => "LD",
            "ST" => "ST",
            _ => {
                let message = format!("the barrier `{mnemonic} {option}` is not supported");
                return Err(self.cursor.error(span, message).help("write SY, LD or ST, or ISH, ISHLD or ISHST"));
            }
        };
        self.fence(&format!("{mnemonic}.{kind}"));
        Ok(())
    }

    fn branch_on_register(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        let register = self.gpr(true)?;
        let mut value = self.value(register);
        if mnemonic.starts_with('T') {
            self.separator(false)?;
            let bit = self.immediate()?;
            let bit = Expr::constant(1i64.wrapping_shl(u32::try_from(bit).unwrap_or(0)), register.width);
            value = value.binary(BinaryOp::And, bit);
        }
        self.separator(false)?;
        let to = self.label()?;
        let op = if mnemonic.ends_with("NZ") { BinaryOp::Ne } else { BinaryOp::Eq };
        let zero = Expr::constant(0, register.width);
        self.jump_if(value.binary(op, zero), to);
        Ok(())
    }

    /// When a condition holds, as a truth value over the flags.
    fn condition(&mut self, name: &str, span: Span) -> Result<Expr, Diagnostic> {
        let upper = name.to_ascii_uppercase();
        if flags_of(&upper).is_none() {
            let message = format!("unknown condition `{name}`");
            return Err(self
                .cursor
                .error(span, message)
                .help("conditions are EQ, NE, LT, GE, GT, LE, LO, HS, HI, LS, …"));
        }
        let mut flag = |at: usize| Expr::Local(self.flag(FLAGS[at]));
        let holds = match &*upper {
            "EQ" | "NE" => flag(1),
            "CS" | "HS" | "CC" | "LO" => flag(2),
            "MI" | "PL" => flag(0),
            "VS" | "VC" => flag(3),
            "HI" | "LS" => flag(2).binary(BinaryOp::And, flag(1).unary(UnaryOp::Not)),
            "GE" | "LT" => flag(0).binary(BinaryOp::Eq, flag(3)),
            _ => flag(1).unary(UnaryOp::Not).binary(BinaryOp::And, flag(0).binary(BinaryOp::Eq, flag(3))),
        };
        let negated = matches!(&*upper, "NE" | "CC" | "LO" | "PL" | "VC" | "LS" | "LT" | "LE");
        Ok(if negated { holds.unary(UnaryOp::Not) } else { holds })
    }
}

/// The lower bits of a value.
fn narrow(value: Expr, from: Width, to: Width) -> Expr {
    if from == to { value } else { value.unary(UnaryOp::Truncate(to)) }
}

/// A value with zeros above it.
fn widen(value: Expr, from: Width, to: Width) -> Expr {
    if from == to { value } else { value.unary(UnaryOp::ZeroExtend(to)) }
}

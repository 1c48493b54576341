//! Power.
//!
//! Registers are words that may hold addresses. As in herd, comparisons are of whole registers, `r0` as the base of an
//! indexed access and in `addi` means zero, and bytes are accessed through the cell that holds them. The condition
//! register is a truth value per bit, `%cr0.eq` for one, assigned expressions that mention what was compared.

use crate::asm::{Cell, Isa, word};
use crate::build::Registers;
use crate::lex::{Cursor, Kind};
use ir::{BinaryOp, Expr, LocalId, Op, Status, UnaryOp, Width};
use source::{Diagnostic, Span};
use std::ops::{Deref, DerefMut};

/// Power.
pub(crate) struct Ppc;

const KNOWN: &str = "known are li, lis, mr, loads and stores (lwz, lwzx, ld, ldx, lbz, stw, stwx, std, stdx, stb, lwarx, stwcx., …), \
                     arithmetic (add, addi, subf, xor, andi., cmpw, cmpwi, …), b, beq, bne, blt, bge, bgt, ble, sync, lwsync, eieio, \
                     isync and nop";

/// The bits of a field of the condition register.
const BITS: [&str; 3] = ["lt", "gt", "eq"];

/// The name of a general register.
pub(crate) fn register(name: &str) -> Option<String> {
    let number: u32 = name.strip_prefix(['r', 'R']).filter(|digits| digits.len() <= 2)?.parse().ok()?;
    (number < 32).then(|| format!("r{number}"))
}

/// The number of a field of the condition register.
fn field(name: &str) -> Option<u64> {
    let number: u64 = name.strip_prefix("cr")?.parse().ok()?;
    (number < 8).then_some(number)
}

/// The bit that a conditional branch reads, and whether it must be set.
fn branch(mnemonic: &str) -> Option<(usize, bool)> {
    Some(match mnemonic {
        "blt" => (0, true),
        "bge" => (0, false),
        "bgt" => (1, true),
        "ble" => (1, false),
        "beq" => (2, true),
        "bne" => (2, false),
        _ => return None,
    })
}

/// Operations on two registers.
fn three_registers(mnemonic: &str) -> Option<BinaryOp> {
    Some(match mnemonic {
        "add" => BinaryOp::Add,
        "sub" | "subf" => BinaryOp::Sub,
        "or" | "nor" => BinaryOp::Or,
        "and" | "nand" => BinaryOp::And,
        "xor" | "eqv" => BinaryOp::Xor,
        "mullw" | "mulld" => BinaryOp::Mul,
        "divw" | "divd" => BinaryOp::SDiv,
        "slw" | "sld" => BinaryOp::Shl,
        "srw" | "srd" => BinaryOp::LShr,
        "sraw" | "srad" => BinaryOp::AShr,
        _ => return None,
    })
}

/// Operations on a register and a number; how far the number is shifted first.
fn immediate(mnemonic: &str) -> Option<(BinaryOp, u32)> {
    Some(match mnemonic {
        "addi" => (BinaryOp::Add, 0),
        "addis" => (BinaryOp::Add, 16),
        "subi" => (BinaryOp::Sub, 0),
        "ori" => (BinaryOp::Or, 0),
        "oris" => (BinaryOp::Or, 16),
        "xori" => (BinaryOp::Xor, 0),
        "xoris" => (BinaryOp::Xor, 16),
        "andi" => (BinaryOp::And, 0),
        "andis" => (BinaryOp::And, 16),
        "mulli" => (BinaryOp::Mul, 0),
        "slwi" | "sldi" => (BinaryOp::Shl, 0),
        "srwi" | "srdi" => (BinaryOp::LShr, 0),
        "srawi" | "sradi" => (BinaryOp::AShr, 0),
        _ => return None,
    })
}

impl Isa for Ppc {
    fn registers(&self) -> Registers {
        register
    }

    fn flags_read(&self, cell: Cursor<'_, '_>) -> u64 {
        let Some((bit, _)) = branch(cell.text(cell.peek())) else { return 0 };
        let field = field(cell.text(cell.peek_at(1))).unwrap_or(0);
        1 << (3 * field + bit as u64)
    }

    fn instruction(&self, cell: &mut Cell<'_, '_, '_>) -> Result<(), Diagnostic> {
        let mut cell = At(cell);
        let (mnemonic, span) = cell.cursor.name("an instruction")?;
        cell.line.text.push_str(mnemonic);
        match mnemonic {
            "sync" | "lwsync" | "eieio" | "isync" => {
                cell.fence(&mnemonic.to_ascii_uppercase());
                Ok(())
            }
            "nop" => Ok(()),
            "li" | "lis" => cell.load_immediate(mnemonic == "lis"),
            "lwz" | "ld" | "lwa" | "lwzx" | "ldx" | "lwax" | "lwzu" | "lwarx" | "ldarx" => cell.load(mnemonic),
            "stw" | "std" | "stwx" | "stdx" | "stwu" | "stwcx." | "stdcx." => cell.store(mnemonic),
            "cmpw" | "cmpwi" | "cmplwi" | "cmplw" | "cmpd" | "cmpdi" | "cmpld" | "cmpldi" => cell.compare(mnemonic),
            "b" => {
                cell.line.text.push_str("   ");
                let to = cell.label()?;
                cell.jump(to);
                Ok(())
            }
            _ => match branch(mnemonic) {
                Some((bit, set)) => cell.branch(bit, set),
                None => cell.arithmetic(mnemonic, span),
            },
        }
    }
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
    fn gpr(&mut self, first: bool) -> Result<(LocalId, bool), Diagnostic> {
        self.separator(first)?;
        let token = self.cursor.peek();
        let name = self.cursor.text(token);
        let local = if token.kind == Kind::Name { self.register(name) } else { None };
        let Some(local) = local else {
            return Err(self.cursor.expected("a register, `r0` to `r31`"));
        };
        self.cursor.bump();
        self.line.text.push_str(name);
        Ok((local, name == "r0"))
    }

    /// Reads a number after a comma.
    fn number(&mut self) -> Result<i64, Diagnostic> {
        self.separator(false)?;
        self.0.number()
    }

    /// Reads `,4(r2)`.
    fn displaced(&mut self) -> Result<(LocalId, Expr), Diagnostic> {
        let offset = self.number()?;
        self.sign("(")?;
        let token = self.cursor.peek();
        let name = self.cursor.text(token);
        let base = self.register(name).ok_or_else(|| self.cursor.expected("a register, `r0` to `r31`"))?;
        self.cursor.bump();
        self.line.text.push_str(name);
        self.sign(")")?;
        let addr = Expr::Local(base);
        Ok((base, if offset == 0 { addr } else { addr.binary(BinaryOp::Add, word(offset)) }))
    }

    /// Reads `,r3,r4`.
    fn indexed(&mut self) -> Result<Expr, Diagnostic> {
        let (left, zero) = self.gpr(false)?;
        let (right, _) = self.gpr(false)?;
        let right = Expr::Local(right);
        Ok(if zero { right } else { Expr::Local(left).binary(BinaryOp::Add, right) })
    }

    fn load_immediate(&mut self, shifted: bool) -> Result<(), Diagnostic> {
        let (dst, _) = self.gpr(true)?;
        // `li r1,x` is no instruction of the machine, but tests write it for the address of `x`.
        if let (Kind::Sym(","), Kind::Name) = (self.cursor.peek().kind, self.cursor.peek_at(1).kind) {
            self.cursor.bump();
            let (name, _) = self.cursor.name("a location")?;
            self.line.text.push_str(&format!(",{name}"));
            let object = self.build.object(name);
            self.body.assign(dst, Expr::Address(object, 0));
            return Ok(());
        }
        let value = self.number()?;
        self.body.assign(dst, word(if shifted { value.wrapping_shl(16) } else { value }));
        Ok(())
    }

    fn load(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        // herd hashes accesses of doublewords as those of words.
        match mnemonic {
            "ld" => "lwz".clone_into(&mut self.line.text),
            "ldx" => "lwzx".clone_into(&mut self.line.text),
            _ => {}
        }
        let (dst, _) = self.gpr(true)?;
        let reserve = mnemonic.ends_with("arx");
        let tags = self.build.tags(if reserve { &["X"] } else { &[] });
        let (base, addr) = if mnemonic.ends_with('x') {
            (None, self.indexed()?)
        } else {
            let (base, addr) = self.displaced()?;
            (Some(base), addr)
        };
        self.body.emit(Op::Load { dst, addr: addr.clone(), tags, reserve });
        if let (Some(base), "lwzu") = (base.filter(|&base| base != dst), mnemonic) {
            self.body.assign(base, addr);
        }
        Ok(())
    }

    fn store(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        match mnemonic {
            "std" => "stw".clone_into(&mut self.line.text),
            "stdx" => "stwx".clone_into(&mut self.line.text),
            _ => {}
        }
        let (source, _) = self.gpr(true)?;
        let value = Expr::Local(source);
        if mnemonic.ends_with('.') {
            let addr = self.indexed()?;
            let tags = self.build.tags(&["X"]);
            let success = self.flag("%cr0.eq");
            self.body.emit(Op::StoreConditional { success, addr, value, tags, status: Status::Operands });
            for (bit, name) in [(0, "%cr0.lt"), (1, "%cr0.gt")] {
                if self.flags & (1 << bit) != 0 {
                    let flag = self.flag(name);
                    self.body.assign(flag, Expr::constant(0, Width::BOOL));
                }
            }
            return Ok(());
        }
        let (base, addr) = if mnemonic.ends_with('x') {
            (None, self.indexed()?)
        } else {
            let (base, addr) = self.displaced()?;
            (Some(base), addr)
        };
        let tags = self.build.tags(&[]);
        self.body.emit(Op::Store { addr: addr.clone(), value, tags });
        if let (Some(base), "stwu") = (base, mnemonic) {
            self.body.assign(base, addr);
        }
        Ok(())
    }

    fn compare(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        let mut cr = 0;
        if let Some(number) = field(self.cursor.text(self.cursor.peek())) {
            self.cursor.bump();
            cr = number;
        }
        // herd leaves out `cr0`.
        let named = matches!(self.cursor.peek().kind, Kind::Sym(","));
        if named && cr != 0 {
            self.line.text.push_str(&format!(" cr{cr}"));
        }
        if named && cr == 0 {
            self.cursor.bump();
        }
        let (left, _) = self.gpr(!named || cr == 0)?;
        let logical = mnemonic.starts_with("cmpl");
        let mut left = Expr::Local(left);
        let right = if mnemonic.ends_with('i') {
            let value = self.number()?;
            word(if logical { value & 0xFFFF } else { value })
        } else {
            Expr::Local(self.gpr(false)?.0)
        };
        if mnemonic == "cmplwi" {
            left = left.binary(BinaryOp::And, word(0xFFFF_FFFF));
        }
        self.set_field(cr, &left, &right, logical);
        Ok(())
    }

    /// Sets those bits of a field that the thread reads.
    fn set_field(&mut self, cr: u64, left: &Expr, right: &Expr, logical: bool) {
        let less = if logical { BinaryOp::ULt } else { BinaryOp::SLt };
        for (bit, name) in BITS.iter().enumerate() {
            if self.flags & (1 << (3 * cr + bit as u64)) == 0 {
                continue;
            }
            let value = match bit {
                0 => left.clone().binary(less, right.clone()),
                1 => right.clone().binary(less, left.clone()),
                _ => left.clone().binary(BinaryOp::Eq, right.clone()),
            };
            let flag = self.flag(&format!("%cr{cr}.{name}"));
            self.body.assign(flag, value);
        }
    }

    fn branch(&mut self, bit: usize, set: bool) -> Result<(), Diagnostic> {
        let mut cr = 0;
        self.line.text.push_str("  ");
        if let (Some(number), Kind::Sym(",")) =
            (field(self.cursor.text(self.cursor.peek())), self.cursor.peek_at(1).kind)
        {
            self.cursor.bump();
            self.cursor.bump();
            cr = number;
            if cr != 0 {
                self.line.text.push_str(&format!("cr{cr},"));
            }
        }
        let to = self.label()?;
        let flag = Expr::Local(self.flag(&format!("%cr{cr}.{}", BITS[bit])));
        self.jump_if(if set { flag } else { flag.unary(UnaryOp::Not) }, to);
        Ok(())
    }

    fn arithmetic(&mut self, mnemonic: &str, span: Span) -> Result<(), Diagnostic> {
        let (base, dotted) = match mnemonic.strip_suffix('.') {
            Some(base) => (base, true),
            None => (mnemonic, false),
        };
        let unknown = || self.cursor.error(span, format!("unknown instruction `{mnemonic}`")).help(KNOWN);
        let (dst, value) = if let Some(op) = three_registers(base) {
            let (dst, _) = self.gpr(true)?;
            let (left, _) = self.gpr(false)?;
            let (right, _) = self.gpr(false)?;
            // `subf` subtracts from.
            let (left, right) = if base == "subf" { (right, left) } else { (left, right) };
            let value = Expr::Local(left).binary(op, Expr::Local(right));
            (dst, if matches!(base, "nor" | "nand" | "eqv") { value.unary(UnaryOp::Not) } else { value })
        } else if let (Some((op, shift)), true) = (immediate(base), base.starts_with("andi") == dotted) {
            let (dst, _) = self.gpr(true)?;
            let (left, zero) = self.gpr(false)?;
            let number = word(self.number()?.wrapping_shl(shift));
            let means_zero = zero && matches!(base, "addi" | "addis");
            (dst, if means_zero { number } else { Expr::Local(left).binary(op, number) })
        } else if matches!(base, "mr" | "neg" | "not" | "extsw") {
            let (dst, _) = self.gpr(true)?;
            let value = Expr::Local(self.gpr(false)?.0);
            let value = match base {
                "neg" => value.unary(UnaryOp::Neg),
                "not" => value.unary(UnaryOp::Not),
                "extsw" => value.unary(UnaryOp::Truncate(Width::INT)).unary(UnaryOp::SignExtend(Width::WORD)),
                _ => value,
            };
            (dst, value)
        } else {
            return Err(unknown());
        };
        self.body.assign(dst, value);
        if dotted {
            self.set_field(0, &Expr::Local(dst), &word(0), false);
        }
        Ok(())
    }
}

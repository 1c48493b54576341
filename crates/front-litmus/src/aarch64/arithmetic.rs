//! Instructions on registers.

use super::{At, C, FLAGS, N, Register, V, Z, narrow};
use ir::{BinaryOp, Expr, UnaryOp, Width};
use source::Diagnostic;

/// How an operation sets the flags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flagged {
    Sum,
    Difference,
    Bits,
}

impl At<'_, '_, '_, '_> {
    /// Translates an instruction on registers; says whether it was one.
    pub(super) fn arithmetic(&mut self, mnemonic: &str) -> Result<bool, Diagnostic> {
        match mnemonic {
            "MOV" | "MOVZ" => self.mov(UnaryOp::ZeroExtend(Width::WORD))?,
            "MVN" | "MOVN" => self.mov(UnaryOp::Not)?,
            "NEG" => self.mov(UnaryOp::Neg)?,
            "CMP" => self.compare(Flagged::Difference)?,
            "CMN" => self.compare(Flagged::Sum)?,
            "TST" => self.compare(Flagged::Bits)?,
            "CSEL" | "CSINC" | "CSET" => self.select(mnemonic)?,
            "SXTW" | "UXTW" => self.extend(mnemonic)?,
            _ => return self.three_operands(mnemonic),
        }
        Ok(true)
    }

    /// `MOV Xd,#1`, `MOV Xd,Xm`, and those that change the value on the way.
    fn mov(&mut self, change: UnaryOp) -> Result<(), Diagnostic> {
        let target = self.gpr(true)?;
        let value = self.last_operand(target.width)?;
        let value = match change {
            UnaryOp::Not | UnaryOp::Neg => value.unary(change),
            UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_) | UnaryOp::Truncate(_) | UnaryOp::Life => value,
        };
        self.set(target, value);
        Ok(())
    }

    /// Reads a number or a register after a comma, perhaps shifted or extended.
    fn last_operand(&mut self, width: Width) -> Result<Expr, Diagnostic> {
        self.separator(false)?;
        if self.immediate_ahead() {
            let value = self.number()?;
            let mut shift = 0;
            if self.eat_sign(",") {
                let (name, span) = self.cursor.name("LSL")?;
                if !name.eq_ignore_ascii_case("lsl") {
                    return Err(self.cursor.error(span, format!("expected LSL, found `{name}`")));
                }
                self.line.text.push_str("LSL ");
                shift = self.immediate()?;
            }
            let shift = u32::try_from(shift).ok().filter(|&shift| shift < 64);
            let shift = shift.ok_or_else(|| self.cursor.error(self.cursor.last(), "shifts go from 0 to 63"))?;
            return Ok(Expr::constant(value.wrapping_shl(shift), width));
        }
        let register = self.try_gpr().ok_or_else(|| self.cursor.expected("a register or a number"))?;
        let value = self.extended(register)?;
        Ok(narrow(value, Width::WORD, width))
    }

    fn three_operands(&mut self, mnemonic: &str) -> Result<bool, Diagnostic> {
        let (base, sets) = match mnemonic {
            "ADDS" | "SUBS" | "ANDS" => (&mnemonic[..3], true),
            _ => (mnemonic, false),
        };
        let op = match base {
            "ADD" => BinaryOp::Add,
            "SUB" => BinaryOp::Sub,
            "AND" | "BIC" => BinaryOp::And,
            "ORR" => BinaryOp::Or,
            "EOR" | "EON" => BinaryOp::Xor,
            "LSL" => BinaryOp::Shl,
            "LSR" => BinaryOp::LShr,
            "ASR" => BinaryOp::AShr,
            "MUL" => BinaryOp::Mul,
            _ => return Ok(false),
        };
        let target = self.gpr(true)?;
        let left = self.gpr(false)?;
        let left = narrow_to(self.value(left), left, target.width);
        let mut right = self.last_operand(target.width)?;
        if matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
            // The machine takes the amount modulo the width.
            let bits = Expr::constant(i64::from(target.width.bits()) - 1, target.width);
            right = right.binary(BinaryOp::And, bits);
        }
        if matches!(base, "BIC" | "EON") {
            right = right.unary(UnaryOp::Not);
        }
        if sets {
            let flagged = match base {
                "ADD" => Flagged::Sum,
                "SUB" => Flagged::Difference,
                _ => Flagged::Bits,
            };
            self.set_flags(flagged, &left, &right, target.width);
        }
        self.set(target, left.binary(op, right));
        Ok(true)
    }

    fn compare(&mut self, flagged: Flagged) -> Result<(), Diagnostic> {
        let left = self.gpr(true)?;
        let right = self.last_operand(left.width)?;
        let value = self.value(left);
        self.set_flags(flagged, &value, &right, left.width);
        Ok(())
    }

    /// Sets those flags that the thread reads.
    fn set_flags(&mut self, flagged: Flagged, left: &Expr, right: &Expr, width: Width) {
        let zero = Expr::constant(0, width);
        let op = match flagged {
            Flagged::Sum => BinaryOp::Add,
            Flagged::Difference => BinaryOp::Sub,
            Flagged::Bits => BinaryOp::And,
        };
        let result = left.clone().binary(op, right.clone());
        let carry = match flagged {
            Flagged::Sum => result.clone().binary(BinaryOp::ULt, left.clone()),
            Flagged::Difference => right.clone().binary(BinaryOp::ULe, left.clone()),
            Flagged::Bits => Expr::constant(0, Width::BOOL),
        };
        let changed = left.clone().binary(BinaryOp::Xor, result.clone());
        let overflow = match flagged {
            Flagged::Sum => changed.binary(BinaryOp::And, right.clone().binary(BinaryOp::Xor, result.clone())),
            Flagged::Difference => changed.binary(BinaryOp::And, left.clone().binary(BinaryOp::Xor, right.clone())),
            Flagged::Bits => zero.clone(),
        };
        let is_zero = if flagged == Flagged::Difference {
            left.clone().binary(BinaryOp::Eq, right.clone())
        } else {
            result.clone().binary(BinaryOp::Eq, zero.clone())
        };
        let negative = |value: Expr| value.binary(BinaryOp::SLt, zero.clone());
        let values = [(N, negative(result)), (Z, is_zero), (C, carry), (V, negative(overflow))];
        for ((bit, value), name) in values.into_iter().zip(FLAGS) {
            if self.flags & bit != 0 {
                let flag = self.flag(name);
                self.body.assign(flag, value);
            }
        }
    }

    /// `CSEL Xd,Xn,Xm,EQ`, `CSINC Xd,Xn,Xm,EQ` and `CSET Xd,EQ`.
    fn select(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        let target = self.gpr(true)?;
        let (mut then, mut otherwise) = (Expr::constant(1, target.width), Expr::constant(0, target.width));
        if mnemonic != "CSET" {
            let (first, second) = (self.gpr(false)?, self.gpr(false)?);
            then = narrow_to(self.value(first), first, target.width);
            otherwise = narrow_to(self.value(second), second, target.width);
            if mnemonic == "CSINC" {
                otherwise = otherwise.binary(BinaryOp::Add, Expr::constant(1, target.width));
            }
        }
        self.separator(false)?;
        let (name, span) = self.cursor.name("a condition such as EQ")?;
        self.line.text.push_str(name);
        let condition = self.condition(name, span)?;
        let (chosen, other, after) = (self.body.block(), self.body.block(), self.body.block());
        self.body.branch(condition, (chosen, other), Some(after), chosen);
        self.set(target, then);
        self.body.end(ir::Terminator::Goto(after), other);
        self.set(target, otherwise);
        self.body.fall_into(after);
        Ok(())
    }

    fn extend(&mut self, mnemonic: &str) -> Result<(), Diagnostic> {
        let (target, source) = (self.gpr(true)?, self.gpr(false)?);
        let low = narrow_to(self.value(source), source, Width::INT);
        let wide = match (target.width == Width::WORD, mnemonic) {
            (false, _) => low,
            (true, "SXTW") => low.unary(UnaryOp::SignExtend(Width::WORD)),
            (true, _) => low.unary(UnaryOp::ZeroExtend(Width::WORD)),
        };
        self.set(target, wide);
        Ok(())
    }
}

/// The value of a register where an operand of another width is needed: tests mix `W` and `X` names freely.
fn narrow_to(value: Expr, register: Register, width: Width) -> Expr {
    if register.width.bits() < width.bits() {
        value.unary(UnaryOp::ZeroExtend(width))
    } else {
        narrow(value, register.width, width)
    }
}

//! RISC-V, 64 bits.
//!
//! Registers have 64 bits, `x0` is zero. As in herd, `.aq` and `.rl` may also stand at plain loads and stores, which the
//! machine does not offer.

use crate::asm::{Cell, Isa, word};
use crate::build::Registers;
use crate::lex::{Cursor, Kind};
use ir::{BinaryOp, Expr, LocalId, Op, Status, UnaryOp, Width};
use source::Diagnostic;
use std::ops::{Deref, DerefMut};

/// RISC-V.
pub(crate) struct RiscV;

const KNOWN: &str = "known are lb, lh, lw, ld, sb, sh, sw, sd (also with .aq and .rl), lr.w, lr.d, sc.w, sc.d, amoswap, amoadd, amoand, \
                     amoor, amoxor, amomax, amomin, amomaxu, amominu (.w and .d), li, mv, add, sub, and, or, xor, sll, srl, sra, \
                     slt, sltu, mul and their forms with i and w, not, neg, seqz, snez, sext.w, beq, bne, blt, bge, bltu, bgeu, \
                     beqz, bnez, j, fence, fence.tso, fence.i and nop";

/// The names that the calling convention gives to registers, by number.
const ABI: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The number of a register.
fn number_of(name: &str) -> Option<usize> {
    let numbered = || name.strip_prefix('x').filter(|digits| digits.len() <= 2)?.parse().ok();
    let number = ABI.iter().position(|abi| *abi == name).or_else(numbered);
    number.filter(|&number: &usize| number < 32).or_else(|| (name == "fp").then_some(8))
}

/// The name that identifies a register.
fn register(name: &str) -> Option<String> {
    number_of(name).map(|number| format!("x{number}"))
}

/// The width of an access, and whether a load of it is extended with its sign.
fn access(letters: &str) -> Option<(Width, bool)> {
    Some(match letters {
        "b" => (Width::new(8), true),
        "bu" => (Width::new(8), false),
        "h" => (Width::new(16), true),
        "hu" => (Width::new(16), false),
        "w" => (Width::INT, true),
        "wu" => (Width::INT, false),
        "d" => (Width::WORD, true),
        _ => return None,
    })
}

/// Takes `.aq`, `.rl` or both off a mnemonic, and gives the tag that says so.
fn annotation(mnemonic: &str) -> (&str, &'static [&'static str]) {
    let both = [".aq.rl", ".aqrl", ".sc"].into_iter().find_map(|ending| mnemonic.strip_suffix(ending));
    if let Some(base) = both {
        (base, &["AcqRel"])
    } else if let Some(base) = mnemonic.strip_suffix(".aq") {
        (base, &["Acq"])
    } else if let Some(base) = mnemonic.strip_suffix(".rl") {
        (base, &["Rel"])
    } else {
        (mnemonic, &[])
    }
}

/// Operations on two values. A `w` behind means 32 bits, an `i` a number instead of the second register.
fn operation(mnemonic: &str) -> Option<(BinaryOp, bool, bool)> {
    let (base, half) = match mnemonic {
        "addw" | "subw" | "sllw" | "srlw" | "sraw" | "mulw" | "addiw" | "slliw" | "srliw" | "sraiw" => {
            (&mnemonic[..mnemonic.len() - 1], true)
        }
        _ => (mnemonic, false),
    };
    let (base, immediate) = match base {
        "addi" | "andi" | "ori" | "xori" | "slli" | "srli" | "srai" | "slti" => (&base[..base.len() - 1], true),
        "sltiu" => ("sltu", true),
        _ => (base, false),
    };
    let op = match base {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "sll" => BinaryOp::Shl,
        "srl" => BinaryOp::LShr,
        "sra" => BinaryOp::AShr,
        "slt" => BinaryOp::SLt,
        "sltu" => BinaryOp::ULt,
        "mul" => BinaryOp::Mul,
        _ => return None,
    };
    Some((op, half, immediate))
}

/// When a branch is taken: the comparison, whether it is negated, whether the second operand is zero.
fn branch(mnemonic: &str) -> Option<(BinaryOp, bool, bool)> {
    Some(match mnemonic {
        "beq" => (BinaryOp::Eq, false, false),
        "bne" => (BinaryOp::Ne, false, false),
        "blt" => (BinaryOp::SLt, false, false),
        "bge" => (BinaryOp::SLt, true, false),
        "bltu" => (BinaryOp::ULt, false, false),
        "bgeu" => (BinaryOp::ULt, true, false),
        "beqz" => (BinaryOp::Eq, false, true),
        "bnez" => (BinaryOp::Ne, false, true),
        _ => return None,
    })
}

impl Isa for RiscV {
    fn registers(&self) -> Registers {
        register
    }

    fn flags_read(&self, _: Cursor<'_, '_>) -> u64 {
        0
    }

    fn instruction(&self, cell: &mut Cell<'_, '_, '_>) -> Result<(), Diagnostic> {
        let mut cell = At(cell);
        let (mnemonic, span) = cell.cursor.name("an instruction")?;
        cell.line.text.push_str(mnemonic);
        match mnemonic {
            "nop" => return Ok(()),
            "fence.tso" => {
                cell.fence("Fence.tso");
                return Ok(());
            }
            "fence.i" => {
                cell.fence("Fence.i");
                return Ok(());
            }
            "fence" => return cell.memory_fence(),
            "j" => {
                cell.line.text.push(' ');
                let to = cell.label()?;
                cell.jump(to);
                return Ok(());
            }
            _ => {}
        }
        if let Some((op, negated, zero)) = branch(mnemonic) {
            return cell.branch(op, negated, zero);
        }
        if cell.memory(mnemonic)? || cell.arithmetic(mnemonic)? {
            return Ok(());
        }
        Err(cell.cursor.error(span, format!("unknown instruction `{mnemonic}`")).help(KNOWN))
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
    /// Reads a register, after a comma unless it is the first operand; nothing stands for zero.
    fn gpr(&mut self, first: bool) -> Result<Option<LocalId>, Diagnostic> {
        self.separator(first)?;
        self.register_here()
    }

    fn register_here(&mut self) -> Result<Option<LocalId>, Diagnostic> {
        let token = self.cursor.peek();
        let name = self.cursor.text(token);
        let number = if token.kind == Kind::Name { number_of(name) } else { None };
        let Some(number) = number else {
            return Err(self.cursor.expected("a register such as `x5` or `a0`"));
        };
        self.cursor.bump();
        self.line.text.push_str(name);
        Ok(if number == 0 { None } else { self.register(name) })
    }

    /// Reads the address `4(x6)`, `0(x6)` or `(x6)`.
    fn address(&mut self) -> Result<Expr, Diagnostic> {
        self.separator(false)?;
        let plain = matches!(self.cursor.peek().kind, Kind::Sym("("));
        let offset = if plain { 0 } else { self.number()? };
        self.sign("(")?;
        let base = value(self.register_here()?);
        self.sign(")")?;
        Ok(if offset == 0 { base } else { base.binary(BinaryOp::Add, word(offset)) })
    }

    fn set(&mut self, target: Option<LocalId>, value: Expr) {
        if let Some(target) = target {
            self.body.assign(target, value);
        }
    }

    /// `fence rw,w`. Orders of devices (`i` and `o`) are as good as none here.
    fn memory_fence(&mut self) -> Result<(), Diagnostic> {
        if self.cursor.at_end() {
            self.fence("Fence.rw.rw");
            return Ok(());
        }
        let before = self.accesses(true)?;
        let after = self.accesses(false)?;
        self.fence(&format!("Fence.{before}.{after}"));
        Ok(())
    }

    fn accesses(&mut self, first: bool) -> Result<&'static str, Diagnostic> {
        self.separator(first)?;
        let (set, span) = self.cursor.name("the accesses that the fence orders, such as rw")?;
        self.line.text.push_str(set);
        let known = set.chars().all(|letter| "iorw".contains(letter));
        match (known, set.contains('r'), set.contains('w')) {
            (true, true, true) => Ok("rw"),
            (true, true, false) => Ok("r"),
            (true, false, true) => Ok("w"),
            (true, false, false) | (false, _, _) => {
                let message = format!("a fence that orders `{set}` is not supported");
                Err(self.cursor.error(span, message).help("write r, w or rw"))
            }
        }
    }

    fn branch(&mut self, op: BinaryOp, negated: bool, zero: bool) -> Result<(), Diagnostic> {
        let left = value(self.gpr(true)?);
        let right = if zero { word(0) } else { value(self.gpr(false)?) };
        self.separator(false)?;
        let to = self.label()?;
        let taken = left.binary(op, right);
        self.jump_if(if negated { taken.unary(UnaryOp::Not) } else { taken }, to);
        Ok(())
    }

    /// Translates an instruction that accesses memory; says whether it was one.
    fn memory(&mut self, mnemonic: &str) -> Result<bool, Diagnostic> {
        let (base, tags) = annotation(mnemonic);
        if let Some(size) = base.strip_prefix("lr.").and_then(access) {
            self.load(size, &[&["X"], tags].concat(), true)?;
        } else if let Some((width, _)) = base.strip_prefix("sc.").and_then(access) {
            self.store_conditional(width, &[&["X"], tags].concat())?;
        } else if let Some(rest) = base.strip_prefix("amo") {
            let Some((operation, size)) = rest.split_once('.') else { return Ok(false) };
            let Some((width, _)) = access(size).filter(|(width, _)| width.bits() >= 32) else { return Ok(false) };
            return self.read_modify_write(operation, width, &[&["AMO"], tags].concat());
        } else if let Some(size) = base.strip_prefix('l').and_then(access) {
            self.load(size, tags, false)?;
        } else if let Some((width, true)) = base.strip_prefix('s').and_then(access) {
            self.store(width, tags)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn load(&mut self, (width, signed): (Width, bool), tags: &[&str], reserve: bool) -> Result<(), Diagnostic> {
        let target = self.gpr(true)?;
        let addr = self.address()?;
        let dst = self.body.temporary(width);
        let tags = self.build.tags(tags);
        self.body.emit(Op::Load { dst, addr, tags, reserve });
        self.set(target, extended(Expr::Local(dst), width, signed));
        Ok(())
    }

    fn store(&mut self, width: Width, tags: &[&str]) -> Result<(), Diagnostic> {
        let value = low(value(self.gpr(true)?), width);
        let addr = self.address()?;
        let tags = self.build.tags(tags);
        self.body.emit(Op::Store { addr, value, tags });
        Ok(())
    }

    /// `sc.w x1,x2,0(x3)`: `x1` is 0 on success, else 1.
    fn store_conditional(&mut self, width: Width, tags: &[&str]) -> Result<(), Diagnostic> {
        let target = self.gpr(true)?;
        let value = low(value(self.gpr(false)?), width);
        let addr = self.address()?;
        let tags = self.build.tags(tags);
        let success = self.body.temporary(Width::BOOL);
        self.body.emit(Op::StoreConditional { success, addr, value, tags, status: Status::Write });
        self.set(target, Expr::Local(success).unary(UnaryOp::Not).unary(UnaryOp::ZeroExtend(Width::WORD)));
        Ok(())
    }

    /// `amoadd.w x1,x2,(x3)`: `x1` gets what was there.
    fn read_modify_write(&mut self, operation: &str, width: Width, tags: &[&str]) -> Result<bool, Diagnostic> {
        let combine: fn(Expr, Expr) -> Expr = match operation {
            "swap" => |_, operand| operand,
            "add" => |found, operand| found.binary(BinaryOp::Add, operand),
            "and" => |found, operand| found.binary(BinaryOp::And, operand),
            "or" => |found, operand| found.binary(BinaryOp::Or, operand),
            "xor" => |found, operand| found.binary(BinaryOp::Xor, operand),
            "max" => |found, operand| smaller(BinaryOp::SLt, (operand, found)).1,
            "min" => |found, operand| smaller(BinaryOp::SLt, (operand, found)).0,
            "maxu" => |found, operand| smaller(BinaryOp::ULt, (operand, found)).1,
            "minu" => |found, operand| smaller(BinaryOp::ULt, (operand, found)).0,
            _ => return Ok(false),
        };
        let target = self.gpr(true)?;
        let operand = low(value(self.gpr(false)?), width);
        let addr = self.address()?;
        let dst = self.body.temporary(width);
        let value = combine(Expr::Local(dst), operand);
        let tags = self.build.tags(tags);
        self.body.emit(Op::Rmw { dst, addr, when: None, value, read_tags: tags.clone(), write_tags: tags });
        self.set(target, extended(Expr::Local(dst), width, true));
        Ok(true)
    }

    /// Translates an instruction on registers; says whether it was one.
    fn arithmetic(&mut self, mnemonic: &str) -> Result<bool, Diagnostic> {
        if let Some((op, half, immediate)) = operation(mnemonic) {
            let target = self.gpr(true)?;
            let left = value(self.gpr(false)?);
            let right = if immediate {
                self.separator(false)?;
                word(self.number()?)
            } else {
                value(self.gpr(false)?)
            };
            self.set(target, combined(op, left, right, half));
            return Ok(true);
        }
        if !matches!(mnemonic, "li" | "la" | "mv" | "not" | "neg" | "seqz" | "snez" | "sext.w") {
            return Ok(false);
        }
        let target = self.gpr(true)?;
        self.separator(false)?;
        let value = match mnemonic {
            "li" => word(self.number()?),
            "la" => {
                let (name, _) = self.cursor.name("a location")?;
                self.line.text.push_str(name);
                Expr::Address(self.build.object(name), 0)
            }
            _ => changed(mnemonic, value(self.register_here()?)),
        };
        self.set(target, value);
        Ok(true)
    }
}

fn value(register: Option<LocalId>) -> Expr {
    register.map_or_else(|| word(0), Expr::Local)
}

/// The lower bits of a register.
fn low(value: Expr, width: Width) -> Expr {
    if width == Width::WORD { value } else { value.unary(UnaryOp::Truncate(width)) }
}

/// A value as a register holds it.
fn extended(value: Expr, width: Width, signed: bool) -> Expr {
    match (width == Width::WORD, signed) {
        (true, _) => value,
        (false, true) => value.unary(UnaryOp::SignExtend(Width::WORD)),
        (false, false) => value.unary(UnaryOp::ZeroExtend(Width::WORD)),
    }
}

/// The smaller and the larger of two values.
fn smaller(less: BinaryOp, (a, b): (Expr, Expr)) -> (Expr, Expr) {
    let first = Box::new(a.clone().binary(less, b.clone()));
    let (a, b) = (Box::new(a), Box::new(b));
    (Expr::Select(first.clone(), a.clone(), b.clone()), Expr::Select(first, b, a))
}

/// The result of an operation on registers; with `half`, of their lower halves.
fn combined(op: BinaryOp, left: Expr, right: Expr, half: bool) -> Expr {
    let width = if half { Width::INT } else { Width::WORD };
    let (left, mut right) = (low(left, width), low(right, width));
    if matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
        // The machine takes the amount modulo the width.
        right = right.binary(BinaryOp::And, Expr::constant(i64::from(width.bits()) - 1, width));
    }
    let result = left.binary(op, right);
    if op.is_comparison() { result.unary(UnaryOp::ZeroExtend(Width::WORD)) } else { extended(result, width, true) }
}

/// What an instruction with one operand makes of it.
fn changed(mnemonic: &str, value: Expr) -> Expr {
    let truth = |op: BinaryOp, value: Expr| value.binary(op, word(0)).unary(UnaryOp::ZeroExtend(Width::WORD));
    match mnemonic {
        "not" => value.unary(UnaryOp::Not),
        "neg" => value.unary(UnaryOp::Neg),
        "seqz" => truth(BinaryOp::Eq, value),
        "snez" => truth(BinaryOp::Ne, value),
        "sext.w" => extended(low(value, Width::INT), Width::INT, true),
        _ => value,
    }
}

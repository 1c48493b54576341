//! Inline assembly of x86: moves, arithmetic, locked operations and the flags that they set.
//!
//! A statement is executed here, instruction by instruction, on a machine of registers and flags whose values are expressions. What it
//! does to memory becomes loads, stores and read-modify-writes; a locked instruction, and `xchg` with memory, is a full fence as
//! well. An operand has the size that the instruction says, by its letter or by a register.
//!
//! # What it decides
//!
//! * Where a constraint leaves the choice, an operand is in a register, unless a locked instruction mentions it.
//! * What a register holds that nobody has written, and above an operand that is narrower than the register, can be anything.
//! * `cmpxchg16b` is an atomic section of four accesses.
//!
//! # What is refused
//!
//! Jumps, other registers than the general ones, instructions that are not in [`execute`], a register that is changed without being
//! an output or a clobber, and an input that is read when an output without `&` is written already: compilers may put
//! both into one register.

mod execute;
mod flags;
mod operands;
mod operation;
mod parse;

use super::context::Call;
use c_syntax::ast::Asm;
use flags::Flags;
use ir::{BinaryOp, Expr, UnaryOp, Width};
use operands::{Memory, Operand, Storage};
use parse::{Argument, Hard, Name, Size};
use source::Diagnostic;

use crate::lower::Value;
use crate::lower::fold::{add_offset, fold};
use crate::types::Type;

/// Executes a statement.
pub(super) fn statement(call: &mut Call<'_, '_>, asm: &Asm) -> Result<(), Diagnostic> {
    let names: Vec<Option<&str>> =
        asm.outputs.iter().chain(&asm.inputs).map(|operand| operand.name.as_ref().map(|name| &*name.text)).collect();
    let template = asm.template.text();
    let instructions = parse::parse(&template, &names, asm.is_extended)
        .map_err(|what| unsupported(call, &format!("{what} of this assembly is")))?;
    let mut machine = Machine::new(call, asm, &instructions)?;
    for instruction in &instructions {
        machine.execute(instruction)?;
        machine.dirty |= std::mem::take(&mut machine.wrote_output);
    }
    machine.finish()
}

/// A complaint about something that is not supported.
fn unsupported(call: &Call<'_, '_>, what: &str) -> Diagnostic {
    call.error(format!("{what} not supported")).help(
        "of inline assembly fences are understood (mfence, sync, lwsync, dmb ish…) and x86's moves, arithmetic and locked \
         instructions; write the rest in C, for example with __atomic_exchange_n",
    )
}

/// The integer type of a size.
fn integer(size: Size) -> Type {
    match size {
        8 => Type::UCHAR,
        16 => Type::USHORT,
        32 => Type::UINT,
        _ => Type::ULONG_LONG,
    }
}

/// What is in a register.
#[derive(Debug, Clone)]
struct Register {
    /// Its lowest bits, as many as `bits`.
    value: Expr,
    bits: Size,
    /// Whether the bits above are known to be zero; else they can be anything.
    zero_above: bool,
}

/// The state of the machine between two instructions.
struct Machine<'m, 'a, 'b> {
    call: &'m mut Call<'a, 'b>,
    operands: Vec<Operand>,
    /// The sixteen, then one for each operand that is in a register of the compiler's choice.
    registers: Vec<Option<Register>>,
    flags: Flags,
    /// The registers that the statement says it changes.
    clobbers: Vec<Hard>,
    /// Whether an instruction before this one has written an output that may share its register with an input.
    dirty: bool,
    /// Whether this instruction has.
    wrote_output: bool,
}

impl Machine<'_, '_, '_> {
    fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.call.error(message).help("write it in C, for example with __atomic_exchange_n or __atomic_fetch_add")
    }

    fn keep(&mut self, expr: Expr, size: Size) -> Expr {
        self.call.keep(Value { expr, ty: integer(size) }).expr
    }

    fn any(&mut self, size: Size) -> Expr {
        self.call.any(Width::new(size))
    }

    fn number(value: i64, size: Size) -> Expr {
        Expr::constant(value, Width::new(size))
    }

    /// Which register a name stands for.
    fn register(&self, name: &Name) -> Option<usize> {
        match name {
            Name::Hard(hard, _) => Some(usize::from(hard.0)),
            Name::Operand(at, _) => match &self.operands[*at].storage {
                Storage::Register(register) => Some(*register),
                Storage::Memory(_) | Storage::Constant(_) | Storage::Flag(_) => None,
            },
        }
    }

    /// The size of a register operand; none if it is in memory.
    fn size_of(&self, name: &Name) -> Option<Size> {
        match name {
            Name::Hard(_, size) => Some(*size),
            Name::Operand(at, size) => {
                let own = self.register(name).map(|_| self.operands[*at].size);
                own.map(|own| size.unwrap_or(own))
            }
        }
    }

    fn read_register(&mut self, register: usize, size: Size) -> Expr {
        let known = self.registers[register].clone();
        let known = known.unwrap_or_else(|| Register { value: self.any(64), bits: 64, zero_above: false });
        let Register { value, bits, zero_above } = known.clone();
        if bits >= size {
            self.registers[register] = Some(known);
            return if bits == size { value } else { fold(value.unary(UnaryOp::Truncate(Width::new(size)))) };
        }
        let wide = fold(value.unary(UnaryOp::ZeroExtend(Width::new(size))));
        if zero_above {
            return wide;
        }
        let above = self.any(size).binary(BinaryOp::Shl, Self::number(i64::from(bits), size));
        let value = self.keep(wide.binary(BinaryOp::Or, above), size);
        self.registers[register] = Some(Register { value: value.clone(), bits: size, zero_above: false });
        value
    }

    /// A write of 32 bits clears the upper half, shorter ones leave alone what is above.
    fn write_register(&mut self, register: usize, size: Size, value: Expr) -> Result<(), Diagnostic> {
        self.check_write(register)?;
        let value = self.keep(value, size);
        let old = self.registers[register].take();
        self.registers[register] = Some(match old {
            _ if size >= 32 => Register { value, bits: size, zero_above: size == 32 },
            Some(old) if old.bits > size => {
                let width = Width::new(old.bits);
                let mask = Expr::Const(width.mask() & !Width::new(size).mask(), width);
                let wide = fold(value.unary(UnaryOp::ZeroExtend(width)));
                let merged = fold(fold(old.value.binary(BinaryOp::And, mask)).binary(BinaryOp::Or, wide));
                Register { value: self.keep(merged, old.bits), ..old }
            }
            Some(old) if old.bits == size => Register { value, ..old },
            Some(_) | None => Register { value, bits: size, zero_above: false },
        });
        Ok(())
    }

    /// Refuses writes that compilers do not expect.
    fn check_write(&mut self, register: usize) -> Result<(), Diagnostic> {
        let mut outputs = self.operands.iter().filter(|operand| operand.is_output_in(register)).peekable();
        if outputs.peek().is_some() {
            self.wrote_output |= outputs.any(|operand| !operand.early && !operand.read);
            return Ok(());
        }
        if self.clobbers.iter().any(|hard| usize::from(hard.0) == register) {
            return Ok(());
        }
        Err(self.error("this assembly changes a register that is neither an output nor a clobber"))
    }

    /// Refuses reads of inputs that may be overwritten already.
    fn check_read(&self, at: usize) -> Result<(), Diagnostic> {
        let operand = &self.operands[at];
        if !self.dirty || operand.output.is_some() || operand.tied {
            return Ok(());
        }
        let mut fixed = false;
        if let Storage::Memory(Memory::At(addr)) = &operand.storage {
            fixed = matches!(addr, Expr::Address(..) | Expr::Const(..));
        }
        fixed |= matches!(operand.storage, Storage::Constant(_));
        if fixed || matches!(operand.storage, Storage::Memory(Memory::Local(_))) {
            return Ok(());
        }
        let message =
            format!("operand {at} of this assembly is read after an output is written that may share its register");
        Err(self.call.error(message).help("write `=&` instead of `=` in the constraint of the output"))
    }

    /// The constant that an operand of an instruction is.
    fn constant(&self, argument: &Argument) -> Option<i64> {
        let (Argument::Constant(at) | Argument::Named(Name::Operand(at, _))) = argument else {
            return match argument {
                Argument::Immediate(value) => Some(*value),
                _ => None,
            };
        };
        match self.operands[*at].storage {
            Storage::Constant(value) => Some(value),
            Storage::Register(_) | Storage::Memory(_) | Storage::Flag(_) => None,
        }
    }

    /// What an operand of an instruction holds.
    fn value(&mut self, argument: &Argument, size: Size) -> Result<Expr, Diagnostic> {
        match argument {
            Argument::Immediate(value) => Ok(Self::number(*value, size)),
            Argument::Constant(at) => self.value(&Argument::Named(Name::Operand(*at, Some(size))), size),
            Argument::Named(name) => {
                if let Name::Operand(at, _) = name {
                    self.check_read(*at)?;
                }
                if let Some(constant) = self.constant(argument) {
                    return Ok(Self::number(constant, size));
                }
                match self.register(name) {
                    Some(register) => Ok(self.read_register(register, size)),
                    None => {
                        let memory = self.memory(argument)?;
                        self.load(&memory, size)
                    }
                }
            }
            Argument::Memory { .. } | Argument::Unknown(_) => {
                let memory = self.memory(argument)?;
                self.load(&memory, size)
            }
        }
    }

    /// The memory that an operand of an instruction is.
    fn memory(&mut self, argument: &Argument) -> Result<Memory, Diagnostic> {
        match argument {
            Argument::Named(Name::Operand(at, _)) => {
                self.check_read(*at)?;
                match &self.operands[*at].storage {
                    Storage::Memory(memory) => Ok(memory.clone()),
                    Storage::Register(_) | Storage::Constant(_) | Storage::Flag(_) => {
                        Err(self.error(format!("operand {at} of this assembly is not in memory")))
                    }
                }
            }
            Argument::Memory { .. } => Ok(Memory::At(self.effective(argument)?)),
            Argument::Immediate(_) | Argument::Constant(_) | Argument::Named(Name::Hard(..)) | Argument::Unknown(_) => {
                Err(self.error("this instruction needs an operand in memory"))
            }
        }
    }

    /// The address that `8(%0,%1,4)` means.
    fn effective(&mut self, argument: &Argument) -> Result<Expr, Diagnostic> {
        let Argument::Memory { offset, base, index, scale } = argument else {
            return match self.memory(argument)? {
                Memory::At(addr) => Ok(addr),
                Memory::Local(_) => Err(self.error("the address of this variable is not known")),
            };
        };
        if [base, index].into_iter().flatten().any(|name| matches!(name, Name::Hard(hard, _) if *hard == Hard::SP)) {
            return Err(self.error("this assembly uses the stack"));
        }
        let mut part = |name: &Option<Name>| match name {
            Some(name) => self.value(&Argument::Named(name.clone()), 64).map(Some),
            None => Ok(None),
        };
        let (base, index) = (part(base)?, part(index)?);
        let index = index.map(|index| match scale {
            1 => index,
            _ => fold(index.binary(BinaryOp::Mul, Expr::Const(*scale, Width::WORD))),
        });
        let sum = match (base, index) {
            (Some(base), Some(index)) => fold(base.binary(BinaryOp::Add, index)),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return Err(self.error("this assembly uses a fixed address")),
        };
        let addr = add_offset(sum, *offset as u64);
        Ok(self.keep(addr, 64))
    }

    fn load(&mut self, memory: &Memory, size: Size) -> Result<Expr, Diagnostic> {
        match memory {
            Memory::At(addr) => {
                let tags = self.call.lowering.tags(&["A", "RLX"]);
                Ok(self.call.lowering.load(addr.clone(), &integer(size), tags)?.expr)
            }
            Memory::Local(place) => {
                self.check_local(place, size)?;
                let value = self.call.lowering.read(place)?;
                Ok(self.keep(value.expr, size))
            }
        }
    }

    fn store(&mut self, memory: &Memory, size: Size, value: Expr) -> Result<(), Diagnostic> {
        match memory {
            Memory::At(addr) => {
                let tags = self.call.lowering.tags(&["A", "RLX"]);
                self.call.lowering.store(addr.clone(), Value { expr: value, ty: integer(size) }, tags);
            }
            Memory::Local(place) => {
                self.check_local(place, size)?;
                let ty = place.ty.unqualified();
                self.call.lowering.write(place, Value { expr: value, ty })?;
            }
        }
        Ok(())
    }

    fn check_local(&self, place: &crate::lower::place::Place, size: Size) -> Result<(), Diagnostic> {
        if place.ty.width() == Some(Width::new(size)) && place.bits.is_none() {
            return Ok(());
        }
        Err(self.error("this instruction accesses a local variable with another size than its own"))
    }

    /// A read-modify-write: one if it is locked, else a load and a store. Gives what was read.
    fn update(
        &mut self,
        memory: &Memory,
        size: Size,
        locked: bool,
        new: impl FnOnce(Expr) -> (Option<Expr>, Expr),
    ) -> Result<Expr, Diagnostic> {
        if locked {
            self.call.fence(&["MFENCE"]);
        }
        let old = match memory {
            Memory::At(addr) if locked => {
                let tags = self.call.lowering.tags(&["A", "SC"]);
                let (read_tags, write_tags) = (tags.clone(), tags);
                let update = super::context::Update { addr: addr.clone(), ty: integer(size), read_tags, write_tags };
                self.call.update(update, new).expr
            }
            Memory::At(_) | Memory::Local(_) => {
                let old = self.load(memory, size)?;
                let (when, value) = new(old.clone());
                let value = match when {
                    Some(when) => Expr::Select(Box::new(when), Box::new(value), Box::new(old.clone())),
                    None => value,
                };
                self.store(memory, size, value)?;
                old
            }
        };
        if locked {
            self.call.fence(&["MFENCE"]);
        }
        Ok(old)
    }

    /// Puts what the registers and flags hold into the variables that they stand for.
    fn finish(mut self) -> Result<(), Diagnostic> {
        for operand in std::mem::take(&mut self.operands) {
            let Some(place) = operand.output else { continue };
            let ty = place.ty.unqualified();
            let value = match operand.storage {
                Storage::Memory(_) | Storage::Constant(_) => continue,
                Storage::Register(register) => Value { expr: self.read_register(register, operand.size), ty },
                Storage::Flag(condition) => {
                    let Some(bit) = self.flags.holds(&condition) else {
                        return Err(self.error(format!("the flags for `{condition}` are not known here")));
                    };
                    let value = self.call.truth_value(bit);
                    self.call.lowering.convert(value, &ty)?
                }
            };
            self.call.lowering.write(&place, value)?;
        }
        Ok(())
    }
}

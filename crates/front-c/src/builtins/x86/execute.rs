//! What each instruction does.

use super::flags::Flags;
use super::operands::Memory;
use super::operation::{BitChange, Operation};
use super::parse::{Argument, Hard, Instruction, Name, Size};
use super::{Machine, fold, integer, unsupported};
use crate::builtins::bits::swapped_bytes;
use crate::builtins::context::Call;
use ir::{BinaryOp, Expr, Op, System, UnaryOp, Width};
use source::Diagnostic;

/// Where a result goes.
enum Target {
    Register(usize),
    Memory(Memory),
}

impl Machine<'_, '_, '_> {
    pub(super) fn execute(&mut self, instruction: &Instruction) -> Result<(), Diagnostic> {
        let unknown = |call: &Call<'_, '_>| unsupported(call, &format!("the instruction `{}` is", instruction.text));
        let Some((operation, size)) = Operation::parse(&instruction.mnemonic) else { return Err(unknown(self.call)) };
        let strange = |argument: &&Argument| matches!(argument, Argument::Unknown(_));
        if let Some(Argument::Unknown(text)) = instruction.arguments.iter().find(strange) {
            return Err(unsupported(self.call, &format!("the operand `{text}` of `{}` is", instruction.text)));
        }
        if instruction.locked && !operation.may_lock() {
            return Err(unknown(self.call));
        }
        if self.is_stack_fence(&operation, instruction) {
            self.call.fence(&["MFENCE"]);
            return Ok(());
        }
        let locked = instruction.locked;
        match (&operation, &instruction.arguments[..]) {
            (Operation::Nothing, arguments) => {
                for argument in arguments {
                    self.effective(argument)?;
                }
                Ok(())
            }
            (Operation::Fence(tag), []) => {
                self.call.fence(&[*tag]);
                Ok(())
            }
            (Operation::Clock, []) => {
                for register in [Hard::A, Hard::D] {
                    let any = self.any(32);
                    self.write_register(usize::from(register.0), 32, any)?;
                }
                Ok(())
            }
            (Operation::Set(condition), [to]) => {
                self.size(Some(8), std::slice::from_ref(to), instruction)?;
                let Some(bit) = self.flags.holds(condition) else { return Err(self.flags_unknown(instruction)) };
                self.put(to, 8, fold(bit.unary(UnaryOp::ZeroExtend(Width::new(8)))), false)
            }
            (Operation::CompareExchangePair(half), [memory]) => self.compare_exchange_pair(memory, *half, locked),
            (Operation::Extend { signed, from, to }, [source, target]) => {
                let value = self.value(source, *from)?;
                let width = Width::new(*to);
                let extend = if *signed { UnaryOp::SignExtend(width) } else { UnaryOp::ZeroExtend(width) };
                self.put(target, *to, fold(value.unary(extend)), false)
            }
            (Operation::Shift(op), [by, target]) => {
                let size = self.size(size, std::slice::from_ref(target), instruction)?;
                self.shift(*op, by, target, size)
            }
            (_, arguments) => {
                let size = self.size(size, arguments, instruction)?;
                match arguments {
                    [only] => self.unary(&operation, only, size, locked).unwrap_or_else(|| Err(unknown(self.call))),
                    [source, target] => self
                        .binary(&operation, source, target, size, instruction)
                        .unwrap_or_else(|| Err(unknown(self.call))),
                    _ => Err(unknown(self.call)),
                }
            }
        }
    }

    fn flags_unknown(&self, instruction: &Instruction) -> Diagnostic {
        self.error(format!("the flags that `{}` looks at are not known here", instruction.text))
    }

    /// A locked addition of zero to the stack is how a full fence is often written.
    fn is_stack_fence(&self, operation: &Operation, instruction: &Instruction) -> bool {
        let neutral = matches!(operation, Operation::Binary(BinaryOp::Add | BinaryOp::Or));
        let [zero, Argument::Memory { base: Some(Name::Hard(Hard::SP, _)), index: None, .. }] =
            &instruction.arguments[..]
        else {
            return false;
        };
        neutral && instruction.locked && self.constant(zero) == Some(0)
    }

    /// The size of the operands: that of the letter, which must be that of all registers.
    fn size(&self, said: Option<Size>, arguments: &[Argument], one: &Instruction) -> Result<Size, Diagnostic> {
        let mut size = said;
        for argument in arguments {
            let Argument::Named(name) = argument else { continue };
            let Some(own) = self.size_of(name) else { continue };
            if *size.get_or_insert(own) != own {
                return Err(self.error(format!("the operands of `{}` have different sizes", one.text)));
            }
        }
        size.ok_or_else(|| self.error(format!("the size of the operands of `{}` is not known", one.text)))
    }

    fn target(&mut self, argument: &Argument) -> Result<Target, Diagnostic> {
        if let Argument::Named(name) = argument
            && let Some(register) = self.register(name)
        {
            return Ok(Target::Register(register));
        }
        Ok(Target::Memory(self.memory(argument)?))
    }

    /// Writes a result.
    fn put(&mut self, to: &Argument, size: Size, value: Expr, locked: bool) -> Result<(), Diagnostic> {
        if locked {
            return Err(self.error("a locked instruction changes memory"));
        }
        match self.target(to)? {
            Target::Register(register) => self.write_register(register, size, value),
            Target::Memory(memory) => self.store(&memory, size, value),
        }
    }

    /// `target = f(target)`. Gives what the target held.
    fn modify(
        &mut self,
        target: &Argument,
        size: Size,
        locked: bool,
        f: impl FnOnce(Expr) -> Expr,
    ) -> Result<Expr, Diagnostic> {
        match self.target(target)? {
            Target::Register(_) if locked => Err(self.error("a locked instruction changes memory")),
            Target::Register(register) => {
                let old = self.value(target, size)?;
                let old = self.keep(old, size);
                self.write_register(register, size, f(old.clone()))?;
                Ok(old)
            }
            Target::Memory(memory) => self.update(&memory, size, locked, |old| (None, f(old))),
        }
    }

    /// None: this operation has not one operand.
    fn unary(
        &mut self,
        operation: &Operation,
        to: &Argument,
        size: Size,
        locked: bool,
    ) -> Option<Result<(), Diagnostic>> {
        let width = Width::new(size);
        Some(match operation {
            Operation::Step(op) => {
                self.modify(to, size, locked, |old| old.binary(*op, Self::number(1, size))).map(|old| {
                    let one = Self::number(1, size);
                    let result = old.clone().binary(*op, one.clone());
                    // The carry stays as it was.
                    let carry = self.flags.carry.take();
                    let flags = match op {
                        BinaryOp::Add => Flags::sum(&old, &one, &result, None, width),
                        _ => Flags::difference(&old, &one, &result, None, width),
                    };
                    self.flags = Flags { carry, ..flags };
                })
            }
            Operation::Negate => self.modify(to, size, locked, |old| old.unary(UnaryOp::Neg)).map(|old| {
                let zero = Self::number(0, size);
                let result = old.clone().unary(UnaryOp::Neg);
                self.flags = Flags::difference(&zero, &old, &result, None, width);
            }),
            Operation::Complement => self.modify(to, size, locked, |old| old.unary(UnaryOp::Not)).map(|_| ()),
            Operation::SwapBytes if size >= 32 => {
                self.modify(to, size, locked, |old| swapped_bytes(&old, width)).map(|_| ())
            }
            _ => return None,
        })
    }

    /// None: this operation has not two operands.
    fn binary(
        &mut self,
        operation: &Operation,
        source: &Argument,
        target: &Argument,
        size: Size,
        one: &Instruction,
    ) -> Option<Result<(), Diagnostic>> {
        Some(match operation {
            Operation::Move => self.value(source, size).and_then(|value| self.put(target, size, value, false)),
            Operation::Address => match source {
                Argument::Memory { .. } if size == 64 => {
                    self.effective(source).and_then(|addr| self.put(target, 64, addr, false))
                }
                _ => return None,
            },
            Operation::Exchange => self.exchange(source, target, size, one.locked),
            Operation::ExchangeAdd => self.exchange_add(source, target, size, one.locked),
            Operation::CompareExchange => self.compare_exchange(source, target, size, one.locked),
            Operation::Binary(op) => self.arithmetic(*op, source, target, size, one.locked),
            Operation::AddCarry => self.with_carry(BinaryOp::Add, source, target, size, one),
            Operation::SubtractBorrow => self.with_carry(BinaryOp::Sub, source, target, size, one),
            Operation::Compare | Operation::Test => self.compare(operation, source, target, size),
            Operation::Bit(change) => self.bit(*change, source, target, size, one.locked),
            Operation::MoveIf(condition) => match self.flags.holds(condition) {
                Some(bit) if size >= 16 => self.move_if(bit, source, target, size),
                Some(_) => return None,
                None => Err(self.flags_unknown(one)),
            },
            _ => return None,
        })
    }

    fn move_if(&mut self, bit: Expr, source: &Argument, target: &Argument, size: Size) -> Result<(), Diagnostic> {
        // Memory is read in any case, and so is the register that is written.
        let new = self.value(source, size)?;
        let new = self.keep(new, size);
        let old = self.value(target, size)?;
        self.put(target, size, Expr::Select(Box::new(bit), Box::new(new), Box::new(old)), false)
    }

    fn exchange(&mut self, one: &Argument, other: &Argument, size: Size, locked: bool) -> Result<(), Diagnostic> {
        let (memory, register) = match (self.target(one)?, self.target(other)?) {
            (Target::Memory(memory), Target::Register(_)) => (memory, other),
            (Target::Register(_), Target::Memory(memory)) => (memory, one),
            (Target::Register(first), Target::Register(second)) if !locked => {
                let (a, b) = (self.value(one, size)?, self.value(other, size)?);
                let (a, b) = (self.keep(a, size), self.keep(b, size));
                self.write_register(first, size, b)?;
                return self.write_register(second, size, a);
            }
            (_, _) => return Err(self.error("this exchange is not between memory and a register")),
        };
        let new = self.value(register, size)?;
        let new = self.keep(new, size);
        // It is locked in any case.
        let old = self.update(&memory, size, true, |_| (None, new))?;
        self.put(register, size, old, false)
    }

    fn exchange_add(
        &mut self,
        source: &Argument,
        target: &Argument,
        size: Size,
        locked: bool,
    ) -> Result<(), Diagnostic> {
        let by = self.value(source, size)?;
        let by = self.keep(by, size);
        let old = self.modify(target, size, locked, |old| old.binary(BinaryOp::Add, by.clone()))?;
        let sum = old.clone().binary(BinaryOp::Add, by.clone());
        self.flags = Flags::sum(&old, &by, &sum, None, Width::new(size));
        self.put(source, size, old, false)
    }

    fn compare_exchange(
        &mut self,
        source: &Argument,
        target: &Argument,
        size: Size,
        locked: bool,
    ) -> Result<(), Diagnostic> {
        let accumulator = usize::from(Hard::A.0);
        let new = self.value(source, size)?;
        let new = self.keep(new, size);
        let expected = self.read_register(accumulator, size);
        let expected = self.keep(expected, size);
        let equal = |old: Expr| old.binary(BinaryOp::Eq, expected.clone());
        let old = match self.target(target)? {
            Target::Memory(memory) => self.update(&memory, size, locked, |old| (Some(equal(old)), new))?,
            Target::Register(_) if locked => return Err(self.error("a locked instruction changes memory")),
            Target::Register(register) => {
                let old = self.value(target, size)?;
                let old = self.keep(old, size);
                let chosen = Expr::Select(Box::new(equal(old.clone())), Box::new(new), Box::new(old.clone()));
                self.write_register(register, size, chosen)?;
                old
            }
        };
        let difference = expected.clone().binary(BinaryOp::Sub, old.clone());
        self.flags = Flags::difference(&expected, &old, &difference, None, Width::new(size));
        self.flags.zero = Some(equal(old.clone()));
        // Where they are equal the accumulator stays as it is: its lowest bits are what was found in both cases. Of 32 bits, the
        // upper half is cleared in one case only.
        self.write_register(accumulator, size, old)?;
        if size == 32
            && let Some(register) = &mut self.registers[accumulator]
        {
            register.zero_above = false;
        }
        Ok(())
    }

    /// Both halves are compared and written in one step, which is an atomic section here.
    fn compare_exchange_pair(&mut self, memory: &Argument, half: Size, locked: bool) -> Result<(), Diagnostic> {
        let Memory::At(low) = self.memory(memory)? else {
            return Err(self.error("this instruction accesses a local variable with another size than its own"));
        };
        if !locked {
            return Err(self.error("a compare-exchange of a pair without `lock` is not supported"));
        }
        let high = super::add_offset(low.clone(), u64::from(half / 8));
        let mut hold = |register: Hard| {
            let value = self.read_register(usize::from(register.0), half);
            self.keep(value, half)
        };
        let (expected, new) = ([hold(Hard::A), hold(Hard::D)], [hold(Hard::B), hold(Hard::C)]);
        self.call.fence(&["MFENCE"]);
        self.call.lowering.emit(Op::System(System::AtomicBegin));
        let tags = self.call.lowering.tags(&["A", "SC"]);
        let found = [&low, &high].map(|addr| self.call.lowering.load(addr.clone(), &integer(half), tags.clone()));
        let [first, second] = found;
        let found = [first?.expr, second?.expr];
        let same = |at: usize| found[at].clone().binary(BinaryOp::Eq, expected[at].clone());
        let equal = self.call.lowering.temp(Width::BOOL);
        self.call.lowering.emit(Op::Assign { dst: equal, value: same(0).binary(BinaryOp::And, same(1)) });
        let [new_low, new_high] = new;
        self.call.lowering.if_(
            Expr::Local(equal),
            |lowering| {
                lowering.emit(Op::Store { addr: low, value: new_low, tags: tags.clone() });
                lowering.emit(Op::Store { addr: high, value: new_high, tags });
                Ok(())
            },
            |_| Ok(()),
        )?;
        self.call.lowering.emit(Op::System(System::AtomicEnd));
        self.call.fence(&["MFENCE"]);
        self.flags = Flags { zero: Some(Expr::Local(equal)), ..Flags::default() };
        let [low, high] = found;
        for (register, value) in [(Hard::A, low), (Hard::D, high)] {
            self.write_register(usize::from(register.0), half, value)?;
            if half == 32
                && let Some(register) = &mut self.registers[usize::from(register.0)]
            {
                register.zero_above = false;
            }
        }
        Ok(())
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        source: &Argument,
        target: &Argument,
        size: Size,
        locked: bool,
    ) -> Result<(), Diagnostic> {
        let by = self.value(source, size)?;
        let by = self.keep(by, size);
        let old = self.modify(target, size, locked, |old| old.binary(op, by.clone()))?;
        let (result, width) = (old.clone().binary(op, by.clone()), Width::new(size));
        self.flags = match op {
            BinaryOp::Add => Flags::sum(&old, &by, &result, None, width),
            BinaryOp::Sub => Flags::difference(&old, &by, &result, None, width),
            _ => Flags::bitwise(result, width),
        };
        Ok(())
    }

    fn with_carry(
        &mut self,
        op: BinaryOp,
        source: &Argument,
        target: &Argument,
        size: Size,
        one: &Instruction,
    ) -> Result<(), Diagnostic> {
        let Some(carry) = self.flags.carry.clone() else { return Err(self.flags_unknown(one)) };
        let width = Width::new(size);
        let wide = fold(carry.clone().unary(UnaryOp::ZeroExtend(width)));
        let by = self.value(source, size)?;
        let by = self.keep(by, size);
        let result = |old: Expr| old.binary(op, by.clone()).binary(op, wide.clone());
        let old = self.modify(target, size, one.locked, result)?;
        let new = result(old.clone());
        self.flags = match op {
            BinaryOp::Add => Flags::sum(&old, &by, &new, Some(carry), width),
            _ => Flags::difference(&old, &by, &new, Some(carry), width),
        };
        Ok(())
    }

    fn compare(
        &mut self,
        operation: &Operation,
        source: &Argument,
        target: &Argument,
        size: Size,
    ) -> Result<(), Diagnostic> {
        let right = self.value(source, size)?;
        let right = self.keep(right, size);
        let left = self.value(target, size)?;
        let left = self.keep(left, size);
        let width = Width::new(size);
        self.flags = if *operation == Operation::Test {
            Flags::bitwise(left.binary(BinaryOp::And, right), width)
        } else {
            let result = left.clone().binary(BinaryOp::Sub, right.clone());
            let equal = left.clone().binary(BinaryOp::Eq, right.clone());
            Flags { zero: Some(equal), ..Flags::difference(&left, &right, &result, None, width) }
        };
        Ok(())
    }

    /// By a constant number of bits. The flags are not computed.
    fn shift(&mut self, op: BinaryOp, by: &Argument, target: &Argument, size: Size) -> Result<(), Diagnostic> {
        let Some(by) = self.constant(by) else {
            return Err(self.error("a shift by a number of bits that is not a constant is not supported"));
        };
        let by = by & if size == 64 { 63 } else { 31 };
        self.modify(target, size, false, |old| old.binary(op, Self::number(by, size)))?;
        if by != 0 {
            self.flags = Flags::default();
        }
        Ok(())
    }

    /// The bit with this number goes to the carry, and changes. In memory, a number in a register may be beyond the operand.
    fn bit(
        &mut self,
        change: Option<BitChange>,
        source: &Argument,
        target: &Argument,
        size: Size,
        locked: bool,
    ) -> Result<(), Diagnostic> {
        if size == 8 {
            return Err(self.error("bits of single bytes cannot be tested"));
        }
        let number = self.value(source, size)?;
        let number = self.keep(number, size);
        let within = fold(number.clone().binary(BinaryOp::And, Self::number(i64::from(size) - 1, size)));
        let mask = fold(Self::number(1, size).binary(BinaryOp::Shl, within.clone()));
        let changed = |old: Expr| match change {
            None => old,
            Some(BitChange::Set) => old.binary(BinaryOp::Or, mask.clone()),
            Some(BitChange::Reset) => old.binary(BinaryOp::And, fold(mask.clone().unary(UnaryOp::Not))),
            Some(BitChange::Complement) => old.binary(BinaryOp::Xor, mask.clone()),
        };
        let old = match self.target(target)? {
            Target::Register(_) if change.is_none() => self.value(target, size)?,
            Target::Register(_) => self.modify(target, size, locked, changed)?,
            Target::Memory(memory) => {
                let memory =
                    if self.constant(source).is_some() { memory } else { self.bit_string(memory, &number, size)? };
                match change {
                    None => self.load(&memory, size)?,
                    Some(_) => self.update(&memory, size, locked, |old| (None, changed(old)))?,
                }
            }
        };
        let carry = fold(old.binary(BinaryOp::LShr, within)).binary(BinaryOp::And, Self::number(1, size));
        let carry = carry.binary(BinaryOp::Ne, Self::number(0, size));
        self.flags = Flags { carry: Some(carry), zero: self.flags.zero.take(), ..Flags::default() };
        Ok(())
    }

    /// The word of a string of bits that has the bit with this number, which is signed.
    fn bit_string(&mut self, memory: Memory, number: &Expr, size: Size) -> Result<Memory, Diagnostic> {
        if let Expr::Const(bits, _) = number
            && *bits < u64::from(size)
        {
            return Ok(memory);
        }
        let Memory::At(addr) = memory else {
            return Err(self.error("the number of this bit may be beyond the variable"));
        };
        let shift = i64::from(size.trailing_zeros());
        let word = fold(number.clone().binary(BinaryOp::AShr, Self::number(shift, size)));
        let word = if size == 64 { word } else { fold(word.unary(UnaryOp::SignExtend(Width::WORD))) };
        let offset = fold(word.binary(BinaryOp::Mul, Self::number(i64::from(size / 8), 64)));
        let addr = fold(addr.binary(BinaryOp::Add, offset));
        Ok(Memory::At(self.keep(addr, 64)))
    }
}

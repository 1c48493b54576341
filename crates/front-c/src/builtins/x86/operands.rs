//! The operands of a statement: where compilers put them, and what they hold before the first instruction.

use super::parse::{Argument, Hard, Instruction, Name, Size, hard};
use super::{Flags, Machine, Register, flags};
use crate::builtins::context::Call;
use crate::lower::Value;
use crate::lower::place::{At, Place};
use crate::types::Type;
use c_syntax::ast::{Asm, AsmOperand};
use ir::{Expr, Width};
use source::Diagnostic;

/// An operand of the statement.
#[derive(Debug)]
pub(super) struct Operand {
    pub storage: Storage,
    /// The size of its type.
    pub size: Size,
    /// The variable that it is written to.
    pub output: Option<Place>,
    /// Whether it has a value before the first instruction.
    pub read: bool,
    /// Whether it shares its register with no input.
    pub early: bool,
    /// Whether it is an input in the register of an output.
    pub tied: bool,
}

impl Operand {
    pub fn is_output_in(&self, register: usize) -> bool {
        self.output.is_some() && matches!(self.storage, Storage::Register(own) if own == register)
    }
}

/// Where an operand is.
#[derive(Debug, Clone)]
pub(super) enum Storage {
    /// One of the sixteen, or one of its own: see [`Machine`].
    Register(usize),
    Memory(Memory),
    /// An immediate operand.
    Constant(i64),
    /// Whether a condition holds at the end.
    Flag(String),
}

/// An object in memory.
#[derive(Debug, Clone)]
pub(super) enum Memory {
    At(Expr),
    /// A variable whose address nobody has.
    Local(Place),
}

/// What a constraint says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Constraint {
    read: bool,
    written: bool,
    early: bool,
    memory: bool,
    register: bool,
    constant: bool,
    fixed: Option<Hard>,
    tied: Option<usize>,
    flag: Option<String>,
}

fn constraint(text: &str, names: &[Option<&str>]) -> Option<Constraint> {
    let mut out = Constraint { read: true, ..Constraint::default() };
    if let Some(letters) = text.strip_prefix("=@cc") {
        return flags::is_condition(letters).then(|| Constraint {
            read: false,
            written: true,
            flag: Some(letters.to_owned()),
            ..Constraint::default()
        });
    }
    if let Some(name) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        out.tied = Some(names.iter().position(|known| *known == Some(name))?);
        return Some(out);
    }
    if let Ok(number) = text.parse::<usize>() {
        out.tied = Some(number).filter(|&at| at < names.len());
        return out.tied.is_some().then_some(out);
    }
    for letter in text.chars() {
        match letter {
            '=' => (out.written, out.read) = (true, false),
            '+' => out.written = true,
            '&' => out.early = true,
            '%' | ',' | ' ' => {}
            'r' | 'q' | 'Q' | 'R' | 'l' => out.register = true,
            'm' | 'o' | 'V' => out.memory = true,
            'g' | 'X' => (out.memory, out.register, out.constant) = (true, true, true),
            // What is no constant for us, such as an address, is as good in a register.
            'i' | 'n' | 'e' | 'Z' | 'I' | 'J' | 'K' | 'L' | 'M' | 'N' | 'O' | 's' => {
                (out.constant, out.register) = (true, true);
            }
            'a' => out.fixed = Some(Hard::A),
            'b' => out.fixed = Some(Hard::B),
            'c' => out.fixed = Some(Hard::C),
            'd' => out.fixed = Some(Hard::D),
            'S' => out.fixed = Some(Hard::SI),
            'D' => out.fixed = Some(Hard::DI),
            _ => return None,
        }
    }
    // Of a register by name and any other place, the other place is as good.
    if out.register || out.memory {
        out.fixed = None;
    }
    (out.register || out.memory || out.fixed.is_some()).then_some(out)
}

/// Whether a locked instruction mentions an operand: then it is in memory.
fn is_locked(instructions: &[Instruction], at: usize) -> bool {
    let names = |argument: &Argument| matches!(argument, Argument::Named(Name::Operand(own, _)) if *own == at);
    let memory = |one: &Instruction| one.arguments.iter().position(names);
    instructions.iter().any(|one| one.locked && memory(one).is_some_and(|place| place + 1 == one.arguments.len()))
}

impl<'m, 'a, 'b> Machine<'m, 'a, 'b> {
    /// The machine before the first instruction.
    pub(super) fn new(call: &'m mut Call<'a, 'b>, asm: &Asm, instructions: &[Instruction]) -> Result<Self, Diagnostic> {
        let names: Vec<Option<&str>> =
            asm.outputs.iter().chain(&asm.inputs).map(|one| one.name.as_ref().map(|name| &*name.text)).collect();
        let clobbers = asm.clobbers.iter().filter_map(|clobber| {
            let name = clobber.text();
            hard(name.strip_prefix('%').unwrap_or(&name)).map(|(register, _)| register)
        });
        let mut machine = Machine {
            operands: Vec::new(),
            registers: vec![None; 16 + names.len()],
            flags: Flags::default(),
            clobbers: clobbers.collect(),
            dirty: false,
            wrote_output: false,
            call,
        };
        for (at, operand) in asm.outputs.iter().enumerate() {
            let constraint = machine.constraint(operand, &names)?;
            let operand = machine.output(operand, constraint, at, instructions)?;
            machine.operands.push(operand);
        }
        for (at, operand) in asm.inputs.iter().enumerate() {
            let constraint = machine.constraint(operand, &names)?;
            let operand = machine.input(operand, &constraint, at + asm.outputs.len(), instructions)?;
            machine.operands.push(operand);
        }
        Ok(machine)
    }

    fn constraint(&self, operand: &AsmOperand, names: &[Option<&str>]) -> Result<Constraint, Diagnostic> {
        let text = operand.constraint.text();
        constraint(&text, names).ok_or_else(|| {
            let place = self.call.lowering.at(operand.span);
            let message = format!("the constraint `{text}` of inline assembly is not supported");
            self.call
                .lowering
                .error(place, message)
                .help("those for general registers, memory and constants are: r, q, a, m, i…")
        })
    }

    /// The object that an operand in memory is, its address computed once.
    fn object(&mut self, place: &Place) -> Memory {
        match &place.at {
            At::Memory(addr) => {
                let addr = self.call.keep(Value { expr: addr.clone(), ty: Type::ULONG_LONG }).expr;
                Memory::At(addr)
            }
            At::Local(_) | At::Split(..) => Memory::Local(place.clone()),
        }
    }

    fn type_size(&self, operand: &AsmOperand, ty: &Type) -> Result<Size, Diagnostic> {
        match ty.width().map(Width::bits) {
            Some(bits @ (8 | 16 | 32 | 64)) => Ok(bits as Size),
            _ => {
                let what = self.call.lowering.types.describe(ty);
                let place = self.call.lowering.at(operand.span);
                let message = format!("a `{what}` in a register of inline assembly is not supported");
                Err(self.call.lowering.error(place, message).help("give it an integer or a pointer"))
            }
        }
    }

    fn output(
        &mut self,
        operand: &AsmOperand,
        constraint: Constraint,
        at: usize,
        instructions: &[Instruction],
    ) -> Result<Operand, Diagnostic> {
        let mut place = self.call.lowering.place(&operand.expression)?;
        let (read, early) = (constraint.read, constraint.early);
        if let Some(flag) = constraint.flag {
            let storage = Storage::Flag(flag);
            return Ok(Operand { storage, size: 8, output: Some(place), read, early, tied: false });
        }
        let memory =
            constraint.memory && (!constraint.register && constraint.fixed.is_none() || is_locked(instructions, at));
        let object = self.object(&place);
        if memory {
            let storage = Storage::Memory(object);
            return Ok(Operand { storage, size: 0, output: Some(place), read, early, tied: false });
        }
        if let Memory::At(addr) = object {
            place.at = At::Memory(addr);
        }
        let size = self.type_size(operand, &place.ty)?;
        let register = constraint.fixed.map_or(16 + at, |hard| usize::from(hard.0));
        if read {
            let value = self.call.lowering.read(&place)?;
            self.initialise(register, value, size);
        }
        Ok(Operand { storage: Storage::Register(register), size, output: Some(place), read, early, tied: false })
    }

    fn input(
        &mut self,
        operand: &AsmOperand,
        constraint: &Constraint,
        at: usize,
        instructions: &[Instruction],
    ) -> Result<Operand, Diagnostic> {
        let only_memory = constraint.memory && !constraint.register && constraint.fixed.is_none();
        if only_memory || constraint.memory && is_locked(instructions, at) {
            let place = self.call.lowering.place(&operand.expression)?;
            let storage = Storage::Memory(self.object(&place));
            return Ok(Operand { storage, size: 0, output: None, read: true, early: false, tied: false });
        }
        if constraint.constant
            && let Some(value) = self.call.lowering.const_value(&operand.expression)
        {
            let storage = Storage::Constant(value);
            return Ok(Operand { storage, size: 0, output: None, read: true, early: false, tied: false });
        }
        let value = self.call.lowering.rvalue(&operand.expression)?;
        let (storage, tied) = match constraint.tied.map(|to| self.operands.get(to).map(|output| output.storage.clone()))
        {
            None => {
                let register = constraint.fixed.map_or(16 + at, |hard| usize::from(hard.0));
                let tied = self.operands.iter().any(|output| output.is_output_in(register));
                (Storage::Register(register), tied)
            }
            Some(Some(storage)) => (storage, true),
            Some(None) => return Err(self.error(format!("operand {at} of this assembly is tied to no output"))),
        };
        let size = self.type_size(operand, &value.ty)?;
        match &storage {
            Storage::Register(register) => self.initialise(*register, value, size),
            // `"0" (x)` for an output in memory: it holds `x` at first.
            Storage::Memory(memory) => {
                let (memory, value) = (memory.clone(), value.expr);
                self.store(&memory, size, value)?;
            }
            Storage::Constant(_) | Storage::Flag(_) => {
                return Err(self.error(format!("operand {at} of this assembly is tied to a flag")));
            }
        }
        Ok(Operand { storage, size, output: None, read: true, early: false, tied })
    }

    /// What a register holds at first. What is above a narrow value can be anything.
    fn initialise(&mut self, register: usize, value: Value, size: Size) {
        let value = self.call.keep(value).expr;
        self.registers[register] = Some(Register { value, bits: size, zero_above: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_say_where_an_operand_is() {
        let read = |text: &str| constraint(text, &[Some("x"), None]);
        let memory = read("+m").expect("known");
        assert!(memory.memory && memory.read && memory.written);
        let output = read("=&r").expect("known");
        assert!(output.register && output.early && !output.read);
        assert_eq!(read("=a").and_then(|one| one.fixed), Some(Hard::A));
        assert_eq!(read("1").and_then(|one| one.tied), Some(1));
        assert_eq!(read("[x]").and_then(|one| one.tied), Some(0));
        assert_eq!(read("=@ccnz").and_then(|one| one.flag), Some("nz".to_owned()));
        for unknown in ["=x", "=@ccq", "7", "[y]", "A", ""] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }
}

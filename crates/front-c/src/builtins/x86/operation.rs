//! The instructions that are known, by their mnemonics.

use super::flags::is_condition;
use super::parse::Size;
use ir::BinaryOp;

/// What an instruction computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    /// A hint.
    Nothing,
    Fence(&'static str),
    Move,
    /// With the sizes of what is read and of what is written.
    Extend {
        signed: bool,
        from: Size,
        to: Size,
    },
    Address,
    Exchange,
    ExchangeAdd,
    CompareExchange,
    /// `cmpxchg8b` and `cmpxchg16b`, with the size of a half.
    CompareExchangePair(Size),
    Binary(BinaryOp),
    AddCarry,
    SubtractBorrow,
    Compare,
    Test,
    Step(BinaryOp),
    Negate,
    Complement,
    Shift(BinaryOp),
    Bit(Option<BitChange>),
    SwapBytes,
    Set(String),
    MoveIf(String),
    /// The time: any number in `a` and `d`.
    Clock,
}

/// What becomes of a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BitChange {
    Set,
    Reset,
    Complement,
}

impl Operation {
    /// By its mnemonic, without the letter for the size of its operands.
    fn plain(name: &str) -> Option<Operation> {
        Some(match name {
            "pause" | "nop" | "prefetchw" | "prefetcht0" | "prefetcht1" | "prefetcht2" | "prefetchnta" | "cld" => {
                Operation::Nothing
            }
            "mfence" => Operation::Fence("MFENCE"),
            "lfence" => Operation::Fence("LFENCE"),
            "sfence" => Operation::Fence("SFENCE"),
            "mov" => Operation::Move,
            "lea" => Operation::Address,
            "xchg" => Operation::Exchange,
            "xadd" => Operation::ExchangeAdd,
            "cmpxchg" => Operation::CompareExchange,
            "cmpxchg8b" => Operation::CompareExchangePair(32),
            "cmpxchg16b" => Operation::CompareExchangePair(64),
            "add" => Operation::Binary(BinaryOp::Add),
            "sub" => Operation::Binary(BinaryOp::Sub),
            "and" => Operation::Binary(BinaryOp::And),
            "or" => Operation::Binary(BinaryOp::Or),
            "xor" => Operation::Binary(BinaryOp::Xor),
            "adc" => Operation::AddCarry,
            "sbb" => Operation::SubtractBorrow,
            "cmp" => Operation::Compare,
            "test" => Operation::Test,
            "inc" => Operation::Step(BinaryOp::Add),
            "dec" => Operation::Step(BinaryOp::Sub),
            "neg" => Operation::Negate,
            "not" => Operation::Complement,
            "shl" | "sal" => Operation::Shift(BinaryOp::Shl),
            "shr" => Operation::Shift(BinaryOp::LShr),
            "sar" => Operation::Shift(BinaryOp::AShr),
            "bt" => Operation::Bit(None),
            "bts" => Operation::Bit(Some(BitChange::Set)),
            "btr" => Operation::Bit(Some(BitChange::Reset)),
            "btc" => Operation::Bit(Some(BitChange::Complement)),
            "bswap" => Operation::SwapBytes,
            "rdtsc" => Operation::Clock,
            _ => {
                if let Some(condition) = name.strip_prefix("set").filter(|rest| is_condition(rest)) {
                    return Some(Operation::Set(condition.to_owned()));
                }
                let condition = name.strip_prefix("cmov").filter(|rest| is_condition(rest))?;
                Operation::MoveIf(condition.to_owned())
            }
        })
    }

    /// By its mnemonic; and the size that its last letter says.
    pub fn parse(mnemonic: &str) -> Option<(Operation, Option<Size>)> {
        if let Some(operation) = Operation::plain(mnemonic) {
            return Some((operation, None));
        }
        let (rest, last) = mnemonic.split_at_checked(mnemonic.len().checked_sub(1)?)?;
        let size = letter(last)?;
        if let Some((signed, from)) = match rest {
            "movzb" => Some((false, 8)),
            "movzw" => Some((false, 16)),
            "movsb" => Some((true, 8)),
            "movsw" => Some((true, 16)),
            "movsl" => Some((true, 32)),
            _ => None,
        } {
            return (from < size).then_some((Operation::Extend { signed, from, to: size }, Some(size)));
        }
        Operation::plain(rest).filter(Operation::has_letter).map(|operation| (operation, Some(size)))
    }

    /// Whether its mnemonic may end in a letter for the size.
    fn has_letter(&self) -> bool {
        !matches!(
            self,
            Operation::Nothing
                | Operation::Fence(_)
                | Operation::Set(_)
                | Operation::CompareExchangePair(_)
                | Operation::Clock
        )
    }

    /// Whether it may be locked.
    pub fn may_lock(&self) -> bool {
        match self {
            Operation::Exchange
            | Operation::ExchangeAdd
            | Operation::CompareExchange
            | Operation::CompareExchangePair(_)
            | Operation::Binary(_)
            | Operation::AddCarry
            | Operation::SubtractBorrow
            | Operation::Step(_)
            | Operation::Negate
            | Operation::Complement
            | Operation::Bit(Some(_)) => true,
            Operation::Nothing
            | Operation::Fence(_)
            | Operation::Move
            | Operation::Extend { .. }
            | Operation::Address
            | Operation::Compare
            | Operation::Test
            | Operation::Shift(_)
            | Operation::Bit(None)
            | Operation::SwapBytes
            | Operation::Set(_)
            | Operation::MoveIf(_)
            | Operation::Clock => false,
        }
    }
}

fn letter(last: &str) -> Option<Size> {
    Some(match last {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_for_sizes_are_told_from_names() {
        assert_eq!(Operation::parse("sub"), Some((Operation::Binary(BinaryOp::Sub), None)));
        assert_eq!(Operation::parse("subl"), Some((Operation::Binary(BinaryOp::Sub), Some(32))));
        assert_eq!(Operation::parse("shl"), Some((Operation::Shift(BinaryOp::Shl), None)));
        assert_eq!(Operation::parse("setb"), Some((Operation::Set("b".to_owned()), None)));
        assert_eq!(Operation::parse("cmovbq"), Some((Operation::MoveIf("b".to_owned()), Some(64))));
        let extend = Operation::Extend { signed: false, from: 8, to: 32 };
        assert_eq!(Operation::parse("movzbl"), Some((extend, Some(32))));
        for unknown in ["movzlq", "mfenceq", "setzb", "jmp", "", "movdqa", "q"] {
            assert_eq!(Operation::parse(unknown), None, "{unknown}");
        }
    }
}

//! What holds at a place, on all paths that lead there.

use crate::points::{Site, Target};
use crate::threads::Class;
use ir::{BinaryOp, Expr, LocalId, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// A lock: the byte at which it begins. Only such locks are looked at whose address is one in all runs.
pub(crate) type Lock = (Site, u64);

/// Who may have a lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// Others that read.
    Shared,
    /// Nobody.
    Exclusive,
}

/// What holds at a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct State {
    /// The locks that this thread has.
    pub locks: BTreeMap<Lock, Mode>,
    /// The classes that may have threads which this one, or one that it started, has started and which need not have ended.
    pub alive: BTreeSet<Class>,
    /// How many atomic sections are open.
    pub depth: u32,
    /// Locals whose value is known.
    pub known: BTreeMap<LocalId, Target>,
    /// Locals that say, by being zero, that a lock was taken.
    pub tried: BTreeMap<LocalId, (Lock, Mode)>,
}

impl State {
    /// What holds on both of two paths.
    pub fn join(&self, other: &State) -> State {
        let mut locks = BTreeMap::new();
        for (lock, &mode) in &self.locks {
            if let Some(&second) = other.locks.get(lock) {
                locks.insert(*lock, mode.min(second));
            }
        }
        let same =
            |(local, value): (&LocalId, &Target)| (other.known.get(local) == Some(value)).then_some((*local, *value));
        let tried = |(local, value): (&LocalId, &(Lock, Mode))| {
            (other.tried.get(local) == Some(value)).then_some((*local, *value))
        };
        State {
            locks,
            alive: self.alive.union(&other.alive).copied().collect(),
            depth: self.depth.min(other.depth),
            known: self.known.iter().filter_map(same).collect(),
            tried: self.tried.iter().filter_map(tried).collect(),
        }
    }

    /// A local has a new value.
    pub fn assign(&mut self, local: LocalId, value: Option<Target>) {
        self.tried.remove(&local);
        match value {
            Some(value) => self.known.insert(local, value),
            None => self.known.remove(&local),
        };
    }

    /// What an expression is, if that is known.
    pub fn known(&self, expr: &Expr) -> Option<Target> {
        match expr {
            Expr::Const(..) | Expr::Select(..) => None,
            Expr::Local(local) => self.known.get(local).copied(),
            Expr::Address(object, offset) => Some(Target::Byte(object.0, Some(*offset))),
            Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_), operand) => self.known(operand),
            Expr::Unary(..) => None,
            Expr::Binary(op, left, right) => {
                let (base, by) = match (op, &**left, &**right) {
                    (BinaryOp::Add, base, Expr::Const(by, _)) | (BinaryOp::Add, Expr::Const(by, _), base) => {
                        (base, *by)
                    }
                    (BinaryOp::Sub, base, Expr::Const(by, _)) => (base, by.wrapping_neg()),
                    _ => return None,
                };
                match self.known(base)? {
                    Target::Byte(site, Some(offset)) => Some(Target::Byte(site, Some(offset.wrapping_add(by)))),
                    Target::Byte(_, None) | Target::Thread(_) => None,
                }
            }
        }
    }

    /// A branch on a condition went this way: locks may be known to be taken.
    pub fn branch(&mut self, condition: &Expr, taken: bool) {
        let Some((local, zero)) = zero_test(condition) else { return };
        if zero == taken
            && let Some((lock, mode)) = self.tried.get(&local).copied()
        {
            self.locks.insert(lock, mode);
        }
    }
}

/// The local that a condition compares with zero, and whether it holds where that is zero.
fn zero_test(condition: &Expr) -> Option<(LocalId, bool)> {
    match condition {
        Expr::Local(local) => Some((*local, false)),
        Expr::Unary(UnaryOp::ZeroExtend(_) | UnaryOp::SignExtend(_), operand) => zero_test(operand),
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) if matches!(**right, Expr::Const(0, _)) => {
            let (local, zero) = zero_test(left)?;
            Some((local, zero != (*op == BinaryOp::Eq)))
        }
        Expr::Const(..) | Expr::Address(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Width;

    #[test]
    fn a_condition_says_where_a_local_is_zero() {
        let local = Expr::Local(LocalId(3));
        let zero = || Expr::Const(0, Width::INT);
        assert_eq!(zero_test(&local), Some((LocalId(3), false)));
        let equal = local.clone().binary(BinaryOp::Eq, zero());
        assert_eq!(zero_test(&equal), Some((LocalId(3), true)));
        let not = equal.unary(UnaryOp::ZeroExtend(Width::INT)).binary(BinaryOp::Ne, zero());
        assert_eq!(zero_test(&not), Some((LocalId(3), true)));
        let twice = not.unary(UnaryOp::ZeroExtend(Width::INT)).binary(BinaryOp::Eq, zero());
        assert_eq!(zero_test(&twice), Some((LocalId(3), false)));
        assert_eq!(zero_test(&local.binary(BinaryOp::Eq, Expr::Const(1, Width::INT))), None);
    }
}

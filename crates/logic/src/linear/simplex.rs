//! The simplex method over exact fractions, for constraints `sum <= bound` over variables without bounds.
//!
//! Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)" (CAV 2006), without theirs for strict bounds
//! and without backtracking. The smallest number goes first (Bland's rule), so it comes to an end.

use super::ratio::Ratio;
use std::cmp::Ordering;

/// What is known about constraints over fractions.
pub enum Fractional {
    /// These values satisfy them.
    Solution(Vec<Ratio>),
    /// The sum of these constraints with these positive factors says that zero is less than zero.
    Conflict(Vec<(usize, Ratio)>),
}

/// A row: the factors by variable, and the bound.
pub type Row = (Vec<(usize, Ratio)>, Ratio);

/// How many times variables change places at most.
const PIVOTS: usize = 20_000;

/// Solves the rows over this many variables. Nothing comes back if numbers or the search become too large.
pub fn solve(vars: usize, rows: &[Row]) -> Option<Fractional> {
    // Column j stands for `outside[j]`, row i for `inside[i]`. Numbers from `vars` on are the sums of the rows.
    let mut outside: Vec<usize> = (0..vars).collect();
    let mut inside: Vec<usize> = (vars..vars + rows.len()).collect();
    let mut table: Vec<Vec<Ratio>> = Vec::with_capacity(rows.len());
    for (terms, _) in rows {
        let mut row = vec![Ratio::ZERO; vars];
        for &(var, factor) in terms {
            row[var] = factor;
        }
        table.push(row);
    }
    let mut values = vec![Ratio::ZERO; vars + rows.len()];
    let bound = |var: usize| (var >= vars).then(|| rows[var - vars].1);
    for _ in 0..PIVOTS {
        let mut leaves: Option<(usize, Ratio)> = None;
        for (at, &var) in inside.iter().enumerate() {
            if let Some(bound) = bound(var)
                && values[var].compare(bound)? == Ordering::Greater
                && leaves.is_none_or(|(best, _)| var < inside[best])
            {
                leaves = Some((at, bound));
            }
        }
        let Some((leaves, target)) = leaves else {
            values.truncate(vars);
            return Some(Fractional::Solution(values));
        };
        // The sum has to become smaller.
        let mut enters: Option<usize> = None;
        for (at, factor) in table[leaves].iter().enumerate() {
            let var = outside[at];
            let moves = match bound(var) {
                None => !factor.is_zero(),
                Some(_) if factor.is_positive() => true,
                Some(bound) => factor.is_negative() && values[var].compare(bound)? == Ordering::Less,
            };
            if moves && enters.is_none_or(|best| var < outside[best]) {
                enters = Some(at);
            }
        }
        let Some(enters) = enters else {
            let mut conflict = vec![(inside[leaves] - vars, Ratio::ONE)];
            for (at, factor) in table[leaves].iter().enumerate() {
                if !factor.is_zero() {
                    conflict.push((outside[at] - vars, factor.negated()?));
                }
            }
            return Some(Fractional::Conflict(conflict));
        };
        let change = target.minus(values[inside[leaves]])?.divided(table[leaves][enters])?;
        values[outside[enters]] = values[outside[enters]].plus(change)?;
        for (row, &var) in table.iter().zip(&inside) {
            if !row[enters].is_zero() {
                values[var] = values[var].plus(change.times(row[enters])?)?;
            }
        }
        pivot(&mut table, leaves, enters)?;
        std::mem::swap(&mut inside[leaves], &mut outside[enters]);
    }
    None
}

/// Lets the variable of a row and that of a column change places.
fn pivot(table: &mut [Vec<Ratio>], leaves: usize, enters: usize) -> Option<()> {
    let factor = table[leaves][enters];
    for (at, own) in table[leaves].iter_mut().enumerate() {
        *own = if at == enters { Ratio::ONE.divided(factor)? } else { own.divided(factor)?.negated()? };
    }
    let new = table[leaves].clone();
    for (at, row) in table.iter_mut().enumerate() {
        if at == leaves || row[enters].is_zero() {
            continue;
        }
        let factor = std::mem::replace(&mut row[enters], Ratio::ZERO);
        for (own, new) in row.iter_mut().zip(&new) {
            if !new.is_zero() {
                *own = own.plus(factor.times(*new)?)?;
            }
        }
    }
    Some(())
}

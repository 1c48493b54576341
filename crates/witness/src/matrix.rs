//! Relations between the events of an execution, as a row of bits for each event.

use std::collections::BTreeSet;

/// A relation between the events 0 to `size`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matrix {
    size: usize,
    rows: Vec<Vec<u64>>,
}

impl Matrix {
    pub fn empty(size: usize) -> Self {
        Matrix { size, rows: vec![vec![0; size.div_ceil(64)]; size] }
    }

    pub fn new(size: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut matrix = Matrix::empty(size);
        pairs.into_iter().for_each(|(from, to)| matrix.insert(from, to));
        matrix
    }

    pub fn identity(size: usize) -> Self {
        Matrix::new(size, (0..size).map(|event| (event, event)))
    }

    pub fn product(size: usize, from: &BTreeSet<usize>, to: &BTreeSet<usize>) -> Self {
        Matrix::new(size, from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to))))
    }

    fn insert(&mut self, from: usize, to: usize) {
        self.rows[from][to / 64] |= 1 << (to % 64);
    }

    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.rows[from][to / 64] >> (to % 64) & 1 == 1
    }

    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let words = self.rows.iter().enumerate().flat_map(|(from, row)| {
            row.iter().enumerate().filter(|(_, word)| **word != 0).map(move |(at, word)| (from, at, *word))
        });
        words.flat_map(move |(from, at, word)| bits(word).map(move |bit| (from, 64 * at + bit)))
    }

    pub fn is_empty(&self) -> bool {
        self.rows.iter().flatten().all(|word| *word == 0)
    }

    pub fn is_irreflexive(&self) -> bool {
        (0..self.size).all(|event| !self.contains(event, event))
    }

    /// The pairs for which `op` holds of being here and being there.
    pub fn combine(&self, other: &Matrix, op: fn(bool, bool) -> bool) -> Matrix {
        let word = |(left, right): (&u64, &u64)| {
            let part = |a: bool, b: bool| {
                let left = if a { *left } else { !left };
                let right = if b { *right } else { !right };
                if op(a, b) { left & right } else { 0 }
            };
            part(true, true) | part(true, false) | part(false, true)
        };
        let row = |(left, right): (&Vec<u64>, &Vec<u64>)| left.iter().zip(right).map(word).collect();
        Matrix { size: self.size, rows: self.rows.iter().zip(&other.rows).map(row).collect() }
    }

    fn add_row(&mut self, to: usize, row: &[u64]) {
        self.rows[to].iter_mut().zip(row).for_each(|(own, other)| *own |= other);
    }

    pub fn compose(&self, other: &Matrix) -> Matrix {
        let mut result = Matrix::empty(self.size);
        self.iter().for_each(|(from, middle)| result.add_row(from, &other.rows[middle]));
        result
    }

    pub fn inverse(&self) -> Matrix {
        Matrix::new(self.size, self.iter().map(|(from, to)| (to, from)))
    }

    /// The transitive closure.
    pub fn closure(&self) -> Matrix {
        let mut all = self.clone();
        for middle in 0..self.size {
            let row = all.rows[middle].clone();
            for from in 0..self.size {
                if all.contains(from, middle) {
                    all.add_row(from, &row);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closure_and_composition() {
        let path = Matrix::new(200, (0..199).map(|event| (event, event + 1)));
        let closure = path.closure();
        assert_eq!(closure.iter().count(), 199 * 200 / 2);
        assert!(closure.is_irreflexive() && closure.contains(0, 199) && !closure.contains(199, 0));
        assert_eq!(path.compose(&path), Matrix::new(200, (0..198).map(|event| (event, event + 2))));
        assert_eq!(path.inverse().inverse(), path);
        let beyond = closure.combine(&path, |closure, path| closure && !path);
        assert_eq!(beyond.iter().count(), 199 * 200 / 2 - 199);
        assert!(Matrix::new(3, [(0, 1), (1, 0)]).closure().contains(0, 0));
    }
}

//! Which blocks of a function lie on a cycle.

use ir::Function;

/// For each block whether control can come back to it. (Tarjan's algorithm, without recursion.)
pub(crate) fn cyclic(function: &Function) -> Vec<bool> {
    let next = |block: usize| -> Vec<usize> {
        function.blocks[block].terminator.successors().map(ir::BlockId::index).collect()
    };
    let count = function.blocks.len();
    let mut result = vec![false; count];
    let (mut number, mut low, mut open) = (vec![usize::MAX; count], vec![0; count], vec![false; count]);
    let (mut stack, mut counter) = (Vec::new(), 0);
    for start in 0..count {
        if number[start] != usize::MAX {
            continue;
        }
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(block) = enter.take() {
                (number[block], low[block], open[block]) = (counter, counter, true);
                counter += 1;
                stack.push(block);
                path.push((block, next(block)));
            }
            let Some((block, pending)) = path.last_mut() else { break };
            let block = *block;
            if let Some(to) = pending.pop() {
                result[block] |= to == block;
                if number[to] == usize::MAX {
                    enter = Some(to);
                } else if open[to] {
                    low[block] = low[block].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[block]);
            }
            if low[block] == number[block] {
                let from = stack.iter().position(|&member| member == block).unwrap_or(0);
                let members = stack.split_off(from);
                let several = members.len() > 1;
                for member in members {
                    open[member] = false;
                    result[member] |= several;
                }
            }
        }
    }
    result
}

//! Where a statement could be put into the user's text.
//!
//! While a function is lowered, a seam is an instruction of its own: a fence without tags, which no C text makes. So it
//! stays between its neighbours whatever becomes of the blocks. When the program is complete, [`extract`] takes these
//! instructions out and writes down where they were.

use super::Lowering;
use c_syntax::ast::Range as Parsed;
use ir::{BlockId, FunctionId, Op, Place, Program, Seam, TagSet};
use source::Span;

/// On which side of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl Lowering {
    /// A statement could be put in here, before or after this one; with `braces`, both need braces around them.
    pub fn seam(&mut self, statement: Parsed, side: Side, braces: bool) {
        if !self.options.seams || !self.body.unit.is_user() {
            return;
        }
        let Some(statement) = self.text().and_then(|text| text.statement(statement)) else { return };
        let place = match side {
            Side::Before => Place::Before { statement, braces },
            Side::After => Place::After { statement, braces },
        };
        let number = self.seams.len() as u32;
        self.seams.push(place);
        let outer = std::mem::replace(&mut self.body.span, Span { start: number, end: number });
        self.body.emit(Op::Fence { tags: TagSet::default() });
        self.body.span = outer;
    }
}

/// Takes the seams out of a complete program.
pub(crate) fn extract(program: &mut Program, places: &[Place]) {
    let mut found = Vec::new();
    for (function, body) in program.functions.iter_mut().enumerate() {
        for (at, block) in body.blocks.iter_mut().enumerate() {
            let mut index = 0;
            block.instrs.retain(|instr| {
                let seam = matches!(&instr.op, Op::Fence { tags } if tags.is_empty());
                if seam {
                    let number = instr.span.start;
                    let place = places[number as usize];
                    let (function, block) = (FunctionId(function as u32), BlockId(at as u32));
                    found.push((number, Seam { function, block, index, place }));
                } else {
                    index += 1;
                }
                !seam
            });
        }
    }
    found.sort_by_key(|(number, _)| *number);
    program.seams = found.into_iter().map(|(_, seam)| seam).collect();
}

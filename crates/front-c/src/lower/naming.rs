//! What the objects are called that a program makes while it runs.
//!
//! A block of memory is known by the variable that first takes its address: `*m`, so that its parts are `m->id` and `m[3]`.

use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{Expression, Node};
use ir::{Expr, Op, Shape, System};
use std::sync::Arc;

/// Types with more scalars than this have no names for them: nobody would read the table.
const MAX_PARTS: usize = 4096;

/// Text of a variable that is longer than this is no name.
const MAX_NAME: usize = 24;

impl Lowering {
    /// The name of objects of this type that are made here. Objects of other types that have the same name get a line.
    pub fn shaped(&mut self, name: &str, ty: &Type) -> String {
        let Some(shape) = self.object_shape(ty) else { return name.to_owned() };
        let line = self.program.source.mark(self.span());
        let names = [name.to_owned(), format!("{name}@{line}"), format!("{name}@{line}:{}", self.program.shapes.len())];
        let free = |name: &&String| self.program.shapes.get(*name).is_none_or(|known| *known == shape);
        let name = names.iter().find(free).unwrap_or(&names[2]).clone();
        Arc::make_mut(&mut self.program.shapes).insert(name.clone(), shape);
        name
    }

    fn object_shape(&self, ty: &Type) -> Option<Shape> {
        let stride = self.types.size(ty).ok().filter(|size| *size > 0)?;
        let leaves = self.types.leaves(ty).ok().filter(|leaves| leaves.len() <= MAX_PARTS)?;
        let parts = leaves.iter().map(|leaf| (leaf.offset, self.types.path(ty, leaf.offset))).collect();
        Some(Shape { stride, parts })
    }

    /// If a value is the address of a block that was just allocated, the block is called by what takes it.
    pub fn name_block(&mut self, value: &Value, taker: &Node<Expression>) {
        let place = self.at(taker.span);
        let name: String = self.program.source.slice(place).split_whitespace().collect();
        let simple = |c: char| c.is_alphanumeric() || "_.->[]*&".contains(c);
        if name.len() <= MAX_NAME && name.chars().all(simple) {
            self.name_block_as(value, &name);
        }
    }

    /// The same where the name of the taker is known.
    pub fn name_block_as(&mut self, value: &Value, name: &str) {
        let (Expr::Local(block), Some(to)) = (&value.expr, value.ty.pointee().cloned()) else { return };
        if self.body.is_library() || name.is_empty() || !self.is_new_block(*block) {
            return;
        }
        let name =
            if matches!(to.kind, Kind::Void) { format!("*{name}") } else { self.shaped(&format!("*{name}"), &to) };
        for op in self.body.ops() {
            match op {
                Op::System(System::Alloc { dst, name: old, .. }) if *dst == *block => *old = name.clone(),
                _ => {}
            }
        }
    }

    /// Whether a local takes the address of a block that has no name but the line of its allocation.
    fn is_new_block(&mut self, block: ir::LocalId) -> bool {
        self.body.ops().any(|op| {
            matches!(op, Op::System(System::Alloc { dst, name, .. }) if *dst == block && name.starts_with("malloc:"))
        })
    }
}

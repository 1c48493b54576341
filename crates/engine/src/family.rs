//! Many programs that differ in tags only, asked about one after the other.
//!
//! A program whose fences or memory orders are to be chosen is one program for an engine that can leave the tags of marked events open: what it
//! builds, and what its solver has learnt, serves every choice.

use crate::NoAnswer;
use ir::{Op, Program, TagId, TagSet};
use std::collections::BTreeMap;
use witness::Execution;

/// Something that can be chosen: what it gives to the events with certain marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alternative(pub Vec<Marked>);

/// The tags that the events with a mark have, by what they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marked {
    /// The tag that marks the events.
    pub mark: String,
    /// The tags of a read.
    pub read: Vec<String>,
    /// The tags of a write.
    pub write: Vec<String>,
    /// The tags of a fence.
    pub fence: Vec<String>,
}

/// What an event is, as far as its tags go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// A read, or that of a read-modify-write.
    Read,
    /// A write, or that of a read-modify-write.
    Write,
    /// A fence.
    Fence,
}

/// The tags of reads, of writes and of fences with a mark, if the alternative of this number is chosen.
type Given = (usize, [TagSet; 3]);

/// What can be chosen in a program. A tag that some alternative gives to the events with a mark is on such an event only if one of
/// those is chosen that give it; all other tags stay as they are.
#[derive(Debug, Clone)]
pub struct Choices {
    marks: BTreeMap<TagId, Vec<Given>>,
    len: usize,
}

impl Choices {
    /// The alternatives for a program, which gets to know their tags.
    pub fn new(program: &mut Program, alternatives: &[Alternative]) -> Choices {
        let mut marks: BTreeMap<TagId, Vec<Given>> = BTreeMap::new();
        for (number, Alternative(all)) in alternatives.iter().enumerate() {
            for Marked { mark, read, write, fence } in all {
                let halves = [read, write, fence].map(|names| names.iter().map(|name| program.tag(name)).collect());
                marks.entry(program.tag(mark)).or_default().push((number, halves));
            }
        }
        Choices { marks, len: alternatives.len() }
    }

    /// How many alternatives there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to choose.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn given<'c>(&'c self, tags: &'c TagSet, half: Half) -> impl Iterator<Item = (usize, &'c TagSet)> {
        let of_marks = tags.iter().filter_map(|mark| self.marks.get(&mark)).flatten();
        of_marks.map(move |(number, halves)| (*number, &halves[half as usize]))
    }

    /// The alternatives with which an event of these tags has a tag; nothing if that is not a matter of choice.
    pub fn deciding(&self, tags: &TagSet, half: Half, tag: TagId) -> Option<Vec<usize>> {
        let giving = self.given(tags, half).filter(|(_, given)| given.contains(tag)).map(|(number, _)| number);
        Some(giving.collect::<Vec<_>>()).filter(|giving| !giving.is_empty())
    }

    /// The tags of an event if nothing but these alternatives is chosen.
    pub fn tags(&self, tags: &TagSet, half: Half, chosen: &[usize]) -> TagSet {
        let mut result: TagSet = tags.iter().filter(|&tag| self.deciding(tags, half, tag).is_none()).collect();
        for (_, given) in self.given(tags, half).filter(|(number, _)| chosen.contains(number)) {
            given.iter().for_each(|tag| result.insert(tag));
        }
        result
    }

    /// The program in which nothing but these alternatives is chosen.
    pub fn chosen(&self, program: &Program, chosen: &[usize]) -> Program {
        let mut result = program.clone();
        let set = |tags: &mut TagSet, half: Half| *tags = self.tags(tags, half, chosen);
        for instr in result.functions.iter_mut().flat_map(|function| &mut function.blocks).flat_map(|b| &mut b.instrs) {
            match &mut instr.op {
                Op::Load { tags, .. } => set(tags, Half::Read),
                Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => set(tags, Half::Write),
                Op::Fence { tags } => set(tags, Half::Fence),
                Op::Rmw { read_tags, write_tags, .. } => {
                    set(read_tags, Half::Read);
                    set(write_tags, Half::Write);
                }
                Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
        result
    }
}

/// A question about a program in which something can be chosen.
pub trait Family {
    /// An execution, within the bounds of the task, that answers the question in the program in which nothing but these alternatives is
    /// chosen. That there is none says nothing beyond the bounds.
    ///
    /// # Errors
    /// Why there is no answer.
    fn find(&mut self, chosen: &[usize]) -> Result<Option<Execution>, NoAnswer>;
}

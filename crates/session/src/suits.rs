//! Whether a model is about a program at all.

use crate::Failure;
use crate::compile::compile;
use ir::{Op, Program, TagSet};
use model::{Base, Model, Node, NodeId};
use std::collections::BTreeSet;

/// What no mapping to fences can say: a model that does not mention these has no idea of read-copy-update.
const RCU: &[&str] = &["RCU-LOCK", "RCU-UNLOCK", "SYNC-RCU", "SRCU-LOCK", "SRCU-UNLOCK", "SYNC-SRCU"];

/// The memory orders of C11.
const C11: &[&str] = &["RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"];

/// What accesses of the Linux kernel carry.
const KERNEL: &[&str] = &["ONCE", "ACQUIRE", "RELEASE", "MB", "LKR", "UL"];

/// Whether a model can judge a program.
///
/// # Errors
/// The model is about other architectures, or the program has operations that the model gives no meaning to.
pub fn suits(program: &Program, model: &Model) -> Result<(), Failure> {
    let refuse =
        |reason: String| Err(Failure::Refused(reason, "choose another model: `fencepost list models`".to_owned()));
    let wanted = &model.head.architectures;
    if !wanted.is_empty() && !wanted.contains(&program.arch) {
        let about = wanted.join(", ");
        return refuse(format!("the model {} is about {about}, not about {} programs", model.name, program.arch));
    }
    let carries = |tags: &[&str]| program.tags.iter().any(|tag| tags.contains(&&**tag));
    let mentions = |tags: &[&str]| tags.iter().any(|tag| model.mentions(tag));
    if carries(RCU) && !mentions(RCU) {
        return refuse(format!("the model {} knows nothing of read-copy-update, which the test uses", model.name));
    }
    if model.foreign
        && program.is_c()
        && model.head.compile.is_empty()
        && has_rmw(program)
        && !says_what_is_atomic(model)
    {
        return refuse(format!(
            "the model {} never mentions `rmw`: it takes a read-modify-write of C for one event, which is a read and a write here",
            model.name
        ));
    }
    if is_kernels(model) && has_c11(program) && !mentions(C11) {
        return refuse(format!("the model {} is about the kernel's operations, not about C11's atomics", model.name));
    }
    if program.is_c() && model.head.compile.is_empty() && mentions(C11) {
        if let Some(line) = kernel_access(program).filter(|_| !mentions(KERNEL)) {
            return refuse(format!(
                "the program has an operation of the Linux kernel in line {line}, which the language and its model {} give no meaning to",
                model.name
            ));
        }
        let of_machine = |(fence, _): &(String, u32)| !fence.split(' ').any(|tag| C11.contains(&tag));
        if let Some((fence, line)) = unheard(program, model).into_iter().find(of_machine) {
            let reason = format!(
                "the program has the fence {fence} of a machine in line {line}, which the language and its model {} give no meaning to",
                model.name
            );
            let help = "use atomic_thread_fence, or choose the model of a machine: `fencepost list models`";
            return Err(Failure::Refused(reason, help.to_owned()));
        }
    }
    Ok(())
}

/// The line of the first access that is one of the Linux kernel's operations.
fn kernel_access(program: &Program) -> Option<u32> {
    let of_kernel = |tags: &TagSet| tags.iter().any(|tag| KERNEL.contains(&&*program.tags[tag.index()]));
    let is_one = |op: &Op| match op {
        Op::Load { tags, .. } | Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => of_kernel(tags),
        Op::Rmw { read_tags, write_tags, .. } => of_kernel(read_tags) || of_kernel(write_tags),
        Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => false,
    };
    let mut instrs = program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs);
    instrs.find(|instr| is_one(&instr.op)).map(|instr| program.source.line(instr.span))
}

fn has_rmw(program: &Program) -> bool {
    let mut blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.any(|block| block.instrs.iter().any(|instr| matches!(instr.op, Op::Rmw { .. })))
}

/// Whether an axiom of the model depends on which read and write belong together.
fn says_what_is_atomic(model: &Model) -> bool {
    let mut open: Vec<NodeId> = model.axioms.iter().map(|axiom| axiom.node).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = model.node(id);
        if matches!(node, Node::Base(Base::Rmw | Base::Amo)) {
            return true;
        }
        open.extend(node.children());
        if let Node::Rec(group, _) = node {
            open.extend(&model.groups[*group as usize].bodies);
        }
    }
    false
}

/// The fences of a program that a model never mentions, with their lines. Marks of ours mean nothing to anybody.
fn unheard(program: &Program, model: &Model) -> BTreeSet<(String, u32)> {
    let mut unheard = BTreeSet::new();
    let instrs = program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs);
    for instr in instrs {
        if let Op::Fence { tags } = &instr.op {
            let names = tags.iter().map(|tag| &*program.tags[tag.index()]);
            let names: Vec<&str> = names.filter(|name| !name.starts_with(['?', '!'])).collect();
            if !names.is_empty() && !names.iter().any(|name| model.mentions(name)) {
                unheard.insert((names.join(" "), program.source.line(instr.span)));
            }
        }
    }
    unheard
}

/// Whether a model is about the operations of the Linux kernel, as they are written.
pub fn is_kernels(model: &Model) -> bool {
    model.head.architectures.iter().any(|arch| arch == "LINUX") && model.head.compile.is_empty()
}

/// Whether a program has operations of C11 of its own. What the library of threads has counts for nothing: a kernel has its own.
fn has_c11(program: &Program) -> bool {
    let named = |tags: &TagSet, names: &[&str]| tags.iter().any(|tag| names.contains(&&*program.tags[tag.index()]));
    let own = |tags: &TagSet| named(tags, C11) && !named(tags, &["LIBRARY", "MUTEX", "HEAP"]);
    let functions = program.functions.iter().filter(|function| !function.library);
    functions.flat_map(|function| &function.blocks).flat_map(|block| &block.instrs).any(|instr| match &instr.op {
        Op::Load { tags, .. } | Op::Store { tags, .. } | Op::StoreConditional { tags, .. } | Op::Fence { tags } => {
            own(tags)
        }
        Op::Rmw { read_tags, write_tags, .. } => own(read_tags) || own(write_tags),
        Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => false,
    })
}

/// What may not mean what the author of a model thinks: names that are taken for tags which nothing in the program carries, and
/// fences of the program that the model never mentions. Of the models that come along all this is known.
pub fn remarks(program: &Program, model: &Model) -> Vec<String> {
    if !model.foreign {
        return Vec::new();
    }
    let mut said = Vec::new();
    for tag in model.assumed.iter().filter(|tag| !program.tags.contains(&tag.name)) {
        let (file, line, name) = (tag.file.name(), tag.file.line(tag.span), &tag.name);
        said.push(format!(
            "warning: {file}:{line}: `{name}` is taken for a tag, and no event of the program carries it"
        ));
    }
    let compiled =
        if program.is_c() && !model.head.compile.is_empty() { Some(compile(program, &model.head)) } else { None };
    let program = compiled.as_ref().unwrap_or(program);
    let unheard: BTreeSet<String> = unheard(program, model).into_iter().map(|(fence, _)| fence).collect();
    said.extend(unheard.into_iter().map(|fence| {
        format!("warning: the model {} never mentions the fence {fence}, which the program has", model.name)
    }));
    said
}

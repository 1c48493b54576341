//! Memory that is still allocated when the program ends.
//!
//! One allocation, any one, is watched: a place that allocates may put the address into a variable of ours. When `main` returns or
//! `exit` is called, the block that is watched must have been freed, or, where only lost memory counts, a variable must point
//! into it. Memory that other blocks point to may or may not be lost: what leads there is beyond a bound that the verdict names.

use super::body::Body;
use super::{Lowering, Unit};
use crate::Leaks;
use ir::faults::LEAK;
use ir::life::{LIFE_WIDTH, Storage};
use ir::{
    BinaryOp, Cell, Expr, Function, FunctionId, Instr, LocalId, Object, ObjectId, Op, System, TagSet, Terminator, Width,
};
use source::Diagnostic;

/// How our variable is accessed: the program never races there.
const OWN: [&str; 3] = ["A", "RLX", "HEAP"];

/// What the search for leaks needs.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The variable that holds the address of the block.
    variable: Option<ObjectId>,
    /// The function that looks at the end.
    judge: Option<FunctionId>,
}

impl Lowering {
    fn watched(&mut self) -> Expr {
        let object = match self.watch.variable {
            Some(object) => object,
            None => {
                let cell = Cell { offset: 0, width: Width::WORD, initial: Expr::Const(0, Width::WORD) };
                let object = Object { name: "%watched".to_owned(), cells: vec![cell], shared: false, align: 8 };
                self.program.objects.push(object);
                let object = ObjectId(self.program.objects.len() as u32 - 1);
                self.watch.variable = Some(object);
                object
            }
        };
        Expr::Address(object, 0)
    }

    /// Perhaps watches a block that was just allocated.
    pub fn watch(&mut self, block: LocalId) -> Result<(), Diagnostic> {
        if self.options.checks.leaks == Leaks::Allowed {
            return Ok(());
        }
        let (addr, tags) = (self.watched(), self.tags(&OWN));
        let dst = self.temp(Width::BOOL);
        self.emit(Op::System(System::Nondet { dst }));
        let store = Op::Store { addr, value: Expr::Local(block), tags };
        let watch = |lowering: &mut Lowering| {
            lowering.emit(store);
            Ok(())
        };
        self.if_(Expr::Local(dst), watch, |_| Ok(()))
    }

    /// The program ends here.
    pub fn judge_leaks(&mut self) {
        if self.options.checks.leaks == Leaks::Allowed {
            return;
        }
        let function = match self.watch.judge {
            Some(function) => function,
            None => {
                let function = self.new_function("%leaks");
                self.watch.judge = Some(function);
                function
            }
        };
        self.emit(Op::System(System::Call { dst: None, function, args: Vec::new() }));
    }

    /// Gives the function that looks at the end its body.
    pub fn build_leaks(&mut self) {
        let Some(id) = self.watch.judge else { return };
        let mut body = Body::new("%leaks", Unit::Library);
        if self.watch.variable.is_some() {
            let (watched, own, tags) = (self.watched(), self.tags(&OWN), self.tags(&["NA"]));
            let load_as = |body: &mut Body, addr: Expr, width: Width, tags: &TagSet| {
                let dst = body.temporary(width);
                body.emit(Op::Load { dst, addr, tags: tags.clone(), reserve: false });
                Expr::Local(dst)
            };
            let load = |body: &mut Body, addr: Expr, width: Width| load_as(body, addr, width, &tags);
            let block = load_as(&mut body, watched, Width::WORD, &own);
            let none = block.clone().binary(BinaryOp::Eq, Expr::Const(0, Width::WORD));
            return_if(&mut body, none);
            let life = load(&mut body, super::alive::life(block.clone()), LIFE_WIDTH);
            return_if(&mut body, life.binary(BinaryOp::Ne, Expr::Const(Storage::Heap.life(), LIFE_WIDTH)));
            let lost = self.options.checks.leaks == Leaks::Lost;
            for addr in if lost { self.pointers() } else { Vec::new() } {
                let found = load(&mut body, addr, Width::WORD);
                let (some, next) = (body.block(), body.block());
                body.branch(found.clone().binary(BinaryOp::Ne, Expr::Const(0, Width::WORD)), some, next, some);
                let life = |expr: &Expr| super::alive::life(expr.clone());
                return_if(&mut body, life(&found).binary(BinaryOp::Eq, life(&block)));
                body.fall_into(next);
            }
            if lost && self.program.functions.iter().any(hides) {
                let span = body.span;
                body.leave(Terminator::Cut { span });
            } else {
                let (condition, message) = (Expr::Const(0, Width::BOOL), LEAK.to_owned());
                body.emit(Op::System(System::Assert { condition, message }));
            }
        }
        body.leave(Terminator::Return(None));
        self.program.functions[id.index()] = super::finish::finish(body.function);
    }

    /// Where the pointers among the user's variables are that are no locals.
    fn pointers(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        for global in self.globals.iter().filter(|global| global.unit.is_user()) {
            let (Some(object), Ok(leaves)) = (global.object, self.types.leaves(&global.ty)) else { continue };
            let pointers = leaves.iter().filter(|leaf| leaf.ty.is_pointer());
            found.extend(pointers.map(|leaf| Expr::Address(object, leaf.offset)));
        }
        found
    }
}

/// Whether the user's function may put an address anywhere but into a variable that is no local one.
fn hides(function: &Function) -> bool {
    let elsewhere = |addr: &Expr| !matches!(addr, Expr::Address(..));
    // The handle of a thread is as wide as an address.
    let is_handle = |local: LocalId| {
        let all = function.blocks.iter().flat_map(|block| &block.instrs);
        let mut makers = all.filter(|instr| instr.op.defines() == Some(local)).peekable();
        let starts = |op: &Op| matches!(op, Op::System(System::Spawn { .. } | System::Current { .. }));
        makers.peek().is_some() && makers.all(|instr| starts(&instr.op))
    };
    let address = |value: &Expr| match value {
        Expr::Const(..) => false,
        Expr::Local(local) if is_handle(*local) => false,
        _ => value.width(function) == Width::WORD,
    };
    let hides = |instr: &Instr| match &instr.op {
        Op::Store { addr, value, .. } | Op::Rmw { addr, value, .. } | Op::StoreConditional { addr, value, .. } => {
            elsewhere(addr) && address(value)
        }
        Op::Load { .. } | Op::Assign { .. } | Op::Fence { .. } | Op::Assume { .. } | Op::System(_) => false,
    };
    !function.library && function.blocks.iter().any(|block| block.instrs.iter().any(hides))
}

/// The function ends if a truth value holds.
fn return_if(body: &mut Body, condition: Expr) {
    let (then, next) = (body.block(), body.block());
    body.branch(condition, then, next, then);
    body.end(Terminator::Return(None), next);
}

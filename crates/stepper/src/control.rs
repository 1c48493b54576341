//! Calls, jumps and ends.

use crate::Halt;
use crate::code::{Action, Progress, Stepper};
use crate::domain::Domain;
use crate::thread::Status;
use crate::value::{Frame, Holder, Value};
use ir::{BlockId, Expr, FunctionId, LocalId, Terminator, Width};
use source::Span;

/// How deep calls may be.
const DEPTH: usize = 200;

impl<'p, D: Domain<'p>> Stepper<'_, 'p, D> {
    pub(crate) fn call(
        &mut self,
        dst: Option<LocalId>,
        function: FunctionId,
        args: &[Expr],
        span: Span,
    ) -> Result<(), Halt> {
        if self.thread.frames.len() >= DEPTH {
            return self.limit(span, "calls are nested without an end");
        }
        let args: Vec<D::Term> = args.iter().map(|arg| self.eval(arg, span)).collect::<Result<_, _>>()?;
        self.next();
        let body = &self.program.functions[function.index()];
        let called = self.thread.frame().called.or(Some(span).filter(|_| body.library));
        let values = vec![Value::Known(0); body.locals.len()];
        self.thread.frames.push(Frame { function, block: 0, index: 0, values, dst, called });
        for (at, arg) in args.into_iter().enumerate() {
            self.assign(LocalId(at as u32), arg);
        }
        Ok(())
    }

    /// Goes on behind a block.
    pub(crate) fn leave(&mut self) -> Result<Progress<'p, D::Term>, Halt> {
        let program = self.program;
        let frame = self.thread.frame();
        let terminator = &program.functions[frame.function.index()].blocks[frame.block as usize].terminator;
        match terminator {
            Terminator::Goto(to) => Ok(self.jump(*to)),
            Terminator::Branch { condition, then, otherwise, join: _, span } => {
                let holds = self.decide(condition, *span)?;
                Ok(self.jump(if holds { *then } else { *otherwise }))
            }
            Terminator::Return(result) if self.thread.frames.len() > 1 => {
                self.return_to_caller(result.as_ref())?;
                Ok(Progress::On)
            }
            Terminator::Return(result) | Terminator::Exit(result) => self.end(result.as_ref()),
            Terminator::Cut { span } => self.limit(*span, "a loop was cut before"),
        }
    }

    /// Any jump to an earlier or the same block counts as one back: each cycle has one.
    fn jump(&mut self, to: BlockId) -> Progress<'p, D::Term> {
        let frame = self.thread.frame();
        let from = frame.block;
        (frame.block, frame.index) = (to.0, 0);
        if to.0 <= from { Progress::Back } else { Progress::On }
    }

    fn return_to_caller(&mut self, result: Option<&Expr>) -> Result<(), Halt> {
        let width = result.map(|result| self.scope().width(result));
        let term = self.result(result)?;
        let Some(frame) = self.thread.frames.pop() else { return Ok(()) };
        if let Some(dst) = frame.dst {
            let to = self.scope().function.locals[dst.index()].width;
            if width.is_some_and(|width| width != to) {
                self.domain.convert(&term, to);
            }
            self.assign(dst, term);
        }
        frame.values.into_iter().for_each(|value| self.domain.forget(value));
        Ok(())
    }

    fn result(&mut self, result: Option<&Expr>) -> Result<D::Term, Halt> {
        match result {
            Some(result) => self.eval(result, self.passed()),
            None => Ok(self.domain.constant(0, Width::WORD)),
        }
    }

    /// The last instruction before the end of a block, which has no place of its own: there, or where the function was called.
    fn passed(&self) -> Span {
        let last = |frame: &Frame<D::Symbol>| {
            let block = &self.program.functions[frame.function.index()].blocks[frame.block as usize];
            block.instrs[..frame.index as usize].last().map(|instr| instr.span)
        };
        self.thread.frames.iter().rev().find_map(last).unwrap_or_default()
    }

    fn end(&mut self, result: Option<&Expr>) -> Result<Progress<'p, D::Term>, Halt> {
        if self.thread.critical.is_some() && !self.domain.memory().alone {
            return Ok(Progress::Before(Action::Critical));
        }
        if self.thread.atomic > 0 {
            return self.limit(Span::default(), "a thread ends inside an atomic section");
        }
        let term = self.result(result)?;
        let value = self.domain.hold(Holder::Result, Width::WORD, term);
        self.stop(Status::Ended(value));
        Ok(Progress::On)
    }
}

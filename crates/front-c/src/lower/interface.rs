//! What the rest of the front end, above all the library, lowers things with.

use super::place::{At, Place};
use super::usage::address_of;
use super::{Lowering, Unit, Value, strip_casts};
use crate::Options;
use crate::types::Type;
use c_syntax::ast::{Expression, Node, Range};
use ir::{BinaryOp, Expr, LocalId, Op, System, TagSet, Terminator, Width};
use source::{Diagnostic, Span};

/// The handle of the first thread.
const MAIN: i64 = 1;

impl Lowering {
    /// Adds an instruction at the current place.
    pub fn emit(&mut self, op: Op) {
        self.body.emit(op);
    }

    /// A new local that no source can name.
    pub fn temp(&mut self, width: Width) -> LocalId {
        self.body.temporary(width)
    }

    /// The set of these tags.
    pub fn tags(&mut self, names: &[&str]) -> TagSet {
        names.iter().map(|name| self.program.tag(name)).collect()
    }

    /// The tags of an access that is written without a function: C makes those of atomic objects sequentially
    /// consistent.
    pub fn plain_tags(&mut self, ty: &Type) -> TagSet {
        let mark = self.written.take().and_then(|written| self.access_site(&written, ty));
        let tags: &[&str] = if ty.is_atomic() { &["A", "SC"] } else { &["NA"] };
        let tags: Vec<&str> = tags.iter().copied().chain(mark.as_deref()).collect();
        self.tags(&tags)
    }

    /// One read event; `ty` is scalar.
    pub fn load(&mut self, addr: Expr, ty: &Type, tags: TagSet) -> Result<Value, Diagnostic> {
        let width = self.scalar_width(ty)?;
        let dst = self.temp(width);
        self.emit(Op::Load { dst, addr, tags, reserve: false });
        Ok(Value { expr: Expr::Local(dst), ty: ty.unqualified() })
    }

    /// One write event; the value is converted already.
    pub fn store(&mut self, addr: Expr, value: Value, tags: TagSet) {
        self.emit(Op::Store { addr, value: value.expr, tags });
    }

    /// A constant.
    pub fn int(&self, value: i64, ty: &Type) -> Value {
        let width = ty.width().unwrap_or(Width::INT);
        Value { expr: Expr::constant(value, width), ty: ty.unqualified() }
    }

    /// The width of a scalar type.
    pub fn scalar_width(&self, ty: &Type) -> Result<Width, Diagnostic> {
        ty.width().ok_or_else(|| self.no_scalar(ty))
    }

    fn no_scalar(&self, ty: &Type) -> Diagnostic {
        if let crate::types::Kind::Bad(why) = &ty.kind {
            return (**why).clone();
        }
        let message = format!("a value of type `{}` cannot be used here", self.types.describe(ty));
        self.error(self.span(), message).help("use a number or a pointer")
    }

    /// A complaint. In our own library it is about the place where that was called.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let message: String = message.into();
        let message = match &*self.header.borrow() {
            Some((place, header)) if *place == span => format!("{message} (in {header})"),
            Some(_) | None => message,
        };
        Diagnostic::error(&self.program.source, span, message)
    }

    /// The place in the user's text of a place in the parser's text.
    pub fn at(&self, span: Range) -> Span {
        let Some(text) = self.text() else { return self.body.span };
        let place = text.place(span);
        if let Some(header) = place.header {
            *self.header.borrow_mut() = Some((place.span, header));
        }
        place.span
    }

    /// How a place is called in a complaint about another one: with the name of the file, if that is another one too.
    pub fn other_place(&self, place: Span, here: Span) -> String {
        let source = &self.program.source;
        let (file, own) = (source.file_at(place.start), source.file_at(here.start));
        if file.name == own.name {
            return source.place(place);
        }
        format!("{}:{}", file.name, source.position(place.start).line)
    }

    /// The user's text that is being lowered, if it is the user's.
    pub fn text(&self) -> Option<&crate::text::Text> {
        match self.body.unit {
            Unit::Library => None,
            Unit::User(number) => self.texts.get(number as usize),
        }
    }

    /// Makes this the place of what is emitted; gives the one before.
    pub fn enter(&mut self, span: Range) -> Span {
        let span = self.at(span);
        std::mem::replace(&mut self.body.span, span)
    }

    /// What a pointer value points to.
    pub fn pointee(&self, value: &Value) -> Result<Type, Diagnostic> {
        value.ty.pointee().cloned().ok_or_else(|| {
            let message = format!("a value of type `{}` is no pointer", self.types.describe(&value.ty));
            self.error(self.span(), message).help("give a pointer, such as `&x`")
        })
    }

    /// `if (cond) then else otherwise`; `cond` is one bit.
    pub fn if_(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Lowering) -> Result<(), Diagnostic>,
        otherwise: impl FnOnce(&mut Lowering) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let (first, second, after) = (self.body.block(), self.body.block(), self.body.block());
        self.body.branch(cond, first, second, first);
        then(self)?;
        self.body.end(Terminator::Goto(after), second);
        otherwise(self)?;
        self.body.fall_into(after);
        Ok(())
    }

    /// What follows is dead: the path ends here. Where that is not so in the program, emit an assumption first.
    pub fn unreachable_from_here(&mut self) {
        let condition = Expr::constant(0, Width::BOOL);
        self.emit(Op::Assume { condition, waits: false });
        self.body.leave(Terminator::Exit(None));
    }

    /// What comes here is beyond a bound.
    pub fn cut(&mut self) {
        let span = self.span();
        self.body.leave(Terminator::Cut { span });
    }

    /// Handlers are pushed here, or a thread ends here inside a call: it would have to call those that are still there.
    pub fn note_handlers(&mut self, pushed: Option<Span>, ended: Option<Span>) {
        let (pushes, ends) = &mut self.handlers;
        *pushes = pushes.or(pushed);
        *ends = ends.or(ended);
        if let (Some(_), Some(span)) = self.handlers {
            let message = "`pthread_exit` in a program with `pthread_cleanup_push` is not supported";
            let complaint = self.error(span, message);
            self.complain(complaint.help("return from the thread's function, and call the handlers before that"));
        }
    }

    /// Ends the thread, whose keys' destructors run before that.
    pub fn exit_thread(&mut self, result: Option<Value>) -> Result<(), Diagnostic> {
        if self.needs.destroys {
            self.call_function("__fencepost_destroys", Vec::new())?;
        }
        if self.runs_at_exit() {
            // The program ends with its last thread, and then runs what is registered: that is beyond a bound.
            let dst = self.temp(Width::WORD);
            self.emit(Op::System(System::Current { dst }));
            let is_main = Expr::Local(dst).binary(BinaryOp::Eq, Expr::constant(MAIN, Width::WORD));
            let cut = |lowering: &mut Lowering| {
                lowering.cut();
                Ok(())
            };
            self.if_(is_main, cut, |_| Ok(()))?;
        }
        self.body.leave(Terminator::Exit(result.map(|value| value.expr)));
        Ok(())
    }

    /// `*pointer = value` where the pointer is an argument such as `&local`, `&array[i]`, a pointer, or null: then
    /// nothing is done.
    pub fn assign_through(&mut self, pointer: &Node<Expression>, value: Value) -> Result<(), Diagnostic> {
        if self.const_value(pointer) == Some(0) {
            return Ok(());
        }
        let place = self.through(pointer)?;
        self.put(place, value)
    }

    /// `place = value`, where the place is what an argument points to; behind a `void *` is what is written there.
    pub fn put(&mut self, mut place: Place, value: Value) -> Result<(), Diagnostic> {
        if place.ty.is_void() {
            place.ty = value.ty.clone();
        }
        if self.image_of(&place.ty).is_some() {
            return self.unpack(&place, value);
        }
        let value = self.convert(value, &place.ty.unqualified())?;
        self.write(&place, value)?;
        Ok(())
    }

    /// `*pointer` where the pointer is an argument such as `&local`.
    pub fn read_through(&mut self, pointer: &Node<Expression>) -> Result<Value, Diagnostic> {
        let place = self.through(pointer)?;
        self.pack(&place)
    }

    /// The object that an argument points to, which stays the same whatever is evaluated next.
    pub fn through(&mut self, pointer: &Node<Expression>) -> Result<Place, Diagnostic> {
        if let Some(operand) = address_of(strip_casts(&pointer.node)) {
            let place = self.place(operand)?;
            return Ok(match place.at {
                At::Memory(addr) => {
                    Place { at: At::Memory(self.keep(Value { expr: addr, ty: Type::ULONG_LONG }).expr), ..place }
                }
                At::Split(..) | At::Local(_) => place,
            });
        }
        let value = self.rvalue(pointer)?;
        let ty = self.pointee(&value)?;
        Ok(Place::memory(self.keep(value).expr, ty))
    }

    /// The cells of `count` objects of type `ty` in a row, all zero. The gaps between members have cells, too: bytes can be
    /// copied there.
    pub fn cells(&mut self, ty: &Type, count: u64) -> Result<Vec<ir::Cell>, Diagnostic> {
        let array: Type = crate::types::Kind::Array(std::rc::Rc::new(ty.clone()), Some(count)).into();
        let leaves = if self.types.is_library(ty) { self.leaves(&array)? } else { self.all_leaves(&array)? };
        let mut cells = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let width = self.scalar_width(&leaf.ty)?;
            cells.push(ir::Cell { offset: leaf.offset, width, initial: Expr::constant(0, width) });
        }
        Ok(cells)
    }

    /// The scalars of a type.
    pub fn leaves(&self, ty: &Type) -> Result<Vec<crate::types::Leaf>, Diagnostic> {
        self.types.leaves(ty).map_err(|why| self.no_layout(ty, &why))
    }

    /// The scalars of a type, and what lies between them.
    pub fn all_leaves(&self, ty: &Type) -> Result<Vec<crate::types::Leaf>, Diagnostic> {
        self.types.all_leaves(ty).map_err(|why| self.no_layout(ty, &why))
    }

    /// The size of a type in bytes.
    pub fn size(&self, ty: &Type) -> Result<u64, Diagnostic> {
        self.types.size(ty).map_err(|why| self.no_layout(ty, &why))
    }

    fn no_layout(&self, ty: &Type, why: &str) -> Diagnostic {
        if let crate::types::Kind::Bad(complaint) = &ty.kind {
            return (**complaint).clone();
        }
        let message = format!("the layout of `{}` is not known: {why}", self.types.describe(ty));
        self.error(self.span(), message).help("give it a complete type of constant size")
    }

    /// The local that says whether the last wait of the loop around ended for no reason, if somebody wants to know.
    pub fn woken(&self) -> Option<LocalId> {
        self.body.woken
    }

    /// How the program is read.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The place of the current instruction.
    pub fn span(&self) -> Span {
        self.body.span
    }

    /// Remembers a complaint that is due when the whole program is lowered.
    pub fn complain(&mut self, complaint: Diagnostic) {
        self.complaint.get_or_insert(complaint);
    }
}

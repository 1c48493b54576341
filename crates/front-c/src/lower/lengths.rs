//! Arrays of variable length. Their types know the locals that hold the numbers of elements, which are evaluated where the type is
//! declared.

use super::fold::fold;
use super::scope::{Entity, Storage, Variable};
use super::{Lowering, Value};
use crate::types::{Kind, Type};
use c_syntax::ast::{Declarator, Derived, Expression, InitDeclarator, Node};
use ir::{BinaryOp, Expr, Op, System, Width};
use source::Diagnostic;
use std::rc::Rc;

impl Lowering {
    /// The type of an array with so many elements.
    pub fn variable_array(&mut self, element: Type, size: &Node<Expression>) -> Result<Type, Diagnostic> {
        let count = self.rvalue(size)?;
        let count = self.convert(count, &Type::LONG_LONG)?.expr;
        let local = self.temp(Width::WORD);
        self.emit(Op::Assign { dst: local, value: count });
        let condition = Expr::constant(0, Width::WORD).binary(BinaryOp::SLt, Expr::Local(local));
        if self.options.competition {
            self.emit(Op::Assume { condition, waits: false });
        } else {
            let message = "the size of an array is not positive".to_owned();
            self.emit(Op::System(System::Assert { condition, message }));
        }
        Ok(Kind::VariableArray(Rc::new(element), local).into())
    }

    /// How many bytes a type has, which is a value for arrays of variable length.
    pub fn size_value(&self, ty: &Type) -> Result<Expr, Diagnostic> {
        let word = |number: u64| Expr::Const(number, Width::WORD);
        match &ty.kind {
            Kind::VariableArray(element, count) => {
                Ok(fold(Expr::Local(*count).binary(BinaryOp::Mul, self.size_value(element)?)))
            }
            Kind::Array(element, Some(count)) if self.types.is_variable(element) => {
                Ok(fold(self.size_value(element)?.binary(BinaryOp::Mul, word(*count))))
            }
            _ => Ok(word(self.size(ty)?)),
        }
    }

    /// What `sizeof` gives.
    pub fn size_of(&mut self, ty: &Type) -> Result<Value, Diagnostic> {
        let expr = self.size_value(ty)?;
        self.convert(Value { expr, ty: Type::ULONG_LONG }, &self.types.size_type())
    }

    /// `int a[n][m];`: a new object each time.
    pub fn declare_variable_length(&mut self, name: &str, ty: Type, init: &InitDeclarator) -> Result<(), Diagnostic> {
        if init.initializer.is_some() {
            let complaint = self.error(self.span(), "an array of variable length has no initialiser");
            return Err(complaint.help("assign to its elements"));
        }
        let dst = self.body.local(&format!("&{name}"), Width::WORD);
        let (size, align) = (self.size_value(&ty)?, self.types.align(&ty).unwrap_or(1));
        let bytes = self.body.local(&format!("sizeof {name}"), Width::WORD);
        self.emit(Op::Assign { dst: bytes, value: size });
        let (size, storage) = (Expr::Local(bytes), ir::life::Storage::Automatic);
        let made = System::Alloc { dst, name: name.to_owned(), size, cells: None, zeroed: false, align, storage };
        self.emit(Op::System(made));
        self.note_variable(dst);
        let variable = Rc::new(Variable { ty, storage: Storage::Memory(dst) });
        self.innermost().names.insert(name.to_owned(), Entity::Variable(variable));
        Ok(())
    }

    /// The type that a parameter has inside its function, where the parameters before it say how large its rows are.
    pub fn parameter_inside(&mut self, declarator: &Declarator, at: usize, ty: Type) -> Result<Type, Diagnostic> {
        let parameter = declarator.parameters().and_then(|all| all.parameters.get(at));
        let Some(parameter) = parameter else { return Ok(ty) };
        if ends_open(&ty) {
            return self.parameter(parameter);
        }
        // The numbers of elements do not matter, but what they do is done.
        for derived in &parameter.declarator.derived {
            if let Derived::Array(array) = &derived.node
                && let Some(size) = &array.size
                && self.const_value(size).is_none()
            {
                self.rvalue(size)?;
            }
        }
        Ok(ty)
    }
}

/// Whether a type leads to an array whose size is not known.
fn ends_open(ty: &Type) -> bool {
    match &ty.kind {
        Kind::Array(_, None) => true,
        Kind::Pointer(to) | Kind::Array(to, Some(_)) | Kind::VariableArray(to, _) => ends_open(to),
        Kind::Void
        | Kind::Bool
        | Kind::Int { .. }
        | Kind::Float(_)
        | Kind::Record(_)
        | Kind::Function(_)
        | Kind::Bad(_) => false,
    }
}

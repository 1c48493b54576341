//! Walks over the tree.
//!
//! A visitor implements what it cares about and calls the function of the same name in this module to go on inside.

use crate::ast::{
    Alignment, ArrayDeclarator, Asm, BlockItem, Declaration, Declarator, Derived, Designator, EnumSpecifier,
    Expression, Field, ForInitializer, InitDeclarator, Initializer, InitializerItem, Label, Node, RecordSpecifier,
    Specifiers, Statement, TypeName, TypeOf, TypeSpecifier,
};

/// What a walk does at the parts of a tree; by default, it goes on inside.
pub trait Visit {
    /// At an expression.
    fn expression(&mut self, e: &Node<Expression>) {
        expression(self, e);
    }

    /// At a statement.
    fn statement(&mut self, s: &Statement) {
        statement(self, s);
    }

    /// At a declaration.
    fn declaration(&mut self, d: &Declaration) {
        declaration(self, d);
    }

    /// At a declarator with its initialiser.
    fn init_declarator(&mut self, d: &InitDeclarator) {
        init_declarator(self, d);
    }

    /// At a declarator, without what it initialises.
    fn declarator(&mut self, d: &Declarator) {
        declarator(self, d);
    }

    /// At an initialiser.
    fn initializer(&mut self, i: &Initializer) {
        initializer(self, i);
    }

    /// At the name of a type.
    fn type_name(&mut self, t: &TypeName) {
        type_name(self, t);
    }

    /// At `typeof`.
    fn type_of(&mut self, t: &TypeOf) {
        type_of(self, t);
    }

    /// At an enumeration.
    fn enumeration(&mut self, e: &EnumSpecifier) {
        enumeration(self, e);
    }
}

/// Goes on inside an expression.
pub fn expression<V: Visit + ?Sized>(v: &mut V, e: &Node<Expression>) {
    match &e.node {
        Expression::Identifier(_)
        | Expression::Constant(_)
        | Expression::StringLiteral(_)
        | Expression::LabelAddress(_) => {}
        Expression::GenericSelection(generic) => {
            v.expression(&generic.expression);
            for association in &generic.associations {
                if let Some(ty) = &association.ty {
                    v.type_name(ty);
                }
                v.expression(&association.expression);
            }
        }
        Expression::Member(member) => v.expression(&member.expression),
        Expression::Call(call) => {
            v.expression(&call.callee);
            call.arguments.iter().for_each(|argument| v.expression(argument));
        }
        Expression::CompoundLiteral(literal) => {
            v.type_name(&literal.type_name);
            literal.initializer.iter().for_each(|item| initializer_item(v, item));
        }
        Expression::SizeOfType(ty) | Expression::AlignOfType(ty) => v.type_name(ty),
        Expression::SizeOfValue(operand) | Expression::AlignOfValue(operand) => v.expression(operand),
        Expression::Unary(unary) => v.expression(&unary.operand),
        Expression::Cast(cast) => {
            v.type_name(&cast.type_name);
            v.expression(&cast.expression);
        }
        Expression::Binary(binary) => {
            v.expression(&binary.lhs);
            v.expression(&binary.rhs);
        }
        Expression::Conditional(conditional) => {
            v.expression(&conditional.condition);
            if let Some(then) = &conditional.then_expression {
                v.expression(then);
            }
            v.expression(&conditional.else_expression);
        }
        Expression::Comma(all) => all.iter().for_each(|each| v.expression(each)),
        Expression::OffsetOf(of) => {
            v.type_name(&of.type_name);
            of.designators.iter().for_each(|each| designator(v, &each.node));
        }
        Expression::VaArg(arg) => {
            v.expression(&arg.list);
            v.type_name(&arg.type_name);
        }
        Expression::TypesCompatible(types) => {
            v.type_name(&types.left);
            v.type_name(&types.right);
        }
        Expression::Statement(block) => v.statement(&block.node),
    }
}

/// Goes on inside a statement.
pub fn statement<V: Visit + ?Sized>(v: &mut V, s: &Statement) {
    match s {
        Statement::Labeled(labeled) => {
            match &labeled.label.node {
                Label::Name(_) | Label::Default => {}
                Label::Case(value) => v.expression(value),
                Label::CaseRange(low, high) => {
                    v.expression(low);
                    v.expression(high);
                }
            }
            v.statement(&labeled.statement.node);
        }
        Statement::Compound(items) => items.iter().for_each(|item| block_item(v, &item.node)),
        Statement::Expression(e) | Statement::Return(e) => e.iter().for_each(|e| v.expression(e)),
        Statement::If(inner) => {
            v.expression(&inner.condition);
            v.statement(&inner.then_statement.node);
            inner.else_statement.iter().for_each(|other| v.statement(&other.node));
        }
        Statement::Switch(inner) => {
            v.expression(&inner.expression);
            v.statement(&inner.statement.node);
        }
        Statement::While(inner) => {
            v.expression(&inner.expression);
            v.statement(&inner.statement.node);
        }
        Statement::DoWhile(inner) => {
            v.statement(&inner.statement.node);
            v.expression(&inner.expression);
        }
        Statement::For(inner) => {
            match &inner.initializer {
                ForInitializer::Empty => {}
                ForInitializer::Expression(e) => v.expression(e),
                ForInitializer::Declaration(d) => v.declaration(d),
                ForInitializer::StaticAssert(assert) => v.expression(&assert.expression),
            }
            inner.condition.iter().for_each(|e| v.expression(e));
            inner.step.iter().for_each(|e| v.expression(e));
            v.statement(&inner.statement.node);
        }
        Statement::ComputedGoto(to) => v.expression(to),
        Statement::Goto(_) | Statement::Continue | Statement::Break => {}
        Statement::Asm(inner) => asm(v, inner),
    }
}

fn block_item<V: Visit + ?Sized>(v: &mut V, item: &BlockItem) {
    match item {
        BlockItem::Declaration(d) => v.declaration(d),
        BlockItem::StaticAssert(assert) => v.expression(&assert.expression),
        BlockItem::Statement(s) => v.statement(s),
        BlockItem::Labels(_) => {}
    }
}

fn asm<V: Visit + ?Sized>(v: &mut V, asm: &Asm) {
    for operand in asm.outputs.iter().chain(&asm.inputs) {
        v.expression(&operand.expression);
    }
}

/// Goes on inside a declaration.
pub fn declaration<V: Visit + ?Sized>(v: &mut V, d: &Declaration) {
    specifiers(v, &d.specifiers);
    d.declarators.iter().for_each(|init| v.init_declarator(init));
}

/// Goes on inside a declarator with its initialiser.
pub fn init_declarator<V: Visit + ?Sized>(v: &mut V, d: &InitDeclarator) {
    v.declarator(&d.declarator);
    if let Some(first) = &d.initializer {
        v.initializer(&first.node);
    }
}

fn specifiers<V: Visit + ?Sized>(v: &mut V, s: &Specifiers) {
    for alignment in &s.alignment {
        match &alignment.node {
            Alignment::Expression(e) => v.expression(e),
            Alignment::Type(ty) => v.type_name(ty),
        }
    }
    match &s.ty {
        TypeSpecifier::Void
        | TypeSpecifier::Bool
        | TypeSpecifier::Arithmetic(_)
        | TypeSpecifier::Typedef(_)
        | TypeSpecifier::Auto
        | TypeSpecifier::Implicit => {}
        TypeSpecifier::Atomic(ty) => v.type_name(ty),
        TypeSpecifier::Record(inner) => record(v, inner),
        TypeSpecifier::Enum(inner) => v.enumeration(inner),
        TypeSpecifier::TypeOf(of) => v.type_of(of),
    }
}

fn record<V: Visit + ?Sized>(v: &mut V, r: &RecordSpecifier) {
    for field in r.fields.iter().flatten() {
        match field {
            Field::Members { specifiers: inner, declarators } => {
                specifiers(v, inner);
                for each in declarators {
                    v.declarator(&each.declarator);
                    each.width.iter().for_each(|width| v.expression(width));
                }
            }
            Field::StaticAssert(assert) => v.expression(&assert.expression),
        }
    }
}

/// Goes on inside an enumeration.
pub fn enumeration<V: Visit + ?Sized>(v: &mut V, e: &EnumSpecifier) {
    e.enumerators.iter().flatten().filter_map(|each| each.value.as_ref()).for_each(|value| v.expression(value));
}

/// Goes on inside a declarator. The parameters of a function are in a scope of their own and are left out.
pub fn declarator<V: Visit + ?Sized>(v: &mut V, d: &Declarator) {
    for derived in &d.derived {
        match &derived.node {
            Derived::Array(ArrayDeclarator { size: Some(size), .. }) => v.expression(size),
            Derived::Array(ArrayDeclarator { size: None, .. })
            | Derived::Pointer(_)
            | Derived::Function(_)
            | Derived::OldFunction(_) => {}
        }
    }
}

/// Goes on inside an initialiser.
pub fn initializer<V: Visit + ?Sized>(v: &mut V, i: &Initializer) {
    match i {
        Initializer::Expression(e) => v.expression(e),
        Initializer::List(items) => items.iter().for_each(|item| initializer_item(v, item)),
    }
}

fn initializer_item<V: Visit + ?Sized>(v: &mut V, item: &InitializerItem) {
    item.designation.iter().for_each(|each| designator(v, &each.node));
    v.initializer(&item.initializer.node);
}

fn designator<V: Visit + ?Sized>(v: &mut V, d: &Designator) {
    match d {
        Designator::Index(e) => v.expression(e),
        Designator::Range(low, high) => {
            v.expression(low);
            v.expression(high);
        }
        Designator::Member(_) => {}
    }
}

/// Goes on inside the name of a type.
pub fn type_name<V: Visit + ?Sized>(v: &mut V, t: &TypeName) {
    specifiers(v, &t.specifiers);
    v.declarator(&t.declarator);
}

/// Goes on inside `typeof`.
pub fn type_of<V: Visit + ?Sized>(v: &mut V, t: &TypeOf) {
    match t {
        TypeOf::Expression(e) => v.expression(e),
        TypeOf::Type(ty) => v.type_name(ty),
    }
}

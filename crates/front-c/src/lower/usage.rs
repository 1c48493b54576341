//! How the variables of a function are used: which can live outside memory.
//!
//! A walk over the function before it is lowered. For each variable it keeps the paths (`x`, `x.a`, `x[1].b`) that are
//! read or written, and whether an address is taken.

use lang_c::ast::{
    BinaryOperator, Constant, Declaration, Declarator, DeclaratorKind, DerivedDeclarator, Enumerator, Expression,
    FunctionDefinition, InitDeclarator, MemberOperator, ParameterDeclaration, SizeOfVal, Statement, TypeOf,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashMap;

/// A step from an object to a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Member(String),
    /// The index, if it is constant.
    Index(Option<i64>),
}

/// One way in which a variable is used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Use {
    pub path: Vec<Step>,
    /// Whether the address of the part is taken.
    pub address: bool,
}

/// The uses of each variable, by the place where its name is declared.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    uses: FxHashMap<usize, Vec<Use>>,
}

impl Usage {
    /// The uses of the variable that is declared at `at`.
    pub fn of(&self, at: usize) -> &[Use] {
        self.uses.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// What the walk must know about the rest of the program.
pub(crate) struct Context<'c> {
    /// The value of an enumerator outside the function.
    pub constant: &'c dyn Fn(&str) -> Option<i64>,
    /// Whether a call only writes through this argument.
    pub writes_through: &'c dyn Fn(&str, usize) -> bool,
}

/// Walks over a function.
pub(crate) fn usage(definition: &FunctionDefinition, context: &Context<'_>) -> Usage {
    let mut walk = Walk { context, scopes: vec![FxHashMap::default()], usage: Usage::default() };
    for parameter in parameters(&definition.declarator.node) {
        if let Some(declarator) = &parameter.node.declarator {
            walk.declare(&declarator.node);
        }
    }
    for declaration in &definition.declarations {
        walk.visit_declaration(&declaration.node, &declaration.span);
    }
    walk.visit_statement(&definition.statement.node, &definition.statement.span);
    walk.usage
}

/// The parameters of the function that a declarator declares.
pub(crate) fn parameters(declarator: &Declarator) -> &[Node<ParameterDeclaration>] {
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
        let found = parameters(&inner.node);
        if !found.is_empty() {
            return found;
        }
    }
    let function = declarator.derived.iter().find_map(|derived| match &derived.node {
        DerivedDeclarator::Function(function) => Some(&function.node.parameters),
        DerivedDeclarator::Pointer(_)
        | DerivedDeclarator::Array(_)
        | DerivedDeclarator::KRFunction(_)
        | DerivedDeclarator::Block(_) => None,
    });
    function.map_or(&[], Vec::as_slice)
}

/// The name that a declarator declares, and its place.
pub(crate) fn declared(declarator: &Declarator) -> Option<(&str, Span)> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some((&name.node.name, name.span)),
        DeclaratorKind::Declarator(inner) => declared(&inner.node),
    }
}

struct Walk<'c> {
    context: &'c Context<'c>,
    /// Names, with the place of the declaration for variables.
    scopes: Vec<FxHashMap<String, Option<usize>>>,
    usage: Usage,
}

/// The root of a path, its steps, and the expressions in its indices.
type Path<'a> = (&'a str, Vec<Step>, Vec<&'a Node<Expression>>);

impl Walk<'_> {
    fn declare(&mut self, declarator: &Declarator) {
        if let Some((name, span)) = declared(declarator) {
            self.bind(name, Some(span.start));
        }
    }

    fn bind(&mut self, name: &str, at: Option<usize>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), at);
        }
    }

    fn lookup(&self, name: &str) -> Option<Option<usize>> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn path<'a>(&self, e: &'a Expression) -> Option<Path<'a>> {
        match e {
            Expression::Identifier(name) => Some((&name.node.name, Vec::new(), Vec::new())),
            Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
                let (root, mut steps, indices) = self.path(&member.node.expression.node)?;
                steps.push(Step::Member(member.node.identifier.node.name.clone()));
                Some((root, steps, indices))
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                let (root, mut steps, mut indices) = self.path(&binary.node.lhs.node)?;
                steps.push(Step::Index(self.constant(&binary.node.rhs.node)));
                indices.push(&*binary.node.rhs);
                Some((root, steps, indices))
            }
            _ => None,
        }
    }

    fn constant(&self, e: &Expression) -> Option<i64> {
        match e {
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => super::constant::integer_digits(integer)?.try_into().ok(),
                Constant::Float(_) | Constant::Character(_) => None,
            },
            Expression::Identifier(name) if self.lookup(&name.node.name).is_none() => {
                (self.context.constant)(&name.node.name)
            }
            Expression::BinaryOperator(binary) => {
                let (left, right) = (self.constant(&binary.node.lhs.node)?, self.constant(&binary.node.rhs.node)?);
                match binary.node.operator.node {
                    BinaryOperator::Plus => left.checked_add(right),
                    BinaryOperator::Minus => left.checked_sub(right),
                    BinaryOperator::Multiply => left.checked_mul(right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Notes the use of a path; false if the expression is none.
    fn note(&mut self, e: &Expression, address: bool) -> bool {
        let Some((root, path, indices)) = self.path(e) else { return false };
        for index in indices {
            self.visit_expression(&index.node, &index.span);
        }
        if let Some(Some(at)) = self.lookup(root) {
            let used = Use { path, address };
            let uses = self.usage.uses.entry(at).or_default();
            if !uses.contains(&used) {
                uses.push(used);
            }
        }
        true
    }
}

/// `&operand`.
pub(crate) fn address_of(e: &Expression) -> Option<&Node<Expression>> {
    match e {
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
            Some(&unary.node.operand)
        }
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expression(&mut self, e: &'ast Expression, span: &'ast Span) {
        if self.note(e, false) {
            return;
        }
        if let Some(operand) = address_of(e)
            && self.note(&operand.node, true)
        {
            return;
        }
        if let Expression::Call(call) = e
            && let Expression::Identifier(name) = &call.node.callee.node
        {
            for (at, arg) in call.node.arguments.iter().enumerate() {
                let only_written = (self.context.writes_through)(&name.node.name, at);
                match address_of(super::strip_casts(&arg.node)) {
                    Some(operand) if only_written && self.note(&operand.node, false) => {}
                    _ => self.visit_expression(&arg.node, &arg.span),
                }
            }
            self.note(&call.node.callee.node, false);
            return;
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        let scoped = matches!(statement, Statement::Compound(_) | Statement::For(_));
        if scoped {
            self.scopes.push(FxHashMap::default());
        }
        visit::visit_statement(self, statement, span);
        if scoped {
            self.scopes.pop();
        }
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
        visit::visit_declaration(self, declaration, span);
    }

    fn visit_init_declarator(&mut self, init: &'ast InitDeclarator, _: &'ast Span) {
        self.visit_declarator(&init.declarator.node, &init.declarator.span);
        self.declare(&init.declarator.node);
        if let Some(initializer) = &init.initializer {
            self.visit_initializer(&initializer.node, &initializer.span);
        }
    }

    fn visit_enumerator(&mut self, enumerator: &'ast Enumerator, _: &'ast Span) {
        self.bind(&enumerator.identifier.node.name, None);
    }

    fn visit_parameter_declaration(&mut self, _: &'ast ParameterDeclaration, _: &'ast Span) {}

    fn visit_sizeofval(&mut self, _: &'ast SizeOfVal, _: &'ast Span) {}

    fn visit_type_of(&mut self, _: &'ast TypeOf, _: &'ast Span) {}
}

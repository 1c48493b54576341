//! How the variables of a function are used: which can live outside memory.
//!
//! A walk over the function before it is lowered. For each variable it keeps the paths (`x`, `x.a`, `x[1].b`) that are
//! read or written, and whether an address is taken.

use c_syntax::ast::{
    BinaryOperator, Constant, Declaration, Declarator, EnumSpecifier, Expression, FunctionDefinition, InitDeclarator,
    MemberOperator, Node, Statement, TypeOf, UnaryOperator,
};
use c_syntax::visit::{self, Visit};
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
    uses: FxHashMap<u32, Vec<Use>>,
}

impl Usage {
    /// The uses of the variable that is declared at `at`.
    pub fn of(&self, at: u32) -> &[Use] {
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
    for parameter in definition.declarator.parameters().iter().flat_map(|all| &all.parameters) {
        walk.declare(&parameter.declarator);
    }
    for declaration in &definition.declarations {
        walk.declaration(declaration);
    }
    walk.statement(&definition.statement.node);
    walk.usage
}

struct Walk<'c> {
    context: &'c Context<'c>,
    /// Names, with the place of the declaration for variables.
    scopes: Vec<FxHashMap<String, Option<u32>>>,
    usage: Usage,
}

/// The root of a path, its steps, and the expressions in its indices.
type Path<'a> = (&'a str, Vec<Step>, Vec<&'a Node<Expression>>);

impl Walk<'_> {
    fn declare(&mut self, declarator: &Declarator) {
        if let Some(name) = &declarator.name {
            self.bind(&name.text, Some(name.span.start));
        }
    }

    fn bind(&mut self, name: &str, at: Option<u32>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), at);
        }
    }

    fn lookup(&self, name: &str) -> Option<Option<u32>> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn path<'a>(&self, e: &'a Expression) -> Option<Path<'a>> {
        match e {
            Expression::Identifier(name) => Some((name, Vec::new(), Vec::new())),
            Expression::Member(member) if member.operator == MemberOperator::Direct => {
                let (root, mut steps, indices) = self.path(&member.expression.node)?;
                steps.push(Step::Member(member.identifier.text.clone()));
                Some((root, steps, indices))
            }
            Expression::Binary(binary) if binary.operator == BinaryOperator::Index => {
                let (root, mut steps, mut indices) = self.path(&binary.lhs.node)?;
                steps.push(Step::Index(self.constant(&binary.rhs.node)));
                indices.push(&binary.rhs);
                Some((root, steps, indices))
            }
            _ => None,
        }
    }

    fn constant(&self, e: &Expression) -> Option<i64> {
        match e {
            Expression::Constant(constant) => match constant {
                Constant::Integer(integer) => integer.value.try_into().ok(),
                Constant::Float(_) | Constant::Character(_) | Constant::Bool(_) | Constant::Nullptr => None,
            },
            Expression::Identifier(name) if self.lookup(name).is_none() => (self.context.constant)(name),
            Expression::Binary(binary) => {
                let (left, right) = (self.constant(&binary.lhs.node)?, self.constant(&binary.rhs.node)?);
                match binary.operator {
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
            self.expression(index);
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
        Expression::Unary(unary) if unary.operator == UnaryOperator::Address => Some(&unary.operand),
        _ => None,
    }
}

impl Visit for Walk<'_> {
    fn expression(&mut self, e: &Node<Expression>) {
        if self.note(&e.node, false) {
            return;
        }
        if let Some(operand) = address_of(&e.node)
            && self.note(&operand.node, true)
        {
            return;
        }
        // What is only asked for its size is not used.
        if matches!(e.node, Expression::SizeOfValue(_) | Expression::AlignOfValue(_)) {
            return;
        }
        if let Expression::Call(call) = &e.node
            && let Expression::Identifier(name) = &call.callee.node
        {
            for (at, arg) in call.arguments.iter().enumerate() {
                let only_written = (self.context.writes_through)(name, at);
                match address_of(super::strip_casts(&arg.node)) {
                    Some(operand) if only_written && self.note(&operand.node, false) => {}
                    _ => self.expression(arg),
                }
            }
            self.note(&call.callee.node, false);
            return;
        }
        visit::expression(self, e);
    }

    fn statement(&mut self, statement: &Statement) {
        let scoped = matches!(statement, Statement::Compound(_) | Statement::For(_));
        if scoped {
            self.scopes.push(FxHashMap::default());
        }
        visit::statement(self, statement);
        if scoped {
            self.scopes.pop();
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        visit::declaration(self, declaration);
        for init in &declaration.declarators {
            // Its address is given to the function that cleans it up.
            if let (Some(name), Some(_)) =
                (&init.declarator.name, super::lifetime::cleanup(&declaration.specifiers, &init.declarator))
            {
                self.note(&Expression::Identifier(name.text.clone()), true);
            }
        }
    }

    fn init_declarator(&mut self, init: &InitDeclarator) {
        self.declarator(&init.declarator);
        self.declare(&init.declarator);
        if let Some(initializer) = &init.initializer {
            self.initializer(&initializer.node);
        }
    }

    fn enumeration(&mut self, enumeration: &EnumSpecifier) {
        for enumerator in enumeration.enumerators.iter().flatten() {
            self.bind(&enumerator.name.text, None);
        }
    }

    fn type_of(&mut self, _: &TypeOf) {}
}

//! The operators and the names that are built in, with their sorts.

use crate::ast::{Expr, ExprKind};
use crate::model::AssumedTag;
use crate::node::{Base, BaseSet, NodeId, Sort};
use crate::resolve::{Failure, KNOWN_TAGS, Resolved, Resolver, Value};
use source::Span;

impl Resolver<'_> {
    /// A set or relation of either sort.
    pub fn node(&mut self, expr: &Expr) -> Resolved<NodeId> {
        let value = self.value(expr)?;
        self.node_of(&value, expr)
    }

    pub fn node_of(&mut self, value: &Value, expr: &Expr) -> Resolved<NodeId> {
        let what = match value {
            Value::Node(node) => return Ok(*node),
            Value::Tuple(_) => "a tuple",
            Value::Function(_) | Value::Domain | Value::Range | Value::DifferentValues => "a function",
            Value::Procedure(_) => "a procedure",
        };
        Err(self.error(expr.span, format!("expected a set or a relation, found {what}")).into())
    }

    pub fn relation(&mut self, expr: &Expr) -> Resolved<NodeId> {
        self.sorted(expr, Some(Sort::Relation))
    }

    /// A node of the sort that is asked for.
    pub fn sorted(&mut self, expr: &Expr, sort: Option<Sort>) -> Resolved<NodeId> {
        let node = self.node(expr)?;
        self.coerce(node, sort, expr)
    }

    /// Checks a sort. What is empty is empty in either sort: herd's files use `0` and `{}` for both.
    pub fn coerce(&mut self, node: NodeId, sort: Option<Sort>, expr: &Expr) -> Resolved<NodeId> {
        let Some(sort) = sort else { return Ok(node) };
        if self.builder.sort(node) == sort {
            return Ok(node);
        }
        if self.builder.is_empty(node) {
            return Ok(self.builder.empty(sort));
        }
        let (message, help) = match sort {
            Sort::Relation => {
                ("expected a relation, found a set", "write `[A]` for the identity on a set, `A * B` for all pairs")
            }
            Sort::Set => {
                ("expected a set, found a relation", "write `domain(r)` or `range(r)` for the events of a relation")
            }
        };
        Err(self.error(expr.span, message).label(found_instead(sort)).help(help).into())
    }

    /// Operands of `|`, `&` and `\`: all sets or all relations, as the first that is not plainly empty.
    fn operands(&mut self, parts: &[&Expr]) -> Resolved<(Vec<NodeId>, Sort)> {
        let mut nodes = Vec::new();
        for part in parts {
            nodes.push(self.node(part)?);
        }
        let decides = nodes.iter().find(|node| !self.builder.is_empty(**node)).or(nodes.first());
        let sort = decides.map_or(Sort::Relation, |node| self.builder.sort(*node));
        for (node, part) in nodes.iter_mut().zip(parts) {
            *node = self.coerce(*node, Some(sort), part)?;
        }
        Ok((nodes, sort))
    }

    pub fn operator(&mut self, expr: &Expr) -> Resolved<NodeId> {
        match &expr.kind {
            ExprKind::Zero => Ok(self.builder.empty(Sort::Relation)),
            ExprKind::Braces => Ok(self.builder.empty(Sort::Set)),
            ExprKind::Universe => Ok(self.builder.set(BaseSet::Universe)),
            ExprKind::Union(parts) => {
                let (nodes, sort) = self.operands(&parts.iter().collect::<Vec<_>>())?;
                Ok(self.builder.union(&nodes, sort))
            }
            ExprKind::Intersection(parts) => {
                let (nodes, sort) = self.operands(&parts.iter().collect::<Vec<_>>())?;
                Ok(self.builder.intersection(&nodes, sort))
            }
            ExprKind::Difference(a, b) => {
                let (nodes, _) = self.operands(&[a, b])?;
                Ok(self.builder.difference(nodes[0], nodes[1]))
            }
            ExprKind::Sequence(parts) => {
                let mut nodes = Vec::new();
                for part in parts {
                    nodes.push(self.relation(part)?);
                }
                Ok(self.builder.sequence(&nodes))
            }
            ExprKind::Product(a, b) => {
                let a = self.sorted(a, Some(Sort::Set))?;
                let b = self.sorted(b, Some(Sort::Set))?;
                Ok(self.builder.product(a, b))
            }
            ExprKind::Complement(a) => {
                let a = self.node(a)?;
                Ok(self.builder.complement(a))
            }
            ExprKind::Inverse(a) => {
                let a = self.relation(a)?;
                Ok(self.builder.inverse(a))
            }
            ExprKind::Plus(a) => {
                let a = self.relation(a)?;
                Ok(self.builder.plus(a))
            }
            ExprKind::Star(a) => {
                let a = self.relation(a)?;
                Ok(self.builder.star(a))
            }
            ExprKind::Optional(a) => {
                let a = self.relation(a)?;
                Ok(self.builder.optional(a))
            }
            ExprKind::Test(a) => {
                let a = self.sorted(a, Some(Sort::Set))?;
                Ok(self.builder.test(a))
            }
            ExprKind::Name(_)
            | ExprKind::Tuple(_)
            | ExprKind::Apply(..)
            | ExprKind::Let(..)
            | ExprKind::Fun(_)
            | ExprKind::Try(..)
            | ExprKind::If(..) => self.node(expr),
        }
    }

    /// What a name means that no definition gave a meaning to.
    ///
    /// `RMW` are the events of the kernel's read-modify-writes, which may fail. `sm`, the accesses that belong to one access of mixed size, is the identity.
    pub fn built_in(&mut self, name: &str) -> Option<Value> {
        let builder = &mut self.builder;
        if let Some(base) = Base::from_name(name) {
            return Some(Value::Node(builder.base(base)));
        }
        Some(match name {
            "domain" => Value::Domain,
            "different-values" => Value::DifferentValues,
            "range" => Value::Range,
            "sm" => Value::Node(builder.base(Base::Id)),
            "R" => Value::Node(builder.set(BaseSet::R)),
            "W" => Value::Node(builder.set(BaseSet::W)),
            "F" => Value::Node(builder.set(BaseSet::F)),
            "IW" => Value::Node(builder.set(BaseSet::Iw)),
            "FW" => Value::Node(builder.set(BaseSet::Fw)),
            "M" => {
                let both = [builder.set(BaseSet::R), builder.set(BaseSet::W)];
                Value::Node(builder.union(&both, Sort::Set))
            }
            "emptyset" => Value::Node(builder.empty(Sort::Set)),
            // Where herd's enumerations of coherence begin: the initial writes come first.
            "co0" => {
                let (initial, writes) = (builder.set(BaseSet::Iw), builder.set(BaseSet::W));
                let (pairs, among) = (builder.product(initial, writes), builder.product(initial, initial));
                let loc = builder.base(Base::Loc);
                let here = builder.intersection(&[pairs, loc], Sort::Relation);
                Value::Node(builder.difference(here, among))
            }
            "EX" => Value::Node(builder.set(BaseSet::Tag("X".to_owned()))),
            name => {
                let known = KNOWN_TAGS.iter().copied().chain(self.tags.iter().map(String::as_str));
                // Tags have one spelling in tests, and several in herd's models: `'rcu-lock`, `Rcu-lock`, `RCU-LOCK`.
                let exact = known.clone().find(|tag| *tag == name);
                let tag = exact.or_else(|| known.clone().find(|tag| tag.eq_ignore_ascii_case(name)))?.to_owned();
                Value::Node(self.builder.set(BaseSet::Tag(tag)))
            }
        })
    }

    /// A name without a meaning: a tag if it looks like one, with a warning where no test has it.
    pub fn tag_or_unknown(&mut self, name: &str, span: Span) -> Resolved<Value> {
        let failure = self.unknown(name, span);
        let looks_like_tag = name.starts_with(|first: char| first.is_ascii_uppercase());
        if self.trying > 0 || !looks_like_tag || self.nearest(name).is_some() {
            return Err(failure);
        }
        self.assumed.push(AssumedTag { name: name.to_owned(), file: self.file.clone(), span });
        Ok(Value::Node(self.builder.set(BaseSet::Tag(name.to_owned()))))
    }

    /// The name with a meaning that was probably meant.
    fn nearest(&self, name: &str) -> Option<String> {
        let mut names = self.visible_names();
        names.extend(Base::ALL.iter().map(|base| base.name().to_owned()));
        names.extend(["domain", "range", "R", "W", "M", "F", "IW", "FW", "emptyset"].map(str::to_owned));
        names.extend(KNOWN_TAGS.iter().map(|tag| (*tag).to_owned()));
        names.extend(self.tags.iter().cloned());
        let (far, other) = names.into_iter().map(|other| (distance(name, &other), other)).min()?;
        (far <= 2 && far < name.chars().count()).then_some(other)
    }

    /// The error for a name without a meaning, with the nearest name that has one.
    pub fn unknown(&self, name: &str, span: Span) -> Failure {
        let help = match self.nearest(name) {
            Some(other) => format!("did you mean `{other}`?"),
            None => format!(
                "define it with `let {name} = …`, or declare it as a tag with a line `@tags {name}` in the head"
            ),
        };
        Failure::Unknown(self.error(span, format!("unknown name `{name}`")).help(help))
    }
}

fn found_instead(sort: Sort) -> &'static str {
    match sort {
        Sort::Set => "this is a relation",
        Sort::Relation => "this is a set",
    }
}

/// The edit distance of two names, without regard to case.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

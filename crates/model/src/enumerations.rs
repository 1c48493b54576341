//! `with order from …`: the orders that a model does not define but asks for.

use crate::ast::{Expr, ExprKind};
use crate::node::Scope::Any;
use crate::node::{Base, BaseSet, Node, NodeId, Requirement, Role, Sort};
use crate::resolve::{Resolved, Resolver, Value};
use source::{Diagnostic, Span};

impl Resolver<'_> {
    /// Gives a name to some order of an enumeration.
    pub fn one_of(&mut self, name: &str, from: &Expr, span: Span) -> Resolved<()> {
        if let ExprKind::Apply(function, within) = &from.kind
            && matches!(&function.kind, ExprKind::Name(function) if function == "generate_cos")
        {
            let writes = self.builder.set(BaseSet::W);
            return self.order_of_writes(name, writes, within, span);
        }
        if let ExprKind::Apply(function, argument) = &from.kind
            && let (ExprKind::Name(function), ExprKind::Tuple(parts)) = (&function.kind, &argument.kind)
            && let [set, within] = &parts[..]
        {
            match function.as_str() {
                "generate_orders" => {
                    let writes = self.writes_of(set)?;
                    return self.order_of_writes(name, writes, within, span);
                }
                "linearisations" => return self.linear_order(name, set, within, span),
                _ => {}
            }
        }
        let error = self.error(from.span, "this enumeration is not supported in models");
        let help = "`with … from` knows `generate_orders(S, p)`, `generate_cos(p)` and `linearisations(S, p)`";
        Err(error.help(help).into())
    }

    /// `with order from generate_orders(S, p)`: a total order of the events of `S` at each location that extends `p`.
    ///
    /// Coherence is such an order of all writes, and executions differ in it, so its restriction to `S` runs through all
    /// orders of `S`. Those that do not extend `p` are no executions.
    fn order_of_writes(&mut self, name: &str, ordered: NodeId, within: &Expr, span: Span) -> Resolved<()> {
        let partial = self.relation(within)?;
        let builder = &mut self.builder;
        let (co, loc, id) = (builder.base(Base::Co(Any)), builder.base(Base::Loc), builder.base(Base::Id));
        let inside = builder.product(ordered, ordered);
        let order = builder.intersection(&[co, inside], Sort::Relation);
        let wanted = builder.intersection(&[partial, loc, inside], Sort::Relation);
        let wanted = builder.difference(wanted, id);
        let missing = builder.difference(wanted, order);
        self.axiom(format!("{name}-extends"), Requirement::Empty, false, missing, Role::Forbids, span);
        self.builder.name(order, name);
        self.define(name, Value::Node(order));
        Ok(())
    }

    /// The writes of a set, with a warning if it has others.
    fn writes_of(&mut self, set: &Expr) -> Resolved<NodeId> {
        let all = self.sorted(set, Some(Sort::Set))?;
        let writes = self.builder.set(BaseSet::W);
        let ordered = self.builder.intersection(&[all, writes], Sort::Set);
        if ordered != all {
            let warning = Diagnostic::warning(&self.file, set.span, "only the writes of this set are ordered");
            self.warnings.push(warning.help("an order that is enumerated is a part of coherence"));
        }
        Ok(ordered)
    }

    /// `with order from linearisations(S, p)`: a linear order of all events of `S` that extends `p`, with paths of `p` outside
    /// of `S`. There is none if `p` leads from an event of `S` back to it, and then no execution either.
    fn linear_order(&mut self, name: &str, set: &Expr, within: &Expr, span: Span) -> Resolved<()> {
        let set = self.sorted(set, Some(Sort::Set))?;
        let partial = self.relation(within)?;
        let builder = &mut self.builder;
        let closed = builder.plus(partial);
        let inside = builder.product(set, set);
        let within = builder.intersection(&[closed, inside], Sort::Relation);
        let number = builder.nodes.iter().filter(|node| matches!(node, Node::Order(..))).count();
        let order = builder.order(number as u32, set, within);
        self.axiom(format!("{name}-exists"), Requirement::Irreflexive, false, within, Role::Forbids, span);
        self.builder.name(order, name);
        self.define(name, Value::Node(order));
        Ok(())
    }
}

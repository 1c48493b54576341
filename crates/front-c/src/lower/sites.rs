//! Atomic accesses and fences whose memory order stands in the user's text, so that it could be another one.

use super::{Lowering, Unit};
use crate::text::{SYNCHRONIZE, implicit};
use c_syntax::ast::Range;
use ir::{MemoryOrder, Site, kernel};
use source::{SourceFile, Span};

/// What has a memory order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Load,
    Store,
    /// A read-modify-write that always writes.
    Update,
    /// A compare-exchange.
    Swap,
    /// A compare-exchange that fails.
    Failure,
    Fence,
}

impl Role {
    /// Whether C allows this order here.
    fn allows(self, order: &str) -> bool {
        match self {
            Role::Load | Role::Failure => !matches!(order, "release" | "acq_rel"),
            Role::Store => !matches!(order, "acquire" | "acq_rel"),
            Role::Update | Role::Swap | Role::Fence => true,
        }
    }
}

/// An order in the user's text and what it is used for.
#[derive(Debug)]
pub(super) struct Found {
    /// Where it stands; for an operation without an order, where the operation stands.
    own: usize,
    role: Role,
    /// The name of the order.
    now: &'static str,
    /// Whether it has several uses that do not go together.
    mixed: bool,
}

impl Lowering {
    /// The mark of the site whose memory order an argument is, if it stands in the user's text.
    pub fn site(&mut self, argument: Range, role: Role, now: &'static str) -> Option<String> {
        let Unit::User(unit) = self.body.unit else { return None };
        if !self.options.seams {
            return None;
        }
        let own = self.texts[unit as usize].order(argument)?;
        let at = match self.sites.iter().position(|site| site.own == own) {
            Some(at) => at,
            None => {
                self.sites.push(Found { own, role, now, mixed: !role.allows(now) });
                self.sites.len() - 1
            }
        };
        let site = &mut self.sites[at];
        // The failure of an operation without orders has the order of its success, without what a write has.
        let implied =
            site.role == Role::Swap && role == Role::Failure && implicit(word(&self.program.source, own)).is_some();
        site.mixed |= site.role != role && !implied;
        Some(Site::mark(at))
    }

    /// The mark of the site that a call is whose order is in its name, if it stands in the user's text under this name.
    pub fn operation_site(&mut self, call: Range, name: &str, role: Role) -> Option<String> {
        let Unit::User(unit) = self.body.unit else { return None };
        if !self.options.seams {
            return None;
        }
        let own = self.texts[unit as usize].operation(call).filter(|own| word(&self.program.source, *own) == name)?;
        let at = self.sites.iter().position(|site| site.own == own).unwrap_or_else(|| {
            self.sites.push(Found { own, role, now: "seq_cst", mixed: false });
            self.sites.len() - 1
        });
        Some(Site::mark(at))
    }

    /// What was found, in the program.
    pub(super) fn finish_sites(&mut self) {
        let sites = std::mem::take(&mut self.sites);
        self.program.sites = sites.iter().map(|found| site(&self.program.source, found)).collect();
    }
}

/// The word that stands somewhere in a text.
fn word(file: &SourceFile, at: usize) -> &str {
    let rest = file.row().get(at..).unwrap_or_default();
    let length = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
    &rest[..length]
}

/// The site with all orders that it could have; none if its uses do not go together.
fn site(file: &SourceFile, found: &Found) -> Site {
    if let Some(site) = kernel::site(file.row(), found.own) {
        return site;
    }
    let text = word(file, found.own);
    let span = Span::new(found.own, found.own + text.len());
    let allowed = |order: &str| found.role.allows(order) && !found.mixed;
    let orders = MemoryOrder::c11(allowed, |order| edits(file, span, text, order));
    let now = orders.iter().position(|order| order.name == found.now).unwrap_or(0);
    Site { span, now, orders }
}

/// How the text is changed to have an order: the order is replaced, or given to an operation that has none.
fn edits(file: &SourceFile, span: Span, text: &str, order: &str) -> Vec<(Span, String)> {
    if text == SYNCHRONIZE {
        let end = closing(file.row(), span.end as usize).map_or(span.end as usize, |close| close + 1);
        let call = Span::new(span.start as usize, end);
        return vec![(call, format!("__atomic_thread_fence(__ATOMIC_{})", order.to_uppercase()))];
    }
    let Some(orders) = implicit(text) else {
        let new = if text.starts_with("__ATOMIC_") {
            format!("__ATOMIC_{}", order.to_uppercase())
        } else {
            format!("memory_order_{order}")
        };
        return vec![(span, new)];
    };
    let end = span.end as usize;
    let Some(close) = closing(file.row(), end) else { return Vec::new() };
    let failure = match order {
        "release" => "relaxed",
        "acq_rel" => "acquire",
        other => other,
    };
    let mut arguments = format!(", memory_order_{order}");
    if orders > 1 {
        arguments += &format!(", memory_order_{failure}");
    }
    vec![(Span::new(end, end), "_explicit".to_owned()), (Span::new(close, close), arguments)]
}

/// The parenthesis that closes the first one behind a place.
fn closing(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            (None, _) => {}
        }
    }
    None
}

//! Accesses and fences whose memory order stands in the user's text, so that it could be another one: as an argument, in the name of
//! an operation, or because C says what an operator does to an atomic object.

use super::place::{At, Place};
use super::{Lowering, Unit};
use crate::text::{SYNCHRONIZE, implicit};
use crate::types::Type;
use c_syntax::ast::{BinaryOperator, Range};
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

/// An access that is written without a function, in the text of the parser.
#[derive(Debug, Clone)]
pub(super) struct Written {
    role: Role,
    /// The function that does the same, without what stands around it: `load`, `fetch_add`.
    function: &'static str,
    whole: Range,
    target: Range,
    value: Option<Range>,
}

impl Written {
    /// A value that is read.
    pub fn load(target: Range) -> Option<Written> {
        Some(Written { role: Role::Load, function: "load", whole: target, target, value: None })
    }

    /// An assignment whose value is not used.
    pub fn store(whole: Range, target: Range, value: Range) -> Written {
        Written { role: Role::Store, function: "store", whole, target, value: Some(value) }
    }

    /// An update whose value is not used.
    pub fn update(whole: Range, target: Range, value: Option<Range>, op: &BinaryOperator) -> Option<Written> {
        let function = match op {
            BinaryOperator::Plus => "fetch_add",
            BinaryOperator::Minus => "fetch_sub",
            BinaryOperator::BitwiseAnd => "fetch_and",
            BinaryOperator::BitwiseOr => "fetch_or",
            BinaryOperator::BitwiseXor => "fetch_xor",
            _ => return None,
        };
        Some(Written { role: Role::Update, function, whole, target, value })
    }
}

/// The same in the user's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Access {
    function: &'static str,
    atomic: bool,
    whole: (usize, usize),
    target: (usize, usize),
    value: Option<(usize, usize)>,
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
    /// How it is written, if that is without an order and without a function.
    access: Option<Access>,
}

impl Lowering {
    /// The mark of the site whose memory order an argument is, if it stands in the user's text.
    pub fn site(&mut self, argument: Range, role: Role, now: &'static str) -> Option<String> {
        let Unit::User(unit) = self.body.unit else { return None };
        if !self.options.seams {
            return None;
        }
        let own = self.texts[unit as usize].order(argument)?;
        let at = self.known_site(Found { own, role, now, mixed: !role.allows(now), access: None });
        let site = &mut self.sites[at];
        // The failure of an operation without orders has the order of its success, without what a write has.
        let implied =
            site.role == Role::Swap && role == Role::Failure && implicit(word(&self.program.source, own)).is_some();
        site.mixed |= site.role != role && !implied;
        Some(Site::mark(at))
    }

    /// The number of a site, which may have been found before.
    fn known_site(&mut self, found: Found) -> usize {
        let same = |site: &Found| site.own == found.own && site.access == found.access;
        self.sites.iter().position(same).unwrap_or_else(|| {
            self.sites.push(found);
            self.sites.len() - 1
        })
    }

    /// The mark of the site that a call is whose order is in its name, if it stands in the user's text under this name.
    pub fn operation_site(&mut self, call: Range, name: &str, role: Role) -> Option<String> {
        let Unit::User(unit) = self.body.unit else { return None };
        if !self.options.seams {
            return None;
        }
        let own = self.texts[unit as usize].operation(call).filter(|own| word(&self.program.source, *own) == name)?;
        let found = Found { own, role, now: "seq_cst", mixed: false, access: None };
        Some(Site::mark(self.known_site(found)))
    }

    /// Does something with a place in memory, which is an access that is written so.
    pub(super) fn written_as<T>(
        &mut self,
        place: &Place,
        written: impl FnOnce() -> Option<Written>,
        access: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.options.seams && matches!(place.at, At::Memory(_)) && place.bits.is_none() {
            self.written = written();
        }
        let result = access(self);
        self.written = None;
        result
    }

    /// The mark of the site that an access is which is written without a function.
    pub(super) fn access_site(&mut self, written: &Written, ty: &Type) -> Option<String> {
        let Unit::User(unit) = self.body.unit else { return None };
        let (atomic, text) = (ty.is_atomic(), &self.texts[unit as usize]);
        if ty.is_float() || !(atomic || self.options.non_atomic) {
            return None;
        }
        let value = match written.value {
            Some(value) => Some(text.same(value)?),
            None => None,
        };
        let (whole, target) = (text.same(written.whole)?, text.same(written.target)?);
        let access = Access { function: written.function, atomic, whole, target, value };
        let now = if atomic { "seq_cst" } else { "non-atomic" };
        let found = Found { own: target.0, role: written.role, now, mixed: false, access: Some(access) };
        Some(Site::mark(self.known_site(found)))
    }

    /// What was found, in the program.
    pub(super) fn finish_sites(&mut self) {
        let mut sites = std::mem::take(&mut self.sites);
        let targets: Vec<(usize, usize)> = sites.iter().filter_map(|site| Some(site.access?.target)).collect();
        for site in &mut sites {
            // The text of what is accessed is given to a function as it is.
            let inside = |&(from, to): &(usize, usize), (start, end): (usize, usize)| {
                (from, to) != (start, end) && from <= start && end <= to
            };
            site.mixed |= site.access.is_some_and(|own| targets.iter().any(|target| inside(target, own.target)));
        }
        let standard = self.program.source.row().contains("stdatomic.h");
        self.program.sites = sites.iter().map(|found| site(&self.program.source, found, standard)).collect();
    }
}

/// The word that stands somewhere in a text.
fn word(file: &SourceFile, at: usize) -> &str {
    let rest = file.row().get(at..).unwrap_or_default();
    let length = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
    &rest[..length]
}

/// The site with all orders that it could have; none if its uses do not go together. `standard`: there is `<stdatomic.h>`.
fn site(file: &SourceFile, found: &Found, standard: bool) -> Site {
    if let Some(site) = kernel::site(file.row(), found.own) {
        return site;
    }
    let allowed = |order: &str| found.role.allows(order) && !found.mixed;
    if let Some(access) = &found.access {
        let span = Span::new(access.target.0, access.target.1);
        let edits = |order: &str| called(file, access, order, standard);
        let orders =
            if access.atomic { MemoryOrder::c11(allowed, edits) } else { MemoryOrder::non_atomic(allowed, edits) };
        let now = orders.iter().position(|order| order.name == found.now).unwrap_or(0);
        return Site { span, now, orders };
    }
    let text = word(file, found.own);
    let span = Span::new(found.own, found.own + text.len());
    let orders = MemoryOrder::c11(allowed, |order| edits(file, span, text, order));
    let now = orders.iter().position(|order| order.name == found.now).unwrap_or(0);
    Site { span, now, orders }
}

/// How an access that is written without a function is written with one.
fn called(file: &SourceFile, access: &Access, order: &str, standard: bool) -> Vec<(Span, String)> {
    let slice = |(from, to): (usize, usize)| file.row().get(from..to).unwrap_or_default();
    let pointer = ir::pointer(slice(access.target));
    let (name, order) = if access.atomic && standard {
        (format!("atomic_{}_explicit", access.function), format!("memory_order_{order}"))
    } else {
        let suffix = if access.function.starts_with("fetch") { "" } else { "_n" };
        (format!("__atomic_{}{suffix}", access.function), format!("__ATOMIC_{}", order.to_uppercase()))
    };
    let (from, to) = access.whole;
    match (access.value, access.function) {
        (Some((start, end)), _) => {
            vec![(Span::new(from, start), format!("{name}({pointer}, ")), (Span::new(end, end), format!(", {order})"))]
        }
        (None, "load") => vec![(Span::new(from, to), format!("{name}({pointer}, {order})"))],
        (None, _) => vec![(Span::new(from, to), format!("{name}({pointer}, 1, {order})"))],
    }
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

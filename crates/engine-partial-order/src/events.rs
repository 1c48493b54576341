//! The events with their locations, and the conditions under which they communicate.

use engine::{NoAnswer, Observer};
use ir::{Address, Program, UnaryOp, Width};
use logic::{Bool, Term, TermNode, Terms};
use model::{Base, Model, Node, Requirement, Role, Scope};
use symbolic::{Kind, Structure};

/// The events of a problem and their communication: reads-from and coherence as conditions on pairs.
///
/// Conditions on pairs are relative: a pair is in a relation if its condition holds *and both events are executed*.
pub struct Events<'p> {
    pub program: &'p Program,
    pub structure: Structure,
    /// The locations that each event can access, and when.
    pub locations: Vec<Vec<(usize, Bool)>>,
    pub addresses: Vec<Address>,
    /// For each read, the writes that it can read from, and when it does. These conditions imply both guards.
    pub rf: Vec<Vec<(usize, Bool)>>,
    /// The pairs of writes that coherence can order this way, and when it does.
    pub co: Vec<(usize, usize, Bool)>,
    /// What reads-from and coherence must satisfy.
    pub constraints: Vec<Bool>,
    observer: &'p dyn Observer,
}

impl<'p> Events<'p> {
    pub fn new(
        program: &'p Program,
        structure: Structure,
        model: &Model,
        observer: &'p dyn Observer,
    ) -> Result<Self, NoAnswer> {
        let addresses: Vec<Address> = program.addresses().collect();
        let mut events = Events {
            program,
            locations: Vec::new(),
            rf: Vec::new(),
            co: Vec::new(),
            constraints: structure.constraints.clone(),
            structure,
            addresses,
            observer,
        };
        for event in 0..events.len() {
            let locations = events.resolve(event)?;
            events.locations.push(locations);
        }
        let coherent = has_uniproc(model);
        events.coherence(coherent)?;
        events.reads_from(coherent)?;
        Ok(events)
    }

    pub fn len(&self) -> usize {
        self.structure.events.len()
    }

    pub fn terms(&mut self) -> &mut Terms {
        &mut self.structure.terms
    }

    pub fn guard(&self, event: usize) -> Bool {
        self.structure.events[event].guard
    }

    pub fn kind(&self, event: usize) -> Kind {
        self.structure.events[event].kind
    }

    pub fn is_initial(&self, event: usize) -> bool {
        self.structure.events[event].thread.is_none()
    }

    pub fn same_thread(&self, a: usize, b: usize) -> bool {
        let thread = |e: usize| self.structure.events[e].thread;
        thread(a).is_some() && thread(a) == thread(b)
    }

    /// Whether the pair is in program order (if both are executed).
    pub fn po(&self, a: usize, b: usize) -> bool {
        a < b && self.same_thread(a, b)
    }

    /// Whether a pair can be in this scope.
    pub fn in_scope(&self, scope: Scope, a: usize, b: usize) -> bool {
        match scope {
            Scope::Any => true,
            Scope::Internal => self.same_thread(a, b),
            Scope::External => !self.same_thread(a, b),
        }
    }

    /// The locations that an event can access.
    fn resolve(&mut self, event: usize) -> Result<Vec<(usize, Bool)>, NoAnswer> {
        let (kind, guard, address, span) = {
            let event = &self.structure.events[event];
            (event.kind, event.guard, event.address, event.span)
        };
        if kind == Kind::Fence || guard == Bool::FALSE {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        if constant_leaves(&self.structure.terms, address) {
            let mut leaves = Vec::new();
            collect_leaves(&mut self.structure.terms, address, guard, &mut leaves);
            for (bits, when) in leaves {
                let known = self.addresses.iter().position(|a| a.to_bits() == bits);
                match known {
                    Some(location) => found.push((location, when)),
                    None if when == Bool::FALSE => {}
                    None => return Err(self.wild(span)),
                }
            }
            // Relative to the guard: a single certain location needs no condition.
            if let [(_, when)] = &mut found[..] {
                *when = Bool::TRUE;
            }
            return Ok(found);
        }
        for location in 0..self.addresses.len() {
            let bits = self.addresses[location].to_bits();
            let terms = &mut self.structure.terms;
            let here = terms.constant(bits, Width::WORD);
            let when = terms.eq(address, here);
            if when != Bool::FALSE {
                found.push((location, when));
            }
        }
        let terms = &mut self.structure.terms;
        let somewhere = terms.any(found.iter().map(|&(_, when)| when));
        let constraint = terms.implies(guard, somewhere);
        self.constraints.push(constraint);
        Ok(found)
    }

    fn wild(&self, span: source::Span) -> NoAnswer {
        let line = self.program.source.line(span);
        NoAnswer::GaveUp(format!("the access in line {line} can go to an address where there is no location"))
    }

    /// When two events access the same location.
    pub fn same_location(&mut self, a: usize, b: usize) -> Bool {
        let (left, right) = (self.locations[a].clone(), self.locations[b].clone());
        let mut same = Bool::FALSE;
        for &(location, when) in &left {
            for &(other, also) in &right {
                if location == other {
                    let both = self.structure.terms.and(when, also);
                    same = self.structure.terms.or(same, both);
                }
            }
        }
        same
    }

    fn of_kind(&self, kind: Kind) -> Vec<usize> {
        (0..self.len()).filter(|&e| self.kind(e) == kind && self.guard(e) != Bool::FALSE).collect()
    }

    /// Large problems take long to build: whoever builds asks here now and then whether to go on.
    pub fn go_on(&self) -> Result<(), NoAnswer> {
        self.observer.stop().map_or(Ok(()), Err)
    }

    fn coherence(&mut self, coherent: bool) -> Result<(), NoAnswer> {
        let writes = self.of_kind(Kind::Write);
        for (at, &a) in writes.iter().enumerate() {
            self.go_on()?;
            for &b in &writes[at + 1..] {
                let same = self.same_location(a, b);
                if same == Bool::FALSE {
                    continue;
                }
                if self.is_initial(a) || (coherent && self.po(a, b)) {
                    self.co.push((a, b, same));
                    continue;
                }
                let terms = &mut self.structure.terms;
                let first = terms.fresh_bool();
                let forward = terms.and(same, first);
                let backward = terms.and(same, !first);
                self.co.push((a, b, forward));
                self.co.push((b, a, backward));
            }
        }
        Ok(())
    }

    fn reads_from(&mut self, coherent: bool) -> Result<(), NoAnswer> {
        let writes = self.of_kind(Kind::Write);
        self.rf = vec![Vec::new(); self.len()];
        for read in self.of_kind(Kind::Read) {
            self.go_on()?;
            let mut candidates = Vec::new();
            for &write in &writes {
                let same = self.same_location(write, read);
                if same == Bool::FALSE || (coherent && self.cannot_see(write, read, &writes)) {
                    continue;
                }
                candidates.push((write, same));
            }
            self.choose_source(read, &candidates, coherent)?;
        }
        Ok(())
    }

    /// Whether coherence within the thread rules out that `read` reads from `write`.
    fn cannot_see(&mut self, write: usize, read: usize, writes: &[usize]) -> bool {
        if self.po(read, write) {
            return true;
        }
        if !self.is_initial(write) && !self.po(write, read) {
            return false;
        }
        // Another write of the thread, certainly to the same location, stands between.
        let Some(location) = self.certain_location(read) else { return false };
        writes.iter().any(|&between| {
            let inside = self.po(between, read) && (self.is_initial(write) || self.po(write, between));
            inside && self.certain_location(between) == Some(location) && self.executed_with(between, read)
        })
    }

    fn certain_location(&self, event: usize) -> Option<usize> {
        match self.locations[event][..] {
            [(location, when)] if when == Bool::TRUE => Some(location),
            _ => None,
        }
    }

    /// Whether `event` is executed whenever `other` is.
    fn executed_with(&mut self, event: usize, other: usize) -> bool {
        let (guard, other) = (self.guard(event), self.guard(other));
        self.structure.terms.and(other, !guard) == Bool::FALSE
    }

    fn choose_source(&mut self, read: usize, candidates: &[(usize, Bool)], coherent: bool) -> Result<(), NoAnswer> {
        let guard = self.guard(read);
        let mut sources = Vec::with_capacity(candidates.len());
        for &(write, same) in candidates {
            let written = self.value_at(write, read)?;
            let (value, from) = (self.structure.events[read].value, self.guard(write));
            let terms = &mut self.structure.terms;
            let equal = terms.eq(written, value);
            let needs = terms.all([guard, from, same, equal]);
            let reads = match candidates {
                [_] => guard,
                _ => terms.fresh_bool(),
            };
            if needs == Bool::FALSE {
                continue;
            }
            let constraint = terms.implies(reads, needs);
            self.constraints.push(constraint);
            sources.push((write, reads));
        }
        let terms = &mut self.structure.terms;
        let some = terms.any(sources.iter().map(|&(_, reads)| reads));
        let constraint = terms.implies(guard, some);
        self.constraints.push(constraint);
        if !coherent {
            // Where no axiom sees to it, a read must be told to have one source only.
            for (at, &(_, one)) in sources.iter().enumerate() {
                for &(_, other) in &sources[at + 1..] {
                    let constraint = !self.structure.terms.and(one, other);
                    self.constraints.push(constraint);
                }
            }
        }
        self.rf[read] = sources;
        Ok(())
    }

    /// What `read` would see of `write`: cut to the cell, then fitted to the register.
    fn value_at(&mut self, write: usize, read: usize) -> Result<Term, NoAnswer> {
        let mut widths: Vec<Width> = self.locations[write]
            .iter()
            .filter(|(location, _)| self.locations[read].iter().any(|(l, _)| l == location))
            .filter_map(|&(location, _)| self.program.cell(self.addresses[location]).map(|cell| cell.width))
            .collect();
        widths.sort();
        widths.dedup();
        let [cell] = widths[..] else {
            let line = self.program.source.line(self.structure.events[read].span);
            return Err(NoAnswer::GaveUp(format!("the access in line {line} can go to cells of different sizes")));
        };
        let value = self.structure.events[write].value;
        let to = self.structure.terms.width(self.structure.events[read].value);
        let stored = self.fit(value, cell);
        Ok(self.fit(stored, to))
    }

    /// The value cut or widened with zeros to a width.
    pub fn fit(&mut self, value: Term, to: Width) -> Term {
        let terms = &mut self.structure.terms;
        let op = if terms.width(value) > to { UnaryOp::Truncate(to) } else { UnaryOp::ZeroExtend(to) };
        terms.unary(op, value)
    }

    /// When `write` is the last one to `location`, given that it is executed.
    pub fn is_last(&mut self, write: usize, location: usize) -> Bool {
        let here = self.locations[write].iter().find(|&&(l, _)| l == location).map_or(Bool::FALSE, |&(_, when)| when);
        let later: Vec<(usize, Bool)> = self.co.iter().filter(|c| c.0 == write).map(|c| (c.1, c.2)).collect();
        let mut last = here;
        for (other, when) in later {
            let guard = self.guard(other);
            let terms = &mut self.structure.terms;
            let after = terms.and(when, guard);
            last = terms.and(last, !after);
        }
        last
    }
}

/// Whether a term is a tree of choices between constants.
fn constant_leaves(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        TermNode::Const(_) => true,
        TermNode::Ite(_, then, otherwise) => constant_leaves(terms, then) && constant_leaves(terms, otherwise),
        TermNode::Var(_) | TermNode::Unary(..) | TermNode::Binary(..) => false,
    }
}

/// The constants of a tree of choices, each once, with the condition under which it is chosen.
fn collect_leaves(terms: &mut Terms, term: Term, when: Bool, found: &mut Vec<(u64, Bool)>) {
    match terms.node(term) {
        TermNode::Const(value) => match found.iter_mut().find(|(v, _)| *v == value) {
            Some((_, already)) => *already = terms.or(*already, when),
            None => found.push((value, when)),
        },
        TermNode::Ite(condition, then, otherwise) => {
            let yes = terms.and(when, condition);
            collect_leaves(terms, then, yes, found);
            let no = terms.and(when, !condition);
            collect_leaves(terms, otherwise, no, found);
        }
        TermNode::Var(_) | TermNode::Unary(..) | TermNode::Binary(..) => {
            panic!("the leaves were found to be constants")
        }
    }
}

/// Whether the model has an axiom that gives every location a sequential order: `acyclic po-loc | rf | co | fr`, or more.
pub fn has_uniproc(model: &Model) -> bool {
    model.axioms.iter().any(|axiom| {
        let plain = axiom.requirement == Requirement::Acyclic && axiom.role == Role::Forbids && !axiom.negated;
        let members = model.union_members(axiom.node);
        let has = |base: Base| members.iter().any(|&m| *model.node(m) == Node::Base(base));
        let communication = has(Base::Rf(Scope::Any)) && has(Base::Co(Scope::Any)) && has(Base::Fr(Scope::Any));
        plain && communication && (has(Base::PoLoc) || has(Base::Po))
    })
}

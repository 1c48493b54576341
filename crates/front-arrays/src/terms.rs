//! Formulas and terms.

use crate::lex::Token;
use crate::parse::Parser;
use source::{Diagnostic, Span};
use system::{Access, Comparison, Formula, Process, Term, Type};

type Parsed<T> = Result<T, Diagnostic>;

fn not(formula: Formula) -> Formula {
    Formula::Not(Box::new(formula))
}

/// How deep formulas may nest.
const DEPTH: u32 = 100;

/// How large a formula may become that is written down more than once: by `<=>`, `if` or a predicate.
const LARGE: usize = 5000;

/// The number of formulas in a formula.
fn size(formula: &Formula) -> usize {
    match formula {
        Formula::Bool(_) | Formula::Fence | Formula::Compare(..) => 1,
        Formula::Not(inner) => 1 + size(inner),
        Formula::And(parts) | Formula::Or(parts) => 1 + parts.iter().map(size).sum::<usize>(),
        Formula::Each { body, .. } => 1 + size(body),
    }
}

impl Parser<'_> {
    /// Parses what is inside of something; deep nesting is refused before it exhausts the stack.
    fn inside(&mut self, parse: fn(&mut Self) -> Parsed<Formula>) -> Parsed<Formula> {
        if self.depth >= DEPTH {
            let message = format!("a formula that nests deeper than {DEPTH} levels is not supported");
            return Err(self.error(message).help("leave out needless brackets, or write predicates"));
        }
        self.depth += 1;
        let formula = parse(self);
        self.depth -= 1;
        formula
    }

    /// A formula that was made of copies of others, unless it is too large.
    fn copied(&self, formula: Formula, span: Span) -> Parsed<Formula> {
        if size(&formula) > LARGE {
            let message = "`<=>`, `if` and predicates make this formula too large";
            return Err(Diagnostic::error(self.file, span, message).help("split it into several transitions"));
        }
        Ok(formula)
    }

    /// A formula, up to what cannot belong to it.
    pub(crate) fn formula(&mut self) -> Parsed<Formula> {
        let span = self.span();
        let left = self.implication()?;
        if !self.eat("<=>") {
            return Ok(left);
        }
        let right = self.inside(Self::formula)?;
        let both = Formula::And(vec![left.clone(), right.clone()]);
        self.copied(Formula::Or(vec![both, Formula::And(vec![not(left), not(right)])]), span)
    }

    fn implication(&mut self) -> Parsed<Formula> {
        let left = self.disjunction()?;
        if !self.eat("=>") {
            return Ok(left);
        }
        Ok(Formula::Or(vec![not(left), self.inside(Self::implication)?]))
    }

    fn disjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("||") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts) })
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.unary()?];
        while self.eat("&&") {
            parts.push(self.unary()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) })
    }

    fn unary(&mut self) -> Parsed<Formula> {
        self.inside(Self::part)
    }

    fn part(&mut self) -> Parsed<Formula> {
        let span = self.span();
        if self.eat("(") {
            let inner = self.formula()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let Token::Word(word) = self.peek().clone() else { return self.comparison() };
        match word.as_str() {
            "not" => {
                self.advance();
                Ok(not(self.unary()?))
            }
            "true" | "false" => {
                self.advance();
                Ok(Formula::Bool(word == "true"))
            }
            "fence" => {
                self.advance();
                self.expect("(")?;
                self.expect(")")?;
                Ok(Formula::Fence)
            }
            "if" => {
                self.advance();
                let condition = self.formula()?;
                if !self.eat_word("then") {
                    return Err(self.error("`then` is missing here"));
                }
                let yes = self.formula()?;
                if !self.eat_word("else") {
                    return Err(self.error("`else` is missing here"));
                }
                let no = self.formula()?;
                let when = Formula::And(vec![condition.clone(), yes]);
                self.copied(Formula::Or(vec![when, Formula::And(vec![not(condition), no])]), span)
            }
            "forall" | "exists" => {
                self.advance();
                self.quantified(word == "forall")
            }
            "forall_other" | "exists_other" => {
                self.advance();
                let known = self.scope.len();
                let name = self.name(Some(false), "a process")?;
                let apart = (0..self.params).map(Process::Slot).collect();
                let slot = self.bind(name)?;
                self.each(word == "forall_other", vec![(slot, apart)], known)
            }
            _ if *self.peek_second() == Token::Sign("(") => self.application(&word),
            _ => self.comparison(),
        }
    }

    /// `x <> y <> z. body`: distinct processes.
    fn quantified(&mut self, all: bool) -> Parsed<Formula> {
        let known = self.scope.len();
        let mut bound = Vec::new();
        let mut apart = Vec::new();
        loop {
            let name = self.name(Some(false), "a process")?;
            let slot = self.bind(name)?;
            bound.push((slot, apart.clone()));
            apart.push(Process::Slot(slot));
            if !self.eat("<>") {
                break;
            }
        }
        self.each(all, bound, known)
    }

    fn each(&mut self, all: bool, bound: Vec<(u8, Vec<Process>)>, known: usize) -> Parsed<Formula> {
        self.expect(".")?;
        let mut body = self.formula()?;
        self.scope.truncate(known);
        for (slot, apart) in bound.into_iter().rev() {
            body = Formula::Each { all, slot, apart, body: Box::new(body) };
        }
        Ok(body)
    }

    fn application(&mut self, name: &str) -> Parsed<Formula> {
        let span = self.span();
        let unknown = || Diagnostic::error(self.file, span, format!("unknown predicate `{name}`"));
        let predicate = self.predicates.iter().find(|found| found.name == name).cloned().ok_or_else(unknown)?;
        self.advance();
        self.advance();
        let mut args = Vec::new();
        while !self.is_sign(")") {
            args.push(self.process()?);
            self.eat(",");
        }
        self.expect(")")?;
        if args.len() != predicate.arity {
            return Err(Diagnostic::error(self.file, span, format!("`{name}` has {} parameters", predicate.arity)));
        }
        let formula = predicate.expand(&args, self.next);
        self.next = self.next.saturating_add(predicate.slots - predicate.arity as u8);
        if self.next >= 60 {
            return Err(Diagnostic::error(self.file, span, "too many processes in one formula").help("split it"));
        }
        self.copied(formula, span)
    }

    fn comparison(&mut self) -> Parsed<Formula> {
        let span = self.span();
        let left = self.term()?;
        let (how, swapped) = match self.peek() {
            Token::Sign("=") => (Comparison::Equal, false),
            Token::Sign("<>") => (Comparison::Differ, false),
            Token::Sign("<") => (Comparison::Less, false),
            Token::Sign("<=") => (Comparison::AtMost, false),
            Token::Sign(">") => (Comparison::Less, true),
            Token::Sign(">=") => (Comparison::AtMost, true),
            Token::Word(_) | Token::Int(_) | Token::Process(_) | Token::Sign(_) | Token::End => {
                return Err(self.error("a comparison is missing here").help("write for example `X = True`"));
            }
        };
        self.advance();
        let right = self.term()?;
        self.same_type(&left, &right, span)?;
        let ordered = matches!(how, Comparison::Less | Comparison::AtMost);
        if ordered && matches!(self.system.type_of(&left), Type::Enum(_) | Type::Opaque(_)) {
            return Err(Diagnostic::error(self.file, span, "only numbers and processes are ordered"));
        }
        if ordered && (matches!(&left, Term::Access(_)) || matches!(&right, Term::Access(_))) {
            let ty = self.system.type_of(&left);
            if ty == Type::Proc {
                return Err(Diagnostic::error(self.file, span, "the order of processes in variables is not supported")
                    .help("compare parameters: add one and demand that the variable is equal to it"));
            }
        }
        Ok(if swapped { Formula::Compare(how, right, left) } else { Formula::Compare(how, left, right) })
    }

    fn same_type(&self, left: &Term, right: &Term, span: Span) -> Parsed<()> {
        let bare = |term: &Term| matches!(term, Term::Sum(parts, _) if parts.is_empty());
        let (one, two) = (self.system.type_of(left), self.system.type_of(right));
        let numbers = one.is_number() && two.is_number() && (bare(left) || bare(right));
        if one == two || numbers {
            return Ok(());
        }
        Err(Diagnostic::error(self.file, span, format!("{} and {} differ in type", self.named(one), self.named(two))))
    }

    fn named(&self, ty: Type) -> String {
        match ty {
            Type::Int => "`int`".to_owned(),
            Type::Real => "`real`".to_owned(),
            Type::Proc => "`proc`".to_owned(),
            Type::Enum(at) => format!("`{}`", self.system.enums[at].name),
            Type::Opaque(at) => format!("`{}`", self.system.opaque[at]),
        }
    }

    /// A term of a type.
    pub(crate) fn term_of(&mut self, ty: Type) -> Parsed<Term> {
        let span = self.span();
        let term = self.term()?;
        let found = self.system.type_of(&term);
        let bare = matches!(&term, Term::Sum(parts, _) if parts.is_empty());
        if found == ty || (bare && ty.is_number()) {
            return Ok(term);
        }
        let message = format!("this is of type {}, not {}", self.named(found), self.named(ty));
        Err(Diagnostic::error(self.file, span, message))
    }

    /// A term.
    pub(crate) fn term(&mut self) -> Parsed<Term> {
        let span = self.span();
        let (first, factor) = self.summand()?;
        let more = self.is_sign("+") || self.is_sign("-");
        if !more && factor == 1 {
            return Ok(first);
        }
        let mut parts = Vec::new();
        let mut number = 0i64;
        let (mut next, mut factor) = (first, factor);
        loop {
            if !self.system.type_of(&next).is_number() {
                return Err(Diagnostic::error(self.file, span, "only numbers can be added"));
            }
            match next {
                Term::Access(access) => parts.push((factor, access)),
                Term::Sum(more, constant) => {
                    parts.extend(more.into_iter().map(|(n, access)| (n * factor, access)));
                    number += constant * factor;
                }
                Term::Proc(_) | Term::Constructor(..) => {}
            }
            let sign = if self.eat("+") {
                1
            } else if self.eat("-") {
                -1
            } else {
                break;
            };
            let (term, by) = self.summand()?;
            (next, factor) = (term, by * sign);
        }
        if let [(1, access)] = &parts[..]
            && number == 0
        {
            return Ok(Term::Access(access.clone()));
        }
        Ok(Term::Sum(parts, number))
    }

    /// A term without sums, and its factor.
    fn summand(&mut self) -> Parsed<(Term, i64)> {
        let negative = self.eat("-");
        let sign = if negative { -1 } else { 1 };
        if let Token::Int(number) = *self.peek() {
            self.advance();
            if self.eat("*") {
                return Ok((self.atom()?, number * sign));
            }
            return Ok((Term::Sum(Vec::new(), number * sign), 1));
        }
        let atom = self.atom()?;
        if self.eat("*") {
            let Token::Int(number) = *self.peek() else {
                return Err(self.error("only a product with a number is linear").help("write `2 * X`"));
            };
            self.advance();
            return Ok((atom, number * sign));
        }
        Ok((atom, sign))
    }

    fn atom(&mut self) -> Parsed<Term> {
        let word = match self.peek().clone() {
            Token::Process(_) => None,
            Token::Word(word) => Some(word),
            Token::Int(_) | Token::Sign(_) | Token::End => return Err(self.error("a term is missing here")),
        };
        let upper = word.as_ref().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
        if let Some(word) = word.filter(|_| !upper)
            && let Some((_, term)) = self.lets.iter().rev().find(|(name, _)| *name == word)
        {
            let term = term.clone();
            self.advance();
            return Ok(term);
        }
        if upper {
            return self.access(None);
        }
        let process = self.process()?;
        if self.eat("@") {
            return self.access(Some(process));
        }
        Ok(Term::Proc(process))
    }

    fn access(&mut self, by: Option<Process>) -> Parsed<Term> {
        let span = self.span();
        let name = self.name(Some(true), "a variable")?;
        if by.is_none()
            && let Some(constructor) = self.constructor(&name)
        {
            return Ok(constructor);
        }
        let symbol = self.symbol_named(&name, span)?;
        let args = if self.is_sign("[") { self.args()? } else { Vec::new() };
        let arity = self.system.symbols[symbol].arity;
        if args.len() != arity {
            return Err(Diagnostic::error(self.file, span, format!("`{name}` has {arity} indices")));
        }
        Ok(Term::Access(Access { by, symbol, args, span }))
    }

    /// `[p, q]`
    pub(crate) fn args(&mut self) -> Parsed<Vec<Process>> {
        self.expect("[")?;
        let mut args = vec![self.process()?];
        while self.eat(",") {
            args.push(self.process()?);
        }
        self.expect("]")?;
        Ok(args)
    }

    /// A process by name or number.
    pub(crate) fn process(&mut self) -> Parsed<Process> {
        if let Token::Process(number) = *self.peek() {
            if self.system.processes.is_none_or(|limit| number >= limit) {
                return Err(self
                    .error(format!("there need not be a process #{}", number + 1))
                    .help("say at the beginning how many there are: `number_procs N`"));
            }
            self.advance();
            return Ok(Process::Fixed(number));
        }
        let span = self.span();
        let name = self.name(Some(false), "a process")?;
        let found = self.scope.iter().rev().find(|(known, _)| *known == name);
        found.map(|&(_, process)| process).ok_or_else(|| {
            Diagnostic::error(self.file, span, format!("unknown process `{name}`"))
                .help("parameters stand in brackets behind the name of the declaration")
        })
    }
}

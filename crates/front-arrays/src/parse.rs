//! Declarations, transitions and updates.

use crate::expand::Predicate;
use crate::lex::{Token, lex};
use source::{Diagnostic, SourceFile, Span};
use system::{
    Enumeration, Formula, Kind, NewValue, Process, Property, Room, Symbol, System, Target, Term, Transition, Type,
    Update,
};

/// What is known while a text is read.
pub(crate) struct Parser<'a> {
    pub file: &'a SourceFile,
    tokens: Vec<(Token, Span)>,
    at: usize,
    pub system: System,
    pub predicates: Vec<Predicate>,
    /// The names of processes in scope; later ones hide earlier ones.
    pub scope: Vec<(String, Process)>,
    /// The names that `let` has given to terms.
    pub lets: Vec<(String, Term)>,
    /// The parameters of the transition or property.
    pub params: u8,
    /// The next free slot.
    pub next: u8,
    /// How deep the formula is nested that is being read.
    pub depth: u32,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<'a> Parser<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Parsed<Self> {
        let nothing =
            Property { name: String::new(), params: Vec::new(), formula: Formula::Bool(true), span: Span::new(0, 0) };
        let booleans =
            Enumeration { name: "bool".to_owned(), constructors: vec!["True".to_owned(), "False".to_owned()] };
        let system = System {
            file: file.clone(),
            processes: None,
            enums: vec![booleans],
            opaque: Vec::new(),
            symbols: Vec::new(),
            init: nothing,
            invariants: Vec::new(),
            bad: Vec::new(),
            transitions: Vec::new(),
        };
        let tokens = lex(file)?;
        let (scope, lets, predicates) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Parser { file, tokens, at: 0, system, predicates, scope, lets, params: 0, next: 0, depth: 0 })
    }

    pub(crate) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub(crate) fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.file, self.span(), message)
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.error(format!("`{sign}` is missing here"))) }
    }

    /// An identifier; `upper` says how it must begin.
    pub(crate) fn name(&mut self, upper: Option<bool>, what: &str) -> Parsed<String> {
        const KEYWORDS: &[&str] = &[
            "type",
            "const",
            "var",
            "weak",
            "array",
            "init",
            "unsafe",
            "invariant",
            "transition",
            "requires",
            "predicate",
            "case",
            "let",
            "in",
            "not",
            "if",
            "then",
            "else",
            "forall",
            "exists",
            "forall_other",
            "exists_other",
            "fence",
            "number_procs",
        ];
        match self.peek() {
            Token::Word(word) if KEYWORDS.contains(&word.as_str()) => {
                Err(self.error(format!("`{word}` is a keyword, {what} is wanted here")))
            }
            Token::Word(word) => {
                let begins_upper = word.starts_with(|c: char| c.is_ascii_uppercase());
                if upper.is_some_and(|upper| upper != begins_upper) {
                    let how = if begins_upper { "a lower-case" } else { "a capital" };
                    return Err(self.error(format!("{what} begins with {how} letter")));
                }
                let word = word.clone();
                self.advance();
                Ok(word)
            }
            Token::Int(_) | Token::Process(_) | Token::Sign(_) | Token::End => {
                Err(self.error(format!("{what} is missing here")))
            }
        }
    }

    pub(crate) fn system(mut self) -> Parsed<System> {
        let mut initialised = false;
        loop {
            let span = self.span();
            let word = match self.peek() {
                Token::End => break,
                Token::Word(word) => word.clone(),
                Token::Int(_) | Token::Process(_) | Token::Sign(_) => {
                    return Err(self.error("a declaration is missing here"));
                }
            };
            self.advance();
            match word.as_str() {
                "number_procs" => self.number_procs()?,
                "type" => self.typedef()?,
                "const" => self.symbol(Kind::Constant, false, None)?,
                "var" => self.symbol(Kind::Variable, false, Some(false))?,
                "array" => self.symbol(Kind::Variable, false, Some(true))?,
                "weak" => {
                    let array = self.is_word("array");
                    if !array && !self.is_word("var") {
                        return Err(self.error("`weak` wants `var` or `array`"));
                    }
                    self.advance();
                    self.symbol(Kind::Variable, true, Some(array))?;
                }
                "init" if initialised => {
                    return Err(Diagnostic::error(self.file, span, "there is a second `init`")
                        .help("write one `init` that says everything"));
                }
                "init" => {
                    initialised = true;
                    self.system.init = self.property(span)?;
                }
                "invariant" => {
                    let property = self.property(span)?;
                    self.system.invariants.push(property);
                }
                "unsafe" => {
                    let property = self.property(span)?;
                    self.system.bad.push(property);
                }
                "transition" => self.transition()?,
                "predicate" => self.predicate()?,
                _ => return Err(Diagnostic::error(self.file, span, format!("`{word}` begins no declaration"))),
            }
        }
        if !initialised {
            return Err(self.error("there is no `init`").help("write `init (p) { … }`"));
        }
        if self.system.bad.is_empty() {
            return Err(self.error("there is no `unsafe`").help("write `unsafe (p q) { … }`"));
        }
        Ok(self.system)
    }

    fn number_procs(&mut self) -> Parsed<()> {
        let Token::Int(number) = *self.peek() else { return Err(self.error("the number of processes is missing")) };
        if !(1..=16).contains(&number) {
            return Err(self.error("there can be 1 to 16 processes"));
        }
        self.system.processes = Some(number as u8);
        self.advance();
        Ok(())
    }

    fn typedef(&mut self) -> Parsed<()> {
        let span = self.span();
        let name = self.name(Some(false), "a type")?;
        if ["int", "real", "bool", "proc"].contains(&name.as_str()) || self.type_named(&name).is_some() {
            return Err(Diagnostic::error(self.file, span, format!("the type `{name}` is already there")));
        }
        if !self.eat("=") {
            self.system.opaque.push(name);
            return Ok(());
        }
        self.eat("|");
        let mut constructors = Vec::new();
        loop {
            let span = self.span();
            let constructor = self.name(Some(true), "a constructor")?;
            if self.constructor(&constructor).is_some() || constructors.contains(&constructor) {
                return Err(Diagnostic::error(
                    self.file,
                    span,
                    format!("the constructor `{constructor}` is already there"),
                ));
            }
            constructors.push(constructor);
            if !self.eat("|") {
                break;
            }
        }
        if constructors.len() > 128 {
            return Err(Diagnostic::error(self.file, span, "a type with more than 128 constructors is not supported")
                .help("use integers"));
        }
        self.system.enums.push(Enumeration { name, constructors });
        Ok(())
    }

    fn type_named(&self, name: &str) -> Option<Type> {
        match name {
            "int" => Some(Type::Int),
            "real" => Some(Type::Real),
            "proc" => Some(Type::Proc),
            _ => {
                let of_enum = self.system.enums.iter().position(|found| found.name == name).map(Type::Enum);
                of_enum.or_else(|| self.system.opaque.iter().position(|found| found == name).map(Type::Opaque))
            }
        }
    }

    pub(crate) fn constructor(&self, name: &str) -> Option<Term> {
        self.system.enums.iter().enumerate().find_map(|(ty, found)| {
            let at = found.constructors.iter().position(|constructor| constructor == name)?;
            Some(Term::Constructor(ty, at as u16))
        })
    }

    /// `array` says whether there must be indices; a constant may have some or not.
    fn symbol(&mut self, kind: Kind, weak: bool, array: Option<bool>) -> Parsed<()> {
        let span = self.span();
        let name = self.name(Some(true), "a variable")?;
        if self.constructor(&name).is_some() || self.system.symbols.iter().any(|symbol| symbol.name == name) {
            return Err(Diagnostic::error(self.file, span, format!("`{name}` is already there")));
        }
        let mut arity = 0;
        if array != Some(false) && self.eat("[") {
            loop {
                if !self.eat_word("proc") {
                    return Err(self
                        .error("arrays are indexed by `proc`")
                        .help("use an enumeration's values as names"));
                }
                arity += 1;
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        if array == Some(true) && arity == 0 {
            return Err(self.error("an array wants `[proc]`").help("write `var` for a single cell"));
        }
        if arity > 3 {
            return Err(Diagnostic::error(self.file, span, "an array with more than three indices is not supported")
                .help("split it into several arrays"));
        }
        self.expect(":")?;
        let at = self.span();
        let ty = self.name(Some(false), "a type")?;
        let ty =
            self.type_named(&ty).ok_or_else(|| Diagnostic::error(self.file, at, format!("unknown type `{ty}`")))?;
        self.system.symbols.push(Symbol { name, kind, arity, ty, weak, span });
        Ok(())
    }

    fn begin(&mut self) {
        self.scope.clear();
        self.lets.clear();
        (self.params, self.next) = (0, 0);
    }

    pub(crate) fn bind(&mut self, name: String) -> Parsed<u8> {
        if self.next >= 60 {
            return Err(self.error("too many processes in one formula").help("split it"));
        }
        let slot = self.next;
        self.next += 1;
        self.scope.push((name, Process::Slot(slot)));
        Ok(slot)
    }

    fn parameter(&mut self, names: &mut Vec<String>) -> Parsed<u8> {
        let span = self.span();
        let name = self.name(Some(false), "a process")?;
        if names.contains(&name) {
            return Err(Diagnostic::error(self.file, span, format!("`{name}` is already a parameter")));
        }
        names.push(name.clone());
        let slot = self.bind(name)?;
        self.params = self.next;
        Ok(slot)
    }

    fn property(&mut self, span: Span) -> Parsed<Property> {
        self.begin();
        let name = if matches!(self.peek(), Token::Word(_)) { self.name(None, "a name")? } else { String::new() };
        let mut params = Vec::new();
        if self.eat("(") {
            while !self.is_sign(")") {
                self.parameter(&mut params)?;
            }
            self.expect(")")?;
        }
        self.expect("{")?;
        let formula = self.formula()?;
        let end = self.span();
        self.expect("}")?;
        Ok(Property { name, params, formula, span: span.to(end) })
    }

    fn predicate(&mut self) -> Parsed<()> {
        self.begin();
        let name = self.name(Some(false), "a predicate")?;
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.is_sign(")") {
            self.parameter(&mut params)?;
            self.eat(",");
        }
        self.expect(")")?;
        self.expect("{")?;
        let body = self.formula()?;
        self.expect("}")?;
        self.predicates.push(Predicate { name, arity: params.len(), slots: self.next, body });
        Ok(())
    }

    fn transition(&mut self) -> Parsed<()> {
        self.begin();
        let span = self.span();
        let name = self.name(None, "the name of a transition")?;
        self.expect("(")?;
        let mut params = Vec::new();
        let mut actor = None;
        while !self.is_sign(")") {
            if self.is_sign("[") {
                if actor.is_some() {
                    return Err(self.error("only one process can act").help("split the transition"));
                }
                self.advance();
                actor = Some(self.parameter(&mut params)?);
                self.expect("]")?;
            } else {
                self.parameter(&mut params)?;
            }
        }
        self.expect(")")?;
        let mut guard = Formula::Bool(true);
        let mut room = Room::Body(self.span().start);
        if self.eat_word("requires") {
            let start = self.span().end;
            self.expect("{")?;
            guard = self.formula()?;
            room = Room::Guard(start, self.span().start);
            self.expect("}")?;
        }
        self.expect("{")?;
        while self.eat_word("let") {
            let name = self.name(Some(false), "a name")?;
            self.expect("=")?;
            let term = self.term()?;
            if !self.eat_word("in") {
                return Err(self.error("`in` is missing here"));
            }
            self.lets.push((name, term));
        }
        let mut updates: Vec<Update> = Vec::new();
        while !self.is_sign("}") {
            let update = self.update()?;
            self.fits_beside(&update, &updates)?;
            updates.push(update);
            if !self.eat(";") {
                break;
            }
        }
        self.expect("}")?;
        self.system.transitions.push(Transition { name, params, actor, guard, updates, span, room });
        Ok(())
    }

    /// Updates are simultaneous: no cell may be changed twice.
    fn fits_beside(&self, update: &Update, others: &[Update]) -> Parsed<()> {
        let symbol = &self.system.symbols[update.symbol];
        for other in others.iter().filter(|other| other.symbol == update.symbol) {
            let apart = match (&update.target, &other.target) {
                // Parameters are distinct, so different names are different cells; a name and a number may be the same.
                (Target::Cell(one), Target::Cell(two)) => one.iter().zip(two).any(|(one, two)| match (one, two) {
                    (Process::Slot(one), Process::Slot(two)) | (Process::Fixed(one), Process::Fixed(two)) => one != two,
                    (Process::Slot(_), Process::Fixed(_)) | (Process::Fixed(_), Process::Slot(_)) => false,
                }),
                (Target::Every(_), _) | (_, Target::Every(_)) => false,
            };
            if !apart || symbol.weak {
                return Err(Diagnostic::error(self.file, update.span, format!("`{}` is changed twice", symbol.name))
                    .help("use one `case` update for all its cells"));
            }
        }
        Ok(())
    }

    fn update(&mut self) -> Parsed<Update> {
        let span = self.span();
        let name = self.name(Some(true), "a variable")?;
        let symbol = self.symbol_named(&name, span)?;
        let Symbol { kind, arity, ty, .. } = self.system.symbols[symbol];
        if kind == Kind::Constant {
            return Err(Diagnostic::error(self.file, span, format!("the constant `{name}` cannot change")));
        }
        let known = self.scope.len();
        let begin = self.at;
        let mut names = Vec::new();
        let mut args = Vec::new();
        if self.eat("[") {
            loop {
                match self.peek().clone() {
                    Token::Word(word) => names.push(Some((word, self.span()))),
                    Token::Process(_) => names.push(None),
                    Token::Int(_) | Token::Sign(_) | Token::End => return Err(self.error("a process is missing here")),
                }
                self.advance();
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        if names.len() != arity {
            return Err(Diagnostic::error(self.file, span, format!("`{name}` has {arity} indices")));
        }
        self.expect(":=")?;
        let target = if self.is_word("case") && arity > 0 {
            let mut slots = Vec::new();
            for name in names {
                let Some((name, at)) = name else {
                    return Err(Diagnostic::error(self.file, span, "a case over all cells wants names as indices")
                        .help("write `A[j] := case | j = #1 : …`"));
                };
                if self.scope.iter().any(|(known, _)| *known == name) {
                    let message = format!("`{name}` is already a process here, but this case is about all cells");
                    return Err(Diagnostic::error(self.file, at, message).help("choose another name for the index"));
                }
                slots.push(self.bind(name)?);
            }
            Target::Every(slots)
        } else {
            let after = self.at;
            self.at = begin;
            if arity > 0 {
                args = self.args()?;
            }
            self.at = after;
            Target::Cell(args)
        };
        let value = self.new_value(ty)?;
        self.scope.truncate(known);
        Ok(Update { symbol, target, value, span })
    }

    fn new_value(&mut self, ty: Type) -> Parsed<NewValue> {
        if self.eat("?") || self.eat(".") {
            return Ok(NewValue::Any);
        }
        if !self.eat_word("case") {
            return Ok(NewValue::Term(self.term_of(ty)?));
        }
        let mut cases = Vec::new();
        while self.eat("|") {
            let condition = if self.eat("_") { Formula::Bool(true) } else { self.formula()? };
            self.expect(":")?;
            cases.push((condition, self.term_of(ty)?));
        }
        if cases.is_empty() {
            return Err(self.error("a case wants `| condition : value`"));
        }
        Ok(NewValue::Case(cases))
    }

    pub(crate) fn symbol_named(&self, name: &str, span: Span) -> Parsed<usize> {
        let found = self.system.symbols.iter().position(|symbol| symbol.name == name);
        found.ok_or_else(|| Diagnostic::error(self.file, span, format!("unknown variable `{name}`")))
    }
}

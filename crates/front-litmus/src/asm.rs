//! Programs in columns: one column per thread, one instruction per cell.

use crate::body::Body;
use crate::build::{Build, Registers};
use crate::init::Item;
use crate::lex::{Cursor, Kind, Token, tokens};
use ir::{BlockId, Expr, LocalId, Op, Terminator, Width};
use source::{Diagnostic, SourceFile, Span};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// What an architecture adds to the layout.
pub(crate) trait Isa {
    /// How registers are named.
    fn registers(&self) -> Registers;

    /// The flags that the instruction in this cell reads, as bits. Only flags that some instruction of the thread reads
    /// are computed.
    fn flags_read(&self, cell: Cursor<'_, '_>) -> u64;

    /// Translates the instruction at the cursor.
    fn instruction(&self, cell: &mut Cell<'_, '_, '_>) -> Result<(), Diagnostic>;
}

/// A line of code as herd prints it: labels are renamed when all are known.
#[derive(Debug, Default)]
pub(crate) struct Line<'s> {
    pub text: String,
    pub label: Option<&'s str>,
}

/// The labels of a thread.
#[derive(Debug, Default)]
struct Labels<'s> {
    blocks: HashMap<&'s str, Target>,
}

#[derive(Debug)]
struct Target {
    block: BlockId,
    first_use: Span,
    defined: bool,
}

/// An instruction being translated.
pub(crate) struct Cell<'c, 's, 't> {
    pub build: &'c mut Build<'s>,
    pub body: &'c mut Body,
    pub cursor: Cursor<'s, 't>,
    pub line: Line<'s>,
    /// The flags that the thread reads.
    pub flags: u64,
    registers: Registers,
    labels: &'c mut Labels<'s>,
}

impl<'s> Cell<'_, 's, '_> {
    /// The register called `name`, if there is one.
    pub fn register(&mut self, name: &str) -> Option<LocalId> {
        let key = (self.registers)(name)?;
        Some(self.body.local(&key, name, Width::WORD))
    }

    /// A flag: a truth value under a name that no source can have.
    pub fn flag(&mut self, name: &str) -> LocalId {
        self.body.local(name, name, Width::BOOL)
    }

    /// Reads a label and gives its block.
    pub fn label(&mut self) -> Result<BlockId, Diagnostic> {
        let (name, span) = self.cursor.name("a label")?;
        self.line.label = Some(name);
        Ok(target(self.labels, self.body, name, span).block)
    }

    /// Jumps, always.
    pub fn jump(&mut self, to: BlockId) {
        let next = self.body.block();
        self.body.end(Terminator::Goto(to), next);
    }

    /// Jumps if the condition holds. Control dependencies of machine code never end.
    pub fn jump_if(&mut self, condition: Expr, to: BlockId) {
        let next = self.body.block();
        self.body.branch(condition, (to, next), None, next);
    }

    /// Reads what stands before an operand: a comma, unless it is the first.
    pub fn separator(&mut self, first: bool) -> Result<(), Diagnostic> {
        if first {
            self.line.text.push(' ');
        } else {
            self.cursor.expect(",")?;
            self.line.text.push(',');
        }
        Ok(())
    }

    /// Reads a number.
    pub fn number(&mut self) -> Result<i64, Diagnostic> {
        let (value, _) = self.cursor.number("a number")?;
        self.line.text.push_str(&value.to_string());
        Ok(value)
    }

    /// Reads a sign that must stand here.
    pub fn sign(&mut self, sign: &str) -> Result<(), Diagnostic> {
        self.cursor.expect(sign)?;
        self.line.text.push_str(sign);
        Ok(())
    }

    /// Takes a sign if it is here.
    pub fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.cursor.eat(sign);
        if found {
            self.line.text.push_str(sign);
        }
        found
    }

    /// Adds a fence.
    pub fn fence(&mut self, tag: &str) {
        let tags = self.build.tags(&[tag]);
        self.body.emit(Op::Fence { tags });
    }

    /// A complaint about operands, with the forms that are known.
    pub fn wrong_operands(&self, span: Span, mnemonic: &str, forms: &str) -> Diagnostic {
        self.cursor.error(span, format!("wrong operands for `{mnemonic}`")).help(format!("write {forms}"))
    }
}

fn target<'l, 's>(labels: &'l mut Labels<'s>, body: &mut Body, name: &'s str, span: Span) -> &'l mut Target {
    labels.blocks.entry(name).or_insert_with(|| Target { block: body.block(), first_use: span, defined: false })
}

/// Reads the columns and adds a thread for each.
pub(crate) fn parse(
    build: &mut Build<'_>,
    range: Range<usize>,
    items: &[Item<'_>],
    isa: &dyn Isa,
) -> Result<(), Diagnostic> {
    let file = build.file;
    let tokens = tokens(file, range.start, range.end)?;
    let columns = columns(file, &tokens, range)?;
    let initial = build.registers_by_thread(items, columns.len())?;
    let mut listing = Vec::with_capacity(columns.len());
    for (thread, cells) in columns.iter().enumerate() {
        let mut body = Body::new(thread);
        build.initialise_registers(&initial[thread], isa.registers(), &mut body)?;
        listing.push(translate(build, &mut body, (thread, cells), isa)?);
        build.thread(body);
    }
    build.lines = rename_labels(listing);
    Ok(())
}

/// A cell as tokens, and its row with the semicolon at the end.
type Tokens<'t> = (&'t [Token], Span);

/// The cells of each column. Empty cells are left out.
fn columns<'t>(
    file: &SourceFile,
    tokens: &'t [Token],
    range: Range<usize>,
) -> Result<Vec<Vec<Tokens<'t>>>, Diagnostic> {
    let tokens = &tokens[..tokens.len().saturating_sub(1)];
    let leading = tokens.iter().take_while(|token| token.kind == Kind::Sym(";")).count();
    let mut rest = &tokens[leading..];
    let mut columns: Vec<Vec<Tokens<'t>>> = Vec::new();
    let Some(head) = next_row(file, &mut rest)? else {
        let span = Span::new(range.start, range.start);
        return Err(Diagnostic::error(file, span, "the test has no program").help("name the threads: `P0 | P1 ;`"));
    };
    for (thread, cell) in head.iter().enumerate() {
        let name = cell.first().map_or("", |token| file.slice(token.span));
        if cell.len() != 1 || name.strip_prefix('P') != Some(&*thread.to_string()) {
            let span = cell_span(cell).unwrap_or(row_span(&head, Span::new(range.start, range.start)));
            let message = format!("expected the name of a thread, `P{thread}`");
            return Err(Diagnostic::error(file, span, message).help("the first row names the threads: `P0 | P1 ;`"));
        }
        columns.push(Vec::new());
    }
    loop {
        let first = rest;
        let Some(row) = next_row(file, &mut rest)? else { break };
        let last = first.len() - rest.len() - 1;
        let whole = first[0].span.to(first[last].span);
        if row.len() != columns.len() {
            let at = rest.first().map_or(range.end, |token| token.span.start as usize);
            let message = format!("a row of {} cells in a program of {} threads", row.len(), columns.len());
            let help = "separate cells with `|`; an empty cell is blank";
            return Err(Diagnostic::error(file, row_span(&row, Span::new(at, at)), message).help(help));
        }
        for (column, cell) in columns.iter_mut().zip(row) {
            if !cell.is_empty() {
                column.push((cell, whole));
            }
        }
    }
    Ok(columns)
}

/// The cells of the next row, which ends with `;`.
fn next_row<'t>(file: &SourceFile, rest: &mut &'t [Token]) -> Result<Option<Vec<&'t [Token]>>, Diagnostic> {
    if rest.is_empty() {
        return Ok(None);
    }
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, token) in rest.iter().enumerate() {
        match token.kind {
            Kind::Sym("|") => {
                cells.push(&rest[start..at]);
                start = at + 1;
            }
            // `LOCK; INC [x]` is one instruction.
            Kind::Sym(";") if at > start && file.slice(rest[at - 1].span).eq_ignore_ascii_case("lock") => {}
            Kind::Sym(";") => {
                cells.push(&rest[start..at]);
                *rest = &rest[at + 1..];
                return Ok(Some(cells));
            }
            Kind::Name | Kind::Number | Kind::Sym(_) | Kind::End => {}
        }
    }
    let span = row_span(&[*rest], Span::default());
    Err(Diagnostic::error(file, span, "this row does not end").help("end it with `;`"))
}

fn cell_span(cell: &[Token]) -> Option<Span> {
    Some(cell.first()?.span.to(cell.last()?.span))
}

fn row_span(cells: &[&[Token]], otherwise: Span) -> Span {
    cells.iter().filter_map(|cell| cell_span(cell)).reduce(Span::to).unwrap_or(otherwise)
}

fn translate<'s>(
    build: &mut Build<'s>,
    body: &mut Body,
    (thread, cells): (usize, &[Tokens<'_>]),
    isa: &dyn Isa,
) -> Result<Vec<Line<'s>>, Diagnostic> {
    let file = build.file;
    let mut labels = Labels::default();
    let mut lines = Vec::with_capacity(cells.len());
    let instruction = |cell: &[Token]| {
        let labels = cell.chunks(2).take_while(|pair| pair.len() == 2 && is_label(pair)).count();
        2 * labels
    };
    let cursor_over = |tokens| Cursor::new(file, tokens, Span::default());
    let flags =
        cells.iter().fold(0, |flags, (cell, _)| flags | isa.flags_read(cursor_over(&cell[instruction(cell)..])));
    for &(tokens, row) in cells {
        let start = instruction(tokens);
        for pair in tokens[..start].chunks(2) {
            let (name, span) = (file.slice(pair[0].span), pair[0].span);
            let target = target(&mut labels, body, name, span);
            if target.defined {
                return Err(Diagnostic::error(file, span, format!("the label `{name}` is defined twice")));
            }
            target.defined = true;
            let block = target.block;
            body.fall_into(block);
            lines.push(Line { text: ":".to_owned(), label: Some(name) });
        }
        let Some(span) = cell_span(&tokens[start..]) else { continue };
        body.span = span;
        let end = Span { start: span.end, end: span.end };
        let cursor = Cursor::new(file, &tokens[start..], end);
        let registers = isa.registers();
        let mut cell = Cell { build, body, cursor, line: Line::default(), flags, registers, labels: &mut labels };
        isa.instruction(&mut cell)?;
        if !cell.cursor.at_end() {
            return Err(cell.cursor.expected("the end of the instruction"));
        }
        lines.push(cell.line);
        body.seam(ir::Place::Row { row, column: thread as u32 });
    }
    let undefined = labels.blocks.iter().filter(|(_, target)| !target.defined);
    match undefined.min_by_key(|(_, target)| target.first_use) {
        Some((name, target)) => {
            Err(Diagnostic::error(file, target.first_use, format!("the label `{name}` is not defined"))
                .help(format!("write `{name}:` where the jump should go")))
        }
        None => Ok(lines),
    }
}

fn is_label(pair: &[Token]) -> bool {
    pair[0].kind == Kind::Name && pair[1].kind == Kind::Sym(":")
}

/// Names the labels `L00`, `L01`… in alphabetical order, as herd does before it hashes.
fn rename_labels(listing: Vec<Vec<Line<'_>>>) -> Vec<Vec<String>> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    numbers.extend(listing.iter().flatten().filter_map(|line| line.label).map(|label| (label, 0)));
    numbers.values_mut().enumerate().for_each(|(at, number)| *number = at);
    let rename = |line: Line<'_>| match line.label {
        Some(label) if line.text == ":" => format!("L{:02}:", numbers[label]),
        Some(label) => format!("{}L{:02}", line.text, numbers[label]),
        None => line.text,
    };
    listing.into_iter().map(|lines| lines.into_iter().map(rename).collect()).collect()
}

/// A constant as wide as a register.
pub(crate) fn word(value: i64) -> Expr {
    Expr::constant(value, Width::WORD)
}

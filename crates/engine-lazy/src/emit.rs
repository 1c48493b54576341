//! The sequential program as C, for any checker of sequential programs.
//!
//! One function per thread, which goes on from where it was left up to a point that is guessed; the shared memory
//! abstraction of the model; and a driver that calls the threads round by round. What a thread computes is in
//! single-assignment form: `rN` is what event N read, `mN` is what location N holds in the end, `tN` and `bN` are terms and truth values of the symbolic execution.

mod library;

use crate::options::Bounds;
use crate::problem::{Problem, Step, Work};
use crate::schedule::Item;
use ir::life::LIFE;
use ir::{Address, BinaryOp, UnaryOp};
use logic::{Bool, BoolNode, Term, TermNode};
use model::Buffers;
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;
use std::fmt::Write as _;
use symbolic::Kind;

/// The program: the property fails where `goal` holds in the end.
pub fn emit(problem: &Problem<'_>, goal: Bool, buffers: Buffers, bounds: Bounds) -> String {
    let mut printer = Printer::new(problem);
    let mut threads = String::new();
    for thread in 0..problem.rows.rows.len() {
        threads += &printer.thread(thread);
    }
    let end = printer.end(goal);
    let initial = printer.initial();
    let structure = &problem.structure;
    let mut out = format!(
        "/* {} as a sequential program: {} rounds. A violation is a call of reach_error(). */\n",
        comment(&problem.program.name),
        bounds.rounds
    );
    out += library::HEAD;
    let rows = &problem.rows.rows;
    let _ = writeln!(out, "#define LOCATIONS {}", structure.locations.len().max(1));
    let _ = writeln!(out, "#define THREADS {}", rows.len().max(1));
    if buffers != Buffers::None {
        let _ = writeln!(out, "#define CLOCK {}\n#define NODES {}", bounds.clock, bounds.nodes);
    }
    out += library::OPERATORS;
    out += match buffers {
        Buffers::None => library::PLAIN,
        Buffers::Thread | Buffers::Location => library::LISTS,
    };
    out += match buffers {
        Buffers::None => "",
        Buffers::Thread => library::TOTAL,
        Buffers::Location => library::PARTIAL,
    };
    out += "\n/* How many units each thread has passed. */\nunsigned pc[THREADS];\n\n";
    out += "/* What is read, and what is left open. */\n";
    let mut start = String::new();
    for (name, mask) in &printer.variables {
        let _ = writeln!(out, "word {name};");
        let _ = writeln!(start, "    {name} = nondet() & {mask:#x}u;");
    }
    out.push('\n');
    out += &threads;
    out += &end;
    out += "\nint main(void)\n{\n";
    out += &start;
    out += &initial;
    for round in 1..=bounds.rounds {
        let _ = writeln!(out, "    /* Round {round} */");
        for thread in 0..rows.len() {
            let _ = writeln!(out, "    thread_{thread}();");
        }
    }
    out += "    the_end();\n    return 0;\n}\n";
    out
}

/// A text inside a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace('\\', "/")
}

struct Printer<'a> {
    problem: &'a Problem<'a>,
    /// The names of variables that stand for something, by their nodes.
    reads: FxHashMap<Term, String>,
    passed: FxHashMap<usize, String>,
    /// All variables that are printed, with the bits that they have.
    variables: Vec<(String, u64)>,
    known: FxHashSet<String>,
    /// What is defined in this function.
    terms: FxHashSet<Term>,
    bools: FxHashSet<usize>,
}

impl<'a> Printer<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        let mut reads = FxHashMap::default();
        for (at, event) in problem.structure.events.iter().enumerate() {
            if event.kind == Kind::Read {
                reads.insert(event.value, format!("r{at}"));
            }
        }
        for (place, &last) in problem.last.iter().enumerate() {
            reads.insert(last, format!("m{place}"));
        }
        let mut passed = FxHashMap::default();
        for (thread, row) in problem.rows.rows.iter().enumerate() {
            for unit in 0..row.count {
                passed.insert(problem.turns.passed(thread, unit).index(), format!("(pc[{thread}] > {unit})"));
            }
        }
        let (terms, bools) = (FxHashSet::default(), FxHashSet::default());
        Printer { problem, reads, passed, variables: Vec::new(), known: FxHashSet::default(), terms, bools }
    }

    fn variable(&mut self, name: String, mask: u64) -> String {
        if self.known.insert(name.clone()) {
            self.variables.push((name.clone(), mask));
        }
        name
    }

    /// A truth value as an expression; what it is made of is defined in `lines`.
    fn truth(&mut self, b: Bool, lines: &mut String) -> String {
        let plain = if b.is_negated() { !b } else { b };
        let text = match self.problem.structure.terms.bool_node(plain) {
            BoolNode::True => "1".to_owned(),
            BoolNode::Var(_) => match self.passed.get(&plain.index()) {
                Some(name) => name.clone(),
                None => self.variable(format!("g{}", plain.index()), 1),
            },
            BoolNode::And(left, right) => {
                let (left, right) = (self.truth(left, lines), self.truth(right, lines));
                self.define_bool(plain, &format!("{left} && {right}"), lines)
            }
            BoolNode::Eq(left, right) => {
                let (left, right) = (self.term(left, lines), self.term(right, lines));
                self.define_bool(plain, &format!("{left} == {right}"), lines)
            }
            BoolNode::Ult(left, right) => {
                let (left, right) = (self.term(left, lines), self.term(right, lines));
                self.define_bool(plain, &format!("{left} < {right}"), lines)
            }
            BoolNode::Slt(left, right) => {
                let bits = self.problem.structure.terms.width(left).bits();
                let (left, right) = (self.term(left, lines), self.term(right, lines));
                self.define_bool(plain, &format!("extend({left}, {bits}) < extend({right}, {bits})"), lines)
            }
        };
        if b.is_negated() { format!("!{text}") } else { text }
    }

    fn define_bool(&mut self, b: Bool, text: &str, lines: &mut String) -> String {
        let name = format!("b{}", b.index());
        if self.bools.insert(b.index()) {
            let _ = writeln!(lines, "    const int {name} = {text};");
        }
        name
    }

    /// A value as an expression.
    fn term(&mut self, term: Term, lines: &mut String) -> String {
        let terms = &self.problem.structure.terms;
        let (width, name) = (terms.width(term), format!("t{}", term.index()));
        if self.terms.contains(&term) {
            return name;
        }
        let (mask, bits) = (width.mask(), width.bits());
        let text = match terms.node(term) {
            TermNode::Const(value) => return format!("{value:#x}u"),
            TermNode::Var(_) => {
                let name = self.reads.get(&term).cloned().unwrap_or_else(|| format!("v{}", term.index()));
                return self.variable(name, mask);
            }
            TermNode::Ite(condition, then, otherwise) => {
                let condition = self.truth(condition, lines);
                let (then, otherwise) = (self.term(then, lines), self.term(otherwise, lines));
                format!("{condition} ? {then} : {otherwise}")
            }
            TermNode::Unary(op, operand) => {
                let from = terms.width(operand).bits();
                let operand = self.term(operand, lines);
                match op {
                    UnaryOp::Not => format!("~{operand} & {mask:#x}u"),
                    UnaryOp::Neg => format!("-{operand} & {mask:#x}u"),
                    UnaryOp::Life => format!("({operand} & {:#x}u) | {LIFE:#x}u", !Address::OFFSETS),
                    UnaryOp::ZeroExtend(_) => operand,
                    UnaryOp::SignExtend(_) => format!("(word)extend({operand}, {from}) & {mask:#x}u"),
                    UnaryOp::Truncate(_) => format!("{operand} & {mask:#x}u"),
                }
            }
            TermNode::Binary(op, left, right) => {
                let (left, right) = (self.term(left, lines), self.term(right, lines));
                binary(op, &left, &right, mask, bits)
            }
        };
        self.terms.insert(term);
        let _ = writeln!(lines, "    const word {name} = {text};");
        name
    }

    fn start(&mut self) {
        self.terms.clear();
        self.bools.clear();
    }

    fn line(&self, span: Span) -> String {
        let source = &self.problem.program.source;
        format!("    /* {}: {} */\n", comment(&source.place(span)), comment(source.line_text(span).trim()))
    }

    /// The function of a thread.
    fn thread(&mut self, thread: usize) -> String {
        self.start();
        let problem = self.problem;
        let row = &problem.rows.rows[thread];
        let all = problem.program.threads.iter().chain(&problem.structure.started);
        let name = all.map(|own| own.name.clone()).nth(thread).unwrap_or_default();
        let mut out = format!("/* The thread {}. */\nvoid thread_{thread}(void)\n{{\n", comment(&name));
        let _ = writeln!(out, "    const unsigned from = pc[{thread}], to = (unsigned)nondet();");
        let _ = writeln!(out, "    assume(from <= to && to <= {});\n    pc[{thread}] = to;", row.count);
        let mut work = problem.work[thread].iter().peekable();
        for (at, item) in row.items.iter().enumerate() {
            let unit = row.units[at];
            if let Item::Arrives(number) = *item {
                let link = problem.structure.links[number];
                let mut lines = String::new();
                let when = self.truth(link.when, &mut lines);
                out += &lines;
                if let Some((from, unit_there)) = problem.rows.departure(number) {
                    let _ = writeln!(out, "    if (TURN({unit}) && {when}) assume(pc[{from}] > {unit_there});");
                }
            }
            // What belongs to this item.
            while let Some(next) = work.next_if(|work| belongs(work, *item, unit)) {
                match next {
                    Work::Settled(settled) => {
                        let mut lines = String::new();
                        let when = self.truth(settled.when, &mut lines);
                        out += &lines;
                        let _ = writeln!(out, "    if (TURN({unit}) && {when}) sma_fence({});", settled.thread);
                    }
                    Work::Step(step) => out += &self.step(step, unit),
                }
            }
        }
        out += "}\n\n";
        out
    }

    fn step(&mut self, step: &Step, unit: usize) -> String {
        let event = &self.problem.structure.events[step.event];
        let mut out = self.line(event.span);
        let mut lines = String::new();
        let when = self.truth(event.guard, &mut lines);
        let mut inner = String::new();
        for fence in &step.fences {
            let name = match fence {
                crate::memory::Fence::Drain => "sma_fence",
                crate::memory::Fence::Order => "sma_order",
                crate::memory::Fence::Wait => "sma_wait",
            };
            let _ = writeln!(inner, "        {name}({});", step.thread);
        }
        if step.drains {
            let _ = writeln!(inner, "        sma_fence({});", step.thread);
        }
        if event.kind != Kind::Fence {
            let ticks = self.truth(step.ticks, &mut lines);
            let _ = writeln!(inner, "        if ({ticks}) sma_tick();");
            let place = self.place(step, &mut lines);
            let value = self.term(event.value, &mut lines);
            let thread = step.thread;
            if event.kind == Kind::Read {
                let mask = self.problem.structure.terms.width(event.value).mask();
                let _ = writeln!(inner, "        {value} = sma_read({place}, {thread}) & {mask:#x}u;");
            } else {
                let now = u8::from(step.at_once);
                let _ = writeln!(inner, "        sma_write({place}, {}, {thread}, {now});", self.cut(step, &value));
            }
        }
        out += &lines;
        if !inner.is_empty() {
            let _ = writeln!(out, "    if (TURN({unit}) && {when}) {{\n{inner}    }}");
        }
        out
    }

    /// What is written, cut to the cells that it can go to.
    fn cut(&self, step: &Step, value: &str) -> String {
        let widths = step.places.iter().map(|&(place, _)| self.problem.structure.locations[place].width);
        widths.max().map_or_else(|| value.to_owned(), |width| format!("{value} & {:#x}u", width.mask()))
    }

    /// The number of the location that an access goes to.
    fn place(&mut self, step: &Step, lines: &mut String) -> String {
        let Some((&(first, _), rest)) = step.places.split_first() else { return "0".to_owned() };
        let mut text = first.to_string();
        for &(place, when) in rest {
            let when = self.truth(when, lines);
            text = format!("({when} ? {place} : {text})");
        }
        text
    }

    /// What memory holds at first.
    fn initial(&mut self) -> String {
        self.start();
        let structure = &self.problem.structure;
        let mut out = String::new();
        for (at, location) in structure.locations.iter().enumerate() {
            let mut lines = String::new();
            let value = self.term(structure.events[at].value, &mut lines);
            out += &lines;
            let name = comment(&self.problem.program.address_name(location.address));
            let _ = writeln!(out, "    sma_init({at}, {value}); /* {name} */");
        }
        out
    }

    /// What is assumed and what must not be, when all rounds are over.
    fn end(&mut self, goal: Bool) -> String {
        self.start();
        let mut out = "/* All rounds are over: is this an execution, and does the property fail in it? */\n".to_owned();
        out += "void the_end(void)\n{\n";
        let mut lines = String::new();
        for constraint in self.problem.structure.constraints.clone() {
            let what = self.truth(constraint, &mut lines);
            let _ = writeln!(lines, "    assume({what});");
        }
        let goal = self.truth(goal, &mut lines);
        for place in (0..self.problem.last.len()).filter(|place| self.known.contains(&format!("m{place}"))) {
            let _ = writeln!(out, "    m{place} = sma_last({place});");
        }
        out += &lines;
        let _ = writeln!(out, "    if ({goal}) reach_error();\n}}");
        out
    }
}

/// Whether a work is that of an item.
fn belongs(work: &Work, item: Item, unit: usize) -> bool {
    match (work, item) {
        (Work::Step(step), Item::Event(event)) => step.event == event as usize && step.unit == unit,
        (Work::Settled(settled), Item::Arrives(link) | Item::Departs(link)) => settled.link == link,
        (Work::Step(_), Item::Arrives(_) | Item::Departs(_)) | (Work::Settled(_), Item::Event(_)) => false,
    }
}

fn binary(op: BinaryOp, left: &str, right: &str, mask: u64, bits: u32) -> String {
    let infix = |sign: &str| format!("({left} {sign} {right}) & {mask:#x}u");
    let call = |name: &str| format!("{name}({left}, {right}, {bits}) & {mask:#x}u");
    match op {
        BinaryOp::Add => infix("+"),
        BinaryOp::Sub => infix("-"),
        BinaryOp::Mul => infix("*"),
        BinaryOp::And => infix("&"),
        BinaryOp::Or => infix("|"),
        BinaryOp::Xor => infix("^"),
        BinaryOp::UDiv => call("udiv"),
        BinaryOp::URem => call("urem"),
        BinaryOp::SDiv => call("sdiv"),
        BinaryOp::SRem => call("srem"),
        BinaryOp::Shl => call("shl"),
        BinaryOp::LShr => call("lshr"),
        BinaryOp::AShr => call("ashr"),
        BinaryOp::Eq => format!("{left} == {right}"),
        BinaryOp::Ne => format!("{left} != {right}"),
        BinaryOp::ULt => format!("{left} < {right}"),
        BinaryOp::ULe => format!("{left} <= {right}"),
        BinaryOp::SLt => format!("extend({left}, {bits}) < extend({right}, {bits})"),
        BinaryOp::SLe => format!("extend({left}, {bits}) <= extend({right}, {bits})"),
    }
}

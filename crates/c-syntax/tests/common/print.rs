//! The tree as C again, with all parentheses that could be needed: two texts with the same tree give the same.

use c_syntax::ast::*;
use std::fmt::Write;

pub fn unit(unit: &Unit) -> String {
    let mut out = String::new();
    for item in &unit.items {
        match item {
            Item::Function(f) => {
                let _ = write!(out, "{} {}", specifiers(&f.specifiers), declarator(&f.declarator));
                for d in &f.declarations {
                    let _ = write!(out, "\n{}", declaration(d));
                }
                let _ = writeln!(out, "\n{}", statement(&f.statement.node));
            }
            Item::Declaration(d) => out.push_str(&format!("{}\n", declaration(d))),
            Item::StaticAssert(a) => out.push_str(&format!("{}\n", static_assert(a))),
            Item::Asm(a) => out.push_str(&format!("{}\n", asm(a))),
        }
    }
    out
}

fn list<T>(all: &[T], each: impl Fn(&T) -> String) -> String {
    all.iter().map(each).collect::<Vec<_>>().join(", ")
}

fn string(literal: &StringLiteral) -> String {
    let prefix = match literal.encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
        Encoding::Wide => "L",
    };
    // One literal for each unit, since a hexadecimal escape has no end of its own.
    if literal.units.is_empty() {
        return format!("{prefix}\"\"");
    }
    literal.units.iter().map(|unit| format!("{prefix}\"\\x{unit:x}\"")).collect::<Vec<_>>().join(" ")
}

fn static_assert(a: &StaticAssert) -> String {
    let message = a.message.as_ref().map_or(String::new(), |message| format!(", {}", string(message)));
    format!("_Static_assert({}{message});", expression(&a.expression))
}

fn declaration(d: &Declaration) -> String {
    let all = list(&d.declarators, |init| {
        let first = init.initializer.as_ref().map_or(String::new(), |i| format!(" = {}", initializer(&i.node)));
        format!("{}{first}", declarator(&init.declarator))
    });
    format!("{} {all};", specifiers(&d.specifiers))
}

fn attributes(all: &[Attribute]) -> String {
    let one = |a: &Attribute| match &a.meaning {
        Meaning::Aligned(Some(Alignment::Expression(e))) => format!("aligned({})", expression(e)),
        Meaning::Aligned(Some(Alignment::Type(ty))) => format!("aligned({})", type_name(ty)),
        Meaning::Mode(name) => format!("mode({name})"),
        Meaning::Cleanup(name) => format!("cleanup({})", name.text),
        Meaning::Constructor(Some(e)) => format!("constructor({})", expression(e)),
        Meaning::Destructor(Some(e)) => format!("destructor({})", expression(e)),
        Meaning::Alias(target) => format!("{}(\"{target}\")", a.name),
        Meaning::Packed
        | Meaning::Weak
        | Meaning::Aligned(None)
        | Meaning::Constructor(None)
        | Meaning::Destructor(None)
        | Meaning::Harmless
        | Meaning::Unknown => a.name.clone(),
    };
    all.iter().map(|a| format!(" __attribute__(({}))", one(a))).collect()
}

fn qualifiers(q: &Qualifiers) -> String {
    let words =
        [(q.is_const, "const "), (q.is_volatile, "volatile "), (q.is_restrict, "restrict "), (q.is_atomic, "_Atomic ")];
    words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect()
}

fn specifiers(s: &Specifiers) -> String {
    let words = [
        (s.storage.is_typedef, "typedef "),
        (s.storage.is_extern, "extern "),
        (s.storage.is_static, "static "),
        (s.storage.is_thread_local, "_Thread_local "),
        (s.storage.is_auto, "auto "),
        (s.storage.is_register, "register "),
        (s.storage.is_constexpr, "constexpr "),
        (s.storage.is_inline, "inline "),
        (s.storage.is_noreturn, "_Noreturn "),
    ];
    let mut out: String = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    for alignment in &s.alignment {
        let of = match &alignment.node {
            Alignment::Expression(e) => expression(e),
            Alignment::Type(ty) => type_name(ty),
        };
        let _ = write!(out, "_Alignas({of}) ");
    }
    // The type comes last, and what its attributes would swallow comes before it.
    format!(
        "{out}{}{}{}",
        qualifiers(&s.qualifiers),
        attributes(&s.attributes),
        format_args!(" {}", type_specifier(&s.ty))
    )
}

fn type_specifier(ty: &TypeSpecifier) -> String {
    match ty {
        TypeSpecifier::Void => "void".to_owned(),
        TypeSpecifier::Bool => "_Bool".to_owned(),
        TypeSpecifier::Arithmetic(arithmetic) => match arithmetic {
            Arithmetic::Char => "char",
            Arithmetic::SignedChar => "signed char",
            Arithmetic::UnsignedChar => "unsigned char",
            Arithmetic::Short => "short",
            Arithmetic::UnsignedShort => "unsigned short",
            Arithmetic::Int => "int",
            Arithmetic::UnsignedInt => "unsigned",
            Arithmetic::Long => "long",
            Arithmetic::UnsignedLong => "unsigned long",
            Arithmetic::LongLong => "long long",
            Arithmetic::UnsignedLongLong => "unsigned long long",
            Arithmetic::Int128 => "__int128",
            Arithmetic::UnsignedInt128 => "unsigned __int128",
            Arithmetic::Float16 => "_Float16",
            Arithmetic::Float => "float",
            Arithmetic::Double => "double",
            Arithmetic::LongDouble => "long double",
            Arithmetic::Float128 => "_Float128",
            Arithmetic::Decimal => "_Decimal64",
            Arithmetic::Complex => "double _Complex",
        }
        .to_owned(),
        TypeSpecifier::Atomic(ty) => format!("_Atomic({})", type_name(ty)),
        TypeSpecifier::Record(record) => record_specifier(record),
        TypeSpecifier::Enum(e) => {
            let tag = e.tag.as_ref().map_or("", |tag| &tag.text);
            let under = e.underlying.as_ref().map_or(String::new(), |ty| format!(" : {}", type_name(ty)));
            let body = e.enumerators.as_ref().map_or(String::new(), |all| {
                let each = |one: &Enumerator| {
                    let value = one.value.as_ref().map_or(String::new(), |value| format!(" = {}", expression(value)));
                    format!("{}{value}", one.name.text)
                };
                format!(" {{ {} }}", list(all, each))
            });
            format!("enum{} {tag}{under}{body}", attributes(&e.attributes))
        }
        TypeSpecifier::Typedef(name) => name.text.clone(),
        TypeSpecifier::TypeOf(of) => match &**of {
            TypeOf::Expression(e) => format!("typeof({})", expression(e)),
            TypeOf::Type(ty) => format!("typeof({})", type_name(ty)),
        },
        TypeSpecifier::Auto => "__auto_type".to_owned(),
        TypeSpecifier::Implicit => String::new(),
    }
}

fn record_specifier(record: &RecordSpecifier) -> String {
    let word = if record.is_union { "union" } else { "struct" };
    let tag = record.tag.as_ref().map_or("", |tag| &tag.text);
    let Some(fields) = &record.fields else { return format!("{word}{} {tag}", attributes(&record.attributes)) };
    let mut out = format!("{word}{} {tag} {{\n", attributes(&record.attributes));
    for field in fields {
        match field {
            Field::Members { specifiers: of, declarators } => {
                let all = list(declarators, |each| {
                    let width = each.width.as_ref().map_or(String::new(), |width| format!(" : {}", expression(width)));
                    let Declarator { attributes: own, .. } = &each.declarator;
                    format!("{}{width}{}", bare(&each.declarator), attributes(own))
                });
                let _ = writeln!(out, "{} {all};", specifiers(of));
            }
            Field::StaticAssert(assert) => out.push_str(&static_assert(assert)),
        }
    }
    let pack = record.pack.map_or("\n#pragma pack()\n".to_owned(), |pack| format!("\n#pragma pack({pack})\n"));
    format!("{out}{pack}}}")
}

fn type_name(ty: &TypeName) -> String {
    format!("{} {}", specifiers(&ty.specifiers), declarator(&ty.declarator))
}

fn declarator(d: &Declarator) -> String {
    let label = d.label.as_ref().map_or(String::new(), |label| format!(" asm({})", string(label)));
    format!("{}{label}{}", bare(d), attributes(&d.attributes))
}

fn bare(d: &Declarator) -> String {
    let mut out = d.name.as_ref().map_or(String::new(), |name| name.text.clone());
    for (at, derived) in d.derived.iter().enumerate().rev() {
        let pointed = d.derived.get(at + 1).is_some_and(|next| matches!(next.node, Derived::Pointer(_)));
        let inner = if pointed { format!("({out})") } else { out };
        out = match &derived.node {
            Derived::Pointer(p) => format!(
                "*{}{} {}",
                qualifiers(&p.qualifiers),
                attributes(&p.attributes),
                if pointed { inner[1..inner.len() - 1].to_owned() } else { inner }
            ),
            Derived::Array(a) => {
                let size = a.size.as_ref().map_or(String::new(), |size| expression(size));
                let word = if a.is_static { "static " } else { "" };
                format!("{inner}[{word}{}{size}]", qualifiers(&a.qualifiers))
            }
            Derived::Function(p) => {
                let one = |p: &Parameter| format!("{} {}", specifiers(&p.specifiers), declarator(&p.declarator));
                let more = if p.ellipsis { ", ..." } else { "" };
                format!("{inner}({}{more})", list(&p.parameters, one))
            }
            Derived::OldFunction(names) => format!("{inner}({})", list(names, |name| name.text.clone())),
        };
    }
    out
}

fn initializer(i: &Initializer) -> String {
    match i {
        Initializer::Expression(e) => expression(e),
        Initializer::List(items) => items_text(items),
    }
}

fn items_text(items: &[InitializerItem]) -> String {
    let one = |item: &InitializerItem| {
        let path: String = item.designation.iter().map(|d| designator(&d.node)).collect();
        let assign = if path.is_empty() { "" } else { " = " };
        format!("{path}{assign}{}", initializer(&item.initializer.node))
    };
    format!("{{ {} }}", list(items, one))
}

fn designator(d: &Designator) -> String {
    match d {
        Designator::Index(e) => format!("[{}]", expression(e)),
        Designator::Range(low, high) => format!("[{} ... {}]", expression(low), expression(high)),
        Designator::Member(name) => format!(".{}", name.text),
    }
}

pub fn expression(e: &Node<Expression>) -> String {
    match &e.node {
        Expression::Identifier(name) => name.clone(),
        Expression::Constant(constant) => constant_text(constant),
        Expression::StringLiteral(literal) => string(literal),
        Expression::GenericSelection(generic) => {
            let one = |a: &Association| {
                let ty = a.ty.as_ref().map_or("default".to_owned(), type_name);
                format!("{ty}: {}", expression(&a.expression))
            };
            format!("_Generic({}, {})", expression(&generic.expression), list(&generic.associations, one))
        }
        Expression::Member(m) => {
            let operator = if m.operator == MemberOperator::Direct { "." } else { "->" };
            format!("({}{operator}{})", expression(&m.expression), m.identifier.text)
        }
        Expression::Call(call) => format!("({}({}))", expression(&call.callee), list(&call.arguments, expression)),
        Expression::CompoundLiteral(l) => format!("(({}){})", type_name(&l.type_name), items_text(&l.initializer)),
        Expression::SizeOfType(ty) => format!("sizeof({})", type_name(ty)),
        Expression::SizeOfValue(e) => format!("(sizeof ({}))", expression(e)),
        Expression::AlignOfType(ty) => format!("_Alignof({})", type_name(ty)),
        Expression::AlignOfValue(e) => format!("(_Alignof ({}))", expression(e)),
        Expression::Unary(unary) => {
            let operand = expression(&unary.operand);
            match unary.operator {
                UnaryOperator::PostIncrement => format!("({operand}++)"),
                UnaryOperator::PostDecrement => format!("({operand}--)"),
                UnaryOperator::PreIncrement => format!("(++{operand})"),
                UnaryOperator::PreDecrement => format!("(--{operand})"),
                UnaryOperator::Address => format!("(&{operand})"),
                UnaryOperator::Indirection => format!("(*{operand})"),
                UnaryOperator::Plus => format!("(+{operand})"),
                UnaryOperator::Minus => format!("(-{operand})"),
                UnaryOperator::Complement => format!("(~{operand})"),
                UnaryOperator::Negate => format!("(!{operand})"),
            }
        }
        Expression::Cast(cast) => format!("(({}){})", type_name(&cast.type_name), expression(&cast.expression)),
        Expression::Binary(binary) => {
            let (left, right) = (expression(&binary.lhs), expression(&binary.rhs));
            match operator(binary.operator) {
                "[]" => format!("({left}[{right}])"),
                word => format!("({left} {word} {right})"),
            }
        }
        Expression::Conditional(c) => {
            let then = c.then_expression.as_ref().map_or(String::new(), expression);
            format!("({} ? {then} : {})", expression(&c.condition), expression(&c.else_expression))
        }
        Expression::Comma(all) => format!("({})", list(all, expression)),
        Expression::OffsetOf(of) => {
            let path: String = of.designators.iter().map(|d| designator(&d.node)).collect();
            format!("__builtin_offsetof({}, {})", type_name(&of.type_name), path.trim_start_matches('.'))
        }
        Expression::VaArg(arg) => format!("__builtin_va_arg({}, {})", expression(&arg.list), type_name(&arg.type_name)),
        Expression::TypesCompatible(t) => {
            format!("__builtin_types_compatible_p({}, {})", type_name(&t.left), type_name(&t.right))
        }
        Expression::Statement(block) => format!("({})", statement(&block.node)),
        Expression::LabelAddress(name) => format!("(&&{})", name.text),
    }
}

fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::Integer(i) => {
            let unsigned = if i.is_unsigned { "u" } else { "" };
            let long = "l".repeat(usize::from(i.longs));
            if i.is_decimal {
                format!("{}{unsigned}{long}", i.value)
            } else {
                format!("0x{:x}{unsigned}{long}", i.value)
            }
        }
        Constant::Float(f) => {
            let suffix = match f.suffix {
                FloatSuffix::Double => "",
                FloatSuffix::Float => "f",
                FloatSuffix::Long => "l",
            };
            format!("{:e}{suffix}", f.value)
        }
        Constant::Character(c) => match c.encoding {
            Encoding::Plain => {
                format!("'{}'", (c.value as u32).to_be_bytes().iter().map(|b| format!("\\{b:03o}")).collect::<String>())
            }
            Encoding::Utf8 => format!("u8'\\x{:x}'", c.value),
            Encoding::Utf16 => format!("u'\\x{:x}'", c.value),
            Encoding::Utf32 => format!("U'\\x{:x}'", c.value),
            Encoding::Wide => format!("L'\\x{:x}'", c.value as u32),
        },
        Constant::Bool(value) => value.to_string(),
        Constant::Nullptr => "nullptr".to_owned(),
    }
}

pub fn operator(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Index => "[]",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::Less => "<",
        BinaryOperator::Greater => ">",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::Equals => "==",
        BinaryOperator::NotEquals => "!=",
        BinaryOperator::BitwiseAnd => "&",
        BinaryOperator::BitwiseXor => "^",
        BinaryOperator::BitwiseOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::Assign => "=",
        BinaryOperator::AssignMultiply => "*=",
        BinaryOperator::AssignDivide => "/=",
        BinaryOperator::AssignModulo => "%=",
        BinaryOperator::AssignPlus => "+=",
        BinaryOperator::AssignMinus => "-=",
        BinaryOperator::AssignShiftLeft => "<<=",
        BinaryOperator::AssignShiftRight => ">>=",
        BinaryOperator::AssignBitwiseAnd => "&=",
        BinaryOperator::AssignBitwiseXor => "^=",
        BinaryOperator::AssignBitwiseOr => "|=",
    }
}

fn asm(a: &Asm) -> String {
    let words = if a.is_volatile { " volatile" } else { "" };
    let goto = if a.is_goto { " goto" } else { "" };
    let operand = |o: &AsmOperand| {
        let name = o.name.as_ref().map_or(String::new(), |name| format!("[{}] ", name.text));
        format!("{name}{} ({})", string(&o.constraint), expression(&o.expression))
    };
    let rest = if a.is_extended {
        let (outputs, inputs) = (list(&a.outputs, operand), list(&a.inputs, operand));
        format!(" : {outputs} : {inputs} : {} : {}", list(&a.clobbers, string), list(&a.labels, |l| l.text.clone()))
    } else {
        String::new()
    };
    format!("asm{words}{goto} ({}{rest});", string(&a.template))
}

fn statement(s: &Statement) -> String {
    match s {
        Statement::Labeled(l) => {
            let label = match &l.label.node {
                Label::Name(name) => name.text.clone(),
                Label::Case(value) => format!("case {}", expression(value)),
                Label::CaseRange(low, high) => format!("case {} ... {}", expression(low), expression(high)),
                Label::Default => "default".to_owned(),
            };
            format!("{label}: {}", statement(&l.statement.node))
        }
        Statement::Compound(items) => {
            let mut out = "{\n".to_owned();
            for item in items {
                out.push_str(&match &item.node {
                    BlockItem::Declaration(d) => declaration(d),
                    BlockItem::StaticAssert(assert) => static_assert(assert),
                    BlockItem::Statement(s) => statement(s),
                    BlockItem::Labels(names) => format!("__label__ {};", list(names, |name| name.text.clone())),
                });
                out.push('\n');
            }
            format!("{out}}}")
        }
        Statement::Expression(e) => format!("{};", e.as_ref().map_or(String::new(), |e| expression(e))),
        Statement::If(i) => {
            // Without braces, an `else` could belong to another `if`.
            let other = i.else_statement.as_ref().map_or(String::new(), |s| format!(" else {}", statement(&s.node)));
            let then = statement(&i.then_statement.node);
            format!("if ({}) {then}{other}", expression(&i.condition))
        }
        Statement::Switch(i) => format!("switch ({}) {}", expression(&i.expression), statement(&i.statement.node)),
        Statement::While(i) => format!("while ({}) {}", expression(&i.expression), statement(&i.statement.node)),
        Statement::DoWhile(i) => format!("do {} while ({});", statement(&i.statement.node), expression(&i.expression)),
        Statement::For(i) => {
            let first = match &i.initializer {
                ForInitializer::Empty => ";".to_owned(),
                ForInitializer::Expression(e) => format!("{};", expression(e)),
                ForInitializer::Declaration(d) => declaration(d),
                ForInitializer::StaticAssert(assert) => static_assert(assert),
            };
            let condition = i.condition.as_ref().map_or(String::new(), expression);
            let step = i.step.as_ref().map_or(String::new(), expression);
            format!("for ({first} {condition}; {step}) {}", statement(&i.statement.node))
        }
        Statement::Goto(name) => format!("goto {};", name.text),
        Statement::ComputedGoto(to) => format!("goto *{};", expression(to)),
        Statement::Continue => "continue;".to_owned(),
        Statement::Break => "break;".to_owned(),
        Statement::Return(e) => format!("return {};", e.as_ref().map_or(String::new(), |e| expression(e))),
        Statement::Asm(a) => asm(a),
    }
}

//! What stands before declarators: storage classes, types, qualifiers.

use super::Parser;
use crate::ast::{
    Alignment, Arithmetic, Attribute, Name, Node, Qualifiers, Specifiers, Storage, TypeName, TypeOf, TypeSpecifier,
};
use crate::error::{Error, Parsed};
use crate::scope::Meaning;
use crate::token::{Keyword, Kind, Punct, Token};

/// Where specifiers stand, which decides what may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpecifierContext {
    /// Before declarations outside and inside functions: without a type, `int` is meant.
    Declaration,
    /// Before members, parameters, and in type names: a type must be there.
    Inner,
}

/// Counts the words of an arithmetic type.
#[derive(Debug, Default)]
struct Words {
    char: u8,
    short: u8,
    int: u8,
    long: u8,
    signed: u8,
    unsigned: u8,
    int128: u8,
    complex: u8,
    float: Option<Arithmetic>,
}

impl Words {
    fn add(&mut self, keyword: Keyword) -> bool {
        let float = match keyword {
            Keyword::Float => Arithmetic::Float,
            Keyword::Double => Arithmetic::Double,
            Keyword::Float16 => Arithmetic::Float16,
            Keyword::Float128 => Arithmetic::Float128,
            Keyword::Float64x => Arithmetic::LongDouble,
            Keyword::Decimal => Arithmetic::Decimal,
            _ => {
                let count = match keyword {
                    Keyword::Char => &mut self.char,
                    Keyword::Short => &mut self.short,
                    Keyword::Int => &mut self.int,
                    Keyword::Long => &mut self.long,
                    Keyword::Signed => &mut self.signed,
                    Keyword::Unsigned => &mut self.unsigned,
                    Keyword::Int128 => &mut self.int128,
                    Keyword::Complex | Keyword::Imaginary => &mut self.complex,
                    _ => return false,
                };
                *count = count.saturating_add(1);
                return true;
            }
        };
        // Two of them are as wrong as `float int`.
        self.int = self.int.saturating_add(u8::from(self.float.is_some()));
        self.float = Some(float);
        true
    }

    fn any(&self) -> bool {
        let counts =
            [self.char, self.short, self.int, self.long, self.signed, self.unsigned, self.int128, self.complex];
        counts.iter().any(|count| *count > 0) || self.float.is_some()
    }

    /// The type that the words mean together, if they mean one.
    fn arithmetic(&self) -> Option<Arithmetic> {
        let Words { char, short, int, long, signed, unsigned, int128, complex, float } = self;
        if [char, short, int, signed, unsigned, int128, complex].iter().any(|count| **count > 1) || *long > 2 {
            return None;
        }
        if *complex > 0 {
            return Some(Arithmetic::Complex);
        }
        let unsigned = match (*signed, *unsigned) {
            (0, 0 | 1) => *unsigned == 1,
            (1, 0) => false,
            _ => return None,
        };
        let pick = |plain: Arithmetic, other: Arithmetic| Some(if unsigned { other } else { plain });
        match (float, char, short, int, long, int128) {
            (Some(Arithmetic::Double), 0, 0, 0, 1, 0) if *signed == 0 && !unsigned => Some(Arithmetic::LongDouble),
            (Some(float), 0, 0, 0, 0, 0) if *signed == 0 && !unsigned => Some(*float),
            (None, 1, 0, 0, 0, 0) if *signed == 1 => Some(Arithmetic::SignedChar),
            (None, 1, 0, 0, 0, 0) => pick(Arithmetic::Char, Arithmetic::UnsignedChar),
            (None, 0, 1, _, 0, 0) => pick(Arithmetic::Short, Arithmetic::UnsignedShort),
            (None, 0, 0, _, 0, 0) => pick(Arithmetic::Int, Arithmetic::UnsignedInt),
            (None, 0, 0, _, 1, 0) => pick(Arithmetic::Long, Arithmetic::UnsignedLong),
            (None, 0, 0, _, 2, 0) => pick(Arithmetic::LongLong, Arithmetic::UnsignedLongLong),
            (None, 0, 0, 0, 0, 1) => pick(Arithmetic::Int128, Arithmetic::UnsignedInt128),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// Whether a token can begin a type name.
    pub(super) fn begins_type(&self, token: Token) -> bool {
        match token.kind {
            Kind::Keyword(keyword) => is_type_word(keyword) || is_qualifier(keyword) || keyword == Keyword::Attribute,
            _ => self.names_type(token),
        }
    }

    /// Whether a declaration begins so many tokens ahead.
    pub(super) fn begins_declaration(&self, mut ahead: usize) -> bool {
        while self.nth(ahead).kind == Kind::Keyword(Keyword::Extension) {
            ahead += 1;
        }
        match self.nth(ahead).kind {
            Kind::Keyword(keyword) => {
                is_type_word(keyword)
                    || is_qualifier(keyword)
                    || is_storage(keyword)
                    || matches!(keyword, Keyword::Alignas | Keyword::StaticAssert)
            }
            // A label may be called like a type.
            _ => self.names_type(self.nth(ahead)) && !self.nth_is(ahead + 1, Punct::Colon),
        }
    }

    /// The specifiers of a declaration; `attributes` are those that stand before them.
    pub(super) fn specifiers(&mut self, place: SpecifierContext, attributes: Vec<Attribute>) -> Parsed<Specifiers> {
        let start = self.start();
        let (mut storage, mut qualifiers) = (Storage::default(), Qualifiers::default());
        let (mut words, mut whole) = (Words::default(), None);
        let (mut alignment, mut attributes) = (Vec::new(), attributes);
        let first = self.nth(0).span;
        loop {
            let token = self.nth(0);
            let typed = whole.is_some() || words.any();
            match token.kind {
                Kind::Keyword(keyword) if add_storage(&mut storage, keyword) => {
                    self.bump();
                }
                Kind::Keyword(Keyword::Atomic) if self.nth_is(1, Punct::LeftParen) => {
                    self.bump();
                    self.bump();
                    let ty = TypeSpecifier::Atomic(Box::new(self.type_name()?));
                    self.expect(Punct::RightParen, "the type")?;
                    self.set_type(&mut whole, &words, ty, token)?;
                }
                Kind::Keyword(keyword) if is_qualifier(keyword) => {
                    add_qualifier(&mut qualifiers, keyword);
                    self.bump();
                }
                Kind::Keyword(Keyword::Attribute) => self.attributes(&mut attributes)?,
                Kind::Keyword(Keyword::Extension) => {
                    self.bump();
                }
                Kind::Keyword(Keyword::Alignas) => alignment.push(self.alignas()?),
                Kind::Keyword(keyword) if words.add(keyword) => {
                    if whole.is_some() {
                        return Err(self.two_types(token));
                    }
                    self.bump();
                }
                Kind::Keyword(keyword) if is_type_word(keyword) => {
                    let ty = self.type_specifier(keyword)?;
                    self.set_type(&mut whole, &words, ty, token)?;
                }
                Kind::Identifier if !typed && !storage.is_auto && self.names_type(token) => {
                    let ty = self.typedef_name(&mut words);
                    whole = ty;
                }
                Kind::Identifier if !typed && self.is_unknown_type(place) => return Err(self.unknown_type(token)),
                Kind::Punct(Punct::LeftBracket) if typed && self.begins_attributes() => {
                    self.attributes(&mut attributes)?;
                }
                _ => break,
            }
        }
        let ty = match whole {
            Some(ty) => ty,
            None if words.any() => {
                let wrong = || {
                    let error = Error::new(first.to(self.since(start)), "these words are no type together");
                    error
                        .help("C has char, short, int, long, long long, signed or unsigned, float, double, long double")
                };
                TypeSpecifier::Arithmetic(words.arithmetic().ok_or_else(wrong)?)
            }
            None if storage.is_auto && self.kind() == Kind::Identifier && self.nth_is(1, Punct::Assign) => {
                TypeSpecifier::Auto
            }
            None => TypeSpecifier::Implicit,
        };
        Ok(Specifiers { storage, ty, qualifiers, alignment, attributes, span: self.since(start) })
    }

    fn set_type(
        &self,
        whole: &mut Option<TypeSpecifier>,
        words: &Words,
        ty: TypeSpecifier,
        token: Token,
    ) -> Parsed<()> {
        if whole.is_some() || words.any() {
            return Err(self.two_types(token));
        }
        *whole = Some(ty);
        Ok(())
    }

    fn two_types(&self, token: Token) -> Error {
        let error =
            Error::new(token.span, format!("two types in one declaration: `{}` is one more", self.text_of(token)));
        error.help("a `;` may be missing before it")
    }

    /// A name that stands for a type, or for words.
    fn typedef_name(&mut self, words: &mut Words) -> Option<TypeSpecifier> {
        let token = self.bump();
        match self.text_of(token) {
            "bool" if self.scopes.get("bool") == Some(Meaning::Builtin) => Some(TypeSpecifier::Bool),
            "__int128_t" => {
                words.int128 = 1;
                None
            }
            "__uint128_t" => {
                (words.int128, words.unsigned) = (1, 1);
                None
            }
            text => Some(TypeSpecifier::Typedef(Name { text: text.to_owned(), span: token.span })),
        }
    }

    /// Whether the next name, which is no type, stands where only a type can.
    fn is_unknown_type(&self, place: SpecifierContext) -> bool {
        let follows = |kind: Kind| match kind {
            Kind::Identifier => true,
            Kind::Keyword(keyword) => is_qualifier(keyword) || is_type_word(keyword) || keyword == Keyword::Attribute,
            _ => false,
        };
        let mut ahead = 1;
        while self.nth_is(ahead, Punct::Star) {
            ahead += 1;
        }
        let pointer = ahead > 1;
        let next = self.nth(ahead).kind;
        match place {
            SpecifierContext::Inner => true,
            // Old definitions have declarations of the parameters after them: `f(a) int a; { … }`.
            SpecifierContext::Declaration => {
                follows(next) || (pointer && matches!(next, Kind::Punct(Punct::LeftParen)))
            }
        }
    }

    pub(super) fn unknown_type(&self, token: Token) -> Error {
        let name = self.text_of(token);
        let error = Error::new(token.span, format!("unknown type name `{name}`"));
        error.help(match header_of(name) {
            Some(header) => format!("`{name}` is defined in <{header}>: include it"),
            None => "define it with `typedef`, or include the header that does".to_owned(),
        })
    }

    fn type_specifier(&mut self, keyword: Keyword) -> Parsed<TypeSpecifier> {
        match keyword {
            Keyword::Struct | Keyword::Union => self.record().map(|record| TypeSpecifier::Record(Box::new(record))),
            Keyword::Enum => self.enumeration().map(|all| TypeSpecifier::Enum(Box::new(all))),
            Keyword::Typeof | Keyword::TypeofUnqual => self.type_of(),
            _ => {
                self.bump();
                Ok(match keyword {
                    Keyword::Void => TypeSpecifier::Void,
                    Keyword::Bool => TypeSpecifier::Bool,
                    _ => TypeSpecifier::Auto,
                })
            }
        }
    }

    fn type_of(&mut self) -> Parsed<TypeSpecifier> {
        self.bump();
        self.expect(Punct::LeftParen, "`typeof`")?;
        let of = if self.begins_type(self.nth(0)) {
            TypeOf::Type(self.type_name()?)
        } else {
            TypeOf::Expression(self.expression()?)
        };
        self.expect(Punct::RightParen, "the operand of `typeof`")?;
        Ok(TypeSpecifier::TypeOf(Box::new(of)))
    }

    fn alignas(&mut self) -> Parsed<Node<Alignment>> {
        let start = self.start();
        self.bump();
        self.expect(Punct::LeftParen, "`_Alignas`")?;
        let alignment = self.alignment()?;
        self.expect(Punct::RightParen, "the alignment")?;
        Ok(Node::new(alignment, self.since(start)))
    }

    pub(super) fn alignment(&mut self) -> Parsed<Alignment> {
        if self.begins_type(self.nth(0)) {
            return Ok(Alignment::Type(Box::new(self.type_name()?)));
        }
        Ok(Alignment::Expression(Box::new(self.conditional()?)))
    }

    /// The name of a type.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.deeper(|parser| {
            let start = parser.start();
            let specifiers = parser.specifiers(SpecifierContext::Inner, Vec::new())?;
            if matches!(specifiers.ty, TypeSpecifier::Implicit) && specifiers.qualifiers == Qualifiers::default() {
                return Err(parser.expected("a type"));
            }
            let declarator = parser.declarator(super::declarator::Naming::Abstract)?;
            Ok(TypeName { specifiers, declarator, span: parser.since(start) })
        })
    }
}

fn is_type_word(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Void
            | Keyword::Char
            | Keyword::Short
            | Keyword::Int
            | Keyword::Long
            | Keyword::Float
            | Keyword::Double
            | Keyword::Signed
            | Keyword::Unsigned
            | Keyword::Bool
            | Keyword::Complex
            | Keyword::Imaginary
            | Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Typeof
            | Keyword::TypeofUnqual
            | Keyword::AutoType
            | Keyword::Int128
            | Keyword::Float16
            | Keyword::Float128
            | Keyword::Float64x
            | Keyword::Decimal
    )
}

fn is_qualifier(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::Const | Keyword::Volatile | Keyword::Restrict | Keyword::Atomic)
}

fn is_storage(keyword: Keyword) -> bool {
    add_storage(&mut Storage::default(), keyword)
}

pub(super) fn add_qualifier(qualifiers: &mut Qualifiers, keyword: Keyword) -> bool {
    match keyword {
        Keyword::Const => qualifiers.is_const = true,
        Keyword::Volatile => qualifiers.is_volatile = true,
        Keyword::Restrict => qualifiers.is_restrict = true,
        Keyword::Atomic => qualifiers.is_atomic = true,
        _ => return false,
    }
    true
}

fn add_storage(storage: &mut Storage, keyword: Keyword) -> bool {
    match keyword {
        Keyword::Typedef => storage.is_typedef = true,
        Keyword::Extern => storage.is_extern = true,
        Keyword::Static => storage.is_static = true,
        Keyword::ThreadLocal => storage.is_thread_local = true,
        Keyword::Auto => storage.is_auto = true,
        Keyword::Register => storage.is_register = true,
        Keyword::Constexpr => storage.is_constexpr = true,
        Keyword::Inline => storage.is_inline = true,
        Keyword::Noreturn => storage.is_noreturn = true,
        _ => return false,
    }
    true
}

/// The standard header that defines a type.
fn header_of(name: &str) -> Option<&'static str> {
    let integer = ["int", "uint", "int_least", "uint_least", "int_fast", "uint_fast"].iter().any(|prefix| {
        let width = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix("_t"));
        matches!(width, Some("8" | "16" | "32" | "64" | "ptr" | "max"))
    });
    Some(match name {
        _ if integer => "stdint.h",
        "size_t" | "ptrdiff_t" | "max_align_t" | "wchar_t" => "stddef.h",
        "bool" => "stdbool.h",
        "FILE" => "stdio.h",
        "va_list" => "stdarg.h",
        "jmp_buf" => "setjmp.h",
        "clock_t" | "time_t" => "time.h",
        "ssize_t" | "off_t" | "pid_t" => "sys/types.h",
        "sem_t" => "semaphore.h",
        "thrd_t" | "mtx_t" | "cnd_t" | "tss_t" | "once_flag" => "threads.h",
        _ if name.starts_with("pthread_") && name.ends_with("_t") => "pthread.h",
        _ if name.starts_with("atomic_") || name == "memory_order" => "stdatomic.h",
        _ => return None,
    })
}

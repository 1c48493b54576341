//! Tokens.

use crate::ast::Range;

/// A token. Its text is that of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Range,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Identifier,
    Keyword(Keyword),
    Number,
    Character,
    String,
    Punct(Punct),
    /// The end of the text.
    End,
}

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        /// Punctuation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Punct { $($name,)* }

        impl Punct {
            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }

        /// The punctuation that a text is, in the spelling that has no other one.
        fn plain(text: &str) -> Option<Punct> {
            Some(match text {
                $($text => Punct::$name,)*
                _ => return None,
            })
        }
    };
}

puncts! {
    Ellipsis "...", ShiftLeftAssign "<<=", ShiftRightAssign ">>=",
    Arrow "->", Increment "++", Decrement "--", ShiftLeft "<<", ShiftRight ">>",
    LessEqual "<=", GreaterEqual ">=", Equal "==", NotEqual "!=", AndAnd "&&", OrOr "||",
    MultiplyAssign "*=", DivideAssign "/=", ModuloAssign "%=", PlusAssign "+=", MinusAssign "-=",
    AndAssign "&=", XorAssign "^=", OrAssign "|=",
    LeftBracket "[", RightBracket "]", LeftParen "(", RightParen ")", LeftBrace "{", RightBrace "}",
    Dot ".", Ampersand "&", Star "*", Plus "+", Minus "-", Tilde "~", Exclamation "!",
    Slash "/", Percent "%", Less "<", Greater ">", Caret "^", Bar "|", Question "?", Colon ":",
    Semicolon ";", Assign "=", Comma ",",
}

/// Other spellings that C has for the same.
fn digraph(text: &str) -> Option<Punct> {
    Some(match text {
        "<:" => Punct::LeftBracket,
        ":>" => Punct::RightBracket,
        "<%" => Punct::LeftBrace,
        "%>" => Punct::RightBrace,
        _ => return None,
    })
}

/// The punctuation that a text begins with, the longest there is, and how long it is.
pub(crate) fn punct(rest: &str) -> Option<(Punct, usize)> {
    let of = |length| rest.get(..length).and_then(|text| Some((plain(text).or_else(|| digraph(text))?, length)));
    [3, 2, 1].into_iter().find_map(of)
}

macro_rules! keywords {
    ($($name:ident $($text:literal)|+,)*) => {
        /// Words that are no names.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Keyword { $($name,)* }

        /// The keyword that a word is, in any of its spellings.
        pub(crate) fn keyword(word: &str) -> Option<Keyword> {
            Some(match word {
                $($($text)|+ => Keyword::$name,)*
                _ => return None,
            })
        }
    };
}

keywords! {
    Alignas "_Alignas" | "alignas",
    Alignof "_Alignof" | "alignof" | "__alignof" | "__alignof__",
    Asm "asm" | "__asm" | "__asm__",
    Atomic "_Atomic",
    Attribute "__attribute" | "__attribute__",
    Auto "auto",
    AutoType "__auto_type",
    Bool "_Bool",
    Break "break",
    Case "case",
    Char "char",
    Complex "_Complex" | "__complex" | "__complex__",
    Const "const" | "__const" | "__const__",
    Constexpr "constexpr",
    Continue "continue",
    Decimal "_Decimal32" | "_Decimal64" | "_Decimal128",
    Default "default",
    Do "do",
    Double "double" | "_Float64" | "_Float32x",
    Else "else",
    Enum "enum",
    Extension "__extension__",
    Extern "extern",
    Float "float" | "_Float32",
    Float16 "_Float16",
    Float128 "_Float128" | "__float128",
    Float64x "_Float64x" | "__float80",
    For "for",
    Generic "_Generic",
    Goto "goto",
    If "if",
    Imaginary "_Imaginary",
    ImagPart "__imag" | "__imag__",
    Inline "inline" | "__inline" | "__inline__" | "__forceinline",
    Int "int",
    Int128 "__int128" | "__int128__",
    Label "__label__",
    Long "long",
    Noreturn "_Noreturn",
    Offsetof "__builtin_offsetof",
    RealPart "__real" | "__real__",
    Register "register",
    Restrict "restrict" | "__restrict" | "__restrict__",
    Return "return",
    Short "short",
    Signed "signed" | "__signed" | "__signed__",
    Sizeof "sizeof",
    Static "static",
    StaticAssert "_Static_assert" | "static_assert",
    Struct "struct",
    Switch "switch",
    ThreadLocal "_Thread_local" | "thread_local" | "__thread",
    Typedef "typedef",
    Typeof "typeof" | "__typeof" | "__typeof__",
    TypeofUnqual "typeof_unqual" | "__typeof_unqual" | "__typeof_unqual__",
    TypesCompatible "__builtin_types_compatible_p",
    Union "union",
    Unsigned "unsigned" | "__unsigned" | "__unsigned__",
    VaArg "__builtin_va_arg",
    Void "void",
    Volatile "volatile" | "__volatile" | "__volatile__",
    While "while",
}

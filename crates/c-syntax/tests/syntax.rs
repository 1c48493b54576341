//! What is C and what is not, and what is said about the latter.

mod common;

use c_syntax::ast::{
    Alignment, Arithmetic, BlockItem, Constant, Declaration, Derived, Expression, Initializer, Item, Meaning,
    Statement, TypeSpecifier,
};
use common::{accepted, describe, on_large_stack};

/// The complaint about a text.
#[track_caller]
fn refused(text: &str) -> c_syntax::Error {
    match c_syntax::parse(text, &[]) {
        Ok(_) => panic!("this is accepted:\n{text}"),
        Err(error) => error,
    }
}

#[track_caller]
fn check(text: &str, says: &str) {
    let error = refused(text);
    let found = describe(text, &error);
    assert_eq!(found, says, "{text}");
    assert!(error.help.is_some() || found.contains("expected"), "no help: {found}");
}

#[track_caller]
fn first_declaration(text: &str) -> Declaration {
    match accepted(text).items.into_iter().next() {
        Some(Item::Declaration(declaration)) => *declaration,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_is_said_as_a_compiler_would() {
    check("uint8_t x;", "1: unknown type name `uint8_t`");
    check("int f(void) {\n uint8_t x = 1;\n}", "2: unknown type name `uint8_t`");
    check("int f(void) {\n thing *x = 0;\n}", "2: unknown type name `thing`");
    check("int f(uint8_t x) { }", "1: unknown type name `uint8_t`");
    check("int f(int a, uint8_t x);", "1: unknown type name `uint8_t`");
    check("int f(uint8_t);", "1: unknown type name `uint8_t`");
    check("struct s {\n  int a;\n  uint8_t b;\n};", "3: unknown type name `uint8_t`");
    check("int f(int a) { return (uint8_t)a; }", "1: unknown type name `uint8_t`");
    check("int f(void) { for (size_t i = 0; ; ); }", "1: unknown type name `size_t`");
    check("static const foo *x;", "1: unknown type name `foo`");
    check("int x\nint y;", "1: expected `;` after the declaration, found `int`");
    check("int f(void) {\n x = 1\n y = 2;\n}", "2: expected `;` after the expression, found `y`");
    check("int f(void) {\n return 1\n}", "2: expected `;` after the value, found `}`");
    check("int f(void) {\n return 1 +;\n}", "2: expected an expression before `;`");
    check("int f(void) { if (1 { } }", "1: expected `)` after the condition, found `{`");
    check("int f(void) { x = (1; }", "1: expected `)` after the expression, found `;`");
    check("int f(void) { x[1; }", "1: expected `]` after the index, found `;`");
    check("int f(void) { g(1, 2; }", "1: expected `)` after the arguments, found `;`");
    check("int f(void) {\n if (1) {\n }\n", "4: expected `}` before the end of the text");
    check("int f(void) { else; }", "1: `else` without `if` before it");
    check("int f(void) { do ; x; }", "1: expected `while` before `x`");
    check("int 3;", "1: expected a name or `(` before `3`");
    check("int while;", "1: expected a name, but `while` is a keyword");
    check("}", "1: expected a declaration before `}`");
    check(
        "int f(void) { int g(void) { return 1; } }",
        "1: a function is defined inside a function here, which is not supported",
    );
    check("float int x;", "1: these words are no type together");
    check("struct s { int a; } struct t { int b; };", "1: two types in one declaration: `struct` is one more");
    check("typedef int T; int f(void) { return T; }", "1: expected an expression, but `T` is a type");
    check("int a[2] = { 1 2 };", "1: expected `,` or `}` before `2`");
    check("int f(void) { if (1) int x; }", "1: a declaration cannot stand here");
    check("int x = 08;", "1: invalid digit `8` in an octal constant");
    check("int x = 1z2;", "1: invalid suffix `z2` of an integer constant");
    check("int x __attribute__((cleanup)) = 1;", "1: the attribute `cleanup` needs an argument");
    let error = refused("uint8_t x;");
    assert!(error.help.as_deref().is_some_and(|help| help.contains("<stdint.h>")), "{error:?}");
}

#[test]
fn types_are_told_from_other_names() {
    accepted("typedef int T; int f(void) { T x; { int T = 1; T * x; T = 2; } T *y; return (T)x + sizeof(T); }");
    accepted("typedef int T; struct s { T T; }; int g(T T) { return T; } T h(T); int k(int (T)); T (*p)(T);");
    accepted("typedef int T; int f(void) { T: goto T; }");
    accepted("typedef int T; enum { A, T2 }; void f(void) { unsigned T; T = 1; typedef char U; U x; }");
    check("void f(void) { { typedef char U; } U x; }", "1: unknown type name `U`");
    accepted("int f(a, b) int a; char *b; { return a; } main() { return 0; } static g() { return 1; }");
    accepted("enum { false, true }; int x = true; typedef unsigned char bool; bool b;");
    accepted("bool x;");
    assert!(c_syntax::parse("spinlock_t s;", &["spinlock_t"]).is_ok(), "a type that the caller knows");
}

#[test]
fn forms_of_c23_and_of_gnu() {
    for text in [
        "int f(int n) { int a[n]; int (*p)[n] = &a; return sizeof a; } int g(int n, int a[static const n], int b[*]);",
        "int f(int x) { return ({ int y = x; y + 1; }); }",
        "int f(int x) { return x ?: 2; }",
        "int f(int x) { switch (x) { case 1 ... 3: return 1; default: } return 0; }",
        "int f(void) { void *p = &&a; goto *p; a: return 1; }",
        "int f(void) { __label__ a; goto a; a: int x = 1; return x; }",
        "int x = _Generic(1, int: 2, const char *: 3, default: 4);",
        "struct s { int a[2]; struct { int b; }; } v = { .a[1] = 2, .b = 3 }; int w[] = { [0 ... 3] = 1, [5] 2 }; struct s u = { b: 1 };",
        "int *p = (int[]){ 1, 2, 3 }; struct s { int x; } *q = &(struct s){ .x = 1 };",
        "unsigned __int128 a; __int128_t b; __uint128_t c; _Float128 d; long double e; double _Complex f; _Float32 g;",
        "__extension__ typedef struct { int x; } __attribute__((packed, aligned(8))) T; T t __attribute__((unused));",
        "[[nodiscard]] int f(void); int g([[maybe_unused]] int x) { [[fallthrough]]; [[gnu::unused]] int y; return x; }",
        "int f(void) __asm__(\"g\") __attribute__((nothrow)); asm(\".globl x\"); int v asm(\"w\") = 1;",
        "int f(int x) { asm volatile (\"lock; xaddl %0, %1\" : \"+r\"(x), [m] \"+m\"(x) : \"i\"(1) : \"memory\", \"cc\"); return x; }",
        "int f(int x) { asm goto (\"jmp %l0\" : : \"r\"(x) : \"memory\" : out); asm(\"\"); asm inline (\"\" ::: \"memory\"); out: return 1; }",
        "_Thread_local int a; static __thread int b; extern thread_local int c; _Alignas(16) char d[4]; alignas(long) char e;",
        "_Static_assert(sizeof(int) == 4, \"int\"); static_assert(1); struct s { int x; _Static_assert(1, \"\"); };",
        "int f(void) { __auto_type x = 1; auto y = 2; typeof(x) z = 3; __typeof__(int *) p; typeof_unqual(x) u; return z; }",
        "int f(int a, ...) { __builtin_va_list l; return __builtin_va_arg(l, int) + __builtin_offsetof(struct s, a.b[2].c); }",
        "int f(void) { return __builtin_types_compatible_p(int, const long *); }",
        "int x = 0b1010 + 1'000 + 'a' + L'b' + u8'c'; char *s = \"a\" \"b\"; int *w = L\"x\" L\"y\"; double d = 0x1.8p3;",
        "_Atomic int a; _Atomic(int) b; int * _Atomic c; _Atomic(int *) d; int *restrict e; char const *volatile const f;",
        "inline static void f(void) { } _Noreturn void g(void); __inline__ int h(void) { return 0; }",
        "enum e : unsigned char { A, B = 3, }; enum __attribute__((packed)) g { C }; enum e x; int f(enum h { D } y);",
        "void f(void) { for (int i = 0, j = 1; i < j; i++, j--) ; for (;;) break; while (1) continue; do { } while (0); }",
        "int (*f(int a))(char); int (*(*g)(void))[3]; void (*signal(int, void (*)(int)))(int); int (*h[2])(void);",
        "struct s { unsigned a : 3, : 0, b : 4; int : 2; int flexible[]; };",
        ";int x;; int f(void) { ; } ;",
        "int f(void) { if (1) ; else if (2) ; else { } if (1) if (2) ; else ; return sizeof(int) * 2 + sizeof 1 + _Alignof(int); }",
        "int *p = nullptr; constexpr int x = 1; int y = (static int){ 1 };",
        "int a <: 2 :> = <% 1, 2 %>;",
        "int caf\u{e9} = 1; char *s = \"\u{e9}\"; int a$b;",
    ] {
        accepted(text);
    }
}

#[test]
fn declarations_mean_what_they_say() {
    let d = first_declaration("long unsigned int long x;");
    assert!(matches!(d.specifiers.ty, TypeSpecifier::Arithmetic(Arithmetic::UnsignedLongLong)));
    // An array of pointers to functions that return a pointer.
    let d = first_declaration("int *(*x[3])(void);");
    let shape: Vec<&str> = d.declarators[0]
        .declarator
        .derived
        .iter()
        .map(|derived| match &derived.node {
            Derived::Pointer(_) => "pointer",
            Derived::Array(_) => "array",
            Derived::Function(_) => "function",
            Derived::OldFunction(_) => "old",
        })
        .collect();
    assert_eq!(shape, ["pointer", "function", "pointer", "array"]);
    let d = first_declaration("int x = 1, y[] = { 2, 3 };");
    assert_eq!(d.declarators.len(), 2);
    assert!(
        matches!(d.declarators[1].initializer.as_ref().map(|i| &i.node), Some(Initializer::List(l)) if l.len() == 2)
    );
}

#[test]
fn attributes_are_known_or_not() {
    let meaning = |text: &str| {
        let d = first_declaration(text);
        let all = d.specifiers.attributes.iter().chain(d.declarators.iter().flat_map(|i| &i.declarator.attributes));
        all.map(|a| a.meaning.clone()).collect::<Vec<_>>()
    };
    assert!(matches!(meaning("int x __attribute__((__packed__));")[..], [Meaning::Packed]));
    assert!(matches!(meaning("int x __attribute__((aligned));")[..], [Meaning::Aligned(None)]));
    assert!(matches!(
        meaning("int x __attribute__((aligned(sizeof(long))));")[..],
        [Meaning::Aligned(Some(Alignment::Expression(_)))]
    ));
    assert!(matches!(meaning("__attribute__((constructor(101))) void f(void);")[..], [Meaning::Constructor(Some(_))]));
    assert!(matches!(&meaning("int x __attribute__((mode(__DI__)));")[..], [Meaning::Mode(name)] if name == "DI"));
    assert!(
        matches!(&meaning("void f(void) __attribute__((weak, alias(\"g\")));")[..], [Meaning::Weak, Meaning::Alias(g)] if g == "g")
    );
    assert!(matches!(&meaning("[[gnu::cleanup(f)]] int x;")[..], [Meaning::Cleanup(f)] if f.text == "f"));
    assert!(matches!(
        meaning("int x __attribute__((unused, section(\".data\"), format(printf, 1, 2)));")[..],
        [Meaning::Harmless, Meaning::Harmless, Meaning::Harmless]
    ));
    assert!(matches!(meaning("int x __attribute__((vector_size(16)));")[..], [Meaning::Unknown]));
    assert!(matches!(meaning("int x __attribute__((never_heard_of(int *, ({ })) ));")[..], [Meaning::Unknown]));
}

#[test]
fn packing_holds_where_a_structure_ends() {
    let text =
        "#pragma pack(push, 2)\nstruct a { int x; };\n#pragma pack(pop)\nstruct b { int x;\n#pragma pack(1)\n};\n";
    let packs: Vec<Option<u64>> = accepted(text)
        .items
        .iter()
        .map(|item| {
            let Item::Declaration(d) = item else { panic!("{item:?}") };
            let TypeSpecifier::Record(record) = &d.specifiers.ty else { panic!("{d:?}") };
            record.pack
        })
        .collect();
    assert_eq!(packs, [Some(2), Some(1)]);
}

#[test]
fn places_are_those_of_the_text() {
    let text = "# 1 \"a.c\"\nint f(void) {\n  return /* c */ a +  b ;\n}\n";
    let Some(Item::Function(f)) = accepted(text).items.into_iter().next() else { panic!("a function") };
    let Statement::Compound(items) = &f.statement.node else { panic!("a block") };
    let slice = |span: c_syntax::ast::Range| &text[span.start as usize..span.end as usize];
    assert_eq!(slice(items[0].span), "return /* c */ a +  b ;");
    let BlockItem::Statement(Statement::Return(Some(e))) = &items[0].node else { panic!("a return") };
    assert_eq!(slice(e.span), "a +  b");
    assert_eq!(slice(f.declarator.span), "f(void)");
}

#[test]
fn constants_have_their_values() {
    let d = first_declaration("int x = 0x10ULL;");
    let Some(Initializer::Expression(e)) = d.declarators[0].initializer.as_ref().map(|i| &i.node) else { panic!() };
    assert!(
        matches!(&e.node, Expression::Constant(Constant::Integer(i)) if i.value == 16 && i.is_unsigned && i.longs == 2)
    );
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("int f(void) {{ {}1{}; }}", open.repeat(count), close.repeat(count))
    };
    on_large_stack(|| {
        for (open, close) in [
            ("(", ")"),
            ("- ", ""),
            ("if (1) ", ""),
            ("{", ";}"),
            ("f(", ")"),
            ("1 ? 1 : ", ""),
            ("(int)", ""),
            ("1 + ", ""),
            ("({", ";})"),
        ] {
            let text = deep(open, close, 1_000);
            assert!(c_syntax::parse(&text, &[]).is_ok(), "{open}");
            let error = refused(&deep(open, close, 50_000));
            assert!(error.message.contains("nested too deeply"), "{open}: {}", error.message);
        }
        // Each of these is a level of the tree, although the parser itself goes no deeper than the parentheses.
        let mixed = format!("int f(void) {{ {}1{}; }}", "(".repeat(500), "+1+1+1+1+1+1+1+1+1+1+1+1+1)".repeat(500));
        assert!(refused(&mixed).message.contains("nested too deeply"));
        let wide = format!("int f(void) {{ f({}1); {} }}", "1+1+1+1+1+1+1+1,".repeat(5_000), "1+1+1+1;".repeat(5_000));
        accepted(&wide);
        // What stands side by side is no deeper for it.
        accepted(&"int f(int a, int b); ".repeat(10_000));
        accepted(&format!("int f(void) {{ f({}1); }}", "sizeof(int), ".repeat(10_000)));
        for text in ["*".repeat(50_000), "a[".repeat(50_000), "(".repeat(50_000)] {
            assert!(refused(&format!("int {text}")).message.contains("nested too deeply"));
        }
    });
}

#[test]
fn a_long_line_is_no_deep_one() {
    let numbers = (0..128 * 1024).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let d = first_declaration(&format!("int a[] = {{ {numbers} }};"));
    assert!(
        matches!(d.declarators[0].initializer.as_ref().map(|i| &i.node), Some(Initializer::List(l)) if l.len() == 128 * 1024)
    );
}

//! What is not supported is refused with its place, its name and a way round it.

mod common;

use common::refused;
use front_c::{Options, parse};
use source::SourceFile;

/// The body of `main`, what the complaint says, and the text that it points at.
#[track_caller]
fn check(text: &str, says: &str, line: u32) {
    let complaint = refused(text);
    assert!(complaint.contains(says), "not {says:?} but\n{complaint}");
    assert!(complaint.contains(&format!("t.i:{line}:")), "not in line {line}:\n{complaint}");
    assert!(complaint.contains("help: "), "no help:\n{complaint}");
}

#[test]
fn what_is_not_supported_is_named_with_its_place() {
    check(
        "int main(void) {\n double d = 1; int n = 2; d = d * n;\n return d > 1; }",
        "floating-point value decides",
        3,
    );
    check("int main(void) {\n float f = 1; int n = 2; f = f + n;\n n = f; return n; }", "made into an integer", 3);
    check("int n;\nint a[2][n];\nint main(void) { return a[0][0]; }", "not a constant", 2);
    check("int main(void) {\n return missing(1);\n }", "`missing` is not defined", 2);
    check("int f(void);\nint main(void) {\n return f();\n }", "`f` is not defined", 3);
    check("int main(void) {\n return y;\n }", "`y` is not declared", 2);
    check("__int128 big;\nint main(void) {\n return big; }", "128-bit integers are not supported", 1);
    check("int main(int argc, char **argv, char **envp) {\n return envp[1][0];\n }", "the arguments of the program", 1);
    check("int x; int main(void) {\n return (unsigned)(unsigned long)&x == 0;\n }", "a part of an address", 2);
    check("int main(void) { int x;\n return (char)(unsigned long)&x;\n }", "a part of an address", 2);
    check("int main(void) {\n goto nowhere;\n }", "no label `nowhere`", 2);
    check("int main(void) {\n break;\n }", "nothing to break", 2);
    check("struct s { int a; } v;\nint main(void) {\n return v.b; }", "no member `b`", 3);
    check("int f(int a) { return a; }\nint main(void) {\n return f(1, 2); }", "takes 1 arguments, not 2", 3);
    check("struct s; struct s *p;\nint main(void) {\n return sizeof(*p); }", "declared but not defined", 3);
    check(
        "int f(int n) { __builtin_va_list l;\n __builtin_va_start(l, n); return n; }\nint main(void) { return f(1); }",
        "no arguments after `...`",
        2,
    );
    check(
        "struct s { int a, b; } v; void f(int n, ...) {}\nint main(void) {\n f(1, v); return 0; }",
        "a structure as an argument after `...`",
        3,
    );
    check(
        "typedef int v4 __attribute__((vector_size(16)));\nv4 x;\nint main(void) {\n x; return 0; }",
        "vector_size",
        1,
    );
    check(
        "_Static_assert(sizeof(int) == 2, \"no\");\nint main(void) { return 0; }",
        "static assertion does not hold",
        1,
    );
    check("int x; int *p = &x + 1;\nint y = 1; int z = y;\nint main(void) {\n return z; }", "not a constant", 2);
    check("void f(void) {}\nint main(void) {\n int x = f(); return x; }", "has no value", 3);
    check("int main(void) {\n int x = 1;\n return x.a; }", "has no members", 3);
    check(
        "extern long v;\nint main(void) { return 0; }\nint v = 1;",
        "`v` is declared as `int` here and as `long` in line 1",
        3,
    );
    check("int main(void) { extern long v;\n return v; }\nint v = 1;", "`long` here and as `int` in line 3", 1);
    check("extern _Thread_local int v;\nint v;\nint main(void) { return v; }", "`_Thread_local int` in line 1", 2);
    check(
        "int f(long);\nint f(int n) { return n; }\nint main(void) { return 0; }",
        "`int (int)` here and as `int (long)`",
        2,
    );
    check("int f(void) { return 1; }\nint f(void) { return 2; }\nint main(void) { return f(); }", "defined twice", 2);
    check("struct s { int x : 40; } v;\nint main(void) { return v.x; }", "width of this bit-field", 1);
    check("struct s { unsigned x : 4; } v;\nint main(void) {\n unsigned *p = &v.x; return *p; }", "no address", 3);
    check("int main(void) {\n switch (1) { case f(): ; }\n return 0; }", "not an integer constant", 2);
    check("#define X 1\nint main(void) { return X; }", "has not been preprocessed", 1);
    check("int main(void) {\n return 1 +;\n }", "expected an expression before `;`", 2);
    check("int f(void); int (*p)(void) = f;\nint main(void) {\n return p(); }", "may be called through a pointer", 1);
    check("int main(void) {\n return main(); }", "`main` is called", 2);
    check("int x;", "no function `main`", 1);
    check(
        "char *fgets(char *, int, void *);\nint main(void) {\n char b[2]; fgets(b, 2, 0); return 0; }",
        "`fgets` is not",
        3,
    );
    check("int main(void) {\n int f(void) { return 1; }\n return f(); }", "a function is defined inside a function", 2);
    check("int main(void) {\n __attribute__((cleanup(f))) int x; return x; }", "`f` is not defined", 2);
    check(
        "void f(int *x) {} int main(void) {\n __attribute__((cleanup(f))) int x = 1;\n goto out; out: return x; }",
        "cleaned up",
        3,
    );
    check(
        "int x __attribute__((scalar_storage_order(\"big-endian\")));\nint main(void) { return x; }",
        "scalar_storage_order",
        1,
    );
    check(
        "int x __attribute__((never_heard_of));\nint main(void) {\n return x; }",
        "`never_heard_of` is not supported",
        1,
    );
    check("int main(void) {\n asm goto (\"jmp %l0\" : : : : out);\n out: return 0; }", "may jump", 2);
    check("asm(\"f: ret\");\nint main(void) { return 0; }", "assembly outside functions", 1);
    check("uint8_t x;\nint main(void) { return x; }", "unknown type name `uint8_t`", 1);
    check("int main(void) {\n int x = 1\n return x; }", "expected `;` after the declaration", 2);
    check(
        "struct s { int x __attribute__((aligned(3))); };\nstruct s v;\nint main(void) { return v.x; }",
        "power of two",
        2,
    );
}

#[test]
fn errors_in_headers_say_where_they_are() {
    let file = SourceFile::new("t.c", "int x;\n#include \"h.h\"\nint main(void) { return f(); }\n");
    let output = "# 1 \"t.c\"\nint x;\n# 1 \"h.h\" 1\n\nstatic int f(void) { return missing(); }\n# 3 \"t.c\" 2\nint main(void) { return f(); }\n";
    let error = parse(&file, Some(output), &Options::default()).expect_err("refused");
    assert!(error.message().contains("(in h.h:2)"), "{error}");
    assert_eq!(file.slice(error.span()), "#include \"h.h\"");
}

/// Assembly as the only statement of line 2, where `x` is a variable in memory and `r` a local one.
#[track_caller]
fn assembly(text: &str, says: &str) {
    check(&format!("int x; int main(void) {{ int r = 0; char c = 0;\n __asm__({text}); return r + c; }}"), says, 2);
}

#[test]
fn assembly_that_is_not_understood_is_refused() {
    assembly(r#""1: jmp 1b""#, "`1: jmp 1b` is not supported");
    assembly(r#""ldxr %w0, [%1]" : "=r"(r) : "r"(&x)"#, "`ldxr %w0, [%1]` is not supported");
    assembly(r#""movd %1, %0" : "=r"(r) : "m"(x)"#, "`movd %1, %0` is not supported");
    assembly(r#""lock movl %1, %0" : "=m"(x) : "r"(1)"#, "`lock movl %1, %0` is not supported");
    assembly(r#""movl %1, %0" : "=x"(r) : "m"(x)"#, "the constraint `=x` of inline assembly");
    assembly(r#""lock; incl %0" : "+r"(r)"#, "a locked instruction changes memory");
    assembly(r#""movl 8(%%rsp), %0" : "=r"(r)"#, "uses the stack");
    assembly(r#""movl 4096, %0" : "=r"(r)"#, "the operand `4096` of `movl 4096, %0` is not supported");
    assembly(r#""shll %%cl, %0" : "+r"(r) : "c"(1)"#, "not a constant");
}

#[test]
fn assembly_that_compilers_would_not_take_is_refused() {
    assembly(r#""lock; cmpxchgl %1, %0" : "+m"(x) : "r"(1)"#, "neither an output nor a clobber");
    assembly(r#""movl $1, %%ebx" : "=r"(r)"#, "neither an output nor a clobber");
    assembly(r#""sete %0" : "=q"(r)"#, "have different sizes");
    assembly(r#""xchgl %0, %1" : "+q"(c), "+m"(x)"#, "have different sizes");
    assembly(r#""mov $1, %0" : "=m"(x)"#, "the size of the operands of `mov $1, %0` is not known");
    assembly(r#""sete %0" : "=q"(c)"#, "the flags that `sete %0` looks at are not known");
    assembly(r#""movl $1, %0; addl %1, %0" : "=r"(r) : "r"(x)"#, "may share its register");
    assembly(r#""incl %0; shll $1, %0; setc %1" : "+r"(r), "=q"(c)"#, "flags");
    assembly(r#""movl %3, %0" : "=r"(r) : "r"(1)"#, "the operand `%3` of `movl %3, %0` is not supported");
}

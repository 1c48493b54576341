//! What the reader is told about mistakes.

use source::SourceFile;

/// The rendered complaint.
fn error(text: &str) -> String {
    match front_litmus::parse(&SourceFile::new("t.litmus", text)) {
        Ok(program) => panic!("no error:\n{program}"),
        Err(error) => error.render(false),
    }
}

/// Checks the place, the message, a caret, and the help.
#[track_caller]
fn check(text: &str, place: &str, message: &str, help: &str) {
    let rendered = error(text);
    assert!(rendered.contains(&format!("error: {message}")), "{rendered}");
    assert!(rendered.contains(&format!("--> t.litmus:{place}\n")), "{rendered}");
    assert!(rendered.contains('^'), "{rendered}");
    assert!(rendered.contains(help), "{rendered}");
}

fn x86(cell: &str) -> String {
    format!("X86 t\n{{ }}\n P0 ;\n {cell} ;\nexists (x=0)\n")
}

fn c(code: &str) -> String {
    format!("C t\n{{ }}\nP0 (atomic_int *x, int *y) {{\n {code}\n}}\nexists (x=0)\n")
}

#[test]
fn frames() {
    check("", "1:1", "the file is empty", "such as `X86 SB`");
    check(
        "ARM64 t\n{ }\n",
        "1:1",
        "unknown architecture `ARM64`",
        "known architectures are X86, PPC, AArch64, RISCV, C",
    );
    check("X86\n{ }\n", "1:1", "the test has no name", "`X86 SB`");
    check("X86 t\n P0 ;\n", "2:6", "the initial state is missing", "write `{ }`");
    check("X86 t\n{ x=1;\n", "2:1", "the initial state does not end", "end it with `}`");
    check("X86 t\n{ }\n P0 ;\n NOP ;\n", "4:7", "the test has no condition", "exists");
    check("X86 t\n{ }\n(* P0 ;\n NOP ;\nexists (x=0)", "3:1", "unterminated comment", "`*)`");
    check("\u{1}\u{2}\u{3}", "1:1", "unexpected character '\\u{1}'", "such as `X86 SB`");
}

#[test]
fn columns() {
    check("X86 t\n{ }\n P0 | P1 ;\n NOP ;\nexists (x=0)", "4:2", "a row of 1 cells in a program of 2 threads", "`|`");
    check(
        "X86 t\n{ }\n P0 | P2 ;\n NOP | NOP ;\nexists (x=0)",
        "3:7",
        "expected the name of a thread, `P1`",
        "P0 | P1",
    );
    check("X86 t\n{ }\n P0 ;\n NOP\nexists (x=0)", "4:2", "this row does not end", "`;`");
    check("X86 t\n{ }\nexists (x=0)", "2:4", "the test has no program", "P0 | P1");
}

#[test]
fn instructions() {
    check(&x86("MOVV [x],$1"), "4:2", "unknown instruction `MOVV`", "known are MOV");
    check(&x86("MOV [x],[y]"), "4:2", "wrong operands for `MOV`", "`MOV EAX,[x]`");
    check(&x86("MOV x,$1"), "4:6", "`x` is not a register", "`[x]`");
    check(&x86("LOCK ADD EAX,$1"), "4:2", "wrong operands for `ADD`", "`LOCK ADD [x],EAX`");
    check(&x86("LOCK MOV [x],$1"), "4:7", "`MOV` cannot be locked", "leave out LOCK");
    check(&x86("MOV EAX"), "4:9", "expected `,`, found the end", "");
    check(&x86("NOP NOP"), "4:6", "expected the end of the instruction, found `NOP`", "");
    check(&x86("JMP L"), "4:6", "the label `L` is not defined", "write `L:`");
    check(&x86("L: L: NOP"), "4:5", "the label `L` is defined twice", "");
    check(&x86("MOV EAX,$99999999999999999999"), "4:11", "`99999999999999999999` is not a number", "");
    let ppc = |cell: &str| format!("PPC t\n{{ }}\n P0 ;\n {cell} ;\nexists (x=0)\n");
    check(&ppc("lwy r1,0(r2)"), "4:2", "unknown instruction `lwy`", "known are li");
    check(&ppc("lwz r1,0(x)"), "4:11", "expected a register, `r0` to `r31`, found `x`", "");
    check(&ppc("li r32,1"), "4:5", "expected a register, `r0` to `r31`, found `r32`", "");
}

#[test]
fn conditions_and_initial_states() {
    let with = |end: &str| format!("X86 t\n{{ }}\n P0 ;\n NOP ;\n{end}\n");
    check(&with("exists (x=0"), "5:12", "expected `)`, found the end", "");
    check(&with("exists (1:EAX=0)"), "5:9", "there is no thread 1", "1 threads, counted from 0");
    check(&with("exists (0:foo=0)"), "5:9", "X86 has no register `foo`", "");
    check(&with("exists (x<0)"), "5:10", "unexpected character '<'", "");
    check("X86 t\n{ }\n P0 ;\n NOP ;\nfilter x=0", "5:11", "expected a condition", "");
    check("X86 t\n{ x=1; x=2; }\n P0 ;\n NOP ;\nexists (x=0)", "2:8", "`x` is initialised twice", "");
    check("X86 t\n{ int a[2]={1}; }\n P0 ;\n NOP ;\nexists (x=0)", "2:3", "an array of 2 elements with 1 values", "");
    let deep = format!("exists {}x=0", "(".repeat(100_000));
    assert!(error(&with(&deep)).contains("nests deeper"));
    let negated = format!("exists {}x=0", "~ ".repeat(100_000));
    assert!(error(&with(&negated)).contains("nests deeper"));
}

#[test]
fn functions() {
    check(&c("rcu_read_lock_bh();"), "4:2", "unknown function `rcu_read_lock_bh`", "rcu_read_lock");
    check(&c("rcu_read_lock(x);"), "4:2", "`rcu_read_lock` takes 0 arguments, not 1", "");
    check(&c("synchronize_srcu(*x);"), "4:19", "the domain of SRCU is not known before", "struct srcu_struct *s");
    check(
        &c("int r = atomic_try_cmpxchg(x, y, 1);"),
        "4:32",
        "`atomic_try_cmpxchg` wants the address of a local variable",
        "`&old`",
    );
    check(&c("foo(1);"), "4:2", "unknown function `foo`", "write its body");
    check(&c("return;"), "4:2", "`return` is not supported", "`if` and `while`");
    check(&c("r += 1;"), "4:2", "`r` is not declared", "`int r;`");
    check(&c("int r = q;"), "4:10", "`q` is not declared", "`int *q`");
    check(&c("int r = *1;"), "4:11", "this is not a pointer", "int *x");
    check(&c("atomic_load();"), "4:2", "`atomic_load` takes 1 arguments, not 0", "");
    check(&c("atomic_load_explicit(x, 1);"), "4:26", "this is not a memory order", "memory_order_relaxed");
    check(&c("int r = y->f;"), "4:11", "structures are not supported", "each field");
    check(&c("foo_t r;"), "4:2", "unknown type `foo_t`", "write `int`");
    check(&c("/* open"), "4:2", "unterminated comment", "`*/`");
    check(&c("if (1) {"), "3:28", "this function does not end", "`}`");
    check("C t\n{ }\nP1 (int *x) { }\nexists (x=0)", "3:1", "expected the function `P0`, found `P1`", "");
    check("C t\n{ }\nP0 (int x) { }\nexists (x=0)", "3:5", "the parameter `x` is not a pointer", "`int *x`");
    for deep in
        [format!("int r = {}1", "(".repeat(50_000)), format!("int r = {}1;", "-".repeat(50_000)), "{ ".repeat(50_000)]
    {
        let rendered = error(&c(&deep));
        assert!(rendered.contains("nests deeper") || rendered.contains("does not end"), "{rendered}");
    }
    assert!(error(&c(&format!("if (1) {} ;", "if (1) ".repeat(50_000)))).contains("nests deeper"));
    assert!(error(&c(&format!("int r = 1 {};", "+ 1".repeat(50_000)))).contains("more than"));
}

#[test]
fn what_tags_cannot_say_is_refused() {
    let weak = c("int r0 = 0; int r1 = atomic_compare_exchange_weak(x,&r0,1);");
    check(&weak, "4:23", "`atomic_compare_exchange_weak` may fail for no reason", "use atomic_compare_exchange_strong");
    check(
        &c("int r0 = 0; if (r0) { int r0 = 1; }"),
        "4:28",
        "`r0` is declared again where it is still visible",
        "another name",
    );
}

#[test]
fn numbers_that_32_bits_would_cut_are_refused() {
    let message = "has more than 30 bits, which is not supported";
    check(&x86("MOV EAX,$0xffffffff"), "4:11", &format!("`0xffffffff` {message}"), "a smaller number");
    check("X86 t\n{ x=2147483647; }\n P0 ;\n INC [x] ;\nexists (x=0)\n", "2:5", &format!("`2147483647` {message}"), "");
}

fn aarch64(cell: &str) -> String {
    format!("AArch64 t\n{{ 0:X1=x; }}\n P0 ;\n {cell} ;\nexists (x=0)\n")
}

fn riscv(cell: &str) -> String {
    format!("RISCV t\n{{ 0:x6=x; }}\n P0 ;\n {cell} ;\nexists (x=0)\n")
}

#[test]
fn aarch64_instructions() {
    check(&aarch64("LDXP W0,W2,[X1]"), "4:2", "unknown instruction `LDXP`", "known are LDR, STR");
    check(&aarch64("LDADDX W0,W2,[X1]"), "4:2", "unknown instruction `LDADDX`", "known are LDR, STR");
    check(&aarch64("DMB NSH"), "4:6", "the barrier `DMB NSH` is not supported", "ISHST");
    check(&aarch64("LDR W0,[W1]"), "4:10", "expected a register that holds an address, `X0` to `X30`", "");
    check(&aarch64("LDR X31,[X1]"), "4:6", "expected a register such as `X0` or `W0`, found `X31`", "");
    check(&aarch64("LDR W0,[X1,W2,ROR]"), "4:16", "`ROR` is not supported here", "SXTW");
    check(&aarch64("B.XX L"), "4:2", "unknown condition `XX`", "EQ");
    check(&aarch64("CBZ W0,L"), "4:9", "the label `L` is not defined", "write `L:`");
}

#[test]
fn riscv_instructions() {
    check(&riscv("fadd.s x5,x6,x7"), "4:2", "unknown instruction `fadd.s`", "known are lb, lh, lw");
    check(&riscv("amoadd.b x5,x7,(x6)"), "4:2", "unknown instruction `amoadd.b`", "amoadd");
    check(&riscv("amonand.w x5,x7,(x6)"), "4:2", "unknown instruction `amonand.w`", "amoadd");
    check(&riscv("fence i,o"), "4:8", "a fence that orders `i` is not supported", "write r, w or rw");
    check(&riscv("lw x5,0(x32)"), "4:10", "expected a register such as `x5` or `a0`, found `x32`", "");
}

#[test]
fn accesses_of_different_sizes() {
    let test = |cells: &str| format!("AArch64 t\n{{ uint64_t x; 0:X1=x; }}\n P0 ;\n {cells} ;\nexists (0:X0=0)\n");
    let message = "`x` is accessed in pieces of different sizes, which is not supported";
    check(&test("LDR X0,[X1] ;\n LDR W2,[X1,#4]"), "5:2", message, "the same size");
    check(&test("LDR W0,[X1,#2]"), "4:2", message, "the same size");
    // Through a pointer that is only known when the test runs.
    let pointers = "AArch64 t\n{ uint64_t x; int y; uint64_t p=x; 0:X1=p; 0:X3=x; }\n P0 ;\n LDR X0,[X1] ;\n LDR W2,[X0] ;\n \
                    LDR X4,[X3] ;\nexists (0:X2=0)\n";
    check(pointers, "5:2", message, "the same size");
}

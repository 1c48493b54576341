//! Each group of instructions, by what it becomes.

use ir::{Location, Op, Program, Terminator, Width};
use source::SourceFile;

fn parse(text: &str) -> Program {
    let program =
        front_litmus::parse(&SourceFile::new("t.litmus", text)).unwrap_or_else(|e| panic!("{}", e.render(false)));
    ir::validate(&program).unwrap_or_else(|e| panic!("{e}"));
    program
}

/// The printed body of the only thread, without the names of blocks.
fn body(program: &Program) -> Vec<String> {
    let printed = program.to_string();
    let (_, code) = printed.split_once("thread P0:\n").expect("a program has a thread");
    code.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

fn x86(cells: &[&str]) -> Vec<String> {
    body(&parse(&format!("X86 t\n{{ }}\n P0 ;\n {} ;\nexists (x=0)", cells.join(" ;\n "))))
}

fn ppc(cells: &[&str]) -> Vec<String> {
    body(&parse(&format!("PPC t\n{{ }}\n P0 ;\n {} ;\nexists (x=0)", cells.join(" ;\n "))))
}

fn c(code: &str) -> Vec<String> {
    body(&parse(&format!("C t\n{{ }}\nP0 (atomic_int *x, int *y, int **p, spinlock_t *l) {{ {code} }}\nexists (x=0)")))
}

#[test]
fn x86_moves() {
    let code = x86(&["MOV [x],$1", "mov eax,[x]", "MOV EBX,EAX", "MOVQ [y],RBX", "MOVL ECX,[EAX]", "MOV EDX,$-2"]);
    let expected = ["store &x := 1", "eax := load &x", "EBX := eax", "store &y := EBX", "ECX := load eax", "EDX := -2"];
    assert_eq!(code[1..7], expected);
}

#[test]
fn x86_fences_and_nothing() {
    assert_eq!(
        x86(&["MFENCE", "LFENCE", "SFENCE", "NOP"])[1..],
        ["fence MFENCE", "fence LFENCE", "fence SFENCE", "return"]
    );
}

#[test]
fn x86_exchanges_are_locked_in_both_orders() {
    for cell in ["XCHG [x],EAX", "XCHG EAX,[x]", "LOCK XCHG [x],EAX"] {
        assert_eq!(x86(&[cell])[1..3], ["%t1 := rmw &x := EAX LOCK X LOCK X", "EAX := %t1"]);
    }
    assert_eq!(x86(&["LOCK XADD [x],EAX"])[1], "%t1 := rmw &x := (%t1 + EAX) LOCK X LOCK X");
    let swap = x86(&["LOCK CMPXCHG [x],EBX", "JNE L", "L:"]);
    assert_eq!(
        swap[1..5],
        [
            "%t1 := rmw &x := EBX when (%t1 == EAX) LOCK X LOCK X",
            "%zf := (EAX == %t1)",
            "EAX := %t1",
            "if ~%zf goto b1 else b2"
        ]
    );
}

#[test]
fn x86_arithmetic_with_lock_and_without() {
    assert_eq!(x86(&["LOCK INC [x]"])[1], "%t1 := rmw &x := (%t1 + 1) LOCK X LOCK X");
    assert_eq!(x86(&["LOCK; ADD [x],$2"])[1], "%t1 := rmw &x := (%t1 + 2) LOCK X LOCK X");
    assert_eq!(x86(&["INC [x]"])[1..3], ["%t1 := load &x", "store &x := (%t1 + 1)"]);
    let code = x86(&["XOR EAX,EAX", "SUB EAX,[x]", "NEG EBX", "NOT [x]", "AND EAX,$1", "OR EAX,EBX", "DEC ECX"]);
    assert_eq!(code[1], "EAX := (EAX ^ EAX)", "nothing is folded");
    assert_eq!(code[2..4], ["%t1 := load &x", "EAX := (EAX - %t1)"]);
    assert_eq!(code[4..7], ["EBX := -EBX", "%t2 := load &x", "store &x := ~%t2"]);
}

#[test]
fn x86_jumps_read_flags() {
    let code =
        x86(&["CMP EAX,$1", "JLE End", "TEST EBX,EBX", "JNZ End", "CMP [x],EAX", "JA End", "JMP End", "End: NOP"]);
    assert_eq!(code[1..4], ["%zf := (EAX == 1)", "%lt := (EAX < 1)", "%cf := (EAX <u 1)"]);
    assert!(code.contains(&"if (%lt | %zf) goto b1 else b2".to_owned()), "{code:?}");
    assert!(code.contains(&"if ~%zf goto b1 else b3".to_owned()), "{code:?}");
    assert!(code.contains(&"if ~(%cf | %zf) goto b1 else b4".to_owned()), "{code:?}");
    assert!(code.contains(&"%cf := (%t1 <u EAX)".to_owned()), "{code:?}");
}

#[test]
fn x86_registers_have_the_name_of_the_condition() {
    let program = parse("X86 t\n{ 0:eax=3; }\n P0 ;\n MOV [x],AX ;\nexists (0:RAX=3 /\\ 0:EBX=0 /\\ z=0)");
    let names: Vec<String> = program.observables().iter().map(|l| l.name(&program)).collect();
    assert_eq!(names, ["0:RAX", "0:EBX", "[z]"]);
    assert_eq!(body(&program)[1..3], ["RAX := 3", "store &x := RAX"]);
}

#[test]
fn ppc_loads_and_stores() {
    let code = ppc(&[
        "lwz r1,0(r2)",
        "lwzx r3,r4,r5",
        "lwarx r6,r0,r7",
        "stw r1,8(r2)",
        "stwx r1,r0,r2",
        "std r1,0(r2)",
        "ld r1,0(r2)",
    ]);
    assert_eq!(
        code[1..8],
        [
            "r1 := load r2",
            "r3 := load (r4 + r5)",
            "r6 := reserve r7 X",
            "store (r2 + 8) := r1",
            "store r2 := r1",
            "store r2 := r1",
            "r1 := load r2"
        ]
    );
    assert_eq!(
        ppc(&["stwcx. r1,r0,r2", "bne L", "L:"])[1..3],
        ["%cr0.eq := store-conditional r2 := r1 X", "if ~%cr0.eq goto b1 else b2"]
    );
    assert_eq!(ppc(&["lwzu r1,4(r2)"])[1..3], ["r1 := load (r2 + 4)", "r2 := (r2 + 4)"]);
}

#[test]
fn ppc_arithmetic_keeps_its_shape() {
    let code = ppc(&[
        "xor r3,r1,r1",
        "addi r3,r3,1",
        "addi r4,r0,7",
        "subf r1,r2,r3",
        "li r1,-1",
        "lis r1,1",
        "mr r1,r2",
        "ori r1,r2,3",
    ]);
    assert_eq!(
        code[1..9],
        [
            "r3 := (r1 ^ r1)",
            "r3 := (r3 + 1)",
            "r4 := 7",
            "r1 := (r3 - r2)",
            "r1 := -1",
            "r1 := 65536",
            "r1 := r2",
            "r1 := (r2 | 3)"
        ]
    );
}

#[test]
fn ppc_branches_mention_what_was_compared() {
    assert_eq!(ppc(&["cmpw r1,r1", "beq L", "L:"])[1..3], ["%cr0.eq := (r1 == r1)", "if %cr0.eq goto b1 else b2"]);
    assert_eq!(
        ppc(&["cmpwi cr1,r1,2", "ble cr1,L", "L:"])[1..3],
        ["%cr1.gt := (2 < r1)", "if ~%cr1.gt goto b1 else b2"]
    );
    let dotted = ppc(&["andi. r3,r1,1", "bne L", "add. r3,r1,r2", "blt L", "b L", "L:"]);
    assert_eq!(dotted[1..4], ["r3 := (r1 & 1)", "%cr0.lt := (r3 < 0)", "%cr0.eq := (r3 == 0)"]);
    assert_eq!(
        ppc(&["sync", "lwsync", "eieio", "isync", "nop"])[1..5],
        ["fence SYNC", "fence LWSYNC", "fence EIEIO", "fence ISYNC"]
    );
}

#[test]
fn machine_branches_never_join_and_c_branches_do() {
    let joins = |text: &str| {
        let program = parse(text);
        let blocks = program.functions[0].blocks.clone();
        blocks
            .iter()
            .filter_map(|b| if let Terminator::Branch { join, .. } = b.terminator { Some(join) } else { None })
            .collect::<Vec<_>>()
    };
    assert_eq!(joins("PPC t\n{ }\n P0 ;\n cmpw r1,r1 ;\n beq L ;\n L: ;\nexists (x=0)"), [None]);
    let c = joins("C t\n{ }\nP0 (int *x) { if (*x) { *x = 1; } while (*x) { } do { } while (*x); }\nexists (x=0)");
    assert!(c.len() == 3 && c.iter().all(Option::is_some), "{c:?}");
}

#[test]
fn spans_are_those_of_the_cells() {
    let text = "X86 t\n{ }\n P0          | P1 ;\n MOV [x],$1  |    ;\n L: MFENCE   |    ;\nexists (x=0)";
    let program = parse(text);
    let blocks = &program.functions[0].blocks;
    let spans: Vec<&str> = blocks.iter().flat_map(|b| &b.instrs).map(|i| program.source.slice(i.span)).collect();
    assert_eq!(spans, ["MOV [x],$1", "MFENCE"]);
}

#[test]
fn c_atomics() {
    let code = c("int r = atomic_load_explicit(x, memory_order_acquire); atomic_store(x, r + 1); \
                  r = atomic_fetch_add_explicit(x, r, memory_order_acq_rel); r = atomic_exchange_explicit(x, 2, memory_order_release); \
                  atomic_thread_fence(memory_order_seq_cst); *y = 1; r = *y;");
    assert_eq!(
        code[1..9],
        [
            "r := load &x A ACQ",
            "store &x := (r + 1) A SC",
            "%t1 := rmw &x := (%t1 + r) A ACQ A REL",
            "r := %t1",
            "r := rmw &x := 2 A RLX A REL",
            "fence SC",
            "store &y := 1 NA",
            "r := load &y NA"
        ]
    );
}

#[test]
fn c_compare_exchange() {
    let local = c("int e = 0; int r = atomic_compare_exchange_strong(x, &e, 5);");
    assert_eq!(local[2..4], ["%t1 := rmw &x := 5 when (%t1 == e) A SC A SC", "%t2 := (%t1 == e)"]);
    assert_eq!(local[4..6], ["e := (%t2 ? e : %t1)", "r := zext32(%t2)"]);
    let shared = c("atomic_compare_exchange_strong_explicit(x, y, 5, memory_order_relaxed, memory_order_relaxed);");
    assert_eq!(shared[1], "%t1 := load &y NA");
    assert!(shared.contains(&"store &y := %t2 NA".to_owned()), "{shared:?}");
    let orders =
        "int e = 0; atomic_compare_exchange_strong_explicit(x, &e, 5, memory_order_acq_rel, memory_order_relaxed);";
    let orders = c(orders).join("\n");
    for part in ["%t1 := any", "%t2 := rmw &x := 5 when (%t2 == e) A ACQ A REL", "%t2 := load &x A RLX"] {
        assert!(orders.contains(part), "{orders}");
    }
}

#[test]
fn c_linux() {
    let code = c("int r = READ_ONCE(*y); WRITE_ONCE(*y, 1); smp_mb(); smp_rmb(); smp_wmb(); r = smp_load_acquire(y); \
                  smp_store_release(y, 2); r = xchg_acquire(y, 3); r = cmpxchg_relaxed(y, 1, 2);");
    assert_eq!(
        code[1..10],
        [
            "r := load &y ONCE",
            "store &y := 1 ONCE",
            "fence MB",
            "fence RMB",
            "fence WMB",
            "r := load &y ACQUIRE",
            "store &y := 2 RELEASE",
            "r := rmw &y := 3 ACQUIRE RMW ONCE RMW",
            "r := rmw &y := 2 when (r == 1) ONCE RMW ONCE RMW"
        ]
    );
    let full = c("int r = atomic_add_return(1, y); atomic_inc(y); r = atomic_fetch_sub_relaxed(2, y);");
    assert_eq!(full[1..3], ["%t1 := rmw &y := (%t1 + 1) RMW MB RMW MB", "r := (%t1 + 1)"]);
    assert_eq!(full[4], "r := rmw &y := (r - 2) RMW ONCE RMW ONCE");
    let lock = c("spin_lock(l); spin_unlock(l);");
    assert_eq!(
        lock[1..4],
        ["%t1 := rmw &l := 1 when (%t1 == 0) LKR ACQUIRE LKW", "wait (%t1 == 0)", "store &l := 0 UL RELEASE"]
    );
    let rcu =
        c("rcu_read_lock(); rcu_read_unlock(); synchronize_rcu(); r = srcu_read_lock(l); srcu_read_unlock(l, r);");
    assert_eq!(
        rcu[1..6],
        ["fence RCU-LOCK", "fence RCU-UNLOCK", "fence SYNC-RCU", "%t1 := load &l SRCU-LOCK SRCU-0", "r := %t1"]
    );
}

#[test]
fn c_expressions_and_pointers() {
    assert_eq!(c("int r = 1 + 2 * 3 == 7 && 1 | 0;")[1], "r := zext32((((1 + (2 * 3)) == 7) & ((1 | 0) != 0)))");
    assert_eq!(c("int *q = *p; int r = *q; *q = -r;")[1..4], ["q := load &p NA", "r := load q NA", "store q := -r NA"]);
    assert_eq!(c("unsigned int r; int i = 0; r = i > 0;")[2], "r := zext32((0 < i))");
    let loops = c("int i; for (i = 0; i < 2; i++) { *y += i; }");
    assert!(loops.contains(&"if (i < 2) goto b2 else b3 until b3".to_owned()), "{loops:?}");
    assert!(loops.contains(&"store &y := (%t1 + i) NA".to_owned()), "{loops:?}");
}

#[test]
fn initial_states() {
    let program = parse(
        "C t\n{ int x = 1; [y]=-2; int *p=&x; uint64_t w = 0x10; int a[2]={3,4}; 0:r=&y; int 0:s = 7; }\nP0 (int *x) { }\n\
         locations [x; a[1]; 0:s;]\nfilter x=1\nforall (0:r=y /\\ a[1]!=4 \\/ not (true => false) /\\ w=16)",
    );
    let printed = program.to_string();
    for line in ["x+0: i32 = 1", "y+0: i32 = -2", "p+0: i64 = &x", "w+0: i64 = 16", "a+4: i32 = 4", "r := &y", "s := 7"]
    {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert_eq!(program.observed.len(), 3);
    assert!(program.filter.is_some());
    let widths: Vec<Width> = program.observables().iter().map(|l| l.width(&program)).collect();
    assert!(widths.contains(&Width::WORD) && widths.contains(&Width::INT));
}

#[test]
fn unmentioned_registers_and_locations_exist() {
    let program = parse("PPC t\n{ }\n P0 | P1 ;\n sync | ;\nexists (1:r9=0 /\\ q=0 /\\ 0:r1=q)");
    assert_eq!(program.observables().len(), 3);
    assert!(program.observables().iter().any(|l| matches!(l, Location::Memory(_))));
    assert!(matches!(program.functions[0].blocks[0].instrs[0].op, Op::Fence { .. }));
}

#[test]
fn the_head_is_kept() {
    let program = parse(
        "X86 SB+a\n\"A doc\"\nCycle=Fre PodWR\nRelax=\nHash=abc\n(* a { comment *)\n{ }\n P0 ;\n NOP ;\nexists (x=0)",
    );
    assert_eq!(program.name, "SB+a");
    assert_eq!(program.info["Cycle"], "Fre PodWR");
    assert_eq!((&*program.info["Hash"], &*program.info["Doc"], &*program.info["Relax"]), ("abc", "A doc", ""));
}

#[test]
fn hashes_are_those_of_herd() {
    let sb = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
    let lb = "PPC LB\n{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; int ok=0; }\n P0 | P1 ;\n ld r1,0(r2) | lwz r1,0(r2) ;\n cmpw r1,r1 | xor r3,r1,r1 ;\n beq Foo | addi r3,r3,1 ;\n Foo: li r3,1 | stw r3,0(r4) ;\n stw r3,0(r4) | ;\nexists (0:r1=1 /\\ 1:r1=1)";
    let c = "C c\n{ int x = 1; y=2; }\nP0 (atomic_int *x, volatile int *y, const int *q) {\n  *y = 1; // written\n}\nP1 (atomic_int* x) { int r = 0; }\nexists (x=1)";
    let all = "X86 h1\n\
         { x=1; int y=2; 0:EAX=5; [z]=3; }\n\
         P0 | P1 ;\n\
         LOCK INC [x] | MOV EAX,[y] ;\n\
         L0: INC [y] | CMP EAX,$1 ;\n\
         DEC EBX | JNE L1 ;\n\
         ADD [z],$-3 | L1: ;\n\
         LOCK; ADD [z],EAX | JMP L2 ;\n\
         MFENCE | L2: MOVQ [x],$1 ;\n\
         XCHG EAX,[x] | MOVL EBX,EAX ;\n\
         locations [0:EAX; x; ]\n\
         exists (0:EAX=1 /\\ x=2 \\/ not (y=3 => z=1))";
    for (text, hash) in [
        (all, "e33f2e9c0d51e0dca25d120aaea8b1c7"),
        (sb, "edd4722437d708675ed921e7607e77f0"),
        (lb, "b29c0a8d72b81a30bf89dd0221956e3d"),
        (c, "d82357fdfe59f64766ba56c1297a2fa8"),
    ] {
        assert_eq!(parse(text).info["Hash"], hash);
    }
}

fn aarch64(cells: &[&str]) -> Vec<String> {
    let body = body(&parse(&format!("AArch64 t\n{{ 0:X1=x; }}\n P0 ;\n {} ;\nexists (x=0)", cells.join(" ;\n "))));
    body[2..].to_vec()
}

fn riscv(cells: &[&str]) -> Vec<String> {
    let body = body(&parse(&format!("RISCV t\n{{ 0:x6=x; }}\n P0 ;\n {} ;\nexists (x=0)", cells.join(" ;\n "))));
    body[2..].to_vec()
}

#[test]
fn aarch64_loads_and_stores() {
    let loads =
        ["LDR W0,[X1]", "LDAR W0,[X1]", "LDAPR W0,[X1]", "LDAXR W0,[X1]"].map(|cell| aarch64(&[cell])[0].clone());
    let expected = ["%t1 := load X1", "%t1 := load X1 A", "%t1 := load X1 Q", "%t1 := reserve X1 X A"];
    assert_eq!(loads, expected);
    assert_eq!(aarch64(&["LDR X0,[X1]"])[..2], ["%t1 := load X1", "X0 := %t1"]);
    assert_eq!(aarch64(&["STLR X0,[X1]"])[0], "store X1 := X0 L");
    assert_eq!(aarch64(&["STR XZR,[X1]"])[0], "store X1 := 0");
    let addresses = ["[X1,#8]", "[X1,X2]", "[X1,X2,LSL #3]"].map(|at| aarch64(&[&format!("STR X0,{at}")])[0].clone());
    let expected = ["store (X1 + 8) := X0", "store (X1 + X2) := X0", "store (X1 + (X2 << 3)) := X0"];
    assert_eq!(addresses, expected);
    assert_eq!(aarch64(&["STR X0,[X1],#8"])[..2], ["store X1 := X0", "X1 := (X1 + 8)"]);
    assert_eq!(aarch64(&["STR X0,[X1,#8]!"])[..2], ["store (X1 + 8) := X0", "X1 := (X1 + 8)"]);
}

#[test]
fn aarch64_atomics() {
    assert_eq!(aarch64(&["LDADDAL X0,X2,[X1]"])[..2], ["%t1 := rmw X1 := (%t1 + X0) A L", "X2 := %t1"]);
    assert_eq!(aarch64(&["STADDL X0,[X1]"])[0], "%t1 := rmw X1 := (%t1 + X0) NoRet L");
    assert_eq!(aarch64(&["SWPA X0,XZR,[X1]"])[0], "%t1 := rmw X1 := X0 NoRet");
    assert_eq!(aarch64(&["LDCLR X0,X2,[X1]"])[0], "%t1 := rmw X1 := (%t1 & ~X0)");
    let swap = aarch64(&["CASA X2,X3,[X1]"]);
    assert_eq!(swap[..2], ["%t1 := rmw X1 := X3 when (%t1 == X2) A", "X2 := %t1"]);
    assert_eq!(aarch64(&["STLXR W2,X0,[X1]"])[0], "%t1 := store-conditional X1 := X0 X L");
}

#[test]
fn aarch64_barriers() {
    let cells = ["DMB SY", "DMB ISHLD", "DMB OSHST", "DSB ISH", "DSB LD", "ISB"];
    let expected = ["fence DMB.SY", "fence DMB.LD", "fence DMB.ST", "fence DSB.SY", "fence DSB.LD", "fence ISB"];
    assert_eq!(aarch64(&cells)[..6], expected);
}

#[test]
fn riscv_accesses_and_fences() {
    assert_eq!(riscv(&["ld x5,8(x6)"])[..2], ["%t1 := load (x6 + 8)", "x5 := %t1"]);
    assert_eq!(riscv(&["sd zero,0(x6)"])[0], "store x6 := 0");
    assert_eq!(riscv(&["ld.aq x5,0(x6)"])[0], "%t1 := load x6 Acq");
    assert_eq!(riscv(&["sd.aq.rl x5,(x6)"])[0], "store x6 := x5 AcqRel");
    assert_eq!(riscv(&["amoor.d.rl x5,x7,(x6)"])[..2], ["%t1 := rmw x6 := (%t1 | x7) AMO Rel AMO Rel", "x5 := %t1"]);
    assert_eq!(riscv(&["lr.d.aq x5,(x6)"])[0], "%t1 := reserve x6 X Acq");
    assert_eq!(riscv(&["sc.d.rl x5,x7,0(x6)"])[0], "%t1 := store-conditional x6 := x7 X Rel");
    let cells = ["fence rw,w", "fence iorw,ior", "fence", "fence.tso", "fence.i"];
    let expected = ["fence Fence.rw.w", "fence Fence.rw.r", "fence Fence.rw.rw", "fence Fence.tso", "fence Fence.i"];
    assert_eq!(riscv(&cells)[..5], expected);
}

/// One register can be named in several ways.
#[test]
fn registers_have_several_names() {
    let program = parse("RISCV t\n{ 0:a0=x; }\n P0 ;\n ld t0,0(x10) ;\n ld fp,0(a0) ;\nexists (0:x5=0 /\\ 0:s0=0)");
    let names: Vec<_> = program.observables().iter().map(|location| location.name(&program)).collect();
    assert_eq!(names, ["0:x5", "0:s0"]);
    let program = parse("AArch64 t\n{ 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:W0=0)");
    assert_eq!(program.observables()[0].name(&program), "0:W0");
}

/// A location declared wide and accessed in halves is compared half by half.
#[test]
fn halves_of_a_location() {
    let text = "AArch64 t\n{ uint64_t x=0x200000001; 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\n LDR W2,[X1,#4] ;\nexists (x=0x300000004)";
    let program = parse(text);
    let cells: Vec<_> = program.objects[0].cells.iter().map(|cell| (cell.offset, cell.width.bits())).collect();
    assert_eq!(cells, [(0, 32), (4, 32)]);
    let initial: Vec<_> = program.objects[0].cells.iter().map(|cell| cell.initial.clone()).collect();
    assert_eq!(initial, [ir::Expr::Const(1, Width::INT), ir::Expr::Const(2, Width::INT)]);
    let condition = program.condition.as_ref().expect("it has one");
    assert_eq!(format!("{:?}", condition.proposition).matches("value: 3").count(), 1);
    assert_eq!(program.observables().len(), 2);
}

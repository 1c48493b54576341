//! Damaged tests: whatever the input, the answer is a program or a complaint.

use source::SourceFile;
use testkit::Rng;

const TESTS: &[&str] = &[
    "X86 SB\n\"PodWR Fre\"\nCycle=Fre PodWR\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n",
    "X86 L\n{ x=1; 0:EAX=&x; int a[2]={1,2}; }\n P0 ;\n L0: LOCK INC [x] ;\n LOCK; CMPXCHG [y],EBX ;\n JNE L0 ;\n XADD [EAX],ECX ;\nforall (x=1 \\/ a[1]=2)\n",
    "X86 F\n{ }\n P0 | P1 ;\n CMP EAX,$-1 | TEST EBX,EBX ;\n JLE A | JA B ;\n A: XCHG EAX,[x] | B: ;\nlocations [x; 0:EAX;]\nfilter x=1\n~exists (not (x!=0x1) => true)\n",
    "PPC MP\n{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }\n P0 | P1 ;\n li r1,1 | lwz r1,0(r2) ;\n stw r1,0(r2) | cmpw r1,r1 ;\n lwsync | beq LC00 ;\n li r3,1 | LC00: ;\n stw r3,0(r4) | lwz r3,0(r4) ;\nexists (1:r1=1 /\\ 1:r3=0)\n",
    "PPC R\n{ 0:r3=x; }\n P0 ;\n Loop: lwarx r4,r0,r3 ;\n addi r4,r4,1 ;\n stwcx. r4,r0,r3 ;\n bne Loop ;\n andi. r5,r4,1 ;\n lwzx r6,r5,r3 ;\nexists (x=1)\n",
    "PPC A\n{ }\n P0 ;\n xor r3,r1,r1 ;\n subf. r1,r2,r3 ;\n cmpwi cr1,r1,2 ;\n blt cr1,L ;\n lwzu r1,4(r2) ;\n L: isync ;\nexists (0:r1=x)\n",
    "C SB\n{}\nP0 (atomic_int* y,atomic_int* x) {\n  atomic_store_explicit(x,1,memory_order_relaxed);\n  int r0 = atomic_load_explicit(y,memory_order_acquire);\n}\nP1 (atomic_int* y) { atomic_thread_fence(memory_order_seq_cst); }\nexists (0:r0=0)\n",
    "C F\n{ int x = 1; int *p=&x; }\nP0 (int **p, int *x) {\n  int *q = *p; /* c */ int i, j = 2;\n  for (i = 0; i < 2; i++) { *q += i * (j - 1); }\n  while (*x == 1 && i) { i = i - 1; }\n}\nexists (x=2)\n",
    "C A\n{ }\nP0 (atomic_int *x, int *y) {\n  int e = 0; // local\n  if (atomic_compare_exchange_strong(x, &e, 1)) { *y = 1; } else { do { e = *y; } while (!e); }\n}\nexists (0:e=0)\n",
    "C L\n{ }\nP0 (int *x, spinlock_t *l) {\n  spin_lock(l); int r = xchg(x, 1); r = cmpxchg_release(x, 1, 2); spin_unlock(l);\n  WRITE_ONCE(*x, READ_ONCE(*x) + 1); smp_mb();\n}\nexists (x=1)\n",
    "C D\n{ x=y; }\nP0 (int **x) { int *r = rcu_dereference(*x); int s = (int)1 ? 2 : 3; s <<= 1; *r = ~s; }\nexists (0:s=4)\n",
    "PPC W\n(* a (* nested *) comment *)\n{ uint64_t 0:r1; int ok1=0; }\n P0 ;\n b End ;\n std r1,0(r2) ;\n End: stdx r1,r2,r3 ;\nlocations [ok1;]\nforall true\n",
];

fn mutate(text: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let end = (at + random.below(30)).min(bytes.len());
        match random.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            3 => drop(bytes.drain(at..end)),
            4 => bytes.extend_from_slice(text),
            5 => bytes.insert(at, b"(){}[];|,:=*&~\"\\/-$0Pr"[random.below(22)]),
            _ => {
                let other = TESTS[random.below(TESTS.len())].as_bytes();
                let from = random.below(other.len());
                let to = (from + random.below(40)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn damaged_tests_are_refused_or_valid() {
    let mut random = Rng::new(1);
    let mut read = 0;
    for text in TESTS {
        let file = SourceFile::new("t", *text);
        front_litmus::parse(&file).unwrap_or_else(|error| panic!("{}", error.render(false)));
    }
    for round in 0..12_000 {
        let bytes = mutate(TESTS[round % TESTS.len()].as_bytes(), &mut random);
        let file = SourceFile::new("t", String::from_utf8_lossy(&bytes));
        match front_litmus::parse(&file) {
            Ok(program) => {
                ir::validate(&program).unwrap_or_else(|error| panic!("{error}\n{}", file.text()));
                read += 1;
            }
            Err(error) => {
                assert!(!error.message().contains("translated wrongly"), "{}", error.render(false));
                assert!(!error.render(false).is_empty());
            }
        }
    }
    assert!(read > 200, "only {read} mutants were still tests");
}

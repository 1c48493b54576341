//! The front end for litmus tests of herd's format.
//!
//! [`parse`] reads X86, Power and C tests into a [`Program`]. Dependencies are those of the text: `xor r3,r1,r1` stays an
//! exclusive or, and nothing is folded. What is in the text and not understood is refused with a [`Diagnostic`] that
//! says a way round.
//!
//! Deliberately absent: accesses of different sizes to one location, virtual memory, faults, structures, `goto` and
//! function calls in C, read-copy-update, and operations that may fail for no reason
//! (`atomic_compare_exchange_weak`).
#![allow(clippy::wildcard_enum_match_arm, reason = "any other token is a mistake in the text, or refused")]

mod aarch64;
mod asm;
mod body;
mod build;
mod c;
mod condition;
mod frame;
mod hash;
mod init;
mod lex;
mod ppc;
mod riscv;
mod sites;
mod sizes;
mod state;
mod x86;

pub use sites::mark_sites;

use asm::Isa;
use build::{Build, Registers};
use ir::{Program, Width};
use source::{Diagnostic, SourceFile, Span};
use std::ops::Range;

/// The ending of the names of litmus tests.
pub const EXTENSION: &str = "litmus";

/// The architectures that are read.
pub const ARCHITECTURES: &[&str] = frame::ARCHITECTURES;

/// The tags that programs of this front end can have, and what carries them.
pub const TAGS: &[(&str, &str)] = &[
    ("MFENCE", "the X86 fence"),
    ("LFENCE", "the X86 fence"),
    ("SFENCE", "the X86 fence"),
    ("LOCK", "the read and the write of a locked X86 instruction"),
    ("X", "the read and the write of a locked X86 instruction; lwarx and stwcx.; exclusives of Arm; lr and sc"),
    ("SYNC", "the Power fence"),
    ("LWSYNC", "the Power fence"),
    ("EIEIO", "the Power fence"),
    ("ISYNC", "the Power fence"),
    ("DMB.SY", "the Arm barrier, also with ISH and OSH"),
    ("DMB.LD", "the Arm barrier, also with ISHLD and OSHLD"),
    ("DMB.ST", "the Arm barrier, also with ISHST and OSHST"),
    ("DSB.SY", "the Arm barrier, also with ISH and OSH"),
    ("DSB.LD", "the Arm barrier, also with ISHLD and OSHLD"),
    ("DSB.ST", "the Arm barrier, also with ISHST and OSHST"),
    ("ISB", "the Arm barrier"),
    ("L", "a store-release of Arm: STLR, STLXR, LDADDL and their kind"),
    ("Q", "an acquire of Arm that earlier releases do not wait for: LDAPR"),
    ("NoRet", "the read of an Arm atomic whose value goes nowhere: STADD"),
    ("Fence.r.r", "the RISC-V fence"),
    ("Fence.r.w", "the RISC-V fence"),
    ("Fence.r.rw", "the RISC-V fence"),
    ("Fence.w.r", "the RISC-V fence"),
    ("Fence.w.w", "the RISC-V fence"),
    ("Fence.w.rw", "the RISC-V fence"),
    ("Fence.rw.r", "the RISC-V fence"),
    ("Fence.rw.w", "the RISC-V fence"),
    ("Fence.rw.rw", "the RISC-V fence"),
    ("Fence.tso", "the RISC-V fence"),
    ("Fence.i", "the RISC-V fence for instructions"),
    ("Acq", "an access of RISC-V with .aq"),
    ("Rel", "an access of RISC-V with .rl"),
    ("AcqRel", "an access of RISC-V with .aq and .rl"),
    ("AMO", "the read and the write of an atomic memory operation of RISC-V"),
    ("NA", "a plain access in C"),
    ("A", "an atomic access in C; a load-acquire of Arm: LDAR, LDAXR, LDADDA and their kind"),
    ("RLX", "an access or fence with memory_order_relaxed"),
    ("CON", "an access or fence with memory_order_consume"),
    ("ACQ", "an access or fence with memory_order_acquire"),
    ("REL", "an access or fence with memory_order_release"),
    ("ACQ_REL", "a fence with memory_order_acq_rel"),
    ("SC", "an access or fence with memory_order_seq_cst"),
    ("ONCE", "READ_ONCE, WRITE_ONCE and relaxed accesses of Linux"),
    ("ACQUIRE", "smp_load_acquire and acquire accesses of Linux"),
    ("RELEASE", "smp_store_release and release accesses of Linux"),
    ("NORETURN", "the read of a Linux atomic without a result"),
    ("RMW", "the read and the write of a Linux read-modify-write"),
    ("MB", "smp_mb, and fully ordered read-modify-writes of Linux"),
    ("RMB", "smp_rmb"),
    ("WMB", "smp_wmb"),
    ("BEFORE-ATOMIC", "smp_mb__before_atomic"),
    ("AFTER-ATOMIC", "smp_mb__after_atomic"),
    ("AFTER-SPINLOCK", "smp_mb__after_spinlock"),
    ("AFTER-UNLOCK-LOCK", "smp_mb__after_unlock_lock"),
    ("AFTER-SRCU-READ-UNLOCK", "smp_mb__after_srcu_read_unlock"),
    ("BARRIER", "barrier of Linux, which keeps the compiler from reordering"),
    ("LKR", "the read of spin_lock and spin_trylock"),
    ("LKW", "the write of spin_lock and spin_trylock"),
    ("UL", "spin_unlock"),
    ("IS-LOCKED", "spin_is_locked"),
    ("RCU-LOCK", "rcu_read_lock"),
    ("RCU-UNLOCK", "rcu_read_unlock"),
    ("SYNC-RCU", "synchronize_rcu"),
    ("SRCU-LOCK", "srcu_read_lock"),
    ("SRCU-UNLOCK", "srcu_read_unlock"),
    ("SYNC-SRCU", "synchronize_srcu"),
    ("SRCU-0", "what belongs to the first domain of SRCU; SRCU-1 to SRCU-3 are the others"),
];

/// The architecture that a test says it is for, if it is none of [`ARCHITECTURES`].
pub fn unknown_architecture(file: &SourceFile) -> Option<&str> {
    frame::unknown_architecture(file)
}

/// Reads a litmus test.
///
/// # Errors
/// A complaint about the first thing in the text that is wrong or not supported.
pub fn parse(file: &SourceFile) -> Result<Program, Diagnostic> {
    let frame = frame::split(file)?;
    let items = init::parse(file, frame.init.clone())?;
    let end = condition::parse(file, frame.condition.clone())?;
    let columns: Option<&dyn Isa> = match frame.arch {
        "X86" => Some(&x86::X86),
        "PPC" => Some(&ppc::Ppc),
        "AArch64" => Some(&aarch64::AArch64),
        "RISCV" => Some(&riscv::RiscV),
        _ => None,
    };
    // Power and x86 have cells and registers of one size, whatever a test declares.
    let uniform = matches!(frame.arch, "X86" | "PPC");
    if uniform {
        for part in [frame.init.clone(), frame.program.clone(), frame.condition.clone()] {
            refuse_wide_numbers(file, part)?;
        }
    }
    let cell = if uniform { Width::WORD } else { Width::INT };
    let register = if columns.is_some() { Width::WORD } else { Width::INT };
    let mut build = Build::new(file, frame.name, frame.arch, (cell, register));
    let registers: Registers = match columns {
        Some(isa) => {
            build.initialise(&items, |item| if uniform { Width::WORD } else { item.ty.width() });
            asm::parse(&mut build, frame.program.clone(), &items, isa)?;
            if !uniform {
                sizes::settle(&mut build)?;
            }
            isa.registers()
        }
        None => {
            c::parse(&mut build, frame.program.clone(), &items)?;
            c::register
        }
    };
    build.conclude(&end, registers)?;
    let hash = hash::hash(&items, &build.lines, &end);
    let mut program = build.program;
    if columns.is_none() && program.tags.iter().any(|tag| c::LINUX_TAGS.contains(&&**tag)) {
        "LINUX".clone_into(&mut program.arch);
    }
    program.info.insert("Hash".to_owned(), hash);
    if let Some(doc) = frame.doc {
        program.info.insert("Doc".to_owned(), doc.to_owned());
    }
    for (key, value) in frame.info {
        let key = if key.eq_ignore_ascii_case("hash") { "Hash" } else { key };
        program.info.insert(key.to_owned(), value.to_owned());
    }
    match ir::validate(&program) {
        Ok(()) => Ok(program),
        Err(invalid) => {
            let message = format!("this test is translated wrongly: {invalid}");
            Err(Diagnostic::error(file, Span::new(0, 0), message)
                .help("this is a mistake of the front end; please report it"))
        }
    }
}

/// Registers and locations of assembly are 64 bits wide here, also where the machine's have 32. The two differ only where
/// numbers are as large as these.
fn refuse_wide_numbers(file: &SourceFile, part: Range<usize>) -> Result<(), Diagnostic> {
    let text = &file.text().as_bytes()[part.clone()];
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut at = 0;
    while at < text.len() {
        let end = at + text[at..].iter().take_while(|&&b| word(b)).count();
        if end > at && text[at].is_ascii_digit() {
            let span = Span::new(part.start + at, part.start + end);
            let wide = lex::parse_number(file.slice(span)).is_some_and(|number| number.unsigned_abs() >= 1 << 30);
            if wide {
                let message = format!("`{}` has more than 30 bits, which is not supported", file.slice(span));
                return Err(Diagnostic::error(file, span, message).help("use a smaller number"));
            }
        }
        at = end.max(at + 1);
    }
    Ok(())
}

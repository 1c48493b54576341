//! Random small programs.

use crate::rng::Rng;
use crate::sketch::{Sketch, memory_location};
use ir::{BinaryOp, Expr, LocalId, Op, Program, Status, TagSet, UnaryOp, Width};

/// What random programs may contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The most threads there are; at least one.
    pub threads: usize,
    /// The most accesses there are in all threads together.
    pub accesses: usize,
    /// The most locations there are; at least one.
    pub locations: usize,
    /// Read-modify-write instructions: exchange, fetch-and-add, compare-and-swap.
    pub atomics: bool,
    /// Some of these without the tag `LOCK`: atomic, but no fences.
    pub unlocked: bool,
    /// Reserving loads and store-conditionals.
    pub reservations: bool,
    /// Forward branches on a register.
    pub branches: bool,
    /// Addresses and values computed from registers.
    pub dependencies: bool,
    /// Each location is written by one thread only. Not for [`Config::reservations`].
    pub sole_writers: bool,
    /// The tags of fences; no fences if empty.
    pub fences: Vec<&'static str>,
    /// Whose instructions these are.
    pub machine: Machine,
}

/// The tags of one event.
type Tags = &'static [&'static str];

/// What accesses of an architecture carry. Of each list one is chosen; an entry that stands there often is chosen often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub arch: &'static str,
    /// Loads.
    pub loads: Vec<Tags>,
    /// Stores.
    pub stores: Vec<Tags>,
    /// The read and the write of read-modify-writes; [`Config::unlocked`] decides about those with `LOCK`.
    pub atomics: Vec<(Tags, Tags)>,
    /// Reserving loads.
    pub reserves: Vec<Tags>,
    /// Store-conditionals.
    pub conditionals: Vec<Tags>,
    /// What the outcome of a store-conditional depends on.
    pub status: Status,
}

impl Machine {
    /// Locked instructions of x86 and reservations of Power, for the models that take both.
    pub fn classic() -> Self {
        Machine {
            arch: "PPC",
            loads: vec![&[]],
            stores: vec![&[]],
            atomics: vec![(&["LOCK", "X"], &["LOCK", "X"])],
            reserves: vec![&["X"]],
            conditionals: vec![&["X"]],
            status: Status::Operands,
        }
    }

    /// Arm: acquires and releases, exclusives, atomic instructions, and pairs of exclusives that are one instruction here.
    pub fn aarch64() -> Self {
        Machine {
            arch: "AArch64",
            loads: vec![&[], &[], &["A"], &["Q"]],
            stores: vec![&[], &[], &["L"]],
            atomics: vec![
                (&[], &[]),
                (&["A"], &["L"]),
                (&["A"], &[]),
                (&["NoRet"], &["L"]),
                (&["X", "A"], &["X", "L"]),
                (&["X"], &["X"]),
            ],
            reserves: vec![&["X"], &["X", "A"]],
            conditionals: vec![&["X"], &["X", "L"]],
            status: Status::Nothing,
        }
    }

    /// RISC-V: annotations, load-reserve and store-conditional, atomic operations.
    pub fn riscv() -> Self {
        Machine {
            arch: "RISCV",
            loads: vec![&[], &[], &["Acq"], &["AcqRel"]],
            stores: vec![&[], &[], &["Rel"], &["AcqRel"]],
            atomics: vec![
                (&["AMO"], &["AMO"]),
                (&["AMO", "Acq"], &["AMO", "Acq"]),
                (&["AMO", "Rel"], &["AMO", "Rel"]),
                (&["AMO", "AcqRel"], &["AMO", "AcqRel"]),
                (&["X", "Acq"], &["X", "Rel"]),
            ],
            reserves: vec![&["X"], &["X", "Acq"], &["X", "AcqRel"]],
            conditionals: vec![&["X"], &["X", "Rel"]],
            status: Status::Write,
        }
    }

    /// C11: accesses with all memory orders, and some that are not atomic.
    pub fn c11() -> Self {
        const RELAXED: Tags = &["A", "RLX"];
        const ACQUIRE: Tags = &["A", "ACQ"];
        const RELEASE: Tags = &["A", "REL"];
        const BOTH: Tags = &["A", "ACQ_REL"];
        const SC: Tags = &["A", "SC"];
        const PLAIN: Tags = &["NA"];
        Machine {
            arch: "C",
            loads: vec![RELAXED, RELAXED, ACQUIRE, ACQUIRE, SC, PLAIN],
            stores: vec![RELAXED, RELAXED, RELEASE, RELEASE, SC, PLAIN],
            atomics: [RELAXED, ACQUIRE, RELEASE, BOTH, SC].map(|tags| (tags, tags)).to_vec(),
            reserves: Vec::new(),
            conditionals: Vec::new(),
            status: Status::Nothing,
        }
    }

    /// The Linux kernel: marked and plain accesses, atomics with all orders, of which some fail, and locks.
    pub fn kernel() -> Self {
        Machine {
            arch: "LINUX",
            loads: vec![&["ONCE"], &["ONCE"], &["ACQUIRE"], &["NA"]],
            stores: vec![&["ONCE"], &["ONCE"], &["RELEASE"], &["NA"]],
            atomics: vec![
                (&["RMW", "MB"], &["RMW", "MB"]),
                (&["RMW", "ONCE"], &["RMW", "ONCE"]),
                (&["RMW", "ACQUIRE"], &["RMW", "ONCE"]),
                (&["RMW", "ONCE"], &["RMW", "RELEASE"]),
                (&["RMW", "NORETURN"], &["RMW", "ONCE"]),
                (&["LKR", "ACQUIRE"], &["LKW"]),
            ],
            reserves: Vec::new(),
            conditionals: Vec::new(),
            status: Status::Nothing,
        }
    }
}

impl Config {
    /// Programs for the models of an architecture.
    #[must_use]
    pub fn for_arch(self, arch: &str) -> Self {
        let fences = |tags: &[&'static str]| tags.to_vec();
        match arch {
            "AArch64" => {
                let fences = fences(&["DMB.SY", "DMB.LD", "DMB.ST", "DSB.LD", "ISB", "LWSYNC", "WRFENCE"]);
                Config { machine: Machine::aarch64(), fences, ..self }
            }
            "RISCV" => {
                let fences = fences(&[
                    "Fence.r.r",
                    "Fence.r.w",
                    "Fence.r.rw",
                    "Fence.w.r",
                    "Fence.w.w",
                    "Fence.w.rw",
                    "Fence.rw.r",
                    "Fence.rw.w",
                    "Fence.rw.rw",
                    "Fence.tso",
                    "Fence.i",
                ]);
                Config { machine: Machine::riscv(), fences, ..self }
            }
            "C" => {
                let fences = fences(&["ACQ", "REL", "ACQ_REL", "SC", "SC"]);
                Config { machine: Machine::c11(), fences, reservations: false, ..self }
            }
            "LINUX" => {
                let fences = fences(&[
                    "MB",
                    "RMB",
                    "WMB",
                    "BEFORE-ATOMIC",
                    "AFTER-ATOMIC",
                    "AFTER-SPINLOCK",
                    "AFTER-UNLOCK-LOCK",
                    "RCU-LOCK",
                    "RCU-UNLOCK",
                    "SYNC-RCU",
                    "SYNC-RCU",
                ]);
                Config { machine: Machine::kernel(), fences, reservations: false, ..self }
            }
            _ => self,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            threads: 4,
            accesses: 12,
            locations: 3,
            atomics: true,
            unlocked: true,
            reservations: true,
            branches: true,
            dependencies: true,
            sole_writers: false,
            fences: vec!["MFENCE", "SYNC", "LWSYNC", "EIEIO", "ISYNC", "SFENCE", "LFENCE"],
            machine: Machine::classic(),
        }
    }
}

/// The program for a seed.
pub fn generate(seed: u64, config: &Config) -> Program {
    let mut rng = Rng::new(seed);
    let locations = if config.locations < 3 { config.locations } else { 2 + rng.below(config.locations - 1) };
    let names = ["x", "y", "z", "w", "v", "u"];
    let names = &names[..locations.clamp(1, names.len())];
    let mut generator = Generator {
        sketch: Sketch::new(&format!("random{seed}"), config.machine.arch, names),
        locations: names.len(),
        config,
        registers: Vec::new(),
        truths: 0,
        last: 0,
        stored: 0,
        threads: 0,
        thread: 0,
        rng,
    };
    let wanted = if generator.rng.chance(10) { 1 } else { 2 + generator.rng.below(config.threads.max(2) - 1) };
    let threads = wanted.min(config.threads.max(1));
    // A thread with fewer than two accesses shows nothing, unless the configuration leaves no choice.
    let least = (2 * threads).min(config.accesses);
    let accesses = least + generator.rng.below(config.accesses - least + 1);
    generator.threads = threads;
    for thread in 0..threads {
        generator.thread = thread;
        let share = accesses / threads + usize::from(thread < accesses % threads);
        generator.thread(share);
    }
    generator.finish()
}

struct Generator<'a> {
    rng: Rng,
    config: &'a Config,
    sketch: Sketch,
    locations: usize,
    /// The registers of the newest thread that hold a value.
    registers: Vec<LocalId>,
    truths: usize,
    /// The location of the access before.
    last: usize,
    /// The largest constant that is stored so far.
    stored: usize,
    /// How many threads there are, and which is the newest.
    threads: usize,
    thread: usize,
}

impl Generator<'_> {
    fn thread(&mut self, accesses: usize) {
        self.sketch.thread();
        self.registers.clear();
        self.truths = 0;
        let mut left = accesses;
        let mut open = 0;
        while left > 0 {
            if !self.config.fences.is_empty() && self.rng.chance(20) {
                let tag = *self.rng.pick(&self.config.fences);
                self.sketch.fence(tag);
            }
            if self.config.branches && !self.registers.is_empty() && self.rng.chance(15) {
                let register = *self.rng.pick(&self.registers);
                let op = if self.rng.chance(50) { BinaryOp::Eq } else { BinaryOp::Ne };
                let value = Expr::constant(self.rng.below(3) as i64, Width::INT);
                let joins = self.rng.chance(50);
                self.sketch.begin_if(Expr::Local(register).binary(op, value), joins);
                open += 1;
            }
            left -= self.access(left);
            if open > 0 && self.rng.chance(50) {
                self.sketch.end_if();
                open -= 1;
            }
        }
    }

    /// Adds an access, or a pair, and gives the number of accesses it counts for.
    fn access(&mut self, left: usize) -> usize {
        let addr = self.address();
        if self.config.sole_writers && self.last % self.threads != self.thread {
            self.load(addr);
            return 1;
        }
        match self.rng.below(100) {
            0..15 if self.config.atomics && left >= 2 => {
                self.atomic(addr);
                2
            }
            15..27 if self.config.reservations && left >= 2 => {
                let between = left >= 3 && self.rng.chance(30);
                self.reservation(addr, between);
                if between { 3 } else { 2 }
            }
            28..32 if self.config.reservations => {
                let value = self.value();
                self.store_conditional(addr, value);
                1
            }
            0..62 => {
                self.load(addr);
                1
            }
            _ => {
                let value = self.value();
                let tags = self.tags(|machine| &machine.stores);
                self.sketch.op(Op::Store { addr, value, tags });
                1
            }
        }
    }

    fn load(&mut self, addr: Expr) {
        let dst = self.register();
        let tags = self.tags(|machine| &machine.loads);
        self.sketch.op(Op::Load { dst, addr, tags, reserve: false });
        self.registers.push(dst);
    }

    /// One of the sets of tags that the machine has for something. Where there is no choice, no number is drawn.
    fn tags(&mut self, of: impl Fn(&Machine) -> &Vec<Tags>) -> TagSet {
        let config = self.config;
        let all = of(&config.machine);
        let at = if all.len() > 1 { self.rng.below(all.len()) } else { 0 };
        self.sketch.tags(all[at])
    }

    fn atomic(&mut self, addr: Expr) {
        let config = self.config;
        let all = &config.machine.atomics;
        let at = if all.len() > 1 { self.rng.below(all.len()) } else { 0 };
        let (mut read, mut write) = all[at];
        if read.contains(&"LOCK") && self.config.unlocked && !self.rng.chance(60) {
            (read, write) = (&["X"], &["X"]);
        }
        let (read_tags, write_tags) = (self.sketch.tags(read), self.sketch.tags(write));
        let operand = self.value();
        let dst = self.register();
        let (when, value) = match self.rng.below(3) {
            0 => (None, operand),
            1 => (None, Expr::Local(dst).binary(BinaryOp::Add, operand)),
            _ => {
                let expected = Expr::constant(self.rng.below(2) as i64, Width::INT);
                (Some(Expr::Local(dst).binary(BinaryOp::Eq, expected)), operand)
            }
        };
        self.sketch.op(Op::Rmw { dst, addr, when, value, read_tags, write_tags });
        self.registers.push(dst);
    }

    /// A reserving load, perhaps a fence or a load between, and a store-conditional, mostly to the same location.
    fn reservation(&mut self, addr: Expr, between: bool) {
        let dst = self.register();
        let tags = self.tags(|machine| &machine.reserves);
        self.sketch.op(Op::Load { dst, addr: addr.clone(), tags, reserve: true });
        self.registers.push(dst);
        if !self.config.fences.is_empty() && self.rng.chance(15) {
            let tag = *self.rng.pick(&self.config.fences);
            self.sketch.fence(tag);
        }
        if between {
            let other = self.address();
            self.load(other);
        }
        let addr = if self.rng.chance(10) { self.address() } else { addr };
        let value = self.value();
        self.store_conditional(addr, value);
    }

    fn store_conditional(&mut self, addr: Expr, value: Expr) {
        let success = self.sketch.truth(&format!("s{}", self.truths));
        self.truths += 1;
        let tags = self.tags(|machine| &machine.conditionals);
        let status = self.config.machine.status;
        self.sketch.op(Op::StoreConditional { success, addr, value, tags, status });
    }

    fn register(&mut self) -> LocalId {
        let name = format!("r{}", self.registers.len());
        self.sketch.local(&name)
    }

    /// A location, mostly not the one before, perhaps with an address dependency.
    fn address(&mut self) -> Expr {
        let step = if self.locations > 1 && self.rng.chance(50) { 1 + self.rng.below(self.locations - 1) } else { 0 };
        let any = self.rng.below(self.locations);
        self.last = if step > 0 { (self.last + step) % self.locations } else { any };
        let plain = Sketch::address(self.last);
        if !self.config.dependencies || self.registers.is_empty() || !self.rng.chance(20) {
            return plain;
        }
        let register = Expr::Local(*self.rng.pick(&self.registers));
        let zero = register.clone().binary(BinaryOp::Xor, register);
        plain.binary(BinaryOp::Add, zero.unary(UnaryOp::ZeroExtend(Width::WORD)))
    }

    /// A small constant, mostly a new one, so that reads tell which write they saw; perhaps added to a register.
    fn value(&mut self) -> Expr {
        let constant = if self.rng.chance(70) { self.stored + 1 } else { 1 + self.rng.below(2) };
        self.stored = self.stored.max(constant);
        let constant = Expr::constant(constant as i64, Width::INT);
        if !self.config.dependencies || self.registers.is_empty() || !self.rng.chance(30) {
            return constant;
        }
        Expr::Local(*self.rng.pick(&self.registers)).binary(BinaryOp::Add, constant)
    }

    fn finish(mut self) -> Program {
        let memory: Vec<usize> = (0..self.locations.min(2)).collect();
        let mut program = self.sketch.clone().finish(&memory, &[]);
        let mut exists = Vec::new();
        for location in std::mem::take(&mut program.observed) {
            // Weak behaviour mostly shows as a value that should have been overwritten: the initial one.
            let value = if self.rng.chance(40) { 0 } else { self.rng.below(self.stored + 1) };
            if self.rng.chance(40) {
                exists.push((location, value as u64 & location.width(&program).mask()));
            }
        }
        if exists.is_empty() {
            exists.push((memory_location(0), 1));
        }
        self.sketch.finish(&memory, &exists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Location, ThreadId};

    #[test]
    fn programs_are_valid_and_the_same_every_time() {
        for seed in 0..500 {
            let program = generate(seed, &Config::default());
            ir::validate(&program).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{program}"));
            assert_eq!(program.to_string(), generate(seed, &Config::default()).to_string());
            assert!((1..=4).contains(&program.threads.len()));
        }
    }

    #[test]
    fn spans_point_at_the_instructions() {
        let program = generate(7, &Config::default());
        for instr in program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs) {
            let line = program.source.slice(instr.span);
            let word = match instr.op {
                Op::Load { reserve: false, .. } => "load",
                Op::Load { reserve: true, .. } => "reserve",
                Op::Store { .. } => "store",
                Op::Rmw { .. } => "rmw",
                Op::StoreConditional { .. } => "store-conditional",
                Op::Fence { .. } => "fence",
                Op::Assign { .. } => ":=",
                Op::Assume { .. } => "assume",
                Op::System(_) => "system",
            };
            assert!(line.contains(word), "`{line}` is no {word}");
        }
        let named = program.observables().iter().any(|&l| matches!(l, Location::Local(ThreadId(0), _)));
        assert!(named || program.functions[0].locals.is_empty());
    }
}

//! A program: its globals, its functions, its threads and `main`.

use super::cycle::{Access, Cycle};
use super::extra::{EXTRAS, Extra};
use crate::rng::Rng;

/// What random C programs may contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The most threads besides `main`; at least two.
    pub threads: usize,
    /// About how many accesses to shared memory there are in all threads together.
    pub accesses: usize,
    /// Mutexes, semaphores, barriers, condition variables.
    pub library: bool,
    /// Atomic operations and atomic sections.
    pub atomics: bool,
    /// Arrays, pointers, structures and the heap.
    pub memory: bool,
    /// Constructs that few programs have, one for each program.
    pub rare: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { threads: 3, accesses: 10, library: true, atomics: true, memory: true, rare: true }
    }
}

/// What one program contains. Each program has a few of the features, so that they meet in all combinations and no program
/// gets large.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Features {
    pub array: bool,
    pub pointer: bool,
    pub structure: bool,
    pub heap: bool,
    pub mutex: bool,
    pub semaphore: bool,
    pub barrier: bool,
    pub condition: bool,
    pub atomic: bool,
    pub section: bool,
    pub fence: bool,
    pub call: bool,
    pub nondet: bool,
    pub loops: bool,
    pub wait: bool,
    pub nested: bool,
}

/// A program in the making.
pub(super) struct Generator<'a> {
    pub rng: &'a mut Rng,
    pub has: Features,
    /// Something that few programs have.
    pub rare: Option<&'static Extra>,
    /// The lines of the function in the making.
    pub lines: Vec<String>,
    pub depth: usize,
    /// The integers in scope that no other thread sees.
    pub locals: Vec<String>,
    /// How many locals the function has had.
    pub named: usize,
    /// Whether the thread has an argument `arg` that points to an integer.
    pub pointed: bool,
    /// How many accesses the thread may still make.
    pub budget: usize,
    /// Whether the code is inside an atomic section or holds the mutex: nothing that waits belongs there.
    pub inside: bool,
    /// The type of the third variable.
    pub third: &'static str,
    /// The largest constant that is stored so far.
    pub stored: usize,
}

/// A thread as `main` sees it.
struct Worker {
    name: String,
    /// What it gets.
    arg: &'static str,
    /// The global variables in which it leaves what it has seen.
    results: Vec<String>,
    /// Whether what it returns is something that it has seen.
    returns: bool,
    /// What must hold of its results for the cycle to close, if there is one.
    closes: Vec<String>,
    /// Whether another thread starts it.
    nested: bool,
}

/// A random program.
pub fn generate(rng: &mut Rng, config: &Config) -> String {
    let has = features(rng, config);
    let rare = (config.rare && rng.chance(35)).then(|| rng.pick(EXTRAS));
    let third = *rng.pick(&["int", "int", "unsigned char", "short", "long", "_Bool", "unsigned", "signed char"]);
    let mut generator = Generator {
        rng,
        has,
        rare,
        lines: Vec::new(),
        depth: 0,
        locals: Vec::new(),
        named: 0,
        pointed: false,
        budget: 0,
        inside: false,
        third,
        stored: 0,
    };
    generator.program(config)
}

fn features(rng: &mut Rng, config: &Config) -> Features {
    let mut has = Features { fence: rng.chance(40), call: rng.chance(20), ..Features::default() };
    for _ in 0..1 + rng.below(3) {
        match rng.below(15) {
            0 if config.memory => has.array = true,
            1 if config.memory => has.pointer = true,
            2 if config.memory => has.structure = true,
            3 if config.memory => has.heap = true,
            4 | 5 if config.library => has.mutex = true,
            6 if config.library => match rng.below(4) {
                0 | 1 => has.semaphore = true,
                2 => has.barrier = true,
                _ => has.condition = true,
            },
            7 | 8 if config.atomics => has.atomic = true,
            9 if config.atomics => has.section = true,
            10 => has.nondet = true,
            11 => has.loops = true,
            12 => has.wait = true,
            13 => has.nested = true,
            _ => has.fence = true,
        }
    }
    has.mutex |= has.condition;
    has
}

impl Generator<'_> {
    fn program(&mut self, config: &Config) -> String {
        let count = if config.threads > 2 && self.rng.chance(25) { 3 } else { 2 };
        let mut accesses = config.accesses;
        let cycle = if self.rng.chance(55) { self.cycle(count) } else { Cycle::default() };
        let mut workers: Vec<Worker> = Vec::new();
        let mut functions: Vec<String> = Vec::new();
        for number in 0..count {
            let share = (accesses / (count - number)).max(2);
            accesses = accesses.saturating_sub(share);
            let first = number > 0 && !workers.iter().any(|worker| worker.nested);
            let nested = self.has.nested && first && self.rng.chance(60);
            let (worker, text) = self.worker(number, share, nested, cycle.threads.get(number));
            if nested {
                // Whoever starts it comes after it in the text.
                let at = functions.len() - 1;
                functions.insert(at, text);
                let starter = functions[at + 1].replace("    /* start */\n", &self.start_here(&worker));
                functions[at + 1] = starter;
            } else {
                functions.push(text);
            }
            workers.push(worker);
        }
        let main = self.main(&workers, &cycle);
        let mut text = self.declarations();
        for result in workers.iter().flat_map(|worker| &worker.results) {
            text += &format!("int {result};\n");
        }
        for function in functions {
            text += "\n";
            text += &function.replace("    /* start */\n", "");
        }
        text + "\n" + &main
    }

    /// What a thread does that starts another one.
    fn start_here(&mut self, worker: &Worker) -> String {
        let mut text = "    pthread_t inner = 0;\n".to_owned();
        text += &format!("    pthread_create(&inner, 0, {}, {});\n", worker.name, worker.arg);
        if self.rng.chance(60) {
            text += "    pthread_join(inner, 0);\n";
        }
        text
    }

    fn worker(
        &mut self,
        number: usize,
        accesses: usize,
        nested: bool,
        script: Option<&[Access; 2]>,
    ) -> (Worker, String) {
        self.begin();
        self.budget = accesses;
        self.pointed = self.rng.chance(20);
        let arg = if !self.pointed {
            "0"
        } else if !nested && self.rng.chance(50) {
            "&mine"
        } else {
            *self.rng.pick(&["&x", "&y"])
        };
        let name = format!("thread{number}");
        self.open(&format!("void *{name}(void *{})", if self.pointed { "given" } else { "unused" }));
        if self.pointed {
            self.line("int *arg = given;");
        }
        let mut wanted = Vec::new();
        match script {
            Some(script) => wanted = self.play(script),
            None => {
                self.spread_start();
                self.statements();
            }
        }
        let mut results = Vec::new();
        let mut closes = Vec::new();
        // What the cycle is about is kept in any case.
        let mut seen: Vec<String> = wanted.iter().map(|(local, _)| local.clone()).collect();
        if seen.is_empty() {
            seen.clone_from(&self.locals);
        }
        let value = |local: &str| wanted.iter().find(|(name, _)| name == local).map(|(_, value)| *value);
        let returns = !seen.is_empty() && !nested && self.rng.chance(40);
        let returned = if returns { seen.swap_remove(self.rng.below(seen.len())) } else { String::new() };
        closes.extend(value(&returned).map(|value| format!("(long)v{number} == {value}")));
        for kept in 0..seen.len().min(2) {
            let local = seen.swap_remove(self.rng.below(seen.len()));
            let result = format!("r{number}{kept}");
            self.line(&format!("{result} = {local};"));
            closes.extend(value(&local).map(|value| format!("{result} == {value}")));
            results.push(result);
        }
        if returns {
            self.line(&format!("return (void *)(long){returned};"));
        } else {
            self.line("return 0;");
        }
        self.close();
        let worker = Worker { name, arg, results, returns, closes, nested };
        (worker, self.end())
    }

    /// The accesses of a cycle with something or nothing between them. Gives the locals that hold what they see, with what
    /// they must see for the cycle to close.
    fn play(&mut self, script: &[Access; 2]) -> Vec<(String, usize)> {
        let mut wanted = Vec::new();
        for (at, access) in script.iter().enumerate() {
            let percent = if self.rare.is_some() { 40 } else { 15 };
            if self.rng.chance(percent + 10 * at) {
                self.budget = 1;
                self.statement();
            }
            if at == 1 && self.has.fence && self.rng.chance(50) {
                self.fence();
            }
            wanted.extend(self.access(access).map(|local| (local, access.seen)));
            if at == 0 {
                self.line("/* start */");
            }
        }
        wanted
    }

    /// Marks where another thread may be started.
    fn spread_start(&mut self) {
        if self.rng.chance(50) {
            let before = self.budget;
            self.budget = before.min(2);
            let spent = self.budget;
            self.statement();
            self.budget = before - (spent - self.budget).min(before);
        }
        self.line("/* start */");
    }

    fn main(&mut self, workers: &[Worker], cycle: &Cycle) -> String {
        self.begin();
        self.open("int main(void)");
        let shares = workers.iter().any(|worker| worker.arg == "&mine");
        if shares {
            self.line("int mine = 0;");
        }
        for worker in workers.iter().filter(|worker| !worker.nested) {
            let number = &worker.name["thread".len()..];
            self.line(&format!("pthread_t t{number} = 0;"));
            if worker.returns {
                self.line(&format!("void *v{number} = 0;"));
            }
        }
        self.setup();
        let mut atoms: Vec<String> = Vec::new();
        let mut started: Vec<&Worker> = Vec::new();
        let own = self.rng.below(workers.len() + 1);
        for (at, worker) in workers.iter().filter(|worker| !worker.nested).enumerate() {
            if at == own && self.rng.chance(30) {
                self.budget = 2;
                self.statements();
            }
            let number = &worker.name["thread".len()..];
            self.line(&format!("pthread_create(&t{number}, 0, {}, {});", worker.name, worker.arg));
            started.push(worker);
            // Now and then a thread has ended before the next one starts.
            if workers.len() > 2 && self.rng.chance(8) {
                self.join(&mut started, 0, &mut atoms);
            }
        }
        if self.rng.chance(25) {
            self.budget = 2;
            self.statements();
        }
        while !started.is_empty() {
            let at = self.rng.below(started.len());
            if self.rng.chance(4) {
                started.swap_remove(at);
            } else {
                self.join(&mut started, at, &mut atoms);
            }
        }
        atoms.extend(workers.iter().flat_map(|worker| worker.results.clone()));
        atoms.extend(self.locals.clone());
        if shares && self.rng.chance(40) {
            atoms.push("mine".to_owned());
        }
        let mut closes: Vec<String> = workers.iter().flat_map(|worker| worker.closes.clone()).collect();
        closes.extend(cycle.finally.clone());
        if closes.is_empty() || self.rng.chance(10) {
            self.final_assertions(&atoms);
        } else {
            self.line(&format!("assert(!({}));", closes.join(" && ")));
        }
        self.line("return 0;");
        self.close();
        self.end()
    }

    fn join(&mut self, started: &mut Vec<&Worker>, at: usize, atoms: &mut Vec<String>) {
        let worker = started.swap_remove(at);
        let number = &worker.name["thread".len()..];
        if worker.returns {
            self.line(&format!("pthread_join(t{number}, &v{number});"));
            atoms.push(format!("(long)v{number}"));
        } else {
            self.line(&format!("pthread_join(t{number}, 0);"));
        }
    }

    /// What `main` does before it starts threads.
    fn setup(&mut self) {
        if self.has.semaphore {
            let value = self.rng.below(2);
            self.line(&format!("sem_init(&sem, 0, {value});"));
        }
        if self.has.barrier {
            self.line("pthread_barrier_init(&bar, 0, 2);");
        }
        if self.has.heap && self.rng.chance(40) {
            self.line("node = calloc(1, sizeof(struct node));");
        }
        if self.rng.chance(10) {
            let name = *self.rng.pick(&["x", "y", "z"]);
            let value = 1 + self.rng.below(2);
            self.line(&format!("{name} = {value};"));
        }
        if self.has.nondet && self.rng.chance(60) {
            let name = *self.rng.pick(&["x", "y", "z"]);
            let any = self.any();
            self.line(&format!("{name} = {any};"));
            let other = *self.rng.pick(&["x", "y", "z"]);
            match self.rng.below(4) {
                0 => self.line(&format!("if ({name}) {other} = 2;")),
                1 => self.line(&format!("{other} = {name} + 1;")),
                2 => self.line(&format!("if ({name} == 1) return 0;")),
                _ => {}
            }
        }
    }

    /// An assertion about what the threads have seen and about what they leave behind. Weak behaviour mostly shows as a
    /// value that should have been overwritten: the initial one.
    fn final_assertions(&mut self, seen: &[String]) {
        let mut atoms = seen.to_vec();
        if atoms.len() < 2 || self.rng.chance(40) {
            atoms.extend(["x", "y"].map(str::to_owned));
        }
        if atoms.len() < 3 && self.has.array {
            atoms.push("a[1]".to_owned());
        }
        let wanted = 2 + self.rng.below(2);
        let mut parts = Vec::new();
        while parts.len() < wanted && !atoms.is_empty() {
            let atom = atoms.swap_remove(self.rng.below(atoms.len()));
            let value = if self.rng.chance(55) { 0 } else { 1 + self.rng.below(self.stored.max(1)) };
            let operator = if self.rng.chance(88) { "==" } else { *self.rng.pick(&["!=", "<", ">"]) };
            parts.push(format!("{atom} {operator} {value}"));
        }
        self.line(&format!("assert(!({}));", parts.join(" && ")));
    }

    fn begin(&mut self) {
        self.lines.clear();
        self.locals.clear();
        self.named = 0;
        self.depth = 0;
        self.pointed = false;
        self.inside = false;
    }

    fn end(&mut self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    /// Adds a line.
    pub fn line(&mut self, text: &str) {
        self.lines.push(format!("{:width$}{text}", "", width = 4 * self.depth));
    }

    /// Adds a line that begins a block.
    pub fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
    }

    /// Adds a line that ends a block.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_the_same_every_time_and_differ_from_each_other() {
        let make = |seed| generate(&mut Rng::new(seed), &Config::default());
        let mut all: Vec<String> = (0..200).map(make).collect();
        assert_eq!(all, (0..200).map(make).collect::<Vec<_>>());
        all.sort();
        all.dedup();
        assert!(all.len() > 195);
    }

    #[test]
    fn every_construct_occurs() {
        let config = Config::default();
        let all: String = (0..3000).map(|seed| generate(&mut Rng::new(seed), &config)).collect();
        for construct in [
            "while (",
            "for (",
            "break;",
            "switch (",
            " ? ",
            " && ",
            " || ",
            "else",
            "a[",
            "*p",
            "p = &",
            "s.",
            "sp->",
            "malloc(",
            "calloc(",
            "pthread_mutex_lock",
            "pthread_mutex_trylock",
            "sem_wait",
            "pthread_barrier_wait",
            "pthread_cond_wait",
            "__atomic_load_n",
            "__atomic_compare_exchange_n",
            "__sync_",
            "__atomic_thread_fence",
            "mfence",
            "lwsync",
            "sfence",
            "__CPROVER_fence",
            "__VERIFIER_atomic_begin",
            "__VERIFIER_assume",
            "__VERIFIER_nondet_bool",
            "__VERIFIER_nondet_uchar",
            "inner",
            "&mine",
            "*arg",
            "return (void *)",
            "reach_error",
            "goto ",
            "__thread",
            "_Atomic",
            "static int",
            "to = from;",
            "pthread_rwlock_wrlock",
            "pthread_once(",
            "work = zero;",
        ] {
            assert!(all.contains(construct), "no program has `{construct}`");
        }
    }
}

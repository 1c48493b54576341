//! Programs that never end: threads that repeat a few accesses to a few shared variables with few values, and a property
//! that holds or does not: a condition on what was read, or that two threads are never in a critical section.

use crate::rng::Rng;

/// What the programs declare.
const HEAD: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void __VERIFIER_assert(int);
void __fencepost_critical_begin(void);
void __fencepost_critical_end(void);
int x, y, z;
";

/// The shared variables; some are used more often.
const PLACES: [&str; 5] = ["x", "x", "y", "y", "z"];

struct Body<'a> {
    rng: &'a mut Rng,
    lines: Vec<String>,
    depth: usize,
    /// How many locals there are.
    locals: usize,
    /// How many accesses may still come.
    budget: usize,
    critical: bool,
}

/// A random program with two threads that never end, or three.
pub fn endless(rng: &mut Rng) -> String {
    let threads = if rng.chance(15) { 3 } else { 2 };
    let critical = rng.chance(60);
    let budget = if threads == 3 { 3 } else { 5 };
    let mut text = HEAD.to_owned();
    for number in 0..threads {
        let mut body = Body { rng, lines: Vec::new(), depth: 2, locals: 0, budget, critical };
        body.thread();
        let lines = body.lines.join("\n");
        text +=
            &format!("\nvoid *thread{number}(void *unused) {{\n    while (1) {{\n{lines}\n    }}\n    return 0;\n}}\n");
    }
    text += "\nint main(void) {\n    pthread_t t = 0;\n";
    for number in 0..threads {
        text += &format!("    pthread_create(&t, 0, thread{number}, 0);\n");
    }
    text + "    return 0;\n}\n"
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "    ".repeat(self.depth)));
    }

    fn place(&mut self) -> &'static str {
        PLACES[self.rng.below(PLACES.len())]
    }

    fn value(&mut self) -> usize {
        self.rng.below(3)
    }

    fn thread(&mut self) {
        while self.budget > 0 {
            self.statement();
        }
        if self.critical {
            self.line("__fencepost_critical_begin();");
            if self.rng.chance(40) {
                self.budget = 1;
                self.statement();
            }
            self.line("__fencepost_critical_end();");
        }
        if self.rng.chance(70) {
            let (place, value) = (self.place(), self.value());
            self.line(&format!("{place} = {value};"));
        }
    }

    fn read(&mut self) -> String {
        let (place, local) = (self.place(), format!("l{}", self.locals));
        self.locals += 1;
        self.line(&format!("int {local} = {place};"));
        local
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        let (place, value) = (self.place(), self.value());
        match self.rng.below(100) {
            0..35 => self.line(&format!("{place} = {value};")),
            35..45 => self.line("__atomic_thread_fence(5);"),
            45..50 => self.line("__atomic_thread_fence(3);"),
            50..62 => self.line(&format!("while ({place} == {value});")),
            62..70 => {
                let new = self.value();
                self.line(&format!("__sync_bool_compare_and_swap(&{place}, {value}, {new});"));
            }
            70..75 => self.line(&format!("__atomic_exchange_n(&{place}, {value}, 5);")),
            75..90 if self.depth < 4 => {
                let local = self.read();
                let same = if self.rng.chance(50) { "==" } else { "!=" };
                self.line(&format!("if ({local} {same} {value}) {{"));
                self.depth += 1;
                match self.rng.below(10) {
                    0..3 => self.line("continue;"),
                    3..6 => {
                        let (place, value) = (self.place(), self.value());
                        self.line(&format!("{place} = {value};"));
                        self.line("continue;");
                    }
                    _ => self.statement(),
                }
                self.depth -= 1;
                self.line("}");
            }
            _ => {
                let (one, other) = (self.read(), self.read());
                let (a, b) = (self.value(), self.value());
                if self.critical && self.rng.chance(60) {
                    self.line(&format!("{place} = ({one} + {other}) % 3;"));
                } else {
                    self.line(&format!("__VERIFIER_assert(!({one} == {a} && {other} == {b}));"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_different_and_the_same_every_time() {
        let make = |seed| endless(&mut Rng::new(seed));
        assert_eq!(make(7), make(7));
        let all: String = (0..200).map(make).collect();
        for construct in ["while (x == 0);", "continue;", "critical_begin", "__VERIFIER_assert", "% 3", "thread2("] {
            assert!(all.contains(construct), "no program has `{construct}`");
        }
    }
}

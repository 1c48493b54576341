//! Programs built around a critical cycle: each thread makes two accesses, the second to the location of the next thread's
//! first one, and the assertion says that the values do not close the cycle. Sequential consistency forbids it; what else
//! does depends on what stands between the accesses.

use super::generate::Generator;

/// One of the two accesses of a thread.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub place: &'static str,
    /// What it writes, if it is a write.
    pub value: Option<usize>,
    /// What it must see for the cycle to close, if it is a read.
    pub seen: usize,
}

/// The accesses of each thread, and what must hold of memory in the end for the cycle to close.
#[derive(Debug, Clone, Default)]
pub(super) struct Cycle {
    pub threads: Vec<[Access; 2]>,
    pub finally: Vec<String>,
}

impl Generator<'_> {
    /// A cycle through so many threads.
    pub fn cycle(&mut self, threads: usize) -> Cycle {
        let mut places = vec!["x", "y", "z"];
        if self.has.array {
            places.extend(["a[0]", "a[1]"]);
        }
        if self.has.structure {
            places.extend(["s.f", "s.g"]);
        }
        let mut locations = Vec::new();
        for _ in 0..threads {
            locations.push(places.swap_remove(self.rng.below(places.len())));
        }
        // The kinds of the two accesses that meet at each location: a thread's second and the next one's first.
        let mut meetings = Vec::new();
        for _ in 0..threads {
            meetings.push(*self.rng.pick(&[(true, false), (false, true), (false, true), (true, true)]));
        }
        self.stored = self.stored.max(2);
        let mut cycle = Cycle::default();
        for thread in 0..threads {
            let (here, next) = (thread, (thread + 1) % threads);
            let (before_writes, first_writes) = meetings[here];
            let (second_writes, _) = meetings[next];
            let first = Access {
                place: locations[here],
                value: first_writes.then_some(if before_writes { 2 } else { 1 }),
                // It reads from the thread before.
                seen: 1,
            };
            let second = Access { place: locations[next], value: second_writes.then_some(1), seen: 0 };
            if before_writes && first_writes {
                cycle.finally.push(format!("{} == 2", locations[here]));
            }
            cycle.threads.push([first, second]);
        }
        cycle
    }

    /// Makes an access in one of the ways there are, and gives the local that holds what it saw.
    pub fn access(&mut self, access: &Access) -> Option<String> {
        let has = self.has;
        let guarded = match self.rng.below(12) {
            0 | 1 if has.mutex => Some(("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);")),
            2 | 3 if has.section => Some(("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();")),
            _ => None,
        };
        if let Some((before, _)) = guarded {
            self.line(before);
        }
        let seen = match access.value {
            Some(value) => {
                self.write(access.place, value);
                None
            }
            None => Some(self.read(access.place)),
        };
        if let Some((_, after)) = guarded {
            self.line(after);
        }
        seen
    }

    fn read(&mut self, place: &str) -> String {
        let name = format!("l{}", self.named);
        self.named += 1;
        let int = place != "z" && place != "s.g";
        let order = *self.rng.pick(&[0, 0, 1, 2, 5]);
        match self.rng.below(14) {
            0 if self.has.call && int => self.line(&format!("int {name} = get(&{place});")),
            1..4 if self.has.atomic => self.line(&format!("int {name} = __atomic_load_n(&{place}, {order});")),
            4 if self.has.atomic && self.bits() => {
                self.line(&format!("int {name} = __atomic_fetch_add(&{place}, 0, {order});"));
            }
            5 => {
                self.line(&format!("int {name} = 0;"));
                self.line(&format!("if ({place}) {name} = {place};"));
            }
            6 if int => {
                self.line(&format!("int *q{name} = &{place};"));
                self.line(&format!("int {name} = *q{name};"));
            }
            7 if self.has.loops => {
                self.line(&format!("int {name} = 0;"));
                self.open(&format!("for (int k{name} = 0; k{name} < 2; k{name}++)"));
                self.line(&format!("{name} = {place};"));
                self.close();
            }
            _ => self.line(&format!("int {name} = {place};")),
        }
        self.locals.push(name.clone());
        name
    }

    fn write(&mut self, place: &str, value: usize) {
        let int = place != "z" && place != "s.g";
        let order = *self.rng.pick(&[0, 0, 3, 3, 5]);
        let local = self.local();
        let dependent = match (&local, self.rng.below(5)) {
            (Some(local), 0) => format!("({local} ^ {local}) + {value}"),
            (Some(local), 1) => format!("{local} > 3 ? 0 : {value}"),
            _ => value.to_string(),
        };
        match self.rng.below(14) {
            0 if self.has.call && int => self.line(&format!("set(&{place}, {dependent});")),
            1..4 if self.has.atomic => self.line(&format!("__atomic_store_n(&{place}, {dependent}, {order});")),
            4 if self.has.atomic => {
                self.line(&format!("__atomic_exchange_n(&{place}, {dependent}, {order});"));
            }
            5 if self.has.atomic && self.bits() => {
                self.line(&format!("__atomic_fetch_or(&{place}, {value}, {order});"));
            }
            6 if int => {
                self.line(&format!("int *w{} = &{place};", self.named));
                self.line(&format!("*w{} = {dependent};", self.named));
                self.named += 1;
            }
            7 | 8 => {
                if let Some(local) = local {
                    let bound = self.rng.below(3);
                    self.line(&format!("if ({local} >= {bound} || {local} < 3) {place} = {dependent};"));
                } else {
                    self.line(&format!("{place} = {dependent};"));
                }
            }
            9 => self.line(&format!("{place} |= {value};")),
            _ => self.line(&format!("{place} = {dependent};")),
        }
    }

    /// Whether arithmetic on the third variable is that of numbers.
    fn bits(&self) -> bool {
        self.third != "_Bool"
    }
}

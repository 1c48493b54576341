//! What threads do.

use super::generate::Generator;

impl Generator<'_> {
    /// Statements until the accesses are used up.
    pub fn statements(&mut self) {
        for _ in 0..6 {
            if self.budget == 0 {
                break;
            }
            self.statement();
        }
        if self.locals.len() > 1 && self.rng.chance(20) {
            self.assertion();
        }
    }

    /// A new local that holds this.
    fn keep(&mut self, value: &str) {
        let name = format!("l{}", self.named);
        self.named += 1;
        self.line(&format!("int {name} = {value};"));
        self.locals.push(name);
    }

    /// A block with its own locals.
    fn block(&mut self, head: &str, content: impl FnOnce(&mut Self)) {
        self.open(head);
        let outside = self.locals.len();
        content(self);
        self.locals.truncate(outside);
        self.close();
    }

    /// One or two small statements in a block of their own, at no great depth.
    fn inner(&mut self) {
        let count = 1 + usize::from(self.rng.chance(30));
        for _ in 0..count {
            if self.depth < 4 && self.rng.chance(20) { self.statement() } else { self.simple() }
        }
    }

    /// One statement.
    pub fn statement(&mut self) {
        let has = self.has;
        if has.fence && self.rng.chance(25) {
            self.fence();
        }
        if self.rare.is_some() && self.rng.chance(30) {
            return self.extra();
        }
        match self.rng.below(100) {
            0..8 => self.branch(),
            8..11 => self.choice(),
            11..14 if !self.locals.is_empty() => {
                let condition = self.condition();
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            14..34 if has.atomic => self.atomic(),
            34..44 if has.section && !self.inside => self.section(),
            44..58 if has.mutex && !self.inside => self.locked(),
            58..66 if has.loops => self.repeat(),
            66..72 if has.wait && !self.inside => self.wait(),
            66..74 if has.semaphore && !self.inside => self.semaphore(),
            74..79 if has.barrier && !self.inside && self.depth == 1 => self.line("pthread_barrier_wait(&bar);"),
            79..84 if has.condition && !self.inside => self.signal(),
            84..92 if has.heap => self.heap(),
            92..94 if self.depth < 3 && !self.inside => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) return 0;"));
            }
            _ => self.simple(),
        }
    }

    /// A statement without parts.
    fn simple(&mut self) {
        let has = self.has;
        match self.rng.below(100) {
            0..40 => {
                let place = self.place();
                self.keep(&place);
            }
            40..44 => {
                let place = self.place();
                let operator = *self.rng.pick(&["++", "--", " += 2", " |= 1", " ^= 1", " -= 1", " *= 2", " &= 1"]);
                self.budget = self.budget.saturating_sub(1);
                let place = if place.starts_with('*') { format!("({place})") } else { place };
                self.line(&format!("{place}{operator};"));
            }
            44..48 => {
                let (first, second) = (self.place(), self.place());
                let operator = *self.rng.pick(&["&&", "||", "+", "-", "==", "<"]);
                self.keep(&format!("{first} {operator} {second}"));
            }
            48..51 => {
                let (condition, first, second) = (self.condition(), self.place(), self.value());
                self.keep(&format!("({condition}) ? {first} : {second}"));
            }
            51..57 if has.call => self.call(),
            57..63 if has.pointer => {
                let target = *self.rng.pick(&["&x", "&y"]);
                self.budget = self.budget.saturating_sub(1);
                self.line(&format!("p = {target};"));
            }
            63..66 => {
                let (first, second, value) = (self.place(), self.place(), self.value());
                if first != second {
                    self.line(&format!("{first} = {second} = {value};"));
                }
            }
            66..69 if has.nondet => {
                let any = self.any();
                self.keep(&any);
            }
            69..71 if self.locals.len() > 1 => self.assertion(),
            71..73 if !self.locals.is_empty() => {
                let (local, value) = (self.rng.pick(&self.locals).clone(), self.value());
                self.line(&format!("{local} = {value};"));
            }
            _ => {
                let (place, value) = (self.place(), self.value());
                self.line(&format!("{place} = {value};"));
            }
        }
    }

    fn call(&mut self) {
        let address = self.address();
        match self.rng.below(4) {
            0 | 1 => self.keep(&format!("get({address})")),
            2 => {
                let value = self.value();
                self.line(&format!("set({address}, {value});"));
            }
            _ => {
                let place = self.place();
                self.line(&format!("set({address}, next({place}));"));
            }
        }
    }

    fn branch(&mut self) {
        let condition = self.condition();
        let both = self.rng.chance(40);
        self.block(&format!("if ({condition})"), Self::inner);
        if both {
            // The end of the first block and the beginning of the second share a line.
            self.lines.pop();
            self.block("} else", Self::inner);
        }
    }

    fn choice(&mut self) {
        let what = self.local().unwrap_or_else(|| "x".to_owned());
        self.open(&format!("switch ({what})"));
        let outside = self.locals.len();
        for label in ["case 0:", "case 1:", "default:"] {
            if label == "case 1:" && self.rng.chance(30) {
                continue;
            }
            // The braces give each case its own locals.
            self.block(label, Self::inner);
            if self.rng.chance(75) {
                self.line("break;");
            }
        }
        self.locals.truncate(outside);
        self.close();
    }

    /// A loop whose bound is a constant; perhaps it ends sooner because of something shared.
    fn repeat(&mut self) {
        let counter = format!("i{}", self.named);
        self.named += 1;
        let ends = self.rng.chance(40);
        let head = if self.rng.chance(70) {
            format!("for (int {counter} = 0; {counter} < 2; {counter}++)")
        } else {
            self.line(&format!("int {counter} = 0;"));
            format!("while ({counter}++ < 2)")
        };
        self.budget = self.budget.saturating_sub(2);
        self.block(&head, |this| {
            if ends {
                let condition = this.condition();
                let way = *this.rng.pick(&["break", "break", "continue"]);
                this.line(&format!("if ({condition}) {way};"));
            }
            this.simple();
            if this.rng.chance(20) {
                this.line(&format!("x = {counter};"));
            }
        });
    }

    /// A loop that only waits.
    fn wait(&mut self) {
        let place = self.place();
        let value = self.rng.below(2);
        let test = *self.rng.pick(&["==", "==", "!="]);
        if self.rng.chance(70) {
            self.line(&format!("while ({place} {test} {value});"));
        } else {
            let name = format!("l{}", self.named);
            self.named += 1;
            self.line(&format!("int {name} = 0;"));
            self.line(&format!("do {name} = {place}; while ({name} {test} {value});"));
            self.locals.push(name);
        }
    }

    fn locked(&mut self) {
        self.inside = true;
        if self.rng.chance(25) {
            self.block("if (pthread_mutex_trylock(&m) == 0)", |this| {
                this.inner();
                this.line("pthread_mutex_unlock(&m);");
            });
        } else {
            self.line("pthread_mutex_lock(&m);");
            self.inner();
            if self.has.condition && self.rng.chance(50) {
                let how = *self.rng.pick(&["pthread_cond_signal(&cond);", "pthread_cond_broadcast(&cond);"]);
                self.line(how);
            }
            self.line("pthread_mutex_unlock(&m);");
        }
        self.inside = false;
    }

    fn signal(&mut self) {
        self.line("pthread_mutex_lock(&m);");
        let place = self.place();
        self.line(&format!("if ({place} == 0) pthread_cond_wait(&cond, &m);"));
        self.inside = true;
        self.simple();
        self.inside = false;
        self.line("pthread_mutex_unlock(&m);");
    }

    fn semaphore(&mut self) {
        match self.rng.below(5) {
            0 => self.keep("sem_trywait(&sem)"),
            1 | 2 => self.line("sem_wait(&sem);"),
            _ => self.line("sem_post(&sem);"),
        }
    }

    fn section(&mut self) {
        self.inside = true;
        self.line("__VERIFIER_atomic_begin();");
        self.inner();
        if self.rng.chance(15) {
            let condition = self.condition();
            self.line(&format!("__VERIFIER_assume({condition});"));
        }
        self.line("__VERIFIER_atomic_end();");
        self.inside = false;
    }

    fn heap(&mut self) {
        let name = format!("n{}", self.named);
        self.named += 1;
        if self.rng.chance(50) {
            let how = *self.rng.pick(&["calloc(1, sizeof(struct node))", "malloc(sizeof(struct node))"]);
            self.line(&format!("struct node *{name} = {how};"));
            let value = self.value();
            self.line(&format!("{name}->v = {value};"));
            if self.rng.chance(30) {
                self.line(&format!("{name}->next = node;"));
            }
            self.line(&format!("node = {name};"));
        } else {
            self.line(&format!("struct node *{name} = node;"));
            let field = format!("{name}->v");
            if self.rng.chance(50) {
                self.keep(&format!("{name} ? {field} : 0"));
            } else {
                let value = self.value();
                self.line(&format!("if ({name}) {field} = {value};"));
            }
        }
        self.budget = self.budget.saturating_sub(2);
    }

    fn atomic(&mut self) {
        let (address, value) = (self.address(), self.value());
        let order = self.rng.below(6);
        let read = *self.rng.pick(&[0, 0, 1, 2, 5]);
        let write = *self.rng.pick(&[0, 0, 3, 3, 5]);
        self.budget = self.budget.saturating_sub(1);
        match self.rng.below(14) {
            0 | 1 => self.keep(&format!("__atomic_load_n({address}, {read})")),
            2..5 => self.line(&format!("__atomic_store_n({address}, {value}, {write});")),
            5 => self.keep(&format!("__atomic_exchange_n({address}, {value}, {order})")),
            6 => {
                let operation =
                    *self.rng.pick(&["fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "add_fetch", "and_fetch"]);
                self.keep(&format!("__atomic_{operation}({address}, {value}, {order})"));
            }
            7 | 8 => {
                let name = format!("e{}", self.named);
                self.named += 1;
                let (expected, weak) = (self.rng.below(2), usize::from(self.rng.chance(20)));
                self.line(&format!("int {name} = {expected};"));
                let swap = format!("__atomic_compare_exchange_n({address}, &{name}, {value}, {weak}, {order}, {read})");
                self.keep(&swap);
                if self.rng.chance(40) {
                    self.locals.push(name);
                }
            }
            9 => {
                let expected = self.rng.below(2);
                let which = *self.rng.pick(&["bool", "val"]);
                self.keep(&format!("__sync_{which}_compare_and_swap({address}, {expected}, {value})"));
            }
            10 => {
                let operation =
                    *self.rng.pick(&["fetch_and_add", "add_and_fetch", "fetch_and_or", "lock_test_and_set"]);
                self.keep(&format!("__sync_{operation}({address}, {value})"));
            }
            11 => self.line(&format!("__sync_lock_release({address});")),
            12 => self.line(&format!("__sync_fetch_and_sub({address}, 1);")),
            _ => {
                // Two attempts at most.
                let counter = format!("i{}", self.named);
                self.named += 1;
                self.block(&format!("for (int {counter} = 0; {counter} < 2; {counter}++)"), |this| {
                    this.line(&format!("int old = __atomic_load_n({address}, {read});"));
                    this.line(&format!("if (__sync_bool_compare_and_swap({address}, old, old + 1)) break;"));
                });
                self.budget = self.budget.saturating_sub(3);
            }
        }
    }

    /// A fence of some kind.
    pub fn fence(&mut self) {
        let text = match self.rng.below(12) {
            0 | 1 => "__sync_synchronize();".to_owned(),
            2 | 3 => format!("__atomic_thread_fence({});", self.rng.below(6)),
            4..9 => {
                let name = *self.rng.pick(&["mfence", "lwsync", "sync", "sfence", "lfence", "eieio", "isync"]);
                format!("__asm__ __volatile__(\"{name}\" ::: \"memory\");")
            }
            _ => {
                let kinds = ["WWfence", "WRfence", "RWfence", "RRfence"];
                let mut wanted: Vec<String> =
                    kinds.iter().filter(|_| self.rng.chance(40)).map(|kind| format!("\"{kind}\"")).collect();
                if wanted.is_empty() {
                    wanted.push("\"WWfence\"".to_owned());
                }
                format!("__CPROVER_fence({});", wanted.join(", "))
            }
        };
        self.line(&text);
    }

    /// Something about two values that the thread has seen.
    fn assertion(&mut self) {
        let (first, second) = (self.rng.pick(&self.locals).clone(), self.rng.pick(&self.locals).clone());
        let (one, other) = (self.rng.below(self.stored + 1), self.rng.below(2));
        if first == second {
            return;
        }
        if self.rng.chance(50) {
            self.line(&format!("assert(!({first} == {one} && {second} == {other}));"));
        } else {
            self.line(&format!("if ({first} == {one} && {second} == {other}) reach_error();"));
        }
    }
}

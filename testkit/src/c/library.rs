//! What the programs declare: their shared variables, helper functions, and what they use of libraries.

use super::generate::Generator;

impl Generator<'_> {
    /// Everything before the first thread.
    pub fn declarations(&mut self) -> String {
        let mut text = "typedef unsigned long pthread_t;\n\
             int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
             int pthread_join(pthread_t, void **);\n\
             void assert(int);\n\
             void reach_error(void);\n\
             void __VERIFIER_assume(int);\n"
            .to_owned();
        let has = self.has;
        let library = [
            (has.nondet, "_Bool __VERIFIER_nondet_bool(void);\nunsigned char __VERIFIER_nondet_uchar(void);\n"),
            (has.section, "void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n"),
            (has.fence, "void __CPROVER_fence(const char *, ...);\n"),
            (has.heap, "void *malloc(unsigned long);\nvoid *calloc(unsigned long, unsigned long);\n"),
            (has.heap, "struct node { int v; struct node *next; };\nstruct node *node;\n"),
            (
                has.mutex,
                "typedef union { char size[40]; long align; } pthread_mutex_t;\nint pthread_mutex_lock(pthread_mutex_t \
                 *);\nint pthread_mutex_trylock(pthread_mutex_t *);\nint pthread_mutex_unlock(pthread_mutex_t \
                 *);\npthread_mutex_t m;\n",
            ),
            (
                has.condition,
                "typedef union { char size[48]; long align; } pthread_cond_t;\nint pthread_cond_wait(pthread_cond_t *, \
                 pthread_mutex_t *);\nint pthread_cond_signal(pthread_cond_t *);\nint \
                 pthread_cond_broadcast(pthread_cond_t *);\npthread_cond_t cond;\n",
            ),
            (
                has.semaphore,
                "typedef union { char size[32]; long align; } sem_t;\nint sem_init(sem_t *, int, unsigned);\nint \
                 sem_wait(sem_t *);\nint sem_trywait(sem_t *);\nint sem_post(sem_t *);\nsem_t sem;\n",
            ),
            (
                has.barrier,
                "typedef union { char size[32]; long align; } pthread_barrier_t;\nint \
                 pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);\nint \
                 pthread_barrier_wait(pthread_barrier_t *);\npthread_barrier_t bar;\n",
            ),
            (has.array, "int a[2];\n"),
            (has.structure, "struct pair { int f; short g; };\nstruct pair s;\nstruct pair *sp = &s;\n"),
        ];
        text.extend(library.iter().filter(|(wanted, _)| *wanted).map(|(_, lines)| *lines));
        let (first, second) = (self.initial(), self.initial());
        text += &format!("int x{first};\nint y{second};\n{} z;\n", self.third);
        if has.pointer {
            text += "int *p = &x;\n";
        }
        text += self.rare.map_or("", |rare| rare.declares);
        if has.call {
            text += "\nint get(int *from) {\n    return *from;\n}\n\nvoid set(int *to, int value) {\n    *to = value;\n}\n\n\
                     int next(int value) {\n    return value < 2 ? value + 1 : value;\n}\n";
        }
        text
    }

    fn initial(&mut self) -> &'static str {
        match self.rng.below(10) {
            0 | 1 => " = 0",
            _ => "",
        }
    }
}

//! Constructs that few programs have.

use super::generate::Generator;

/// A construct: what it declares, and what threads do with it. In statements `@` stands for a number that makes names unique, `$` for
/// a place that holds an `int`, `#` for a small constant, `~` for a condition.
pub(super) struct Extra {
    /// What stands before the first function.
    pub declares: &'static str,
    /// Each has one or more lines. What it leaves behind in `l@` is used later.
    pub statements: &'static [&'static [&'static str]],
    /// Whether a thread may wait here.
    pub waits: bool,
}

/// All of them.
pub(super) const EXTRAS: &[Extra] = &[
    Extra {
        declares: "int cells[2];\nint *at = cells;\n",
        statements: &[
            &["at = &cells[1];"],
            &["at = cells + (# & 1);"],
            &["*at = #;"],
            &["cells[# % 2] = #;"],
            &["int l@ = *(cells + ($ & 1));"],
            &["int l@ = at[0];"],
            &["int l@ = at == cells ? 1 : *at;"],
            &["int l@ = at - cells;"],
        ],
        waits: false,
    },
    Extra {
        declares: "struct point { int h; int v; };\nstruct point from, to;\n",
        statements: &[
            &["from.h = #;", "from.v = #;"],
            &["to = from;"],
            &["struct point c@ = to;", "int l@ = c@.h - c@.v;"],
            &["struct point c@ = { .v = #, .h = $ };", "to = c@;"],
            &["struct point *c@ = ~ ? &from : &to;", "int l@ = c@->h;"],
        ],
        waits: false,
    },
    Extra {
        declares: "_Atomic int w;\n",
        statements: &[&["w = #;"], &["w++;"], &["w += #;"], &["int l@ = w;"], &["int l@ = ++w;"], &["int l@ = w--;"]],
        waits: false,
    },
    Extra {
        declares: "int tick(int *also) {\n    static int ticks;\n    *also = ticks;\n    return ticks++;\n}\n",
        statements: &[&["int l@ = tick(&$);"], &["int k@ = 0;", "tick(&k@);", "int l@ = k@;"]],
        waits: false,
    },
    Extra {
        declares: "int twice(int *of) {\n    return *of + *of;\n}\n\nint zero(int *of) {\n    int old = *of;\n    *of = 0;\n    \
                   return old;\n}\n\nint (*work)(int *) = twice;\n",
        statements: &[&["work = zero;"], &["int l@ = work(&$);"], &["int l@ = (~ ? twice : zero)(&$);"]],
        waits: false,
    },
    Extra {
        declares: "__thread int own;\n",
        statements: &[&["own = $;"], &["own += #;"], &["int l@ = own;"], &["int *o@ = &own;", "*o@ = $;"]],
        waits: false,
    },
    Extra {
        declares: "int down(int *of, int depth) {\n    return depth ? *of + down(of, depth - 1) : 0;\n}\n",
        statements: &[&["int l@ = down(&$, 2);"], &["$ = down(&$, 1);"]],
        waits: false,
    },
    Extra {
        declares: "",
        statements: &[
            &["if (~) goto out@;", "$ = #;", "out@:;"],
            &["int i@ = 0;", "again@:;", "int l@ = $;", "if (i@++ < 1) goto again@;"],
            &["int l@ = ({ int inner@ = $; inner@ + 1; });"],
            &["int l@ = ($ = #, $);"],
            &["int l@ = sizeof($) == 4 ? $ : #;"],
            &["do { $ = #; } while (0);"],
        ],
        waits: false,
    },
    Extra {
        declares: "int lock;\n",
        statements: &[
            &["while (__sync_lock_test_and_set(&lock, 1));", "$ = $ + 1;", "__sync_lock_release(&lock);"],
            &["while (__atomic_exchange_n(&lock, 1, 2));", "int l@ = $;", "__atomic_store_n(&lock, 0, 3);"],
            &["while (!__sync_bool_compare_and_swap(&lock, 0, 1));", "$ = #;", "lock = 0;"],
        ],
        waits: true,
    },
    Extra {
        declares: "typedef union { char size[56]; long align; } pthread_rwlock_t;\nint pthread_rwlock_rdlock(pthread_rwlock_t \
                   *);\nint pthread_rwlock_wrlock(pthread_rwlock_t *);\nint pthread_rwlock_unlock(pthread_rwlock_t \
                   *);\npthread_rwlock_t rw;\n",
        statements: &[
            &["pthread_rwlock_rdlock(&rw);", "int l@ = $;", "pthread_rwlock_unlock(&rw);"],
            &["pthread_rwlock_wrlock(&rw);", "$ = $ + #;", "pthread_rwlock_unlock(&rw);"],
        ],
        waits: true,
    },
    Extra {
        declares: "typedef int pthread_spinlock_t;\nint pthread_spin_lock(pthread_spinlock_t *);\nint \
                   pthread_spin_unlock(pthread_spinlock_t *);\npthread_spinlock_t spin;\n",
        statements: &[&["pthread_spin_lock(&spin);", "int l@ = $;", "$ = l@ + 1;", "pthread_spin_unlock(&spin);"]],
        waits: true,
    },
    Extra {
        declares: "typedef int pthread_once_t;\nint pthread_once(pthread_once_t *, void (*)(void));\npthread_once_t \
                   once;\nint begun;\n\nvoid begin(void) {\n    begun++;\n}\n",
        statements: &[&["pthread_once(&once, begin);", "int l@ = begun;"]],
        waits: true,
    },
    Extra {
        declares: "int grid[2][2];\nunion both { int one; unsigned other; };\nunion both u;\n",
        statements: &[
            &["grid[# & 1][$ & 1] = #;"],
            &["int l@ = grid[1][0] + grid[0][1];"],
            &["u.one = #;"],
            &["int l@ = u.other;"],
            &["int *g@ = grid[1];", "int l@ = g@[$ & 1];"],
        ],
        waits: false,
    },
    Extra {
        declares: "struct node2 { int v; struct node2 *next; };\nstruct node2 first, second;\nstruct node2 *head = &first;\n",
        statements: &[
            &["first.next = &second;"],
            &["second.v = #;", "head = &second;"],
            &["head->v = #;"],
            &["int l@ = head->next ? head->next->v : head->v;"],
            &["struct node2 *h@ = head;", "while (h@->next) h@ = h@->next;", "int l@ = h@->v;"],
        ],
        waits: false,
    },
];

impl Generator<'_> {
    /// One of the statements of the program's rare construct.
    pub fn extra(&mut self) {
        let Some(extra) = self.rare.filter(|extra| !(extra.waits && self.inside)) else { return };
        let number = self.named;
        self.named += 1;
        let mut left_behind = false;
        for line in *self.rng.pick(extra.statements) {
            let mut text = String::new();
            for piece in line.split_inclusive(['$', '#', '~', '@']) {
                text.push_str(piece.trim_end_matches(['$', '#', '~', '@']));
                match piece.chars().last() {
                    Some('$') => text.push_str(&self.int_place()),
                    Some('#') => text.push_str(&self.constant().to_string()),
                    Some('@') => text.push_str(&number.to_string()),
                    Some('~') => text.push_str(&format!("({})", self.condition())),
                    _ => {}
                }
            }
            left_behind |= text.contains(&format!("int l{number} = "));
            self.line(&text.replace("&*", ""));
        }
        if left_behind {
            self.locals.push(format!("l{number}"));
        }
        self.budget = self.budget.saturating_sub(2);
    }
}

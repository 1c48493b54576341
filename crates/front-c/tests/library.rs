//! What calls of the C library, of compilers' builtins and of other verifiers' intrinsics become.

use front_c::{Options, parse};
use ir::{Op, Program, System, TagSet, Terminator};
use source::SourceFile;

const GLOBALS: &str = "int x, y; unsigned char b; int *p; void *run(void *arg) { return arg; }\n\
                       struct pair { int first; long second; }; struct pair s, t;\n";

fn program(text: &str, options: &Options) -> Program {
    let file = SourceFile::new("t.c", text);
    let program = parse(&file, None, options).unwrap_or_else(|error| panic!("{}", error.render(false)));
    ir::validate(&program).unwrap_or_else(|error| panic!("{error:?}"));
    program
}

/// A program whose `main` has this body.
fn lower(body: &str) -> Program {
    program(&format!("{GLOBALS}int main(void) {{ {body} return 0; }}\n"), &Options::default())
}

fn names(program: &Program, tags: &TagSet) -> String {
    let mut names: Vec<&str> = tags.iter().map(|tag| &*program.tags[tag.index()]).collect();
    names.sort_unstable();
    names.join(".")
}

/// Adds the blocks that can be reached, in postorder: what is done when a condition holds comes last.
fn visit(function: &ir::Function, block: ir::BlockId, seen: &mut [bool], order: &mut Vec<ir::BlockId>) {
    if std::mem::replace(&mut seen[block.index()], true) {
        return;
    }
    match &function.blocks[block.index()].terminator {
        Terminator::Goto(next) => visit(function, *next, seen, order),
        Terminator::Branch { then, otherwise, .. } => {
            visit(function, *otherwise, seen, order);
            visit(function, *then, seen, order);
        }
        Terminator::Return(_) | Terminator::Exit(_) | Terminator::Cut { .. } => {}
    }
    order.push(block);
}

/// What a function does besides assignments, one word for each instruction.
fn ops(program: &Program, function: &str) -> Vec<String> {
    let function = program.functions.iter().find(|f| f.name == function).expect("the function is reachable");
    let mut order = Vec::new();
    visit(function, ir::BlockId(0), &mut vec![false; function.blocks.len()], &mut order);
    order
        .iter()
        .rev()
        .flat_map(|block: &ir::BlockId| &function.blocks[block.index()].instrs)
        .filter_map(|instr| {
            Some(match &instr.op {
                Op::Assign { .. } | Op::System(System::Publish) => return None,
                Op::Load { tags, .. } => format!("R {}", names(program, tags)),
                Op::Store { tags, .. } => format!("W {}", names(program, tags)),
                Op::Rmw { when, read_tags, write_tags, .. } => {
                    let when = if when.is_some() { " if" } else { "" };
                    format!("RMW {} {}{when}", names(program, read_tags), names(program, write_tags))
                }
                Op::StoreConditional { .. } => "store conditional".to_owned(),
                Op::Fence { tags } => format!("F {}", names(program, tags)),
                Op::Assume { waits: true, .. } => "wait".to_owned(),
                Op::Assume { waits: false, .. } => "assume".to_owned(),
                Op::System(System::Call { function, .. }) => {
                    format!("call {}", program.functions[function.index()].name)
                }
                Op::System(System::Nondet { .. }) => "any".to_owned(),
                Op::System(System::Assert { message, .. }) => format!("assert {message}"),
                Op::System(System::Check { message, .. }) => format!("check {message}"),
                Op::System(System::Spawn { function, .. }) => {
                    format!("spawn {}", program.functions[function.index()].name)
                }
                Op::System(System::Join { result, .. }) => {
                    if result.is_some() {
                        "join result".to_owned()
                    } else {
                        "join".to_owned()
                    }
                }
                Op::System(System::Current { .. }) => "self".to_owned(),
                Op::System(System::Alloc { name, cells, zeroed, .. }) => {
                    let cells = cells.as_ref().map_or("?".to_owned(), |cells| cells.len().to_string());
                    format!("alloc {name} {cells}{}", if *zeroed { " zero" } else { "" })
                }
                Op::System(System::AtomicBegin) => "begin".to_owned(),
                Op::System(System::AtomicEnd) => "end".to_owned(),
                Op::System(System::Critical { enter: true }) => "enter".to_owned(),
                Op::System(System::Critical { enter: false }) => "leave".to_owned(),
                Op::System(System::Await) => "await".to_owned(),
            })
        })
        .collect()
}

fn main_ops(body: &str) -> Vec<String> {
    ops(&lower(body), "main")
}

#[track_caller]
fn becomes(body: &str, expected: &[&str]) {
    assert_eq!(main_ops(body), expected, "{body}");
}

#[track_caller]
fn refused(body: &str, message: &str) {
    let text = format!("{GLOBALS}int main(void) {{ {body} return 0; }}\n");
    let file = SourceFile::new("t.c", text);
    let error = parse(&file, None, &Options::default()).expect_err(body);
    let rendered = error.render(false);
    assert!(rendered.contains(message), "{rendered}");
    assert!(rendered.contains("help"), "a way round is missing: {rendered}");
}

#[test]
fn the_sync_family_is_full_barriers() {
    becomes("__sync_fetch_and_add(&x, 1);", &["RMW A.SC A.SC"]);
    becomes("__sync_nand_and_fetch(&x, 1);", &["RMW A.SC A.SC"]);
    becomes("__sync_bool_compare_and_swap(&x, 0, 1);", &["RMW A.SC A.SC if"]);
    becomes("__sync_val_compare_and_swap(&x, 0, 1);", &["RMW A.SC A.SC if"]);
    becomes("__sync_lock_test_and_set(&x, 1);", &["RMW A.ACQ A.RLX"]);
    becomes("__sync_lock_release(&x);", &["W A.REL"]);
    becomes("__sync_synchronize();", &["F SC"]);
}

#[test]
fn the_atomic_family_has_the_orders_it_is_given() {
    becomes("__atomic_store_n(&x, 1, 3);", &["W A.REL"]);
    becomes("__atomic_load_n(&x, 2);", &["R A.ACQ"]);
    becomes("__atomic_load_n(&x, 1);", &["R A.ACQ"]);
    becomes("__atomic_exchange_n(&x, 1, 4);", &["RMW A.ACQ A.REL"]);
    becomes("__atomic_fetch_xor(&x, 1, 0);", &["RMW A.RLX A.RLX"]);
    becomes("__atomic_add_fetch(&x, 1, 5);", &["RMW A.SC A.SC"]);
    becomes("__atomic_test_and_set(&b, 5);", &["RMW A.SC A.SC"]);
    becomes("__atomic_clear(&b, 3);", &["W A.REL"]);
    becomes("__atomic_thread_fence(4);", &["F ACQ_REL"]);
    becomes("__atomic_thread_fence(0);", &[]);
    becomes("__atomic_signal_fence(5);", &[]);
}

#[test]
fn the_forms_through_pointers_need_no_memory_for_their_temporaries() {
    becomes("int v = 0; __atomic_load(&x, &v, 5);", &["R A.SC"]);
    becomes("int v = 1; __atomic_store(&x, &v, 0);", &["W A.RLX"]);
    becomes("int v = 1, o = 0; __atomic_exchange(&x, &v, &o, 5);", &["RMW A.SC A.SC"]);
    becomes("int v = 1, e = 0; __atomic_compare_exchange(&x, &e, &v, 0, 5, 5);", &["RMW A.SC A.SC if"]);
}

#[test]
fn a_compare_exchange_fails_with_its_own_order() {
    becomes("int e = 0; __atomic_compare_exchange_n(&x, &e, 1, 0, 4, 2);", &["RMW A.ACQ A.REL if"]);
    becomes("int e = 0; __atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5);", &["any", "RMW A.SC A.SC if"]);
    becomes(
        "int e = 0; __atomic_compare_exchange_n(&x, &e, 1, 0, 4, 0);",
        &["any", "RMW A.ACQ A.REL if", "assume", "RMW A.RLX A.RLX if", "assume"],
    );
    becomes(
        "int e = 0; __atomic_compare_exchange_n(&x, &e, 1, 1, 2, 0);",
        &["any", "RMW A.ACQ A.RLX if", "assume", "RMW A.RLX A.RLX if"],
    );
}

#[test]
fn c11_is_understood_as_headers_expand_it_and_as_functions() {
    becomes(
        "__extension__ ({ __auto_type __p = (&x); __typeof__ ((void)0, *__p) __t = (1); __atomic_store (__p, &__t, (5)); });",
        &["W A.SC"],
    );
    becomes(
        "int v = __extension__ ({ __auto_type __p = (&x); __typeof__ ((void)0, *__p) __t; __atomic_load (__p, &__t, (0)); \
         __t; });",
        &["any", "R A.RLX"],
    );
    becomes("atomic_store(&x, 1);", &["W A.SC"]);
    becomes("atomic_fetch_add_explicit(&x, 1, 0);", &["RMW A.RLX A.RLX"]);
    becomes("int e = 0; atomic_compare_exchange_strong(&x, &e, 1);", &["RMW A.SC A.SC if"]);
    becomes("__c11_atomic_init(&x, 1);", &["W NA"]);
    becomes("atomic_thread_fence(5);", &["F SC"]);
}

#[test]
fn an_order_must_be_a_constant() {
    refused("int o = x; __atomic_load_n(&x, o);", "memory order");
    refused("__atomic_store_n(&x, 1, 77);", "memory order");
}

#[test]
fn fences_keep_the_names_of_their_machines() {
    becomes("__asm__ __volatile__ (\"mfence\" ::: \"memory\");", &["F MFENCE"]);
    becomes("__asm__ (\"sync\"); __asm__ (\"lwsync\");", &["F SYNC", "F LWSYNC"]);
    becomes("__asm__ __volatile__ (\"\" ::: \"memory\");", &[]);
    becomes("__asm__ __volatile__ (\"lock; addl $0,0(%%rsp)\" ::: \"memory\");", &["F MFENCE"]);
    becomes("__builtin_ia32_sfence();", &["F SFENCE"]);
}

#[test]
fn instructions_of_x86_are_accesses_and_fences() {
    let locked = ["F MFENCE", "RMW A.SC A.SC", "F MFENCE"];
    becomes("__asm__ __volatile__ (\"lock; incl %0\" : \"+m\" (x));", &locked);
    becomes("int v = 1; __asm__ (\"xchgl %0,%1\" : \"+r\" (v), \"+m\" (x));", &locked);
    becomes("__asm__ __volatile__ (\"incl %0\" : \"+m\" (x));", &["R A.RLX", "W A.RLX"]);
    becomes("int v = 0; __asm__ (\"movl %1,%0\" : \"=r\" (v) : \"m\" (x));", &["R A.RLX"]);
    becomes("__asm__ (\"mfence; movl %1,%0\" : \"=m\" (x) : \"ri\" (1));", &["F MFENCE", "W A.RLX"]);
    let cas = "_Bool z = 0; int e = 0; __asm__ (\"lock cmpxchgl %3,%0\" : \"+m\" (x), \"=@ccz\" (z), \"+a\" (e) : \"r\" (1));";
    becomes(cas, &["F MFENCE", "RMW A.SC A.SC if", "F MFENCE"]);
}

#[test]
fn fences_of_cbmc_order_the_pairs_they_name() {
    becomes("__CPROVER_fence(\"WWfence\");", &["F WWFENCE"]);
    becomes("__CPROVER_fence(\"RRfence\", \"RWfence\", \"WWfence\", \"RRcumul\");", &["F RRFENCE.RWFENCE.WWFENCE"]);
    becomes("__CPROVER_fence(\"WWfence\", \"RRfence\", \"RWfence\", \"WRfence\");", &["F SC"]);
    refused("__CPROVER_fence(\"XYfence\");", "no kind of fence");
}

#[test]
fn threads_start_behind_a_fence_and_end_before_one() {
    let start = "unsigned long h = 0; void *r = 0; pthread_create(&h, 0, run, 0);";
    becomes(start, &["F LIBRARY.SC", "spawn run"]);
    becomes(&format!("{start} pthread_join(h, 0);"), &["F LIBRARY.SC", "spawn run", "join", "F LIBRARY.SC"]);
    becomes(&format!("{start} pthread_join(h, &r);"), &["F LIBRARY.SC", "spawn run", "join result", "F LIBRARY.SC"]);
    becomes("pthread_self(); sched_yield();", &["self"]);
    refused("pthread_cancel(1);", "pthread_cancel");
    refused("pthread_atfork(0, 0, 0);", "pthread_atfork");
    refused("int a; pthread_mutexattr_setrobust(&a, 1);", "robust");
    refused("int n; printf(\"%d%n\", 1, &n);", "`%n`");
}

#[test]
fn a_lock_is_one_update_and_an_unlock_one_write() {
    let text = "typedef union { char size[40]; long align; } pthread_mutex_t;\n\
                pthread_mutex_t m = { { 0 } };\n\
                int main(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }\n";
    let program = program(text, &Options::default());
    let object = program.objects.iter().find(|object| object.name == "m").expect("the mutex is an object");
    assert_eq!(object.cells.len(), 4, "the library's type counts, not the header's");
    let lock = ops(&program, "pthread_mutex_lock");
    assert_eq!(lock[0], "R A.RLX", "{lock:?}");
    let plain = ["F MUTEX.SC", "await", "RMW A.ACQ A.RLX if", "wait", "F MUTEX.SC"];
    assert!(lock.ends_with(&plain.map(str::to_owned)), "{lock:?}");
    let unlock = ops(&program, "pthread_mutex_unlock");
    assert!(unlock.ends_with(&["F MUTEX.SC", "W A.REL", "F MUTEX.SC"].map(str::to_owned)), "{unlock:?}");
    assert!(program.functions.iter().all(|f| f.library == (f.name != "main")));
}

#[test]
fn all_of_the_runtime_can_be_lowered() {
    let text = "typedef int pthread_mutex_t, pthread_cond_t, pthread_rwlock_t, pthread_barrier_t, sem_t, once_flag;\n\
        typedef int pthread_mutexattr_t; typedef unsigned key; int once; int spin; int kind; unsigned k;\n\
        pthread_mutexattr_t a; pthread_mutex_t m; pthread_cond_t c; pthread_rwlock_t l; pthread_barrier_t b; sem_t s; \
        once_flag f; void job(void) {} int start(void *p) { return 1; }\n\
        void *pthread_getspecific(unsigned); void *tss_get(unsigned);\n\
        int main(void) { pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, 1);\n\
        pthread_mutexattr_gettype(&a, &kind); pthread_mutex_init(&m, &a); pthread_mutex_trylock(&m);\n\
        pthread_mutex_timedlock(&m, 0); pthread_mutex_clocklock(&m, 0, 0); pthread_mutex_unlock(&m);\n\
        pthread_mutex_destroy(&m); pthread_mutexattr_destroy(&a); pthread_spin_init(&spin, 0);\n\
        pthread_spin_lock(&spin); pthread_spin_trylock(&spin); pthread_spin_unlock(&spin);\n\
        pthread_spin_destroy(&spin); pthread_cond_init(&c, 0); pthread_cond_wait(&c, &m);\n\
        pthread_cond_timedwait(&c, &m, 0); pthread_cond_clockwait(&c, &m, 0, 0); pthread_cond_signal(&c);\n\
        pthread_cond_broadcast(&c); pthread_cond_destroy(&c); pthread_rwlock_init(&l, 0);\n\
        pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); sem_wait(&s);\n\
        pthread_rwlock_timedrdlock(&l, 0); pthread_rwlock_timedwrlock(&l, 0); pthread_rwlock_unlock(&l);\n\
        pthread_rwlock_destroy(&l); pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b);\n\
        pthread_barrier_destroy(&b); sem_init(&s, 0, 1); sem_timedwait(&s, 0); sem_post(&s);\n\
        sem_getvalue(&s, &kind); sem_destroy(&s); pthread_once(&once, job); call_once(&f, job);\n\
        pthread_key_create(&k, 0); pthread_setspecific(k, 0); pthread_getspecific(k); pthread_key_delete(k);\n\
        tss_create(&k, 0); tss_set(k, 0); tss_get(k); tss_delete(k); mtx_init(&m, 1); mtx_timedlock(&m, 0);\n\
        mtx_trylock(&m); mtx_lock(&m); mtx_unlock(&m); mtx_destroy(&m); cnd_init(&c); cnd_wait(&c, &m);\n\
        cnd_timedwait(&c, &m, 0); cnd_signal(&c); cnd_broadcast(&c); cnd_destroy(&c);\n\
        unsigned long h; int r; thrd_create(&h, start, 0); thrd_join(h, &r); thrd_yield(); thrd_exit(0); return 0; }\n";
    let program = program(text, &Options::default());
    let wait = ops(&program, "pthread_cond_wait");
    let expected = [
        "call __fencepost_bit",
        "F LIBRARY.SC",
        "RMW A.RLX A.RLX",
        "call pthread_mutex_unlock",
        "await",
        "R A.ACQ.LIBRARY",
        "wait",
        "call pthread_mutex_lock",
    ];
    assert_eq!(wait, expected);
    let barrier = ops(&program, "pthread_barrier_wait");
    let misuse = "assert pthread_barrier_wait: the barrier is not initialised";
    let (fence, update) = ("F LIBRARY.SC", "RMW A.ACQ.LIBRARY A.LIBRARY.REL");
    assert_eq!(barrier, ["R A.RLX", misuse, fence, update, "await", "R A.ACQ.LIBRARY", "wait", fence]);
    let read = ops(&program, "pthread_rwlock_rdlock");
    let taken = ["F MUTEX.SC", "await", "RMW A.ACQ.LIBRARY A.RLX if", "wait", "F MUTEX.SC"];
    assert_eq!(read, taken);
    let semaphore = ops(&program, "sem_wait");
    assert_eq!(semaphore, taken);
}

#[test]
fn the_property_is_what_verifiers_say() {
    becomes("reach_error();", &["assert reach_error()", "assume"]);
    becomes("__VERIFIER_error();", &["assert __VERIFIER_error()", "assume"]);
    becomes("__assert_fail(\"x == 1\", \"t.c\", 3, \"main\");", &["assert x == 1", "assume"]);
    becomes("assert(x == 1);", &["R NA", "assert x == 1"]);
    becomes("__CPROVER_assert(x, \"it holds\");", &["R NA", "assert it holds"]);
    becomes("__VERIFIER_assume(x);", &["R NA", "assume"]);
    becomes("__VERIFIER_atomic_begin(); __VERIFIER_atomic_end();", &["F SC", "begin", "end", "F SC"]);
    becomes("__fencepost_critical_begin(); x = 1; __fencepost_critical_end();", &["enter", "W NA", "leave"]);
    becomes("x = __VERIFIER_nondet_int();", &["any", "W NA"]);
    becomes("abort();", &["assert abort()", "assume"]);
    refused("p = __VERIFIER_nondet_pointer();", "unknown kind");
}

#[test]
fn in_competitions_only_reach_error_counts() {
    let text = "void reach_error(void) {} int x;\n\
                int main(void) { if (x) __assert_fail(\"x\", \"t\", 1, \"m\"); assert(x); reach_error(); return 0; }\n";
    let ops = ops(&program(text, &Options { competition: true, ..Options::default() }), "main");
    let asserts: Vec<&String> = ops.iter().filter(|op| op.starts_with("assert")).collect();
    assert_eq!(asserts, ["assert reach_error()"], "{ops:?}");
}

#[test]
fn memory_has_the_cells_of_its_type_where_that_is_known() {
    becomes("p = malloc(sizeof(int));", &["alloc *p 1", "W NA"]);
    becomes("p = malloc(3 * sizeof(struct pair));", &["alloc *p 9", "W NA"]);
    becomes("p = malloc(sizeof(*p));", &["alloc *p 1", "W NA"]);
    becomes("p = calloc(4, sizeof(int));", &["alloc *p 4 zero", "W NA"]);
    becomes("p = malloc(x);", &["R NA", "alloc *p ?", "W NA"]);
    becomes("free(p);", &["R NA"]);
    becomes("p = realloc(p, 8);", &["R NA", "call realloc", "W NA"]);
}

#[test]
fn blocks_are_copied_scalar_by_scalar() {
    becomes("memcpy(&s, &t, sizeof(s));", &["R NA", "R NA", "R NA", "W NA", "W NA", "W NA"]);
    becomes("memset(&s, 0, sizeof s);", &["W NA", "W NA", "W NA"]);
    becomes("memset(&x, -1, sizeof x);", &["W NA"]);
    becomes("memcpy(&s, &t, 3);", &["R NA", "R NA", "R NA", "W NA", "W NA", "W NA"]);
    becomes("memcpy(&s, &t, x);", &["R NA", "call __fencepost_copy"]);
    becomes("memmove(&s, &t, x);", &["R NA", "call __fencepost_move"]);
}

#[test]
fn output_evaluates_its_arguments() {
    becomes("printf(\"%d\\n\", x++);", &["R NA", "W NA", "any"]);
    becomes("srand(1);", &[]);
    becomes("x = rand();", &["any", "W NA"]);
    refused("scanf(\"%d\", &x);", "scanf");
}

#[test]
fn the_kernels_operations_are_known() {
    becomes("smp_mb(); smp_wmb();", &["F MB", "F WMB"]);
    becomes("x = smp_load_acquire(&y);", &["R ACQUIRE", "W NA"]);
    becomes("smp_store_release(&x, 1);", &["W RELEASE"]);
    becomes("atomic_inc(&x);", &["RMW NORETURN.ONCE.RMW ONCE.RMW"]);
    becomes("atomic_add_return(2, &x);", &["RMW MB.RMW MB.RMW"]);
    becomes("atomic_fetch_add(2, &x);", &["RMW MB.RMW MB.RMW"]);
    becomes("atomic_fetch_add(&x, 2);", &["RMW A.SC A.SC"]);
    becomes("spin_lock(&x); spin_unlock(&x);", &["RMW ACQUIRE.LKR LKW if", "wait", "W RELEASE.UL"]);
    // What fails orders nothing.
    becomes("cmpxchg(&x, 0, 1);", &["any", "RMW MB.RMW MB.RMW if", "assume", "RMW ONCE.RMW ONCE.RMW if", "assume"]);
    becomes("rcu_read_lock(); rcu_read_unlock(); synchronize_rcu();", &["F RCU-LOCK", "F RCU-UNLOCK", "F SYNC-RCU"]);
    refused("call_rcu(0, 0);", "read-copy-update");
}

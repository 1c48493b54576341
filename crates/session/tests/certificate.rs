//! Certificates of the engine `predicate`: they hold, and each change that matters is noticed.

use engine::{MILLI, Unobserved, Verdict};
use model::Model;
use session::{Found, Reading, Request};
use source::SourceFile;
use std::sync::Arc;
use testkit::Budget;
use witness::invariant::{Claim, Held, Invariant};
use witness::{Flaw, Property, check_invariant};

const CLAIM: Claim = Claim { property: Property::Assertions { memory: true }, machine: true };

/// Store buffering with fences, each thread once: every abstract state is a state of the machine.
const STORES: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void __sync_synchronize(void);
    void assert(int);
    int x, y, a, b;
    void *one(void *p) { x = 1; __sync_synchronize(); a = y; return 0; }
    void *two(void *p) { y = 1; __sync_synchronize(); b = x; return 0; }
    int main(void) {
        pthread_t t, u;
        pthread_create(&t, 0, one, 0);
        pthread_create(&u, 0, two, 0);
        pthread_join(t, 0);
        pthread_join(u, 0);
        assert(a == 1 || b == 1);
        return 0;
    }
";

/// Counts for ever, with more writes in buffers than are kept in order.
const COUNTS: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    void assert(int);
    void __sync_synchronize(void);
    int x, y;
    void *up(void *p) { while (1) { x = x + 1; y = 1; y = 2; y = 3; __sync_synchronize(); } }
    void *look(void *p) { while (1) { int r = x; int s = x; y = 4; assert(r <= s); } }
    int main(void) {
        pthread_t t, u;
        pthread_create(&t, 0, up, 0);
        pthread_create(&u, 0, look, 0);
        return 0;
    }
";

/// Two critical sections, one after the other because of a lock.
const LOCKS: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    void __VERIFIER_atomic_begin(void);
    void __VERIFIER_atomic_end(void);
    void __VERIFIER_assume(int);
    void __fencepost_critical_begin(void);
    void __fencepost_critical_end(void);
    int lock;
    void *turn(void *p) {
        while (1) {
            __VERIFIER_atomic_begin();
            __VERIFIER_assume(lock == 0);
            lock = 1;
            __VERIFIER_atomic_end();
            __fencepost_critical_begin();
            __fencepost_critical_end();
            lock = 0;
        }
    }
    int main(void) {
        pthread_t t;
        pthread_create(&t, 0, turn, 0);
        pthread_create(&t, 0, turn, 0);
        return 0;
    }
";

/// `main` chooses where to begin before it starts a thread, and writes that to memory that the thread only reads.
const CHOOSES: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int __VERIFIER_nondet_int(void);
    void assert(int);
    int low, now;
    void *up(void *p) { while (1) { int r = now; if (r < 9) now = r + 1; assert(low <= r); } }
    int main(void) {
        pthread_t t;
        low = __VERIFIER_nondet_int();
        if (low < 0 || low > 5) return 0;
        now = low;
        pthread_create(&t, 0, up, 0);
        while (1) { int seen = now; assert(seen >= low); }
        return 0;
    }
";

fn request(k: Option<u32>) -> Request {
    let k = k.map(|k| k.to_string());
    let own: Vec<(&str, &str)> = k.iter().map(|k| ("k", &**k)).collect();
    Request::of("predicate", &own).expect("options that the engine has")
}

fn prove(text: &str, model: &str, k: Option<u32>) -> (Found<Verdict>, Arc<Invariant>, Model) {
    let reading = Reading::default();
    let program = session::load(&SourceFile::new("test.c", text), &reading).expect("the program is right");
    let model = Model::builtin(model).expect("a model of ours");
    let request = request(k);
    let found = session::check(&program, &model, &request, &Unobserved).expect("there is an answer");
    let certificate = found.certificate.clone().unwrap_or_else(|| panic!("no proof: {}", found.result));
    (found, certificate, model)
}

fn check(found: &Found<Verdict>, model: &Model, certificate: &Invariant, claim: Claim) -> Result<(), Flaw> {
    check_invariant(&found.program, model, certificate, claim, &|| true).map(|checked| {
        let checked = checked.expect("nobody said stop");
        assert_eq!(checked.regions, certificate.regions.len() as u64);
    })
}

/// How many changes of a kind were noticed, of how many.
fn count(
    (found, certificate, model): &(Found<Verdict>, Arc<Invariant>, Model),
    claim: Claim,
    changes: impl Iterator<Item = (usize, Option<usize>)>,
) -> (usize, usize) {
    let (mut noticed, mut all) = (0, 0);
    for (region, bound) in changes {
        let mut changed = Invariant::clone(certificate);
        match bound {
            Some(bound) => changed.regions[region].bounds[bound].limit -= 1,
            None => {
                changed.regions.remove(region);
            }
        }
        all += 1;
        noticed += usize::from(check(found, model, &changed, claim).is_err());
    }
    (noticed, all)
}

fn drops(certificate: &Invariant) -> impl Iterator<Item = (usize, Option<usize>)> + use<> {
    (0..certificate.regions.len()).map(|region| (region, None))
}

fn tightenings(certificate: &Invariant) -> Vec<(usize, Option<usize>)> {
    let regions = certificate.regions.iter().enumerate();
    regions.flat_map(|(at, region)| (0..region.bounds.len()).map(move |bound| (at, Some(bound)))).collect()
}

/// Here each abstract state holds a state that can be reached, and no other one holds it: none can be missing, and none can be
/// smaller.
#[test]
fn no_state_can_be_dropped_and_no_bound_lowered_where_all_is_exact() {
    for model in ["sc", "tso", "pso"] {
        let proof = prove(STORES, model, Some(3));
        check(&proof.0, &proof.2, &proof.1, CLAIM).expect("it holds as it is");
        let (noticed, all) = count(&proof, CLAIM, drops(&proof.1));
        assert_eq!(noticed, all, "{model}: states dropped");
        assert!(all > 20, "{model}: {all} states");
        let changes = tightenings(&proof.1);
        let (noticed, all) = count(&proof, CLAIM, changes.into_iter());
        assert_eq!(noticed, all, "{model}: bounds lowered");
        assert!(all > 100, "{model}: {all} bounds");
    }
}

/// With abstract buffers and predicates some states are wider than they need to be: most changes matter, not all.
#[test]
fn most_changes_are_noticed_where_states_are_abstract() {
    let claim = Claim { machine: false, ..CLAIM };
    for model in ["tso", "pso"] {
        let proof = prove(COUNTS, model, Some(1));
        check(&proof.0, &proof.2, &proof.1, claim).expect("it holds as it is");
        let flaw = check(&proof.0, &proof.2, &proof.1, CLAIM).expect_err("it overflows in the end").to_string();
        assert!(flaw.contains("out of the range"), "{flaw}");
        let (dropped, states) = count(&proof, claim, drops(&proof.1));
        let changes = tightenings(&proof.1);
        let (tightened, bounds) = count(&proof, claim, changes.into_iter());
        println!("{model}: {dropped} of {states} states dropped, {tightened} of {bounds} bounds lowered");
        assert_eq!(dropped, states, "{model}");
        assert!(tightened * 100 >= bounds * 95, "{model}: {tightened} of {bounds} noticed");
    }
}

/// A lock that is free while somebody is inside.
/// What `main` does while it is alone but has chosen is checked like any other step.
#[test]
fn choices_before_there_are_threads_are_checked() {
    for model in ["sc", "tso", "pso"] {
        let proof = prove(CHOOSES, model, None);
        check(&proof.0, &proof.2, &proof.1, CLAIM).expect("it holds as it is");
        let (noticed, all) = count(&proof, CLAIM, drops(&proof.1));
        assert!(noticed == all && all > 8, "{model}: {noticed} of {all} dropped states");
        let (found, certificate, model) = &proof;
        assert!(certificate.places.iter().any(|place| place.early), "a part of `main` is before there are threads");
        assert_eq!(certificate.settled.len(), 1, "nobody writes `low` while there are threads");
        let mut changed = Invariant::clone(certificate);
        changed.settled = changed.shared.clone();
        let flaw = check(found, model, &changed, CLAIM).expect_err("`now` is written").to_string();
        assert!(flaw.contains("nobody writes it"), "{flaw}");
        for early in [false, true] {
            let mut changed = Invariant::clone(certificate);
            changed.places.iter_mut().filter(|place| place.thread == 0).for_each(|place| place.early = early);
            assert!(check(found, model, &changed, CLAIM).is_err(), "all places of `main` are said to be {early}");
        }
        let mut changed = Invariant::clone(certificate);
        changed.places.iter_mut().filter(|place| place.started > 0).for_each(|place| place.early = true);
        assert!(check(found, model, &changed, CLAIM).is_err(), "`main` is said to be alone when it is not");
    }
}

#[test]
fn two_inside_are_noticed() {
    let (found, certificate, model) = prove(LOCKS, "tso", Some(2));
    check(&found, &model, &certificate, CLAIM).expect("it holds as it is");
    let mut changed = Invariant::clone(&certificate);
    let inside = |place: u32| certificate.places[place as usize].inside;
    let all = &certificate.regions;
    let first = all.iter().find(|region| region.threads.len() == 3 && inside(region.threads[1].0));
    let second = all.iter().find(|region| region.threads.len() == 3 && inside(region.threads[2].0));
    let (Some(first), Some(second)) = (first, second) else { panic!("each thread is inside some time") };
    let mut both = first.clone();
    both.threads[2] = second.threads[2].clone();
    changed.regions.push(both);
    let flaw = check(&found, &model, &changed, CLAIM).expect_err("two are inside").to_string();
    assert!(flaw.contains("two threads"), "{flaw}");
    let (noticed, all) = count(&(found, certificate.clone(), model), CLAIM, drops(&certificate));
    assert_eq!(noticed, all, "states dropped");
}

/// Random programs that never end: whatever is proved is proved with a certificate that holds, and of the states of a
/// certificate few can be missing.
#[test]
fn proofs_of_random_programs_hold() {
    let (mut proofs, mut noticed, mut dropped) = (0, 0, 0);
    for seed in 0..80 {
        let text = testkit::c::endless(&mut testkit::Rng::new(seed));
        let program = session::load(&SourceFile::new("random.c", &*text), &Reading::default()).expect("it is C");
        for (at, name) in ["sc", "tso", "pso"].into_iter().enumerate() {
            let model = Model::builtin(name).expect("a model of ours");
            let request = request(Some((seed + at as u64) as u32 % 3));
            let found = session::check(&program, &model, &request, &Budget::units(500 * MILLI));
            let found = found.unwrap_or_else(|failure| panic!("seed {seed}, {name}: {failure}\n{text}"));
            let Some(certificate) = found.certificate.clone() else { continue };
            proofs += 1;
            let Verdict::Safe(guarantee) = &found.result else { panic!("a certificate of {}", found.result) };
            let claim = Claim { machine: guarantee.is_full(), ..CLAIM };
            let every = certificate.regions.len() / 5 + 1;
            let some = drops(&certificate).step_by(every);
            let counted = count(&(found, certificate, model), claim, some);
            (noticed, dropped) = (noticed + counted.0, dropped + counted.1);
        }
    }
    println!("{proofs} proofs; {noticed} of {dropped} dropped states are noticed");
    assert!(proofs >= 50, "{proofs} proofs");
    assert!(noticed * 10 >= dropped * 9, "{noticed} of {dropped} noticed");
}

/// What the engine and the checker once took for granted: each is a proof that must not be there.
#[test]
fn what_is_not_safe_is_not_proved() {
    let head = "
        typedef unsigned long pthread_t;
        int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
        void assert(int);
        void __VERIFIER_assume(int);
        int __VERIFIER_nondet_int(void);
        void __VERIFIER_atomic_begin(void);
        void __VERIFIER_atomic_end(void);";
    let main = "
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, one, 0);
            pthread_create(&t, 0, two, 0);
            return 0;
        }";
    let verdict = |threads: &str| {
        let text = format!("{head}{threads}{main}");
        let program = session::load(&SourceFile::new("test.c", &*text), &Reading::default()).expect("it is C");
        let model = Model::builtin("sc").expect("a model of ours");
        let request = Request { engine: Some("predicate".to_owned()), ..Request::default() };
        let found = session::check(&program, &model, &request, &Unobserved).expect("there is an answer");
        found.result.to_string()
    };
    // Others come between the end of a section in which there is a loop and what comes after it.
    let between = "
        int x, y, n = 3;
        void *one(void *p) {
            int v, r;
            __VERIFIER_atomic_begin();
            x = 1;
            v = n;
            while (v > 0) v = v - 1;
            __VERIFIER_atomic_end();
            r = y;
            assert(r == 0);
            return 0;
        }
        void *two(void *p) { n = 3; if (x == 1) y = 1; return 0; }";
    assert_eq!(verdict(between), "UNSAFE");
    // A sum that overflows decides that a section takes place.
    let decides = "
        int x, y;
        void *one(void *p) {
            __VERIFIER_atomic_begin();
            __VERIFIER_assume(x + 1 < 0);
            y = 1;
            __VERIFIER_atomic_end();
            return 0;
        }
        void *two(void *p) {
            int v = __VERIFIER_nondet_int();
            __VERIFIER_assume(v >= 0);
            x = v;
            assert(y == 0);
            return 0;
        }";
    assert_eq!(verdict(decides), "SAFE (no overflow)");
    // Words overflow too.
    let words = "
        long x;
        int y;
        void *one(void *p) { while (1) x = x + 1; }
        void *two(void *p) { while (1) { long r = x; assert(y == 0); } }";
    assert_eq!(verdict(words), "SAFE (no overflow)");
}

#[test]
fn a_certificate_is_about_one_model_one_program_and_one_way_to_keep_writes() {
    let (found, certificate, model) = prove(STORES, "tso", Some(3));
    let noticed = |change: &dyn Fn(&mut Invariant), expected: &str| {
        let mut changed = Invariant::clone(&certificate);
        change(&mut changed);
        let flaw = check(&found, &model, &changed, CLAIM).expect_err(expected).to_string();
        assert!(flaw.contains(expected), "{flaw}, not {expected}");
    };
    noticed(&|changed| changed.regions.clear(), "the first state is in no region");
    noticed(&|changed| changed.regions.retain(|region| region.threads.len() > 1), "the first state is in no region");
    noticed(&|changed| changed.buffers = model::Buffers::None, "another model");
    noticed(&|changed| changed.k = 0, "leads into no region");
    noticed(&|changed| changed.places.clear(), "has no place");
    noticed(&|changed| changed.places[0].frames.clear(), "does not run");
    noticed(&|changed| changed.terms.clear(), "does not have");
    let x = *certificate.shared.iter().next().expect("there are shared cells");
    // That x belongs to one thread, or that nobody writes it.
    noticed(
        &|changed| {
            changed.shared.remove(&x);
            changed.private.insert(x, 1);
        },
        "does not have",
    );
    noticed(
        &|changed| {
            changed.shared.remove(&x);
            changed.terms.retain(|term| term[0].0 != witness::invariant::Quantity::Memory(x));
        },
        "the invariant",
    );
    // That a local holds something else than it does.
    noticed(
        &|changed| {
            for held in
                changed.places.iter_mut().flat_map(|place| &mut place.frames).flat_map(|frame| &mut frame.locals)
            {
                if let Held::Known(bits) = held {
                    *bits ^= 1;
                }
            }
        },
        "leads into no region",
    );
    // What holds under SC does not under TSO, even if it says that it is about TSO.
    let unfenced = STORES.replace("__sync_synchronize();", "");
    let (weak, sequential, _) = prove(&unfenced, "sc", Some(3));
    let mut swapped = Invariant::clone(&sequential);
    assert!(check(&weak, &model, &swapped, CLAIM).is_err_and(|flaw| flaw.to_string().contains("another model")));
    swapped.buffers = model::Buffers::Thread;
    assert!(check(&weak, &model, &swapped, CLAIM).is_err());
    // Another program, in which the fences are missing.
    let other = Found { program: weak.program.clone(), ..found.clone() };
    assert!(check(&other, &model, &certificate, CLAIM).is_err());
    // Another program, which asserts more.
    let (more, _, _) = prove(&STORES.replace("assert(a == 1 || b == 1)", "assert(a >= 0)"), "tso", Some(3));
    let mut stricter = more.clone();
    for function in &mut stricter.program.functions {
        for instr in function.blocks.iter_mut().flat_map(|block| &mut block.instrs) {
            if let ir::Op::System(ir::System::Assert { condition, .. }) = &mut instr.op {
                *condition = condition.clone().unary(ir::UnaryOp::Not);
            }
        }
    }
    let weaker = more.certificate.clone().expect("it is safe");
    let flaw = check(&stricter, &model, &weaker, CLAIM).expect_err("the assertion fails now").to_string();
    assert!(flaw.contains("may fail"), "{flaw}");
    // Whoever is told to stop says nothing.
    assert!(check_invariant(&found.program, &model, &certificate, CLAIM, &|| false).is_ok_and(|it| it.is_none()));
    let deadlock = Claim { property: Property::Deadlock, machine: true };
    assert!(check(&found, &model, &certificate, deadlock).is_err());
}

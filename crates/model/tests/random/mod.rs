//! Random executions, the same ones each time.

use model::{EventSet, Relation, Structure};
use testkit::Rng;

#[allow(dead_code, reason = "each test file uses a part of it")]
pub const FENCES: &[&str] = &["MFENCE", "SYNC", "LWSYNC", "EIEIO", "ISYNC", "SFENCE", "LFENCE"];

/// A random execution: three threads, two locations, fences, dependencies, read-modify-writes.
pub fn execution(numbers: &mut Rng, fences: &[&str], orders: &[&str], locked: bool) -> Structure {
    // Kind, thread, location; events 0 and 1 are the initial writes.
    let mut events: Vec<(char, Option<u32>, usize)> = vec![('W', None, 0), ('W', None, 1)];
    let mut tags: Vec<(usize, String)> = Vec::new();
    let mut rmw = Vec::new();
    for thread in 0..2 + numbers.below(2) as u32 {
        for _ in 0..1 + numbers.below(3) {
            let (at, place) = (events.len(), numbers.below(2));
            match numbers.below(7) {
                0..=2 => events.push(('R', Some(thread), place)),
                3..=4 => events.push(('W', Some(thread), place)),
                5 => {
                    events.push(('F', Some(thread), 9));
                    tags.push((at, fences[numbers.below(fences.len())].to_owned()));
                    continue;
                }
                _ => {
                    events.extend([('R', Some(thread), place), ('W', Some(thread), place)]);
                    rmw.push((at, at + 1));
                    let marks: &[&str] = if locked { &["LOCK", "X"] } else { &["X"] };
                    tags.extend(marks.iter().flat_map(|tag| [(at, (*tag).to_owned()), (at + 1, (*tag).to_owned())]));
                }
            }
            if !orders.is_empty() {
                let order = orders[numbers.below(orders.len())];
                let mut mark = |tag: &str| tags.extend((at..events.len()).map(|event| (event, tag.to_owned())));
                mark(order);
                if order != "NA" {
                    mark("A");
                }
            }
        }
    }
    let mut s = Structure::new(events.len());
    s.initial.insert(0);
    s.initial.insert(1);
    for (at, tag) in tags {
        let size = s.size;
        s.tags.entry(tag).or_insert_with(|| EventSet::empty(size)).insert(at);
    }
    s.rmw = Relation::from_pairs(s.size, rmw);
    if locked {
        s.amo = s.rmw.clone();
    }
    let mut order: Vec<Vec<usize>> = vec![vec![0], vec![1]];
    for (at, &(kind, thread, place)) in events.iter().enumerate() {
        s.threads[at] = thread;
        match kind {
            'R' => s.reads.insert(at),
            'W' => s.writes.insert(at),
            _ => s.fences.insert(at),
        }
        if kind == 'W' && thread.is_some() {
            let position = 1 + numbers.below(order[place].len());
            order[place].insert(position, at);
        }
        for (other, &(other_kind, other_thread, other_place)) in events.iter().enumerate() {
            if kind != 'F' && other_kind != 'F' && place == other_place {
                s.loc.insert(at, other);
            }
            if at < other && thread.is_some() && thread == other_thread {
                s.po.insert(at, other);
                if kind == 'R' {
                    match numbers.below(8) {
                        0 if other_kind != 'F' => s.addr.insert(at, other),
                        1 if other_kind == 'W' => s.data.insert(at, other),
                        2 => s.ctrl.insert(at, other),
                        _ => {}
                    }
                }
            }
        }
    }
    for writes in &order {
        for (at, from) in writes.iter().enumerate() {
            writes[at + 1..].iter().for_each(|to| s.co.insert(*from, *to));
        }
    }
    for (at, &(kind, _, place)) in events.iter().enumerate() {
        if kind == 'R' {
            s.rf.insert(order[place][numbers.below(order[place].len())], at);
        }
    }
    s
}

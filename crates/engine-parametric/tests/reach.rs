//! The exploration with few processes leaves out what the text cannot tell apart, and nothing else.

use source::SourceFile;
use system::machine::{Machine, Reach, Search, State};
use system::{Memory, System};

fn parse(text: &str) -> System {
    front_arrays::parse(&SourceFile::new("test.cub", text.to_owned())).unwrap_or_else(|error| panic!("{error}"))
}

fn reached(system: &System, processes: u8, memory: Memory) -> Vec<State> {
    let mut reach = Reach::default();
    Machine::new(system, processes, memory).reach(&mut reach, 100_000, &|| false);
    reach.states
}

/// How many states there are, each counted.
fn all(system: &System, processes: u8, memory: Memory) -> usize {
    match Machine::new(system, processes, memory).search(100_000, &|| false) {
        Search::Exhausted { states } => states,
        other @ (Search::Bad { .. } | Search::Unfinished) => panic!("{other:?}"),
    }
}

const MUTEX: &str = "type data
    array On[proc] : bool
    var Owner : proc
    var Data : data
    var Last : data
    init (p) { On[p] = False && Data = Last }
    unsafe (p) { On[p] = True && Owner <> p && Data <> Last && Data = Last }
    transition on (p) requires { On[p] = False && forall_other q. On[q] = False }
    { On[p] := True; Owner := p; Last := Data; Data := ? }
    transition off (p) requires { On[p] = True && Owner = p && Data <> Last } { On[p] := False }";

#[test]
fn processes_and_values_without_names_are_alike() {
    let system = parse(MUTEX);
    for processes in [2, 3] {
        let few = reached(&system, processes, Memory::Sc);
        let many = all(&system, processes, Memory::Sc);
        // At most one state for each order of the processes and each of six orders of three values.
        let orders: usize = (1..=usize::from(processes)).product::<usize>() * 6;
        assert!(few.len() < many && many <= few.len() * orders, "{processes}: {} of {many}", few.len());
    }
}

#[test]
fn an_order_of_processes_tells_them_apart() {
    let text = |guard: &str| {
        format!(
            "array On[proc] : bool
            init (p) {{ On[p] = False }}
            unsafe (p q) {{ On[p] = True && On[q] = True && On[p] = False }}
            transition on (p q) requires {{ On[p] = False && {guard} }} {{ On[p] := True }}"
        )
    };
    let (alike, ordered) = (parse(&text("On[q] = False")), parse(&text("p < q && On[q] = False")));
    assert_eq!((reached(&alike, 2, Memory::Sc).len(), all(&alike, 2, Memory::Sc)), (2, 3));
    assert_eq!((reached(&ordered, 2, Memory::Sc).len(), all(&ordered, 2, Memory::Sc)), (2, 2));
    let three = reached(&ordered, 3, Memory::Sc);
    assert_eq!(three.len(), all(&ordered, 3, Memory::Sc));
}

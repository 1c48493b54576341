//! The search: from the bad states backwards until nothing new comes, or an initial state is met.

use crate::certificate::shown;
use crate::cube::{Cube, NONE};
use crate::ground::Conj;
use crate::guess::Explored;
use crate::pre::Images;
use crate::subsume::Pattern;
use engine::{NoAnswer, Observer, Reached, SystemAnswer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;
use system::certificate::{Certificate, Found};
use system::{Memory, System};

/// How to search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Guess invariants from what this many processes do. Without it two are tried when there are many cubes.
    pub guess: Option<u8>,
    /// Give the cubes of the search if there are no more than this.
    pub shown: usize,
}

/// A cube that was reached.
struct Node {
    pattern: Pattern,
    /// The cube it was computed from, by which transition of which processes, and where that cube's processes are.
    from: Option<(usize, usize, Vec<u8>, Vec<u8>)>,
    depth: u32,
    /// Another cube covers it.
    covered: bool,
    /// It was guessed.
    guessed: bool,
}

/// Whether a bad state can be reached.
///
/// # Errors
/// Why there is no answer.
pub fn check(
    system: &System,
    memory: Memory,
    options: Options,
    observer: &dyn Observer,
) -> Result<SystemAnswer, NoAnswer> {
    let images = Images::new(system, memory);
    let stop = || observer.stop().is_some();
    let mut explored = options.guess.map(|processes| Explored::new(&images, memory, processes, &stop));
    if let Some(explored) = &explored {
        observer.phase("explore", &format!("{} states", explored.len()));
    }
    let mut refuted: Vec<Cube> = Vec::new();
    // Often few cubes are enough, or the first candidates are right: a short look at both comes first.
    let mut glance = explored.is_none();
    let mut budget = if glance { GLANCE } else { BUDGET };
    let mut turn = if explored.is_some() { Turn::States } else { Turn::Plain };
    // Who asks for candidates gets them twice before the search goes without.
    let mut plain = options.guess.is_none();
    // How many candidates were wrong in this turn.
    let mut wrong = 0;
    loop {
        let mut search = Search {
            images: &images,
            assumed: Vec::new(),
            nodes: Vec::new(),
            waiting: BinaryHeap::new(),
            initial: Vec::new(),
            dropped: 0,
            tests: 0,
            deepest: 0,
            explored: explored.as_ref().filter(|_| turn != Turn::Plain),
            refuted: &refuted,
            stop: &stop,
            budget: if turn == Turn::Plain && !glance { budget * PLAIN } else { budget },
            depth: (budget / DEPTH) as u32,
            reads: turn == Turn::Reads,
        };
        match search.begin(observer)? {
            End::Nothing => {
                let mut statistics = search.statistics();
                if explored.is_some() {
                    statistics.push(("candidates refuted".to_owned(), refuted.len() as u64));
                }
                let cubes = search.nodes.iter().filter(|node| !node.covered).map(|node| shown(&node.pattern.cube));
                let reached = Reached::Never(Certificate { memory, cubes: cubes.collect() });
                return Ok(SystemAnswer { reached, statistics, found: search.found(&[], options.shown) });
            }
            End::Initial(last) => {
                let reached = search.reached(last);
                if reached.is_empty() {
                    return Ok(search.trace(last, options.shown));
                }
                refuted.extend(reached);
                wrong += 1;
            }
            End::Spent => wrong = WRONG,
        }
        let explored = explored.get_or_insert_with(|| Explored::new(&images, memory, 2, &stop));
        if glance && turn == Turn::States {
            (glance, budget, wrong, turn) = (false, BUDGET, 0, Turn::Plain);
            continue;
        }
        if turn == Turn::States {
            explored.grow(&stop);
        }
        observer.phase("explore", &format!("{} states", explored.len()));
        if wrong >= WRONG {
            wrong = 0;
            turn = match turn {
                Turn::States if images.weak => Turn::Reads,
                Turn::States | Turn::Reads if plain => Turn::Plain,
                Turn::States | Turn::Reads | Turn::Plain => Turn::States,
            };
            plain |= turn == Turn::States;
            if turn == Turn::States {
                budget *= 2;
            }
        }
    }
}

/// What is tried. Each may lead nowhere, so they take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Candidates about the states that were explored.
    States,
    /// Candidates that speak of pending reads too.
    Reads,
    /// No candidates.
    Plain,
}

/// How many cubes are looked at in the first turn with candidates.
const BUDGET: usize = 300;

/// How many cubes are looked at before anything else is tried, with candidates and without.
const GLANCE: usize = 100;

/// The part of the cubes that may lie on one path: numbers that only grow make endless ones.
const DEPTH: usize = 3;

/// How many times more without candidates.
const PLAIN: usize = 3;

/// How many candidates may be wrong in a turn.
const WRONG: usize = 16;

/// How a search ended.
enum End {
    /// There is nothing more to look at.
    Nothing,
    /// This cube has an initial state.
    Initial(usize),
    /// There are many cubes, and something else may be better.
    Spent,
}

struct Search<'a> {
    images: &'a Images<'a>,
    assumed: Vec<Pattern>,
    nodes: Vec<Node>,
    waiting: BinaryHeap<Reverse<(u8, usize, u32, usize)>>,
    /// What `init` says, by the number of processes.
    initial: Vec<Option<Vec<Conj>>>,
    dropped: u64,
    /// Comparisons with earlier cubes.
    tests: u64,
    deepest: u32,
    explored: Option<&'a Explored<'a>>,
    /// Candidates that were wrong.
    refuted: &'a [Cube],
    stop: &'a dyn Fn() -> bool,
    /// After how many cubes to give up, and how deep.
    budget: usize,
    depth: u32,
    /// Whether candidates may speak of pending reads.
    reads: bool,
}

impl Search<'_> {
    /// Searches from the bad states.
    fn begin(&mut self, observer: &dyn Observer) -> Result<End, NoAnswer> {
        let system = self.images.system;
        // Of a quantifier only a larger set is computed, and that must not be taken for granted.
        for property in system.invariants.iter().filter(|property| !property.formula.has_quantifier()) {
            for mut cube in self.images.cubes(property) {
                // It says nothing about fewer processes than it has parameters.
                cube.processes = cube.processes.max(property.params.len() as u8);
                self.assumed.push(Pattern::new(cube));
            }
        }
        for property in &system.bad {
            for cube in self.images.cubes(property) {
                if let Some(node) = self.add(cube, None, 0) {
                    return Ok(End::Initial(node));
                }
            }
        }
        self.run(observer)
    }

    /// What lies between an initial state and the candidate that it comes from: as far as is known it can be reached.
    fn reached(&self, mut at: usize) -> Vec<Cube> {
        let mut reached = Vec::new();
        loop {
            reached.push(self.nodes[at].pattern.cube.clone());
            if self.nodes[at].guessed {
                return reached;
            }
            let Some((from, ..)) = &self.nodes[at].from else { return Vec::new() };
            at = *from;
        }
    }

    fn run(&mut self, observer: &dyn Observer) -> Result<End, NoAnswer> {
        let mut done = 0u64;
        let begin = Instant::now();
        while let Some(Reverse((_, _, _, at))) = self.waiting.pop() {
            if self.nodes[at].covered {
                continue;
            }
            if self.nodes.len() > self.budget || self.deepest > self.depth {
                return Ok(End::Spent);
            }
            done += 1;
            if done.is_multiple_of(64) {
                let detail = self.progress(begin);
                observer.phase("search", &detail);
            }
            let cube = self.nodes[at].pattern.cube.clone();
            let depth = self.nodes[at].depth + 1;
            for number in 0..self.images.system.transitions.len() {
                if let Some(why) = observer.stop() {
                    return Err(why);
                }
                let mut found = Vec::new();
                self.images.pre(&cube, number, &mut |image| found.push(image));
                for image in found {
                    if let Some(why) = observer.stop() {
                        return Err(why);
                    }
                    let from = Some((at, number, image.args, image.rename));
                    if let Some(node) = self.add(image.cube, from, depth) {
                        return Ok(End::Initial(node));
                    }
                }
                if self.nodes[at].covered {
                    break;
                }
            }
        }
        Ok(End::Nothing)
    }

    /// How far the search is, and how fast.
    fn progress(&self, begin: Instant) -> String {
        let (cubes, waiting, seconds) =
            (self.nodes.len(), self.waiting.len(), begin.elapsed().as_secs_f64().max(0.001));
        let (covered, depth, pace) = (self.dropped, self.deepest, self.tests as f64 / seconds / 1000.0);
        format!("{cubes} cubes, {waiting} waiting, depth {depth}, {covered} covered, {pace:.0} k tests/s")
    }

    /// Adds a cube unless another one covers it. Gives its number if it has an initial state.
    fn add(&mut self, cube: Cube, from: Option<(usize, usize, Vec<u8>, Vec<u8>)>, depth: u32) -> Option<usize> {
        let (system, fixed) = (self.images.system, self.images.fixed);
        self.tests += self.nodes.len() as u64;
        let covers = |pattern: &Pattern| pattern.covers(system, &cube, fixed);
        if self.assumed.iter().any(covers) || self.nodes.iter().any(|node| !node.covered && covers(&node.pattern)) {
            self.dropped += 1;
            return None;
        }
        let mut guessed = false;
        let mut cube = cube;
        if let Some(explored) = self.explored
            && from.is_some()
        {
            let wanted = |part: &Cube| {
                if (self.stop)() {
                    return false;
                }
                let part = Pattern::new(part.clone());
                !self.refuted.iter().any(|cube| part.covers(system, cube, fixed))
            };
            let parts = explored.parts(self.images, &cube, self.reads, &wanted);
            if let Some(part) = self.easiest(&cube, parts) {
                (cube, guessed) = (part, true);
            }
        }
        let pattern = Pattern::new(cube);
        for node in self.nodes.iter_mut().filter(|node| !node.covered) {
            if pattern.covers(system, &node.pattern.cube, fixed) {
                node.covered = true;
            }
        }
        let number = self.nodes.len();
        let count = usize::from(pattern.cube.processes);
        if self.initial.len() <= count {
            self.initial.resize(count + 1, None);
        }
        let initial = self.initial[count].get_or_insert_with(|| self.images.initial(count as u8));
        let hit = self.images.is_initial(&pattern.cube, initial);
        let size = pattern.cube.lits.len() + pattern.cube.events.len();
        self.waiting.push(Reverse((pattern.cube.processes, size, depth, number)));
        self.nodes.push(Node { pattern, from, depth, covered: false, guessed });
        self.deepest = self.deepest.max(depth);
        hit.then_some(number)
    }

    /// The candidate that seems to be the easiest to prove: the one with the fewest pre-images that are not
    /// yet known. One that has as many literals as the cube itself must be easier than that.
    fn easiest(&self, cube: &Cube, parts: Vec<Cube>) -> Option<Cube> {
        let smaller = |part: &Cube| part.lits.len() < cube.lits.len() || part.events.len() < cube.events.len();
        if parts.len() == 1 && parts.iter().all(smaller) {
            return parts.into_iter().next();
        }
        let mut own = None;
        let mut best: Option<(usize, Cube)> = None;
        for part in parts {
            if (self.stop)() {
                break;
            }
            let mut limit = best.as_ref().map_or(usize::MAX, |(cost, _)| *cost);
            if !smaller(&part) {
                let own = *own.get_or_insert_with(|| self.cost(cube, usize::MAX).unwrap_or(usize::MAX));
                limit = limit.min(own);
            }
            if limit > 0
                && let Some(cost) = self.cost(&part, limit)
            {
                best = Some((cost, part));
            }
        }
        best.map(|(_, part)| part)
    }

    /// How many pre-images of a candidate no cube covers, if they are fewer than `limit`.
    fn cost(&self, part: &Cube, limit: usize) -> Option<usize> {
        let (system, fixed) = (self.images.system, self.images.fixed);
        let own = Pattern::new(part.clone());
        let mut open: Vec<Pattern> = Vec::new();
        for number in 0..system.transitions.len() {
            let mut found = Vec::new();
            self.images.pre(part, number, &mut |image| found.push(image.cube));
            for cube in found {
                let covers = |pattern: &Pattern| pattern.covers(system, &cube, fixed);
                let known = covers(&own)
                    || open.iter().any(covers)
                    || self.assumed.iter().any(covers)
                    || self.nodes.iter().any(|node| !node.covered && covers(&node.pattern));
                if !known {
                    open.push(Pattern::new(cube));
                    if open.len() >= limit {
                        return None;
                    }
                }
            }
        }
        Some(open.len())
    }

    fn statistics(&self) -> Vec<(String, u64)> {
        let kept = self.nodes.iter().filter(|node| !node.covered).count();
        vec![
            ("cubes".to_owned(), self.nodes.len() as u64),
            ("cubes kept".to_owned(), kept as u64),
            ("cubes dropped".to_owned(), self.dropped),
            ("tests of covering".to_owned(), self.tests),
            ("depth".to_owned(), u64::from(self.deepest)),
        ]
    }

    /// The transitions from an initial state to a bad one.
    fn trace(&self, last: usize, shown: usize) -> SystemAnswer {
        let mut names: Vec<u8> = (0..self.nodes[last].pattern.cube.processes).collect();
        let mut most = names.len() as u8;
        let mut steps = Vec::new();
        let mut at = last;
        let mut way = vec![last];
        while let Some((parent, transition, args, rename)) = &self.nodes[at].from {
            let mut here: Vec<u8> = rename
                .iter()
                .map(|&process| if process == NONE { NONE } else { names[usize::from(process)] })
                .collect();
            for process in 0..here.len() {
                if here[process] == NONE {
                    let free = (0..).find(|name| !here.contains(name)).unwrap_or(most);
                    here[process] = free;
                    most = most.max(free + 1);
                }
            }
            steps.push((*transition, args.iter().map(|&arg| here[usize::from(arg)]).collect()));
            names = here;
            at = *parent;
            way.push(at);
        }
        let processes = most.max(1).max(self.images.system.processes.unwrap_or(0));
        SystemAnswer {
            reached: Reached::Trace { processes, steps },
            statistics: self.statistics(),
            found: self.found(&way, shown),
        }
    }

    /// The cubes for others to see, if they are no more than `most`.
    fn found(&self, way: &[usize], most: usize) -> Vec<Found> {
        if self.nodes.len() > most {
            return Vec::new();
        }
        let found = |(at, node): (usize, &Node)| Found {
            cube: shown(&node.pattern.cube),
            from: node.from.as_ref().map(|(from, transition, args, _)| (*from, *transition, args.clone())),
            covered: node.covered,
            guessed: node.guessed,
            on_trace: way.contains(&at),
        };
        self.nodes.iter().enumerate().map(found).collect()
    }
}

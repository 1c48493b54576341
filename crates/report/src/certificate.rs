//! The certificate of a proof as JSON: the abstract states, in the words of the program.

use crate::data::ModelName;
use ir::{Address, Program, Width};
use model::Buffers;
use serde::Serialize;
use std::collections::BTreeMap;
use witness::Invariant;
use witness::invariant::{Bound, Buffer, ControlPoint, Held, Keep, Quantity, Region, Status};

#[derive(Serialize)]
struct Certificate<'a> {
    file: &'a str,
    model: &'a ModelName,
    /// `SAFE` or `SAFE (no overflow)`.
    claim: &'a str,
    /// `none`, `thread` or `location`: to what there is a store buffer.
    buffers: &'static str,
    keep: &'static str,
    k: usize,
    shared: Vec<String>,
    /// Those of them that nobody writes once there may be several threads.
    settled: Vec<String>,
    private: BTreeMap<String, usize>,
    places: Vec<PlaceOut<'a>>,
    states: Vec<StateOut>,
}

#[derive(Serialize)]
struct PlaceOut<'a> {
    thread: usize,
    status: String,
    frames: Vec<FrameOut<'a>>,
    atomic: u32,
    critical: bool,
    /// Whether there cannot be other threads yet.
    alone: bool,
    own: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct FrameOut<'a> {
    function: &'a str,
    block: u32,
    instruction: u32,
    line: Option<u32>,
    /// What is known: a number, or `variable`. The others do not matter any more.
    locals: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct StateOut {
    threads: Vec<ThreadOut>,
    bounds: Vec<String>,
}

#[derive(Serialize)]
struct ThreadOut {
    place: u32,
    /// The writes that are kept in order, the oldest first: the cell, and the group it is in.
    writes: Vec<(String, u32)>,
    /// The cells of all other writes.
    others: Vec<String>,
    closed: bool,
}

struct Names<'a> {
    program: &'a Program,
    invariant: &'a Invariant,
}

impl<'a> Names<'a> {
    fn cell(&self, address: Address) -> String {
        if address.object.index() < self.program.objects.len() {
            return self.program.address_name(address);
        }
        format!("object {}, byte {}", address.object.0, address.offset)
    }

    fn held(&self, held: Held, width: Width) -> Option<String> {
        match held {
            Held::Known(bits) => Some(self.program.value_name(bits, width)),
            Held::Variable => Some("variable".to_owned()),
            Held::Nothing => None,
        }
    }

    fn place(&self, place: &ControlPoint) -> PlaceOut<'a> {
        let program = self.program;
        let frame = |frame: &witness::invariant::Frame| {
            let function = &program.functions[frame.function.index()];
            let block = function.blocks.get(frame.block as usize);
            let instr = block.and_then(|block| block.instrs.get(frame.index as usize));
            let locals = function.locals.iter().zip(&frame.locals);
            let locals = locals.filter_map(|(local, held)| Some((&*local.name, self.held(*held, local.width)?)));
            FrameOut {
                function: &function.name,
                block: frame.block,
                instruction: frame.index,
                line: instr.map(|instr| program.source.line(instr.span)),
                locals: locals.collect(),
            }
        };
        let width = |cell: Address| program.cell(cell).map_or(Width::WORD, |cell| cell.width);
        let own = place.own.iter().filter_map(|(cell, held)| Some((self.cell(*cell), self.held(*held, width(*cell))?)));
        PlaceOut {
            thread: place.thread,
            status: match place.status {
                Status::Runs => "runs".to_owned(),
                Status::Ended(held) => {
                    let held = self.held(held, Width::WORD);
                    held.map_or_else(|| "ended".to_owned(), |held| format!("ended with {held}"))
                }
                Status::Stopped => "stopped".to_owned(),
                Status::Failed => "failed".to_owned(),
            },
            frames: place.frames.iter().map(frame).collect(),
            atomic: place.open,
            critical: place.inside,
            alone: place.early,
            own: own.collect(),
        }
    }

    fn quantity(&self, region: &Region, quantity: Quantity) -> String {
        match quantity {
            Quantity::Zero => "0".to_owned(),
            Quantity::Memory(cell) => self.cell(cell),
            Quantity::Local { thread, frame, local } => {
                let place = region.threads.get(thread).and_then(|own| self.invariant.places.get(own.0 as usize));
                let function = place.and_then(|place| place.frames.get(frame)).map(|frame| frame.function);
                let function = function.map(|function| &self.program.functions[function.index()]);
                let name = function.map_or("?", |function| &function.locals[local.index()].name);
                format!("thread {thread}: {}.{name}", function.map_or("?", |function| &function.name))
            }
            Quantity::Own { thread, cell } => format!("thread {thread}: {}", self.cell(cell)),
            Quantity::Result { thread } => format!("thread {thread}: result"),
            Quantity::Slot { thread, at } => format!("thread {thread}: write {at}"),
            Quantity::Newest { thread, cell } => format!("thread {thread}: newest write to {}", self.cell(cell)),
        }
    }

    fn bound(&self, region: &Region, bound: &Bound) -> String {
        let term = |at: u32| {
            let term = self.invariant.terms.get(at as usize).into_iter().flatten();
            let parts = term.filter(|(quantity, _)| *quantity != Quantity::Zero).map(|(quantity, factor)| {
                let name = self.quantity(region, *quantity);
                if *factor == 1 { name } else { format!("{factor} * ({name})") }
            });
            parts.collect::<Vec<_>>().join(" + ")
        };
        let limit = bound.limit;
        match (&*term(bound.left), &*term(bound.right)) {
            (left, "") => format!("{left} <= {limit}"),
            ("", right) => format!("{right} >= {}", -limit),
            (left, right) => format!("({left}) - ({right}) <= {limit}"),
        }
    }

    fn state(&self, region: &Region) -> StateOut {
        let thread = |(place, buffer): &(u32, Buffer)| ThreadOut {
            place: *place,
            writes: buffer.slots.iter().map(|(cell, group)| (self.cell(*cell), *group)).collect(),
            others: buffer.rest.iter().map(|cell| self.cell(*cell)).collect(),
            closed: buffer.closed,
        };
        StateOut {
            threads: region.threads.iter().map(thread).collect(),
            bounds: region.bounds.iter().map(|bound| self.bound(region, bound)).collect(),
        }
    }
}

/// A certificate, with the verdict that it shows.
pub fn certificate(program: &Program, model: &ModelName, claim: &str, invariant: &Invariant) -> String {
    let names = Names { program, invariant };
    let body = Certificate {
        file: program.source.name(),
        model,
        claim,
        buffers: match invariant.buffers {
            Buffers::None => "none",
            Buffers::Thread => "thread",
            Buffers::Location => "location",
        },
        keep: match invariant.keep {
            Keep::Oldest => "oldest",
            Keep::Newest => "newest",
        },
        k: invariant.k,
        shared: invariant.shared.iter().map(|cell| names.cell(*cell)).collect(),
        settled: invariant.settled.iter().map(|cell| names.cell(*cell)).collect(),
        private: invariant.private.iter().map(|(cell, thread)| (names.cell(*cell), *thread)).collect(),
        places: invariant.places.iter().map(|place| names.place(place)).collect(),
        states: invariant.regions.iter().map(|region| names.state(region)).collect(),
    };
    crate::json::document("certificate", body)
}

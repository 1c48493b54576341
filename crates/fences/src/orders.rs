//! Memory orders at the sites of a program: which are worth a try, what they are on each machine, what they cost.

use crate::infer::{Options, Oracle};
use crate::kinds::Costs;
use crate::places::Loops;
use ir::{Block, BlockId, Function, Instr, Op, Program, Site, TagSet, Terminator};

/// What an order is on a machine: the tags of the access, and those of the fences before and behind it; of a fence, its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Effect {
    pub before: Vec<String>,
    pub read: Vec<String>,
    pub write: Vec<String>,
    pub after: Vec<String>,
    pub fence: Vec<String>,
    /// Whether a branch that depends on what was read follows, so that all that comes later depends on it.
    pub ctrl: bool,
    /// How many instructions there are in each block: orders of which these differ are not a matter of tags alone.
    pub shape: Vec<usize>,
}

impl Effect {
    /// What the machine makes of an instruction of a site.
    fn of(machine: &Program, site: usize) -> Effect {
        let mut effect = Effect::default();
        let mark = Site::mark(site);
        let names = |tags: &TagSet| tags.iter().map(|tag| machine.tags[tag.index()].clone()).collect::<Vec<_>>();
        let own = |tags: &TagSet| names(tags).into_iter().filter(|tag| !tag.starts_with(&mark)).collect::<Vec<_>>();
        let blocks = || machine.functions.iter().flat_map(|f| &f.blocks);
        effect.ctrl = blocks().any(|block| is_idle_branch(&block.terminator));
        effect.shape = blocks().map(|block| block.instrs.len()).collect();
        for instr in blocks().flat_map(|block| &block.instrs) {
            match &instr.op {
                Op::Load { tags, .. } => effect.read.extend(own(tags)),
                Op::Store { tags, .. } | Op::StoreConditional { tags, .. } => effect.write.extend(own(tags)),
                Op::Rmw { read_tags, write_tags, .. } => {
                    effect.read.extend(own(read_tags));
                    effect.write.extend(own(write_tags));
                }
                Op::Fence { tags } => {
                    let marks = names(tags);
                    let list = if marks.contains(&before(site)) {
                        &mut effect.before
                    } else if marks.contains(&after(site)) {
                        &mut effect.after
                    } else {
                        &mut effect.fence
                    };
                    list.extend(own(tags));
                }
                Op::Assign { .. } | Op::Assume { .. } | Op::System(_) => {}
            }
        }
        effect
    }

    /// All tags of it.
    pub fn tags(&self) -> impl Iterator<Item = &String> {
        [&self.before, &self.read, &self.write, &self.after, &self.fence].into_iter().flatten()
    }

    /// What it costs.
    fn cost(&self, costs: &Costs) -> u32 {
        let fences = [&self.before, &self.after, &self.fence].into_iter().flatten().map(|tag| costs.of_fence(tag));
        // What is Arm's acquire says of an access in C that it is atomic, beside its order.
        let is_c = |tag: &String| matches!(&**tag, "RLX" | "CON" | "ACQ" | "REL" | "ACQ_REL" | "SC");
        let own = |tags: &Vec<String>| {
            let c = tags.iter().any(is_c);
            tags.iter().filter(|tag| !(c && *tag == "A")).map(|tag| costs.of_access(tag)).sum::<u32>()
        };
        fences.sum::<u32>() + own(&self.read) + own(&self.write)
    }
}

/// Whether a block ends with a branch that goes to one place.
fn is_idle_branch(terminator: &Terminator) -> bool {
    matches!(terminator, Terminator::Branch { then, otherwise, .. } if then == otherwise)
}

/// A machine's program without the branches that the orders of sites put behind accesses.
pub(crate) fn without_branches(machine: &Program) -> Program {
    let mut result = machine.clone();
    for (function, body) in machine.functions.iter().enumerate() {
        for (at, block) in body.blocks.iter().enumerate() {
            let of_site = block.instrs.last().is_some_and(|instr| machine.site_of(instr).is_some());
            if let (true, Terminator::Branch { then, .. }) =
                (of_site && is_idle_branch(&block.terminator), &block.terminator)
            {
                result.functions[function].blocks[at].terminator = Terminator::Goto(*then);
            }
        }
    }
    result
}

/// The mark of the fence before the accesses of a site.
pub(crate) fn before(site: usize) -> String {
    format!("{}-", Site::mark(site))
}

/// The mark of the fence behind the accesses of a site.
pub(crate) fn after(site: usize) -> String {
    format!("{}+", Site::mark(site))
}

/// Which way orders may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change {
    /// They stay as they are.
    #[default]
    None,
    /// They may become stronger.
    Strengthen,
    /// They may become weaker, as weak as can be.
    Weaken,
}

/// The orders of all sites.
pub(crate) struct Orders {
    /// What each order of each site is on each machine.
    pub effects: Vec<Vec<Vec<Effect>>>,
    /// The order that each site has if nothing is chosen.
    pub floor: Vec<usize>,
    /// The orders that can be chosen: site, order, and what it costs more than the floor.
    pub choices: Vec<(usize, usize, u32)>,
    /// What the orders of the text cost more than the floor.
    pub now: u64,
}

impl Orders {
    /// Finds out what can be chosen.
    ///
    /// # Errors
    /// Why the program is not for a machine.
    pub fn new<O: Oracle>(program: &Program, oracle: &O, options: &Options, loops: &Loops) -> Result<Orders, O::Error> {
        let mut effects = Vec::new();
        for model in 0..oracle.models().len() {
            let mut sites = Vec::new();
            for (site, known) in program.sites.iter().enumerate() {
                let mut orders = Vec::new();
                for order in 0..known.orders.len() {
                    let machine = oracle.machine(&alone(program, site, order), model)?;
                    orders.push(Effect::of(&machine, site));
                }
                sites.push(orders);
            }
            effects.push(sites);
        }
        let mut result = Orders { effects, floor: Vec::new(), choices: Vec::new(), now: 0 };
        for (site, known) in program.sites.iter().enumerate() {
            let change = if options.allows(program, known.span) { options.change } else { Change::None };
            result.floor.push(if change == Change::Weaken && known.orders.len() > 1 { 0 } else { known.now });
            if change != Change::None {
                let times = options.costs.times(is_looping(program, site, loops));
                result.choose(site, known, (&options.costs, times), change);
            }
        }
        Ok(result)
    }

    fn choose(&mut self, site: usize, known: &Site, (costs, times): (&Costs, u32), change: Change) {
        let floor = self.floor[site];
        let allowed = |order: usize| match change {
            Change::None => false,
            Change::Strengthen => known.orders[order].covers.contains(&known.now),
            Change::Weaken => known.orders[known.now].covers.contains(&order),
        };
        let mut kept = vec![floor];
        for order in (0..known.orders.len()).filter(|&order| order != floor && allowed(order)) {
            // Of those that are the same on all machines, the one that promises least.
            let same = |&other: &usize| {
                let equal = self.effects.iter().all(|sites| sites[site][other] == sites[site][order]);
                equal && known.orders[order].covers.contains(&other)
            };
            if kept.iter().any(same) {
                continue;
            }
            let price =
                |order: usize| self.effects.iter().map(|sites| sites[site][order].cost(costs)).max().unwrap_or(0);
            let cost = price(order).saturating_sub(price(floor)).max(1);
            self.choices.push((site, order, cost.saturating_mul(times)));
            kept.push(order);
        }
        // What the order of the text is like on the machines, it costs like.
        let like = |order: &&(usize, usize, u32)| {
            order.0 == site && self.effects.iter().all(|sites| sites[site][order.1] == sites[site][known.now])
        };
        self.now += u64::from(self.choices.iter().find(like).map_or(0, |(.., cost)| *cost));
    }
}

/// Whether an instruction of a site is in a loop.
fn is_looping(program: &Program, site: usize, loops: &Loops) -> bool {
    let blocks = program.functions.iter().enumerate().flat_map(|(at, function)| {
        function.blocks.iter().enumerate().map(move |(number, block)| (at, BlockId(number as u32), block))
    });
    let mut looping = blocks.filter(|(at, number, _)| loops.has(*at, *number)).flat_map(|(.., block)| &block.instrs);
    looping.any(|instr| program.site_of(instr) == Some(site))
}

/// A program with nothing but the first instruction of a site, with this order.
fn alone(program: &Program, site: usize, order: usize) -> Program {
    let mut small = Program::new("site", program.arch.clone(), program.source.clone());
    small.tags.clone_from(&program.tags);
    small.sites.clone_from(&program.sites);
    for function in &program.functions {
        let mut instrs = function.blocks.iter().flat_map(|block| &block.instrs);
        if let Some(instr) = instrs.find(|instr| program.site_of(instr) == Some(site)) {
            let block = Block { instrs: vec![instr.clone()], terminator: Terminator::Return(None) };
            small.functions.push(Function { blocks: vec![block], ..function.clone() });
            break;
        }
    }
    small.set_order(site, order);
    small
}

/// A program with nothing but a fence.
pub(crate) fn fence_alone(program: &Program, tag: &str) -> Program {
    let mut small = Program::new("fence", program.arch.clone(), program.source.clone());
    let tags = TagSet::from_iter([small.tag(tag)]);
    let instr = Instr { op: Op::Fence { tags }, span: source::Span::default() };
    let block = Block { instrs: vec![instr], terminator: Terminator::Return(None) };
    small.functions.push(Function {
        name: String::new(),
        params: 0,
        library: false,
        locals: Vec::new(),
        blocks: vec![block],
    });
    small
}

/// The tags of the fences of a program.
pub(crate) fn fence_tags(machine: &Program) -> Vec<String> {
    let mut names = Vec::new();
    for instr in machine.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instrs) {
        if let Op::Fence { tags } = &instr.op {
            names.extend(tags.iter().map(|tag| machine.tags[tag.index()].clone()));
        }
    }
    names
}

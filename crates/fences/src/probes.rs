//! Executions that go wrong, found without a check for each try.

use crate::infer::{Checked, Oracle, Search};
use crate::learn::{Atom, Chosen};
use crate::orders::{Effect, after, before};
use crate::seams::marker;
use engine::{Alternative, Choices, Marked};
use ir::{Program, Site};

/// Somebody who looks for executions of a program in which something can be chosen.
pub trait Probe<E> {
    /// An execution that goes wrong if nothing but these alternatives is chosen; nothing if none was found, which proves nothing.
    ///
    /// # Errors
    /// Evidence that does not hold.
    fn ask(&mut self, chosen: &[usize]) -> Result<Option<Checked>, E>;

    /// There was one that it did not find: from now on it looks further.
    fn deepen(&mut self);
}

/// For each model, somebody who finds executions quickly, if there is one.
pub(crate) struct Probes<'a, E> {
    probes: Vec<Option<Box<dyn Probe<E> + 'a>>>,
    /// What the alternatives are, in the order of their numbers.
    atoms: Vec<Atom>,
}

impl<E> Default for Probes<'_, E> {
    fn default() -> Self {
        Probes { probes: Vec::new(), atoms: Vec::new() }
    }
}

impl<'a, E> Probes<'a, E> {
    /// One for each machine on which the choices are a matter of tags; `bases` are the programs of the machines with nothing chosen.
    pub fn new<O: Oracle<Error = E>>(search: &Search<'a, O>, bases: &'a mut [Program]) -> Self {
        let mut atoms: Vec<Atom> = search.atoms.clone();
        for site in 0..search.program.sites.len() {
            if atoms.iter().any(|atom| matches!(atom, Atom::Order { site: other, .. } if *other == site)) {
                // Also what two orders become together, and the weakest.
                let all = (0..search.program.sites[site].orders.len()).map(|order| Atom::Order { site, order });
                let more: Vec<Atom> = all.filter(|atom| !atoms.contains(atom)).collect();
                atoms.extend(more);
            }
        }
        let mut open = Vec::new();
        for (number, machine) in search.machines.iter().enumerate() {
            let changed =
                |site: &usize| atoms.iter().any(|atom| matches!(atom, Atom::Order { site: s, .. } if s == site));
            let alike = |effects: &Vec<Effect>| effects.iter().all(|effect| effect.shape == effects[0].shape);
            let tags_only = (0..machine.effects.len()).filter(changed).all(|site| alike(&machine.effects[site]));
            let alternative = |atom: &Atom| match *atom {
                Atom::Fence { seam, spelling } => {
                    let fence = machine.fences[spelling].clone();
                    Alternative(vec![Marked { mark: marker(seam), fence, ..Marked::default() }])
                }
                Atom::Order { site, order } => alternative(site, &machine.effects[site][order]),
            };
            let alternatives: Vec<Alternative> = atoms.iter().map(alternative).collect();
            let possible = tags_only && !alternatives.is_empty();
            open.push(possible.then(|| Choices::new(&mut bases[number], &alternatives)));
        }
        let mut probes = Vec::new();
        for (number, base) in bases.iter().enumerate() {
            probes.push(open[number].as_ref().and_then(|choices| search.oracle.probe(base, number, choices)));
        }
        Probes { probes, atoms }
    }

    /// An execution that goes wrong under a model with these choices, if one is found quickly.
    pub fn ask(&mut self, model: usize, chosen: &Chosen) -> Result<Option<Checked>, E> {
        let Some(Some(probe)) = self.probes.get_mut(model) else { return Ok(None) };
        let is_chosen = |atom: &Atom| match *atom {
            Atom::Fence { seam, spelling } => chosen.fences.contains(&(seam, spelling)),
            Atom::Order { site, order } => chosen.orders[site] == order,
        };
        let numbers: Vec<usize> = (0..self.atoms.len()).filter(|&at| is_chosen(&self.atoms[at])).collect();
        probe.ask(&numbers)
    }

    /// There was an execution under this model that was not found.
    pub fn deepen(&mut self, model: usize) {
        if let Some(Some(probe)) = self.probes.get_mut(model) {
            probe.deepen();
        }
    }
}

/// What an order of a site gives to its events.
fn alternative(site: usize, effect: &Effect) -> Alternative {
    let Effect { before: first, read, write, after: last, fence, .. } = effect.clone();
    Alternative(vec![
        Marked { mark: before(site), fence: first, ..Marked::default() },
        Marked { mark: Site::mark(site), read, write, fence },
        Marked { mark: after(site), fence: last, ..Marked::default() },
    ])
}

impl<O: Oracle> Search<'_, O> {
    /// The program of each machine, with nothing chosen.
    pub(crate) fn bases(&self) -> Result<Vec<Program>, O::Error> {
        let program = self.program_with(&[]);
        (0..self.machines.len()).map(|model| self.oracle.machine(&program, model)).collect()
    }
}

//! A run in words: what each step sees, changes and leaves waiting.

use super::{Run, SystemCase, clean};
use crate::replay::Moment;
use system::machine::{Machine, Sight, State, Step};

/// A step in words.
pub(super) struct Line {
    /// The transition with its processes, or `memory`.
    pub who: String,
    /// What happens.
    pub words: Vec<String>,
    /// The line of the transition in the text.
    pub line: Option<u32>,
    /// What it sees and what has not come to it yet.
    pub sees: Vec<Seen>,
    /// What it changes at once.
    pub changes: Vec<String>,
    /// What waits in the buffer, or leaves it.
    pub writes: Vec<String>,
    /// Who does it.
    pub process: Option<u8>,
}

/// What a step sees.
pub(super) struct Seen {
    /// `Flag[#1] = False`.
    pub what: String,
    /// Whether it is its own waiting write.
    pub own: bool,
    /// Who has written something else that waits: `#1 has written True`.
    pub missed: Vec<String>,
}

impl SystemCase<'_> {
    /// The steps of a run.
    pub(super) fn lines(&self, machine: &Machine<'_>, run: &Run) -> Vec<Line> {
        let mut before = &run.first;
        let mut lines = Vec::new();
        for (step, after) in run.steps.iter().zip(&run.states) {
            let told = machine.tell(before, step, after);
            let names = |group: &Vec<(usize, Option<i64>)>| -> Vec<String> {
                group.iter().map(|&(cell, value)| clean(&self.group(machine, &vec![(cell, value)]))).collect()
            };
            let mut line = Line {
                who: clean(self.step(machine, step).trim()),
                words: Vec::new(),
                line: None,
                sees: told.sees.iter().map(|sight| self.seen(machine, sight)).collect(),
                changes: names(&told.changes),
                writes: names(&told.waits),
                process: None,
            };
            match step {
                Step::Take(number, processes) => {
                    let transition = &self.system.transitions[*number];
                    line.line = Some(self.system.file.line(transition.span));
                    line.process = transition.actor.map(|slot| processes[usize::from(slot)]);
                    if !line.sees.is_empty() {
                        let seen: Vec<String> = line.sees.iter().map(Seen::words).collect();
                        line.words.push(format!("sees {}", seen.join(", ")));
                    }
                    line.words.extend(line.changes.iter().cloned());
                    if !line.writes.is_empty() {
                        let waits = if line.writes.len() == 1 { "waits" } else { "wait" };
                        line.words.push(format!("{} {waits} in its buffer", line.writes.join(", ")));
                    }
                }
                Step::Commit(process, group) => {
                    line.who = "memory".to_owned();
                    line.process = Some(*process);
                    line.writes = names(group);
                    line.words.push(format!("takes {} from the buffer of #{}", line.writes.join(", "), process + 1));
                }
                Step::Look(_, readers) => {
                    let readers: Vec<String> = readers.iter().map(|process| format!("#{}", process + 1)).collect();
                    line.who = readers.join(", ");
                    line.words.push("looks at memory for the last time".to_owned());
                }
            }
            lines.push(line);
            before = after;
        }
        lines
    }

    /// What memory and buffers hold before the first step, after each, and in the bad state.
    pub(super) fn moments(&self, machine: &Machine<'_>, run: &Run) -> Vec<Moment> {
        let cell = |&(cell, value): &(usize, Option<i64>)| {
            (clean(&self.cell(machine, cell)), clean(&self.value(machine, cell, value)))
        };
        let moment = |state: &State| Moment {
            memory: state
                .memory
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, value)| value.is_some())
                .map(|one| cell(&one))
                .collect(),
            buffers: state.buffers.iter().map(|buffer| buffer.iter().flatten().map(cell).collect()).collect(),
            locks: Vec::new(),
        };
        let last = run.states.last().unwrap_or(&run.first);
        std::iter::once(&run.first).chain(&run.states).chain([last]).map(moment).collect()
    }

    fn seen(&self, machine: &Machine<'_>, sight: &Sight) -> Seen {
        let what = clean(&self.group(machine, &vec![(sight.cell, sight.value)]));
        let other = sight.missed.iter().filter(|(_, value)| *value != sight.value);
        let missed = other.map(|&(process, value)| {
            format!("#{} has written {}", process + 1, clean(&self.value(machine, sight.cell, value)))
        });
        Seen { what, own: sight.own, missed: missed.collect() }
    }

    /// The bad property, with its processes.
    pub(super) fn bad(&self, machine: &Machine<'_>, run: &Run) -> String {
        let property = &self.system.bad[run.property];
        let name = self.property(run.property);
        let last = run.states.last().unwrap_or(&run.first);
        let Some(processes) = machine.whom(last, property).filter(|_| !property.params.is_empty()) else { return name };
        let pairs = property.params.iter().zip(processes);
        let pairs: Vec<String> = pairs.map(|(param, process)| format!("{param} = #{}", process + 1)).collect();
        format!("{name}, with {}", clean(&pairs.join(", ")))
    }

    /// What is left in the buffers at the end.
    pub(super) fn waiting(&self, machine: &Machine<'_>, run: &Run) -> Vec<String> {
        let last = run.states.last().unwrap_or(&run.first);
        let buffers = last.buffers.iter().enumerate().filter(|(_, buffer)| !buffer.is_empty());
        let words = |(process, buffer): (usize, &Vec<system::machine::Group>)| {
            let groups: Vec<String> = buffer.iter().map(|group| clean(&self.group(machine, group))).collect();
            format!("{} in the buffer of #{}", groups.join(", then "), process + 1)
        };
        buffers.map(words).collect()
    }
}

impl Seen {
    fn words(&self) -> String {
        let own = if self.own { " (its own)" } else { "" };
        let missed: String = self.missed.iter().map(|missed| format!(" ({missed})")).collect();
        format!("{}{own}{missed}", self.what)
    }
}

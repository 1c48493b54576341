//! Observations as comma-separated values: `file,model,observation`, and `states` if they were counted.

use crate::data::Observation;

/// A field, in quotes if it needs them (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The line of names. The fourth column is there if `states` were counted.
pub fn header(states: bool) -> &'static str {
    if states { "file,model,observation,states\n" } else { "file,model,observation\n" }
}

/// The line of an observation.
pub fn row(observation: &Observation, states: bool) -> String {
    let mut out = [field(&observation.file), field(&observation.model), observation.kind.name().to_owned()].join(",");
    if states {
        out.push(',');
        out += &observation.states.map_or(String::new(), |count| count.to_string());
    }
    out.push('\n');
    out
}

/// All observations with the header.
pub fn table(observations: &[Observation]) -> String {
    let states = observations.iter().any(|observation| observation.states.is_some());
    let rows = observations.iter().map(|observation| row(observation, states));
    std::iter::once(header(states).to_owned()).chain(rows).collect()
}

//! The page of the editor: one text with its style, its script, the examples and the models in it.

use super::http::Response;
use fencepost::Property;
use model::Model;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");

/// Examples that a newcomer can begin with: their names, and their texts.
const EXAMPLES: &[(&str, &str)] = &[
    ("dekker.c", include_str!("examples/dekker.c")),
    ("peterson.c", include_str!("examples/peterson.c")),
    ("message-passing.c", include_str!("examples/message-passing.c")),
    ("spsc-ring.c", include_str!("examples/spsc-ring.c")),
    ("treiber-stack.c", include_str!("examples/treiber-stack.c")),
    ("sb.litmus", include_str!("examples/sb.litmus")),
    ("mp-c11.litmus", include_str!("examples/mp-c11.litmus")),
    ("mutex-no-fence.cub", include_str!("examples/mutex-no-fence.cub")),
];

/// The page.
pub fn page() -> Response {
    let example = |(name, text): &(&str, &str)| json!({ "name": name, "text": without_expectations(text) });
    let examples: Vec<Value> = EXAMPLES.iter().map(example).collect();
    let model = |model: Model| {
        let about = if model.head.about.is_empty() { &model.title } else { &model.head.about };
        json!({ "name": model.name, "about": about })
    };
    let models: Vec<Value> = session::models().into_iter().map(model).collect();
    let named = |property: &Property| json!({ "name": property.name(), "about": property.about() });
    let properties: Vec<Value> = Property::ALL.iter().map(named).collect();
    // Inside a script element nothing ends the text but a tag, whose brackets can be written otherwise in JSON.
    let data = json!({ "examples": examples, "models": models, "properties": properties }).to_string();
    let data = data.replace('<', "\\u003c").replace('>', "\\u003e");
    Response::html(PAGE.replace("/*DATA*/null", &data))
}

/// A text without the verdicts that our own tests expect of it: they give the answer away.
fn without_expectations(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains("@expect")).collect()
}

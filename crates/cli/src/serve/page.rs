//! The page of the editor: one text with its style, its script, the examples and the models in it.

use super::http::Response;
use fencepost::Property;
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
    let examples: Vec<Value> = EXAMPLES.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect();
    let models = session::models().into_iter().map(|model| json!({ "name": model.name, "title": model.title }));
    let models: Vec<Value> = models.collect();
    let named = |property: &Property| json!({ "name": property.name(), "about": property.about() });
    let properties: Vec<Value> = Property::ALL.iter().map(named).collect();
    // Inside a script element nothing ends the text but a tag, whose brackets can be written otherwise in JSON.
    let data = json!({ "examples": examples, "models": models, "properties": properties }).to_string();
    let data = data.replace('<', "\\u003c").replace('>', "\\u003e");
    Response::html(PAGE.replace("/*DATA*/null", &data))
}

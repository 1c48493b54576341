//! Who may depend on whom: section 2 of the design, in one table.

use anyhow::{Context, Result};
use std::path::Path;

/// The layers of the crates; a name that ends in `*` stands for all that begin so. The first match counts.
const LAYERS: &[(&str, u8)] = &[
    ("source", 0),
    ("c-syntax", 0),
    ("ir", 1),
    ("model", 1),
    ("system", 1),
    ("logic", 2),
    ("front-*", 2),
    ("witness", 2),
    ("symbolic", 3),
    ("stepper", 3),
    ("races", 3),
    ("engine", 3),
    ("engine-*", 4),
    ("fences", 4),
    ("report", 4),
    ("session", 5),
    ("fencepost", 6),
    ("cli", 7),
];

/// Crates outside the layers: nothing in the layers depends on them but tests.
const OUTSIDE: &[&str] = &["testkit", "xtask"];

/// The layer of a crate, if it has one.
pub fn layer(name: &str) -> Option<u8> {
    let matches = |pattern: &str| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    };
    LAYERS.iter().find(|(pattern, _)| matches(pattern)).map(|&(_, layer)| layer)
}

/// A crate depends on lower layers only.
pub fn layers(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let path = entry?.path();
        if path.join("Cargo.toml").exists() {
            folders.push(path);
        }
    }
    folders.sort();
    let names: Vec<String> =
        folders.iter().filter_map(|f| f.file_name()).map(|name| name.to_string_lossy().into_owned()).collect();
    for (folder, name) in folders.iter().zip(&names) {
        let manifest = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
        let published = published(name);
        if !text.lines().any(|line| line.trim() == format!("name = \"{published}\"")) {
            broken.push(format!("crates/{name}: the package is not called {published}"));
        }
        let Some(own) = layer(name) else {
            broken.push(format!("crates/{name} has no layer: give it one in xtask/src/tidy/layers.rs"));
            continue;
        };
        for on in dependencies(&text) {
            let known = names.iter().any(|n| n == on) || OUTSIDE.contains(&on);
            if let Some(why) = known.then(|| forbidden(name, own, on)).flatten() {
                broken.push(format!("crates/{name} depends on {on}: {why}"));
            }
        }
    }
    Ok(broken)
}

/// The name of the package in the folder `name`: short names are taken in any registry.
fn published(name: &str) -> String {
    if name == "fencepost" { name.to_owned() } else { format!("fencepost-{name}") }
}

/// Why a crate must not depend on another one of ours; nothing if it may.
fn forbidden(name: &str, own: u8, on: &str) -> Option<String> {
    let is_engine = |name: &str| name.starts_with("engine-");
    if OUTSIDE.contains(&on) {
        return Some("it is for tests; make it a dev-dependency".to_owned());
    }
    if is_engine(name) && is_engine(on) {
        return Some("engines know nothing of each other".to_owned());
    }
    if is_engine(name) && (on.starts_with("front-") || on == "report") {
        return Some("engines know neither front ends nor reports".to_owned());
    }
    if name == "witness" && on.starts_with("engine") {
        return Some("the checker of evidence knows no engine".to_owned());
    }
    let other = layer(on)?;
    (other >= own).then(|| format!("it is in layer {other}, not below layer {own}"))
}

/// The names in the section `[dependencies]`, and in `[build-dependencies]`.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == "[dependencies]" || line == "[build-dependencies]";
        } else if inside && !line.starts_with('#') {
            found.extend(line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_go_down_only() {
        assert_eq!(forbidden("ir", 1, "source"), None);
        assert!(forbidden("ir", 1, "model").is_some_and(|why| why.contains("layer 1")));
        assert!(forbidden("engine-lazy", 4, "engine-reference").is_some());
        assert!(forbidden("engine-lazy", 4, "front-c").is_some());
        assert!(forbidden("witness", 2, "engine").is_some());
        assert!(forbidden("session", 5, "testkit").is_some());
        assert_eq!(forbidden("session", 5, "engine-lazy"), None);
    }

    #[test]
    fn manifests_are_read() {
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nir.workspace = true\nserde = \"1\"\n[dev-dependencies]\ntestkit.workspace = true\n";
        assert_eq!(dependencies(manifest), ["ir", "serde"]);
        assert_eq!(
            (layer("engine"), layer("engine-lazy"), layer("front-c"), layer("nothing")),
            (Some(3), Some(4), Some(2), None)
        );
    }
}

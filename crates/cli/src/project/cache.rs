//! Results by the content of all that they depend on.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A key: a digest of everything that a result depends on.
#[derive(Default)]
pub struct Key(Sha256);

impl Key {
    /// Adds a part. Parts do not run into each other.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Its name.
    pub fn name(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A folder with results.
pub struct Cache(Option<PathBuf>);

impl Cache {
    /// The cache in a folder, or none.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Cache(folder)
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.0.as_ref().map(|folder| folder.join(format!("{key}.json")))
    }

    /// The documents of `check` and of `fences` that are known.
    pub fn get(&self, key: &str) -> Option<(Value, Value)> {
        let text = std::fs::read_to_string(self.path(key)?).ok()?;
        let mut value: Value = serde_json::from_str(&text).ok()?;
        // A file that was copied under another name, or cut, is no result.
        (value["key"] == key && value["result"].is_object()).then(|| (value["result"].take(), value["fences"].take()))
    }

    /// Remembers documents. That it cannot is no reason to fail.
    pub fn put(&self, key: &str, result: &Value, fences: &Value) {
        let Some(path) = self.path(key) else { return };
        let text = serde_json::json!({"key": key, "result": result, "fences": fences}).to_string();
        let folder = path.parent().unwrap_or(Path::new("."));
        let _ = std::fs::create_dir_all(folder);
        // Somebody else may read it at the same time: it is there as a whole or not at all.
        if let Ok(mut file) = tempfile::NamedTempFile::new_in(folder)
            && file.write_all(text.as_bytes()).is_ok()
        {
            let _ = file.persist(path);
        }
    }
}

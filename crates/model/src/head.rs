//! The head of a model file: lines `@key value…` in the comments before its first instruction.

use crate::ast::File;
use crate::model::{Buffers, CompileRule, CompileStep, Head};
use crate::resolve::KNOWN_TAGS;
use source::{Diagnostic, SourceFile, Span};

const KEYS: &str = "about, also, machine, note, buffers, drain, order-writes, wait, mixed-size, weaker-than, relax, architectures, compile, compile+OPTION, tags, library";

/// Reads the head of a parsed file.
pub(crate) fn head(file: &SourceFile, parsed: &File) -> Result<Head, Diagnostic> {
    let mut reader = Reader { file, head: Head::default(), tags: Vec::new() };
    for &comment in &parsed.head {
        let mut at = comment.start as usize;
        let text = file.slice(comment);
        let inner = text.strip_suffix("*)").unwrap_or(text);
        for line in inner.split_inclusive('\n') {
            let words = line.trim_start_matches(['(', '*', ' ', '\t']);
            let start = at + (line.len() - words.len());
            let words = words.trim_end();
            if let Some(rest) = words.strip_prefix('@') {
                let key = rest.split_whitespace().next().unwrap_or("");
                reader.line(key, rest[key.len()..].trim(), Span::new(start, start + words.len()))?;
            }
            at += line.len();
        }
    }
    reader.check_tags()?;
    Ok(reader.head)
}

struct Reader<'a> {
    file: &'a SourceFile,
    head: Head,
    /// Tags that are used, to be checked when all lines are read.
    tags: Vec<(String, Span)>,
}

impl Reader<'_> {
    fn line(&mut self, key: &str, value: &str, span: Span) -> Result<(), Diagnostic> {
        let words = || value.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        match key {
            "about" => value.clone_into(&mut self.head.about),
            "also" => self.head.also.extend(words()),
            "machine" => self.head.machine = true,
            "note" => value.clone_into(&mut self.head.note),
            "buffers" => {
                self.head.buffers = Some(match value {
                    "none" => Buffers::None,
                    "thread" => Buffers::Thread,
                    "location" => Buffers::Location,
                    _ => {
                        return Err(Diagnostic::error(self.file, span, format!("unknown kind of buffers `{value}`"))
                            .help("write `none`, `thread` or `location`"));
                    }
                });
            }
            "drain" => {
                self.uses(&words(), span);
                self.head.drain.extend(words());
            }
            "order-writes" => {
                self.uses(&words(), span);
                self.head.order_writes.extend(words());
            }
            "wait" => {
                self.uses(&words(), span);
                self.head.wait.extend(words());
            }
            "mixed-size" => self.head.mixed_size.extend(words()),
            "weaker-than" => self.head.weaker_than.extend(words()),
            "relax" => match &words()[..] {
                [whole, part] => self.head.relax.push((whole.clone(), part.clone())),
                _ => {
                    return Err(Diagnostic::error(
                        self.file,
                        span,
                        "`@relax` takes the names of a relation and of a part of it",
                    )
                    .help("write for example `@relax ppo direct`"));
                }
            },
            "architectures" => self.head.architectures.extend(words()),
            "tags" => self.head.tags.extend(words()),
            "compile" => {
                let rule = self.compile(value, span)?;
                self.head.compile.push(rule);
            }
            _ if key.strip_prefix("compile+").is_some_and(|option| !option.is_empty()) => {
                let rule = self.compile(value, span)?;
                self.head.options.push((key["compile+".len()..].to_owned(), rule));
            }
            "library" => self.head.library = true,
            _ => {
                return Err(Diagnostic::error(self.file, span, format!("unknown key `@{key}`"))
                    .help(format!("the keys of a model's head are {KEYS}")));
            }
        }
        Ok(())
    }

    fn uses(&mut self, tags: &[String], span: Span) {
        self.tags.extend(tags.iter().map(|tag| (tag.clone(), span)));
    }

    fn check_tags(&self) -> Result<(), Diagnostic> {
        let known = |tag: &str| KNOWN_TAGS.contains(&tag) || self.head.tags.iter().any(|t| t == tag);
        match self.tags.iter().find(|(tag, _)| !known(tag)) {
            None => Ok(()),
            Some((tag, span)) => Err(Diagnostic::error(self.file, *span, format!("unknown tag `{tag}`"))
                .help(format!("declare it with a line `@tags {tag}`"))),
        }
    }

    fn compile(&mut self, value: &str, span: Span) -> Result<CompileRule, Diagnostic> {
        let wrong = |what: &str| {
            Diagnostic::error(self.file, span, format!("wrong `@compile` rule: {what}"))
                .help("write for example `@compile W SC -> access ; MFENCE`")
        };
        let (left, right) = value.split_once("->").ok_or_else(|| wrong("there is no `->`"))?;
        let left: Vec<&str> = left.split_whitespace().collect();
        let [kind, tag] = left[..] else { return Err(wrong("before `->` there must be a kind and a tag")) };
        if !["R", "W", "RMW", "CAS", "F"].contains(&kind) {
            return Err(wrong("the kind must be `R`, `W`, `RMW`, `CAS` or `F`"));
        }
        let mut steps = Vec::new();
        for step in right.split(';') {
            let words: Vec<String> = step.split_whitespace().map(str::to_owned).collect();
            match words.split_first() {
                None => return Err(wrong("a step is missing")),
                Some((first, tags)) if first == "access" => {
                    let mut halves = tags.split(|tag| tag == "|").map(<[String]>::to_vec);
                    let read = halves.next().unwrap_or_default();
                    let write = halves.next().unwrap_or_else(|| read.clone());
                    steps.push(CompileStep::Access { read, write });
                }
                Some((_, more)) if !more.is_empty() => return Err(wrong("a fence has one tag")),
                Some((first, _)) if first == "ctrl" => steps.push(CompileStep::Ctrl),
                Some((first, _)) if first == "nothing" => {}
                Some((first, _)) => steps.push(CompileStep::Fence(first.clone())),
            }
        }
        let accesses = steps.iter().filter(|step| matches!(step, CompileStep::Access { .. })).count();
        if accesses != usize::from(kind != "F") {
            return Err(wrong("an access has exactly one step `access`, a fence has none"));
        }
        if tag != "*" {
            self.uses(&[tag.to_owned()], span);
        }
        for step in &steps {
            match step {
                CompileStep::Access { read, write } => {
                    self.uses(read, span);
                    self.uses(write, span);
                }
                CompileStep::Fence(tag) => self.uses(std::slice::from_ref(tag), span),
                CompileStep::Ctrl => {}
            }
        }
        Ok(CompileRule { kind: kind.to_owned(), tag: tag.to_owned(), steps })
    }
}

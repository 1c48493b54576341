//! Complaints that point at a place in a text.

use crate::{SourceFile, Span};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The work cannot go on.
    Error,
    /// The work goes on, and the reader should know.
    Warning,
}

/// A complaint: what, where, why, and a way round it.
///
/// Diagnostics are boxed because they travel in `Result`s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Parts>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    severity: Severity,
    message: String,
    file: SourceFile,
    span: Span,
    label: String,
    help: Option<String>,
}

impl Diagnostic {
    /// An error about `span` of `file`.
    pub fn error(file: &SourceFile, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, file, span, message.into())
    }

    /// A warning about `span` of `file`.
    pub fn warning(file: &SourceFile, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, file, span, message.into())
    }

    fn new(severity: Severity, file: &SourceFile, span: Span, message: String) -> Self {
        Diagnostic(Box::new(Parts { severity, message, file: file.clone(), span, label: String::new(), help: None }))
    }

    /// Words to print beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
        self
    }

    /// A way round it, printed last.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The message without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The file it is about.
    pub fn file(&self) -> &SourceFile {
        &self.0.file
    }

    /// The place it is about.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// One line: `file:line:column: error: message`.
    pub fn headline(&self) -> String {
        let at = self.0.file.position(self.0.span.start);
        let level = match self.0.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let file = self.0.file.file_at(self.0.span.start);
        format!("{}:{}:{}: {level}: {}", file.name, at.line, at.column, self.0.message)
    }

    /// The message with the offending line and a caret, as it is shown on a terminal.
    pub fn render(&self, color: bool) -> String {
        let parts = &*self.0;
        let level = match parts.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let file = parts.file.file_at(parts.span.start);
        let text = file.text;
        let inside = |offset: u32| offset.saturating_sub(file.start) as usize;
        let start = floor_char(text, inside(parts.span.start));
        let end = floor_char(text, inside(parts.span.end).max(start));
        let mut annotation = AnnotationKind::Primary.span(start..end);
        if !parts.label.is_empty() {
            annotation = annotation.label(&*parts.label);
        }
        let snippet = Snippet::source(text).path(file.name).annotation(annotation);
        let mut group = level.primary_title(&*parts.message).element(snippet);
        if let Some(help) = &parts.help {
            group = group.element(Level::HELP.message(&**help));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// The last character boundary of `text` at or before `offset`.
fn floor_char(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_line_with_a_caret() {
        let file = SourceFile::new("t.litmus", "X86 t\n MOVV [x],$1 ;\n");
        let error = Diagnostic::error(&file, Span::new(7, 11), "unknown instruction `MOVV`").help("write `MOV`");
        assert_eq!(error.to_string(), "t.litmus:2:2: error: unknown instruction `MOVV`");
        let text = error.render(false);
        assert!(text.contains("--> t.litmus:2:2"), "{text}");
        assert!(text.contains("MOVV [x],$1 ;"), "{text}");
        assert!(text.contains("^^^^"), "{text}");
        assert!(text.contains("help: write `MOV`"), "{text}");
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        let file = SourceFile::new("e", "");
        for span in [Span::new(0, 0), Span::new(5, 9), Span::new(9, 5)] {
            assert!(Diagnostic::error(&file, span, "empty").render(true).contains("empty"));
        }
        let wide = SourceFile::new("w", "\u{e9}\u{e9}");
        assert!(Diagnostic::error(&wide, Span::new(1, 3), "inside a character").render(false).contains("inside"));
    }
}

//! The part of TOML that a project file needs: tables, arrays of tables, strings, whole numbers, truth values, arrays and
//! inline tables. What it does not read it refuses, with the place.

use source::{Diagnostic, SourceFile, Span};
use std::collections::BTreeMap;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `"text"` or `'text'`.
    Text(String),
    /// `12`.
    Number(i64),
    /// `true`.
    Truth(bool),
    /// `[1, 2]`, or tables that begin with `[[name]]`.
    List(Vec<Value>),
    /// Names and their values.
    Table(Table),
}

/// Names and their values.
pub type Table = BTreeMap<String, Value>;

/// Reads a text.
///
/// # Errors
/// What is wrong with it, or not read here.
pub fn parse(file: &SourceFile) -> Result<Table, Diagnostic> {
    let mut reader = Reader { file, text: file.text(), at: 0 };
    let mut root = Table::new();
    let mut path: Vec<String> = Vec::new();
    loop {
        reader.blank_lines();
        if reader.rest().is_empty() {
            return Ok(root);
        }
        if reader.rest().starts_with('[') {
            path = reader.header(&mut root)?;
        } else {
            let table = descend(&mut root, &path).ok_or_else(|| reader.error(reader.at, "this is no table"))?;
            reader.pair(table)?;
        }
        reader.end_of_line()?;
    }
}

/// The table that a path leads to; of an array of tables, the last one.
fn descend<'t>(table: &'t mut Table, path: &[String]) -> Option<&'t mut Table> {
    let Some((first, rest)) = path.split_first() else { return Some(table) };
    let value =
        table.entry(first.clone()).or_insert_with(|| Value { kind: Kind::Table(Table::new()), span: Span::default() });
    match &mut value.kind {
        Kind::Table(inner) => descend(inner, rest),
        Kind::List(all) => match &mut all.last_mut()?.kind {
            Kind::Table(inner) => descend(inner, rest),
            Kind::Text(_) | Kind::Number(_) | Kind::Truth(_) | Kind::List(_) => None,
        },
        Kind::Text(_) | Kind::Number(_) | Kind::Truth(_) => None,
    }
}

struct Reader<'a> {
    file: &'a SourceFile,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, from: usize, message: impl Into<String>) -> Diagnostic {
        let to = self.text[from..].chars().next().map_or(from, |c| from + c.len_utf8());
        Diagnostic::error(self.file, Span::new(from, to), message)
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    fn comment(&mut self) {
        self.blanks();
        if self.rest().starts_with('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn blank_lines(&mut self) {
        loop {
            self.comment();
            let line = ["\r\n", "\n"].into_iter().find(|end| self.rest().starts_with(end));
            let Some(end) = line else { return };
            self.at += end.len();
        }
    }

    fn end_of_line(&mut self) -> Result<(), Diagnostic> {
        self.comment();
        let rest = self.rest();
        if rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n") {
            return Ok(());
        }
        Err(self.error(self.at, "the line goes on behind its end"))
    }

    fn takes(&mut self, word: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.takes(word) { Ok(()) } else { Err(self.error(self.at, format!("expected `{word}`"))) }
    }

    /// `[name]` or `[[name]]`.
    fn header(&mut self, root: &mut Table) -> Result<Vec<String>, Diagnostic> {
        let from = self.at;
        self.at += 1;
        let several = self.takes("[");
        let path = self.key()?;
        self.expect("]")?;
        if several {
            self.expect("]")?;
        }
        let span = Span::new(from, self.at);
        let (last, before) = path.split_last().ok_or_else(|| self.error(from, "a table needs a name"))?;
        let table = descend(root, before).ok_or_else(|| self.error(from, "there is a value of this name already"))?;
        let new = Value { kind: Kind::Table(Table::new()), span };
        match (table.get_mut(last), several) {
            (None, true) => {
                table.insert(last.clone(), Value { kind: Kind::List(vec![new]), span });
            }
            (Some(Value { kind: Kind::List(all), .. }), true) => all.push(new),
            (None, false) => {
                table.insert(last.clone(), new);
            }
            (Some(_), _) => return Err(self.error(from, format!("`{last}` is there already"))),
        }
        Ok(path)
    }

    /// `name.name`.
    fn key(&mut self) -> Result<Vec<String>, Diagnostic> {
        let mut path = Vec::new();
        loop {
            self.blanks();
            let rest = self.rest();
            if rest.starts_with(['"', '\'']) {
                path.push(self.string()?);
            } else {
                let long =
                    rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
                if long == 0 {
                    return Err(self.error(self.at, "expected a name"));
                }
                path.push(rest[..long].to_owned());
                self.at += long;
            }
            if !self.takes(".") {
                return Ok(path);
            }
        }
    }

    /// `name = value`.
    fn pair(&mut self, table: &mut Table) -> Result<(), Diagnostic> {
        let from = self.at;
        let path = self.key()?;
        self.expect("=")?;
        let value = self.value()?;
        let (last, before) = path.split_last().ok_or_else(|| self.error(from, "expected a name"))?;
        let table = descend(table, before).ok_or_else(|| self.error(from, "there is a value of this name already"))?;
        if table.insert(last.clone(), value).is_some() {
            return Err(self.error(from, format!("`{last}` is there already")));
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Value, Diagnostic> {
        self.blanks();
        let from = self.at;
        let rest = self.rest();
        let kind = match rest.chars().next() {
            Some('"' | '\'') => Kind::Text(self.string()?),
            Some('[') => Kind::List(self.list()?),
            Some('{') => Kind::Table(self.inline()?),
            Some(_) | None => self.word()?,
        };
        Ok(Value { kind, span: Span::new(from, self.at) })
    }

    /// A number or a truth value.
    fn word(&mut self) -> Result<Kind, Diagnostic> {
        let (from, rest) = (self.at, self.rest());
        let long = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | '#')).unwrap_or(rest.len());
        let word = &rest[..long];
        self.at += long;
        match word {
            "true" => Ok(Kind::Truth(true)),
            "false" => Ok(Kind::Truth(false)),
            word => match word.replace('_', "").parse() {
                Ok(number) => Ok(Kind::Number(number)),
                Err(_) => Err(self.error(from, "expected a string in quotes, a whole number, true, false, [ or {")),
            },
        }
    }

    fn list(&mut self) -> Result<Vec<Value>, Diagnostic> {
        let mut all = Vec::new();
        self.at += 1;
        loop {
            self.blank_lines();
            if self.takes("]") {
                return Ok(all);
            }
            all.push(self.value()?);
            self.blank_lines();
            if !self.takes(",") {
                self.blank_lines();
                self.expect("]")?;
                return Ok(all);
            }
        }
    }

    fn inline(&mut self) -> Result<Table, Diagnostic> {
        let mut table = Table::new();
        self.at += 1;
        if self.takes("}") {
            return Ok(table);
        }
        loop {
            self.blanks();
            self.pair(&mut table)?;
            if !self.takes(",") {
                self.expect("}")?;
                return Ok(table);
            }
        }
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        let from = self.at;
        let Some(quote) = self.rest().chars().next() else { return Err(self.error(from, "expected a string")) };
        if self.rest().starts_with("\"\"\"") || self.rest().starts_with("'''") {
            return Err(self.error(from, "strings of several lines are not read"));
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.rest().chars().next().filter(|c| *c != '\n') else {
                return Err(self.error(from, "the string does not end"));
            };
            self.at += c.len_utf8();
            match c {
                c if c == quote => return Ok(text),
                '\\' if quote == '"' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Diagnostic> {
        let from = self.at;
        let c = self.rest().chars().next().unwrap_or('\n');
        self.at += c.len_utf8();
        let long = match c {
            'n' => return Ok('\n'),
            't' => return Ok('\t'),
            'r' => return Ok('\r'),
            '"' | '\\' => return Ok(c),
            'u' => 4,
            'U' => 8,
            _ => return Err(self.error(from, "this escape is not known")),
        };
        let code = self.rest().get(..long).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let found = code.and_then(char::from_u32).ok_or_else(|| self.error(from, "this is no character"))?;
        self.at += long;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table, String> {
        parse(&SourceFile::new("fencepost.toml", text)).map_err(|error| error.headline())
    }

    fn text(value: &Value) -> &str {
        let Kind::Text(text) = &value.kind else { panic!("{value:?} is no text") };
        text
    }

    #[test]
    fn what_project_files_have_is_read() {
        let table = read(
            "# head\na = \"x\\n\\u00e9\" # end\nb.c = 'raw\\n'\n[d]\nlist = [1, -2,\n  3, # three\n]\n[[t]]\nk = true\n[[t]]\nk = { l = 1_000 }\n",
        );
        let table = table.expect("it is good");
        assert_eq!(text(&table["a"]), "x\né");
        let Kind::Table(b) = &table["b"].kind else { panic!("b is a table") };
        assert_eq!(text(&b["c"]), "raw\\n");
        let Kind::List(all) = &table["t"].kind else { panic!("t is a list") };
        assert_eq!(all.len(), 2);
        let Kind::Table(last) = &all[1].kind else { panic!("of tables") };
        let Kind::Table(inner) = &last["k"].kind else { panic!("k is a table") };
        assert_eq!(inner["l"].kind, Kind::Number(1000));
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let cases = [
            ("a = 1\na = 2", "2:1"),
            ("a = b", "1:5"),
            ("a = \"x", "1:5"),
            ("a 1", "1:3"),
            ("[a\nb = 1", "1:3"),
            ("a = 1 2", "1:7"),
            ("a = [1 2]", "1:8"),
            ("a = 1\n[a]\n", "2:1"),
            ("a = 1.5", "1:5"),
            ("a = \"\"\"x\"\"\"", "1:5"),
            ("a = \"\\q\"", "1:7"),
        ];
        for (given, place) in cases {
            let said = read(given).expect_err("it is wrong");
            assert!(said.starts_with(&format!("fencepost.toml:{place}:")), "{given}: {said}");
        }
    }
}

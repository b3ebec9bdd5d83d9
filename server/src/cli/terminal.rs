//! How answers look on a terminal: aligned, escaped, with marks that never stand alone.

use std::io::{IsTerminal, Write};

/// What the terminal can show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terminal {
    styled: bool,
}

impl Terminal {
    /// Of stdout. Styles are left out when it is no terminal or `NO_COLOR` is set.
    pub(super) fn of_stdout() -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { styled: std::io::stdout().is_terminal() && !no_color }
    }

    #[cfg(test)]
    pub(super) const fn plain() -> Self {
        Self { styled: false }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.styled_with(text, "1")
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.styled_with(text, "2")
    }

    /// Struck through, for what is deleted; the word stands beside it.
    pub(super) fn struck(self, text: &str) -> String {
        self.styled_with(text, "9")
    }

    fn styled_with(self, text: &str, code: &str) -> String {
        if self.styled { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Writes rows under headings; every column as wide as its widest cell, the last one open.
    pub(super) fn table(self, out: &mut dyn Write, headings: &[&str], rows: &[Vec<String>]) -> std::io::Result<()> {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
        let mut widths: Vec<usize> = headings.iter().map(|heading| width(heading)).collect();
        for row in &rows {
            for (column, cell) in row.iter().enumerate() {
                widths[column] = widths[column].max(width(cell));
            }
        }
        let line = |cells: &[String]| {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                if column > 0 {
                    line.push_str("  ");
                }
                line.push_str(cell);
                if column + 1 < cells.len() {
                    line.push_str(&" ".repeat(widths[column].saturating_sub(width(cell))));
                }
            }
            line.truncate(line.trim_end().len());
            line
        };
        let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
        writeln!(out, "{}", self.bold(&line(&headings)))?;
        for row in &rows {
            writeln!(out, "{}", line(row))?;
        }
        Ok(())
    }
}

/// A foreign text that cannot command the terminal: control characters become U+FFFD.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|character| if is_dangerous(character) { '\u{fffd}' } else { character }).collect()
}

/// The same for a text that has lines of its own.
pub(super) fn printable_lines(text: &str) -> String {
    text.chars()
        .map(|character| if character != '\n' && is_dangerous(character) { '\u{fffd}' } else { character })
        .collect()
}

/// Control characters, and those that turn the direction of what follows.
fn is_dangerous(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// A number with its noun, in the singular where it is one.
pub(super) fn counted(number: u64, singular: &str, plural: &str) -> String {
    if number == 1 { format!("1 {singular}") } else { format!("{number} {plural}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_escaped() {
        let mut out = Vec::new();
        let rows = vec![vec!["TABLE".to_owned(), "a\x1b[31m.b".to_owned()], vec!["V".to_owned(), String::new()]];
        Terminal::plain().table(&mut out, &["TYPE", "NAME"], &rows).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "TYPE   NAME\nTABLE  a\u{fffd}[31m.b\nV\n");
    }
}

//! Lines with foreign names on their way to a terminal, which they cannot command.

use std::io::{Result, Write};

use crate::cli::terminal::printable_lines;

/// Passes whole lines on, their control characters replaced.
pub(super) struct OnTerminal<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> OnTerminal<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }
}

impl<W: Write> Write for OnTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.out.write_all(printable_lines(&String::from_utf8_lossy(&self.line)).as_bytes())?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_commands_nothing() {
        let mut shown = Vec::new();
        let mut out = OnTerminal::new(&mut shown);
        for part in ["/a/\u{1b}[2J\u{202e}", "b\n/c/\u{fc}", "\n"] {
            out.write_all(part.as_bytes()).unwrap();
        }
        assert_eq!(String::from_utf8(shown).unwrap(), "/a/\u{fffd}[2J\u{fffd}b\n/c/\u{fc}\n");
    }
}

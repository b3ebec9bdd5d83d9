//! Counting what is as the engine says.

use std::fmt;

/// One half of the statements.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Score {
    pub(crate) statements: usize,
    pub(crate) parsed: usize,
    pub(crate) tables: usize,
    pub(crate) tables_right: usize,
    pub(crate) columns: usize,
    pub(crate) columns_right: usize,
}

impl Score {
    pub(crate) fn parse_rate(&self) -> f64 {
        rate(self.parsed, self.statements)
    }

    pub(crate) fn table_rate(&self) -> f64 {
        rate(self.tables_right, self.tables)
    }

    pub(crate) fn column_rate(&self) -> f64 {
        rate(self.columns_right, self.columns)
    }
}

fn rate(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} statements: parsed {:.2} %, tables right {:.2} % of {}, columns right {:.2} % of {}",
            self.statements,
            self.parse_rate(),
            self.table_rate(),
            self.tables,
            self.column_rate(),
            self.columns
        )
    }
}

/// Which half a statement is in: the one that faults were looked for in is 0.
pub(crate) fn half(text: &str) -> usize {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32) as usize % 2
}

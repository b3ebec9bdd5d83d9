//! Which formats are read.

use super::Format;

/// The formats that a server reads: those of its version, or fewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formats(Vec<Format>);

impl Default for Formats {
    fn default() -> Self {
        Self(Format::ALL.to_vec())
    }
}

impl Formats {
    /// These and no others.
    pub fn only(formats: &[Format]) -> Self {
        Self(formats.to_vec())
    }

    /// The format that a word names, if it is one of these.
    pub fn find(&self, word: &str) -> Option<Format> {
        self.0.iter().copied().find(|format| format.as_str().eq_ignore_ascii_case(word))
    }

    /// Their words.
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(|format| format.as_str().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_left_out_is_unknown() {
        assert_eq!(Formats::default().find("HIVE"), Some(Format::Hive));
        assert_eq!(Formats::default().find("parchment"), None);
        let hive = Formats::only(&[Format::Hive]);
        assert_eq!((hive.find("hive"), hive.find("impala")), (Some(Format::Hive), None));
        assert_eq!((hive.words(), Formats::default().words().len()), (vec!["hive".to_owned()], Format::ALL.len()));
    }
}

//! How the program is called, and whether a Hadoop client is there.

use std::ffi::OsStr;

const USAGE: &str = "usage: sextant-hdfs-jni SCHEME://AUTHORITY [--user NAME]";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) address: String,
    pub(crate) user: Option<String>,
}

impl Call {
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let arguments: Vec<String> = arguments.collect();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (address, user) = match words[..] {
            [address] => (address, None),
            [address, "--user", user] => (address, Some(user.to_owned())),
            _ => return Err(USAGE.to_owned()),
        };
        if !address.contains("://") {
            return Err(USAGE.to_owned());
        }
        Ok(Self { address: address.to_owned(), user })
    }
}

/// Whether a jar of Hadoop is on the class path. Without one libhdfs starts a JVM only to print pages of traces.
pub(crate) fn has_hadoop(class_path: Option<&OsStr>) -> bool {
    let Some(class_path) = class_path else { return false };
    std::env::split_paths(class_path).any(|path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.starts_with("hadoop-c") && path.extension() == Some(OsStr::new("jar")) && path.is_file()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_or_answered_with_the_usage() {
        let read = |words: &[&str]| Call::read(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(read(&["hdfs://prod", "--user", "u"]).unwrap().user.as_deref(), Some("u"));
        for wrong in [&[][..], &["prod"], &["hdfs://prod", "--user"], &["hdfs://a", "hdfs://b"]] {
            assert_eq!(read(wrong).unwrap_err(), USAGE);
        }
    }

    #[test]
    fn a_class_path_without_hadoop_is_noticed() {
        assert!(!has_hadoop(None));
        assert!(!has_hadoop(Some(OsStr::new("/nowhere/hadoop-common-3.3.6.jar:/etc/hadoop/conf"))));
    }
}

//! Where `hdfs-site.xml` says that NameNodes answer by HTTP.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::super::NamespaceError;

const MAX_FILE_BYTES: u64 = 16 << 20;

/// The directory that clients of Hadoop read when none is configured.
pub(super) fn usual_directory() -> Option<PathBuf> {
    let named = env::var_os("HADOOP_CONF_DIR").map(PathBuf::from);
    named.or_else(|| env::var_os("HADOOP_HOME").map(|home| Path::new(&home).join("etc/hadoop")))
}

/// The web addresses of the NameNodes of `hdfs://…`; none where the files do not tell.
pub(super) fn web_addresses(directory: &Path, uri: &str) -> Result<Vec<String>, NamespaceError> {
    let mut settings = HashMap::new();
    for name in ["core-site.xml", "hdfs-site.xml"] {
        let path = directory.join(name);
        let mut text = String::new();
        match fs::File::open(&path) {
            Ok(file) => file.take(MAX_FILE_BYTES).read_to_string(&mut text).map(|_| ()),
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => Err(error),
        }
        .map_err(|source| NamespaceError::File { action: "read", path: path.clone(), source })?;
        settings.extend(read(&text).map_err(|reason| NamespaceError::HadoopConf { path, reason })?);
    }
    Ok(addresses_of(&settings, uri))
}

fn addresses_of(settings: &HashMap<String, String>, uri: &str) -> Vec<String> {
    let authority = uri.split_once("://").map_or(uri, |(_, authority)| authority);
    let secure = settings.get("dfs.http.policy").is_some_and(|policy| policy == "HTTPS_ONLY");
    let (scheme, key) =
        if secure { ("https", "dfs.namenode.https-address") } else { ("http", "dfs.namenode.http-address") };
    let mut addresses = Vec::new();
    let mut take = |key: String| {
        // An address of 0.0.0.0 is where a NameNode listens, not where it is found.
        if let Some(value) = settings.get(&key).filter(|value| !value.starts_with("0.0.0.0") && !value.contains("${")) {
            addresses.push(format!("{scheme}://{value}"));
        }
    };
    if let Some(namenodes) = settings.get(&format!("dfs.ha.namenodes.{authority}")) {
        for namenode in namenodes.split(',').map(str::trim) {
            take(format!("{key}.{authority}.{namenode}"));
        }
    } else {
        take(format!("{key}.{authority}"));
        take(key.to_owned());
    }
    addresses
}

/// The properties of a Hadoop configuration file.
fn read(text: &str) -> Result<HashMap<String, String>, String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| error.to_string())?;
    let mut settings = HashMap::new();
    for property in document.descendants().filter(|node| node.has_tag_name("property")) {
        let text_of = |name: &str| {
            let child = property.children().find(|child| child.has_tag_name(name))?;
            Some(child.text().unwrap_or_default().trim().to_owned())
        };
        if let (Some(name), Some(value)) = (text_of("name"), text_of("value")) {
            settings.insert(name, value);
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn site(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        let property =
            |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value> {value} </value></property>");
        let properties: Vec<String> = pairs.iter().map(property).collect();
        read(&format!("<?xml version=\"1.0\"?><configuration>{}</configuration>", properties.concat())).unwrap()
    }

    #[test]
    fn addresses_of_a_pair_and_of_a_single_one() {
        let pair = site(&[
            ("dfs.ha.namenodes.prod", "nn1, nn2"),
            ("dfs.namenode.http-address.prod.nn1", "h1:9870"),
            ("dfs.namenode.http-address.prod.nn2", "h2:9870"),
            ("dfs.namenode.https-address.prod.nn1", "h1:9871"),
        ]);
        assert_eq!(addresses_of(&pair, "hdfs://prod"), ["http://h1:9870", "http://h2:9870"]);
        let secure = [pair, site(&[("dfs.http.policy", "HTTPS_ONLY")])].into_iter().flatten().collect();
        assert_eq!(addresses_of(&secure, "hdfs://prod"), ["https://h1:9871"]);
        let single = site(&[("dfs.namenode.http-address", "h1:50070")]);
        assert_eq!(addresses_of(&single, "hdfs://h1:8020"), ["http://h1:50070"]);
        let listening = site(&[("dfs.namenode.http-address", "0.0.0.0:9870")]);
        assert!(addresses_of(&listening, "hdfs://h1:8020").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = read(&text);
        }
    }
}

//! Where images come from, as it is configured.

use std::path::PathBuf;

use super::NamespaceError;

/// From where a NameNode's image is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImagePlace {
    /// An image, or a directory in which a NameNode (or a job) puts images.
    Local(PathBuf),
    /// The web addresses of the NameNodes of one file system: scheme, host and port.
    NameNodes(Vec<String>),
}

impl ImagePlace {
    /// Reads `file:///PATH`, or `http(s)://HOST:PORT`, several separated by commas.
    pub fn read(uri: &str) -> Result<Self, NamespaceError> {
        let bad = |reason| NamespaceError::BadUri { uri: uri.to_owned(), reason };
        if let Some(path) = uri.trim().strip_prefix("file://") {
            return if path.starts_with('/') {
                Ok(Self::Local(PathBuf::from(path)))
            } else {
                Err(bad("the path of a file begins with /"))
            };
        }
        let mut addresses = Vec::new();
        for part in uri.split(',').map(str::trim) {
            let address = part.trim_end_matches('/');
            let Some((scheme, authority)) = address.split_once("://") else {
                return Err(bad("it has no scheme"));
            };
            match scheme {
                "http" | "https" => {}
                "hdfs" => return Err(bad("an image is fetched by HTTP, not by the RPC of `hdfs://`")),
                _ => return Err(bad("the scheme is unknown")),
            }
            let (host, port) = authority.rsplit_once(':').ok_or_else(|| bad("it has no port"))?;
            if host.is_empty() || host.contains(['/', '@', ' ', '?', '#']) {
                return Err(bad("between scheme and port there is more, or less, than a host"));
            }
            if port.parse::<u16>().is_err() {
                return Err(bad("the port is no number up to 65535"));
            }
            addresses.push(address.to_owned());
        }
        Ok(Self::NameNodes(addresses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_or_refused_with_a_reason() {
        assert_eq!(
            ImagePlace::read("file:///dfs/name/current").unwrap(),
            ImagePlace::Local("/dfs/name/current".into())
        );
        let two = ImagePlace::read("http://nn1:9870, https://nn2:9871/").unwrap();
        assert_eq!(two, ImagePlace::NameNodes(vec!["http://nn1:9870".to_owned(), "https://nn2:9871".to_owned()]));
        for (wrong, reason) in [
            ("", "no scheme"),
            ("file://image", "begins with /"),
            ("hdfs://nn1:8020", "not by the RPC"),
            ("http://nn1", "no port"),
            ("http://user@nn1:9870", "than a host"),
            ("http://nn1:9870/path:1", "than a host"),
            ("http://nn1:98700", "no number up to 65535"),
            ("http://nn1:9870,", "no scheme"),
        ] {
            let error = ImagePlace::read(wrong).unwrap_err().to_string();
            assert!(error.contains(reason), "{wrong}: {error}");
        }
    }
}

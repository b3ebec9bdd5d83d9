//! What is listed, as it is configured.

use super::super::NamespaceError;

/// A file system that is listed, and what lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingAddress {
    /// `hdfs://…`: by the RPC of its NameNode.
    Native(String),
    /// `jni+SCHEME://…`: by the program with Hadoop's Java client, which is given `SCHEME://…`.
    Java(String),
}

impl ListingAddress {
    /// Reads `hdfs://NAMESERVICE`, `hdfs://HOST:PORT` or `jni+SCHEME://AUTHORITY`.
    pub fn read(uri: &str) -> Result<Self, NamespaceError> {
        let bad = |reason| NamespaceError::BadListingUri { uri: uri.to_owned(), reason };
        let uri = uri.trim();
        let (address, through_java) = match uri.strip_prefix("jni+") {
            Some(address) => (address, true),
            None => (uri, false),
        };
        let (scheme, authority) = address.split_once("://").ok_or_else(|| bad("it has no scheme"))?;
        let authority = authority.trim_end_matches('/');
        let address = format!("{scheme}://{authority}");
        if authority.is_empty() || authority.contains(['/', ' ', '?', '#', ',']) {
            return Err(bad("between scheme and end there is more, or less, than a nameservice or HOST:PORT"));
        }
        if through_java {
            let scheme_is_plain = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
            return if scheme_is_plain { Ok(Self::Java(address)) } else { Err(bad("the scheme is no word")) };
        }
        if scheme != "hdfs" {
            return Err(bad("only hdfs:// is listed without Java's client"));
        }
        if authority.contains('@') {
            return Err(bad("a user is named by the key `user`"));
        }
        if let Some((_, port)) = authority.rsplit_once(':')
            && port.parse::<u16>().is_err()
        {
            return Err(bad("the port is no number up to 65535"));
        }
        Ok(Self::Native(address))
    }

    /// Whether a text is meant as an address of this kind.
    pub fn is_meant(uri: &str) -> bool {
        let uri = uri.trim();
        uri.starts_with("hdfs://") || uri.starts_with("jni+")
    }

    /// The address as it is given to what lists.
    pub(super) fn uri(&self) -> &str {
        match self {
            Self::Native(uri) | Self::Java(uri) => uri,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused_with_a_reason() {
        for uri in ["hdfs://prod", "hdfs://nn1:8020/"] {
            let expected = ListingAddress::Native(uri.trim_end_matches('/').to_owned());
            assert_eq!(ListingAddress::read(uri).unwrap(), expected);
        }
        let java = ListingAddress::read("jni+s3a://bucket").unwrap();
        assert_eq!(java, ListingAddress::Java("s3a://bucket".to_owned()));
        for (wrong, reason) in [
            ("hdfs:prod", "no scheme"),
            ("hdfs://", "more, or less"),
            ("hdfs://prod/data", "more, or less"),
            ("hdfs://nn:80200", "no number up to 65535"),
            ("hdfs://me@nn:8020", "key `user`"),
            ("s3a://bucket", "only hdfs://"),
            ("jni+://bucket", "no word"),
        ] {
            let error = ListingAddress::read(wrong).unwrap_err().to_string();
            assert!(error.contains(reason), "{wrong}: {error}");
        }
    }
}

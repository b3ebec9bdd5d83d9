//! Where data lies: from a location as a source writes it to the name of a path.
//!
//! One place has many spellings: `hdfs://prod/w/t`, `hdfs://nn1.example.com:8020/w/t/`,
//! `viewfs://c/w/t`, `/w/t`. Which of them are the same is configured, never guessed: an
//! authority that no file system claims is kept as it is.
//!
//! Nothing is decoded or trimmed: a `%3A` or a blank in a path is what HDFS keeps.

use crate::{NameKey, NameKind};

/// Goes into [`FileSystems::fingerprint`]; grows when the rules here become others.
const RULES_VERSION: &[u8] = b"1";
/// The port of a NameNode where none is written.
const DEFAULT_HDFS_PORT: &str = ":8020";

/// A file system that an extractor shows, and the addresses under which it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystem {
    /// The extractor.
    pub source: String,
    /// The first of its clusters.
    pub cluster: String,
    /// `hdfs://prod`, `hdfs://nn1:8020`, `viewfs://c`: what its paths may begin with. In
    /// `hdfs://` addresses a port of 8020 is the same as none: each of the two claims both.
    pub addresses: Vec<String>,
}

/// All file systems of a configuration. The first of a cluster is the one that a location
/// without an address means; its paths are called `/path`, those of all others by their first address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSystems(pub Vec<FileSystem>);

/// Why a location means a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocationRule {
    /// It has no address.
    DefaultFileSystem {
        /// The extractor of the cluster's first file system; `None` when there is none.
        source: Option<String>,
    },
    /// Its address is configured.
    Address {
        /// As configured.
        address: String,
        /// The extractor whose file system it is.
        source: String,
    },
    /// No file system claims its address.
    UnknownAddress,
}

/// What a location means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the path.
    pub name: NameKey,
    /// By which rule.
    pub rule: LocationRule,
}

impl FileSystems {
    /// What `location` means when an entity of `cluster` says that its data lies there.
    ///
    /// The name of the answer, taken as a location in the cluster of the answer, means itself.
    pub fn place(&self, cluster: &str, location: &str) -> Place {
        let Some((scheme, rest)) = scheme_of(location) else {
            if !location.starts_with('/') {
                // Relative, or nothing at all: relative to what is not known.
                return Place { name: path_name(cluster, location.to_owned()), rule: LocationRule::UnknownAddress };
            }
            return self.place_by_default(cluster, location);
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
            None => ("", rest),
        };
        let scheme = scheme.to_ascii_lowercase();
        if authority.is_empty() {
            if scheme == "hdfs" {
                return self.place_by_default(cluster, path);
            }
            let name = path_name(cluster, format!("{scheme}:{}", tidy(path)));
            return Place { name, rule: LocationRule::UnknownAddress };
        }
        let address = format!("{scheme}://{}", lower_host(authority));
        match self.claiming(cluster, &address) {
            Some((file_system, configured)) => Place {
                name: self.name(file_system, path),
                rule: LocationRule::Address { address: configured.clone(), source: file_system.source.clone() },
            },
            None => Place {
                name: path_name(cluster, format!("{address}{}", tidy(path))),
                rule: LocationRule::UnknownAddress,
            },
        }
    }

    /// What an extractor's own path is called, and in which cluster. A source that is not
    /// configured is taken for its cluster's first file system.
    pub fn name_of(&self, source: &str, cluster: &str, path: &str) -> NameKey {
        match self.0.iter().find(|file_system| file_system.source == source) {
            Some(file_system) => self.name(file_system, path),
            None => path_name(cluster, tidy(path)),
        }
    }

    /// What stands before an extractor's paths in their names: nothing for the first file system of
    /// a cluster.
    pub fn prefix_of(&self, source: &str) -> String {
        match self.0.iter().find(|file_system| file_system.source == source) {
            Some(file_system) if !self.is_default(file_system) => own_address(file_system),
            _ => String::new(),
        }
    }

    /// Everything that decides over names, to see whether they have to be made anew.
    pub fn fingerprint(&self) -> [u8; 16] {
        let mut parts: Vec<&[u8]> = vec![RULES_VERSION];
        for file_system in &self.0 {
            parts.extend([b"file system", file_system.source.as_bytes(), file_system.cluster.as_bytes()]);
            parts.extend(file_system.addresses.iter().map(String::as_bytes));
        }
        *crate::EntityId::derive("file systems", &parts).as_bytes()
    }

    fn place_by_default(&self, cluster: &str, path: &str) -> Place {
        let default = self.0.iter().find(|file_system| file_system.cluster == cluster);
        Place {
            name: path_name(cluster, tidy(path)),
            rule: LocationRule::DefaultFileSystem { source: default.map(|file_system| file_system.source.clone()) },
        }
    }

    /// The file system that claims an address, and how that is configured: one of the cluster
    /// before those of others.
    fn claiming(&self, cluster: &str, address: &str) -> Option<(&FileSystem, String)> {
        let claims = |file_system: &FileSystem| {
            let own = own_address(file_system);
            let mut addresses = file_system.addresses.iter().chain([&own]);
            addresses.find(|configured| canonical(configured) == canonical(address)).cloned()
        };
        let of_cluster = self.0.iter().filter(|file_system| file_system.cluster == cluster);
        of_cluster.chain(&self.0).find_map(|file_system| Some((file_system, claims(file_system)?)))
    }

    fn is_default(&self, file_system: &FileSystem) -> bool {
        self.0
            .iter()
            .find(|other| other.cluster == file_system.cluster)
            .is_some_and(|first| first.source == file_system.source)
    }

    fn name(&self, file_system: &FileSystem, path: &str) -> NameKey {
        let prefix = if self.is_default(file_system) { String::new() } else { own_address(file_system) };
        path_name(&file_system.cluster, format!("{prefix}{}", tidy(path)))
    }
}

/// By what a file system that is not its cluster's first is called. One without any address is
/// called by its extractor.
fn own_address(file_system: &FileSystem) -> String {
    match file_system.addresses.first() {
        Some(address) => without_path(address),
        None => format!("hdfs://{}", file_system.source.to_lowercase()),
    }
}

/// An address as it is compared: the port that is the default is left out.
fn canonical(address: &str) -> String {
    let address = without_path(address);
    match address.strip_suffix(DEFAULT_HDFS_PORT) {
        Some(without_port) if address.starts_with("hdfs://") => without_port.to_owned(),
        _ => address,
    }
}

/// Scheme and host in lower case, and whatever path follows left out.
fn without_path(address: &str) -> String {
    let Some((scheme, authority)) = address.split_once("://") else {
        return address.trim_end_matches('/').to_lowercase();
    };
    let authority = authority.split('/').next().unwrap_or_default();
    format!("{}://{}", scheme.to_ascii_lowercase(), lower_host(authority))
}

/// `USER@Host:1` becomes `USER@host:1`: hosts have no case, what stands before them may have.
fn lower_host(authority: &str) -> String {
    match authority.rsplit_once('@') {
        Some((user, host)) => format!("{user}@{}", host.to_lowercase()),
        None => authority.to_lowercase(),
    }
}

/// `hdfs` and `//prod/w` of `hdfs://prod/w`. A colon within a path makes no scheme.
fn scheme_of(location: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = location.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    (is_scheme && rest.starts_with('/')).then_some((scheme, rest))
}

/// A path with single slashes, one at its beginning and none at its end.
fn tidy(path: &str) -> String {
    let mut tidy = String::with_capacity(path.len() + 1);
    for part in path.split('/').filter(|part| !part.is_empty()) {
        tidy.push('/');
        tidy.push_str(part);
    }
    if tidy.is_empty() {
        tidy.push('/');
    }
    tidy
}

fn path_name(cluster: &str, qualified: String) -> NameKey {
    NameKey { cluster: cluster.to_owned(), kind: NameKind::Path, qualified }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file_system(source: &str, cluster: &str, addresses: &[&str]) -> FileSystem {
        FileSystem {
            source: source.to_owned(),
            cluster: cluster.to_owned(),
            addresses: addresses.iter().map(|&address| address.to_owned()).collect(),
        }
    }

    fn two_clusters() -> FileSystems {
        FileSystems(vec![
            file_system("hdfs", "prod", &["hdfs://prod", "hdfs://NN1.example.com:8020", "viewfs://c"]),
            file_system("objects", "prod", &["s3a://lake", "s3://lake"]),
            file_system("hdfs-dr", "dr", &["hdfs://dr:9000"]),
        ])
    }

    fn name_in(cluster: &str, location: &str) -> String {
        let NameKey { cluster, qualified, .. } = two_clusters().place(cluster, location).name;
        format!("{cluster} {qualified}")
    }

    #[test]
    fn the_spellings_of_one_place_have_one_name() {
        let spellings = [
            "/w/t",
            "/w//t/",
            "hdfs:/w/t",
            "hdfs:///w/t",
            "HDFS://Prod/w/t",
            "hdfs://prod:8020/w/t",
            "hdfs://nn1.example.com/w/t",
            "hdfs://nn1.example.com:8020//w/t/",
            "viewfs://c/w/t",
        ];
        for spelling in spellings {
            assert_eq!(name_in("prod", spelling), "prod /w/t", "{spelling}");
        }
    }

    #[test]
    fn what_is_not_configured_is_kept_apart() {
        let kept = [
            ("hdfs://prod:8021/w", "prod hdfs://prod:8021/w"),
            ("hdfs://other/w/", "prod hdfs://other/w"),
            ("hdfs://other:8020/w", "prod hdfs://other:8020/w"),
            ("viewfs://prod/w", "prod viewfs://prod/w"),
            ("s3n://lake/w", "prod s3n://lake/w"),
            ("file:///tmp/w", "prod file:/tmp/w"),
            ("file:/tmp/w", "prod file:/tmp/w"),
            ("w/t", "prod w/t"),
            ("", "prod "),
            ("/w/dt=a%3Ab", "prod /w/dt=a%3Ab"),
            ("/w/a:b", "prod /w/a:b"),
        ];
        for (location, name) in kept {
            assert_eq!(name_in("prod", location), name);
        }
    }

    #[test]
    fn a_file_system_of_another_cluster_is_named_there() {
        assert_eq!(name_in("prod", "hdfs://dr:9000/w"), "dr /w");
        assert_eq!(name_in("dr", "hdfs://prod/w"), "prod /w");
        assert_eq!(name_in("dr", "/w"), "dr /w");
    }

    #[test]
    fn a_second_file_system_is_called_by_its_address() {
        assert_eq!(name_in("prod", "s3://lake/w/"), "prod s3a://lake/w");
        assert_eq!(name_in("prod", "s3a://lake"), "prod s3a://lake/");
        let file_systems = two_clusters();
        assert_eq!(file_systems.name_of("objects", "prod", "/w").qualified, "s3a://lake/w");
        assert_eq!(file_systems.name_of("hdfs", "prod", "/").qualified, "/");
    }

    #[test]
    fn the_rule_is_told() {
        let rule = |location| two_clusters().place("prod", location).rule;
        let source = "hdfs".to_owned();
        assert_eq!(rule("/w"), LocationRule::DefaultFileSystem { source: Some(source.clone()) });
        assert_eq!(rule("hdfs://prod:8020/w"), LocationRule::Address { address: "hdfs://prod".to_owned(), source });
        assert_eq!(rule("hdfs://else/w"), LocationRule::UnknownAddress);
        let nowhere = FileSystems::default().place("prod", "/w").rule;
        assert_eq!(nowhere, LocationRule::DefaultFileSystem { source: None });
    }

    #[test]
    fn other_file_systems_have_another_fingerprint() {
        let mut fewer = two_clusters();
        fewer.0.pop();
        assert_ne!(two_clusters().fingerprint(), fewer.fingerprint());
        assert_eq!(two_clusters().fingerprint(), two_clusters().fingerprint());
    }

    proptest! {
        #[test]
        fn a_name_means_itself(location in "\\PC{0,30}|(hdfs|HDFS|viewfs|s3a|s3|file):/{0,3}(prod|Dr:9000|x@NN1.example.com|c|lake|nowhere:8020)?(/{0,2}[a%: .A]{0,3}){0,4}") {
            let file_systems = two_clusters();
            for cluster in ["prod", "dr", "third"] {
                let name = file_systems.place(cluster, &location).name;
                prop_assert_eq!(&file_systems.place(&name.cluster, &name.qualified).name, &name);
            }
        }
    }
}

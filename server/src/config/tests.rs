//! What is wrong with a configuration is said with its line.

use std::path::Path;

use super::file::parse;
use super::*;

fn said(text: &str) -> String {
    match parse(Path::new("f.toml"), text) {
        Ok(config) => format!("good: {config:?}"),
        Err(error) => error.to_string(),
    }
}

/// An extractor with one more line.
fn extractor(line: &str) -> String {
    format!("[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"thrift://m:9083\"\n{line}\n")
}

#[test]
fn every_wrong_setting_is_one_line_that_says_what_is_allowed() {
    let cases = [
        (
            "[server]\nlistn = 1",
            "f.toml:2: key server.listn: unknown; allowed are listen, public_url, data_dir, max_unlinked, min_free_disk, \
             max_waiting, silent_after, log_level, log_file",
        ),
        ("[sever]", "f.toml:1: key sever: unknown; allowed are server, extractor"),
        (
            "[server]\nlisten = \"7187\"",
            "f.toml:2: key server.listen: an IP address and a port, such as 127.0.0.1:7187 (found \"7187\")",
        ),
        (
            "[server]\npublic_url = \"https://a.example, https://b.example/sextant\"",
            "f.toml:2: key server.public_url: http:// or https:// with a host, without user or path, such as \
             https://sextant.example.com; several separated by commas (found \"https://b.example/sextant\")",
        ),
        ("[server]\n\ndata_dir = 3", "f.toml:3: key server.data_dir: a text in quotes (found integer)"),
        (
            "[server]\nmax_unlinked = \"much\"",
            "f.toml:2: key server.max_unlinked: a size such as 512MiB or 2GiB, or off (found \"much\")",
        ),
        ("[server]\ndata_dir = \" \"", "f.toml:2: key server.data_dir: a text that is not empty"),
        (
            "[server]\nlog_level = \"verbose\"",
            "f.toml:2: key server.log_level: error, warn, info, debug or trace, also per module as in sextant=debug,info (found \"verbose\")",
        ),
        (
            "[server]\nsilent_after = \"soon\"",
            "f.toml:2: key server.silent_after: a length of time such as 500ms, 30s, 10m or 1h (found \"soon\")",
        ),
        ("server = 3", "f.toml:1: key server: a table, written as [server]"),
        ("[extractor]\nname = \"x\"", "f.toml:1: key extractor: written as [[extractor]], once for each extractor"),
    ];
    for (text, expected) in cases {
        assert_eq!(said(text), expected, "{text}");
    }
    let of_extractors = [
        ("kin = 1", "f.toml:5: key extractor.kin: unknown; allowed are name, kind, cluster, uri, schedule,"),
        ("batch_size = 0", "f.toml:5: key extractor.batch_size: a whole number from 1 to 5000"),
        ("framed = \"yes\"", "f.toml:5: key extractor.framed: true or false (found string)"),
        ("partitions = \"some\"", "f.toml:5: key extractor.partitions: none, count (their number) or all"),
        ("call_timeout = \"2 weeks\"", "f.toml:5: key extractor.call_timeout: a length of time such as 500ms, 30s"),
        ("schedule = \"every day\"", "f.toml:5: key extractor.schedule: seconds minutes hours days months weekdays"),
        (
            "schedule = \"*/10 * * * *\"",
            "f.toml:5: key extractor.schedule: seconds minutes hours days months weekdays in UTC, such as \"0 */10 * * * \
             *\" for every ten minutes (found \"*/10 * * * *\": 5 of 6 fields; the seconds come first, mostly as 0)",
        ),
        (
            "schedule = \"0 0 25 * * *\"",
            "f.toml:5: key extractor.schedule: seconds minutes hours days months weekdays in UTC, such as \"0 */10 * * * \
             *\" for every ten minutes (found \"0 0 25 * * *\": hours are 0 to 23, also as *, 1-5, 1,15 or */10, not \"25\")",
        ),
        ("cluster = [1]", "f.toml:5: key extractor.cluster: a text in quotes (found integer)"),
        ("cluster = []", "f.toml:1: key extractor.cluster: a list of at least one cluster"),
        ("include = [\"a.[b\"]", "f.toml:5: key extractor.include: "),
    ];
    for (line, expected) in of_extractors {
        let found = said(&extractor(line));
        assert!(found.starts_with(expected), "{line}: {found}");
    }
}

#[test]
fn limits_are_sizes_or_off() {
    let text = "[server]\nmax_unlinked = \"3MiB\"\nmin_free_disk = \"off\"";
    let server = parse(Path::new("f.toml"), text).unwrap().server;
    assert_eq!((server.max_unlinked, server.min_free_disk), (Some(3 << 20), None));
    assert_eq!(server.max_waiting, ServerSettings::default().max_waiting);
}

#[test]
fn toml_that_is_none_is_said_with_its_line() {
    let found = said("[server]\nlisten = ");
    assert!(found.starts_with("f.toml:2: not TOML: "), "{found}");
}

#[test]
fn everything_wrong_is_said_at_once() {
    assert_eq!(said("[server]\nlisten = 1\nlog_level = 2\n").lines().count(), 2);
}

#[test]
fn required_keys_are_missed() {
    let found = said("\n[[extractor]]\nkind = \"hms\"\n");
    assert!(found.contains("f.toml:2: key extractor.name: missing; every extractor has one"), "{found}");
    assert!(found.contains("f.toml:2: key extractor.uri: missing; every extractor has one"), "{found}");
}

#[test]
fn uris_are_checked() {
    for (uri, good) in [
        ("thrift://m:9083", true),
        ("thrift://m", true),
        ("thrift://a:1,thrift://b:2", true),
        ("file:///recording.jsonl", true),
        ("m:9083", false),
        ("thrift://", false),
        ("thrift://m:port", false),
        ("thrift://user@m:1", false),
        ("file://recording.jsonl", false),
    ] {
        let text = format!("[[extractor]]\nname = \"x\"\nkind = \"hms\"\nuri = \"{uri}\"\n");
        assert_eq!(parse(Path::new("f"), &text).is_ok(), good, "{uri}");
    }
}

#[test]
fn names_and_clusters_are_not_used_twice() {
    let twice = |name: &str, cluster: &str| {
        said(&format!(
            "{}cluster = [\"prod\", \"dr\"]\n\n[[extractor]]\nname = \"{name}\"\nkind = \"hms\"\nuri = \"thrift://n\"\ncluster \
             = \"{cluster}\"\n",
            extractor("")
        ))
    };
    let found = twice("hive", "test");
    assert!(found.contains("f.toml:8: key extractor.name: \"hive\" is already used in line 1"), "{found}");
    let found = twice("other", "dr");
    assert!(
        found.contains("f.toml:8: key extractor.cluster: cluster \"dr\" is served by extractor \"hive\""),
        "{found}"
    );
    assert!(twice("other", "test").starts_with("good"));
}

/// An extractor of a file system with one more line.
fn file_system(name: &str, address: &str, line: &str) -> String {
    format!(
        "[[extractor]]\nname = \"{name}\"\nkind = \"hdfs\"\nuri = \"http://nn1:9870,http://nn2:9870\"\naddresses = \
         \"{address}\"\n{line}\n"
    )
}

#[test]
fn every_kind_has_its_own_keys() {
    let found = said(&extractor("bandwidth = \"1MiB/s\""));
    let expected = "f.toml:5: key extractor.bandwidth: belongs to kind hdfs, and this extractor is of kind hms; \
                    allowed are name, kind,";
    assert!(found.starts_with(expected), "{found}");
    let found = said(&file_system("hdfs", "hdfs://prod", "partitions = \"all\""));
    assert!(
        found.contains("key extractor.partitions: belongs to kind hms, and this extractor is of kind hdfs"),
        "{found}"
    );
    let found = said(&file_system("hdfs", "hdfs://prod", "fils = \"all\""));
    assert!(found.starts_with("f.toml:6: key extractor.fils: unknown; allowed are name,"), "{found}");
    let found = said("[[extractor]]\nname = \"x\"\nkind = \"hdsf\"\nuri = \"http://nn:9870\"\n");
    assert!(found.starts_with("f.toml:3: key extractor.kind: hms or hdfs (found \"hdsf\")"), "{found}");
}

#[test]
fn settings_of_a_file_system_are_checked() {
    let cases = [
        ("files = \"some\"", "key extractor.files: none, referenced (those in places"),
        ("bandwidth = \"50MiB\"", "key extractor.bandwidth: a size a second such as 50MiB/s, or unlimited"),
        ("bandwidth = \"0MiB/s\"", "key extractor.bandwidth: a size a second"),
        ("small_file = \"1\"", "key extractor.small_file: a size such as 64KiB, 1MiB or 2GiB"),
        ("allow_active = 1", "key extractor.allow_active: true or false"),
    ];
    for (line, expected) in cases {
        let found = said(&file_system("hdfs", "hdfs://prod", line));
        assert!(found.contains(expected), "{line}: {found}");
    }
    for address in ["prod", "hdfs://", "hdfs://prod/path", "hdfs://user@prod"] {
        let found = said(&file_system("hdfs", address, ""));
        assert!(found.contains("key extractor.addresses: an address without a path"), "{address}: {found}");
    }
    let found = said("[[extractor]]\nname = \"x\"\nkind = \"hdfs\"\nuri = \"file:///images\"\n");
    assert!(found.contains("f.toml:1: key extractor.addresses: missing; what the locations of tables"), "{found}");
    let found = said(&extractor("").replace("hms", "hdfs").replace("hive", "x"));
    assert!(found.contains("key extractor.uri: `thrift://m:9083` is no place of a NameNode's image"), "{found}");
    for (address, shown) in
        [("hdfs://prod/", "hdfs://prod"), ("hdfs://prod:8020", "hdfs://prod:8020"), ("HDFS://Prod", "hdfs://prod")]
    {
        let twice = [file_system("a", "hdfs://prod", ""), file_system("b", address, "")].concat();
        let found = said(&twice).to_lowercase();
        assert!(
            found.contains(&format!("\"{shown}\" belongs to the file system of extractor \"a\" already")),
            "{found}"
        );
    }
}

#[test]
fn a_cluster_may_have_a_metastore_and_file_systems() {
    let lines = "cluster = \"dr\"\nbandwidth = \"8 MiB/s\"\nfiles = \"all\"";
    let text = [
        extractor("cluster = [\"prod\", \"dr\"]"),
        file_system("hdfs", "hdfs://prod/", lines),
        file_system("other", "hdfs://dr", "cluster = [\"a\", \"b\"]\nbandwidth = \"unlimited\""),
    ];
    let config = parse(Path::new("f"), &text.concat()).unwrap();
    let clusters = Clusters::of(&config.extractors);
    assert_eq!((clusters.canonical("dr"), clusters.canonical("b")), ("prod", "a"));
    assert!(clusters.is_served("dr") && !clusters.is_served("a"), "served is who has a metastore");
    let systems = config.file_systems(&clusters).0;
    assert_eq!((systems[0].source.as_str(), systems[0].cluster.as_str()), ("hdfs", "prod"));
    assert_eq!((systems[0].addresses[0].as_str(), systems[1].cluster.as_str()), ("hdfs://prod", "a"));
    let ExtractorKind::Hdfs(hdfs) = &config.extractors[1].kind else { panic!("it is of kind hdfs") };
    assert_eq!((hdfs.bandwidth, hdfs.files, hdfs.small_file), (Some(8 << 20), ShownFiles::All, 1 << 20));
    let ExtractorKind::Hdfs(hdfs) = &config.extractors[2].kind else { panic!("it is of kind hdfs") };
    assert_eq!(hdfs.bandwidth, None);
}

#[test]
fn defaults_are_filled_in() {
    let config = parse(Path::new("f"), &extractor("")).unwrap();
    let hive = &config.extractors[0];
    assert_eq!(hive.clusters, [DEFAULT_CLUSTER]);
    assert_eq!(hive.schedule, DEFAULT_SCHEDULE);
    assert_eq!(hive.kind, ExtractorKind::Hms(HmsSettings::default()));
    assert_eq!(config.server.listen.to_string(), DEFAULT_LISTEN);
}

#[test]
fn flags_win_over_variables_over_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sextant.toml");
    std::fs::write(&file, "[server]\nlisten = \"127.0.0.1:1\"\ndata_dir = \"/file\"\nlog_level = \"warn\"\n").unwrap();
    let environment = |name: &str| match name {
        "SEXTANT_LISTEN" => Some("127.0.0.1:2".to_owned()),
        "SEXTANT_DATA_DIR" => Some("/environment".to_owned()),
        _ => None,
    };
    let flags = Flags { listen: Some("127.0.0.1:3".to_owned()), ..Flags::default() };
    let config = load(Some(&file), &environment, &flags).unwrap();
    assert_eq!(config.server.listen.port(), 3);
    assert_eq!(config.server.data_dir, Path::new("/environment"));
    assert_eq!(config.server.log_level, "warn");
}

#[test]
fn others_are_not_let_in_without_being_asked_for_a_password() {
    let flags = Flags { listen: Some("0.0.0.0:7187".to_owned()), ..Flags::default() };
    let refused = load(None, &|_| None, &flags).unwrap_err().to_string();
    assert!(refused.contains("--unsafe-listen-without-authentication"), "{refused}");
    let flags = Flags { unsafe_listen_without_authentication: true, ..flags };
    assert!(load(None, &|_| None, &flags).is_ok());
}

#[test]
fn a_wrong_variable_is_named() {
    let environment = |name: &str| (name == "SEXTANT_LISTEN").then(|| "here".to_owned());
    let refused = load(None, &environment, &Flags::default()).unwrap_err().to_string();
    assert!(refused.starts_with("environment: key SEXTANT_LISTEN: an IP address and a port"), "{refused}");
    let set = ["SEXTANT_LISTN", "SEXTANT_LISTEN", "SEXTANT_AGENT_CONFIG", "HOME"];
    let unknown = unknown_variables(set.map(str::to_owned).into_iter());
    assert_eq!(unknown, ["SEXTANT_LISTN"]);
}

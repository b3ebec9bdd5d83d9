//! Passes over a file system that a small program makes up, by the same pipe as the real one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use sextant_model::namespace::{IdentityMode, NamespaceStamp, NamespaceStep, NamespaceSummary, ObservedPath};
use tokio::sync::mpsc::channel;

use super::super::{NamespaceError, NamespaceExtractor, WantedFiles};
use super::{ListingAddress, ListingConfig, ListingExtractor, PathScope, WebHdfs};

/// Answers for `/`, `/a`, `/a/b` and `/shut`; dies once at `/a` when there is a file `dies` beside it.
const PROGRAM: &str = r#"#!/bin/sh
directory() { echo "{\"entry\":{\"name\":\"$1\",\"isDirectory\":true,\"owner\":\"o\",\"group\":\"g\",\"mode\":493,\"modifiedMs\":1480000000000,\"accessedMs\":0,\"size\":0,\"replication\":0,\"blockSize\":0}}"; }
file() { echo "{\"entry\":{\"name\":\"$1\",\"isDirectory\":false,\"owner\":\"o\",\"group\":\"g\",\"mode\":420,\"modifiedMs\":1480000000000,\"accessedMs\":0,\"size\":$2,\"replication\":3,\"blockSize\":1024}}"; }
echo '{"ready":1}'
while read -r question; do
  case "$question" in
  '{"entry":"/"}') directory ''; echo '{"end":1}' ;;
  '{"list":"/"}') directory a; directory shut; directory went; file top 10; echo '{"end":4}' ;;
  '{"list":"/a"}')
    if [ -e "$0.dies" ]; then rm "$0.dies"; file half 1; exit 1; fi
    directory b; file one 100; file two 2000000; echo '{"end":3}' ;;
  '{"list":"/a/b"}') file deep 5; echo '{"end":1}' ;;
  '{"list":"/shut"}') echo '{"failed":{"kind":"denied","reason":"Permission denied"}}' ;;
  *) echo '{"failed":{"kind":"gone","reason":"no such directory"}}' ;;
  esac
done
"#;

fn program(directory: &Path, text: &str) -> std::path::PathBuf {
    let path = directory.join("program");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn config(program: &Path, include: &[&str]) -> ListingConfig {
    ListingConfig {
        address: ListingAddress::read("jni+madeup://x").unwrap(),
        hadoop_conf: None,
        webhdfs: WebHdfs::FromHadoopConf,
        user: None,
        scope: PathScope::new(include, &[]).unwrap(),
        connections: 2,
        requests_per_second: None,
        program: program.to_owned(),
        ca_file: None,
        connect_timeout: Duration::from_secs(5),
        call_timeout: Duration::from_secs(30),
        retries: 1,
        small_file_bytes: 1 << 20,
    }
}

#[derive(Default)]
struct Shown {
    stamp: Option<NamespaceStamp>,
    paths: Vec<ObservedPath>,
    problems: Vec<String>,
}

impl Shown {
    fn at(&self, path: &str) -> &ObservedPath {
        self.paths.iter().find(|shown| shown.path == path).unwrap_or_else(|| panic!("{path} is not shown"))
    }

    fn names(&self) -> Vec<&str> {
        self.paths.iter().map(|shown| shown.path.as_str()).collect()
    }
}

async fn pass(config: ListingConfig, wanted: WantedFiles) -> (Shown, Result<NamespaceSummary, NamespaceError>) {
    let extractor = ListingExtractor::new(config);
    let (steps, mut arriving) = channel(2);
    let reading = extractor.pass(None, wanted, steps);
    let collecting = async {
        let mut shown = Shown::default();
        while let Some(step) = arriving.recv().await {
            match step {
                NamespaceStep::Opened(stamp) => assert!(shown.stamp.replace(stamp).is_none(), "opened once"),
                NamespaceStep::Paths(paths) => shown.paths.extend(paths),
                NamespaceStep::Problem(problem) => shown.problems.push(problem.reason),
            }
        }
        shown
    };
    let (ended, shown) = tokio::join!(reading, collecting);
    (shown, ended)
}

#[tokio::test]
async fn everything_is_shown_with_sums_and_what_is_shut_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (shown, ended) = pass(config(&program(directory.path(), PROGRAM), &[]), WantedFiles::All).await;
    assert_eq!(ended.unwrap(), NamespaceSummary { unchanged: false, unread: vec!["/shut".to_owned()] });
    let stamp = shown.stamp.as_ref().unwrap();
    assert_eq!((stamp.identity, stamp.transaction, stamp.namespace_id), (IdentityMode::Path, None, None));
    let mut names = shown.names();
    assert_eq!(names[..4], ["/", "/a", "/shut", "/a/b"], "directories come first, each before those in it");
    names.sort_unstable();
    assert_eq!(names, ["/", "/a", "/a/b", "/a/b/deep", "/a/one", "/a/two", "/shut", "/top"], "`/went` went");
    let totals = shown.at("/").totals.clone().unwrap();
    assert_eq!((totals.files, totals.directories, totals.bytes), (4, 3, 2_000_115));
    assert_eq!((totals.bytes_with_copies, totals.small_files), (6_000_345, 3));
    assert_eq!(totals.bytes_by_quarter.into_iter().collect::<Vec<_>>(), [("2016Q4".to_owned(), 2_000_115)]);
    assert_eq!((shown.at("/a/two").size, shown.at("/a/two").mode), (Some(2_000_000), 0o644));
    let problem = "/shut could not be listed, and nothing below it is taken as deleted: Permission denied";
    assert_eq!(shown.problems, [problem]);
}

#[tokio::test]
async fn a_walk_goes_on_where_the_program_ended() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path(), PROGRAM);
    fs::write(directory.path().join("program.dies"), "").unwrap();
    let (shown, ended) = pass(config(&program, &[]), WantedFiles::None).await;
    ended.unwrap();
    assert_eq!(shown.at("/a").totals.clone().unwrap().files, 3, "what was half listed is not counted twice");
}

#[tokio::test]
async fn only_what_is_included_is_shown_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path(), PROGRAM);
    let wanted = WantedFiles::Below(vec!["/a/b".to_owned(), "/top".to_owned()]);
    let (shown, ended) = pass(config(&program, &["/a"]), wanted).await;
    assert_eq!(ended.unwrap(), NamespaceSummary::default());
    assert_eq!(shown.names(), ["/", "/a", "/a/b", "/a/b/deep"]);
    assert_eq!(shown.at("/").totals.clone().unwrap().files, 3);
    let (_, ended) = pass(config(&program, &["/aa"]), WantedFiles::None).await;
    assert!(matches!(ended, Err(NamespaceError::NothingIncluded { .. })));
}

#[tokio::test]
async fn a_program_that_cannot_run_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let said = async |program: &Path| {
        let (_, ended) = pass(config(program, &[]), WantedFiles::None).await;
        ended.unwrap_err().in_words()
    };
    let words = said(&directory.path().join("none")).await;
    assert!(words.contains("there is none beside this program"), "{words}");
    let loader =
        "#!/bin/sh\necho 'program: error while loading shared libraries: libjvm.so: cannot open' >&2\nexit 127\n";
    let words = said(&program(directory.path(), loader)).await;
    assert!(words.ends_with("set JAVA_HOME, or LD_LIBRARY_PATH to the directory of libjvm.so"), "{words}");
    let own = "#!/bin/sh\necho 'sextant-hdfs-jni: no Hadoop client' >&2\necho 'SLF4J: bye' >&2\nexit 3\n";
    let words = said(&program(directory.path(), own)).await;
    assert!(words.ends_with("cannot be used: no Hadoop client"), "{words}");
    for words in ["hello", "{\"ready\":2}"] {
        let program = program(directory.path(), &format!("#!/bin/sh\necho '{words}'\n"));
        assert!(matches!(
            pass(config(&program, &[]), WantedFiles::None).await.1,
            Err(NamespaceError::JavaProgram { .. })
        ));
    }
}

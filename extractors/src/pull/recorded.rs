//! A recorded metastore: what a pass showed, one object per line in JSON, and the same as a
//! source.
//!
//! A recording makes a metastore's state portable: for a demonstration, a test, or a report of
//! a fault. It holds whole objects only: what a pass could not read is not in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use futures::future::BoxFuture;
use sextant_model::ObjectName;
use sextant_model::snapshot::{Existence, ObservedObject, PassProblem, PassStep, PassSummary};
use tokio::sync::mpsc::{self, Sender};

use super::scope::{Scope, Tally};
use super::{ExtractError, PullExtractor};

/// Objects per step.
const BATCH: usize = 300;

/// Reads a recording as if it were the metastore. The file is read anew at each pass.
#[derive(Debug)]
pub struct RecordedMetastore {
    path: PathBuf,
    scope: Scope,
}

impl RecordedMetastore {
    /// A recording at `uri`, `file:///path/snapshot.jsonl`. Nothing is opened yet.
    pub fn new(uri: &str, scope: Scope) -> Result<Self, ExtractError> {
        let path = uri.strip_prefix("file://").filter(|path| path.starts_with('/'));
        let path = path
            .ok_or_else(|| ExtractError::BadUri { uri: uri.to_owned(), reason: "it does not begin with `file:///`" })?;
        Ok(Self { path: PathBuf::from(path), scope })
    }

    /// The objects by name. Of several with one name the last one is kept.
    async fn objects(&self) -> Result<BTreeMap<ObjectName, ObservedObject>, ExtractError> {
        let text = tokio::fs::read(&self.path)
            .await
            .map_err(|source| ExtractError::RecordingFile { path: self.path.clone(), source })?;
        let mut objects = BTreeMap::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let object: ObservedObject = serde_json::from_slice(line).map_err(|error| ExtractError::RecordingLine {
                path: self.path.clone(),
                line: index + 1,
                reason: error.to_string(),
            })?;
            objects.insert(object.name.clone(), object);
        }
        Ok(objects)
    }

    async fn read(&self, steps: Sender<PassStep>) -> Result<PassSummary, ExtractError> {
        let mut tally = Tally::new(&self.scope);
        let mut databases: BTreeMap<String, Vec<ObservedObject>> = BTreeMap::new();
        for (name, object) in self.objects().await? {
            if tally.contains(&name) {
                databases.entry(name.database).or_default().push(object);
            }
        }
        for objects in databases.into_values() {
            let names = objects.iter().map(|object| object.name.clone()).collect();
            send(&steps, PassStep::Listed(names)).await?;
            for batch in objects.chunks(BATCH) {
                send(&steps, PassStep::Objects(batch.to_vec())).await?;
            }
        }
        Ok(PassSummary { incomplete_databases: Vec::new(), idle_patterns: tally.idle_patterns() })
    }
}

impl PullExtractor for RecordedMetastore {
    fn pass(&self, steps: Sender<PassStep>) -> BoxFuture<'_, Result<PassSummary, ExtractError>> {
        Box::pin(self.read(steps))
    }

    fn confirm(&self, names: Vec<ObjectName>) -> BoxFuture<'_, Result<Vec<Existence>, ExtractError>> {
        Box::pin(async move {
            let objects = self.objects().await?;
            let existence = |name: &ObjectName| {
                if objects.contains_key(name) { Existence::There } else { Existence::Gone }
            };
            Ok(names.iter().map(existence).collect())
        })
    }

    fn in_scope(&self, name: &ObjectName) -> bool {
        self.scope.contains(name)
    }
}

async fn send(steps: &Sender<PassStep>, step: PassStep) -> Result<(), ExtractError> {
    steps.send(step).await.map_err(|_| ExtractError::Abandoned)
}

/// What [`record`] wrote, and what it could not.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// How many objects were written.
    pub objects: usize,
    /// What the pass could not read: it is not in the recording.
    pub problems: Vec<PassProblem>,
    /// How the pass ended.
    pub summary: PassSummary,
}

/// Visits the source once and writes what it shows, in the order of names: the same state gives
/// the same bytes. Nothing is written when the pass fails.
pub async fn record(extractor: &dyn PullExtractor, mut out: impl Write) -> Result<Recording, ExtractError> {
    let (sender, mut steps) = mpsc::channel(16);
    let mut objects = BTreeMap::new();
    let mut recording = Recording::default();
    let taking = async {
        while let Some(step) = steps.recv().await {
            match step {
                PassStep::Listed(_) => {}
                PassStep::Objects(shown) => {
                    objects.extend(shown.into_iter().map(|object| (object.name.clone(), object)));
                }
                PassStep::Problem(problem) => recording.problems.push(problem),
            }
        }
    };
    let (summary, ()) = tokio::join!(extractor.pass(sender), taking);
    recording.summary = summary?;
    recording.objects = objects.len();
    for object in objects.values() {
        let line = serde_json::to_string(object).map_err(|error| ExtractError::Record(error.into()))?;
        writeln!(out, "{line}").map_err(ExtractError::Record)?;
    }
    out.flush().map_err(ExtractError::Record)?;
    Ok(recording)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        r#"{"name":{"database":"b","relation":"t"},"entityType":"TABLE","sourceType":"HIVE"}"#,
        "\n\n",
        r#"{"name":{"database":"a","relation":null},"entityType":"DATABASE","sourceType":"HIVE"}"#,
        "\n",
        r#"{"name":{"database":"a","relation":"t"},"entityType":"VIEW","sourceType":"HIVE"}"#,
        "\n",
    );

    fn recorded(text: &str, include: &[&str]) -> (tempfile::NamedTempFile, RecordedMetastore) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let scope = Scope::new(include, &[]).unwrap();
        let uri = format!("file://{}", file.path().display());
        (file, RecordedMetastore::new(&uri, scope).unwrap())
    }

    #[tokio::test]
    async fn a_recording_is_read_and_written_in_order() {
        let (_file, source) = recorded(LINES, &[]);
        let mut written = Vec::new();
        let recording = record(&source, &mut written).await.unwrap();
        assert_eq!(recording, Recording { objects: 3, ..Recording::default() });
        let written = String::from_utf8(written).unwrap();
        let names: Vec<_> = written
            .lines()
            .map(|line| serde_json::from_str::<ObservedObject>(line).unwrap().name.qualified())
            .collect();
        assert_eq!(names, ["a", "a.t", "b.t"]);
    }

    #[tokio::test]
    async fn the_scope_applies() {
        let (_file, source) = recorded(LINES, &["a", "gone"]);
        let recording = record(&source, Vec::new()).await.unwrap();
        assert_eq!(recording.objects, 2);
        assert_eq!(recording.summary.idle_patterns, ["gone"]);
    }

    #[tokio::test]
    async fn what_is_not_in_the_file_is_gone() {
        let (_file, source) = recorded(LINES, &[]);
        let names = vec![ObjectName::relation("a", "t"), ObjectName::relation("a", "u")];
        assert_eq!(source.confirm(names).await.unwrap(), [Existence::There, Existence::Gone]);
    }

    #[tokio::test]
    async fn a_line_that_is_no_object_fails_the_pass() {
        let (_file, source) = recorded(&format!("{LINES}{{\"name\":"), &[]);
        let error = record(&source, Vec::new()).await.unwrap_err();
        assert!(matches!(error, ExtractError::RecordingLine { line: 5, .. }), "{error}");
    }

    #[test]
    fn only_an_absolute_file_is_a_recording() {
        for bad in ["snapshot.jsonl", "file://snapshot.jsonl", "thrift://h:1"] {
            assert!(RecordedMetastore::new(bad, Scope::new(&[""; 0], &[]).unwrap()).is_err(), "{bad}");
        }
    }
}

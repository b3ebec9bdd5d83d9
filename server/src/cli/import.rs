//! `sextant import`: files on their way that agents' records take.
//!
//! The bytes go through the same endpoints and the same inbox as an agent's. A file's generation
//! comes from its content, format and cluster, so importing it again changes nothing, and an
//! interrupted import goes on where it stopped.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use sextant_extractors::push::Format;
use sextant_model::EntityId;
use sextant_model::delivery::{
    BatchHeader, Generation, Hello, MAX_LINE_BYTES, Positions, Receipt, SkippedLine,
};
use serde_json::{Value, json};

use super::terminal::counted;
use super::{CommandError, Outcome, Session, complain, say};

/// Bytes of one batch before compression, unless a line is longer: 1 MiB.
const BATCH_BYTES: usize = 1 << 20;
/// Of a line that is too long to be sent, this much is: 4 KiB.
const BEGINNING_OF_LONG_LINE: usize = 4 << 10;
/// The compression that costs least for what it gains.
const ZSTD_LEVEL: i32 = 1;

/// Send lineage files to the server and wait until they are linked and searchable.
///
/// Importing a file again changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant import /var/log/hive/lineage.log --format hive
  sextant import impala_lineage_log_1.0-* --format impala --cluster prod")]
pub(super) struct ImportArguments {
    /// The files, as the engine wrote them.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What wrote them: hive or impala.
    #[arg(long, value_parser = |text: &str| text.parse::<Format>().map_err(|error| error.to_string()))]
    format: Format,
    /// The cluster they come from.
    #[arg(long, default_value = crate::config::DEFAULT_CLUSTER)]
    cluster: String,
    /// Return when the bytes are kept, before they are linked.
    #[arg(long)]
    no_wait: bool,
}

/// A file that is kept by the server.
struct Sent {
    file: String,
    generation: String,
    bytes: u64,
    was_known: bool,
}

pub(super) async fn run(session: &Session, arguments: &ImportArguments) -> Result<Outcome, CommandError> {
    let host = host_name();
    let importer = Importer { session, arguments, agent: format!("import@{host}"), host };
    let positions = importer.greet().await?;
    let mut sent = Vec::new();
    let mut unreadable = 0;
    for file in &arguments.files {
        match std::fs::read(file) {
            Ok(content) => sent.push(importer.send(file, &content, &positions).await?),
            Err(error) => {
                unreadable += 1;
                complain(&format!("{}: {error}", file.display()), None);
            }
        }
    }
    if !arguments.no_wait && !sent.is_empty() {
        importer.wait().await?;
    }
    importer.report(&sent).await?;
    Ok(if unreadable > 0 { Outcome::Failed } else { Outcome::Done })
}

struct Importer<'a> {
    session: &'a Session,
    arguments: &'a ImportArguments,
    agent: String,
    host: String,
}

impl Importer<'_> {
    async fn greet(&self) -> Result<Positions, CommandError> {
        let hello = Hello {
            agent: self.agent.clone(),
            host: self.host.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let body = serde_json::to_vec(&hello).map_err(|error| CommandError::Other(error.to_string()))?;
        let answer = self.session.client.post("/api/v1/agent/positions", &[], Some(body)).await?;
        understood(answer)
    }

    async fn send(&self, file: &Path, content: &[u8], positions: &Positions) -> Result<Sent, CommandError> {
        let generation = generation_of(content, self.arguments.format, &self.arguments.cluster);
        let kept = positions.positions.iter().find(|position| position.generation.0 == generation);
        let mut start = kept.map_or(0, |position| position.offset as usize).min(content.len());
        let was_known = start == content.len() && !content.is_empty();
        let path = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let shows_progress = std::io::stderr().is_terminal() && content.len() > 8 * BATCH_BYTES;
        while start < content.len() {
            let piece = next_piece(&content[start..]);
            let end = start + piece.length;
            let header = BatchHeader {
                agent: self.agent.clone(),
                host: self.host.clone(),
                generation: Generation(generation.clone()),
                path: path.display().to_string(),
                format: self.arguments.format.as_str().to_owned(),
                cluster: self.arguments.cluster.clone(),
                start: start as u64,
                end: end as u64,
                skipped: piece.skipped,
                last: end == content.len(),
            };
            let receipt = self.post(&header, &content[start..start + piece.sent]).await?;
            if receipt.offset <= start as u64 {
                return Err(CommandError::Other(format!(
                    "{}: the server keeps {} bytes after it was sent {end}; is something else importing the same file?",
                    file.display(),
                    receipt.offset
                )));
            }
            start = (receipt.offset as usize).min(content.len());
            if shows_progress {
                say(&format!("{}: {} % sent", file.display(), start * 100 / content.len()));
            }
        }
        Ok(Sent { file: file.display().to_string(), generation, bytes: content.len() as u64, was_known })
    }

    async fn post(&self, header: &BatchHeader, payload: &[u8]) -> Result<Receipt, CommandError> {
        let mut body = serde_json::to_vec(header).map_err(|error| CommandError::Other(error.to_string()))?;
        body.push(b'\n');
        body.extend(zstd::encode_all(payload, ZSTD_LEVEL)?);
        understood(self.session.client.post("/api/v1/agent/batches", &[], Some(body)).await?)
    }

    /// Returns when everything that had arrived by now is linked and searchable.
    async fn wait(&self) -> Result<(), CommandError> {
        let now = self.session.client.get("/api/v1/intake", &[]).await?;
        let entry = now["received"].as_u64().unwrap_or_default();
        let mut said = None;
        loop {
            let parameters = [("waitFor", entry.to_string())];
            let answer = self.session.client.get("/api/v1/intake", &parameters).await?;
            if answer["done"] == true {
                return Ok(());
            }
            if let Some(trouble) = answer["trouble"].as_str() {
                if said.as_deref() != Some(trouble) {
                    complain(&format!("the server keeps the records but cannot link them yet: {trouble}"), None);
                }
                said = Some(trouble.to_owned());
            }
        }
    }

    async fn report(&self, sent: &[Sent]) -> Result<(), CommandError> {
        let mut files = Vec::new();
        for file in sent {
            let parameters = [("host", self.host.clone()), ("generation", file.generation.clone())];
            let answer = self.session.client.get("/api/v1/intake", &parameters).await?;
            files.push(json!({
                "file": file.file,
                "bytes": file.bytes,
                "alreadyKnown": file.was_known,
                "records": answer["tally"]["records"],
                "problems": answer["tally"]["problems"],
                "ignoredLines": answer["tally"]["ignoredLines"],
            }));
        }
        let answer = json!({ "waited": !self.arguments.no_wait, "files": files });
        self.session.show(&answer, |_, out, answer| {
            for file in answer["files"].as_array().into_iter().flatten() {
                writeln!(out, "{}", in_words(file, self.arguments.no_wait))?;
            }
            Ok(())
        })
    }
}

fn in_words(file: &Value, no_wait: bool) -> String {
    let name = super::terminal::printable(file["file"].as_str().unwrap_or_default());
    if file["bytes"] == 0 {
        return format!("{name}: empty");
    }
    if file["alreadyKnown"] == true {
        return format!("{name}: imported before, nothing changes");
    }
    if no_wait {
        return format!("{name}: {} kept, linking goes on", counted(file["bytes"].as_u64().unwrap_or(0), "byte", "bytes"));
    }
    let number = |key: &str| file[key].as_u64().unwrap_or_default();
    let mut words = format!("{name}: {}", counted(number("records"), "record", "records"));
    if number("problems") > 0 {
        words.push_str(&format!(", {} (see `sextant quarantine list`)", counted(number("problems"), "problem", "problems")));
    }
    if number("ignoredLines") > 0 {
        words.push_str(&format!(", {} without lineage", counted(number("ignoredLines"), "line", "lines")));
    }
    words
}

fn understood<T: serde::de::DeserializeOwned>(answer: Value) -> Result<T, CommandError> {
    serde_json::from_value(answer).map_err(|error| CommandError::Other(format!("the server's answer is strange: {error}")))
}

/// The next batch of a file.
struct Piece {
    /// Bytes of the file that it covers.
    length: usize,
    /// Bytes of them that are sent.
    sent: usize,
    skipped: Option<SkippedLine>,
}

/// Whole lines up to [`BATCH_BYTES`], or a single line that is longer. What stands behind the
/// last line end of a file is a line too.
fn next_piece(rest: &[u8]) -> Piece {
    let whole = |length: usize| Piece { length, sent: length, skipped: None };
    if rest.len() <= BATCH_BYTES {
        return whole(rest.len());
    }
    if let Some(end) = rest[..BATCH_BYTES].iter().rposition(|byte| *byte == b'\n') {
        return whole(end + 1);
    }
    let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
    if length <= MAX_LINE_BYTES {
        return whole(length);
    }
    let hash = blake3_hex(&rest[..length]);
    Piece {
        length,
        sent: BEGINNING_OF_LONG_LINE,
        skipped: Some(SkippedLine { length: length as u64, hash }),
    }
}

fn generation_of(content: &[u8], format: Format, cluster: &str) -> String {
    format!("content-{}", EntityId::derive("import", &[content, format.as_str().as_bytes(), cluster.as_bytes()]))
}

fn blake3_hex(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The name of this host; part of the evidence of every record.
fn host_name() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let named = named.trim();
    if named.is_empty() { "localhost".to_owned() } else { named.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_end_at_line_ends() {
        let mut content = vec![b'a'; BATCH_BYTES - 10];
        content.push(b'\n');
        content.extend(vec![b'b'; 100]);
        let piece = next_piece(&content);
        assert_eq!((piece.length, piece.sent), (BATCH_BYTES - 9, BATCH_BYTES - 9));
        let rest = next_piece(&content[piece.length..]);
        assert_eq!(rest.length, 100);
    }

    #[test]
    fn a_long_line_is_one_batch() {
        let mut content = vec![b'a'; 3 * BATCH_BYTES];
        content.extend(b"\nb\n");
        let piece = next_piece(&content);
        assert_eq!(piece.length, 3 * BATCH_BYTES + 1);
        assert!(piece.skipped.is_none());
    }

    #[test]
    fn a_line_over_the_limit_is_only_begun() {
        let mut content = vec![b'a'; MAX_LINE_BYTES + 1];
        content.push(b'\n');
        let piece = next_piece(&content);
        assert_eq!(piece.length, content.len());
        assert_eq!(piece.sent, BEGINNING_OF_LONG_LINE);
        assert_eq!(piece.skipped.unwrap().length, content.len() as u64);
    }
}

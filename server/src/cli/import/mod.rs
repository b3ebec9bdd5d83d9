//! `sextant import`: files on their way that agents' records take.
//!
//! The bytes go through the same endpoints and the same inbox as an agent's. A file's generation
//! comes from its content, format and cluster, so importing it again changes nothing, and an
//! interrupted import goes on where it stopped.

mod pieces;

use std::fs::File;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sextant_extractors::push::Format;
use sextant_model::EntityId;
use sextant_model::delivery::{BatchHeader, Generation, Hello, Positions, Receipt};

use self::pieces::{Pieces, fingerprint};
use super::terminal::counted;
use super::{CommandError, Outcome, Session, complain, say};
use crate::agents::IMPORTER;
use crate::client::ClientError;

/// From this size on the progress of a file is told: 8 MiB.
const LARGE_FILE_BYTES: u64 = 8 << 20;
/// The compression that costs least for what it gains.
const ZSTD_LEVEL: i32 = 1;
/// No server makes an import wait longer before it asks again.
const LONGEST_WAIT_SECONDS: u64 = 60;

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
    let importer = Importer { session, arguments, agent: format!("{IMPORTER}{host}"), host };
    let positions = importer.greet().await?;
    let mut sent = Vec::new();
    let mut unreadable = 0;
    for path in &arguments.files {
        match importer.send(path, &positions).await {
            Ok(file) => sent.push(file),
            Err(CommandError::File(error)) => {
                unreadable += 1;
                complain(&format!("{}: cannot read: {error}", path.display()), None);
            }
            Err(error) => return Err(error),
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
        let hello =
            Hello { agent: self.agent.clone(), host: self.host.clone(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let body = serde_json::to_vec(&hello).map_err(|error| CommandError::Other(error.to_string()))?;
        let answer = self.session.client.post("/api/v1/agent/positions", &[], Some(body)).await?;
        understood(answer)
    }

    async fn send(&self, path: &Path, positions: &Positions) -> Result<Sent, CommandError> {
        let mut file = File::open(path).map_err(CommandError::File)?;
        let (hash, length) = fingerprint(&mut file).map_err(CommandError::File)?;
        let generation = generation_of(&hash, self.arguments.format, &self.arguments.cluster);
        let kept = positions.positions.iter().find(|position| position.generation.0 == generation);
        let mut kept = kept.map_or(0, |position| position.offset.min(length));
        let was_known = kept == length && length > 0;
        let whole_path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let shows_progress = std::io::stderr().is_terminal() && length >= LARGE_FILE_BYTES;
        // A file that grows meanwhile is another file: only what was fingerprinted is sent.
        let mut pieces = Pieces::between(file, kept, length).map_err(CommandError::File)?;
        while let Some(piece) = pieces.next().map_err(CommandError::File)? {
            let header = BatchHeader {
                agent: self.agent.clone(),
                host: self.host.clone(),
                generation: Generation(generation.clone()),
                path: whole_path.display().to_string(),
                format: self.arguments.format.as_str().to_owned(),
                cluster: self.arguments.cluster.clone(),
                start: piece.start,
                end: piece.end,
                skipped: piece.skipped,
                last: piece.end == length,
            };
            kept = self.post(&header, &piece.bytes).await?.offset;
            if kept < piece.end {
                return Err(CommandError::Other(format!(
                    "{}: the server keeps {kept} bytes after {} were sent; import the file again",
                    path.display(),
                    piece.end
                )));
            }
            if shows_progress {
                say(&format!("{}: {} % sent", path.display(), piece.end * 100 / length));
            }
        }
        Ok(Sent { file: path.display().to_string(), generation, bytes: length, was_known })
    }

    /// Sends a piece, and waits as long as the server asks to.
    async fn post(&self, header: &BatchHeader, payload: &[u8]) -> Result<Receipt, CommandError> {
        let mut body = serde_json::to_vec(header).map_err(|error| CommandError::Other(error.to_string()))?;
        body.push(b'\n');
        body.extend(zstd::encode_all(payload, ZSTD_LEVEL).map_err(CommandError::File)?);
        let mut said = false;
        loop {
            let answer = self.session.client.post("/api/v1/agent/batches", &[], Some(body.clone())).await;
            match answer {
                Err(ClientError::Refused { status: StatusCode::TOO_MANY_REQUESTS, body: refusal }) => {
                    if !said {
                        let reason = refusal["error"].as_str().unwrap_or_default();
                        say(&format!("the server asks to wait: {}", super::terminal::printable(reason)));
                        said = true;
                    }
                    let seconds = refusal["retryAfterSeconds"].as_u64().unwrap_or(1).clamp(1, LONGEST_WAIT_SECONDS);
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                }
                answer => return understood(answer?),
            }
        }
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
                "waitingBytes": answer["tally"]["waitingBytes"],
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
        return format!(
            "{name}: {} kept, linking goes on",
            counted(file["bytes"].as_u64().unwrap_or(0), "byte", "bytes")
        );
    }
    let number = |key: &str| file[key].as_u64().unwrap_or_default();
    let mut words = format!("{name}: {}", counted(number("records"), "record", "records"));
    if number("problems") > 0 {
        words += ", ";
        words += &counted(number("problems"), "problem", "problems");
        words += " (see `sextant quarantine list`)";
    }
    if number("waitingBytes") > 0 {
        words += ", ";
        words += &counted(number("waitingBytes"), "byte", "bytes");
        words += " wait for a server that reads the format";
    }
    if number("ignoredLines") > 0 {
        words += ", ";
        words += &counted(number("ignoredLines"), "line", "lines");
        words += " without lineage";
    }
    words
}

fn understood<T: serde::de::DeserializeOwned>(answer: Value) -> Result<T, CommandError> {
    serde_json::from_value(answer)
        .map_err(|error| CommandError::Other(format!("the server's answer is strange: {error}")))
}

/// The same content, read as the same format for the same cluster, is the same generation.
fn generation_of(content: &blake3::Hash, format: Format, cluster: &str) -> String {
    let parts: [&[u8]; 3] = [content.as_bytes(), format.as_str().as_bytes(), cluster.as_bytes()];
    format!("content-{}", EntityId::derive("import", &parts))
}

/// The name of this host; part of the evidence of every record.
fn host_name() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let named = named.trim();
    if named.is_empty() { "localhost".to_owned() } else { named.to_owned() }
}

//! What the agent remembers between two runs.
//!
//! The state directory holds `agent.id` (written once), `agent.lock` (one agent at a time) and
//! `agent.json` (positions that the server confirmed). The truth about positions is the server's:
//! `agent.json` saves reading and lets `status` answer. When it is missing or damaged it is made
//! again from the server's positions and the files on disk, and the log says so.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::closing::Ended;
use crate::copies::Candidate;
use crate::error::Error;
use crate::generation::{Excerpt, Identity, Inode};
use crate::losses::Missing;
use crate::packed::SavedPacked;

/// Changes when a former agent could misread the file.
const VERSION: u32 = 1;

/// Everything in `agent.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Saved {
    pub(crate) agent: String,
    pub(crate) host: String,
    /// When it was saved, in milliseconds since the epoch.
    pub(crate) time_ms: u64,
    /// How it stands with the server, in words.
    pub(crate) server: String,
    pub(crate) files: Vec<SavedFile>,
    /// Contents that were replaced and may be found again in a copy. Like `lost_bytes` not written
    /// when there is nothing to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced: Vec<Candidate>,
    /// Bytes that were seen in files and lost before they were delivered, since the state exists.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) lost_bytes: u64,
    /// What is missing, and lost unless a copy of it is found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<SavedMissing>,
}

/// Bytes of a file that are missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedMissing {
    /// The configured path of its spool.
    pub(crate) spool: String,
    #[serde(flatten)]
    pub(crate) missing: Missing,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One followed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedFile {
    /// The configured path of its spool.
    pub(crate) spool: String,
    pub(crate) path: PathBuf,
    pub(crate) inode: Inode,
    /// Nothing while the first line is not complete.
    pub(crate) identity: Option<Identity>,
    /// The life before a truncation whose successor has no identity yet.
    pub(crate) former: Option<Identity>,
    /// Confirmed by the server.
    pub(crate) position: u64,
    /// The last bytes that were delivered.
    pub(crate) anchor: Option<Excerpt>,
    /// Where they end, when that is not the position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) anchor_end: Option<u64>,
    /// When it was last seen.
    pub(crate) size: u64,
    /// It is no longer in its directory.
    pub(crate) gone: bool,
    /// What keeps it from being delivered, in words.
    pub(crate) trouble: Option<String>,
    /// The server knows that nothing follows behind this position. Like `unclosed` it is not
    /// written when there is none, so that states of agents that did not know it keep their
    /// checksum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) closed: Option<u64>,
    /// Former generations of which the server does not know yet that they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unclosed: Vec<Ended>,
    /// It is gone, and what of it was not delivered is counted as lost.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) lost: bool,
    /// It is compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) packed: Option<SavedPacked>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[derive(Deserialize)]
struct Envelope {
    version: u32,
    /// BLAKE3 of the state's JSON, in hexadecimal.
    checksum: String,
    state: Saved,
}

/// What was found in `agent.json`.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// A whole state.
    Kept(Saved),
    /// There is none yet.
    Absent,
    /// There is one that cannot be trusted, and why.
    Damaged(String),
}

/// The agent's own directory, locked while this value lives.
#[derive(Debug)]
pub(crate) struct StateDirectory {
    path: PathBuf,
    /// Kept for its lock.
    _lock: File,
    /// The agent's id.
    pub(crate) agent: String,
    pub(crate) loaded: Loaded,
}

impl StateDirectory {
    /// Creates the directory if needed and locks it.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let unusable = |path: &Path, source: io::Error| Error::StateDirectory { path: path.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| unusable(path, error))?;
        let lock = lock(path)?;
        let loaded = load(path);
        let id_path = path.join("agent.id");
        let agent = if let Ok(id) = read_id(&id_path) {
            id
        } else {
            let id = match &loaded {
                Loaded::Kept(saved) => saved.agent.clone(),
                Loaded::Absent | Loaded::Damaged(_) => new_id(),
            };
            replace_file(&id_path, &[id.as_bytes(), b"\n"]).map_err(|error| unusable(&id_path, error))?;
            id
        };
        Ok(Self { path: path.to_owned(), _lock: lock, agent, loaded })
    }

    /// Writes `agent.json` anew; a crash leaves the former or the new one, never half of one.
    /// Gives back its size in bytes.
    pub(crate) fn save(&self, saved: &Saved) -> io::Result<usize> {
        let state = serde_json::to_vec(saved)?;
        // An `Envelope`, written so that a large state is in memory once.
        let checksum = blake3::hash(&state).to_hex();
        let beginning = format!("{{\"version\":{VERSION},\"checksum\":\"{checksum}\",\"state\":");
        replace_file(&state_file(&self.path), &[beginning.as_bytes(), &state, b"}"])?;
        Ok(beginning.len() + state.len() + 1)
    }
}

/// Where the state is kept.
pub(crate) fn state_file(directory: &Path) -> PathBuf {
    directory.join("agent.json")
}

/// The process id of the agent that uses the directory, if one runs.
pub(crate) fn running_pid(directory: &Path) -> Option<u32> {
    let pid: u32 = fs::read_to_string(lock_file(directory)).ok()?.trim().parse().ok()?;
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    name.starts_with("sextant-agent").then_some(pid)
}

/// Milliseconds since the epoch.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |duration| duration.as_millis() as u64)
}

/// Reads `agent.json` without locking.
pub(crate) fn load(directory: &Path) -> Loaded {
    let bytes = match fs::read(state_file(directory)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Loaded::Absent,
        Err(error) => return Loaded::Damaged(error.to_string()),
    };
    let envelope: Envelope = match serde_json::from_slice(&bytes) {
        Ok(envelope) => envelope,
        Err(error) => return Loaded::Damaged(error.to_string()),
    };
    if envelope.version != VERSION {
        return Loaded::Damaged(format!("it has version {}, this agent reads {VERSION}", envelope.version));
    }
    // The fields are written in a fixed order, so the same state gives the same bytes.
    match serde_json::to_vec(&envelope.state) {
        Ok(state) if blake3::hash(&state).to_hex().as_str() == envelope.checksum => Loaded::Kept(envelope.state),
        Ok(_) => Loaded::Damaged("its checksum does not fit".to_owned()),
        Err(error) => Loaded::Damaged(error.to_string()),
    }
}

fn lock_file(directory: &Path) -> PathBuf {
    directory.join("agent.lock")
}

fn lock(directory: &Path) -> Result<File, Error> {
    let path = lock_file(directory);
    let unusable = |source| Error::StateDirectory { path: path.clone(), source };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let _ = file.read_to_string(&mut pid);
            let pid = if pid.trim().is_empty() { "unknown" } else { pid.trim() };
            return Err(Error::StateInUse { path: directory.to_owned(), pid: pid.to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(unusable(error)),
    }
    file.set_len(0).map_err(unusable)?;
    writeln!(file, "{}", std::process::id()).map_err(unusable)?;
    Ok(file)
}

fn read_id(path: &Path) -> io::Result<String> {
    const LONGEST_ID: usize = 128;
    let text = fs::read_to_string(path)?;
    let id = text.trim();
    let is_id = !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id { Ok(id.to_owned()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

fn new_id() -> String {
    format!("{:032x}", fastrand::u128(..))
}

/// Temporary file, fsync, rename, fsync of the directory.
fn replace_file(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let temporary = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    for piece in pieces {
        file.write_all(piece)?;
    }
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(agent: &str) -> Saved {
        let inode = Inode { device: 1, number: 2 };
        let head = Excerpt { length: 7, hash: "0123456789abcdef".to_owned() };
        let file = SavedFile {
            spool: "/spool".to_owned(),
            path: "/spool/x.log".into(),
            inode,
            identity: Some(Identity { inode, head: head.clone(), life: 1 }),
            former: None,
            position: 7,
            anchor: Some(head),
            anchor_end: None,
            size: 9,
            gone: false,
            trouble: Some("why".to_owned()),
            closed: None,
            unclosed: Vec::new(),
            lost: false,
            packed: None,
        };
        Saved {
            agent: agent.to_owned(),
            host: "h".to_owned(),
            time_ms: 5,
            server: "connected".to_owned(),
            files: vec![file],
            replaced: Vec::new(),
            lost_bytes: 0,
            missing: Vec::new(),
        }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDirectory::open(directory.path()).unwrap();
        assert!(matches!(state.loaded, Loaded::Absent));
        state.save(&saved(&state.agent)).unwrap();
        let agent = state.agent.clone();
        drop(state);
        let again = StateDirectory::open(directory.path()).unwrap();
        assert_eq!(again.agent, agent);
        assert!(matches!(&again.loaded, Loaded::Kept(kept) if *kept == saved(&agent)));
    }

    #[test]
    fn a_state_that_says_nothing_of_closing_is_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let state = concat!(
            r#"{"agent":"a","host":"h","timeMs":5,"server":"connected","files":[{"spool":"/spool","path":"/spool/x.log","#,
            r#""inode":{"device":1,"number":2},"identity":null,"former":null,"position":0,"anchor":null,"size":9,"#,
            r#""gone":false,"trouble":null}]}"#
        );
        let checksum = blake3::hash(state.as_bytes()).to_hex();
        let text = format!(r#"{{"version":1,"checksum":"{checksum}","state":{state}}}"#);
        fs::write(state_file(directory.path()), text).unwrap();
        assert!(matches!(load(directory.path()), Loaded::Kept(saved) if saved.files[0].closed.is_none()));
    }

    #[test]
    fn a_second_agent_is_refused_with_the_pid_of_the_first() {
        let directory = tempfile::tempdir().unwrap();
        let first = StateDirectory::open(directory.path()).unwrap();
        let error = StateDirectory::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("(pid {})", std::process::id())), "{error}");
        drop(first);
        StateDirectory::open(directory.path()).unwrap();
    }

    #[test]
    fn every_torn_state_is_noticed_and_the_id_stays() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDirectory::open(directory.path()).unwrap();
        state.save(&saved(&state.agent)).unwrap();
        let agent = state.agent.clone();
        drop(state);
        let whole = fs::read(state_file(directory.path())).unwrap();
        for length in [0, 1, whole.len() / 2, whole.len() - 1] {
            fs::write(state_file(directory.path()), &whole[..length]).unwrap();
            let again = StateDirectory::open(directory.path()).unwrap();
            assert!(matches!(again.loaded, Loaded::Damaged(_)), "cut to {length} bytes");
            assert_eq!(again.agent, agent);
        }
        let mut flipped = whole;
        let position = String::from_utf8_lossy(&flipped).find("\"position\":7").unwrap() + 11;
        flipped[position] = b'8';
        fs::write(state_file(directory.path()), &flipped).unwrap();
        assert!(matches!(load(directory.path()), Loaded::Damaged(_)));
    }

    #[test]
    fn a_lost_id_is_taken_from_the_state() {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDirectory::open(directory.path()).unwrap();
        state.save(&saved(&state.agent)).unwrap();
        let agent = state.agent.clone();
        drop(state);
        fs::remove_file(directory.path().join("agent.id")).unwrap();
        assert_eq!(StateDirectory::open(directory.path()).unwrap().agent, agent);
    }

    #[test]
    fn an_unusable_directory_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let error = StateDirectory::open(&file).unwrap_err();
        assert!(error.to_string().contains("[agent] state_dir"), "{error}");
    }
}

//! Listing by another program, which has Hadoop's Java client in it.
//!
//! The program is asked in lines of JSON on its standard input, `{"list":"/path"}` or
//! `{"entry":"/path"}`, and answers in lines on its standard output: one `{"entry":{…}}` for each
//! entry and `{"end":COUNT}`, or `{"failed":{"kind":…,"reason":…}}`. First of all it says
//! `{"ready":1}`, the version of this. What it logs on its standard error is told only when it ends.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use serde::Deserialize;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::super::NamespaceError;
use super::lister::{EntryKind, ListFailure, ListedEntry, Lister, permission};

const VERSION: u32 = 1;
/// A line is one entry; a name has at most 255 bytes, some file systems allow more.
const MAX_LINE_BYTES: u64 = 1 << 20;
const LINES_AHEAD: usize = 1_000;
/// Lines of its standard error that are kept.
const LOG_LINES: usize = 20;
const SHOWN_CHARACTERS: usize = 400;
/// What the loader of Linux ends with when a library is missing.
const EXIT_NOT_LOADED: i32 = 127;
/// How libhdfs says that something happened in Java for which it has no number.
const NO_NUMBER: &str = "(os error 255)";
/// How long, and how often, is waited for what Java wrote of it.
const PAUSE_FOR_LOG: Duration = Duration::from_millis(20);
const PAUSES_FOR_LOG: usize = 25;

/// The program, started when it is first asked and again when it ended.
pub(super) struct JavaLister {
    start: ProgramStart,
    call_timeout: Duration,
    running: Arc<AsyncMutex<Option<Running>>>,
}

/// How the program is started.
#[derive(Debug, Clone)]
pub(super) struct ProgramStart {
    /// A path, or a name that is looked for beside this program and then in `PATH`.
    pub(super) program: PathBuf,
    /// Its first argument.
    pub(super) address: String,
    pub(super) hadoop_conf: Option<PathBuf>,
    pub(super) user: Option<String>,
}

/// The program while it runs. It is ended with this value.
struct Running {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<Result<Answer, String>>,
    log: Arc<Mutex<Log>>,
    log_reader: Option<JoinHandle<()>>,
    /// Entries of the answer that is being taken; `None` between two questions.
    taken: Option<u64>,
}

/// What the program wrote to its standard error.
#[derive(Debug, Default)]
struct Log {
    last_lines: VecDeque<String>,
    /// The last exception of Java that nobody was told of; where it was thrown does not matter.
    exception: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Ready(u32),
    Entry(Box<Entry>),
    End(u64),
    Failed(Failed),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    is_directory: bool,
    owner: String,
    group: String,
    mode: u16,
    modified_ms: i64,
    accessed_ms: i64,
    size: u64,
    replication: u16,
    block_size: u64,
}

#[derive(Debug, Deserialize)]
struct Failed {
    kind: FailedKind,
    reason: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FailedKind {
    Gone,
    Denied,
    Away,
    #[serde(other)]
    Other,
}

impl JavaLister {
    /// Starts nothing yet.
    pub(super) fn new(start: ProgramStart, call_timeout: Duration) -> Self {
        Self { start, call_timeout, running: Arc::default() }
    }

    /// Asks a question; the answers follow in the program that is handed out.
    async fn ask(&self, question: &str, path: &str) -> Result<OwnedMutexGuard<Option<Running>>, ListFailure> {
        let mut slot = Arc::clone(&self.running).lock_owned().await;
        // What comes after an answer that was not taken to its end belongs to that one.
        let mut running = match slot.take().filter(|running| running.taken.is_none()) {
            Some(running) => running,
            None => self.started().await?,
        };
        let mut line = serde_json::json!({ question: path }).to_string();
        line.push('\n');
        // A question is far shorter than a pipe is deep, and the program waits for it.
        if running.questions.write_all(line.as_bytes()).is_err() {
            return Err(ListFailure::Passing(running.end_in_words()));
        }
        running.taken = Some(0);
        *slot = Some(running);
        Ok(slot)
    }

    async fn started(&self) -> Result<Running, ListFailure> {
        let program = program_at(&self.start.program);
        let unusable = |reason: String| {
            ListFailure::Ended(NamespaceError::JavaProgram { program: program.display().to_string(), reason })
        };
        let mut running = Running::start(&program, &self.start).map_err(&unusable)?;
        // A JVM takes a second or two to start.
        match tokio::time::timeout(self.call_timeout, running.answers.recv()).await {
            Ok(Some(Ok(Answer::Ready(VERSION)))) => Ok(running),
            Ok(Some(Ok(_))) => {
                Err(unusable(format!("it does not speak version {VERSION}: build both from one source")))
            }
            Ok(Some(Err(reason))) => Err(unusable(reason)),
            Ok(None) => Err(unusable(running.end_in_words())),
            Err(_) => Err(unusable(format!("it was silent for {} s after its start", self.call_timeout.as_secs_f64()))),
        }
    }

    /// The next entry of the answer; `None` at its end.
    async fn next(&self, slot: &mut Option<Running>) -> Result<Option<ListedEntry>, ListFailure> {
        let passing = |reason: String| Err(ListFailure::Passing(reason));
        let Some(running) = slot else {
            return passing("the program ended".to_owned());
        };
        match tokio::time::timeout(self.call_timeout, running.answers.recv()).await {
            Ok(Some(Ok(Answer::Entry(entry)))) => {
                running.taken = running.taken.map(|taken| taken + 1);
                Ok(Some(entry_of(*entry)))
            }
            Ok(Some(Ok(Answer::End(entries)))) if running.taken == Some(entries) => {
                running.taken = None;
                Ok(None)
            }
            Ok(Some(Ok(Answer::End(_)))) => passing("the program left out entries".to_owned()),
            Ok(Some(Ok(Answer::Failed(failed)))) => {
                running.taken = None;
                Err(match failed.kind {
                    FailedKind::Gone => ListFailure::Gone,
                    FailedKind::Denied => ListFailure::Unreadable(shortened(&failed.reason)),
                    FailedKind::Away => ListFailure::Passing(running.reason_in_words(&failed.reason).await),
                    FailedKind::Other => ListFailure::Unreadable(running.reason_in_words(&failed.reason).await),
                })
            }
            Ok(Some(Ok(Answer::Ready(_)))) => passing("the program began anew".to_owned()),
            Ok(Some(Err(reason))) => passing(reason),
            Ok(None) => passing(running.end_in_words()),
            Err(_) => passing(format!("the program was silent for {} s", self.call_timeout.as_secs_f64())),
        }
    }
}

impl Lister for JavaLister {
    fn entry<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<ListedEntry, ListFailure>> {
        Box::pin(async move {
            let mut slot = self.ask("entry", path).await?;
            let entry = self.next(&mut slot).await?.ok_or(ListFailure::Gone)?;
            while self.next(&mut slot).await?.is_some() {}
            Ok(entry)
        })
    }

    fn list<'a>(&'a self, path: &'a str) -> BoxStream<'a, Result<ListedEntry, ListFailure>> {
        /// How far a listing is.
        enum Listing {
            Unasked,
            Answered(OwnedMutexGuard<Option<Running>>),
            Over,
        }
        stream::unfold(Listing::Unasked, move |listing| async move {
            let mut slot = match listing {
                Listing::Over => return None,
                Listing::Answered(slot) => slot,
                Listing::Unasked => match self.ask("list", path).await {
                    Ok(slot) => slot,
                    Err(failure) => return Some((Err(failure), Listing::Over)),
                },
            };
            match self.next(&mut slot).await {
                Ok(None) => None,
                Ok(Some(entry)) => Some((Ok(entry), Listing::Answered(slot))),
                Err(failure) => Some((Err(failure), Listing::Over)),
            }
        })
        .boxed()
    }
}

impl Running {
    fn start(program: &Path, start: &ProgramStart) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.arg(&start.address).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(user) = &start.user {
            command.arg("--user").arg(user);
        }
        if let Some(directory) = &start.hadoop_conf {
            command.env("CLASSPATH", joined(directory.as_os_str().to_owned(), env::var_os("CLASSPATH")));
        }
        if let Some(directory) = java_library_directory() {
            command.env("LD_LIBRARY_PATH", joined(directory.into_os_string(), env::var_os("LD_LIBRARY_PATH")));
        }
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => "there is none beside this program or in PATH; it is built by itself, from the \
                                    directory hdfs-jni of the source, and `program` names where it lies"
                .to_owned(),
            _ => error.to_string(),
        })?;
        let (Some(questions), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("its pipes could not be opened".to_owned());
        };
        let (sender, answers) = channel(LINES_AHEAD);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(answer) = next_answer(&mut output) {
                let is_last = answer.is_err();
                if sender.blocking_send(answer).is_err() || is_last {
                    break;
                }
            }
        });
        let log = Arc::new(Mutex::new(Log::default()));
        let kept = Arc::clone(&log);
        let log_reader = thread::spawn(move || {
            let mut errors = BufReader::new(errors);
            while let Some(Ok(line)) = next_line(&mut errors) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).add(&String::from_utf8_lossy(&line));
            }
        });
        Ok(Self { child, questions, answers, log, log_reader: Some(log_reader), taken: None })
    }

    /// The reason that the program gives, or what Java wrote where that says nothing.
    async fn reason_in_words(&self, reason: &str) -> String {
        if reason.contains(NO_NUMBER) {
            for _ in 0..PAUSES_FOR_LOG {
                let exception = self.log.lock().unwrap_or_else(PoisonError::into_inner).exception.take();
                if let Some(exception) = exception {
                    return exception;
                }
                tokio::time::sleep(PAUSE_FOR_LOG).await;
            }
        }
        shortened(reason)
    }

    /// Why the program ended, from its status and its last words.
    fn end_in_words(&mut self) -> String {
        // Its output is at an end, so this waits for moments only.
        let _ = self.child.kill();
        let status = self.child.wait();
        if let Some(reader) = self.log_reader.take() {
            let _ = reader.join();
        }
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let code = status.as_ref().ok().and_then(std::process::ExitStatus::code);
        let lines = &log.last_lines;
        if code == Some(EXIT_NOT_LOADED) && lines.iter().any(|line| line.contains("libjvm")) {
            return "it finds no JVM: set JAVA_HOME, or LD_LIBRARY_PATH to the directory of libjvm.so".to_owned();
        }
        let own_words = lines.iter().rev().find_map(|line| line.strip_prefix("sextant-hdfs-jni: "));
        match (own_words.or(lines.back().map(String::as_str)), status) {
            (Some(words), _) => words.to_owned(),
            (None, Ok(status)) => format!("it ended without a word ({status})"),
            (None, Err(error)) => format!("it ended without a word ({error})"),
        }
    }
}

impl Log {
    fn add(&mut self, line: &str) {
        if self.last_lines.len() == LOG_LINES {
            self.last_lines.pop_front();
        }
        self.last_lines.push_back(shortened(line));
        // What libhdfs writes where commons-lang3 is not in the class path.
        if let Some((class, _)) =
            line.strip_prefix("(unable to get stack trace for ").and_then(|rest| rest.split_once(' '))
        {
            self.exception = Some(format!("{class}; with commons-lang3 in CLASSPATH more would be told"));
        }
        // `ConnectException: Call From …; For more details see: …`, not `Caused by:` and not a place in the code.
        let class = line.split_once(": ").map_or("", |(class, _)| class);
        if class.ends_with("Exception") && !class.contains([' ', '\t']) {
            let told = line.split("; For more details see").next().unwrap_or(line);
            self.exception = Some(shortened(told));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already; either way nothing is left of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A name without a directory is looked for beside this program first.
fn program_at(program: &Path) -> PathBuf {
    if program.components().count() > 1 {
        return program.to_owned();
    }
    let beside = env::current_exe().ok().map(|own| own.with_file_name(program)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| program.to_owned())
}

/// Where the JVM of `JAVA_HOME` has its library: of Java 8 elsewhere than of later ones.
fn java_library_directory() -> Option<PathBuf> {
    let home = PathBuf::from(env::var_os("JAVA_HOME")?);
    let mut directories = ["lib/server", "jre/lib/amd64/server", "jre/lib/aarch64/server"].iter();
    directories.find_map(|directory| Some(home.join(directory)).filter(|path| path.join("libjvm.so").is_file()))
}

fn joined(first: OsString, rest: Option<OsString>) -> OsString {
    let mut paths = first;
    if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
        paths.push(":");
        paths.push(rest);
    }
    paths
}

/// The next line without its end; `None` at the end of what there is.
fn next_line(input: &mut impl BufRead) -> Option<Result<Vec<u8>, String>> {
    let mut line = Vec::new();
    match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
        Ok(0) => None,
        Ok(_) if line.last() == Some(&b'\n') => {
            line.pop();
            Some(Ok(line))
        }
        Ok(length) if length as u64 == MAX_LINE_BYTES => {
            Some(Err(format!("the program wrote a line of more than {MAX_LINE_BYTES} bytes")))
        }
        // It ended in the middle.
        Ok(_) => None,
        Err(error) => Some(Err(format!("what the program writes cannot be read: {error}"))),
    }
}

fn next_answer(input: &mut impl BufRead) -> Option<Result<Answer, String>> {
    Some(next_line(input)?.and_then(|line| {
        serde_json::from_slice(&line).map_err(|error| format!("the program wrote a line that is no answer: {error}"))
    }))
}

fn shortened(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(SHOWN_CHARACTERS).collect()
}

fn entry_of(entry: Entry) -> ListedEntry {
    let (mode, has_acl) = permission(entry.mode);
    ListedEntry {
        name: entry.name,
        kind: if entry.is_directory { EntryKind::Directory } else { EntryKind::File },
        owner: entry.owner,
        group: entry.group,
        mode,
        has_acl,
        modified_ms: entry.modified_ms,
        accessed_ms: entry.accessed_ms,
        size: entry.size,
        replication: entry.replication,
        block_size: entry.block_size,
        inode: None,
        link_target: None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn answers_are_read_to_their_end() {
        let text = "{\"ready\":1}\n{\"entry\":{\"name\":\"a\",\"isDirectory\":true,\"owner\":\"o\",\"group\":\"g\",\"mode\":\
                    493,\"modifiedMs\":1,\"accessedMs\":0,\"size\":0,\"replication\":0,\"blockSize\":0}}\n{\"end\":1}\n\
                    {\"failed\":{\"kind\":\"else\",\"reason\":\"r\"}}\n{\"ready\":";
        let mut input = text.as_bytes();
        let answers: Vec<String> = std::iter::from_fn(|| next_answer(&mut input)).map(|a| format!("{a:?}")).collect();
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert!(answers[1].contains("name: \"a\""), "{answers:?}");
        assert!(answers[3].contains("kind: Other"), "{answers:?}");
    }

    #[test]
    fn the_exception_is_found_among_the_lines_of_a_trace() {
        let mut log = Log::default();
        for line in [
            "getFileInfo error:",
            "ConnectException: Call From a/1 to b:2 failed; For more details see:  http://wiki",
            "java.net.ConnectException: Call From a/1 to b:2 failed; For more details see:  http://wiki",
            "\tat Thing.throwing(IOException: 5)",
            "Caused by: java.net.ConnectException: Connection refused",
        ] {
            log.add(line);
        }
        assert_eq!(log.exception.take().unwrap(), "java.net.ConnectException: Call From a/1 to b:2 failed");
        assert_eq!(log.last_lines.len(), 5);
        log.add("(unable to get stack trace for java.io.IOException exception: ExceptionUtils::getStackTrace error.)");
        assert!(log.exception.unwrap().starts_with("java.io.IOException; "));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut input = std::io::repeat(b'x').take(2 * MAX_LINE_BYTES);
        let refused = next_answer(&mut BufReader::new(&mut input)).unwrap().unwrap_err();
        assert!(refused.contains("more than 1048576 bytes"), "{refused}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut input = bytes.as_slice();
            while next_answer(&mut input).is_some() {}
        }
    }
}

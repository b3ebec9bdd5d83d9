//! What writers, rotation and operators do to the files of a host, at random, and what must be
//! delivered of it.
//!
//! A life is what was written into one file between two truncations. Every life has lines of its
//! own, so what the server keeps can be told apart, wherever it was read.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fastrand::Rng;

use crate::copies::packed;
use crate::host::start;
use crate::store::Store;
use sextant_agent::{Agent, Config};

const HEADER: &[u8] = b"# the same first line in every file\n";

/// What was written into one life of a file.
#[derive(Debug, Default)]
struct Life {
    bytes: Vec<u8>,
    inode: u64,
    /// Complete lines, in bytes, that a look of an agent saw that has lived on since.
    seen: usize,
    /// The same of any agent.
    ever_seen: usize,
    truncated: bool,
    removed: bool,
    /// It was in a compressed file when it was removed: those are not held open.
    was_packed: bool,
}

/// One host with its files.
pub(crate) struct History {
    pub(crate) rng: Rng,
    directory: tempfile::TempDir,
    lives: Vec<Life>,
    /// The present life of each file name.
    names: HashMap<String, usize>,
    /// The name being written to.
    active: String,
    stamp: u64,
    lines: usize,
    /// Every file begins with the same line.
    has_headers: bool,
    /// Compressed files that are not whole yet, with what they will hold.
    half_packed: Vec<(String, Vec<u8>)>,
    pub(crate) rolled_back: bool,
    /// The agent forgot something that it could not ask the server for.
    state_lost: bool,
}

impl History {
    pub(crate) fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("spool")).unwrap();
        let mut rng = Rng::with_seed(seed);
        let has_headers = rng.u8(..4) == 0;
        Self {
            rng,
            directory,
            lives: Vec::new(),
            names: HashMap::new(),
            active: "x.log".to_owned(),
            stamp: 1_690_000_000_000,
            lines: 0,
            has_headers,
            half_packed: Vec::new(),
            rolled_back: false,
            state_lost: false,
        }
    }

    /// Which life is in which file, for people.
    pub(crate) fn lives_by_name(&self) -> String {
        let mut lives: Vec<String> = self
            .names
            .iter()
            .map(|(name, life)| format!("{name}: {life} ({} bytes)", self.lives[*life].bytes.len()))
            .collect();
        lives.sort();
        lives.join(", ")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("spool").join(name)
    }

    fn state(&self, name: &str) -> PathBuf {
        self.directory.path().join("state").join(name)
    }

    pub(crate) fn agent(&self, store: &Store) -> Agent {
        let text = format!(
            "[server]\nurl = \"{}\"\n[agent]\nstate_dir = \"{}\"\nhost = \"h\"\nbatch_bytes = 1024\nparallel_files = 3\n\
             [[spool]]\npath = \"{}\"\nformat = \"hive\"\n",
            store.url,
            self.directory.path().join("state").display(),
            self.path("x.log*").display()
        );
        start(&Config::parse(Path::new("agent.toml"), &text, []).unwrap())
    }

    fn life_of_active(&mut self) -> usize {
        if let Some(life) = self.names.get(&self.active) {
            return *life;
        }
        let file = OpenOptions::new().create(true).append(true).open(self.path(&self.active)).unwrap();
        self.lives.push(Life { inode: file.metadata().unwrap().ino(), ..Life::default() });
        self.names.insert(self.active.clone(), self.lives.len() - 1);
        self.lives.len() - 1
    }

    /// Completes the line that is under way and writes some more, the last perhaps not to its end.
    pub(crate) fn append(&mut self) {
        let life = self.life_of_active();
        let mut text = Vec::new();
        if self.has_headers && self.lives[life].bytes.is_empty() {
            text.extend(HEADER);
        }
        if self.lives[life].bytes.last().is_some_and(|byte| *byte != b'\n') {
            text.extend(b"completed\n");
        }
        for _ in 0..self.rng.usize(0..8) {
            text.extend(self.line(life));
        }
        if self.rng.u8(..4) == 0 {
            let mut cut_line = self.line(life);
            let cut = self.rng.usize(16..cut_line.len());
            cut_line.truncate(cut);
            text.extend(cut_line);
        }
        let mut file = OpenOptions::new().create(true).append(true).open(self.path(&self.active)).unwrap();
        file.write_all(&text).unwrap();
        self.lives[life].bytes.extend(text);
    }

    fn line(&mut self, life: usize) -> Vec<u8> {
        self.lines += 1;
        let padding = if self.rng.u8(..10) == 0 { self.rng.usize(0..5_000) } else { self.rng.usize(0..40) };
        format!("{life:06}:{:08}:{}\n", self.lines, "x".repeat(padding)).into_bytes()
    }

    pub(crate) fn truncate(&mut self) {
        if let Some(life) = self.names.remove(&self.active) {
            self.lives[life].truncated = true;
            File::create(self.path(&self.active)).unwrap();
        }
    }

    /// `x.log` becomes `x.log.1`, and so on; compressed ones keep their extension.
    pub(crate) fn rename(&mut self) {
        self.make_room();
        self.move_file("x.log", "x.log.1");
    }

    fn make_room(&mut self) {
        for number in (1..4).rev() {
            for extension in ["", ".gz", ".zst"] {
                self.move_file(&format!("x.log.{number}{extension}"), &format!("x.log.{}{extension}", number + 1));
            }
        }
    }

    /// Rotation that copies and then truncates, as `copytruncate` does.
    pub(crate) fn copy_and_truncate(&mut self) {
        if self.is_half_packed("x.log.1") || self.is_half_packed("x.log") {
            return;
        }
        self.make_room();
        if let Some(life) = self.names.remove("x.log") {
            self.forget("x.log.1");
            let _ = fs::remove_file(self.path("x.log.1"));
            fs::copy(self.path("x.log"), self.path("x.log.1")).unwrap();
            File::create(self.path("x.log")).unwrap();
            // No look has seen the copy yet, and what was seen is not there any more.
            self.lives[life].seen = 0;
            self.lives[life].ever_seen = 0;
            self.names.insert("x.log.1".to_owned(), life);
        }
    }

    /// The next lines go into a new file beside the old one, or into the one without a suffix.
    pub(crate) fn begin_file(&mut self) {
        // Nobody writes into a file that is being compressed.
        self.finish_compressing();
        self.stamp += 1;
        self.active = if self.rng.bool() { "x.log".to_owned() } else { format!("x.log.{}", self.stamp) };
    }

    fn move_file(&mut self, from: &str, to: &str) {
        if self.names.contains_key(from) && !self.is_half_packed(from) && !self.is_half_packed(to) {
            self.forget(to);
            fs::rename(self.path(from), self.path(to)).unwrap();
            let life = self.names.remove(from).unwrap();
            self.names.insert(to.to_owned(), life);
        }
    }

    fn is_half_packed(&self, name: &str) -> bool {
        self.half_packed.iter().any(|(half, _)| half == name || half.starts_with(&format!("{name}.")))
    }

    fn forget(&mut self, name: &str) {
        if let Some(life) = self.names.remove(name) {
            let is_elsewhere = self.names.values().any(|other| *other == life);
            self.lives[life].removed = !is_elsewhere;
            self.lives[life].was_packed = is_packed(name);
        }
    }

    /// A file that is not written to any more.
    fn rotated(&mut self, with_packed: bool) -> Option<String> {
        let is_of_kind = |name: &str| with_packed || !is_packed(name);
        let is_rotated = |name: &&String| **name != self.active && is_of_kind(name) && !self.is_half_packed(name);
        let mut names: Vec<String> = self.names.keys().filter(is_rotated).cloned().collect();
        names.sort();
        self.rng.choice(&names).cloned()
    }

    pub(crate) fn remove(&mut self) {
        if let Some(name) = self.rotated(true) {
            fs::remove_file(self.path(&name)).unwrap();
            self.forget(&name);
        }
    }

    /// The inode of a removed file often goes to the next one.
    pub(crate) fn remove_and_begin(&mut self) {
        self.remove();
        self.begin_file();
        self.append();
    }

    /// As `gzip` does, at once or with an interruption in between.
    pub(crate) fn compress(&mut self) {
        let Some(name) = self.rotated(false) else {
            return;
        };
        let extension = if self.rng.bool() { "gz" } else { "zst" };
        let target = format!("{name}.{extension}");
        if self.names.contains_key(&target) {
            return;
        }
        let whole = packed(&fs::read(self.path(&name)).unwrap(), extension);
        if self.rng.u8(..3) == 0 {
            fs::write(self.path(&target), &whole[..self.rng.usize(..whole.len())]).unwrap();
            self.half_packed.push((target, whole));
            return;
        }
        fs::write(self.path(&target), whole).unwrap();
        fs::remove_file(self.path(&name)).unwrap();
        let life = self.names.remove(&name).unwrap();
        self.names.insert(target, life);
    }

    /// What is half compressed becomes whole, and the original goes.
    pub(crate) fn finish_compressing(&mut self) {
        for (target, whole) in std::mem::take(&mut self.half_packed) {
            let name = target.rsplit_once('.').unwrap().0.to_owned();
            fs::write(self.path(&target), whole).unwrap();
            fs::remove_file(self.path(&name)).unwrap();
            let life = self.names.remove(&name).unwrap();
            self.names.insert(target, life);
        }
    }

    /// The clock, and with it the times of files, jumps.
    pub(crate) fn jump_in_time(&mut self) {
        let mut names: Vec<String> = self.names.keys().cloned().collect();
        names.sort();
        if let Some(name) = self.rng.choice(&names).cloned() {
            let distance = Duration::from_secs(self.rng.u64(..1_000_000));
            let now = SystemTime::now();
            let time = if self.rng.bool() { now + distance } else { now - distance };
            File::options().append(true).open(self.path(&name)).unwrap().set_modified(time).unwrap();
        }
    }

    /// Whatever is on disk now was seen by a look.
    pub(crate) fn looked(&mut self) {
        for life in self.names.values() {
            let life = &mut self.lives[*life];
            life.seen = complete(&life.bytes);
            life.ever_seen = life.seen;
        }
    }

    /// A new agent holds no file open before its first look.
    pub(crate) fn restart(&mut self) {
        for life in &mut self.lives {
            life.seen = 0;
        }
    }

    /// The state cannot be written from now on, as on a full disk; or it can again.
    pub(crate) fn fill_disk(&mut self) {
        if self.has_headers {
            return;
        }
        let in_the_way = self.state("agent.new");
        if fs::remove_dir(&in_the_way).is_err() {
            let _ = fs::remove_file(&in_the_way);
            fs::create_dir(&in_the_way).unwrap();
            // Until it is written again, a restart finds an old one.
            self.state_lost = true;
        }
    }

    /// Everything works again.
    pub(crate) fn come_to_rest(&mut self) {
        self.finish_compressing();
        let _ = fs::remove_dir(self.state("agent.new"));
    }

    /// The state is gone or torn. Not where all files begin alike: without a state nothing can tell
    /// a file from another one that has its inode now.
    pub(crate) fn damage_state(&mut self) {
        if self.has_headers {
            return;
        }
        let path = self.state("agent.json");
        match self.rng.u8(..4) {
            0 => drop(fs::remove_file(path)),
            1 => {
                let bytes = fs::read(&path).unwrap_or_default();
                fs::write(path, &bytes[..self.rng.usize(0..=bytes.len())]).unwrap();
            }
            _ => return,
        }
        self.state_lost = true;
    }

    fn life_of(&self, bytes: &[u8]) -> Option<usize> {
        let bytes = if self.has_headers { bytes.strip_prefix(HEADER)? } else { bytes };
        let id = bytes.get(..6)?;
        Some(String::from_utf8_lossy(id).parse().unwrap())
    }

    /// What must be true at the end.
    pub(crate) fn check(&self, store: &Store) {
        let content = store.content();
        let mut kept_of_life: HashMap<usize, Vec<&[u8]>> = HashMap::new();
        let mut known_to_lost_state = HashSet::new();
        for (generation, kept) in &content.generations {
            let Some(life) = self.life_of(&kept.bytes) else {
                continue;
            };
            if self.state_lost && kept.headers[0].last {
                // The head was no whole line when it was delivered as a tail, and the writer went
                // on nevertheless. Only the lost state knew that it is the same file.
                known_to_lost_state.insert(life);
                continue;
            }
            assert!(
                self.lives[life].bytes.starts_with(&kept.bytes),
                "{generation:?} is not what was written into life {life}: {:?}",
                kept.headers.iter().map(|header| (&header.path, header.start, header.end)).collect::<Vec<_>>()
            );
            let is_torn = kept.bytes.last() != Some(&b'\n');
            assert_eq!(is_torn, kept.headers.last().unwrap().last, "{generation:?}: only a tail goes last");
            kept_of_life.entry(life).or_default().push(&kept.bytes);
        }
        let lost = fs::read_to_string(self.state("agent.json")).unwrap().contains("\"lostBytes\"");
        for (number, life) in self.lives.iter().enumerate() {
            let kept = kept_of_life.get(&number).map_or(&[][..], Vec::as_slice);
            // The server knows a record again that comes from a second copy. It comes only when
            // nobody could know any more that it was delivered, or of what it is a copy.
            let may_come_again = self.state_lost || self.rolled_back || self.has_headers;
            assert!(kept.len() <= 1 || may_come_again, "life {number} was delivered {} times", kept.len());
            let kept = kept.iter().map(|bytes| bytes.len()).max().unwrap_or(0);
            if life.truncated || life.removed && self.rolled_back || known_to_lost_state.contains(&number) {
                continue;
            }
            let all = complete(&life.bytes);
            let is_only_header = self.has_headers && all <= HEADER.len();
            let least = match (life.removed, life.was_packed) {
                _ if is_only_header => 0,
                (false, _) => all,
                (true, false) => life.seen,
                (true, true) => 0,
            };
            let places: Vec<&String> =
                self.names.iter().filter(|(_, life)| **life == number).map(|(name, _)| name).collect();
            assert!(kept >= least, "life {number} in {places:?}: {kept} bytes are kept, {least} were there");
            // Of a file that was never read nothing tells it from the next one with its inode.
            let went_on = kept == 0 && self.lives[number + 1..].iter().any(|later| later.inode == life.inode);
            let is_lost = life.removed && kept < life.ever_seen && !went_on;
            assert!(
                !is_lost || lost || self.state_lost || self.has_headers,
                "life {number} is lost in part and nothing is counted"
            );
        }
    }
}

fn is_packed(name: &str) -> bool {
    matches!(Path::new(name).extension().and_then(OsStr::to_str), Some("gz" | "zst"))
}

/// The length of the complete lines.
fn complete(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1)
}

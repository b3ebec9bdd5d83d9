//! Random histories of files, servers and restarts against a model.
//!
//! Every life of a file has lines of its own, so what the server keeps can be told apart. At the
//! end each life that is still on disk must be kept whole, byte for byte, once; of a life that was
//! truncated away a beginning must be kept, and of one that was removed everything a look saw.
//! `SEXTANT_SEED=<n>` repeats one history.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::store::{Fault, Store};
use sextant_agent::{Agent, Config};

const HISTORIES: u64 = 20;
const STEPS: usize = 50;

/// What was written into one life of a file.
#[derive(Debug, Default)]
struct Life {
    bytes: Vec<u8>,
    /// Complete lines, in bytes, that a look of an agent saw that has lived on since.
    seen: usize,
    truncated: bool,
    removed: bool,
}

struct History {
    rng: Rng,
    directory: tempfile::TempDir,
    lives: Vec<Life>,
    /// The present life of each file name.
    names: HashMap<String, usize>,
    /// The name being written to.
    active: String,
    stamp: u64,
    lines: usize,
    rolled_back: bool,
    state_lost: bool,
}

impl History {
    fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("spool")).unwrap();
        Self {
            rng: Rng::with_seed(seed),
            directory,
            lives: Vec::new(),
            names: HashMap::new(),
            active: "x.log".to_owned(),
            stamp: 1_690_000_000_000,
            lines: 0,
            rolled_back: false,
            state_lost: false,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("spool").join(name)
    }

    fn agent(&self, store: &Store) -> Agent {
        let text = format!(
            "[server]\nurl = \"{}\"\n[agent]\nstate_dir = \"{}\"\nhost = \"h\"\nbatch_bytes = 1024\nparallel_files = 3\n\
             [[spool]]\npath = \"{}\"\nformat = \"hive\"\n",
            store.url,
            self.directory.path().join("state").display(),
            self.path("x.log*").display()
        );
        Agent::new(Config::parse(Path::new("agent.toml"), &text, []).unwrap()).unwrap()
    }

    fn life_of_active(&mut self) -> usize {
        if let Some(life) = self.names.get(&self.active) {
            return *life;
        }
        self.lives.push(Life::default());
        self.names.insert(self.active.clone(), self.lives.len() - 1);
        self.lives.len() - 1
    }

    /// Completes the line that is under way and writes some more, the last perhaps not to its end.
    fn append(&mut self) {
        let life = self.life_of_active();
        let mut text = Vec::new();
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

    fn truncate(&mut self) {
        if let Some(life) = self.names.remove(&self.active) {
            self.lives[life].truncated = true;
            File::create(self.path(&self.active)).unwrap();
        }
    }

    fn rename(&mut self) {
        for number in (1..4).rev() {
            self.move_file(&format!("x.log.{number}"), &format!("x.log.{}", number + 1));
        }
        self.move_file("x.log", "x.log.1");
    }

    fn move_file(&mut self, from: &str, to: &str) {
        if self.names.contains_key(from) {
            self.forget(to);
            fs::rename(self.path(from), self.path(to)).unwrap();
            let life = self.names.remove(from).unwrap();
            self.names.insert(to.to_owned(), life);
        }
    }

    fn forget(&mut self, name: &str) {
        if let Some(life) = self.names.remove(name) {
            self.lives[life].removed = true;
        }
    }

    fn remove(&mut self) {
        let mut names: Vec<String> = self.names.keys().filter(|name| **name != self.active).cloned().collect();
        names.sort();
        if let Some(name) = self.rng.choice(&names) {
            fs::remove_file(self.path(name)).unwrap();
            self.forget(name);
        }
    }

    /// Whatever is on disk now was seen by a look.
    fn looked(&mut self) {
        for life in self.names.values() {
            let life = &mut self.lives[*life];
            life.seen = complete(&life.bytes);
        }
    }

    /// A new agent holds no file open before its first look.
    fn restart(&mut self) {
        for life in &mut self.lives {
            life.seen = 0;
        }
    }

    fn damage_state(&mut self) {
        let path = self.directory.path().join("state/agent.json");
        self.state_lost = true;
        match self.rng.u8(..3) {
            0 => drop(fs::remove_file(path)),
            1 => {
                let bytes = fs::read(&path).unwrap_or_default();
                fs::write(path, &bytes[..self.rng.usize(0..=bytes.len())]).unwrap();
            }
            _ => {}
        }
    }

    fn check(&self, store: &Store) {
        let content = store.content();
        let mut kept_of_life: HashMap<usize, &[u8]> = HashMap::new();
        let mut known_to_lost_state = HashSet::new();
        for (generation, kept) in &content.generations {
            let id = String::from_utf8_lossy(&kept.bytes[..6]);
            let life: usize = id.parse().unwrap();
            if self.state_lost && kept.headers[0].last {
                // The head was no whole line when it was delivered as a tail, and the writer went
                // on nevertheless. Only the lost state knew that it is the same file.
                known_to_lost_state.insert(life);
                continue;
            }
            let former = kept_of_life.insert(life, &kept.bytes);
            assert!(former.is_none(), "life {life} was delivered twice, again as {generation:?}");
            assert!(self.lives[life].bytes.starts_with(&kept.bytes), "{generation:?} is not what was written");
            let is_torn = kept.bytes.last() != Some(&b'\n');
            assert_eq!(is_torn, kept.headers.last().unwrap().last, "{generation:?}: only a tail goes last");
        }
        for (number, life) in self.lives.iter().enumerate() {
            let kept = kept_of_life.get(&number).map_or(0, |bytes| bytes.len());
            if life.truncated || life.removed && self.rolled_back || known_to_lost_state.contains(&number) {
                continue;
            }
            let least = if life.removed { life.seen } else { complete(&life.bytes) };
            assert!(kept >= least, "life {number}: {kept} bytes are kept, {least} were there");
        }
    }
}

/// The length of the complete lines.
fn complete(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1)
}

async fn play(seed: u64) {
    let store = Store::start().await;
    let mut history = History::new(seed);
    let mut agent = history.agent(&store);
    for _ in 0..STEPS {
        match history.rng.u8(..24) {
            0..9 => history.append(),
            9 => history.truncate(),
            10 => history.rename(),
            11 => {
                history.stamp += 1;
                history.active =
                    if history.rng.bool() { "x.log".to_owned() } else { format!("x.log.{}", history.stamp) };
            }
            12 => history.remove(),
            13 => {
                drop(agent);
                history.damage_state();
                history.restart();
                agent = history.agent(&store);
            }
            14 if !store.content().generations.is_empty() => {
                history.rolled_back = true;
                let batches = history.rng.usize(0..4);
                store.content().roll_back(batches);
            }
            15 | 16 => {
                let faults =
                    [Fault::Status(500), Fault::Status(503), Fault::Busy(0), Fault::Broken, Fault::BrokenAfterKeeping];
                let fault = *history.rng.choice(&faults).unwrap();
                // Most are met by a batch, some by the question before it.
                store.content().faults.push_back(fault);
            }
            _ => {
                // A fault ends the attempt; the next one begins anew.
                let _ = agent.deliver_once().await;
                history.looked();
            }
        }
    }
    store.content().faults.clear();
    for _ in 0..4 {
        agent.deliver_once().await.unwrap_or_else(|trouble| panic!("seed {seed}: {trouble}"));
    }
    history.looked();
    history.check(&store);
}

#[tokio::test]
async fn every_complete_line_is_kept_once_and_in_order() {
    let seeds = match std::env::var("SEXTANT_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (0..HISTORIES).map(|_| fastrand::u64(..)).collect(),
    };
    for seed in seeds {
        #[expect(clippy::print_stdout, reason = "the seed is shown when the test fails")]
        {
            println!("SEXTANT_SEED={seed}");
        }
        play(seed).await;
    }
}

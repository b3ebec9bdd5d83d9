//! All followed files together with what the server holds of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use sextant_model::delivery::{Generation, Positions};

use crate::closing::Ended;
use crate::copies::{Candidate, Comparison, Heads};
use crate::file::{FollowedFile, Stat};
use crate::generation::{Excerpt, Identity, Inode, life_in};
use crate::losses::Losses;
use crate::packed::Packed;
use crate::schedule::Schedule;
use crate::spool::{Known, Sighting, Survey};

/// How long a file that is gone is remembered: its inode may return, as another file or, when a
/// mount was away, as itself.
const REMEMBER_GONE: Duration = Duration::from_hours(1);
const MOST_REMEMBERED_GONE: usize = 1_000;
/// Files kept open because something in them is not delivered.
const MOST_HELD: usize = 256;

/// The followed files by their inode.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) files: HashMap<Inode, FollowedFile>,
    /// Per generation what the server said last.
    pub(crate) kept: BTreeMap<Generation, u64>,
    /// Fingerprints of heads that generations of several files have.
    common_heads: HashSet<String>,
    pub(crate) heads: Heads,
    /// Files whose generation is that of another file.
    pub(crate) copies: HashSet<Inode>,
    /// Contents that were replaced, the oldest first.
    pub(crate) replaced: Vec<Candidate>,
    pub(crate) losses: Losses,
    pub(crate) schedule: Schedule,
    /// Directories with files of which it is open what they are copies of.
    undecided: HashSet<PathBuf>,
}

impl Followed {
    /// What a look at this spool must find again, and how many files it may open.
    pub(crate) fn known_of(&self, spool: usize) -> (HashMap<Inode, Known>, usize) {
        let mut known = HashMap::new();
        let mut held = 0;
        for file in self.files.values() {
            held += usize::from(file.held.is_some());
            if file.spool == spool && file.gone_since.is_none() {
                let entry = Known { path: file.path.clone(), position: file.position, held: file.held.is_some() };
                known.insert(file.inode, entry);
            }
        }
        (known, MOST_HELD.saturating_sub(held))
    }

    /// Takes over a file of the last run.
    pub(crate) fn remember(&mut self, file: FollowedFile) {
        // It was open when the last run ended, and cannot be opened again.
        if file.gone_since.is_some() && !file.loss_is_counted {
            // Behind the position is nothing when a copy was delivered further.
            let missing = file.stat.size.saturating_sub(file.position);
            self.losses.miss(file.spool, file.inode, &file.path, file.identity.clone(), missing);
        }
        if let Some(identity) = &file.identity {
            self.heads.insert(&identity.head, file.inode);
            // Or the device has another number now; then there is nobody to share it with.
            if identity.inode != file.inode {
                self.copies.insert(file.inode);
            }
        }
        self.files.insert(file.inode, file);
    }

    /// Takes over what a look at a spool saw.
    pub(crate) fn see(&mut self, spool: usize, survey: Survey, scheduled: bool) {
        let seen: HashSet<Inode> = survey.sightings.iter().map(|sighting| sighting.inode).collect();
        let unseen = self.files.values().filter(|file| !seen.contains(&file.inode));
        let unseen: HashMap<u64, Inode> = unseen.map(|file| (file.inode.number, file.inode)).collect();
        for sighting in survey.sightings {
            self.see_file(spool, sighting, scheduled, &unseen);
        }
        for file in self.files.values_mut() {
            let directory = file.path.parent().unwrap_or(Path::new("/"));
            let is_unknown = survey.unlisted.iter().any(|unlisted| unlisted == directory);
            if file.spool == spool && !seen.contains(&file.inode) && !is_unknown {
                let missing = file.miss(scheduled);
                self.losses.miss(file.spool, file.inode, &file.path, file.identity.clone(), missing);
            }
        }
        self.undecided.clear();
        for file in self.files.values().filter(|file| file.is_undecided()) {
            self.undecided.extend(file.path.parent().map(Path::to_owned));
        }
        if scheduled {
            for inode in self.losses.looked(spool, &self.undecided) {
                if let Some(file) = self.files.get_mut(&inode).filter(|file| file.gone_since.is_some()) {
                    file.loss_is_counted = true;
                }
            }
        }
        self.settle_copies();
        self.schedule.begin_anew();
    }

    /// Whether it is too early to say that a generation of this file ended.
    pub(crate) fn awaits_copy(&self, file: &FollowedFile) -> bool {
        file.may_be_continued() && file.path.parent().is_some_and(|directory| self.undecided.contains(directory))
    }

    fn see_file(&mut self, spool: usize, mut sighting: Sighting, scheduled: bool, unseen: &HashMap<u64, Inode>) {
        let inode = sighting.inode;
        if let Some(file) = self.files.get(&inode) {
            if let Some(packed) = &file.packed
                && packed.is_like(sighting.size, sighting.modified)
            {
                // Another name says nothing about the content.
                sighting.compression = Some(packed.compression);
                sighting.superseded = true;
            }
            if file.packed.as_ref().map(|packed| packed.compression) != sighting.compression {
                // The inode went from a plain file to a compressed one, or back.
                if file.is_busy() {
                    return;
                }
                self.begin_anew(inode, "its inode was given to another file");
                self.change_kind(inode, &sighting);
            } else if file.yields && file.packed.is_none() && file.stat.size != sighting.size && !file.is_busy() {
                self.reconsider(inode);
            }
        } else {
            self.take_over_from_other_device(&sighting, unseen);
        }
        match self.files.get_mut(&inode) {
            Some(file) if file.spool == spool || file.gone_since.is_some() => {
                if file.gone_since.is_some() && file.may_be(&sighting) {
                    self.losses.returned(inode, file.identity.as_ref());
                }
                file.spool = spool;
                file.see(sighting, scheduled);
            }
            // Two patterns match it: it stays with the spool that saw it first.
            Some(_) => {}
            None => {
                tracing::info!(file = %sighting.path.display(), size = sighting.size, "following a file");
                self.files.insert(inode, FollowedFile::first_seen(spool, sighting));
            }
        }
    }

    /// The file is not compressed any more, or only now.
    fn change_kind(&mut self, inode: Inode, sighting: &Sighting) {
        if let Some(file) = self.files.get_mut(&inode) {
            let stat = Stat { size: sighting.size, modified: sighting.modified };
            file.packed = sighting.compression.map(|compression| Packed::new(compression, stat, sighting.only_rest));
            file.stat.size = if file.packed.is_some() { 0 } else { sighting.size };
        }
    }

    /// Devices may be numbered anew at boot. A remembered file with the same name and inode number
    /// is taken for the same file; its head and anchor are compared before anything is sent.
    /// `unseen` are the followed files that the look did not see, by their inode's number.
    fn take_over_from_other_device(&mut self, sighting: &Sighting, unseen: &HashMap<u64, Inode>) {
        let former_inode = unseen
            .get(&sighting.inode.number)
            .copied()
            .filter(|former| self.files.get(former).is_some_and(|file| file.path == sighting.path && !file.is_busy()));
        if let Some(mut file) = former_inode.and_then(|inode| self.files.remove(&inode)) {
            file.inode = sighting.inode;
            if let Some(identity) = &file.identity {
                self.heads.insert(&identity.head, sighting.inode);
            }
            self.files.insert(sighting.inode, file);
        }
    }

    /// Takes over what the server holds: its word counts, not ours. Whether the files still hold
    /// that much is seen when they are read.
    pub(crate) fn adopt(&mut self, positions: Positions) {
        self.kept = positions.positions.into_iter().map(|kept| (kept.generation, kept.offset)).collect();
        self.common_heads = common_heads(self.kept.keys());
        for file in self.files.values_mut() {
            let Some(identity) = &file.identity else {
                continue;
            };
            let generation = identity.generation();
            let offset = self.kept.get(&generation).copied().unwrap_or(0);
            if offset != file.position {
                tracing::info!(
                    file = %file.path.display(),
                    generation = generation.0,
                    agent = file.position,
                    server = offset,
                    "going on from the server's position"
                );
                file.go_to(offset);
                if file.gone_since.is_some() && file.unread() == 0 {
                    self.losses.returned(file.inode, file.identity.as_ref());
                }
            }
        }
        self.schedule.begin_anew();
    }

    /// Remembers how far the server keeps a generation.
    pub(crate) fn confirm(&mut self, generation: Generation, offset: u64) {
        self.kept.insert(generation, offset);
    }

    /// The head of a file is known. Unless it may be a copy, that makes its identity.
    pub(crate) fn identify(&mut self, inode: Inode, head: Excerpt, size: u64) {
        let Some(file) = self.files.get(&inode) else {
            return;
        };
        let own_name = Identity { inode, head: head.clone(), life: 0 }.first_life_name();
        let is_known = file.former.is_none() && latest_life(&self.kept, &own_name).is_some();
        let spool = file.spool;
        let packed = file.packed.as_ref().map(|packed| packed.only_rest);
        let candidates = if is_known { Vec::new() } else { self.candidates(inode, spool, &head) };
        if packed.is_none() && candidates.is_empty() {
            self.begin(inode, head, size);
            return;
        }
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        if packed == Some(true) && candidates.is_empty() && !is_known {
            file.leave_alone();
        } else {
            file.compare_with(Comparison { head, candidates });
        }
    }

    /// The file was compared with those that begin alike.
    pub(crate) fn compared(&mut self, inode: Inode, size: u64, fitting: Vec<Candidate>) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        let Some(comparison) = file.comparison.take() else {
            return;
        };
        let packed = file.packed.as_ref().map(|packed| packed.only_rest);
        if packed.is_some() {
            file.measured(size);
        }
        if self.take_for_copy(inode, fitting) {
            return;
        }
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        if packed == Some(true) && latest_life_of(&self.kept, inode, &comparison.head).is_none() {
            file.leave_alone();
            return;
        }
        if !comparison.candidates.is_empty() {
            tracing::info!(
                file = %file.path.display(),
                alike = comparison.candidates.len(),
                "the file begins like others and cannot be shown to be a copy of one; it is read from its start"
            );
        }
        self.losses.found_unread(&file.path, size);
        // It may be the copy of one of these, of which next to nothing was delivered.
        let alike = comparison.candidates.iter();
        for candidate in alike.filter(|candidate| candidate.is_head_only() && candidate.least_size() <= size) {
            self.losses.found(&candidate.identity);
        }
        self.begin(inode, comparison.head, size);
    }

    /// Gives a file an identity of its own, and the position to start from.
    fn begin(&mut self, inode: Inode, head: Excerpt, size: u64) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        self.heads.insert(&head, inode);
        let mut identity = Identity { inode, head, life: 0 };
        let name = identity.first_life_name();
        let latest = latest_life(&self.kept, &name);
        let mut position = 0;
        match file.former.take() {
            // Its former content was replaced before our eyes, so this is no life that is known.
            Some(former) => {
                let mut lives = Vec::from_iter(latest.map(|(life, _)| life));
                if former.first_life_name() == name {
                    lives.push(former.life);
                }
                identity.life = lives.into_iter().max().map_or(0, |life| life.saturating_add(1));
            }
            None => match latest {
                Some((life, offset)) if offset <= size && !self.common_heads.contains(&identity.head.hash) => {
                    identity.life = life;
                    position = offset;
                }
                Some((life, offset)) if offset <= size => {
                    tracing::warn!(
                        file = %file.path.display(),
                        "the file begins like others, and nothing but the server's position says that it was delivered up to {offset}; it is read from its start"
                    );
                    identity.life = life.saturating_add(1);
                }
                Some((life, offset)) => {
                    file.note_ended(Ended { identity: Identity { life, ..identity.clone() }, position: offset });
                    identity.life = life.saturating_add(1);
                }
                None => {}
            },
        }
        tracing::info!(
            file = %file.path.display(),
            generation = identity.generation().0,
            position,
            "the file has its identity"
        );
        file.identity = Some(identity);
        file.anchor = None;
        file.go_to(position);
        file.know_size(size);
    }

    /// Forgets files that are gone for long, and closes deleted ones that were held too long.
    pub(crate) fn forget_gone(&mut self, hold_deleted: Duration) {
        for file in self.files.values_mut() {
            let missing = file.give_up_when_held_too_long(hold_deleted);
            self.losses.miss(file.spool, file.inode, &file.path, file.identity.clone(), missing);
        }
        let mut gone: Vec<(Instant, Inode)> = self
            .files
            .values()
            .filter(|file| file.held.is_none() && !file.is_busy() && !file.is_unclosed())
            .filter_map(|file| Some((file.gone_since?, file.inode)))
            .collect();
        gone.sort_unstable_by_key(|(since, _)| Reverse(*since));
        for (index, (since, inode)) in gone.into_iter().enumerate() {
            if index >= MOST_REMEMBERED_GONE || since.elapsed() > REMEMBER_GONE {
                self.forget(inode);
            }
        }
    }

    fn forget(&mut self, inode: Inode) {
        let file = self.files.remove(&inode);
        if let Some(identity) = file.and_then(|file| file.identity) {
            self.heads.remove(&identity.head, inode);
        }
    }

    /// The content of a file is another one now.
    pub(crate) fn begin_anew(&mut self, inode: Inode, why: &str) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        let identity = file.identity.clone();
        let (position, anchor, closed) = (file.position, file.anchor.clone(), file.closed);
        // What was unread of a file that is gone is missing already.
        let counts = !file.yields && !file.is_gone_for_good();
        let missing = file.begin_anew(why);
        if counts {
            self.losses.miss(file.spool, inode, &file.path, identity.clone(), missing);
        }
        if let Some(identity) = identity {
            self.heads.remove(&identity.head, inode);
            let size = position.saturating_add(missing);
            self.note_replaced(Candidate { identity, position, anchor, size, closed, original: None });
        }
        self.copies.remove(&inode);
        self.settle_copies();
    }
}

/// The fingerprints that stand in the names of generations of more than one file.
fn common_heads<'a>(generations: impl Iterator<Item = &'a Generation>) -> HashSet<String> {
    let mut heads: Vec<(&str, &str)> = generations
        .filter_map(|generation| {
            let (device, rest) = generation.0.split_once('-')?;
            let (inode, rest) = rest.split_once('-')?;
            let head = rest.split_once('-').map_or(rest, |(head, _life)| head);
            Some((head, &generation.0[..=device.len() + inode.len()]))
        })
        .collect();
    heads.sort_unstable();
    heads.dedup();
    heads.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0.to_owned()).collect()
}

/// The same by what makes the name.
fn latest_life_of(kept: &BTreeMap<Generation, u64>, inode: Inode, head: &Excerpt) -> Option<(u32, u64)> {
    latest_life(kept, &Identity { inode, head: head.clone(), life: 0 }.first_life_name())
}

/// The highest life of that name that the server knows, and how much it keeps of it.
fn latest_life(kept: &BTreeMap<Generation, u64>, first_life_name: &str) -> Option<(u32, u64)> {
    let from_first = kept.range(Generation(first_life_name.to_owned())..);
    from_first
        .take_while(|(generation, _)| generation.0.starts_with(first_life_name))
        .filter_map(|(generation, offset)| Some((life_in(generation, first_life_name)?, *offset)))
        .max()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use sextant_model::delivery::Position;

    use super::*;

    fn inode(device: u64) -> Inode {
        Inode { device, number: 7 }
    }

    fn head() -> Excerpt {
        Excerpt { length: 5, hash: "0123456789abcdef".to_owned() }
    }

    fn survey(device: u64, size: u64) -> Survey {
        let sighting = Sighting {
            path: "/spool/x.log".into(),
            inode: inode(device),
            size,
            modified: SystemTime::UNIX_EPOCH,
            superseded: false,
            compression: None,
            only_rest: false,
            opened: None,
        };
        Survey { sightings: vec![sighting], ..Survey::default() }
    }

    /// A file of 100 bytes, with what the server holds of it.
    fn followed(kept: &[(u32, u64)]) -> Followed {
        let mut followed = Followed::default();
        followed.see(0, survey(1, 100), true);
        let position = |(life, offset): &(u32, u64)| {
            let identity = Identity { inode: inode(1), head: head(), life: *life };
            Position { generation: identity.generation(), offset: *offset }
        };
        followed.adopt(Positions { positions: kept.iter().map(position).collect() });
        followed
    }

    fn life_and_position(followed: &Followed) -> (u32, u64) {
        let file = followed.files.values().next().unwrap();
        (file.identity.as_ref().unwrap().life, file.position)
    }

    #[test]
    fn the_server_says_where_a_file_goes_on() {
        for (kept, expected) in [
            (&[][..], (0, 0)),
            (&[(0, 60)], (0, 60)),
            (&[(0, 100), (2, 40), (10, 60)], (10, 60)),
            // It is shorter than what the server holds: it was truncated meanwhile.
            (&[(0, 101)], (1, 0)),
        ] {
            let mut followed = followed(kept);
            followed.identify(inode(1), head(), 100);
            assert_eq!(life_and_position(&followed), expected, "{kept:?}");
        }
    }

    #[test]
    fn a_replaced_file_with_the_same_head_never_goes_on_from_its_former_life() {
        for (kept, life) in [(&[][..], 1), (&[(0, 60)], 1), (&[(4, 60)], 5)] {
            let mut followed = followed(&[]);
            followed.identify(inode(1), head(), 100);
            followed.files.get_mut(&inode(1)).unwrap().begin_anew("a test says so");
            for (kept_life, offset) in kept {
                let identity = Identity { inode: inode(1), head: head(), life: *kept_life };
                followed.confirm(identity.generation(), *offset);
            }
            followed.identify(inode(1), head(), 100);
            assert_eq!(life_and_position(&followed), (life, 0), "{kept:?}");
        }
    }

    #[test]
    fn a_server_that_is_behind_is_followed_back() {
        let mut followed = followed(&[(0, 60)]);
        followed.identify(inode(1), head(), 100);
        followed.adopt(Positions::default());
        assert_eq!(life_and_position(&followed), (0, 0));
    }

    #[test]
    fn a_device_with_a_new_number_keeps_its_generations() {
        let mut followed = followed(&[(0, 60)]);
        followed.identify(inode(1), head(), 100);
        let generation = |followed: &Followed, device| {
            followed.files.get(&inode(device)).and_then(|file| file.identity.clone()).unwrap().generation()
        };
        let before = generation(&followed, 1);
        followed.see(0, survey(2, 100), true);
        assert_eq!(followed.files.len(), 1);
        assert_eq!(generation(&followed, 2), before);
    }

    #[test]
    fn a_file_of_two_spools_is_followed_once() {
        let mut followed = followed(&[]);
        followed.see(1, survey(1, 100), true);
        assert_eq!(followed.files.len(), 1);
        assert_eq!(followed.files[&inode(1)].spool, 0);
        followed.see(1, Survey::default(), true);
        assert!(followed.files[&inode(1)].gone_since.is_none(), "another spool does not miss it");
    }

    #[test]
    fn a_gone_file_is_remembered_until_the_server_knows_that_it_ended() {
        let number_of_files = MOST_REMEMBERED_GONE + 10;
        let mut followed = Followed::default();
        let mut survey = survey(1, 5);
        let sighting = survey.sightings.remove(0);
        for number in 0..number_of_files as u64 {
            let inode = Inode { device: 1, number };
            let path = format!("/spool/{number}").into();
            let opened = None;
            survey.sightings.push(Sighting { path, inode, opened, ..sighting });
        }
        followed.see(0, survey, true);
        for number in 0..number_of_files as u64 {
            let inode = Inode { device: 1, number };
            followed.identify(inode, Excerpt { length: 5, hash: format!("{number:016x}") }, 5);
            let file = followed.files.get_mut(&inode).unwrap();
            file.advance(5, None, file.stat);
        }
        for _ in 0..3 {
            followed.see(0, Survey::default(), true);
            followed.forget_gone(Duration::from_mins(1));
        }
        assert_eq!(followed.files.len(), number_of_files);
        while let Some(file) = followed.choose_to_close(Instant::now()) {
            let closing = file.begin_closing().unwrap();
            file.close(&closing.ended);
            file.end_turn();
        }
        followed.forget_gone(Duration::from_mins(1));
        assert_eq!(followed.files.len(), MOST_REMEMBERED_GONE);
    }

    #[test]
    fn files_of_a_directory_that_cannot_be_listed_are_not_gone() {
        let mut followed = followed(&[]);
        followed.see(0, Survey { unlisted: vec!["/spool".into()], ..Survey::default() }, true);
        assert!(followed.files[&inode(1)].gone_since.is_none());
        followed.see(0, Survey::default(), true);
        assert!(followed.files[&inode(1)].gone_since.is_some());
    }
}

//! All followed files together with what the server holds of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use sextant_model::delivery::{Generation, Positions};

use crate::closing::Ended;
use crate::file::FollowedFile;
use crate::generation::{Excerpt, Identity, Inode, life_in};
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
    kept: BTreeMap<Generation, u64>,
    /// The next choice takes the newest file, not the oldest.
    newest_next: bool,
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

    /// Takes over what a look at a spool saw.
    pub(crate) fn see(&mut self, spool: usize, survey: Survey, scheduled: bool) {
        let seen: HashSet<Inode> = survey.sightings.iter().map(|sighting| sighting.inode).collect();
        for sighting in survey.sightings {
            self.see_file(spool, sighting, scheduled, &seen);
        }
        for file in self.files.values_mut() {
            let directory = file.path.parent().unwrap_or(Path::new("/"));
            let is_unknown = survey.unlisted.iter().any(|unlisted| unlisted == directory);
            if file.spool == spool && !seen.contains(&file.inode) && !is_unknown {
                file.miss(scheduled);
            }
        }
    }

    fn see_file(&mut self, spool: usize, sighting: Sighting, scheduled: bool, seen: &HashSet<Inode>) {
        let inode = sighting.inode;
        if !self.files.contains_key(&inode) {
            self.take_over_from_other_device(&sighting, seen);
        }
        match self.files.get_mut(&inode) {
            Some(file) if file.spool == spool || file.gone_since.is_some() => {
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

    /// Devices may be numbered anew at boot. A remembered file with the same name and inode number
    /// is taken for the same file; its head and anchor are compared before anything is sent.
    fn take_over_from_other_device(&mut self, sighting: &Sighting, seen: &HashSet<Inode>) {
        let same_but_device = |file: &&FollowedFile| {
            file.inode.number == sighting.inode.number
                && file.path == sighting.path
                && !file.is_busy()
                && !seen.contains(&file.inode)
        };
        let former_inode = self.files.values().find(same_but_device).map(|file| file.inode);
        if let Some(mut file) = former_inode.and_then(|inode| self.files.remove(&inode)) {
            file.inode = sighting.inode;
            self.files.insert(sighting.inode, file);
        }
    }

    /// Takes over what the server holds: its word counts, not ours. Whether the files still hold
    /// that much is seen when they are read.
    pub(crate) fn adopt(&mut self, positions: Positions) {
        self.kept = positions.positions.into_iter().map(|kept| (kept.generation, kept.offset)).collect();
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
            }
        }
    }

    /// Remembers how far the server keeps a generation.
    pub(crate) fn confirm(&mut self, generation: Generation, offset: u64) {
        self.kept.insert(generation, offset);
    }

    /// Gives a file its identity, now that its head is known, and the position to start from.
    pub(crate) fn identify(&mut self, inode: Inode, head: Excerpt, size: u64) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
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
                Some((life, offset)) if offset <= size => {
                    identity.life = life;
                    position = offset;
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
        file.go_to(position);
        file.know_size(size);
    }

    /// The file to read next: the newest and the oldest in turn, so that a backlog does not keep
    /// new records waiting, nor they the backlog.
    pub(crate) fn choose(&mut self, now: Instant) -> Option<&mut FollowedFile> {
        self.newest_next = !self.newest_next;
        let ready = self.files.values_mut().filter(|file| file.needs_turn(now));
        if self.newest_next {
            ready.max_by_key(|file| (file.stat.modified, file.inode))
        } else {
            ready.min_by_key(|file| (file.stat.modified, file.inode))
        }
    }

    /// A file of which the server should be told that a generation ended.
    pub(crate) fn choose_to_close(&mut self, now: Instant) -> Option<&mut FollowedFile> {
        self.files.values_mut().find(|file| file.needs_closing(now))
    }

    /// When the next refused batch may be tried again.
    pub(crate) fn next_retry(&self, now: Instant) -> Option<Instant> {
        self.files.values().filter_map(FollowedFile::retry_at).filter(|retry_at| *retry_at > now).min()
    }

    /// Forgets files that are gone for long, and closes deleted ones that were held too long.
    pub(crate) fn forget_gone(&mut self, hold_deleted: Duration) {
        for file in self.files.values_mut() {
            file.give_up_when_held_too_long(hold_deleted);
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
                self.files.remove(&inode);
            }
        }
    }
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
            followed.identify(inode, head(), 5);
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

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

//! Images of namespaces as no NameNode writes them: directories in each other, names at two
//! places, references that lead nowhere.

use fastrand::Rng;

use crate::fields::edge;
use crate::made::{MadeImage, Message, permission};

const FIRST_ID: u64 = 16385;

pub(crate) fn image(random: &mut Rng) -> MadeImage {
    let count = random.u64(1..40);
    let strings = [
        Message::new().number(1, 3),
        Message::new().number(1, 1).bytes(2, "hdfs"),
        Message::new().number(1, 2).bytes(2, "supergroup"),
        Message::new().number(1, 3).bytes(2, "hsm.block.storage.policy.id"),
    ];
    let mut inodes = vec![Message::new().number(1, FIRST_ID + count).number(2, count)];
    for id in FIRST_ID..FIRST_ID + count {
        inodes.push(inode(id, random));
    }
    let references: Vec<Message> = (0..random.u64(..4))
        .map(|_| Message::new().number(1, any_id(count, random)).bytes(2, "was here").number(3, edge(random)))
        .collect();
    let mut directories = Vec::new();
    for _ in 0..random.u64(..20) {
        let children: Vec<u64> = (0..random.u64(..8)).map(|_| any_id(count, random)).collect();
        let referred: Vec<u64> = (0..random.u64(..2)).map(|_| random.u64(..5)).collect();
        directories.push(Message::new().number(1, any_id(count, random)).packed(2, &children).packed(3, &referred));
    }
    MadeImage::new()
        .section("STRING_TABLE", &strings)
        .section("INODE", &inodes)
        .section("INODE_REFERENCE", &references)
        .section("INODE_DIR", &directories)
}

/// Mostly one that is there.
fn any_id(count: u64, random: &mut Rng) -> u64 {
    if random.u8(..20) == 0 { edge(random) } else { FIRST_ID + random.u64(..count) }
}

fn inode(id: u64, random: &mut Rng) -> Message {
    let name = format!("name{}", id % 7);
    let policy = Message::new().message(1, &Message::new().fixed32(1, 3 << 30 | 3 << 6).bytes(2, [random.u8(..)]));
    let message = Message::new().number(2, id);
    let kind = if id == FIRST_ID { 2 } else { random.u64(1..4) };
    let message = message.number(1, kind).bytes(3, name);
    match kind {
        1 => {
            let block = Message::new().number(1, id).number(2, 1).number(3, edge(random));
            let file = Message::new().number(1, edge(random)).fixed64(5, permission(1, 2, 0o644)).message(6, &block);
            message.message(4, &file.number(11, random.u64(..2)).number(12, random.u64(..8)))
        }
        2 => {
            let directory = Message::new().number(2, edge(random)).fixed64(4, permission(1, 2, 0o1777));
            message.message(5, &directory.message(6, &policy))
        }
        _ => message.message(6, &Message::new().fixed64(1, permission(1, 2, 0o777)).bytes(2, "/elsewhere")),
    }
}

//! What an image says about the namespace as a whole.

use crate::error::Error;
use crate::section::Messages;
use crate::wire::{Cursor, Malformed, varint};

/// What an image says about the namespace as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Namespace {
    /// The number that the cluster got when it was formatted.
    pub id: u32,
    /// The last transaction that is in the image.
    pub transaction_id: u64,
    /// The last version number given to a block.
    pub generation_stamp: u64,
    /// The last number given to a block.
    pub last_allocated_block_id: u64,
    /// The last number given to a block group.
    pub last_allocated_striped_block_id: u64,
    /// When a rolling upgrade began, in milliseconds since 1970; 0 is none.
    pub rolling_upgrade_start_time_ms: u64,
}

impl Namespace {
    pub(crate) fn read(mut messages: Messages<'_>) -> Result<Self, Error> {
        let message = messages.expect("the description of the namespace")?;
        Self::decode(message.bytes).map_err(|malformed| message.malformed(malformed))
    }

    fn decode(message: &[u8]) -> Result<Self, Malformed> {
        const ID: u32 = varint(1);
        const GENERATION_STAMP: u32 = varint(3);
        const LAST_BLOCK: u32 = varint(5);
        const TRANSACTION: u32 = varint(6);
        const ROLLING_UPGRADE: u32 = varint(7);
        const LAST_STRIPED_BLOCK: u32 = varint(8);
        let mut namespace = Self::default();
        let mut cursor = Cursor::new(message);
        while let Some(tag) = cursor.tag()? {
            match tag {
                ID => namespace.id = cursor.varint32()?,
                GENERATION_STAMP => namespace.generation_stamp = cursor.varint()?,
                LAST_BLOCK => namespace.last_allocated_block_id = cursor.varint()?,
                TRANSACTION => namespace.transaction_id = cursor.varint()?,
                ROLLING_UPGRADE => namespace.rolling_upgrade_start_time_ms = cursor.varint()?,
                LAST_STRIPED_BLOCK => namespace.last_allocated_striped_block_id = cursor.varint()?,
                other => cursor.skip(other)?,
            }
        }
        Ok(namespace)
    }
}

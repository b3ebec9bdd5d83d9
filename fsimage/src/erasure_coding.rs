//! Erasure coding policies by number.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::section::Messages;
use crate::wire::{Cursor, Malformed, delimited, varint};

/// Those that every Hadoop 3 has.
const SYSTEM_POLICIES: [(u32, &str); 5] =
    [(1, "RS-6-3-1024k"), (2, "RS-3-2-1024k"), (3, "RS-LEGACY-6-3-1024k"), (4, "XOR-2-1-1024k"), (5, "RS-10-4-1024k")];
const MAX_POLICIES: usize = 1024;

/// The erasure coding policies of a cluster.
#[derive(Debug, Default)]
pub struct ErasureCodingPolicies {
    names: BTreeMap<u32, String>,
}

impl ErasureCodingPolicies {
    pub(crate) fn read(mut messages: Messages<'_>) -> Result<Self, Error> {
        let mut policies = Self::default();
        let Some(message) = messages.next()? else { return Ok(policies) };
        policies.decode(message.bytes).map_err(|malformed| message.malformed(malformed))?;
        Ok(policies)
    }

    fn decode(&mut self, message: &[u8]) -> Result<(), Malformed> {
        const POLICY: u32 = delimited(1);
        const NAME: u32 = delimited(1);
        const ID: u32 = varint(4);
        let mut cursor = Cursor::new(message);
        while let Some(tag) = cursor.tag()? {
            if tag != POLICY {
                cursor.skip(tag)?;
                continue;
            }
            let (mut name, mut id) = ("", 0);
            let mut policy = Cursor::new(cursor.bytes()?);
            while let Some(tag) = policy.tag()? {
                match tag {
                    NAME => name = policy.text()?,
                    ID => id = policy.varint32()?,
                    other => policy.skip(other)?,
                }
            }
            // System policies are written by number alone.
            if !name.is_empty() && self.names.len() < MAX_POLICIES {
                self.names.insert(id, name.to_owned());
            }
        }
        Ok(())
    }

    /// The name of a policy, also of one that was added to the cluster.
    pub fn name(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(String::as_str).or_else(|| system_policy(id))
    }
}

/// The name of a policy that every Hadoop 3 has.
pub(crate) fn system_policy(id: u32) -> Option<&'static str> {
    SYSTEM_POLICIES.iter().find(|(number, _)| *number == id).map(|(_, name)| *name)
}

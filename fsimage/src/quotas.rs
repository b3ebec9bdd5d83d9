//! Space quotas by kind of storage.

use crate::wire::{Cursor, Malformed, delimited, varint};

/// A kind of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageType {
    /// Spinning disks.
    Disk,
    /// Solid state disks.
    Ssd,
    /// Dense storage for what is seldom read.
    Archive,
    /// Memory of the DataNodes.
    RamDisk,
    /// A store outside HDFS.
    Provided,
    /// Memory that keeps its content.
    Nvdimm,
    /// One that this reader does not know.
    Unknown(u32),
}

/// The space quotas of a directory by kind of storage.
#[derive(Debug, Clone, Copy, Default)]
pub struct TypeQuotas<'a> {
    message: &'a [u8],
}

impl<'a> TypeQuotas<'a> {
    /// Checks every quota, so that iterating cannot fail.
    pub(crate) fn new(message: &'a [u8]) -> Result<Self, Malformed> {
        visit(message, &mut |_, _| {})?;
        Ok(Self { message })
    }

    /// A view of what was checked by [`Self::new`] before.
    pub(crate) const fn checked(message: &'a [u8]) -> Self {
        Self { message }
    }

    pub(crate) const fn message(&self) -> &'a [u8] {
        self.message
    }

    /// Every quota, in bytes.
    pub fn all(&self) -> Vec<(StorageType, u64)> {
        let mut quotas = Vec::new();
        // Checked when it was made: no quota is left out.
        let _checked = visit(self.message, &mut |storage, bytes| quotas.push((storage, bytes)));
        quotas
    }
}

impl StorageType {
    /// As HDFS writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disk => "DISK",
            Self::Ssd => "SSD",
            Self::Archive => "ARCHIVE",
            Self::RamDisk => "RAM_DISK",
            Self::Provided => "PROVIDED",
            Self::Nvdimm => "NVDIMM",
            Self::Unknown(_) => "UNKNOWN",
        }
    }

    const fn of_number(number: u32) -> Self {
        match number {
            1 => Self::Disk,
            2 => Self::Ssd,
            3 => Self::Archive,
            4 => Self::RamDisk,
            5 => Self::Provided,
            6 => Self::Nvdimm,
            other => Self::Unknown(other),
        }
    }
}

fn visit(message: &[u8], quota: &mut dyn FnMut(StorageType, u64)) -> Result<(), Malformed> {
    const QUOTA: u32 = delimited(1);
    const STORAGE: u32 = varint(1);
    const BYTES: u32 = varint(2);
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        if tag != QUOTA {
            cursor.skip(tag)?;
            continue;
        }
        let (mut storage, mut bytes) = (0, 0);
        let mut entry = Cursor::new(cursor.bytes()?);
        while let Some(tag) = entry.tag()? {
            match tag {
                STORAGE => storage = entry.varint32()?,
                BYTES => bytes = entry.varint()?,
                other => entry.skip(other)?,
            }
        }
        quota(StorageType::of_number(storage), bytes);
    }
    Ok(())
}

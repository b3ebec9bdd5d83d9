//! Extended attributes, and what HDFS itself keeps in them.

use std::fmt;

use crate::strings::{StringKind, Strings};
use crate::wire::{Cursor, Malformed, delimited, fixed32, varint};

/// The extended attributes of an inode in their order.
#[derive(Clone, Copy)]
pub struct XAttrs<'a> {
    message: &'a [u8],
    strings: &'a Strings,
}

/// One extended attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XAttr<'a> {
    /// Who may read and write it.
    pub namespace: XAttrNamespace,
    /// Its name without the namespace.
    pub name: &'a str,
    /// Its value; often empty.
    pub value: &'a [u8],
}

/// Who may read and write an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XAttrNamespace {
    /// Everyone, by the permission bits.
    User,
    /// The superuser.
    Trusted,
    /// The kernel, and HDFS's own marks.
    Security,
    /// HDFS itself.
    System,
    /// HDFS itself, seen by the superuser under `/.reserved/raw`.
    Raw,
}

impl XAttrNamespace {
    /// As it stands before the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Trusted => "trusted",
            Self::Security => "security",
            Self::System => "system",
            Self::Raw => "raw",
        }
    }
}

/// What makes a directory an encryption zone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EncryptionZone<'a> {
    /// The name of its key in the key management server.
    pub key_name: &'a str,
    /// The number of the cipher suite: 2 is AES/CTR/NoPadding.
    pub cipher_suite: u32,
}

impl<'a> XAttrs<'a> {
    /// Checks every attribute, so that iterating cannot fail.
    #[inline]
    pub(crate) fn new(message: &'a [u8], strings: &'a Strings) -> Result<Self, Malformed> {
        if !message.is_empty() {
            visit(message, strings, &mut |_| {})?;
        }
        Ok(Self { message, strings })
    }

    pub(crate) const fn message(&self) -> &'a [u8] {
        self.message
    }

    /// A view of what was checked by [`Self::new`] before.
    pub(crate) const fn checked(message: &'a [u8], strings: &'a Strings) -> Self {
        Self { message, strings }
    }

    /// Every attribute.
    pub fn all(&self) -> Vec<XAttr<'a>> {
        let mut attributes = Vec::new();
        // Checked when it was made: no attribute is left out.
        let _checked = visit(self.message, self.strings, &mut |attribute| attributes.push(attribute));
        attributes
    }

    /// The value of one attribute.
    pub fn get(&self, namespace: XAttrNamespace, name: &str) -> Option<&'a [u8]> {
        if self.message.is_empty() {
            return None;
        }
        let found = self.all().into_iter().find(|attribute| attribute.namespace == namespace && attribute.name == name);
        found.map(|attribute| attribute.value)
    }

    /// The id of the storage policy set on a directory, a signed byte.
    pub fn storage_policy(&self) -> Option<i8> {
        let value = self.get(XAttrNamespace::System, "hsm.block.storage.policy.id")?;
        value.first().map(|id| *id as i8)
    }

    /// The name of the erasure coding policy set on a directory.
    pub fn erasure_coding_policy(&self) -> Option<&'a str> {
        // Java's own form: the length in four bytes, then UTF-8.
        let value = self.get(XAttrNamespace::System, "hdfs.erasurecoding.policy")?;
        let (length, text) = value.split_first_chunk()?;
        let text = text.get(..usize::try_from(i32::from_be_bytes(*length)).ok()?)?;
        std::str::from_utf8(text).ok()
    }

    /// What makes a directory an encryption zone.
    pub fn encryption_zone(&self) -> Option<EncryptionZone<'a>> {
        const CIPHER_SUITE: u32 = varint(1);
        const KEY_NAME: u32 = delimited(3);
        let value = self.get(XAttrNamespace::Raw, "hdfs.crypto.encryption.zone")?;
        let mut zone = EncryptionZone::default();
        let mut cursor = Cursor::new(value);
        while let Some(tag) = cursor.tag().ok()? {
            match tag {
                CIPHER_SUITE => zone.cipher_suite = cursor.varint32().ok()?,
                KEY_NAME => zone.key_name = cursor.text().ok()?,
                other => cursor.skip(other).ok()?,
            }
        }
        Some(zone)
    }
}

impl fmt::Debug for XAttrs<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.all()).finish()
    }
}

fn visit<'a>(message: &'a [u8], strings: &'a Strings, attribute: &mut dyn FnMut(XAttr<'a>)) -> Result<(), Malformed> {
    const ATTRIBUTE: u32 = delimited(1);
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            ATTRIBUTE => attribute(decode(cursor.bytes()?, strings)?),
            other => cursor.skip(other)?,
        }
    }
    Ok(())
}

/// The name's number is in bits 6 to 29, the namespace in the two above and, as its third, bit 5.
fn decode<'a>(message: &'a [u8], strings: &'a Strings) -> Result<XAttr<'a>, Malformed> {
    const NAME: u32 = fixed32(1);
    const VALUE: u32 = delimited(2);
    let (mut bits, mut value): (u32, &[u8]) = (0, &[]);
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            NAME => bits = cursor.fixed32()?,
            VALUE => value = cursor.bytes()?,
            other => cursor.skip(other)?,
        }
    }
    let namespace = match bits >> 30 | (bits >> 5 & 1) << 2 {
        0 => XAttrNamespace::User,
        1 => XAttrNamespace::Trusted,
        2 => XAttrNamespace::Security,
        3 => XAttrNamespace::System,
        4 => XAttrNamespace::Raw,
        _ => return Err(Malformed("an extended attribute is in an unknown namespace")),
    };
    Ok(XAttr { namespace, name: strings.get(StringKind::XAttr, bits >> 6 & 0x00ff_ffff)?, value })
}

//! The summary at the end of an image: layout, codec, sections.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::codec::Codec;
use crate::error::{Error, Place};
use crate::section::Section;
use crate::wire::{Cursor, Malformed, decode_varint, delimited, varint};

const MAGIC: &[u8; 8] = b"HDFSIMG1";
/// The length of the summary is in the file's last bytes.
const TRAILER_BYTES: u64 = 4;
const MAX_SUMMARY_BYTES: u64 = 64 << 20;
/// The first layout in protobuf; the numbers count downwards.
const FIRST_LAYOUT: i32 = -52;
const ON_DISK_VERSION: u32 = 1;

#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) layout_version: i32,
    pub(crate) codec: Codec,
    pub(crate) sections: Vec<Section>,
}

impl Summary {
    pub(crate) fn read(path: &Path, file: &File) -> Result<Self, Error> {
        let unreadable = |source| Error::File { path: path.to_owned(), source };
        let not_an_image = |reason: String| Error::NotAnImage { path: path.to_owned(), reason };
        let file_length = file.metadata().map_err(unreadable)?.len();
        let mut magic = [0; MAGIC.len()];
        let head = MAGIC.len() as u64;
        if file_length < head + TRAILER_BYTES {
            return Err(not_an_image(format!("it is {file_length} bytes long")));
        }
        file.read_exact_at(&mut magic, 0).map_err(unreadable)?;
        if magic != *MAGIC {
            return Err(not_an_image("it does not begin with HDFSIMG1, as images since Hadoop 2.4 do".to_owned()));
        }
        let mut trailer = [0; TRAILER_BYTES as usize];
        file.read_exact_at(&mut trailer, file_length - TRAILER_BYTES).map_err(unreadable)?;
        let length = u64::from(u32::from_be_bytes(trailer));
        if length > MAX_SUMMARY_BYTES || length > file_length - TRAILER_BYTES - head {
            let place = Place::File(file_length - TRAILER_BYTES);
            let what = format!("a summary of {length} bytes cannot be; the image is cut");
            return Err(Error::Damaged { section: "FileSummary".to_owned(), place, what });
        }
        let offset = file_length - TRAILER_BYTES - length;
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, offset).map_err(unreadable)?;
        let damaged =
            |what: String| Error::Damaged { section: "FileSummary".to_owned(), place: Place::File(offset), what };
        let raw = RawSummary::decode(&bytes).map_err(|malformed| damaged(malformed.0.to_owned()))?;
        raw.check(offset, damaged)
    }
}

#[derive(Default)]
struct RawSummary {
    on_disk_version: u32,
    layout_version: u32,
    codec: String,
    sections: Vec<Section>,
}

impl RawSummary {
    fn decode(delimited_message: &[u8]) -> Result<Self, Malformed> {
        const ON_DISK_VERSION: u32 = varint(1);
        const LAYOUT_VERSION: u32 = varint(2);
        const CODEC: u32 = delimited(3);
        const SECTION: u32 = delimited(4);

        let (length, header) = decode_varint(delimited_message).ok_or(Malformed("the summary is cut"))??;
        let message = &delimited_message[header..];
        if message.len() as u64 != length {
            return Err(Malformed("the summary's length is not the one at the end of the file; the image is cut"));
        }
        let mut summary = Self::default();
        let mut cursor = Cursor::new(message);
        while let Some(tag) = cursor.tag()? {
            match tag {
                ON_DISK_VERSION => summary.on_disk_version = cursor.varint32()?,
                LAYOUT_VERSION => summary.layout_version = cursor.varint32()?,
                CODEC => cursor.text()?.clone_into(&mut summary.codec),
                SECTION => summary.sections.push(decode_section(cursor.bytes()?)?),
                other => cursor.skip(other)?,
            }
        }
        Ok(summary)
    }

    /// The sections must lie between the magic and the summary, which begins at `end`.
    fn check(self, end: u64, damaged: impl Fn(String) -> Error) -> Result<Summary, Error> {
        if self.on_disk_version != ON_DISK_VERSION {
            return Err(damaged(format!(
                "the on-disk version is {}, known is {ON_DISK_VERSION}",
                self.on_disk_version
            )));
        }
        let layout_version = self.layout_version as i32;
        if layout_version > FIRST_LAYOUT {
            return Err(damaged(format!("the layout is {layout_version}, known are {FIRST_LAYOUT} and below")));
        }
        for section in &self.sections {
            let is_inside = section.offset >= MAGIC.len() as u64
                && section.offset.checked_add(section.length).is_some_and(|section_end| section_end <= end);
            if !is_inside {
                let Section { name, offset, length } = section;
                return Err(damaged(format!("section {name} ({length} bytes at {offset}) is not inside the file")));
            }
        }
        Ok(Summary { layout_version, codec: Codec::of_class(&self.codec)?, sections: self.sections })
    }
}

fn decode_section(message: &[u8]) -> Result<Section, Malformed> {
    const NAME: u32 = delimited(1);
    const LENGTH: u32 = varint(2);
    const OFFSET: u32 = varint(3);
    let mut section = Section { name: String::new(), offset: 0, length: 0 };
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            NAME => cursor.text()?.clone_into(&mut section.name),
            LENGTH => section.length = cursor.varint()?,
            OFFSET => section.offset = cursor.varint()?,
            other => cursor.skip(other)?,
        }
    }
    Ok(section)
}

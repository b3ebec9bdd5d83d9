//! What is changed in an image.

use std::path::Path;

use fastrand::Rng;
use sextant_fsimage::{Codec, Image};

use crate::fields::{self, append_varint, read_delimited};
use crate::made::MadeImage;

const CODECS: [&str; 6] = ["DefaultCodec", "GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec", "ZStandardCodec"];

/// An image that is mutated.
#[derive(Clone)]
pub(crate) enum Mutant {
    /// One whose sections are known.
    Made(MadeImage),
    /// One that is bytes only: it is compressed, or no image any more.
    Bytes(Vec<u8>),
}

/// The sections of an image that is not compressed.
pub(crate) fn taken_apart(path: &Path) -> Option<MadeImage> {
    let image = Image::open(path).ok().filter(|image| image.codec() == Codec::None)?;
    let bytes = std::fs::read(path).ok()?;
    let sections = image.sections().iter().map(|section| {
        let content = &bytes[section.offset as usize..(section.offset + section.length) as usize];
        (section.name.clone(), vec![content.to_vec()])
    });
    Some(MadeImage { layout: image.layout_version(), codec: None, sections: sections.collect() })
}

impl Mutant {
    /// Changes it at one to four places.
    pub(crate) fn mutate(&mut self, random: &mut Rng) {
        for _ in 0..random.u8(1..=4) {
            match self {
                Self::Made(image) => mutate_image(image, random),
                Self::Bytes(bytes) => fields::mutate_bytes(bytes, random),
            }
        }
    }

    /// The image as a file, now and then with damage to the file itself.
    pub(crate) fn to_bytes(&self, random: &mut Rng) -> Vec<u8> {
        let mut bytes = match self {
            Self::Made(image) => image.to_bytes(),
            Self::Bytes(bytes) => bytes.clone(),
        };
        if random.u8(..16) == 0 {
            fields::mutate_bytes(&mut bytes, random);
        }
        bytes
    }
}

fn mutate_image(image: &mut MadeImage, random: &mut Rng) {
    if image.sections.is_empty() {
        return;
    }
    let place = random.usize(..image.sections.len());
    match random.u8(..32) {
        0 => drop(image.sections.remove(place)),
        1 => {
            let copy = image.sections[place].clone();
            image.sections.push(copy);
        }
        2 => {
            let other = random.usize(..image.sections.len());
            image.sections.swap(place, other);
        }
        3 => image.codec = CODECS.get(random.usize(..=CODECS.len())).copied(),
        4 => image.layout = random.i32(-70..-45),
        5 => {
            for part in &mut image.sections[place].1 {
                fields::mutate_bytes(part, random);
            }
        }
        _ => {
            for part in &mut image.sections[place].1 {
                mutate_section(part, random);
            }
        }
    }
}

/// Changes one message, or which messages there are. What is behind bytes that are no message
/// stays as it is.
fn mutate_section(content: &mut Vec<u8>, random: &mut Rng) {
    let mut rest = content.as_slice();
    let mut messages: Vec<Vec<u8>> = Vec::new();
    let mut behind = rest;
    while !rest.is_empty() {
        let Some(message) = read_delimited(&mut rest) else { break };
        messages.push(message.to_vec());
        behind = rest;
    }
    let behind = behind.to_vec();
    if !messages.is_empty() {
        let place = random.usize(..messages.len());
        match random.u8(..10) {
            0 => drop(messages.remove(place)),
            1 => {
                let copy = messages[place].clone();
                messages.insert(random.usize(..=messages.len()), copy);
            }
            2 => {
                let other = random.usize(..messages.len());
                messages.swap(place, other);
            }
            3 => {
                // Small images show the same with less.
                let first = random.usize(..messages.len());
                let last = random.usize(first..messages.len());
                messages.drain(first.max(1).min(last)..last);
            }
            _ => fields::mutate(&mut messages[place], random),
        }
    }
    content.clear();
    for message in messages {
        append_varint(content, message.len() as u64);
        content.extend_from_slice(&message);
    }
    content.extend_from_slice(&behind);
}

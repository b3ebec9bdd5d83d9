//! An image, opened: what it says about itself, and its names.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::codec::Codec;
use crate::erasure_coding::ErasureCodingPolicies;
use crate::error::Error;
use crate::namespace::Namespace;
use crate::section::{Messages, Section};
use crate::strings::Strings;
use crate::summary::Summary;

/// The layout of Hadoop 3.5, the newest that this reader was tried with.
const NEWEST_KNOWN_LAYOUT: i32 = -67;

/// An fsimage. Opening it reads its summary, the namespace's description and the names of users
/// and groups; files and directories are read by [`Image::read_tree`] and [`Image::visit`].
#[derive(Debug)]
pub struct Image {
    path: PathBuf,
    file: File,
    summary: Summary,
    namespace: Namespace,
    strings: Strings,
    erasure_coding: ErasureCodingPolicies,
}

impl Image {
    /// Opens an image.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
        let summary = Summary::read(path, &file)?;
        let mut image = Self {
            path: path.to_owned(),
            file,
            summary,
            namespace: Namespace::default(),
            strings: Strings::default(),
            erasure_coding: ErasureCodingPolicies::default(),
        };
        let namespace = Namespace::read(image.messages("NS_INFO")?)?;
        let strings = Strings::read(image.messages("STRING_TABLE")?)?;
        let erasure_coding = match image.section("ERASURE_CODING") {
            Some(section) => ErasureCodingPolicies::read(image.messages_of(section)?)?,
            None => ErasureCodingPolicies::default(),
        };
        image.namespace = namespace;
        image.strings = strings;
        image.erasure_coding = erasure_coding;
        Ok(image)
    }

    /// The layout: -63 is Hadoop 2.7, -67 Hadoop 3.5.
    pub const fn layout_version(&self) -> i32 {
        self.summary.layout_version
    }

    /// Whether the layout is newer than what this reader was tried with. Fields that it adds are
    /// passed; everything that is known is still read.
    pub const fn is_newer_than_known(&self) -> bool {
        self.summary.layout_version < NEWEST_KNOWN_LAYOUT
    }

    /// How the sections are compressed.
    pub const fn codec(&self) -> Codec {
        self.summary.codec
    }

    /// The sections in the summary's order, those that are not known among them.
    pub fn sections(&self) -> &[Section] {
        &self.summary.sections
    }

    /// What the image says about the namespace.
    pub const fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The erasure coding policies of the cluster.
    pub const fn erasure_coding_policies(&self) -> &ErasureCodingPolicies {
        &self.erasure_coding
    }

    pub(crate) const fn strings(&self) -> &Strings {
        &self.strings
    }

    pub(crate) fn section(&self, name: &str) -> Option<&Section> {
        self.summary.sections.iter().find(|section| section.name == name)
    }

    pub(crate) fn required_section(&self, name: &'static str) -> Result<&Section, Error> {
        self.section(name).ok_or(Error::MissingSection { section: name })
    }

    pub(crate) fn messages(&self, name: &'static str) -> Result<Messages<'_>, Error> {
        self.messages_of(self.required_section(name)?)
    }

    pub(crate) fn messages_of<'i>(&'i self, section: &'i Section) -> Result<Messages<'i>, Error> {
        Messages::open(&self.path, &self.file, section, self.summary.codec)
    }
}

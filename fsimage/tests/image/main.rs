//! The reader and what it writes, against images of real NameNodes and made ones.

mod damage;
mod formats;
mod made;
mod samples;

//! The linker over a real store.

mod linking;
mod locations;
mod namespaces;
mod snapshots;
mod story;
mod tree;

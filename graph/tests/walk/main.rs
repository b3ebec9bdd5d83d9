//! Walks over small stores.

mod columns;
mod drawing;
mod folding;
mod incarnations;
mod lake;
mod limits;
mod physical;
mod reference;
mod unlinked;

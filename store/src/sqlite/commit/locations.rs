//! Where data lies.

use rusqlite::{OptionalExtension, params};

use super::Commit;
use crate::{Location, LocationRules};

impl Commit<'_> {
    pub(super) fn write_locations(&mut self, locations: &[Location]) -> rusqlite::Result<()> {
        for location in locations {
            let owner = location.owner.as_bytes();
            let stored: Option<i64> = self
                .connection
                .prepare_cached("SELECT name FROM location WHERE owner = ?1")?
                .query_row([owner], |row| row.get(0))
                .optional()?;
            let place = location.place.as_ref().map(|name| self.interned.name(self.connection, name)).transpose()?;
            if place == stored {
                continue;
            }
            if let Some(name) = stored {
                self.locate(name, -1)?;
            }
            if let Some(name) = place {
                self.locate(name, 1)?;
                self.connection
                    .prepare_cached("INSERT OR REPLACE INTO location (owner, name) VALUES (?1, ?2)")?
                    .execute(params![owner, name])?;
            } else {
                self.connection.prepare_cached("DELETE FROM location WHERE owner = ?1")?.execute([owner])?;
            }
        }
        Ok(())
    }

    /// So many entities more (or less) lie at a name.
    fn locate(&self, name: i64, difference: i64) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("UPDATE name SET located = located + ?2 WHERE key = ?1")?
            .execute([name, difference])?;
        Ok(())
    }

    pub(super) fn write_location_rules(&mut self, rules: Option<LocationRules>) -> rusqlite::Result<()> {
        match rules {
            None => {}
            Some(LocationRules::Mixed) => {
                self.connection.prepare_cached("DELETE FROM location_rules")?.execute([])?;
            }
            Some(LocationRules::Are(fingerprint)) => {
                self.connection
                    .prepare_cached("INSERT OR REPLACE INTO location_rules (one, fingerprint) VALUES (1, ?1)")?
                    .execute([fingerprint])?;
            }
        }
        Ok(())
    }
}

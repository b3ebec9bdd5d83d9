//! A file system made of a few lines, shown to a real store through the linker.

use std::collections::BTreeMap;

use sextant_linker::SourceInstance;
use sextant_linker::namespace::{NamespaceEnd, NamespacePass};
use sextant_model::location::{FileSystem, FileSystems};
use sextant_model::namespace::{IdentityMode, NamespaceStamp, NamespaceSummary, ObservedPath};
use sextant_model::operation::{Evidence, Execution, Operation, Role, SeenSpan, StatementText, Usage};
use sextant_model::{Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, SourceType, Viewer};
use sextant_store::{Changes, ExtractorRun, Facts};

use crate::story::{Story, minute};

/// Inode and path; a path that ends with `/` is a directory.
pub(crate) type InodeAt<'a> = (u64, &'a str);

/// How a pass is made.
pub(crate) struct Visit<'a> {
    pub(crate) source: &'a str,
    pub(crate) identity: IdentityMode,
    pub(crate) summary: NamespaceSummary,
    pub(crate) is_wanted: &'a dyn Fn(&str) -> bool,
    pub(crate) accept_deletions: bool,
    /// Whose the paths are.
    pub(crate) owner: &'a str,
}

impl Default for Visit<'_> {
    fn default() -> Self {
        Self {
            source: "hdfs",
            identity: IdentityMode::Inode,
            summary: NamespaceSummary::default(),
            is_wanted: &|_| true,
            accept_deletions: false,
            owner: "joe",
        }
    }
}

pub(crate) fn file_systems() -> FileSystems {
    file_systems_of("hdfs")
}

fn file_systems_of(source: &str) -> FileSystems {
    FileSystems(vec![FileSystem {
        source: source.to_owned(),
        cluster: "default".to_owned(),
        addresses: vec!["hdfs://prod".to_owned()],
    }])
}

pub(crate) fn path_name(path: &str) -> NameKey {
    NameKey { cluster: "default".to_owned(), kind: NameKind::Path, qualified: path.to_owned() }
}

/// A file with nothing special.
pub(crate) fn observed_file(path: &str) -> ObservedPath {
    observed(&[(2, path)], IdentityMode::Inode).remove(1)
}

/// The paths with the root before them.
fn observed(tree: &[InodeAt<'_>], identity: IdentityMode) -> Vec<ObservedPath> {
    let inodes: BTreeMap<&str, u64> =
        tree.iter().map(|(inode, path)| (path.trim_end_matches('/'), *inode)).chain([("", 1)]).collect();
    let by_inode = identity == IdentityMode::Inode;
    let mut all = vec![(1, "/")];
    all.extend(tree);
    all.into_iter()
        .map(|(inode, written)| {
            let path = if written == "/" { written } else { written.trim_end_matches('/') };
            let parent = path.rsplit_once('/').filter(|_| written != "/").map(|(parent, _)| inodes[parent]);
            let entity_type = if written.ends_with('/') { EntityType::Directory } else { EntityType::File };
            ObservedPath {
                inode: by_inode.then_some(inode),
                parent_inode: parent.filter(|_| by_inode),
                owner: "joe".to_owned(),
                group: "staff".to_owned(),
                mode: 0o750,
                ..ObservedPath::new(path.to_owned(), entity_type)
            }
        })
        .collect()
}

impl Story {
    /// A whole state at a minute, each path with its inode.
    pub(crate) fn state(&self, at: i64, tree: &[InodeAt<'_>]) -> ExtractorRun {
        self.visit(at, tree, Visit::default())
    }

    /// A whole listing at a minute.
    pub(crate) fn listing(&self, at: i64, tree: &[InodeAt<'_>]) -> ExtractorRun {
        self.visit(at, tree, Visit { identity: IdentityMode::Path, ..Visit::default() })
    }

    pub(crate) fn visit(&self, at: i64, tree: &[InodeAt<'_>], visit: Visit<'_>) -> ExtractorRun {
        let source = SourceInstance { name: visit.source.to_owned(), cluster: "default".to_owned() };
        let file_systems = file_systems_of(visit.source);
        let mut pass = NamespacePass::begin(&self.store, source, &file_systems, minute(at + 1)).unwrap();
        let by_inode = visit.identity == IdentityMode::Inode;
        let stamp = NamespaceStamp {
            namespace_id: by_inode.then_some(7),
            transaction: by_inode.then_some(at as u64),
            taken: minute(at),
            identity: visit.identity,
            origin: "test".to_owned(),
        };
        pass.opened(&self.store, stamp).unwrap();
        let mut paths = observed(tree, visit.identity);
        for path in &mut paths {
            visit.owner.clone_into(&mut path.owner);
            // A listing does not show it.
            path.storage_policy = by_inode.then(|| "HOT".to_owned());
        }
        for some in paths.chunks(2) {
            let changes = pass.paths(&self.store, some.to_vec()).unwrap();
            self.store.commit(&changes).unwrap();
        }
        let end = NamespaceEnd {
            summary: visit.summary,
            problems: Vec::new(),
            accept_deletions: visit.accept_deletions,
            finished: minute(at + 2),
        };
        let changes = pass.finish(&self.store, visit.is_wanted, end).unwrap();
        self.store.commit(&changes).unwrap();
        changes.run.unwrap()
    }

    /// What a path's name leads to.
    pub(crate) fn at_path(&self, path: &str) -> Option<Entity> {
        let found = self.store.find_name(&Viewer::all(), Some("default"), path).unwrap();
        let id = found.into_iter().find_map(|(_, entity)| entity)?;
        self.store.entities(&Viewer::all(), &[id]).unwrap().pop()
    }

    pub(crate) fn state_at(&self, path: &str) -> Option<EntityState> {
        self.at_path(path).map(|entity| entity.state)
    }

    pub(crate) fn lives_at(&self, path: &str) -> Vec<Life> {
        let Some(entity) = self.at_path(path) else {
            return Vec::new();
        };
        self.store.lives(&[entity.id]).unwrap().remove(&entity.id).unwrap_or_default()
    }

    /// An operation that writes a path, at a minute.
    pub(crate) fn write_path(&self, label: &str, path: &str, at: i64) {
        let id = |kind: &str| EntityId::derive(kind, &[label.as_bytes()]);
        let (operation, text, execution) = (id("operation"), id("text"), id("execution"));
        let state = self.store.name_states(&[path_name(path)]).unwrap().remove(&path_name(path));
        let life = state.filter(|state| state.entity.is_some()).map_or(0, |state| {
            sextant_model::incarnation::life_of_execution(
                &state.lives,
                None,
                Some(minute(at)),
                Some(minute(at)),
                sextant_model::incarnation::DEFAULT_SKEW_MS,
            )
        });
        let changes = Changes {
            operations: vec![Operation {
                id: operation,
                source_type: SourceType::Spark,
                cluster: "default".to_owned(),
                operation_type: None,
                lineage_known: true,
                pairs: Vec::new(),
            }],
            texts: vec![StatementText { id: text, operation, text: label.to_owned(), first_seen: minute(at) }],
            executions: vec![Execution {
                id: execution,
                operation,
                text,
                variant: None,
                user: None,
                started: Some(minute(at)),
                ended: Some(minute(at)),
                received: minute(at),
                query_id: None,
                engine: None,
                job_ids: Vec::new(),
                table_created: Vec::new(),
                evidence: Evidence { host: "host-1".to_owned(), file: "/spool".to_owned(), offset: 0 },
            }],
            usages: vec![Usage {
                operation,
                name: path_name(path),
                role: Role::Output,
                life,
                seen: SeenSpan::once(minute(at), execution),
            }],
            ..Changes::default()
        };
        self.store.commit(&changes).unwrap();
    }

    /// The lives in which a path was used, in order.
    pub(crate) fn lives_used_at(&self, path: &str) -> Vec<u32> {
        let usages = self.store.usages_of_names(&Viewer::all(), &[path_name(path)]).unwrap();
        let mut lives: Vec<u32> = usages.into_iter().map(|usage| usage.life).collect();
        lives.sort_unstable();
        lives
    }
}

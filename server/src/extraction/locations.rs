//! Makes the names of all locations anew when the configured file systems became others.

use sextant_linker::location::Rebuild;
use sextant_model::location::FileSystems;
use sextant_store::StoreError;

use crate::linking::Linker;

/// Makes all names anew if that is needed. What is not done when the server goes down is done
/// after the next start.
pub(super) async fn name_anew(linker: &Linker, file_systems: &FileSystems) {
    let systems = file_systems.clone();
    let Ok(needed) = linker.run(move |store| Rebuild::needed(store, &systems)).await else {
        return;
    };
    let mut rebuild = match needed {
        Ok(Some(rebuild)) => rebuild,
        Ok(None) => return,
        Err(error) => return tell(&error),
    };
    tracing::info!("the configured file systems are others: the names of all locations are made anew");
    loop {
        let step = linker.run(move |store| {
            let changes = rebuild.step(store)?;
            if let Some(changes) = &changes {
                store.commit(changes)?;
            }
            Ok::<_, StoreError>((rebuild, changes.is_some()))
        });
        match step.await {
            Ok(Ok((next, true))) => rebuild = next,
            Ok(Ok((_, false))) | Err(_) => return,
            Ok(Err(error)) => return tell(&error),
        }
    }
}

fn tell(error: &StoreError) {
    tracing::error!(%error, "the names of locations are not all made anew; it is tried again at the next start");
}

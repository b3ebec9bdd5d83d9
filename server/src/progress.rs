//! A position that only grows, and on which anybody may wait.

use tokio::sync::watch;

/// How far a follower has come.
#[derive(Debug)]
pub struct Progress(watch::Sender<u64>);

impl Progress {
    /// Begins at a position.
    pub fn starting_at(position: u64) -> Self {
        Self(watch::Sender::new(position))
    }

    /// Moves on to `position`; a smaller one changes nothing.
    pub fn advance(&self, position: u64) {
        self.0.send_if_modified(|current| {
            let further = position > *current;
            *current = position.max(*current);
            further
        });
    }

    /// The present position.
    pub fn position(&self) -> u64 {
        *self.0.borrow()
    }

    /// Returns once `position` is reached.
    pub async fn reached(&self, position: u64) {
        let mut receiver = self.0.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = receiver.wait_for(|current| *current >= position).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_when_the_position_is_reached() {
        let progress = Progress::starting_at(3);
        progress.reached(2).await;
        let waiting = progress.reached(5);
        let advancing = async {
            progress.advance(4);
            progress.advance(1);
            progress.advance(7);
        };
        tokio::join!(waiting, advancing);
        assert_eq!(progress.position(), 7);
    }
}

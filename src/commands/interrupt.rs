//! Ctrl-C: the first asks a command to end cleanly, the second ends the program at once.

use std::future::Future;

use tokio::sync::watch;

use crate::exit::Exit;

/// The command was interrupted.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Tells whether Ctrl-C was pressed, or the process was asked to terminate.
#[derive(Clone)]
pub struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Listens from now on.
    pub fn listen() -> Self {
        let (sender, receiver) = watch::channel(false);
        tokio::spawn(async move {
            for first in [true, false] {
                if asked_to_end().await.is_err() {
                    // Without a handler the signal ends the program as it always did. Keep the
                    // sender, so that nobody takes its end for a signal.
                    std::future::pending::<()>().await;
                }
                if first {
                    let _ = sender.send(true);
                } else {
                    std::process::exit(i32::from(Exit::Interrupted.code()));
                }
            }
        });
        Interrupt(receiver)
    }

    /// Returns when Ctrl-C was pressed, at once if it has been.
    pub async fn wait(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|pressed| *pressed).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// What `work` gives, unless Ctrl-C comes first.
    pub async fn or<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        tokio::select! {
            result = work => Ok(result),
            () = self.wait() => Err(Interrupted),
        }
    }
}

#[cfg(unix)]
async fn asked_to_end() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

//! What becomes of the messages that were published.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lapin::Confirmation;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{MissedTickBehavior, interval};

use super::about::About;
use super::error::BrokerError;
use super::fault::is_aftermath;
use super::tally::{Counters, Finished, add};

/// What a message takes of the room for messages and for bytes under way.
pub(super) type Room = [OwnedSemaphorePermit; 2];

/// A message under way: it resolves when its confirm is there, and keeps its room until it is
/// counted.
pub(super) type InFlight =
    Pin<Box<dyn Future<Output = (lapin::Result<Confirmation>, Room)> + Send>>;

/// Waits for confirms in the background, however fast or slow messages are published.
pub(super) struct Collector {
    /// The messages, as they are sent.
    pub incoming: mpsc::UnboundedReceiver<InFlight>,
    /// Where the ends are counted.
    pub counters: Arc<Counters>,
    /// Closed as soon as publishing makes no sense any more.
    pub room: Arc<Semaphore>,
    /// How long nothing may be confirmed while something is outstanding.
    pub patience: Duration,
    /// To word the error.
    pub about: About,
}

/// How often the collector looks at its watch.
const TICK: Duration = Duration::from_millis(250);

impl Collector {
    /// Runs until all messages have met their end and no more can come, or until it gives up.
    pub async fn run(mut self) -> Finished {
        let mut waiting = FuturesUnordered::new();
        let mut finished = Finished::default();
        let mut heard = Instant::now();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut open = true;
        while open || !waiting.is_empty() {
            tokio::select! {
                biased;
                Some((result, room)) = waiting.next(), if !waiting.is_empty() => {
                    heard = Instant::now();
                    self.settle(result, &mut finished);
                    drop(room);
                }
                message = self.incoming.recv(), if open => match message {
                    Some(message) => {
                        if waiting.is_empty() {
                            heard = Instant::now();
                        }
                        waiting.push(message);
                    }
                    None => open = false,
                },
                _ = ticks.tick() => if !waiting.is_empty() && heard.elapsed() >= self.patience {
                    self.give_up(waiting.len(), &mut finished);
                    break;
                },
            }
        }
        finished
    }

    fn settle(&self, result: lapin::Result<Confirmation>, finished: &mut Finished) {
        match result {
            Ok(confirmation) => {
                let returned = self.counters.count(confirmation);
                finished.first_returned = finished.first_returned.take().or(returned);
            }
            Err(error) => {
                add(&self.counters.unknown);
                self.room.close();
                // Messages sent into a channel that is closing fail before those that waited on it.
                if finished.error.as_ref().is_none_or(is_aftermath) {
                    finished.error = Some(self.about.error(&error, "publishing"));
                }
            }
        }
    }

    /// The messages that are given up, here and on their way here, are not known to have arrived.
    fn give_up(&mut self, waiting: usize, finished: &mut Finished) {
        self.room.close();
        self.incoming.close();
        let mut waiting = waiting as u64;
        while self.incoming.try_recv().is_ok() {
            waiting += 1;
        }
        self.counters.unknown.fetch_add(waiting, Ordering::Relaxed);
        finished.error.get_or_insert(BrokerError::ConfirmsOverdue {
            waiting,
            within: self.patience,
            blocked: self.about.blocked(),
        });
    }
}

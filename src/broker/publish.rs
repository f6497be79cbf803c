//! Messages out, each with a publisher confirm, many under way at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use lapin::Channel;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::message::{Outgoing, Route};

use super::confirms::{Collector, InFlight, Room};
use super::connection::Broker;
use super::error::BrokerError;
use super::fault::short;
use super::link::close_channel;
use super::properties::properties;
use super::tally::{Counters, Finished, Tally, add};

/// How much may be under way, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages sent and not yet confirmed.
    pub messages: usize,
    /// Their bodies, in bytes. One larger body is sent alone.
    pub bytes: usize,
    /// How long nothing may be confirmed while messages are outstanding.
    pub confirm_timeout: Duration,
}

impl Default for Limits {
    /// 2,000 messages, 32 MiB, 30 seconds.
    fn default() -> Self {
        let confirm_timeout = Duration::from_secs(30);
        Limits { messages: 2_000, bytes: 32 << 20, confirm_timeout }
    }
}

/// The unit in which bytes under way are counted: a semaphore has fewer permits than bytes.
const BLOCK: usize = 1024;

/// Publishes on a channel of its own. Nothing it keeps grows with the number of messages.
pub struct Publisher {
    channel: Channel,
    counters: Arc<Counters>,
    messages: u32,
    room: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    blocks: u32,
    outgoing: mpsc::UnboundedSender<InFlight>,
    collector: JoinHandle<Finished>,
}

/// A view of a publisher's progress that lives on beside it.
#[derive(Clone)]
pub struct Progress(Arc<Counters>);

impl Progress {
    /// The numbers of this moment.
    pub fn tally(&self) -> Tally {
        self.0.tally()
    }
}

impl Publisher {
    /// Opens a channel and asks for confirms on it.
    ///
    /// # Errors
    /// [`BrokerError::Lost`] when the connection is gone. [`BrokerError::ConfirmsOverdue`] when
    /// the broker does not answer, as when it has blocked this connection already.
    pub async fn open(broker: &Broker, limits: Limits) -> Result<Self, BrokerError> {
        let about = broker.about();
        let within = limits.confirm_timeout;
        let opened = timeout(within, confirming_channel(broker)).await;
        let channel = opened.unwrap_or_else(|_| {
            let blocked = about.blocked();
            Err(BrokerError::ConfirmsOverdue { waiting: 0, within, blocked })
        })?;
        let (outgoing, incoming) = mpsc::unbounded_channel();
        let counters = Arc::new(Counters::default());
        let messages = u32::try_from(limits.messages.max(1)).unwrap_or(u32::MAX);
        let room = Arc::new(Semaphore::new(messages as usize));
        let collector = Collector {
            incoming,
            counters: Arc::clone(&counters),
            room: Arc::clone(&room),
            patience: limits.confirm_timeout,
            about,
        };
        let blocks = u32::try_from(limits.bytes.div_ceil(BLOCK).max(1)).unwrap_or(u32::MAX);
        Ok(Publisher {
            channel,
            counters,
            messages,
            room,
            bytes: Arc::new(Semaphore::new(blocks as usize)),
            blocks,
            outgoing,
            collector: tokio::spawn(collector.run()),
        })
    }

    /// Sends a message, as soon as there is room for it, and does not wait for its confirm.
    /// Messages go out in the order of the calls.
    ///
    /// # Errors
    /// [`BrokerError::TooLong`] for a name that does not fit; the message was not sent and others
    /// may be. [`BrokerError::Lost`] when publishing has stopped; [`Publisher::finish`] says why.
    pub async fn publish(&mut self, route: &Route, message: Outgoing) -> Result<(), BrokerError> {
        let exchange = short(&route.exchange, "an exchange's name")?;
        let key = short(&route.routing_key, "a routing key")?;
        let room = self.take_room(message.body.len()).await?;
        let properties = properties(route, &message)?;
        let options = BasicPublishOptions { mandatory: route.mandatory, immediate: false };
        let channel = self.channel.clone();
        let mut in_flight = Box::pin(async move {
            let body = message.body;
            let sent = channel.basic_publish(exchange, key, options, &body, properties).await;
            let confirmation = match sent {
                Ok(confirm) => confirm.await,
                Err(error) => Err(error),
            };
            (confirmation, room)
        });
        // Polling it once puts it in line; its end is the collector's business.
        add(&self.counters.sent);
        let in_flight: InFlight = match (&mut in_flight).now_or_never() {
            Some(result) => Box::pin(std::future::ready(result)),
            None => in_flight,
        };
        if self.outgoing.send(in_flight).is_err() {
            add(&self.counters.unknown);
            return Err(stopped());
        }
        Ok(())
    }

    /// The numbers of this moment.
    pub fn tally(&self) -> Tally {
        self.counters.tally()
    }

    /// Waits until every message so far has met its end, and gives the numbers of that moment.
    ///
    /// # Errors
    /// [`BrokerError::Lost`] when publishing has stopped; [`Publisher::finish`] says why.
    pub async fn settled(&self) -> Result<Tally, BrokerError> {
        // A message's room is free again when its end is counted.
        let all = self.room.acquire_many(self.messages).await;
        all.map(|_| self.tally()).map_err(|_| stopped())
    }

    /// A view of the numbers for a progress bar.
    pub fn progress(&self) -> Progress {
        Progress(Arc::clone(&self.counters))
    }

    /// Waits until every message has met its end, or none does for the time allowed.
    pub async fn finish(self) -> Finished {
        drop(self.outgoing);
        let mut finished = self.collector.await.unwrap_or_else(|error| Finished {
            error: Some(BrokerError::Lost { reason: error.to_string() }),
            ..Finished::default()
        });
        finished.tally = self.counters.tally();
        // A message that was sent and that nobody waits for any more is not known to have arrived.
        let rest = finished.tally.outstanding();
        self.counters.unknown.fetch_add(rest, Ordering::Relaxed);
        finished.tally = self.counters.tally();
        close_channel(&self.channel).await;
        finished
    }

    async fn take_room(&self, body: usize) -> Result<Room, BrokerError> {
        let blocks = u32::try_from(body.div_ceil(BLOCK)).unwrap_or(u32::MAX).min(self.blocks);
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(blocks).await;
        let message = Arc::clone(&self.room).acquire_owned().await;
        match (bytes, message) {
            (Ok(bytes), Ok(message)) => Ok([bytes, message]),
            _ => Err(stopped()),
        }
    }
}

async fn confirming_channel(broker: &Broker) -> Result<Channel, BrokerError> {
    let channel = broker.channel().await?;
    let confirms = channel.confirm_select(ConfirmSelectOptions::default()).await;
    confirms.map_err(|error| broker.about().error(&error, "publisher confirms"))?;
    Ok(channel)
}

fn stopped() -> BrokerError {
    BrokerError::Lost { reason: "publishing has stopped".to_owned() }
}

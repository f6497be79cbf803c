//! How many messages met which end.

use std::sync::atomic::{AtomicU64, Ordering};

use lapin::{BasicProperties, Confirmation};

use super::error::BrokerError;

/// How many messages met which end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Given to the connection.
    pub sent: u64,
    /// Taken by the broker and, as far as it can be known, routed to a queue. A message published
    /// without `mandatory` counts as confirmed even when nothing was bound to take it.
    pub confirmed: u64,
    /// Mandatory, and routed nowhere.
    pub returned: u64,
    /// Refused, as by a full queue with `reject-publish`.
    pub refused: u64,
    /// Sent, and never heard of again.
    pub unknown: u64,
}

impl Tally {
    /// Messages whose end is not known yet.
    pub fn outstanding(&self) -> u64 {
        let ended = self.confirmed + self.returned + self.refused + self.unknown;
        self.sent.saturating_sub(ended)
    }

    /// Whether every message sent was confirmed.
    pub fn is_good(&self) -> bool {
        self.sent == self.confirmed
    }
}

/// A message that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Its message id, when it has one.
    pub message_id: Option<String>,
    /// The exchange it was published to.
    pub exchange: String,
    /// Its routing key.
    pub routing_key: String,
    /// What the broker said, such as `NO_ROUTE`.
    pub words: String,
}

/// The end of a stream of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// How many messages met which end.
    pub tally: Tally,
    /// The first message that came back.
    pub first_returned: Option<Returned>,
    /// Why publishing stopped early, when it did.
    pub error: Option<BrokerError>,
}

/// The counters behind [`Tally`], shared between the publisher and whoever watches it.
#[derive(Default)]
pub(super) struct Counters {
    pub sent: AtomicU64,
    acked: AtomicU64,
    returned: AtomicU64,
    refused: AtomicU64,
    pub unknown: AtomicU64,
}

impl Counters {
    /// The numbers of this moment.
    pub fn tally(&self) -> Tally {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let returned = read(&self.returned);
        Tally {
            // A returned message is acknowledged too, so it is in both counters. Counted apart
            // they are right even though lapin may hand a return out with a neighbour's confirm.
            confirmed: read(&self.acked).saturating_sub(returned),
            returned,
            refused: read(&self.refused),
            unknown: read(&self.unknown),
            sent: read(&self.sent),
        }
    }

    /// Counts a confirm, and tells the message that came back with it.
    pub fn count(&self, confirmation: Confirmation) -> Option<Returned> {
        let (counter, message) = match confirmation {
            Confirmation::Ack(message) => (&self.acked, message),
            Confirmation::Nack(message) => (&self.refused, message),
            Confirmation::NotRequested => (&self.unknown, None),
        };
        add(counter);
        let message = message?;
        add(&self.returned);
        Some(Returned {
            message_id: id(&message.properties),
            exchange: message.exchange.to_string(),
            routing_key: message.routing_key.to_string(),
            words: message.reply_text.to_string(),
        })
    }
}

/// One more.
pub(super) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn id(properties: &BasicProperties) -> Option<String> {
    properties.message_id().as_ref().map(ToString::to_string)
}

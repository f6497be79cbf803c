//! What is sent to the simulated broker, and who consumes from it.

use std::sync::Arc;

use crate::message::{PLUGIN_DELAY_HEADER, Route};
use crate::objects::Value;
use crate::routing::Headers;

/// A message that is published.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sending {
    /// When, in microseconds of virtual time.
    pub at_us: u64,
    /// The exchange; `""` is the default exchange.
    pub exchange: Arc<str>,
    /// The routing key.
    pub routing_key: Arc<str>,
    /// Headers, where there are any.
    pub headers: Option<Arc<Headers>>,
    /// The `expiration` property, in milliseconds.
    pub expiration_ms: Option<u64>,
    /// The length of the body.
    pub bytes: u64,
}

impl Sending {
    /// An empty message to this exchange with this routing key.
    pub fn new(at_us: u64, exchange: &str, routing_key: &str) -> Self {
        let (exchange, routing_key) = (exchange.into(), routing_key.into());
        Sending { at_us, exchange, routing_key, ..Sending::default() }
    }

    /// An empty message by this route.
    pub fn by(route: &Route, at_us: u64) -> Self {
        let headers = route.plugin_delay.map(|delay| {
            Arc::new(Headers::from([(PLUGIN_DELAY_HEADER.to_owned(), Value::from(delay))]))
        });
        let expiration_ms = route.expiration;
        Sending {
            headers,
            expiration_ms,
            ..Sending::new(at_us, &route.exchange, &route.routing_key)
        }
    }
}

/// What a consumer does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `basic.ack`.
    Ack,
    /// `basic.reject` or `basic.nack` without requeueing: the message is dead-lettered.
    Reject,
    /// `basic.reject` with requeueing.
    Requeue,
    /// `basic.nack` with requeueing.
    NackRequeue,
}

/// A consumer: it handles one message at a time, in the order of delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Its queue.
    pub queue: String,
    /// When it begins, in microseconds of virtual time.
    pub from_us: u64,
    /// How many messages it may have unacknowledged; 0 has no limit.
    pub prefetch: u64,
    /// How long it takes for a message, in microseconds; at least 1.
    pub service_us: u64,
    /// What it answers, message by message, and again from the start. Empty: always
    /// [`Answer::Ack`].
    pub answers: Vec<Answer>,
}

impl Reader {
    /// A consumer from the beginning that acknowledges everything after a millisecond, one
    /// message at a time.
    pub fn new(queue: &str) -> Self {
        let queue = queue.to_owned();
        Reader { queue, from_us: 0, prefetch: 1, service_us: 1000, answers: Vec::new() }
    }

    /// The same consumer with other answers.
    #[must_use]
    pub fn answering(self, answers: impl Into<Vec<Answer>>) -> Self {
        Reader { answers: answers.into(), ..self }
    }
}

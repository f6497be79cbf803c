//! Messages on their way to a broker and back, as plain values.

use std::collections::BTreeMap;

use crate::duration::Millis;
use crate::objects::Value;

/// Header with the moment of publishing, in milliseconds since the Unix epoch.
pub const SENT_AT_HEADER: &str = "x-delayctl-sent-at";
/// Header with the delay that was asked for, in milliseconds.
pub const DELAY_HEADER: &str = "x-delayctl-delay";
/// Header from which the delayed-message plugin reads the delay, in milliseconds.
pub const PLUGIN_DELAY_HEADER: &str = "x-delay";

/// Where a publisher must send a message, and what the message must carry, for it to arrive after
/// a certain delay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The exchange; `""` is the default exchange.
    pub exchange: String,
    /// The routing key.
    pub routing_key: String,
    /// The `expiration` property in milliseconds, for a per-message TTL.
    pub expiration: Option<u64>,
    /// The `x-delay` header in milliseconds, for the delayed-message plugin.
    pub plugin_delay: Option<u64>,
    /// Whether the message may be published as mandatory. Not to a delayed-message exchange, which
    /// returns every delayed message as unroutable and delivers it all the same.
    pub mandatory: bool,
    /// The delay that this route gives, in milliseconds: the one asked for, or more when it was
    /// rounded up.
    pub delay_ms: u64,
}

impl Route {
    /// A route that needs nothing but its address.
    pub fn plain(exchange: &str, routing_key: &str, delay: Millis) -> Self {
        Route {
            exchange: exchange.to_owned(),
            routing_key: routing_key.to_owned(),
            expiration: None,
            plugin_delay: None,
            mandatory: true,
            delay_ms: delay.0,
        }
    }
}

/// A message to publish.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outgoing {
    /// The body.
    pub body: Vec<u8>,
    /// The message id.
    pub message_id: String,
    /// The content type.
    pub content_type: Option<String>,
    /// The priority, 0 to 255.
    pub priority: Option<u8>,
    /// Survives a restart of the broker in a durable queue.
    pub persistent: bool,
    /// Headers, beside those that [`Route`] and delayctl add.
    pub headers: BTreeMap<String, Value>,
}

/// A message that was delivered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delivered {
    /// The queue it came from.
    pub queue: String,
    /// The moment it was seen, in microseconds since the Unix epoch.
    pub seen_at_us: u64,
    /// The exchange it was last published to.
    pub exchange: String,
    /// Its routing key.
    pub routing_key: String,
    /// Delivered before, perhaps.
    pub redelivered: bool,
    /// The body.
    pub body: Vec<u8>,
    /// The message id.
    pub message_id: Option<String>,
    /// The `timestamp` property, in seconds since the Unix epoch.
    pub timestamp_s: Option<u64>,
    /// Its headers, without `x-death`.
    pub headers: BTreeMap<String, Value>,
    /// Its history of dead-lettering, newest first, from the `x-death` header.
    pub deaths: Vec<Death>,
}

/// One entry of `x-death`: a message's dead-letterings for one queue and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Death {
    /// The queue it left.
    pub queue: String,
    /// `expired`, `rejected`, `maxlen` or `delivery_limit`.
    pub reason: String,
    /// How many times.
    pub count: u64,
    /// The first time, in seconds since the Unix epoch.
    pub time_s: Option<u64>,
    /// The exchange it had been published to before.
    pub exchange: String,
    /// The routing keys it had been published with.
    pub routing_keys: Vec<String>,
    /// The per-message TTL it had, in milliseconds.
    pub original_expiration_ms: Option<u64>,
}

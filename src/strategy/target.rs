//! Where delayed messages arrive.

use std::fmt;

/// Where delayed messages arrive: `{exchange, routing_key}` or `{queue}` in the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// An exchange, and the routing key that messages reach it with.
    Exchange {
        /// The exchange's name.
        exchange: String,
        /// The routing key.
        routing_key: String,
    },
    /// A queue, reached through the default exchange.
    Queue(String),
}

impl Target {
    /// The exchange to publish to; `""` is the default exchange.
    pub fn exchange(&self) -> &str {
        match self {
            Target::Exchange { exchange, .. } => exchange,
            Target::Queue(_) => "",
        }
    }

    /// The routing key to publish with.
    pub fn routing_key(&self) -> &str {
        match self {
            Target::Exchange { routing_key, .. } => routing_key,
            Target::Queue(queue) => queue,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Exchange { exchange, routing_key } => {
                write!(f, "exchange `{exchange}` with key `{routing_key}`")
            }
            Target::Queue(queue) => write!(f, "queue `{queue}`"),
        }
    }
}

//! Names of the arguments that RabbitMQ gives a meaning to.

/// Queue: how long a message may wait, an integer of milliseconds.
pub const MESSAGE_TTL: &str = "x-message-ttl";
/// Queue: how long the queue may go unused before it is deleted, an integer of milliseconds.
pub const EXPIRES: &str = "x-expires";
/// Queue: how many messages it may hold ready.
pub const MAX_LENGTH: &str = "x-max-length";
/// Queue: how many bytes of message bodies it may hold ready.
pub const MAX_LENGTH_BYTES: &str = "x-max-length-bytes";
/// Queue: what happens to a message that does not fit: see [`super::overflow`].
pub const OVERFLOW: &str = "x-overflow";
/// Queue: the exchange that dead letters are published to.
pub const DEAD_LETTER_EXCHANGE: &str = "x-dead-letter-exchange";
/// Queue: the routing key of dead letters; without it a message keeps its own.
pub const DEAD_LETTER_ROUTING_KEY: &str = "x-dead-letter-routing-key";
/// Quorum queue: `at-most-once` (the default) or `at-least-once`.
pub const DEAD_LETTER_STRATEGY: &str = "x-dead-letter-strategy";
/// Queue: `classic`, `quorum` or `stream`.
pub const QUEUE_TYPE: &str = "x-queue-type";
/// Quorum queue: how many deliveries a message gets before it is dead-lettered.
pub const DELIVERY_LIMIT: &str = "x-delivery-limit";
/// Queue: one consumer at a time receives.
pub const SINGLE_ACTIVE_CONSUMER: &str = "x-single-active-consumer";
/// Quorum queue, RabbitMQ 4.3: which returned messages are held back.
pub const DELAYED_RETRY_TYPE: &str = "x-delayed-retry-type";
/// Quorum queue, RabbitMQ 4.3: the shortest hold, in milliseconds.
pub const DELAYED_RETRY_MIN: &str = "x-delayed-retry-min";
/// Quorum queue, RabbitMQ 4.3: the longest hold, in milliseconds.
pub const DELAYED_RETRY_MAX: &str = "x-delayed-retry-max";
/// Exchange: where messages go that its bindings match nowhere.
pub const ALTERNATE_EXCHANGE: &str = "alternate-exchange";
/// Delayed-message exchange: the exchange type that routes a message once it is due.
pub const DELAYED_TYPE: &str = "x-delayed-type";

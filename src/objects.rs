//! What a broker holds: exchanges, queues, bindings and policies, with their arguments.
//!
//! [`Objects`] is the value that a topology file compiles to, that a plan compares with a live
//! broker, and that the simulator runs. It knows nothing of files or sockets.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

pub mod argument;
mod value;

pub use value::{Float, Value};

/// The values of [`argument::OVERFLOW`].
pub mod overflow {
    /// The oldest message is dropped or dead-lettered (the default).
    pub const DROP_HEAD: &str = "drop-head";
    /// The new message is refused: its publisher confirm is a nack.
    pub const REJECT_PUBLISH: &str = "reject-publish";
    /// The same, and a classic queue dead-letters the refused message.
    pub const REJECT_PUBLISH_DLX: &str = "reject-publish-dlx";
}

/// The exchange type of the `rabbitmq_delayed_message_exchange` plugin.
pub const DELAYED_MESSAGE_TYPE: &str = "x-delayed-message";

/// Names and routing keys are AMQP short strings: at most this many bytes.
pub const SHORT_STRING_MAX: usize = 255;

/// The largest `x-message-ttl` and `expiration` that RabbitMQ takes, in milliseconds (ten years of
/// 365 days). Measured on RabbitMQ 3.10, 4.0 and 4.3.
pub const TTL_MAX_MS: u64 = 315_360_000_000;

/// Arguments of an exchange, queue or binding, or a policy's definition.
pub type Arguments = BTreeMap<String, Value>;

/// An exchange, without its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// `direct`, `fanout`, `topic`, `headers`, or a plugin's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Survives a restart of the broker.
    pub durable: bool,
    /// Is deleted when its last binding goes.
    pub auto_delete: bool,
    /// Takes messages from other exchanges only, not from publishers.
    pub internal: bool,
    /// Its arguments.
    pub arguments: Arguments,
}

impl Exchange {
    /// A durable exchange of this type, without arguments.
    pub fn durable(kind: &str) -> Self {
        Exchange {
            kind: kind.to_owned(),
            durable: true,
            auto_delete: false,
            internal: false,
            arguments: Arguments::new(),
        }
    }

    /// The same exchange with one more argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// The exchange that takes what this one's bindings match nowhere.
    pub fn alternate(&self) -> Option<&str> {
        self.arguments.get(argument::ALTERNATE_EXCHANGE)?.as_str()
    }

    /// The type that decides where a message goes: the inner type of a delayed-message exchange,
    /// else its own.
    pub fn routing_type(&self) -> &str {
        if self.kind == DELAYED_MESSAGE_TYPE {
            let inner = self.arguments.get(argument::DELAYED_TYPE);
            inner.and_then(Value::as_str).unwrap_or_default()
        } else {
            &self.kind
        }
    }
}

/// A queue, without its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// Survives a restart of the broker.
    pub durable: bool,
    /// Is deleted when its last consumer goes.
    pub auto_delete: bool,
    /// Its arguments.
    pub arguments: Arguments,
}

/// Where a queue's dead letters go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadLetter<'a> {
    /// The exchange; `""` is the default exchange.
    pub exchange: &'a str,
    /// The routing key; `None`: the message keeps its own.
    pub routing_key: Option<&'a str>,
}

impl fmt::Display for DeadLetter<'_> {
    /// `exchange `dlx` with key `order``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exchange {
            "" => f.write_str("the default exchange")?,
            exchange => write!(f, "exchange `{exchange}`")?,
        }
        match self.routing_key {
            Some(key) => write!(f, " with key `{key}`"),
            None => f.write_str(" with the message's own key"),
        }
    }
}

impl Default for Queue {
    /// A durable queue of the broker's default type, without arguments.
    fn default() -> Self {
        Queue { durable: true, auto_delete: false, arguments: Arguments::new() }
    }
}

impl Queue {
    /// The same queue with one more argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// Where its dead letters go, if anywhere.
    pub fn dead_letter(&self) -> Option<DeadLetter<'_>> {
        let exchange = self.text(argument::DEAD_LETTER_EXCHANGE)?;
        Some(DeadLetter { exchange, routing_key: self.text(argument::DEAD_LETTER_ROUTING_KEY) })
    }

    /// Its `x-message-ttl` in milliseconds.
    pub fn message_ttl(&self) -> Option<u64> {
        self.arguments.get(argument::MESSAGE_TTL)?.as_u64()
    }

    /// Its `x-queue-type`; `None` is the vhost's default.
    pub fn queue_type(&self) -> Option<&str> {
        self.text(argument::QUEUE_TYPE)
    }

    /// The string argument of this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }
}

/// The far end of a binding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Destination {
    /// A queue's name.
    Queue(String),
    /// An exchange's name.
    Exchange(String),
}

impl Destination {
    /// The queue's or exchange's name.
    pub fn name(&self) -> &str {
        match self {
            Destination::Queue(name) | Destination::Exchange(name) => name,
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Destination::Queue(name) => write!(f, "queue `{name}`"),
            Destination::Exchange(name) => write!(f, "exchange `{name}`"),
        }
    }
}

/// A binding from an exchange to a queue or to another exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Binding {
    /// The exchange that messages come from.
    pub source: String,
    /// Where they go.
    pub destination: Destination,
    /// The routing key, or the topic pattern.
    pub routing_key: String,
    /// Arguments; a headers exchange matches on them.
    pub arguments: Arguments,
}

impl Binding {
    /// A binding without arguments.
    pub fn new(source: &str, destination: Destination, routing_key: &str) -> Self {
        Binding {
            source: source.to_owned(),
            destination,
            routing_key: routing_key.to_owned(),
            arguments: Arguments::new(),
        }
    }

    /// A binding to a queue, without arguments.
    pub fn to_queue(source: &str, queue: &str, routing_key: &str) -> Self {
        Self::new(source, Destination::Queue(queue.to_owned()), routing_key)
    }

    /// A binding to an exchange, without arguments.
    pub fn to_exchange(source: &str, exchange: &str, routing_key: &str) -> Self {
        Self::new(source, Destination::Exchange(exchange.to_owned()), routing_key)
    }
}

/// A policy, without its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Policy {
    /// A regular expression over names.
    pub pattern: String,
    /// `queues`, `classic_queues`, `quorum_queues`, `streams`, `exchanges` or `all`.
    #[serde(rename = "apply-to")]
    pub apply_to: String,
    /// Of several policies that match, the highest priority counts.
    pub priority: i64,
    /// What it sets, with keys as policies spell them: `message-ttl`, not `x-message-ttl`.
    pub definition: Arguments,
}

/// Everything a topology declares. Iteration order is the order of declaration in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Objects {
    /// Exchanges by name.
    pub exchanges: IndexMap<String, Exchange>,
    /// Queues by name.
    pub queues: IndexMap<String, Queue>,
    /// Bindings, each once.
    pub bindings: IndexSet<Binding>,
    /// Policies by name.
    pub policies: IndexMap<String, Policy>,
}

/// Two declarations of one name that differ; equal ones merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} `{name}` is declared twice, and not alike: {first} and {second}")]
pub struct Clash {
    /// `exchange`, `queue` or `policy`.
    pub kind: &'static str,
    /// The name both have.
    pub name: String,
    /// The earlier declaration, described.
    pub first: String,
    /// The later one, described.
    pub second: String,
}

impl Objects {
    /// Adds an exchange.
    ///
    /// # Errors
    /// [`Clash`] when another exchange of this name is there and differs.
    pub fn add_exchange(&mut self, name: &str, exchange: Exchange) -> Result<(), Clash> {
        insert("exchange", &mut self.exchanges, name, exchange)
    }

    /// Adds a queue.
    ///
    /// # Errors
    /// [`Clash`] when another queue of this name is there and differs.
    pub fn add_queue(&mut self, name: &str, queue: Queue) -> Result<(), Clash> {
        insert("queue", &mut self.queues, name, queue)
    }

    /// Adds a binding; the same binding twice is one binding.
    pub fn add_binding(&mut self, binding: Binding) {
        self.bindings.insert(binding);
    }

    /// Adds everything of `other`, and tells what could not be merged.
    pub fn merge(&mut self, other: Objects) -> Vec<Clash> {
        let mut clashes = Vec::new();
        for (name, exchange) in other.exchanges {
            clashes.extend(self.add_exchange(&name, exchange).err());
        }
        for (name, queue) in other.queues {
            clashes.extend(self.add_queue(&name, queue).err());
        }
        for (name, policy) in other.policies {
            clashes.extend(insert("policy", &mut self.policies, &name, policy).err());
        }
        self.bindings.extend(other.bindings);
        clashes
    }

    /// Whether a publisher or a binding can name this exchange: declared here, the default
    /// exchange, or one of those that every vhost is born with.
    pub fn has_exchange(&self, name: &str) -> bool {
        self.exchanges.contains_key(name) || predeclared_type(name).is_some()
    }

    /// How many exchanges, queues, bindings and policies there are.
    pub fn len(&self) -> usize {
        self.exchanges.len() + self.queues.len() + self.bindings.len() + self.policies.len()
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The exchanges that every vhost has, beside the default exchange, and that a client may publish to.
pub const PREDECLARED: [&str; 5] =
    ["amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match"];

/// The type of an exchange that exists in every vhost: the default exchange and `amq.*`.
pub fn predeclared_type(name: &str) -> Option<&'static str> {
    match name {
        "" | "amq.direct" => Some("direct"),
        "amq.fanout" => Some("fanout"),
        "amq.topic" | "amq.rabbitmq.trace" | "amq.rabbitmq.log" | "amq.rabbitmq.event" => {
            Some("topic")
        }
        "amq.headers" | "amq.match" => Some("headers"),
        _ => None,
    }
}

fn insert<T: PartialEq + fmt::Display>(
    kind: &'static str,
    map: &mut IndexMap<String, T>,
    name: &str,
    value: T,
) -> Result<(), Clash> {
    match map.get(name) {
        None => {
            map.insert(name.to_owned(), value);
            Ok(())
        }
        Some(present) if *present == value => Ok(()),
        Some(present) => Err(Clash {
            kind,
            name: name.to_owned(),
            first: present.to_string(),
            second: value.to_string(),
        }),
    }
}

impl fmt::Display for Exchange {
    /// `direct, durable, alternate-exchange="unrouted"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        write_flags(f, self.durable, self.auto_delete)?;
        if self.internal {
            f.write_str(", internal")?;
        }
        write_arguments(f, &self.arguments)
    }
}

impl fmt::Display for Queue {
    /// `classic, durable, x-message-ttl=30000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.queue_type().unwrap_or("default type"))?;
        write_flags(f, self.durable, self.auto_delete)?;
        let mut rest = self.arguments.clone();
        rest.remove(argument::QUEUE_TYPE);
        write_arguments(f, &rest)
    }
}

impl fmt::Display for Policy {
    /// `queues matching "^order" at priority 0, max-length=10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} matching {:?} at priority {}", self.apply_to, self.pattern, self.priority)?;
        write_arguments(f, &self.definition)
    }
}

fn write_flags(f: &mut fmt::Formatter<'_>, durable: bool, auto_delete: bool) -> fmt::Result {
    f.write_str(if durable { ", durable" } else { ", transient" })?;
    if auto_delete { f.write_str(", auto-delete") } else { Ok(()) }
}

fn write_arguments(f: &mut fmt::Formatter<'_>, arguments: &Arguments) -> fmt::Result {
    arguments.iter().try_for_each(|(name, value)| write!(f, ", {name}={value}"))
}

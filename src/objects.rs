//! What a broker holds: exchanges, queues, bindings and policies, with their arguments.
//!
//! [`Objects`] is the value that a topology file compiles to, that a plan compares with a live
//! broker, and that the simulator runs. It knows nothing of files or sockets.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use indexmap::{IndexMap, IndexSet};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Names of the arguments that RabbitMQ gives a meaning to.
pub mod argument {
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
}

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

/// The value of an argument. An integer and a string that looks like one are different values to
/// the broker, and so they are here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer; integer widths compare equal in RabbitMQ, so one width is enough.
    Int(i64),
    /// A floating-point number.
    Float(Float),
    /// A string.
    Str(String),
    /// A list of values.
    List(Vec<Value>),
    /// A table of named values.
    Table(BTreeMap<String, Value>),
}

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inner = generator.subschema_for::<Value>();
        json_schema!({
            "description": "The value of an argument, as it is: `10000` and `\"10000\"` differ.",
            "type": ["boolean", "integer", "number", "string", "array", "object"],
            "items": inner,
            "additionalProperties": inner,
        })
    }
}

/// A float that is equal to itself bit by bit, so that arguments can be compared and hashed.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct Float(pub f64);

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Value {
    /// The AMQP kind of this value, as an error message names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Bool(_) => "boolean",
            Value::Int(_) => "integer",
            Value::Float(_) => "float",
            Value::Str(_) => "string",
            Value::List(_) => "list",
            Value::Table(_) => "table",
        }
    }

    /// The string inside, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer inside, if it is one that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    /// JSON, so that `10000` and `"10000"` look different.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&json)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl ValueVisitor {
    fn integer<N: Copy + TryInto<i64> + fmt::Display, E: de::Error>(number: N) -> Result<Value, E> {
        number.try_into().map(Value::Int).map_err(|_| {
            let (min, max) = (i64::MIN, i64::MAX);
            E::custom(format!("{number} is out of range: AMQP takes integers from {min} to {max}"))
        })
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean, a number, a string, a list or a mapping")
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Int(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Self::integer(number)
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Value, E> {
        Self::integer(number)
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Value, E> {
        Self::integer(number)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        if number.is_finite() {
            Ok(Value::Float(Float(number)))
        } else {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Str(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut table = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            if table.contains_key(&name) {
                return Err(de::Error::custom(format!("`{name}` is given twice")));
            }
            table.insert(name, map.next_value()?);
        }
        Ok(Value::Table(table))
    }
}

impl From<u64> for Value {
    /// Numbers beyond 2^63 − 1 saturate: AMQP has no larger signed integer.
    fn from(number: u64) -> Self {
        Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Str(text)
    }
}

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

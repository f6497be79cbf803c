//! Exchanges and queues as the file writes them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::file::{Map, arguments};
use super::problem::{Problem, ProblemKind};
use crate::duration::Millis;
use crate::objects::{Arguments, Exchange, Queue, Value, argument};
use crate::strategy::{Overflow, QueueType, count};

/// An entry of `exchanges`: its type alone, or a mapping.
#[derive(Debug)]
pub struct ExchangeSpec(Fields);

/// An exchange written out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping with `type`")]
struct Fields {
    /// `direct`, `fanout`, `topic`, `headers`, or a plugin's type.
    #[schemars(schema_with = "exchange_type")]
    r#type: String,
    /// Survives a restart of the broker; default true.
    #[serde(default = "yes")]
    durable: bool,
    /// Is deleted when its last binding goes; default false.
    #[serde(default)]
    auto_delete: bool,
    /// Takes messages from other exchanges only; default false.
    #[serde(default)]
    internal: bool,
    /// The exchange that takes what the bindings match nowhere.
    alternate: Option<String>,
    /// Anything else, as it is.
    #[serde(default, deserialize_with = "arguments")]
    #[schemars(with = "Map<Value>")]
    arguments: Arguments,
}

fn exchange_type(_: &mut SchemaGenerator) -> Schema {
    let known = ["direct", "fanout", "topic", "headers", "x-delayed-message"];
    let pattern = "^(direct|fanout|topic|headers|x-.+)$";
    json_schema!({ "type": "string", "pattern": pattern, "examples": known })
}

impl JsonSchema for ExchangeSpec {
    fn schema_name() -> Cow<'static, str> {
        "Exchange".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An exchange: its type alone, or a mapping with `type`.",
            "anyOf": [exchange_type(generator), Fields::json_schema(generator)],
        })
    }
}

fn yes() -> bool {
    true
}

impl<'de> Deserialize<'de> for ExchangeSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExchangeVisitor)
    }
}

struct ExchangeVisitor;

impl<'de> Visitor<'de> for ExchangeVisitor {
    type Value = ExchangeSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an exchange type like `direct`, or a mapping with `type`")
    }

    fn visit_str<E: de::Error>(self, kind: &str) -> Result<ExchangeSpec, E> {
        Ok(ExchangeSpec(Fields {
            r#type: kind.to_owned(),
            durable: true,
            auto_delete: false,
            internal: false,
            alternate: None,
            arguments: Arguments::new(),
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ExchangeSpec, A::Error> {
        Fields::deserialize(MapAccessDeserializer::new(map)).map(ExchangeSpec)
    }
}

impl ExchangeSpec {
    /// The exchange, and what is wrong with its fields.
    pub fn exchange(&self, path: &str) -> (Exchange, Vec<Problem>) {
        let ExchangeSpec(fields) = self;
        let mut arguments = Merged::new(path, &fields.arguments);
        let alternate = fields.alternate.as_deref().map(Value::from);
        arguments.set("alternate", argument::ALTERNATE_EXCHANGE, alternate);
        let exchange = Exchange {
            kind: fields.r#type.clone(),
            durable: fields.durable,
            auto_delete: fields.auto_delete,
            internal: fields.internal,
            arguments: arguments.all,
        };
        (exchange, arguments.problems)
    }

    /// Whether an argument is given as it is; see [`QueueSpec::is_raw`].
    pub fn is_raw(&self, argument: &str) -> bool {
        self.0.arguments.contains_key(argument)
    }

    /// The field, relative to the exchange, that sets this argument.
    pub fn field_of(&self, argument: &str) -> String {
        let ExchangeSpec(fields) = self;
        match argument {
            argument::ALTERNATE_EXCHANGE if fields.alternate.is_some() => "alternate".to_owned(),
            _ => format!("arguments.{argument}"),
        }
    }
}

/// An entry of `queues`. `{}` or nothing is a durable queue of the broker's default type.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of a queue's fields, like `{type: quorum}`")]
#[schemars(rename = "Queue")]
pub struct QueueSpec {
    /// `quorum` or `classic`; default the vhost's default type.
    r#type: Option<QueueType>,
    /// Survives a restart of the broker; default true.
    durable: Option<bool>,
    /// Is deleted when its last consumer goes; default false.
    #[serde(default)]
    auto_delete: bool,
    /// How long a message may wait (`x-message-ttl`).
    message_ttl: Option<Millis>,
    /// How long the queue may go unused before it is deleted (`x-expires`).
    expires: Option<Millis>,
    /// How many messages it may hold ready.
    #[serde(default, deserialize_with = "count")]
    max_length: Option<u64>,
    /// How many bytes of bodies it may hold ready: `64KiB`, `1GiB`, or a number.
    max_length_bytes: Option<Bytes>,
    /// What a full queue does with one more message; the broker's default is `drop-head`.
    overflow: Option<Overflow>,
    /// Where expired and rejected messages go.
    dead_letter: Option<DeadLetterSpec>,
    /// How many deliveries a message gets before it is dead-lettered (quorum queues).
    #[serde(default, deserialize_with = "count")]
    delivery_limit: Option<u64>,
    /// One consumer at a time receives.
    single_active_consumer: Option<bool>,
    /// How returned messages are held back (quorum queues, RabbitMQ 4.3).
    delayed_retry: Option<DelayedRetry>,
    /// Anything else, as it is.
    #[serde(default, deserialize_with = "arguments")]
    #[schemars(with = "Map<Value>")]
    arguments: Arguments,
}

/// Where a queue's expired and rejected messages go.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of `exchange`, `routing_key`, `strategy`")]
#[schemars(rename = "DeadLetter")]
struct DeadLetterSpec {
    /// The exchange; `""` is the default exchange.
    exchange: Option<String>,
    /// The routing key; without one a message keeps its own.
    routing_key: Option<String>,
    /// `at-most-once` (the broker's default), or `at-least-once` for quorum queues with
    /// `overflow: reject-publish`.
    strategy: Option<DeadLetterStrategy>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum DeadLetterStrategy {
    AtMostOnce,
    AtLeastOnce,
}

/// `delayed_retry` of a quorum queue (RabbitMQ 4.3).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of `type`, `min` and `max`")]
struct DelayedRetry {
    /// Which returned messages are held back.
    r#type: DelayedRetryType,
    /// The shortest hold.
    min: Option<Millis>,
    /// The longest hold.
    max: Option<Millis>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum DelayedRetryType {
    All,
    Failed,
    Returned,
    Disabled,
}

impl QueueSpec {
    /// The queue, and what is wrong with its fields.
    pub fn queue(&self, path: &str) -> (Queue, Vec<Problem>) {
        let mut arguments = Merged::new(path, &self.arguments);
        self.set_limits(&mut arguments);
        self.set_dead_letter(&mut arguments);
        self.set_quorum(&mut arguments);
        let durable = self.durable.unwrap_or(true);
        let queue = Queue { durable, auto_delete: self.auto_delete, arguments: arguments.all };
        (queue, arguments.problems)
    }

    fn set_limits(&self, arguments: &mut Merged) {
        let kind = self.r#type.map(|kind| kind.as_str().into());
        arguments.set("type", argument::QUEUE_TYPE, kind);
        arguments.set("message_ttl", argument::MESSAGE_TTL, self.message_ttl.map(|t| t.0.into()));
        arguments.set("expires", argument::EXPIRES, self.expires.map(|t| t.0.into()));
        arguments.set("max_length", argument::MAX_LENGTH, self.max_length.map(Value::from));
        let bytes = self.max_length_bytes.map(|bytes| bytes.0.into());
        arguments.set("max_length_bytes", argument::MAX_LENGTH_BYTES, bytes);
        let overflow = self.overflow.map(|overflow| overflow.as_str().into());
        arguments.set("overflow", argument::OVERFLOW, overflow);
        let single = self.single_active_consumer.map(Value::from);
        arguments.set("single_active_consumer", argument::SINGLE_ACTIVE_CONSUMER, single);
    }

    fn set_dead_letter(&self, arguments: &mut Merged) {
        let Some(spec) = &self.dead_letter else { return };
        let exchange = spec.exchange.as_deref().map(Value::from);
        let routing_key = spec.routing_key.as_deref().map(Value::from);
        let strategy = spec.strategy.map(|strategy| match strategy {
            DeadLetterStrategy::AtMostOnce => "at-most-once".into(),
            DeadLetterStrategy::AtLeastOnce => "at-least-once".into(),
        });
        arguments.set("dead_letter.exchange", argument::DEAD_LETTER_EXCHANGE, exchange);
        arguments.set("dead_letter.routing_key", argument::DEAD_LETTER_ROUTING_KEY, routing_key);
        arguments.set("dead_letter.strategy", argument::DEAD_LETTER_STRATEGY, strategy);
    }

    fn set_quorum(&self, arguments: &mut Merged) {
        let limit = self.delivery_limit.map(Value::from);
        arguments.set("delivery_limit", argument::DELIVERY_LIMIT, limit);
        let Some(retry) = &self.delayed_retry else { return };
        let kind = match retry.r#type {
            DelayedRetryType::All => "all",
            DelayedRetryType::Failed => "failed",
            DelayedRetryType::Returned => "returned",
            DelayedRetryType::Disabled => "disabled",
        };
        arguments.set("delayed_retry", argument::DELAYED_RETRY_TYPE, Some(kind.into()));
        let (min, max) = (retry.min.map(|t| t.0.into()), retry.max.map(|t| t.0.into()));
        arguments.set("delayed_retry", argument::DELAYED_RETRY_MIN, min);
        arguments.set("delayed_retry", argument::DELAYED_RETRY_MAX, max);
    }

    /// Whether an argument is given as it is, which is taken as meant: what a broker accepts is not
    /// questioned there.
    pub fn is_raw(&self, argument: &str) -> bool {
        self.arguments.contains_key(argument)
    }

    /// The field, relative to the queue, that sets this argument.
    pub fn field_of(&self, argument: &str) -> String {
        if self.is_raw(argument) {
            return format!("arguments.{argument}");
        }
        field_of(argument)
    }

    /// Whether the queue's own fields say where its dead letters go.
    pub fn has_dead_letter(&self) -> bool {
        self.dead_letter.is_some() || self.is_raw(argument::DEAD_LETTER_EXCHANGE)
    }
}

/// The field that stands for an argument.
pub fn field_of(argument: &str) -> String {
    match argument {
        argument::DEAD_LETTER_EXCHANGE => "dead_letter.exchange",
        argument::DEAD_LETTER_ROUTING_KEY => "dead_letter.routing_key",
        argument::DEAD_LETTER_STRATEGY => "dead_letter.strategy",
        argument::DELAYED_RETRY_TYPE => "delayed_retry.type",
        argument::DELAYED_RETRY_MIN => "delayed_retry.min",
        argument::DELAYED_RETRY_MAX => "delayed_retry.max",
        argument::QUEUE_TYPE => "type",
        other => return other.trim_start_matches("x-").replace('-', "_"),
    }
    .to_owned()
}

/// Arguments given as they are, joined by those that fields stand for.
struct Merged<'a> {
    path: &'a str,
    all: Arguments,
    problems: Vec<Problem>,
}

impl<'a> Merged<'a> {
    fn new(path: &'a str, given: &Arguments) -> Self {
        Merged { path, all: given.clone(), problems: Vec::new() }
    }

    fn problem(&mut self, field: &str, kind: ProblemKind) {
        self.problems.push(Problem::new(format!("{}.{field}", self.path), kind));
    }

    fn set(&mut self, field: &'static str, argument: &str, value: Option<Value>) {
        let Some(value) = value else { return };
        if self.all.insert(argument.to_owned(), value).is_some() {
            let argument = argument.to_owned();
            let at = format!("arguments.{argument}");
            self.problem(&at, ProblemKind::GivenTwice { argument, field });
        }
    }
}

/// A size: a number of bytes, or a text like `64KiB`.
#[derive(Clone, Copy, Debug)]
struct Bytes(u64);

impl JsonSchema for Bytes {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number of bytes, or a size like `64KiB`.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^[0-9.]+ *([kKmMgGtTpP]i?)?[bB]?$" },
            ],
        })
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of bytes, or a size like `64KiB`")
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Bytes, E> {
        const MAX: u64 = i64::MAX.unsigned_abs();
        if bytes > MAX {
            return Err(E::custom(format!(
                "{bytes} bytes are more than {MAX}, AMQP's largest number"
            )));
        }
        Ok(Bytes(bytes))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        let size: Result<bytesize::ByteSize, _> = text.parse();
        match size {
            Ok(size) => self.visit_u64(size.as_u64()),
            Err(_) => Err(E::custom(format!("`{text}` is not a size: write one like `64KiB`"))),
        }
    }
}

//! The form of the file: its keys, and how each is read. `serde_yaml` is used here alone.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::chains::Chain;
use super::policies::PolicySpec;
use super::spec::{ExchangeSpec, QueueSpec};
use super::vhost::VhostSpec;
use crate::objects::{Arguments, Binding, Destination};
use crate::strategy::{Strategy, Target};

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    #[serde(default)]
    pub vhost: VhostSpec,
    #[serde(default)]
    pub exchanges: Map<ExchangeSpec>,
    #[serde(default)]
    pub queues: Map<Option<QueueSpec>>,
    #[serde(default)]
    pub bindings: Vec<BindingSpec>,
    #[serde(default)]
    pub policies: Map<PolicySpec>,
    #[serde(default)]
    pub delays: Map<DelaySpec>,
    #[serde(default)]
    pub dead_letter_chains: Map<Chain>,
}

/// Reads the text of a file.
pub fn read(text: &str) -> Result<File, String> {
    let file: Result<Option<File>, _> = serde_yaml::from_str(text);
    match file {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err("the file is empty".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A mapping whose keys are each given once, in the order of the file. YAML forbids a second key
/// of the same name; a plain map would silently keep the last.
#[derive(Debug)]
pub struct Map<T>(pub IndexMap<String, T>);

impl<T> Default for Map<T> {
    fn default() -> Self {
        Map(IndexMap::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MapVisitor(PhantomData))
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MapVisitor<T> {
    type Value = Map<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping of names")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Map<T>, E> {
        Ok(Map::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<T>, A::Error> {
        let mut entries = IndexMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value()?;
            if entries.contains_key(&name) {
                return Err(de::Error::custom(format!("`{name}` is declared twice")));
            }
            entries.insert(name, value);
        }
        Ok(Map(entries))
    }
}

/// An entry of `bindings`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawBinding")]
pub struct BindingSpec {
    pub source: String,
    pub destination: Destination,
    pub routing_key: String,
    pub arguments: Arguments,
}

impl BindingSpec {
    /// The binding.
    pub fn binding(&self) -> Binding {
        Binding {
            source: self.source.clone(),
            destination: self.destination.clone(),
            routing_key: self.routing_key.clone(),
            arguments: self.arguments.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBinding {
    source: String,
    queue: Option<String>,
    exchange: Option<String>,
    #[serde(default)]
    routing_key: String,
    #[serde(default)]
    arguments: Arguments,
}

impl TryFrom<RawBinding> for BindingSpec {
    type Error = &'static str;

    fn try_from(raw: RawBinding) -> Result<Self, Self::Error> {
        let destination = match (raw.queue, raw.exchange) {
            (Some(queue), None) => Destination::Queue(queue),
            (None, Some(exchange)) => Destination::Exchange(exchange),
            _ => return Err("a binding leads to exactly one of `queue` and `exchange`"),
        };
        let RawBinding { source, routing_key, arguments, .. } = raw;
        Ok(BindingSpec { source, destination, routing_key, arguments })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTarget {
    exchange: Option<String>,
    routing_key: Option<String>,
    queue: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "RawTarget")]
struct TargetSpec(Target);

impl TryFrom<RawTarget> for TargetSpec {
    type Error = &'static str;

    fn try_from(raw: RawTarget) -> Result<Self, Self::Error> {
        Ok(TargetSpec(match (raw.exchange, raw.routing_key, raw.queue) {
            (Some(exchange), routing_key, None) => {
                Target::Exchange { exchange, routing_key: routing_key.unwrap_or_default() }
            }
            (None, None, Some(queue)) => Target::Queue(queue),
            _ => return Err("a target is `{exchange, routing_key}` or `{queue}`"),
        }))
    }
}

/// An entry of `delays`: a target, and one strategy under its own key.
#[derive(Debug)]
pub struct DelaySpec {
    pub target: Target,
    pub strategy: Strategy,
}

impl<'de> Deserialize<'de> for DelaySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DelayVisitor)
    }
}

struct DelayVisitor;

impl DelayVisitor {
    fn choices() -> String {
        let keys: Vec<_> = Strategy::KEYS.iter().map(|key| format!("`{key}`")).collect();
        keys.join(", ")
    }
}

impl<'de> Visitor<'de> for DelayVisitor {
    type Value = DelaySpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a mapping of `target` and one of {}", Self::choices())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DelaySpec, A::Error> {
        let (mut target, mut strategy) = (None, None::<Strategy>);
        while let Some(key) = map.next_key::<String>()? {
            if key == "target" {
                target = Some(map.next_value::<TargetSpec>()?.0);
                continue;
            }
            let Some(entry) = Strategy::read_entry(&key, &mut map) else {
                let choices = Self::choices();
                let message = format!("unknown field `{key}`, expected `target` or {choices}");
                return Err(de::Error::custom(message));
            };
            if let Some(first) = &strategy {
                let first = first.key();
                let message = format!("two strategies, `{first}` and `{key}`: a delay has one");
                return Err(de::Error::custom(message));
            }
            strategy = Some(entry?);
        }
        let target = target.ok_or_else(|| de::Error::missing_field("target"))?;
        let strategy = strategy.ok_or_else(|| {
            de::Error::custom(format!("no strategy: give one of {}", Self::choices()))
        })?;
        Ok(DelaySpec { target, strategy })
    }
}

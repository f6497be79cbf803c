//! The form of the file: its keys, and how each is read. `serde_yaml` is used here alone.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::chains::Chain;
use super::policies::PolicySpec;
use super::spec::{ExchangeSpec, QueueSpec};
use super::vhost::VhostSpec;
use crate::objects::{Arguments, Binding, Destination, Value};
use crate::strategy::{Strategy, Target};

/// What a RabbitMQ vhost should hold, and which delays it offers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping, beginning with a key like `queues`")]
pub struct File {
    /// The vhost that the file is meant for: its name, or a mapping that says how it is set up;
    /// default the connection's.
    #[serde(default)]
    pub vhost: VhostSpec,
    /// Exchanges by name: the type alone, or a mapping.
    #[serde(default)]
    pub exchanges: Map<ExchangeSpec>,
    /// Queues by name; `{}` or nothing is a durable queue of the vhost's default type.
    #[serde(default)]
    pub queues: Map<Option<QueueSpec>>,
    /// Bindings from an exchange to a queue or to another exchange.
    #[serde(default)]
    pub bindings: Option<Vec<BindingSpec>>,
    /// Policies by name.
    #[serde(default)]
    pub policies: Map<PolicySpec>,
    /// What `publish --delay` offers, by name.
    #[serde(default)]
    pub delays: Map<DelaySpec>,
    /// Where what a consumer refuses goes, level by level.
    #[serde(default)]
    pub dead_letter_chains: Map<Chain>,
}

/// Reads the text of a file.
pub fn read(text: &str) -> Result<File, String> {
    // Editors on Windows begin a file with a byte-order mark, which the library stumbles over.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(line) = too_deep(text) {
        return Err(format!("brackets nested more than {DEPTH_MAX} deep at line {line}"));
    }
    let file: Result<Option<File>, _> = serde_yaml::from_str(text);
    match file {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err("the file is empty".to_owned()),
        Err(error) => Err(reword(text, &error)),
    }
}

/// Deeper than anyone writes. The library's time grows with the square of the depth: a hundred
/// thousand opening brackets, on one line, take it minutes.
const DEPTH_MAX: usize = 500;

/// The line where brackets are nested too deeply. Brackets in texts and comments count as well:
/// they would have to be hundreds, and never closed.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut line) = (0_usize, 1);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' => line += 1,
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Some(line);
        }
    }
    None
}

/// What the library says, in the words of people who write files.
fn reword(text: &str, error: &serde_yaml::Error) -> String {
    let mut message = error.to_string();
    for (theirs, ours) in WORDS {
        message = message.replacen(theirs, ours, 1);
    }
    if let Some(at) = error.location().filter(|_| !message.contains(" at line ")) {
        message = format!("{message} at line {} column {}", at.line(), at.column());
    }
    let line = error.location().and_then(|at| text.lines().nth(at.line().saturating_sub(1)));
    let indent = line.map(|line| &line[..line.len() - line.trim_start().len()]);
    let message = if message.contains("more than one document") {
        "the file holds more than one YAML document: `---` may stand at its beginning only".into()
    } else if let Some((path, _)) = message.split_once("unknown field `<<`") {
        let line = error.location().map(|at| format!(" at line {}", at.line()));
        format!("{path}{NO_MERGE_KEYS}{}", line.unwrap_or_default())
    } else if message.contains("repetition limit exceeded") {
        "the aliases (`*name`) in the file multiply beyond all measure".into()
    } else if indent.is_some_and(|indent| indent.contains('\t')) {
        format!("{message}: YAML takes no tabs as indentation, use spaces")
    } else {
        message
    };
    clip(message)
}

/// Serde's names of YAML's types, in YAML's own words.
const WORDS: [(&str, &str); 8] = [
    ("invalid type: unit value", "invalid type: null"),
    ("invalid type: sequence", "invalid type: list"),
    ("invalid type: map,", "invalid type: mapping,"),
    ("invalid type: enum", "invalid type: value with a YAML tag"),
    ("invalid type: floating point", "invalid type: fraction"),
    ("invalid value: floating point", "invalid value: fraction"),
    ("expected a sequence", "expected a list"),
    ("expected i32", "expected a whole number"),
];

const NO_MERGE_KEYS: &str = "merge keys (`<<`) are not read: write the fields out, or give the \
    whole value as an alias (`*name`)";

/// Shortens a message that quotes a value of monstrous length.
fn clip(message: String) -> String {
    const KEPT: usize = 1000;
    let chars = message.chars().count();
    if chars <= 2 * KEPT {
        return message;
    }
    let start: String = message.chars().take(KEPT).collect();
    let end: String = message.chars().skip(chars - KEPT).collect();
    format!("{start}…{end}")
}

/// `arguments`: each name once.
pub fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arguments, D::Error> {
    Map::deserialize(deserializer).map(|Map(entries)| entries.into_iter().collect())
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
        loop {
            let key = Key(|name: &str| match name {
                "<<" => Err(NO_MERGE_KEYS.to_owned()),
                _ if entries.contains_key(name) => Err(format!("`{name}` is given twice")),
                _ => Ok(()),
            });
            let Some(name) = map.next_key_seed(key)? else { break };
            entries.insert(name, map.next_value()?);
        }
        Ok(Map(entries))
    }
}

/// A key that is checked as it is read, so that an error has the line of the key itself.
struct Key<F>(F);

impl<'de, F: FnOnce(&str) -> Result<(), String>> DeserializeSeed<'de> for Key<F> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<F: FnOnce(&str) -> Result<(), String>> Visitor<'_> for Key<F> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<String, E> {
        let Key(check) = self;
        check(key).map_err(E::custom)?;
        Ok(key.to_owned())
    }
}

/// A mapping whose fields are to fit together. It is checked while it is read, so that an error has
/// its path and line.
struct Checked<Raw, T> {
    expecting: &'static str,
    types: PhantomData<(Raw, T)>,
}

impl<Raw, T> Checked<Raw, T> {
    fn expecting(expecting: &'static str) -> Self {
        Checked { expecting, types: PhantomData }
    }
}

impl<'de, Raw, T> Visitor<'de> for Checked<Raw, T>
where
    Raw: Deserialize<'de>,
    T: TryFrom<Raw, Error = &'static str>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let raw = Raw::deserialize(MapAccessDeserializer::new(map))?;
        raw.try_into().map_err(de::Error::custom)
    }
}

/// An entry of `bindings`.
#[derive(Debug, JsonSchema)]
#[schemars(with = "RawBinding")]
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

/// A binding: messages that come to `source` and match go to exactly one of `queue` and `exchange`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Binding")]
#[schemars(extend("oneOf" = [{ "required": ["queue"] }, { "required": ["exchange"] }]))]
struct RawBinding {
    /// The exchange that messages come from.
    #[schemars(length(min = 1))]
    source: String,
    /// The queue that they go to.
    queue: Option<String>,
    /// The exchange that they go to.
    exchange: Option<String>,
    /// The routing key, or a topic exchange's pattern.
    #[serde(default)]
    #[schemars(length(max = 255))]
    routing_key: String,
    /// Arguments; a headers exchange matches on them.
    #[serde(default, deserialize_with = "arguments")]
    #[schemars(with = "Map<Value>")]
    arguments: Arguments,
}

impl<'de> Deserialize<'de> for BindingSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a mapping of `source` and `queue` or `exchange`";
        deserializer.deserialize_map(Checked::<RawBinding, _>::expecting(expecting))
    }
}

impl TryFrom<RawBinding> for BindingSpec {
    type Error = &'static str;

    fn try_from(raw: RawBinding) -> Result<Self, Self::Error> {
        let destination = match (raw.queue, raw.exchange) {
            (Some(queue), None) => Destination::Queue(queue),
            (None, Some(exchange)) => Destination::Exchange(exchange),
            (Some(_), Some(_)) => return Err("a binding leads to `queue` or `exchange`, not both"),
            (None, None) => return Err("a binding leads to a `queue` or an `exchange`: give one"),
        };
        let RawBinding { source, routing_key, arguments, .. } = raw;
        Ok(BindingSpec { source, destination, routing_key, arguments })
    }
}

/// Where delayed messages arrive: an exchange with a routing key, or a queue.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Target", extend("oneOf" = [
    { "required": ["exchange"] },
    { "required": ["queue"], "not": { "required": ["routing_key"] } },
]))]
struct RawTarget {
    /// The exchange.
    #[schemars(length(min = 1))]
    exchange: Option<String>,
    /// The routing key that messages reach it with.
    #[schemars(length(max = 255))]
    routing_key: Option<String>,
    /// The queue, reached through the default exchange.
    queue: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(with = "RawTarget")]
pub struct TargetSpec(Target);

impl<'de> Deserialize<'de> for TargetSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a mapping: `{exchange, routing_key}` or `{queue}`";
        deserializer.deserialize_map(Checked::<RawTarget, _>::expecting(expecting))
    }
}

impl TryFrom<RawTarget> for TargetSpec {
    type Error = &'static str;

    fn try_from(raw: RawTarget) -> Result<Self, Self::Error> {
        Ok(TargetSpec(match (raw.exchange, raw.routing_key, raw.queue) {
            (Some(exchange), ..) if exchange.is_empty() => {
                return Err("the default exchange leads to queues by their names: write `{queue}`");
            }
            (Some(exchange), routing_key, None) => {
                Target::Exchange { exchange, routing_key: routing_key.unwrap_or_default() }
            }
            (None, None, Some(queue)) => Target::Queue(queue),
            _ => return Err("a target is `{exchange, routing_key}` or `{queue}`, nothing else"),
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

    /// Whether this key may come after a target and a strategy that were read already.
    fn key(key: &str, target: bool, strategy: Option<&Strategy>) -> Result<(), String> {
        let choices = Self::choices;
        match (key, strategy.map(Strategy::key)) {
            ("target", _) if target => Err("duplicate field `target`".to_owned()),
            ("target", _) => Ok(()),
            (_, Some(first)) if key == first => Err(format!("duplicate field `{key}`")),
            _ if !Strategy::KEYS.contains(&key) => {
                Err(format!("unknown field `{key}`, expected `target` or one of {}", choices()))
            }
            (_, Some(first)) => {
                Err(format!("two strategies, `{first}` and `{key}`: a delay has one"))
            }
            (_, None) => Ok(()),
        }
    }
}

impl<'de> Visitor<'de> for DelayVisitor {
    type Value = DelaySpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a mapping of `target` and one of {}", Self::choices())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DelaySpec, A::Error> {
        let (mut target, mut strategy) = (None, None);
        loop {
            let check = Key(|key: &str| Self::key(key, target.is_some(), strategy.as_ref()));
            let Some(key) = map.next_key_seed(check)? else { break };
            match Strategy::read_entry(&key, &mut map) {
                Some(entry) => strategy = Some(entry?),
                None => target = Some(map.next_value::<TargetSpec>()?.0),
            }
        }
        let target = target.ok_or_else(|| de::Error::missing_field("target"))?;
        let strategy = strategy.ok_or_else(|| {
            de::Error::custom(format!("no strategy: give one of {}", Self::choices()))
        })?;
        Ok(DelaySpec { target, strategy })
    }
}

//! Definitions as objects.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

use crate::objects::{
    Arguments, Binding, Destination, Exchange, Objects, Policy, Queue, Value, predeclared_type,
};

/// One vhost of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    /// Its name, where the export or the caller says it.
    pub vhost: Option<String>,
    /// What it holds. Not part of it: what every vhost is born with.
    pub objects: Objects,
    /// The queues that are known to have consumers: exports do not tell, the management API does.
    pub consumed: HashSet<String>,
    /// What objects cannot say, and so was left out.
    pub omitted: Vec<Omitted>,
}

/// Something that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// What it is, worded.
    pub what: String,
    /// Why it is left out.
    pub why: &'static str,
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// Why a text is not usable as definitions.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionsError {
    /// Not JSON, or not of the right form.
    #[error("not RabbitMQ definitions: {0}")]
    Form(#[from] serde_json::Error),
    /// An object, and nothing in it that definitions have.
    #[error("not RabbitMQ definitions: it has neither `queues` nor `exchanges` nor `vhosts`")]
    Nothing,
    /// Several vhosts, and none was picked.
    #[error("the definitions have several vhosts: {}", list(.0))]
    SeveralVhosts(Vec<String>),
    /// The vhost that was picked is not there.
    #[error("the definitions have no vhost `{wanted}`; there is {}", list(.found))]
    NoSuchVhost {
        /// The one asked for.
        wanted: String,
        /// Those that hold anything.
        found: Vec<String>,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing in them names one".to_owned();
    }
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Reads an export of a whole cluster or of one vhost. Of several vhosts that hold anything,
/// `vhost` picks one; an export of a single vhost it gives a name.
///
/// # Errors
/// [`DefinitionsError`] when it is not an export, or it is not clear which vhost is meant.
pub fn read(text: &str, vhost: Option<&str>) -> Result<Definitions, DefinitionsError> {
    let export: Export = serde_json::from_str(text)?;
    if !export.is_one() {
        return Err(DefinitionsError::Nothing);
    }
    let picked = export.pick(vhost)?;
    Ok(collect(export, picked))
}

/// Reads what a broker tells of the one vhost that has this name.
///
/// # Errors
/// [`DefinitionsError`] when it is not an export.
pub fn of_vhost(export: Json, vhost: &str) -> Result<Definitions, DefinitionsError> {
    let picked = Picked { name: Some(vhost.to_owned()), only: None };
    Ok(collect(serde_json::from_value(export)?, picked))
}

fn collect(export: Export, Picked { name, only }: Picked) -> Definitions {
    let mut reader = Reader { only, result: Definitions { vhost: name, ..Definitions::default() } };
    reader.exchanges(export.exchanges.unwrap_or_default());
    reader.queues(export.queues.unwrap_or_default());
    reader.bindings(export.bindings);
    reader.policies(export.policies);
    reader.parameters(export.parameters);
    reader.result
}

#[derive(Deserialize)]
struct Export {
    vhosts: Option<Vec<Named>>,
    original_vhost_name: Option<String>,
    exchanges: Option<Vec<ExchangeEntry>>,
    queues: Option<Vec<QueueEntry>>,
    #[serde(default)]
    bindings: Vec<BindingEntry>,
    #[serde(default)]
    policies: Vec<PolicyEntry>,
    #[serde(default)]
    parameters: Vec<ParameterEntry>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct ExchangeEntry {
    name: String,
    vhost: Option<String>,
    r#type: String,
    #[serde(default = "yes")]
    durable: bool,
    #[serde(default)]
    auto_delete: bool,
    #[serde(default)]
    internal: bool,
    #[serde(default)]
    arguments: BTreeMap<String, Json>,
}

#[derive(Deserialize)]
struct QueueEntry {
    name: String,
    vhost: Option<String>,
    #[serde(default = "yes")]
    durable: bool,
    #[serde(default)]
    auto_delete: bool,
    #[serde(default)]
    exclusive: bool,
    #[serde(default)]
    consumers: u64,
    #[serde(default)]
    arguments: BTreeMap<String, Json>,
}

#[derive(Deserialize)]
struct BindingEntry {
    source: String,
    vhost: Option<String>,
    destination: String,
    destination_type: String,
    #[serde(default)]
    routing_key: String,
    #[serde(default)]
    arguments: BTreeMap<String, Json>,
}

#[derive(Deserialize)]
struct PolicyEntry {
    name: String,
    vhost: Option<String>,
    pattern: String,
    #[serde(rename = "apply-to", default = "all")]
    apply_to: String,
    #[serde(default)]
    priority: i64,
    #[serde(default)]
    definition: BTreeMap<String, Json>,
}

/// A shovel, an upstream, an operator policy, a vhost's limits. Its value may hold a URI with a
/// password, so it is not kept.
#[derive(Deserialize)]
struct ParameterEntry {
    vhost: Option<String>,
    component: String,
    name: String,
    #[serde(rename = "value", default)]
    _value: IgnoredAny,
}

fn yes() -> bool {
    true
}

fn all() -> String {
    "all".to_owned()
}

impl Export {
    /// Whether it has anything that definitions have.
    fn is_one(&self) -> bool {
        self.queues.is_some() || self.exchanges.is_some() || self.vhosts.is_some()
    }

    /// The vhosts that it lists, empty ones included.
    fn listed(&self) -> impl Iterator<Item = &str> {
        self.vhosts.iter().flatten().map(|vhost| vhost.name.as_str())
    }

    /// The vhosts of the objects that name one, each once and in order.
    fn vhosts(&self) -> Vec<String> {
        let exchanges = self.exchanges.iter().flatten().map(|x| &x.vhost);
        let queues = self.queues.iter().flatten().map(|q| &q.vhost);
        let bindings = self.bindings.iter().map(|b| &b.vhost);
        let policies = self.policies.iter().map(|p| &p.vhost);
        let all = exchanges.chain(queues).chain(bindings).chain(policies);
        let mut names: Vec<_> = all.flatten().cloned().collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The vhost that is meant.
    fn pick(&self, wanted: Option<&str>) -> Result<Picked, DefinitionsError> {
        let found = self.vhosts();
        if !self.of_cluster() {
            let said = self.original_vhost_name.clone().or(found.first().cloned());
            return Ok(Picked { name: wanted.map(str::to_owned).or(said), only: None });
        }
        let listed: Vec<_> = self.listed().map(str::to_owned).collect();
        let name = match (wanted, found.as_slice()) {
            (Some(name), _) if listed.iter().chain(&found).any(|vhost| vhost == name) => {
                name.to_owned()
            }
            (Some(name), _) => {
                let found = if found.is_empty() { listed } else { found };
                return Err(DefinitionsError::NoSuchVhost { wanted: name.to_owned(), found });
            }
            (None, [only]) => only.clone(),
            (None, []) => match listed.as_slice() {
                [only] => only.clone(),
                _ => return Err(DefinitionsError::SeveralVhosts(listed)),
            },
            (None, _) => return Err(DefinitionsError::SeveralVhosts(found)),
        };
        Ok(Picked { name: Some(name.clone()), only: Some(name) })
    }

    /// Whether the objects say which vhost they are of. In an export of one vhost none does,
    /// except for policies (RabbitMQ 3.10).
    fn of_cluster(&self) -> bool {
        let queues = self.queues.iter().flatten().any(|q| q.vhost.is_some());
        queues
            || self.exchanges.iter().flatten().any(|x| x.vhost.is_some())
            || self.listed().next().is_some()
    }
}

/// The vhost that is meant.
struct Picked {
    /// Its name, if anything says it.
    name: Option<String>,
    /// Take only what names it; `None`: the export is of one vhost.
    only: Option<String>,
}

struct Reader {
    only: Option<String>,
    result: Definitions,
}

/// `amq.` names cannot be declared, so a file cannot say what has one.
const RESERVED: &str = "names that begin with `amq.` belong to RabbitMQ and cannot be declared";

impl Reader {
    /// Whether an object is of the vhost that is read.
    fn mine(&self, vhost: Option<&String>) -> bool {
        self.only.is_none() || vhost == self.only.as_ref()
    }

    fn omit(&mut self, what: String, why: &'static str) {
        self.result.omitted.push(Omitted { what, why });
    }

    fn exchanges(&mut self, entries: Vec<ExchangeEntry>) {
        for entry in entries {
            if !self.mine(entry.vhost.as_ref()) || predeclared_type(&entry.name).is_some() {
                continue;
            }
            let label = format!("exchange `{}`", entry.name);
            if entry.name.starts_with("amq.") {
                self.omit(label, RESERVED);
                continue;
            }
            let exchange = Exchange {
                kind: entry.r#type,
                durable: entry.durable,
                auto_delete: entry.auto_delete,
                internal: entry.internal,
                arguments: self.arguments(&label, entry.arguments),
            };
            self.result.objects.exchanges.insert(entry.name, exchange);
        }
    }

    fn queues(&mut self, entries: Vec<QueueEntry>) {
        for entry in entries {
            // An exclusive queue is a connection's own, and goes with it.
            if !self.mine(entry.vhost.as_ref()) || entry.exclusive {
                continue;
            }
            let label = format!("queue `{}`", entry.name);
            if entry.name.starts_with("amq.") {
                self.omit(label, RESERVED);
                continue;
            }
            let queue = Queue {
                durable: entry.durable,
                auto_delete: entry.auto_delete,
                arguments: self.arguments(&label, entry.arguments),
            };
            if entry.consumers > 0 {
                self.result.consumed.insert(entry.name.clone());
            }
            self.result.objects.queues.insert(entry.name, queue);
        }
    }

    fn bindings(&mut self, entries: Vec<BindingEntry>) {
        for entry in entries {
            // Every queue is bound to the default exchange by its name, of itself.
            if !self.mine(entry.vhost.as_ref()) || entry.source.is_empty() {
                continue;
            }
            let label = format!("binding from `{}` to `{}`", entry.source, entry.destination);
            let objects = &self.result.objects;
            let (there, destination) = match entry.destination_type.as_str() {
                "queue" => (
                    objects.queues.contains_key(&entry.destination),
                    Destination::Queue(entry.destination),
                ),
                _ => (
                    objects.has_exchange(&entry.destination),
                    Destination::Exchange(entry.destination),
                ),
            };
            if !there || !objects.has_exchange(&entry.source) {
                self.omit(label, "one of its ends is not in the definitions, or left out");
                continue;
            }
            let arguments = self.arguments(&label, entry.arguments);
            let (source, routing_key) = (entry.source, entry.routing_key);
            let binding = Binding { source, destination, routing_key, arguments };
            self.result.objects.add_binding(binding);
        }
    }

    fn policies(&mut self, entries: Vec<PolicyEntry>) {
        for entry in entries {
            if !self.mine(entry.vhost.as_ref()) {
                continue;
            }
            let label = format!("policy `{}`", entry.name);
            let policy = Policy {
                pattern: entry.pattern,
                apply_to: entry.apply_to,
                priority: entry.priority,
                definition: self.arguments(&label, entry.definition),
            };
            self.result.objects.policies.insert(entry.name, policy);
        }
    }

    fn parameters(&mut self, entries: Vec<ParameterEntry>) {
        for entry in entries {
            if self.mine(entry.vhost.as_ref()) {
                let what = format!("parameter `{}` of `{}`", entry.name, entry.component);
                self.omit(what, "a topology file has no place for it");
            }
        }
    }

    /// Arguments as they are; a void has no value that could be declared again.
    fn arguments(&mut self, label: &str, given: BTreeMap<String, Json>) -> Arguments {
        let mut arguments = Arguments::new();
        for (name, value) in given {
            match serde_json::from_value::<Value>(value) {
                Ok(value) => {
                    arguments.insert(name, value);
                }
                Err(_) => self.omit(
                    format!("argument `{name}` of {label}"),
                    "it is void, or AMQP has no such value",
                ),
            }
        }
        arguments
    }
}

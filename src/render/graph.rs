//! The topology as nodes and edges, for pictures that other programs draw.

use indexmap::IndexMap;

use super::escape::escape;
use super::tree::Named;
use crate::duration::Millis;
use crate::objects::{
    DELAYED_MESSAGE_TYPE, Destination, Exchange, Objects, Queue, argument, predeclared_type,
};

/// An exchange or queue.
pub struct Node<'a> {
    /// What it is.
    pub named: Named<'a>,
    /// Its name, and below it what there is to say; every line is escaped.
    pub lines: Vec<String>,
}

/// A way that messages take.
pub struct Edge {
    /// The index of the node that it leaves.
    pub from: usize,
    /// The index of the node that it leads to.
    pub to: usize,
    /// What takes it, escaped; may be empty.
    pub label: String,
    /// Dead letters and what an alternate exchange takes, not what a binding takes.
    pub dashed: bool,
}

/// The nodes and edges of a topology. Parallel edges are one, with all their labels.
pub struct Picture<'a> {
    pub nodes: Vec<Node<'a>>,
    pub edges: Vec<Edge>,
}

/// More labels on one edge than this are counted.
const LABELS_SHOWN: usize = 4;

impl<'a> Picture<'a> {
    /// The picture of these objects, with what `note` says of each.
    pub fn of(objects: &'a Objects, note: &dyn Fn(Named<'_>) -> Option<String>) -> Self {
        let mut drawing = Drawing { objects, nodes: IndexMap::new(), edges: IndexMap::new() };
        objects.exchanges.keys().for_each(|name| _ = drawing.node(Named::Exchange(name)));
        objects.queues.keys().for_each(|name| _ = drawing.node(Named::Queue(name)));
        drawing.bindings();
        drawing.alternates();
        drawing.dead_letters();
        let lines = |named: Named<'_>| {
            let mut lines = describe(objects, named);
            lines.extend(note(named).map(|note| escape(&note).into_owned()));
            lines
        };
        let nodes = drawing.nodes.keys().map(|named| Node { named: *named, lines: lines(*named) });
        let edges = drawing.edges.iter().map(|((from, to, dashed), labels)| Edge {
            from: *from,
            to: *to,
            label: joined(labels),
            dashed: *dashed,
        });
        Picture { nodes: nodes.collect(), edges: edges.collect() }
    }
}

fn joined(labels: &[String]) -> String {
    let mut shown: Vec<_> =
        labels.iter().take(LABELS_SHOWN).map(|l| escape(l).into_owned()).collect();
    if labels.len() > LABELS_SHOWN {
        shown.push(format!("and {} more", labels.len() - LABELS_SHOWN));
    }
    shown.retain(|label| !label.is_empty());
    shown.join(", ")
}

struct Drawing<'a> {
    objects: &'a Objects,
    nodes: IndexMap<Named<'a>, ()>,
    edges: IndexMap<(usize, usize, bool), Vec<String>>,
}

impl<'a> Drawing<'a> {
    fn node(&mut self, named: Named<'a>) -> usize {
        self.nodes.insert_full(named, ()).0
    }

    fn edge(&mut self, from: Named<'a>, to: Named<'a>, label: String, dashed: bool) {
        let key = (self.node(from), self.node(to), dashed);
        self.edges.entry(key).or_default().push(label);
    }

    fn bindings(&mut self) {
        for binding in &self.objects.bindings {
            let to = match &binding.destination {
                Destination::Queue(name) => Named::Queue(name),
                Destination::Exchange(name) => Named::Exchange(name),
            };
            let kind = match self.objects.exchanges.get(&binding.source) {
                Some(exchange) => exchange.routing_type(),
                None => predeclared_type(&binding.source).unwrap_or_default(),
            };
            let label = match kind {
                "fanout" => String::new(),
                "headers" => {
                    let pairs =
                        binding.arguments.iter().map(|(name, value)| format!("{name}={value}"));
                    pairs.collect::<Vec<_>>().join(" ")
                }
                _ if binding.routing_key.is_empty() => "\"\"".to_owned(),
                _ => binding.routing_key.clone(),
            };
            self.edge(Named::Exchange(&binding.source), to, label, false);
        }
    }

    fn alternates(&mut self) {
        for (name, exchange) in &self.objects.exchanges {
            if let Some(alternate) = exchange.alternate() {
                let label = "otherwise".to_owned();
                self.edge(Named::Exchange(name), Named::Exchange(alternate), label, true);
            }
        }
    }

    /// Through the default exchange a dead letter goes straight to the queue that its key names.
    fn dead_letters(&mut self) {
        for (name, queue) in &self.objects.queues {
            let Some(to) = queue.dead_letter() else { continue };
            let reason = death(queue);
            let (end, label) = match (to.exchange, to.routing_key) {
                ("", Some(key)) => (Named::Queue(key), reason),
                (exchange, Some(key)) if !key.is_empty() => {
                    (Named::Exchange(exchange), format!("{reason} as {key}"))
                }
                (exchange, _) => (Named::Exchange(exchange), reason),
            };
            self.edge(Named::Queue(name), end, label, true);
        }
    }
}

/// Why messages leave a queue for its dead-letter exchange.
fn death(queue: &Queue) -> String {
    let mut reasons = match queue.message_ttl() {
        Some(ttl) => vec![format!("expired after {}", Millis(ttl))],
        None => vec!["rejected or expired".to_owned()],
    };
    let limited = queue.arguments.contains_key(argument::MAX_LENGTH)
        || queue.arguments.contains_key(argument::MAX_LENGTH_BYTES);
    // A full queue's oldest messages leave early, unless it refuses new ones.
    if limited && queue.text(argument::OVERFLOW).is_none_or(|overflow| overflow == "drop-head") {
        reasons.push("maxlen".to_owned());
    }
    if queue.arguments.contains_key(argument::DELIVERY_LIMIT) {
        reasons.push("delivery limit".to_owned());
    }
    reasons.join(", ")
}

fn describe(objects: &Objects, named: Named<'_>) -> Vec<String> {
    let (name, what) = match named {
        Named::Exchange("") => return vec!["(default exchange)".to_owned()],
        Named::Exchange(name) => match objects.exchanges.get(name) {
            Some(exchange) => (name, exchange_kind(exchange)),
            None => (name, predeclared_type(name).unwrap_or("missing").to_owned()),
        },
        Named::Queue(name) => match objects.queues.get(name) {
            Some(queue) => (name, queue_traits(queue)),
            None => (name, "missing".to_owned()),
        },
    };
    let lines = [name, &what].map(|line| escape(line).into_owned());
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn exchange_kind(exchange: &Exchange) -> String {
    match exchange.kind.as_str() {
        DELAYED_MESSAGE_TYPE => format!("{DELAYED_MESSAGE_TYPE}, {}", exchange.routing_type()),
        kind => kind.to_owned(),
    }
}

fn queue_traits(queue: &Queue) -> String {
    let mut traits: Vec<String> = queue.queue_type().map(str::to_owned).into_iter().collect();
    traits.extend(queue.message_ttl().map(|ttl| format!("TTL {}", Millis(ttl))));
    traits.extend(queue.arguments.get(argument::MAX_LENGTH).map(|max| format!("max {max}")));
    traits.join(", ")
}

/// Identifiers that need no quoting in any language: `e3`, `q17`.
pub fn id(named: Named<'_>, index: usize) -> String {
    match named {
        Named::Exchange(_) => format!("e{index}"),
        Named::Queue(_) => format!("q{index}"),
    }
}

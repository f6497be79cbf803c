//! The topology as a graph of exchanges and queues, indexed so that each step costs what it shows.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use super::Named;
use crate::objects::{Binding, Destination, Exchange, Objects, predeclared_type};
use crate::routing::topic_matches;

/// A way out of an exchange.
#[derive(Clone, Copy, Debug)]
pub enum Edge<'a> {
    /// A binding.
    Binding(&'a Binding),
    /// The exchange that takes what no binding matches.
    Alternate(&'a str),
}

/// The index of an edge in [`Graph::edges`].
pub type EdgeId = usize;

/// The edges of a topology and where they begin and end.
pub struct Graph<'a> {
    pub objects: &'a Objects,
    pub edges: Vec<Edge<'a>>,
    from: HashMap<&'a str, Vec<EdgeId>>,
    by_key: HashMap<(&'a str, &'a str), Vec<EdgeId>>,
    patterns: HashMap<&'a str, Vec<(&'a str, EdgeId)>>,
}

impl<'a> Graph<'a> {
    pub fn new(objects: &'a Objects) -> Self {
        let mut graph = Graph {
            objects,
            edges: Vec::new(),
            from: HashMap::new(),
            by_key: HashMap::new(),
            patterns: HashMap::new(),
        };
        for binding in &objects.bindings {
            let (source, key) = (binding.source.as_str(), binding.routing_key.as_str());
            let id = graph.add(source, Edge::Binding(binding));
            graph.by_key.entry((source, key)).or_default().push(id);
            if key.contains(['*', '#']) {
                graph.patterns.entry(source).or_default().push((key, id));
            }
        }
        for (name, exchange) in &objects.exchanges {
            if let Some(alternate) = exchange.alternate() {
                graph.add(name, Edge::Alternate(alternate));
            }
        }
        graph
    }

    fn add(&mut self, source: &'a str, edge: Edge<'a>) -> EdgeId {
        let id = self.edges.len();
        self.from.entry(source).or_default().push(id);
        self.edges.push(edge);
        id
    }

    /// All ways out of an exchange, its alternate exchange last.
    pub fn ways_out(&self, exchange: &str) -> &[EdgeId] {
        self.from.get(exchange).map_or(&[], Vec::as_slice)
    }

    /// The ways that a message with this routing key takes out of an exchange.
    pub fn ways_for(&self, exchange: &'a str, key: &'a str) -> Vec<EdgeId> {
        let exact = self.by_key.get(&(exchange, key)).map_or(&[][..], Vec::as_slice);
        let mut found = exact.to_vec();
        if self.kind(exchange) == Some("topic") {
            let patterns = self.patterns.get(exchange).map_or(&[][..], Vec::as_slice);
            let takes = |(pattern, _): &&(&str, EdgeId)| topic_matches(pattern, key);
            found.extend(patterns.iter().filter(takes).map(|(_, id)| *id));
            found.sort_unstable();
            found.dedup();
        }
        if found.is_empty() {
            let alternate = self.ways_out(exchange).last();
            let is_alternate = |id: &&EdgeId| matches!(self.edges[**id], Edge::Alternate(_));
            found.extend(alternate.filter(is_alternate));
        }
        found
    }

    /// Whether the routing key of a message alone decides where it goes from this exchange.
    pub fn routes_by_key(&self, exchange: &str) -> bool {
        matches!(self.kind(exchange), Some("direct" | "topic"))
    }

    /// The type that decides how an exchange routes; `None`: there is no such exchange.
    pub fn kind(&self, exchange: &str) -> Option<&'a str> {
        let declared = self.objects.exchanges.get(exchange).map(Exchange::routing_type);
        declared.or_else(|| predeclared_type(exchange))
    }

    /// The exchanges and queues, in the order of declaration, those that are only referred to
    /// included.
    pub fn nodes(&self) -> IndexSet<Named<'a>> {
        let exchanges = self.objects.exchanges.keys().map(|name| Named::Exchange(name));
        let sources = self.objects.bindings.iter().map(|b| Named::Exchange(&b.source));
        let queues = self.objects.queues.keys().map(|name| Named::Queue(name));
        exchanges.chain(sources).chain(queues).collect()
    }

    /// The exchanges and queues that something leads to.
    pub fn led_to(&self) -> HashSet<Named<'a>> {
        let bound = self.edges.iter().map(Edge::end);
        let dead = self.objects.queues.values().filter_map(|queue| {
            let dead_letter = queue.dead_letter()?;
            match (dead_letter.exchange, dead_letter.routing_key) {
                ("", key) => key.map(Named::Queue),
                (exchange, _) => Some(Named::Exchange(exchange)),
            }
        });
        bound.chain(dead).collect()
    }
}

impl<'a> Edge<'a> {
    /// Where it leads.
    pub fn end(&self) -> Named<'a> {
        match self {
            Edge::Alternate(exchange) => Named::Exchange(exchange),
            Edge::Binding(binding) => match &binding.destination {
                Destination::Queue(name) => Named::Queue(name),
                Destination::Exchange(name) => Named::Exchange(name),
            },
        }
    }
}

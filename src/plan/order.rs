//! The order of declaration: downstream first, so that what is declared has where to send to.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::objects::{Destination, Objects};

/// An exchange or a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node<'a> {
    /// An exchange.
    Exchange(&'a str),
    /// A queue.
    Queue(&'a str),
}

/// How far down the path of messages each object stands: 0 is a last one.
pub struct Order<'a> {
    ranks: HashMap<Node<'a>, usize>,
}

impl<'a> Order<'a> {
    /// Ranks every exchange and queue after all that it sends to: over its bindings, its alternate
    /// exchange, its dead-letter exchange. Where paths form a cycle, one edge of it is passed over.
    pub fn of(objects: &'a Objects) -> Self {
        let edges = edges(objects);
        let mut ranks = HashMap::new();
        let mut visited = HashMap::new();
        let queues = objects.queues.keys().map(|name| Node::Queue(name));
        let exchanges = objects.exchanges.keys().map(|name| Node::Exchange(name));
        for root in exchanges.chain(queues) {
            // A depth-first walk in post-order, without recursion: chains can be long.
            let mut stack = vec![root];
            while let Some(node) = stack.last().copied() {
                let next = visited.entry(node).or_insert(0);
                let successors = edges.get(&node).map_or(&[][..], Vec::as_slice);
                if let Some(successor) = successors.get(*next) {
                    *next += 1;
                    if !visited.contains_key(successor) {
                        stack.push(*successor);
                    }
                } else {
                    stack.pop();
                    let rank = ranks.len();
                    ranks.entry(node).or_insert(rank);
                }
            }
        }
        Order { ranks }
    }

    /// The rank of an exchange.
    pub fn exchange(&self, name: &str) -> usize {
        self.ranks.get(&Node::Exchange(name)).copied().unwrap_or_default()
    }

    /// The rank of a queue.
    pub fn queue(&self, name: &str) -> usize {
        self.ranks.get(&Node::Queue(name)).copied().unwrap_or_default()
    }

    /// The rank of a binding's destination.
    pub fn destination(&self, destination: &Destination) -> usize {
        match destination {
            Destination::Queue(name) => self.queue(name),
            Destination::Exchange(name) => self.exchange(name),
        }
    }

    /// The entries of a map, downstream first.
    pub fn sorted<'m, T>(
        &self,
        map: &'m IndexMap<String, T>,
        rank: impl Fn(&Self, &str) -> usize,
    ) -> Vec<(&'m String, &'m T)> {
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_by_cached_key(|(name, _)| rank(self, name));
        entries
    }
}

/// What each exchange and queue sends to.
pub fn edges(objects: &Objects) -> HashMap<Node<'_>, Vec<Node<'_>>> {
    let mut edges: HashMap<_, Vec<_>> = HashMap::new();
    for binding in &objects.bindings {
        edges.entry(Node::Exchange(&binding.source)).or_default().push(
            match &binding.destination {
                Destination::Queue(name) => Node::Queue(name),
                Destination::Exchange(name) => Node::Exchange(name),
            },
        );
    }
    for (name, exchange) in &objects.exchanges {
        let alternate = exchange.alternate().map(Node::Exchange);
        edges.entry(Node::Exchange(name)).or_default().extend(alternate);
    }
    for (name, queue) in &objects.queues {
        let next = queue.dead_letter().map(|to| match (to.exchange, to.routing_key) {
            ("", Some(key)) => Node::Queue(key),
            (exchange, _) => Node::Exchange(exchange),
        });
        edges.entry(Node::Queue(name)).or_default().extend(next);
    }
    edges
}

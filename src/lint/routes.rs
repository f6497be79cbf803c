//! Where messages can go whose routing keys are only partly known.

use std::collections::{HashMap, HashSet};

use super::keys::{Key, has_wildcard};
use crate::objects::{Binding, Destination, Objects, predeclared_type};
use crate::routing::topic_matches;

/// Where messages can go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrival<'a> {
    /// The queues, each once.
    pub queues: Vec<&'a str>,
    /// Whether there may be others, because a key names the queue and is not known.
    pub unknown: bool,
}

impl Arrival<'_> {
    /// Whether no such message can arrive anywhere.
    pub fn is_nowhere(&self) -> bool {
        self.queues.is_empty() && !self.unknown
    }
}

/// The ways from exchange to exchange and to queues.
#[derive(Debug)]
pub(super) struct Routes<'a> {
    objects: &'a Objects,
    by_source: HashMap<&'a str, Vec<&'a Binding>>,
    by_key: HashMap<(&'a str, &'a str), Vec<&'a Binding>>,
    /// Those with a wildcard in their key, by source.
    patterns: HashMap<&'a str, Vec<&'a Binding>>,
    alternates: HashMap<&'a str, &'a str>,
}

impl<'a> Routes<'a> {
    /// Indexes the bindings. `alternates` are the alternate exchanges in force.
    pub fn new(objects: &'a Objects, alternates: HashMap<&'a str, &'a str>) -> Self {
        let mut by_source: HashMap<&str, Vec<&Binding>> = HashMap::new();
        let mut by_key: HashMap<(&str, &str), Vec<&Binding>> = HashMap::new();
        let mut patterns: HashMap<&str, Vec<&Binding>> = HashMap::new();
        for binding in &objects.bindings {
            let source = binding.source.as_str();
            by_source.entry(source).or_default().push(binding);
            by_key.entry((source, &binding.routing_key)).or_default().push(binding);
            if has_wildcard(&binding.routing_key) {
                patterns.entry(source).or_default().push(binding);
            }
        }
        Routes { objects, by_source, by_key, patterns, alternates }
    }

    /// Whether the exchange is there: declared, or one that every vhost has.
    pub fn has_exchange(&self, name: &str) -> bool {
        self.kind(name).is_some()
    }

    /// The bindings from an exchange.
    pub fn bindings(&self, exchange: &str) -> &[&'a Binding] {
        self.by_source.get(exchange).map_or(&[], Vec::as_slice)
    }

    /// The alternate exchange in force.
    pub fn alternate(&self, exchange: &str) -> Option<&'a str> {
        self.alternates.get(exchange).copied()
    }

    /// The type by which an exchange routes.
    pub fn kind(&self, exchange: &str) -> Option<&'a str> {
        let declared = self.objects.exchanges.get(exchange).map(|x| x.routing_type());
        declared.or_else(|| predeclared_type(exchange))
    }

    /// Where messages with such a key, published to this exchange, can arrive.
    pub fn arrive(&self, exchange: &'a str, key: Key<'a>) -> Arrival<'a> {
        let mut arrival = Arrival::default();
        let (mut exchanges, mut queues) = (HashSet::from([exchange]), HashSet::new());
        let mut open = vec![exchange];
        while let Some(name) = open.pop() {
            if name.is_empty() {
                self.by_name(key, &mut arrival);
                continue;
            }
            let mut sure = false;
            for binding in self.candidates(name, key) {
                let kind = self.kind(name).unwrap_or_default();
                sure |= key.must_match(kind, binding);
                match &binding.destination {
                    Destination::Queue(queue) if queues.insert(queue) => arrival.queues.push(queue),
                    Destination::Exchange(next) if exchanges.insert(next) => open.push(next),
                    _ => {}
                }
            }
            // An alternate exchange gets what no binding matches.
            open.extend(self.alternate(name).filter(|next| !sure && exchanges.insert(next)));
        }
        arrival
    }

    /// Through the default exchange: the key is a queue's name.
    fn by_name(&self, key: Key<'a>, arrival: &mut Arrival<'a>) {
        match key {
            Key::Exact(name) => {
                let queue = self.objects.queues.get_key_value(name).map(|(name, _)| name.as_str());
                arrival.queues.extend(queue.filter(|name| !arrival.queues.contains(name)));
            }
            _ => arrival.unknown = true,
        }
    }

    fn with_key<'s>(&'s self, exchange: &'s str, key: &'s str) -> &'s [&'a Binding] {
        self.by_key.get(&(exchange, key)).map_or(&[], Vec::as_slice)
    }

    /// The bindings that may match.
    fn candidates(&self, exchange: &str, key: Key<'a>) -> Vec<&'a Binding> {
        match (self.kind(exchange), key) {
            (None, _) => Vec::new(),
            // Exchanges can have thousands of bindings, most of them plain keys.
            (Some("direct"), Key::Exact(key)) => self.with_key(exchange, key).to_vec(),
            (Some("topic"), Key::Exact(key)) => {
                let plain = self.with_key(exchange, key).iter().copied();
                let plain = plain.filter(|binding| !has_wildcard(&binding.routing_key));
                let patterns = self.patterns.get(exchange).into_iter().flatten().copied();
                plain.chain(patterns.filter(|b| topic_matches(&b.routing_key, key))).collect()
            }
            (Some(kind), key) => {
                let all = self.bindings(exchange).iter().copied();
                all.filter(|binding| key.may_match(kind, binding)).collect()
            }
        }
    }

    /// Whether every message with such a key, published to this exchange, arrives somewhere.
    pub fn is_sure(&self, exchange: &'a str, key: Key<'a>) -> bool {
        self.is_sure_beyond(exchange, key, &mut HashMap::new())
    }

    /// `known` holds the answer for each exchange passed, and no for those that are still open: a
    /// circle of exchanges leads to no queue.
    fn is_sure_beyond(
        &self,
        exchange: &'a str,
        key: Key<'a>,
        known: &mut HashMap<&'a str, bool>,
    ) -> bool {
        if exchange.is_empty() {
            return matches!(key, Key::Exact(name) if self.objects.queues.contains_key(name));
        }
        if let Some(answer) = known.get(exchange) {
            return *answer;
        }
        known.insert(exchange, false);
        let kind = self.kind(exchange).unwrap_or_default();
        let (mut some_must, mut all_may) = (false, true);
        for binding in self.candidates(exchange, key) {
            let sure = match &binding.destination {
                Destination::Queue(_) => true,
                Destination::Exchange(next) => self.is_sure_beyond(next, key, known),
            };
            some_must |= sure && key.must_match(kind, binding);
            all_may &= sure;
        }
        let alternate = || self.alternate(exchange);
        let answer = some_must
            || all_may && alternate().is_some_and(|next| self.is_sure_beyond(next, key, known));
        known.insert(exchange, answer);
        answer
    }
}

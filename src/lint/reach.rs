//! With which routing keys messages can reach a queue, and where its dead letters can go.
//!
//! A dead letter without a dead-letter routing key keeps the key it had, so the keys that reach a
//! queue must be known to say where it goes. They come from the bindings that lead to the queue,
//! from the targets of delays, and from the dead letters of other queues. A queue that none of them
//! leads to can only be reached through the default exchange, by its own name.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::effective::Effective;
use super::keys::Key;
use crate::objects::{Binding, Destination, Objects, predeclared_type};

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

/// Routing with keys that are only partly known.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    objects: &'a Objects,
    by_source: HashMap<&'a str, Vec<&'a Binding>>,
    by_key: HashMap<(&'a str, &'a str), Vec<&'a Binding>>,
    alternates: HashMap<&'a str, &'a str>,
    keys: HashMap<&'a str, BTreeSet<Key<'a>>>,
    edges: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Reach<'a> {
    /// Works out all keys and all ways of dead letters. `alternates` are the alternate exchanges in
    /// force, `targets` the exchange and routing key of each delay's target.
    pub fn new(
        objects: &'a Objects,
        queues: &[Effective<'a>],
        alternates: HashMap<&'a str, &'a str>,
        targets: &[(&'a str, &'a str)],
    ) -> Self {
        let mut by_source: HashMap<&str, Vec<&Binding>> = HashMap::new();
        let mut by_key: HashMap<(&str, &str), Vec<&Binding>> = HashMap::new();
        for binding in &objects.bindings {
            let source = binding.source.as_str();
            by_source.entry(source).or_default().push(binding);
            by_key.entry((source, &binding.routing_key)).or_default().push(binding);
        }
        let (keys, edges) = (HashMap::new(), HashMap::new());
        let mut reach = Reach { objects, by_source, by_key, alternates, keys, edges };
        reach.spread(queues, targets);
        reach
    }

    /// The keys with which messages can reach this queue.
    pub fn keys(&self, queue: &str) -> Vec<Key<'a>> {
        self.keys.get(queue).into_iter().flatten().copied().collect()
    }

    /// The queues that this queue's dead letters can go to.
    pub fn dead_letters_of(&self, queue: &str) -> &[&'a str] {
        self.edges.get(queue).map_or(&[], Vec::as_slice)
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

    fn kind(&self, exchange: &str) -> Option<&'a str> {
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

    /// The bindings that may match.
    fn candidates(&self, exchange: &str, key: Key<'a>) -> Vec<&'a Binding> {
        match (self.kind(exchange), key) {
            (None, _) => Vec::new(),
            (Some("direct"), Key::Exact(key)) => {
                self.by_key.get(&(exchange, key)).cloned().unwrap_or_default()
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

    /// Follows keys from queue to queue until nothing new is learnt.
    fn spread(&mut self, queues: &[Effective<'a>], targets: &[(&'a str, &'a str)]) {
        let by_name: HashMap<&str, &Effective<'a>> = queues.iter().map(|q| (q.name, q)).collect();
        let mut open = self.seeds(targets);
        let mut lone: Vec<_> = queues.iter().map(|q| (q.name, Key::Exact(q.name))).collect();
        loop {
            while let Some((name, key)) = open.pop() {
                if !self.keys.entry(name).or_default().insert(key) {
                    continue;
                }
                let Some(to) = by_name.get(name).and_then(|queue| queue.dead_letters()) else {
                    continue;
                };
                let key = to.key.map_or(key, |key| Key::Exact(key.value));
                let ends = self.arrive(to.exchange.value, key).queues;
                let edges = self.edges.entry(name).or_default();
                for end in ends {
                    if !edges.contains(&end) {
                        edges.push(end);
                    }
                    open.push((end, key));
                }
            }
            // What nothing leads to is reached by its name, if at all.
            lone.retain(|(name, _)| !self.keys.contains_key(name));
            match lone.pop() {
                Some(next) => open.push(next),
                None => return,
            }
        }
    }

    fn seeds(&self, targets: &[(&'a str, &'a str)]) -> Vec<(&'a str, Key<'a>)> {
        let mut seeds = Vec::new();
        for binding in &self.objects.bindings {
            let kind = self.kind(&binding.source).unwrap_or_default();
            if let Destination::Queue(queue) = &binding.destination {
                seeds.push((queue.as_str(), Key::through(kind, binding)));
            }
        }
        for (exchange, key) in targets {
            let ends = self.arrive(exchange, Key::Exact(key)).queues;
            seeds.extend(ends.into_iter().map(|queue| (queue, Key::Exact(key))));
        }
        seeds
    }
}

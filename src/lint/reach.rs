//! With which routing keys messages can reach a queue, and where its dead letters can go.
//!
//! A dead letter without a dead-letter routing key keeps the key it had, so the keys that reach a
//! queue must be known to say where it goes. They come from the bindings that lead to the queue,
//! from the targets of delays, and from the dead letters of other queues. A queue that none of them
//! leads to can only be reached through the default exchange, by its own name.

use std::collections::{BTreeSet, HashMap};

use super::keys::Key;
use super::routes::Routes;
use crate::objects::{Destination, Objects};
use crate::policy::Effective;

/// The keys that reach each queue, and the ways that dead letters take.
#[derive(Debug, Default)]
pub(super) struct Reach<'a> {
    keys: HashMap<&'a str, BTreeSet<Key<'a>>>,
    edges: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Reach<'a> {
    /// Works them out. `targets` are the exchange and routing key of each delay's target.
    pub fn new(
        objects: &'a Objects,
        routes: &Routes<'a>,
        queues: &[Effective<'a>],
        targets: &[(&'a str, &'a str)],
    ) -> Self {
        let mut reach = Reach::default();
        reach.spread(routes, queues, seeds(objects, routes, targets));
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

    /// Follows keys from queue to queue until nothing new is learnt.
    fn spread(
        &mut self,
        routes: &Routes<'a>,
        queues: &[Effective<'a>],
        mut open: Vec<(&'a str, Key<'a>)>,
    ) {
        let by_name: HashMap<&str, &Effective<'a>> = queues.iter().map(|q| (q.name, q)).collect();
        let mut lone = queues.iter();
        loop {
            while let Some((name, key)) = open.pop() {
                if !self.keys.entry(name).or_default().insert(key) {
                    continue;
                }
                let Some(to) = by_name.get(name).and_then(|queue| queue.dead_letters()) else {
                    continue;
                };
                let key = to.key.map_or(key, |key| Key::Exact(key.value));
                let ends = routes.arrive(to.exchange.value, key).queues;
                let edges = self.edges.entry(name).or_default();
                for end in ends {
                    if !edges.contains(&end) {
                        edges.push(end);
                    }
                    open.push((end, key));
                }
            }
            // What nothing leads to is reached by its name, if at all.
            match lone.find(|queue| !self.keys.contains_key(queue.name)) {
                Some(queue) => open.push((queue.name, Key::Exact(queue.name))),
                None => return,
            }
        }
    }
}

/// What the bindings and the targets of delays say.
fn seeds<'a>(
    objects: &'a Objects,
    routes: &Routes<'a>,
    targets: &[(&'a str, &'a str)],
) -> Vec<(&'a str, Key<'a>)> {
    let mut seeds = Vec::new();
    for binding in &objects.bindings {
        let kind = routes.kind(&binding.source).unwrap_or_default();
        if let Destination::Queue(queue) = &binding.destination {
            seeds.push((queue.as_str(), Key::through(kind, binding)));
        }
    }
    for (exchange, key) in targets {
        let ends = routes.arrive(exchange, Key::Exact(key)).queues;
        seeds.extend(ends.into_iter().map(|queue| (queue, Key::Exact(key))));
    }
    seeds
}

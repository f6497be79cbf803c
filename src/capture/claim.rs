//! Which objects are explained by which delay.

use std::collections::{HashMap, HashSet};

use crate::objects::{Binding, Destination, Exchange, Objects, Queue};
use crate::plan;
use crate::routing::{Headers, Router};
use crate::strategy::{Delay, Strategy};

use super::names;

/// The objects, and the delays found so far.
pub struct Claims<'a> {
    /// What there is.
    pub objects: &'a Objects,
    consumed: &'a HashSet<String>,
    into_queue: HashMap<&'a str, Vec<&'a Binding>>,
    from: HashMap<&'a str, Vec<&'a Binding>>,
    router: Router<'a>,
    waiting: HashSet<String>,
    delays: Vec<Delay>,
    names: HashSet<String>,
}

impl<'a> Claims<'a> {
    /// Nothing is claimed yet.
    pub fn new(objects: &'a Objects, consumed: &'a HashSet<String>) -> Self {
        let mut into_queue: HashMap<&str, Vec<&Binding>> = HashMap::new();
        let mut from: HashMap<&str, Vec<&Binding>> = HashMap::new();
        for binding in &objects.bindings {
            from.entry(&binding.source).or_default().push(binding);
            if let Destination::Queue(queue) = &binding.destination {
                into_queue.entry(queue).or_default().push(binding);
            }
        }
        Claims {
            objects,
            consumed,
            into_queue,
            from,
            router: Router::new(objects),
            waiting: HashSet::new(),
            delays: Vec::new(),
            names: HashSet::new(),
        }
    }

    /// The bindings that lead to a queue.
    pub fn bound_to(&self, queue: &str) -> &[&'a Binding] {
        self.into_queue.get(queue).map_or(&[], Vec::as_slice)
    }

    /// The bindings that lead from an exchange.
    pub fn from(&self, exchange: &str) -> &[&'a Binding] {
        self.from.get(exchange).map_or(&[], Vec::as_slice)
    }

    /// Whether a queue may be one that messages wait in: nobody consumes it, and no other delay
    /// has it.
    pub fn may_wait(&self, queue: &str) -> bool {
        !self.consumed.contains(queue) && !self.waiting.contains(queue)
    }

    /// A name for a delay that no other has.
    pub fn name(&self, wanted: &str) -> String {
        names::unique(wanted, &self.names)
    }

    /// Whether a delay compiles to objects that are all there, leads to a queue, and shares its
    /// waiting queues only with other delays of a ladder.
    pub fn fits(&self, delay: &Delay) -> bool {
        let Some(made) = compiled(delay) else { return false };
        let shares = matches!(delay.strategy, Strategy::Ladder(_));
        contains(self.objects, &made)
            && made.queues.keys().all(|queue| shares || self.may_wait(queue))
            && self.leads_to_a_queue(delay)
            && !self.names.contains(&delay.name)
    }

    /// Takes a delay if it fits.
    pub fn claim(&mut self, delay: Delay) -> bool {
        let Some(made) = compiled(&delay).filter(|_| self.fits(&delay)) else { return false };
        self.waiting.extend(made.queues.into_keys());
        self.names.insert(delay.name.clone());
        self.delays.push(delay);
        true
    }

    /// Whether messages arrive somewhere: a file with a target that leads nowhere is refused.
    fn leads_to_a_queue(&self, delay: &Delay) -> bool {
        let target = &delay.target;
        self.objects.has_exchange(target.exchange())
            && !self
                .router
                .route(target.exchange(), target.routing_key(), &Headers::new())
                .is_empty()
    }

    /// The delays found, by name.
    pub fn delays(mut self) -> Vec<Delay> {
        self.delays.sort_by(|a, b| a.name.cmp(&b.name));
        self.delays
    }
}

fn compiled(delay: &Delay) -> Option<Objects> {
    if delay.problems().is_empty() { delay.compile().ok() } else { None }
}

/// Whether all of `part` is in `whole`, equal.
fn contains(whole: &Objects, part: &Objects) -> bool {
    let exchange = |(name, wanted): (&String, &Exchange)| {
        whole.exchanges.get(name).is_some_and(|found| found == wanted)
    };
    let queue = |(name, wanted): (&String, &Queue)| {
        whole.queues.get(name).is_some_and(|found| plan::is_same_queue(wanted, found))
    };
    part.exchanges.iter().all(exchange)
        && part.queues.iter().all(queue)
        && part.bindings.iter().all(|binding| whole.bindings.contains(binding))
}

/// Whether two sets of objects are equal, as a broker sees it.
pub fn same_objects(a: &Objects, b: &Objects) -> bool {
    a.len() == b.len() && contains(a, b) && contains(b, a) && a.policies == b.policies
}

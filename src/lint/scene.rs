//! Everything the checks look at, worked out once: settings in force, roles of queues, routes.
//!
//! **What a waiting queue is.** A message waits in a queue, unseen by consumers, until its time is
//! up and the queue dead-letters it. The file does not say which queues are meant so, and these are
//! taken to be:
//!
//! - the queues of a delay's strategy that have a dead-letter exchange ([`Waiting::ForDelay`]);
//! - any other queue with both a message TTL and a dead-letter exchange, be it by arguments or by a
//!   policy ([`Waiting::Perhaps`]). A work queue whose messages go elsewhere when nobody took them in
//!   time looks the same, so what is said of these is mostly a warning.
//!
//! A queue with a dead-letter exchange and no TTL is a work queue with a place for its rejects, or a
//! waiting queue for messages that bring their TTL. Nothing tells them apart, and such a queue is
//! not taken to be a waiting queue unless a delay uses it.
//!
//! **What a consumer's queue is.** One that a delay's target leads to, one that a dead-letter chain
//! starts from, and each level of a chain without a TTL.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::keys::Key;
use super::reach::Reach;
use super::routes::Routes;
use crate::duration::Millis;
use crate::objects::{Objects, TTL_MAX_MS};
use crate::policy::{Effective, Policies, Setting};
use crate::strategy::{Delay, Strategy};
use crate::topology::Topology;
use crate::version::Version;

/// Why a queue is taken to be a waiting queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting<'a> {
    /// The strategy of this delay holds messages in it.
    ForDelay(&'a str),
    /// It has a TTL and a dead-letter exchange.
    Perhaps,
}

/// The topology with all that is derived from it.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub topology: &'a Topology,
    pub objects: &'a Objects,
    /// The broker's version; `None`: not known, so that every version counts.
    pub version: Option<Version>,
    pub policies: Policies<'a>,
    pub queues: IndexMap<&'a str, Effective<'a>>,
    pub routes: Routes<'a>,
    pub reach: Reach<'a>,
    /// The queues that each delay's target leads to.
    pub arrivals: Vec<(&'a Delay, Vec<&'a str>)>,
    /// The delays that hold messages in a queue.
    holders: HashMap<&'a str, Vec<&'a Delay>>,
    /// The exchanges that delays publish to or route through.
    delay_exchanges: HashSet<&'a str>,
    consumed: HashSet<&'a str>,
}

impl<'a> Scene<'a> {
    pub fn new(topology: &'a Topology, version: Option<Version>) -> Self {
        let objects = &topology.objects;
        let policies = Policies::new(&objects.policies, version);
        let default = topology.setup.default_queue_type.as_deref();
        let queues = objects.queues.iter();
        let all: Vec<_> =
            queues.map(|(name, queue)| policies.effective(name, queue, default)).collect();
        let delays = topology.delays.values();
        let targets: Vec<_> =
            delays.map(|delay| (delay.target.exchange(), delay.target.routing_key())).collect();
        let routes = Routes::new(objects, policies.alternates(objects));
        let reach = Reach::new(objects, &routes, &all, &targets);
        let mut scene = Scene {
            topology,
            objects,
            version,
            policies,
            queues: all.into_iter().map(|queue| (queue.name, queue)).collect(),
            routes,
            reach,
            arrivals: Vec::new(),
            holders: HashMap::new(),
            delay_exchanges: HashSet::new(),
            consumed: HashSet::new(),
        };
        scene.note_delays();
        scene.note_consumers();
        scene
    }

    fn note_delays(&mut self) {
        for delay in self.topology.delays.values() {
            let (exchange, key) = (delay.target.exchange(), delay.target.routing_key());
            let ends = self.routes.arrive(exchange, Key::Exact(key)).queues;
            self.arrivals.push((delay, ends));
            // A topology compiles each delay before it is one, so that this cannot fail.
            let Ok(own) = delay.compile() else { continue };
            let waiting = own.queues.iter().filter(|(_, queue)| queue.dead_letter().is_some());
            for (name, _) in waiting {
                if let Some((name, _)) = self.objects.queues.get_key_value(name) {
                    self.holders.entry(name).or_default().push(delay);
                }
            }
            let declared =
                own.exchanges.keys().filter_map(|x| self.objects.exchanges.get_key_value(x));
            self.delay_exchanges.extend(declared.map(|(name, _)| name.as_str()));
        }
    }

    fn note_consumers(&mut self) {
        for (_, ends) in &self.arrivals {
            self.consumed.extend(ends);
        }
        for queues in self.topology.chains.values() {
            let (from, levels) = queues.split_at(queues.len().min(1));
            let levels = levels.iter().filter(|name| self.ttl(name).is_none());
            let known: Vec<_> = from.iter().chain(levels).map(String::as_str).collect();
            self.consumed.extend(known);
        }
    }

    fn ttl(&self, queue: &str) -> Option<Setting<'a, u64>> {
        self.queues.get(queue)?.ttl()
    }

    /// Why this queue is taken to be a waiting queue, if it is.
    pub fn waiting(&self, queue: &Effective<'a>) -> Option<Waiting<'a>> {
        match self.holders(queue.name).first() {
            Some(delay) => Some(Waiting::ForDelay(&delay.name)),
            None if queue.ttl().is_some() && queue.dead_letters().is_some() => {
                Some(Waiting::Perhaps)
            }
            None => None,
        }
    }

    /// The delays that hold messages in this queue.
    pub fn holders(&self, queue: &str) -> &[&'a Delay] {
        self.holders.get(queue).map_or(&[], Vec::as_slice)
    }

    /// Whether messages bring a TTL of their own into this queue.
    pub fn has_message_ttl(&self, queue: &str) -> bool {
        let mut holders = self.holders(queue).iter();
        holders.any(|delay| matches!(delay.strategy, Strategy::PerMessageTtl(_)))
    }

    /// The longest that a message waits in this queue, as far as the file knows; `None`: messages do
    /// not expire there.
    pub fn longest_wait(&self, queue: &Effective<'a>) -> Option<Millis> {
        let of_messages = self.has_message_ttl(queue.name).then_some(TTL_MAX_MS);
        queue.ttl().map(|setting| setting.value).or(of_messages).map(Millis)
    }

    /// Whether a consumer of this queue is known of.
    pub fn is_consumed(&self, queue: &str) -> bool {
        self.consumed.contains(queue)
    }

    /// Whether this exchange belongs to a delay of the file.
    pub fn is_of_delay(&self, exchange: &str) -> bool {
        self.delay_exchanges.contains(exchange)
    }

    /// Whether the broker's version is at least this one, where it is known.
    pub fn is_at_least(&self, version: Version) -> Option<bool> {
        self.version.map(|broker| broker >= version)
    }

    /// The field that a setting of a queue comes from.
    pub fn field<T>(&self, queue: &str, argument: &str, setting: &Setting<'a, T>) -> String {
        match setting.policy {
            Some(policy) => {
                format!("policies.{policy}.definition.{}", argument.trim_start_matches("x-"))
            }
            None => self.topology.fields.queue_argument(queue, argument),
        }
    }
}

//! `ladder`: any delay, without a plugin and without a message ever waiting behind a longer one.
//!
//! A delay is a number of steps of the `resolution`, and the number has digits. Each level of the
//! ladder stands for one digit: a topic exchange, and a queue for every value of the digit that is
//! not zero, whose TTL is digit × radix^level × resolution. The routing key holds the digits, most
//! significant first, then the address. At each level a message waits in its digit's queue and is
//! dead-lettered to the next level with its key unchanged; a zero digit passes by a binding,
//! without waiting. All messages in a queue wait equally long, so first in is first due.
//!
//! What distinguishes it from NServiceBus' and Celery's ladders, whose names it can also use
//! ([`Names`]):
//!
//! - The address is bound with the exact number of digits before it, so that no longer address with
//!   the same ending can match.
//! - What no binding takes goes to a parking queue, from every level. Without it, 32 unroutable
//!   messages would stall an at-least-once queue, and with it everybody's delays.
//! - Delays are rounded up, never down: nothing is early.
//! - An exchange as the target gets messages with the target's own routing key.
//!
//! **The address** is the name of the queue that the last exchange delivers into. Queue names are
//! unique, so addresses cannot collide. For a queue as the target it is that queue, without another
//! hop; the message keeps the ladder's key. For an exchange as the target a key of digits would
//! match nothing there (or, on a topic exchange, too much), so the last exchange delivers into a
//! queue of TTL 0 that dead-letters to the target with its routing key: one hop more. What cannot
//! be delivered there stalls only the one delay.
//!
//! Waiting queues take no length limit: a full level would hold up, or lose, what is on its way
//! down from the levels above.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::waiting::Waiting;
use super::{CannotDelay, Contract, QueueType, Rounding, Target, count, is_default};
use crate::duration::Millis;
use crate::message::Route;
use crate::objects::{Binding, Clash, Destination, Exchange, Objects, Queue, argument, overflow};

mod choose;
mod names;
mod problems;
mod shape;

pub use choose::{Bound, Cost, Unattainable, choose, frontier};
pub use names::Names;
pub use shape::Shape;

/// `ladder`: any delay, without a plugin, in levels of queues with a fixed TTL each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of its fields, like `{max: 1d}` or `{}`")]
pub struct Ladder {
    /// The step that delays are rounded up to, at least 1 ms; default 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Millis>,
    /// The longest delay; default 1 d, or all that the foreign `names` offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Millis>,
    /// The number of values of a digit, 2 to 256; default 2.
    #[serde(default, deserialize_with = "count")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radix: Option<u64>,
    /// Instead of `radix`: take the one with the fewest hops that needs at most so many queues.
    #[serde(default, deserialize_with = "count")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_queues: Option<u64>,
    /// Instead of `radix`: take the one with the fewest queues that needs at most so many hops.
    #[serde(default, deserialize_with = "count")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_hops: Option<u64>,
    /// What the names of all objects begin with; default `{name}.ladder`. Delays with the same
    /// prefix and parameters share one ladder; with other parameters they clash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Whose names and arguments the objects have; default delayctl's own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub names: Names,
    /// The queues' type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue_type: QueueType,
    /// The address; default the name of the queue that the last exchange delivers into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// With an exchange as the target: the queue of TTL 0 before it; default `{name}.due`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_queue: Option<String>,
}

/// A waiting queue of a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The digit's place: its weight is radix^level.
    pub level: u32,
    /// The digit's value, not 0.
    pub digit: u64,
    /// The queue.
    pub queue: String,
    /// How long each message waits here.
    pub ttl: Millis,
    /// A message here is due at the latest this long from now: it came just now, and all lower
    /// digits have their highest value. (At the earliest it is due at once: its time here is up,
    /// and all lower digits are zero.)
    pub latest: Millis,
}

impl Ladder {
    /// Digits, TTLs and routing keys.
    pub fn shape(&self) -> Shape {
        if self.names.is_foreign() {
            return Names::FOREIGN_SHAPE;
        }
        let (resolution, max) = (self.resolution_or_default(), self.max_or_default());
        Shape::new(resolution, max, self.radix_or_chosen().unwrap_or(2))
    }

    /// What this ladder costs. An exchange as the target adds a queue and a hop for each delay.
    pub fn cost(&self) -> Cost {
        Cost::of(&self.shape())
    }

    /// Its waiting queues, the highest level first.
    pub fn rungs(&self, name: &str) -> Vec<Rung> {
        let (shape, prefix) = (self.shape(), self.prefix_or_default(name));
        let mut rungs = Vec::new();
        for level in shape.descending() {
            for digit in 1..=shape.top_digit(level) {
                let ttl = shape.ttl_ms(level, digit);
                let below = shape.ttl_ms(level, 1) - shape.resolution_ms;
                rungs.push(Rung {
                    level,
                    digit,
                    queue: self.names.queue(&prefix, level, digit),
                    ttl: Millis(ttl),
                    latest: Millis(ttl + below),
                });
            }
        }
        rungs
    }

    /// The queue that collects what no binding takes; foreign ladders have none.
    pub fn parking(&self, name: &str) -> Option<String> {
        let own = !self.names.is_foreign();
        own.then(|| format!("{}.parking", self.prefix_or_default(name)))
    }

    /// What follows the digits in the routing key.
    pub fn address(&self, name: &str, target: &Target) -> String {
        match (&self.address, target) {
            (Some(address), _) => address.clone(),
            (None, Target::Queue(queue)) => queue.clone(),
            (None, Target::Exchange { exchange, routing_key }) => match self.names {
                Names::Delayctl => self.due_queue_or_default(name),
                Names::Nservicebus => exchange.clone(),
                Names::Celery => routing_key.clone(),
            },
        }
    }

    fn resolution_or_default(&self) -> Millis {
        self.resolution.unwrap_or(Millis(1000))
    }

    fn max_or_default(&self) -> Millis {
        let all = Names::FOREIGN_SHAPE;
        let default =
            if self.names.is_foreign() { all.top * all.resolution_ms } else { 86_400_000 };
        self.max.unwrap_or(Millis(default))
    }

    fn radix_or_chosen(&self) -> Result<u64, Unattainable> {
        let bound = match (self.radix, self.max_queues, self.max_hops) {
            (Some(radix), ..) => return Ok(radix),
            (None, Some(queues), _) => Bound::Queues(queues),
            (None, None, Some(hops)) => Bound::Hops(hops),
            (None, None, None) => return Ok(2),
        };
        let chosen = choose(self.resolution_or_default(), self.max_or_default(), bound)?;
        Ok(chosen.radix)
    }

    fn prefix_or_default(&self, name: &str) -> String {
        let default =
            if self.names.is_foreign() { String::new() } else { format!("{name}.ladder") };
        self.prefix.clone().unwrap_or(default)
    }

    fn due_queue_or_default(&self, name: &str) -> String {
        self.due_queue.clone().unwrap_or_else(|| format!("{name}.due"))
    }

    fn waiting_queue(&self, ttl_ms: u64, next: &str) -> Queue {
        let mut queue = Queue::default()
            .with(argument::QUEUE_TYPE, self.queue_type.as_str())
            .with(argument::MESSAGE_TTL, ttl_ms)
            .with(argument::DEAD_LETTER_EXCHANGE, next);
        let quorum = self.queue_type == QueueType::Quorum;
        if quorum {
            queue = queue.with(argument::DEAD_LETTER_STRATEGY, "at-least-once");
        }
        if quorum || self.names == Names::Celery {
            queue = queue.with(argument::OVERFLOW, overflow::REJECT_PUBLISH);
        }
        queue
    }

    fn level_objects(&self, objects: &mut Objects, prefix: &str) -> Result<(), Clash> {
        let shape = self.shape();
        let last = self.names.last_exchange(prefix, shape.levels);
        for level in shape.descending() {
            let here = self.names.exchange(prefix, level);
            let next = match level.checked_sub(1) {
                Some(below) => self.names.exchange(prefix, below),
                None => last.clone(),
            };
            objects.add_exchange(&here, self.exchange(prefix))?;
            for digit in 1..=shape.top_digit(level) {
                let queue = self.names.queue(prefix, level, digit);
                let ttl = shape.ttl_ms(level, digit);
                objects.add_queue(&queue, self.waiting_queue(ttl, &next))?;
                let pattern = shape.pattern(level, digit);
                objects.add_binding(Binding::to_queue(&here, &queue, &pattern));
            }
            objects.add_binding(Binding::to_exchange(&here, &next, &shape.pattern(level, 0)));
        }
        objects.add_exchange(&last, self.exchange(prefix))
    }

    /// A level's exchange. A key with a digit that the level does not have is parked like an
    /// address that nobody is bound to: below the first level it would stall the level above.
    fn exchange(&self, prefix: &str) -> Exchange {
        let exchange = Exchange::durable("topic");
        if self.names.is_foreign() {
            return exchange;
        }
        exchange.with(argument::ALTERNATE_EXCHANGE, format!("{prefix}.unrouted"))
    }

    fn parking_objects(&self, objects: &mut Objects, name: &str) -> Result<(), Clash> {
        let Some(parking) = self.parking(name) else { return Ok(()) };
        let unrouted = format!("{}.unrouted", self.prefix_or_default(name));
        objects.add_exchange(&unrouted, Exchange::durable("fanout"))?;
        let queue = Queue::default().with(argument::QUEUE_TYPE, self.queue_type.as_str());
        objects.add_queue(&parking, queue)?;
        objects.add_binding(Binding::to_queue(&unrouted, &parking, ""));
        Ok(())
    }

    fn target_objects(
        &self,
        objects: &mut Objects,
        name: &str,
        target: &Target,
    ) -> Result<(), Clash> {
        let (shape, prefix) = (self.shape(), self.prefix_or_default(name));
        let last = self.names.last_exchange(&prefix, shape.levels);
        let destination = match target {
            Target::Queue(queue) => Destination::Queue(queue.clone()),
            Target::Exchange { exchange, .. } if self.names.is_foreign() => {
                Destination::Exchange(exchange.clone())
            }
            Target::Exchange { .. } => {
                let due = self.due_queue_or_default(name);
                let waiting = Waiting {
                    target,
                    ttl: Some(Millis(0)),
                    queue_type: self.queue_type,
                    max_length: None,
                    overflow: None,
                };
                objects.add_queue(&due, waiting.queue())?;
                Destination::Queue(due)
            }
        };
        let pattern = self.names.address_pattern(&shape, &self.address(name, target));
        objects.add_binding(Binding::new(&last, destination, &pattern));
        Ok(())
    }
}

impl Contract for Ladder {
    fn problems(&self, name: &str, target: &Target) -> Vec<(String, String)> {
        problems::find(self, name, target)
    }

    fn compile(&self, name: &str, target: &Target) -> Result<Objects, Clash> {
        let mut objects = Objects::default();
        self.parking_objects(&mut objects, name)?;
        self.level_objects(&mut objects, &self.prefix_or_default(name))?;
        self.target_objects(&mut objects, name, target)?;
        Ok(objects)
    }

    /// Rounds the delay up to the resolution, whatever `_rounding` says: that is what a resolution
    /// is. The route's `delay_ms` tells the result.
    fn route(
        &self,
        name: &str,
        target: &Target,
        delay: Millis,
        _rounding: Rounding,
    ) -> Result<Route, CannotDelay> {
        let max = self.max_or_default();
        if delay > max {
            return Err(CannotDelay::TooLong { delay, max, why: "the ladder's `max`" });
        }
        let shape = self.shape();
        let units = shape.units(delay);
        let key = shape.key(units, &self.address(name, target));
        let entry = self.names.exchange(&self.prefix_or_default(name), shape.entry_level(units));
        Ok(Route::plain(&entry, &key, Millis(units * shape.resolution_ms)))
    }

    fn offers(&self) -> String {
        let step = Millis(self.shape().resolution_ms);
        format!("any up to {}, rounded up to {step}", self.max_or_default())
    }
}

#[cfg(test)]
mod tests;

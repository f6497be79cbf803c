//! A copy of a topology under other names and in quicker (or slower) motion, for demonstrations.

use crate::message::Route;
use crate::objects::{Binding, Destination, Objects, Value, argument, predeclared_type};

/// How the copy differs from the original.
#[derive(Clone, Debug)]
pub struct Copy {
    /// Put before the name of every exchange and queue.
    pub prefix: String,
    /// Every time is multiplied by this.
    pub scale: f64,
}

impl Copy {
    /// A time of the copy, in milliseconds. It is rounded up: rounded down it would be early.
    pub fn time(&self, ms: u64) -> u64 {
        // 2^53 ms are 285,000 years: every delay is exact in an f64.
        (ms as f64 * self.scale).ceil() as u64
    }

    /// The name that an object of the copy has. Exchanges that every vhost has keep theirs.
    pub fn name(&self, name: &str) -> String {
        match predeclared_type(name) {
            Some(_) => name.to_owned(),
            None => format!("{}{name}", self.prefix),
        }
    }

    /// The routing key that leads where `key` led: to the default exchange it is a queue's name.
    fn key(&self, exchange: &str, key: &str) -> String {
        if exchange.is_empty() { self.name(key) } else { key.to_owned() }
    }

    /// The copied objects. Policies are left out: they would reach beyond the copy.
    pub fn objects(&self, original: &Objects) -> Objects {
        let mut copy = Objects::default();
        for (name, exchange) in &original.exchanges {
            let mut exchange = exchange.clone();
            if let Some(alternate) = exchange.alternate().map(|name| self.name(name)) {
                exchange = exchange.with(argument::ALTERNATE_EXCHANGE, alternate);
            }
            copy.exchanges.insert(self.name(name), exchange);
        }
        for (name, queue) in &original.queues {
            let mut queue = queue.clone();
            if let Some(ttl) = queue.message_ttl() {
                queue = queue.with(argument::MESSAGE_TTL, self.time(ttl));
            }
            if let Some(to) = queue.dead_letter() {
                let exchange = self.name(to.exchange);
                let key = to.routing_key.map(|key| self.key(to.exchange, key));
                queue.arguments.insert(argument::DEAD_LETTER_EXCHANGE.to_owned(), exchange.into());
                let name = argument::DEAD_LETTER_ROUTING_KEY.to_owned();
                queue.arguments.extend(key.map(|key| (name, Value::Str(key))));
            }
            copy.queues.insert(self.name(name), queue);
        }
        copy.bindings.extend(original.bindings.iter().map(|binding| self.binding(binding)));
        copy
    }

    fn binding(&self, original: &Binding) -> Binding {
        Binding {
            source: self.name(&original.source),
            destination: match &original.destination {
                Destination::Queue(name) => Destination::Queue(self.name(name)),
                Destination::Exchange(name) => Destination::Exchange(self.name(name)),
            },
            ..original.clone()
        }
    }

    /// The route through the copy.
    pub fn route(&self, original: &Route) -> Route {
        Route {
            exchange: self.name(&original.exchange),
            routing_key: self.key(&original.exchange, &original.routing_key),
            expiration: original.expiration.map(|ms| self.time(ms)),
            plugin_delay: original.plugin_delay.map(|ms| self.time(ms)),
            mandatory: original.mandatory,
            delay_ms: self.time(original.delay_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duration::Millis;
    use crate::routing::{Headers, Router};
    use crate::strategy::Rounding;

    #[test]
    fn a_copy_routes_as_the_original_does() {
        let text = "
            queues: { done: {} }
            exchanges: { dlx: { type: direct, alternate: rest }, rest: fanout }
            bindings: [ { source: dlx, queue: done, routing_key: k } ]
            delays:
              a: { target: { queue: done }, tiers: { delays: [1s], exchange: '' } }
              b: { target: { exchange: dlx, routing_key: k }, tiers: { delays: [1s] } }";
        let topology = crate::topology::parse(text).unwrap();
        let copy = Copy { prefix: "demo.".to_owned(), scale: 0.25 };
        let objects = copy.objects(&topology.objects);
        for delay in topology.delays.values() {
            let route = copy.route(&delay.route(Millis(1000), Rounding::Exact).unwrap());
            let router = Router::new(&objects);
            let path = router.path(&route.exchange, &route.routing_key, &Headers::new());
            let wait = format!("demo.{}.1s", delay.name);
            assert_eq!(path.queues.keys().collect::<Vec<_>>(), [&wait, "demo.done"]);
            assert_eq!(path.queues[&wait].message_ttl(), Some(250));
            assert_eq!(route.delay_ms, 250);
        }
        assert_eq!(objects.exchanges["demo.dlx"].alternate(), Some("demo.rest"));
    }
}

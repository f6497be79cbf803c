//! Whether a converted file can take over from the old one on a live broker.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::{ConvertError, plugin};
use crate::duration::Millis;
use crate::objects::Objects;
use crate::routing::{Headers, Router};
use crate::strategy::Rounding;
use crate::topology::Topology;

/// Both files can be declared at the same time, and no delay reaches fewer queues than before.
pub fn check(old: &Topology, new: &Topology) -> Result<(), ConvertError> {
    match conflict(&old.objects, &new.objects) {
        Some(object) => Err(ConvertError::Conflict(object)),
        None => loss(old, new).map_or(Ok(()), Err),
    }
}

/// An object that both have under one name, and that is not the same.
fn conflict(old: &Objects, new: &Objects) -> Option<String> {
    let exchange = differing(&old.exchanges, &new.exchanges);
    let queue = differing(&old.queues, &new.queues);
    let exchange = exchange.map(|name| format!("exchange `{name}`"));
    exchange.or_else(|| queue.map(|name| format!("queue `{name}`")))
}

fn differing<'a, T: PartialEq>(
    old: &'a IndexMap<String, T>,
    new: &IndexMap<String, T>,
) -> Option<&'a String> {
    let differs = |(name, it): &(&String, &T)| new.get(*name).is_some_and(|other| other != *it);
    old.iter().find(differs).map(|(name, _)| name)
}

/// A queue that a delay reaches through the plugin, and from its target alone does not.
fn loss(old: &Topology, new: &Topology) -> Option<ConvertError> {
    let (before, after) = (Router::new(&old.objects), Router::new(&new.objects));
    old.delays.values().filter(|delay| plugin(delay).is_some()).find_map(|delay| {
        let route = delay.route(Millis(1), Rounding::Up).ok()?;
        let none = Headers::new();
        let reached = before.route(&route.exchange, &route.routing_key, &none);
        let kept = after.route(delay.target.exchange(), delay.target.routing_key(), &none);
        let kept: BTreeSet<_> = kept.into_iter().collect();
        let lost = reached.into_iter().find(|queue| !kept.contains(queue))?;
        Some(ConvertError::Loses { delay: delay.name.clone(), queue: lost.to_owned() })
    })
}

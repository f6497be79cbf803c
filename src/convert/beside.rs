//! Whether a converted file can take over from the old one on a live broker.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::{ConvertError, plugin};
use crate::duration::Millis;
use crate::objects::Objects;
use crate::routing::{Headers, Router};
use crate::strategy::Rounding;
use crate::topology::Topology;

/// Both files can be declared at the same time, and every delay reaches the same queues as before.
pub fn check(old: &Topology, new: &Topology) -> Result<(), ConvertError> {
    match conflict(&old.objects, &new.objects) {
        Some(object) => Err(ConvertError::Conflict(object)),
        None if reach_the_same(old, new) => Ok(()),
        None => Err(ConvertError::Different),
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

/// Whether each delay reaches from its new target what it reaches through the plugin.
fn reach_the_same(old: &Topology, new: &Topology) -> bool {
    let (before, after) = (Router::new(&old.objects), Router::new(&new.objects));
    old.delays.values().filter(|delay| plugin(delay).is_some()).all(|delay| {
        let Ok(route) = delay.route(Millis(1), Rounding::Up) else { return false };
        let Some(target) = new.delays.get(&delay.name).map(|delay| &delay.target) else {
            return false;
        };
        let none = Headers::new();
        let reached = before.route(&route.exchange, &route.routing_key, &none);
        let kept = after.route(target.exchange(), target.routing_key(), &none);
        reached.into_iter().collect::<BTreeSet<_>>() == kept.into_iter().collect()
    })
}

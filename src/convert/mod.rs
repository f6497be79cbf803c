//! A topology file that uses the delayed-message plugin, rewritten for plain queues.
//!
//! [`convert`] replaces the `delayed_exchange` of each delay by another strategy and touches nothing
//! else in the text: comments, order and all other names stay. The queues stay, so consumers keep
//! theirs. Publishers get another route, which `delayctl route` tells. The targets stay as well, but
//! for an exchange of the plugin that leads to more than they do: see `outlet`.

mod beside;
mod comments;
mod edit;
mod error;
mod outlet;
mod section;

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::duration::Millis;
use crate::objects::{DELAYED_MESSAGE_TYPE, Exchange};
use crate::strategy::{Delay, DelayedExchange, Ladder, Rounding, Strategy, Tier, Tiers};
use crate::topology::{self, Topology};

pub use comments::on_the_plugin;
pub use error::ConvertError;

/// What the plugin's exchanges are replaced by.
#[derive(Clone, Debug)]
pub enum To {
    /// `ladder`: any delay up to `max`. Several delays share one ladder.
    Ladder {
        /// The step that delays are rounded up to.
        resolution: Millis,
        /// The longest delay.
        max: Millis,
        /// The number of values of a digit.
        radix: u64,
        /// What the names begin with; default the delay's own, or one for all of several delays.
        prefix: Option<String>,
    },
    /// `tiers`: these delays and no others.
    Tiers(Vec<Millis>),
}

/// Rewrites the text of a file, which was read as `topology`. The result has been read again and
/// says what it should; it can be declared while all of the old file is in place, and every delay
/// reaches the same queues.
///
/// # Errors
/// [`ConvertError`] when there is nothing to do, or it cannot be done within the text.
pub fn convert(text: &str, topology: &Topology, to: &To) -> Result<String, ConvertError> {
    let old: Vec<_> = topology.delays.values().filter_map(plugin).collect();
    if old.is_empty() {
        return Err(nothing_to_convert(topology));
    }
    let outlets = outlet::find(topology, &old.iter().map(|(delay, _)| *delay).collect::<Vec<_>>())?;
    let mut wanted = topology.delays.clone();
    let converted = wanted.values_mut().filter(|delay| plugin(delay).is_some());
    for (delay, strategy) in converted.zip(strategies(to, &old)) {
        let target = outlets.iter().find_map(|outlet| outlet.target(delay));
        delay.target = target.unwrap_or_else(|| delay.target.clone());
        delay.strategy = strategy;
    }
    let mut result = write_strategies(text, &old, &wanted)?;
    if !outlets.is_empty() {
        result = write_targets(&result, topology, &wanted)?;
    }
    for outlet in &outlets {
        result = outlet.write(&result)?;
    }
    let gone: BTreeSet<_> = old.iter().filter_map(|(delay, _)| entry(delay)).collect();
    let found = match topology::parse(&result) {
        Ok(found) => found,
        Err(error) => return Err(ConvertError::Result { error, gone }),
    };
    let exchanges = &found.objects.exchanges;
    let is_plugins = |name: &String| exchanges.get(name).is_some_and(is_plugins);
    if let Some(name) = gone.iter().find(|name| is_plugins(name)) {
        return Err(ConvertError::Declared(name.clone()));
    }
    let says_it = found.delays == wanted
        && outlets.iter().all(|outlet| outlet.is_in(&found.objects))
        && keeps_the_rest(topology, &found, &gone);
    if !says_it {
        return Err(ConvertError::Different);
    }
    beside::check(topology, &found)?;
    Ok(result)
}

/// Whether all is there that is not of the plugin.
fn keeps_the_rest(old: &Topology, found: &Topology, gone: &BTreeSet<String>) -> bool {
    let (before, after) = (&old.objects, &found.objects);
    let mut bindings = before.bindings.iter().filter(|binding| !gone.contains(&binding.source));
    let mut exchanges = before.exchanges.keys().filter(|name| !gone.contains(*name));
    exchanges.all(|name| after.exchanges.contains_key(name))
        && before.queues.keys().all(|name| after.queues.contains_key(name))
        && bindings.all(|binding| after.bindings.contains(binding))
        && before.policies == after.policies
        && found.vhost == old.vhost
}

/// The text with the new strategies in the places of the old.
fn write_strategies(
    text: &str,
    old: &[(&Delay, &DelayedExchange)],
    wanted: &IndexMap<String, Delay>,
) -> Result<String, ConvertError> {
    let blocks = edit::blocks(text, "delayed_exchange");
    if blocks.len() != old.len() {
        let (delay, _) = old.get(blocks.len()).unwrap_or(&old[0]);
        let what = format!("`delayed_exchange` of delay `{}`", delay.name);
        return Err(ConvertError::NotFound(what));
    }
    let new = old.iter().map(|(delay, _)| &wanted[&delay.name].strategy);
    let written = new.map(|new| format!("{}: {}", new.key(), topology::flow(&new.to_json())));
    Ok(edit::replace(text, &blocks, written))
}

/// The text with the new targets in the places of those that differ.
fn write_targets(
    text: &str,
    old: &Topology,
    wanted: &IndexMap<String, Delay>,
) -> Result<String, ConvertError> {
    let blocks = edit::blocks(text, "target");
    if blocks.len() != wanted.len() {
        return Err(ConvertError::NotFound("the `target` of each delay".to_owned()));
    }
    let delays = old.delays.values().zip(wanted.values());
    let written = delays.zip(&blocks).map(|((before, after), block)| {
        if before.target == after.target {
            return text[block.clone()].to_owned();
        }
        format!("target: {}", topology::flow(&topology::target_as_json(&after.target)))
    });
    Ok(edit::replace(text, &blocks, written))
}

fn nothing_to_convert(topology: &Topology) -> ConvertError {
    let mut exchanges = topology.objects.exchanges.iter();
    let found = exchanges.find(|(_, exchange)| is_plugins(exchange));
    let inner = |exchange: &Exchange| exchange.routing_type().to_owned();
    let exchange = found.map(|(name, exchange)| (name.clone(), inner(exchange)));
    ConvertError::NothingToConvert { exchange }
}

fn is_plugins(exchange: &Exchange) -> bool {
    exchange.kind == DELAYED_MESSAGE_TYPE
}

fn plugin(delay: &Delay) -> Option<(&Delay, &DelayedExchange)> {
    match &delay.strategy {
        Strategy::DelayedExchange(strategy) => Some((delay, strategy)),
        _ => None,
    }
}

/// Several delays share one ladder: its levels are the same for all.
fn shared_prefix(old: &[(&Delay, &DelayedExchange)]) -> Option<String> {
    let [(_, first), _, ..] = old else { return None };
    let exchange = first.exchange.as_ref();
    let shared = exchange.filter(|_| old.iter().all(|(_, s)| s.exchange == first.exchange));
    Some(shared.map_or_else(|| "delays.ladder".to_owned(), |exchange| format!("{exchange}.ladder")))
}

/// The new strategy of each delay. No exchange has the name of one that goes.
fn strategies(to: &To, old: &[(&Delay, &DelayedExchange)]) -> Vec<Strategy> {
    let prefix = shared_prefix(old);
    let taken: BTreeSet<_> = old.iter().filter_map(|(delay, _)| entry(delay)).collect();
    let named = |(delay, _): &(&Delay, &DelayedExchange)| match strategy(to, prefix.as_deref()) {
        Strategy::Tiers(tiers) => Strategy::Tiers(beside_exchanges(tiers, delay, &taken)),
        strategy => strategy,
    };
    old.iter().map(named).collect()
}

/// Tiers with an exchange of another name, if theirs is taken.
fn beside_exchanges(tiers: Tiers, delay: &Delay, taken: &BTreeSet<String>) -> Tiers {
    let converted = Delay { strategy: Strategy::Tiers(tiers.clone()), ..delay.clone() };
    let clashes = entry(&converted).is_some_and(|name| taken.contains(&name));
    let exchange = clashes.then(|| format!("{}.tiers", delay.name));
    Tiers { exchange, ..tiers }
}

/// The exchange that a delay's messages are published to.
fn entry(delay: &Delay) -> Option<String> {
    Some(delay.route(Millis(1), Rounding::Up).ok()?.exchange)
}

fn strategy(to: &To, shared: Option<&str>) -> Strategy {
    match to {
        To::Ladder { resolution, max, radix, prefix } => Strategy::Ladder(Ladder {
            resolution: Some(*resolution),
            max: Some(*max),
            radix: Some(*radix),
            prefix: prefix.clone().or_else(|| shared.map(str::to_owned)),
            ..Ladder::default()
        }),
        To::Tiers(delays) => {
            let tiers = delays.iter().map(|delay| Tier { delay: *delay, queue: None });
            Strategy::Tiers(Tiers::of(tiers.collect()))
        }
    }
}

#[cfg(test)]
mod tests;

//! A topology file that uses the delayed-message plugin, rewritten for plain queues.
//!
//! [`convert`] replaces the `delayed_exchange` of each delay by another strategy and touches nothing
//! else in the text: comments, order and all other names stay. The queues stay, so consumers keep
//! theirs. Publishers get another route, which `delayctl route` tells. The targets stay as well, but
//! for an exchange of the plugin that leads to more than they do: see `outlet`.

mod beside;
mod edit;
mod outlet;
mod section;

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::duration::Millis;
use crate::objects::{DELAYED_MESSAGE_TYPE, Exchange};
use crate::strategy::{Delay, DelayedExchange, Ladder, Rounding, Strategy, Tier, Tiers};
use crate::topology::{self, Problem, ProblemKind, Topology};

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

/// Why a file was not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// Nothing to do.
    #[error("no delay of the file uses `delayed_exchange`")]
    NothingToConvert {
        /// An exchange of the plugin that the file declares all the same, and its inner type.
        exchange: Option<(String, String)>,
    },
    /// The text of something was not found in the file.
    #[error("cannot tell where in the text {0} stands")]
    NotFound(String),
    /// The result would be wrong in itself.
    #[error("the converted file would be wrong:\n{error}")]
    Result {
        /// How.
        error: topology::Error,
        /// The plugin's exchanges that go.
        gone: BTreeSet<String>,
    },
    /// A binding of the plugin's exchange that no delay's messages come by.
    #[error(
        "what binding `{exchange}` → `{to}` with key `{key}` takes is published by no delay of the \
         file, and would have no way any more"
    )]
    Unused {
        /// The plugin's exchange.
        exchange: String,
        /// Its inner type.
        kind: String,
        /// The queue or exchange that is bound.
        to: String,
        /// The binding's key.
        key: String,
    },
    /// The result would still have an exchange of the plugin for a delay that uses it no more.
    #[error("exchange `{0}` would still be one of the plugin: `exchanges` declares it, too")]
    Declared(String),
    /// The result could not be declared while the old objects are still there.
    #[error("{0} would be another than the one that the file has already")]
    Conflict(String),
    /// The result would say something else.
    #[error("the converted file would not say what it should")]
    Different,
}

impl ConvertError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ConvertError::Result { error, gone } => referred_to(error, gone),
            ConvertError::NothingToConvert { exchange: Some((exchange, kind)) } => {
                let hint = a_delay_for_each_key(exchange, kind);
                Some(format!("take `{exchange}` out of `exchanges`; {hint}"))
            }
            ConvertError::Unused { exchange, kind, .. } => {
                Some(a_delay_for_each_key(exchange, kind))
            }
            ConvertError::NothingToConvert { exchange: None } => None,
            ConvertError::Declared(exchange) => Some(format!(
                "take `{exchange}` out of `exchanges`: the delay's `delayed_exchange` declares it"
            )),
            ConvertError::Conflict(_) => {
                Some("choose other names, such as another `--prefix`".to_owned())
            }
            ConvertError::NotFound(_) | ConvertError::Different => {
                let forms = "write sections, targets and strategies as `key: {…}` or as blocks, \
                             their keys without quotes and anchors";
                Some(forms.to_owned())
            }
        }
    }
}

/// Only a delay gets a new route, and it has one routing key.
fn a_delay_for_each_key(exchange: &str, kind: &str) -> String {
    if kind == "headers" {
        return format!(
            "headers decide there, so write it by hand: a headers exchange of another name that \
             all is bound to as it is to `{exchange}`, and a delay with a `ladder` that has it as \
             the target"
        );
    }
    format!(
        "under `delays`, write one for each routing key that publishers use there: `NAME: {{ target: \
         {{ queue: QUEUE }}, delayed_exchange: {{ exchange: {exchange}, type: {kind}, routing_key: \
         KEY }} }}`"
    )
}

/// What refers to an exchange of the plugin, other than its bindings.
fn referred_to(error: &topology::Error, gone: &BTreeSet<String>) -> Option<String> {
    let topology::Error::Invalid(problems) = error else { return None };
    problems.iter().find_map(|Problem { field, kind }| match kind {
        ProblemKind::NoSuchName { name, .. } if gone.contains(name) => Some(format!(
            "the plugin's exchange `{name}` goes: let `{field}` name the exchange and the routing key \
             that `delayctl route` prints for the converted delay, or its target"
        )),
        _ => None,
    })
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
    let says_it = found.delays == wanted && found.vhost == topology.vhost;
    if !says_it || !outlets.iter().all(|outlet| outlet.is_in(&found.objects)) {
        return Err(ConvertError::Different);
    }
    beside::check(topology, &found)?;
    Ok(result)
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

//! A topology file that uses the delayed-message plugin, rewritten for plain queues.
//!
//! [`convert`] replaces the `delayed_exchange` of each delay by another strategy and touches nothing
//! else in the text: comments, order and all other names stay. The targets stay, so consumers keep
//! their queues. Publishers get another route, which `delayctl route` tells.

mod beside;
mod edit;

use std::collections::BTreeSet;

use crate::duration::Millis;
use crate::objects::DELAYED_MESSAGE_TYPE;
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
        /// An exchange of the plugin that the file declares all the same.
        exchange: Option<String>,
    },
    /// The text of a strategy was not found in the file.
    #[error("cannot tell where in the text `delayed_exchange` of delay `{0}` stands")]
    NotFound(String),
    /// The result would be wrong in itself.
    #[error("the converted file would be wrong:\n{0}")]
    Result(#[from] topology::Error),
    /// The result could not be declared while the old objects are still there.
    #[error("{0} would be another than the one that the file has already")]
    Conflict(String),
    /// The result would deliver to fewer queues.
    #[error(
        "through the plugin's exchange, delay `{delay}` reaches queue `{queue}` too, and would no \
         longer"
    )]
    Loses {
        /// The delay.
        delay: String,
        /// The queue that is not reached from its target.
        queue: String,
    },
    /// The result would say something else.
    #[error("the converted file would not say what it should")]
    Different,
}

impl ConvertError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        let dangling = |problem: &Problem| matches!(problem.kind, ProblemKind::NoSuchName { .. });
        match self {
            ConvertError::Result(topology::Error::Invalid(problems))
                if problems.iter().any(dangling) =>
            {
                Some("the plugin's exchange goes: lead what refers to it to the target first")
            }
            ConvertError::NothingToConvert { exchange: Some(_) } => Some(
                "write the plugin's exchange as the `delayed_exchange` of a delay; `capture` does \
                 that",
            ),
            ConvertError::NothingToConvert { exchange: None } | ConvertError::Result(_) => None,
            ConvertError::Conflict(_) => Some("choose other names, such as another `--prefix`"),
            ConvertError::Loses { .. } => {
                Some("make its target an exchange that all those queues are bound to")
            }
            ConvertError::NotFound(_) | ConvertError::Different => Some(
                "write each strategy as `delayed_exchange: {…}` or as a block, without anchors",
            ),
        }
    }
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
    let new = strategies(to, &old);
    let blocks = edit::blocks(text, "delayed_exchange");
    if blocks.len() != old.len() {
        let (delay, _) = old.get(blocks.len()).unwrap_or(&old[0]);
        return Err(ConvertError::NotFound(delay.name.clone()));
    }
    let written = new
        .iter()
        .map(|strategy| format!("{}: {}", strategy.key(), topology::flow(&strategy.to_json())));
    let result = edit::replace(text, &blocks, written);
    let found = topology::parse(&result)?;
    let mut wanted = topology.delays.clone();
    let converted = wanted.values_mut().filter(|delay| plugin(delay).is_some());
    converted.zip(new).for_each(|(delay, strategy)| delay.strategy = strategy);
    if found.delays != wanted || found.vhost != topology.vhost {
        return Err(ConvertError::Different);
    }
    beside::check(topology, &found)?;
    Ok(result)
}

fn nothing_to_convert(topology: &Topology) -> ConvertError {
    let mut exchanges = topology.objects.exchanges.iter();
    let found = exchanges.find(|(_, exchange)| exchange.kind == DELAYED_MESSAGE_TYPE);
    ConvertError::NothingToConvert { exchange: found.map(|(name, _)| name.clone()) }
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

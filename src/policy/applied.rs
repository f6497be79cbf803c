//! Which policy applies to a queue or an exchange.

use std::collections::HashMap;

use fancy_regex::Regex;

use super::effective::Effective;
use super::kind::Kind;
use crate::objects::{Objects, PREDECLARED, Policy, Queue, argument};
use crate::version::Version;

/// A policy with its pattern ready.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// The policy.
    pub policy: &'a Policy,
    /// `None` for a pattern that is no regular expression: RabbitMQ refuses the policy.
    pattern: Option<Regex>,
    /// The broker's; `None`: not known.
    version: Option<Version>,
}

impl Candidate<'_> {
    /// Whether its pattern can be read.
    pub fn is_readable(&self) -> bool {
        self.pattern.is_some()
    }

    /// Whether it is meant for a queue of this name and type, if its keys suit.
    pub fn is_meant_for_queue(&self, name: &str, kind: Kind) -> bool {
        let meant = match self.policy.apply_to.as_str() {
            "queues" | "all" => true,
            "classic_queues" => kind == Kind::Classic,
            "quorum_queues" => kind == Kind::Quorum,
            "streams" => kind == Kind::Stream,
            _ => false,
        };
        meant && self.matches(name)
    }

    /// Its keys that a queue of this type does not support.
    pub fn unsuited(&self, kind: Kind) -> Vec<&str> {
        let keys = self.policy.definition.keys().map(String::as_str);
        keys.filter(|key| !kind.supports(key, self.version)).collect()
    }

    fn matches(&self, name: &str) -> bool {
        // A pattern that backtracks without end counts as one that does not match.
        self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(name).unwrap_or(false))
    }
}

/// All policies, or all operator policies, the highest priority first. Between two of the same
/// priority RabbitMQ makes no promise; here the first given applies.
#[derive(Debug)]
pub struct Policies<'a>(Vec<Candidate<'a>>);

impl<'a> Policies<'a> {
    /// Makes these policies, given with their names, ready for a broker of this version; `None`: the
    /// newest.
    pub fn new(
        all: impl IntoIterator<Item = (&'a String, &'a Policy)>,
        version: Option<Version>,
    ) -> Self {
        let ready = all.into_iter().map(|(name, policy)| Candidate {
            name,
            policy,
            pattern: Regex::new(&policy.pattern).ok(),
            version,
        });
        let mut all: Vec<_> = ready.collect();
        all.sort_by_key(|candidate| std::cmp::Reverse(candidate.policy.priority));
        Policies(all)
    }

    /// The policies, the highest priority first.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate<'a>> {
        self.0.iter()
    }

    /// Those that could apply to a queue, the one that does first.
    pub fn for_queue(&self, name: &str, kind: Kind) -> impl Iterator<Item = &Candidate<'a>> {
        let meant = self.iter().filter(move |one| one.is_meant_for_queue(name, kind));
        meant.filter(move |one| one.unsuited(kind).is_empty())
    }

    /// The policy that applies to an exchange. Keys of queues do not keep it from one.
    pub fn for_exchange(&self, name: &str) -> Option<&Candidate<'a>> {
        self.iter().find(|candidate| {
            matches!(candidate.policy.apply_to.as_str(), "exchanges" | "all")
                && candidate.matches(name)
        })
    }

    /// A queue and the policy that applies to it. `default` is the vhost's type for queues that name
    /// none; a queue whose type is not known gets the policy of a classic queue.
    pub fn effective(
        &self,
        name: &'a str,
        queue: &'a Queue,
        default: Option<&str>,
    ) -> Effective<'a> {
        let kind = Kind::in_force(queue, default);
        let applied = self.for_queue(name, kind.unwrap_or(Kind::Classic)).next();
        Effective::new(name, queue, kind, applied)
    }

    /// The alternate exchanges in force, by the exchange they stand in for: an exchange's own
    /// argument beats the policy. A policy acts on predeclared exchanges too, but not on the default
    /// exchange (both measured on RabbitMQ 3.10, 4.0 and 4.3).
    pub fn alternates(&self, objects: &'a Objects) -> HashMap<&'a str, &'a str> {
        let of_policy = |name: &str| {
            let definition = &self.for_exchange(name)?.policy.definition;
            definition.get(argument::ALTERNATE_EXCHANGE)?.as_str()
        };
        let declared = objects.exchanges.iter().filter_map(|(name, exchange)| {
            Some((name.as_str(), exchange.alternate().or_else(|| of_policy(name))?))
        });
        let predeclared = PREDECLARED.into_iter();
        let predeclared = predeclared.filter_map(|name| Some((name, of_policy(name)?)));
        predeclared.chain(declared).collect()
    }
}

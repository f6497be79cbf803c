//! The policies that act on one object, with or without a file that has them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::applied::{Candidate, Policies};
use super::combine::{By, in_force, merged};
use super::kind::Kind;
use crate::objects::{Arguments, Policy, Value};

/// The policies that act on one object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Governed {
    /// The policy's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The operator policy's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_policy: Option<String>,
    /// What they set together, with keys as policies spell them.
    pub definition: Arguments,
}

/// What a policy does to an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The object has no such argument; the policy's value counts.
    Supplies,
    /// The object has another value, and the policy's counts.
    Overrides(Value),
}

impl Governed {
    /// A policy and an operator policy together; `None` when there is neither. The definition of a
    /// policy that a broker names may not have been seen.
    pub fn new(
        policy: Option<(&str, Option<&Policy>)>,
        operator: Option<&Candidate<'_>>,
    ) -> Option<Self> {
        let (name, policy) = policy.unzip();
        if name.is_none() && operator.is_none() {
            return None;
        }
        Some(Governed {
            policy: name.map(str::to_owned),
            operator_policy: operator.map(|one| one.name.to_owned()),
            definition: merged(policy.flatten(), operator.map(|one| one.policy)),
        })
    }

    /// Those of all these policies and operator policies that act on a queue.
    pub fn of_queue(
        policies: &Policies<'_>,
        operators: &Policies<'_>,
        name: &str,
        kind: Kind,
    ) -> Option<Self> {
        let policy = policies.for_queue(name, kind).next();
        Governed::new(policy.map(named), operators.for_queue(name, kind).next())
    }

    /// The one of all these policies that acts on an exchange. No operator policy does.
    pub fn of_exchange(policies: &Policies<'_>, name: &str) -> Option<Self> {
        Governed::new(policies.for_exchange(name).map(named), None)
    }

    /// The names of the policies, joined by ` + `.
    pub fn names(&self) -> String {
        let both = [&self.policy, &self.operator_policy];
        both.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" + ")
    }

    /// The value in force under an argument's name, such as `x-message-ttl`, and who gives it.
    pub fn in_force<'a>(
        &'a self,
        name: &str,
        arguments: &'a Arguments,
        kind: Option<Kind>,
    ) -> Option<(&'a Value, By)> {
        let given = self.definition.get(name.strip_prefix("x-").unwrap_or(name));
        in_force(name, arguments.get(name), given, kind)
    }

    /// What the policies change about an object's arguments, by the policy's key.
    pub fn effects<'a>(
        &'a self,
        arguments: &Arguments,
        kind: Option<Kind>,
    ) -> BTreeMap<&'a str, Effect> {
        let effect = |(key, given): (&'a String, &'a Value)| {
            let argument = format!("x-{key}");
            let own = arguments.get(key).or_else(|| arguments.get(&argument));
            let (value, by) = in_force(&argument, own, Some(given), kind)?;
            let effect = match own {
                None => Effect::Supplies,
                Some(own) if by == By::Policy && own != value => Effect::Overrides(own.clone()),
                Some(_) => return None,
            };
            Some((key.as_str(), effect))
        };
        self.definition.iter().filter_map(effect).collect()
    }
}

fn named<'c>(one: &'c Candidate<'_>) -> (&'c str, Option<&'c Policy>) {
    (one.name, Some(one.policy))
}

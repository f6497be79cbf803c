//! What a policy makes of a queue or an exchange.
//!
//! An object has at most one policy and one operator policy: of those that match, the one with the
//! highest priority. How a policy's value and an argument are combined depends on the key, and was
//! measured on RabbitMQ 3.10, 4.0 and 4.3: see [`Governed`].

use std::collections::BTreeMap;

use serde::Serialize;

use crate::objects::{Arguments, Policy, Value, argument};

/// Limits: of the policy's number and the argument's, the smaller counts.
const SMALLER_COUNTS: [&str; 5] = [
    argument::MESSAGE_TTL,
    argument::EXPIRES,
    argument::MAX_LENGTH,
    argument::MAX_LENGTH_BYTES,
    argument::DELIVERY_LIMIT,
];

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
    /// The value in force under an argument's name, such as `x-message-ttl`, and whether it is the
    /// policy's.
    pub fn in_force<'a>(
        &'a self,
        name: &str,
        arguments: &'a Arguments,
        is_quorum: bool,
    ) -> Option<(&'a Value, bool)> {
        let own = arguments.get(name);
        let given = self.definition.get(name.strip_prefix("x-").unwrap_or(name));
        match (own, given) {
            (own, None) => own.map(|value| (value, false)),
            (None, Some(value)) => Some((value, true)),
            (Some(own), Some(given)) if policy_counts(name, own, given, is_quorum) => {
                Some((given, true))
            }
            (Some(own), Some(_)) => Some((own, false)),
        }
    }

    /// What the policies change about an object's arguments, by the policy's key.
    pub fn effects<'a>(
        &'a self,
        arguments: &Arguments,
        is_quorum: bool,
    ) -> BTreeMap<&'a str, Effect> {
        let effect = |(key, given): (&'a String, &'a Value)| {
            let own = arguments.get(key).or_else(|| arguments.get(&format!("x-{key}")));
            let effect = match own {
                None => Effect::Supplies,
                Some(own) if own == given => return None,
                Some(own) if !policy_counts(&format!("x-{key}"), own, given, is_quorum) => {
                    return None;
                }
                Some(own) => Effect::Overrides(own.clone()),
            };
            Some((key.as_str(), effect))
        };
        self.definition.iter().filter_map(effect).collect()
    }
}

/// Whether of two values the policy's counts. A dead-letter exchange, key and strategy in the
/// arguments beat the policy's; so does `overflow`, except on a quorum queue.
fn policy_counts(name: &str, own: &Value, given: &Value, is_quorum: bool) -> bool {
    if SMALLER_COUNTS.contains(&name) {
        return match (own.as_u64(), given.as_u64()) {
            (Some(own), Some(given)) => given < own,
            _ => false,
        };
    }
    name == argument::OVERFLOW && is_quorum
}

/// A policy and an operator policy together: the operator's value counts, and of two limits the
/// smaller.
pub fn merged(policy: Option<&Policy>, operator: Option<&Policy>) -> Arguments {
    let mut all = policy.map(|policy| policy.definition.clone()).unwrap_or_default();
    for (key, value) in operator.iter().flat_map(|policy| &policy.definition) {
        let own = all.get(key);
        let is_limit = SMALLER_COUNTS.contains(&format!("x-{key}").as_str());
        let smaller = own.and_then(Value::as_u64).zip(value.as_u64());
        if !is_limit || smaller.is_none_or(|(own, operators)| operators < own) {
            all.insert(key.clone(), value.clone());
        }
    }
    all
}

/// The one of `policies` that acts on a queue of this name and type: the highest priority of those
/// that match. A pattern that cannot be read here matches nothing.
pub fn of_queue<'a>(
    policies: &'a BTreeMap<String, Policy>,
    name: &str,
    queue_type: &str,
) -> Option<(&'a str, &'a Policy)> {
    let matching = policies.iter().filter(|(_, policy)| {
        is_for_queues(&policy.apply_to, queue_type) && matches(&policy.pattern, name)
    });
    let highest = matching.max_by_key(|(_, policy)| policy.priority);
    highest.map(|(name, policy)| (name.as_str(), policy))
}

fn is_for_queues(apply_to: &str, queue_type: &str) -> bool {
    match apply_to {
        "all" | "queues" => true,
        "classic_queues" => queue_type == "classic",
        "quorum_queues" => queue_type == "quorum",
        "streams" => queue_type == "stream",
        _ => false,
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    fancy_regex::Regex::new(pattern).and_then(|pattern| pattern.is_match(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(pairs: &[(&str, Value)]) -> Arguments {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn what_counts() {
        let governed = Governed {
            definition: arguments(&[
                ("message-ttl", Value::Int(500)),
                ("max-length", Value::Int(10)),
                ("overflow", "drop-head".into()),
                ("dead-letter-exchange", "policy.dlx".into()),
            ]),
            ..Governed::default()
        };
        let own = arguments(&[
            ("x-message-ttl", Value::Int(1000)),
            ("x-max-length", Value::Int(5)),
            ("x-overflow", "reject-publish".into()),
        ]);
        for (quorum, overflow) in [(true, "drop-head"), (false, "reject-publish")] {
            let in_force = |name| governed.in_force(name, &own, quorum).map(|(v, _)| v.clone());
            assert_eq!(in_force("x-message-ttl"), Some(Value::Int(500)));
            assert_eq!(in_force("x-max-length"), Some(Value::Int(5)));
            assert_eq!(in_force("x-overflow"), Some(overflow.into()));
            assert_eq!(in_force("x-dead-letter-exchange"), Some("policy.dlx".into()));
            assert_eq!(in_force("x-expires"), None);
        }
        let effects = governed.effects(&own, false);
        assert_eq!(
            effects.into_iter().collect::<Vec<_>>(),
            [
                ("dead-letter-exchange", Effect::Supplies),
                ("message-ttl", Effect::Overrides(Value::Int(1000))),
            ]
        );
        assert!(governed.effects(&own, true).contains_key("overflow"));
    }

    #[test]
    fn operators_have_the_last_word() {
        let policy = |pairs: &[(&str, Value)]| Policy {
            pattern: "^q".to_owned(),
            apply_to: "queues".to_owned(),
            priority: 0,
            definition: arguments(pairs),
        };
        let user = policy(&[("max-length", Value::Int(5)), ("overflow", "drop-head".into())]);
        let operator =
            policy(&[("max-length", Value::Int(9)), ("overflow", "reject-publish".into())]);
        let both = merged(Some(&user), Some(&operator));
        assert_eq!(
            both,
            arguments(&[("max-length", Value::Int(5)), ("overflow", "reject-publish".into())])
        );
        assert_eq!(merged(None, Some(&operator)), operator.definition);
    }

    #[test]
    fn the_highest_priority_that_matches() {
        let policy = |pattern: &str, apply_to: &str, priority| Policy {
            pattern: pattern.to_owned(),
            apply_to: apply_to.to_owned(),
            priority,
            definition: Arguments::new(),
        };
        let policies = BTreeMap::from([
            ("low".to_owned(), policy("^order", "queues", 0)),
            ("high".to_owned(), policy("^order", "quorum_queues", 7)),
            ("other".to_owned(), policy("(?!order)^x", "all", 9)),
            ("exchanges".to_owned(), policy("", "exchanges", 99)),
        ]);
        let found = |name, kind| of_queue(&policies, name, kind).map(|(name, _)| name);
        assert_eq!(found("order.q", "quorum"), Some("high"));
        assert_eq!(found("order.q", "classic"), Some("low"));
        assert_eq!(found("x", "classic"), Some("other"));
        assert_eq!(found("bill", "classic"), None);
    }
}

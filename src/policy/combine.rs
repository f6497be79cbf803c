//! How two values for one thing are combined.

use super::kind::Kind;
use crate::objects::{Arguments, Policy, Value, argument};

/// Limits: of two numbers the smaller counts. Measured for the last two on RabbitMQ 4.3, which
/// brought them, for the others on 3.10, 4.0 and 4.3.
const SMALLER_COUNTS: [&str; 7] = [
    argument::MESSAGE_TTL,
    argument::EXPIRES,
    argument::MAX_LENGTH,
    argument::MAX_LENGTH_BYTES,
    argument::DELIVERY_LIMIT,
    argument::DELAYED_RETRY_MIN,
    argument::DELAYED_RETRY_MAX,
];

/// Who gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The queue's or exchange's own argument.
    Argument,
    /// A policy.
    Policy,
}

/// The value in force of those that an object's own argument and a policy give, and who gives it.
/// `name` is the argument's, such as `x-message-ttl`; `kind` is the queue's type, where it is known.
///
/// - Of two numbers that limit, the smaller counts.
/// - `overflow`: the argument's counts on a classic queue, the policy's on a quorum queue.
/// - `delayed-retry-type`: the policy's counts (measured on RabbitMQ 4.3).
/// - Of everything else, such as a dead-letter exchange, key and strategy, the argument's counts.
pub fn in_force<'v>(
    name: &str,
    own: Option<&'v Value>,
    given: Option<&'v Value>,
    kind: Option<Kind>,
) -> Option<(&'v Value, By)> {
    match (own, given) {
        (own, None) => own.map(|value| (value, By::Argument)),
        (None, Some(value)) => Some((value, By::Policy)),
        (Some(own), Some(given)) if given_counts(name, own, given, kind) => {
            Some((given, By::Policy))
        }
        (Some(own), Some(_)) => Some((own, By::Argument)),
    }
}

fn given_counts(name: &str, own: &Value, given: &Value, kind: Option<Kind>) -> bool {
    match name {
        argument::OVERFLOW => kind == Some(Kind::Quorum),
        argument::DELAYED_RETRY_TYPE => true,
        _ => SMALLER_COUNTS.contains(&name) && is_stricter(given, own),
    }
}

/// Whether a number limits more than another. A negative one, a delivery limit of −1, is no limit
/// (measured on RabbitMQ 4.0 and 4.3).
fn is_stricter(new: &Value, old: &Value) -> bool {
    match (new, old) {
        (Value::Int(new), Value::Int(old)) if *new < 0 || *old < 0 => new > old,
        (Value::Int(new), Value::Int(old)) => new < old,
        _ => false,
    }
}

/// What a policy and an operator policy set together, with keys as policies spell them: the
/// operator's value counts, and of two limits the smaller.
pub fn merged(policy: Option<&Policy>, operator: Option<&Policy>) -> Arguments {
    let mut all = policy.map(|policy| policy.definition.clone()).unwrap_or_default();
    for (key, value) in operator.iter().flat_map(|policy| &policy.definition) {
        let is_limit = SMALLER_COUNTS.iter().any(|name| name.strip_prefix("x-") == Some(key));
        let counts = |own: &Value| !is_limit || is_stricter(value, own);
        if all.get(key).is_none_or(counts) {
            all.insert(key.clone(), value.clone());
        }
    }
    all
}

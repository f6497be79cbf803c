//! What is there besides: no step of a plan, and worth knowing.

use crate::objects::{Binding, Destination, Objects, Value, predeclared_type};
use crate::policy::Effect;

use super::{Named, Observed};

/// What a comparison notices that a plan does not act on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noticed {
    /// Bindings from and to objects of the file that the file does not have.
    pub extra: Vec<Binding>,
    /// What policies change about the file's objects.
    pub effects: Vec<PolicyEffect>,
}

/// What a policy changes about one object of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyEffect {
    /// The exchange or queue.
    pub object: Named,
    /// The policy that says so, or both.
    pub policy: String,
    /// The key, as policies spell it.
    pub key: String,
    /// The value in force.
    pub value: Value,
    /// What that does to the object's own argument.
    pub effect: Effect,
}

/// Looks for what is there besides. Bindings between an exchange of the file and another that
/// is not in it count; those of the default exchange, which every queue has, do not.
pub fn noticed(wanted: &Objects, observed: &Observed) -> Noticed {
    let bindings = observed.bindings.iter().flatten();
    let extra = bindings.filter(|binding| {
        !binding.source.is_empty()
            && touches(wanted, binding)
            && !wanted.bindings.contains(*binding)
    });
    let mut extra: Vec<_> = extra.cloned().collect();
    extra.sort_by(|a, b| {
        let key =
            |of: &Binding| (of.source.clone(), of.destination.clone(), of.routing_key.clone());
        key(a).cmp(&key(b))
    });
    Noticed { extra, effects: effects(wanted, observed) }
}

fn touches(wanted: &Objects, binding: &Binding) -> bool {
    let is_ours =
        |name: &str| wanted.exchanges.contains_key(name) && predeclared_type(name).is_none();
    is_ours(&binding.source)
        || match &binding.destination {
            Destination::Queue(name) => wanted.queues.contains_key(name),
            Destination::Exchange(name) => is_ours(name),
        }
}

fn effects(wanted: &Objects, observed: &Observed) -> Vec<PolicyEffect> {
    let default_type = observed.default_queue_type.as_deref();
    let exchanges = wanted.exchanges.iter();
    let exchanges =
        exchanges.map(|(name, it)| (Named::Exchange(name.clone()), &it.arguments, false));
    let queues = wanted.queues.iter().map(|(name, it)| {
        let is_quorum = it.queue_type().or(default_type) == Some("quorum");
        (Named::Queue(name.clone()), &it.arguments, is_quorum)
    });
    let mut all = Vec::new();
    for (object, arguments, is_quorum) in exchanges.chain(queues) {
        let Some(governed) = observed.governed.get(&object) else { continue };
        let names = [&governed.policy, &governed.operator_policy];
        let names: Vec<_> = names.into_iter().flatten().map(String::as_str).collect();
        for (key, effect) in governed.effects(arguments, is_quorum) {
            // A policy for everything has keys of queues, which say nothing to an exchange.
            if matches!(object, Named::Exchange(_)) && key != "alternate-exchange" {
                continue;
            }
            if matches!(object, Named::Queue(_)) && key == "alternate-exchange" {
                continue;
            }
            all.push(PolicyEffect {
                object: object.clone(),
                policy: names.join(" + "),
                key: key.to_owned(),
                value: governed.definition[key].clone(),
                effect,
            });
        }
    }
    all
}

//! What is there besides: no step of a plan, and worth knowing.

use crate::objects::{Arguments, Binding, Destination, Objects, Value};
use crate::objects::{argument, predeclared_type};
use crate::policy::{Effect, Governed, Kind};

use super::foreseen::Foreseen;
use super::{Named, Observed, Seen};

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
    /// The object is not there yet: so it will be, once the plan is carried out.
    pub is_foreseen: bool,
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

/// What the policies of the broker do to objects that are there, and what those of the broker and
/// of the file together will do to those that are not.
fn effects(wanted: &Objects, observed: &Observed) -> Vec<PolicyEffect> {
    let foreseen = Foreseen::of(wanted, observed);
    let mut all = Vec::new();
    for (name, exchange) in &wanted.exchanges {
        let is_absent = matches!(observed.exchanges.get(name), Some(Seen::Absent));
        let later = foreseen.as_ref().filter(|_| is_absent);
        let later = later.and_then(|foreseen| foreseen.exchange(name));
        let object = Named::Exchange(name.clone());
        all.extend(effects_on(object, &exchange.arguments, None, observed, later));
    }
    for (name, queue) in &wanted.queues {
        let is_absent = matches!(observed.queues.get(name), Some(Seen::Absent));
        let kind = Kind::in_force(queue, observed.default_queue_type.as_deref());
        let later = foreseen.as_ref().filter(|_| is_absent);
        let later = later.and_then(|foreseen| foreseen.queue(name, kind));
        let object = Named::Queue(name.clone());
        all.extend(effects_on(object, &queue.arguments, kind, observed, later));
    }
    all
}

/// The effects on one object, of the policies that the broker names or else of `foreseen`.
fn effects_on(
    object: Named,
    arguments: &Arguments,
    kind: Option<Kind>,
    observed: &Observed,
    foreseen: Option<Governed>,
) -> Vec<PolicyEffect> {
    let named = observed.governed.get(&object);
    let Some(governed) = named.or(foreseen.as_ref()) else { return Vec::new() };
    // A policy for everything has keys of queues, which say nothing to an exchange.
    let is_exchange = matches!(object, Named::Exchange(_));
    let concerned = |key: &str| (key == argument::ALTERNATE_EXCHANGE) == is_exchange;
    let effects = governed.effects(arguments, kind).into_iter();
    let effect = |(key, effect): (&str, Effect)| PolicyEffect {
        object: object.clone(),
        policy: governed.names(),
        key: key.to_owned(),
        value: governed.definition[key].clone(),
        effect,
        is_foreseen: named.is_none(),
    };
    effects.filter(|(key, _)| concerned(key)).map(effect).collect()
}

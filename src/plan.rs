//! The difference between what a file wants and what a broker has, as a value.
//!
//! [`plan`] is pure: it compares [`Objects`] with [`Observed`] and says what to do about each
//! object. `declare` executes exactly this value; `declare --dry-run` prints it.

mod difference;
mod drift;
mod foreseen;
mod hastened;
mod left_out;
mod noticed;
mod order;
mod recreate;
mod removal;
mod vhost;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use serde::Serialize;

use crate::objects::{
    Binding, Destination, Exchange, Objects, Policy, Queue, argument, predeclared_type,
};
use crate::policy::Governed;
use crate::version::Version;

pub use drift::{Drift, Kind, drift};
pub use hastened::{Waits, hastened};
pub use left_out::unfit_end;
pub use noticed::{Noticed, PolicyEffect, noticed};
pub use removal::{Fate, RemovalPlan, downstream, removal};
pub use vhost::{VhostAction, VhostObject, VhostStep, vhost_plan};

/// What is known of one object on a broker.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen<T> {
    /// It is not there.
    Absent,
    /// It is there, and this is all of it.
    Known(T),
    /// Something of this name is there; its arguments cannot be seen (a passive declare checks
    /// the name alone).
    Present,
    /// Nobody could look.
    Unseen,
}

/// What a broker was seen to hold. An object without an entry is [`Seen::Unseen`]; `None` is what
/// nobody could look at.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Exchanges by name.
    pub exchanges: HashMap<String, Seen<Exchange>>,
    /// Queues by name.
    pub queues: HashMap<String, Seen<Queue>>,
    /// The bindings from and to the objects looked for; `None` when they cannot be seen, as over
    /// AMQP alone.
    pub bindings: Option<HashSet<Binding>>,
    /// What the queues hold, by name.
    pub live: HashMap<String, Live>,
    /// The vhost's policies by name.
    pub policies: Option<BTreeMap<String, Policy>>,
    /// The vhost's operator policies by name, as far as they could be seen.
    pub operator_policies: BTreeMap<String, Policy>,
    /// The policies that act on an exchange or a queue that is there, by its name, as the broker
    /// says it. Without an entry, none.
    pub governed: HashMap<Named, Governed>,
    /// The broker's version.
    pub version: Option<Version>,
    /// The type of queues that are declared without one.
    pub default_queue_type: Option<String>,
    /// The exchange types that the broker has.
    pub exchange_types: Option<BTreeSet<String>>,
    /// How many messages wait in the exchanges of the delayed-message plugin, by name.
    pub delayed: HashMap<String, u64>,
    /// What could not be seen.
    pub gaps: Vec<Gap>,
}

/// The name of an exchange or a queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    /// An exchange.
    Exchange(String),
    /// A queue.
    Queue(String),
}

impl Named {
    /// The name alone.
    pub fn name(&self) -> &str {
        match self {
            Named::Exchange(name) | Named::Queue(name) => name,
        }
    }
}

impl From<&Destination> for Named {
    fn from(destination: &Destination) -> Self {
        match destination {
            Destination::Exchange(name) => Named::Exchange(name.clone()),
            Destination::Queue(name) => Named::Queue(name.clone()),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Named::Exchange(name) => write!(f, "exchange `{name}`"),
            Named::Queue(name) => write!(f, "queue `{name}`"),
        }
    }
}

/// Something that could not be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What, and why, for people.
    pub text: String,
    /// Nobody asked for it: the management API is turned off, or its guessed address is silent.
    pub expected: bool,
}

/// What a queue holds at the moment. `None`: cannot be seen this way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Messages that can be delivered.
    pub ready: Option<u64>,
    /// Messages delivered and not yet acknowledged.
    pub unacknowledged: Option<u64>,
    /// Messages that an at-least-once queue is dead-lettering: neither ready nor unacknowledged.
    pub dead_lettering: Option<u64>,
    /// Messages that a quorum queue holds back before the next attempt (RabbitMQ 4.3).
    pub held_back: Option<u64>,
    /// Consumers.
    pub consumers: Option<u64>,
}

impl Live {
    /// All messages that are known of.
    pub fn messages(&self) -> u64 {
        let all = [self.ready, self.unacknowledged, self.dead_lettering, self.held_back];
        all.into_iter().flatten().sum()
    }

    /// What is known by either. Numbers of `fresh` go before those of `self`.
    #[must_use]
    pub fn updated(&self, fresh: &Live) -> Live {
        Live {
            ready: fresh.ready.or(self.ready),
            unacknowledged: fresh.unacknowledged.or(self.unacknowledged),
            dead_lettering: fresh.dead_lettering.or(self.dead_lettering),
            held_back: fresh.held_back.or(self.held_back),
            consumers: fresh.consumers.or(self.consumers),
        }
    }
}

impl fmt::Display for Live {
    /// `3 ready, 1 unacknowledged and 2 consumers`; what is 0 or unknown is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let consumers = if self.consumers == Some(1) { "consumer" } else { "consumers" };
        let all = [
            (self.ready, "ready"),
            (self.unacknowledged, "unacknowledged"),
            (self.dead_lettering, "being dead-lettered"),
            (self.held_back, "held back"),
            (self.consumers, consumers),
        ];
        let known =
            all.iter().filter_map(|(number, what)| Some((number.filter(|n| *n > 0)?, what)));
        let parts: Vec<_> = known.map(|(number, what)| format!("{number} {what}")).collect();
        match parts.split_last() {
            None => f.write_str("nothing"),
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} and {last}", rest.join(", ")),
        }
    }
}

/// One object of a topology, whole.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// An exchange with its name.
    Exchange(String, Exchange),
    /// A queue with its name.
    Queue(String, Queue),
    /// A binding.
    Binding(Binding),
    /// A policy with its name.
    Policy(String, Policy),
}

impl Object {
    /// The name of an exchange or a queue.
    pub fn named(&self) -> Option<Named> {
        match self {
            Object::Exchange(name, _) => Some(Named::Exchange(name.clone())),
            Object::Queue(name, _) => Some(Named::Queue(name.clone())),
            Object::Binding(_) | Object::Policy(..) => None,
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Exchange(name, _) => write!(f, "exchange `{name}`"),
            Object::Queue(name, _) => write!(f, "queue `{name}`"),
            Object::Policy(name, _) => write!(f, "policy `{name}`"),
            Object::Binding(binding) => write!(
                f,
                "binding from exchange `{}` to {} with key `{}`",
                binding.source, binding.destination, binding.routing_key
            ),
        }
    }
}

/// One argument or property that is not as wanted. The values are worded with their types, since
/// the integer 10000 is not the string "10000".
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The argument's name, or `type`, `durable`, `auto_delete`, `internal`; of a policy its key, or
    /// `pattern`, `apply_to`, `priority`.
    pub argument: String,
    /// What the file says.
    pub wanted: String,
    /// What the broker has.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: wanted {}, found {}", self.argument, self.wanted, self.found)
    }
}

/// What to do about one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is not there, or nobody could look: declare it.
    Create,
    /// It is there as wanted: do nothing.
    Keep,
    /// It is there and its arguments cannot be seen: declare it again, which changes nothing, and
    /// let the broker say whether it is equivalent. Or it is a binding that cannot be seen: make
    /// it, which changes nothing if it is there.
    Confirm,
    /// It is there and differs: do nothing, say so.
    Conflict(Vec<Difference>),
    /// A policy is there and differs: set it as the file says. Nothing is lost by that, and it is
    /// what policies are for, so it needs no asking.
    Update(Vec<Difference>),
    /// A queue is there and differs, or its arguments cannot be seen, and it was asked to be made
    /// again: if it differs, is empty and is unused, drop it and declare it.
    Recreate(Vec<Difference>),
    /// The broker has no such exchange type: do nothing, say so.
    Unsupported,
    /// A binding with this end, which is in conflict or unsupported: do nothing, say so.
    LeaveOut(Named),
}

impl Action {
    /// Whether the broker is to be changed, as far as is known.
    pub fn is_change(&self) -> bool {
        matches!(self, Action::Create | Action::Update(_) | Action::Recreate(_))
    }
}

/// An object and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The object as the file wants it.
    pub object: Object,
    /// What to do.
    pub action: Action,
}

/// All steps, in an order in which nothing is lost on the way: exchanges, then queues, then
/// bindings, and within each those further down the dead-letter path first; policies last, since a
/// policy acts at once on queues that are there, and by then all it may name is there too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Plan {
    /// How many steps there are of one kind.
    pub fn count(&self, of: impl Fn(&Action) -> bool) -> usize {
        self.steps.iter().filter(|step| of(&step.action)).count()
    }
}

/// What to do so that the broker holds what the file wants. Nothing is ever deleted or replaced.
pub fn plan(wanted: &Objects, observed: &Observed) -> Plan {
    let order = order::Order::of(wanted);
    let mut steps = Vec::with_capacity(wanted.len());
    for (name, exchange) in order.sorted(&wanted.exchanges, order::Order::exchange) {
        let action = exchange_action(exchange, name, observed);
        let object = Object::Exchange(name.clone(), exchange.clone());
        steps.push(Step { object, action });
    }
    for (name, queue) in order.sorted(&wanted.queues, order::Order::queue) {
        let action = queue_action(queue, name, observed);
        steps.push(Step { object: Object::Queue(name.clone(), queue.clone()), action });
    }
    let mut bindings: Vec<_> = wanted.bindings.iter().collect();
    bindings.sort_by_cached_key(|binding| order.destination(&binding.destination));
    for binding in bindings {
        let action = match &observed.bindings {
            None => Action::Confirm,
            Some(seen) if seen.contains(binding) => Action::Keep,
            Some(_) => Action::Create,
        };
        steps.push(Step { object: Object::Binding(binding.clone()), action });
    }
    for (name, policy) in &wanted.policies {
        let action = policy_action(policy, name, observed);
        steps.push(Step { object: Object::Policy(name.clone(), policy.clone()), action });
    }
    Plan { steps }
}

/// Whether two queues are the same to a broker: no type and `classic` are.
pub fn is_same_queue(a: &Queue, b: &Queue) -> bool {
    difference::of_queues(a, b, None).is_empty()
}

fn exchange_action(wanted: &Exchange, name: &str, observed: &Observed) -> Action {
    if predeclared_type(name) == Some(wanted.kind.as_str()) {
        return Action::Keep;
    }
    let seen = observed.exchanges.get(name);
    let offered = observed.exchange_types.as_ref();
    if !matches!(seen, Some(Seen::Known(_))) && offered.is_some_and(|t| !t.contains(&wanted.kind)) {
        return Action::Unsupported;
    }
    action(seen, |found| difference::of_exchanges(wanted, found))
}

fn queue_action(wanted: &Queue, name: &str, observed: &Observed) -> Action {
    let seen = observed.queues.get(name);
    let default_type = observed.default_queue_type.as_deref();
    // Who says no type gets the vhost's; when that is not known, only the broker can tell.
    if let (Some(Seen::Known(found)), None, None) = (seen, wanted.queue_type(), default_type)
        && let Some(kind) = found.queue_type()
    {
        let typed = wanted.clone().with(argument::QUEUE_TYPE, kind);
        return match difference::of_queues(&typed, found, None) {
            none if none.is_empty() => Action::Confirm,
            some => Action::Conflict(some),
        };
    }
    action(seen, |found| difference::of_queues(wanted, found, default_type))
}

fn policy_action(wanted: &Policy, name: &str, observed: &Observed) -> Action {
    let found = observed.policies.as_ref().and_then(|policies| policies.get(name));
    let Some(found) = found else { return Action::Create };
    match difference::of_policies(wanted, found) {
        none if none.is_empty() => Action::Keep,
        some => Action::Update(some),
    }
}

fn action<T>(seen: Option<&Seen<T>>, differences: impl Fn(&T) -> Vec<Difference>) -> Action {
    match seen {
        None | Some(Seen::Absent | Seen::Unseen) => Action::Create,
        Some(Seen::Present) => Action::Confirm,
        Some(Seen::Known(found)) => match differences(found) {
            none if none.is_empty() => Action::Keep,
            some => Action::Conflict(some),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::argument;

    fn chain() -> Objects {
        // Declared upstream first, on purpose.
        let mut objects = Objects::default();
        objects.add_exchange("in", Exchange::durable("direct")).unwrap();
        objects.add_exchange("dead", Exchange::durable("direct")).unwrap();
        let wait = Queue::default().with(argument::DEAD_LETTER_EXCHANGE, "dead");
        objects.add_queue("wait", wait).unwrap();
        objects.add_queue("done", Queue::default()).unwrap();
        objects.add_binding(Binding::to_queue("in", "wait", "w"));
        objects.add_binding(Binding::to_queue("dead", "done", "d"));
        objects
    }

    fn listed(plan: &Plan) -> Vec<String> {
        plan.steps.iter().map(|step| format!("{:?} {}", step.action, step.object)).collect()
    }

    #[test]
    fn downstream_comes_first() {
        let plan = plan(&chain(), &Observed::default());
        assert_eq!(
            listed(&plan),
            [
                "Create exchange `dead`",
                "Create exchange `in`",
                "Create queue `done`",
                "Create queue `wait`",
                "Confirm binding from exchange `dead` to queue `done` with key `d`",
                "Confirm binding from exchange `in` to queue `wait` with key `w`",
            ]
        );
    }

    #[test]
    fn what_is_there_is_kept_confirmed_or_in_conflict() {
        let wanted = chain();
        let mut observed = Observed::default();
        let same = wanted.queues["wait"].clone();
        observed.queues.insert("wait".to_owned(), Seen::Known(same));
        let other = Queue::default().with(argument::MESSAGE_TTL, "10000");
        observed.queues.insert("done".to_owned(), Seen::Known(other));
        observed.exchanges.insert("in".to_owned(), Seen::Present);
        observed.exchanges.insert("dead".to_owned(), Seen::Absent);
        observed.bindings = Some(HashSet::from([Binding::to_queue("in", "wait", "w")]));
        assert_eq!(
            listed(&plan(&wanted, &observed)),
            [
                "Create exchange `dead`",
                "Confirm exchange `in`",
                "Conflict([Difference { argument: \"x-message-ttl\", wanted: \"none\", \
             found: \"\\\"10000\\\" (string)\" }]) queue `done`",
                "Keep queue `wait`",
                "Create binding from exchange `dead` to queue `done` with key `d`",
                "Keep binding from exchange `in` to queue `wait` with key `w`",
            ]
        );
    }

    #[test]
    fn a_cycle_is_ordered_too() {
        let mut objects = chain();
        let back = Queue::default().with(argument::DEAD_LETTER_EXCHANGE, "in");
        objects.queues.insert("done".to_owned(), back);
        assert_eq!(plan(&objects, &Observed::default()).steps.len(), objects.len());
    }
}

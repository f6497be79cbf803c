//! The difference between what a file wants and what a broker has, as a value.
//!
//! [`plan`] is pure: it compares [`Objects`] with [`Observed`] and says what to do about each
//! object. `declare` executes exactly this value; `declare --dry-run` prints it.

mod difference;
mod order;

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::objects::{Binding, Exchange, Objects, Queue};

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

/// What a broker was seen to hold. An object without an entry is [`Seen::Unseen`].
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
    /// Consumers.
    pub consumers: Option<u64>,
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
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Exchange(name, _) => write!(f, "exchange `{name}`"),
            Object::Queue(name, _) => write!(f, "queue `{name}`"),
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The argument's name, or `type`, `durable`, `auto_delete`, `internal`.
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
    /// let the broker say whether it is equivalent.
    Confirm,
    /// It is there and differs: do nothing, say so.
    Conflict(Vec<Difference>),
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
/// bindings, and within each those further down the dead-letter path first.
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
        let seen = observed.exchanges.get(name);
        let action = action(seen, |found| difference::of_exchanges(exchange, found));
        let object = Object::Exchange(name.clone(), exchange.clone());
        steps.push(Step { object, action });
    }
    for (name, queue) in order.sorted(&wanted.queues, order::Order::queue) {
        let seen = observed.queues.get(name);
        let action = action(seen, |found| difference::of_queues(queue, found));
        steps.push(Step { object: Object::Queue(name.clone(), queue.clone()), action });
    }
    let mut bindings: Vec<_> = wanted.bindings.iter().collect();
    bindings.sort_by_key(|binding| order.destination(&binding.destination));
    for binding in bindings {
        let there = observed.bindings.as_ref().is_some_and(|seen| seen.contains(binding));
        let action = if there { Action::Keep } else { Action::Create };
        steps.push(Step { object: Object::Binding(binding.clone()), action });
    }
    Plan { steps }
}

/// Whether two queues are the same to a broker: no type and `classic` are.
pub fn is_same_queue(a: &Queue, b: &Queue) -> bool {
    difference::of_queues(a, b).is_empty()
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
                "Create binding from exchange `dead` to queue `done` with key `d`",
                "Create binding from exchange `in` to queue `wait` with key `w`",
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

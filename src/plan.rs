//! The difference between what a file wants and what a broker has, as a value.
//!
//! [`plan`] is pure: it compares [`Objects`] with [`Observed`] and says what to do about each
//! object. `declare` executes exactly this value; `declare --dry-run` prints it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::objects::{Arguments, Binding, Destination, Exchange, Objects, Queue, Value, argument};

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

//! One exchange or queue of the file, as it is on the broker.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::duration::Millis;
use crate::objects::{Arguments, Objects, Queue, Value, argument, predeclared_type};
use crate::plan::{self, Action, Live, Named, Object, Observed, Seen, Step};
use crate::policy::{By, Governed, Kind};
use crate::strategy::Strategy;
use crate::topology::Topology;

use super::fact::Fact;

/// One exchange or queue of the file, as it is on the broker: nothing that the file says stands in
/// for what could not be seen. In JSON such a property is `null`; a property that there is not is
/// left out, and so is a count that is not known.
#[derive(Serialize)]
pub struct Row<'a> {
    pub kind: &'static str,
    pub name: &'a str,
    /// `None`: nobody could look.
    pub present: Option<bool>,
    /// It is there, and not as the file says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
    #[serde(rename = "type")]
    pub object_type: Fact<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unacknowledged: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_lettering: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delayed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumers: Option<u64>,
    #[serde(skip_serializing_if = "Fact::is_nothing")]
    pub message_ttl_ms: Fact<u64>,
    #[serde(skip_serializing_if = "Fact::is_nothing")]
    pub dead_letter_exchange: Fact<&'a str>,
    #[serde(skip_serializing_if = "Fact::is_nothing")]
    pub dead_letter_routing_key: Fact<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_policy: Option<&'a str>,
    /// Of a ladder's level: what waits here arrives between now and so long from now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_within_ms: Option<u64>,
    /// The arguments that a policy decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_policy: Vec<&'static str>,
}

/// The exchanges, then the queues, in the order of the file.
pub fn rows<'a>(topology: &'a Topology, observed: &'a Observed) -> Vec<Row<'a>> {
    let objects = &topology.objects;
    let due = due_within(topology);
    let exchanges = objects.exchanges.keys().map(|name| exchange(name, observed));
    let queues = objects.queues.keys().map(|name| Row {
        due_within_ms: due.get(name).map(|latest| latest.0),
        ..queue(name, observed)
    });
    let differing = differing(objects, observed);
    let all = exchanges.chain(queues);
    all.map(|row| Row { differs: differing.contains(&(row.kind, row.name.to_owned())), ..row })
        .collect()
}

/// The kinds and names of what is there and not as the file says.
fn differing(objects: &Objects, observed: &Observed) -> HashSet<(&'static str, String)> {
    let differing = |step: Step| match (step.action, step.object) {
        (Action::Conflict(_), Object::Exchange(name, _)) => Some(("exchange", name)),
        (Action::Conflict(_), Object::Queue(name, _)) => Some(("queue", name)),
        _ => None,
    };
    plan::plan(objects, observed).steps.into_iter().filter_map(differing).collect()
}

/// For each queue of a ladder's levels: the longest that a message in it has still to go. Those
/// that wait on lower levels afterwards differ by their digits, so the shortest is nothing.
fn due_within(topology: &Topology) -> HashMap<String, Millis> {
    let mut due = HashMap::new();
    for delay in topology.delays.values() {
        if let Strategy::Ladder(ladder) = &delay.strategy {
            let rungs = ladder.rungs(&delay.name).into_iter();
            due.extend(rungs.map(|rung| (rung.queue, rung.latest)));
        }
    }
    due
}

fn exchange<'a>(name: &'a str, observed: &'a Observed) -> Row<'a> {
    let seen = observed.exchanges.get(name);
    let governed = observed.governed.get(&Named::Exchange(name.to_owned()));
    let row = Row {
        delayed: observed.delayed.get(name).copied(),
        ..Row::unknown("exchange", name, is_present(seen), governed)
    };
    match (seen, predeclared_type(name)) {
        // These are not looked for: every vhost has them, just so.
        (_, Some(kind)) => Row { present: Some(true), object_type: Fact::Is(kind), ..row },
        (Some(Seen::Known(found)), None) => Row { object_type: Fact::Is(&found.kind), ..row },
        _ => row,
    }
}

fn queue<'a>(name: &'a str, observed: &'a Observed) -> Row<'a> {
    let seen = observed.queues.get(name);
    let present = is_present(seen);
    let nothing = Live::default();
    let live = observed.live.get(name).unwrap_or(&nothing);
    let governed = observed.governed.get(&Named::Queue(name.to_owned()));
    let mut row = Row {
        ready: live.ready,
        unacknowledged: live.unacknowledged,
        dead_lettering: live.dead_lettering,
        delayed: live.held_back,
        consumers: live.consumers,
        message_ttl_ms: Fact::of_one_that_is(present),
        dead_letter_exchange: Fact::of_one_that_is(present),
        dead_letter_routing_key: Fact::of_one_that_is(present),
        ..Row::unknown("queue", name, present, governed)
    };
    if let Some(Seen::Known(found)) = seen {
        row.tell_properties(found, observed, governed);
    }
    row
}

fn in_force<'a>(
    governed: Option<&'a Governed>,
    name: &str,
    arguments: &'a Arguments,
    kind: Option<Kind>,
) -> Option<(&'a Value, By)> {
    match governed {
        Some(governed) => governed.in_force(name, arguments, kind),
        None => arguments.get(name).map(|value| (value, By::Argument)),
    }
}

fn is_present<T>(seen: Option<&Seen<T>>) -> Option<bool> {
    match seen {
        Some(Seen::Present | Seen::Known(_)) => Some(true),
        Some(Seen::Absent) => Some(false),
        Some(Seen::Unseen) | None => None,
    }
}

impl<'a> Row<'a> {
    /// An object of which it is known at most whether it is there.
    fn unknown(
        kind: &'static str,
        name: &'a str,
        present: Option<bool>,
        governed: Option<&'a Governed>,
    ) -> Self {
        Row {
            kind,
            name,
            present,
            differs: false,
            object_type: Fact::of_one_that_is(present),
            ready: None,
            unacknowledged: None,
            dead_lettering: None,
            delayed: None,
            consumers: None,
            message_ttl_ms: Fact::Nothing,
            dead_letter_exchange: Fact::Nothing,
            dead_letter_routing_key: Fact::Nothing,
            policy: governed.and_then(|governed| governed.policy.as_deref()),
            operator_policy: governed.and_then(|governed| governed.operator_policy.as_deref()),
            due_within_ms: None,
            by_policy: Vec::new(),
        }
    }

    /// Tells the type and the properties in force of a queue that was seen whole.
    fn tell_properties(
        &mut self,
        found: &'a Queue,
        observed: &'a Observed,
        governed: Option<&'a Governed>,
    ) {
        let default_type = observed.default_queue_type.as_deref().unwrap_or("default");
        let kind = found.queue_type().unwrap_or(default_type);
        let mut in_force = |argument: &'static str| {
            let (value, by) = in_force(governed, argument, &found.arguments, Kind::of(kind))?;
            if by == By::Policy {
                self.by_policy.push(argument);
            }
            Some(value)
        };
        let message_ttl_ms = in_force(argument::MESSAGE_TTL).and_then(Value::as_u64);
        let exchange = in_force(argument::DEAD_LETTER_EXCHANGE).and_then(Value::as_str);
        let routing_key = in_force(argument::DEAD_LETTER_ROUTING_KEY).and_then(Value::as_str);
        self.object_type = Fact::Is(kind);
        self.message_ttl_ms = Fact::seen(message_ttl_ms);
        self.dead_letter_exchange = Fact::seen(exchange);
        self.dead_letter_routing_key = Fact::seen(routing_key);
    }

    /// What was seen of it, in words, to stand beside what the file says; empty when nothing is
    /// known of it.
    pub fn note(&self) -> String {
        if self.present == Some(false) {
            return "MISSING".to_owned();
        }
        let differs = self.differs.then(|| "DIFFERS".to_owned());
        let waiting = [
            (self.unacknowledged, "unacknowledged"),
            (self.dead_lettering, "being dead-lettered"),
            (self.delayed, "delayed"),
        ];
        let always = [(self.ready, "ready"), (self.consumers, "consumers")];
        let shown = [always[0]].into_iter();
        let shown = shown.chain(waiting.into_iter().filter(|(n, _)| n.is_some_and(|n| n > 0)));
        let shown = shown.chain([always[1]]);
        let counts = shown.filter_map(|(number, what)| Some(format!("{} {what}", number?)));
        differs.into_iter().chain(counts).collect::<Vec<_>>().join(", ")
    }
}

//! One exchange or queue of the file, as it is on the broker.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::duration::Millis;
use crate::objects::{Arguments, Exchange, Objects, Queue, Value, argument, predeclared_type};
use crate::plan::{self, Action, Live, Named, Object, Observed, Seen, Step};
use crate::policy::{By, Governed, Kind};
use crate::render::table::{self, Column};
use crate::strategy::Strategy;
use crate::topology::Topology;

/// One exchange or queue of the file, as it is on the broker; what could not be seen is as the
/// file says.
#[derive(Serialize)]
pub struct Row<'a> {
    pub kind: &'static str,
    pub name: &'a str,
    pub present: bool,
    /// It is there, and not as the file says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    differs: bool,
    #[serde(rename = "type")]
    object_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unacknowledged: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_lettering: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delayed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consumers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_letter_exchange: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_letter_routing_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_policy: Option<&'a str>,
    /// Of a ladder's level: what waits here arrives between now and so long from now.
    #[serde(skip_serializing_if = "Option::is_none")]
    due_within_ms: Option<u64>,
    /// The arguments that a policy decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_policy: Vec<&'static str>,
}

/// The exchanges, then the queues, in the order of the file.
pub fn rows<'a>(topology: &'a Topology, observed: &'a Observed) -> Vec<Row<'a>> {
    let objects = &topology.objects;
    let due = due_within(topology);
    let exchanges = objects.exchanges.iter().map(|(name, it)| exchange(name, it, observed));
    let queues = objects.queues.iter().map(|(name, it)| Row {
        due_within_ms: due.get(name).map(|latest| latest.0),
        ..queue(name, it, observed)
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

fn exchange<'a>(name: &'a str, wanted: &'a Exchange, observed: &'a Observed) -> Row<'a> {
    let seen = observed.exchanges.get(name);
    let found = match seen {
        Some(Seen::Known(found)) => found,
        _ => wanted,
    };
    let governed = observed.governed.get(&Named::Exchange(name.to_owned()));
    Row {
        present: is_present(seen) || predeclared_type(name).is_some(),
        delayed: observed.delayed.get(name).copied(),
        ..Row::empty("exchange", name, &found.kind, governed)
    }
}

fn queue<'a>(name: &'a str, wanted: &'a Queue, observed: &'a Observed) -> Row<'a> {
    let seen = observed.queues.get(name);
    let found = match seen {
        Some(Seen::Known(found)) => found,
        _ => wanted,
    };
    let default_type = observed.default_queue_type.as_deref().unwrap_or("default");
    let kind = found.queue_type().unwrap_or(default_type);
    let governed = observed.governed.get(&Named::Queue(name.to_owned()));
    let mut by_policy = Vec::new();
    let mut in_force = |argument: &'static str| {
        let (value, by) = in_force(governed, argument, &found.arguments, Kind::of(kind))?;
        if by == By::Policy {
            by_policy.push(argument);
        }
        Some(value)
    };
    let message_ttl_ms = in_force(argument::MESSAGE_TTL).and_then(Value::as_u64);
    let dead_letter_exchange = in_force(argument::DEAD_LETTER_EXCHANGE).and_then(Value::as_str);
    let dead_letter_routing_key =
        in_force(argument::DEAD_LETTER_ROUTING_KEY).and_then(Value::as_str);
    let nothing = Live::default();
    let live = observed.live.get(name).unwrap_or(&nothing);
    Row {
        present: is_present(seen),
        ready: live.ready,
        unacknowledged: live.unacknowledged,
        dead_lettering: live.dead_lettering,
        delayed: live.held_back,
        consumers: live.consumers,
        message_ttl_ms,
        dead_letter_exchange,
        dead_letter_routing_key,
        by_policy,
        ..Row::empty("queue", name, kind, governed)
    }
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

fn is_present<T>(seen: Option<&Seen<T>>) -> bool {
    matches!(seen, Some(Seen::Present | Seen::Known(_)))
}

impl<'a> Row<'a> {
    fn empty(
        kind: &'static str,
        name: &'a str,
        object_type: &'a str,
        governed: Option<&'a Governed>,
    ) -> Self {
        Row {
            kind,
            name,
            present: false,
            differs: false,
            object_type,
            ready: None,
            unacknowledged: None,
            dead_lettering: None,
            delayed: None,
            consumers: None,
            message_ttl_ms: None,
            dead_letter_exchange: None,
            dead_letter_routing_key: None,
            policy: governed.and_then(|governed| governed.policy.as_deref()),
            operator_policy: governed.and_then(|governed| governed.operator_policy.as_deref()),
            due_within_ms: None,
            by_policy: Vec::new(),
        }
    }

    fn there(&self) -> &'static str {
        match (self.present, self.differs) {
            (false, _) => "MISSING",
            (true, true) => "DIFFERS",
            (true, false) => "yes",
        }
    }

    /// What it holds, in words; empty when nothing is known of it.
    pub fn note(&self) -> String {
        if !self.present {
            return "MISSING".to_owned();
        }
        let waiting = [
            (self.unacknowledged, "unacknowledged"),
            (self.dead_lettering, "being dead-lettered"),
            (self.delayed, "delayed"),
        ];
        let always = [(self.ready, "ready"), (self.consumers, "consumers")];
        let shown = [always[0]].into_iter();
        let shown = shown.chain(waiting.into_iter().filter(|(n, _)| n.is_some_and(|n| n > 0)));
        let shown = shown.chain([always[1]]);
        let parts: Vec<_> =
            shown.filter_map(|(number, what)| Some(format!("{} {what}", number?))).collect();
        parts.join(", ")
    }

    fn target(&self) -> String {
        let Some(exchange) = self.dead_letter_exchange else { return String::new() };
        let exchange = if exchange.is_empty() { "(default)" } else { exchange };
        let key = self.dead_letter_routing_key.unwrap_or("(own key)");
        let by = self.by(&[argument::DEAD_LETTER_EXCHANGE, argument::DEAD_LETTER_ROUTING_KEY]);
        format!("{exchange} / {key}{by}")
    }

    fn ttl(&self) -> String {
        let by = self.by(&[argument::MESSAGE_TTL]);
        self.message_ttl_ms.map(|ms| format!("{}{by}", Millis(ms))).unwrap_or_default()
    }

    fn due(&self) -> String {
        self.due_within_ms.map(|ms| Millis(ms).to_string()).unwrap_or_default()
    }

    fn by(&self, arguments: &[&str]) -> &'static str {
        let decided = self.by_policy.iter().any(|argument| arguments.contains(argument));
        if decided { " (policy)" } else { "" }
    }

    fn policies(&self) -> String {
        let both = [self.policy, self.operator_policy];
        let both: Vec<_> = both.into_iter().flatten().collect();
        both.join(" + ")
    }
}

/// A column of the table: its head, whether it is there only when it says something, and its cells.
type Field = (Column<'static>, bool, fn(&Row<'_>) -> String);

/// The rows as a table. Columns that say nothing at all are left out.
pub fn table(rows: &[Row<'_>], width: Option<u16>) -> String {
    let fields: [Field; 13] = [
        (Column::left(""), true, |row| row.kind.to_owned()),
        (Column::left("object"), true, |row| row.name.to_owned()),
        (Column::left("type"), true, |row| row.object_type.to_owned()),
        (Column::left("there"), true, |row| row.there().to_owned()),
        (Column::right("ready"), true, |row| shown(row.ready)),
        (Column::right("unacked"), false, |row| shown(row.unacknowledged)),
        (Column::right("dead-lettering"), false, |row| shown(row.dead_lettering)),
        (Column::right("delayed"), false, |row| shown(row.delayed)),
        (Column::right("consumers"), true, |row| shown(row.consumers)),
        (Column::right("TTL"), true, |row| row.ttl()),
        (Column::right("due within"), false, |row| row.due()),
        (Column::left("dead letters go to"), true, |row| row.target()),
        (Column::left("policy"), false, |row| row.policies()),
    ];
    let says = |field: &&Field| field.1 || rows.iter().any(|row| !field.2(row).is_empty());
    let fields: Vec<_> = fields.iter().filter(says).collect();
    let header: Vec<_> = fields.iter().map(|field| field.0).collect();
    let cells = rows.iter().map(|row| fields.iter().map(|field| field.2(row)).collect());
    table::table(&header, cells, width)
}

fn shown(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

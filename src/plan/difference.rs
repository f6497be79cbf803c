//! Where a declared object and one on the broker differ, argument by argument.

use std::collections::BTreeSet;

use super::Difference;
use crate::objects::{Arguments, Exchange, Policy, Queue, Value, argument};

/// Where two exchanges of one name differ.
pub fn of_exchanges(wanted: &Exchange, found: &Exchange) -> Vec<Difference> {
    let mut all = Vec::new();
    if wanted.kind != found.kind {
        let argument = "type".to_owned();
        let (wanted, found) = (wanted.kind.clone(), found.kind.clone());
        all.push(Difference { argument, wanted, found });
    }
    all.extend(flag("durable", wanted.durable, found.durable));
    all.extend(flag("auto_delete", wanted.auto_delete, found.auto_delete));
    all.extend(flag("internal", wanted.internal, found.internal));
    all.extend(of_arguments(&wanted.arguments, &found.arguments, None));
    all
}

/// Where two queues of one name differ. A queue declared without a type gets the vhost's default.
pub fn of_queues(wanted: &Queue, found: &Queue, default_type: Option<&str>) -> Vec<Difference> {
    let mut all = Vec::new();
    all.extend(flag("durable", wanted.durable, found.durable));
    all.extend(flag("auto_delete", wanted.auto_delete, found.auto_delete));
    all.extend(of_arguments(&wanted.arguments, &found.arguments, default_type));
    all
}

/// Where two policies of one name differ.
pub fn of_policies(wanted: &Policy, found: &Policy) -> Vec<Difference> {
    let texts = [
        ("pattern", format!("{:?}", wanted.pattern), format!("{:?}", found.pattern)),
        ("apply_to", wanted.apply_to.clone(), found.apply_to.clone()),
        ("priority", wanted.priority.to_string(), found.priority.to_string()),
    ];
    let differing = texts.into_iter().filter(|(_, wanted, found)| wanted != found);
    let described = differing.map(|(name, wanted, found)| {
        let argument = name.to_owned();
        Difference { argument, wanted, found }
    });
    let mut all: Vec<_> = described.collect();
    all.extend(of_arguments(&wanted.definition, &found.definition, None));
    all
}

fn of_arguments(
    wanted: &Arguments,
    found: &Arguments,
    default_type: Option<&str>,
) -> Vec<Difference> {
    let names: BTreeSet<_> = wanted.keys().chain(found.keys()).collect();
    let differing = names.into_iter().filter(|name| {
        // No queue type and `classic` are equivalent (measured on RabbitMQ 3.10, 4.0 and 4.3).
        let value = |of: &Arguments, default: &str| match of.get(*name) {
            None if *name == argument::QUEUE_TYPE => Some(Value::from(default)),
            other => other.cloned(),
        };
        value(wanted, default_type.unwrap_or("classic")) != value(found, "classic")
    });
    let described = differing.map(|name| Difference {
        argument: name.clone(),
        wanted: typed(wanted.get(name)),
        found: typed(found.get(name)),
    });
    described.collect()
}

fn typed(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value} ({})", value.kind()))
}

fn flag(name: &str, wanted: bool, found: bool) -> Option<Difference> {
    (wanted != found).then(|| Difference {
        argument: name.to_owned(),
        wanted: wanted.to_string(),
        found: found.to_string(),
    })
}

//! Where a declared object and one on the broker differ, argument by argument.

use std::collections::BTreeSet;

use super::Difference;
use crate::objects::{Arguments, Exchange, Queue, Value, argument};

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
    all.extend(of_arguments(&wanted.arguments, &found.arguments));
    all
}

/// Where two queues of one name differ.
pub fn of_queues(wanted: &Queue, found: &Queue) -> Vec<Difference> {
    let mut all = Vec::new();
    all.extend(flag("durable", wanted.durable, found.durable));
    all.extend(flag("auto_delete", wanted.auto_delete, found.auto_delete));
    all.extend(of_arguments(&wanted.arguments, &found.arguments));
    all
}

fn of_arguments(wanted: &Arguments, found: &Arguments) -> Vec<Difference> {
    let names: BTreeSet<_> = wanted.keys().chain(found.keys()).collect();
    let differing = names.into_iter().filter(|name| {
        // No queue type and `classic` are equivalent (measured on RabbitMQ 3.10, 4.0 and 4.3).
        let value = |of: &Arguments| match of.get(*name) {
            None if *name == argument::QUEUE_TYPE => Some(Value::from("classic")),
            other => other.cloned(),
        };
        value(wanted) != value(found)
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

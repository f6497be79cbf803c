//! What is said of each object that is deleted, or is not.

use crate::broker::Removed;
use crate::commands::outcomes::Row;
use crate::plan::{Fate, Live, Named, Object};

impl Row {
    fn new(object: &Object, outcome: &'static str, detail: impl Into<String>) -> Self {
        let (kind, name) = match object {
            Object::Exchange(name, _) => ("exchange", name.clone()),
            Object::Queue(name, _) => ("queue", name.clone()),
            Object::Policy(name, _) => ("policy", name.clone()),
            Object::Binding(it) => ("binding", format!("{} → {}", it.source, it.destination)),
        };
        Row { object: kind, name, outcome, detail: detail.into() }
    }
}

/// What is going to become of it.
pub fn planned((object, fate): &(Object, Fate)) -> Row {
    match fate {
        Fate::Delete(live) => {
            let holds = live.messages() > 0 || live.consumers.unwrap_or(0) > 0;
            let detail =
                if holds { format!("with {}", amount(object, live)) } else { String::new() };
            Row::new(object, "to delete", detail)
        }
        Fate::Absent => Row::new(object, "not there", ""),
        Fate::Holds(live) => Row::new(object, "KEPT", amount(object, live)),
        Fate::Uncounted => Row::new(object, "KEPT", UNCOUNTED),
        Fate::Needed(holder) => Row::new(object, "KEPT", needed(holder)),
        Fate::Spared => Row::new(object, "spared", SPARED),
    }
}

/// What has become of it.
pub fn done((object, removed): &(Object, Removed)) -> Row {
    match removed {
        Removed::Gone { messages: 0 } => Row::new(object, "deleted", ""),
        Removed::Gone { messages } => {
            Row::new(object, "deleted", format!("with {messages} messages"))
        }
        Removed::Absent => Row::new(object, "not there", ""),
        Removed::Kept(live) => Row::new(object, "KEPT", amount(object, live)),
        Removed::Uncounted => Row::new(object, "KEPT", UNCOUNTED),
        Removed::Needed(holder) => Row::new(object, "KEPT", needed(holder)),
        Removed::Spared => Row::new(object, "spared", SPARED),
        Removed::Failed(error) => Row::new(object, "FAILED", error.to_string()),
    }
}

const UNCOUNTED: &str = "what waits in it cannot be counted";
const SPARED: &str = "the other file declares it, too";

fn needed(holder: &Named) -> String {
    match holder {
        Named::Queue(name) => format!("what queue `{name}` holds will come here"),
        Named::Exchange(name) => format!("what waits in exchange `{name}` will come here"),
    }
}

/// What an object holds, in words.
pub fn amount(object: &Object, live: &Live) -> String {
    match object {
        Object::Exchange(..) => format!("{} delayed", live.messages()),
        _ => live.to_string(),
    }
}

/// `2 deleted, 1 kept`.
pub fn sum(words: &[(usize, &str)]) -> String {
    let present = words.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<_> = present.map(|(number, what)| format!("{number} {what}")).collect();
    if parts.is_empty() { "there is nothing to delete".to_owned() } else { parts.join(", ") }
}

//! What rows of exchanges and queues say of the objects that were looked for.

use serde_json::Value as Json;

use crate::objects::{Objects, predeclared_type};
use crate::plan::{Named, Observed, Seen};
use crate::policy::{Candidate, Governed, Kind, Policies};

use super::json::{self, text};
use super::observe::Rows;

/// Notes the exchanges of `objects` as they were found, or nothing when nobody could look.
pub(super) fn exchanges(observed: &mut Observed, objects: &Objects, found: Option<&Rows>) {
    let Some(found) = found else { return };
    for name in objects.exchanges.keys().filter(|name| predeclared_type(name).is_none()) {
        let row = found.get(name);
        let seen = match row {
            None => Seen::Absent,
            Some(row) => json::exchange(row).map_or(Seen::Present, Seen::Known),
        };
        observed.exchanges.insert(name.clone(), seen);
        if let Some(governed) = row.and_then(|row| governed(row, observed, None)) {
            observed.governed.insert(Named::Exchange(name.clone()), governed);
        }
    }
}

/// Notes the queues of `objects` as they were found, or nothing when nobody could look.
///
/// A queue that was asked for alone (`alone`) names its policy with its statistics, some seconds
/// late (measured on RabbitMQ 3.10 and 4.0), so it is worked out which policy acts on it.
pub(super) fn queues(
    observed: &mut Observed,
    objects: &Objects,
    found: Option<&Rows>,
    alone: bool,
) {
    let Some(found) = found else { return };
    let operators = observed.operator_policies.clone();
    let operators = Policies::new(&operators, observed.version);
    let policies = observed.policies.clone().filter(|_| alone);
    let policies = policies.as_ref().map(|all| Policies::new(all, observed.version));
    for name in objects.queues.keys() {
        let row = found.get(name);
        let seen = match row {
            None => Seen::Absent,
            Some(row) => json::queue(row).map_or(Seen::Present, Seen::Known),
        };
        observed.queues.insert(name.clone(), seen);
        let Some(row) = row else { continue };
        // Only RabbitMQ 4.3 names the operator policy here.
        let kind = text(row, "type").and_then(Kind::of).unwrap_or(Kind::Classic);
        let governed = match &policies {
            Some(policies) => Governed::of_queue(policies, &operators, name, kind),
            None => governed(row, observed, operators.for_queue(name, kind).next()),
        };
        if let Some(governed) = governed {
            observed.governed.insert(Named::Queue(name.clone()), governed);
        }
    }
}

/// The policies that act on an object: the one that the broker names, and this operator policy.
fn governed(row: &Json, observed: &Observed, operator: Option<&Candidate<'_>>) -> Option<Governed> {
    let named = text(row, "policy").map(|name| {
        let policies = observed.policies.as_ref();
        (name, policies.and_then(|policies| policies.get(name)))
    });
    Governed::new(named, operator)
}

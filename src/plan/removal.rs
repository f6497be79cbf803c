//! What to do so that the broker no longer holds what a file declares.

use std::collections::{HashMap, HashSet};

use crate::objects::{Objects, predeclared_type};

use super::order::{self, Node};
use super::{Live, Named, Object, Observed, Seen};

/// What becomes of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is deleted; a queue holds this much.
    Delete(Live),
    /// It is not there.
    Absent,
    /// It stays: it holds messages.
    Holds(Live),
    /// It stays: what this queue holds will come there.
    Needed(String),
}

/// What to delete, in an order in which no message comes to where nothing is any more: policies
/// last; queues before exchanges, and those further up the dead-letter path first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemovalPlan {
    /// Every object with its fate.
    pub steps: Vec<(Object, Fate)>,
}

impl RemovalPlan {
    /// How many objects have this fate.
    pub fn count(&self, of: impl Fn(&Fate) -> bool) -> usize {
        self.steps.iter().filter(|(_, fate)| of(fate)).count()
    }
}

/// Plans the removal of everything in `wanted`. The exchanges that every vhost is born with stay,
/// and unless `also_full`, queues that hold messages, with all that those messages will pass:
/// without it they would be lost once they are due. Bindings go with their ends.
pub fn removal(wanted: &Objects, observed: &Observed, also_full: bool) -> RemovalPlan {
    let live = |name: &str| observed.live.get(name).cloned().unwrap_or_default();
    let full = wanted.queues.keys().filter(|name| !also_full && live(name).messages() > 0);
    let full: Vec<_> = full.map(String::as_str).collect();
    let needed = downstream(wanted, &full);
    let order = order::Order::of(wanted);
    let mut steps = Vec::new();
    for (name, queue) in order.sorted(&wanted.queues, order::Order::queue).into_iter().rev() {
        let fate = if full.contains(&name.as_str()) {
            Fate::Holds(live(name))
        } else {
            fate(observed.queues.get(name), needed.get(&Named::Queue(name.clone())), live(name))
        };
        steps.push((Object::Queue(name.clone(), queue.clone()), fate));
    }
    let exchanges = order.sorted(&wanted.exchanges, order::Order::exchange);
    for (name, exchange) in exchanges.into_iter().rev() {
        if predeclared_type(name).is_some() {
            continue;
        }
        let holder = needed.get(&Named::Exchange(name.clone()));
        let fate = fate(observed.exchanges.get(name), holder, Live::default());
        steps.push((Object::Exchange(name.clone(), exchange.clone()), fate));
    }
    for (name, policy) in &wanted.policies {
        let there = observed.policies.as_ref().is_none_or(|all| all.contains_key(name));
        let fate = match full.first() {
            _ if !there => Fate::Absent,
            Some(queue) => Fate::Needed((*queue).to_owned()),
            None => Fate::Delete(Live::default()),
        };
        steps.push((Object::Policy(name.clone(), policy.clone()), fate));
    }
    RemovalPlan { steps }
}

fn fate<T>(seen: Option<&Seen<T>>, needed_by: Option<&String>, live: Live) -> Fate {
    match (seen, needed_by) {
        (Some(Seen::Absent), _) => Fate::Absent,
        (_, Some(queue)) => Fate::Needed(queue.clone()),
        (_, None) => Fate::Delete(live),
    }
}

/// All that messages in these queues may come to, each with the queue it is needed by.
pub fn downstream(objects: &Objects, queues: &[&str]) -> HashMap<Named, String> {
    let edges = order::edges(objects);
    let mut found = HashMap::new();
    for queue in queues {
        let mut seen = HashSet::new();
        let mut open = vec![Node::Queue(queue)];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            let named = match node {
                Node::Exchange(name) => Named::Exchange(name.to_owned()),
                Node::Queue(name) => Named::Queue(name.to_owned()),
            };
            if node != Node::Queue(queue) {
                found.entry(named).or_insert_with(|| (*queue).to_owned());
            }
            open.extend(edges.get(&node).into_iter().flatten());
        }
    }
    found
}

//! What to do so that the broker no longer holds what a file declares.

use std::collections::{HashMap, HashSet};

use crate::objects::{
    Binding, DELAYED_MESSAGE_TYPE, Destination, Exchange, Objects, predeclared_type,
};

use super::order::{self, Node, Order};
use super::{Live, Named, Object, Observed, Seen};

/// What becomes of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is deleted; a queue, or an exchange of the plugin, holds this much.
    Delete(Live),
    /// It is not there.
    Absent,
    /// It stays: it holds messages.
    Holds(Live),
    /// It stays: it is an exchange of the plugin, and nobody could count what waits in it.
    Uncounted,
    /// It stays: what this queue or exchange holds will come there.
    Needed(Named),
    /// It stays: it was asked to.
    Spared,
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

/// Plans the removal of everything in `wanted` that is not in `spared` as well. The exchanges that
/// every vhost is born with stay, and unless `also_full`, queues and exchanges of the plugin that
/// hold messages, with all that those messages will pass: without it they would be lost once they
/// are due. Bindings go with their ends; those whose ends stay for good are removed by themselves.
pub fn removal(
    wanted: &Objects,
    spared: &Objects,
    observed: &Observed,
    also_full: bool,
) -> RemovalPlan {
    let full = if also_full { Vec::new() } else { full(wanted, observed) };
    let needed = downstream(wanted, &full);
    let look = Look { spared, observed, full, needed };
    let order = Order::of(wanted);
    let mut steps = Vec::new();
    for (name, queue) in order.sorted(&wanted.queues, Order::queue).into_iter().rev() {
        steps.push((Object::Queue(name.clone(), queue.clone()), look.queue(name)));
    }
    for (name, exchange) in order.sorted(&wanted.exchanges, Order::exchange).into_iter().rev() {
        if predeclared_type(name).is_none() {
            steps.push((Object::Exchange(name.clone(), exchange.clone()), look.exchange(name)));
        }
    }
    for binding in wanted.bindings.iter().filter(|binding| look.is_left_over(binding)) {
        steps.push((Object::Binding(binding.clone()), look.binding(binding)));
    }
    for (name, policy) in &wanted.policies {
        steps.push((Object::Policy(name.clone(), policy.clone()), look.policy(name)));
    }
    RemovalPlan { steps }
}

/// The queues that hold messages, and the exchanges of the plugin that may.
fn full(wanted: &Objects, observed: &Observed) -> Vec<Named> {
    let holds = |name: &&String| observed.live.get(*name).is_some_and(|it| it.messages() > 0);
    let queues = wanted.queues.keys().filter(holds).cloned().map(Named::Queue);
    let waits = |(name, exchange): &(&String, &Exchange)| {
        let there = !matches!(observed.exchanges.get(*name), Some(Seen::Absent));
        there && is_plugins(name, exchange, observed) && observed.delayed.get(*name) != Some(&0)
    };
    let exchanges = wanted.exchanges.iter().filter(waits);
    queues.chain(exchanges.map(|(name, _)| Named::Exchange(name.clone()))).collect()
}

/// Whether an exchange is one of the plugin: on the broker, or else in the file.
fn is_plugins(name: &str, wanted: &Exchange, observed: &Observed) -> bool {
    let exchange = match observed.exchanges.get(name) {
        Some(Seen::Known(found)) => found,
        _ => wanted,
    };
    exchange.kind == DELAYED_MESSAGE_TYPE
}

/// What decides about an object.
struct Look<'a> {
    spared: &'a Objects,
    observed: &'a Observed,
    full: Vec<Named>,
    needed: HashMap<Named, Named>,
}

impl Look<'_> {
    fn queue(&self, name: &str) -> Fate {
        if self.spared.queues.contains_key(name) {
            return Fate::Spared;
        }
        let absent = matches!(self.observed.queues.get(name), Some(Seen::Absent));
        let live = self.observed.live.get(name).cloned().unwrap_or_default();
        self.fate(&Named::Queue(name.to_owned()), absent, live)
    }

    fn exchange(&self, name: &str) -> Fate {
        if self.spared.exchanges.contains_key(name) {
            return Fate::Spared;
        }
        let absent = matches!(self.observed.exchanges.get(name), Some(Seen::Absent));
        let held_back = self.observed.delayed.get(name).copied();
        let live = Live { held_back, ..Live::default() };
        match self.fate(&Named::Exchange(name.to_owned()), absent, live) {
            Fate::Holds(_) if held_back.is_none() => Fate::Uncounted,
            fate => fate,
        }
    }

    fn fate(&self, named: &Named, absent: bool, live: Live) -> Fate {
        if absent {
            Fate::Absent
        } else if self.full.contains(named) {
            Fate::Holds(live)
        } else if let Some(holder) = self.needed.get(named) {
            Fate::Needed(holder.clone())
        } else {
            Fate::Delete(live)
        }
    }

    /// Whether both ends of a binding stay for good, and it is not spared itself.
    fn is_left_over(&self, binding: &Binding) -> bool {
        let exchange = |name: &str| {
            predeclared_type(name).is_some() || self.spared.exchanges.contains_key(name)
        };
        let destination = match &binding.destination {
            Destination::Queue(name) => self.spared.queues.contains_key(name),
            Destination::Exchange(name) => exchange(name),
        };
        exchange(&binding.source) && destination && !self.spared.bindings.contains(binding)
    }

    fn binding(&self, binding: &Binding) -> Fate {
        let seen = self.observed.bindings.as_ref();
        let absent = seen.is_some_and(|all| !all.contains(binding));
        match self.needed.get(&Named::Exchange(binding.source.clone())) {
            _ if absent => Fate::Absent,
            Some(holder) => Fate::Needed(holder.clone()),
            None => Fate::Delete(Live::default()),
        }
    }

    fn policy(&self, name: &str) -> Fate {
        let there = self.observed.policies.as_ref().is_none_or(|all| all.contains_key(name));
        match self.full.first() {
            _ if self.spared.policies.contains_key(name) => Fate::Spared,
            _ if !there => Fate::Absent,
            Some(holder) => Fate::Needed(holder.clone()),
            None => Fate::Delete(Live::default()),
        }
    }
}

/// All that messages in these queues and exchanges may come to, each with the one it is needed by.
pub fn downstream(objects: &Objects, holders: &[Named]) -> HashMap<Named, Named> {
    let edges = order::edges(objects);
    let mut found = HashMap::new();
    for holder in holders {
        let start = match holder {
            Named::Exchange(name) => Node::Exchange(name),
            Named::Queue(name) => Node::Queue(name),
        };
        let mut seen = HashSet::new();
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            let named = match node {
                Node::Exchange(name) => Named::Exchange(name.to_owned()),
                Node::Queue(name) => Named::Queue(name.to_owned()),
            };
            if node != start {
                found.entry(named).or_insert_with(|| holder.clone());
            }
            open.extend(edges.get(&node).into_iter().flatten());
        }
    }
    found
}

#[cfg(test)]
mod tests;

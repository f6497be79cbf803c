//! Recognises ladders by the names of their last exchanges, and their delays by the addresses that
//! are bound there.

use std::collections::HashSet;

use crate::duration::Millis;
use crate::objects::{Binding, Destination, Objects, TTL_MAX_MS};
use crate::strategy::ladder::{Ladder, Names, Shape};
use crate::strategy::{Delay, QueueType, Strategy, Target};

use super::claim::Claims;
use super::names;

/// One delay for each address of each ladder.
pub fn find(claims: &mut Claims<'_>) {
    for (last, ladder) in ladders(claims.objects) {
        let bindings: Vec<_> = claims.from(&last).to_vec();
        let mut addresses = HashSet::new();
        for binding in &bindings {
            // One address is one delay; what else is bound to it gets the messages as well.
            let Some(address) = address(&ladder, binding) else { continue };
            if !addresses.contains(address)
                && let Some(delay) = delay(claims, &ladder, binding, address)
                && claims.claim(delay)
            {
                addresses.insert(address);
            }
        }
    }
}

/// The ladders that there seem to be, each with its last exchange.
fn ladders(objects: &Objects) -> Vec<(String, Ladder)> {
    let mut found = Vec::new();
    for name in objects.exchanges.keys() {
        let ladder = if name == "nsb.v2.delay-delivery" {
            Some(Ladder { names: Names::Nservicebus, ..Ladder::default() })
        } else if let Some(before) = name.strip_suffix("celery_delayed_delivery") {
            let prefix = before.strip_suffix('_').map(str::to_owned);
            (before.is_empty() || prefix.is_some()).then(|| celery(objects, prefix))
        } else {
            name.rsplit_once(".deliver-").and_then(|(prefix, levels)| own(objects, prefix, levels))
        };
        found.extend(ladder.map(|ladder| (name.clone(), ladder)));
    }
    found
}

fn celery(objects: &Objects, prefix: Option<String>) -> Ladder {
    let lowest = Names::Celery.queue(prefix.as_deref().unwrap_or_default(), 0, 1);
    let queue_type = queue_type(objects, &lowest).unwrap_or_default();
    Ladder { names: Names::Celery, prefix, queue_type, ..Ladder::default() }
}

/// A ladder under delayctl's names. The longest delay is not written anywhere: it is taken for the
/// longest that these queues can do.
fn own(objects: &Objects, prefix: &str, levels: &str) -> Option<Ladder> {
    let levels: u32 = levels.parse().ok().filter(|levels| (1..=64).contains(levels))?;
    let names = Names::Delayctl;
    let ttl = |level, digit| {
        let queue = objects.queues.get(&names.queue(prefix, level, digit))?;
        queue.message_ttl()
    };
    let digits = |level| (1..=256).take_while(|digit| ttl(level, *digit).is_some()).count() as u64;
    let resolution = ttl(0, 1).filter(|ms| *ms > 0)?;
    let (lowest, highest) = (digits(0), digits(levels - 1));
    let radix = (lowest + 1).clamp(2, 256);
    let weight = radix.checked_pow(levels - 1)?;
    let top = highest.checked_mul(weight)?.checked_add(weight - 1)?;
    let max = top.checked_mul(resolution)?;
    // The last digits of the longest ladders are cut off by the longest TTL.
    let max = max.min(TTL_MAX_MS / resolution * resolution);
    let shape = Shape::new(Millis(resolution), Millis(max), radix);
    let queue_type = queue_type(objects, &names.queue(prefix, 0, 1))?;
    (shape.levels == levels).then(|| Ladder {
        resolution: Some(Millis(resolution)),
        max: Some(Millis(max)),
        radix: Some(radix),
        prefix: Some(prefix.to_owned()),
        queue_type,
        ..Ladder::default()
    })
}

fn queue_type(objects: &Objects, queue: &str) -> Option<QueueType> {
    match objects.queues.get(queue)?.queue_type() {
        None | Some("classic") => Some(QueueType::Classic),
        Some("quorum") => Some(QueueType::Quorum),
        Some(_) => None,
    }
}

/// The address that a binding of the last exchange is for.
fn address<'a>(ladder: &Ladder, binding: &'a Binding) -> Option<&'a str> {
    let pattern = binding.routing_key.as_str();
    if ladder.names.is_foreign() {
        return pattern.strip_prefix("#.");
    }
    let digits = "*.".repeat(ladder.shape().levels as usize);
    pattern.strip_prefix(&digits)
}

fn delay(claims: &Claims<'_>, ladder: &Ladder, binding: &Binding, address: &str) -> Option<Delay> {
    let mut ladder = ladder.clone();
    let (target, due) = target(claims.objects, &ladder, &binding.destination, address)?;
    let wanted = match (due, &ladder.prefix) {
        (Some(due), _) => names::without(due, ".due").unwrap_or(due),
        (None, Some(prefix)) if claims.from(&binding.source).len() == 1 => {
            names::without(prefix, ".ladder").unwrap_or(address)
        }
        (None, _) => address,
    };
    let name = claims.name(wanted);
    ladder.due_queue = due.filter(|due| **due != format!("{name}.due")).map(str::to_owned);
    ladder.prefix = ladder
        .prefix
        .filter(|prefix| ladder.names.is_foreign() || *prefix != format!("{name}.ladder"));
    if ladder.address(&name, &target) != address {
        ladder.address = Some(address.to_owned());
    }
    Some(Delay { name, target, strategy: Strategy::Ladder(ladder) })
}

/// Where an address leads, and the queue of TTL 0 on the way, if there is one.
fn target<'a>(
    objects: &'a Objects,
    ladder: &Ladder,
    destination: &'a Destination,
    address: &str,
) -> Option<(Target, Option<&'a str>)> {
    match destination {
        Destination::Exchange(exchange) if ladder.names.is_foreign() => {
            // Messages keep their key, digits and all; what follows them is the address. An
            // NServiceBus endpoint's exchange is a fanout, which looks at no key.
            let routing_key = match ladder.names {
                Names::Nservicebus => String::new(),
                _ => address.to_owned(),
            };
            Some((Target::Exchange { exchange: exchange.clone(), routing_key }, None))
        }
        Destination::Exchange(_) => None,
        Destination::Queue(name) => {
            let queue = objects.queues.get(name)?;
            let to = queue.dead_letter().filter(|_| queue.message_ttl() == Some(0));
            Some(match to.and_then(|to| Some((to.exchange, to.routing_key?))) {
                Some((exchange, key)) if !exchange.is_empty() => {
                    let (exchange, routing_key) = (exchange.to_owned(), key.to_owned());
                    (Target::Exchange { exchange, routing_key }, Some(name))
                }
                _ => (Target::Queue(name.clone()), None),
            })
        }
    }
}

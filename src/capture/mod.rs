//! What a broker holds, as a topology file.
//!
//! [`capture`] recognises the queues that form a known delay strategy and writes the strategy; what
//! it does not recognise it writes as it is. A strategy is written only if it compiles to exactly
//! the objects that are there, so the file declares neither more nor less than they. (A queue
//! without a type and a classic one are the same to every broker, and so they are here.)
//!
//! What is taken for what:
//!
//! - `tiers`: queues with a TTL, a dead-letter target with its routing key and nothing else, each
//!   reached by its own name or by one binding at most. A queue that has more, or a consumer, is
//!   taken for a consumer's queue whose messages expire.
//! - `per_message_ttl`: only under the names that delayctl derives, `{name}.delay` and
//!   `{name}.wait`. By anything but its name the queue cannot be told from a consumer's queue with
//!   a dead-letter target.
//! - `delayed_exchange`: each routing key of an `x-delayed-message` exchange.
//! - `ladder`: under delayctl's names, NServiceBus' and Celery's, one delay for each address.
//! - Dead-letter chains stay plain: they are queues like others.

mod claim;
mod ladder;
mod names;
mod per_message_ttl;
mod plugin;
mod tiers;

use std::collections::HashSet;

use crate::objects::{Binding, Objects};
use crate::strategy::Delay;
use crate::topology::{self, Document, Topology};

use claim::Claims;

/// A topology file, and what it makes of the objects.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The file's text.
    pub text: String,
    /// What the text says, read again.
    pub topology: Topology,
}

/// The objects as a topology file. `consumed` names queues that are known to have consumers.
///
/// # Errors
/// [`topology::Error`] when there is something that no file can declare.
pub fn capture(
    objects: &Objects,
    vhost: Option<&str>,
    consumed: &HashSet<String>,
) -> Result<Captured, topology::Error> {
    let objects = sorted(objects);
    let delays = recognise(&objects, consumed);
    let recognised = written(&objects, vhost, &delays);
    match recognised {
        Ok(captured) if claim::same_objects(&captured.topology.objects, &objects) => Ok(captured),
        // Each delay was compared with the objects, so this does not happen. If it does, the plain
        // objects are true all the same.
        _ => written(&objects, vhost, &[]),
    }
}

/// Names in order: brokers list them in none.
fn sorted(objects: &Objects) -> Objects {
    let mut objects = objects.clone();
    objects.exchanges.sort_unstable_keys();
    objects.queues.sort_unstable_keys();
    objects.policies.sort_unstable_keys();
    objects.bindings.sort_by(|a, b| {
        let key = |b: &Binding| (b.source.clone(), b.routing_key.clone(), b.destination.clone());
        key(a).cmp(&key(b)).then_with(|| format!("{a:?}").cmp(&format!("{b:?}")))
    });
    objects
}

/// The delays that the objects form, those that are told most surely first.
fn recognise(objects: &Objects, consumed: &HashSet<String>) -> Vec<Delay> {
    let mut claims = Claims::new(objects, consumed);
    ladder::find(&mut claims);
    plugin::find(&mut claims);
    per_message_ttl::find(&mut claims);
    tiers::find(&mut claims);
    claims.delays()
}

fn written(
    objects: &Objects,
    vhost: Option<&str>,
    delays: &[Delay],
) -> Result<Captured, topology::Error> {
    let (mut plain, mut made) = (objects.clone(), Objects::default());
    for delay in delays.iter().filter_map(|delay| delay.compile().ok()) {
        made.merge(delay);
    }
    plain.exchanges.retain(|name, _| !made.exchanges.contains_key(name));
    plain.queues.retain(|name, _| !made.queues.contains_key(name));
    plain.bindings.retain(|binding| !made.bindings.contains(binding));
    let text = topology::write(&Document { vhost, plain: &plain, delays, all: objects });
    let topology = topology::parse(&text)?;
    Ok(Captured { text, topology })
}

#[cfg(test)]
mod tests;

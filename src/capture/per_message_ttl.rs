//! Recognises queues whose messages bring their own TTL, by their names alone.

use crate::duration::Millis;
use crate::strategy::{Delay, PerMessageTtl, Strategy};

use super::claim::Claims;
use super::{names, tiers};

/// One delay for each queue `{name}.wait` that is reached by its name, through `{name}.delay` or
/// through the default exchange alone.
pub fn find(claims: &mut Claims<'_>) {
    let objects = claims.objects;
    for queue in objects.queues.keys() {
        let Some(name) = names::without(queue, ".wait") else { continue };
        let Some(waiting) = tiers::Waiting::of(claims, queue) else { continue };
        let default = format!("{name}.delay");
        if waiting.entry != default && !waiting.entry.is_empty() {
            continue;
        }
        let strategy = PerMessageTtl {
            exchange: (waiting.entry != default).then(|| waiting.entry.clone()),
            queue: None,
            max: waiting.ttl.map(Millis),
            queue_type: waiting.queue_type,
            max_length: waiting.max_length,
            overflow: waiting.overflow,
        };
        let name = name.to_owned();
        let strategy = Strategy::PerMessageTtl(strategy);
        claims.claim(Delay { name, target: waiting.target, strategy });
    }
}

//! A message inside the simulated broker.

use std::sync::Arc;

use super::step::Reason;
use crate::message::Death;
use crate::routing::Headers;

/// A message, or one of its copies where it was routed to several queues.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    pub(super) id: u64,
    pub(super) exchange: &'a str,
    pub(super) key: Arc<str>,
    pub(super) headers: Option<Arc<Headers>>,
    pub(super) expiration_ms: Option<u64>,
    pub(super) bytes: u64,
    /// Newest last.
    pub(super) deaths: Vec<DeathRecord<'a>>,
    /// When its TTL in the present queue is over; `u64::MAX` is never.
    pub(super) expires_us: u64,
    /// Its place in the present queue.
    pub(super) place: u64,
    pub(super) delivery_count: u64,
    pub(super) redelivered: bool,
    /// It was given to a consumer, and the broker still knows.
    pub(super) delivered: bool,
    /// The plugin has held it and has negated its `x-delay`.
    pub(super) delay_spent: bool,
}

/// One entry of `x-death`.
#[derive(Clone, Debug)]
pub(super) struct DeathRecord<'a> {
    pub queue: &'a str,
    pub reason: Reason,
    pub count: u64,
    pub time_us: u64,
    pub exchange: &'a str,
    pub key: Arc<str>,
    pub expiration_ms: Option<u64>,
}

impl<'a> Message<'a> {
    /// Its number: messages are numbered from 0 in the order in which they are sent. Copies share
    /// it.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The exchange it was last published to.
    pub fn exchange(&self) -> &'a str {
        self.exchange
    }

    /// Its routing key.
    pub fn routing_key(&self) -> &str {
        &self.key
    }

    /// Its `expiration`, in milliseconds. Dead-lettering removes it.
    pub fn expiration_ms(&self) -> Option<u64> {
        self.expiration_ms
    }

    /// Whether it was delivered before.
    pub fn redelivered(&self) -> bool {
        self.redelivered
    }

    /// The queue that it left last as a dead letter, and why.
    pub fn last_death(&self) -> Option<(&'a str, Reason)> {
        self.deaths.last().map(|death| (death.queue, death.reason))
    }

    /// Whether it has left this queue before as a dead letter.
    pub fn has_left(&self, queue: &str) -> bool {
        self.deaths.iter().any(|death| death.queue == queue)
    }

    /// Its `x-death`, newest first; times are seconds of virtual time.
    pub fn deaths(&self) -> Vec<Death> {
        let all = self.deaths.iter().rev();
        all.map(|death| Death {
            queue: death.queue.to_owned(),
            reason: death.reason.as_str().to_owned(),
            count: death.count,
            time_s: Some(death.time_us / 1_000_000),
            exchange: death.exchange.to_owned(),
            routing_keys: vec![death.key.to_string()],
            original_expiration_ms: death.expiration_ms,
        })
        .collect()
    }

    /// Notes that it left this queue: one entry per queue and reason, with a count, the latest
    /// first. The `expiration` goes into the entry, and out of the message, so that it does not
    /// expire again where it arrives (measured).
    pub(super) fn record_death(&mut self, queue: &'a str, reason: Reason, now_us: u64) {
        let expiration_ms = self.expiration_ms.take();
        let same = |death: &DeathRecord<'_>| death.queue == queue && death.reason == reason;
        if let Some(index) = self.deaths.iter().position(same) {
            let mut death = self.deaths.remove(index);
            death.count += 1;
            self.deaths.push(death);
            return;
        }
        self.deaths.push(DeathRecord {
            queue,
            reason,
            count: 1,
            time_us: now_us,
            exchange: self.exchange,
            key: self.key.clone(),
            expiration_ms,
        });
    }

    /// Whether it would come back to a queue that it left before, without having been rejected
    /// since. Measured on classic and quorum queues; a rejection in the queue itself counts as
    /// one in between (from the source).
    pub(super) fn is_cycle(&self, queue: &str) -> bool {
        for death in self.deaths.iter().rev() {
            if death.reason == Reason::Rejected {
                return false;
            }
            if death.queue == queue {
                return true;
            }
        }
        false
    }
}

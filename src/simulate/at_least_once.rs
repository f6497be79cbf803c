//! Dead-lettering at least once: a quorum queue keeps a dead letter until every target has taken
//! it.
//!
//! Measured: at most 32 are on their way at a time, and those that no queue takes stay among
//! them, so that 32 unroutable ones stall every later one; a cycle is kept for ever. From the
//! source (`rabbit_fifo_dlx_worker`): what is stuck is tried again every 180 s.

use super::engine::{Event, Simulation, Tell};
use super::message::Message;
use super::queue::{QueueId, Stuck};
use super::step::{Loss, What};

/// How many dead letters are on their way at a time.
pub(super) const IN_FLIGHT: usize = 32;

/// How often what is stuck is tried again.
const RETRY_US: u64 = 180_000_000;

impl<'a> Simulation<'a> {
    /// Sends what waits while there is room in flight. Hops take no time, so only what is stuck
    /// takes room.
    pub(super) fn forward(&mut self, id: QueueId, tell: Tell<'a, '_>) {
        let mut moved = false;
        while self.queues[id].dlx.stuck.len() < IN_FLIGHT {
            let Some((mut message, reason)) = self.queues[id].dlx.waiting.pop_front() else {
                break;
            };
            moved = true;
            self.readdress(id, &mut message, reason, tell);
            let bytes = message.bytes;
            let attempt = Stuck { message, reason, taken: Vec::new(), sent_us: None };
            match self.attempt(id, attempt, tell) {
                None => self.queues[id].dlx.bytes -= bytes,
                Some(stuck) => self.queues[id].dlx.stuck.push(stuck),
            }
        }
        if moved {
            self.queues[id].note_limit();
        }
        self.watch_stuck(id);
    }

    /// Sends a dead letter to the targets that have not taken it. Gives it back when it is not
    /// done with.
    fn attempt(
        &mut self,
        id: QueueId,
        mut stuck: Stuck<'a>,
        tell: Tell<'a, '_>,
    ) -> Option<Stuck<'a>> {
        if let Some(until_us) = self.holds_until(&stuck.message) {
            self.hold(stuck.message, until_us, tell);
            return None;
        }
        let targets = match self.dead_letter_targets(&stuck.message, stuck.reason) {
            Ok(targets) => targets,
            // Its routes are gone, and one of them has taken it.
            Err(_) if !stuck.taken.is_empty() => return None,
            Err(why) => {
                self.tell_stuck(id, &stuck.message, why, tell);
                return Some(stuck);
            }
        };
        let open: Vec<_> = targets.into_iter().filter(|q| !stuck.taken.contains(q)).collect();
        let (last, others) = open.split_last()?;
        stuck.sent_us = Some(self.now_us);
        let mut refused = false;
        for target in others {
            match self.enqueue(*target, stuck.message.clone(), tell) {
                Ok(()) => stuck.taken.push(*target),
                Err(_) => refused = true,
            }
        }
        // The last target gets the message itself, unless it must be kept for another.
        let message = stuck.message;
        let kept = refused.then(|| message.clone());
        match (self.enqueue(*last, message, tell), kept) {
            (Ok(()), None) => return None,
            (Ok(()), Some(kept)) => {
                stuck.taken.push(*last);
                stuck.message = kept;
            }
            (Err(message), _) => stuck.message = message,
        }
        self.tell_stuck(id, &stuck.message, Loss::Refused, tell);
        Some(stuck)
    }

    fn tell_stuck(&self, id: QueueId, message: &Message<'a>, why: Loss, tell: Tell<'a, '_>) {
        self.tell(message, What::Stuck { queue: self.queues[id].name, why }, tell);
    }

    fn watch_stuck(&mut self, id: QueueId) {
        let at_us = self.now_us.saturating_add(RETRY_US);
        let worker = &mut self.queues[id].dlx;
        if worker.stuck.is_empty() {
            worker.timer_us = u64::MAX;
        } else if worker.timer_us == u64::MAX {
            worker.timer_us = at_us;
            self.schedule(at_us, Event::Retry(id));
        }
    }

    /// Tries again what found no target, and what a target refused 180 s ago.
    pub(super) fn retry_stuck(&mut self, id: QueueId, at_us: u64, tell: Tell<'a, '_>) {
        let worker = &mut self.queues[id].dlx;
        if worker.timer_us != at_us {
            return;
        }
        worker.timer_us = u64::MAX;
        for stuck in std::mem::take(&mut worker.stuck) {
            let early = stuck.sent_us.is_some_and(|sent| sent.saturating_add(RETRY_US) > at_us);
            let bytes = stuck.message.bytes;
            let left = if early { Some(stuck) } else { self.attempt(id, stuck, tell) };
            match left {
                Some(stuck) => self.queues[id].dlx.stuck.push(stuck),
                None => self.queues[id].dlx.bytes -= bytes,
            }
        }
        self.queues[id].note_limit();
        self.forward(id, tell);
    }
}

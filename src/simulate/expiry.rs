//! Out of a queue by time: messages from the head only, and queues that nobody uses.

use super::engine::{Event, Simulation, Tell};
use super::queue::{QueueId, QueueState};
use super::step::{Loss, Reason, What};

/// Quorum queues look for their own expiry every five seconds (RabbitMQ's `quorum_tick_interval`),
/// counted from their declaration.
const QUORUM_TICK_US: u64 = 5_000_000;

impl<'a> Simulation<'a> {
    /// Measured: only the head of a queue is looked at. A message that is over its time waits
    /// until all before it have left.
    pub(super) fn expire(&mut self, id: QueueId) {
        while self.queues[id].head().is_some_and(|head| head.expires_us <= self.now_us) {
            let Some(message) = self.queues[id].pop() else { break };
            self.dead_letter(id, message, Reason::Expired);
        }
        self.left(id);
    }

    /// Makes sure that a queue with `x-expires` is looked at when it may have been unused so long.
    pub(super) fn watch_use(&mut self, id: QueueId) {
        let queue = &self.queues[id];
        let Some(expires_us) = queue.settings.expires_us else { return };
        let tick = if queue.settings.quorum { QUORUM_TICK_US } else { 1 };
        let unused_us = expires_us.div_ceil(tick).saturating_mul(tick);
        self.schedule(self.now_us.saturating_add(unused_us), Event::Unused(id));
    }

    /// A queue without consumers that was not declared for its `x-expires` is deleted. That
    /// dead-letters nothing.
    pub(super) fn unused(&mut self, id: QueueId, tell: Tell<'a, '_>) {
        let queue = &mut self.queues[id];
        if queue.deleted || !queue.readers.is_empty() || queue.lease_us > self.now_us {
            return;
        }
        let fresh = QueueState::new(queue.name, queue.settings.clone());
        let mut gone = std::mem::replace(queue, fresh);
        queue.deleted = true;
        // What is held back is told to be lost when it would return.
        (queue.held_back, queue.peak) = (gone.held_back, gone.peak);
        // A timer of the old queue is void in the new one.
        queue.timer_us = u64::MAX;
        let what = What::Lost { place: gone.name, why: Loss::QueueExpired };
        while let Some(message) = gone.pop() {
            self.tell(&message, what, tell);
        }
        let worker = gone.dlx;
        let stuck = worker.stuck.into_iter().map(|stuck| stuck.message);
        for message in stuck.chain(worker.waiting.into_iter().map(|(message, _)| message)) {
            self.tell(&message, what, tell);
        }
    }

    /// Measured: declaring again renews the lease of a classic queue, not of a quorum queue.
    /// Whoever declares a queue that is gone makes it again, with its bindings.
    pub(super) fn declared_again(&mut self, id: QueueId) {
        let now_us = self.now_us;
        let queue = &mut self.queues[id];
        let Some(expires_us) = queue.settings.expires_us else { return };
        if queue.deleted || !queue.settings.quorum {
            queue.deleted = false;
            queue.lease_us = now_us.saturating_add(expires_us);
            self.watch_use(id);
        }
    }
}

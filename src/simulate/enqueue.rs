//! Into a queue: TTLs, length limits and what a full queue does.

use super::engine::{Simulation, Tell, Work};
use super::message::Message;
use super::queue::{QueueId, QueueState};
use super::step::{Loss, Reason, What};
use crate::policy::Full;

impl<'a> Simulation<'a> {
    /// Puts the message, or a copy of it, into each queue; a refusal is a loss. At most once.
    pub(super) fn enqueue_each(
        &mut self,
        message: Box<Message<'a>>,
        queues: &[QueueId],
        tell: Tell<'a, '_>,
    ) {
        let Some((last, others)) = queues.split_last() else { return };
        for queue in others {
            let refused = self.enqueue(*queue, message.clone(), tell).err();
            self.tell_refused(*queue, refused, tell);
        }
        let refused = self.enqueue(*last, message, tell).err();
        self.tell_refused(*last, refused, tell);
    }

    fn tell_refused(&self, queue: QueueId, refused: Option<Box<Message<'a>>>, tell: Tell<'a, '_>) {
        if let Some(message) = refused {
            let what = What::Lost { place: self.queues[queue].name, why: Loss::Refused };
            self.tell(&message, what, tell);
        }
    }

    /// Puts a message into a queue, or gives it back when the queue refuses it.
    pub(super) fn enqueue(
        &mut self,
        id: QueueId,
        mut message: Box<Message<'a>>,
        tell: Tell<'a, '_>,
    ) -> Result<(), Box<Message<'a>>> {
        if self.queues[id].refuses(&message) {
            if self.queues[id].settings.full == Full::RejectAndDeadLetter {
                self.dead_letter(id, message.clone(), Reason::MaxLength);
            }
            return Err(message);
        }
        let queue = &self.queues[id];
        message.expires_us = self.expiry_of(queue, &message);
        message.delivery_count = 0;
        let keeps = self.profile.keeps_delivered_in(queue.settings.quorum);
        message.redelivered = message.delivered && keeps;
        self.tell(&message, What::Entered { queue: queue.name }, tell);
        // A TTL of zero expires a message unless a consumer takes it at once.
        match self.free_reader(id) {
            Some(reader) if self.queues[id].head().is_none() => {
                message.place = self.queues[id].take_place();
                // Measured on 4.3: a classic queue that hands a message straight to a consumer
                // does not look whether it was delivered elsewhere.
                message.redelivered &= self.queues[id].settings.quorum;
                self.hand_over(reader, message, tell);
            }
            _ => {
                self.queues[id].push_back(message, self.now_us);
                self.drop_head(id);
                self.watch_head(id);
                self.queues[id].note_limit();
            }
        }
        Ok(())
    }

    /// Of a queue's TTL and a message's, the smaller counts (measured).
    fn expiry_of(&self, queue: &QueueState<'a>, message: &Message<'a>) -> u64 {
        let own = message.expiration_ms.map(|ms| ms.saturating_mul(1000));
        let ttl = queue.settings.ttl_us.into_iter().chain(own).min();
        ttl.map_or(u64::MAX, |ttl| self.now_us.saturating_add(ttl))
    }

    /// Measured: with `drop-head`, the default, a full queue dead-letters its oldest message at
    /// once, before its time.
    pub(super) fn drop_head(&mut self, id: QueueId) {
        if self.queues[id].settings.full != Full::DropHead {
            return;
        }
        while self.queues[id].is_over() {
            let Some(message) = self.queues[id].pop() else { return };
            self.dead_letter(id, message, Reason::MaxLength);
        }
    }

    /// Makes sure that the queue is looked at when its head expires.
    pub(super) fn watch_head(&mut self, id: QueueId) {
        let queue = &mut self.queues[id];
        let expires_us = queue.head().map_or(u64::MAX, |head| head.expires_us);
        if expires_us < queue.timer_us {
            queue.timer_us = expires_us;
            self.schedule(expires_us, super::engine::Event::Expire(id));
        }
    }

    /// After something left a queue: its head is another, and it may have room again.
    pub(super) fn left(&mut self, id: QueueId) {
        self.watch_head(id);
        self.queues[id].note_limit();
        if !self.queues[id].readers.is_empty() {
            self.work.push_back(Work::Deliver(id));
        }
    }
}

impl QueueState<'_> {
    /// Classic: whether the message would make the queue longer than its limit. Quorum: whether
    /// the queue went over its limit and has not been well below since (both from the source).
    fn refuses(&self, message: &Message<'_>) -> bool {
        if self.settings.full == Full::DropHead {
            return false;
        }
        if self.settings.quorum {
            return self.refusing;
        }
        let (length, bytes) = (self.ready_len() + 1, self.ready_bytes + message.bytes);
        self.settings.max_length.is_some_and(|max| length > max)
            || self.settings.max_bytes.is_some_and(|max| bytes > max)
    }

    /// What counts towards the limits: what is ready, and on a quorum queue also what it is
    /// dead-lettering (from the source).
    fn load(&self) -> (u64, u64) {
        (self.ready_len() + self.dlx.len(), self.ready_bytes + self.dlx.bytes)
    }

    fn is_over(&self) -> bool {
        let (length, bytes) = self.load();
        self.settings.max_length.is_some_and(|max| length > max)
            || self.settings.max_bytes.is_some_and(|max| bytes > max)
    }

    /// A quorum queue that refuses goes on to refuse until it is down to four fifths of each
    /// limit (from the source).
    fn is_well_below(&self) -> bool {
        let (length, bytes) = self.load();
        let low = |limit: Option<u64>, load| {
            limit.is_none_or(|max| load <= max / 5 * 4 + max % 5 * 4 / 5)
        };
        low(self.settings.max_length, length) && low(self.settings.max_bytes, bytes)
    }

    pub(super) fn note_limit(&mut self) {
        if !self.settings.quorum || self.settings.full == Full::DropHead {
            return;
        }
        if self.refusing {
            self.refusing = !self.is_well_below();
        } else {
            self.refusing = self.is_over();
        }
    }
}

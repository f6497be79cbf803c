//! Consumers: prefetch, service time, answers, and what a queue does with what comes back.

use std::collections::VecDeque;

use super::engine::{Event, Simulation, Tell, Work};
use super::input::{Answer, Reader};
use super::message::Message;
use super::queue::QueueId;
use super::step::{Reason, What};

/// A consumer, and what it has yet to handle: the first message is in work.
#[derive(Debug)]
pub(super) struct ReaderState<'a> {
    queue: QueueId,
    reader: Reader,
    backlog: VecDeque<Box<Message<'a>>>,
    handled: usize,
}

impl ReaderState<'_> {
    pub fn new(queue: QueueId, reader: Reader) -> Self {
        ReaderState { queue, reader, backlog: VecDeque::new(), handled: 0 }
    }

    fn has_room(&self) -> bool {
        self.reader.prefetch == 0 || (self.backlog.len() as u64) < self.reader.prefetch
    }

    fn answer(&self) -> Answer {
        let answers = &self.reader.answers;
        if answers.is_empty() { Answer::Ack } else { answers[self.handled % answers.len()] }
    }
}

impl<'a> Simulation<'a> {
    pub(super) fn begin(&mut self, reader: usize) {
        let queue = self.readers[reader].queue;
        self.queues[queue].readers.push(reader);
        self.work.push_back(Work::Deliver(queue));
    }

    /// The consumer whose turn it is, if one has room: they take turns.
    pub(super) fn free_reader(&self, id: QueueId) -> Option<usize> {
        let queue = &self.queues[id];
        let count = queue.readers.len();
        let in_turn = (0..count).map(|step| queue.readers[(queue.turn + step) % count]);
        in_turn.into_iter().find(|reader| self.readers[*reader].has_room())
    }

    /// Gives the queue's messages to consumers that have room. A message that is over its time is
    /// not given, but dead-lettered.
    pub(super) fn deliver(&mut self, id: QueueId, tell: Tell<'a, '_>) {
        let mut moved = false;
        while let Some(head) = self.queues[id].head() {
            if head.expires_us <= self.now_us {
                return self.expire(id);
            }
            let Some(reader) = self.free_reader(id) else { break };
            let Some(message) = self.queues[id].pop() else { break };
            moved = true;
            self.hand_over(reader, message, tell);
        }
        if moved {
            self.watch_head(id);
            self.queues[id].note_limit();
        }
    }

    pub(super) fn hand_over(
        &mut self,
        index: usize,
        mut message: Box<Message<'a>>,
        tell: Tell<'a, '_>,
    ) {
        let id = self.readers[index].queue;
        let queue = &mut self.queues[id];
        let position = queue.readers.iter().position(|other| *other == index);
        queue.turn = position.map_or(0, |position| position + 1);
        queue.unacknowledged += 1;
        let what = What::Delivered { queue: queue.name, reader: index };
        self.tell(&message, what, tell);
        message.delivered = true;
        let reader = &mut self.readers[index];
        reader.backlog.push_back(message);
        if reader.backlog.len() == 1 {
            self.start_work(index);
        }
    }

    fn start_work(&mut self, index: usize) {
        // Without a minimum, a consumer that requeues would hold virtual time still.
        let service_us = self.readers[index].reader.service_us.max(1);
        self.schedule(self.now_us.saturating_add(service_us), Event::Handled(index));
    }

    /// A consumer answers for the message that it has handled, and begins the next.
    pub(super) fn handled(&mut self, index: usize, tell: Tell<'a, '_>) {
        let reader = &mut self.readers[index];
        let id = reader.queue;
        let answer = reader.answer();
        reader.handled += 1;
        let Some(message) = reader.backlog.pop_front() else { return };
        if !reader.backlog.is_empty() {
            self.start_work(index);
        }
        self.queues[id].unacknowledged -= 1;
        let what = What::Answered { queue: self.queues[id].name, answer };
        self.tell(&message, what, tell);
        match answer {
            Answer::Ack => {}
            Answer::Reject => self.dead_letter(id, message, Reason::Rejected),
            Answer::Requeue => self.take_back(id, message, true, tell),
            Answer::NackRequeue => self.take_back(id, message, false, tell),
        }
        self.work.push_back(Work::Deliver(id));
    }

    /// A requeued message returns to its queue. `failed`: it came by `basic.reject`.
    fn take_back(
        &mut self,
        id: QueueId,
        mut message: Box<Message<'a>>,
        failed: bool,
        tell: Tell<'a, '_>,
    ) {
        message.redelivered = true;
        let settings = &self.queues[id].settings;
        if settings.quorum && (failed || self.profile.nack_counts()) {
            message.delivery_count += 1;
        }
        if settings.delivery_limit.is_some_and(|limit| message.delivery_count > limit) {
            self.dead_letter(id, message, Reason::DeliveryLimit);
            return;
        }
        // Measured on 4.3: a returned message is held back for min × its delivery count, at most
        // max; one that never counted, for min.
        let retry =
            settings.retry.filter(|retry| if failed { retry.failed } else { retry.returned });
        let held_us = retry.map_or(0, |retry| {
            retry.min_us.saturating_mul(message.delivery_count.max(1)).min(retry.max_us)
        });
        let again_us = self.now_us.saturating_add(held_us);
        let what = What::Returned { queue: self.queues[id].name, again_us };
        self.tell(&message, what, tell);
        if held_us == 0 {
            self.put_back(id, message, tell);
        } else {
            self.queues[id].held_back += 1;
            self.queues[id].note_peak(self.now_us);
            self.schedule(again_us, Event::Back(id, message));
        }
    }

    pub(super) fn back(&mut self, id: QueueId, message: Box<Message<'a>>, tell: Tell<'a, '_>) {
        self.queues[id].held_back -= 1;
        if self.queues[id].deleted {
            let why = super::step::Loss::QueueExpired;
            self.tell(&message, What::Lost { place: self.queues[id].name, why }, tell);
            return;
        }
        self.put_back(id, message, tell);
    }

    /// Where a requeued message goes: on a classic queue to its old place, on a quorum queue with
    /// a delivery limit before all others, without one behind them.
    /// If that makes the queue too long, a classic queue drops its head, and a quorum queue first
    /// delivers what it can (measured).
    fn put_back(&mut self, id: QueueId, message: Box<Message<'a>>, tell: Tell<'a, '_>) {
        let queue = &mut self.queues[id];
        let quorum = queue.settings.quorum;
        if !quorum {
            queue.put_back(message, self.now_us);
        } else if queue.settings.delivery_limit.is_some() {
            queue.ready_bytes += message.bytes;
            queue.returns.push_back(message);
            queue.note_peak(self.now_us);
        } else {
            queue.push_back(message, self.now_us);
        }
        if quorum {
            self.deliver(id, tell);
        }
        self.drop_head(id);
        self.left(id);
    }
}

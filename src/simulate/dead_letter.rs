//! Out of a queue as a dead letter.

use super::engine::{Simulation, Tell, Work};
use super::message::Message;
use super::queue::QueueId;
use super::step::{Loss, Reason, What};

impl<'a> Simulation<'a> {
    /// Takes charge of a message that has left its queue: at least once, it stays in the queue's
    /// care; at most once, it is passed on and forgotten.
    pub(super) fn dead_letter(&mut self, id: QueueId, message: Box<Message<'a>>, reason: Reason) {
        let queue = &mut self.queues[id];
        if queue.settings.at_least_once {
            queue.dlx.bytes += message.bytes;
            queue.dlx.waiting.push_back((message, reason));
            queue.note_peak(self.now_us);
            self.work.push_back(Work::Forward(id));
        } else {
            self.work.push_back(Work::DeadLetter(id, message, reason));
        }
    }

    /// Passes a dead letter on, at most once: what no queue takes is dropped without a trace
    /// (measured).
    pub(super) fn pass_on(
        &mut self,
        id: QueueId,
        mut message: Box<Message<'a>>,
        reason: Reason,
        tell: Tell<'a, '_>,
    ) {
        let name = self.queues[id].name;
        if !self.readdress(id, &mut message, reason, tell) {
            let what = What::Lost { place: name, why: Loss::NoDeadLetterExchange };
            self.tell(&message, what, tell);
            return;
        }
        if let Some(until_us) = self.holds_until(&message) {
            self.hold(message, until_us, tell);
            return;
        }
        match self.dead_letter_targets(&message, reason) {
            Ok(targets) => self.enqueue_each(message, &targets, tell),
            Err(why) => self.tell(&message, What::Lost { place: name, why }, tell),
        }
    }

    /// Notes the death and gives the message the queue's dead-letter exchange and routing key,
    /// without which it keeps its own (measured). False when the queue has no such exchange.
    pub(super) fn readdress(
        &mut self,
        id: QueueId,
        message: &mut Message<'a>,
        reason: Reason,
        tell: Tell<'a, '_>,
    ) -> bool {
        let queue = &self.queues[id];
        let Some((exchange, _)) = queue.settings.dead_letter else { return false };
        let key = self.dead_letter_key(id, &message.key);
        let quorum = queue.settings.quorum;
        message.delivered &= self.profile.keeps_delivered_from(quorum, reason);
        message.record_death(queue.name, reason, self.now_us);
        message.exchange = exchange;
        message.key = key;
        let what = What::DeadLettered { queue: queue.name, reason };
        self.tell(message, what, tell);
        true
    }

    /// The queues that take a dead letter. A rejected one may go round in circles; any other is
    /// kept from queues that it has left before (measured).
    pub(super) fn dead_letter_targets(
        &mut self,
        message: &Message<'a>,
        reason: Reason,
    ) -> Result<Vec<QueueId>, Loss> {
        if !self.can_exist(message.exchange) {
            return Err(Loss::Unroutable);
        }
        let mut targets = self.targets(message);
        if targets.is_empty() {
            return Err(Loss::Unroutable);
        }
        if reason != Reason::Rejected {
            targets.retain(|target| !message.is_cycle(self.queues[*target].name));
        }
        if targets.is_empty() { Err(Loss::Cycle) } else { Ok(targets) }
    }
}

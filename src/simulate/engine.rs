//! The clock: events in order of time, and of two at the same time the one made first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;

use super::consume::ReaderState;
use super::input::{Reader, Sending};
use super::message::Message;
use super::peak::Peak;
use super::plugin::Held;
use super::profile::Profile;
use super::queue::{Depth, QueueId, QueueState};
use super::routes::Routes;
use super::settings::Settings;
use super::step::{Loss, Place, Reason, Step, What};
use crate::objects::{DELAYED_MESSAGE_TYPE, Objects};
use crate::policy::Policies;
use crate::version::Version;

/// Where steps are told to.
pub(super) type Tell<'a, 't> = &'t mut dyn FnMut(&Step<'a, '_>);

/// A broker in virtual time, which begins at 0.
#[derive(Debug)]
pub struct Simulation<'a> {
    pub(super) objects: &'a Objects,
    pub(super) profile: Profile,
    pub(super) routes: Routes<'a>,
    pub(super) queues: Vec<QueueState<'a>>,
    pub(super) readers: Vec<ReaderState<'a>>,
    /// What each delayed-message exchange holds.
    pub(super) held: BTreeMap<&'a str, Held>,
    pub(super) now_us: u64,
    /// What the present event has caused and is not yet done, in order.
    pub(super) work: VecDeque<Work<'a>>,
    events: BinaryHeap<Scheduled<'a>>,
    made: u64,
    sent: u64,
}

/// Something to be done at the present moment.
#[derive(Debug)]
pub(super) enum Work<'a> {
    /// Pass on a dead letter, at most once.
    DeadLetter(QueueId, Box<Message<'a>>, Reason),
    /// Let an at-least-once worker go on.
    Forward(QueueId),
    /// Give messages to consumers that have room.
    Deliver(QueueId),
}

/// Something that will happen.
#[derive(Debug)]
pub(super) enum Event<'a> {
    /// The head of a queue may have expired.
    Expire(QueueId),
    /// A consumer has handled a message.
    Handled(usize),
    /// A consumer begins.
    Begin(usize),
    /// A worker tries again what was stuck.
    Retry(QueueId),
    /// The plugin's message is due.
    Due(Box<Message<'a>>),
    /// A message that delayed retry held back returns.
    Back(QueueId, Box<Message<'a>>),
    /// A queue may have been unused for its `x-expires`.
    Unused(QueueId),
    /// A queue is declared again.
    Redeclare(QueueId),
}

#[derive(Debug)]
struct Scheduled<'a> {
    at_us: u64,
    made: u64,
    event: Event<'a>,
}

impl PartialEq for Scheduled<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scheduled<'_> {}

impl PartialOrd for Scheduled<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled<'_> {
    /// The earliest is the greatest: a [`BinaryHeap`] gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at_us, other.made).cmp(&(self.at_us, self.made))
    }
}

impl<'a> Simulation<'a> {
    /// A broker of this kind that holds these objects, empty.
    pub fn new(objects: &'a Objects, profile: Profile) -> Self {
        let (major, minor) = profile.version;
        let version = Version::new(major.into(), minor.into());
        let policies = Policies::new(&objects.policies, Some(version));
        let default = Some(profile.default_type.as_str());
        let queues = objects.queues.iter().map(|(name, queue)| {
            let effective = policies.effective(name, queue, default);
            QueueState::new(name, Settings::of(&effective, profile))
        });
        let mut simulation = Simulation {
            objects,
            profile,
            routes: Routes::new(objects, policies.alternates(objects)),
            queues: queues.collect(),
            readers: Vec::new(),
            held: BTreeMap::new(),
            now_us: 0,
            work: VecDeque::new(),
            events: BinaryHeap::new(),
            made: 0,
            sent: 0,
        };
        for queue in 0..simulation.queues.len() {
            simulation.watch_use(queue);
        }
        simulation
    }

    /// Adds a consumer and returns its index, or `None` when there is no such queue.
    pub fn add_reader(&mut self, reader: Reader) -> Option<usize> {
        let queue = self.routes.queue(&reader.queue)?;
        let index = self.readers.len();
        self.schedule(reader.from_us, Event::Begin(index));
        self.readers.push(ReaderState::new(queue, reader));
        Some(index)
    }

    /// Declares a queue again at this moment, as a client does before it publishes: it renews
    /// `x-expires`, and makes the queue anew if it was gone. Does nothing when the objects have
    /// no such queue.
    pub fn redeclare(&mut self, queue: &str, at_us: u64) {
        if let Some(queue) = self.routes.queue(queue) {
            self.schedule(at_us, Event::Redeclare(queue));
        }
    }

    /// Lets time pass until `until_us`, inclusive, or until nothing can happen any more. Messages
    /// are sent in the order given, and none before the one ahead of it. May be called again, to
    /// go on.
    pub fn run(
        &mut self,
        sends: impl IntoIterator<Item = Sending>,
        until_us: u64,
        mut tell: impl FnMut(&Step<'a, '_>),
    ) {
        let tell: Tell<'a, '_> = &mut tell;
        let mut sends = sends.into_iter().peekable();
        loop {
            let next_send = sends.peek().map_or(u64::MAX, |send| send.at_us.max(self.now_us));
            let next_event = self.events.peek().map_or(u64::MAX, |scheduled| scheduled.at_us);
            let next = next_send.min(next_event);
            if next > until_us || next == u64::MAX {
                break;
            }
            self.now_us = next;
            if next_event <= next_send {
                // Just peeked.
                let Some(Scheduled { at_us, event, .. }) = self.events.pop() else { break };
                self.happen(at_us, event, tell);
                if self.more_expire_now() {
                    continue;
                }
            } else if let Some(send) = sends.next() {
                self.send(send, tell);
            }
            self.settle(tell);
        }
        if until_us != u64::MAX {
            self.now_us = self.now_us.max(until_us);
        }
    }

    /// The present moment, in microseconds.
    pub fn now_us(&self) -> u64 {
        self.now_us
    }

    /// When something can happen next, beside what is sent, in microseconds.
    pub fn next_us(&self) -> Option<u64> {
        self.events.peek().map(|scheduled| scheduled.at_us)
    }

    /// The most messages that waited in each place since the last call, or the beginning.
    pub fn take_peaks(&mut self) -> impl Iterator<Item = (Place<'a>, Peak)> {
        let now_us = self.now_us;
        let queues = self.queues.iter_mut();
        let queues = queues.map(move |q| (Place::Queue(q.name), q.take_peak(now_us)));
        let held = self.held.iter_mut();
        let held = held.map(move |(name, held)| (Place::Exchange(name), held.take_peak(now_us)));
        queues.chain(held)
    }

    /// What the queues hold, by name, in the order of the objects. A deleted queue is left out.
    pub fn depths(&self) -> impl Iterator<Item = (&'a str, Depth)> {
        let there = self.queues.iter().filter(|queue| !queue.deleted);
        there.map(|queue| (queue.name, queue.depth()))
    }

    /// The messages that are ready in a queue, the next to be delivered first. None when it is
    /// not there.
    pub fn contents(&self, queue: &str) -> impl Iterator<Item = &Message<'a>> {
        let queue = self.routes.queue(queue).map(|queue| &self.queues[queue]);
        let all = queue.into_iter().flat_map(|queue| queue.returns.iter().chain(&queue.ready));
        all.map(|message| &**message)
    }

    /// What one queue holds; `None` when it is not there.
    pub fn depth(&self, queue: &str) -> Option<Depth> {
        let queue = &self.queues[self.routes.queue(queue)?];
        (!queue.deleted).then(|| queue.depth())
    }

    pub(super) fn schedule(&mut self, at_us: u64, event: Event<'a>) {
        self.made += 1;
        self.events.push(Scheduled { at_us: at_us.max(self.now_us), made: self.made, event });
    }

    /// Whether another queue's head expires at this same moment. All of them leave before any
    /// arrives elsewhere: on a broker the way from queue to queue takes a while, and a full queue
    /// that something leaves at the moment has room for what comes (measured).
    fn more_expire_now(&self) -> bool {
        let next = self.events.peek();
        next.is_some_and(|next| next.at_us == self.now_us && matches!(next.event, Event::Expire(_)))
    }

    fn happen(&mut self, at_us: u64, event: Event<'a>, tell: Tell<'a, '_>) {
        match event {
            Event::Expire(queue) => {
                // A timer that a nearer one has overtaken is void.
                if self.queues[queue].timer_us == at_us {
                    self.queues[queue].timer_us = u64::MAX;
                    self.expire(queue);
                }
            }
            Event::Handled(reader) => self.handled(reader, tell),
            Event::Begin(reader) => self.begin(reader),
            Event::Retry(queue) => self.retry_stuck(queue, at_us, tell),
            Event::Due(message) => self.release(message, tell),
            Event::Back(queue, message) => self.back(queue, message, tell),
            Event::Unused(queue) => self.unused(queue, tell),
            Event::Redeclare(queue) => self.declared_again(queue),
        }
    }

    fn settle(&mut self, tell: Tell<'a, '_>) {
        while let Some(work) = self.work.pop_front() {
            match work {
                Work::DeadLetter(queue, message, reason) => {
                    self.pass_on(queue, message, reason, tell);
                }
                Work::Forward(queue) => self.forward(queue, tell),
                Work::Deliver(queue) => self.deliver(queue, tell),
            }
        }
    }

    fn send(&mut self, send: Sending, tell: Tell<'a, '_>) {
        let there = self.routes.exchange(&send.exchange).filter(|name| self.can_exist(name));
        let message = Box::new(Message {
            id: self.sent,
            exchange: there.unwrap_or_default(),
            key: send.routing_key,
            headers: send.headers,
            expiration_ms: send.expiration_ms,
            bytes: send.bytes,
            deaths: Vec::new(),
            expires_us: u64::MAX,
            place: 0,
            delivery_count: 0,
            redelivered: false,
            delivered: false,
            delay_spent: false,
        });
        self.sent += 1;
        if there.is_none() {
            let what = What::Lost { place: "", why: Loss::NoExchange };
            self.tell(&message, what, tell);
            return;
        }
        match self.holds_until(&message) {
            Some(until_us) => self.hold(message, until_us, tell),
            None => self.publish(message, tell),
        }
    }

    /// Routes a publisher's message to its queues.
    pub(super) fn publish(&mut self, message: Box<Message<'a>>, tell: Tell<'a, '_>) {
        let routed = self.targets(&message);
        if routed.is_empty() {
            let what = What::Lost { place: message.exchange, why: Loss::Unroutable };
            self.tell(&message, what, tell);
            return;
        }
        self.enqueue_each(message, &routed, tell);
    }

    /// The queues that are there and that the message is routed to.
    pub(super) fn targets(&mut self, message: &Message<'a>) -> Vec<QueueId> {
        let routed = self.routes.of(message.exchange, &message.key, message.headers.as_deref());
        routed.iter().copied().filter(|queue| !self.queues[*queue].deleted).collect()
    }

    /// Whether this broker could have the exchange: the plugin's only with the plugin.
    pub(super) fn can_exist(&self, exchange: &str) -> bool {
        self.profile.plugin || !self.is_delayed(exchange)
    }

    pub(super) fn is_delayed(&self, exchange: &str) -> bool {
        self.objects.exchanges.get(exchange).is_some_and(|x| x.kind == DELAYED_MESSAGE_TYPE)
    }

    pub(super) fn tell(&self, message: &Message<'a>, what: What<'a>, tell: Tell<'a, '_>) {
        tell(&Step { at_us: self.now_us, what, message });
    }

    /// The routing key of a dead letter: the queue's, else the message's own.
    pub(super) fn dead_letter_key(&self, queue: QueueId, own: &Arc<str>) -> Arc<str> {
        match self.queues[queue].settings.dead_letter {
            Some((_, Some(key))) => Arc::from(key),
            _ => own.clone(),
        }
    }
}

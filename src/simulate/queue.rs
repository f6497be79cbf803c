//! The state of a queue.

use std::collections::{HashMap, VecDeque};

use super::message::Message;
use super::peak::Peak;
use super::settings::Settings;
use super::step::Reason;

/// A queue's number.
pub(super) type QueueId = usize;

/// A queue, and the messages in it.
#[derive(Debug)]
pub(super) struct QueueState<'a> {
    pub name: &'a str,
    pub settings: Settings<'a>,
    pub ready: VecDeque<Box<Message<'a>>>,
    /// Returned messages of a quorum queue with a delivery limit; they come before `ready`.
    pub returns: VecDeque<Box<Message<'a>>>,
    pub ready_bytes: u64,
    /// The place of the next message.
    pub next_place: u64,
    /// The pending timer for the head's expiry; `u64::MAX` is none.
    pub timer_us: u64,
    /// A quorum queue went over its limit and refuses until it is well below.
    pub refusing: bool,
    pub dlx: Worker<'a>,
    /// Consumers that have begun.
    pub readers: Vec<usize>,
    /// Which of them is served next.
    pub turn: usize,
    pub deleted: bool,
    /// When `x-expires` is over, without another use.
    pub lease_us: u64,
    pub unacknowledged: u64,
    /// Returned messages that delayed retry holds back.
    pub held_back: u64,
    /// The most that waited since somebody asked.
    pub peak: Peak,
}

/// The at-least-once worker of a quorum queue.
#[derive(Debug, Default)]
pub(super) struct Worker<'a> {
    pub waiting: VecDeque<(Box<Message<'a>>, Reason)>,
    pub stuck: Vec<Stuck<'a>>,
    pub bytes: u64,
    /// When it tries again; `u64::MAX` is never.
    pub timer_us: u64,
}

/// A dead letter that some target has yet to take.
#[derive(Debug)]
pub(super) struct Stuck<'a> {
    pub message: Box<Message<'a>>,
    pub reason: Reason,
    /// Those that have taken it.
    pub taken: Vec<QueueId>,
    /// When it was last sent to a target; `None`: there was none.
    pub sent_us: Option<u64>,
}

/// How many messages a queue holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// Ready.
    pub ready: u64,
    /// Delivered and not yet acknowledged.
    pub unacknowledged: u64,
    /// Being dead-lettered at least once: `messages_dlx`.
    pub dead_lettering: u64,
}

impl<'a> QueueState<'a> {
    pub fn new(name: &'a str, settings: Settings<'a>) -> Self {
        let lease_us = settings.expires_us.unwrap_or(u64::MAX);
        QueueState {
            name,
            settings,
            ready: VecDeque::new(),
            returns: VecDeque::new(),
            ready_bytes: 0,
            next_place: 0,
            timer_us: u64::MAX,
            refusing: false,
            dlx: Worker { timer_us: u64::MAX, ..Worker::default() },
            readers: Vec::new(),
            turn: 0,
            deleted: false,
            lease_us,
            unacknowledged: 0,
            held_back: 0,
            peak: Peak::default(),
        }
    }

    pub fn head(&self) -> Option<&Message<'a>> {
        self.returns.front().or_else(|| self.ready.front()).map(|message| &**message)
    }

    pub fn pop(&mut self) -> Option<Box<Message<'a>>> {
        let message = self.returns.pop_front().or_else(|| self.ready.pop_front())?;
        self.ready_bytes -= message.bytes;
        Some(message)
    }

    pub fn push_back(&mut self, mut message: Box<Message<'a>>, now_us: u64) {
        message.place = self.take_place();
        self.ready_bytes += message.bytes;
        self.ready.push_back(message);
        self.note_peak(now_us);
    }

    /// The place at the end.
    pub fn take_place(&mut self) -> u64 {
        self.next_place += 1;
        self.next_place
    }

    /// Puts a returned message where a classic queue has it: where it was.
    pub fn put_back(&mut self, message: Box<Message<'a>>, now_us: u64) {
        self.ready_bytes += message.bytes;
        let at = self.ready.partition_point(|other| other.place < message.place);
        self.ready.insert(at, message);
        self.note_peak(now_us);
    }

    /// Everything that waits here: ready, held back, or yet to be passed on as a dead letter.
    pub fn waiting(&self) -> u64 {
        self.ready_len() + self.dlx.len() + self.held_back
    }

    pub fn note_peak(&mut self, now_us: u64) {
        self.peak.note(self.waiting(), now_us);
    }

    /// The most that waited since the last call.
    pub fn take_peak(&mut self, now_us: u64) -> Peak {
        self.note_peak(now_us);
        let rest = Peak { count: self.waiting(), at_us: now_us };
        std::mem::replace(&mut self.peak, rest)
    }

    pub fn ready_len(&self) -> u64 {
        (self.ready.len() + self.returns.len()) as u64
    }

    pub fn depth(&self) -> Depth {
        Depth {
            ready: self.ready_len(),
            unacknowledged: self.unacknowledged,
            dead_lettering: self.dlx.len(),
        }
    }
}

impl Worker<'_> {
    pub fn len(&self) -> u64 {
        (self.waiting.len() + self.stuck.len()) as u64
    }
}

/// Queues by name.
pub(super) type QueueIds<'a> = HashMap<&'a str, QueueId>;

//! The delayed-message exchange.
//!
//! Measured on 3.10 and 4.0: it delays only when 0 < `x-delay` ≤ 4,294,967,295 ms, given as a
//! number or as a text that is one; anything else is delivered at once, without an error. What is
//! due leaves sorted by due time, whatever came before it, and is then routed by the inner type;
//! what is unroutable then is lost silently. 4.0 delivers `x-delay` negated, so that a message
//! that comes to such an exchange again is not delayed again.

use super::engine::{Event, Simulation, Tell};
use super::message::Message;
use super::peak::Peak;
use super::step::What;
use crate::message::PLUGIN_DELAY_HEADER;
use crate::objects::Value;
use crate::strategy::PLUGIN_DELAY_MAX_MS;

/// How many messages an exchange holds.
#[derive(Debug, Default)]
pub(super) struct Held {
    now: u64,
    peak: Peak,
}

impl Held {
    fn add(&mut self, now_us: u64) {
        self.now += 1;
        self.peak.note(self.now, now_us);
    }

    /// The most since the last call.
    pub fn take_peak(&mut self, now_us: u64) -> Peak {
        std::mem::replace(&mut self.peak, Peak { count: self.now, at_us: now_us })
    }
}

impl<'a> Simulation<'a> {
    /// Whether the exchange holds the message back: then until when, in microseconds.
    pub(super) fn holds_until(&self, message: &Message<'a>) -> Option<u64> {
        if message.delay_spent || !self.profile.plugin || !self.is_delayed(message.exchange) {
            return None;
        }
        let ms = match message.headers.as_ref()?.get(PLUGIN_DELAY_HEADER)? {
            Value::Int(ms) => u64::try_from(*ms).ok()?,
            Value::Str(text) => text.parse().ok()?,
            _ => return None,
        };
        let delays = (1..=PLUGIN_DELAY_MAX_MS).contains(&ms);
        delays.then(|| self.now_us.saturating_add(ms.saturating_mul(1000)))
    }

    /// Keeps a message until it is due.
    pub(super) fn hold(
        &mut self,
        mut message: Box<Message<'a>>,
        until_us: u64,
        tell: Tell<'a, '_>,
    ) {
        let what = What::Held { exchange: message.exchange, until_us };
        self.tell(&message, what, tell);
        message.delay_spent = self.profile.plugin_negates();
        self.held.entry(message.exchange).or_default().add(self.now_us);
        self.schedule(until_us, Event::Due(message));
    }

    /// Publishes a message that is due.
    pub(super) fn release(&mut self, message: Box<Message<'a>>, tell: Tell<'a, '_>) {
        if let Some(held) = self.held.get_mut(message.exchange) {
            held.now = held.now.saturating_sub(1);
        }
        self.publish(message, tell);
    }
}

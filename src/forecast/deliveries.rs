//! Deliveries and their lateness, by queue.

use indexmap::IndexMap;
use serde::Serialize;

use crate::duration::Millis;
use crate::simulate::Message;
use crate::timing::{Figures, Lateness, Precision, Summary};

/// What the consumers of one queue get.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Deliveries {
    /// The queue.
    pub queue: String,
    /// Deliveries that came back, or came round, and were delivered here before.
    pub again: u64,
    /// All others, with their lateness.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Gathers them.
#[derive(Debug, Default)]
pub(super) struct Gather<'a> {
    queues: IndexMap<&'a str, (u64, Summary)>,
}

impl<'a> Gather<'a> {
    /// A message that is due at this moment is delivered at that.
    pub fn note(&mut self, queue: &'a str, message: &Message<'a>, due_us: u64, at_us: u64) {
        let (again, summary) =
            self.queues.entry(queue).or_insert_with(|| (0, Summary::new(Millis(1000))));
        // 4.3 marks as redelivered what was delivered from another queue, too.
        if message.has_left(queue) || message.redelivered() && message.last_death().is_none() {
            *again += 1;
            return;
        }
        let us = i128::from(at_us) - i128::from(due_us);
        let us = i64::try_from(us).unwrap_or(if us < 0 { i64::MIN } else { i64::MAX });
        summary.record_lateness(Lateness { us, precision: Precision::Exact });
    }

    pub fn finish(self) -> Vec<Deliveries> {
        let all = self.queues.into_iter().map(|(queue, (again, summary))| Deliveries {
            queue: queue.to_owned(),
            again,
            figures: summary.figures(),
        });
        all.collect()
    }
}

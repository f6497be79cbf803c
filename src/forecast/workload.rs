//! A steady stream of messages, of which only figures are kept.

use serde::Serialize;

use super::deliveries::{Deliveries, Gather};
use super::losses::{Count, Losses};
use super::scene::Scene;
use super::waiting::{Series, Waiting, bucket_us};
use crate::message::Route;
use crate::simulate::{Loss, Place, Sending, Simulation, What};

/// Time goes on at least this long after the last message is due.
const TAIL_MIN_US: u64 = 60_000_000;

/// Messages sent at a steady rate.
#[derive(Clone, Debug)]
pub struct Workload {
    /// How each is sent; they take turns.
    pub routes: Vec<Route>,
    /// How many a second.
    pub per_second: f64,
    /// For how long, in microseconds.
    pub for_us: u64,
}

/// What a workload will come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// Messages sent.
    pub messages: u64,
    /// When it ends: nothing is left to happen, or the time that was looked at is over; in
    /// milliseconds.
    pub ended_ms: f64,
    /// Until when messages are sent, in milliseconds.
    pub sent_until_ms: f64,
    /// The width of a sample in [`Series::samples`], in milliseconds.
    pub sample_ms: f64,
    /// How many wait where.
    pub waiting: Vec<Series>,
    /// What consumers get.
    pub deliveries: Vec<Deliveries>,
    /// What is lost.
    pub lost: Vec<Count>,
    /// Messages that at-least-once queues cannot pass on and keep, at the end: by queue.
    pub stuck: Vec<(String, u64)>,
}

impl Workload {
    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        // A cast from a float saturates.
        (self.for_us as f64 / 1e6 * self.per_second).ceil() as u64
    }

    /// Runs it. `passed` is told now and then how many messages were sent.
    pub fn run(&self, scene: &Scene<'_>, mut passed: impl FnMut(u64)) -> Outlook {
        let mut sends = (0..self.messages()).map(|id| self.sending(id)).peekable();
        let mut simulation = scene.simulation();
        let mut gathered = Gathered::default();
        let end_us = self.end_us();
        let bucket_us = bucket_us(end_us);
        let mut bucket = 0;
        while sends.peek().is_some() || simulation.next_us().is_some() {
            if bucket * bucket_us > end_us {
                break;
            }
            let until_us = (bucket + 1) * bucket_us - 1;
            let mut sent = 0;
            let in_bucket = std::iter::from_fn(|| sends.next_if(|it| it.at_us <= until_us));
            simulation.run(in_bucket.inspect(|_| sent += 1), until_us, |step| {
                gathered.note(self, step);
            });
            gathered.waiting.add(simulation.take_peaks());
            bucket += 1;
            passed(sent);
        }
        let ended_us = bucket * bucket_us;
        gathered.finish(self, &simulation, bucket_us, ended_us)
    }

    fn sent_us(&self, id: u64) -> u64 {
        (id as f64 * 1e6 / self.per_second) as u64
    }

    fn route(&self, id: u64) -> &Route {
        &self.routes[usize::try_from(id).unwrap_or(usize::MAX) % self.routes.len()]
    }

    fn sending(&self, id: u64) -> Sending {
        Sending::by(self.route(id), self.sent_us(id))
    }

    fn due_us(&self, id: u64) -> u64 {
        self.sent_us(id).saturating_add(self.route(id).delay_ms.saturating_mul(1000))
    }

    /// The end of the time that is looked at: long enough after the last message is due to see
    /// what becomes of those that are late.
    fn end_us(&self) -> u64 {
        let longest = self.routes.iter().map(|route| route.delay_ms).max().unwrap_or_default();
        let longest_us = longest.saturating_mul(1000);
        let tail_us = longest_us.max(TAIL_MIN_US);
        self.for_us.saturating_add(longest_us).saturating_add(tail_us).min(u64::MAX / 4)
    }
}

/// What is gathered while it runs.
#[derive(Debug, Default)]
struct Gathered<'a> {
    waiting: Waiting<'a>,
    deliveries: Gather<'a>,
    losses: Losses<'a>,
    /// Messages that nothing was there for, not even an exchange.
    nowhere: u64,
}

impl<'a> Gathered<'a> {
    fn note(&mut self, workload: &Workload, step: &crate::simulate::Step<'a, '_>) {
        match step.what {
            What::Delivered { queue, .. } => {
                let due_us = workload.due_us(step.message.id());
                self.deliveries.note(queue, step.message, due_us, step.at_us);
            }
            What::Lost { why: Loss::NoExchange, .. } => self.nowhere += 1,
            What::Lost { place, why } => self.losses.note(place, why, step.at_us),
            _ => {}
        }
    }

    fn finish(
        self,
        workload: &Workload,
        simulation: &Simulation<'a>,
        bucket_us: u64,
        ended_us: u64,
    ) -> Outlook {
        let left = |place| match place {
            Place::Queue(name) => simulation.depth(name).map_or(0, |d| d.ready + d.dead_lettering),
            Place::Exchange(_) => 0,
        };
        let stuck = simulation.depths().filter(|(_, depth)| depth.dead_lettering > 0);
        let stuck = stuck.map(|(name, depth)| (name.to_owned(), depth.dead_lettering)).collect();
        let mut lost = self.losses.finish();
        lost.extend((self.nowhere > 0).then(|| {
            let place = &workload.routes[0].exchange;
            Count::of(place, Loss::NoExchange, self.nowhere, 0)
        }));
        Outlook {
            messages: workload.messages(),
            ended_ms: ended_us as f64 / 1000.0,
            sent_until_ms: workload.for_us as f64 / 1000.0,
            sample_ms: bucket_us as f64 / 1000.0,
            waiting: self.waiting.finish(left),
            deliveries: self.deliveries.finish(),
            lost,
            stuck,
        }
    }
}

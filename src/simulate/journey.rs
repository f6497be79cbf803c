//! Steps by message, where there are few enough to keep.

use super::engine::Simulation;
use super::input::{Reader, Sending};
use super::message::Message;
use super::profile::Profile;
use super::step::{Step, What};
use crate::objects::Objects;

/// All that happened to one message and its copies.
#[derive(Clone, Debug, Default)]
pub struct Journey<'a> {
    /// Its moments, in order.
    pub moments: Vec<Moment<'a>>,
    /// The message as it was last seen.
    pub last: Option<Message<'a>>,
}

/// One moment of a journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment<'a> {
    /// When, in microseconds of virtual time.
    pub at_us: u64,
    /// What happened.
    pub what: What<'a>,
}

impl<'a> Journey<'a> {
    fn note(&mut self, step: &Step<'a, '_>) {
        self.moments.push(Moment { at_us: step.at_us, what: step.what });
        self.last = Some(step.message.clone());
    }

    /// When it came into this queue, each time, in microseconds.
    pub fn arrivals(&self, queue: &str) -> Vec<u64> {
        let entered = |what: &What<'_>| matches!(what, What::Entered { queue: q } if *q == queue);
        self.moments.iter().filter(|m| entered(&m.what)).map(|m| m.at_us).collect()
    }
}

/// Runs a broker over these objects until `until_us` and returns the journey of each message, in
/// the order in which they were sent. Consumers of queues that are not there are left out.
pub fn journeys<'a>(
    objects: &'a Objects,
    profile: Profile,
    sends: impl IntoIterator<Item = Sending>,
    readers: impl IntoIterator<Item = Reader>,
    until_us: u64,
) -> Vec<Journey<'a>> {
    let mut simulation = Simulation::new(objects, profile);
    for reader in readers {
        simulation.add_reader(reader);
    }
    let mut all: Vec<Journey<'a>> = Vec::new();
    simulation.run(sends, until_us, |step| {
        // Every message has a first step, and in the order of sending.
        let index = usize::try_from(step.message.id()).unwrap_or(usize::MAX);
        if index >= all.len() {
            all.resize_with(index + 1, Journey::default);
        }
        all[index].note(step);
    });
    all
}

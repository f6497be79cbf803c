//! The broker that is simulated, and who consumes from it.

use crate::objects::Objects;
use crate::simulate::{Profile, Reader, Simulation};

/// How soon an ideal consumer is done with a message, in microseconds.
const AT_ONCE_US: u64 = 1;

/// A broker with its objects and consumers.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// What it holds.
    pub objects: &'a Objects,
    /// Which broker it is.
    pub profile: Profile,
    /// Who consumes.
    pub readers: Vec<Reader>,
    /// Whether they were put there by [`Scene::drained`], and are no part of the story.
    pub ideal: bool,
}

impl<'a> Scene<'a> {
    /// A broker with these consumers.
    pub fn new(objects: &'a Objects, profile: Profile, readers: Vec<Reader>) -> Self {
        Scene { objects, profile, readers, ideal: false }
    }

    /// A broker without consumers, except that whatever arrives in these queues is taken at once.
    pub fn drained<'q>(
        objects: &'a Objects,
        profile: Profile,
        queues: impl IntoIterator<Item = &'q str>,
    ) -> Self {
        let ideal = |queue| Reader { prefetch: 0, service_us: AT_ONCE_US, ..Reader::new(queue) };
        let readers = queues.into_iter().map(ideal).collect();
        Scene { objects, profile, readers, ideal: true }
    }

    /// Whether somebody consumes from this queue.
    pub fn is_read(&self, queue: &str) -> bool {
        self.readers.iter().any(|reader| reader.queue == queue)
    }

    /// The empty broker at the beginning of time.
    pub fn simulation(&self) -> Simulation<'a> {
        let mut simulation = Simulation::new(self.objects, self.profile);
        for reader in &self.readers {
            simulation.add_reader(reader.clone());
        }
        simulation
    }
}

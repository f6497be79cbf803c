//! Hazards in a topology: what will go wrong on a broker, why, and the mend.
//!
//! [`lint`] needs no broker. Its findings are what RabbitMQ was measured to do (3.10, 4.0, 4.3);
//! where versions differ and the broker's is not known, each is held against all of them. What the
//! checks look at is worked out once, in `scene`; that file also says what is taken to be a waiting
//! queue and a consumer's queue. Each family of hazards has a file of its own, with the words for its
//! codes beside the condition.

mod arguments;
mod at_least_once;
mod circle;
mod code;
mod consumers;
mod cycle;
mod dead_letter;
mod durability;
mod expiry;
mod finding;
mod head_of_line;
mod keys;
mod known;
mod names;
mod overflow;
mod plugin;
mod policies;
mod policy_keys;
mod reach;
mod retry;
mod routes;
mod scene;
mod words;

use crate::topology::Topology;
use scene::Scene;

pub use crate::version::{Version, VersionError};
pub use code::{Code, Story, UnknownCode};
pub use finding::{Finding, Severity};

/// One family of hazards.
type Check = for<'a> fn(&Scene<'a>) -> Vec<Finding>;

const FAMILIES: [Check; 13] = [
    dead_letter::check,
    cycle::check,
    at_least_once::check,
    overflow::check,
    expiry::check,
    head_of_line::check,
    consumers::check,
    plugin::check,
    arguments::check,
    retry::check,
    durability::check,
    names::check,
    policies::check,
];

/// Everything that will go wrong, errors first. `version` is the broker's, where it is known.
pub fn lint(topology: &Topology, version: Option<Version>) -> Vec<Finding> {
    let scene = Scene::new(topology, version);
    let findings: Vec<_> = FAMILIES.iter().flat_map(|check| check(&scene)).collect();
    finding::merge_alike(findings)
}

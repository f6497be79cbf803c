//! What will become of messages, as text: journeys line by line, and a workload in figures.

mod journey;
mod spark;
mod workload;

pub use journey::{journeys, outcome};
pub use workload::{losses, workload};

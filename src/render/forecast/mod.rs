//! What will become of messages, as text: journeys line by line, and a workload in figures.

mod journey;
mod spark;
mod workload;

pub use journey::{journeys, moves, outcome};
pub use workload::{deliveries, first_peak, losses, waiting, workload};

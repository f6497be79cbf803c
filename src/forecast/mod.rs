//! What will become of messages: the simulator's steps, gathered into what people ask.
//!
//! [`foresee`] follows a few messages, each from place to place; [`Workload::run`] lets a great
//! many pass and keeps only figures. Both take a [`Scene`]: the objects, the broker, the consumers.
//!
//! | file | what it holds |
//! |---|---|
//! | `scene` | the broker and its consumers |
//! | `fate` | one message's moves, its arrival, its losses |
//! | `follow` | the run that makes fates |
//! | `workload` | a steady stream of messages |
//! | `waiting` | how many wait where, over time |
//! | `deliveries` | deliveries and lateness, by queue |
//! | `losses` | what is lost and stuck, by place and reason |
//! | `words` | reasons in words |

mod deliveries;
mod fate;
mod follow;
mod losses;
mod scene;
mod waiting;
mod words;
mod workload;

pub use deliveries::Deliveries;
pub use fate::{Arrival, Fate, Lost, Move, Rest};
pub use follow::{Traveller, foresee};
pub use losses::{Count, Losses};
pub use scene::Scene;
pub use waiting::{BUCKETS_MAX, Series};
pub use words::loss_in_words;
pub use workload::{Outlook, Workload};

#[cfg(test)]
mod tests;

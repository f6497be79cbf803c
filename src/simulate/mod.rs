//! What a broker will do with messages, in virtual time: a deterministic model of RabbitMQ's
//! delays over the compiled [`Objects`](crate::objects::Objects).
//!
//! A [`Simulation`] is fed with [`Sending`]s and [`Reader`]s and tells each [`Step`] of each
//! message as it happens: where it is, why it moved, and where and why it was lost. It needs
//! memory for what waits, not for what has passed. No clock, no randomness: the same input gives
//! the same steps.
//!
//! Each rule stands in the file of its name, with the broker fact that it encodes. "Measured"
//! means on RabbitMQ 3.10.8, 4.0.5 and 4.3.6; "from the source" means read there.
//!
//! | file | rules |
//! |---|---|
//! | `input` | what is sent, who consumes |
//! | `profile` | which broker: what differs between versions |
//! | `settings` | a queue's arguments and the policies that apply to it |
//! | `routes` | routing, by [`crate::routing`], with a cache |
//! | `engine` | the clock: events in order of time, then of their making |
//! | `enqueue` | TTLs, length limits and each overflow |
//! | `expiry` | expiry from the head only; `x-expires` |
//! | `dead_letter` | reasons, routing keys, `x-death`, cycles; at most once |
//! | `at_least_once` | the worker with its 32 in flight, and what it keeps |
//! | `consume` | prefetch, service time; ack, reject, requeue; delivery limit, delayed retry |
//! | `plugin` | the delayed-message exchange |
//! | `peak` | the most that waited, and when |
//! | `step`, `journey` | what is told, as it happens or by message |
//!
//! # Limits
//!
//! - A hop takes no time, nor does a confirm: a real broker adds 1 to 6 ms per hop when idle, and
//!   more under load. So at-least-once never has 32 in flight but when they are stuck.
//! - Of messages that are due at the same microsecond in different queues, the order is that in
//!   which their timers were set. A real broker promises none.
//! - One node that never restarts; publishers that get every confirm; no flow control.
//! - Quorum queues refuse (`reject-publish`) from the message after the one that went over the
//!   limit; a real publisher that does not wait for confirms gets further.
//! - A message that delayed retry holds back is outside its queue: it does not expire meanwhile.
//! - Policies on exchanges, streams, priorities, `x-single-active-consumer` and CC/BCC headers are
//!   not modelled; a delayed-message exchange delays what is published or dead-lettered to it, not
//!   what a binding brings there.

mod at_least_once;
mod consume;
mod dead_letter;
mod engine;
mod enqueue;
mod expiry;
mod input;
mod journey;
mod message;
mod peak;
mod plugin;
mod profile;
mod queue;
mod routes;
mod settings;
mod step;

pub use engine::Simulation;
pub use input::{Answer, Reader, Sending};
pub use journey::{Journey, Moment, journeys};
pub use message::Message;
pub use peak::Peak;
pub use profile::Profile;
pub use queue::Depth;
pub use step::{Loss, Place, Reason, Step, What};

#[cfg(test)]
mod tests;

//! What policies make of queues and exchanges.
//!
//! This is the one model of it: `lint` and `simulate` ask it what a file's policies do, `plan` what
//! those of a broker and of a file together will do to objects that are not there yet, and a
//! broker's own report of the policies that act on an object is read by the same rules. All of
//! them were measured on RabbitMQ 3.10, 4.0 and 4.3:
//!
//! - One policy applies to an object, and one operator policy: of those that match its name and are
//!   meant for its kind, the one with the highest priority ([`Policies`]).
//! - A policy with even one key that a queue's type does not support is passed over as a whole, and
//!   the next lower priority applies ([`Kind::supports`]). So is an operator policy.
//! - How a policy's value and a queue's own argument are combined depends on the key
//!   ([`in_force`]), and so it does between a policy and an operator policy ([`merged`]).
//! - An exchange's own alternate exchange beats the policy's ([`Policies::alternates`]).

mod applied;
mod combine;
mod effective;
mod governed;
mod kind;
#[cfg(test)]
mod tests;

pub use applied::{Candidate, Policies};
pub use combine::{By, in_force, merged};
pub use effective::{DeadLetters, Effective, Full, Setting};
pub use governed::{Effect, Governed};
pub use kind::Kind;

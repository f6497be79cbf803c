//! Every hazard that loses or moves a message, on the real broker whose URI is in `AMQP_URL`: it
//! happens as `lint` says, and the mend mends it.
//!
//! Each test has two topologies, one that `lint` finds the hazard in and one that it does not, and
//! does the same with both. Policies need the management API (`RABBITMQ_MANAGEMENT_URL`), the
//! plugin's hazards the plugin, and delayed retry RabbitMQ 4.3; a test that cannot run says so on
//! stderr and in the file named by `DELAYCTL_SKIP_LOG`.
//!
//! What needs a restart of the broker (`transient-queue`) is in `tests/restart.rs`.

#![allow(clippy::print_stderr)]

mod arguments;
mod consumers;
mod cycles;
mod dead_letters;
mod plugin;
mod policies;
mod rig;
#[path = "../support/skip.rs"]
mod skip;
mod waiting;

//! The binary and the broker room against a real RabbitMQ, whose URI is in `AMQP_URL`.
//!
//! Without it, or when it lacks what a test needs, a test is skipped, says so on stderr, and
//! appends the same line to the file named by `DELAYCTL_SKIP_LOG`.

#![allow(clippy::print_stderr, reason = "measurements are told, not judged")]

mod consume;
mod declare;
mod demo;
mod facts;
mod foreign;
mod inspect;
mod interrupted;
mod ladder;
mod lost;
mod publish;
mod raw;
mod relay;
mod room;
mod scene;
mod settled;
mod simulator;
mod strategies;

#[path = "../support/mod.rs"]
mod support;

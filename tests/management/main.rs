//! What the management API adds, on a real RabbitMQ: its AMQP URI is in `AMQP_URL`, its API's URL in
//! `RABBITMQ_MANAGEMENT_URL`.
//!
//! Without them a test is skipped, says so on stderr, and appends the same line to the file named
//! by `DELAYCTL_SKIP_LOG`. Each test has a vhost of its own, which is gone after it.

mod blind;
mod capture;
mod delete;
mod drift;
mod from_the_plugin;
mod observe;
mod plan;
mod publish;
mod stage;
mod tls;
mod vhost;
mod watch;

#[path = "../support/mod.rs"]
mod support;

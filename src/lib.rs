//! Provision, exercise and measure delay topologies on RabbitMQ.
//!
//! One flow runs through the crate:
//!
//! ```text
//! file ── text ── topology::parse → Topology { objects, delays }      what the file wants
//!                   broker::observe → Observed                        what the broker has
//!         plan(Objects, Observed) → Plan ─┬─ declare --dry-run
//!                                         └─ broker::apply → Report
//! publish:  Delay::route(delay) → Route ── broker::Publisher
//! consume:  broker::Consumer → Delivered ── timing::measure → Measured
//! ```
//!
//! | room | what it holds |
//! |---|---|
//! | [`cli`] | names, help, defaults and environment of the command line |
//! | [`commands`] | the shell: one file per subcommand |
//! | [`output`] | the only owner of stdout, stderr and progress bars |
//! | [`exit`] | the exit codes |
//! | [`broker`] | the only importer of lapin and of the HTTP client |
//! | [`topology`] | the YAML file: its form, cross-checks, and what it compiles to |
//! | [`strategy`] | one file per delay strategy: fields, names, objects and routes |
//! | [`objects`], [`message`], [`duration`] | what a broker holds and carries, as plain values |
//! | [`definitions`] | objects as the JSON that RabbitMQ exports and imports |
//! | [`capture`](mod@capture) | objects as a topology file, known strategies recognised |
//! | [`convert`](mod@convert) | a file that uses the plugin, rewritten for plain queues |
//! | [`routing`] | where a message goes |
//! | [`simulate`] | what a broker will do with messages, in virtual time |
//! | [`forecast`] | what will become of a few messages, or of a workload |
//! | [`plan`](mod@plan) | what is wanted against what is there |
//! | [`lint`] | hazards in a topology, each with a code, a cause and a mend |
//! | [`policy`], [`vhost`] | what a policy makes of an object; what a vhost is set up with |
//! | [`copy`] | a topology under other names, in quick motion |
//! | [`stepped`] | an order that is checked again and again until it is paid |
//! | [`timing`] | how late a delivery is |
//! | [`render`] | values as tables, trees and timelines |
//!
//! From [`topology`] down everything is pure: no socket, no file, no clock, no terminal.

pub mod broker;
pub mod capture;
pub mod cli;
pub mod commands;
pub mod convert;
pub mod copy;
pub mod definitions;
pub mod duration;
pub mod exit;
pub mod forecast;
pub mod lint;
pub mod message;
pub mod objects;
pub mod output;
pub mod plan;
pub mod policy;
pub mod render;
pub mod routing;
pub mod simulate;
pub mod stepped;
pub mod strategy;
pub mod timing;
pub mod topology;
pub mod version;
pub mod vhost;

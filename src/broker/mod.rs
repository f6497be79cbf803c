//! The broker: the only importer of lapin and of the HTTP clients.
//!
//! | file | holds |
//! |---|---|
//! | `settings`, `endpoint` | which broker, as whom, and the address that a person may read |
//! | `error`, `fault` | what can go wrong, in typed fields; how lapin's errors become that |
//! | `dial`, `tap`, `server` | socket and TLS; the first bytes, which tell the broker's version |
//! | `connection`, `fan_out` | the connection, reopened when it is gone; many channels at once |
//! | `observe`, `declare`, `apply`, `remove`, `report` | what is there; a plan, executed |
//! | `publish`, `confirms` | messages out, and what became of each |
//! | `consume`, `delivery` | messages in |
//! | `management` | the management API: what AMQP does not show or change |
//! | `queues` | one queue's depth, purging, deleting |
//! | `values`, `inequivalent` | argument values on the wire; the broker's words about a conflict |

mod apply;
mod confirms;
mod connection;
mod consume;
mod declare;
mod delivery;
mod dial;
mod endpoint;
mod error;
mod fan_out;
mod fault;
mod inequivalent;
mod management;
mod observe;
mod publish;
mod queues;
mod remove;
mod report;
mod server;
mod settings;
mod tap;
mod values;

pub use confirms::{Finished, Returned, Tally};
pub use connection::Broker;
pub use consume::{Consumer, DEFAULT_PREFETCH, Token};
pub use endpoint::Endpoint;
pub use error::{BrokerError, Obstacle};
pub use management::{Management, ManagementAddress, ManagementError};
pub use publish::{Limits, Progress, Publisher};
pub use remove::{Removal, RemovalReport, Removed};
pub use report::{Counts, Outcome, Report};
pub use server::Server;
pub use settings::Settings;

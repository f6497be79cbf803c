//! The broker: the only importer of lapin and of the HTTP clients.
//!
//! | file | holds |
//! |---|---|
//! | `settings`, `endpoint` | which broker, as whom, and the address that a person may read |
//! | `error`, `hint`, `fault`, `about` | what can go wrong and what to do; how lapin's errors become that |
//! | `dial`, `tap`, `server`, `greeting` | socket and TLS; the first bytes, which tell the broker's version |
//! | `link`, `connection`, `fan_out` | one connection; one that is reopened; many channels at once |
//! | `observe`, `declare`, `apply`, `remove`, `report` | what is there; a plan, executed |
//! | `publish`, `properties`, `confirms`, `tally` | messages out, and what became of each |
//! | `consume`, `delivery` | messages in |
//! | `management` | the management API: what AMQP does not show or change |
//! | `queues` | one queue's depth, purging, deleting |
//! | `values`, `inequivalent` | argument values on the wire; the broker's words about a conflict |

mod about;
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
mod greeting;
mod hint;
mod inequivalent;
mod link;
mod management;
mod observe;
mod obstacles;
mod properties;
mod publish;
mod queues;
mod remove;
mod report;
mod server;
mod settings;
mod tally;
mod tap;
mod values;

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
pub use tally::{Finished, Returned, Tally};

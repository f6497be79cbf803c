//! The management API: what AMQP does not show.
//!
//! | file | holds |
//! |---|---|
//! | `address` | where it is, and as whom |
//! | `error` | what can be in the way, and how the HTTP client's errors become that |
//! | `client` | one request, with its timeouts; JSON in, JSON out |
//! | `json` | the API's JSON as this crate's values |
//! | `observe` | objects, bindings, policies |
//! | `definitions` | everything that a vhost holds |
//! | `live` | what queues hold that AMQP does not count |
//! | `policies`, `vhost` | the two things that only the API can change |

mod address;
mod client;
mod definitions;
mod error;
mod json;
mod live;
mod note;
mod observe;
mod policies;
mod vhost;

pub use address::ManagementAddress;
pub use client::Management;
pub use error::ManagementError;

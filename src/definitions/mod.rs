//! RabbitMQ's definitions: the JSON that a broker exports and imports.
//!
//! [`write()`] makes what `rabbitmqctl import_definitions` and `POST /api/definitions[/vhost]` take;
//! [`read`] takes what any RabbitMQ exports, of a whole cluster or of one vhost. Users, their
//! password hashes and their permissions are skipped without being looked at. RabbitMQ 4.3 exports no
//! internal exchanges (measured), so they are missing from a capture of its exports.

mod read;
mod write;

pub use read::{Definitions, DefinitionsError, Omitted, of_vhost, read};
pub use write::write;

#[cfg(test)]
mod tests;

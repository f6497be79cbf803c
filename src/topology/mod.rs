//! The topology file: what a broker should hold and which delays it offers.
//!
//! [`parse`] turns text into a [`Topology`], whose objects are compiled and cross-checked, or into
//! an [`Error`] that names every field that is wrong.

mod chains;
mod check;
mod compile;
mod fields;
mod file;
mod policies;
mod problem;
mod schema;
mod spec;
mod values;
mod vhost;
mod write;
mod yaml;

use indexmap::IndexMap;

use crate::objects::Objects;
use crate::strategy::Delay;
use crate::vhost::Setup;

pub use fields::Fields;
pub use problem::{Problem, ProblemKind};
pub use schema::schema;
pub use write::{Document, write};
pub(crate) use write::{binding_as_json, target_as_json};
pub(crate) use yaml::{flow, scalar};

/// A topology file, read, compiled and found consistent.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// The vhost it is meant for; `None`: the connection's.
    pub vhost: Option<String>,
    /// How that vhost is set up.
    pub setup: Setup,
    /// Everything it declares, that of its delays and dead-letter chains included.
    pub objects: Objects,
    /// The delays it offers, by name.
    pub delays: IndexMap<String, Delay>,
    /// The queues of each dead-letter chain, by its name: the one it starts from, then its levels'.
    pub chains: IndexMap<String, Vec<String>>,
    /// Where in the file each object was written.
    pub fields: Fields,
}

/// Why a text is not a usable topology.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// It is not YAML of the right form; the message has the field and the line.
    #[error("{0}")]
    Syntax(String),
    /// It is well formed and contradicts itself; every contradiction is listed.
    #[error("{}", problem::list(.0))]
    Invalid(Vec<Problem>),
}

/// Reads a topology file's text.
///
/// # Errors
/// [`Error::Syntax`] for the first thing that cannot be read, else [`Error::Invalid`] with all
/// that does not fit together.
pub fn parse(text: &str) -> Result<Topology, Error> {
    let file = file::read(text).map_err(Error::Syntax)?;
    let mut compiled = compile::compile(&file);
    let mut problems = std::mem::take(&mut compiled.problems);
    problems.extend(check::check(&file, &compiled));
    if problems.is_empty() {
        let fields = Fields::of(&file, &compiled);
        let chains = file.dead_letter_chains.0.iter();
        let chains = chains.map(|(name, chain)| (name.clone(), chain.queues(name))).collect();
        let compile::Compiler { objects, delays, .. } = compiled;
        let (setup, vhost) = (file.vhost.setup(), file.vhost.name);
        Ok(Topology { vhost, setup, objects, delays, chains, fields })
    } else {
        Err(Error::Invalid(problems))
    }
}

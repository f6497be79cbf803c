//! Why a file was not converted, and what to do about it.

use std::collections::BTreeSet;

use crate::topology::{self, Problem, ProblemKind};

/// Why a file was not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// Nothing to do.
    #[error("no delay of the file uses `delayed_exchange`")]
    NothingToConvert {
        /// An exchange of the plugin that the file declares all the same, and its inner type.
        exchange: Option<(String, String)>,
    },
    /// The text of something was not found in the file.
    #[error("cannot tell where in the text {0} stands")]
    NotFound(String),
    /// The result would be wrong in itself.
    #[error("the converted file would be wrong:\n{error}")]
    Result {
        /// How.
        error: topology::Error,
        /// The plugin's exchanges that go.
        gone: BTreeSet<String>,
    },
    /// A binding of the plugin's exchange that no delay's messages come by.
    #[error(
        "what binding `{exchange}` → `{to}` with key `{key}` takes is published by no delay of the \
         file, and would have no way any more"
    )]
    Unused {
        /// The plugin's exchange.
        exchange: String,
        /// Its inner type.
        kind: String,
        /// The queue or exchange that is bound.
        to: String,
        /// The binding's key.
        key: String,
    },
    /// The result would still have an exchange of the plugin for a delay that uses it no more.
    #[error("exchange `{0}` would still be one of the plugin: `exchanges` declares it, too")]
    Declared(String),
    /// The result could not be declared while the old objects are still there.
    #[error("{0} would be another than the one that the file has already")]
    Conflict(String),
    /// The result would say something else.
    #[error("the converted file would not say what it should")]
    Different,
}

impl ConvertError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ConvertError::Result { error, gone } => referred_to(error, gone),
            ConvertError::NothingToConvert { exchange: Some((exchange, kind)) } => {
                let hint = a_delay_for_each_key(exchange, kind);
                Some(format!("take `{exchange}` out of `exchanges`; {hint}"))
            }
            ConvertError::Unused { exchange, kind, .. } => {
                Some(a_delay_for_each_key(exchange, kind))
            }
            ConvertError::NothingToConvert { exchange: None } => None,
            ConvertError::Declared(exchange) => Some(format!(
                "take `{exchange}` out of `exchanges`: the delay's `delayed_exchange` declares it"
            )),
            ConvertError::Conflict(_) => {
                Some("choose other names, such as another `--prefix`".to_owned())
            }
            ConvertError::NotFound(_) | ConvertError::Different => {
                let forms = "write sections, targets and strategies as `key: {…}` or as blocks, \
                             their keys without quotes and anchors";
                Some(forms.to_owned())
            }
        }
    }
}

/// Only a delay gets a new route, and it has one routing key.
fn a_delay_for_each_key(exchange: &str, kind: &str) -> String {
    if kind == "headers" {
        return format!(
            "headers decide there, so write it by hand: a headers exchange of another name that \
             all is bound to as it is to `{exchange}`, and a delay with a `ladder` that has it as \
             the target"
        );
    }
    format!(
        "under `delays`, write one for each routing key that publishers use there: `NAME: {{ target: \
         {{ queue: QUEUE }}, delayed_exchange: {{ exchange: {exchange}, type: {kind}, routing_key: \
         KEY }} }}`"
    )
}

/// What refers to an exchange of the plugin, other than its bindings.
fn referred_to(error: &topology::Error, gone: &BTreeSet<String>) -> Option<String> {
    let topology::Error::Invalid(problems) = error else { return None };
    problems.iter().find_map(|Problem { field, kind }| match kind {
        ProblemKind::NoSuchName { name, .. } if gone.contains(name) => Some(format!(
            "the plugin's exchange `{name}` goes: let `{field}` name the exchange and the routing key \
             that `delayctl route` prints for the converted delay, or its target"
        )),
        _ => None,
    })
}

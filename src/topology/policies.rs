//! `policies`: what the vhost's policies are to be.

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::arguments;
use super::problem::{Problem, ProblemKind};
use super::values;
use crate::objects::{Arguments, Policy};

/// An entry of `policies`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of `pattern`, `definition` and more")]
#[schemars(rename = "Policy")]
pub struct PolicySpec {
    /// A regular expression over names.
    pattern: String,
    /// What it is for; default `all`.
    #[serde(default)]
    apply_to: ApplyTo,
    /// Of several policies that match, the highest priority counts; default 0.
    #[serde(default)]
    priority: i32,
    /// What it sets, with keys as policies spell them: `message-ttl`, not `x-message-ttl`.
    #[serde(deserialize_with = "arguments")]
    definition: Arguments,
}

/// What a policy is for. RabbitMQ 3.12 and newer tell queue types apart.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ApplyTo {
    #[default]
    All,
    Queues,
    ClassicQueues,
    QuorumQueues,
    Streams,
    Exchanges,
}

impl PolicySpec {
    /// The policy, and what is wrong with its fields.
    pub fn policy(&self, path: &str) -> (Policy, Vec<Problem>) {
        let apply_to = match self.apply_to {
            ApplyTo::All => "all",
            ApplyTo::Queues => "queues",
            ApplyTo::ClassicQueues => "classic_queues",
            ApplyTo::QuorumQueues => "quorum_queues",
            ApplyTo::Streams => "streams",
            ApplyTo::Exchanges => "exchanges",
        };
        let policy = Policy {
            pattern: self.pattern.clone(),
            apply_to: apply_to.to_owned(),
            priority: self.priority.into(),
            definition: self.definition.clone(),
        };
        let mut problems = Vec::new();
        if self.definition.is_empty() {
            let field = format!("{path}.definition");
            problems.push(Problem::new(field, ProblemKind::EmptyPolicy));
        }
        for key in self.definition.keys().filter(|key| key.starts_with("x-")) {
            let kind = ProblemKind::PolicyKey { key: key.clone() };
            problems.push(Problem::new(format!("{path}.definition.{key}"), kind));
        }
        for (key, value) in &self.definition {
            if let Some(kind) = values::policy_problem(key, value) {
                problems.push(Problem::new(format!("{path}.definition.{key}"), kind));
            }
        }
        (policy, problems)
    }
}

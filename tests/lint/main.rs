//! Small topologies with all that `lint` finds in them, and near misses in which it finds nothing.

use delayctl::lint::{Code, Finding, Severity, lint};
use delayctl::objects::{Arguments, Policy, Value};
use delayctl::topology::{Topology, parse};

mod arguments;
mod codes;
mod consumers;
mod cycles;
mod dead_letters;
mod examples;
mod policies;
mod waiting;

/// All findings in a file, for any broker.
fn found(yaml: &str) -> String {
    show(&lint(&topology(yaml), None))
}

/// All findings in a file, for a broker of this version.
fn found_on(version: &str, yaml: &str) -> String {
    show(&lint(&topology(yaml), Some(version.parse().unwrap())))
}

/// All findings in a file with this policy besides.
fn found_with(policy: (&str, Policy), yaml: &str) -> String {
    let mut topology = topology(yaml);
    topology.objects.policies.insert(policy.0.to_owned(), policy.1);
    show(&lint(&topology, None))
}

fn topology(yaml: &str) -> Topology {
    parse(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

/// A policy named `p` of priority 0.
fn policy<const N: usize>(
    pattern: &str,
    apply_to: &str,
    definition: [(&str, Value); N],
) -> (&'static str, Policy) {
    let definition = definition.map(|(key, value)| (key.to_owned(), value));
    let policy = Policy {
        pattern: pattern.to_owned(),
        apply_to: apply_to.to_owned(),
        priority: 0,
        definition: Arguments::from(definition),
    };
    ("p", policy)
}

fn show(findings: &[Finding]) -> String {
    let all: Vec<_> = findings.iter().map(Finding::to_string).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join("\n") }
}

/// Whether a text is in none of the findings' codes: for near misses of one hazard in a file with
/// another.
fn codes(findings: &[Finding]) -> Vec<(Severity, Code)> {
    findings.iter().map(|finding| (finding.severity, finding.code)).collect()
}

//! A finding: one hazard at one place in the file.

use std::fmt;

use serde::Serialize;

use super::code::Code;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As the file stands, messages are lost, early or stuck, or something in it has no effect.
    Error,
    /// So it is under conditions that the file alone cannot tell, or the broker itself will say so.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// One hazard at one place in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which hazard; `lint --explain` tells its story.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// The path to the field: `queues.order.q.dead_letter.exchange`.
    pub field: String,
    /// What will happen, in the broker's behaviour.
    pub what: String,
    /// What to do about it.
    pub mend: String,
    /// The object it is about, by which alike findings are told apart when they are merged.
    #[serde(skip)]
    pub(super) subject: String,
}

impl Finding {
    /// An error about an object.
    pub(super) fn error(code: Code, subject: &str, field: String) -> Self {
        let (what, mend) = (String::new(), String::new());
        Finding { code, severity: Severity::Error, field, what, mend, subject: subject.to_owned() }
    }

    /// A warning about an object.
    pub(super) fn warning(code: Code, subject: &str, field: String) -> Self {
        Finding { severity: Severity::Warning, ..Finding::error(code, subject, field) }
    }

    /// The finding with its words: what will happen, and what to do about it.
    pub(super) fn says(self, what: String, mend: impl Into<String>) -> Self {
        Finding { what, mend: mend.into(), ..self }
    }
}

impl fmt::Display for Finding {
    /// `warning[head-of-line] delays.simple: …`, and the mend on a line of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { code, severity, field, what, mend, .. } = self;
        write!(f, "{severity}[{code}] {field}: {what}\n  mend: {mend}")
    }
}

/// Findings of one code at one field say the same of several objects (the many queues of a ladder,
/// say): the first stays and counts the others.
pub(super) fn merge_alike(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<(Finding, Vec<String>)> = Vec::new();
    let mut place = std::collections::HashMap::new();
    for finding in findings {
        let key = (finding.code, finding.severity, finding.field.clone());
        match place.get(&key) {
            None => {
                place.insert(key, merged.len());
                merged.push((finding, Vec::new()));
            }
            Some(&index) => merged[index].1.push(finding.subject),
        }
    }
    let mut findings: Vec<_> =
        merged.into_iter().map(|(first, others)| count(first, &others)).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn count(first: Finding, others: &[String]) -> Finding {
    let shown: Vec<_> = others.iter().take(3).map(|name| format!("`{name}`")).collect();
    let more = match others.len() {
        0 => return first,
        few @ 1..=3 => format!("; the same holds for {few} more: {}", shown.join(", ")),
        many => format!("; the same holds for {many} more: {}, …", shown.join(", ")),
    };
    Finding { what: first.what + &more, ..first }
}

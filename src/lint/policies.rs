//! Policies that do not do what they look like.

use super::code::{Code, Story};
use super::finding::Finding;
use super::policy_keys::{KEYS, OF_PLUGINS};
use super::scene::Scene;
use super::words::{list, nearest};
use crate::policy::{Candidate, Kind};
use crate::version::Version;

pub(super) static NOT_APPLIED: Story = Story {
    title: "a policy is passed over as a whole, for one key that the queue's type does not have",
    why: "A policy applies to a queue only if the queue's type supports every one of its keys. One \
          `delivery-limit` among them, and a classic queue gets nothing of it, not even the TTL; the \
          policy of the next lower priority applies instead.",
    timeline: [
        " 0 s   a policy for all queues sets `message-ttl` 5 m and `delivery-limit` 3",
        " 5 m   messages expire in the quorum queues",
        "later  in the classic queues they never do: the policy is not applied to them",
    ],
    mend: "two policies: one for `classic_queues` and one for `quorum_queues`, each with keys of its own.",
};

pub(super) static REFUSED: Story = Story {
    title: "a policy that the broker will not take",
    why: "Unlike arguments, the keys of a policy are checked: one that the broker does not know, and a \
          pattern that is no regular expression, are refused. Keys are spelt without the `x-` of the \
          queue argument, and not every argument has one.",
    timeline: [
        " 0 s   a policy with `x-message-ttl` is declared",
        " 0 s   400: Validation failed, x-message-ttl is not recognised",
        " 0 s   there is no policy, and its queues do without",
    ],
    mend: "correct the key or the pattern.",
};

pub(super) static TIE: Story = Story {
    title: "two policies of the same priority fight for a queue",
    why: "One policy applies to a queue, the one with the highest priority. Between two of the same \
          priority RabbitMQ makes no promise: the same two were measured to end differently on 4.0 and \
          4.3.",
    timeline: [
        " Mon   two policies of priority 0 match `orders`; the first applies",
        " Tue   the broker is upgraded",
        " Tue   the second applies, with another TTL",
    ],
    mend: "give one of them a higher priority, or narrow its pattern.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for candidate in scene.policies.iter() {
        findings.extend(pattern(candidate));
        findings.extend(apply_to(scene, candidate));
        let keys = candidate.policy.definition.keys();
        findings.extend(keys.filter_map(|key| refused_key(scene, candidate, key)));
    }
    for queue in scene.queues.values() {
        let kind = queue.kind.unwrap_or(Kind::Classic);
        let meant = scene.policies.iter().filter(|one| one.is_meant_for_queue(queue.name, kind));
        findings.extend(meant.filter_map(|candidate| passed_over(candidate, queue.name, kind)));
        findings.extend(tie(scene, queue.name, kind));
    }
    findings
}

fn pattern(candidate: &Candidate<'_>) -> Option<Finding> {
    if candidate.is_readable() {
        return None;
    }
    let field = format!("policies.{}.pattern", candidate.name);
    let what = format!(
        "`{}` is no regular expression: RabbitMQ refuses the policy",
        candidate.policy.pattern
    );
    let finding = Finding::error(Code::PolicyRefused, candidate.name, field);
    Some(finding.says(what, "correct the pattern"))
}

/// Brokers before 3.12 do not tell types of queues apart (3.10 was measured to refuse them).
fn apply_to(scene: &Scene<'_>, candidate: &Candidate<'_>) -> Option<Finding> {
    let apply_to = candidate.policy.apply_to.as_str();
    let typed = ["classic_queues", "quorum_queues", "streams"].contains(&apply_to);
    let version = scene.version.filter(|version| typed && *version < Version::new(3, 12))?;
    let field = format!("policies.{}.apply_to", candidate.name);
    let what = format!("RabbitMQ {version} refuses the policy: `{apply_to}` came with 3.12");
    let finding = Finding::error(Code::PolicyRefused, candidate.name, field);
    Some(finding.says(what, "take `queues`, with a pattern for these queues alone"))
}

fn refused_key(scene: &Scene<'_>, candidate: &Candidate<'_>, key: &str) -> Option<Finding> {
    let field = format!("policies.{}.definition.{key}", candidate.name);
    let finding = Finding::error(Code::PolicyRefused, candidate.name, field);
    let refuses = |broker: &str| format!("{broker} refuses the policy for its key `{key}`");
    if let Some((_, since, until)) = KEYS.iter().find(|(known, ..)| *known == key) {
        let version = scene.version?;
        let too_old = since.filter(|since| version < *since);
        let too_new = until.filter(|until| version >= *until);
        let why = match (too_old, too_new) {
            (Some(since), _) => format!("came with {since}"),
            (_, Some(until)) => format!("went with {until}"),
            _ => return None,
        };
        let what = refuses(&format!("RabbitMQ {version}"));
        return Some(finding.says(format!("{what}, which {why}"), "leave it out"));
    }
    if OF_PLUGINS.contains(&key) {
        return None;
    }
    let known = KEYS.iter().map(|(known, ..)| *known);
    let mend = match nearest(key.trim_start_matches("x-"), known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "leave it out, unless a plugin reads it".to_owned(),
    };
    Some(finding.says(refuses("RabbitMQ"), mend))
}

fn passed_over(candidate: &Candidate<'_>, queue: &str, kind: Kind) -> Option<Finding> {
    let unsuited = candidate.unsuited(kind);
    let first = unsuited.first()?;
    let field = format!("policies.{}.definition.{first}", candidate.name);
    let kind = kind.as_str();
    let what = format!(
        "the policy `{}` is passed over for the {kind} queue `{queue}`, with all its keys: {kind} queues do \
         not have {}",
        candidate.name,
        list(unsuited.iter().copied())
    );
    let mend =
        format!("move {} to a policy of its own, for the queues that have it", list(unsuited));
    Some(Finding::warning(Code::PolicyNotApplied, queue, field).says(what, mend))
}

fn tie(scene: &Scene<'_>, queue: &str, kind: Kind) -> Option<Finding> {
    let mut fitting = scene.policies.for_queue(queue, kind);
    let (first, second) = (fitting.next()?, fitting.next()?);
    if first.policy.priority != second.policy.priority
        || first.policy.definition == second.policy.definition
    {
        return None;
    }
    let field = format!("policies.{}.priority", second.name);
    let what = format!(
        "`{}` and `{}` match the queue `{queue}` with the same priority, {}: which of them applies is not \
         defined",
        first.name, second.name, first.policy.priority
    );
    let finding = Finding::warning(Code::PolicyTie, queue, field);
    Some(finding.says(what, "give one of them a higher priority"))
}

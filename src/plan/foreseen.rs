//! Which policies will act on objects that are not there yet.

use std::collections::BTreeMap;

use crate::objects::Objects;
use crate::policy::{Governed, Kind, Policies};

use super::Observed;

/// The policies that there will be once a plan is carried out: the broker's, and the file's in
/// place of those of the same name.
#[derive(Debug)]
pub(super) struct Foreseen<'a> {
    policies: Policies<'a>,
    operators: Policies<'a>,
}

impl<'a> Foreseen<'a> {
    /// Those of this file and this broker; `None` when nobody could see the broker's.
    pub fn of(wanted: &'a Objects, observed: &'a Observed) -> Option<Self> {
        let mut all: BTreeMap<_, _> = observed.policies.as_ref()?.iter().collect();
        all.extend(&wanted.policies);
        let operators = Policies::new(&observed.operator_policies, observed.version);
        Some(Foreseen { policies: Policies::new(all, observed.version), operators })
    }

    /// Those that will act on a queue of this name and type; `None` as a type is the broker's own
    /// default, classic.
    pub fn queue(&self, name: &str, kind: Option<Kind>) -> Option<Governed> {
        let kind = kind.unwrap_or(Kind::Classic);
        Governed::of_queue(&self.policies, &self.operators, name, kind)
    }

    /// Those that will act on an exchange of this name.
    pub fn exchange(&self, name: &str) -> Option<Governed> {
        Governed::of_exchange(&self.policies, name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Noticed, Plan, Seen, drift, noticed};
    use super::*;
    use crate::objects::{Arguments, Exchange, Policy, Queue, Value};

    fn policy(apply_to: &str, priority: i64, pairs: &[(&str, Value)]) -> Policy {
        let definition = pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        let (pattern, apply_to) = ("^q|^x".to_owned(), apply_to.to_owned());
        Policy { pattern, apply_to, priority, definition: definition.collect::<Arguments>() }
    }

    /// A classic queue `q`, a quorum queue `qq` and an exchange `x`, none of them there yet, and a
    /// policy; another and an operator policy are on the broker.
    fn scene() -> (Objects, Observed) {
        let mut wanted = Objects::default();
        wanted.add_queue("q", Queue::default().with("x-message-ttl", 10_000)).unwrap();
        let quorum = Queue::default().with("x-queue-type", "quorum").with("x-max-length", 2);
        wanted.add_queue("qq", quorum).unwrap();
        wanted.add_exchange("x", Exchange::durable("direct")).unwrap();
        let ours = [("message-ttl", Value::Int(7)), ("alternate-exchange", "ae".into())];
        wanted.policies.insert("ours".to_owned(), policy("all", 1, &ours));
        let theirs = [("message-ttl", Value::Int(9)), ("delivery-limit", Value::Int(3))];
        let theirs = ("theirs".to_owned(), policy("queues", 5, &theirs));
        let operators = policy("queues", 0, &[("max-length", Value::Int(1))]);
        let absent = |name: &str| (name.to_owned(), Seen::Absent);
        let observed = Observed {
            exchanges: [("x".to_owned(), Seen::Absent)].into(),
            queues: ["q", "qq"].map(absent).into(),
            policies: Some([theirs].into()),
            operator_policies: [("operators".to_owned(), operators)].into(),
            ..Observed::default()
        };
        (wanted, observed)
    }

    fn lines(noticed: &Noticed) -> Vec<String> {
        let line = |it: &super::super::PolicyEffect| {
            assert!(it.is_foreseen);
            format!("{} {} {} {:?} by {}", it.object.name(), it.key, it.value, it.effect, it.policy)
        };
        noticed.effects.iter().map(line).collect()
    }

    #[test]
    fn policies_of_the_file_and_of_the_broker() {
        let (wanted, observed) = scene();
        let noticed = noticed(&wanted, &observed);
        assert_eq!(
            lines(&noticed),
            [
                "x alternate-exchange \"ae\" Supplies by ours",
                "q max-length 1 Supplies by ours + operators",
                "q message-ttl 7 Overrides(Int(10000)) by ours + operators",
                "qq delivery-limit 3 Supplies by theirs + operators",
                "qq max-length 1 Overrides(Int(2)) by theirs + operators",
                "qq message-ttl 9 Supplies by theirs + operators",
            ]
        );
        assert_eq!(drift(&wanted, &observed, &Plan::default(), &noticed, &[]), []);
    }

    #[test]
    fn the_files_policy_takes_the_place_of_the_brokers() {
        let (wanted, mut observed) = scene();
        let old = policy("all", 99, &[("message-ttl", Value::Int(1))]);
        observed.policies = Some([("ours".to_owned(), old)].into());
        let ttl: Vec<_> = lines(&noticed(&wanted, &observed));
        assert!(ttl.iter().any(|line| line.starts_with("q message-ttl 7 ")), "{ttl:?}");
    }

    #[test]
    fn nothing_is_foreseen_of_what_is_there_or_unseen() {
        let (wanted, mut observed) = scene();
        let seen = wanted.queues.iter().map(|(name, it)| (name.clone(), Seen::Known(it.clone())));
        observed.queues = seen.collect();
        assert_eq!(noticed(&wanted, &observed).effects.len(), 1, "the exchange alone");
        let (wanted, mut observed) = scene();
        observed.policies = None;
        assert_eq!(noticed(&wanted, &observed).effects, []);
    }
}

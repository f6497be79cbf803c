//! Where a broker is not as a file says, a line each.

use std::fmt;

use serde::Serialize;

use crate::objects::Objects;
use crate::policy::Effect;

use super::{Action, Difference, Noticed, Object, Observed, Plan, Step};
use super::{VhostAction, VhostStep};

/// The kinds of drift. Those from [`Kind::Extra`] on count only for who is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It is not there.
    Missing,
    /// It is there, and one argument or property is another.
    Differs,
    /// Its argument is as in the file, and a policy that is not in the file goes before it.
    Overridden,
    /// The broker has no such exchange type.
    Unsupported,
    /// It is there besides.
    Extra,
    /// A policy that is not in the file sets what the file leaves open.
    Supplied,
    /// Nobody could look.
    Unseen,
}

/// One thing that is not as the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: String,
    /// What of it; empty when that is the whole of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Missing => "missing",
            Kind::Differs => "differs",
            Kind::Overridden => "overridden",
            Kind::Unsupported => "unsupported",
            Kind::Extra => "extra",
            Kind::Supplied => "supplied",
            Kind::Unseen => "unseen",
        };
        write!(f, "{kind}: {}", self.object)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

impl Drift {
    fn new(kind: Kind, object: impl fmt::Display, detail: impl Into<String>) -> Self {
        Drift { kind, object: object.to_string(), detail: detail.into() }
    }

    /// Whether it counts for who is not strict.
    pub fn is_plain(&self) -> bool {
        self.kind < Kind::Extra
    }
}

/// Everything that is not as the file says.
pub fn drift(
    wanted: &Objects,
    observed: &Observed,
    plan: &Plan,
    noticed: &Noticed,
    vhost: &[VhostStep],
) -> Vec<Drift> {
    let mut all: Vec<_> = vhost.iter().flat_map(of_vhost).collect();
    all.extend(plan.steps.iter().flat_map(|step| of_step(step, observed)));
    // What is not there is missing; what it will be like is no drift.
    for effect in noticed.effects.iter().filter(|effect| !effect.is_foreseen) {
        if effect.policy.split(" + ").any(|name| wanted.policies.contains_key(name)) {
            continue;
        }
        let (policy, key, value) = (&effect.policy, &effect.key, &effect.value);
        let object = &effect.object;
        all.push(match &effect.effect {
            Effect::Overrides(own) => {
                let detail = format!("policy `{policy}` makes {key} {value}, not {own}");
                Drift::new(Kind::Overridden, object, detail)
            }
            Effect::Supplies => {
                let detail = format!("policy `{policy}` sets {key} to {value}");
                Drift::new(Kind::Supplied, object, detail)
            }
        });
    }
    let extra = noticed.extra.iter();
    all.extend(extra.map(|it| Drift::new(Kind::Extra, Object::Binding(it.clone()), "")));
    all
}

fn of_step(step: &Step, observed: &Observed) -> Vec<Drift> {
    let object = &step.object;
    match &step.action {
        Action::Keep => Vec::new(),
        Action::Create | Action::LeaveOut(_) if is_unseen(object, observed) => {
            vec![Drift::new(Kind::Unseen, object, "")]
        }
        Action::Create | Action::LeaveOut(_) => vec![Drift::new(Kind::Missing, object, "")],
        Action::Confirm => {
            let detail = match object {
                Object::Binding(_) => "",
                _ => "it is there; its arguments cannot be seen",
            };
            vec![Drift::new(Kind::Unseen, object, detail)]
        }
        Action::Unsupported => {
            vec![Drift::new(Kind::Unsupported, object, "the broker has no such exchange type")]
        }
        Action::Conflict(all) | Action::Update(all) | Action::Recreate(all) => {
            let line = |it: &Difference| Drift::new(Kind::Differs, object, it.to_string());
            all.iter().map(line).collect()
        }
    }
}

fn is_unseen(object: &Object, observed: &Observed) -> bool {
    use super::Seen::Unseen;
    match object {
        Object::Exchange(name, _) => matches!(observed.exchanges.get(name), None | Some(Unseen)),
        Object::Queue(name, _) => matches!(observed.queues.get(name), None | Some(Unseen)),
        Object::Binding(_) => observed.bindings.is_none(),
        Object::Policy(..) => observed.policies.is_none(),
    }
}

fn of_vhost(step: &VhostStep) -> Option<Drift> {
    let object = &step.object;
    match &step.action {
        VhostAction::Keep => None,
        VhostAction::Create => Some(Drift::new(Kind::Missing, object, "")),
        VhostAction::Update(it) | VhostAction::Conflict(it) => {
            Some(Drift::new(Kind::Differs, object, it.to_string()))
        }
        VhostAction::Unseen => Some(Drift::new(Kind::Unseen, object, "")),
    }
}

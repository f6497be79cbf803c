//! A plan, and what was noticed beside it: the output of `declare --dry-run` against a broker.

use crate::objects::Binding;
use crate::plan::{Action, Named, Noticed, Object, Plan, VhostAction, VhostObject, VhostStep};
use crate::policy::Effect;

use super::listing::{ends, matching, unfit};
use super::table::grid;

/// One line for each object, and one for each argument that differs. The first column says what
/// will be done:
///
/// ```text
/// + create or bind   = keep   ~ change   ! conflict, or left out for one   * make again
/// . there, not seen whole
/// ? there besides    i what a policy does, or will do
/// ```
pub fn diff(plan: &Plan, noticed: &Noticed, vhost: &[VhostStep], width: Option<u16>) -> String {
    let mut rows: Vec<Vec<String>> = vhost.iter().flat_map(of_vhost).collect();
    for step in &plan.steps {
        let mark = mark(&step.action);
        let (kind, name, words) = described(&step.object);
        rows.push(row(mark, kind, &name, words));
        if let Action::Conflict(all) | Action::Update(all) | Action::Recreate(all) = &step.action {
            rows.extend(all.iter().map(|it| row(mark, "", "", it.to_string())));
        }
        if step.action == Action::Unsupported {
            rows.push(row(mark, "", "", "the broker has no such exchange type".to_owned()));
        }
        if let Action::LeaveOut(end) = &step.action {
            rows.push(row(mark, "", "", format!("left out: {}", unfit(end))));
        }
    }
    for binding in &noticed.extra {
        rows.push(row("?", "binding", &ends(binding), beside(binding)));
    }
    for effect in &noticed.effects {
        let (kind, name) = match &effect.object {
            Named::Exchange(name) => ("exchange", name),
            Named::Queue(name) => ("queue", name),
        };
        let (policy, key, value) = (&effect.policy, &effect.key, &effect.value);
        let words = match (&effect.effect, effect.is_foreseen) {
            (Effect::Supplies, false) => format!("policy `{policy}` sets {key} to {value}"),
            (Effect::Supplies, true) => format!("policy `{policy}` will set {key} to {value}"),
            (Effect::Overrides(own), false) => {
                format!("policy `{policy}` makes {key} {value}, not {own}")
            }
            (Effect::Overrides(own), true) => {
                format!("policy `{policy}` will make {key} {value}, not {own}")
            }
        };
        rows.push(row("i", kind, name, words));
    }
    format!("{}\n\n{}", grid(rows, width), sum(plan, noticed, vhost))
}

fn row(mark: &str, kind: &str, name: &str, words: String) -> Vec<String> {
    vec![mark.to_owned(), kind.to_owned(), name.to_owned(), words]
}

fn mark(action: &Action) -> &'static str {
    match action {
        Action::Create => "+",
        Action::Keep => "=",
        Action::Confirm => ".",
        Action::Update(_) => "~",
        Action::Recreate(_) => "*",
        Action::Conflict(_) | Action::Unsupported | Action::LeaveOut(_) => "!",
    }
}

fn described(object: &Object) -> (&'static str, String, String) {
    match object {
        Object::Exchange(name, it) => ("exchange", name.clone(), it.to_string()),
        Object::Queue(name, it) => ("queue", name.clone(), it.to_string()),
        Object::Binding(it) => ("binding", ends(it), matching(it)),
        Object::Policy(name, it) => ("policy", name.clone(), it.to_string()),
    }
}

fn beside(binding: &Binding) -> String {
    format!("{}: not in the file", matching(binding))
}

fn of_vhost(step: &VhostStep) -> Vec<Vec<String>> {
    let (kind, name, words) = match &step.object {
        VhostObject::Vhost(name, default_type) => {
            let kind = default_type.as_deref().unwrap_or("the broker's");
            ("vhost", name, format!("default queue type: {kind}"))
        }
        VhostObject::Permission(it) => ("permission", &it.user, it.to_string()),
    };
    let (mark, difference) = match &step.action {
        VhostAction::Create => ("+", None),
        VhostAction::Keep => ("=", None),
        VhostAction::Update(it) => ("~", Some(it)),
        VhostAction::Conflict(it) => ("!", Some(it)),
        VhostAction::Unseen => (".", None),
    };
    let mut rows = vec![row(mark, kind, name, words)];
    rows.extend(difference.map(|it| row(mark, "", "", it.to_string())));
    rows
}

/// `2 to create, 1 to bind, 3 as wanted, 1 in conflict; 1 binding besides`.
fn sum(plan: &Plan, noticed: &Noticed, vhost: &[VhostStep]) -> String {
    let is_binding = |object: &Object| matches!(object, Object::Binding(_));
    let count = |binding: bool, of: fn(&Action) -> bool| {
        let steps = plan.steps.iter();
        steps.filter(|it| is_binding(&it.object) == binding && of(&it.action)).count()
    };
    let of_vhost = |of: fn(&VhostAction) -> bool| vhost.iter().filter(|it| of(&it.action)).count();
    let create = |action: &Action| matches!(action, Action::Create);
    let conflict = |action: &Action| matches!(action, Action::Conflict(_) | Action::Unsupported);
    let counts = [
        (count(false, create) + of_vhost(|it| *it == VhostAction::Create), "to create"),
        (count(true, create), "to bind"),
        (
            plan.count(|it| matches!(it, Action::Update(_)))
                + of_vhost(|it| matches!(it, VhostAction::Update(_))),
            "to change",
        ),
        (plan.count(|it| matches!(it, Action::Recreate(_))), "to make again"),
        (
            plan.count(|it| *it == Action::Keep) + of_vhost(|it| *it == VhostAction::Keep),
            "as wanted",
        ),
        (count(false, |it| *it == Action::Confirm), "there, arguments not seen"),
        (count(true, |it| *it == Action::Confirm), "to bind if need be"),
        (
            plan.count(conflict) + of_vhost(|it| matches!(it, VhostAction::Conflict(_))),
            "in conflict",
        ),
        (plan.count(|it| matches!(it, Action::LeaveOut(_))), "left out"),
        (noticed.extra.len(), "bound besides"),
    ];
    let present = counts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<_> = present.map(|(number, what)| format!("{number} {what}")).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

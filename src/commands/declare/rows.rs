//! What became of each object, a row each.

use crate::broker::{ManagementError, Outcome};
use crate::commands::outcomes::Row;
use crate::plan::{Difference, Object, VhostAction, VhostObject, VhostStep};
use crate::render::listing::{ends, matching, unfit};

impl Row {
    /// The row of a plan's step.
    pub fn of((object, outcome): &(Object, Outcome)) -> Self {
        let (kind, name) = match object {
            Object::Exchange(name, _) => ("exchange", name.clone()),
            Object::Queue(name, _) => ("queue", name.clone()),
            Object::Policy(name, _) => ("policy", name.clone()),
            Object::Binding(binding) => {
                ("binding", format!("{}, {}", ends(binding), matching(binding)))
            }
        };
        let (outcome, detail) = match outcome {
            Outcome::Created => ("created", String::new()),
            Outcome::Present => ("already there", String::new()),
            Outcome::Ensured => ("bound", String::new()),
            Outcome::Updated => ("changed", String::new()),
            Outcome::Recreated => ("made again", String::new()),
            Outcome::InUse(live) => ("IN USE", live.to_string()),
            Outcome::Conflict(all) => ("CONFLICT", in_words(all)),
            Outcome::Unsupported(error) => ("UNSUPPORTED", error.to_string()),
            Outcome::LeftOut(end) => ("LEFT OUT", unfit(end)),
            Outcome::Failed(error) => ("FAILED", error.to_string()),
        };
        Row { object: kind, name, outcome, detail }
    }

    /// The row of a step of the vhost's plan.
    pub fn of_vhost(step: &VhostStep, done: Result<(), &ManagementError>) -> Self {
        let (object, name) = match &step.object {
            VhostObject::Vhost(name, _) => ("vhost", name.clone()),
            VhostObject::Permission(it) => ("permission", it.user.clone()),
        };
        let (outcome, detail) = match (&step.action, done) {
            (_, Err(error)) => ("FAILED", error.to_string()),
            (VhostAction::Create, Ok(())) => ("created", String::new()),
            (VhostAction::Keep, Ok(())) => ("already there", String::new()),
            (VhostAction::Update(it), Ok(())) => ("changed", it.to_string()),
            (VhostAction::Conflict(it), Ok(())) => ("CONFLICT", it.to_string()),
            (VhostAction::Unseen, Ok(())) => ("not seen", String::new()),
        };
        Row { object, name, outcome, detail }
    }
}

fn in_words(differences: &[Difference]) -> String {
    let all: Vec<_> = differences.iter().map(Difference::to_string).collect();
    all.join("; ")
}

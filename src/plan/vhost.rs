//! What to do so that a vhost is as its file says.

use std::fmt;

use crate::vhost::{Permission, Setup, VhostSeen};

use super::Difference;

/// What a vhost is made of, beside its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VhostObject {
    /// The vhost itself, and its default queue type.
    Vhost(String, Option<String>),
    /// What a user may do in it.
    Permission(Permission),
}

impl fmt::Display for VhostObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VhostObject::Vhost(name, _) => write!(f, "vhost `{name}`"),
            VhostObject::Permission(it) => write!(f, "permission of user `{}`", it.user),
        }
    }
}

/// What to do about one part of a vhost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VhostAction {
    /// It is not there: make it.
    Create,
    /// It is there as wanted.
    Keep,
    /// A permission is there and differs: set it as the file says.
    Update(Difference),
    /// The vhost has another default queue type: do nothing, say so. Queues that are declared
    /// without a type, by whomever, would change their type.
    Conflict(Difference),
    /// Nobody could look.
    Unseen,
}

/// A part of a vhost and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VhostStep {
    /// The part.
    pub object: VhostObject,
    /// What to do.
    pub action: VhostAction,
}

/// Compares what a file says of its vhost with what is there. Permissions of users that the file
/// does not name are left alone.
pub fn vhost_plan(name: &str, setup: &Setup, seen: &VhostSeen) -> Vec<VhostStep> {
    let default_type = setup.default_queue_type.clone();
    let object = VhostObject::Vhost(name.to_owned(), default_type.clone());
    let action = match (seen, default_type) {
        (VhostSeen::Absent, _) => VhostAction::Create,
        (VhostSeen::Unseen, _) => VhostAction::Unseen,
        (VhostSeen::Present { default_queue_type: Some(found), .. }, Some(wanted))
            if *found != wanted =>
        {
            let argument = "default_queue_type".to_owned();
            VhostAction::Conflict(Difference { argument, wanted, found: found.clone() })
        }
        (VhostSeen::Present { default_queue_type: None, .. }, Some(_)) => VhostAction::Unseen,
        (VhostSeen::Present { .. }, _) => VhostAction::Keep,
    };
    let permissions = setup.permissions.iter().map(|wanted| VhostStep {
        object: VhostObject::Permission(wanted.clone()),
        action: permission_action(wanted, seen),
    });
    std::iter::once(VhostStep { object, action }).chain(permissions).collect()
}

fn permission_action(wanted: &Permission, seen: &VhostSeen) -> VhostAction {
    let found = match seen {
        VhostSeen::Absent => return VhostAction::Create,
        VhostSeen::Unseen | VhostSeen::Present { permissions: None, .. } => {
            return VhostAction::Unseen;
        }
        VhostSeen::Present { permissions: Some(all), .. } => {
            all.iter().find(|found| found.user == wanted.user)
        }
    };
    match found {
        None => VhostAction::Create,
        Some(found) if found == wanted => VhostAction::Keep,
        Some(found) => VhostAction::Update(Difference {
            argument: format!("permission of `{}`", wanted.user),
            wanted: wanted.to_string(),
            found: found.to_string(),
        }),
    }
}

//! What a vhost is set up with, beside its objects.

use std::fmt;

use serde::Serialize;

/// What a file says of its vhost. Empty: it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Setup {
    /// The type of queues that are declared without one; `None`: the broker's own default.
    pub default_queue_type: Option<String>,
    /// What users may do in it. The users must exist: no user is ever made, and no password set.
    pub permissions: Vec<Permission>,
}

impl Setup {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.default_queue_type.is_none() && self.permissions.is_empty()
    }
}

/// What one user may do: three regular expressions over the names of queues and exchanges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Permission {
    /// The user.
    pub user: String,
    /// What it may declare and delete.
    pub configure: String,
    /// What it may publish to, and bind.
    pub write: String,
    /// What it may consume from.
    pub read: String,
}

impl fmt::Display for Permission {
    /// `configure="", write=".*", read=".*"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Permission { configure, write, read, .. } = self;
        write!(f, "configure={configure:?}, write={write:?}, read={read:?}")
    }
}

/// What is known of a vhost on a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VhostSeen {
    /// It is not there.
    Absent,
    /// It is there.
    Present {
        /// Its default queue type; `None`: nobody could look.
        default_queue_type: Option<String>,
        /// Its permissions; `None`: nobody could look.
        permissions: Option<Vec<Permission>>,
    },
    /// Nobody could look.
    Unseen,
}

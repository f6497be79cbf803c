//! What became of a plan.

use crate::plan::{Difference, Live, Named, Object};

use super::error::BrokerError;

/// What became of one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was not there before, and is now.
    Created,
    /// It was there, as wanted.
    Present,
    /// A binding is there now that could not be seen before; AMQP does not tell a new one from an
    /// old one.
    Ensured,
    /// It is there and differs; nothing was done. The broker names the first difference only.
    Conflict(Vec<Difference>),
    /// The broker lacks what it needs, such as a plugin's exchange type.
    Unsupported(BrokerError),
    /// A policy is now as the file says.
    Updated,
    /// A queue differed; it was empty and unused, and was made again.
    Recreated,
    /// A queue differs and was to be made again; nothing was done, since it is in use.
    InUse(Live),
    /// A binding that was not made, since this end of it is in conflict, unsupported or in use.
    LeftOut(Named),
    /// It could not be done.
    Failed(BrokerError),
}

/// What became of a plan, in the plan's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Every step's object with its outcome.
    pub steps: Vec<(Object, Outcome)>,
    /// Why the rest was not attempted, when the connection was lost for good on the way. The
    /// steps left out are [`Outcome::Failed`] with the same reason.
    pub lost: Option<BrokerError>,
}

/// How many steps came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// [`Outcome::Created`].
    pub created: usize,
    /// [`Outcome::Present`].
    pub present: usize,
    /// [`Outcome::Ensured`].
    pub ensured: usize,
    /// [`Outcome::Conflict`].
    pub conflicts: usize,
    /// [`Outcome::Unsupported`].
    pub unsupported: usize,
    /// [`Outcome::Updated`].
    pub updated: usize,
    /// [`Outcome::Recreated`].
    pub recreated: usize,
    /// [`Outcome::InUse`].
    pub in_use: usize,
    /// [`Outcome::LeftOut`].
    pub left_out: usize,
    /// [`Outcome::Failed`].
    pub failed: usize,
}

impl Outcome {
    /// Whether the object is now as the plan wants it.
    pub fn is_good(&self) -> bool {
        match self {
            Outcome::Created
            | Outcome::Present
            | Outcome::Ensured
            | Outcome::Updated
            | Outcome::Recreated => true,
            Outcome::Conflict(_)
            | Outcome::Unsupported(_)
            | Outcome::InUse(_)
            | Outcome::LeftOut(_)
            | Outcome::Failed(_) => false,
        }
    }
}

impl Report {
    /// How many steps came out how.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (_, outcome) in &self.steps {
            *match outcome {
                Outcome::Created => &mut counts.created,
                Outcome::Present => &mut counts.present,
                Outcome::Ensured => &mut counts.ensured,
                Outcome::Conflict(_) => &mut counts.conflicts,
                Outcome::Unsupported(_) => &mut counts.unsupported,
                Outcome::Updated => &mut counts.updated,
                Outcome::Recreated => &mut counts.recreated,
                Outcome::InUse(_) => &mut counts.in_use,
                Outcome::LeftOut(_) => &mut counts.left_out,
                Outcome::Failed(_) => &mut counts.failed,
            } += 1;
        }
        counts
    }

    /// Whether everything is as the plan wants it.
    pub fn is_good(&self) -> bool {
        self.steps.iter().all(|(_, outcome)| outcome.is_good())
    }
}

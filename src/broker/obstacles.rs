//! What stands in the way of bindings, as it is found while a plan is executed: over AMQP alone
//! the broker tells a conflict only when an object is declared.

use std::collections::HashSet;

use crate::plan::{Named, Object, Plan, Step, unfit_end};

use super::report::Outcome;

/// The exchanges and queues that matter to the bindings.
pub(super) struct Obstacles {
    unfit: HashSet<Named>,
    made_again: HashSet<Named>,
}

impl Obstacles {
    /// Those of a plan that is executed up to these outcomes.
    pub fn of(plan: &Plan, outcomes: &[Option<Outcome>]) -> Self {
        let those = |is: fn(&Outcome) -> bool| {
            let settled = plan.steps.iter().zip(outcomes);
            let such = settled.filter(|(_, outcome)| outcome.as_ref().is_some_and(is));
            such.filter_map(|(step, _)| step.object.named()).collect()
        };
        Obstacles {
            unfit: those(|it| {
                matches!(it, Outcome::Conflict(_) | Outcome::Unsupported(_) | Outcome::InUse(_))
            }),
            made_again: those(|it| *it == Outcome::Recreated),
        }
    }

    /// The end of a binding for which it must be left out, as [`Plan::leaving_out`] does with what
    /// is known beforehand. A queue that was just made again has lost its bindings, and gets back
    /// what the plan says, wherever it comes from.
    pub fn in_the_way_of(&self, step: &Step) -> Option<Named> {
        let Object::Binding(binding) = &step.object else { return None };
        let comes_back = self.made_again.contains(&Named::from(&binding.destination));
        if comes_back { None } else { unfit_end(binding, &self.unfit) }
    }
}

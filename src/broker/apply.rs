//! A plan, executed.

use crate::plan::{Action, Object, Plan, Step};

use super::connection::Broker;
use super::declare::declare;
use super::error::BrokerError;
use super::fan_out::fan_out;
use super::inequivalent::difference;
use super::report::{Outcome, Report};

/// Bindings need both their ends, so exchanges come first, queues second, bindings last.
const PHASES: [fn(&Object) -> bool; 3] = [
    |object| matches!(object, Object::Exchange(..)),
    |object| matches!(object, Object::Queue(..)),
    |object| matches!(object, Object::Binding(..)),
];

impl Broker {
    /// Executes a plan and tells `on_step` each step's index and outcome as it is known. Within a
    /// phase the steps run at the same time on several channels. A step that fails stops no other.
    ///
    /// When the connection is lost and cannot be opened again, the steps left over have failed,
    /// and [`Report::lost`] says why.
    pub async fn apply(&mut self, plan: &Plan, mut on_step: impl FnMut(usize, &Outcome)) -> Report {
        let mut outcomes: Vec<Option<Outcome>> = plan.steps.iter().map(settled).collect();
        for (index, outcome) in outcomes.iter().enumerate() {
            outcome.iter().for_each(|outcome| on_step(index, outcome));
        }
        let mut lost = None;
        for phase in PHASES {
            let due = |(index, step): (usize, &Step)| {
                (outcomes[index].is_none() && phase(&step.object)).then_some(index)
            };
            let due: Vec<usize> = plan.steps.iter().enumerate().filter_map(due).collect();
            let mut settle = |index: usize, outcome: Outcome| {
                on_step(index, &outcome);
                outcomes[index] = Some(outcome);
            };
            match &lost {
                None => lost = self.run_phase(plan, due, settle).await,
                Some(reason) => due.into_iter().for_each(|i| settle(i, failed(reason))),
            }
        }
        let objects = plan.steps.iter().map(|step| step.object.clone());
        Report { steps: objects.zip(outcomes.into_iter().flatten()).collect(), lost }
    }

    /// Declares what is due, and returns why it had to give up, if it had to.
    async fn run_phase(
        &mut self,
        plan: &Plan,
        due: Vec<usize>,
        mut settle: impl FnMut(usize, Outcome),
    ) -> Option<BrokerError> {
        let about = self.about();
        let run = fan_out(
            self,
            due,
            async |channel, index: &usize| {
                declare(channel, &plan.steps[*index].object, &about).await
            },
            |index, result| settle(index, outcome(&plan.steps[index], result)),
        );
        let stranded = run.await.err()?;
        stranded.items.into_iter().for_each(|index| settle(index, failed(&stranded.reason)));
        Some(stranded.reason)
    }
}

/// The outcome of a step that needs no call.
fn settled(step: &Step) -> Option<Outcome> {
    match &step.action {
        Action::Keep => Some(Outcome::Present),
        Action::Conflict(differences) => Some(Outcome::Conflict(differences.clone())),
        Action::Create | Action::Confirm => None,
    }
}

fn outcome(step: &Step, result: Result<(), BrokerError>) -> Outcome {
    match result {
        Ok(()) if matches!(step.object, Object::Binding(_)) => Outcome::Ensured,
        Ok(()) if step.action == Action::Confirm => Outcome::Present,
        Ok(()) => Outcome::Created,
        Err(BrokerError::Conflict { words, .. }) => {
            Outcome::Conflict(vec![difference(&words, &step.object)])
        }
        Err(error @ BrokerError::ExchangeTypeUnknown { .. }) => Outcome::Unsupported(error),
        Err(error) => Outcome::Failed(error),
    }
}

fn failed(reason: &BrokerError) -> Outcome {
    Outcome::Failed(reason.clone())
}

//! A plan, executed.

use crate::objects::Queue;
use crate::plan::{Action, Object, Plan, Step};

use super::connection::Broker;
use super::declare::declare;
use super::error::BrokerError;
use super::fan_out::fan_out;
use super::inequivalent::difference;
use super::management::ManagementError;
use super::obstacles::Obstacles;
use super::report::{Outcome, Report};

/// Bindings need both their ends, so exchanges come first, queues second, bindings last. Policies
/// are for the management API.
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
            let mut due: Vec<usize> = plan.steps.iter().enumerate().filter_map(due).collect();
            let obstacles = Obstacles::of(plan, &outcomes);
            let mut settle = |index: usize, outcome: Outcome| {
                on_step(index, &outcome);
                outcomes[index] = Some(outcome);
            };
            due.retain(|index| match obstacles.in_the_way_of(&plan.steps[*index]) {
                None => true,
                Some(end) => {
                    settle(*index, Outcome::LeftOut(end));
                    false
                }
            });
            match &lost {
                None => lost = self.run_phase(plan, due, settle).await,
                Some(reason) => due.into_iter().for_each(|i| settle(i, failed(reason))),
            }
        }
        for (index, step) in plan.steps.iter().enumerate() {
            if outcomes[index].is_none() {
                let outcome = self.set_policy(step).await;
                on_step(index, &outcome);
                outcomes[index] = Some(outcome);
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
        let mut differing = Vec::new();
        let run = fan_out(
            self,
            due,
            async |channel, index: &usize| {
                declare(channel, &plan.steps[*index].object, &about).await
            },
            |index, result| match outcome(&plan.steps[index], result) {
                Outcome::Conflict(told) if is_recreate(&plan.steps[index]) => {
                    differing.push((index, told));
                }
                outcome => settle(index, outcome),
            },
        );
        let stranded = run.await.err();
        if let Some(stranded) = stranded {
            let undone =
                stranded.items.into_iter().chain(differing.iter().map(|(index, _)| *index));
            undone.for_each(|index| settle(index, failed(&stranded.reason)));
            return Some(stranded.reason);
        }
        for (index, _) in differing {
            let outcome = self.recreate(&plan.steps[index].object).await;
            settle(index, outcome.unwrap_or_else(Outcome::Failed));
        }
        None
    }

    /// Drops a queue that is empty and unused, and declares it as the file says.
    ///
    /// Quorum queues refuse the protocol's `if-empty` and `if-unused`, and no protocol knows of
    /// messages that are being dead-lettered, so the queue is looked at first. A classic queue is
    /// then deleted under the broker's own eyes.
    async fn recreate(&mut self, object: &Object) -> Result<Outcome, BrokerError> {
        let Object::Queue(name, queue) = object else { return Ok(Outcome::Present) };
        let live = self.live(name).await?;
        if live.messages() > 0 || live.consumers.unwrap_or(0) > 0 {
            return Ok(Outcome::InUse(live));
        }
        let conditions = self.is_classic(name).await;
        self.delete_queue(name, conditions, conditions).await?;
        self.redeclare(name, queue).await
    }

    /// Whether the queue on the broker is known to be a classic one.
    async fn is_classic(&self, name: &str) -> bool {
        match self.management() {
            Some(management) => management.queue_type(name).await.as_deref() == Some("classic"),
            None => false,
        }
    }

    async fn redeclare(&mut self, name: &str, queue: &Queue) -> Result<Outcome, BrokerError> {
        let object = Object::Queue(name.to_owned(), queue.clone());
        let channel = self.channel_again().await?;
        let declared = declare(&channel, &object, &self.about()).await;
        declared.map(|()| Outcome::Recreated).map_err(|fault| fault.error)
    }

    async fn set_policy(&self, step: &Step) -> Outcome {
        let Object::Policy(name, policy) = &step.object else { return Outcome::Present };
        let Some(management) = self.management() else {
            return Outcome::Failed(ManagementError::Off.into());
        };
        match (management.set_policy(name, policy).await, &step.action) {
            (Err(error), _) => Outcome::Failed(error.into()),
            (Ok(()), Action::Update(_)) => Outcome::Updated,
            (Ok(()), _) => Outcome::Created,
        }
    }
}

fn is_recreate(step: &Step) -> bool {
    matches!(step.action, Action::Recreate(_))
}

/// The outcome of a step that needs no call.
fn settled(step: &Step) -> Option<Outcome> {
    match (&step.action, &step.object) {
        (Action::Keep, _) => Some(Outcome::Present),
        (Action::Conflict(differences), _) => Some(Outcome::Conflict(differences.clone())),
        (Action::LeaveOut(end), _) => Some(Outcome::LeftOut(end.clone())),
        (Action::Unsupported, Object::Exchange(_, exchange)) => {
            let words = "it is not among the types that the broker lists".to_owned();
            let kind = exchange.kind.clone();
            Some(Outcome::Unsupported(BrokerError::ExchangeTypeUnknown { kind, words }))
        }
        _ => None,
    }
}

fn outcome(step: &Step, result: Result<(), BrokerError>) -> Outcome {
    match result {
        Ok(()) if step.action == Action::Create => Outcome::Created,
        Ok(()) if matches!(step.object, Object::Binding(_)) => Outcome::Ensured,
        Ok(()) => Outcome::Present,
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

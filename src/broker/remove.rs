//! Taking a topology away again.

use std::collections::HashMap;

use lapin::Channel;
use lapin::options::QueueDeleteOptions;

use crate::objects::{DELAYED_MESSAGE_TYPE, Objects, Queue, predeclared_type};
use crate::plan::{Fate, Live, Named, Object, RemovalPlan, downstream};

use super::about::About;
use super::connection::Broker;
use super::declare::{find_queue, unbind};
use super::error::BrokerError;
use super::fan_out::fan_out;
use super::fault::Fault;
use super::management::ManagementError;
use super::queues::{delete_exchange, delete_queue};

/// What may be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Only queues that hold no message.
    pub if_empty: bool,
    /// Only queues without consumers.
    pub if_unused: bool,
}

/// What became of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// It is gone, if it was there, with so many messages.
    Gone {
        /// Messages that were deleted with a queue; 0 for anything else.
        messages: u64,
    },
    /// It is still there, because it is not empty or in use.
    Kept(Live),
    /// It is still there, because nobody could count what waits in it.
    Uncounted,
    /// It is still there, because what this queue or exchange holds will come there.
    Needed(Named),
    /// It is still there, because it was asked to stay.
    Spared,
    /// It was not there.
    Absent,
    /// It could not be deleted.
    Failed(BrokerError),
}

/// What became of a topology's objects, in the order of their deletion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemovalReport {
    /// Every object with what became of it.
    pub objects: Vec<(Object, Removed)>,
}

impl RemovalReport {
    /// Whether everything is gone that was to go.
    pub fn is_good(&self) -> bool {
        let gone =
            |it: &Removed| matches!(it, Removed::Gone { .. } | Removed::Absent | Removed::Spared);
        self.objects.iter().all(|(_, removed)| gone(removed))
    }
}

impl Broker {
    /// Deletes the queues of `objects`, then its exchanges, and with them their bindings. What is
    /// gone already is no error. The exchanges that every vhost is born with stay.
    ///
    /// When the connection is lost and cannot be opened again, the rest has failed.
    pub async fn remove(&mut self, objects: &Objects, how: Removal) -> RemovalReport {
        let queues = objects.queues.iter();
        let queues = queues.map(|(name, queue)| Object::Queue(name.clone(), queue.clone()));
        let exchanges = objects.exchanges.iter();
        let exchanges = exchanges.filter(|(name, _)| predeclared_type(name).is_none());
        let exchanges = exchanges.map(|(name, it)| Object::Exchange(name.clone(), it.clone()));
        let mut report = RemovalReport::default();
        self.remove_all(queues.collect(), how, &mut report).await;
        self.remove_all(exchanges.collect(), how, &mut report).await;
        report
    }

    /// Executes a removal plan for the objects it was made for. With `if_empty`, a queue or an
    /// exchange of the plugin that has been given messages since the plan was made is kept too, and
    /// with it what those messages will pass.
    pub async fn apply_removal(
        &mut self,
        plan: &RemovalPlan,
        wanted: &Objects,
        if_empty: bool,
    ) -> RemovalReport {
        let how = Removal { if_empty, if_unused: false };
        let mut report = RemovalReport::default();
        report.objects.extend(plan.steps.iter().filter_map(spared));
        let due = plan.steps.iter().filter(|(_, fate)| matches!(fate, Fate::Delete(_)));
        let mut due: Vec<_> = due.map(|(object, _)| object.clone()).collect();
        if if_empty {
            due = self.spare_filled(due, wanted, &mut report).await;
        }
        for kind in IN_THIS_ORDER {
            let (now, later) = due.into_iter().partition(kind);
            due = later;
            let now = spare_needed(now, wanted, &mut report);
            self.remove_all(now, how, &mut report).await;
        }
        for object in spare_needed(due, wanted, &mut report) {
            let removed = self.remove_policy(&object).await;
            report.objects.push((object, removed));
        }
        report
    }

    /// Leaves out the exchanges of the plugin that messages wait in.
    async fn spare_filled(
        &self,
        due: Vec<Object>,
        wanted: &Objects,
        report: &mut RemovalReport,
    ) -> Vec<Object> {
        let Some(management) = self.management() else { return due };
        let counted = management.delayed(wanted).await;
        let filled = |object: &Object| match (object, &counted) {
            (Object::Exchange(_, exchange), Err(error))
                if exchange.kind == DELAYED_MESSAGE_TYPE =>
            {
                Some(Removed::Failed(error.clone().into()))
            }
            (Object::Exchange(name, _), Ok(counted)) => {
                let held_back = counted.get(name).copied().filter(|number| *number > 0)?;
                Some(Removed::Kept(Live { held_back: Some(held_back), ..Live::default() }))
            }
            _ => None,
        };
        let (empty, full): (Vec<_>, Vec<_>) =
            due.into_iter().partition(|object| filled(object).is_none());
        report.objects.extend(full.into_iter().filter_map(|it| Some((it.clone(), filled(&it)?))));
        empty
    }

    async fn remove_policy(&self, object: &Object) -> Removed {
        let Object::Policy(name, _) = object else { return Removed::Absent };
        let Some(management) = self.management() else {
            return Removed::Failed(ManagementError::Off.into());
        };
        match management.delete_policy(name).await {
            Ok(()) => Removed::Gone { messages: 0 },
            Err(error) => Removed::Failed(error.into()),
        }
    }

    async fn remove_all(&mut self, due: Vec<Object>, how: Removal, report: &mut RemovalReport) {
        let about = self.about();
        let run = fan_out(
            self,
            due,
            async |channel, object: &Object| match object {
                Object::Queue(name, queue) => remove_queue(channel, name, queue, how, &about).await,
                Object::Exchange(name, _) => delete_exchange(channel, name, &about)
                    .await
                    .map(|()| Removed::Gone { messages: 0 }),
                Object::Binding(binding) => {
                    unbind(channel, binding, &about).await.map(|()| Removed::Gone { messages: 0 })
                }
                Object::Policy(..) => Ok(Removed::Gone { messages: 0 }),
            },
            |object, result| {
                report.objects.push((object, result.unwrap_or_else(Removed::Failed)));
            },
        );
        if let Err(stranded) = run.await {
            let failed = |object| (object, Removed::Failed(stranded.reason.clone()));
            report.objects.extend(stranded.items.into_iter().map(failed));
        }
    }
}

/// What is removed first, and what after it; policies are removed last.
const IN_THIS_ORDER: [fn(&Object) -> bool; 3] = [
    |object| matches!(object, Object::Queue(..)),
    |object| matches!(object, Object::Exchange(..)),
    |object| matches!(object, Object::Binding(_)),
];

/// The outcome of a step that deletes nothing.
fn spared((object, fate): &(Object, Fate)) -> Option<(Object, Removed)> {
    let removed = match fate {
        Fate::Delete(_) => return None,
        Fate::Absent => Removed::Absent,
        Fate::Holds(live) => Removed::Kept(live.clone()),
        Fate::Uncounted => Removed::Uncounted,
        Fate::Needed(holder) => Removed::Needed(holder.clone()),
        Fate::Spared => Removed::Spared,
    };
    Some((object.clone(), removed))
}

/// Leaves out what will be passed by the messages of all that turned out not to be empty, or could
/// not be deleted.
fn spare_needed(due: Vec<Object>, wanted: &Objects, report: &mut RemovalReport) -> Vec<Object> {
    let holders = report.objects.iter().filter_map(|(object, removed)| match removed {
        Removed::Kept(_) | Removed::Uncounted | Removed::Failed(_) => named(object),
        _ => None,
    });
    let needed = downstream(wanted, &holders.collect::<Vec<_>>());
    let (kept, due): (Vec<_>, Vec<_>) =
        due.into_iter().partition(|object| holder(object, &needed).is_some());
    let because = |object: Object| holder(&object, &needed).map(|by| (object, by));
    let kept = kept.into_iter().filter_map(because);
    report.objects.extend(kept.map(|(object, by)| (object, Removed::Needed(by))));
    due
}

fn named(object: &Object) -> Option<Named> {
    match object {
        Object::Exchange(name, _) => Some(Named::Exchange(name.clone())),
        Object::Queue(name, _) => Some(Named::Queue(name.clone())),
        Object::Binding(_) | Object::Policy(..) => None,
    }
}

fn holder(object: &Object, needed: &HashMap<Named, Named>) -> Option<Named> {
    match object {
        Object::Binding(binding) => needed.get(&Named::Exchange(binding.source.clone())).cloned(),
        Object::Policy(..) => needed.values().next().cloned(),
        _ => needed.get(&named(object)?).cloned(),
    }
}

/// Deletes a queue, or tells what it still holds.
///
/// The conditions are looked at here first: a refusal would cost the channel, and quorum queues
/// refuse the protocol's `if-empty` and `if-unused` altogether, with the connection. Between the
/// look and the deletion of a quorum queue a message may arrive; a classic queue is deleted under
/// the broker's own eyes.
async fn remove_queue(
    channel: &Channel,
    name: &str,
    queue: &Queue,
    how: Removal,
    about: &About,
) -> Result<Removed, Fault> {
    if how != Removal::default() {
        let live = match find_queue(channel, name, about).await {
            Ok(live) => live,
            Err(Fault { error: BrokerError::NotFound { .. }, .. }) => {
                return Ok(Removed::Gone { messages: 0 });
            }
            Err(fault) => return Err(fault),
        };
        let (ready, consumers) = (live.ready.unwrap_or(0), live.consumers.unwrap_or(0));
        if (how.if_empty && ready > 0) || (how.if_unused && consumers > 0) {
            return Ok(Removed::Kept(live));
        }
    }
    let classic = queue.queue_type() == Some("classic");
    let options = QueueDeleteOptions {
        if_empty: how.if_empty && classic,
        if_unused: how.if_unused && classic,
        nowait: false,
    };
    let messages = delete_queue(channel, name, options, about).await?;
    Ok(Removed::Gone { messages })
}

//! `--wait-empty`: nothing is deleted while messages wait.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::broker::Broker;
use crate::commands::Shell;
use crate::duration::Millis;
use crate::plan::{Fate, RemovalPlan, removal};
use crate::render::escape::escape;

use super::words::amount;
use super::{Scope, look};

/// The plugin counts by looking at every message that waits, so it is not asked all the time.
const PAUSE: Duration = Duration::from_secs(2);

/// Looks until nothing of what is to be deleted holds a message, or until the time is up.
pub async fn look_until_empty(
    broker: &mut Broker,
    scope: &Scope<'_>,
    time: Millis,
    shell: &Shell,
) -> anyhow::Result<RemovalPlan> {
    let end = Instant::now() + time.duration();
    let mut plan = look(broker, scope, shell).await?;
    let mut told = String::new();
    while let Some(held) = held(&plan) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        if held != told {
            shell.output.say(&escape(&format!("waiting for messages to leave: {held}")));
            told = held;
        }
        shell.interrupt.or(sleep(PAUSE.min(left))).await?;
        let objects = &scope.topology.objects;
        let observed = shell.interrupt.or(broker.observe_live(objects)).await??;
        plan = removal(objects, scope.kept, &observed, scope.force);
    }
    Ok(plan)
}

/// What still holds messages, in words. What cannot be counted is not waited for.
fn held(plan: &RemovalPlan) -> Option<String> {
    let held = plan.steps.iter().filter_map(|(object, fate)| match fate {
        Fate::Holds(live) => Some(format!("{object}: {}", amount(object, live))),
        _ => None,
    });
    let held: Vec<_> = held.collect();
    (!held.is_empty()).then(|| held.join(", "))
}

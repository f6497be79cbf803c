//! `inspect --watch`: again and again.

use tokio::time::{MissedTickBehavior, interval};

use crate::broker::Broker;
use crate::cli::Format;
use crate::commands::Shell;
use crate::duration::Millis;
use crate::exit::Exit;
use crate::topology::Topology;

use super::{drawn, rows};

/// Looks every so often: on a terminal in place, elsewhere one picture after the other, and as JSON
/// one line each. Ctrl-C is how it ends, so that is no failure.
pub async fn run(
    mut broker: Broker,
    topology: &Topology,
    every: Millis,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let mut clock = interval(every.duration().max(std::time::Duration::from_millis(100)));
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = false;
    loop {
        if shell.interrupt.or(clock.tick()).await.is_err() {
            break;
        }
        let Ok(observed) = shell.interrupt.or(broker.observe_live(&topology.objects)).await else {
            break;
        };
        let observed = observed?;
        if !std::mem::replace(&mut told, true) {
            shell.tell_gaps(&observed);
        }
        let rows = rows::rows(topology, &observed);
        match shell.output.format {
            Format::Json => shell.output.json_line(&rows)?,
            _ => shell.output.redraw(&drawn(&topology.objects, &rows, shell))?,
        }
    }
    broker.close().await;
    Ok(Exit::Done)
}

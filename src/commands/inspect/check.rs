//! `inspect --check`: for CI.

use crate::broker::Broker;
use crate::cli::Format;
use crate::commands::Shell;
use crate::exit::Exit;
use crate::output::ClosedPipe;
use crate::plan::{self, Drift, VhostStep};
use crate::render::escape::escape;
use crate::topology::Topology;

/// Prints a line for each thing that is not as the file says, and nothing else.
pub async fn run(
    mut broker: Broker,
    topology: &Topology,
    strict: bool,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let objects = &topology.objects;
    let observed = shell.interrupt.or(broker.observe(objects)).await??;
    let vhost = shell.interrupt.or(vhost_steps(&broker, topology)).await?;
    broker.close().await;
    shell.tell_gaps(&observed);
    let plan = plan::plan(objects, &observed);
    let noticed = plan::noticed(objects, &observed);
    let all = plan::drift(objects, &observed, &plan, &noticed, &vhost);
    let counted: Vec<_> = all.iter().filter(|drift| strict || drift.is_plain()).collect();
    let verdict = Exit::yes(counted.is_empty());
    match print(&counted, shell) {
        // Whoever reads no further has the answer all the same.
        Err(error) if error.is::<ClosedPipe>() => Ok(verdict),
        printed => printed.map(|()| verdict),
    }
}

fn print(drifts: &[&Drift], shell: &Shell) -> anyhow::Result<()> {
    if shell.output.format == Format::Json {
        return shell.output.json(&drifts);
    }
    for drift in drifts {
        shell.output.data(&escape(&drift.to_string()))?;
    }
    Ok(())
}

/// The vhost against the file, where the file says anything of it and it can be seen.
async fn vhost_steps(broker: &Broker, topology: &Topology) -> Vec<VhostStep> {
    let Some(management) = broker.management() else { return Vec::new() };
    if topology.setup.is_empty() || management.check(broker.server()).await.is_err() {
        return Vec::new();
    }
    match management.look_at_vhost().await {
        Ok(seen) => plan::vhost_plan(&broker.endpoint().vhost, &topology.setup, &seen),
        Err(_) => Vec::new(),
    }
}

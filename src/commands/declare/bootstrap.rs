//! `declare --create-vhost`: the vhost, before anything can be declared in it.

use crate::broker::{Broker, BrokerError, Management, ManagementError, Settings};
use crate::cli::Declare;
use crate::commands::Shell;
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::plan::{self, VhostAction, VhostStep};
use crate::topology::Topology;

use crate::commands::outcomes::Row;

/// Makes the vhost and its permissions as the file says, when that is asked for, and returns what
/// became of them.
pub async fn run(args: &Declare, topology: &Topology, shell: &Shell) -> anyhow::Result<Vec<Row>> {
    if !args.create_vhost {
        return Ok(Vec::new());
    }
    let settings = shell.settings(Some(topology))?;
    let management = reach(&settings, args.wait, shell).await?;
    let steps = shell.interrupt.or(plan(&settings, &management, topology)).await??;
    refuse_conflict(&steps)?;
    let mut rows = Vec::new();
    for step in &steps {
        let done = shell.interrupt.or(management.apply_to_vhost(step)).await?;
        rows.push(Row::of_vhost(step, done.as_ref().map(drop)));
        if let Err(error) = done {
            let object = &step.object;
            let failed = anyhow::Error::from(BrokerError::from(error));
            return Err(failed.context(format!("cannot make the {object}")));
        }
    }
    Ok(rows)
}

/// Nothing is done in a vhost whose queues would get another type than the file says.
fn refuse_conflict(steps: &[VhostStep]) -> Result<(), Failure> {
    let conflict = steps.iter().find_map(|step| match &step.action {
        VhostAction::Conflict(difference) => Some((&step.object, difference)),
        _ => None,
    });
    match conflict {
        None => Ok(()),
        Some((object, difference)) => {
            let message = format!("{object} is there, and differs: {difference}");
            let hint = "queues that others declare without a type would change their type: change \
                        the file, or `rabbitmqctl update_vhost_metadata`";
            Err(Failure::new(Exit::No, message).hint(hint))
        }
    }
}

/// What is to be done about the vhost.
pub async fn plan(
    settings: &Settings,
    management: &Management,
    topology: &Topology,
) -> Result<Vec<VhostStep>, BrokerError> {
    let seen = management.look_at_vhost().await?;
    let name = settings.endpoint()?.vhost;
    Ok(plan::vhost_plan(&name, &topology.setup, &seen))
}

/// The management API of the very broker that the URI means: making a vhost on another one, which
/// happens to listen at the usual port, helps nobody.
async fn reach(
    settings: &Settings,
    wait: Option<Millis>,
    shell: &Shell,
) -> anyhow::Result<Management> {
    let management = Management::of(settings).await?.ok_or(ManagementError::Off);
    let management = management.map_err(BrokerError::from)?;
    let within = wait.map(Millis::duration).unwrap_or_default();
    let server = shell.interrupt.or(Broker::greeting_within(settings, within)).await??;
    let checked = shell.interrupt.or(management.check_within(&server, within)).await?;
    checked.map_err(BrokerError::from)?;
    Ok(management)
}

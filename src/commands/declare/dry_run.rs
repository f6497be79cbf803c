//! `declare --dry-run`: what would be done.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use crate::broker::{Broker, BrokerError, Management, Settings};
use crate::cli::{Declare, Format};
use crate::commands::{Shell, interrupt};
use crate::exit::Exit;
use crate::objects::Objects;
use crate::plan::{self, Action, Difference, Noticed, Object, Observed, Plan};
use crate::plan::{Seen, VhostAction, VhostStep};
use crate::policy::Effect;
use crate::render::{diff, listing};
use crate::topology::Topology;

use super::bootstrap;

/// How long a dry run waits for a broker at most: it can do without.
const PATIENCE: Duration = Duration::from_secs(3);

/// Compares the file with the broker, if one answers, else prints what the file declares.
pub async fn run(
    args: &Declare,
    topology: &Topology,
    again: &BTreeSet<String>,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    if args.offline {
        list(&topology.objects, shell)?;
        return Ok(Exit::Done);
    }
    let mut settings = shell.settings(Some(topology))?;
    settings.connect_timeout = settings.connect_timeout.min(PATIENCE);
    let within = args.wait.map(|wait| wait.duration()).unwrap_or_default();
    let connected = shell.interrupt.or(Broker::wait(&settings, within)).await?;
    match connected {
        Ok(mut broker) => {
            let observed = observe(&mut broker, topology, shell).await;
            let vhost = vhost_steps(broker.management(), &settings, topology, args).await;
            let endpoint = broker.endpoint().to_string();
            broker.close().await;
            let observed = observed?;
            shell.tell_gaps(&observed);
            let plan = super::plan(&topology.objects, &observed, again);
            show(&endpoint, topology, &observed, &plan, &vhost?, shell)
        }
        Err(error @ BrokerError::Unreachable { .. }) => {
            shell.output.say(&format!("compared with nothing: {error}"));
            list(&topology.objects, shell)?;
            Ok(Exit::Done)
        }
        Err(BrokerError::VhostMissing { .. }) if args.create_vhost => {
            let management = Management::of(&settings).await?;
            let vhost = vhost_steps(management.as_ref(), &settings, topology, args).await?;
            let nothing = nothing_there(topology);
            let plan = plan::plan(&topology.objects, &nothing);
            let endpoint = settings.endpoint()?.to_string();
            show(&endpoint, topology, &nothing, &plan, &vhost, shell)
        }
        Err(error) => {
            list(&topology.objects, shell)?;
            Err(error.into())
        }
    }
}

async fn observe(
    broker: &mut Broker,
    topology: &Topology,
    shell: &Shell,
) -> anyhow::Result<Observed> {
    let observed: Result<_, interrupt::Interrupted> =
        shell.interrupt.or(broker.observe(&topology.objects)).await;
    Ok(observed??)
}

/// What would become of the vhost, where the file or the command line says anything of it.
async fn vhost_steps(
    management: Option<&Management>,
    settings: &Settings,
    topology: &Topology,
    args: &Declare,
) -> anyhow::Result<Vec<VhostStep>> {
    let Some(management) = management else { return Ok(Vec::new()) };
    if topology.setup.is_empty() && !args.create_vhost {
        return Ok(Vec::new());
    }
    match bootstrap::plan(settings, management, topology).await {
        Ok(steps) => Ok(steps),
        // A broker that cannot be seen this way has said so already.
        Err(_) if !args.create_vhost => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// A vhost that does not exist yet holds nothing.
fn nothing_there(topology: &Topology) -> Observed {
    let objects = &topology.objects;
    Observed {
        exchanges: objects.exchanges.keys().map(|name| (name.clone(), Seen::Absent)).collect(),
        queues: objects.queues.keys().map(|name| (name.clone(), Seen::Absent)).collect(),
        bindings: Some([].into()),
        policies: Some([].into()),
        default_queue_type: topology.setup.default_queue_type.clone(),
        ..Observed::default()
    }
}

fn list(objects: &Objects, shell: &Shell) -> anyhow::Result<()> {
    match shell.output.format {
        Format::Json => shell.output.json(objects),
        _ => shell.output.data(&listing::listing(objects, shell.output.width())),
    }
}

fn show(
    endpoint: &str,
    topology: &Topology,
    observed: &Observed,
    plan: &Plan,
    vhost: &[VhostStep],
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let noticed = plan::noticed(&topology.objects, observed);
    match shell.output.format {
        Format::Json => {
            shell.output.json(&Document::of(endpoint, observed, plan, &noticed, vhost))?
        }
        _ => shell.output.data(&diff::diff(plan, &noticed, vhost, shell.output.width()))?,
    }
    let is_refused = |it: &Action| matches!(it, Action::Conflict(_) | Action::Unsupported);
    let refused = plan.count(is_refused) > 0
        || vhost.iter().any(|step| matches!(step.action, VhostAction::Conflict(_)));
    Ok(Exit::yes(!refused))
}

/// The comparison, for programs.
#[derive(Serialize)]
struct Document<'a> {
    compared_with: &'a str,
    vhost: Vec<StepRow<'a>>,
    steps: Vec<StepRow<'a>>,
    extra: Vec<&'a crate::objects::Binding>,
    policy_effects: Vec<EffectRow<'a>>,
    unseen: Vec<&'a str>,
}

#[derive(Serialize)]
struct StepRow<'a> {
    action: &'static str,
    object: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    wanted: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<&'a Difference>,
    /// The end of a binding for which it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    because_of: Option<String>,
}

#[derive(Serialize)]
struct EffectRow<'a> {
    object: &'a str,
    policy: &'a str,
    key: &'a str,
    value: &'a crate::objects::Value,
    effect: &'a Effect,
    /// The object is not there yet: so it will be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    foreseen: bool,
}

impl<'a> Document<'a> {
    fn of(
        endpoint: &'a str,
        observed: &'a Observed,
        plan: &'a Plan,
        noticed: &'a Noticed,
        vhost: &'a [VhostStep],
    ) -> Self {
        let effects = noticed.effects.iter().map(|it| EffectRow {
            object: it.object.name(),
            policy: &it.policy,
            key: &it.key,
            value: &it.value,
            effect: &it.effect,
            foreseen: it.is_foreseen,
        });
        Document {
            compared_with: endpoint,
            vhost: vhost.iter().map(vhost_row).collect(),
            steps: plan.steps.iter().map(step_row).collect(),
            extra: noticed.extra.iter().collect(),
            policy_effects: effects.collect(),
            unseen: observed.gaps.iter().map(|gap| gap.text.as_str()).collect(),
        }
    }
}

fn step_row(step: &plan::Step) -> StepRow<'_> {
    let (action, differences) = match &step.action {
        Action::Create => ("create", Vec::new()),
        Action::Keep => ("keep", Vec::new()),
        Action::Confirm => ("confirm", Vec::new()),
        Action::Update(all) => ("update", all.iter().collect()),
        Action::Recreate(all) => ("recreate", all.iter().collect()),
        Action::Conflict(all) => ("conflict", all.iter().collect()),
        Action::Unsupported => ("unsupported", Vec::new()),
        Action::LeaveOut(_) => ("leave_out", Vec::new()),
    };
    let because_of = match &step.action {
        Action::LeaveOut(end) => Some(end.to_string()),
        _ => None,
    };
    let wanted = match &step.object {
        Object::Exchange(_, it) => serde_json::to_value(it),
        Object::Queue(_, it) => serde_json::to_value(it),
        Object::Binding(it) => serde_json::to_value(it),
        Object::Policy(_, it) => serde_json::to_value(it),
    };
    let (object, wanted) = (step.object.to_string(), wanted.ok());
    StepRow { action, object, wanted, differences, because_of }
}

fn vhost_row(step: &VhostStep) -> StepRow<'_> {
    let (action, differences) = match &step.action {
        VhostAction::Create => ("create", None),
        VhostAction::Keep => ("keep", None),
        VhostAction::Update(it) => ("update", Some(it)),
        VhostAction::Conflict(it) => ("conflict", Some(it)),
        VhostAction::Unseen => ("unseen", None),
    };
    let differences = differences.into_iter().collect();
    let object = step.object.to_string();
    StepRow { action, object, wanted: None, differences, because_of: None }
}

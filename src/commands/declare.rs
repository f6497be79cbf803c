//! `declare`: make the broker hold what a file declares.

mod bootstrap;
mod dry_run;
mod rows;

use std::collections::BTreeSet;

use super::outcomes::{Row, show};
use super::{Shell, lint, load};
use crate::broker::{BrokerError, Counts, Outcome, Report};
use crate::cli::Declare;
use crate::exit::{Exit, Failure};
use crate::objects::{DELAYED_MESSAGE_TYPE, Objects};
use crate::plan::{self, Observed, Plan};
use crate::version::{PLUGIN_GONE, Version};

pub async fn run(args: Declare, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let again = to_recreate(&args.recreate, &topology.objects)?;
    if args.dry_run {
        return dry_run::run(&args, &topology, &again, shell).await;
    }
    let mut rows = bootstrap::run(&args, &topology, shell).await?;
    let mut broker = shell.connect_within(Some(&topology), args.wait).await?;
    let observed = shell.interrupt.or(broker.observe(&topology.objects)).await??;
    shell.tell_surprising_gaps(&observed);
    lint::tell(&topology, broker.version(), &shell.output);
    let plan = plan(&topology.objects, &observed, &again);
    let bar = shell.output.progress(Some(plan.steps.len() as u64), "declaring");
    let report = broker.apply(&plan, |_, _| bar.inc(1)).await;
    bar.finish_and_clear();
    let version = broker.version().to_owned();
    broker.close().await;
    let mut counts = report.counts();
    for row in &rows {
        match row.outcome {
            "created" => counts.created += 1,
            "changed" => counts.updated += 1,
            _ => counts.present += 1,
        }
    }
    rows.extend(report.steps.iter().map(Row::of));
    show(rows, shell)?;
    report.lost.clone().map_or(Ok(()), Err)?;
    conclude(&report, &counts, &version, shell)
}

/// What is to be done, and what a dry run says would be.
fn plan(wanted: &Objects, observed: &Observed, again: &BTreeSet<String>) -> Plan {
    plan::plan(wanted, observed).recreating(again, observed).leaving_out(observed)
}

/// The queues to make again, which must be queues of the file.
fn to_recreate(names: &[String], objects: &Objects) -> Result<BTreeSet<String>, Failure> {
    let strange = names.iter().find(|name| !objects.queues.contains_key(*name));
    match strange {
        None => Ok(names.iter().cloned().collect()),
        Some(name) => {
            let message = format!("`--recreate {name}`: the file declares no such queue");
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

/// Sums the report up, and says how to mend what went wrong.
fn conclude(
    report: &Report,
    counts: &Counts,
    version: &str,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    shell.output.say(&sum(counts));
    let unsupported = report.steps.iter().find_map(|(_, outcome)| match outcome {
        Outcome::Unsupported(error) => Some(error.clone()),
        _ => None,
    });
    if let Some(error) = unsupported {
        return Err(without_plugin(&error, version).into());
    }
    if counts.conflicts > 0 {
        let message = format!("{} of the objects are there with other arguments", counts.conflicts);
        let hint = "RabbitMQ never changes a queue or exchange: change the file, or delete the \
                    object (its messages too), or `--recreate` a queue that is empty";
        return Err(Failure::new(Exit::No, message).hint(hint).into());
    }
    if counts.in_use > 0 {
        let message =
            format!("{} of the queues are in use, and were not made again", counts.in_use);
        let hint = "stop its consumers and let it run empty, or take its messages elsewhere";
        return Err(Failure::new(Exit::No, message).hint(hint).into());
    }
    first_failure(report).map_or(Ok(Exit::Done), |error| Err(error.into()))
}

/// A missing exchange type, with the mend that fits the broker's version.
fn without_plugin(error: &BrokerError, version: &str) -> Failure {
    let failure = Failure::new(Exit::Lacking, error.to_string());
    let plugin = matches!(error, BrokerError::ExchangeTypeUnknown { kind, .. }
        if kind == DELAYED_MESSAGE_TYPE);
    if !plugin {
        return failure.hint(error.hint().unwrap_or_default());
    }
    let plain =
        "`tiers` (the delays you list) and `ladder` (any delay) do the same with plain queues";
    match version.parse::<Version>() {
        Ok(version) if version >= PLUGIN_GONE => failure.hint(format!(
            "no RabbitMQ from 4.3 on can run the plugin, and this is {version}: {plain}"
        )),
        _ => failure.hint(format!(
            "`rabbitmq-plugins enable rabbitmq_delayed_message_exchange` on a broker that has it \
             installed; it was archived, and ends with RabbitMQ 4.3: {plain}"
        )),
    }
}

fn sum(counts: &Counts) -> String {
    let mut parts =
        vec![format!("{} created", counts.created), format!("{} already there", counts.present)];
    if counts.ensured > 0 {
        parts.push(format!("{} bound (AMQP does not tell new from old)", counts.ensured));
    }
    for (number, what) in [
        (counts.updated, "changed"),
        (counts.recreated, "made again"),
        (counts.in_use, "in use"),
        (counts.conflicts, "in conflict"),
        (counts.unsupported, "unsupported"),
        (counts.left_out, "left out"),
        (counts.failed, "failed"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let bad = counts.conflicts + counts.unsupported + counts.in_use + counts.failed;
    let changed = counts.created + counts.updated + counts.recreated;
    let unchanged = if changed == 0 && bad == 0 { ": nothing changed" } else { "" };
    format!("{}{unchanged}", parts.join(", "))
}

fn first_failure(report: &Report) -> Option<BrokerError> {
    report.steps.iter().find_map(|(_, outcome)| match outcome {
        Outcome::Failed(error) => Some(error.clone()),
        _ => None,
    })
}

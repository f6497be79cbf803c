//! A workload: a steady stream of messages.

use super::super::{Shell, pick};
use super::broker;
use crate::cli::{Format, Simulate};
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::forecast::{Outlook, Workload};
use crate::render::forecast;
use crate::simulate::Profile;
use crate::strategy::Rounding;
use crate::topology::Topology;

/// A run of more messages than this would take more than an hour.
const MESSAGES_MAX: u64 = 1_000_000_000;

pub async fn run(
    args: Simulate,
    topology: Topology,
    profile: Profile,
    rate: f64,
    length: Millis,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let delay = pick::delay(&topology, args.name.as_deref())?;
    if let Some(failure) = broker::lacks(&args, profile, delay) {
        return Err(failure.into());
    }
    let rounding = if args.round.is_some() { Rounding::Up } else { Rounding::Exact };
    let routes = args.delay.iter().map(|asked| delay.route(*asked, rounding));
    let routes = routes.collect::<Result<Vec<_>, _>>()?;
    let workload = Workload { routes, per_second: rate, for_us: length.0.saturating_mul(1000) };
    if workload.messages() > MESSAGES_MAX {
        let message = format!("{} messages are more than {MESSAGES_MAX}", workload.messages());
        return Err(Failure::new(Exit::Usage, message)
            .hint("shorten --for, or lower --rate")
            .into());
    }
    let queues: Vec<_> = pick::queues_of(&topology, delay).into_iter().map(str::to_owned).collect();
    let bar = shell.output.progress(Some(workload.messages()), "simulating");
    let asked = args.clone();
    // Ctrl-C is heard while it computes.
    let computed = tokio::task::spawn_blocking(move || {
        let scene = super::scene(&args, &topology, profile, &queues);
        let outlook = workload.run(&scene, |sent| bar.inc(sent));
        bar.finish_and_clear();
        outlook
    });
    let outlook = shell.interrupt.or(computed).await??;
    show(&asked, &outlook, shell)?;
    Ok(Exit::yes(outlook.lost.is_empty() && outlook.stuck.is_empty()))
}

fn show(args: &Simulate, outlook: &Outlook, shell: &Shell) -> anyhow::Result<()> {
    if shell.output.format == Format::Json {
        return shell.output.json(outlook);
    }
    shell.output.say(&title(args, outlook));
    shell.output.data(&forecast::workload(outlook, shell.output.width()))
}

/// The workload in words.
fn title(args: &Simulate, outlook: &Outlook) -> String {
    let delays: Vec<_> = args.delay.iter().map(ToString::to_string).collect();
    let rate = args.rate.unwrap_or_default();
    format!(
        "{} messages, {rate}/s for {}, delayed by {}, on RabbitMQ {}",
        outlook.messages,
        args.duration.unwrap_or_default(),
        delays.join(", "),
        args.broker_version,
    )
}

//! A workload: a steady stream of messages.

use super::super::pictures::{self, Picture};
use super::super::{Shell, file_name, pick};
use super::broker;
use crate::cli::{Format, Simulate};
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::forecast::{Outlook, Workload};
use crate::render::forecast;
use crate::render::svg::{self, Caption};
use crate::render::ticks::grouped;
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
    pictures::write(&asked.pictures, shell, || picture(&asked, &outlook))?;
    Ok(Exit::yes(outlook.lost.is_empty() && outlook.stuck.is_empty()))
}

fn show(args: &Simulate, outlook: &Outlook, shell: &Shell) -> anyhow::Result<()> {
    if shell.output.format == Format::Json {
        return shell.output.json(outlook);
    }
    shell.output.say(&title(args, outlook));
    shell.output.data(&forecast::workload(outlook, shell.output.width()))
}

fn picture<'p>(args: &Simulate, outlook: &'p Outlook) -> Picture<'p> {
    let heading = format!("{}: messages waiting, as simulated", file_name(&args.file));
    Picture {
        caption: Caption::new(heading, title(args, outlook)),
        draw: Box::new(|caption| svg::waiting(caption, outlook)),
        story: forecast::losses(outlook),
        figures: vec![forecast::waiting(outlook), forecast::deliveries(outlook)],
    }
}

/// In the unit that was most likely asked for.
fn rate_in_words(per_second: f64) -> String {
    let units = [(1.0, "s"), (60.0, "min"), (3600.0, "h")];
    let whole = |(seconds, _): &(f64, &str)| {
        let number = per_second * seconds;
        (number - number.round()).abs() < 1e-6 && number.round() >= 1.0
    };
    let (seconds, unit) = units.into_iter().find(whole).unwrap_or(units[0]);
    format!("{}/{unit}", (per_second * seconds * 1e6).round() / 1e6)
}

/// The workload in words.
fn title(args: &Simulate, outlook: &Outlook) -> String {
    let delays: Vec<_> = args.delay.iter().map(ToString::to_string).collect();
    format!(
        "{} messages, {} for {}, delayed by {}, on RabbitMQ {}",
        grouped(outlook.messages),
        rate_in_words(args.rate.unwrap_or_default()),
        args.duration.unwrap_or_default(),
        delays.join(", "),
        super::broker_in_words(args),
    )
}

//! `stepped-demo`: orders that are checked again and again, on a live broker or a model of one.

use super::demo::{clean_up, prefix};
use super::{Shell, load, pick};
use crate::broker::{Broker, BrokerError, Outcome};
use crate::cli::{Format, SteppedDemo};
use crate::copy::Copy;
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::objects::Objects;
use crate::plan::{self, Observed};
use crate::render::stepped;
use crate::simulate::Profile;
use crate::stepped::{Book, Payments, Steps};
use crate::strategy::{CannotDelay, Delay, Rounding};
use crate::topology::{self, Topology};

mod live;
mod model;

/// The file that the demo takes when it is given none.
const BUILT_IN: &str = include_str!("../../topologies/stepped-order-check.yaml");

/// The way that the orders' messages take.
struct Track<'t> {
    delay: &'t Delay,
    /// Where the consumer listens, in the original.
    queues: Vec<&'t str>,
    copy: Copy,
    steps: Steps,
}

pub async fn run(args: SteppedDemo, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = match &args.file {
        Some(path) => load::topology(path)?,
        None => topology::parse(BUILT_IN)?,
    };
    let wrong = |reason: String| Failure::new(Exit::Usage, reason);
    let delay = pick::delay(&topology, args.name.as_deref())?;
    let track = Track {
        delay,
        queues: pick::queues_of(&topology, delay),
        copy: Copy { prefix: prefix(), scale: args.scale },
        steps: Steps::new(args.first, args.until).map_err(wrong)?,
    };
    let payments = Payments::new(args.paid.clone()).map_err(wrong)?;
    let mut book = Book::new(track.steps, payments, args.orders as usize);
    track.tell_detour(book.until(), shell)?;
    let objects = track.copy.objects(&topology.objects);
    if args.simulate {
        model::run(&objects, any_broker(), &track, &mut book)?;
    } else {
        on_broker(&topology, &objects, &track, &mut book, shell).await?;
    }
    show(&book, (!args.simulate).then_some(args.scale), shell)
}

/// The model that nobody's version decides: the last that can have the plugin.
fn any_broker() -> Profile {
    Profile::version(4, 0).with_plugin()
}

impl Track<'_> {
    /// The age of an order that was placed so many microseconds ago, by the copy's clock. Rounded
    /// down: none is older than it is.
    fn age(&self, us: u64) -> Millis {
        Millis((us as f64 / 1000.0 / self.copy.scale) as u64)
    }

    /// Refuses a delay that cannot do the steps, and warns of one that does others.
    fn tell_detour(&self, until: Millis, shell: &Shell) -> Result<(), CannotDelay> {
        let mut age = 0;
        for check in self.steps.checks() {
            age += self.delay.route(check.wait, Rounding::Up)?.delay_ms;
        }
        if age > until.0 {
            shell.output.warn(&format!(
                "`{}` rounds the waits up: an order is cancelled after {}, not {}",
                self.delay.name,
                Millis(age),
                until,
            ));
        }
        Ok(())
    }
}

async fn on_broker(
    topology: &Topology,
    objects: &Objects,
    track: &Track<'_>,
    book: &mut Book,
    shell: &Shell,
) -> anyhow::Result<()> {
    let mut broker = shell.connect(Some(topology)).await?;
    shell.output.say(&format!("broker: {}", broker.endpoint()));
    shell.output.say(&format!("prefix of all objects: {}", track.copy.prefix));
    let scale = track.copy.scale;
    let longest = Millis(track.copy.time(book.until().0));
    let orders = book.len();
    shell.output.say(&format!("{orders} orders; all times multiplied by {scale}: {longest}"));
    let result = match declare(&mut broker, objects, shell).await {
        Ok(()) => live::run(&broker, track, book, shell).await,
        Err(error) => Err(error),
    };
    clean_up(broker, objects, &track.copy, shell).await;
    result
}

async fn declare(broker: &mut Broker, objects: &Objects, shell: &Shell) -> anyhow::Result<()> {
    let plan = plan::plan(objects, &Observed::default());
    let report = shell.interrupt.or(broker.apply(&plan, |_, _| {})).await?;
    let failed = report.steps.iter().find_map(|(_, outcome)| match outcome {
        Outcome::Failed(error) | Outcome::Unsupported(error) => Some(error.clone()),
        _ => None,
    });
    failed.map_or(Ok(()), |error: BrokerError| Err(error.into()))
}

fn show(book: &Book, scale: Option<f64>, shell: &Shell) -> anyhow::Result<Exit> {
    let outcome = book.outcome();
    match shell.output.format {
        Format::Json => shell.output.json(&outcome)?,
        _ => shell.output.data(&stepped::report(&outcome, scale, shell.output.width()))?,
    }
    let until = book.until();
    if let Some(early) = outcome.earliest_cancelled_ms.filter(|age| *age < until.0) {
        let early = Millis(early);
        shell.output.warn(&format!("an order was cancelled after {early}, before its time"));
        return Ok(Exit::No);
    }
    match outcome.open {
        0 => Ok(Exit::Done),
        open => {
            shell.output.warn(&format!("the messages of {open} orders did not come back"));
            Ok(Exit::No)
        }
    }
}

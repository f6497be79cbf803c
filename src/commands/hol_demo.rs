//! `hol-demo`: head-of-line blocking, and what mends it, on a live broker and one clock.

use super::demo::{clean_up, prefix};
use super::pictures::{self, Picture};
use super::{Shell, file_name, load};
use crate::broker::{Broker, Outcome, Report};
use crate::cli::{Format, HolDemo};
use crate::copy::Copy;
use crate::exit::{Exit, Failure};
use crate::objects::Objects;
use crate::plan::{self, Object, Observed};
use crate::render::lanes::{Lane, Track, why};
use crate::render::svg::{self, Caption};
use crate::render::timeline;
use crate::render::wrap::wrap;

mod lanes;
mod model;
mod race;

use lanes::Entry;

pub async fn run(args: HolDemo, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = args.file.as_deref().map(load::topology).transpose()?;
    let mut entries = match &topology {
        Some(topology) => lanes::of_file(topology, &args.delays)?,
        None => lanes::built_in(&args.delays)?,
    };
    let copy = Copy { prefix: prefix(), scale: args.scale };
    let original = match &topology {
        Some(topology) => topology.objects.clone(),
        None => lanes::objects(&entries)?,
    };
    let objects = copy.objects(&original);
    if args.simulate {
        shell.output.say(&format!("messages: {}", lanes::in_words(&entries, &copy)));
        model::send_at_once(&copy, &mut entries);
        model::fill(&objects, model::any_broker(), &copy, &mut entries);
        lanes::mark_blocked(&mut entries);
        return show(&args, &entries, "simulated, without a broker", shell);
    }
    let mut broker = shell.connect(topology.as_ref()).await?;
    shell.output.say(&format!("broker: {}", broker.endpoint()));
    shell.output.say(&format!("prefix of all objects: {}", copy.prefix));
    shell.output.say(&format!("messages: {}", lanes::in_words(&entries, &copy)));
    shell.output.say(&format!(
        "takes about {}, until the last message is due; a smaller --scale takes less",
        lanes::longest(&entries, &copy)
    ));
    let version = format!("on RabbitMQ {}", broker.version());
    let result = demonstrate(&mut broker, &objects, &copy, &mut entries, shell).await;
    clean_up(broker, &objects, &copy, shell).await;
    result?;
    show(&args, &entries, &version, shell)
}

/// Declares the copy, sends the messages and watches them arrive.
async fn demonstrate(
    broker: &mut Broker,
    objects: &Objects,
    copy: &Copy,
    entries: &mut [Entry],
    shell: &Shell,
) -> anyhow::Result<()> {
    let plan = plan::plan(objects, &Observed::default());
    shell.output.say(&format!("declaring {} objects", plan.steps.len()));
    let report = shell.interrupt.or(broker.apply(&plan, |_, _| {})).await?;
    skip_unsupported(&report, copy, entries)?;
    for entry in entries.iter() {
        if let Some(reason) = &entry.lane.skipped {
            shell.output.say(&format!("skipped: {}: {reason}", entry.lane.name));
        }
    }
    race::run(broker, copy, entries, shell).await?;
    model::fill(objects, model::profile(broker.version()), copy, entries);
    lanes::mark_blocked(entries);
    Ok(())
}

/// Marks the lanes whose objects this broker cannot have; any other failure is the demo's.
fn skip_unsupported(report: &Report, copy: &Copy, entries: &mut [Entry]) -> anyhow::Result<()> {
    for (object, outcome) in &report.steps {
        match (object, outcome) {
            (Object::Exchange(name, _), Outcome::Unsupported(error)) => {
                for entry in entries.iter_mut().filter(|entry| entry.uses(copy, name)) {
                    entry.lane.skipped = Some(error.to_string());
                }
            }
            (object, Outcome::Failed(error)) => {
                let message = format!("cannot declare {object}: {error}");
                return Err(Failure::new(Exit::No, message).into());
            }
            _ => {}
        }
    }
    Ok(())
}

fn show(args: &HolDemo, entries: &[Entry], broker: &str, shell: &Shell) -> anyhow::Result<Exit> {
    let lanes: Vec<_> = entries.iter().map(|entry| entry.lane.clone()).collect();
    let width = shell.output.width();
    match shell.output.format {
        Format::Json => shell.output.json(&lanes)?,
        _ => {
            let columns = usize::from(width.unwrap_or(80));
            let mut parts = vec![timeline::table(&lanes, width)];
            parts.push(timeline::timeline(&lanes, columns));
            parts.extend(why(&lanes).map(|why| wrap(&why, columns)));
            shell.output.data(&parts.join("\n\n"))?;
        }
    }
    pictures::write(&args.pictures, shell, || picture(args, &lanes, broker))?;
    let lost = lanes.iter().flat_map(|lane| {
        let lost = |track: &&Track| lane.has_times() && lane.left_ms(track).is_none();
        lane.messages.iter().filter(lost)
    });
    match lost.count() {
        0 => Ok(Exit::Done),
        lost => {
            shell.output.warn(&format!("{lost} messages did not arrive"));
            Ok(Exit::No)
        }
    }
}

fn picture<'p>(args: &HolDemo, lanes: &'p [Lane], broker: &str) -> Picture<'p> {
    let title = match &args.file {
        None => "Head-of-line blocking, and what mends it".to_owned(),
        Some(path) => format!("{}: the same messages through every delay", file_name(path)),
    };
    let delays: Vec<_> = args.delays.iter().map(ToString::to_string).collect();
    let scale = match args.scale {
        1.0 => String::new(),
        scale => format!(", all times multiplied by {scale}"),
    };
    let subtitle =
        format!("Messages delayed by {}, in this order{scale}; {broker}", delays.join(", "),);
    Picture {
        caption: Caption::new(title, subtitle),
        draw: Box::new(|caption| svg::lanes(caption, lanes)),
        story: why(lanes).into_iter().collect(),
        figures: vec![timeline::figures(lanes)],
    }
}

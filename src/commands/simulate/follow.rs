//! A few messages, each followed to its end.

use serde::Serialize;

use super::super::pictures::{self, Picture};
use super::super::{Shell, file_name, pick};
use super::broker;
use crate::cli::{Format, Simulate};
use crate::exit::Exit;
use crate::forecast::{Fate, Traveller, foresee};
use crate::render::lanes::{Lane, Track, how, why};
use crate::render::svg::{self, Caption};
use crate::render::wrap::wrap;
use crate::render::{forecast, timeline};
use crate::simulate::Profile;
use crate::strategy::{Delay, Rounding, Strategy};
use crate::topology::Topology;

pub fn run(
    args: &Simulate,
    topology: &Topology,
    profile: Profile,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let mut lanes = prepare(args, topology, profile)?;
    let queues: Vec<_> = lanes.iter().flat_map(|it| it.queues.iter().cloned()).collect();
    let scene = super::scene(args, topology, profile, &queues);
    let travellers: Vec<_> = lanes.iter().flat_map(|it| it.travellers()).collect();
    let mut fates = foresee(&scene, &travellers).into_iter();
    let all: Vec<Vec<Fate>> =
        lanes.iter().map(|it| fates.by_ref().take(it.routes.len()).collect()).collect();
    for (lane, fates) in lanes.iter_mut().zip(&all) {
        lane.fill(fates);
    }
    show(args, &lanes, &all, shell)?;
    Ok(Exit::yes(all.iter().flatten().all(|fate| fate.is_good() && !is_stuck(fate))))
}

fn is_stuck(fate: &Fate) -> bool {
    fate.rest.as_ref().is_some_and(|rest| rest.stuck)
}

/// A delay of the file, and the messages sent through it.
struct Entry {
    one_queue: bool,
    routes: Vec<crate::message::Route>,
    queues: Vec<String>,
    lane: Lane,
}

/// An entry for the delay that is named, or for each that the file offers. Of several, one that
/// the broker lacks something for is left out, and says why.
fn prepare(args: &Simulate, topology: &Topology, profile: Profile) -> anyhow::Result<Vec<Entry>> {
    let all: Vec<&Delay> = match args.name.as_deref() {
        None if topology.delays.len() > 1 => topology.delays.values().collect(),
        name => vec![pick::delay(topology, name)?],
    };
    let mut entries = Vec::new();
    for delay in &all {
        let lacks = broker::lacks(args, profile, delay);
        match lacks {
            Some(failure) if all.len() == 1 => return Err(failure.into()),
            _ => entries.push(Entry::new(args, topology, delay, lacks.map(|it| it.message))?),
        }
    }
    Ok(entries)
}

impl Entry {
    fn new(
        args: &Simulate,
        topology: &Topology,
        delay: &Delay,
        lacks: Option<String>,
    ) -> anyhow::Result<Self> {
        let rounding = if args.round.is_some() { Rounding::Up } else { Rounding::Exact };
        let mut routes = Vec::new();
        if lacks.is_none() {
            for asked in &args.delay {
                routes.push(delay.route(*asked, rounding)?);
            }
        }
        let track = |(index, route): (usize, &crate::message::Route)| {
            let due = route.delay_ms;
            Track::new(index, crate::duration::Millis(due), 0.0, due as f64)
        };
        let lane = Lane {
            name: delay.name.clone(),
            how: how(delay.strategy.key()).to_owned(),
            skipped: Some(lacks.unwrap_or_else(|| "no broker was asked".to_owned())),
            messages: routes.iter().enumerate().map(track).collect(),
        };
        let queues = pick::queues_of(topology, delay).into_iter().map(str::to_owned).collect();
        let one_queue = matches!(delay.strategy, Strategy::PerMessageTtl(_));
        Ok(Entry { one_queue, routes, queues, lane })
    }

    fn travellers(&self) -> impl Iterator<Item = Traveller<'_>> {
        let targets = &self.queues;
        self.routes.iter().map(move |route| Traveller { sent_us: 0, route: route.clone(), targets })
    }

    fn fill(&mut self, fates: &[Fate]) {
        for (track, fate) in self.lane.messages.iter_mut().zip(fates) {
            track.foresee(fate);
        }
        self.lane.mark_blocked(self.one_queue);
    }
}

/// A message as `-o json` shows it.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    track: &'a Track,
    lateness_ms: Option<f64>,
    moves: &'a [crate::forecast::Move],
    goes_on: bool,
    arrival: &'a Option<crate::forecast::Arrival>,
    losses: &'a [crate::forecast::Lost],
    rest: &'a Option<crate::forecast::Rest>,
}

fn show(
    args: &Simulate,
    entries: &[Entry],
    fates: &[Vec<Fate>],
    shell: &Shell,
) -> anyhow::Result<()> {
    let lanes: Vec<_> = entries.iter().map(|entry| entry.lane.clone()).collect();
    tell(args, &lanes, fates, shell)?;
    pictures::write(&args.pictures, shell, || picture(args, &lanes, fates))
}

fn picture<'p>(args: &Simulate, lanes: &'p [Lane], fates: &[Vec<Fate>]) -> Picture<'p> {
    let delays: Vec<_> = args.delay.iter().map(ToString::to_string).collect();
    let title = format!("{}: delayed messages, as simulated", file_name(&args.file));
    let broker = super::broker_in_words(args);
    let delays = delays.join(", ");
    let subtitle =
        format!("Messages delayed by {delays}, all sent at the start, on RabbitMQ {broker}");
    let moves = forecast::moves(lanes.iter().zip(fates.iter().map(Vec::as_slice)));
    Picture {
        caption: Caption::new(title, subtitle),
        draw: Box::new(|caption| svg::lanes(caption, lanes)),
        story: why(lanes).into_iter().collect(),
        figures: vec![timeline::figures(lanes), moves],
    }
}

fn tell(args: &Simulate, lanes: &[Lane], fates: &[Vec<Fate>], shell: &Shell) -> anyhow::Result<()> {
    if shell.output.format == Format::Json {
        return shell.output.json(&json(args, lanes, fates));
    }
    let columns = usize::from(shell.output.width().unwrap_or(80));
    let journeys = lanes.iter().zip(fates).map(|(lane, fates)| forecast::journeys(lane, fates));
    let mut parts: Vec<_> = journeys.collect();
    parts.push(timeline::timeline(lanes, columns));
    parts.extend(why(lanes).map(|why| wrap(&why, columns)));
    shell.output.data(&parts.join("\n\n"))
}

fn json(args: &Simulate, lanes: &[Lane], fates: &[Vec<Fate>]) -> serde_json::Value {
    let lanes = lanes.iter().zip(fates).map(|(lane, fates)| {
        let messages = lane.messages.iter().zip(fates).map(|(track, fate)| Shown {
            track,
            lateness_ms: fate.lateness_us().map(|us| us as f64 / 1000.0),
            moves: &fate.moves,
            goes_on: fate.goes_on,
            arrival: &fate.arrival,
            losses: &fate.lost,
            rest: &fate.rest,
        });
        serde_json::json!({
            "name": lane.name,
            "how": lane.how,
            "skipped": lane.messages.is_empty().then_some(&lane.skipped),
            "messages": messages.collect::<Vec<_>>(),
        })
    });
    serde_json::json!({
        "broker_version": args.broker_version.to_string(),
        "plugin": args.plugin,
        "lanes": lanes.collect::<Vec<_>>(),
    })
}

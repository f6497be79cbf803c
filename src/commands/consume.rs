//! `consume`: receives messages and measures how late they are.

use std::fmt;

use tokio::time::Instant;

use super::{Shell, load, pick};
use crate::broker::{BrokerError, Consumer, Token};
use crate::cli::Consume;
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::message::Delivered;
use crate::output::ClosedPipe;
use crate::timing::{self, Figures, Span, Summary, Ttls};
use crate::topology::Topology;

mod lines;
mod seen;

use lines::Lines;
use seen::Seen;

/// At most so many messages are settled at once.
const RUN: u64 = 100;

/// A message later than this counts as late, unless told otherwise.
const LATE: Millis = Millis(1000);

pub async fn run(args: Consume, shell: &Shell) -> anyhow::Result<Exit> {
    let topology = load::topology(&args.file)?;
    let queues = queues(&topology, &args)?;
    let broker = shell.connect(Some(&topology)).await?;
    let prefetch = args.prefetch(queues.len());
    let mut consumer = Consumer::open(&broker, &queues, prefetch).await?;
    shell.output.say(&format!("consuming from {}", queues.join(", ")));
    let mut run = Run::new(&args, &topology, usize::from(prefetch) * queues.len(), shell);
    let ended = run.receive(&mut consumer).await;
    consumer.stop().await;
    run.settle_held(&consumer);
    consumer.close().await;
    broker.close().await;
    run.conclude(ended)
}

/// The queues to read: those named, else those that the delays' targets reach.
fn queues(topology: &Topology, args: &Consume) -> Result<Vec<String>, Failure> {
    if !args.queues.is_empty() {
        return Ok(args.queues.clone());
    }
    let mut queues: Vec<String> = Vec::new();
    let picked: Vec<_> = match &args.name {
        Some(name) => vec![pick::delay(topology, Some(name))?],
        None => topology.delays.values().collect(),
    };
    for queue in picked.into_iter().flat_map(|delay| pick::queues_of(topology, delay)) {
        if !queues.iter().any(|known| known == queue) {
            queues.push(queue.to_owned());
        }
    }
    if queues.is_empty() {
        return Err(Failure::new(
            Exit::Usage,
            "the file offers no delay, so no queue follows from it",
        )
        .hint("name one with `--queue`"));
    }
    Ok(queues)
}

impl Consume {
    /// How many messages the broker may send ahead for each of so many queues: no more than are
    /// wanted, since the rest would go back marked as redelivered.
    fn prefetch(&self, queues: usize) -> u16 {
        let wanted = self.count.map(|count| count.div_ceil(queues.max(1) as u64).max(1));
        let wanted = wanted.and_then(|wanted| u16::try_from(wanted).ok());
        wanted.unwrap_or(u16::MAX).min(self.prefetch)
    }

    /// What becomes of message `number`, counted from 1.
    fn fate(&self, number: u64) -> Fate {
        if self.reject_every.is_some_and(|every| number.is_multiple_of(every)) || self.settle.reject
        {
            Fate::Reject
        } else if self.settle.requeue {
            Fate::Requeue
        } else {
            Fate::Ack
        }
    }
}

/// What becomes of a message.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Ack,
    Reject,
    Requeue,
}

/// Settlements in the order of their messages: those of one fate in a row become one. RabbitMQ 4.3
/// counts a delivery attempt only for a requeue by itself, so these are not put together.
#[derive(Default)]
struct Settlements {
    run: Option<(Fate, Token)>,
    length: u64,
}

impl Settlements {
    /// Adds one; sends what cannot wait.
    fn add(&mut self, consumer: &Consumer, fate: Fate, token: Token) -> Result<(), BrokerError> {
        if fate == Fate::Requeue {
            self.send(consumer)?;
            return consumer.reject(token, true);
        }
        if self.run.as_ref().is_some_and(|(before, _)| *before != fate) || self.length >= RUN {
            self.send(consumer)?;
        }
        self.run = Some((fate, token));
        self.length += 1;
        Ok(())
    }

    fn send(&mut self, consumer: &Consumer) -> Result<(), BrokerError> {
        self.length = 0;
        match self.run.take() {
            Some((Fate::Reject, token)) => consumer.reject_up_to(token),
            Some((_, token)) => consumer.ack_up_to(token),
            None => Ok(()),
        }
    }
}

/// Why consuming ended.
enum End {
    Count,
    Idle,
    Timeout,
    Interrupted,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Count => "the count is reached",
            End::Idle => "nothing came for the idle time",
            End::Timeout => "the time is over",
            End::Interrupted => "interrupted",
        })
    }
}

/// One run of the consumer.
struct Run<'a> {
    args: &'a Consume,
    shell: &'a Shell,
    ttls: Ttls,
    /// So many messages may be under way to us; as many settlements are held back at the end, so
    /// that the broker sends none beyond the count.
    window: u64,
    held: Vec<(Fate, Token)>,
    settlements: Settlements,
    seen: Seen,
    summary: Summary,
    count: u64,
    lines: Lines,
}

impl<'a> Run<'a> {
    fn new(args: &'a Consume, topology: &Topology, window: usize, shell: &'a Shell) -> Self {
        Run {
            args,
            shell,
            ttls: timing::ttls(&topology.objects),
            window: window as u64,
            held: Vec::new(),
            settlements: Settlements::default(),
            seen: Seen::default(),
            summary: Summary::new(args.max_late.unwrap_or(LATE)),
            count: 0,
            lines: Lines::new(shell.output),
        }
    }

    /// Receives until something ends it.
    async fn receive(&mut self, consumer: &mut Consumer) -> anyhow::Result<End> {
        let start = Instant::now();
        let mut last = start;
        loop {
            if self.args.count.is_some_and(|count| self.count >= count) {
                return Ok(End::Count);
            }
            let timeout = self.args.timeout.map(|timeout| start + timeout.duration());
            let idle = self.args.idle.map(|idle| last + idle.duration());
            if !consumer.has_more() {
                self.settlements.send(consumer)?;
            }
            tokio::select! {
                received = consumer.next() => {
                    let (delivered, token) = received?;
                    last = Instant::now();
                    self.take(consumer, &delivered, token)?;
                }
                () = until(timeout) => return Ok(End::Timeout),
                () = until(idle) => return Ok(End::Idle),
                () = self.shell.interrupt.wait() => return Ok(End::Interrupted),
            }
        }
    }

    fn take(
        &mut self,
        consumer: &Consumer,
        delivered: &Delivered,
        token: Token,
    ) -> anyhow::Result<()> {
        let measured = timing::measure(delivered, &self.ttls);
        let duplicate = self.seen.again(delivered.message_id.as_deref());
        // What cannot be shown is neither counted nor settled: it comes again.
        self.lines.show(delivered, &measured, duplicate)?;
        self.summary.record(&measured, duplicate, delivered.redelivered);
        self.count += 1;
        let number = self.count;
        let fate = self.args.fate(number);
        match self.args.count {
            Some(count) if number + self.window > count => self.held.push((fate, token)),
            _ => self.settlements.add(consumer, fate, token)?,
        }
        Ok(())
    }

    /// Settles what was held back. When the connection is lost the broker delivers these again, and
    /// the loss was told.
    fn settle_held(&mut self, consumer: &Consumer) {
        for (fate, token) in std::mem::take(&mut self.held) {
            let _ = self.settlements.add(consumer, fate, token);
        }
        let _ = self.settlements.send(consumer);
    }
}

impl Run<'_> {
    /// Sums the run up and compares it with what was expected.
    fn conclude(&self, ended: anyhow::Result<End>) -> anyhow::Result<Exit> {
        let figures = self.summary.figures();
        let why = match &ended {
            Ok(end) => end.to_string(),
            Err(_) => "an error".to_owned(),
        };
        let unmet = self.args.unmet(&figures);
        let summed = self.lines.sum(&figures, &why);
        let end = match ended.and_then(|end| summed.map(|()| end)) {
            // Whoever reads no further has asked all the same.
            Err(error) if error.is::<ClosedPipe>() && !unmet.is_empty() => return Ok(Exit::No),
            ended => ended?,
        };
        self.shell.output.say(&format!("stopped: {why}"));
        for line in &unmet {
            self.shell.output.not_met(line);
        }
        Ok(match end {
            End::Interrupted => Exit::Interrupted,
            _ => Exit::yes(unmet.is_empty()),
        })
    }
}

impl Consume {
    /// The expectations that a run did not meet, a line each. What could not be measured cannot
    /// meet an expectation about time.
    fn unmet(&self, figures: &Figures) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(wanted) = self.expect_count
            && wanted != figures.count
        {
            lines.push(format!("expected {wanted} messages, and {} came", figures.count));
        }
        let early = figures.worst_early_ms.unwrap_or_default();
        if let Some(bound) = self.max_early
            && early > bound.0 as f64
        {
            let early = Span::from_ms(early);
            lines.push(format!("expected none more than {bound} early, and one was by {early}"));
        }
        let late = figures.lateness_max_ms.unwrap_or_default();
        if let Some(bound) = self.max_late
            && late > bound.0 as f64
        {
            let late = Span::from_ms(late);
            lines.push(format!("expected none more than {bound} late, and one was by {late}"));
        }
        let timed = self.max_early.is_some() || self.max_late.is_some();
        if timed && figures.unmeasured > 0 {
            lines.push(format!("{} messages could not be measured", figures.unmeasured));
        }
        lines
    }
}

/// Sleeps until the moment, for ever when there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

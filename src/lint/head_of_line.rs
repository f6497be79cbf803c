//! Waiting in line: TTLs that differ within one queue, and TTLs that are shorter than meant.

use super::code::{Code, Story};
use super::finding::Finding;
use super::scene::{Scene, Waiting};
use super::words::{list, span};
use crate::objects::{TTL_MAX_MS, argument};
use crate::policy::Effective;
use crate::strategy::{Delay, Strategy};

pub(super) static HEAD_OF_LINE: Story = Story {
    title: "a message with a long delay holds up every shorter one behind it",
    why: "RabbitMQ looks for expired messages at the head of a queue only, on classic and quorum \
          queues alike. With a TTL on each message, one that is due stays where it is until all \
          that were sent before it have left.",
    timeline: [
        " 0 s   A (30 s), B (5 s) and C (10 s) are sent into one queue, in this order",
        " 5 s   B is due and stays: A is at the head. So does C at 10 s",
        "30 s   A leaves, and B and C with it: 25 s and 20 s late",
    ],
    mend: "a queue per delay (`tiers`), or any delay without a plugin (`ladder`). One queue is right \
           as long as delays never decrease: 5 s, 10 s, 30 s in this order are each on time.",
};

pub(super) static TTL_CUT_SHORT: Story = Story {
    title: "a delay is longer than the TTL of the queue that it waits in",
    why: "Of two TTLs the smaller counts: the message's and the queue's, and the queue's own and a \
          policy's. A policy that is meant to keep other queues tidy thus cuts delays short, without \
          a word to anybody.",
    timeline: [
        " 0 min   an order is published to wait for 30 min",
        "10 min   the policy's message-ttl is over: the order is dead-lettered, 20 min early",
        "30 min   nothing happens any more",
    ],
    mend: "let the policy's pattern pass over the waiting queues, or raise its message-ttl above the \
           longest delay.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let blocked = scene.topology.delays.values().filter_map(|delay| head_of_line(scene, delay));
    let cut = scene.queues.values().filter_map(|queue| ttl_cut_short(scene, queue));
    blocked.chain(cut).collect()
}

fn head_of_line(scene: &Scene<'_>, delay: &Delay) -> Option<Finding> {
    if !matches!(delay.strategy, Strategy::PerMessageTtl(_)) {
        return None;
    }
    let holds = |queue: &&Effective<'_>| scene.holders(queue.name).contains(&delay);
    let queue = scene.queues.values().find(holds)?;
    let field = format!("delays.{}.{}", delay.name, delay.strategy.key());
    let longest = queue.ttl().map_or(TTL_MAX_MS, |ttl| ttl.value);
    let (long, worst) = match longest {
        TTL_MAX_MS => (
            86_400_000,
            "; there is no `max`, so nothing bounds the wait but RabbitMQ's \
                                    longest TTL, 10 years"
                .to_owned(),
        ),
        bound => (bound, format!("; nothing waits longer than {}", span(bound))),
    };
    let short = if long > 1000 { 1000 } else { 1 };
    let others = scene.holders(queue.name).iter().map(|d| d.name.as_str());
    let others: Vec<_> = others.filter(|name| *name != delay.name).collect();
    let shared = match others.as_slice() {
        [] => String::new(),
        names => format!(" (which also holds the messages of {})", list(names.iter().copied())),
    };
    let what = format!(
        "messages leave `{}`{shared} in the order they came, since RabbitMQ expires them at the head \
         only: one of {} right behind one of {} leaves after {}, {} late{worst}",
        queue.name,
        span(short),
        span(long),
        span(long),
        span(long - short),
    );
    let mend = "use `tiers` or `ladder`, or send only delays that never decrease";
    Some(Finding::warning(Code::HeadOfLine, &delay.name, field).says(what, mend))
}

/// The waiting queues whose messages leave before their time, because a policy has a shorter TTL.
fn ttl_cut_short(scene: &Scene<'_>, queue: &Effective<'_>) -> Option<Finding> {
    let ttl = queue.ttl()?;
    let policy = ttl.policy?;
    let wanted = queue.queue.message_ttl();
    let meant = match wanted {
        Some(wanted) => format!("instead of after {}", span(wanted)),
        None if scene.has_message_ttl(queue.name) => "whatever longer TTL they bring".to_owned(),
        None => return None,
    };
    let field = scene.field(queue.name, argument::MESSAGE_TTL, &ttl);
    let finding = match scene.waiting(queue)? {
        Waiting::ForDelay(_) => Finding::error(Code::TtlCutShort, queue.name, field),
        Waiting::Perhaps => Finding::warning(Code::TtlCutShort, queue.name, field),
    };
    let what = format!(
        "messages leave `{}` after {}, {meant}: the policy `{policy}` has the shorter TTL, and of two \
         the smaller counts",
        queue.name,
        span(ttl.value),
    );
    let mend = match wanted {
        Some(_) => format!(
            "keep `{policy}` off the waiting queues, or raise its message-ttl above all of theirs"
        ),
        None => format!(
            "keep `{policy}` off `{}`, or give the delay a `max` of {}",
            queue.name,
            span(ttl.value)
        ),
    };
    Some(finding.says(what, mend))
}

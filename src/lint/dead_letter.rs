//! Dead letters that go to no exchange, or from an exchange to no queue.

use super::code::{Code, Story};
use super::finding::Finding;
use super::keys::Key;
use super::scene::Scene;
use super::words::{exchange, list, nearest};
use crate::objects::argument;
use crate::policy::{DeadLetters, Effective};

pub(super) static DLX_MISSING: Story = Story {
    title: "a queue dead-letters to an exchange that is not there",
    why: "RabbitMQ does not ask for a dead-letter exchange when a queue is declared, only when a \
          message needs it. If there is none, the message is dropped: no error, no log line, no \
          return to the publisher, who was given a confirm long ago.",
    timeline: [
        " 0 s   a message is published, and confirmed",
        "30 s   its time is up; the exchange does not exist",
        "30 s   the message is gone (an at-least-once queue keeps it, and hands out nothing more)",
    ],
    mend: "declare the exchange in the same file, or correct its name.",
};

pub(super) static DLX_NOWHERE: Story = Story {
    title: "dead letters reach their exchange, and no queue is bound there with their key",
    why: "Without a dead-letter routing key a message keeps the key that it was published with, and \
          on its second exchange that key often means nothing. What an exchange cannot route is \
          dropped, unless it has an alternate exchange.",
    timeline: [
        " 0 s   `orders.new` is published into a waiting queue without a dead-letter routing key",
        "30 s   it is dead-lettered as `orders.new` to an exchange bound with `orders.due` alone",
        "30 s   nothing matches: it is gone",
    ],
    mend: "give the queue a dead-letter routing key that is bound, bind the key that messages keep, or \
           give the exchange an alternate exchange.",
};

pub(super) static STALL: Story = Story {
    title: "unroutable messages can stall an at-least-once queue for all others",
    why: "An at-least-once queue keeps a dead letter until some queue has confirmed it, and has at \
          most 32 on their way. A message whose key nobody is bound to is never confirmed. It shows \
          up in `messages_dlx` only.",
    timeline: [
        " 0 s    32 messages whose key nobody is bound to are published, and good ones behind them",
        "30 s    the 32 expire and find no way out",
        "later   the good ones expire and wait behind them, until someone binds the missing key",
    ],
    mend: "give the dead-letter exchange an alternate exchange with a queue that catches the rest, or \
           give the queue a dead-letter routing key that is bound.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let queues = scene.queues.values();
    queues.filter_map(|queue| check_queue(scene, queue, &queue.dead_letters()?)).collect()
}

fn check_queue<'a>(
    scene: &Scene<'a>,
    queue: &Effective<'a>,
    to: &DeadLetters<'a>,
) -> Option<Finding> {
    if !scene.routes.has_exchange(to.exchange.value) {
        return Some(missing(scene, queue, to));
    }
    let keys = match to.key {
        Some(key) => vec![Key::Exact(key.value)],
        None => scene.reach.keys(queue.name),
    };
    let arrive = |key: &&Key<'a>| scene.routes.arrive(to.exchange.value, **key).is_nowhere();
    let lost: Vec<_> = keys.iter().filter(arrive).collect();
    if !lost.is_empty() {
        return Some(nowhere(scene, queue, to, &lost));
    }
    let unsure = keys.iter().find(|key| !scene.routes.is_sure(to.exchange.value, **key))?;
    queue.is_at_least_once().then(|| stall(scene, queue, to, *unsure))
}

/// What becomes of dead letters that have nowhere to go.
fn fate(queue: &Effective<'_>) -> &'static str {
    if queue.is_at_least_once() {
        "it keeps them, seen in `messages_dlx` alone, and 32 of them stall every later message"
    } else {
        "they are dropped without a trace"
    }
}

fn missing(scene: &Scene<'_>, queue: &Effective<'_>, to: &DeadLetters<'_>) -> Finding {
    let name = to.exchange.value;
    let field = scene.field(queue.name, argument::DEAD_LETTER_EXCHANGE, &to.exchange);
    let what = format!(
        "no exchange `{name}` is declared; where it is missing, the dead letters of `{}` go nowhere: {}",
        queue.name,
        fate(queue)
    );
    let declared = scene.objects.exchanges.keys().map(String::as_str);
    let mend = match nearest(name, declared) {
        Some(near) => format!("declare `{name}`; or did you mean `{near}`?"),
        None => format!("declare `{name}`, with a binding to the queue that shall get them"),
    };
    Finding::error(Code::DlxMissing, queue.name, field).says(what, mend)
}

fn nowhere(
    scene: &Scene<'_>,
    queue: &Effective<'_>,
    to: &DeadLetters<'_>,
    lost: &[&Key<'_>],
) -> Finding {
    let (argument, setting) = match &to.key {
        Some(key) => (argument::DEAD_LETTER_ROUTING_KEY, key),
        None => (argument::DEAD_LETTER_EXCHANGE, &to.exchange),
    };
    let field = scene.field(queue.name, argument, setting);
    let shown = list(lost.iter().map(|key| match key {
        Key::Exact(key) | Key::Pattern(key) => *key,
        Key::Any => "#",
    }));
    let keys = match to.key {
        Some(_) => format!("with key {shown}"),
        None => format!("with the key they were published with ({shown})"),
    };
    let at = exchange(to.exchange.value);
    let what = format!(
        "dead letters of `{}` go to {at} {keys}, and from there to no queue: {}",
        queue.name,
        fate(queue)
    );
    Finding::error(Code::DlxNowhere, queue.name, field).says(what, nowhere_mend(scene, to, &shown))
}

fn nowhere_mend(scene: &Scene<'_>, to: &DeadLetters<'_>, shown: &str) -> String {
    let name = to.exchange.value;
    if name.is_empty() {
        return "take the name of a queue as the dead-letter routing key".to_owned();
    }
    let bound: Vec<_> =
        scene.routes.bindings(name).iter().map(|b| b.routing_key.as_str()).collect();
    let near = to.key.and_then(|key| nearest(key.value, bound.iter().copied()));
    match (near, bound.as_slice()) {
        (Some(near), _) => format!("take the routing key `{near}`, which is bound there"),
        (None, []) => format!("bind a queue to `{name}`"),
        (None, [..]) => format!(
            "bind a queue to `{name}` with {shown}, or set a dead-letter routing key that is bound \
             there: {}",
            list(bound)
        ),
    }
}

fn stall(scene: &Scene<'_>, queue: &Effective<'_>, to: &DeadLetters<'_>, key: Key<'_>) -> Finding {
    let field = scene.field(queue.name, argument::DEAD_LETTER_EXCHANGE, &to.exchange);
    let keys = match key {
        Key::Pattern(pattern) => format!("keys like `{pattern}`, and some"),
        Key::Exact(_) => "headers that are not known here, and some".to_owned(),
        Key::Any => "keys that are not known here, and some".to_owned(),
    };
    let what = format!(
        "messages reach `{}` with {keys} may find no queue behind {}: an at-least-once queue keeps \
         these, and 32 of them stall every later message",
        queue.name,
        exchange(to.exchange.value)
    );
    let mend = format!(
        "give `{}` an alternate exchange with a queue that catches the rest",
        to.exchange.value
    );
    Finding::warning(Code::AtLeastOnceStall, queue.name, field).says(what, mend)
}

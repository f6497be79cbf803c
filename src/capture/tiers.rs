//! Recognises queues that each stand for one fixed delay.

use indexmap::IndexMap;

use crate::duration::Millis;
use crate::objects::{Exchange, argument};
use crate::strategy::{Delay, Overflow, QueueType, Strategy, Target, Tier, Tiers};

use super::claim::Claims;
use super::names;

/// A queue that messages seem to wait in: how it is reached, and what [`Tiers`] says of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
    pub entry: String,
    pub target: Target,
    pub queue_type: QueueType,
    pub max_length: Option<u64>,
    pub overflow: Option<Overflow>,
    pub ttl: Option<u64>,
}

impl Waiting {
    /// The queue of this name, if it has a dead-letter target and one binding at most.
    pub fn of(claims: &Claims<'_>, name: &str) -> Option<Self> {
        let queue = claims.objects.queues.get(name).filter(|_| claims.may_wait(name))?;
        let to = queue.dead_letter()?;
        let key = to.routing_key?;
        let target = match to.exchange {
            "" => Target::Queue(key.to_owned()),
            exchange => {
                Target::Exchange { exchange: exchange.to_owned(), routing_key: key.to_owned() }
            }
        };
        let entry = match claims.bound_to(name) {
            [] => String::new(),
            [only] if only.routing_key == name && is_entry(claims, &only.source) => {
                only.source.clone()
            }
            // A key of its own: the queue is reached by its name, too, and the binding stays.
            [_] => String::new(),
            _ => return None,
        };
        let queue_type = match queue.queue_type() {
            None | Some("classic") => QueueType::Classic,
            Some("quorum") => QueueType::Quorum,
            Some(_) => return None,
        };
        let max_length = queue.arguments.get(argument::MAX_LENGTH).and_then(|max| max.as_u64());
        let overflow = match queue.text(argument::OVERFLOW) {
            None => None,
            Some(text) => Overflow::from_name(text),
        };
        // What is the default need not be said.
        let overflow = overflow.filter(|overflow| *overflow != Overflow::RejectPublish);
        Some(Waiting { entry, target, queue_type, max_length, overflow, ttl: queue.message_ttl() })
    }
}

/// Whether an exchange is as `tiers` would declare it.
fn is_entry(claims: &Claims<'_>, exchange: &str) -> bool {
    claims.objects.exchanges.get(exchange) == Some(&Exchange::durable("direct"))
}

/// One delay for all the queues that share a target, an entry and their limits.
pub fn find(claims: &mut Claims<'_>) {
    let objects = claims.objects;
    let mut groups: IndexMap<Waiting, Vec<(u64, &str)>> = IndexMap::new();
    for name in objects.queues.keys() {
        let Some(mut waiting) = Waiting::of(claims, name) else { continue };
        let Some(ttl) = waiting.ttl.take().filter(|ttl| *ttl > 0) else { continue };
        // An argument more, and it is no tier.
        if claims.fits(&delay(claims, &waiting, &[(ttl, name)])) {
            groups.entry(waiting).or_default().push((ttl, name));
        }
    }
    for (waiting, mut queues) in groups {
        queues.sort_unstable();
        while !queues.is_empty() {
            // A TTL twice is a delay twice: the second queue is of another delay.
            let mut rest = Vec::new();
            let mut taken: Vec<(u64, &str)> = Vec::new();
            for queue in queues {
                let again = taken.last().is_some_and(|last| last.0 == queue.0);
                if again { rest.push(queue) } else { taken.push(queue) }
            }
            claims.claim(delay(claims, &waiting, &taken));
            queues = rest;
        }
    }
}

fn delay(claims: &Claims<'_>, waiting: &Waiting, queues: &[(u64, &str)]) -> Delay {
    let wanted = match (names::without(&waiting.entry, ".delay"), &waiting.target) {
        (Some(name), _) => name,
        (None, Target::Queue(queue)) => queue,
        (None, Target::Exchange { exchange, routing_key }) if routing_key.is_empty() => exchange,
        (None, Target::Exchange { routing_key, .. }) => routing_key,
    };
    let name = claims.name(wanted);
    let template = template(queues, &name);
    let tier = |(ttl, queue): &(u64, &str)| Tier {
        delay: Millis(*ttl),
        queue: template.is_none().then(|| (*queue).to_owned()),
    };
    let strategy = Tiers {
        delays: queues.iter().map(tier).collect(),
        exchange: (waiting.entry != format!("{name}.delay")).then(|| waiting.entry.clone()),
        queue: template.flatten(),
        queue_type: waiting.queue_type,
        max_length: waiting.max_length,
        overflow: waiting.overflow,
    };
    Delay { name, target: waiting.target.clone(), strategy: Strategy::Tiers(strategy) }
}

/// The template that makes all the names: `Some(None)` is the default one; `None`: there is none.
fn template(queues: &[(u64, &str)], name: &str) -> Option<Option<String>> {
    let (ttl, queue) = queues.first()?;
    let time = Millis(*ttl).to_string();
    let (before, after) = queue.rsplit_once(&time)?;
    let fits =
        queues.iter().all(|(ttl, queue)| *queue == format!("{before}{}{after}", Millis(*ttl)));
    // Braces in a name would be filled, too.
    if !fits || queue.contains(['{', '}']) {
        return None;
    }
    let default = before.strip_suffix('.') == Some(name) && after.is_empty();
    Some((!default).then(|| format!("{before}{{delay}}{after}")))
}

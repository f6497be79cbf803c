//! What is wrong with a ladder's fields.

use super::choose::RADICES;
use super::{Bound, Cost, Ladder, Names, Shape, choose};
use crate::duration::Millis;
use crate::objects::{SHORT_STRING_MAX, TTL_MAX_MS};
use crate::strategy::{QueueType, Target};

/// More waiting queues than this take minutes to declare and a broker's memory to keep: quorum
/// queues are declared at 160 to 400 a second.
pub const QUEUES_MAX: u64 = 1000;

type Problem = (String, String);

fn problem(field: &str, message: impl Into<String>) -> Problem {
    (field.to_owned(), message.into())
}

/// All that is wrong.
pub fn find(ladder: &Ladder, name: &str, target: &Target) -> Vec<Problem> {
    let mut found = if ladder.names.is_foreign() { foreign(ladder) } else { own(ladder) };
    if found.is_empty() {
        found.extend(address(ladder, name, target));
    }
    if ladder.due_queue.is_some()
        && (ladder.names.is_foreign() || matches!(target, Target::Queue(_)))
    {
        let message = "there is none: it goes with delayctl's names and a target that is an \
                       exchange";
        found.push(problem("due_queue", message));
    }
    found
}

fn own(ladder: &Ladder) -> Vec<Problem> {
    let mut found = steps(ladder.resolution_or_default(), ladder.max_or_default());
    if ladder.prefix.as_deref() == Some("") {
        found.push(problem("prefix", "the prefix is empty"));
    }
    let given = [
        ("radix", ladder.radix.is_some()),
        ("max_queues", ladder.max_queues.is_some()),
        ("max_hops", ladder.max_hops.is_some()),
    ];
    let mut given = given.iter().filter(|(_, given)| *given).map(|(field, _)| *field);
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        let message = format!("`{first}` says already which radix: give one of them");
        found.push(problem(second, message));
    } else if found.is_empty() {
        found.extend(radix(ladder));
    }
    found
}

fn steps(resolution: Millis, max: Millis) -> Vec<Problem> {
    let mut found = Vec::new();
    let limit = Millis(TTL_MAX_MS);
    if resolution.0 == 0 {
        found.push(problem("resolution", "a step of zero leads nowhere: the smallest is 1ms"));
    } else if max < resolution {
        let message = format!("{max} is shorter than the resolution, {resolution}");
        found.push(problem("max", message));
    } else if max > limit {
        found.push(problem("max", format!("{max} is longer than {limit}, RabbitMQ's longest TTL")));
    } else if max.0.div_ceil(resolution.0) * resolution.0 > limit.0 {
        let message = format!(
            "{max} rounded up to {resolution} is longer than {limit}, RabbitMQ's longest TTL"
        );
        found.push(problem("max", message));
    }
    found
}

fn radix(ladder: &Ladder) -> Option<Problem> {
    let (resolution, max) = (ladder.resolution_or_default(), ladder.max_or_default());
    let radix = match ladder.radix_or_chosen() {
        Ok(radix) => radix,
        Err(error) => {
            let field = match error.bound {
                Bound::Queues(_) => "max_queues",
                Bound::Hops(_) => "max_hops",
            };
            return Some(problem(field, error.to_string()));
        }
    };
    if !RADICES.contains(&radix) {
        let (least, most) = (RADICES.start(), RADICES.end());
        return Some(problem("radix", format!("{radix} is out of range: {least} to {most}")));
    }
    let Cost { queues, .. } = Cost::of(&Shape::new(resolution, max, radix));
    if queues <= QUEUES_MAX {
        return None;
    }
    let better = choose(resolution, max, Bound::Queues(QUEUES_MAX)).unwrap_or_else(|e| e.closest);
    let field = if ladder.max_hops.is_some() { "max_hops" } else { "radix" };
    let message = format!(
        "radix {radix} needs {queues} queues, more than {QUEUES_MAX}; the fewest hops within that \
         has {better}"
    );
    Some(problem(field, message))
}

/// What another project's ladder cannot have.
fn foreign(ladder: &Ladder) -> Vec<Problem> {
    let mut found = Vec::new();
    let shape = Names::FOREIGN_SHAPE;
    let fixed = [
        ("resolution", ladder.resolution.is_some_and(|step| step.0 != shape.resolution_ms), "1s"),
        ("radix", ladder.radix.is_some_and(|radix| radix != shape.radix), "2"),
        ("max_queues", ladder.max_queues.is_some(), "28 queues"),
        ("max_hops", ladder.max_hops.is_some(), "28 hops"),
    ];
    for (field, differs, value) in fixed {
        if differs {
            found.push(problem(field, format!("`names` fixes it: it is {value} there")));
        }
    }
    let longest = Millis(shape.top * shape.resolution_ms);
    match ladder.max_or_default() {
        Millis(0) => found.push(problem("max", "a delay of zero needs no ladder")),
        max if max > longest => {
            let message = format!("{max} is longer than {longest}, what 28 binary digits hold");
            found.push(problem("max", message));
        }
        _ => {}
    }
    if ladder.names == Names::Nservicebus {
        if ladder.prefix.is_some() {
            found.push(problem("prefix", "`names: nservicebus` has none"));
        }
        if ladder.queue_type == QueueType::Classic {
            found.push(problem("queue_type", "`names: nservicebus` has quorum queues"));
        }
    }
    found
}

fn address(ladder: &Ladder, name: &str, target: &Target) -> Option<Problem> {
    let address = ladder.address(name, target);
    let field = if ladder.address.is_some() { "address" } else { "" };
    if address.is_empty() {
        return Some(problem(field, "the address is empty: give `address`"));
    }
    if let Some(wildcard) = address.split('.').find(|word| matches!(*word, "*" | "#")) {
        let message = format!(
            "the address `{address}` has the word `{wildcard}`, which a topic binding takes for \
             any word: give another `address`"
        );
        return Some(problem(field, message));
    }
    let digits = ladder.shape().digits_length();
    if digits + address.len() > SHORT_STRING_MAX {
        let message = format!(
            "the routing key would have up to {} bytes, and AMQP takes at most {SHORT_STRING_MAX}: \
             {digits} for the digits and {} for the address `{address}`; give a shorter `address`, \
             or a larger `radix`",
            digits + address.len(),
            address.len()
        );
        return Some(problem(field, message));
    }
    None
}

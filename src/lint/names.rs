//! Names and routing keys that cannot match what they look like.

use super::code::{Code, Story};
use super::finding::Finding;
use super::keys::has_wildcard;
use super::scene::Scene;
use super::words::exchange;
use crate::objects::{Binding, argument, predeclared_type};

pub(super) static WILDCARD: Story = Story {
    title: "`*` or `#` stands where RabbitMQ takes it literally",
    why: "They stand for words only in the binding key of a topic exchange, and only as whole words: \
          `order.*`, not `order*`. On a direct exchange, in a message's own key and in a dead-letter \
          routing key they are ordinary characters.",
    timeline: [
        " 0 s   a queue is bound to a direct exchange with `order.#`",
        " 1 s   a message is published there with the key `order.paid`",
        " 1 s   it matches nothing, and is dropped",
    ],
    mend: "a topic exchange, whole words in the pattern, and a plain key where a key is asked for.",
};

pub(super) static WHITESPACE: Story = Story {
    title: "a name or key begins or ends with a blank, or has a control character in it",
    why: "RabbitMQ compares names and keys byte by byte. One that differs by a blank is another one, and \
          on a screen the two look the same.",
    timeline: [
        " 0 s   a queue is declared as `order.q `",
        " 1 s   a publisher sends to `order.q`, through the default exchange",
        " 1 s   there is no such queue: the message is dropped",
    ],
    mend: "take the blank away.",
};

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for binding in &scene.objects.bindings {
        let field = format!("{}.routing_key", scene.topology.fields.binding(binding));
        findings.extend(binding_wildcard(scene, binding, &field));
        findings.extend(whitespace(&binding.routing_key, "routing key", field));
    }
    for (name, queue) in &scene.queues {
        findings.extend(whitespace(name, "queue name", scene.topology.fields.queue(name)));
        let Some(key) = queue.dead_letters().and_then(|to| to.key) else { continue };
        let field = scene.field(name, argument::DEAD_LETTER_ROUTING_KEY, &key);
        // A delay's queue has the key of its target, which is looked at below.
        if scene.holders(name).is_empty() {
            findings.extend(key_wildcard(key.value, "a dead-letter routing key", &field));
        }
        findings.extend(whitespace(key.value, "routing key", field));
    }
    for name in scene.objects.exchanges.keys() {
        findings.extend(whitespace(name, "exchange name", scene.topology.fields.exchange(name)));
    }
    for delay in scene.topology.delays.values() {
        let field = format!("delays.{}.target.routing_key", delay.name);
        findings.extend(key_wildcard(delay.target.routing_key(), "a target's routing key", &field));
    }
    findings
}

fn binding_wildcard(scene: &Scene<'_>, binding: &Binding, field: &str) -> Option<Finding> {
    let key = binding.routing_key.as_str();
    let declared = scene.objects.exchanges.get(&binding.source).map(|x| x.routing_type());
    let kind = declared.or_else(|| predeclared_type(&binding.source))?;
    let stray = key.split('.').any(|word| word.len() > 1 && word.contains(['*', '#']));
    let why = match kind {
        "direct" if has_wildcard(key) || stray => {
            format!(
                "{} is a direct exchange, where `*` and `#` are ordinary characters",
                exchange(&binding.source)
            )
        }
        "topic" if stray => "`*` and `#` stand for whole words only".to_owned(),
        _ => return None,
    };
    let what = format!("the binding matches the key `{key}` literally, and no other: {why}");
    let mend = "take a topic exchange, with whole words in the pattern";
    let finding = Finding::warning(Code::WildcardLiteral, key, field.to_owned());
    Some(finding.says(what, mend))
}

fn key_wildcard(key: &str, place: &str, field: &str) -> Option<Finding> {
    if !has_wildcard(key) {
        return None;
    }
    let what = format!("`{key}` is {place}, no pattern: messages carry it as it stands, literally");
    let finding = Finding::warning(Code::WildcardLiteral, key, field.to_owned());
    Some(finding.says(what, "write the very key that messages shall have"))
}

fn whitespace(text: &str, what: &str, field: String) -> Option<Finding> {
    if text.trim() == text && !text.chars().any(char::is_control) {
        return None;
    }
    let what = format!(
        "the {what} {text:?} has a blank at its end or a control character in it: it matches none without"
    );
    Some(Finding::warning(Code::NameWhitespace, text, field).says(what, "take it away"))
}

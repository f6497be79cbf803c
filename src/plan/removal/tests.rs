use super::*;
use crate::objects::{Policy, Queue};

/// The plugin's exchange before a queue, with a policy.
fn with_plugin() -> Objects {
    let mut objects = Objects::default();
    objects.add_exchange("later", Exchange::durable(DELAYED_MESSAGE_TYPE)).unwrap();
    objects.add_exchange("out", Exchange::durable("direct")).unwrap();
    objects.add_queue("done", Queue::default()).unwrap();
    objects.add_binding(Binding::to_exchange("later", "out", "k"));
    objects.add_binding(Binding::to_queue("out", "done", "k"));
    objects.add_binding(Binding::to_queue("amq.topic", "done", "old.#"));
    objects
}

/// What the consumer of `done` still needs.
fn spared() -> Objects {
    let mut objects = Objects::default();
    objects.add_queue("done", Queue::default()).unwrap();
    objects
}

fn waiting(number: Option<u64>) -> Observed {
    let delayed = number.map(|number| ("later".to_owned(), number)).into_iter().collect();
    Observed { delayed, ..Observed::default() }
}

fn listed(wanted: &Objects, spared: &Objects, observed: &Observed, also_full: bool) -> Vec<String> {
    let plan = removal(wanted, spared, observed, also_full);
    plan.steps.iter().map(|(object, fate)| format!("{object}: {}", word(fate))).collect()
}

fn word(fate: &Fate) -> String {
    match fate {
        Fate::Delete(live) => format!("delete with {live}"),
        Fate::Holds(live) => format!("holds {live}"),
        Fate::Needed(holder) => format!("needed by {}", holder.name()),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[test]
fn what_waits_in_the_plugin_keeps_its_exchange_and_its_way() {
    let held = listed(&with_plugin(), &Objects::default(), &waiting(Some(3)), false);
    insta::assert_snapshot!(held.join("\n"), @"
    queue `done`: needed by later
    exchange `later`: holds 3 held back
    exchange `out`: needed by later
    ");
    let uncounted = listed(&with_plugin(), &Objects::default(), &waiting(None), false);
    insta::assert_snapshot!(uncounted.join("\n"), @"
    queue `done`: needed by later
    exchange `later`: uncounted
    exchange `out`: needed by later
    ");
    let empty = listed(&with_plugin(), &Objects::default(), &waiting(Some(0)), false);
    insta::assert_snapshot!(empty.join("\n"), @"
    queue `done`: delete with nothing
    exchange `later`: delete with nothing
    exchange `out`: delete with nothing
    ");
    let forced = listed(&with_plugin(), &Objects::default(), &waiting(Some(3)), true);
    insta::assert_snapshot!(forced.join("\n"), @"
    queue `done`: delete with nothing
    exchange `later`: delete with 3 held back
    exchange `out`: delete with nothing
    ");
}

#[test]
fn what_another_file_declares_is_spared() {
    let mut observed = waiting(Some(0));
    let live = Live { ready: Some(5), ..Live::default() };
    observed.live.insert("done".to_owned(), live);
    let rest = listed(&with_plugin(), &spared(), &observed, false);
    insta::assert_snapshot!(rest.join("\n"), @"
    queue `done`: spared
    exchange `later`: delete with nothing
    exchange `out`: delete with nothing
    binding from exchange `amq.topic` to queue `done` with key `old.#`: delete with nothing
    ");
    let all = listed(&with_plugin(), &with_plugin(), &observed, true);
    assert!(all.iter().all(|line| line.ends_with(": spared")), "{all:#?}");
}

#[test]
fn an_exchange_of_another_type_by_now_holds_nothing() {
    let mut observed = waiting(None);
    let found = Seen::Known(Exchange::durable("direct"));
    observed.exchanges.insert("later".to_owned(), found);
    let plan = removal(&with_plugin(), &Objects::default(), &observed, false);
    assert_eq!(plan.count(|fate| matches!(fate, Fate::Delete(_))), plan.steps.len());
}

#[test]
fn a_policy_goes_unless_it_is_spared() {
    let mut wanted = with_plugin();
    let policy = Policy {
        pattern: "^done$".to_owned(),
        apply_to: "queues".to_owned(),
        priority: 0,
        definition: Default::default(),
    };
    wanted.policies.insert("limits".to_owned(), policy);
    let last = |spared: &Objects| listed(&wanted, spared, &waiting(Some(0)), false).pop();
    let gone = last(&Objects::default()).unwrap();
    assert!(gone.starts_with("policy `limits`: delete"), "{gone}");
    assert_eq!(last(&wanted).unwrap(), "policy `limits`: spared");
}

//! Codes: their spelling, their stories, and how findings are written.

use std::collections::HashSet;

use insta::assert_snapshot;

use delayctl::lint::{Code, lint};

use super::topology;

#[test]
fn a_code_is_what_it_is_called() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        assert_eq!(code.to_string().parse(), Ok(*code));
        assert!(seen.insert(code.as_str()), "{code} twice");
        assert!(code.as_str().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{code}");
    }
}

#[test]
fn an_unknown_code_names_the_nearest() {
    let error = "head-of-lime".parse::<Code>().unwrap_err();
    assert_snapshot!(error, @"there is no finding `head-of-lime`; did you mean `head-of-line`?");
}

#[test]
fn every_story_is_whole() {
    for code in Code::ALL {
        let story = code.story();
        for text in [story.title, story.why, story.mend] {
            assert!(!text.contains("  "), "{code}: {text}");
            assert!(text.len() > 10, "{code}: {text}");
        }
        assert!(!story.title.ends_with('.'), "{code}: a title is no sentence");
        for line in story.timeline {
            assert!(line.chars().count() <= 100, "{code}: too wide: {line}");
        }
    }
}

#[test]
fn explained() {
    assert_snapshot!(Code::HeadOfLine.explain(), @"
    head-of-line: a message with a long delay holds up every shorter one behind it

    RabbitMQ looks for expired messages at the head of a queue only, on classic and quorum queues alike. With a TTL on each message, one that is due stays where it is until all that were sent before it have left.

         0 s   A (30 s), B (5 s) and C (10 s) are sent into one queue, in this order
         5 s   B is due and stays: A is at the head. So does C at 10 s
        30 s   A leaves, and B and C with it: 25 s and 20 s late

    Mend: a queue per delay (`tiers`), or any delay without a plugin (`ladder`). One queue is right as long as delays never decrease: 5 s, 10 s, 30 s in this order are each on time.
    ");
}

#[test]
fn json() {
    let topology = topology("queues: { q: { arguments: { x-mesage-ttl: 5 } } }");
    assert_snapshot!(serde_json::to_string_pretty(&lint(&topology, None)).unwrap(), @r#"
    [
      {
        "code": "argument-unknown",
        "severity": "error",
        "field": "queues.q.arguments.x-mesage-ttl",
        "what": "RabbitMQ does not know `x-mesage-ttl`: it is accepted, and `q` does without",
        "mend": "did you mean `x-message-ttl`?"
      }
    ]
    "#);
}

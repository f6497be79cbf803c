use insta::assert_snapshot;
use roxmltree::{Document, Node};

use super::*;
use crate::forecast::{Outlook, Series};
use crate::render::lanes::tests::demo;
use crate::render::lanes::{Lane, Track};

fn caption() -> Caption {
    Caption::new("Delays".to_owned(), "at a tenth of the time".to_owned())
}

/// Panics unless it is XML that names its words and fetches nothing.
fn parsed(svg: &str) -> Document<'_> {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}:\n{svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    for id in root.attribute("aria-labelledby").unwrap().split(' ') {
        let named = root.children().find(|node| node.attribute("id") == Some(id));
        assert!(named.and_then(|node| node.text()).is_some_and(|text| !text.is_empty()), "{id}");
    }
    for node in root.descendants() {
        assert!(!matches!(node.tag_name().name(), "script" | "image" | "foreignObject"));
        for attribute in node.attributes() {
            let foreign = attribute.value().contains("//") || attribute.name().ends_with("href");
            assert!(!foreign, "{attribute:?}");
            assert!(!attribute.value().contains("NaN"), "{attribute:?}");
        }
    }
    document
}

fn class<'a>(node: &Node<'a, '_>) -> &'a str {
    node.attribute("class").unwrap_or_default()
}

/// What a reader sees: each text, and the classes of the marks between them.
fn seen(svg: &str) -> String {
    let document = parsed(svg);
    let mut lines = vec![String::new()];
    for node in document.descendants().filter(|node| node.is_element()) {
        match node.tag_name().name() {
            "text" | "tspan" => lines.push(node.text().unwrap_or_default().trim().to_owned()),
            "rect" | "line" | "circle" | "path" if !class(&node).is_empty() => {
                let line = lines.last_mut().unwrap();
                line.push_str(&format!(" ({})", class(&node)));
            }
            _ => {}
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn hostile() -> String {
    "</text><script>alert('x')</script>&\"\0\x1b[2J\u{202e}".repeat(5)
}

#[test]
fn the_demo() {
    let mut lanes = demo();
    lanes.truncate(3);
    lanes[1].messages[0].hops_ms = vec![1000.0, 2000.0];
    assert_snapshot!(seen(&super::lanes(&caption(), &lanes)), @"
     (hatch-back) (hatch-line) (dot-back) (dot) (bg)
    Delays
    at a tenth of the time (wait)
    waits (wait) (hop) (hop-core)
    moves to the next queue (due)
    due (blocked)
    blocked by a message before it (left)
    left
    time
    0 s
    0.5 s
    1 s
    1.5 s
    2 s
    2.5 s
    3 s (card) (grid) (grid) (grid) (grid) (grid) (grid) (grid) (card) (grid) (grid) (grid) (grid) (grid) (grid) (grid) (card)
    blocked
    one queue, per-message TTL
    A  3s (wait) (left)
    3.00 s, 3.2 ms late
    B  500ms (wait) (blocked) (due) (left)
    3.00 s, 2.50 s late
    C  1s (wait) (blocked) (due) (left)
    3.00 s, 2.00 s late
    tiers
    a queue per delay
    A  3s (wait) (hop) (hop-core) (hop) (hop-core) (left)
    3.00 s, 2.7 ms late
    B  500ms (wait) (left)
    0.50 s, 3.9 ms late
    C  1s (wait) (left)
    1.00 s, 2.4 ms late
    plugin
    delayed-message exchange
    not run: RabbitMQ 4.3 has no `x-delayed-message`
    ");
}

#[test]
fn the_demo_in_words() {
    let svg = super::lanes(&caption(), &demo()[..1]);
    let document = parsed(&svg);
    let words = document.descendants().find(|node| node.tag_name().name() == "desc").unwrap();
    assert_snapshot!(words.text().unwrap(), @"A timeline with a lane for each way of delaying and a bar for each message. blocked (one queue, per-message TTL): A, delayed by 3s, due at 3.00 s, left at 3.00 s, 3.2 ms late; B, delayed by 500ms, due at 0.50 s, left at 3.00 s, 2.50 s late, behind A; C, delayed by 1s, due at 1.00 s, left at 3.00 s, 2.00 s late, behind A. In `blocked`, A (3s) stood at the head of the queue, and RabbitMQ looks for expired messages at the head only: B and C were stuck behind it. B was due at 0.50 s and C at 1.00 s, yet they left only together with A, at 3.00 s.");
}

#[test]
fn many_lost_late_and_hostile_ones_are_well_formed() {
    for count in [0, 1, 3, 8, 9, 20] {
        let mut lanes = demo();
        for lane in &mut lanes {
            lane.name = hostile();
            lane.how = hostile();
            lane.messages = (0..count)
                .map(|index| Track {
                    label: hostile(),
                    observed_ms: (index % 3 > 0).then_some(5000.0),
                    simulated_ms: (index % 2 > 0).then_some(4000.0),
                    lost: Some(hostile()),
                    lost_ms: Some(6000.0),
                    hops_ms: vec![10.0, 1e9, f64::NAN],
                    ..Track::new(index, crate::duration::Millis(1000), 0.0, 1000.0)
                })
                .collect();
        }
        let svg = super::lanes(&Caption::new(hostile(), hostile()), &lanes);
        parsed(&svg);
        parsed(&super::lanes(&caption().silent(), &lanes));
    }
}

#[test]
fn no_text_sticks_out() {
    let mut lanes = demo();
    lanes[0].name = "order.".repeat(40);
    lanes[0].how = "words ".repeat(60);
    let svg = super::lanes(&Caption::new("W".repeat(300), "m ".repeat(300)), &lanes);
    let document = parsed(&svg);
    for node in document.descendants().filter(|node| node.tag_name().name() == "text") {
        let x: f64 = node.attribute("x").unwrap().parse().unwrap();
        let texts = node.descendants().filter(Node::is_text);
        let text: String = texts.filter_map(|node| node.text()).map(str::trim).collect();
        let width = measure::width(&text, 11.0);
        let (from, to) = match node.attribute("text-anchor") {
            Some("end") => (x - width, x),
            Some("middle") => (x - width / 2.0, x + width / 2.0),
            _ => (x, x + width),
        };
        assert!(from >= 0.0 && to <= canvas::WIDTH, "{from} to {to}: {text}");
    }
}

#[test]
fn absurd_times_do_not_panic() {
    for ms in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e-300, 1e300] {
        let mut lanes: Vec<Lane> = demo();
        for track in lanes.iter_mut().flat_map(|lane| &mut lane.messages) {
            track.expected_ms = ms;
            track.observed_ms = Some(ms);
        }
        parsed(&super::lanes(&caption(), &lanes));
    }
}

fn outlook(places: &[(&str, &[u64])]) -> Outlook {
    let series = |(place, samples): &(&str, &[u64])| Series {
        place: (*place).to_owned(),
        exchange: false,
        peak: samples.iter().copied().max().unwrap_or_default(),
        peak_at_ms: 61_500.0,
        left: 0,
        samples: samples.to_vec(),
    };
    Outlook {
        messages: 600,
        ended_ms: 300_000.0,
        sent_until_ms: 120_000.0,
        sample_ms: 60_000.0,
        waiting: places.iter().map(series).collect(),
        deliveries: Vec::new(),
        lost: Vec::new(),
        stuck: Vec::new(),
    }
}

#[test]
fn waiting_over_time() {
    let outlook = outlook(&[("order.wait", &[10, 20, 20, 5, 0]), ("order.dead", &[0, 1, 1, 1, 1])]);
    let svg = super::waiting(&caption(), &outlook);
    assert_snapshot!(seen(&svg), @"
     (hatch-back) (hatch-line) (dot-back) (dot) (bg)
    Delays
    at a tenth of the time
    messages waiting (grid)
    0 (grid)
    5 (grid)
    10 (grid)
    15 (grid)
    20 (axis) (axis)
    0 min (axis)
    0.5 min (axis)
    1 min (axis)
    1.5 min (axis)
    2 min (axis)
    2.5 min (axis)
    3 min (axis)
    3.5 min (axis)
    4 min (axis)
    4.5 min (axis)
    5 min
    time since the first message (end)
    last message sent (area s0) (s0 line) (area s1) (s1 line) (s0 line)
    order.wait
    peak 20 at 1m1s500ms (s1 line)
    order.dead
    peak 1 at 1m1s500ms
    ");
    let document = parsed(&svg);
    let line = document.descendants().find(|node| class(node) == "s0 line").unwrap();
    assert_snapshot!(line.attribute("d").unwrap(), @"M51.6 256.0H226.1L226.1 106.0H575.1L575.1 331.0H749.5L749.5 406.0H924.0V406.0");
}

#[test]
fn many_places_and_none() {
    let hostile = hostile();
    let many: Vec<(&str, &[u64])> = (0..40).map(|_| (hostile.as_str(), &[1_u64, 3][..])).collect();
    let svg = super::waiting(&caption(), &outlook(&many));
    assert!(seen(&svg).contains("33 others together"));
    assert!(seen(&super::waiting(&caption(), &outlook(&[]))).contains("nothing ever waits"));
}

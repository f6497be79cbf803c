//! Whatever the text, `parse` answers; and whatever the topology, its delays lead to their targets.

use std::fmt::Write;
use std::time::{Duration, Instant};

use delayctl::duration::Millis;
use delayctl::routing::{Headers, Router};
use delayctl::strategy::{Delay, Rounding};
use delayctl::topology::{Topology, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const EXAMPLE: &str = include_str!("../topologies/order-timeout.yaml");

/// A piece of what a topology file may hold, or of what may break one.
fn fragment() -> impl Strategy<Value = String> {
    const KEYS: &[&str] = &[
        "vhost",
        "exchanges",
        "queues",
        "bindings",
        "delays",
        "dead_letter_chains",
        "target",
        "tiers",
        "ladder",
        "per_message_ttl",
        "delayed_exchange",
        "queue",
        "exchange",
        "source",
        "routing_key",
        "arguments",
        "type",
        "message_ttl",
        "max_length",
        "dead_letter",
        "from",
        "levels",
        "radix",
        "max",
        "resolution",
        "max_hops",
        "max_queues",
        "names",
        "a",
        "amq.x",
    ];
    const VALUES: &[&str] = &[
        "5s",
        "30",
        "-1",
        "0",
        "1.5",
        "quorum",
        "direct",
        "x-delayed-message",
        "~",
        "true",
        "a",
        "18446744073709551615",
        "99999999999999999999d",
        "3650d",
        "1ms",
        "''",
        "\"\\u0000\"",
        "é",
        "'{delay}'",
        "nservicebus",
        "celery",
        "at-least-once",
        "!x y",
        ".inf",
        "{}",
        "[]",
        "{a: {}}",
    ];
    const MARKS: &[&str] = &[
        "\n",
        "\n  ",
        "\n    ",
        "\n  - ",
        ": ",
        ", ",
        "{",
        "}",
        "[",
        "]",
        "- ",
        "? ",
        "&a ",
        "*a",
        "<<: *a",
        "|\n",
        ">-\n",
        "'",
        "\"",
        "\t",
        "#",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "\u{feff}",
        "\0",
        "\u{85}",
        "\u{2028}",
        "@",
        "`",
    ];
    let keys = select(KEYS).prop_map(|key| format!("{key}: "));
    prop_oneof![keys, select(VALUES).prop_map(String::from), select(MARKS).prop_map(String::from)]
}

proptest! {
    #[test]
    fn any_text_has_an_answer(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in vec(any::<u8>(), 0..400)) {
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_of_a_file_have_an_answer(pieces in vec(fragment(), 0..60)) {
        let _ = parse(&pieces.concat());
    }

    /// A valid file with a piece cut out and another put in.
    #[test]
    fn any_damage_has_an_answer(
        at in 0..EXAMPLE.len(), length in 0..80_usize, pieces in vec(fragment(), 0..4),
    ) {
        let end = (at + length).min(EXAMPLE.len());
        let damaged = format!("{}{}{}", &EXAMPLE[..at], pieces.concat(), &EXAMPLE[end..]);
        let _ = parse(&damaged);
    }

    #[test]
    fn any_ladder_has_an_answer(
        resolution in any::<u64>(), max in any::<u64>(), radix in any::<u64>(), bound in any::<u64>(),
        shifts in (0..64_u32, 0..64_u32, 0..64_u32, 0..64_u32), field in 0..3_usize,
    ) {
        let (resolution, max) = (Millis(resolution >> shifts.0), Millis(max >> shifts.1));
        let (radix, bound) = (radix >> shifts.2, bound >> shifts.3);
        let bound = [format!("radix: {radix}"), format!("max_queues: {bound}"), format!("max_hops: {bound}")]
            [field].clone();
        let _ = parse(&format!(
            "queues: {{a: {{}}}}\ndelays: {{d: {{target: {{queue: a}}, ladder: {{resolution: {resolution}, max: {max}, {bound}}}}}}}"
        ));
    }
}

/// Each is answered, with an error or without, in a time that people wait.
#[test]
fn monstrous_files_have_an_answer() {
    let name = "n".repeat(1_000_000);
    let laughs = (1..30).fold(
        "queues:\n  q:\n    arguments:\n      a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(),
        |mut text, i| {
            let before = vec![format!("*a{}", i - 1); 9].join(",");
            let _ = writeln!(text, "      a{i}: &a{i} [{before}]");
            text
        },
    );
    let files = [
        ("nested lists", "[".repeat(100_000)),
        (
            "nested lists in an argument",
            format!("queues: {{q: {{arguments: {{a: {}", "[".repeat(100_000)),
        ),
        ("nested mappings", "{a: ".repeat(100_000)),
        ("nested blocks", (0..2_000).fold(String::new(), |text, i| text + &" ".repeat(i) + "a:\n")),
        ("nested dashes", "- ".repeat(100_000)),
        ("closing brackets", "]".repeat(100_000)),
        ("a billion laughs", laughs),
        ("a long queue name", format!("queues:\n  ? {name}\n  : {{}}")),
        ("a long text", name.clone()),
        ("a long unknown key", format!("queues: {{q: {{{name}: 5}}}}")),
        ("a long value", format!("queues: {{q: {{message_ttl: {name}}}}}")),
        (
            "a long reference",
            format!(
                "queues:\n  ? {name}\n  : {{}}\nbindings: [{{source: {name}x, queue: {name}y}}]"
            ),
        ),
        (
            "a long topic",
            format!(
                "exchanges: {{x: topic}}\nqueues: {{q: {{}}}}\nbindings: [{{source: x, queue: q, routing_key: '{}'}}]\ndelays: {{d: {{target: {{exchange: x, routing_key: '{}'}}, tiers: {{delays: [5s]}}}}}}",
                "#.a.".repeat(100_000),
                "a.".repeat(100_000)
            ),
        ),
        (
            "many unknown names",
            format!(
                "queues: {{{}}}\nbindings: [{}]",
                (0..10_000).fold(String::new(), |t, i| t + &format!("queue.{i}: {{}}, ")),
                (0..10_000).fold(String::new(), |t, i| t + &format!(
                    "{{source: x.{i}, queue: queu.{i}}}, "
                ))
            ),
        ),
        (
            "many anchors",
            format!(
                "queues: {{{}}}",
                (0..10_000)
                    .fold(String::new(), |t, i| t + &format!("q{i}: &a{i} {{}}, r{i}: *a{i}, "))
            ),
        ),
    ];
    for (what, text) in files {
        let start = Instant::now();
        if let Err(error) = parse(&text) {
            let length = error.to_string().len();
            assert!(what == "many unknown names" || length < 4000, "{what}: {length} bytes");
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: {:?}", start.elapsed());
    }
}

/// A strategy, and delays that it accepts.
#[derive(Clone, Debug)]
struct Offer {
    yaml: String,
    delays: Vec<Millis>,
}

fn offer() -> impl Strategy<Value = Offer> {
    let queue_type = || select(&["", ", queue_type: classic", ", queue_type: quorum"][..]);
    let exchange = || select(&["", ", exchange: \"\""][..]);
    let some = || vec((1..86_400_000_u64).prop_map(Millis), 1..4);
    prop_oneof![
        (subsequence(&["1ms", "5s", "1m30s", "2h", "3650d"][..], 1..5), queue_type(), exchange())
            .prop_map(|(tiers, kind, exchange)| Offer {
                yaml: format!("tiers: {{delays: [{}]{kind}{exchange}}}", tiers.join(", ")),
                delays: tiers.iter().map(|tier| tier.parse().unwrap()).collect(),
            }),
        (queue_type(), exchange(), some()).prop_map(|(kind, exchange, delays)| Offer {
            yaml: format!("per_message_ttl: {{max: 1d{kind}{exchange}}}"),
            delays,
        }),
        (select(&["direct", "fanout", "topic", "headers"][..]), some()).prop_map(
            |(kind, delays)| Offer { yaml: format!("delayed_exchange: {{type: {kind}}}"), delays }
        ),
        (2..17_u64, select(&["100ms", "1s", "7s"][..]), queue_type(), some()).prop_map(
            |(radix, resolution, kind, delays)| Offer {
                yaml: format!(
                    "ladder: {{radix: {radix}, resolution: {resolution}, max: 1d{kind}}}"
                ),
                delays,
            }
        ),
    ]
}

/// A valid file: queues, an exchange of each type bound to some of them, delays to either.
fn file() -> impl Strategy<Value = (String, Vec<Vec<Millis>>)> {
    let kinds = || select(&["direct", "fanout", "topic", "headers"][..]);
    let exchanges = vec((kinds(), vec(0..4_usize, 1..4)), 1..4);
    let delays = vec((any::<bool>(), 0..16_usize, offer()), 1..5);
    (exchanges, delays).prop_map(|(exchanges, delays)| {
        let mut text =
            "queues: {q0: , q1: {}, q2: {type: quorum}, q3: {type: classic}}\n".to_owned();
        let (mut declared, mut bindings) = (String::new(), String::new());
        for (i, (kind, queues)) in exchanges.iter().enumerate() {
            let _ = writeln!(declared, "  x{i}: {kind}");
            for queue in queues {
                let _ = writeln!(
                    bindings,
                    "  - {{source: x{i}, queue: q{queue}, routing_key: key.{i}}}"
                );
            }
        }
        let _ = writeln!(text, "exchanges:\n{declared}bindings:\n{bindings}delays:");
        for (i, (to_queue, number, offer)) in delays.iter().enumerate() {
            let (queue, exchange) = (number % 4, number % exchanges.len());
            let target = match to_queue {
                true => format!("queue: q{queue}"),
                false => format!("exchange: x{exchange}, routing_key: key.{exchange}"),
            };
            let _ = writeln!(text, "  d{i}:\n    target: {{{target}}}\n    {}", offer.yaml);
        }
        (text, delays.into_iter().map(|(_, _, offer)| offer.delays).collect())
    })
}

/// The queues of the target, and those on the way of a message with this delay.
fn ends(topology: &Topology, delay: &Delay, span: Millis) -> (Vec<String>, Vec<String>) {
    let router = Router::new(&topology.objects);
    let target = (delay.target.exchange(), delay.target.routing_key());
    let wanted = router.route(target.0, target.1, &Headers::new());
    let route = delay.route(span, Rounding::Exact).unwrap();
    let path = router.path(&route.exchange, &route.routing_key, &Headers::new());
    (wanted.into_iter().map(str::to_owned).collect(), path.queues.into_keys().collect())
}

proptest! {
    #[test]
    fn every_delay_leads_to_its_target((text, delays) in file()) {
        let topology = parse(&text).map_err(|error| TestCaseError::fail(format!("{text}\n{error}")))?;
        prop_assert_eq!(&parse(&text).unwrap().objects, &topology.objects);
        for (delay, spans) in topology.delays.values().zip(delays) {
            for span in spans {
                let (wanted, path) = ends(&topology, delay, span);
                prop_assert!(!wanted.is_empty());
                for queue in wanted {
                    prop_assert!(path.contains(&queue), "{}: `{}` not in {:?}\n{}", delay.name, queue, path, text);
                }
            }
        }
    }
}

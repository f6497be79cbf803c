use std::collections::BTreeMap;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::duration::Millis;
use crate::message::Death;
use crate::objects::Float;

/// The moment of publishing in these tests, in milliseconds since the Unix epoch.
const SENT_MS: u64 = 1_700_000_000_250;

/// A message seen so many microseconds after [`SENT_MS`].
fn seen_after(us: u64, headers: &[(&str, Value)], deaths: Vec<Death>) -> Delivered {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    Delivered {
        seen_at_us: SENT_MS * 1000 + us,
        headers: headers.collect::<BTreeMap<_, _>>(),
        deaths,
        ..Delivered::default()
    }
}

fn death(queue: &str, reason: &str, count: u64, expiration: Option<u64>) -> Death {
    Death {
        queue: queue.to_owned(),
        reason: reason.to_owned(),
        count,
        original_expiration_ms: expiration,
        ..Death::default()
    }
}

fn file() -> Ttls {
    [("q5", 5000), ("q30", 30_000), ("huge", u64::MAX)]
        .map(|(queue, ttl)| (queue.to_owned(), ttl))
        .into()
}

/// Headers, deaths, and what they say of the delay.
type Case = (Vec<(&'static str, Value)>, Vec<Death>, &'static str);

#[test]
fn the_delay_asked_for() {
    let header = |value: Value| vec![("x-delay", value)];
    let none = Vec::new;
    let own = |value: Value| vec![("x-delayctl-delay", value)];
    let table: Vec<Case> = vec![
        (own(5000_u64.into()), none(), "5000 by x-delayctl-delay"),
        (own("5000".into()), none(), "5000 by x-delayctl-delay"),
        (own(0_u64.into()), vec![death("q5", "expired", 1, None)], "0 by x-delayctl-delay"),
        (own(Value::Int(-1)), vec![death("q5", "expired", 1, None)], "5000 by x-death"),
        (own(Value::Int(i64::MIN)), none(), "-"),
        (header(5000_u64.into()), none(), "5000 by x-delay"),
        (header(Value::Int(-5000)), none(), "5000 by x-delay"),
        (header("5000".into()), none(), "5000 by x-delay"),
        (header("soon".into()), none(), "0 by x-delay"),
        (header(true.into()), none(), "0 by x-delay"),
        (header(Value::Float(Float(f64::NAN))), none(), "0 by x-delay"),
        (header(Value::Float(Float(f64::MAX))), none(), "0 by x-delay"),
        (header(4_294_967_295_u64.into()), none(), "4294967295 by x-delay"),
        (header(4_294_967_296_u64.into()), none(), "0 by x-delay"),
        (header(Value::Int(i64::MIN)), none(), "0 by x-delay"),
        (vec![], vec![death("q5", "expired", 1, None)], "5000 by x-death"),
        (vec![], vec![death("q5", "expired", 3, None)], "15000 by x-death"),
        (vec![], vec![death("q30", "expired", 1, Some(700))], "700 by x-death"),
        (vec![], vec![death("q5", "expired", 1, Some(9000))], "5000 by x-death"),
        (vec![], vec![death("q5", "expired", 2, Some(700))], "5700 by x-death"),
        (
            vec![],
            vec![
                death("work", "rejected", 4, None),
                death("q5", "expired", 1, None),
                death("other", "expired", 1, Some(700)),
            ],
            "5700 by x-death",
        ),
        (vec![], vec![death("q5", "maxlen", 1, None)], "5000 by x-death"),
        (
            header(1000_u64.into()),
            vec![death("q5", "expired", 1, None)],
            "6000 by x-delay and x-death",
        ),
        (vec![], vec![death("huge", "expired", u64::MAX, None)], "18446744073709551615 by x-death"),
    ];
    for (headers, deaths, expected) in table {
        let shown = match measure(&seen_after(0, &headers, deaths.clone()), &file()).asked {
            Ok(asked) => format!("{} by {}", asked.ms, asked.from),
            Err(_) => "-".to_owned(),
        };
        assert_eq!(shown, expected, "{headers:?} {deaths:?}");
    }
}

#[test]
fn lateness_of_what_delayctl_published() {
    let table = [
        (5_002_149, "2.1 ms late"),
        (5_000_000, "on time"),
        (5_000_999, "1.0 ms late"),
        (4_988_000, "12.0 ms early"),
        (7_500_000, "2.50 s late"),
        (95_000_000, "1m30s late"),
    ];
    for (seen_us, expected) in table {
        let headers = [("x-delayctl-sent-at", SENT_MS.into()), ("x-delayctl-delay", 5000.into())];
        let measured = measure(&seen_after(seen_us, &headers, vec![]), &file());
        assert_eq!(measured.lateness.unwrap().to_string(), expected, "{seen_us}");
    }
}

#[test]
fn a_timestamp_in_seconds_is_no_stopwatch() {
    // Sent at some time within the second 1,700,000,000; asked for 5 s.
    let table = [
        (5_000_000, "~on time", 0),
        (5_740_000, "~on time", 0),
        (6_700_000, "~on time", 0),
        (7_000_000, "~1 s late", 1),
        (4_800_000, "~on time", 0),
        (3_700_000, "~1 s early", -1),
        (99_000_000, "~1m33s late", 93),
    ];
    for (seen_us, expected, seconds) in table {
        let mut message = seen_after(seen_us, &[("x-delay", 5000.into())], vec![]);
        message.timestamp_s = Some(SENT_MS / 1000);
        let lateness = measure(&message, &file()).lateness.unwrap();
        assert_eq!((lateness.to_string().as_str(), lateness.us), (expected, seconds * 1_000_000));
    }
}

#[test]
fn what_cannot_be_known_and_why() {
    let reason = |headers: &[(&str, Value)], timestamp_s, deaths| {
        let message = Delivered { timestamp_s, ..seen_after(0, headers, deaths) };
        measure(&message, &Ttls::new()).lateness.unwrap_err().to_string()
    };
    let sent = [("timestamp_in_ms", Value::from(SENT_MS))];
    let expired = vec![death("q", "expired", 1, None)];
    let rejected = vec![death("q", "rejected", 1, None)];
    let absurd = [("x-delayctl-sent-at", Value::Int(i64::MIN)), ("x-delay", 5.into())];
    let reasons = [
        reason(&[], None, vec![]),
        reason(&absurd, Some(0), vec![]),
        reason(&[("timestamp_in_ms", i64::MAX.unsigned_abs().into())], None, vec![]),
        reason(&[], Some(SENT_MS), vec![]),
        reason(&[], Some(u64::MAX), vec![]),
        reason(&sent, None, rejected),
        reason(&sent, None, expired),
    ];
    assert_snapshot!(reasons.join("\n"), @"
    no sent time: the publisher set neither `timestamp` nor the headers `timestamp_in_ms` or `x-delayctl-sent-at`
    no sent time: the publisher set neither `timestamp` nor the headers `timestamp_in_ms` or `x-delayctl-sent-at`
    no sent time: `timestamp_in_ms` is 9223372036854775807, which lies in the future
    no sent time: `timestamp` is 1700000000250, which lies in the future
    no sent time: `timestamp` is 18446744073709551615, which lies in the future
    delay unknown: neither `x-delayctl-delay` nor `x-delay` is set, and `x-death` names no queue that it waited in
    delay unknown: the file gives no TTL for queue `q`, in which it expired
    ");
}

#[test]
fn json_has_units_in_its_names() {
    let headers = [("timestamp_in_ms", SENT_MS.into()), ("x-delay", Value::Int(-5000))];
    let measured = measure(&seen_after(5_002_149, &headers, vec![]), &file());
    let unknown = measure(&seen_after(0, &[], vec![]), &file());
    let json = serde_json::to_string_pretty(&[measured, unknown]).unwrap();
    assert_snapshot!(json, @r#"
    [
      {
        "delay_asked_ms": 5000,
        "delay_asked_from": "x-delay",
        "sent_at_ms": 1700000000250,
        "sent_at_from": "timestamp_in_ms",
        "delay_seen_ms": 5002.149,
        "lateness_ms": 2.149,
        "precision": "ms",
        "unmeasurable": null
      },
      {
        "delay_asked_ms": null,
        "delay_asked_from": null,
        "sent_at_ms": null,
        "sent_at_from": null,
        "delay_seen_ms": null,
        "lateness_ms": null,
        "precision": null,
        "unmeasurable": "no sent time: the publisher set neither `timestamp` nor the headers `timestamp_in_ms` or `x-delayctl-sent-at`"
      }
    ]
    "#);
}

fn run(lateness_us: impl IntoIterator<Item = i64>, precision: Precision) -> Summary {
    let mut summary = Summary::new(Millis(100));
    for us in lateness_us {
        let mut measured = measure(&seen_after(0, &[], vec![]), &file());
        measured.lateness = Ok(Lateness { us, precision });
        summary.record(&measured, false, false);
    }
    summary
}

#[test]
fn a_run_in_figures() {
    let mut summary =
        run((0..198).map(|n| 1000 + n * 10).chain([-12_000, 250_000]), Precision::Exact);
    summary.record(&measure(&seen_after(0, &[], vec![]), &file()), true, true);
    assert_snapshot!(summary.figures(), @"
    201 deliveries, 1 early (the worst by 12.0 ms), 1 more than 100ms late
    lateness: p50 2.0 ms, p99 3.0 ms, max 250.0 ms
    1 not measured: no sent time: the publisher set neither `timestamp` nor the headers `timestamp_in_ms` or `x-delayctl-sent-at`
    1 duplicate, 1 redelivered
    ");
    assert_snapshot!(serde_json::to_string_pretty(&summary.figures()).unwrap(), @r#"
    {
      "count": 201,
      "measured": 200,
      "measured_to_the_second": 0,
      "unmeasured": 1,
      "unmeasured_because": "no sent time: the publisher set neither `timestamp` nor the headers `timestamp_in_ms` or `x-delayctl-sent-at`",
      "early": 1,
      "worst_early_ms": 12.0,
      "late": 1,
      "late_bound_ms": 100,
      "lateness_p50_ms": 1.98,
      "lateness_p99_ms": 2.961,
      "lateness_max_ms": 250.0,
      "duplicates": 1,
      "redelivered": 1
    }
    "#);
}

#[test]
fn runs_that_are_all_of_one_kind() {
    let pieces = [
        run([], Precision::Exact),
        run([2000], Precision::Exact),
        run([-3000, -1000, -2000], Precision::Exact),
        run([i64::MIN, i64::MAX], Precision::Exact),
        run([0, 2_000_000], Precision::Second),
    ];
    let text: Vec<_> = pieces.iter().map(|summary| summary.figures().to_string()).collect();
    assert_snapshot!(text.join("\n\n"), @"
    0 deliveries, 0 early, 0 more than 100ms late

    1 delivery, 0 early, 0 more than 100ms late
    lateness: p50 2.0 ms, p99 2.0 ms, max 2.0 ms

    3 deliveries, 3 early (the worst by 3.0 ms), 0 more than 100ms late
    lateness: p50 -2.0 ms, p99 -1.0 ms, max -1.0 ms

    2 deliveries, 1 early (the worst by 106751991d4h55s), 1 more than 100ms late
    lateness: p50 -3652d7h30m37s, p99 3652d7h30m37s, max 106751991d4h55s

    2 deliveries, 0 early, 1 more than 100ms late
    lateness: p50 0.0 ms, p99 2.00 s, max 2.00 s (2 of them to the second only)
    ");
}

fn header() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_map(|number| Value::Float(Float(number))),
        any::<u64>().prop_map(|number| Value::Str(number.to_string())),
        ".{0,8}".prop_map(Value::Str),
        any::<bool>().prop_map(Value::Bool),
    ]
}

fn any_death() -> impl Strategy<Value = Death> {
    let queue = prop::sample::select(vec!["q5", "huge", "unknown"]);
    let reason = prop::sample::select(vec!["expired", "maxlen", "rejected"]);
    (queue, reason, any::<u64>(), any::<Option<u64>>())
        .prop_map(|(queue, reason, count, expiration)| death(queue, reason, count, expiration))
}

proptest! {
    #[test]
    fn no_message_is_too_absurd(
        values in prop::collection::vec(header(), 4),
        deaths in prop::collection::vec(any_death(), 0..4),
        timestamp_s: Option<u64>,
        seen_at_us: u64,
    ) {
        let names = ["x-delayctl-sent-at", "x-delayctl-delay", "x-delay", "timestamp_in_ms"];
        let headers = names.map(str::to_owned).into_iter().zip(values).collect();
        let message = Delivered { headers, deaths, timestamp_s, seen_at_us, ..Delivered::default() };
        let measured = measure(&message, &file());
        let mut summary = Summary::new(Millis(u64::MAX));
        summary.record(&measured, false, false);
        let _ = summary.figures().to_string();
        let _ = measured.lateness.map(|lateness| lateness.to_string());
    }
}

use insta::assert_snapshot;

use super::*;
use crate::render::lanes::tests::demo;

#[test]
fn the_demo_at_80_columns() {
    assert_snapshot!(timeline(&demo(), 80), @"
               0 s          1 s          2 s          3 s
               ┴────────────┴────────────┴────────────┴
    blocked — one queue, per-message TTL
      A 3s     ───────────────────────────────────────●  left at 3.00 s, 3.2 ms late
      B 500ms  ──────┊░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░●  left at 3.00 s, 2.50 s late
      C 1s     ─────────────┊░░░░░░░░░░░░░░░░░░░░░░░░░●  left at 3.00 s, 2.00 s late
    tiers — a queue per delay
      A 3s     ───────────────────────────────────────●  left at 3.00 s, 2.7 ms late
      B 500ms  ──────●                                   left at 0.50 s, 3.9 ms late
      C 1s     ─────────────●                            left at 1.00 s, 2.4 ms late
    plugin — delayed-message exchange (not run: RabbitMQ 4.3 has no
      `x-delayed-message`)
    rising — one queue, delays that never decrease
      B 500ms  ──────●                                   left at 0.50 s, 2.0 ms late
      C 1s     ─────────────●                            left at 1.00 s, 3.0 ms late
      A 3s     ───────────────────────────────────────●  left at 3.00 s, 1.9 ms late

               ─ waits   ┊ due   ░ blocked   ● left
    ");
}

#[test]
fn the_demo_at_60_columns() {
    assert_snapshot!(timeline(&demo(), 60), @"
               0 s               2 s
               ┴─────────────────┴─────────
    blocked — one queue, per-message TTL
      A 3s     ───────────────────────────●  3.00 s, 3.2 ms late
      B 500ms  ────┊░░░░░░░░░░░░░░░░░░░░░░●  3.00 s, 2.50 s late
      C 1s     ─────────┊░░░░░░░░░░░░░░░░░●  3.00 s, 2.00 s late
    tiers — a queue per delay
      A 3s     ───────────────────────────●  3.00 s, 2.7 ms late
      B 500ms  ────●                         0.50 s, 3.9 ms late
      C 1s     ─────────●                    1.00 s, 2.4 ms late
    plugin — delayed-message exchange (not run: RabbitMQ 4.3 has
      no `x-delayed-message`)
    rising — one queue, delays that never decrease
      B 500ms  ────●                         0.50 s, 2.0 ms late
      C 1s     ─────────●                    1.00 s, 3.0 ms late
      A 3s     ───────────────────────────●  3.00 s, 1.9 ms late

               ─ waits   ┊ due   ░ blocked   ● left
    ");
}

#[test]
fn the_demo_at_120_columns() {
    assert_snapshot!(timeline(&demo(), 120), @"
               0 s        0.5 s       1 s        1.5 s       2 s        2.5 s       3 s
               ┴──────────┴───────────┴──────────┴───────────┴──────────┴───────────┴
    blocked — one queue, per-message TTL
      A 3s     ─────────────────────────────────────────────────────────────────────●  left at 3.00 s, 3.2 ms late
      B 500ms  ───────────┊░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░●  left at 3.00 s, 2.50 s late, behind A
      C 1s     ───────────────────────┊░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░●  left at 3.00 s, 2.00 s late, behind A
    tiers — a queue per delay
      A 3s     ─────────────────────────────────────────────────────────────────────●  left at 3.00 s, 2.7 ms late
      B 500ms  ───────────●                                                            left at 0.50 s, 3.9 ms late
      C 1s     ───────────────────────●                                                left at 1.00 s, 2.4 ms late
    plugin — delayed-message exchange (not run: RabbitMQ 4.3 has no `x-delayed-message`)
    rising — one queue, delays that never decrease
      B 500ms  ───────────●                                                            left at 0.50 s, 2.0 ms late
      C 1s     ───────────────────────●                                                left at 1.00 s, 3.0 ms late
      A 3s     ─────────────────────────────────────────────────────────────────────●  left at 3.00 s, 1.9 ms late

               ─ waits   ┊ due   ░ blocked   ● left
    ");
}

#[test]
fn the_demo_in_figures() {
    assert_snapshot!(table(&demo(), Some(80)), @"
    lane     message  delay  expected  observed  lateness  blocked by
    ─────────────────────────────────────────────────────────────────
    blocked  A           3s    3.00 s    3.00 s    3.2 ms
    blocked  B        500ms    0.50 s    3.00 s    2.50 s  A
    blocked  C           1s    1.00 s    3.00 s    2.00 s  A
    tiers    A           3s    3.00 s    3.00 s    2.7 ms
    tiers    B        500ms    0.50 s    0.50 s    3.9 ms
    tiers    C           1s    1.00 s    1.00 s    2.4 ms
    rising   B        500ms    0.50 s    0.50 s    2.0 ms
    rising   C           1s    1.00 s    1.00 s    3.0 ms
    rising   A           3s    3.00 s    3.00 s    1.9 ms
    plugin was not run: RabbitMQ 4.3 has no `x-delayed-message`
    ");
}

#[test]
fn simulated_lost_early_and_late() {
    let mut lanes = demo();
    lanes.truncate(2);
    lanes[0].skipped = Some("`--simulate`".to_owned());
    for track in &mut lanes[0].messages {
        track.simulated_ms = Some(3000.0);
        track.observed_ms = None;
    }
    lanes[1].how = "a hostile \x1b[2J name".to_owned();
    lanes[1].messages[0].observed_ms = None;
    lanes[1].messages[1].observed_ms = Some(1900.0);
    lanes[1].messages[2].observed_ms = Some(400.0);
    lanes[1].messages[2].sent_ms = 200.0;
    assert_snapshot!(timeline(&lanes, 80), @r"
               0 s         1 s         2 s         3 s
               ┴───────────┴───────────┴───────────┴
    blocked — one queue, per-message TTL (simulated)
      A 3s     ────────────────────────────────────○  leaves at 3.00 s, on time
      B 500ms  ──────┊░░░░░░░░░░░░░░░░░░░░░░░░░░░░░○  leaves at 3.00 s, 2.50 s late
      C 1s     ────────────┊░░░░░░░░░░░░░░░░░░░░░░░○  leaves at 3.00 s, 2.00 s late
    tiers — a hostile \x1b[2J name
      A 3s     ────────────────────────────────────✗  never seen: lost
      B 500ms  ──────┊╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌●               left at 1.90 s, 1.40 s late
      C 1s       ───●      ┊                          left at 0.40 s, 600.0 ms early

               ─ waits   ┊ due   ░ blocked   ╌ late   ● left
               ○ leaves, as simulated   ✗ lost
    ");
    assert_snapshot!(table(&lanes, Some(80)), @"
    lane     message  delay  expected  simulated  observed   lateness  blocked by
    ─────────────────────────────────────────────────────────────────────────────
    blocked  A           3s    3.00 s     3.00 s         —     0.0 ms
    blocked  B        500ms    0.50 s     3.00 s         —     2.50 s  A
    blocked  C           1s    1.00 s     3.00 s         —     2.00 s  A
    tiers    A           3s    3.00 s          —      lost          —
    tiers    B        500ms    0.50 s          —    1.90 s     1.40 s
    tiers    C           1s    1.00 s          —    0.40 s  -600.0 ms
    ");
}

#[test]
fn nothing_to_draw() {
    assert_snapshot!(timeline(&[], 80), @"");
    assert_snapshot!(timeline(&demo()[2..3], 80), @"
    plugin — delayed-message exchange (not run: RabbitMQ 4.3 has no
      `x-delayed-message`)
    ");
}

#[test]
fn no_line_is_wider_than_asked_for() {
    for width in 60..=160 {
        for line in timeline(&demo(), width).lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn absurd_times_do_not_panic() {
    for ms in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, 1e-300, 1e300] {
        let mut lanes = demo();
        for track in lanes.iter_mut().flat_map(|lane| &mut lane.messages) {
            track.expected_ms = ms;
            track.observed_ms = Some(ms);
        }
        timeline(&lanes, 80);
        table(&lanes, Some(80));
    }
}

//! Stepped checks: an order is looked at again and again, after waits that double, until it is
//! paid or its time is over.
//!
//! Against one check at the end, this takes more messages, of which most wait only for the first
//! check. Who decides is the same whether a broker carries the messages or a model of one.

use std::str::FromStr;

use serde::Serialize;

use crate::duration::{Millis, MillisError};
use crate::timing::{Lateness, Summary};

/// When an unpaid order is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    first: Millis,
    until: Millis,
}

/// One look at an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// How long its message waits for it.
    pub wait: Millis,
    /// The order's age by then.
    pub at: Millis,
}

impl Steps {
    /// The first check after `first`, each next one after twice the wait, the last at `until`.
    ///
    /// # Errors
    /// A sentence, when there would be no check, or one of no wait.
    pub fn new(first: Millis, until: Millis) -> Result<Self, String> {
        if first.0 == 0 {
            return Err("the first check cannot be after no time".to_owned());
        }
        if first > until {
            return Err(format!(
                "the first check, after {first}, would be beyond the last, {until}"
            ));
        }
        Ok(Steps { first, until })
    }

    /// How long an unpaid order of this age waits for its next check, if it waited `last` for this
    /// one. `None`: its time is over.
    pub fn next(self, age: Millis, last: Option<Millis>) -> Option<Millis> {
        let left = self.until.0.saturating_sub(age.0);
        let wait = last.map_or(self.first.0, |last| last.0.saturating_mul(2));
        (left > 0).then_some(Millis(wait.min(left)))
    }

    /// The checks of an order that is never paid and whose messages are never late.
    pub fn checks(self) -> Vec<Check> {
        let mut checks = Vec::new();
        let (mut at, mut last) = (Millis(0), None);
        while let Some(wait) = self.next(at, last) {
            at = Millis(at.0 + wait.0);
            last = Some(wait);
            checks.push(Check { wait, at });
        }
        checks
    }
}

/// So many percent of the orders are paid at this age: `30s=80`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The age.
    pub at: Millis,
    /// The percentage.
    pub percent: u8,
}

impl FromStr for Payment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write `TIME=PERCENT`, such as `30s=80`";
        let (at, percent) = text.split_once('=').ok_or(form)?;
        let percent = percent.trim_end_matches('%').parse().ok().filter(|it| *it <= 100);
        let percent = percent.ok_or_else(|| format!("not a percentage of 0 to 100: {form}"))?;
        Ok(Payment { at: at.parse().map_err(|error: MillisError| error.to_string())?, percent })
    }
}

/// Which orders are paid, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payments(Vec<Payment>);

impl Payments {
    /// What none of them pays is never paid.
    ///
    /// # Errors
    /// A sentence, when more orders would be paid than there are.
    pub fn new(payments: Vec<Payment>) -> Result<Self, String> {
        let sum: u32 = payments.iter().map(|payment| u32::from(payment.percent)).sum();
        if sum > 100 {
            Err(format!("{sum} % of the orders would be paid"))
        } else {
            Ok(Payments(payments))
        }
    }

    /// The age at which an order is paid, by its number from 0 among so many.
    fn of(&self, order: usize, orders: usize) -> Option<Millis> {
        let mut below = 0;
        self.0.iter().find_map(|payment| {
            below += usize::from(payment.percent);
            (order * 100 < below * orders).then_some(payment.at)
        })
    }
}

/// What the consumer does about an order that it looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: it is paid.
    Paid,
    /// Look again after this.
    Again(Millis),
    /// Cancel it and release its stock.
    Cancel,
}

/// The orders and what has become of them.
#[derive(Debug)]
pub struct Book {
    steps: Steps,
    payments: Payments,
    orders: Vec<Order>,
    rows: Vec<(Check, u64, u64, Summary)>,
    waited_ms: f64,
}

#[derive(Clone, Debug, Default)]
struct Order {
    checks: usize,
    end: Option<(Verdict, Millis)>,
}

impl Book {
    /// So many orders, placed at the same time.
    pub fn new(steps: Steps, payments: Payments, orders: usize) -> Self {
        let row = |check| (check, 0, 0, Summary::new(Millis(1000)));
        let rows = steps.checks().into_iter().map(row).collect();
        Book { steps, payments, orders: vec![Order::default(); orders], rows, waited_ms: 0.0 }
    }

    /// The age at which an unpaid order is cancelled.
    pub fn until(&self) -> Millis {
        self.steps.until
    }

    /// How many orders there are.
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// Orders that are neither paid nor cancelled as far as the consumer knows.
    pub fn open(&self) -> usize {
        self.orders.iter().filter(|order| order.end.is_none()).count()
    }

    /// The consumer looks at an order of this number and age, whose message waited so long, which
    /// was so much too late. `None`: there is no such order, or it is settled already.
    pub fn check(
        &mut self,
        number: usize,
        age: Millis,
        waited: Millis,
        lateness: Option<Lateness>,
    ) -> Option<Verdict> {
        let orders = self.orders.len();
        let order = self.orders.get_mut(number).filter(|order| order.end.is_none())?;
        let last = self.rows.len() - 1;
        let (_, looked_at, paid, late) = &mut self.rows[order.checks.min(last)];
        order.checks += 1;
        *looked_at += 1;
        lateness.into_iter().for_each(|lateness| late.record_lateness(lateness));
        self.waited_ms += waited.0 as f64;
        let verdict = match self.payments.of(number, orders) {
            Some(at) if at <= age => Verdict::Paid,
            _ => self.steps.next(age, Some(waited)).map_or(Verdict::Cancel, Verdict::Again),
        };
        *paid += u64::from(verdict == Verdict::Paid);
        if !matches!(verdict, Verdict::Again(_)) {
            order.end = Some((verdict, age));
        }
        Some(verdict)
    }

    /// What has become of them so far.
    pub fn outcome(&self) -> Outcome {
        let ends = |wanted: Verdict| {
            let all = self.orders.iter().filter_map(move |order| order.end);
            all.filter(move |(verdict, _)| *verdict == wanted).map(|(_, age)| age.0)
        };
        let orders = self.orders.len() as u64;
        let rows = self.rows.iter().map(|(check, looked_at, paid, late)| {
            let late = late.figures();
            Row {
                wait_ms: check.wait.0,
                at_ms: check.at.0,
                looked_at: *looked_at,
                paid: *paid,
                lateness_p50_ms: late.lateness_p50_ms,
                lateness_max_ms: late.lateness_max_ms,
            }
        });
        let checks: Vec<_> = rows.collect();
        Outcome {
            orders,
            paid: ends(Verdict::Paid).count() as u64,
            cancelled: ends(Verdict::Cancel).count() as u64,
            open: self.open() as u64,
            earliest_cancelled_ms: ends(Verdict::Cancel).min(),
            latest_cancelled_ms: ends(Verdict::Cancel).max(),
            messages: checks.iter().map(|row| row.looked_at).sum(),
            waited_ms: self.waited_ms,
            waited_with_one_check_ms: orders as f64 * self.steps.until.0 as f64,
            checks,
        }
    }
}

/// What became of the orders. Times are those of the orders, not of a demonstration in quick motion,
/// but for the lateness.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The checks, in order.
    pub checks: Vec<Row>,
    /// Orders.
    pub orders: u64,
    /// Found to be paid.
    pub paid: u64,
    /// Cancelled.
    pub cancelled: u64,
    /// Neither: their messages did not come back.
    pub open: u64,
    /// The least age of a cancelled order.
    pub earliest_cancelled_ms: Option<u64>,
    /// The greatest.
    pub latest_cancelled_ms: Option<u64>,
    /// Messages that waited.
    pub messages: u64,
    /// How long they waited, all together.
    pub waited_ms: f64,
    /// How long one message for each order would, with a single check at the end.
    pub waited_with_one_check_ms: f64,
}

/// One of the checks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// How long a message waits for it.
    pub wait_ms: u64,
    /// An order's age by then.
    pub at_ms: u64,
    /// Orders that were looked at.
    pub looked_at: u64,
    /// Those among them that were paid.
    pub paid: u64,
    /// The messages' median lateness.
    pub lateness_p50_ms: Option<f64>,
    /// The worst.
    pub lateness_max_ms: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(all: &[u64]) -> Vec<Millis> {
        all.iter().map(|minutes| Millis(minutes * 60_000)).collect()
    }

    #[test]
    fn waits_double_and_the_last_is_cut() {
        let [first, until] = minutes(&[1, 30])[..] else { unreachable!() };
        let checks = Steps::new(first, until).unwrap().checks();
        let (waits, ages): (Vec<_>, Vec<_>) = checks.iter().map(|it| (it.wait, it.at)).unzip();
        assert_eq!(waits, minutes(&[1, 2, 4, 8, 15]));
        assert_eq!(ages, minutes(&[1, 3, 7, 15, 30]));
        let once = Steps::new(until, until).unwrap().checks();
        assert_eq!(once, [Check { wait: until, at: until }]);
        assert!(Steps::new(until, first).is_err());
        assert!(Steps::new(Millis(0), first).is_err());
    }

    #[test]
    fn a_late_message_is_made_up_for() {
        let [first, until] = minutes(&[1, 30])[..] else { unreachable!() };
        let steps = Steps::new(first, until).unwrap();
        let last = Some(Millis(8 * 60_000));
        assert_eq!(steps.next(Millis(15 * 60_000 + 7), last), Some(Millis(15 * 60_000 - 7)));
        assert_eq!(steps.next(until, last), None);
        assert_eq!(steps.next(Millis(until.0 + 1), last), None);
    }

    #[test]
    fn payments_are_shares_of_the_orders() {
        let parse = |text: &str| text.parse::<Payment>();
        let payments = Payments::new(vec![parse("30s=80").unwrap(), parse("5m=10%").unwrap()]);
        let payments = payments.unwrap();
        let paid: Vec<_> = (0..10).map(|order| payments.of(order, 10)).collect();
        assert_eq!(paid[..8], vec![Some(Millis(30_000)); 8]);
        assert_eq!(paid[8..], [Some(Millis(300_000)), None]);
        assert!(Payments::new(vec![parse("1s=60").unwrap(), parse("2s=41").unwrap()]).is_err());
        for wrong in ["30s", "30s=", "30s=101", "soon=8"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_order_is_settled_once() {
        let steps = Steps::new(Millis(10), Millis(30)).unwrap();
        let mut book = Book::new(steps, Payments(vec![Payment { at: Millis(5), percent: 50 }]), 2);
        assert_eq!(book.check(0, Millis(10), Millis(10), None), Some(Verdict::Paid));
        assert_eq!(book.check(0, Millis(10), Millis(10), None), None);
        assert_eq!(book.check(1, Millis(12), Millis(10), None), Some(Verdict::Again(Millis(18))));
        assert_eq!(book.open(), 1);
        assert_eq!(book.check(1, Millis(31), Millis(18), None), Some(Verdict::Cancel));
        assert_eq!(book.check(2, Millis(31), Millis(18), None), None);
        let outcome = book.outcome();
        assert_eq!((outcome.paid, outcome.cancelled, outcome.open), (1, 1, 0));
        assert_eq!((outcome.messages, outcome.waited_ms), (3, 38.0));
        assert_eq!(outcome.earliest_cancelled_ms, Some(31));
    }
}

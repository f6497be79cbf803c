//! Tests that cannot run here, told so that nobody takes them for passed.

use std::io::Write;

/// Says that a test did not run, and why; also in the file named by `DELAYCTL_SKIP_LOG`.
pub fn skip(test: &str, reason: &str) {
    let line = format!("SKIPPED {test}: {reason}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "{line}");
    if let Some(path) = std::env::var_os("DELAYCTL_SKIP_LOG") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        writeln!(file.expect("the skip log opens"), "{line}").expect("the skip log is written");
    }
}

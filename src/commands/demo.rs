//! What the demonstrations on a live broker share: a copy under names of its own, which is gone
//! afterwards.

use super::Shell;
use crate::broker::{Broker, Removal, Removed};
use crate::copy::Copy;
use crate::objects::Objects;

/// A prefix that no other run has at the same time.
pub fn prefix() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = now.unwrap_or_default().as_secs();
    format!("delayctl-demo.{:x}-{:x}.", seconds, std::process::id())
}

/// Removes what the demo made, whatever happened to it.
pub async fn clean_up(mut broker: Broker, objects: &Objects, copy: &Copy, shell: &Shell) {
    shell.output.say("removing what was declared");
    let report = broker.remove(objects, Removal::default()).await;
    let failed = report.objects.iter().find_map(|(_, removed)| match removed {
        Removed::Failed(error) => Some(error),
        _ => None,
    });
    if let Some(error) = failed {
        let prefix = &copy.prefix;
        shell.output.warn(&format!("objects named `{prefix}…` are left over: {error}"));
    }
    broker.close().await;
}

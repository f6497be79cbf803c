//! Names of the objects that strategies make.

use crate::duration::Millis;

/// The exchange that a delay's messages are published to, unless the file names one.
pub fn exchange(given: Option<&String>, delay_name: &str) -> String {
    given.cloned().unwrap_or_else(|| format!("{delay_name}.delay"))
}

/// Fills a name template: `{name}` is the delay's key in the file, `{delay}` the time, `30s`.
pub fn fill(template: &str, delay_name: &str, delay: Millis) -> String {
    template.replace("{name}", delay_name).replace("{delay}", &delay.to_string())
}

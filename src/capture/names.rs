//! Names for delays that had none, or whose names are lost.

use std::collections::HashSet;

/// The wanted name, or the first of `name-2`, `name-3`, … that is free.
pub fn unique(wanted: &str, taken: &HashSet<String>) -> String {
    let wanted = if wanted.is_empty() { "delay" } else { wanted };
    let mut name = wanted.to_owned();
    let mut number = 1;
    while taken.contains(&name) {
        number += 1;
        name = format!("{wanted}-{number}");
    }
    name
}

/// What stands before an ending that delayctl gives its names.
pub fn without<'a>(name: &'a str, ending: &str) -> Option<&'a str> {
    name.strip_suffix(ending).filter(|rest| !rest.is_empty())
}

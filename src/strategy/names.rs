//! Names of the objects that strategies make.

use crate::duration::Millis;

/// The placeholders of a name that a whole delay has once.
pub const DELAY: &[&str] = &["{name}"];
/// The placeholders of a name that there is one of for each time.
pub const DELAY_AND_TIME: &[&str] = &["{name}", "{delay}"];

/// The exchange that a delay's messages are published to, unless the file names one.
pub fn exchange(given: Option<&String>, delay_name: &str) -> String {
    let template = given.map_or("{name}.delay", String::as_str);
    template.replace("{name}", delay_name)
}

/// Fills a name template: `{name}` is the delay's key in the file, `{delay}` the time, `30s`.
pub fn fill(template: &str, delay_name: &str, delay: Millis) -> String {
    // The time first: a delay may be called `{delay}`.
    template.replace("{delay}", &delay.to_string()).replace("{name}", delay_name)
}

/// The (field, template, placeholders) triples that have a placeholder which is none: it would
/// stay in the name as it is.
pub fn problems(templates: &[(&str, Option<&String>, &[&str])]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (field, template, known) in templates {
        let Some(unknown) = template.and_then(|text| unknown_placeholder(text, known)) else {
            continue;
        };
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let message = format!("`{unknown}` is no placeholder here: there is {known}");
        found.push(((*field).to_owned(), message));
    }
    found
}

fn unknown_placeholder<'a>(template: &'a str, known: &[&str]) -> Option<&'a str> {
    let starts = template.match_indices('{').map(|(start, _)| &template[start..]);
    let mut words = starts.filter_map(|rest| rest.find('}').map(|end| &rest[..=end]));
    words.find(|word| !known.contains(word))
}

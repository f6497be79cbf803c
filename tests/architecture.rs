//! The rooms of the crate and who may name whom, read from the sources. Code under `#[cfg(test)]`
//! and files of tests are free to bring rooms together; only the crates of the shell stay out.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Rooms that touch sockets, files, clocks or terminals. All others are pure.
const SHELL: &[&str] = &["broker", "cli", "commands", "exit", "lib", "main", "output"];

/// What pure rooms never name.
const EFFECTS: &[&str] = &[
    "anyhow",
    "clap",
    "indicatif",
    "lapin",
    "rabbitmq_http_client",
    "reqwest",
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "tokio",
];

/// The rooms that a pure room may name; one that is not listed may name every pure room.
const IMPORTS: &[(&str, &[&str])] = &[
    ("duration", &[]),
    ("objects", &[]),
    ("version", &[]),
    ("message", &["duration", "objects"]),
    ("definitions", &["objects"]),
    ("capture", &["duration", "objects", "plan", "routing", "strategy", "topology"]),
    ("convert", &["duration", "objects", "routing", "strategy", "topology"]),
    ("policy", &["objects", "version"]),
    ("vhost", &[]),
    ("routing", &["objects"]),
    ("plan", &["duration", "objects", "policy", "version", "vhost"]),
    ("strategy", &["duration", "message", "objects", "routing"]),
    ("timing", &["duration", "message", "objects"]),
    ("topology", &["duration", "objects", "policy", "routing", "strategy", "vhost"]),
    (
        "lint",
        &["duration", "message", "objects", "policy", "routing", "strategy", "topology", "version"],
    ),
    (
        "simulate",
        &["duration", "message", "objects", "policy", "routing", "strategy", "topology", "version"],
    ),
    ("forecast", &["duration", "message", "objects", "simulate", "timing"]),
    ("stepped", &["duration", "timing"]),
];

/// What only some files name.
const OWNERS: &[(&str, &[&str])] = &[
    ("lapin", &["broker/"]),
    ("rabbitmq_http_client", &["broker/"]),
    ("reqwest", &["broker/"]),
    ("serde_yaml", &["topology/file.rs"]),
    ("print!", &["output.rs"]),
    ("println!", &["output.rs"]),
    ("eprint!", &["output.rs"]),
    ("eprintln!", &["output.rs"]),
    ("dbg!", &[]),
    ("std::io::stdout", &["output.rs"]),
    ("std::io::stderr", &["output.rs"]),
];

#[test]
fn the_rooms_keep_to_themselves() {
    let mut found = Vec::new();
    for (file, text) in sources(Path::new("src"), "") {
        found.extend(breaches(&file, &text));
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn a_broken_rule_is_found() {
    let table: &[(&str, &str, &[&str])] = &[
        ("objects.rs", "use std::fmt;\nuse std::time::Duration;", &[]),
        ("objects.rs", "// use std::fs;\nconst A: &str = \"std::fs::read\";", &[]),
        ("objects.rs", "/* use std::fs; /* */ */ const A: char = '\"'; fn a<'a>() {}", &[]),
        ("objects.rs", "use std::fs;", &["objects.rs names std::fs"]),
        ("objects.rs", "use std::{fmt, fs as files};", &["objects.rs names std::fs"]),
        (
            "objects.rs",
            "use std::{time::{Duration, Instant}};",
            &["objects.rs names std::time::Instant"],
        ),
        (
            "plan/order.rs",
            "fn a() { std::time::SystemTime::now() }",
            &["plan/order.rs names std::time::SystemTime"],
        ),
        (
            "plan.rs",
            "use std::time;\nfn a() { time::Instant::now() }",
            &["plan.rs names std::time::Instant"],
        ),
        ("render/tree.rs", "fn a(c: ::lapin::Channel) {}", &["render/tree.rs names lapin"]),
        ("timing.rs", "#[tokio::main] fn a() {}", &["timing.rs names tokio"]),
        ("routing.rs", "use crate::strategy::Delay;", &["routing.rs names crate::strategy"]),
        (
            "routing.rs",
            "use super::{objects::Queue, strategy};",
            &["routing.rs names crate::strategy"],
        ),
        (
            "strategy/ladder/shape.rs",
            "use super::super::super::topology::parse;",
            &["strategy/ladder/shape.rs names crate::topology"],
        ),
        ("strategy/mod.rs", "use super::plan::Plan;", &["strategy/mod.rs names crate::plan"]),
        ("strategy/tiers.rs", "use super::names;\nuse crate::objects::Queue;", &[]),
        ("render/tree.rs", "use crate::broker::Broker;", &["render/tree.rs names crate::broker"]),
        ("plan.rs", "fn a() {}\n#[cfg(test)]\nmod tests { use crate::topology::parse; }", &[]),
        ("render/tests.rs", "use crate::lint::lint;\nuse std::fs;", &[]),
        ("commands/load.rs", "use serde_yaml::Value;", &["commands/load.rs names serde_yaml"]),
        ("topology/file.rs", "use serde_yaml::Value;", &[]),
        (
            "topology/spec.rs",
            "fn a() { serde_yaml::from_str(\"\") }",
            &["topology/spec.rs names serde_yaml"],
        ),
        ("commands/mod.rs", "use lapin::Channel;", &["commands/mod.rs names lapin"]),
        ("broker/mod.rs", "use lapin::Channel;", &[]),
        ("broker/mod.rs", "fn a() { eprintln!(\"a\") }", &["broker/mod.rs names eprintln!"]),
        ("main.rs", "use std::io;\nfn a() { io::stdout() }", &["main.rs names std::io::stdout"]),
        ("output.rs", "fn a() { println!(); std::io::stderr() }", &[]),
    ];
    for (file, text, expected) in table {
        assert_eq!(Vec::from_iter(breaches(file, text)), *expected, "{file}: {text}");
    }
}

/// What a file names against the rules.
fn breaches(file: &str, text: &str) -> BTreeSet<String> {
    let room = file.split(['/', '.']).next().unwrap();
    let test = file.contains("tests.rs") || file.contains("tests/");
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let named = names(file, text);
    let mut found = BTreeSet::new();
    let mut find = |name: &str| found.insert(format!("{file} names {name}"));
    for (name, owners) in OWNERS {
        if named.contains(*name) && !owners.iter().any(|owner| file.starts_with(owner)) {
            find(name);
        }
    }
    if SHELL.contains(&room) || test {
        return found;
    }
    EFFECTS.iter().filter(|name| named.contains(**name)).for_each(|name| {
        find(name);
    });
    let allowed = IMPORTS.iter().find(|(of, _)| *of == room).map(|(_, rooms)| *rooms);
    for other in named.iter().filter_map(|name| name.strip_prefix("crate::")) {
        // A type or function in the crate's root has no room; longer paths have their room too.
        let is_room = other.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        let fine = allowed.map_or(!SHELL.contains(&other), |rooms| rooms.contains(&other));
        if is_room && other != room && !fine {
            find(&format!("crate::{other}"));
        }
    }
    found
}

/// Every path in a source text, with each of its beginnings: `std::fs::read` is also `std::fs` and
/// `std`. Grouped imports are taken apart, `super` is resolved, an imported module is followed.
fn names(file: &str, text: &str) -> BTreeSet<String> {
    let tokens = tokens(text);
    let home = module(file);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        at = path(&tokens, at, &[], &mut paths).max(at + 1);
    }
    let mut paths: Vec<_> = paths.into_iter().map(|path| resolve(path, &home)).collect();
    let modules: Vec<_> =
        paths.iter().filter(|path| path.len() == 2 && path[0] == "std").cloned().collect();
    for path in &mut paths {
        if let Some(module) = modules.iter().find(|module| module[1] == path[0]) {
            path.splice(0..1, module.iter().cloned());
        }
    }
    let beginnings = |path: &Vec<String>| {
        (1..=path.len()).map(|length| path[..length].join("::")).collect::<Vec<_>>()
    };
    paths.iter().flat_map(beginnings).collect()
}

/// Reads the path at `at`, if one begins there, and returns where it ends.
fn path(
    tokens: &[String],
    mut at: usize,
    before: &[String],
    paths: &mut Vec<Vec<String>>,
) -> usize {
    let is_word = |at: usize| {
        tokens.get(at).is_some_and(|t| t.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token == text);
    let mut path = before.to_vec();
    while is_word(at) {
        path.push(tokens[at].clone());
        at += 1;
        if is(at, "!") {
            path.last_mut().unwrap().push('!');
        }
        if !is(at, "::") {
            break;
        }
        at += 1;
        if is(at, "{") {
            at += 1;
            while at < tokens.len() && !is(at, "}") {
                at = self::path(tokens, at, &path, paths).max(at + 1);
                if is(at, "as") {
                    at += 2;
                }
            }
            return at + 1;
        }
    }
    if path.len() > before.len() {
        paths.push(path);
    }
    at
}

/// The module that a file is: `strategy/ladder.rs` is `strategy::ladder`.
fn module(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

fn resolve(path: Vec<String>, home: &[String]) -> Vec<String> {
    let ups = path.iter().take_while(|word| *word == "super").count();
    if ups == 0 {
        return path;
    }
    let above = &home[..home.len().saturating_sub(ups)];
    let root = std::iter::once("crate".to_owned());
    root.chain(above.iter().cloned()).chain(path[ups..].iter().cloned()).collect()
}

/// Words, `::` and other characters, without comments, strings, characters and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let starts = |at: usize, with: &str| {
        with.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c))
    };
    while at < chars.len() {
        let word = |c: &char| c.is_alphanumeric() || *c == '_';
        if starts(at, "//") {
            at += chars[at..].iter().take_while(|c| **c != '\n').count();
        } else if starts(at, "/*") {
            let mut depth = 0;
            loop {
                match () {
                    () if at >= chars.len() => break,
                    () if starts(at, "/*") => (depth, at) = (depth + 1, at + 2),
                    () if starts(at, "*/") => (depth, at) = (depth - 1, at + 2),
                    () => at += 1,
                }
                if depth == 0 {
                    break;
                }
            }
        } else if starts(at, "r\"") || starts(at, "r#") && !chars.get(at + 2).is_some_and(word) {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            at += hashes + 2;
            while at < chars.len() && !starts(at, &end) {
                at += 1;
            }
            at += end.len();
        } else if chars[at] == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if chars[at] == '\'' {
            // A character ends with a quote, a lifetime does not.
            let end = if starts(at + 1, "\\") { at + 3 } else { at + 2 };
            let close = chars[end.min(chars.len())..].iter().position(|c| *c == '\'');
            at = match close {
                Some(0) => end + 1,
                Some(more) if starts(at + 1, "\\") => end + more + 1,
                _ => at + 1,
            };
        } else if word(&chars[at]) {
            let length = chars[at..].iter().take_while(|c| word(c)).count();
            tokens.push(chars[at..at + length].iter().collect());
            at += length;
        } else if starts(at, "::") {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            if !chars[at].is_whitespace() {
                tokens.push(chars[at].to_string());
            }
            at += 1;
        }
    }
    tokens
}

/// All Rust files in a folder, by their path in it.
fn sources(folder: &Path, prefix: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            found.extend(sources(&path, &format!("{name}/")));
        } else if name.ends_with(".rs") {
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

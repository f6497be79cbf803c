//! The functions that README.md shows for publishers in other languages, against the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::command::{delayctl, run};
use support::readme;
use support::skip::skip;

#[path = "support/mod.rs"]
mod support;

const MAX_MS: u64 = 86_400_000;

/// A language of README.md, and how to run what it shows.
struct Language {
    /// What stands at the opening of its blocks.
    name: &'static str,
    /// A program without which it cannot be run.
    needs: &'static str,
    /// What runs a file of it.
    interpreter: &'static str,
    file: &'static str,
    /// Before and after the block: reads a delay a line, prints exchange, tab, routing key.
    driver: (&'static str, &'static str),
}

const PYTHON: Language = Language {
    name: "python",
    needs: "python3",
    interpreter: "python3",
    file: "route.py",
    driver: ("", "\nimport sys\nfor line in sys.stdin:\n    print(*route(int(line)), sep='\\t')\n"),
};

const JAVASCRIPT: Language = Language {
    name: "javascript",
    needs: "node",
    interpreter: "node",
    file: "route.cjs",
    driver: (
        "",
        "\nfor (const line of require('fs').readFileSync(0, 'utf8').trim().split('\\n'))\n  \
         console.log(route(Number(line)).join('\\t'));\n",
    ),
};

/// `java` alone compiles nothing.
const JAVA: Language = Language {
    name: "java",
    needs: "javac",
    interpreter: "java",
    file: "Vectors.java",
    driver: (
        "class Vectors {\n",
        "public static void main(String[] arguments) {\n    new java.util.Scanner(System.in)\
         .forEachRemaining(line ->\n        System.out.println(String.join(\"\\t\", \
         route(Long.parseLong(line)))));\n}\n}\n",
    ),
};

#[test]
fn python() {
    agrees("python", &PYTHON);
}

#[test]
fn javascript() {
    agrees("javascript", &JAVASCRIPT);
}

#[test]
fn java() {
    agrees("java", &JAVA);
}

/// What README.md shows of `route` is what it prints.
#[test]
fn the_table() {
    let section = readme::section("Publishing from other languages");
    let shown = &readme::blocks(&section, "text")[0];
    let (line, table) = shown.split_once('\n').unwrap();
    let arguments: Vec<_> = line.trim_start_matches("$ delayctl ").split(' ').collect();
    let printed = run(&mut delayctl(&arguments)).expect(0).stdout;
    let trimmed: Vec<_> = printed.lines().map(str::trim_end).collect();
    assert_eq!(table.lines().collect::<Vec<_>>(), trimmed);
}

/// The function routes as the binary does, and refuses what it refuses.
#[track_caller]
fn agrees(test: &str, language: &Language) {
    let found = Command::new(language.needs).arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        return skip(test, &format!("there is no `{}`", language.needs));
    }
    let file = write(language);
    let delays = delays();
    let output = answer(language, &file, &delays);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let found: Vec<_> = stdout.lines().map(str::to_owned).collect();
    assert_eq!(found.len(), delays.len(), "{stderr}");
    for ((delay, found), expected) in delays.iter().zip(found).zip(expected(&delays)) {
        assert_eq!(found, expected, "{delay} ms");
    }
    for refused in [i64::try_from(MAX_MS).unwrap() + 1, -1] {
        let output = answer(language, &file, &[refused]);
        assert!(!output.status.success(), "{refused} ms: {output:?}");
        assert_eq!(output.stdout, b"", "{refused} ms");
    }
}

/// Zero, below the step, at its edges, each digit, the longest, and any.
fn delays() -> Vec<i64> {
    let edges = [0, 1, 999, 1000, 1001, 1999, 11_000, 11_001, 12_000, 143_000, 143_001, 144_000];
    let high = [1_727_001, 1_728_000, 20_735_001, 20_736_000, MAX_MS - 1000, MAX_MS - 1, MAX_MS];
    let mut seed = 20_260_129_u64;
    let any = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % (MAX_MS + 1)
    });
    let all = edges.into_iter().chain(high).chain(any.take(500));
    all.map(|delay| i64::try_from(delay).unwrap()).collect()
}

/// What the binary says of these delays.
fn expected(delays: &[i64]) -> Vec<String> {
    let list: Vec<_> = delays.iter().map(|delay| format!("{delay}ms")).collect();
    let file = "topologies/ladder.yaml";
    let arguments = ["route", file, "retry", "-o", "json", "--delay", &list.join(",")];
    let routes = run(&mut delayctl(&arguments)).expect(0).json();
    let text = |route: &serde_json::Value, field: &str| route[field].as_str().unwrap().to_owned();
    let routes = routes.as_array().unwrap().iter();
    routes.map(|it| format!("{}\t{}", text(it, "exchange"), text(it, "routing_key"))).collect()
}

/// The function with its driver, as a file.
fn write(language: &Language) -> PathBuf {
    let section = readme::section("Publishing from other languages");
    let blocks = readme::blocks(&section, language.name);
    let [block] = &blocks[..] else { panic!("{} blocks of {}", blocks.len(), language.name) };
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(language.file);
    let (before, after) = language.driver;
    std::fs::write(&file, [before, block, after].concat()).unwrap();
    file
}

/// What a program says that is given these delays.
fn answer(language: &Language, file: &Path, delays: &[i64]) -> Output {
    let mut command = Command::new(language.interpreter);
    command.arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines: String = delays.iter().map(|delay| format!("{delay}\n")).collect();
    // One that has ended already says why.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child.wait_with_output().unwrap()
}

//! `declare --dry-run` of each file in `topologies/`: what it compiles to, on record.

use std::path::PathBuf;

use insta::assert_snapshot;

use super::{run, run_with};

fn topologies() -> Vec<PathBuf> {
    let files = std::fs::read_dir("topologies").unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().unwrap() == "yaml").collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn of_each_topology() {
    for path in topologies() {
        let ended = run(&["declare", "--dry-run", "--offline", path.to_str().unwrap()]).expect(0);
        assert_eq!(ended.stderr, "");
        let name = path.file_stem().unwrap().to_str().unwrap().replace('-', "_");
        assert_snapshot!(name, ended.stdout);
    }
}

#[test]
fn as_json() {
    for path in topologies() {
        let table = run(&["declare", "--dry-run", "--offline", path.to_str().unwrap()]).stdout;
        let json =
            run(&["declare", "--dry-run", "--offline", "-o", "json", path.to_str().unwrap()])
                .expect(0);
        let objects = json.json();
        for kind in ["exchanges", "queues"] {
            for name in objects[kind].as_object().unwrap().keys() {
                assert!(table.contains(&format!("  {name}  ")), "{name} in\n{table}");
            }
        }
    }
    let path = "topologies/order-timeout.yaml";
    assert_snapshot!(
        "json",
        run(&["declare", "--dry-run", "--offline", "-o", "json", path]).stdout
    );
}

#[test]
fn needs_no_broker_and_says_the_same_wherever_it_stands() {
    let path = "topologies/tiered-delays.yaml";
    let expected = run(&["declare", "--dry-run", "--offline", path]).expect(0).stdout;
    let text = std::fs::read(path).unwrap();
    let piped = run_with(&text, &["declare", "-", "--dry-run", "--offline"]).expect(0);
    assert_eq!(piped.stdout, expected);
    let unreachable = ["--uri", "amqp://127.0.0.1:1", "declare", "--dry-run", path];
    let ended = run(&unreachable).expect(0);
    assert_eq!(ended.stdout, expected);
    ended.says("compared with nothing: cannot reach the broker at `amqp://guest@127.0.0.1:1/%2F`");
    // A byte order mark, as editors on Windows write it, is no part of the text.
    let marked = [b"\xef\xbb\xbf", text.as_slice()].concat();
    assert_eq!(
        run_with(&marked, &["declare", "-", "--dry-run", "--offline"]).expect(0).stdout,
        expected
    );
}

#[test]
fn no_colour_and_no_control_characters() {
    for arguments in [&["--color", "always"][..], &["--color", "never"], &[]] {
        let all =
            [&["declare", "--dry-run", "--offline", "topologies/ladder.yaml"], arguments].concat();
        let stdout = run(&all).expect(0).stdout;
        assert!(!stdout.contains(|c: char| c.is_control() && c != '\n'), "{stdout:?}");
    }
}

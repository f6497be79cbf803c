//! Topology files that cannot be used: every line names the file. What cannot be read is 74, as
//! with every other file; 65 is for what is read and makes no sense.

use super::{run, run_with};

/// What stderr says about this text as a topology.
fn refused(text: &[u8]) -> String {
    let ended = run_with(text, &["declare", "--dry-run", "-"]).expect(65);
    assert_eq!(ended.stdout, "");
    ended.stderr
}

#[test]
fn a_file_that_cannot_be_read() {
    let files = [
        ("no-such-file.yaml", "No such file or directory (os error 2)"),
        ("topologies", "Is a directory (os error 21)"),
        ("topologies/ladder.yaml/x", "Not a directory (os error 20)"),
    ];
    let convert = ["--to", "ladder", "--max", "1h"];
    let commands: [(&str, &[&str]); 11] = [
        ("declare", &[]),
        ("publish", &[]),
        ("consume", &[]),
        ("inspect", &[]),
        ("delete", &[]),
        ("lint", &["topologies/ladder.yaml"]),
        ("hol-demo", &[]),
        ("simulate", &["-d", "5s"]),
        ("route", &["-d", "5s"]),
        ("export", &[]),
        ("convert", &convert),
    ];
    for (command, options) in commands {
        for (file, words) in files {
            let ended = run(&[&[command, file], options].concat()).expect(74);
            assert_eq!(ended.stderr, format!("error: cannot read `{file}`: {words}\n"));
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_stdin_that_cannot_be_read() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_delayctl"));
    let folder = std::fs::File::open("topologies").unwrap();
    let output = command.args(["lint", "-"]).stdin(folder).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "error: cannot read stdin: Is a directory (os error 21)\n");
    assert_eq!(output.status.code(), Some(74));
}

#[test]
fn not_utf_8() {
    let words = "error: stdin: not UTF-8: invalid utf-8 sequence of 1 bytes from index 8\n";
    assert_eq!(refused(b"vhost: a\xff"), words);
}

#[test]
fn nothing_in_it() {
    for text in ["", "\n", "# only a comment\n", "---\n"] {
        assert_eq!(refused(text.as_bytes()), "error: stdin: the file is empty\n", "{text:?}");
    }
}

#[test]
fn not_yaml() {
    for (text, words) in [
        ("queues: {a", "did not find expected ',' or '}' at line 2 column 1"),
        ("queues: {q: {max_lenght: 3}}", "unknown field `max_lenght`"),
        ("queues: {q: {max_length: three}}", "at line 1 column 26"),
        ("queues: {q: {}, q: {}}", "queues: `q` is given twice"),
        ("queues: {q: {message_ttl: 30}}", "`30` has no unit: write `30s` for seconds"),
    ] {
        let stderr = refused(text.as_bytes());
        assert!(stderr.starts_with("error: stdin: ") && stderr.contains(words), "{stderr}");
    }
}

#[test]
fn several_problems_each_on_a_line_with_its_path() {
    let text = "
        queues:
          wait: { dead_letter: { exchange: nowhere } }
          amq.mine: {}
        bindings: [ { source: amq.topic, queue: wiat } ]
        delays: { d: { target: { queue: done }, tiers: { delays: [0s] } } }";
    assert_eq!(
        refused(text.as_bytes()).lines().collect::<Vec<_>>(),
        [
            "error: stdin: delays.d.tiers.delays[0]: a delay of zero needs no queue: it goes straight to the target",
            "       stdin: queues.wait.dead_letter.exchange: no exchange `nowhere` is declared; declare it under `exchanges`",
            "       stdin: queues.amq.mine: `amq.mine` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another",
            "       stdin: bindings[0].queue: no queue `wiat` is declared; did you mean `wait`?",
            "       stdin: delays.d.target.queue: no queue `done` is declared; declare it under `queues`",
        ]
    );
}

#[test]
fn what_the_file_says_is_escaped() {
    let stderr = refused("bindings: [ { source: \"a\\e[2Jb\", queue: q } ]".as_bytes());
    assert!(stderr.contains(r"no exchange `a\x1b[2Jb` is declared"), "{stderr}");
}

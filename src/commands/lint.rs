//! `lint`: what will go wrong, before any broker is asked.

use serde::Serialize;

use super::{Shell, load};
use crate::cli::{Format, Lint};
use crate::exit::{Exit, Failure};
use crate::lint::{self, Code, Finding, Severity};
use crate::output::Output;
use crate::render::escape::escape;
use crate::topology::Topology;

pub fn run(args: &Lint, shell: &Shell) -> anyhow::Result<Exit> {
    if let Some(code) = &args.explain {
        return explain(code, shell);
    }
    if args.codes {
        let all = Code::ALL.iter().map(|code| format!("{code}: {}", code.story().title));
        shell.output.data(&all.collect::<Vec<_>>().join("\n"))?;
        return Ok(Exit::Done);
    }
    let mut all = Vec::new();
    for path in &args.files {
        let topology = load::topology(path)?;
        let file = path.display().to_string();
        let findings = lint::lint(&topology, args.broker_version);
        all.extend(findings.into_iter().map(|finding| InFile { file: file.clone(), finding }));
    }
    match shell.output.format {
        Format::Json => shell.output.json(&all)?,
        _ => show(&all, &shell.output)?,
    }
    let errors = count(&all, Severity::Error);
    let warnings = count(&all, Severity::Warning);
    shell.output.say(&format!("{errors} errors, {warnings} warnings"));
    Ok(Exit::yes(errors == 0 && (warnings == 0 || args.deny.is_none())))
}

/// Tells, beside another command's work, what will go wrong on a broker of this version.
pub fn tell(topology: &Topology, version: &str, output: &Output) {
    let findings = lint::lint(topology, version.parse().ok());
    for Finding { severity, code, field, what, .. } in &findings {
        output.say(&escape(&format!("{severity}[{code}] {field}: {what}")));
    }
    if !findings.is_empty() {
        output.say("`delayctl lint` tells the mends, `delayctl lint --explain CODE` the stories");
    }
}

/// A finding and its file.
#[derive(Serialize)]
struct InFile {
    file: String,
    #[serde(flatten)]
    finding: Finding,
}

fn show(all: &[InFile], output: &Output) -> anyhow::Result<()> {
    let texts: Vec<_> = all
        .iter()
        .map(|InFile { file, finding }| {
            let text = finding.to_string();
            let lines: Vec<_> = text.lines().map(|line| escape(line).into_owned()).collect();
            format!("{file}: {}", lines.join("\n"))
        })
        .collect();
    if texts.is_empty() { Ok(()) } else { output.data(&texts.join("\n")) }
}

fn count(all: &[InFile], severity: Severity) -> usize {
    all.iter().filter(|it| it.finding.severity == severity).count()
}

fn explain(code: &str, shell: &Shell) -> anyhow::Result<Exit> {
    let code: Code = code.parse().map_err(|error: lint::UnknownCode| {
        Failure::new(Exit::Usage, error.to_string()).hint("`lint --codes` lists them all")
    })?;
    let story = code.story();
    let timeline = story.timeline.map(|line| format!("  {line}")).join("\n");
    let text =
        format!("{code}: {}\n\n{}\n\n{timeline}\n\nMend: {}", story.title, story.why, story.mend);
    shell.output.data(&text)?;
    Ok(Exit::Done)
}

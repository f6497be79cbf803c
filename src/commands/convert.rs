//! `convert`: a file that uses the plugin, rewritten for plain queues.

use super::{Shell, load};
use crate::cli::{Convert, ConvertTo};
use crate::convert::{self, ConvertError, To};
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::render::escape::escape;
use crate::topology;

pub async fn run(args: Convert, shell: &Shell) -> anyhow::Result<Exit> {
    if let Some(option) = misplaced(&args) {
        let message = format!("`{option}` says nothing of what `--to` names");
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let (text, old) = load::text_and_topology(&args.file)?;
    let result = convert::convert(&text, &old, &to(&args)).map_err(failure)?;
    shell.output.data(&result)?;
    let new = topology::parse(&result)?;
    for (name, before) in &old.delays {
        let Some(after) = new.delays.get(name).filter(|after| *after != before) else { continue };
        let (offers, offered) = (after.offers(), before.offers());
        shell.output.say(&escape(&format!("delay `{name}` takes {offers}; before: {offered}")));
        if after.target != before.target {
            let target = after.target.exchange();
            shell.output.say(&escape(&format!(
                "delay `{name}` leads to exchange `{target}`, which takes over the bindings of the \
                 plugin's"
            )));
        }
    }
    shell.output.say("queues are as before; publishers get another route: see `delayctl route`");
    tell_comments(&result, shell);
    Ok(Exit::Done)
}

/// Says where the file still speaks of what it used.
fn tell_comments(text: &str, shell: &Shell) {
    let lines = convert::on_the_plugin(text);
    if !lines.is_empty() {
        let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
        let lines = lines.join(", ");
        shell.output.say(&format!(
            "comments are as before: read those that speak of the plugin again, in lines {lines}"
        ));
    }
}

/// An option that belongs to the other strategy.
fn misplaced(args: &Convert) -> Option<&'static str> {
    let of_ladder = [
        ("--resolution", args.resolution.is_some()),
        ("--max", args.max.is_some()),
        ("--radix", args.radix.is_some()),
        ("--prefix", args.prefix.is_some()),
    ];
    match args.to {
        ConvertTo::Ladder => (!args.delays.is_empty()).then_some("--delays"),
        ConvertTo::Tiers => of_ladder.iter().find(|(_, given)| *given).map(|(option, _)| *option),
    }
}

fn to(args: &Convert) -> To {
    match args.to {
        ConvertTo::Ladder => To::Ladder {
            resolution: args.resolution.unwrap_or(Millis(1000)),
            max: args.max.unwrap_or(Millis(86_400_000)),
            radix: args.radix.unwrap_or(2),
            prefix: args.prefix.clone(),
        },
        ConvertTo::Tiers => To::Tiers(args.delays.clone()),
    }
}

fn failure(error: ConvertError) -> Failure {
    Failure { hint: error.hint(), ..Failure::new(Exit::No, error.to_string()) }
}

//! `convert`: a file that uses the plugin, rewritten for plain queues.

use super::{Shell, load};
use crate::cli::{Convert, ConvertTo};
use crate::convert::{self, ConvertError, To};
use crate::exit::{Exit, Failure};

pub async fn run(args: Convert, shell: &Shell) -> anyhow::Result<Exit> {
    let (text, topology) = load::text_and_topology(&args.file)?;
    let result = convert::convert(&text, &topology, &to(&args)).map_err(failure)?;
    shell.output.data(&result)?;
    shell.output.say(
        "targets and queues are as before; publishers get another route: see `delayctl route`",
    );
    Ok(Exit::Done)
}

fn to(args: &Convert) -> To {
    match args.to {
        ConvertTo::Ladder => To::Ladder {
            resolution: args.resolution,
            max: args.max,
            radix: args.radix,
            prefix: args.prefix.clone(),
        },
        ConvertTo::Tiers => To::Tiers(args.delays.clone()),
    }
}

fn failure(error: ConvertError) -> Failure {
    let hint = error.hint().map(str::to_owned);
    Failure { hint, ..Failure::new(Exit::No, error.to_string()) }
}

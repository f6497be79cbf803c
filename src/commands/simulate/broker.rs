//! Which broker is simulated.

use crate::cli::Simulate;
use crate::exit::{Exit, Failure};
use crate::simulate::Profile;
use crate::strategy::{Delay, Strategy};
use crate::version::PLUGIN_GONE;

/// The broker that the command line names.
pub fn profile(args: &Simulate) -> Result<Profile, Failure> {
    let version = args.broker_version;
    if args.plugin && version >= PLUGIN_GONE {
        let message = format!("RabbitMQ {version} cannot run the delayed-message plugin");
        return Err(Failure::new(Exit::Usage, message)
            .hint("the last that can is 4.2: `--broker-version 4.2 --plugin`"));
    }
    let profile = crate::commands::profile_of(version);
    Ok(if args.plugin { profile.with_plugin() } else { profile })
}

/// Why this broker cannot do this delay.
pub fn lacks(args: &Simulate, profile: Profile, delay: &Delay) -> Option<Failure> {
    let needs = matches!(delay.strategy, Strategy::DelayedExchange(_));
    (needs && !profile.plugin).then(|| {
        let message = format!(
            "delay `{}` needs the delayed-message plugin, which RabbitMQ {} does not have here",
            delay.name, args.broker_version
        );
        Failure::new(Exit::Lacking, message).hint(if args.broker_version >= PLUGIN_GONE {
            "it runs up to 4.2: `--broker-version 4.2 --plugin`"
        } else {
            "`--plugin` puts it there"
        })
    })
}

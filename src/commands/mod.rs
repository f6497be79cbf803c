//! The subcommands: one file each, and here what they share.

mod capture;
mod completions;
mod consume;
mod convert;
mod declare;
mod delete;
mod demo;
mod export;
mod hol_demo;
mod inspect;
mod interrupt;
mod ladder;
mod lint;
mod load;
mod man;
mod outcomes;
mod pick;
mod pictures;
mod publish;
mod route;
mod save;
mod schema;
mod simulate;
mod stepped_demo;

use std::path::Path;

use crate::broker::{Broker, BrokerError, ManagementAddress, ManagementError, Settings};
use crate::cli::{Cli, Command, Format, Global};
use crate::duration::Millis;
use crate::exit::{Exit, Failure};
use crate::output::{ClosedPipe, Output};
use crate::plan::Observed;
use crate::render::escape::escape;
use crate::simulate::Profile;
use crate::strategy::CannotDelay;
use crate::topology::Topology;
use crate::version::Version;

use interrupt::Interrupt;

/// Runs a command line and says how it ended; whatever went wrong has been told by then.
pub fn run(parsed: Result<Cli, clap::Error>) -> Exit {
    let (output, result) = match parsed {
        Ok(cli) => {
            let output = Output::new(&cli.global);
            (output, carry_out(cli, output))
        }
        Err(answer) => {
            let output = Output::usual();
            (output, output.answer(&answer))
        }
    };
    result.unwrap_or_else(|error| {
        if error.is::<ClosedPipe>() {
            return Exit::Done;
        }
        output.error(&error, hint_of(&error).as_deref());
        exit_of(&error)
    })
}

fn carry_out(cli: Cli, output: Output) -> anyhow::Result<Exit> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime?;
    let result = runtime.block_on(dispatch(cli, output));
    // A blocked read of stdin must not keep the program alive.
    runtime.shutdown_background();
    result
}

async fn dispatch(cli: Cli, output: Output) -> anyhow::Result<Exit> {
    let is_graph = matches!(output.format, Format::Tree | Format::Mermaid | Format::Dot);
    if is_graph && !matches!(cli.command, Command::Inspect(_)) {
        let message = "`tree`, `mermaid` and `dot` are forms of `inspect` alone";
        return Err(Failure::new(Exit::Usage, message).hint("take `table` or `json`").into());
    }
    let shell = Shell { global: cli.global, output, interrupt: Interrupt::listen() };
    match cli.command {
        Command::Declare(args) => declare::run(args, &shell).await,
        Command::Publish(args) => publish::run(args, &shell).await,
        Command::Consume(args) => consume::run(args, &shell).await,
        Command::Inspect(args) => inspect::run(args, &shell).await,
        Command::Delete(args) => delete::run(args, &shell).await,
        Command::Lint(args) => lint::run(&args, &shell),
        Command::Ladder(args) => ladder::run(&args, &shell),
        Command::Simulate(args) => simulate::run(args, &shell).await,
        Command::SteppedDemo(args) => stepped_demo::run(args, &shell).await,
        Command::HolDemo(args) => hol_demo::run(args, &shell).await,
        Command::Route(args) => route::run(args, &shell).await,
        Command::Export(args) => export::run(args, &shell).await,
        Command::Capture(args) => capture::run(args, &shell).await,
        Command::Convert(args) => convert::run(args, &shell).await,
        Command::Schema => schema::run(&shell).await,
        Command::Completions(args) => completions::run(args, &shell).await,
        Command::Man(args) => man::run(args, &shell).await,
    }
}

/// What every command has at hand.
struct Shell {
    global: Global,
    output: Output,
    interrupt: Interrupt,
}

impl Shell {
    /// How to reach the broker that a topology is for. The vhost is the flag's, else the file's,
    /// else the URI's.
    fn settings(&self, topology: Option<&Topology>) -> anyhow::Result<Settings> {
        let global = &self.global;
        let password = global.password_file.as_deref().map(load::password).transpose()?;
        let of_file = topology.and_then(|topology| topology.vhost.clone());
        Ok(Settings {
            uri: global.uri.clone(),
            vhost: global.vhost.clone().or(of_file),
            ca_cert: global.ca_cert.clone(),
            cert: global.cert.clone(),
            key: global.key.clone(),
            password,
            connect_timeout: global.connect_timeout.duration(),
            management: self.management_address(),
        })
    }

    /// The management API to use. An empty variable is as good as none.
    fn management_address(&self) -> ManagementAddress {
        match self.global.management_url.as_deref() {
            None | Some("") => ManagementAddress::Usual,
            Some("none") => ManagementAddress::Off,
            Some(url) => ManagementAddress::At(url.to_owned()),
        }
    }

    /// Says what could not be seen, and why. What nobody asked for is no warning.
    fn tell_gaps(&self, observed: &Observed) {
        self.tell_surprising_gaps(observed);
        for gap in observed.gaps.iter().filter(|gap| gap.expected) {
            self.output.say(&escape(&gap.text));
        }
    }

    /// The same for who does not depend on it: only what somebody did ask for.
    fn tell_surprising_gaps(&self, observed: &Observed) {
        for gap in observed.gaps.iter().filter(|gap| !gap.expected) {
            self.output.warn(&escape(&gap.text));
        }
    }

    /// Connects to the broker that a topology is for, or stops at Ctrl-C.
    async fn connect(&self, topology: Option<&Topology>) -> anyhow::Result<Broker> {
        let settings = self.settings(topology)?;
        Ok(self.interrupt.or(Broker::connect(&settings)).await??)
    }

    /// The same, waiting for a broker that is still starting.
    async fn connect_within(
        &self,
        topology: Option<&Topology>,
        wait: Option<Millis>,
    ) -> anyhow::Result<Broker> {
        let Some(wait) = wait else { return self.connect(topology).await };
        let settings = self.settings(topology)?;
        Ok(self.interrupt.or(Broker::wait(&settings, wait.duration())).await??)
    }
}

/// A file's name without its folders.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if name == "-" { "stdin".to_owned() } else { name }
}

/// The model of a broker of this version.
fn profile_of(version: Version) -> Profile {
    let small = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    Profile::version(small(version.major), small(version.minor))
}

/// The exit code that an error stands for.
fn exit_of(error: &anyhow::Error) -> Exit {
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return failure.exit;
        }
        if let Some(error) = cause.downcast_ref::<BrokerError>() {
            return exit_of_broker(error);
        }
        if cause.is::<load::FileError>() {
            return Exit::File;
        }
        if cause.is::<CannotDelay>() {
            return Exit::Usage;
        }
        if cause.is::<interrupt::Interrupted>() {
            return Exit::Interrupted;
        }
    }
    Exit::No
}

fn exit_of_broker(error: &BrokerError) -> Exit {
    match error {
        BrokerError::Uri { .. } => Exit::Usage,
        BrokerError::File { .. } => Exit::Io,
        BrokerError::Unreachable { .. }
        | BrokerError::Lost { .. }
        | BrokerError::ConfirmsOverdue { .. } => Exit::Unavailable,
        BrokerError::AccessRefused { .. } | BrokerError::VhostMissing { .. } => Exit::Access,
        BrokerError::ExchangeTypeUnknown { .. } => Exit::Lacking,
        BrokerError::Management(error) => exit_of_management(error),
        _ => Exit::No,
    }
}

fn exit_of_management(error: &ManagementError) -> Exit {
    match error {
        ManagementError::Url { .. } => Exit::Usage,
        ManagementError::Login { .. } | ManagementError::Forbidden { .. } => Exit::Access,
        ManagementError::Refused { .. } => Exit::No,
        ManagementError::Off
        | ManagementError::Unreachable { .. }
        | ManagementError::Slow { .. }
        | ManagementError::NotTheApi { .. }
        | ManagementError::OtherBroker { .. } => Exit::Unavailable,
    }
}

/// The advice that goes with an error.
fn hint_of(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return failure.hint.clone();
        }
        if let Some(error) = cause.downcast_ref::<BrokerError>() {
            return error.hint();
        }
        cause.downcast_ref::<CannotDelay>().map(CannotDelay::hint)
    })
}

//! The command line: names, help, defaults and environment, and nothing else.

mod arguments;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::duration::Millis;
use crate::exit::Exit;
use crate::objects::Value;
use crate::stepped::Payment;
use crate::version::Version;

pub use values::ConsumerSpec;
use values::{header, rate, scale};

/// Provision, exercise and measure delay topologies on RabbitMQ.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = Exit::TABLE)]
pub struct Cli {
    /// How to reach the broker, and how to speak.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that go before or after the subcommand.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The broker [default: amqp://127.0.0.1:5672/%2f, as guest]
    #[arg(long, global = true, value_name = "URI", env = "AMQP_URL", hide_env_values = true)]
    #[arg(default_value = "amqp://guest:guest@127.0.0.1:5672/%2f", hide_default_value = true)]
    pub uri: String,
    /// The management API, which shows and does what AMQP cannot; `none` turns it off [default: the
    /// broker's host, at port 15672, with TLS at 15671]
    #[arg(long, global = true, value_name = "URL")]
    #[arg(env = "RABBITMQ_MANAGEMENT_URL", hide_env_values = true)]
    pub management_url: Option<String>,
    /// The vhost; goes before the file's and the URI's
    #[arg(long, global = true, value_name = "NAME")]
    pub vhost: Option<String>,
    /// Certificates to trust (PEM), beside the system's, for amqps://
    #[arg(long, global = true, value_name = "PEM")]
    pub ca_cert: Option<PathBuf>,
    /// The client's certificate (PEM)
    #[arg(long, global = true, value_name = "PEM", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The client certificate's private key (PEM)
    #[arg(long, global = true, value_name = "PEM", requires = "cert")]
    pub key: Option<PathBuf>,
    /// A file whose first line is the password; goes before the URI's
    #[arg(long, global = true, value_name = "PATH")]
    pub password_file: Option<PathBuf>,
    /// How long the broker may take to answer
    #[arg(long, global = true, value_name = "TIME", default_value = "10s")]
    pub connect_timeout: Millis,
    /// What stdout is for: people or programs
    #[arg(short, long, global = true, value_enum, default_value = "table")]
    pub output: Format,
    /// Say nothing but results and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colour; NO_COLOR is honoured
    #[arg(long, global = true, value_enum, default_value = "auto")]
    pub color: Color,
}

/// The forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table, for people
    Table,
    /// JSON: one document, or one object a line where results stream
    Json,
    /// The dead-letter paths as a tree (inspect)
    Tree,
    /// The dead-letter paths as a Mermaid diagram (inspect)
    Mermaid,
    /// The dead-letter paths for Graphviz (inspect)
    Dot,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Also into a pipe
    Always,
    /// Never
    Never,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the broker hold what a topology file declares
    Declare(Declare),
    /// Send messages that arrive later
    Publish(Publish),
    /// Receive messages and measure how late they are
    Consume(Consume),
    /// Show what of a topology is there, and what it holds
    Inspect(Inspect),
    /// Remove from the broker what a topology file declares
    Delete(Delete),
    /// Find what will go wrong in topology files, without a broker
    Lint(Lint),
    /// Show what a ladder costs in queues and hops, radix by radix
    Ladder(LadderCost),
    /// Predict what will become of messages, without a broker
    Simulate(Simulate),
    /// Show head-of-line blocking, and what mends it, on a live broker
    #[command(name = "hol-demo")]
    HolDemo(HolDemo),
    /// Show orders that are checked after waits that double, so that paid ones stop early
    #[command(name = "stepped-demo")]
    SteppedDemo(SteppedDemo),
    /// Print what a publisher must do for a message to arrive after a delay
    Route(Route),
    /// Print a topology for other programs: RabbitMQ's definitions, a graph
    Export(Export),
    /// Print what a vhost holds as a topology file, known delay strategies recognised
    Capture(Capture),
    /// Rewrite a file that uses the delayed-message plugin for plain queues
    Convert(Convert),
    /// Print the JSON Schema of the topology file
    Schema,
    /// Print a script that teaches a shell to complete this command line
    Completions(Completions),
    /// Print the manual's page, or that of a subcommand
    Man(Man),
}

/// `declare`
#[derive(Debug, Args)]
pub struct Declare {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// Change nothing: print what would be done, compared with the broker if it answers
    #[arg(long)]
    pub dry_run: bool,
    /// With --dry-run: compare with nothing, and print every object of the file
    #[arg(long, requires = "dry_run")]
    pub offline: bool,
    /// Make the vhost, with its permissions, through the management API if it is missing
    #[arg(long, conflicts_with = "offline")]
    pub create_vhost: bool,
    /// Drop this queue and make it again if it differs, is empty and is unused
    #[arg(long, value_name = "QUEUE")]
    pub recreate: Vec<String>,
    /// Wait this long for a broker that is still starting
    #[arg(long, value_name = "TIME")]
    pub wait: Option<Millis>,
}

/// `publish`
#[derive(Debug, Args)]
pub struct Publish {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// The delay of the file to send through; not needed when there is one
    pub name: Option<String>,
    /// How long each message is to wait; several: one message of each. Without it, none waits
    #[arg(long, short, value_name = "TIME,…", value_delimiter = ',', default_value = "0")]
    pub delay: Vec<Millis>,
    /// What to do with a delay that the strategy can only do longer
    #[arg(long, value_enum, value_name = "HOW")]
    pub round: Option<Round>,
    /// The body
    #[arg(long, value_name = "TEXT", conflicts_with = "body_file")]
    pub body: Option<String>,
    /// A file with the body; `-` is stdin
    #[arg(long, value_name = "PATH")]
    pub body_file: Option<PathBuf>,
    /// Each line of the body file (or of stdin) is a message of its own
    #[arg(long, conflicts_with = "body")]
    pub lines: bool,
    /// How many times to send the list of delays
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, conflicts_with = "lines")]
    pub count: u64,
    /// At most this many messages a second (`100/s`) or minute (`30/m`)
    #[arg(long, value_name = "N/s", value_parser = rate)]
    pub rate: Option<f64>,
    /// A header; a whole number is sent as a number, `true` and `false` as booleans
    #[arg(long = "header", short = 'H', value_name = "KEY=VALUE", value_parser = header)]
    pub headers: Vec<(String, Value)>,
    /// The message id, the same for every message; default: a new one for each
    #[arg(long, value_name = "ID")]
    pub message_id: Option<String>,
    /// The content type
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// The priority, 0 to 255
    #[arg(long, value_name = "N")]
    pub priority: Option<u8>,
    /// A per-message TTL beside the delay's own; the smaller of the two counts
    #[arg(long, value_name = "TIME")]
    pub expiration: Option<Millis>,
    /// Do not survive a restart of the broker
    #[arg(long)]
    pub transient: bool,
}

/// What to do with a delay that can only be done longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Round {
    /// Take the next longer one
    Up,
}

/// `consume`
#[derive(Debug, Args)]
pub struct Consume {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// The delay whose target to read; without it, those of all
    pub name: Option<String>,
    /// A queue to read instead
    #[arg(long = "queue", value_name = "QUEUE", conflicts_with = "name")]
    pub queues: Vec<String>,
    /// Stop after this many messages
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Stop after this long
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Millis>,
    /// Stop when nothing has come for this long
    #[arg(long, value_name = "TIME")]
    pub idle: Option<Millis>,
    /// What becomes of the messages
    #[command(flatten)]
    pub settle: Settle,
    /// Reject every Nth message without requeueing, whatever happens to the others
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub reject_every: Option<u64>,
    /// Expect exactly this many messages
    #[arg(long, value_name = "N")]
    pub expect_count: Option<u64>,
    /// Expect no message earlier than this; `0` for never early
    #[arg(long, value_name = "TIME")]
    pub max_early: Option<Millis>,
    /// Expect no message later than this
    #[arg(long, value_name = "TIME")]
    pub max_late: Option<Millis>,
    /// How many unacknowledged messages the broker may send ahead, for each queue
    #[arg(long, value_name = "N", default_value_t = 250)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub prefetch: u16,
}

/// What becomes of consumed messages.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub struct Settle {
    /// Acknowledge them (the default)
    #[arg(long)]
    pub ack: bool,
    /// Reject them without requeueing: they are dead-lettered, where there is a place to go
    #[arg(long)]
    pub reject: bool,
    /// Return them to their queue
    #[arg(long)]
    pub requeue: bool,
}

/// `inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// Print one line for each thing that is not as in the file, and exit with 1 if there is any
    #[arg(long)]
    pub check: bool,
    /// With --check: also what is there besides, what a policy adds, and what cannot be seen
    #[arg(long, requires = "check")]
    pub strict: bool,
    /// Look again and again, until Ctrl-C [default: every 2s]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "2s", conflicts_with = "check")]
    pub watch: Option<Millis>,
}

/// `delete`
#[derive(Debug, Args)]
pub struct Delete {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// Change nothing: print what would be deleted
    #[arg(long)]
    pub dry_run: bool,
    /// Leave what this topology file declares as well: delete the rest
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// Keep queues and exchanges of the plugin that hold messages, and what their messages will
    /// pass (the default)
    #[arg(long, conflicts_with = "force")]
    pub if_empty: bool,
    /// Delete nothing before they hold no message; wait this long for that
    #[arg(long, value_name = "TIME", conflicts_with_all = ["force", "dry_run"])]
    pub wait_empty: Option<Millis>,
    /// Delete queues and exchanges that hold messages too: the messages are lost
    #[arg(long)]
    pub force: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// `lint`
#[derive(Debug, Args)]
pub struct Lint {
    /// The topology files; `-` is stdin
    #[arg(required_unless_present_any = ["explain", "codes"])]
    pub files: Vec<PathBuf>,
    /// The broker's version, such as 4.3; without it, what any version would do is told
    #[arg(long, value_name = "VERSION")]
    pub broker_version: Option<Version>,
    /// Also exit with 1 when there are only warnings
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<Deny>,
    /// Tell the story of a code
    #[arg(long, value_name = "CODE", conflicts_with = "files")]
    pub explain: Option<String>,
    /// List all codes
    #[arg(long, conflicts_with_all = ["files", "explain"])]
    pub codes: bool,
}

/// What else makes `lint` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Warnings, too
    Warnings,
}

/// `ladder`
#[derive(Debug, Args)]
pub struct LadderCost {
    /// The step that delays are rounded up to
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub resolution: Millis,
    /// The longest delay
    #[arg(long, value_name = "TIME", default_value = "1d")]
    pub max: Millis,
    /// Mark the radix with the fewest hops that needs at most so many queues
    #[arg(long, value_name = "N")]
    pub max_queues: Option<u64>,
    /// Mark the radix with the fewest queues that needs at most so many hops
    #[arg(long, value_name = "N", conflicts_with = "max_queues")]
    pub max_hops: Option<u64>,
}

/// `hol-demo`
#[derive(Debug, Args)]
pub struct HolDemo {
    /// A topology of your own: a copy of it is run under the demo's prefix
    pub file: Option<PathBuf>,
    /// The messages' delays, in the order of sending
    #[arg(long, value_name = "TIME,…", value_delimiter = ',', default_value = "30s,5s,10s")]
    pub delays: Vec<Millis>,
    /// All times are multiplied by this
    #[arg(long, value_name = "FACTOR", default_value_t = 0.1, value_parser = scale)]
    pub scale: f64,
    /// Predict the whole demo without a broker
    #[arg(long)]
    pub simulate: bool,
    /// Pictures of it.
    #[command(flatten)]
    pub pictures: Pictures,
}

/// `stepped-demo`
#[derive(Debug, Args)]
pub struct SteppedDemo {
    /// A topology of your own, instead of topologies/stepped-order-check.yaml: a copy of it is run
    /// under the demo's prefix
    pub file: Option<PathBuf>,
    /// The delay of the file; not needed when there is one
    pub name: Option<String>,
    /// How many orders are placed, all at once
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub orders: u32,
    /// The first check; each next one comes after twice the wait
    #[arg(long, value_name = "TIME", default_value = "1m")]
    pub first: Millis,
    /// The last check, at which an unpaid order is cancelled
    #[arg(long, value_name = "TIME", default_value = "30m")]
    pub until: Millis,
    /// How many percent of the orders are paid at which age; the others never are
    #[arg(
        long,
        value_name = "TIME=PERCENT,…",
        value_delimiter = ',',
        default_value = "30s=80,5m=10"
    )]
    pub paid: Vec<Payment>,
    /// All times are multiplied by this
    #[arg(long, value_name = "FACTOR", default_value_t = 0.01, value_parser = scale)]
    pub scale: f64,
    /// Predict the whole demo without a broker
    #[arg(long)]
    pub simulate: bool,
}

/// `route`
#[derive(Debug, Args)]
pub struct Route {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// The delay of the file; not needed when there is one
    pub name: Option<String>,
    /// How long messages are to wait; several: one route for each
    #[arg(long, short, value_name = "TIME,…", value_delimiter = ',', required = true)]
    pub delay: Vec<Millis>,
    /// What to do with a delay that the strategy can only do longer
    #[arg(long, value_enum, value_name = "HOW")]
    pub round: Option<Round>,
}

/// `export`
#[derive(Debug, Args)]
pub struct Export {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value = "definitions")]
    pub format: ExportFormat,
}

/// The forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// JSON for `rabbitmqctl import_definitions` and the management API; the vhost must exist
    Definitions,
    /// A Mermaid flowchart
    Mermaid,
    /// A graph in Graphviz' language
    Dot,
}

/// `capture`
#[derive(Debug, Args)]
pub struct Capture {
    /// A file of definitions, exported from any broker, instead of the broker itself; `-` is stdin.
    /// Of several vhosts `--vhost` picks one
    #[arg(long, value_name = "DEFINITIONS")]
    pub from: Option<PathBuf>,
}

/// `convert`
#[derive(Debug, Args)]
pub struct Convert {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// The strategy that takes the place of `delayed_exchange`
    #[arg(long, value_enum)]
    pub to: ConvertTo,
    /// A ladder's step, which delays are rounded up to [default: 1s]
    #[arg(long, value_name = "TIME")]
    pub resolution: Option<Millis>,
    /// A ladder's longest delay [default: 1d]
    #[arg(long, value_name = "TIME")]
    pub max: Option<Millis>,
    /// A ladder's radix: a larger one has fewer hops and more queues [default: 2]
    #[arg(long, value_name = "N")]
    pub radix: Option<u64>,
    /// What the names of a ladder begin with
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,
    /// The tiers' delays: every one that publishers ask the plugin for
    #[arg(long, value_name = "TIME,…", value_delimiter = ',', required_if_eq("to", "tiers"))]
    pub delays: Vec<Millis>,
}

/// What a delayed exchange can be converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConvertTo {
    /// Any delay, in levels of queues
    Ladder,
    /// A queue for each of `--delays`
    Tiers,
}

/// `completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Debug, Args)]
pub struct Man {
    /// The subcommand
    pub command: Option<String>,
}

/// `simulate`
#[derive(Clone, Debug, Args)]
#[command(after_help = SIMULATE_EXITS)]
pub struct Simulate {
    /// The topology file; `-` is stdin
    pub file: PathBuf,
    /// The delay of the file to send through; without it, all are followed side by side
    pub name: Option<String>,
    /// How long each message is to wait; several: one message of each, or in turn with --rate
    #[arg(long, short, value_name = "TIME,…", value_delimiter = ',', required = true)]
    pub delay: Vec<Millis>,
    /// What to do with a delay that the strategy can only do longer
    #[arg(long, value_enum, value_name = "HOW")]
    pub round: Option<Round>,
    /// A workload: so many messages a second (`10/s`), minute (`30/m`) or hour
    #[arg(long, value_name = "N/s", value_parser = rate, requires = "duration")]
    pub rate: Option<f64>,
    /// How long the workload is sent
    #[arg(long = "for", id = "duration", value_name = "TIME", requires = "rate")]
    pub duration: Option<Millis>,
    /// A consumer and what it answers: ack, reject, requeue (basic.reject) or nack (with requeue);
    /// unless told otherwise it acks, takes up to 250 messages ahead and needs 1ms for each.
    /// Without any consumer, what arrives in the delay's target queues is taken at once
    #[arg(long = "consumer", value_parser = ConsumerSpec::parse)]
    #[arg(value_name = "QUEUE[=ANSWER][,prefetch=N][,service=TIME]")]
    pub consumers: Vec<ConsumerSpec>,
    /// The broker's version
    #[arg(long, value_name = "VERSION", default_value = "4.3")]
    pub broker_version: Version,
    /// The broker has the delayed-message plugin
    #[arg(long)]
    pub plugin: bool,
    /// Pictures of it.
    #[command(flatten)]
    pub pictures: Pictures,
}

/// `--svg` and `--html`
#[derive(Clone, Debug, Default, Args)]
pub struct Pictures {
    /// Also draw it, into an SVG file
    #[arg(long, value_name = "PATH")]
    pub svg: Option<PathBuf>,
    /// Also draw it into a web page, with the figures in tables
    #[arg(long, value_name = "PATH")]
    pub html: Option<PathBuf>,
}

const SIMULATE_EXITS: &str = "\
Exit codes: 0 every message arrives; 1 one is lost, stuck or never comes; else as the program's.";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

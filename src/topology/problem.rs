//! What does not fit together in a file.

use std::fmt;

use crate::objects::Clash;
use crate::strategy::QUEUE_OF_EXCHANGE_TYPE;

/// A contradiction, and the field it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path to the field: `queues.order.q.dead_letter.exchange`.
    pub field: String,
    /// What is wrong with it.
    pub kind: ProblemKind,
}

impl Problem {
    /// A problem of a field.
    pub fn new(field: impl Into<String>, kind: ProblemKind) -> Self {
        Problem { field: field.into(), kind }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", short(&self.field), self.kind)
    }
}

/// A field's path, or the beginning of one that has a name of monstrous length in it.
fn short(field: &str) -> String {
    const MAX: usize = 400;
    match field.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &field[..end]),
        None => field.to_owned(),
    }
}

/// All problems, a line each.
pub fn list(problems: &[Problem]) -> String {
    let lines: Vec<_> = problems.iter().map(Problem::to_string).collect();
    lines.join("\n")
}

/// The kinds of contradiction, each worded here and nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemKind {
    /// A reference to a queue or exchange that the file does not declare.
    #[error("no {what} `{name}` is declared{}", did_you_mean(.what, .name, .nearest))]
    NoSuchName {
        /// `queue` or `exchange`.
        what: &'static str,
        /// The name referred to.
        name: String,
        /// The declared name closest to it.
        nearest: Option<String>,
    },
    /// Two declarations of one name that differ.
    #[error("{clash}; the first is at `{first}`")]
    Clash {
        /// The declarations.
        clash: Clash,
        /// The field of the first.
        first: String,
    },
    /// A vhost's name that cannot be one.
    #[error("the vhost's name is empty: leave `vhost` out to take the connection's")]
    EmptyVhost,
    /// An exchange type that no broker has, with or without plugins.
    #[error(
        "`{name}` is no type of exchange: take `direct`, `fanout`, `topic` or `headers`, or a \
         plugin's, which begins with `x-`"
    )]
    UnknownExchangeType {
        /// The type.
        name: String,
    },
    /// An argument of an exchange's type on a queue.
    #[error("{QUEUE_OF_EXCHANGE_TYPE}")]
    QueueOfExchangeType,
    /// A delay's target from which no binding leads to a queue.
    #[error(
        "{target} leads to no queue, and every message would be lost: bind a queue there, under \
         `bindings`"
    )]
    Unbound {
        /// The target, described.
        target: String,
    },
    /// A declared name that belongs to the broker.
    #[error(
        "`{name}` is reserved: names that begin with `amq.` belong to RabbitMQ; choose another"
    )]
    Reserved {
        /// The name.
        name: String,
    },
    /// A binding from or to the default exchange.
    #[error(
        "the default exchange takes no bindings: it leads to every queue by the queue's name; \
         declare an exchange of your own"
    )]
    DefaultExchange,
    /// An empty name.
    #[error("the name is empty, and AMQP takes 1 to 255 bytes")]
    EmptyName,
    /// A name or routing key that does not fit the protocol.
    #[error("`{}…` has {length} bytes, and AMQP takes at most {max}", .start)]
    TooLongName {
        /// Its first characters.
        start: String,
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// A number outside its range.
    #[error("{value} is out of range: {min} to {max}")]
    OutOfRange {
        /// The value, with its unit.
        value: String,
        /// The smallest that is allowed.
        min: String,
        /// The largest.
        max: String,
    },
    /// A known argument with a value of another type than the broker takes.
    #[error("`{argument}` takes {wanted}, and {value} is {kind}{mend}")]
    WrongType {
        /// The argument.
        argument: String,
        /// The type it takes: `an integer`.
        wanted: &'static str,
        /// The value.
        value: String,
        /// Its type.
        kind: String,
        /// How to write what was perhaps meant.
        mend: String,
    },
    /// An argument with a word that the broker does not know.
    #[error("{value} is no value of `{argument}`: take {allowed}")]
    UnknownWord {
        /// The argument.
        argument: String,
        /// The value.
        value: String,
        /// Those there are.
        allowed: String,
    },
    /// A field and an argument that say the same thing.
    #[error("`{argument}` is given twice, here and by the field `{field}`: keep one")]
    GivenTwice {
        /// The argument.
        argument: String,
        /// The field that sets it as well.
        field: &'static str,
    },
    /// `x-dead-letter-routing-key` without an exchange.
    #[error(
        "a dead-letter routing key needs a dead-letter exchange: RabbitMQ refuses it alone; \
         give the exchange too (`\"\"` is the default exchange)"
    )]
    RoutingKeyWithoutExchange,
    /// `at-least-once` on a queue that cannot do it.
    #[error("`at-least-once` needs {missing}: without it the broker {effect}")]
    AtLeastOnce {
        /// What the queue lacks.
        missing: &'static str,
        /// What happens instead.
        effect: &'static str,
    },
    /// A delayed-message exchange whose messages are to be routed by another one, or by none.
    #[error("`{inner}` is no inner type: take `direct`, `fanout`, `topic` or `headers`")]
    InnerType {
        /// The type.
        inner: String,
    },
    /// A delayed-message exchange that does not say how to route.
    #[error(
        "an exchange of type `x-delayed-message` needs its inner type: give `arguments: \
         {{x-delayed-type: direct}}`, or `fanout`, `topic` or `headers`"
    )]
    NoInnerType,
    /// Something that only quorum queues have.
    #[error("`{field}` is for quorum queues, and this one is {queue_type}: give `type: quorum`")]
    QuorumOnly {
        /// The field.
        field: &'static str,
        /// The queue's type.
        queue_type: String,
    },
    /// A chain's queue that dead-letters elsewhere already.
    #[error(
        "queue `{queue}` has a dead-letter target of its own already, {present}: leave that out, \
         or let this level have it"
    )]
    ChainTaken {
        /// The queue.
        queue: String,
        /// Where it dead-letters to.
        present: String,
    },
    /// Two permissions of one user.
    #[error("user `{user}` has permissions already, further up")]
    UserTwice {
        /// The user.
        user: String,
    },
    /// A policy that sets nothing.
    #[error("a policy without a definition does nothing: give it one, like `{{max-length: 1000}}`")]
    EmptyPolicy,
    /// A policy's key spelt like an argument.
    #[error("a policy spells it `{}`: `x-` is for arguments", .key.trim_start_matches("x-"))]
    PolicyKey {
        /// The key.
        key: String,
    },
    /// A level's field for a queue that is written out elsewhere.
    #[error("queue `{queue}` is declared at `{first}`: give it its `{field}` there")]
    LevelDeclared {
        /// The queue.
        queue: String,
        /// Where it is declared.
        first: String,
        /// The field.
        field: &'static str,
    },
    /// A chain without levels.
    #[error("a chain needs at least one level, like `- {{}}`")]
    NoLevels,
    /// What a strategy says of its own fields.
    #[error("{0}")]
    Strategy(String),
}

fn did_you_mean(what: &str, name: &str, nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None if what == "exchange" && name.starts_with("amq.") => {
            ", and RabbitMQ has none of its own by this name".to_owned()
        }
        None => format!("; declare it under `{what}s`"),
    }
}

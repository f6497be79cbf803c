//! What can be in the way of the management API.

use std::error::Error;
use std::io;
use std::time::Duration;

use rabbitmq_http_client::api::HttpClientError;

/// What can be in the way of the management API. `words` are the API's own and untrusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManagementError {
    /// The URL is not one.
    #[error("the management API's URL is wrong: {reason}")]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// It is turned off by the caller.
    #[error("the management API is turned off")]
    Off,
    /// Nothing answers.
    #[error("the management API at `{url}` cannot be reached: {obstacle}")]
    Unreachable {
        /// Where, without a password.
        url: String,
        /// What is in the way.
        obstacle: String,
    },
    /// It answers too slowly.
    #[error("the management API at `{url}` sent nothing for {}", seconds(.within))]
    Slow {
        /// Where.
        url: String,
        /// How long it was waited for.
        within: Duration,
    },
    /// The user or the password is wrong.
    #[error("the management API at `{url}` refuses the login of user `{user}`: `{words}`")]
    Login {
        /// Where.
        url: String,
        /// The user.
        user: String,
        /// What it said.
        words: String,
    },
    /// The user may not do this.
    #[error("the management API does not let user `{user}` {verb} {object}: `{words}`")]
    Forbidden {
        /// The user.
        user: String,
        /// `see` or `change`.
        verb: &'static str,
        /// What was asked for.
        object: String,
        /// What it said.
        words: String,
    },
    /// Something answers that is not the API.
    #[error("`{url}` answers, but not as a management API does: {what}")]
    NotTheApi {
        /// Where.
        url: String,
        /// What it answered.
        what: String,
    },
    /// The API of another broker.
    #[error("the management API at `{url}` belongs to another broker: {theirs}, not {ours}")]
    OtherBroker {
        /// Where.
        url: String,
        /// Its cluster and version.
        theirs: String,
        /// Those of the broker behind the AMQP connection.
        ours: String,
    },
    /// The API refuses something for another reason.
    #[error("the management API refuses {object}: `{words}`")]
    Refused {
        /// What was asked for.
        object: String,
        /// What it said.
        words: String,
    },
}

impl ManagementError {
    /// What to do about it, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            ManagementError::Url { .. } => "write it as `http://host:15672`",
            ManagementError::Off => "give its URL with `--management-url`",
            ManagementError::Unreachable { .. } | ManagementError::NotTheApi { .. } => {
                "is the plugin `rabbitmq_management` enabled, and `--management-url` right"
            }
            ManagementError::Login { .. } => "check the user and password of `--management-url`",
            ManagementError::Forbidden { words, .. } if words.contains("management user") => {
                "give the user the tag `management` (`rabbitmqctl set_user_tags`)"
            }
            ManagementError::Forbidden { verb: "change", .. } => {
                "vhosts and permissions need a user with the tag `administrator`, policies `policymaker`"
            }
            ManagementError::OtherBroker { .. } => "give its own URL with `--management-url`",
            _ => return None,
        })
    }
}

/// Why a request got no answer.
pub(super) fn of_transport(error: &reqwest::Error, url: &str, within: Duration) -> ManagementError {
    let url = url.to_owned();
    if error.is_timeout() && !error.is_connect() {
        return ManagementError::Slow { url, within };
    }
    let mut deepest: &dyn Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let refused = deepest
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    let obstacle = match deepest.to_string() {
        _ if refused => "nobody listens there".to_owned(),
        _ if error.is_timeout() => format!("no answer within {}", seconds(&within)),
        text => text,
    };
    if error.is_decode() || error.is_body() {
        return ManagementError::NotTheApi { url, what: obstacle };
    }
    ManagementError::Unreachable { url, obstacle }
}

/// What a refusal means: a status and the API's words for it.
pub(super) struct Refusal<'a> {
    pub url: &'a str,
    pub user: &'a str,
    pub verb: &'static str,
    pub object: &'a str,
    pub status: u16,
    pub words: String,
}

impl From<Refusal<'_>> for ManagementError {
    fn from(refusal: Refusal<'_>) -> Self {
        let Refusal { url, user, verb, object, status, words } = refusal;
        let (url, user, object) = (url.to_owned(), user.to_owned(), object.to_owned());
        match status {
            // RabbitMQ 3.x says `Login failed`, 4.x `Not_Authorized`, to who gives a wrong password;
            // both answer 401 also to who lacks a tag.
            401 if words.contains("Login failed") || words.contains("Not_Authorized") => {
                ManagementError::Login { url, user, words }
            }
            401 | 403 => ManagementError::Forbidden { user, verb, object, words },
            404 => ManagementError::Refused { object, words: "it is not there".to_owned() },
            _ => ManagementError::Refused { object, words },
        }
    }
}

/// The words of an error's body: `reason`, else `error`, else the status.
pub(super) fn words(status: u16, body: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let field = |name| json.as_ref()?.get(name)?.as_str().map(str::trim).map(str::to_owned);
    field("reason").or_else(|| field("error")).unwrap_or_else(|| format!("HTTP status {status}"))
}

/// What an error of the typed client means.
pub(super) fn of_client(
    error: &HttpClientError,
    refusal: impl Fn(u16, String) -> ManagementError,
    url: &str,
    within: Duration,
) -> ManagementError {
    match error {
        HttpClientError::ClientErrorResponse { status_code, body, .. }
        | HttpClientError::ServerErrorResponse { status_code, body, .. } => {
            let status = status_code.as_u16();
            refusal(status, words(status, body.as_deref().unwrap_or_default()))
        }
        HttpClientError::NotFound => refusal(404, String::new()),
        HttpClientError::RequestError { error, .. } => of_transport(error, url, within),
        other => ManagementError::NotTheApi { url: url.to_owned(), what: other.to_string() },
    }
}

fn seconds(duration: &Duration) -> String {
    humantime::format_duration(*duration).to_string()
}

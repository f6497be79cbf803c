//! One request at a time: JSON in, JSON out.

use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rabbitmq_http_client::api::{Client, HttpClientError};
use serde_json::Value as Json;

use crate::broker::error::BrokerError;
use crate::broker::settings::Settings;

use super::address::{ManagementAddress, Site};
use super::error::{ManagementError, Refusal, of_client, of_transport, words};

/// What stays as it is in a part of a path. A vhost may have slashes, spaces and any letters.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The longest that connecting to a guessed address may take: nobody asked for it.
const GUESS: Duration = Duration::from_secs(2);

/// RabbitMQ 4 hangs up on a connection that is idle for five seconds; a request that crosses with
/// that would fail.
const IDLE: Duration = Duration::from_secs(3);

/// A management API. Nothing is sent until something is asked, and every request ends: it fails
/// when connecting, or the next byte, takes longer than the settings' `connect_timeout`.
#[derive(Clone)]
pub struct Management {
    http: reqwest::Client,
    base: String,
    pub(super) url: String,
    pub(super) user: String,
    password: String,
    pub(super) vhost: String,
    pub(super) within: Duration,
    guessed: bool,
}

impl Management {
    /// The management API that the settings mean; `None` when it is turned off.
    ///
    /// # Errors
    /// A URL, or a certificate, that cannot be used.
    pub async fn of(settings: &Settings) -> Result<Option<Self>, BrokerError> {
        let endpoint = settings.endpoint()?;
        let Some(site) = settings.management.site(&endpoint)? else { return Ok(None) };
        let guessed = settings.management == ManagementAddress::Usual;
        let http = http_client(settings, &site, guessed).await?;
        let Site { base, shown, user, password } = site;
        let vhost = endpoint.vhost;
        let within = settings.connect_timeout;
        Ok(Some(Management { http, base, url: shown, user, password, vhost, within, guessed }))
    }

    /// Where it is, without a password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether its address is a guess.
    pub(in crate::broker) fn is_guessed(&self) -> bool {
        self.guessed
    }

    /// The client whose types serve for what they know.
    pub(super) fn typed(&self) -> Client<&str, &str, &str> {
        Client::from_http_client(self.http.clone(), &self.base, &self.user, &self.password)
    }

    /// What an error of the typed client means.
    pub(super) fn fault(
        &self,
        error: &HttpClientError,
        verb: &'static str,
        object: &str,
    ) -> ManagementError {
        let refusal = |status, words| self.refusal(status, words, verb, object);
        of_client(error, refusal, &self.url, self.within)
    }

    /// Reads a document; `None` when it is not there.
    pub(super) async fn get(
        &self,
        path: &[&str],
        query: &str,
        object: &str,
    ) -> Result<Option<Json>, ManagementError> {
        let request = self.http.get(self.address(path, query));
        let response = self.send(request, "see", object).await?;
        let Some(response) = response else { return Ok(None) };
        let failed = |error| of_transport(&error, &self.url, self.within);
        let bytes = response.bytes().await.map_err(failed)?;
        serde_json::from_slice(&bytes).map(Some).map_err(|_| ManagementError::NotTheApi {
            url: self.url.clone(),
            what: "its answer is not JSON".to_owned(),
        })
    }

    /// Writes a document.
    pub(super) async fn put(
        &self,
        path: &[&str],
        body: &Json,
        object: &str,
    ) -> Result<(), ManagementError> {
        let request = self.http.put(self.address(path, "")).json(body);
        match self.send(request, "change", object).await? {
            Some(_) => Ok(()),
            None => Err(self.refusal(404, String::new(), "change", object)),
        }
    }

    fn address(&self, path: &[&str], query: &str) -> String {
        let mut address = self.base.clone();
        for part in path {
            address.push('/');
            address.extend(utf8_percent_encode(part, PART));
        }
        if !query.is_empty() {
            address.push('?');
            address.push_str(query);
        }
        address
    }

    async fn send(
        &self,
        request: reqwest::RequestBuilder,
        verb: &'static str,
        object: &str,
    ) -> Result<Option<reqwest::Response>, ManagementError> {
        let sent = request.basic_auth(&self.user, Some(&self.password)).send().await;
        let response = sent.map_err(|error| of_transport(&error, &self.url, self.within))?;
        let status = response.status().as_u16();
        if status == 404 {
            return Ok(None);
        }
        if (200..300).contains(&status) {
            return Ok(Some(response));
        }
        let body = response.text().await.unwrap_or_default();
        Err(self.refusal(status, words(status, &body), verb, object))
    }

    fn refusal(
        &self,
        status: u16,
        words: String,
        verb: &'static str,
        object: &str,
    ) -> ManagementError {
        Refusal { url: &self.url, user: &self.user, verb, object, status, words }.into()
    }
}

async fn http_client(
    settings: &Settings,
    site: &Site,
    guessed: bool,
) -> Result<reqwest::Client, BrokerError> {
    let within = settings.connect_timeout;
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("delayctl/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(if guessed { within.min(GUESS) } else { within })
        .read_timeout(within)
        .pool_idle_timeout(IDLE)
        // The API does not redirect; a password must not follow something else that does.
        .redirect(reqwest::redirect::Policy::none());
    if site.base.starts_with("https:") {
        if let Some(path) = &settings.ca_cert {
            let pem = read(path).await?;
            let all = reqwest::Certificate::from_pem_bundle(&pem);
            for certificate in all.map_err(|error| unusable(path, &error))? {
                builder = builder.add_root_certificate(certificate);
            }
        }
        if let (Some(cert), Some(key)) = (&settings.cert, &settings.key) {
            let mut pem = read(cert).await?;
            pem.push(b'\n');
            pem.extend(read(key).await?);
            let identity = reqwest::Identity::from_pem(&pem);
            builder = builder.identity(identity.map_err(|error| unusable(cert, &error))?);
        }
    }
    let url = site.shown.clone();
    builder
        .build()
        .map_err(|error| ManagementError::Unreachable { url, obstacle: error.to_string() }.into())
}

async fn read(path: &Path) -> Result<Vec<u8>, BrokerError> {
    tokio::fs::read(path).await.map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> BrokerError {
    BrokerError::File { path: path.to_owned(), reason: error.to_string() }
}

//! What is there, with its arguments, bindings and policies.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::future::Future;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value as Json;

use crate::broker::server::Server;
use crate::objects::{Binding, Destination, Objects, predeclared_type};
use crate::plan::{Gap, Observed};

use super::client::Management;
use super::error::ManagementError;
use super::json::{self, rows, text};
use super::note;

/// Requests at once.
pub(super) const WIDTH: usize = 8;
/// Up to so many objects are worth a request each,
const FEW: usize = 50;
/// when there are more queues than this to be listed instead. A list without statistics is cheap:
/// 10,000 queues take half a second, however many of them are asked for. A list in pages is not: the
/// broker sorts the whole list again for every page.
const MANY: u64 = 5_000;

/// Between two attempts of [`Management::check_within`].
const RETRY: Duration = Duration::from_millis(300);

/// How to look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// One list of everything in the vhost.
    List,
    /// One request for each object of the file.
    Each,
}

impl Management {
    /// Looks at everything in `objects`, and at what is bound to it. What cannot be seen is named in
    /// [`Observed::gaps`]; nothing that fails here stops anything else.
    pub(in crate::broker) async fn observe(&self, objects: &Objects, server: &Server) -> Observed {
        let mut observed = Observed::default();
        let overview = match self.overview(server).await {
            Ok(overview) => overview,
            Err(error) => {
                let silent = matches!(error, ManagementError::Unreachable { .. });
                let expected = self.is_guessed()
                    && (silent || matches!(error, ManagementError::OtherBroker { .. }));
                observed.gaps.push(Gap { text: names_only(&error), expected });
                return observed;
            }
        };
        observed.version = text(&overview, "rabbitmq_version").and_then(|text| text.parse().ok());
        observed.exchange_types = Some(exchange_types(&overview));
        let look = how_to_look(objects, &overview);
        let ((exchanges, bindings), queues, policies, operators, default_type) = tokio::join!(
            self.exchanges_and_bindings(objects, look),
            self.queues(objects, look),
            self.policies(),
            self.operator_policies(),
            self.default_type(),
        );
        let mut gap = |what: &str, error: ManagementError| {
            observed.gaps.push(Gap { text: format!("{what}: {error}"), expected: false });
        };
        let exchanges = exchanges.map_err(|error| gap("saw no exchanges", error)).ok();
        let queues = queues.map_err(|error| gap("saw no queues", error)).ok();
        observed.bindings = bindings.map_err(|error| gap("saw no bindings", error)).ok();
        observed.policies = policies.map_err(|error| gap("saw no policies", error)).ok();
        let operators = operators.map_err(|error| gap("saw no operator policies", error));
        let default_type =
            default_type.map_err(|error| gap("saw no default queue type", error)).ok();
        observed.default_queue_type = default_type.flatten();
        observed.operator_policies = operators.unwrap_or_default();
        note::exchanges(&mut observed, objects, exchanges.as_ref());
        note::queues(&mut observed, objects, queues.as_ref(), look == Look::Each);
        observed
    }

    /// Whether this is the management API of the broker that greets like this, and the user may
    /// use it.
    ///
    /// # Errors
    /// The [`ManagementError`] that says why not.
    pub async fn check(&self, server: &Server) -> Result<(), ManagementError> {
        self.overview(server).await.map(drop)
    }

    /// The same, waiting for an API that is still starting.
    ///
    /// # Errors
    /// The last attempt's.
    pub async fn check_within(
        &self,
        server: &Server,
        within: Duration,
    ) -> Result<(), ManagementError> {
        let end = Instant::now() + within;
        loop {
            match self.check(server).await {
                Err(ManagementError::Unreachable { .. } | ManagementError::NotTheApi { .. })
                    if Instant::now() + RETRY < end =>
                {
                    tokio::time::sleep(RETRY).await;
                }
                result => return result,
            }
        }
    }

    /// The overview, when this is a management API, that of the broker at hand, and the user may
    /// use it.
    async fn overview(&self, server: &Server) -> Result<Json, ManagementError> {
        let query =
            "disable_stats=true&columns=cluster_name,rabbitmq_version,exchange_types,object_totals";
        let stranger = |what: &str| ManagementError::NotTheApi {
            url: self.url.clone(),
            what: what.to_owned(),
        };
        let overview = self.get(&["overview"], query, "the overview").await?;
        let overview = overview.ok_or_else(|| stranger("HTTP status 404"))?;
        let Some(version) = text(&overview, "rabbitmq_version") else {
            return Err(stranger("its answer has no RabbitMQ version"));
        };
        let cluster = text(&overview, "cluster_name").unwrap_or_default();
        let is_known = !server.cluster.is_empty() && !cluster.is_empty();
        if is_known && (cluster, version) != (&*server.cluster, &*server.version) {
            return Err(ManagementError::OtherBroker {
                url: self.url.clone(),
                theirs: format!("`{cluster}` ({version})"),
                ours: format!("`{}` ({})", server.cluster, server.version),
            });
        }
        Ok(overview)
    }

    async fn exchanges_and_bindings(
        &self,
        objects: &Objects,
        look: Look,
    ) -> (Result<Rows, ManagementError>, Result<HashSet<Binding>, ManagementError>) {
        let names = objects.exchanges.keys().filter(|name| predeclared_type(name).is_none());
        let columns = "name,type,durable,auto_delete,internal,arguments,policy";
        let exchanges = self.rows("exchanges", columns, names, look).await;
        let paths = match (look, &exchanges) {
            (Look::Each, _) => Some(binding_paths(objects, &self.vhost)),
            (Look::List, Ok(found)) => source_paths(found, &self.vhost),
            (Look::List, Err(_)) => None,
        };
        let bindings = self.bindings(paths).await;
        (exchanges, bindings)
    }

    async fn queues(&self, objects: &Objects, look: Look) -> Result<Rows, ManagementError> {
        let names = objects.queues.keys();
        if names.len() == 0 {
            return Ok(Rows::new());
        }
        let columns = "name,type,durable,auto_delete,exclusive,arguments,policy,operator_policy";
        self.rows("queues", columns, names, look).await
    }

    /// The rows of exchanges or queues by name; what is not there has none.
    async fn rows(
        &self,
        kind: &'static str,
        columns: &str,
        names: impl Iterator<Item = &String>,
        look: Look,
    ) -> Result<Rows, ManagementError> {
        let found = match look {
            Look::List => self.list(kind, &format!("disable_stats=true&columns={columns}")).await?,
            Look::Each => {
                let ask = |name: &'_ String| {
                    let name = name.clone();
                    async move {
                        self.get(&[kind, &self.vhost, &name], "disable_stats=true", kind).await
                    }
                };
                let answers = in_parallel(names.map(ask)).await?;
                answers.into_iter().flatten().collect()
            }
        };
        let named = |row: Json| Some((text(&row, "name")?.to_owned(), row));
        Ok(found.into_iter().filter_map(named).collect())
    }

    /// The rows of a list. A vhost without a list is not there, or not to be seen.
    async fn list(&self, kind: &str, query: &str) -> Result<Vec<Json>, ManagementError> {
        let list = self.get(&[kind, &self.vhost], query, kind).await?;
        let missing = || ManagementError::Refused {
            object: format!("vhost `{}`", self.vhost),
            words: "it is not there".to_owned(),
        };
        Ok(rows(Some(list.ok_or_else(missing)?)))
    }

    /// The bindings under these paths; without any, all in the vhost.
    async fn bindings(
        &self,
        paths: Option<BTreeSet<Vec<String>>>,
    ) -> Result<HashSet<Binding>, ManagementError> {
        let columns = "columns=source,destination,destination_type,routing_key,arguments";
        let found = match paths {
            None => self.list("bindings", columns).await?,
            Some(paths) => {
                let ask = |path: Vec<String>| async move {
                    let path: Vec<_> = path.iter().map(String::as_str).collect();
                    self.get(&path, columns, "bindings").await
                };
                let lists = in_parallel(paths.into_iter().map(ask)).await?;
                lists.into_iter().flat_map(rows).collect()
            }
        };
        Ok(found.iter().filter_map(json::binding).collect())
    }
}

/// The rows of exchanges or queues, by name.
pub(super) type Rows = HashMap<String, Json>;

/// Waits for many requests, some at once; the first that fails ends it.
pub(super) async fn in_parallel<T>(
    requests: impl Iterator<Item = impl Future<Output = Result<T, ManagementError>>>,
) -> Result<Vec<T>, ManagementError> {
    stream::iter(requests).buffer_unordered(WIDTH).try_collect().await
}

fn names_only(error: &ManagementError) -> String {
    format!("saw names only, not arguments or bindings: {error}")
}

fn exchange_types(overview: &Json) -> BTreeSet<String> {
    let types = overview.get("exchange_types").and_then(Json::as_array);
    let names = types.into_iter().flatten().filter_map(|row| text(row, "name"));
    names.map(str::to_owned).collect()
}

fn how_to_look(objects: &Objects, overview: &Json) -> Look {
    let total = overview.pointer("/object_totals/queues").and_then(Json::as_u64);
    let names = || objects.queues.keys().chain(objects.exchanges.keys());
    let few = names().count() <= FEW && total.is_some_and(|total| total > MANY);
    if few && names().all(|name| is_addressable(name)) { Look::Each } else { Look::List }
}

/// A URL's part of one or two dots means a directory, however it is written.
fn is_addressable(name: &str) -> bool {
    !matches!(name, "." | "..")
}

/// Where all bindings of a vhost with few exchanges are, but for those of the default exchange: it
/// has one for every queue, and the list of a vhost's bindings takes as long as its queues for
/// their sake.
fn source_paths(exchanges: &Rows, vhost: &str) -> Option<BTreeSet<Vec<String>>> {
    let path = |name: &String| {
        ["exchanges", vhost, name, "bindings", "source"].map(str::to_owned).to_vec()
    };
    let names = || exchanges.keys().filter(|name| !name.is_empty());
    let few = names().count() <= FEW && names().all(|name| is_addressable(name));
    few.then(|| names().map(path).collect())
}

/// Where the bindings are that have an end in the file.
fn binding_paths(objects: &Objects, vhost: &str) -> BTreeSet<Vec<String>> {
    let path = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
    let to = |destination: &Destination| match destination {
        Destination::Queue(name) => path(&["queues", vhost, name, "bindings"]),
        Destination::Exchange(name) => path(&["exchanges", vhost, name, "bindings", "destination"]),
    };
    let queues = objects.queues.keys().map(|name| to(&Destination::Queue(name.clone())));
    let exchanges = objects.exchanges.keys().filter(|name| predeclared_type(name).is_none());
    let exchanges = exchanges.flat_map(|name| {
        [
            path(&["exchanges", vhost, name, "bindings", "source"]),
            to(&Destination::Exchange(name.clone())),
        ]
    });
    let wanted = objects.bindings.iter().map(|binding| to(&binding.destination));
    queues.chain(exchanges).chain(wanted).collect()
}

//! What queues and exchanges hold that AMQP does not count.
//!
//! These are statistics: each queue reports them every few seconds, so they are up to 5 seconds old.

use std::collections::HashMap;

use serde_json::Value as Json;

use crate::objects::{DELAYED_MESSAGE_TYPE, Objects};
use crate::plan::Live;

use super::client::Management;
use super::error::ManagementError;
use super::json::{rows, text};
use super::observe::in_parallel;

/// Up to so many queues are asked for one by one.
const FEW: usize = 50;
/// Queues on a page. The broker gathers statistics for one page at a time, and for a whole list of
/// 10,000 queues it is silent for many seconds.
const PAGE: usize = 500;
/// What is read of a queue.
const COLUMNS: &str = "name,messages_unacknowledged,messages_dlx,messages_delayed";

impl Management {
    /// What the queues of these names hold, as far as they have reported it.
    pub(in crate::broker) async fn live(
        &self,
        names: &[&str],
    ) -> Result<HashMap<String, Live>, ManagementError> {
        let dots = names.iter().any(|name| matches!(*name, "." | ".."));
        let found = if names.len() <= FEW && !dots {
            let ask = |name: &&str| {
                let name = (*name).to_owned();
                async move { self.get(&["queues", &self.vhost, &name], "", "queues").await }
            };
            in_parallel(names.iter().map(ask)).await?.into_iter().flatten().collect()
        } else {
            self.pages(COLUMNS).await?
        };
        let named = |row: &Json| Some((text(row, "name")?.to_owned(), live(row)));
        Ok(found.iter().filter_map(named).collect())
    }

    /// Every queue in the vhost with these of its fields, page by page.
    pub(super) async fn pages(&self, columns: &str) -> Result<Vec<Json>, ManagementError> {
        let mut all = Vec::new();
        for page in 1.. {
            let query = format!("page={page}&page_size={PAGE}&columns={columns}");
            let list = self.get(&["queues", &self.vhost], &query, "queues").await?;
            let pages = list.as_ref().and_then(|list| list.get("page_count")?.as_u64());
            all.extend(rows(list));
            if pages.is_none_or(|pages| pages <= page) {
                break;
            }
        }
        Ok(all)
    }

    /// A queue's type, if it can be seen.
    pub(in crate::broker) async fn queue_type(&self, name: &str) -> Option<String> {
        let query = "disable_stats=true";
        let row = self.get(&["queues", &self.vhost, name], query, "queues").await;
        Some(text(&row.ok()??, "type")?.to_owned())
    }

    /// How many messages wait in each delayed-message exchange of `objects`, on the node that
    /// answers.
    pub(in crate::broker) async fn delayed(
        &self,
        objects: &Objects,
    ) -> Result<HashMap<String, u64>, ManagementError> {
        let delayed = objects.exchanges.iter().filter(|(_, it)| it.kind == DELAYED_MESSAGE_TYPE);
        let ask = |(name, _): (&String, _)| {
            let name = name.clone();
            async move {
                let row = self.get(&["exchanges", &self.vhost, &name], "", "exchanges").await?;
                let waiting = row.and_then(|row| row.get("messages_delayed")?.as_u64());
                Ok(waiting.map(|waiting| (name, waiting)))
            }
        };
        Ok(in_parallel(delayed.map(ask)).await?.into_iter().flatten().collect())
    }
}

fn live(row: &Json) -> Live {
    let number = |name: &str| row.get(name).and_then(Json::as_u64);
    Live {
        ready: None,
        unacknowledged: number("messages_unacknowledged"),
        dead_lettering: number("messages_dlx"),
        held_back: number("messages_delayed"),
        consumers: None,
    }
}

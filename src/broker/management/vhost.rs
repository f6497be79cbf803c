//! A vhost: looked at, made, and opened to users.

use rabbitmq_http_client::requests;
use serde_json::{Value as Json, json};

use crate::plan::{VhostAction, VhostObject, VhostStep};
use crate::vhost::{Permission, VhostSeen};

use super::client::Management;
use super::error::ManagementError;
use super::json::{rows, text};

impl Management {
    /// What is known of the vhost that the settings mean.
    ///
    /// # Errors
    /// Any [`ManagementError`], except for a lack of permission to look: that is
    /// [`VhostSeen::Unseen`], or a part that is `None`.
    pub async fn look_at_vhost(&self) -> Result<VhostSeen, ManagementError> {
        let object = format!("vhost `{}`", self.vhost);
        match self.get(&["vhosts", &self.vhost], "", &object).await {
            Ok(None) => Ok(VhostSeen::Absent),
            Ok(Some(row)) => Ok(VhostSeen::Present {
                default_queue_type: Some(default_queue_type(&row)),
                permissions: self.permissions().await.ok(),
            }),
            // One vhost is for administrators; the list has those that the user may use.
            Err(ManagementError::Forbidden { .. }) => {
                let default_queue_type = self.default_type_in_list().await?;
                Ok(match default_queue_type {
                    None => VhostSeen::Unseen,
                    known => VhostSeen::Present { default_queue_type: known, permissions: None },
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The vhost's default queue type, as far as the user may see it.
    pub(super) async fn default_type(&self) -> Result<Option<String>, ManagementError> {
        Ok(match self.look_at_vhost().await? {
            VhostSeen::Present { default_queue_type, .. } => default_queue_type,
            _ => None,
        })
    }

    async fn default_type_in_list(&self) -> Result<Option<String>, ManagementError> {
        let list = self.get(&["vhosts"], "disable_stats=true", "vhosts").await?;
        let rows = rows(list);
        let own = rows.iter().find(|row| text(row, "name") == Some(&self.vhost));
        Ok(own.map(default_queue_type))
    }

    async fn permissions(&self) -> Result<Vec<Permission>, ManagementError> {
        let object = format!("permissions in vhost `{}`", self.vhost);
        let found = self.typed().list_permissions_in(&self.vhost).await;
        let found = found.map_err(|error| self.fault(&error, "see", &object))?;
        let own = |it: rabbitmq_http_client::responses::Permissions| Permission {
            user: it.user,
            configure: it.configure,
            write: it.write,
            read: it.read,
        };
        Ok(found.into_iter().map(own).collect())
    }

    /// Does one step of a vhost's plan.
    ///
    /// # Errors
    /// Any [`ManagementError`].
    pub async fn apply_to_vhost(&self, step: &VhostStep) -> Result<(), ManagementError> {
        if !matches!(step.action, VhostAction::Create | VhostAction::Update(_)) {
            return Ok(());
        }
        match &step.object {
            VhostObject::Vhost(name, default_type) => {
                self.create_vhost(name, default_type.as_deref()).await
            }
            VhostObject::Permission(permission) => self.permit(permission).await,
        }
    }

    async fn create_vhost(
        &self,
        name: &str,
        default_type: Option<&str>,
    ) -> Result<(), ManagementError> {
        let mut body = json!({});
        if let Some(kind) = default_type {
            // RabbitMQ 3.10 spells it without underscores and ignores the other.
            body["default_queue_type"] = Json::from(kind);
            body["defaultqueuetype"] = Json::from(kind);
        }
        self.put(&["vhosts", name], &body, &format!("vhost `{name}`")).await
    }

    async fn permit(&self, permission: &Permission) -> Result<(), ManagementError> {
        let Permission { user, configure, write, read } = permission;
        let request = requests::Permissions { user, vhost: &self.vhost, configure, read, write };
        let granted = self.typed().grant_permissions(&request).await;
        granted.map_err(|error| {
            match self.fault(&error, "change", &format!("permissions of user `{user}`")) {
                ManagementError::Refused { object, words } if words.contains("user_not_found") => {
                    let words = format!("there is no user `{user}`, and none is ever made");
                    ManagementError::Refused { object, words }
                }
                other => other,
            }
        })
    }
}

/// RabbitMQ 3.10 says `undefined` where nothing was set, which is classic queues.
fn default_queue_type(row: &Json) -> String {
    let known = text(row, "default_queue_type").filter(|kind| *kind != "undefined");
    known.unwrap_or("classic").to_owned()
}

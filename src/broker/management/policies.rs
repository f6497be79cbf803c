//! Policies: read, set, deleted.

use std::collections::BTreeMap;

use serde_json::json;

use crate::objects::Policy;

use super::client::Management;
use super::error::ManagementError;
use super::json;

impl Management {
    /// The vhost's policies, by name.
    pub(super) async fn policies(&self) -> Result<BTreeMap<String, Policy>, ManagementError> {
        let found = self.typed().list_policies_in(&self.vhost).await;
        let found = found.map_err(|error| self.fault(&error, "see", "policies"))?;
        Ok(found.into_iter().map(|it| (it.name.clone(), json::policy(it))).collect())
    }

    /// The vhost's operator policies, by name.
    pub(super) async fn operator_policies(
        &self,
    ) -> Result<BTreeMap<String, Policy>, ManagementError> {
        let found = self.typed().list_operator_policies_in(&self.vhost).await;
        let found = found.map_err(|error| self.fault(&error, "see", "operator policies"))?;
        Ok(found.into_iter().map(|it| (it.name.clone(), json::policy(it))).collect())
    }

    /// Sets a policy. The typed client's own request knows no more than 32-bit priorities and a
    /// closed set of targets, so this is plain JSON, which is what a policy is.
    ///
    /// # Errors
    /// Any [`ManagementError`].
    pub async fn set_policy(&self, name: &str, policy: &Policy) -> Result<(), ManagementError> {
        let body = json!({
            "pattern": policy.pattern,
            "apply-to": policy.apply_to,
            "priority": policy.priority,
            "definition": policy.definition,
        });
        self.put(&["policies", &self.vhost, name], &body, &format!("policy `{name}`")).await
    }

    /// Deletes a policy. One that is not there is no error.
    ///
    /// # Errors
    /// Any [`ManagementError`].
    pub async fn delete_policy(&self, name: &str) -> Result<(), ManagementError> {
        let deleted = self.typed().delete_policy(&self.vhost, name, true).await;
        deleted.map_err(|error| self.fault(&error, "change", &format!("policy `{name}`")))
    }
}

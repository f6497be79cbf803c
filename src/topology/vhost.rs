//! `vhost`: a name, or a mapping that says how it is set up.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::problem::{Problem, ProblemKind};
use crate::vhost::{Permission, Setup};

/// `vhost` of the file.
#[derive(Debug, Default)]
pub struct VhostSpec {
    /// Its name; `None`: the connection's.
    pub name: Option<String>,
    fields: Fields,
}

/// A vhost, and how it is set up.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// Its name; default the connection's.
    name: Option<String>,
    /// The type of queues that are declared without one.
    default_queue_type: Option<DefaultQueueType>,
    /// What users may do in it. The users must exist.
    #[serde(default)]
    permissions: Vec<PermissionSpec>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum DefaultQueueType {
    Classic,
    Quorum,
    Stream,
}

/// An entry of `permissions`; what is left out is nothing at all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a mapping of `user`, `configure`, `write` and `read`")]
#[schemars(rename = "Permission")]
struct PermissionSpec {
    /// The user.
    user: String,
    /// A regular expression: what it may declare and delete.
    #[serde(default)]
    configure: String,
    /// A regular expression: what it may publish to, and bind.
    #[serde(default)]
    write: String,
    /// A regular expression: what it may consume from.
    #[serde(default)]
    read: String,
}

impl VhostSpec {
    /// How it is set up.
    pub fn setup(&self) -> Setup {
        let default_queue_type = self.fields.default_queue_type.map(|kind| match kind {
            DefaultQueueType::Classic => "classic",
            DefaultQueueType::Quorum => "quorum",
            DefaultQueueType::Stream => "stream",
        });
        let permission = |spec: &PermissionSpec| Permission {
            user: spec.user.clone(),
            configure: spec.configure.clone(),
            write: spec.write.clone(),
            read: spec.read.clone(),
        };
        Setup {
            default_queue_type: default_queue_type.map(str::to_owned),
            permissions: self.fields.permissions.iter().map(permission).collect(),
        }
    }

    /// What is wrong with it.
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let users: Vec<_> = self.fields.permissions.iter().map(|spec| &spec.user).collect();
        for (index, user) in users.iter().enumerate() {
            let field = format!("vhost.permissions[{index}].user");
            if user.is_empty() {
                found.push(Problem::new(field, ProblemKind::EmptyName));
            } else if users[..index].contains(user) {
                let user = (*user).clone();
                found.push(Problem::new(field, ProblemKind::UserTwice { user }));
            }
        }
        found
    }
}

impl JsonSchema for VhostSpec {
    fn schema_name() -> Cow<'static, str> {
        "Vhost".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A vhost: its name, or a mapping that says how it is set up.",
            "anyOf": [
                { "type": ["string", "null"], "maxLength": 255 },
                Fields::json_schema(generator),
            ],
        })
    }
}

impl<'de> Deserialize<'de> for VhostSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VhostVisitor)
    }
}

struct VhostVisitor;

impl<'de> Visitor<'de> for VhostVisitor {
    type Value = VhostSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a vhost's name, or a mapping of `name`, `default_queue_type` and `permissions`",
        )
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<VhostSpec, E> {
        Ok(VhostSpec { name: Some(name.to_owned()), fields: Fields::default() })
    }

    fn visit_unit<E: de::Error>(self) -> Result<VhostSpec, E> {
        Ok(VhostSpec::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<VhostSpec, A::Error> {
        let mut fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
        Ok(VhostSpec { name: fields.name.take(), fields })
    }
}

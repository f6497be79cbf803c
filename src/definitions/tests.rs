use super::*;
use crate::objects::Value;

fn read_err(text: &str, vhost: Option<&str>) -> String {
    read(text, vhost).unwrap_err().to_string()
}

const CLUSTER: &str = r#"{
  "rabbit_version": "3.10.8",
  "users": [{"name": "app", "password_hash": "c2VjcmV0", "tags": []}],
  "vhosts": [{"name": "/"}, {"name": "shop"}, {"name": "spare"}],
  "permissions": [{"user": "app", "vhost": "shop", "configure": "", "write": ".*", "read": ".*"}],
  "parameters": [{"component": "shovel", "name": "move", "vhost": "shop",
                  "value": {"src-uri": "amqp://app:secret@host"}}],
  "policies": [{"vhost": "shop", "name": "limits", "pattern": "^q", "definition": {"max-length": 5}}],
  "queues": [
    {"name": "q", "vhost": "/", "durable": true, "auto_delete": false, "arguments": {}},
    {"name": "q", "vhost": "shop", "durable": false, "auto_delete": true,
     "arguments": {"x-a": 1, "x-b": 1.0, "x-c": "1", "x-d": true, "x-e": [1, {"f": [2.5]}],
                   "x-void": null}},
    {"name": "amq.gen-x", "vhost": "shop", "durable": false, "auto_delete": true, "arguments": {}}
  ],
  "exchanges": [
    {"name": "amq.topic", "vhost": "shop", "type": "topic", "durable": true},
    {"name": "amq.mine", "vhost": "shop", "type": "topic", "durable": true},
    {"name": "x", "vhost": "shop", "type": "topic", "durable": true, "internal": true}
  ],
  "bindings": [
    {"source": "", "vhost": "shop", "destination": "q", "destination_type": "queue",
     "routing_key": "q", "arguments": {}},
    {"source": "amq.topic", "vhost": "shop", "destination": "x", "destination_type": "exchange",
     "routing_key": "a.#", "arguments": {}},
    {"source": "x", "vhost": "shop", "destination": "amq.gen-x", "destination_type": "queue",
     "routing_key": "", "arguments": {}},
    {"source": "x", "vhost": "shop", "destination": "q", "destination_type": "queue",
     "routing_key": "k", "arguments": {"x-match": "any"}}
  ]
}"#;

#[test]
fn a_vhost_of_a_cluster() {
    let found = read(CLUSTER, Some("shop")).unwrap();
    assert_eq!(found.vhost.as_deref(), Some("shop"));
    insta::assert_snapshot!(crate::render::listing::listing(&found.objects, None), @r#"
    1 exchange
      x  topic, durable, internal

    1 queue
      q  default type, transient, auto-delete, x-a=1, x-b=1.0, x-c="1", x-d=true, x-e=[1,{"f":[2.5]}]

    2 bindings
      amq.topic → x (exchange)  routing_key="a.#"
      x → q                     routing_key="k", x-match="any"

    1 policy
      limits  all matching "^q" at priority 0, max-length=5
    "#);
    let omitted: Vec<_> = found.omitted.iter().map(Omitted::to_string).collect();
    insta::assert_snapshot!(omitted.join("\n"), @r"
    exchange `amq.mine`: names that begin with `amq.` belong to RabbitMQ and cannot be declared
    argument `x-void` of queue `q`: it is void, or AMQP has no such value
    queue `amq.gen-x`: names that begin with `amq.` belong to RabbitMQ and cannot be declared
    binding from `x` to `amq.gen-x`: one of its ends is not in the definitions, or left out
    parameter `move` of `shovel`: a topology file has no place for it
    ");
    assert_eq!(found.objects.queues["q"].arguments["x-a"], Value::Int(1));
    assert_eq!(found.objects.queues["q"].arguments["x-b"].kind(), "float");
}

#[test]
fn which_vhost() {
    assert_eq!(read_err(CLUSTER, None), "the definitions have several vhosts: `/`, `shop`");
    assert_eq!(
        read_err(CLUSTER, Some("shap")),
        "the definitions have no vhost `shap`; there is `/`, `shop`"
    );
    assert!(read(CLUSTER, Some("spare")).unwrap().objects.is_empty());
    let one = r#"{"queues": [{"name": "q"}], "policies": [{"vhost": "shop", "name": "p",
                  "pattern": ""}], "exchanges": []}"#;
    for (picked, expected) in [(None, Some("shop")), (Some("shop"), Some("shop"))] {
        let found = read(one, picked).unwrap();
        assert_eq!(found.vhost.as_deref(), expected);
        assert_eq!(found.objects.len(), 2);
    }
    let unnamed = r#"{"queues": [{"name": "q"}]}"#;
    assert_eq!(read(unnamed, None).unwrap().vhost, None);
    assert_eq!(read(unnamed, Some("other")).unwrap().vhost.as_deref(), Some("other"));
    let named = r#"{"queues": [{"name": "q"}], "original_vhost_name": "shop"}"#;
    assert_eq!(read(named, None).unwrap().vhost.as_deref(), Some("shop"));
}

#[test]
fn not_definitions() {
    assert_eq!(
        read_err("{}", None),
        "not RabbitMQ definitions: it has neither `queues` nor `exchanges` nor `vhosts`"
    );
    assert!(read_err("exchanges: {}", None).starts_with("not RabbitMQ definitions: expected"));
    assert!(read_err(r#"{"queues": [{"nom": 1}]}"#, None).contains("missing field `name`"));
}

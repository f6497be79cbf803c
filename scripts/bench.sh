#!/usr/bin/env bash
# Speed, as ratios measured side by side in one run: declaring over AMQP against importing the same
# definitions through the management API, and an empty plan against importing what is there.
#
# usage: scripts/bench.sh [ROUNDS]      default 3; each ratio is the median of the rounds
#
# It uses a private broker of its own (see broker.sh), or the one in AMQP_URL together with
# RABBITMQ_MANAGEMENT_URL, where it makes the vhost `delayctl-bench` and deletes it at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=${1:-3}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || { sed -n '5p' "$0" | cut -c3- >&2; exit 2; }
for tool in cargo curl awk; do
    command -v $tool >/dev/null || { echo "$tool is missing: install it first" >&2; exit 69; }
done

say() { printf '%s\n' "$*" >&2; }

say "== building the release binary"
cargo build --release --locked --quiet
delayctl=${CARGO_TARGET_DIR:-target}/release/delayctl

scratch=$(mktemp -d)
started=
finish() {
    api DELETE "/api/vhosts/$vhost" 2>/dev/null || true
    rm -rf "$scratch"
    [[ -z $started ]] || scripts/broker.sh stop
}
vhost="delayctl-bench"
api() { curl -fsS -X "$1" -H 'content-type: application/json' "${@:3}" "$RABBITMQ_MANAGEMENT_URL$2"; }

if [[ -z ${AMQP_URL:-} ]]; then
    export DELAYCTL_BROKER_DIR=$PWD/target/bench-broker DELAYCTL_BROKER_PORT=5675
    scripts/broker.sh status >/dev/null || started=yes
    scripts/broker.sh start >&2
    eval "$(scripts/broker.sh env)"
elif [[ -z ${RABBITMQ_MANAGEMENT_URL:-} ]]; then
    say "AMQP_URL is set and RABBITMQ_MANAGEMENT_URL is not: set it too"
    exit 2
fi
trap finish EXIT

# topology QUEUES TYPE [bound]: so many queues, with a TTL and a dead-letter target each, and a
# binding each.
topology() {
    awk -v count="$1" -v type="$2" -v bound="${3:-}" 'BEGIN {
        print "exchanges: { bench.in: direct, bench.dead: direct }\nqueues:\n  bench.done: { type: " type " }"
        for (i = 0; i < count; i++)
            printf "  bench.%d: { type: %s, message_ttl: %ds, dead_letter: { exchange: bench.dead, routing_key: done } }\n", i, type, i % 3600 + 1
        print "bindings:\n  - { source: bench.dead, queue: bench.done, routing_key: done }"
        for (i = 0; bound && i < count; i++)
            printf "  - { source: bench.in, queue: bench.%d, routing_key: k.%d }\n", i, i
    }'
}

fresh_vhost() {
    api DELETE "/api/vhosts/$vhost" 2>/dev/null || true
    api PUT "/api/vhosts/$vhost" -d '{}'
    api PUT "/api/permissions/$vhost/$user" -d '{"configure":".*","write":".*","read":".*"}'
}
user=$(sed -E 's#^[a-z]+://([^:@/]*)[:@].*#\1#' <<<"$AMQP_URL")

# seconds COMMAND…: how long it takes.
seconds() {
    local from=$EPOCHREALTIME
    "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out" >&2; return 1; }
    awk -v from="$from" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", to - from }'
}

declare_amqp() { "$delayctl" declare "$scratch/$1.yaml" --vhost $vhost -q >/dev/null; }
import_api() { api POST "/api/definitions/$vhost" --data-binary "@$scratch/$1.json"; }
dry_run() { "$delayctl" declare "$scratch/$1.yaml" --vhost $vhost --dry-run; }

median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

# prepare NAME QUEUES TYPE [bound]
prepare() {
    topology "${@:2}" >"$scratch/$1.yaml"
    "$delayctl" export "$scratch/$1.yaml" --vhost $vhost --format definitions >"$scratch/$1.json" 2>"$scratch/out"
}

# against NAME WHAT: declaring and importing in turn, each into an empty vhost.
against() {
    : >"$scratch/ratios"
    for ((round = 1; round <= rounds; round++)); do
        fresh_vhost
        local amqp import
        amqp=$(seconds declare_amqp "$1")
        fresh_vhost
        import=$(seconds import_api "$1")
        say "   declare $amqp s, import $import s"
        awk -v a="$import" -v b="$amqp" 'BEGIN { printf "%.2f\n", a / b }' >>"$scratch/ratios"
    done
    printf '%s: declaring over AMQP is %s times as fast as importing\n' "$2" "$(median "$scratch/ratios")"
}

say "== declaring 2,000 classic queues"
prepare classic 2000 classic
against classic "2,000 classic queues"

say "== declaring 300 quorum queues"
prepare quorum 300 quorum
against quorum "300 quorum queues"

# planning NAME WHAT: an empty plan and an import of what is there, in turn.
planning() {
    fresh_vhost
    declare_amqp "$1"
    : >"$scratch/ratios"
    for ((round = 1; round <= rounds; round++)); do
        local plan import
        plan=$(seconds dry_run "$1")
        import=$(seconds import_api "$1")
        say "   plan $plan s, import again $import s"
        awk -v a="$import" -v b="$plan" 'BEGIN { printf "%.2f\n", a / b }' >>"$scratch/ratios"
    done
    printf '%s: an empty plan is %s times as fast as importing them again\n' "$2" "$(median "$scratch/ratios")"
}

say "== an empty plan of 10,000 objects"
for count in 1250 2500 5000; do prepare "plan$count" "$count" classic bound; done
planning plan5000 "5,000 queues with a binding each"
prepare queues 10000 classic
planning queues "10,000 queues without bindings"

say "== growth: the empty plan of 2,500, 5,000 and 10,000 objects"
for count in 1250 2500 5000; do
    fresh_vhost
    declare_amqp "plan$count"
    : >"$scratch/times"
    for ((round = 1; round <= rounds; round++)); do seconds dry_run "plan$count" >>"$scratch/times"; done
    median "$scratch/times" >"$scratch/time$count"
done
awk '{ t[NR] = $1 } END { printf "the plan of 5,000 objects takes %.1f times, of 10,000 %.1f times as long as that of 2,500\n", t[2] / t[1], t[3] / t[1] }' \
    "$scratch/time1250" "$scratch/time2500" "$scratch/time5000"

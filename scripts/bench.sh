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
vhost="delayctl-bench"
# shellcheck source=scripts/measure.sh
. scripts/measure.sh

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

# prepare NAME QUEUES TYPE [bound]
prepare() {
    topology "${@:2}" >"$scratch/$1.yaml"
    "$delayctl" export "$scratch/$1.yaml" --vhost $vhost --format definitions >"$scratch/$1.json" 2>"$scratch/out"
}

# by_itself QUEUES TYPE: the seconds in which the broker declares the queues when nobody asks it
# over a connection: eight processes of its own call what a channel would call.
by_itself() {
    scripts/broker.sh ctl eval "
        Declare = fun(I) ->
            Name = rabbit_misc:r(<<\"$vhost\">>, queue, iolist_to_binary([\"bench.\", integer_to_list(I)])),
            Arguments = [{<<\"x-queue-type\">>, longstr, <<\"$2\">>},
                         {<<\"x-message-ttl\">>, signedint, (I rem 3600 + 1) * 1000},
                         {<<\"x-dead-letter-exchange\">>, longstr, <<\"bench.dead\">>},
                         {<<\"x-dead-letter-routing-key\">>, longstr, <<\"done\">>}],
            {new, _} = rabbit_amqqueue:declare(Name, true, false, Arguments, none, <<\"guest\">>)
        end,
        Began = erlang:monotonic_time(millisecond),
        Workers = [spawn_monitor(fun() -> [Declare(I) || I <- lists:seq(K, $1 - 1, 8)] end) || K <- lists:seq(0, 7)],
        [receive {'DOWN', Monitor, _, _, normal} -> done end || {_, Monitor} <- Workers],
        io:format(\"~.3f~n\", [(erlang:monotonic_time(millisecond) - Began) / 1000])." |
        grep -m 1 '^[0-9.]*$'
}

# ratio FILE OVER UNDER: notes how many times OVER is UNDER.
ratio() { awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f\n", a / b }' >>"$scratch/$1"; }

# against QUEUES TYPE: declaring and importing in turn, each into an empty vhost; and, where the
# broker is ours to ask, what no client could do better.
against() {
    prepare "$2" "$1" "$2"
    rm -f "$scratch"/{ratios,floors}
    for ((round = 1; round <= rounds; round++)); do
        local amqp import itself=
        fresh_vhost
        amqp=$(seconds declare_amqp "$2")
        fresh_vhost
        import=$(seconds import_api "$2")
        ratio ratios "$import" "$amqp"
        if [[ -n $private ]]; then
            fresh_vhost
            itself=$(by_itself "$1" "$2")
            ratio floors "$import" "$itself"
        fi
        say "   declare $amqp s, import $import s${itself:+, the broker by itself $itself s}"
    done
    printf '%s %s queues: declaring over AMQP is %s times as fast as importing' "$1" "$2" "$(median "$scratch/ratios")"
    printf '%s\n' "${private:+; the broker by itself, without a client, $(median "$scratch/floors")}"
}

say "== declaring 2,000 classic queues"
against 2000 classic

say "== declaring 300 quorum queues"
against 300 quorum

# planning NAME WHAT: an empty plan and an import of what is there, in turn.
planning() {
    fresh_vhost
    declare_amqp "$1"
    rm -f "$scratch/ratios"
    for ((round = 1; round <= rounds; round++)); do
        local plan import
        plan=$(seconds dry_run "$1")
        import=$(seconds import_api "$1")
        say "   plan $plan s, import again $import s"
        ratio ratios "$import" "$plan"
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

#!/usr/bin/env bash
# Strategies side by side: how late each delivers the same mixed delays at 1 and at 1,000 messages a
# second, up to which rate it keeps up, and what a queue and a hop cost.
#
# usage: scripts/compare.sh [ROUNDS]    default 3; figures at 1,000/s are medians of the rounds
#
# It uses a private broker of its own (see broker.sh), or the one in AMQP_URL together with
# RABBITMQ_MANAGEMENT_URL, where it makes the vhost `delayctl-compare` and deletes it at the end.
# It takes about a quarter of an hour. What it prints depends on the machine, and on what else runs
# there: publisher, broker and consumer share its cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=${1:-3}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || { sed -n '5p' "$0" | cut -c3- >&2; exit 2; }
vhost="delayctl-compare"
# shellcheck source=scripts/measure.sh
. scripts/measure.sh

# Twenty delays between 57 ms and 3 s, in no order.
delays=1277ms,57ms,2963ms,641ms,211ms,1823ms,997ms,133ms,2473ms,419ms
delays+=,757ms,2239ms,307ms,1453ms,523ms,2711ms,883ms,1117ms,2011ms,1627ms

# topology NAME: the strategy of that name, with a queue to arrive in.
topology() {
    local type=${1##*-} holds
    case $1 in
        ladder-*)
            local radix=${1#ladder-}
            holds="ladder: { prefix: $1, resolution: 1ms, max: 4095ms, radix: ${radix%-*}, queue_type: $type }"
            ;;
        tiers-*) holds="tiers: { exchange: \"\", queue: \"$1.{delay}\", delays: [$delays], queue_type: $type }" ;;
        plugin) type=classic holds="delayed_exchange: { exchange: $1.ex, type: direct, routing_key: go }" ;;
    esac
    printf 'queues: { %s.done: { type: %s } }\ndelays:\n  it:\n    target: { queue: %s.done }\n    %s\n' \
        "$1" "$type" "$1" "$holds"
}

strategies=(tiers-classic tiers-quorum ladder-2-classic ladder-2-quorum ladder-16-classic ladder-16-quorum)
if api GET '/api/overview?columns=exchange_types' | grep -q x-delayed-message; then
    strategies+=(plugin)
else
    say "SKIPPED plugin: the broker does not have it"
fi

api DELETE "/api/vhosts/$vhost" 2>/dev/null || true
"$delayctl" declare - --vhost $vhost --create-vhost -q >/dev/null <<<'queues: {}'
for name in "${strategies[@]}"; do
    topology "$name" >"$scratch/$name.yaml"
    "$delayctl" declare "$scratch/$name.yaml" --vhost $vhost -q >/dev/null
done

# field NAME FILE: a number of the consumer's summary.
field() { sed -n "s/.*\"summary\":.*\"$1\":\\([0-9.]*\\)[,}].*/\\1/p" "$2"; }

# send NAME BATCHES RATE: sends the twenty delays so many times, receives them, and leaves the
# consumer's lines in $scratch/NAME.out and the seconds it took to publish in $scratch/NAME.sent.
send() {
    local expected=$(($2 * 20)) from
    "$delayctl" consume "$scratch/$1.yaml" --vhost $vhost --management-url none -o json -q \
        --count $expected --idle 60s --prefetch 2000 >"$scratch/$1.out" 2>"$scratch/$1.err" &
    local consumer=$!
    from=$EPOCHREALTIME
    "$delayctl" publish "$scratch/$1.yaml" --vhost $vhost --management-url none -q \
        --delay $delays --count "$2" --rate "$3/s" >"$scratch/$1.published" 2>&1 ||
        { cat "$scratch/$1.published" >&2; return 1; }
    awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >"$scratch/$1.sent"
    wait $consumer || { cat "$scratch/$1.err" >&2; return 1; }
    local count early twice
    count=$(field count "$scratch/$1.out") early=$(field early "$scratch/$1.out")
    twice=$(field duplicates "$scratch/$1.out")
    [[ $count == "$expected" && $early == 0 && $twice == 0 ]] ||
        { say "$1 at $3/s: $count of $expected arrived, $early early, $twice twice"; return 1; }
}

say "== 1 message a second, all strategies at once: 60 messages each"
pids=()
for name in "${strategies[@]}"; do
    send "$name" 3 1 &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
for name in "${strategies[@]}"; do
    awk -v p50="$(field lateness_p50_ms "$scratch/$name.out")" -v p99="$(field lateness_p99_ms "$scratch/$name.out")" \
        'BEGIN { printf "%.1f / %.1f\n", p50, p99 }' >"$scratch/$name.slow"
    hops=$({ grep -o '"reason":"expired"' "$scratch/$name.out" || true; } | wc -l) # the plugin has none
    awk -v hops="$hops" 'BEGIN { printf "%.1f\n", hops / 60 }' >"$scratch/$name.hops"
done

say "== 1,000 messages a second, one strategy after the other: $rounds rounds of 10,000 messages"
for ((round = 1; round <= rounds; round++)); do
    for name in "${strategies[@]}"; do
        send "$name" 500 1000
        field lateness_p50_ms "$scratch/$name.out" >>"$scratch/$name.p50"
        field lateness_p99_ms "$scratch/$name.out" >>"$scratch/$name.p99"
        say "   $name: p50 $(tail -1 "$scratch/$name.p50") ms, p99 $(tail -1 "$scratch/$name.p99") ms"
    done
done

say "== the rate until lateness grows: 5 s each, until p99 is over 250 ms or the publisher falls behind"
for name in "${strategies[@]}"; do
    echo '< 500' >"$scratch/$name.rate"
    for rate in 500 1000 2000 4000 8000 16000; do
        send "$name" $((rate / 4)) $rate
        p99=$(field lateness_p99_ms "$scratch/$name.out")
        sent=$(cat "$scratch/$name.sent")
        say "   $name at $rate/s: p99 $p99 ms, published in $sent s"
        awk -v p99="$p99" -v sent="$sent" 'BEGIN { exit !(p99 <= 250 && sent <= 6) }' || break
        echo $rate >"$scratch/$name.rate"
    done
done

printf '\n%-18s  %6s  %9s  %19s  %19s  %14s\n' strategy queues 'hops mean' 'at 1/s p50 / p99 ms' \
    '1000/s p50 / p99 ms' 'keeps up at /s'
for name in "${strategies[@]}"; do
    queues=$(api GET "/api/queues/$vhost?disable_stats=true&columns=name" | grep -o "\"$name\.[^\"]*\"" | grep -cv '\.done"') || true
    printf '%-18s  %6s  %9s  %19s  %19s  %14s\n' "$name" "$queues" "$(cat "$scratch/$name.hops")" \
        "$(cat "$scratch/$name.slow")" \
        "$(awk -v a="$(median "$scratch/$name.p50")" -v b="$(median "$scratch/$name.p99")" 'BEGIN { printf "%.1f / %.1f", a, b }')" \
        "$(cat "$scratch/$name.rate")"
done

say "== what a hop costs: one delay of each number of hops, 100 messages a second"
printf '\n%-18s  %s\n' ladder 'p50 lateness by hops (ms), and a hop'
for type in classic quorum; do
    name=ladder-2-$type
    for delay in 2048 3072 3840 4080 4095; do
        "$delayctl" consume "$scratch/$name.yaml" --vhost $vhost --management-url none -o json -q \
            --count 500 --idle 60s >"$scratch/hop" &
        "$delayctl" publish "$scratch/$name.yaml" --vhost $vhost --management-url none -q \
            --delay ${delay}ms --count 500 --rate 100/s >/dev/null
        wait $!
        field lateness_p50_ms "$scratch/hop" >>"$scratch/$name.by-hop"
    done
    paste -s -d ' ' "$scratch/$name.by-hop" | awk -v name="$name" '{
        printf "%-18s  1: %.1f, 2: %.1f, 4: %.1f, 8: %.1f, 12: %.1f; a hop: %.2f ms\n", name, $1, $2, $3, $4, $5, ($5 - $1) / 11
    }'
done

say "== what a queue costs: 300 of each type"
printf '\n%-18s  %s\n' queue 'to declare, and memory when idle'
for type in classic quorum; do
    awk -v type=$type 'BEGIN {
        print "queues:"
        for (i = 0; i < 300; i++) printf "  cost.%s.%d: { type: %s, message_ttl: 1h }\n", type, i, type
    }' >"$scratch/cost.yaml"
    from=$EPOCHREALTIME
    "$delayctl" declare "$scratch/cost.yaml" --vhost $vhost -q >/dev/null
    took=$(awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
    sleep 10 # the queues report their memory every five seconds
    api GET "/api/queues/$vhost?columns=name,memory" | tr '{' '\n' | grep "cost.$type" |
        sed -n 's/.*"memory":\([0-9]*\).*/\1/p' | awk -v type=$type -v took="$took" '
        { sum += $1 } END { printf "%-18s  %.1f ms, %.0f kB\n", type, took * 1000 / 300, sum / NR / 1000 }'
done

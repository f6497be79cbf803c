#!/usr/bin/env bash
# A private RabbitMQ node on loopback for demos and tests; `broker.sh --help` says how to use it.
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/broker.sh VERB

  start           start the broker and wait until it answers; nothing to do if it runs
  stop [--purge]  stop it; what it holds is kept for the next start, unless purged
  restart         stop, then start
  status          say whether it runs; exit code 0: yes, 1: it died, 3: it is stopped,
                  4: it runs but does not answer
  env             print AMQP_URL and RABBITMQ_MANAGEMENT_URL: eval "$(scripts/broker.sh env)"
  log [-f]        print the broker's log, or follow it
  ctl ARGUMENT…   run its rabbitmqctl

The broker is an installed rabbitmq-server, or Debian's package, which `start` installs when
it may, or the image rabbitmq:4-management when a Docker engine answers.
When AMQP_URL names a broker of yours, that one is used and nothing is started or stopped.

  DELAYCTL_BROKER_PORT      AMQP port (5673); the other ports keep RabbitMQ's usual distance
                            from it: management +10000, distribution +20000, epmd -1303
  DELAYCTL_BROKER_MANAGEMENT_PORT, DELAYCTL_BROKER_DIST_PORT, DELAYCTL_BROKER_EPMD_PORT
                            the same, one by one
  DELAYCTL_BROKER_DIR       state folder (~/.cache/delayctl/broker)
  DELAYCTL_BROKER_TIMEOUT   seconds to wait for a start or a stop (120)
  DELAYCTL_BROKER_INSTALL   `no`: never install a package
  RABBITMQ_HOME             the RabbitMQ to use: its sbin/rabbitmq-server is run
  RABBITMQ_PLUGINS_DIR      more folders with plugins, separated by colons
END
}

say() { printf 'broker: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$@"
    exit "$code"
}

dir=${DELAYCTL_BROKER_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/delayctl/broker}
[[ $dir == /* ]] || dir=$PWD/$dir
timeout=${DELAYCTL_BROKER_TIMEOUT:-120}
port=${DELAYCTL_BROKER_PORT:-5673}
[[ $port =~ ^[1-9][0-9]*$ && $timeout =~ ^[1-9][0-9]*$ ]] ||
    die 2 "DELAYCTL_BROKER_PORT and DELAYCTL_BROKER_TIMEOUT must be whole numbers"
management_port=${DELAYCTL_BROKER_MANAGEMENT_PORT:-$((port + 10000))}
dist_port=${DELAYCTL_BROKER_DIST_PORT:-$((port + 20000))}
epmd_port=${DELAYCTL_BROKER_EPMD_PORT:-$((port - 1303))}
amqp_url=amqp://guest:guest@127.0.0.1:$port
management_url=http://guest:guest@127.0.0.1:$management_port
container=delayctl-broker-$port-$management_port

# The URL that `env` printed is not "a broker of yours": after the eval, `stop` must still stop.
users_broker() { [[ -n ${AMQP_URL:-} && $AMQP_URL != "$amqp_url" && $AMQP_URL != "$amqp_url"/* ]]; }

# --- processes: a pid alone is a guess, since the system gives it out again ------------------

# Prints when a process started; fails when it is gone. A zombie is gone: under an init that
# reaps nothing, as in many containers, it would stay for ever.
birth() {
    local line state fields
    if [[ -r /proc/self/stat ]]; then
        line=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
        # Behind the command's name, which may hold anything: state first, start time 20th.
        read -r -a fields <<<"${line##*) }"
        [[ ${fields[0]} != Z ]] && echo "${fields[19]}"
    else
        line=$(LC_ALL=C TZ=UTC0 ps -o state= -o lstart= -p "$1") || return 1
        read -r state line <<<"$line"
        [[ $state != Z* ]] && echo "$line"
    fi
}

# record NAME PID
record() {
    local born
    born=$(birth "$2") && printf '%s %s\n' "$2" "$born" >"$dir/$1.pid"
}

# alive NAME: whether the recorded process runs; sets pid.
alive() {
    local born
    pid=
    [[ -s $dir/$1.pid ]] || return 1
    read -r pid born <"$dir/$1.pid"
    [[ $(birth "$pid") == "$born" ]]
}

# terminate NAME: SIGTERM is RabbitMQ's clean shutdown; SIGKILL only when that takes too long.
terminate() {
    local signal deadline
    for signal in TERM KILL; do
        alive "$1" || break
        [[ $signal == TERM ]] || say "process $pid did not stop within $timeout s: killing it"
        kill "-$signal" "$pid" 2>/dev/null || ! alive "$1" ||
            die 1 "may not stop process $pid: it belongs to another user"
        deadline=$((SECONDS + timeout))
        while alive "$1" && ((SECONDS < deadline)); do sleep 0.1; done
    done
    ! alive "$1" || die 1 "process $pid outlived SIGKILL"
    rm -f "$dir/$1.pid"
}

# One start or stop at a time. The lock goes with its process, whatever that dies of.
lock() {
    mkdir -p "$dir" || exit 1
    [[ -w $dir ]] || die 1 "may not write to $dir: it belongs to another user"
    command -v flock >/dev/null || return 0 # macOS
    exec 9>"$dir/lock"
    flock -w "$timeout" 9 || die 1 "another broker.sh has been busy in $dir for $timeout s"
}

# --- is it up, and does it answer -----------------------------------------------------------

listens() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Prints the management API's overview; fails unless it is there. Needs no curl.
overview() (
    local status
    exec 3<>"/dev/tcp/127.0.0.1/$management_port" || exit 1
    printf 'GET /api/overview HTTP/1.0\r\nHost: localhost\r\nAuthorization: Basic %s\r\n\r\n' \
        "$(printf guest:guest | base64)" >&3
    read -r -t 5 status <&3
    [[ $status == HTTP/1.?' 200 '* ]] || exit 1
    cat <&3
) 2>/dev/null

# Says what answers; fails when AMQP or the management API does not.
answer() {
    local body version='?' plugin=without
    listens "$port" && body=$(overview) || return 1
    [[ $body =~ \"rabbitmq_version\":\"([^\"]+)\" ]] && version=${BASH_REMATCH[1]}
    [[ $body == *'"name":"x-delayed-message"'* ]] && plugin=with
    echo "RabbitMQ $version, $plugin the delayed-message plugin:" \
        "AMQP on 127.0.0.1:$port, management on $management_url"
}

in_docker() { [[ -f $dir/container ]]; }

up() {
    if in_docker; then
        [[ $(docker container inspect -f '{{.State.Running}}' "$container" 2>/dev/null) == true ]]
    else
        alive node
    fi
}

# Whether a broker that is not up was never stopped.
died() { in_docker || [[ -f $dir/node.pid ]]; }

# show_log [-f]
show_log() {
    if in_docker; then
        docker logs "$@" "$container" 2>&1
    elif [[ -f $dir/broker.log ]]; then
        tail -n +1 "$@" "$dir/broker.log"
    else
        say "there is no log in $dir"
    fi
}

halt() {
    if in_docker; then
        ! up || docker stop -t "$timeout" "$container" >/dev/null
        rm -f "$dir/container"
    fi
    terminate node
    terminate epmd
}

# --- getting a RabbitMQ ----------------------------------------------------------------------

find_server() {
    local candidate
    if [[ -n ${RABBITMQ_HOME:-} ]]; then
        server=$RABBITMQ_HOME/sbin/rabbitmq-server
        [[ -x $server ]] || die 69 "RABBITMQ_HOME is set, but there is no $server"
        return
    fi
    # What packages put into /usr/sbin is a wrapper for the system's own node: last.
    for candidate in /usr/lib/rabbitmq/bin {/opt/homebrew,/usr/local}/sbin; do
        server=$candidate/rabbitmq-server
        [[ ! -x $server ]] || return 0
    done
    server=$(command -v rabbitmq-server)
}

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }

install_package() {
    local log=$dir/install.log units=() failed=0
    [[ ${DELAYCTL_BROKER_INSTALL:-} != no ]] || return 1
    command -v apt-get >/dev/null && as_root true 2>/dev/null || return 1

    say "RabbitMQ is not installed: installing the distribution's package rabbitmq-server"
    say "(apt-get, about a minute, log in $log)"
    # The package starts a node for the whole system, now and at every boot, which nobody asked
    # for here. It cannot start a masked unit of systemd, nor in runlevel 1 of other inits.
    if [[ -d /run/systemd/system ]]; then
        units=(rabbitmq-server.service)
        command -v epmd >/dev/null || units+=(epmd.service epmd.socket) # Erlang comes along
    fi
    {
        ((!${#units[@]})) || as_root systemctl mask --runtime "${units[@]}"
        as_root apt-get update || true # old lists may do
        as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y \
            --no-install-recommends -o DPkg::Lock::Timeout=300 rabbitmq-server || failed=1
        if ((${#units[@]})); then
            as_root systemctl unmask --runtime "${units[@]}"
            as_root systemctl disable "${units[@]}"
        else
            as_root update-rc.d rabbitmq-server disable
        fi
    } </dev/null >"$log" 2>&1 9>&-
    if ((failed)); then
        tail -n 10 "$log" >&2
        say "the package could not be installed"
        return 1
    fi
    if [[ -n $(find /proc -maxdepth 1 -user rabbitmq -name '[0-9]*' 2>/dev/null) ]]; then
        say "the package started the system's own node: stopping that one"
        as_root invoke-rc.d rabbitmq-server stop >>"$log" 2>&1 9>&- || say "it cannot be stopped, see $log"
    fi
    say "installed; its system service is left off (to have it: sudo update-rc.d rabbitmq-server enable)"
}

say_what_to_install() {
    cat >&2 <<'END'
broker: no RabbitMQ here, and none could be installed. Do one of these, then try again:
  Debian, Ubuntu   sudo apt-get install rabbitmq-server
  Fedora           sudo dnf install rabbitmq-server
  Arch Linux       sudo pacman -S rabbitmq
  macOS            brew install rabbitmq
  Docker           start the Docker engine; the image rabbitmq:4-management will be used
  elsewhere        export AMQP_URL=amqp://user:password@host:5672/vhost, and
                   RABBITMQ_MANAGEMENT_URL=http://user:password@host:15672 if it has one
END
}

# --- starting --------------------------------------------------------------------------------

# need_port NUMBER PURPOSE VARIABLE
need_port() {
    ! listens "$1" || die 1 "port $1 ($2) is taken by something else: choose another with $3"
}

# Folders with plugins: the caller's, then the installation's own, which hold the management
# plugin. RabbitMQ itself would look in the caller's alone.
plugin_path() {
    local home
    home=$(dirname "$(dirname "$(readlink -f "$server")")")
    plugins=${RABBITMQ_PLUGINS_DIR:-}
    for home in "$home" /usr/lib/rabbitmq; do
        [[ ! -d $home/plugins || :$plugins: == *:$home/plugins:* ]] || plugins+=${plugins:+:}$home/plugins
    done
}

has_delayed_plugin() {
    local folder folders
    IFS=: read -r -a folders <<<"$plugins"
    for folder in "${folders[@]}"; do
        ! compgen -G "$folder/rabbitmq_delayed_message_exchange*" >/dev/null || return 0
    done
    return 1
}

configure() {
    local enabled=rabbitmq_management cookie
    mkdir -p "$dir"/{home,data,log}
    chmod 700 "$dir"/{home,data,log} # the cookie in home is a password
    cat >"$dir/rabbitmq.conf" <<END
listeners.tcp.1 = 127.0.0.1:$port
management.tcp.ip = 127.0.0.1
management.tcp.port = $management_port
disk_free_limit.absolute = 50MB
END
    plugin_path
    ! has_delayed_plugin || enabled+=,rabbitmq_delayed_message_exchange
    echo "[$enabled]." >"$dir/enabled_plugins"
    : >"$dir/rabbitmq-env.conf"
    if [[ ! -s $dir/home/.erlang.cookie ]]; then
        cookie=$(od -An -N 24 -tx1 /dev/urandom)
        printf '%s' "${cookie//[[:space:]]/}" >"$dir/home/.erlang.cookie"
        chmod 400 "$dir/home/.erlang.cookie"
    fi
}

# spawn NAME COMMAND…: runs it in the background and records it. `set -m` gives it a process
# group of its own, out of reach of a Ctrl-C in this terminal.
spawn() {
    local name=$1
    shift
    set -m
    (cd "$dir" && exec nohup "$@") </dev/null >>"$dir/broker.log" 2>&1 9>&- &
    set +m
    record "$name" $!
}

# What the node and its tools must know of each other.
environment() {
    local variable
    # No setting of the caller's, nor of the system's own node in /etc, may reach this node.
    for variable in "${!RABBITMQ_@}" "${!ERL_@}"; do unset "$variable"; done
    unset CONF_ENV_FILE NOTIFY_SOCKET
    export HOME="$dir/home"
    export RABBITMQ_NODENAME="delayctl-$port@127.0.0.1" RABBITMQ_USE_LONGNAME=true
    export RABBITMQ_CONF_ENV_FILE="$dir/rabbitmq-env.conf"
    export RABBITMQ_CONFIG_FILE="$dir/rabbitmq.conf"
    export RABBITMQ_ADVANCED_CONFIG_FILE="$dir/advanced.config"
    export RABBITMQ_ENABLED_PLUGINS_FILE="$dir/enabled_plugins"
    export RABBITMQ_MNESIA_BASE="$dir/data"
    export RABBITMQ_LOG_BASE="$dir/log"
    export RABBITMQ_LOGS=- RABBITMQ_LOG=-color
    export RABBITMQ_DIST_PORT="$dist_port"
    # Erlang's port mapper: left to itself the VM would share the system's, or start one that
    # listens on all addresses and outlives the node.
    export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="$epmd_port"
}

launch() {
    local root epmd
    need_port "$port" AMQP DELAYCTL_BROKER_PORT
    need_port "$management_port" management DELAYCTL_BROKER_MANAGEMENT_PORT
    need_port "$dist_port" distribution DELAYCTL_BROKER_DIST_PORT
    need_port "$epmd_port" epmd DELAYCTL_BROKER_EPMD_PORT
    configure

    environment
    [[ -z $plugins ]] || export RABBITMQ_PLUGINS_DIR="$plugins"
    # With "input allowed" the launcher becomes the Erlang VM instead of waiting for it as a
    # child: one process, one pid. -noinput takes the permission back.
    export RABBITMQ_ALLOW_INPUT=1
    # The VM neither spins while idle nor ties itself to cores, as it would on a server.
    export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-noinput +sbwt none +sbwtdcpu none +sbwtdio none +stbt u
        -kernel inet_dist_use_interface {127,0,0,1}"
    export ERL_CRASH_DUMP_SECONDS=0
    if ! epmd=$(command -v epmd); then
        root=$(erl -noinput -eval 'io:put_chars(code:root_dir()), halt().') || die 69 "Erlang's erl is not in PATH"
        epmd=$(compgen -G "$root/erts-*/bin/epmd" | tail -n 1) || die 69 "Erlang has no epmd in $root"
    fi

    [[ ! -f $dir/broker.log ]] || mv "$dir/broker.log" "$dir/broker.log.1"
    say "starting RabbitMQ ($server) in $dir"
    spawn epmd "$epmd" || return 0 # the wait that follows reports it, with the log
    spawn node "$server" || return 0
}

launch_container() {
    need_port "$port" AMQP DELAYCTL_BROKER_PORT
    need_port "$management_port" management DELAYCTL_BROKER_MANAGEMENT_PORT
    say "starting RabbitMQ in Docker (rabbitmq:4-management, container $container)"
    echo "$container" >"$dir/container"
    if docker container inspect "$container" >/dev/null 2>&1; then
        docker start "$container"
    else
        # RabbitMQ keeps its data under the host's name: it must not change.
        docker run --detach --name "$container" --hostname delayctl-broker \
            --publish "127.0.0.1:$port:5672" --publish "127.0.0.1:$management_port:15672" \
            rabbitmq:4-management
    fi >/dev/null || die 1 "Docker could not start it"
}

await_answer() {
    local deadline=$((SECONDS + timeout)) answer
    until answer=$(answer); do
        if ! up; then
            show_log | tail -n 30 >&2
            die 1 "RabbitMQ died while starting; the end of its log stands above." \
                "If its data is from another version, 'broker.sh stop --purge' starts afresh"
        elif ((SECONDS >= deadline)); then
            show_log | tail -n 30 >&2
            die 1 "RabbitMQ did not answer within $timeout s; the end of its log stands above." \
                "DELAYCTL_BROKER_TIMEOUT allows it more time"
        fi
        sleep 0.2
    done
    say "$answer"
}

# --- verbs -----------------------------------------------------------------------------------

start() {
    local answer
    if users_broker; then
        say "AMQP_URL is set: using that broker, starting none"
        return
    fi
    lock
    if up; then
        answer=$(answer) || die 1 "RabbitMQ runs but does not answer: see 'broker.sh log', or 'broker.sh restart' it"
        say "running already: $answer"
        return
    fi
    ! died || say "the last one died without being stopped"
    halt # what it left: its epmd, its pid file

    trap halt EXIT # a start that fails or is interrupted leaves nothing behind
    if find_server || { install_package && find_server; }; then
        launch
    elif docker info >/dev/null 2>&1; then
        launch_container
    else
        say_what_to_install
        exit 69
    fi
    await_answer
    trap - EXIT
}

stop() {
    if users_broker; then
        say "AMQP_URL is set: that broker is yours to stop"
        return
    fi
    lock
    if up; then
        halt
        say "stopped"
    else
        halt
        say "not running"
    fi
    if [[ ${1:-} == --purge ]]; then
        # By name: the folder is the user's choice and may hold other things.
        rm -rf "${dir:?}"/{home,data,log,{broker,install}.log,broker.log.1,rabbitmq{,-env}.conf,enabled_plugins,lock}
        rmdir "$dir" 2>/dev/null || true
        if docker container inspect "$container" >/dev/null 2>&1; then
            docker rm --force --volumes "$container" >/dev/null
        fi
        say "its data is removed"
    fi
}

status() {
    if users_broker; then
        echo "AMQP_URL is set: using that broker"
    elif up; then
        answer || { echo "RabbitMQ runs${pid:+ (pid $pid)} but does not answer"; exit 4; }
    elif died; then
        echo "RabbitMQ${pid:+ (pid $pid)} died: see 'broker.sh log'"
        exit 1
    else
        echo "stopped"
        exit 3
    fi
}

print_env() {
    if ! users_broker; then
        AMQP_URL=$amqp_url/%2f RABBITMQ_MANAGEMENT_URL=$management_url
        up || say "not running: scripts/broker.sh start"
    fi
    printf 'export AMQP_URL=%q\n' "$AMQP_URL"
    [[ -z ${RABBITMQ_MANAGEMENT_URL:-} ]] || printf 'export RABBITMQ_MANAGEMENT_URL=%q\n' "$RABBITMQ_MANAGEMENT_URL"
}

control() {
    if users_broker; then
        die 2 "AMQP_URL is set: that broker is yours to control"
    elif ! up; then
        die 3 "not running: scripts/broker.sh start"
    elif in_docker; then
        exec docker exec "$container" rabbitmqctl "$@"
    fi
    find_server || die 69 "rabbitmqctl is gone: RabbitMQ is no longer installed"
    environment
    exec "$(dirname "$server")/rabbitmqctl" "$@"
}

case "$*" in
start) start ;;
stop | 'stop --purge') stop "${2:-}" ;;
restart)
    stop
    start
    ;;
status) status ;;
env) print_env ;;
log | 'log -f') show_log "${@:2}" ;;
ctl\ *) control "${@:2}" ;;
-h | --help | help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac

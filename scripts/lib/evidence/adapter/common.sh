# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the steps
#
# What the steps share.
#
#   not_possible REASON     ends a step so
#   need_device             ends a step that cannot be without a device with an active port
#   need_connections        ends a step that needs reliable connections, on an adapter without them
#   RDMA4J                  the words of a command that is one of the Java tools
#   TOOLS                   their names
#   LINK                    the options that the tools need on this device
#   offers TOOL             whether the device has the tool's operation; says so if not
#   play TITLE SERVER… -- CLIENT…   both_ends, with a heading; what fails is remembered
#   all_well                the step's end: status 1, and which, if some have failed
#   both_ends COMMAND…      starts the words before -- as a server, the words behind it as its client as soon as the server's port is
#                           there; PORT is the port that both take. Status: the server's if it failed, else the client's
#   device_tests MODULE     the device tests of a module: in one JVM, and if that dies in another one from the class behind

PORT=18611

not_possible() {
    printf 'not possible here: %s\n' "$1"
    exit 3
}

need_device() {
    [[ -n $DEVICE ]] || not_possible 'no RDMA device has an active port 1'
}

need_connections() {
    need_device
    [[ -z $EFA ]] || not_possible 'an Elastic Fabric Adapter has no reliable connections'
}

read -ra JAVA_WORDS <<<"$JAVA_OPTIONS"
# shellcheck source=scripts/lib/locale.sh
source "$FOLDER/evidence/locale.sh"
RDMA4J=("$JAVA" "${TOOL_FLAGS[@]}" "${JAVA_WORDS[@]}" -cp "$CLASSES" io.github.rdma4j.perftest.Main)

TOOLS=(ib_write_lat ib_read_lat ib_send_lat ib_atomic_lat ib_write_bw ib_read_bw ib_send_bw ib_atomic_bw)
LINK=()
if [[ -n $EFA ]]; then
    LINK=(-c SRD -x 0)
    TOOLS=(ib_write_lat ib_read_lat ib_send_lat ib_write_bw ib_read_bw ib_send_bw)
fi
FAILED=()

offers() {
    [[ -n $EFA ]] || return 0
    local printed
    # A client, which refuses the operation before it looks for its server.
    printed=$(timeout 60 "${RDMA4J[@]}" "$1" -d "$DEVICE" "${LINK[@]}" -p "$PORT" localhost 2>&1) || true
    [[ $printed == *'does not report RDMA_'* ]] || return 0
    printf '%s: %s\n' "$1" "$(grep -F 'does not report RDMA_' <<<"$printed")"
    return 1
}

play() {
    local title=$1
    shift
    printf '\n== %s\n' "$title"
    both_ends "$@" || FAILED+=("$title")
}

all_well() {
    ((${#FAILED[@]} == 0)) || {
        printf 'failed: %s\n' "$(IFS=';' && printf '%s' "${FAILED[*]}")"
        exit 1
    }
}

both_ends() {
    local server=() pid status=0 served=0 port
    while [[ $1 != -- ]]; do
        server+=("$1")
        shift
    done
    shift
    "${server[@]}" &
    pid=$!
    port=$(printf ':%04X ' "$PORT")
    # The limits end what hangs. A machine with other work takes minutes for what takes a second without.
    for _ in {1..1200}; do
        ! grep -qi "$port" /proc/net/tcp /proc/net/tcp6 2>/dev/null || break
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    timeout 180 "$@" || status=$?
    ((status != 124)) || echo 'ended after 180 s'
    # A server whose client failed waits on.
    ((status == 0)) || kill "$pid" 2>/dev/null || true
    wait "$pid" || served=$?
    # The next server uses another port, because this one may linger.
    PORT=$((PORT + 1))
    ((status != 0)) || status=$served
    return "$status"
}

device_tests() {
    local module=$1 tests=$FOLDER/$1/test-classes log="logs/$1-tests.txt" classes=() left=() class started status run=0 failed=0 passed=0
    local tags='device & !checkout & !changes-machine & !optimised & !kernel612 & !later-rdma-core & !iwarp-only & !huge-pages & !full'
    # Threads that spin for others need a processor each.
    (($(nproc) > 1)) || tags+=' & !parallel'
    mapfile -t classes < <(cd -- "$tests" && find . -name '*DeviceTest.class' | sed 's|^\./||; s|/|.|g; s|\.class$||' | sort)
    : >"$log"
    while ((${#classes[@]} > 0)); do
        run=$((run + 1)) status=0
        "$JAVA" "${JAVA_WORDS[@]}" "-XX:ErrorFile=logs/$module-jvm-$run.txt" -cp "$tests:$CLASSES" \
            org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=testfeed \
            "${classes[@]/#/--select-class=}" \
            --include-tag "$tags" >logs/run.txt 2>&1 || status=$?
        cat logs/run.txt >>"$log"
        passed=$((passed + $(grep -c ' :: SUCCESSFUL$' logs/run.txt || true)))
        failed=$((failed + $(grep -c ' :: FAILED$' logs/run.txt || true)))
        grep -q '^Test run finished after ' logs/run.txt && break
        # The JVM died in the last class: all classes up to it have been run.
        class=$(sed -nE 's/^.* > ([A-Za-z0-9]+DeviceTest) > .* :: STARTED$/\1/p' logs/run.txt | tail -n 1)
        printf 'the JVM ended with status %d in %s\n' "$status" "${class:-no test}"
        failed=$((failed + 1))
        [[ -n $class ]] || break
        left=()
        for started in "${classes[@]}"; do
            grep -qF " > ${started##*.} > " logs/run.txt || left+=("$started")
        done
        classes=(${left[@]+"${left[@]}"})
    done
    rm -f logs/run.txt
    sed -nE 's/^JUnit Jupiter > (.*) :: FAILED$/FAILED: \1/p' "$log"
    printf '%d passed, %d failed; %s has all\n' "$passed" "$failed" "$log"
    ((passed > 0 && failed == 0))
}

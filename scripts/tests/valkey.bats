# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# A client of Valkey and its server on two machines, between which the path dies. Runs with scripts/test --full, and needs the
# compiled tests of verbs-ffm/valkey.

bats_require_minimum_version 1.5.0

# bats test_tags=long
@test "a Valkey client reports a dead path, and a reconnecting one works when the path is back" {
    local scripts=$BATS_TEST_DIRNAME/.. folder=$BATS_TEST_TMPDIR/valkey server jdk
    server=$("$scripts/lib/valkey-server")
    # shellcheck source=/dev/null disable=SC2034 # common.sh reads PROGRAM
    jdk=$(PROGRAM=valkey.bats && source "$scripts/lib/common.sh" && source "$scripts/lib/jdk.sh" && find_jdk 25)
    mkdir "$folder"
    cat >"$folder/machine" <<'GUEST'
#!/bin/bash
set -eu
server=$1 folder=$2 module=$3 jdk=$4
await() { until [[ -e $folder/$1 ]]; do sleep 0.2; done; }
if [[ $RDMA4J_MACHINE == 1 ]]; then
    "$server/valkey-server" --rdma-bind "$RDMA4J_ADDRESS_1" --rdma-port 6379 --bind "$RDMA4J_ADDRESS_1" --port 6379 \
        --protected-mode no --save '' >"$folder/log" &
    until grep -q 'Ready to accept connections rdma' "$folder/log"; do sleep 0.2; done
    : >"$folder/ready"
    await done
else
    await ready
    "$jdk/bin/java" -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
        -cp "$module/target/test-classes:$module/target/classes:$(cat "$module/target/test-classpath.txt")" \
        io.github.rdma4j.valkey.LostPathRun "$RDMA4J_ADDRESS_1" \
        'tc qdisc replace dev e0 root netem loss 100%' 'tc qdisc del dev e0 root' || touch "$folder/failed"
    : >"$folder/done"
    [[ ! -e $folder/failed ]]
fi
GUEST
    chmod +x "$folder/machine"
    run --separate-stderr "$scripts/softroce" --accel uml --machines 2 --writable "$folder" --timeout 600 \
        "$folder/machine" "$server" "$folder" "$scripts/../verbs-ffm/valkey" "$jdk"
    echo "$output"
    echo "$stderr"
    [[ $status == 0 ]]
    [[ $output == *'strict: 100 of 200 commands executed, the others failed; the first: '*'Connection reset: '*RETRY_EXC_ERR* ]]
    [[ $output == *'idle: disconnected'*'reconnecting, a new command: '[0-9]*'idle, a new command: '[0-9]*'a new connection: 100'* ]]
}

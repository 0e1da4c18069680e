#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# scripts/evidence adapter: its options, which device it takes, and what its steps share, on stand-ins for sysfs and java.
# How it runs steps is in evidence-gpu.bats; what the real ones find on SoftRoCE is at the end, and long.

bats_require_minimum_version 1.5.0

setup() {
    SCRIPTS=$BATS_TEST_DIRNAME/..
    LIB=$SCRIPTS/lib/evidence/adapter
    FOLDER=$BATS_TEST_TMPDIR/packed
    OUT=$BATS_TEST_TMPDIR/out
    export RDMA4J_SYSFS=$BATS_TEST_TMPDIR/sys
    mkdir -p "$FOLDER/evidence/steps" "$FOLDER/jdk/bin" "$RDMA4J_SYSFS/class/infiniband"
    ln -s "$(type -P true)" "$FOLDER/jdk/bin/java"
    cp "$SCRIPTS/lib/evidence/run" "$FOLDER/run"
    cp "$SCRIPTS"/lib/{locale,evidence/*}.sh "$LIB/kind.sh" "$LIB/common.sh" "$FOLDER/evidence/"
    printf '1.2.3\nabc\n' >"$FOLDER/evidence/version"
}

# device NAME STATE [adapter]
device() {
    local folder=$RDMA4J_SYSFS/class/infiniband/$1
    mkdir -p "$folder/ports/1/gid_attrs/ndevs"
    printf '%s\n' "$2" >"$folder/ports/1/state"
    printf 'lo\n' >"$folder/ports/1/gid_attrs/ndevs/0"
    if [[ -n ${3:-} ]]; then mkdir "$folder/device"; fi
}

# step NAME COMMANDS: a step that is played.
step() {
    printf '#!/usr/bin/env bash\n# limit: 10\nsource "$FOLDER/evidence/common.sh"\n%s\n' "$2" >"$FOLDER/evidence/steps/$1"
    chmod +x "$FOLDER/evidence/steps/$1"
}

# java BODY: what is started as Java.
java() {
    rm -f "$FOLDER/jdk/bin/java"
    printf '#!/usr/bin/env bash\n%s\n' "$1" >"$FOLDER/jdk/bin/java"
    chmod +x "$FOLDER/jdk/bin/java"
}

@test "--help names every option" {
    run -0 "$SCRIPTS/evidence" adapter --help
    for option in --pack --built --out --steps --device --peer --help; do
        [[ $output == *"  $option "* ]]
    done
}

@test "bad options are refused before anything is built" {
    run -2 --separate-stderr "$SCRIPTS/evidence" adapter --gpu
    [[ $stderr == *"unknown option --gpu"* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" adapter --steps 0,11
    [[ $stderr == *"--steps needs numbers from 1 to 10"* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" adapter --device '../x'
    [[ $stderr == *"--device needs the name of an RDMA device"* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" adapter --pack x --steps 1
    [[ $stderr == *'--pack runs nothing: leave out --steps'* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" adapter --peer
    [[ $stderr == *"--peer needs a host"* ]]
}

@test "a device that is not there is refused, and those there are named" {
    device mlx5_0 '4: ACTIVE' adapter
    run -2 --separate-stderr "$FOLDER/run" --device mlx5_9 --out "$OUT"
    [[ $stderr == *"there is no RDMA device mlx5_9"*"this machine has: mlx5_0"* ]]
}

@test "the first adapter with an active port is taken, before software devices" {
    device a_rxe0 '4: ACTIVE'
    device mlx5_0 '1: DOWN' adapter
    device mlx5_1 '4: ACTIVE' adapter
    # shellcheck disable=SC2016
    step 01-says 'echo "$DEVICE at $ADDRESS: $JAVA_OPTIONS"'
    run -0 "$FOLDER/run" --out "$OUT"
    [[ $output != *REHEARSAL* && $output == *'device mlx5_1, address 127.0.0.1'* ]]
    grep -q 'rdma4j.test.device=mlx5_1 -Drdma4j.test.address=' "$OUT/logs/01-says.log"
}

@test "a software device is a rehearsal; no device at all makes steps impossible" {
    device rxe0 '4: ACTIVE'
    step 03-needs 'need_device; echo well'
    run -0 "$FOLDER/run" --out "$OUT"
    [[ $output == *'REHEARSAL on rxe0'* && $output == *needs*passed* ]]
    rm -r "$RDMA4J_SYSFS/class/infiniband/rxe0"
    run -0 "$FOLDER/run" --out "$OUT-2"
    [[ $output == *needs*not-possible*'no RDMA device has an active port 1'* ]]
}

@test "an Elastic Fabric Adapter takes SRD, and needs no connections" {
    device rdmap0s6 '4: ACTIVE' adapter
    ln -s ../../../bus/pci/drivers/efa "$RDMA4J_SYSFS/class/infiniband/rdmap0s6/device/driver"
    java '[[ $* != *" ib_write_bw "* ]] || { echo "rdmap0s6 does not report RDMA_WRITE"; exit 2; }'
    # shellcheck disable=SC2016
    step 05-tools 'for tool in "${TOOLS[@]}"; do ! offers "$tool" || echo "$tool ${LINK[*]}"; done'
    step 08-endpoints 'need_connections; echo well'
    run -0 "$FOLDER/run" --out "$OUT"
    [[ $output == *endpoints*not-possible*'has no reliable connections'* ]]
    run -0 cat "$OUT/logs/05-tools.log"
    [[ $output == *'ib_send_bw -c SRD -x 0'* && $output == *'does not report RDMA_WRITE'* ]]
    [[ $output != *'ib_write_bw -c'* && $output != *ib_atomic* ]]
}

@test "after the death of a JVM the classes behind it still run" {
    device mlx5_0 '4: ACTIVE' adapter
    mkdir -p "$FOLDER/library/test-classes/p"
    touch "$FOLDER/library/test-classes/p/"{A,B,C}DeviceTest.class "$FOLDER/library/test-classes/p/OtherTest.class"
    # shellcheck disable=SC2016
    java 'for word in "$@"; do
        [[ $word == --select-class=* ]] || continue
        class=${word##*.}
        echo "JUnit Jupiter > $class > works() :: STARTED"
        [[ $class != BDeviceTest ]] || kill -SEGV $$
        echo "JUnit Jupiter > $class > works() :: SUCCESSFUL"
    done
    echo "Test run finished after 1 ms"'
    step 03-library 'device_tests library'
    run -1 "$FOLDER/run" --out "$OUT"
    run -0 cat "$OUT/logs/03-library.log"
    [[ $output == *'the JVM ended with status 139 in BDeviceTest'* && $output == *'2 passed, 1 failed'* ]]
}

@test "a server whose client fails is ended, and the client's status counts" {
    device mlx5_0 '4: ACTIVE' adapter
    step 05-fails 'both_ends sleep 50 -- false'
    step 06-works 'both_ends true -- true'
    step 07-fails 'both_ends false -- true'
    run -1 "$FOLDER/run" --out "$OUT"
    [[ $output == *'5 fails'*failed*'6 works'*passed*'7 fails'*failed* ]]
}

# bats test_tags=long
@test "on SoftRoCE: the machine, doctor, the tools among each other and against C, ends that die" {
    # The guest has the environment of this machine, and devices of its own.
    unset RDMA4J_SYSFS
    "$SCRIPTS/evidence" adapter --pack "$BATS_TEST_TMPDIR/real"
    run -0 "$SCRIPTS/softroce" --accel native --timeout 5400 "$BATS_TEST_TMPDIR/real/run" --steps 1,2,5,6,9,10 \
        --out "$BATS_TEST_TMPDIR/real/out"
    [[ $output == *REHEARSAL* && $output != *failed* ]]
}

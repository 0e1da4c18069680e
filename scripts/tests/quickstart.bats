#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# scripts/quickstart: what it runs, and when it counts instructions. The build, the microVM and what runs in it are stand-ins;
# they are tested elsewhere.

bats_require_minimum_version 1.5.0

setup() {
    PROJECT=$BATS_TEST_TMPDIR/project
    mkdir -p "$PROJECT" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/verbs" "$BATS_TEST_TMPDIR/dev/infiniband"
    cp -r "$BATS_TEST_DIRNAME/.." "$PROJECT/scripts"
    local sources=perftest/comparison/src/main/java/io/github/rdma4j/perftest/compare/plan
    mkdir -p "$PROJECT/$sources"
    cp "$BATS_TEST_DIRNAME/../../$sources/CompareOptions.java" "$PROJECT/$sources"
    fake "$PROJECT/scripts/rdma4j" 'printf "%s\n" "${RDMA4J_START_CACHE:+$RDMA4J_START_CACHE }$*" >>"$BATS_TEST_TMPDIR/asked"; exit "${RDMA4J_STATUS:-0}"'
    fake "$PROJECT/scripts/softroce" 'printf "softroce %s\n" "$*"; exit "${SOFTROCE_STATUS:-0}"'
    fake "$BATS_TEST_TMPDIR/bin/mvn" 'true'
    fake "$BATS_TEST_TMPDIR/bin/dpkg-query" 'printf "install ok installed"'
    fake "$BATS_TEST_TMPDIR/bin/cc" 'true'
    qemu 7.2.9
    # No devices.
    export RDMA4J_SYSFS=$BATS_TEST_TMPDIR/sys RDMA4J_DEV=$BATS_TEST_TMPDIR/dev RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache
    mkdir "$RDMA4J_SYSFS"
    export PATH=$BATS_TEST_TMPDIR/bin:$PATH
    unset RDMA4J_QUIET RDMA4J_START_CACHE
}

# fake FILE CODE
fake() {
    printf '#!/bin/bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}

qemu() {
    fake "$BATS_TEST_TMPDIR/bin/qemu-system-x86_64" "
        if [[ \$1 == --version ]]; then echo 'QEMU emulator version $1 (Debian)'; else printf '%s\n' '' '-plugin file'; fi"
}

quickstart() {
    "$PROJECT/scripts/quickstart" "$@" 2>&1
}

# The commands that ran in a microVM.
in_softroce() {
    printf '%s\n' "$output" | grep -c '^softroce '
}

@test "compares, then counts the same tools in a second machine, and ends with ok" {
    run -0 quickstart
    echo "$output"
    [[ ${lines[-4]} == 'softroce --timeout 1800 env RDMA4J_JAVA_HOME='*' scripts/rdma4j compare --rounds-within '+([0-9]) ]]
    [[ ${lines[-3]} == 'softroce --timeout 1800 --count '*.InstructionsRun' --timeout 600 --tools ib_write_lat,ib_write_bw '* ]]
    [[ ${lines[-1]} == 'quickstart: ok' ]]
    # There is no option to check: no JVM runs except for the cache.
    [[ $(<"$BATS_TEST_TMPDIR/asked") == 'make compare' ]]
}

@test "it says at least every ten seconds what it does and how long it takes, and concludes from what it measured" {
    fake "$PROJECT/scripts/softroce" '[[ $* != *--count* ]] || exit 0
        sleep 21
        printf "%s\n" "tool              bytes  metric              Java median     C median   ratio  95 % interval" \
            "ib_write_lat          2  t_typical [usec]           9.50         9.08   1.049  1.039 to 1.058         9.37         8.96" \
            "ib_write_lat          2  99% [usec]                12.10        11.20   1.080  1.010 to 1.120        11.90        11.00" \
            "ib_write_bw        4096  BW average [MiB/s]        77.57        78.44   0.993  0.981 to 1.026        79.72        80.51" \
            "ib_write_bw        4096  MsgRate [Mpps]           0.0198       0.0200   0.990  0.981 to 1.026       0.0204       0.0206" "" \
            "ib_write_lat  9 9 9 9 to 9"'
    quickstart | while IFS= read -r line; do printf '%(%s)T %s\n' -1 "$line"; done >"$BATS_TEST_TMPDIR/stamped"
    cat "$BATS_TEST_TMPDIR/stamped"
    awk 'NR > 1 && $1 - last > 10 { exit 1 } { last = $1 }' "$BATS_TEST_TMPDIR/stamped"
    grep -qE 'quickstart: starting a machine and comparing, for [0-9]+ s; about [0-9]+ min left$' "$BATS_TEST_TMPDIR/stamped"
    [[ $(tail -n 3 "$BATS_TEST_TMPDIR/stamped" | cut -d " " -f 2-) == "Conclusion: in Java, compared with C, ib_write_lat of 2 bytes takes 1.049 times as long, ib_write_bw of 4096 bytes moves 0.993 times as much."$'\n'Next:*$'\n'"quickstart: ok" ]]
}

@test "the later the comparison begins, the earlier its rounds end, and its rounds say how long all takes" {
    # Instead of the machine's time: bash counts on from here.
    SECONDS=350 run -0 quickstart
    [[ ${lines[-4]} == *' compare --rounds-within 120' ]]
    SECONDS=200 run -0 quickstart
    [[ ${lines[-4]} =~ --rounds-within\ ([0-9]+)$ ]] && ((BASH_REMATCH[1] <= 220 && BASH_REMATCH[1] > 120))
    # A round takes a second: three thousand would take longer than they may.
    fake "$PROJECT/scripts/softroce" '[[ $* == *--rounds-within* ]] || exit 0
        for n in 1 2 3; do echo "round $n of 3000, Java first"; sleep 1; done
        for ((n = 0; n < 600; n++)); do ! grep -qs "comparing, for" "$BATS_TEST_TMPDIR/printed" || exit 0; sleep 0.1; done'
    SECONDS=300 quickstart >"$BATS_TEST_TMPDIR/printed"
    cat "$BATS_TEST_TMPDIR/printed"
    # 120 seconds of rounds, and the count, which takes 90 seconds, but this machine has taken more than twice the time so far.
    grep -qE 'starting a machine and comparing, for [0-9]+ s; about (5|6) min left$' "$BATS_TEST_TMPDIR/printed"
}

@test "with options it only compares, without a time limit, and says so" {
    run -0 quickstart --tools all --rounds 7
    echo "$output"
    [[ ${lines[-4]} == 'softroce --timeout 0 '*' compare --tools all --rounds 7' ]]
    [[ ${lines[-3]} == 'The instructions of an operation were not counted, because the comparison has options' ]]
    [[ ${lines[-1]} == 'quickstart: ok' && $(in_softroce) == 1 ]]
}

@test "an option that does not exist is reported before the build, and a value that makes no sense before a machine is started" {
    fake "$BATS_TEST_TMPDIR/bin/mvn" 'touch "$BATS_TEST_TMPDIR/built"'
    for wrong in --round --rounds-wihin=3 -z7; do
        run -2 quickstart --tools all "$wrong"
        [[ ${lines[0]} == "quickstart: unknown option ${wrong:0:2}"* && ! -e $BATS_TEST_TMPDIR/built ]]
        [[ ${lines[1]} == '    run scripts/rdma4j compare --help for the list of options' ]]
    done
    RDMA4J_STATUS=2 run -2 quickstart --rounds=0 -n5
    [[ -e $BATS_TEST_TMPDIR/built && $(in_softroce) == 0 ]]
    [[ $(<"$BATS_TEST_TMPDIR/asked") == 'compare --rounds=0 -n5 --help' ]]
}

@test "on a machine with devices nothing is counted" {
    mkdir -p "$RDMA4J_SYSFS/class/infiniband_verbs/uverbs0"
    echo mlx5_0 >"$RDMA4J_SYSFS/class/infiniband_verbs/uverbs0/ibdev"
    touch "$RDMA4J_DEV/infiniband/uverbs0"
    run -0 quickstart
    echo "$output"
    [[ ${lines[-3]} == 'The instructions of an operation were not counted, '*'this machine has RDMA devices' ]]
    [[ ${lines[-1]} == 'quickstart: ok' && $(in_softroce) == 1 ]]
}

@test "where QEMU cannot count, the line says why" {
    qemu 10.0.2
    run -0 quickstart
    echo "$output"
    [[ ${lines[-3]} == 'The instructions of an operation were not counted, because QEMU 10.0.2 has a different plugin interface than versions 6.0 to 8.2' ]]
    [[ ${lines[-1]} == 'quickstart: ok' && $(in_softroce) == 1 ]]
}

@test "a comparison that fails ends everything, and is not ok" {
    SOFTROCE_STATUS=124 run -124 quickstart
    [[ $output != *'quickstart: ok'* && $(in_softroce) == 1 ]]
}

@test "two builds in one folder take turns, and each says where its log is" {
    # The first build goes on until the second one waits. The limit is for one that never does.
    fake "$BATS_TEST_TMPDIR/bin/mvn" 'mkdir "$RDMA4J_CACHE/building" || exit
        for ((n = 0; n < 1200; n++)); do ! grep -qs "waits for another build" "$BATS_TEST_TMPDIR/second" || break; sleep 0.05; done
        rmdir "$RDMA4J_CACHE/building"'
    mkdir "$RDMA4J_CACHE"
    quickstart --rounds 2 >"$BATS_TEST_TMPDIR/first" &
    local first=$! n
    for ((n = 0; n < 1200; n++)); do [[ ! -e $RDMA4J_CACHE/building ]] || break; sleep 0.05; done
    quickstart --rounds 2 >"$BATS_TEST_TMPDIR/second"
    wait "$first"
    [[ $(<"$BATS_TEST_TMPDIR/second") == *'waiting for another build in '* ]]
    fake "$BATS_TEST_TMPDIR/bin/mvn" 'echo broken; exit 1'
    run -1 quickstart
    [[ $output == *broken*"the whole output is in $PROJECT/target/build.log"* ]]
}

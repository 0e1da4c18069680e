#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# scripts/bench: the options of each benchmark, and that netty and start measure with little to do. BenchmarksTest tests what
# the others measure with.

bats_require_minimum_version 1.5.0

setup() {
    BENCH=$BATS_TEST_DIRNAME/../bench
}

@test "a benchmark that is missing or unknown: what there is" {
    run -0 "$BENCH" --help
    for name in cuda instructions netty start tcp verbs; do
        [[ $output == *"  $name "* ]]
    done
    run -2 --separate-stderr "$BENCH"
    [[ $stderr == *'Usage: scripts/bench '* ]]
    run -2 --separate-stderr "$BENCH" fast
    [[ $stderr == *'unknown benchmark fast'*'see scripts/bench --help'* ]]
}

@test "verbs --help names every option" {
    run -0 "$BENCH" verbs --help
    for option in --rounds --write --latency --endpoints --sums --peers --recorded --help; do
        [[ $output == *"$option"* ]]
    done
}

@test "verbs: unknown options and senseless numbers are refused before anything is built" {
    run -2 --separate-stderr "$BENCH" verbs --fast
    [[ $stderr == *"unknown option --fast"* ]]
    for number in 0 -1 many ''; do
        run -2 --separate-stderr "$BENCH" verbs --rounds "$number"
        [[ $stderr == *"--rounds needs a number from 1"* ]]
    done
    run -2 --separate-stderr "$BENCH" verbs --rounds
    [[ $stderr == *"--rounds needs a number from 1"* ]]
    for together in '--latency --write' '--sums --rounds 3' '--sums --recorded' '--sums --peers' '--peers --rounds 3' '--recorded --write' '--latency --endpoints' '--sums -- x' '--write -- x' '--rounds 3 -- x'; do
        # shellcheck disable=SC2086  # several words
        run -2 "$BENCH" verbs $together
        [[ $output == *'see scripts/bench verbs --help' ]]
    done
}

@test "cuda --help names every option; unknown options and senseless values are refused before anything is built" {
    run -0 "$BENCH" cuda --help
    for option in --rounds --write --help; do
        [[ $output == *"$option"* ]]
    done
    run -2 --separate-stderr "$BENCH" cuda --write -- Calls
    run -2 --separate-stderr "$BENCH" cuda --rounds 0
    [[ $stderr == *"--rounds needs a number from 1"* ]]
    run -2 --separate-stderr "$BENCH" cuda --fast
    [[ $stderr == *"unknown option --fast"* ]]
}

@test "instructions: a limit that is none is refused before anything is built" {
    for wrong in '--expect ib_write_lat:2:user<=692' '--expect=ib_write_lat' '--expect=ib_write_lat:2:user<=many'; do
        # shellcheck disable=SC2086  # two words
        run -2 "$BENCH" instructions $wrong
        [[ $output == *"not a limit such as --expect='ib_write_lat:2:user<=692'"* ]]
    done
}

@test "netty --help says what it takes; what it does not take ends it with status 2" {
    run "$BENCH" netty --help
    [[ $status == 0 && $output == *--count* && $output == *--registered* ]]
    for wrong in --frob '--rounds 0' '--seconds x' '--sizes 64,' '--sizes 64,15' '--connections' '--connections 1001' '--transports tcp' '--transports rdma,' \
        '--transports nio,nio' '--transports epoll,rdma,epoll' '--count --rounds 3'; do
        # shellcheck disable=SC2086  # two words
        run "$BENCH" netty $wrong
        echo "$wrong: $output"
        [[ $status == 2 && $output == *'see scripts/bench netty --help'* ]]
    done
}

@test "tcp --help names every option; what it does not take ends it with status 2" {
    run -0 "$BENCH" tcp --help
    for option in --machine --patterns --sizes --connections --threads --rounds --millis --help; do
        [[ $output == *"$option"* ]]
    done
    for wrong in --frob '--machine idle' '--patterns stream,' '--sizes 0' '--connections 1001' '--threads green' '--rounds 0' '--millis' '--sizes'; do
        # shellcheck disable=SC2086  # two words
        run "$BENCH" tcp $wrong
        echo "$wrong: $output"
        [[ $status == 2 && $output == *'see scripts/bench tcp --help'* ]]
    done
}

# bats test_tags=long
@test "tcp measures every pattern on a quiet and a busy machine" {
    run -0 --separate-stderr "$BENCH" tcp --rounds 1 --millis 20 --sizes 64,100000 --connections 1,3
    # Two machines, two sizes, two numbers of connections, and two kinds of threads except for Netty.
    [[ $(grep -c '^| \(quiet\|busy\) | \(stream\|round trip\|netty\) | ' <<<"$output") == 40 ]]
}

# bats test_tags=long
@test "netty answers all of the least load, over RDMA and over TCP" {
    run "$BENCH" netty --rounds 1 --sizes 64,9000 --connections 1,40
    echo "$output"
    [[ $status == 0 ]]
    # Two sizes, two numbers of connections, a closed loop and three rates, two transports.
    [[ $(grep -c '^| [0-9]* | [0-9]* | .* | \(RDMA\|NIO\) | [1-9]' <<<"$output") == 32 ]]
}

@test "start: help, and a number of runs that is none" {
    run -0 "$BENCH" start --help
    [[ $output == *'first contact'* ]]
    run -2 "$BENCH" start many
    [[ $output == *'RUNS is one number, from 1 to '* ]]
    run -2 "$BENCH" start 3 4
    run -2 "$BENCH" start --count many
}

# bats test_tags=long
@test "start: each start succeeds, and costs more than an empty JVM" {
    run -0 "$BENCH" start 1
    rows=0 empty=''
    while IFS='|' read -r _ name least _; do
        [[ $least =~ ^\ [0-9]+\ $ ]] || continue
        rows=$((rows + 1))
        [ -n "$empty" ] || empty=$least
        [[ $name == *JVM* ]] || [ "$least" -gt "$empty" ]
    done <<<"$output"
    [ "$rows" -eq 7 ]
}

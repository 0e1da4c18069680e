#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# scripts/bench-verbs: its options. What it measures with is tested by BenchmarksTest.

bats_require_minimum_version 1.5.0

setup() {
    BENCH_VERBS=$BATS_TEST_DIRNAME/../bench-verbs
}

@test "--help names every option" {
    run -0 "$BENCH_VERBS" --help
    for option in --rounds --write --latency --endpoints --sums --peers --recorded --help; do
        [[ $output == *"$option"* ]]
    done
}

@test "unknown options and senseless numbers are refused before anything is built" {
    run -2 --separate-stderr "$BENCH_VERBS" --fast
    [[ $stderr == *"unknown option --fast"* ]]
    for number in 0 -1 many ''; do
        run -2 --separate-stderr "$BENCH_VERBS" --rounds "$number"
        [[ $stderr == *"--rounds needs a number from 1"* ]]
    done
    run -2 --separate-stderr "$BENCH_VERBS" --rounds
    [[ $stderr == *"--rounds needs a number from 1"* ]]
    for together in '--latency --write' '--sums --rounds 3' '--sums --recorded' '--sums --peers' '--peers --rounds 3' '--recorded --write' '--latency --endpoints' '--sums -- x' '--write -- x' '--rounds 3 -- x'; do
        # shellcheck disable=SC2086  # several words
        run -2 "$BENCH_VERBS" $together
        [[ $output == *'see scripts/bench-verbs --help' ]]
    done
}

#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
#
# scripts/bench-start: its options, and that each start that it measures does what it says.

setup() {
    bats_require_minimum_version 1.5.0
    BENCH_START=$BATS_TEST_DIRNAME/../bench-start
}

@test "help, and a number of runs that is none" {
    run -0 "$BENCH_START" --help
    [[ $output == *'first contact'* ]]
    run -2 "$BENCH_START" many
    [[ $output == *'RUNS is one number, from 1 to '* ]]
    run -2 "$BENCH_START" 3 4
    run -2 "$BENCH_START" --count many
}

# bats test_tags=long
@test "each start succeeds, and costs more than an empty JVM" {
    run -0 "$BENCH_START" 1
    rows=0 empty=''
    while IFS='|' read -r _ name least _; do
        [[ $least =~ ^\ [0-9]+\ $ ]] || continue
        rows=$((rows + 1))
        [ -n "$empty" ] || empty=$least
        [[ $name == *JVM* ]] || [ "$least" -gt "$empty" ]
    done <<<"$output"
    [ "$rows" -eq 7 ]
}

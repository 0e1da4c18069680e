#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# scripts/bench-netty: its options, and that it measures with little to do.

bats_require_minimum_version 1.5.0

setup() {
    BENCH_NETTY=$BATS_TEST_DIRNAME/../bench-netty
}

@test "bench-netty --help says what it takes; what it does not take ends it with status 2" {
    run "$BENCH_NETTY" --help
    [[ $status == 0 && $output == *--count* && $output == *--registered* ]]
    for wrong in --frob '--rounds 0' '--seconds x' '--sizes 64,' '--sizes 64,15' '--connections' '--connections 1001' '--transports tcp' '--transports rdma,' \
        '--transports nio,nio' '--transports epoll,rdma,epoll' '--count --rounds 3'; do
        # shellcheck disable=SC2086  # two words
        run "$BENCH_NETTY" $wrong
        echo "$wrong: $output"
        [[ $status == 2 && $output == *'see scripts/bench-netty --help'* ]]
    done
}

# bats test_tags=long
@test "bench-netty answers all of the least load, over RDMA and over TCP" {
    run "$BENCH_NETTY" --rounds 1 --sizes 64,9000 --connections 1,40
    echo "$output"
    [[ $status == 0 ]]
    # Two sizes, two numbers of connections, a closed loop and three rates, two transports.
    [[ $(grep -c '^| [0-9]* | [0-9]* | .* | \(RDMA\|NIO\) | [1-9]' <<<"$output") == 32 ]]
}

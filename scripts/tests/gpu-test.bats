#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# scripts/gpu-test and scripts/bench-cuda: their options. What they run is tested on the stand-in, by MemoryTest and its like and by BenchmarksTest.

bats_require_minimum_version 1.5.0

setup() {
    SCRIPTS=$BATS_TEST_DIRNAME/..
}

@test "--help names every option" {
    run -0 "$SCRIPTS/gpu-test" --help
    for option in --pack --no-build --help; do
        [[ $output == *"$option"* ]]
    done
    run -0 "$SCRIPTS/bench-cuda" --help
    for option in --rounds --write --help; do
        [[ $output == *"$option"* ]]
    done
}

@test "unknown options and senseless values are refused before anything is built" {
    run -2 --separate-stderr "$SCRIPTS/gpu-test" --gpu 1
    [[ $stderr == *"unknown option --gpu"* ]]
    run -2 --separate-stderr "$SCRIPTS/gpu-test" --pack
    [[ $stderr == *"--pack needs a folder"* ]]
    run -1 --separate-stderr "$SCRIPTS/gpu-test" --no-build --pack "$BATS_TEST_TMPDIR"
    [[ $stderr == *"is there already"* ]]
    run -2 --separate-stderr "$SCRIPTS/bench-cuda" --write -- Calls
    run -2 --separate-stderr "$SCRIPTS/bench-cuda" --rounds 0
    [[ $stderr == *"--rounds needs a number from 1"* ]]
    run -2 --separate-stderr "$SCRIPTS/bench-cuda" --fast
    [[ $stderr == *"unknown option --fast"* ]]
}

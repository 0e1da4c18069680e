# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $output is set by `run`
#
# What scripts refuse before they do anything: those that have no file of tests of their own.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup() {
    scripts=$BATS_TEST_DIRNAME/..
    cd "$BATS_TEST_TMPDIR" || return
}

@test "artifacts empties no folder that holds something else" {
    mkdir full
    touch full/precious
    run -1 "$scripts/artifacts" full
    [[ $output == *"$PWD/full is not empty and contains no artifacts"* && -e full/precious ]]
    run -1 "$scripts/artifacts" full/precious
    run -2 "$scripts/artifacts" one two
}

@test "mutation-tests: a package that is not in its list" {
    run -2 "$scripts/lib/mutation-tests" values nothing
    [[ $output == *'unknown package nothing'*'values states '* ]]
}

@test "site: a generator that cannot be fetched ends it, and leaves nothing in the cache" {
    mkdir bin
    printf '#!/bin/sh\necho "npm error network unreachable" >&2\nexit 1\n' >bin/npm
    chmod +x bin/npm
    PATH=$PWD/bin:$PATH RDMA4J_CACHE=$PWD/cache RDMA4J_FETCH_PAUSES="" run -1 "$scripts/site" out
    [[ $output == *'npm could not fetch the site generator:'*'network unreachable' && ! -e out ]]
    [[ -z $(find cache/site -mindepth 1 ! -empty) ]]
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2154  # $stderr is set by `run`
#
# scripts/lib/newer-perftest. Needs the network.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup() {
    newer=$BATS_TEST_DIRNAME/../lib/newer-perftest
}

# What this machine's package sources are. The package manager would read the lists of all packages for it.
package_sources() {
    find /etc/apt -type f -exec sha256sum {} + | sort
}

# version TOOL: the version of the wire protocol that a tool of C says; its status is not 0.
version() {
    "$1" --version 2>&1 | sed -n 's/.*Version: //p'
}

# bats test_tags=long
@test "its folder has the tools, of a later version than the installed ones; this machine's package sources stay as they are" {
    local before tool
    before=$(package_sources)
    RDMA4J_CACHE="$BATS_TEST_TMPDIR/with space" run -0 --separate-stderr "$newer"
    [[ $output == "$BATS_TEST_TMPDIR/with space/perftest/"*/bin ]]
    for tool in ib_{write,read,send,atomic}_{lat,bw}; do
        [[ $(version "$output/$tool") > $(version "$tool") ]]
    done
    [[ -n $before && $(package_sources) == "$before" ]]
    # The second time there is nothing to do.
    RDMA4J_CACHE="$BATS_TEST_TMPDIR/with space" http_proxy=http://127.0.0.1:1 run -0 --separate-stderr "$newer"
    [[ $stderr == '' ]]
}

@test "without a network it says what it wanted, and why that failed" {
    RDMA4J_FETCH_PAUSES='' RDMA4J_CACHE=$BATS_TEST_TMPDIR http_proxy=http://127.0.0.1:1 run -1 "$newer"
    [[ $output == *'the package list of Debian trixie, which has the newer perftest, cannot be read'*127.0.0.1* ]]
    [[ -z $(compgen -G "$BATS_TEST_TMPDIR/perftest/*") ]]
}

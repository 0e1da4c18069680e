#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
#
# scripts/lib/lint-workflows; that this project's own workflows have no findings is a part of scripts/test.
#
# Nothing here needs a build:
# bats file_tags=no-build

setup() {
    lint=$BATS_TEST_DIRNAME/../lib/lint-workflows
    file=$BATS_TEST_TMPDIR/x.yml
}

@test "reports what actionlint finds, and what is not pinned, limited or permitted" {
    cat >"$file" <<'YAML'
on: push
jobs:
  one:
    runs-on: ubuntu-24.04
    needs: nobody
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
      - run: echo ${{ github.event.issue.title }}
  two:
    runs-on: ubuntu-24.04
    timeout-minutes: 1
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
YAML
    run "$lint" "$file"
    [ "$status" -eq 1 ]
    [[ $output == *'x.yml:3:3: job "one" needs job "nobody" which does not exist'* ]]
    [[ $output == *'x.yml:9:'*'potentially untrusted'* ]]
    [[ $output == *'x.yml:7: - uses: actions/checkout@v4: not pinned to a commit'* ]]
    [[ $output == *'x.yml:8: '*'with the version in a comment'* ]]
    [[ $output == *'x.yml:3: the job one has no timeout-minutes'* ]]
    [[ $output == *'x.yml:1: no permissions at the top'* ]]
    [[ $output != *'job two'* && $output != *'x.yml:14'* ]]
    [[ $output == *'x.yml:9: without "shell: bash" at the top, what fails before a | is not noticed'* ]]
    [[ $output == *'7 findings' ]]
}

@test "the release installs what the microVM asks for, in which it tests what it has built" {
    local installed package
    installed=$(grep -F 'qemu-system-x86' "$BATS_TEST_DIRNAME/../../.github/workflows/release.yml")
    # Both are in each Debian.
    for package in $(sed -nE 's/^.* need [a-z0-9_-]+ ([a-z0-9-]+)$/\1/p' "$BATS_TEST_DIRNAME/../softroce" | grep -vxE 'util-linux|apt|gcc'); do
        echo "$package"
        [[ " $installed " == *" $package "* ]]
    done
    [[ -n $package ]]
}

# bats test_tags=long
@test "a workflow without findings" {
    cat >"$file" <<'YAML'
on: push
permissions:
  contents: read
defaults:
  run:
    shell: bash
jobs:
  one:
    runs-on: ubuntu-24.04
    timeout-minutes: 1
    steps:
      - run: 'true'
YAML
    run "$lint" "$file"
    [ "$status" -eq 0 ]
    [[ $output == *'1 workflows, no findings' ]]
}

@test "what npm fetches must be what it was" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho other >x.tgz\n' >"$BATS_TEST_TMPDIR/bin/npm"
    chmod +x "$BATS_TEST_TMPDIR/bin/npm"
    RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache PATH="$BATS_TEST_TMPDIR/bin:$PATH" run "$lint"
    [ "$status" -eq 1 ]
    [[ $output == *'with another checksum than expected'* ]]
    [ -z "$(find "$BATS_TEST_TMPDIR/cache" -name '*.wasm')" ]
}

@test "no network: npm's reason is shown" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho "npm error network unreachable" >&2\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/npm"
    chmod +x "$BATS_TEST_TMPDIR/bin/npm"
    RDMA4J_FETCH_PAUSES='' RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache PATH="$BATS_TEST_TMPDIR/bin:$PATH" run "$lint"
    [ "$status" -eq 1 ]
    [[ $output == *'npm could not fetch'*'network unreachable'* ]]
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $output is set by `run`
#
# scripts/lib/other-versions before it fetches anything: in a project of empty folders, whose pack-device-tests stops it.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup() {
    root=$BATS_TEST_TMPDIR/project
    mkdir -p "$root/scripts"
    cp -r "$BATS_TEST_DIRNAME/../lib" "$root/scripts/lib"
    printf '#!/usr/bin/env bash\necho "packs $*"\nexit 9\n' >"$root/scripts/lib/pack-device-tests"
    modules=(verbs-ffm verbs-ffm/netty gpudirect perftest/tools perftest/diagnosis perftest/comparison perftest docs)
    for module in "${modules[@]}"; do
        mkdir -p "$root/$module/target/classes" "$root/$module/target/test-classes"
    done
}

@test "what is not packed is packed first" {
    run -9 "$root/scripts/lib/other-versions" trixie
    [[ $output == 'packs verbs-ffm verbs-ffm/netty gpudirect perftest/tools perftest/diagnosis perftest/comparison perftest docs' ]]
}

@test "what is packed, and was compiled again since, is packed again" {
    for module in "${modules[@]}"; do
        touch "$root/$module/target/device-tests.jar"
    done
    touch -d '+1 hour' "$root/gpudirect/target/test-classes/A.class"
    run -9 "$root/scripts/lib/other-versions" trixie
    [[ $output == 'packs gpudirect' ]]
}

@test "a missing build is reported" {
    rm -r "$root/perftest/target"
    run -1 "$root/scripts/lib/other-versions" trixie
    [[ $output == *'perftest is not built'*'run mvn package -DskipTests'* ]]
}

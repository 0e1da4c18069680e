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
    touch "$BATS_TEST_TMPDIR/packed.tar.gz"
    run -1 --separate-stderr "$SCRIPTS/gpu-test" --no-build --pack "$BATS_TEST_TMPDIR/packed/"
    [[ $stderr == *"packed.tar.gz is there already"* ]]
    run -2 --separate-stderr "$SCRIPTS/bench-cuda" --write -- Calls
    run -2 --separate-stderr "$SCRIPTS/bench-cuda" --rounds 0
    [[ $stderr == *"--rounds needs a number from 1"* ]]
    run -2 --separate-stderr "$SCRIPTS/bench-cuda" --fast
    [[ $stderr == *"unknown option --fast"* ]]
}

@test "what is packed has no jars that nothing there needs, and an archive" {
    # shellcheck source=scripts/lib/pack-folder.sh
    source "$SCRIPTS/lib/pack-folder.sh"
    export RDMA4J_ROOT=/nowhere JDK=$BATS_TEST_TMPDIR/jdk
    local jars=$BATS_TEST_TMPDIR/jars folder=$BATS_TEST_TMPDIR/packed
    mkdir -p "$JDK/bin" "$jars"
    touch "$jars"/{archunit-1.5.0,echarts-6.0.0,junit-1}.jar
    # A jar tool that is played: what is in the folder at the end is what the jar has.
    cat >"$JDK/bin/jar" <<'TOOL'
#!/bin/sh
[ "$1" = --extract ] || { cd "$6" && find . -type f | sort >"$4"; exit; }
mkdir -p x/dist x/lib x/licenses
touch x/dist/echarts.common.min.js x/dist/echarts.js x/lib/a.js x/LICENSE x/licenses/LICENSE-d3
TOOL
    chmod +x "$JDK/bin/jar"
    printf '%s:' "$jars"/*.jar >"$BATS_TEST_TMPDIR/path"
    pack_begin "$folder"
    pack_jars "$folder" "$BATS_TEST_TMPDIR/path"
    pack_jars "$folder" "$BATS_TEST_TMPDIR/path"
    run -0 pack_archive "$folder"
    pack_end
    [[ $output == 1 ]]
    [[ $(tar -tzf "$folder.tar.gz" | sort | tr '\n' ' ') == 'packed/ packed/lib/ packed/lib/echarts-6.0.0.jar packed/lib/junit-1.jar ' ]]
    [[ $(tr '\n' ' ' <"$folder/lib/echarts-6.0.0.jar") == './x/LICENSE ./x/dist/echarts.common.min.js ./x/licenses/LICENSE-d3 ' ]]
}

@test "under a command those tests are left out whose streams wait for the host, and a module that breaks off has failed" {
    local folder=$BATS_TEST_TMPDIR/packed
    mkdir -p "$folder"/{jdk/bin,cuda-ffm/test-classes,cuda-ffm/classes}
    cp "$SCRIPTS"/lib/{gpu-tests,locale.sh} "$folder"
    touch "$folder/cuda-ffm/test-classes/OneGpuTest.class"
    # A Java that is played: it says what it was told.
    cat >"$folder/jdk/bin/java" <<'JAVA'
#!/bin/sh
echo "told: $*"
[ -n "${BREAKS-}" ] || printf '[         3 tests successful      ]\n[         0 tests failed          ]\n'
JAVA
    chmod +x "$folder/jdk/bin/java"
    run -0 "$folder/gpu-tests"
    [[ $output == *'--include-tag gpu --reports-dir'*'3 passed, 0 failed' ]]
    run -0 "$folder/gpu-tests" env UNDER=1
    [[ $output == *'--include-tag gpu --exclude-tag waits-for-host --reports-dir'*'3 passed, 0 failed' ]]
    BREAKS=1 run -1 "$folder/gpu-tests"
    [[ $output == *'0 passed, 1 failed' ]]
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $output is set by `run`
#
# scripts/lib/late-threads on a JVM that sleeps.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup() {
    late=$BATS_TEST_DIRNAME/../lib/late-threads
    # shellcheck source=scripts/lib/common.sh
    source "$BATS_TEST_DIRNAME/../lib/common.sh"
    # shellcheck source=scripts/lib/jdk.sh
    source "$BATS_TEST_DIRNAME/../lib/jdk.sh"
    java=$(find_jdk 25)/bin/java
    cd "$BATS_TEST_TMPDIR" || return
}

@test "threads of a JVM below the command are stopped, and its exit status is the command's" {
    # It looks each millisecond, and notes the longest time in which it did not come to.
    cat >Look.java <<'JAVA'
void main() throws Exception {
    long longest = 0, begin = System.nanoTime();
    for (long last = begin, now; (now = System.nanoTime()) - begin < 30_000_000_000L && longest < 20_000_000; last = now) {
        longest = Math.max(longest, now - last);
        Thread.sleep(1);
    }
    System.exit(longest < 20_000_000 ? 1 : 7);
}
JAVA
    run -7 timeout 120 "$late" --most 300 --gap 5 sh -c '"$@"; exit $?' sh "$java" Look.java
    [[ $output =~ late-threads:\ [1-9][0-9]*\ stops\ of\ a\ thread ]]
}

@test "what it does not know is refused" {
    run -2 "$late" --most soon true
    [[ $output == *'--most needs a number from 1 to 999999'* ]]
    run -2 "$late"
    run -127 "$late" ./nothing
    [[ $output == *'./nothing: No such file'* ]]
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $output is set by `run`
#
# What scripts/test makes of its arguments; it runs nothing here.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

@test "a part that does not exist, or only with --full, is refused before anything runs" {
    for arguments in '--only' '--only nothing' '--only mutation' '--quick --only unit' '--quick --full' '--ful'; do
        # shellcheck disable=SC2086
        run -2 "$BATS_TEST_DIRNAME/../test" $arguments
        echo "$arguments: $output"
        [[ $output == 'test: '*'scripts/test '* && ${#lines[@]} == 2 ]]
    done
}

@test "the nightly workflow runs each part that the help names" {
    local workflow parts part
    workflow=$(<"$BATS_TEST_DIRNAME/../../.github/workflows/nightly.yml")
    [[ $workflow =~ part:\ \[([a-z0-9,\ ]+)\] ]]
    parts=${BASH_REMATCH[1]}
    run -0 "$BATS_TEST_DIRNAME/../test" --help
    for part in ${parts//,/ }; do
        [[ $output == *"  $part  "* || $output == *"$part, "* || $output == *", $part  "* ]]
    done
    [[ $(grep -oE '^ {17}[a-z0-9, ]+  ' <<<"$output" | tr -d ' \n' | sed 's/aarch64/,aarch64/') == *mutation,campaign ]]
    [[ $(wc -w <<<"${parts//,/}") == 7 ]]
}

@test "no device test is where no part runs it" {
    local modules tagged
    cd "$BATS_TEST_DIRNAME/../.."
    [[ $(<scripts/test) =~ modules=\(([a-z/ -]+)\) ]]
    modules=${BASH_REMATCH[1]}
    mapfile -t tagged < <(git grep -lE '^ *@Tag\("device"\)' -- '*.java' | sed 's,/src/.*,,' | sort -u)
    echo "${tagged[*]} of $modules"
    [[ ${#tagged[@]} -gt 1 && " $(printf '%s\n' $modules | sort | xargs) " == " ${tagged[*]} " ]]
    # These have a guest for verbs-ffm alone.
    run -1 git grep -lE '^ *@Tag\("(parallel|huge-pages|kernel612)"\)' -- '*.java' ':!verbs-ffm/src'
    git grep -qE '^ *@Tag\("parallel"\)' -- verbs-ffm/src
}

# The gate, with a stand-in for the test command that does what is in the file "does".
gate() {
    mkdir -p "$BATS_TEST_TMPDIR/scripts" "$BATS_TEST_TMPDIR/.ci"
    cp "$BATS_TEST_DIRNAME/../../.ci/run" "$BATS_TEST_TMPDIR/.ci/run"
    printf '#!/bin/bash\necho "$RDMA4J_CACHE" >%q\nls -A "$RDMA4J_CACHE"\ntouch "$RDMA4J_CACHE/kept"\n%s\n' "$BATS_TEST_TMPDIR/cache" "$1" >"$BATS_TEST_TMPDIR/scripts/test"
    chmod +x "$BATS_TEST_TMPDIR/scripts/test"
    rm -f "$BATS_TEST_TMPDIR/cache"
}

@test "the gate runs the test command with an empty cache, which is removed however the gate ends" {
    local signal n
    gate 'read -r line && echo "read $line"; exit 3'
    run -3 env -u HOME "$BATS_TEST_TMPDIR/.ci/run" <&-
    [[ $output == '' && $(<"$BATS_TEST_TMPDIR/cache") == /* && ! -e $(<"$BATS_TEST_TMPDIR/cache") ]]
    for signal in TERM HUP INT KILL; do
        gate "trap 'kill %1; exit 9' TERM; sleep 30303.$$ & wait"
        setsid env --default-signal=INT,HUP "$BATS_TEST_TMPDIR/.ci/run" >/dev/null 2>&1 3>&- &
        # The limits are for what never happens; a busy machine may take long.
        for ((n = 0; n < 1200; n++)); do [[ ! -s $BATS_TEST_TMPDIR/cache || ! -e $(<"$BATS_TEST_TMPDIR/cache")/kept ]] || break; sleep 0.05; done
        [[ -e $(<"$BATS_TEST_TMPDIR/cache")/kept ]]
        kill "-$signal" -- "$([[ $signal != KILL ]] || echo -)$!"
        wait $! || true
        for ((n = 0; n < 1200; n++)); do [[ -e $(<"$BATS_TEST_TMPDIR/cache") ]] || break; sleep 0.05; done
        [[ ! -e $(<"$BATS_TEST_TMPDIR/cache") && -z $(pgrep -f "sleep 30303.$$") ]]
    done
}

# The test command, with a Maven that ends as on its own at Ctrl-C.
@test "Ctrl-C ends the test command with the part that runs" {
    local n status=0 scripts=$BATS_TEST_TMPDIR/scripts
    cp -r "$BATS_TEST_DIRNAME/../lib" "$BATS_TEST_DIRNAME/../test" "$BATS_TEST_TMPDIR"
    mkdir -p "$scripts" "$BATS_TEST_TMPDIR"/{bin,native-headers/cuda}
    echo 99.0 >"$BATS_TEST_TMPDIR/native-headers/cuda/version"
    mv "$BATS_TEST_TMPDIR"/{lib,test} "$scripts"
    printf 'set_up_to_unit_test() { JDK=/no/such; }\n' >"$scripts/lib/setup.sh"
    printf '#!/bin/bash\n[[ " $* " == *" test "* ]] || exit 0\ntrap "kill %%1; exit 130" INT\nsleep 30305.%d &\necho >>%q/began\nwait\n' $$ "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/bin/mvn"
    chmod +x "$BATS_TEST_TMPDIR/bin/mvn"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH setsid env --default-signal=INT "$scripts/test" --quick >"$BATS_TEST_TMPDIR/output" 2>&1 3>&- &
    for ((n = 0; n < 1200; n++)); do [[ ! -e $BATS_TEST_TMPDIR/began ]] || break; sleep 0.05; done
    kill -INT -- "-$!"
    wait $! || status=$?
    cat "$BATS_TEST_TMPDIR/output"
    [[ $status == 130 && $(<"$BATS_TEST_TMPDIR/output") != *'=== format'* ]]
    run -1 pgrep -f "sleep 30305.$$"
}

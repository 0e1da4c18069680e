# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $output is set by `run`
#
# scripts/campaign, with what Maven has built. Those tagged long run with scripts/test --full.

bats_require_minimum_version 1.5.0

setup() {
    campaign=$BATS_TEST_DIRNAME/../campaign
}

@test "bad options: status 2 and the reason" {
    run -2 "$campaign" --nonsense
    [[ $output == *'unknown option --nonsense'* ]]
    run -2 "$campaign" --minutes
    [[ $output == *'--minutes needs a value'* ]]
    run -2 "$campaign" --minutes ten
    run -2 "$campaign" --seed -1
    run -2 "$campaign" --scenario ''
    [[ $output == *'--scenario needs a name'* ]]
    run -2 "$campaign" --accel xen
    [[ $output == *'--accel xen: must be kvm, tcg, uml, native or auto'* ]]
    run -0 "$campaign" --help
    [[ $output == *'Usage:'* ]]
}

@test "the list has the scenarios of the recorded campaign" {
    run -0 "$campaign" --built --list
    ((${#lines[@]} >= 20))
    local line
    for line in "${lines[@]}"; do
        grep -qF "| $line |" "$BATS_TEST_DIRNAME"/../../docs/records/*-campaign.md || { echo "missing: $line"; return 1; }
    done
    run -2 "$campaign" --built --scenario busy --scenario nothing
    [[ $output == *"unknown scenario 'nothing'"* ]]
}

@test "two campaigns in one folder would mix their lines: the second is refused" {
    local target=$BATS_TEST_DIRNAME/../../target/campaign
    mkdir -p "$target"
    exec 8>"$target/.lock"
    flock -n 8
    run -1 "$campaign" --built --scenario busy 8>&-
    [[ $output == *'another campaign runs in '* ]]
}

@test "Ctrl-C ends the campaign with the machines that run" {
    local n status=0 root=$BATS_TEST_TMPDIR/root
    mkdir -p "$root/scripts" "$root/verbs-ffm"
    cp -r "$BATS_TEST_DIRNAME/../lib" "$campaign" "$root/scripts"
    ln -s "$(readlink -f "$BATS_TEST_DIRNAME/../../verbs-ffm/campaign")" "$root/verbs-ffm/campaign"
    # Ends as on its own at Ctrl-C, as the real one does.
    printf '#!/bin/bash\ntrap "kill %%1; exit 130" INT\nsleep 30306.%d &\necho >>%q/began\nwait\n' $$ "$BATS_TEST_TMPDIR" >"$root/scripts/softroce"
    chmod +x "$root/scripts/softroce"
    setsid env --default-signal=INT "$root/scripts/campaign" --built --minutes 0 >/dev/null 2>&1 3>&- &
    for ((n = 0; n < 1200; n++)); do [[ ! -e $BATS_TEST_TMPDIR/began ]] || break; sleep 0.05; done
    kill -INT -- "-$!"
    wait $! || status=$?
    [[ $status == 130 && $(wc -l <"$BATS_TEST_TMPDIR/began") == 1 ]]
    run -1 pgrep -f "sleep 30306.$$"
}

# bats test_tags=long
@test "one scenario, its table and its status; one that is not there" {
    run -0 --separate-stderr "$campaign" --built --minutes 0 --seed 7 --scenario 'peer killed, idle'
    [[ ${lines[0]} == '[1] peer killed, idle, seed 7: lost, 0 messages, 0 transfers, after '* ]]
    [[ ${lines[-1]} == '| peer killed, idle | 1 | 0 | 1 | 0 | ConnectionLostException: '* ]]
    run -2 "$campaign" --built --minutes 0 --scenario nothing
    [[ $output == *"unknown scenario 'nothing'"* ]]
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2154  # code for other shells in quotes; $stderr is set by `run`
#
# scripts/softroce --machines: what several machines have in common. softroce.bats tests one machine. Most run in User-Mode
# Linux, where a pair of machines is up in two seconds. Those tagged long run with scripts/test --full.

bats_require_minimum_version 1.5.0

setup_file() {
    export SOFTROCE=$BATS_TEST_DIRNAME/../softroce
    export PROJECT=$BATS_FILE_TMPDIR/project
    mkdir -p "$PROJECT/.git"
    # A tool between machine 1 and the last one: pair TOOL [OPTION…]. -F: a busy
    # machine does not let C measure the frequency of the CPU.
    cat >"$PROJECT/pair" <<'GUEST'
#!/bin/bash
if [[ $RDMA4J_MACHINE == 1 ]]; then
    exec timeout 100 "$@" -F -d rxe0 -x 1
fi
for _ in {1..300}; do
    # A connection to its port would be taken for the client.
    timeout 100 "$@" -F -d rxe0 -x 1 "$RDMA4J_ADDRESS_1" >log 2>&1 && break
    grep -q 'Couldn.t connect' log || break
    sleep 0.1
done
cat log
grep -q '^ *[0-9]' log
GUEST
    chmod +x "$PROJECT/pair"
}

setup() {
    cd "$PROJECT" || return
}

# Waits for a command to succeed. The limit is for one that never does; a busy machine may take long.
eventually() {
    local n
    for ((n = 0; n < 1200; n++)); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

contains() {
    grep -q "$1" "$2" 2>/dev/null
}

# Processes that carry the mark in their environment, as everything that softroce starts does.
marked() {
    grep -lz "^SOFTROCE_MARK=$1\$" /proc/[0-9]*/environ 2>/dev/null
}

nothing_marked() {
    [[ -z $(marked "$1") ]]
}

machines() {
    "$SOFTROCE" -q --accel uml --machines "$@"
}

@test "what makes no sense with several machines is refused before one starts" {
    run -2 "$SOFTROCE" --machines 1 true
    [[ $output == *'--machines 1: must be a number from 2 to 4'* ]]
    run -2 "$SOFTROCE" --machines 5 true
    run -2 "$SOFTROCE" --machines 2 --host true
    run -2 "$SOFTROCE" --machines 2 --icount true
    run -2 "$SOFTROCE" --machines 2 --devices 2 true
    [[ $output == *'each machine has one device'* ]]
    run -2 "$SOFTROCE" --machines 2 --prepare guest
    run -2 "$SOFTROCE" --keep-going true
    [[ $output == *'add --machines N'* ]]
    run -2 "$SOFTROCE" --machines 2
    run -2 "$SOFTROCE" --machines 3 --arch x86_64,arm64 true
    [[ $output == *'--arch names 2 architectures, but there are 3 machines'*'as many as --machines says'* ]]
    run -2 "$SOFTROCE" --arch x86_64,arm64 true
    [[ $output == *'--arch names 2 architectures, but there is one machine'* ]]
    run -2 "$SOFTROCE" --machines 2 --arch x86_64,riscv64 true
    [[ $output == *'--arch x86_64,riscv64: must be x86_64 or arm64'* ]]
    run -2 "$SOFTROCE" --machines 2 --arch arm64 --accel uml true
    [[ $output == *'--arch arm64 is emulated: leave out --accel uml'* ]]
    run -2 "$SOFTROCE" --machines 2 --arch arm64,arm64 --kernel 6.12 true
}

@test "each machine has its number, all addresses, one device and a name, and reaches the others; what it prints comes behind its number" {
    run --separate-stderr "$SOFTROCE" --accel uml --machines 3 bash -c '
        echo "$RDMA4J_MACHINE of $RDMA4J_MACHINES: $RDMA4J_ADDRESS_1 $RDMA4J_ADDRESS_2 $RDMA4J_ADDRESS_3" $(hostname) $(ls /sys/class/infiniband)
        echo "error of $RDMA4J_MACHINE" >&2
        cat # ends at once
        for n in 1 2 3; do [[ $n == "$RDMA4J_MACHINE" ]] || busybox ping -c 1 machine$n | grep -o " 0% packet loss"; done
        printf "no end of line"'
    echo "$output / $stderr"
    [[ $status == 0 ]]
    local n
    for n in 1 2 3; do
        [[ $output == *"[$n] $n of 3: 10.99.0.1 10.99.0.2 10.99.0.3 machine$n rxe0"* && $stderr == *"[$n] error of $n"* ]]
        [[ $(grep -c "^\[$n\]  0% packet loss$" <<<"$output") == 2 && $output == *"[$n] no end of line"* ]]
    done
    [[ $stderr == 'softroce: 3 microVMs, Linux '*', User-Mode Linux, 1 CPU, rxe0'* ]]
}

# bats test_tags=long
@test "no command starts before all machines are up, and none ends before all commands have ended" {
    # The first machine's kernel answers, although its command has ended.
    run -0 machines 2 bash -c '
        date +%s%N >"start$RDMA4J_MACHINE"
        if [[ $RDMA4J_MACHINE == 2 ]]; then sleep 3; busybox ping -c 2 machine1 | grep packets; fi'
    [[ $output == *'[2] 2 packets transmitted, 2 packets received'* ]]
    local apart=$((($(<start1) - $(<start2)) / 1000000))
    echo "started $apart ms apart"
    ((apart > -2000 && apart < 2000))
}

@test "the first failure ends all and is the status; the others get a signal; --keep-going lets them go on" {
    # The second one ends when the first one is ready for the signal.
    local command='if [[ $RDMA4J_MACHINE == 2 ]]; then until [[ -e waits ]]; do sleep 0.1; done; exit 3; fi
        trap "echo ended; exit 1" TERM; sleep "$1" & echo >waits; wait; echo went on'
    run --separate-stderr machines 2 bash -c "$command" - 60
    echo "$output / $stderr"
    [[ $status == 3 && $output == '[1] ended' ]]
    rm waits
    run --separate-stderr "$SOFTROCE" --accel uml --machines 2 --keep-going bash -c "$command" - 8
    echo "$output / $stderr"
    [[ $status == 3 && $output == '[1] went on' && $stderr == *'machine 2 ended with status 3'* ]]
}

# bats test_tags=long
@test "a machine that dies: its status is 125, and with --keep-going the other one goes on without a wire" {
    run --separate-stderr machines 2 --keep-going bash -c '
        if [[ $RDMA4J_MACHINE == 2 ]]; then until [[ -e pinged ]]; do sleep 0.1; done; busybox poweroff -f; fi
        busybox ping -c 1 machine2 | grep packets
        echo >pinged
        while busybox ping -c 1 -W 1 machine2 >last; do sleep 0.1; done
        grep packets last'
    echo "$output / $stderr"
    [[ $status == 125 && $stderr == *'[2] softroce: the microVM ended unexpectedly'* ]]
    [[ ${lines[0]} == '[1] 1 packets transmitted, 1 packets received'* && ${lines[1]} == '[1] 1 packets transmitted, 0 packets received'* ]]
}

# bats test_tags=long
@test "the time limit: status 124, each command gets a signal before, a dump of each machine" {
    run --separate-stderr machines 2 --timeout 2 --dump dump bash -c \
        'trap "echo ended; exit 1" TERM; cp /bin/sleep standing-still; ./standing-still 100 & wait'
    [[ $status == 124 && $output == *'[1] ended'* && $output == *'[2] ended'* ]]
    [[ $(<dump.1) == *'standing-still 100'* && $(<dump.2) == *'standing-still 100'* ]]
}

@test "Ctrl-C and SIGTERM reach each command once; nothing keeps running, not even when softroce is killed" {
    SOFTROCE_MARK=$$-int setsid env --default-signal=INT "$SOFTROCE" -q --accel uml --machines 2 bash -c \
        'trap "echo interrupted; exit 9" INT; echo ready; while :; do sleep 0.2; done' >out-int 2>&1 3>&- &
    local pid=$! status=0
    eventually contains '1. ready' out-int
    eventually contains '2. ready' out-int
    kill -INT -- "-$pid" # what a terminal does
    wait "$pid" || status=$?
    cat out-int
    [[ $status == 9 && $(grep -c interrupted out-int) == 2 ]]
    eventually nothing_marked $$-int
    SOFTROCE_MARK=$$-kill "$SOFTROCE" -q --accel uml --machines 2 bash -c 'echo ready; sleep 100' >out-kill 2>&1 3>&- &
    local killed=$!
    eventually contains '2. ready' out-kill
    [[ -n $(marked $$-kill) ]]
    kill -KILL "$killed"
    eventually nothing_marked $$-kill
}

# bats test_tags=long
@test "QEMU: a C tool's two ends on two machines with a bad wire, whose netem both have" {
    run --separate-stderr timeout 300 "$SOFTROCE" -q --accel tcg --machines 2 --wire loss=1%,delay=1ms,mtu=1500 --timeout 200 bash -c '
        ./pair ib_read_lat -n 20 && tc -s qdisc show dev e0 && cat /sys/class/net/e0/mtu'
    echo "$output / $stderr"
    [[ $status == 0 ]]
    [[ $output == *'[2]  2       20 '* ]]
    local n
    for n in 1 2; do
        [[ $output == *"[$n] qdisc netem "*' delay 1ms loss 1%'* && $output == *"[$n] 1500"* ]]
    done
}

# bats test_tags=long
@test "--arch: an x86-64 and an aarch64 machine, a C tool's two ends on them, and softroce on in the latter" {
    "$SOFTROCE" --accel uml --machines 2 --arch x86_64,arm64 --timeout 300 bash -c '
        uname -m
        ./pair ib_read_lat -n 20
        echo ended >ended$RDMA4J_MACHINE
        until [[ -e over ]]; do sleep 0.1; done' >out-arch 2>err-arch 3>&- &
    local pid=$!
    eventually test -e ended1
    eventually test -e ended2
    JAVA_HOME=/nowhere run --separate-stderr "$SOFTROCE" on --of "$pid" 2 bash -c 'uname -m; [[ -x $JAVA_HOME/bin/java ]] && echo "$RDMA4J_MACHINE"'
    echo "$output / $stderr"
    [[ $status == 0 && $output == $'aarch64\n2' ]]
    JAVA_HOME=/nowhere run -0 "$SOFTROCE" on --of "$pid" 1 bash -c 'uname -m; echo "$JAVA_HOME"'
    [[ $output == $'x86_64\n/nowhere' ]]
    touch over
    wait "$pid"
    cat out-arch err-arch
    contains '^.1. x86_64$' out-arch
    contains '^.2. aarch64$' out-arch
    contains '^.2.  2       20 ' out-arch
    [[ $(<err-arch) == *'2 microVMs, 1: x86_64, Linux '*', User-Mode Linux, 1 CPU; 2: arm64, Linux '*', TCG, 1 CPU, rxe0'* ]]
}

# bandwidth SERVER CLIENT: ib_write_bw on two machines; each of the two is empty for the C tool, or our launcher.
bandwidth() {
    run --separate-stderr machines 2 --timeout 200 bash -c '
        if [[ $RDMA4J_MACHINE == 1 ]]; then ./pair $1 ib_write_bw -n 500 -s 65536; else ./pair $2 ib_write_bw -n 500 -s 65536; fi' - "$@"
    echo "$output / $stderr"
    [[ $status == 0 && $(grep -cE '^\[2\] +65536 +500 ' <<<"$output") == 1 ]]
}

@test "a Java tool on one machine and the C tool on the other" {
    bandwidth '' "$(cd "$BATS_TEST_DIRNAME/../.." && pwd -P)/scripts/rdma4j"
}

# bats test_tags=long
@test "the same in the other role" {
    bandwidth "$(cd "$BATS_TEST_DIRNAME/../.." && pwd -P)/scripts/rdma4j" ''
}

@test "softroce on: a command in one of the running machines, with its output, its errors and its status; what is interrupted ends there" {
    "$SOFTROCE" -q --accel uml --machines 2 bash -c 'trap "exit 0" TERM; echo ready; sleep 300 & wait' >out-on 2>&1 3>&- &
    local pid=$!
    eventually contains '1. ready' out-on
    eventually contains '2. ready' out-on
    run -7 --separate-stderr "$SOFTROCE" on --of "$pid" 2 bash -c 'echo "$RDMA4J_MACHINE of $RDMA4J_MACHINES: $(hostname) $RDMA4J_ADDRESS_1 $PWD"
        echo error >&2; printf "no end of line"; exit 7'
    echo "$output / $stderr"
    [[ $output == "2 of 2: machine2 10.99.0.1 $PWD"$'\n''no end of line' && $stderr == error ]]
    run -0 "$SOFTROCE" on --of "$pid" 1 seq 3000
    [[ $output == "$(seq 3000)" ]]
    run -127 "$SOFTROCE" on --of "$pid" 1 there-is-no-such-command
    run -1 "$SOFTROCE" on --of "$pid" 3 true
    [[ $output == *"no machine 3 is running for process $pid"* ]]
    "$SOFTROCE" on --of "$pid" 1 bash -c 'trap "echo interrupted; exit 9" TERM; echo begun; sleep 300 & wait' >out-off 2>&1 3>&- &
    local call=$! status=0
    eventually contains begun out-off
    kill -TERM "$call"
    wait "$call" || status=$?
    [[ $status == 9 && $(<out-off) == $'begun\ninterrupted' ]]
    RDMA4J_LONG=$(printf 'x%.0s' {1..4000}) run -1 "$SOFTROCE" on --of "$pid" 1 true
    [[ $output == *'the limit is 4000'*'env -u NAME'* ]]
    kill -TERM "$pid"
    wait "$pid"
    run -1 "$SOFTROCE" on --of "$pid" 1 true
    run -2 "$SOFTROCE" on 1
    run -2 "$SOFTROCE" on one true
}

@test "softroce wire: disturbs, cuts, cuts one way and restores the wire of running machines" {
    "$SOFTROCE" -q --accel uml --machines 2 bash -c 'trap "exit 0" TERM; echo ready; sleep 300 & wait' >out-wire 2>&1 3>&- &
    local pid=$!
    eventually contains '1. ready' out-wire
    eventually contains '2. ready' out-wire
    reaches() { # an answer each way; each knows the other's hardware address since the first
        "$SOFTROCE" on --of "$pid" 1 busybox ping -c 1 -W "$1" 10.99.0.2
    }
    reaches 60
    "$SOFTROCE" wire --of "$pid" loss=5%,delay=2ms,reorder=10%
    for n in 1 2; do
        run -0 "$SOFTROCE" on --of "$pid" "$n" /usr/sbin/tc qdisc show dev e0
        [[ $output == *'limit 100000 delay 2ms loss 5% reorder 10%'* ]]
    done
    "$SOFTROCE" wire --of "$pid" cut
    run ! reaches 2
    "$SOFTROCE" wire --of "$pid" --from 2 restore
    run ! reaches 2
    "$SOFTROCE" wire --of "$pid" --from 1 restore
    reaches 60
    "$SOFTROCE" wire --of "$pid" --from 2 loss=100%
    run ! reaches 2
    "$SOFTROCE" wire --of "$pid" restore
    "$SOFTROCE" wire --of "$pid" restore # nothing is left of it, and that is no failure
    reaches 60
    run -2 "$SOFTROCE" wire --of "$pid" nonsense=1
    [[ $output == *"unknown key 'nonsense'"* ]]
    run -2 "$SOFTROCE" wire --of "$pid" mtu=1500
    [[ $output == *'ip link set e0 mtu 1500'* ]]
    run -2 "$SOFTROCE" wire --of "$pid" cut cut
    run -2 "$SOFTROCE" wire --from nobody cut
    run -1 "$SOFTROCE" wire --of "$pid" --from 3 cut
    [[ $output == *"no machine 3 is running for process $pid"* ]]
    kill -TERM "$pid"
    wait "$pid"
    run -1 "$SOFTROCE" wire --of "$pid" cut
    [[ $output == *"no machine is running for process $pid"* ]]
}

@test "softroce wire: of several pairs of machines that run none is touched without its number" {
    local pids=()
    for n in 1 2; do
        "$SOFTROCE" -q --accel uml --machines 2 bash -c 'trap "exit 0" TERM; echo ready; sleep 300 & wait' >"out-pair$n" 2>&1 3>&- &
        pids+=("$!")
    done
    for n in 1 2; do
        eventually contains '1. ready' "out-pair$n"
        eventually contains '2. ready' "out-pair$n"
    done
    run -1 "$SOFTROCE" wire cut
    [[ $output == *'machines run for several softroce processes: '*"${pids[0]}"*'--of PID'* ]]
    for n in 0 1; do
        run -0 "$SOFTROCE" on --of "${pids[n]}" 2 /usr/sbin/tc qdisc show dev e0
        [[ $output != *netem* ]]
        kill -TERM "${pids[n]}"
        wait "${pids[n]}"
    done
}

# bats test_tags=long
@test "softroce on: a command that does not listen is ended after ten seconds, with its call" {
    "$SOFTROCE" -q --accel uml --machines 2 bash -c 'trap "exit 0" TERM; echo ready; sleep 300 & wait' >out-deaf 2>&1 3>&- &
    local pid=$!
    eventually contains '1. ready' out-deaf
    "$SOFTROCE" on --of "$pid" 1 bash -c 'trap "" TERM; echo begun; while :; do sleep 0.3; done' >out-call 2>&1 3>&- &
    local call=$! status=0
    eventually contains begun out-call
    kill -TERM "$call"
    timeout 60 tail --pid="$call" -f /dev/null
    wait "$call" || status=$?
    [[ $status == 137 ]]
    kill -TERM "$pid"
    wait "$pid"
}

# bats test_tags=long
@test "iWARP between two machines: a C tool's two ends connect by rdma_cm" {
    run --separate-stderr machines 2 --transport siw --timeout 100 bash -c '
        ls /sys/class/infiniband
        if [[ $RDMA4J_MACHINE == 1 ]]; then exec timeout 90 ib_write_lat -R -F -d siw0 -n 100; fi
        for _ in {1..300}; do
            # A connection to its port would be taken for the client.
            timeout 60 ib_write_lat -R -F -d siw0 -n 100 "$RDMA4J_ADDRESS_1" >log 2>&1 && break
            sleep 0.1
        done
        cat log
        grep -q "^ *2 *100 " log'
    echo "$output / $stderr"
    [[ $status == 0 && $output == *'[1] siw0'* && $output == *'[2] siw0'* ]]
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2154  # code for other shells in quotes; $stderr is set by `run`
#
# scripts/softroce. Each start of the microVM costs seconds, so the first one serves several tests: setup_file runs a
# script in it that leaves what it saw in files, in the writable folder.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup_file() {
    export SOFTROCE=$BATS_TEST_DIRNAME/../softroce
    export PROJECT="$BATS_FILE_TMPDIR/my 'own' project"
    mkdir -p "$PROJECT/.git" "$PROJECT/sub folder" "$BATS_FILE_TMPDIR/outside" "$BATS_FILE_TMPDIR/tmp"
    echo precious >"$BATS_FILE_TMPDIR/outside/file"
    echo from-host >"$PROJECT/seen"
    cat >"$PROJECT/first" <<'GUEST'
#!/bin/bash
echo "to stdout"
echo "to stderr" >&2
out=$OUT
pwd >"$out/cwd"
printf '%s\0' "$@" >"$out/arguments"
env >"$out/environment"
cat >"$out/stdin"
cat "$out/../seen" >"$out/seen"
cat "$OUTSIDE/file" >"$out/outside"
rm "$OUTSIDE/file" && echo changed >"$OUTSIDE/new"
ls "$OUTSIDE" >"$out/outside-after"
touch /tmp/scratch && ls /tmp/scratch >"$out/tmp"
ibv_devinfo >"$out/devinfo"
ulimit -l >"$out/memlock"
cat /sys/class/infiniband/rxe1/ports/1/gid_attrs/types/1 /sys/class/infiniband/rxe1/ports/1/gids/1 >"$out/gid"
readlink /proc/1/exe >"$out/init"
(ib_write_lat -d rxe0 -x 1 >"$out/server" 2>&1 &)
for _ in {1..1200}; do
    grep -qi ':4853 ' /proc/net/tcp && break # port 18515
    sleep 0.1
done
ib_write_lat -d rxe0 -x 1 127.0.0.1 >"$out/client" 2>&1
echo $? >"$out/client-status"
exit 7
GUEST
    chmod +x "$PROJECT/first"
    export OUT=$PROJECT/out
    local status=0
    first >"$BATS_FILE_TMPDIR/stdout" 2>"$BATS_FILE_TMPDIR/stderr" || status=$?
    echo "$status" >"$BATS_FILE_TMPDIR/status"
}

# first [OPTION…]: the script above, with its results in $OUT.
first() {
    mkdir "$OUT"
    cd "$PROJECT/sub folder" || return
    printf 'a\0b\377\n' | LC_TEST=x RDMA4J_TEST='1 2' OTHER=$'x\ny' SECRET=1 TMPDIR=$BATS_FILE_TMPDIR/tmp \
        "$SOFTROCE" --vm "$@" --env OUT --env OTHER --env "OUTSIDE=$BATS_FILE_TMPDIR/outside" \
        ../first 'a b' "c'd" $'e\nf' '' '*' '$HOME' 'ü"'
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

# program NAME BODY: a command in $BATS_TEST_TMPDIR/bin.
program() {
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
    chmod +x "$BATS_TEST_TMPDIR/bin/$1"
}

contains() {
    grep -q "$1" "$2" 2>/dev/null
}

# Processes that carry the mark in their environment, as everything that softroce starts does.
marked() {
    grep -lz "^SOFTROCE_MARK=$1\$" /proc/[0-9]*/environ 2>/dev/null
}

no_process() {
    [[ -z $(pgrep -f "$1") ]]
}

nothing_marked() {
    [[ -z $(marked "$1") ]]
}

@test "the exit status is the command's" {
    [[ $(<"$BATS_FILE_TMPDIR/status") == 7 ]]
}

@test "standard output and error are apart, and one line says what was decided" {
    [[ $(<"$BATS_FILE_TMPDIR/stdout") == 'to stdout' ]]
    mapfile -t lines < <(grep -v -e ' fetching the kernel ' -e ' trying whether ' "$BATS_FILE_TMPDIR/stderr")
    [[ ${lines[0]} =~ ^softroce:\ microVM,\ Linux\ .*,\ (KVM|TCG.*),\ [0-9]+\ CPUs?,\ rxe0\ rxe1$ ]]
    [[ ${lines[1]} == 'to stderr' && ${#lines[@]} == 2 ]]
}

@test "arguments arrive as they are" {
    printf '%s\0' 'a b' "c'd" $'e\nf' '' '*' '$HOME' 'ü"' | cmp - "$OUT/arguments"
}

@test "the documented variables and --env arrive, others do not" {
    contains '^RDMA4J_TEST=1 2$' "$OUT/environment"
    contains '^LC_TEST=x$' "$OUT/environment"
    contains "^HOME=$HOME\$" "$OUT/environment"
    contains '^OTHER=x$' "$OUT/environment"
    contains '^y$' "$OUT/environment"
    run ! contains '^SECRET' "$OUT/environment"
}

@test "standard input arrives byte for byte, and ends" {
    printf 'a\0b\377\n' | cmp - "$OUT/stdin"
}

@test "the working directory is the caller's" {
    [[ $(<"$OUT/cwd") == "$PROJECT/sub folder" ]]
}

@test "the project's folder is shared both ways, all else is shielded" {
    [[ $(<"$OUT/seen") == from-host ]]
    [[ $(<"$OUT/outside") == precious ]]
    [[ $(<"$OUT/outside-after") == new ]]
    [[ $(ls "$BATS_FILE_TMPDIR/outside") == file ]]
    [[ $(<"$OUT/tmp") == /tmp/scratch && ! -e /tmp/scratch ]]
    [[ $(<"$OUT/init") == /run/softroce/busybox ]]
}

@test "rxe0 and rxe1 are active, with RDMA mtu 4096 and RoCE v2 over IPv4 at GID index 1" {
    [[ $(grep -c 'PORT_ACTIVE' "$OUT/devinfo") == 2 ]]
    [[ $(grep -c 'active_mtu:.*4096' "$OUT/devinfo") == 2 ]]
    [[ $(<"$OUT/gid") == $'RoCE v2\n0000:0000:0000:0000:0000:ffff:0a63:0002' ]]
}

@test "locked memory is unlimited" {
    [[ $(<"$OUT/memlock") == unlimited ]]
}

@test "the C tools work there" {
    cat "$OUT/client"
    [[ $(<"$OUT/client-status") == 0 ]]
    contains '^ 2  *1000 ' "$OUT/client"
}

@test "no temporary files are left" {
    [[ -z $(ls -A "$BATS_FILE_TMPDIR/tmp") ]]
}

@test "User-Mode Linux: a JVM is started silently; --devices and --memlock" {
    run --separate-stderr -3 "$SOFTROCE" --vm --quiet --devices 3 --memlock 64 --accel uml bash -c '
        ls /sys/class/infiniband; ulimit -l; java -version; exit 3'
    echo "$output / $stderr"
    [[ $output == $'rxe0\nrxe1\nrxe2\n64' ]]
    # The JVM's own three lines and nothing else.
    [[ $(wc -l <<<"$stderr") == 3 && $stderr == *'Server VM'* ]]
}

# bats test_tags=long
@test "QEMU: a JVM on several CPUs is started safely and silently; --devices and --memlock" {
    run --separate-stderr "$SOFTROCE" --vm --quiet --cpus 2 --devices 3 --memlock 64 --accel tcg bash -c '
        ls /sys/class/infiniband; ulimit -l
        flags() { grep -woE "(TieredCompilation|TieredStopAtLevel) += [a-z0-9]+" | tr -d " " | paste -sd " "; }
        java -XX:+PrintFlagsFinal -version | flags
        export JDK_JAVA_OPTIONS=
        javac -J-XX:+PrintFlagsFinal -J-version 2>/dev/null | flags
        JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 java -XX:+PrintFlagsFinal -version 2>/dev/null | flags
        exit 3'
    echo "$output / $stderr"
    [[ $status == 3 ]]
    mapfile -t lines <<<"$output"
    [[ ${lines[*]:0:4} == 'rxe0 rxe1 rxe2 64' ]]
    [[ ${lines[4]} == 'TieredCompilation=false '* && ${lines[5]} == "${lines[4]}" ]]
    [[ ${lines[6]} == 'TieredCompilation=true TieredStopAtLevel=1' ]]
    # The JVM's own three lines and nothing else.
    [[ $(wc -l <<<"$stderr") == 3 && $stderr == *'Server VM'* ]]
}

# How far a JVM compiles there. A test of a prepared guest, below, has the JVM that starts fast.
JVM_FLAGS='java -XX:+PrintFlagsFinal -version 2>/dev/null | grep -woE "Tiered(Compilation|StopAtLevel) += [a-z0-9]+" |
    tr -d " " | paste -sd " "'

# bats test_tags=long
@test "a JVM is left as it is where one CPU executes all" {
    run -0 "$SOFTROCE" --vm --quiet --cpus 1 --jvm-mode speed --accel tcg bash -c "$JVM_FLAGS"
    [[ $output == 'TieredCompilation=true TieredStopAtLevel=4' ]]
}

@test "User-Mode Linux: a command sees what it sees in the microVM" {
    local microvm=$OUT file status=0
    OUT=$PROJECT/out-uml first --accel uml >stdout-uml 2>stderr-uml || status=$?
    cd "$PROJECT" || return
    cat stdout-uml stderr-uml
    [[ $status == 7 && $(<stdout-uml) == 'to stdout' ]]
    contains ', Linux .*-uml, User-Mode Linux, 1 CPU, rxe0 rxe1$' stderr-uml
    for file in arguments cwd stdin seen outside outside-after tmp memlock gid init client-status; do
        cmp "$microvm/$file" "$PROJECT/out-uml/$file"
    done
    cmp <(grep -v '^\(OUT\|_\)=' "$microvm/environment" | sort) <(grep -v '^\(OUT\|_\)=' "$PROJECT/out-uml/environment" | sort)
    [[ $(grep -c 'PORT_ACTIVE' "$PROJECT/out-uml/devinfo") == 2 ]]
    [[ $(ls "$BATS_FILE_TMPDIR/outside") == file && -z $(ls -A "$BATS_FILE_TMPDIR/tmp") ]]
}

@test "User-Mode Linux: much input and output arrive whole, with a slow reader and a slow writer; a long command; a time limit; bad options" {
    head -c 1000000 /dev/urandom >bytes
    "$SOFTROCE" -q --vm --accel uml bash -c 'cat bytes bytes; cat' <bytes | (sleep 6; cat) >copy
    cmp copy <(cat bytes bytes bytes)
    # A long command, and input with a pause behind more than a line's reader takes at once. 090 is 90, no octal number.
    { head -c 10000 bytes && sleep 1 && echo end; } |
        "$SOFTROCE" -q --vm --accel uml --timeout 090 bash -c 'cat' "$(head -c 9000 /dev/zero | tr '\0' x)" >copy
    cmp copy <(head -c 10000 bytes && echo end)
    run --separate-stderr "$SOFTROCE" -q --vm --accel uml --timeout 2 --dump dump-uml bash -c \
        'trap "echo ended; exit 1" TERM; cp /bin/sleep standing-still; ./standing-still 100 & wait'
    [[ $status == 124 && $output == ended && $stderr == *'time limit of 2 s'*'the state of the machine is in dump-uml'* ]]
    [[ $(<dump-uml) == *'standing-still 100'*'system call'*'the kernel has said'* ]]
    run bash -c 'set -o pipefail; "$SOFTROCE" -q --vm --accel uml --timeout 60 yes | head -n 1'
    [[ ${lines[0]} == y && $status != 124 ]]
    run -127 "$SOFTROCE" -q --vm --accel uml no-such-command
    run -2 "$SOFTROCE" --vm --accel uml --cpus 2 true
    [[ $output == *'User-Mode Linux has only one CPU'* ]]
    run -2 "$SOFTROCE" --accel uml --count counts true
    run -2 "$SOFTROCE" --accel native --icount true
    run -2 "$SOFTROCE" --icount --cpus 2 true
    [[ $output == *'--cpus 2: with --icount'*'has only one CPU'* ]]
    run -2 "$SOFTROCE" --transport ib true
    run -2 "$SOFTROCE" --transport siw --host true
    run -0 "$SOFTROCE" -q --accel uml --transport siw --devices 1 ls /sys/class/infiniband
    [[ $output == siw0 ]]
}

# bats test_tags=long
@test "an adapter on the PCI bus: C programs send over it, and it can be unplugged" {
    run -2 "$SOFTROCE" --device pvrdma --wire loss=1% true
    [[ $output == *'leave out --wire' ]]
    run -7 --separate-stderr "$SOFTROCE" --device pvrdma --boot-timeout 600 bash -c '
        ibv_rc_pingpong -d vmw_pvrdma0 -g 1 -n 20 >server &
        until ibv_rc_pingpong -d vmw_pvrdma0 -g 1 -n 20 127.0.0.1 >client 2>&1; do sleep 1; done
        wait "$!" && grep -h "^20 iters" server client | wc -l
        echo device_del adapter >/dev/vport0p7
        while [ -e /sys/class/infiniband/vmw_pvrdma0 ]; do sleep 1; done
        exit 7'
    [[ $output == 2 && $stderr == *', TCG, 1 CPU, vmw_pvrdma0' ]]
}

@test "User-Mode Linux: a kernel that panics ends at once, and its reason is reported" {
    run --separate-stderr "$SOFTROCE" -q --vm --accel uml --memory 512 bash -c 'echo 2 >/proc/sys/vm/panic_on_oom; tail /dev/zero'
    [[ $status == 125 && $stderr == *'ended unexpectedly'*'Kernel panic - not syncing: Out of memory'* ]]
}

# loses_packets ACCELERATION: a transfer over a wire that loses packets, which shows in netem's and in rxe's counters.
loses_packets() {
    cat >transfer <<'SCRIPT'
timeout 100 ib_write_bw -F -d rxe1 -n 200 -s 4096 >server.log 2>&1 &
until grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done # 18515, listening
timeout 100 ib_write_bw -F -d rxe0 -n 200 -s 4096 127.0.0.1 >client.log 2>&1
echo "client $?"
wait && echo 'server 0'
echo "mtu $(cat /sys/class/net/e1/mtu)"
tc -s qdisc show dev e0
grep -i fail client.log server.log
cd /sys/class/infiniband && cat rxe0/ports/1/hw_counters/completer_retry_err rxe1/ports/1/hw_counters/out_of_seq_request
SCRIPT
    run --separate-stderr timeout 240 "$SOFTROCE" --vm --accel "$1" --timeout 200 --wire loss=5%,delay=1ms,mtu=1500 bash transfer
    echo "$output / $stderr"
    [[ $status == 0 && $stderr == *'rxe0 rxe1, wire loss=5%,delay=1ms,mtu=1500'* ]]
    [[ ${lines[0]} == 'client 0' && ${lines[1]} == 'server 0' && ${lines[2]} == 'mtu 1500' ]]
    [[ $output == *'netem'*' delay 1ms loss 5%'* && $output =~ dropped\ [1-9] ]]
    ((lines[-2] > 0 && lines[-1] > 0))
}

@test "User-Mode Linux: --wire: what loses packets between two devices shows, and the transfer ends right" {
    loses_packets uml
}

# bats test_tags=long
@test "QEMU: --wire: what loses packets between two devices shows, and the transfer ends right" {
    loses_packets tcg
}

@test "--wire: what makes no sense is refused before a machine starts, with the keys" {
    local value
    for value in '' bad loss loss=1 loss=0% loss=101% loss=1%,loss=2% 'loss=1%,' delay=11s delay=10 rate=1 mtu=100 mtu=9001 'loss=1%;id'; do
        run -2 "$SOFTROCE" --wire "$value" true
        [[ $output == *"--wire $value: "*'keys: loss=1% delay=1ms reorder=5% duplicate=1% corrupt=1% rate=1gbit mtu=1500'* ]]
    done
    run -2 "$SOFTROCE" --wire reorder=5% true
    [[ $output == *'reorder needs a delay'*'add delay=1ms'* ]]
    run -2 "$SOFTROCE" --wire loss=1% --host true
    run -2 "$SOFTROCE" --wire loss=1% --transport siw true
    run -2 "$SOFTROCE" --wire loss=1% --devices 0 true
    run -2 "$SOFTROCE" --wire loss=1% --prepare guest
}

@test "User-Mode Linux: a signal reaches the command, and nothing of a killed one lives on" {
    SOFTROCE_MARK=$$-uml-term "$SOFTROCE" -q --vm --accel uml --timeout 300 bash -c 'echo ready; sleep 100' >out-term 2>&1 3>&- &
    local pid=$! status=0
    SOFTROCE_MARK=$$-uml-kill "$SOFTROCE" -q --vm --accel uml --timeout 300 bash -c 'echo ready; while :; do :; done' >out-kill 2>&1 3>&- &
    local killed=$!
    eventually contains ready out-term
    kill -TERM "$pid"
    wait "$pid" || status=$?
    [[ $status == 143 ]]
    eventually nothing_marked $$-uml-term
    eventually contains ready out-kill
    kill -KILL "$killed"
    eventually nothing_marked $$-uml-kill
}

# bats test_tags=long
@test "--icount: one CPU and the JVM as it is; sleeps by its own clock; nothing writable with --read-only" {
    run --separate-stderr "$SOFTROCE" --icount --read-only bash -c '
        nproc; touch new; ls new; java -XX:+PrintFlagsFinal -version 2>/dev/null | grep -w TieredCompilation
        exec {silent}<> <(:)
        for ((longest = 0, n = 0; n < 50; n++)); do
            start=${EPOCHREALTIME/.}
            read -rt 0.002 -u "$silent"
            took=$((${EPOCHREALTIME/.} - start))
            longest=$((took > longest ? took : longest))
        done
        echo "$longest"'
    echo "$output / $stderr"
    [[ $status == 0 ]]
    [[ $stderr == *'counts instructions, 1 CPU, rxe0 rxe1, nothing writable'* ]]
    mapfile -t lines <<<"$output"
    [[ ${lines[0]} == 1 && ${lines[1]} == new && ${lines[2]} == *true* && ! -e new ]]
    # A sleep of 2 ms takes so long, however late this machine's clock wakes the emulator.
    ((lines[3] >= 2000 && lines[3] < 2400))
}

# bats test_tags=long
@test "--count: what is executed between two marks, the same for each hundred writes" {
    cat >marks.c <<'C'
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
int main(void) {
    int nothing = open("/dev/null", O_WRONLY);
    for (int run = 0; run < 2; run++) {
        sched_get_priority_max(0);
        for (int n = 0; n < 500; n++) {
            if (write(nothing, "x", 1) != 1) return 1;
        }
        sched_get_priority_max(0);
        // Not counted.
        for (int n = 0; n < 500; n++) {
            if (write(nothing, "x", 1) != 1) return 1;
        }
    }
    return 0;
}
C
    cc -O2 -o marks marks.c
    run "$SOFTROCE" --count counts bash -c './marks && echo "$RDMA4J_COUNT"'
    echo "$output"
    [[ $status == 0 && ${lines[-1]} == "$PROJECT/counts" ]]
    [[ $(grep -c '^mark ' counts) == 4 && $(grep -c '^end$' counts) == 14 ]]
    [[ $(grep '^writes ' counts | tail -n 1) == 'writes 1000' ]]
    # Between two records of the loop lie a hundred times round.
    awk '$1 == "writes" { at = $2 } $1 == "mark" { at = 0 } $1 == "user" && at { print at, $2 }' counts |
        awk 'NR > 1 && $1 != 600 { print $2 - last } { last = $2 }' | sort -u >rounds
    cat rounds
    [[ $(wc -l <rounds) == 1 && $(<rounds) -gt 1000 && $(<rounds) -lt 3000 && $(($(<rounds) % 100)) == 0 ]]
    grep -q '^block [0-9a-f]* [0-9]* 100$' counts
    # Nothing before an odd mark is reported block by block.
    [[ $(awk '$1 == "mark" || $1 == "writes" { at = $1 $2 } $1 == "block" { print at }' counts | grep -cE '^mark[13]$') == 0 ]]
}

@test "--count is refused where the guest could not read it" {
    run -2 "$SOFTROCE" --count "$BATS_TEST_TMPDIR/counts" true
    [[ $output == *'a file in a folder that it may change'* ]]
    run -2 "$SOFTROCE" --count no/folder/counts true
    run -2 "$SOFTROCE" --count counts --read-only true
    run -2 "$SOFTROCE" --host --count counts true
    run -2 "$SOFTROCE" --host --icount true
}

# bats test_tags=long
@test "--count falls back where QEMU cannot count" {
    program qemu-system-x86_64 'if [ "$1" = --version ]; then echo "QEMU emulator version 10.0.2 (Debian)"; exit; fi
        exec /usr/bin/qemu-system-x86_64 "$@"'
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run "$SOFTROCE" --count none bash -c 'echo "count: $RDMA4J_COUNT."'
    echo "$output"
    [[ $status == 0 && ${lines[-1]} == 'count: .' && ! -e none ]]
    [[ $output == *'QEMU 10.0.2 has a different plugin interface'* && $output == *'counts instructions, 1 CPU'* ]]
}

@test "much output to a slow reader arrives whole, and --cpus and --memory count; one CPU is shared in short turns" {
    run bash -c '"$SOFTROCE" -q --vm --cpus 1 --memory 2000 bash -c "
        nproc; free -m; grep -cw HRTICK /sys/kernel/debug/sched/features; head -c 3000000 /dev/zero | tr \"\\0\" x; echo; echo end" | (sleep 6; cat)'
    [[ $status == 0 ]]
    [[ ${lines[0]} == 1 ]]
    [[ ${lines[2]} =~ ^Mem:\ +1[0-9]{3}\  ]]
    [[ ${lines[4]} == 1 ]]
    [[ ${#lines[-2]} == 3000000 && ${lines[-1]} == end ]]
}

# bats test_tags=long
@test "QEMU: a reader that leaves early ends the command" {
    run bash -c 'set -o pipefail; time "$SOFTROCE" -q --vm --timeout 300 yes | head -n 1'
    [[ ${lines[0]} == y ]]
    [[ $status != 124 ]]
}

# bats test_tags=long
@test "QEMU: the time limit: status 124, the command gets a signal before, and --dump keeps what the machine was doing" {
    run --separate-stderr "$SOFTROCE" -q --vm --timeout 2 --dump dump bash -c \
        'trap "echo ended; exit 1" TERM; cp /bin/sleep standing-still; ./standing-still 100 & wait'
    cat dump
    [[ $status == 124 && $output == ended && $stderr == *'time limit of 2 s'*'the state of the machine is in dump'* ]]
    [[ $(<dump) == *'standing-still 100'*'system call'*'the kernel has said'* ]]
}

@test "Ctrl-C reaches the command, its status comes back, nothing keeps running" {
    SOFTROCE_MARK=$$-int setsid env --default-signal=INT "$SOFTROCE" -q --vm --timeout 300 bash -c \
        'trap "echo interrupted; exit 9" INT; echo ready; while :; do sleep 0.2; done' >out-int 2>&1 3>&- &
    local pid=$! status=0
    eventually contains ready out-int
    kill -INT -- "-$pid" # what a terminal does
    wait "$pid" || status=$?
    [[ $status == 9 ]]
    contains interrupted out-int
    eventually nothing_marked $$-int
}

@test "SIGTERM reaches a command that does not handle it; killing softroce itself ends the machine" {
    SOFTROCE_MARK=$$-term "$SOFTROCE" -q --vm --timeout 300 bash -c 'echo ready; sleep 100' >out-term 2>&1 3>&- &
    local pid=$! status=0
    SOFTROCE_MARK=$$-kill "$SOFTROCE" -q --vm --timeout 300 bash -c 'echo ready; sleep 100' >out-kill 2>&1 3>&- &
    local killed=$! # two machines at the same time, too
    eventually contains ready out-term
    kill -TERM "$pid"
    wait "$pid" || status=$?
    [[ $status == 143 ]]
    eventually nothing_marked $$-term
    eventually contains ready out-kill
    [[ -n $(marked $$-kill) ]]
    kill -KILL "$killed"
    eventually nothing_marked $$-kill
}

# bats test_tags=long
@test "killing softroce itself ends a User-Mode Linux that may have no namespace, with all its processes" {
    program unshare 'exit 1'
    PATH=$BATS_TEST_TMPDIR/bin:$PATH SOFTROCE_MARK=$$-uml "$SOFTROCE" -q --accel uml --timeout 300 bash -c 'echo ready; sleep 100' \
        >out-uml-kill 2>&1 3>&- &
    local killed=$!
    eventually contains ready out-uml-kill
    kill -KILL "$killed"
    eventually nothing_marked $$-uml
}

@test "a command that is not there: 127; one that cannot be run: 126" {
    run -127 "$SOFTROCE" -q --vm --accel uml no-such-command
    [[ $output == *no-such-command* ]]
    echo text >not-executable
    run -126 "$SOFTROCE" -q --vm --accel uml ./not-executable
}

@test "a machine that does not start: its console is shown, status 125" {
    # A program in QEMU's place that starts nothing.
    program qemu-system-x86_64 'echo "the console says this" >&2; exit 1'
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run "$SOFTROCE" -q --vm --accel tcg true
    [[ $status == 125 && $output == *'the console says this'* ]]
    program qemu-system-x86_64 'exec sleep 30'
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run "$SOFTROCE" -q --vm --accel tcg --boot-timeout 1 true
    [[ $status == 125 && $output == *'did not start within 1 s'* ]]
}

@test "a host that has a device is used, and said so" {
    mkdir -p sys/class/infiniband_verbs/uverbs{0,1} dev/infiniband
    echo fake0 >sys/class/infiniband_verbs/uverbs0/ibdev
    echo fake1 >sys/class/infiniband_verbs/uverbs1/ibdev
    touch dev/infiniband/uverbs0
    export RDMA4J_SYSFS=$PWD/sys RDMA4J_DEV=$PWD/dev
    run --separate-stderr -5 "$SOFTROCE" --memlock 64 --env 'A=b c' bash -c 'ulimit -l; echo "$A"; exit 5'
    [[ ${stderr_lines[0]} == "softroce: cannot open this machine's fake1 ($PWD/dev/infiniband/uverbs1), so they are not used" ]]
    [[ ${stderr_lines[1]} == 'softroce: running on this machine, with fake0' ]]
    [[ $output == $'64\nb c' ]]
    # Processes of the command end with it, also those that ignore the signal.
    mkdir own
    cp -r "$BATS_TEST_DIRNAME"/../{softroce,lib} own
    sed -i 's/SECONDS + 10/SECONDS + 0/' own/lib/softroce/host.sh
    run -124 own/softroce -q --dump dump --timeout 1 bash -c 'setsid sleep $0 & trap "" TERM; sleep $0 & exec sleep $0' "30303.$$"
    [[ $output == 'softroce: the time limit of 1 s is over' && $(<dump) == *"sleep 30303.$$"* ]]
    eventually no_process "sleep 30303.$$"
    run -5 --separate-stderr "$SOFTROCE" -q bash -c 'cat; exit 5' <<<hello
    [[ $output == hello && $stderr == '' ]]
}

@test "devices that can be made on this machine by half only are taken away again" {
    ((EUID == 0))
    program modprobe true
    program ip 'echo "$*" >>"$CALLS"'
    program rdma 'echo "rdma $*" >>"$CALLS"; [ "$3" != rxe3 ]'
    mkdir empty
    CALLS=$PWD/calls RDMA4J_SYSFS=$PWD/empty PATH=$BATS_TEST_TMPDIR/bin:$PATH run -1 "$SOFTROCE" --host --devices 6 true
    [[ $output == *'this machine has no RDMA device and cannot load rdma_rxe'* ]]
    [[ $(grep -c '^rdma link add' calls) == 4 && $(tail -n 2 calls) == $'link del softroce2\nlink del softroce0' ]]
}

@test "each missing tool is named with the package and the command, or installed with --install" {
    mkdir -p few
    # Of files with one name, the first stays.
    find /bin/ /usr/bin/ /sbin/ /usr/sbin/ -mindepth 1 -maxdepth 1 ! -name 'qemu-*' ! -name busybox ! -name cpio -print0 |
        awk -v RS='\0' -v ORS='\0' -F / '!seen[$NF]++' | xargs -0 ln -s -t few
    PATH=$PWD/few run "$SOFTROCE" --vm true
    echo "$output"
    [[ $status == 1 ]]
    [[ $output == *'busybox-static cpio qemu-system-x86'* ]]
    [[ $output == *'apt-get install --no-install-recommends busybox-static'* ]]
    ((EUID == 0)) || return 0
    rm few/{dpkg-query,apt-get}
    ln -s false few/dpkg-query
    printf '#!/bin/sh\necho "$@" >>fetched\necho E: Unable to locate package; exit 100\n' >few/apt-get
    chmod +x few/apt-get
    PATH=$PWD/few run -1 "$SOFTROCE" --vm --install true
    [[ $output == *'installing busybox-static cpio qemu-system-x86'* ]]
    [[ $(head -n 1 fetched) == *' install -y --no-install-recommends busybox-static cpio qemu-system-x86' ]]
}

@test "GitHub's action: several commands with the environment of the job, up to the first that fails" {
    cd "$PROJECT"
    CARGO_HOME='/a "folder"' SOFTROCE_OPTIONS=$'--accel uml\n--devices 1' SOFTROCE_RUN=$'echo "$CARGO_HOME"\nls /sys/class/infiniband\nfalse\necho more' \
        run -1 --separate-stderr "$BATS_TEST_DIRNAME/../../.github/actions/softroce/run"
    [[ $output == $'/a "folder"\nrxe0' ]]
}

@test "a kernel that no package source has" {
    run -2 "$SOFTROCE" --vm --kernel 9.9.9 true
    [[ $output == *'kernel 9.9.9: neither the configured package sources nor the backports have it'* ]]
    [[ $output =~ 'they have: '.*[0-9]+\.[0-9]+ ]]
}

# bats test_tags=long
@test "--kernel with the beginning of a version" {
    run -0 "$SOFTROCE" -q --vm --kernel 6.12 uname -r
    [[ $output == 6.12.* ]]
}

# bats test_tags=long
@test "--kernel newest is the unstable suite's" {
    run -0 "$SOFTROCE" -q --vm --kernel newest bash -c 'uname -r; rdma link'
    [[ ${lines[0]%%.*} -ge 7 && $output == *rxe0* ]]
}

# What this machine's package sources are. The package manager would read the lists of all packages for it.
package_sources() {
    find /etc/apt -type f -exec sha256sum {} + | sort
}

@test "the backports are read beside this machine's package sources, which stay as they are" {
    local before
    before=$(package_sources)
    RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache run -0 bash -c 'set -euo pipefail
        for part in common once packages apt-suite softroce/arch softroce/kernel; do source "$1/$part.sh"; done; kernel_use backports; kernel_available' \
        - "$BATS_TEST_DIRNAME/../lib"
    [[ $output =~ [0-9]+\.[0-9]+ ]]
    [[ $(<"$BATS_TEST_TMPDIR"/cache/apt/*/sources.list) == *-backports\ main ]]
    [[ -n $before && $(package_sources) == "$before" ]]
}

@test "the newest of the versions that begin as --kernel says" {
    run -0 bash -c 'source "$1"; printf "%s\n" 6.1.0-5 6.12.9+deb12 6.12.10+deb12 6.120.1 16.12.1 | kernel_newest 6.12' \
        - "$BATS_TEST_DIRNAME/../lib/softroce/kernel.sh"
    [[ $output == 6.12.10+deb12 ]]
}

@test "the package manager is asked which kernel it has, and not again until its lists change" {
    program apt-cache 'echo asked >>"$OUT.asked"; exec /usr/bin/apt-cache "$@"'
    program stat 'echo "$LISTS_READ"'
    export LISTS_READ=1
    choose() {
        PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_CACHE=$PWD/memory bash -c 'set -euo pipefail
            for part in common once packages apt-suite softroce/arch softroce/kernel; do source "$1/$part.sh"; done; kernel_choose default' \
            - "$BATS_TEST_DIRNAME/../lib"
    }
    run -0 choose
    [[ $output == linux-image-*-amd64\ * ]]
    local first=$output asked
    asked=$(wc -l <"$OUT.asked")
    run -0 choose
    [[ $output == "$first" && $(wc -l <"$OUT.asked") == "$asked" ]]
    # As after apt-get update.
    LISTS_READ=2
    run -0 choose
    [[ $output == "$first" && $(wc -l <"$OUT.asked") == $((2 * asked)) ]]
}

@test "a kernel that cannot be unpacked: dpkg's error" {
    program dpkg 'echo "dpkg: no space" >&2; exit 2'
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run -1 bash -c 'set -euo pipefail
        source "$1/common.sh"; source "$1/softroce/arch.sh"; source "$1/softroce/kernel.sh"; work=$2/new; mkdir "$work"; kernel_unpack "$work/tree" some.deb' \
        - "$BATS_TEST_DIRNAME/../lib" "$BATS_TEST_TMPDIR"
    [[ $output == *'some.deb cannot be unpacked:'*'no space'* ]]
    # Cut off, an image is none: it would be kept, and no guest start.
    printf '\x28\xb5\x2f\xfdrest' >image
    mkdir "$BATS_TEST_TMPDIR/few"
    ln -s "$(command -v od)" "$(command -v tr)" "$(command -v uname)" "$BATS_TEST_TMPDIR/few"
    PATH=$BATS_TEST_TMPDIR/few run -1 "$BASH" -c 'set -euo pipefail; for part in common packages softroce/arch softroce/kernel; do source "$1/$part.sh"; done
        kernel_decompress image' - "$BATS_TEST_DIRNAME/../lib"
    [[ $output == *'compressed with zstd'*'apt-get install --no-install-recommends zstd'* ]]
}

@test "an aarch64 machine's kernel: its own package, the image as it is, and what the cache has for another architecture is not taken" {
    program uname 'echo aarch64'
    program apt-cache 'echo "$@" >>"$OUT.asked-arm64"; exit 0'
    mkdir -p cache-arm64/kernel/linux-image-6.99.{1-arm64_6.99.1-1,2-amd64_6.99.2-1}
    touch cache-arm64/kernel/linux-image-6.99.{1-arm64_6.99.1-1,2-amd64_6.99.2-1}/complete
    PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_CACHE=$PWD/cache-arm64 run -0 bash -c 'set -euo pipefail
        for part in common once packages apt-suite softroce/arch softroce/kernel; do source "$1/$part.sh"; done
        kernel_choose default' - "$BATS_TEST_DIRNAME/../lib"
    [[ $output == 'linux-image-6.99.1-arm64 6.99.1-1' ]]
    contains '^show .* linux-image-arm64$' "$OUT.asked-arm64"
    # The header of an image says so at byte 56.
    { head -c 56 /dev/zero; printf 'ARMdrest'; } >image-arm64
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 bash -c 'set -euo pipefail
        for part in common softroce/arch softroce/kernel; do source "$1/$part.sh"; done
        kernel_image_arm64 image-arm64 vmlinux-arm64 && ! kernel_image_arm64 "$1/common.sh" none' - "$BATS_TEST_DIRNAME/../lib"
    cmp image-arm64 vmlinux-arm64
}

@test "a kernel in the cache serves a machine whose package sources do not have it" {
    mkdir -p cache/kernel/linux-image-6.99.1-amd64_6.99.1-1 cache/kernel/linux-image-6.99.2-amd64_1%3a6.99.2-1
    touch cache/kernel/linux-image-6.99.{1-amd64_6.99.1-1,2-amd64_1%3a6.99.2-1}/complete
    program apt-cache 'exit 0' # as for what it does not know
    PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_CACHE=$PWD/cache run -0 bash -c 'set -euo pipefail
        for part in common once packages apt-suite softroce/arch softroce/kernel; do source "$1/$part.sh"; done; kernel_choose 6.99' - "$BATS_TEST_DIRNAME/../lib"
    [[ $output == 'linux-image-6.99.2-amd64 1:6.99.2-1' ]]
}

@test "a prepared guest needs no package manager and no cache, and a JVM in it can be set to start fast" {
    run -0 "$SOFTROCE" --prepare guest
    [[ $output == *' is prepared in guest, '*' MiB' ]]
    [[ -e guest/vmlinux && -e guest/initrd ]]
    run -0 --separate-stderr env RDMA4J_GUEST="$PWD/guest" RDMA4J_CACHE=/proc/nowhere \
        "$SOFTROCE" --vm --accel tcg --cpus 1 --jvm-mode start bash -c "uname -r; modprobe sch_netem && echo netem; $JVM_FLAGS"
    [[ $output == "$(<guest/complete)"$'\nnetem\nTieredCompilation=true TieredStopAtLevel=1' ]]
    run -1 "$SOFTROCE" --prepare guest
    [[ $output == *'not empty'* ]]
    RDMA4J_GUEST=$PWD run -1 "$SOFTROCE" --vm true
    [[ $output == *"RDMA4J_GUEST=$PWD contains no prepared guest"* ]]
    run -2 "$SOFTROCE" --prepare other true
}

@test "the initrd is the same bytes each time" {
    run -0 bash -c 'set -euo pipefail
        for part in common once packages apt-suite softroce/arch softroce/kernel softroce/initrd; do source "$1/$part.sh"; done
        kernel_get default
        once "$2" a "" initrd_build && sleep 1 && once "$2" b "" initrd_build' - "$BATS_TEST_DIRNAME/../lib" "$BATS_TEST_TMPDIR"
    cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
}

@test "--arch: another one is refused with the list, and so is what an emulated machine cannot have" {
    run -2 "$SOFTROCE" --arch riscv64 true
    [[ $output == *'--arch riscv64: must be x86_64 or arm64'* ]]
    run -2 "$SOFTROCE" --arch
    [[ $output == *'--arch needs a value'* ]]
    run -2 "$SOFTROCE" --arch arm64 --host true
    [[ $output == *'--arch arm64 needs a guest'* ]]
    run -2 "$SOFTROCE" --arch arm64 --accel uml true
    [[ $output == *'--arch arm64 is emulated: leave out --accel uml'* ]]
    run -2 "$SOFTROCE" --arch arm64 --accel kvm true
    run -2 "$SOFTROCE" --arch arm64 --icount true
    run -2 "$SOFTROCE" --arch arm64 --kernel 6.1 true
    run -2 "$SOFTROCE" --arch=arm64 --prepare guest
}

@test "--arch arm64: packages that cannot be had are named, with what the package manager said" {
    program qemu-system-aarch64 'exit 1'
    program apt-get 'exit 0'
    export RDMA4J_FETCH_PAUSES=''
    PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache run -1 "$SOFTROCE" --arch arm64 true
    [[ $output == *'the package list of Debian trixie for arm64, from which the guest is built, cannot be read'*'have no main suite of Debian'* ]]
    program apt-get 'case " $* " in
        *" indextargets "*) echo "stable bookworm https://mirror.invalid/debian '"$BATS_TEST_TMPDIR"'/sources:1" ;;
        *" update "*) exit 0 ;;
        *) echo "E: Unable to fetch some archives" >&2; exit 100 ;;
        esac'
    touch "$BATS_TEST_TMPDIR/sources"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache run -1 "$SOFTROCE" --arch arm64 true
    [[ $output == *'could not fetch the packages of Debian trixie for arm64'*'E: Unable to fetch some archives'* ]]
    [[ -z $(find "$BATS_TEST_TMPDIR/cache/arm64" -name complete) ]]
}

# What an aarch64 machine does: a program in QEMU's place that prints what it is asked for and ends.
on_aarch64() {
    program uname 'echo aarch64'
    program qemu-system-aarch64 'echo "asked for: $*" >&2; exit 1'
    mkdir -p "$BATS_TEST_TMPDIR/guest/lib/modules"
    echo 6.99-arm64 >"$BATS_TEST_TMPDIR/guest/complete"
    touch "$BATS_TEST_TMPDIR"/guest/{vmlinux,initrd}
    PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_GUEST=$BATS_TEST_TMPDIR/guest "$SOFTROCE" "$@"
}

@test "an aarch64 machine: a guest of its own kind, with this machine's files; no User-Mode Linux there" {
    run -125 on_aarch64 --vm --accel tcg true
    echo "$output"
    [[ $output == *'microVM, Linux 6.99-arm64, TCG, '* ]]
    [[ $output == *'asked for: '*'-machine virt -accel tcg,thread=multi,tb-size=512 -cpu neoverse-n1 '* ]]
    [[ $output == *'-append console=ttyAMA0 quiet '*'path=/,security_model=none,multidevs=remap,readonly=on'* && $output != *8250* ]]
    run -125 on_aarch64 --vm --accel kvm --arch arm64 true
    [[ $output == *'Linux 6.99-arm64, KVM, '*'-machine virt,gic-version=host -accel kvm -cpu host '* ]]
    # Not what User-Mode Linux would be taken for elsewhere.
    run -125 on_aarch64 --vm --accel native true
    [[ $output == *'microVM, Linux 6.99-arm64, '*'asked for: '*'-machine virt'* ]]
    run -2 on_aarch64 --accel uml true
    [[ $output == *'--accel uml needs an x86-64 machine, but this one is aarch64'* ]]
    run -2 on_aarch64 --icount true
    [[ $output == *'--icount and --count need an x86-64 machine, but this one is aarch64'* ]]
    run -2 on_aarch64 --machines 2 --arch x86_64,arm64 true
    [[ $output == *'--arch x86_64,arm64: an x86_64 guest needs an x86-64 machine, but this one is aarch64'* ]]
    program uname 'echo riscv64'
    PATH=$BATS_TEST_TMPDIR/bin:$PATH run -1 "$SOFTROCE" --vm true
    [[ $output == *'a microVM needs an x86-64 or aarch64 machine, but this one is riscv64'* ]]
}

@test "neither / nor a home folder is writable, whoever runs it; a project in a home folder is" {
    run -125 on_aarch64 --vm --accel tcg true
    # started_in FOLDER HOME
    started_in() {
        PATH=$BATS_TEST_TMPDIR/bin:$PATH RDMA4J_GUEST=$BATS_TEST_TMPDIR/guest run -0 unshare -m bash -c 'mount -t tmpfs none /home && mkdir -p /home/bob/project &&
            ln -s bob /home/link && cd "$1" && HOME=$2 "$SOFTROCE" --vm --accel tcg true; (($? == 125))' - "$@"
        echo "$output"
    }
    started_in / /root
    [[ $output == *', nothing writable'* ]]
    started_in /home/bob /root
    [[ $output == *', nothing writable'* ]]
    mkdir "$BATS_TEST_TMPDIR/house"
    ln -s house "$BATS_TEST_TMPDIR/link"
    started_in "$BATS_TEST_TMPDIR/house" "$BATS_TEST_TMPDIR/link"
    [[ $output == *', nothing writable'* ]]
    started_in /home/bob/project /home/link
    [[ $output != *', nothing writable'* && $output == *',path=/home/bob/project,'* ]]
}

@test "bad options: status 2 and the reason" {
    run -2 "$SOFTROCE"
    run -2 "$SOFTROCE" --nonsense true
    [[ $output == *'unknown option --nonsense'* ]]
    run -2 "$SOFTROCE" --cpus
    [[ $output == *'--cpus needs a value'* ]]
    run -2 "$SOFTROCE" --cpus=0 true
    run -2 "$SOFTROCE" --devices two true
    [[ $output == *'--devices two: must be a number from 0 to 32'* ]]
    run -2 "$SOFTROCE" --env 1X=y true
    run -2 "$SOFTROCE" --install=yes true
    [[ $output == *'--install takes no value'* ]]
    run -2 "$SOFTROCE" --icount --accel kvm true
    run -2 "$SOFTROCE" --writable /no/such/folder true
    run -2 "$SOFTROCE" --count '' true
    run -2 "$SOFTROCE" --dump /tmp true
    [[ $output == *'--dump /tmp: this file cannot be written'* ]]
    run -2 "$SOFTROCE" --dump /no/such/folder/file true
    RDMA4J_CACHE=/proc/nowhere run -1 "$SOFTROCE" --vm true
    [[ $output == *'the cache folder /proc/nowhere/choice cannot be written'* && ${#lines[@]} == 2 && ! -e /.lock ]]
    RDMA4J_CACHE=/proc/nowhere run -1 "$SOFTROCE" --vm --count counts true
    [[ $output == *'the cache folder /proc/nowhere/count cannot be written'* && -z $(compgen -G '/*.so*') ]]
    run -0 "$SOFTROCE" --help
    [[ $output == *'Usage:'* ]]
}

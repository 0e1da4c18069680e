# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2154  # code for other shells in quotes; $stderr is set by `run`
#
# The shell library: scripts/lib/{common,jdk,packages}.sh. Needs no device and no network.
#
# Nothing here needs a build:
# bats file_tags=no-build

bats_require_minimum_version 1.5.0

setup() {
    lib=$BATS_TEST_DIRNAME/../lib
    unset RDMA4J_JAVA_HOME JAVA_HOME RDMA4J_CACHE XDG_CACHE_HOME RDMA4J_QUIET
    cd "$BATS_TEST_TMPDIR" || return
}

# Runs a script with the library loaded, as the project's scripts do.
with_lib() {
    bash -c "set -euo pipefail; PROGRAM=prog; source '$lib/common.sh'; source '$lib/jdk.sh'
        source '$lib/packages.sh'; $1"
}

# fake_jdk FOLDER VERSION
fake_jdk() {
    mkdir -p "$1/bin"
    printf '#!/bin/sh\n' | tee "$1/bin/java" >"$1/bin/javac"
    chmod +x "$1/bin/java" "$1/bin/javac"
    printf 'IMPLEMENTOR="x"\nJAVA_VERSION="%s"\n' "$2" >"$1/release"
}

@test "die prints its lines and takes a status" {
    run -3 --separate-stderr with_lib 'die -3 "first" "second line" "third"'
    [[ $output == '' ]]
    [[ $stderr == $'prog: first\n    second line\n    third' ]]
    run -1 with_lib 'die "plain"'
}

@test "say is silent when quiet is asked for, warn is not" {
    RDMA4J_QUIET=1 run --separate-stderr with_lib 'say hush; warn loud'
    [[ $stderr == 'prog: loud' ]]
    run -0 bash -c '"$@" 2>&-' - bash -c "set -e; source '$lib/common.sh'; say to nobody; warn nobody; echo on"
    [[ $output == on ]]
}

@test "the cache folder follows RDMA4J_CACHE, XDG_CACHE_HOME, HOME" {
    HOME=$PWD/h run -0 with_lib 'cache_dir sub'
    [[ $output == "$PWD/h/.cache/rdma4j/sub" && -d $output ]]
    XDG_CACHE_HOME=$PWD/x run -0 with_lib cache_dir
    [[ $output == "$PWD/x/rdma4j" ]]
    RDMA4J_CACHE="$PWD/with space" run -0 with_lib cache_dir
    [[ $output == "$PWD/with space" ]]
    HOME='' run -1 with_lib cache_dir
    [[ $output == *'HOME is not set'*'set RDMA4J_CACHE'* && ! -e /nonexistent ]]
    # Who does not look at the status does not work in /.
    HOME='' run with_lib 'echo "$(cache_dir)/sub"'
    [[ $output == *$'\n/dev/null/sub' ]]
    touch file
    RDMA4J_CACHE=$PWD/file/sub run -1 with_lib cache_dir
    [[ $output == *'set RDMA4J_CACHE'* ]]
}

@test "scripts start through a link and whatever CDPATH says" {
    local script
    mkdir -p links elsewhere/links
    export CDPATH=$PWD/elsewhere
    for script in "$lib"/../*; do
        [[ -f $script && ${script##*/} != rdma4j ]] || continue
        ln -s "$script" links
        run -0 "links/${script##*/}" --help
        [[ $output == *Usage:* ]]
    done
}

@test "scripts start with bash 4, which has no EPOCHREALTIME" {
    local script
    echo 'unset EPOCHREALTIME EPOCHSECONDS' >bash4
    for script in softroce campaign test evidence; do
        BASH_ENV=$PWD/bash4 run -0 "$lib/../$script" --help
    done
}

@test "a folder that is mounted noexec starts no program, and is no memory for User-Mode Linux" {
    mkdir memory
    run -0 with_lib 'programs_start_in .'
    run -0 unshare -m bash -c 'mount -t tmpfs -o noexec none memory && mount --bind memory /dev/shm && set -euo pipefail &&
        source "$1/common.sh" && source "$1/softroce/uml.sh" && ! programs_start_in memory && MEMORY=1 && TMPDIR=/x && uml_memory_folder' - "$lib"
    [[ $output == /x && -z $(find . -name '.rdma4j*') ]]
}

# Ten processes at once run code with the library, fifty times over on an empty cache.
ten_at_once() {
    local round process pids
    for round in {1..50}; do
        rm -rf cache
        pids=()
        for process in {1..10}; do
            RDMA4J_CACHE=$PWD/cache with_lib "$1" >>said 2>&1 3>&- &
            pids+=("$!")
        done
        for process in "${pids[@]}"; do wait "$process" || { echo "round $round failed" && tail said; return 1; }; done
        [[ -z $(compgen -G 'cache/*/.new*') ]]
    done
}

@test "ten processes that need the same entry of an empty cache all get it, and one builds it" {
    ten_at_once "source '$lib/once.sh'; build() { echo built >>log; mkdir \"\$work/tree\"; echo whole >\"\$work/tree/file\"; }
        cache=\$(cache_dir some); once \"\$cache\" it '' build; [[ \$(<\"\$cache/it/file\") == whole ]]"
    [[ $(wc -l <log) == 50 ]]
}

@test "ten guests that start at once on an empty cache all get their initrd" {
    ten_at_once "source '$lib/once.sh'; source '$lib/softroce/initrd.sh'; ACCEL=uml KERNEL_DIR=/k; initrd_get
        [[ \$(cpio -t --quiet <\"\$INITRD\" | grep -cxE 'init|guest-main|bin/busybox') == 3 ]]"
}

@test "a second process waits for the one that builds, says so, and finds the entry; what a killed process has left is removed" {
    make_it() {
        with_lib 'source "'"$lib"'/once.sh"; make() {
            echo made >>log; touch "$work/tree"
            # Until the other one waits. The limit is for one that never does.
            for _ in {1..3000}; do ! grep -qs "waits for" second || break; sleep 0.02; done; }
            once "$PWD/cache" it "making it" make'
    }
    mkdir -p cache/.new.killed
    make_it >first 2>&1 3>&- &
    for _ in {1..3000}; do [[ ! -e log ]] || break; sleep 0.02; done
    make_it >second 2>&1
    wait
    [[ $(<second) == *"waiting for another process, which uses $PWD/cache" && $(<first) == 'prog: making it (once)' ]]
    [[ $(<log) == made && -e cache/it && -z $(compgen -G 'cache/.new*') ]]
}

@test "a builder that is killed leaves nothing that makes the next one fail, and what it has started ends first" {
    build='source "'"$lib"'/once.sh"; build() { echo "$BASHPID" >builder; bash -c "echo begun >>log; sleep \$1; echo ended >>log" - "$seconds"; touch "$work/tree"; }
        once "$PWD/cache" it "" build'
    mkdir cache
    with_lib "seconds=2; $build" 3>&- &
    for _ in {1..3000}; do [[ ! -s log ]] || break; sleep 0.02; done
    # Not the program that it has started.
    kill -KILL "$(<builder)"
    wait $! || true
    run -0 with_lib "seconds=0; $build"
    [[ $(tr '\n' ' ' <log) == 'begun ended begun ended ' && -e cache/it && -z $(compgen -G 'cache/.new*') ]]
}

@test "an entry that is used stays, one that is not used for a month is removed by the next build" {
    mkdir cache
    touch -d '40 days ago' cache/used cache/forgotten
    run -0 with_lib 'source "'"$lib"'/once.sh"; build() { touch "$work/tree"; }
        once "$PWD/cache" used "" false; once "$PWD/cache" new "" build'
    [[ -e cache/used && -e cache/new && ! -e cache/forgotten ]]
}

@test "a builder that fails or builds nothing makes no entry, whatever the caller does with its status" {
    mkdir cache
    local call
    for call in 'once "$PWD/cache" it "" build' 'if once "$PWD/cache" it "" build; then :; else exit 5; fi' 'once "$PWD/cache" it "" build || exit 5'; do
        run with_lib 'source "'"$lib"'/once.sh"; build() { touch "$work/tree"; return 5; }; '"$call"
        [[ $status == 5 && ! -e cache/it ]]
        run with_lib 'source "'"$lib"'/once.sh"; build() { :; }; '"$call"
        [[ $status != 0 && ! -e cache/it ]]
    done
}

@test "a full disk is named as the cause, and harms nobody once there is room" {
    mkdir cache
    run -0 unshare -m bash -c 'mount -t tmpfs -o size=1m none cache && lib=$1 && get() {
            RDMA4J_CACHE=$PWD/cache bash -c "set -euo pipefail; PROGRAM=prog ACCEL=uml KERNEL_DIR=/k
                source $lib/common.sh; source $lib/once.sh; source $lib/softroce/initrd.sh; initrd_get; [[ -s \$INITRD ]]"
        }
        ! get && [[ -z $(compgen -G "cache/*/.new*") ]] && mount -o remount,size=100m cache && get' - "$lib"
    echo "$output"
    [[ $output == *"the disk of the cache $PWD/cache/initrd has only "*' MiB left. Make room, or set RDMA4J_CACHE'* ]]
}

# disturbed PROGRAM TEXT: a stand-in on the PATH that fails twice with TEXT, and then succeeds.
disturbed() {
    mkdir -p bin
    printf '#!/bin/bash\necho "%s $*" >>calls\n(($(grep -c . calls) > 2)) && { echo fine; exit 0; }\necho %q >&2; exit 7\n' "$1" "$2" >"bin/$1"
    chmod +x "bin/$1"
    rm -f calls
}

@test "a download that fails twice succeeds at the third try, and reports the pauses; one without hope ends at once" {
    local program text
    export PATH=$PWD/bin:$PATH RDMA4J_FETCH_PAUSES='0 0 0'
    while IFS='|' read -r program text; do
        disturbed "$program" "$text"
        run -0 --separate-stderr with_lib "fetched $program get it"
        [[ $output == fine && ${#stderr_lines[@]} == 2 && $stderr == *"prog: $program failed ($text), trying again in 0 s"* && $(wc -l <calls) == 3 ]]
    done <<'TEXT'
apt-get|E: Failed to fetch http://deb.debian.org/debian/x.deb  Connection timed out
apt-get|E: Unable to locate package x, as Temporary failure resolving 'deb.debian.org'
apt-get|E: Could not get lock /var/lib/apt/lists/lock
npm|npm ERR! code ECONNRESET
mvn|[ERROR] Failed to execute goal on project x: Could not resolve dependencies: Could not transfer artifact a:b:jar:1 from/to central: Connection reset
mvn|something without a name
TEXT
    while IFS='|' read -r program text; do
        disturbed "$program" "$text"
        run -7 --separate-stderr with_lib "fetched $program get it"
        [[ $output == "$text" && -z $stderr && $(wc -l <calls) == 1 ]]
    done <<'TEXT'
apt-get|E: Unable to locate package no-such-package
apt-get|E: You don't have enough free space in /var/cache/apt/archives/.
npm|npm ERR! code E404
mvn|[ERROR] COMPILATION ERROR :
mvn|[ERROR] The following files had format violations:
TEXT
    disturbed apt-get 'E: Connection refused'
    RDMA4J_FETCH_PAUSES=0 run -7 --separate-stderr with_lib 'fetched apt-get get it'
    [[ $output == 'E: Connection refused' && $(wc -l <calls) == 2 ]]
    # It knows the messages in English only.
    LC_ALL=POSIX LANGUAGE=de run -0 with_lib 'fetched printenv LC_ALL LANGUAGE'
    [[ $output == C.UTF-8 ]]
}

@test "packages are installed in spite of a package server's hiccups" {
    ((EUID == 0))
    disturbed apt-get 'E: Failed to fetch http://deb.debian.org/debian/x.deb  Connection reset by peer'
    printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
    chmod +x bin/dpkg-query
    PATH=$PWD/bin:$PATH RDMA4J_FETCH_PAUSES='0 0' run -0 with_lib 'ensure_packages some'
    [[ $(head -n 3 calls | tr '\n' ' ') == *' install -y '*' update '*' install -y '* ]]
}

@test "a JDK is found by RDMA4J_JAVA_HOME, JAVA_HOME, PATH, in this order" {
    fake_jdk a 90.0.1
    fake_jdk b 91
    fake_jdk 'c d' 92-ea
    PATH="$PWD/c d/bin:$PATH" run -0 with_lib 'find_jdk 90'
    [[ $output == "$PWD/c d" ]]
    JAVA_HOME=$PWD/b PATH="$PWD/c d/bin:$PATH" run -0 with_lib 'find_jdk 90'
    [[ $output == "$PWD/b" ]]
    RDMA4J_JAVA_HOME=$PWD/a JAVA_HOME=$PWD/b run -0 with_lib 'find_jdk 90'
    [[ $output == "$PWD/a" ]]
}

@test "a JAVA_HOME that is too old is passed over, an RDMA4J_JAVA_HOME that is too old is an error" {
    fake_jdk old 1.8.0_402
    fake_jdk new 95
    JAVA_HOME=$PWD/old PATH="$PWD/new/bin:$PATH" run -0 with_lib 'find_jdk 95'
    [[ $output == "$PWD/new" ]]
    RDMA4J_JAVA_HOME=$PWD/old run -1 with_lib 'find_jdk 95'
    [[ $output == *"is JDK 8, not a JDK 95 or later"* ]]
}

@test "no JDK: the message names what was found and the remedy" {
    fake_jdk old 11.0.2
    JAVA_HOME=$PWD/old run -1 with_lib 'home=$(find_jdk 99); echo not reached'
    [[ $output == *'no JDK 99 or later found'*"JDK 11 $PWD/old"*RDMA4J_JAVA_HOME* ]]
    [[ $output != *'not reached'* ]]
}

@test "missing packages are named with the command that installs them" {
    run -1 with_lib 'require_packages bash no-such-package-x no-such-package-y'
    [[ $output == *'these packages are not installed: no-such-package-x no-such-package-y'* ]]
    [[ $output == *'apt-get install --no-install-recommends no-such-package-x no-such-package-y'* ]]
    run -0 with_lib 'require_packages bash; ensure_packages bash'
    [[ $output == '' ]]
}

@test "the host reads a guest's lines that arrive in pieces" {
    # What a piece without its end looks like to a read with a time limit: it is lost, and so is the other piece.
    timeout 100 bash -c "set -euo pipefail; PROGRAM=prog VERBOSE= ACCEL=tcg TIMEOUT=60 DUMP= BOOT_TIMEOUT=60
        source '$lib/common.sh'; source '$lib/softroce/machines.sh'; source '$lib/softroce/vm.sh'"'
        exec {VM_REPLY}<> <(:) {VM_REQUEST}<> <(:) {VM_LINES}<> <(:)
        # What guest-main says: each word until it is answered, here torn the first time.
        guest() {
            printf lin; sleep 0.8; printf "es\nlines\n"
            read -r -t 60 word <&"$VM_LINES" || exit 1
            printf rea; sleep 0.8; printf "dy\n"; sleep 0.8; printf "ready\n"
            read -r word <&"$VM_REQUEST"
            [[ $word == GO ]] || exit 1
            printf "exit 4"; sleep 0.8; printf "2 0 0\n"
            while :; do sleep 0.3; printf "exit 42 0 0\n"; done
        }
        guest >&"$VM_REPLY" &
        VM_PID=$! VM_STDOUT_PUMP= VM_STDERR_PUMP=
        trap "kill $VM_PID" EXIT # bats waits for whoever holds its output
        vm_wait
        ((VM_STATUS == 42))'
}

@test "a line that comes in pieces is one line, however short the time" {
    run -0 bash -c 'set -euo pipefail; source "$1/common.sh"; exec {pipe}<> <(:)
        { printf ab; sleep 0.3; printf "c\n\nd\n"; } >&"$pipe" &
        for n in 1 2 3; do
            until whole_line 0.05 "$pipe"; do :; done
            printf "%s." "$LINE"
        done
        ! whole_line 0.05 "$pipe"' - "$lib"
    [[ $output == abc..d. ]]
}

@test "a command that stands still is killed with its children, and reported; one that ends is left alone" {
    run -124 bash -c 'set -euo pipefail; source "$1/common.sh"; source "$1/time-limit.sh"
        slow() { setsid bash -c "trap : TERM; while :; do sleep 3333; done" & sleep 4444; sleep 5555; echo went on; }
        within 2 kept/what.txt slow' - "$lib"
    echo "$output"
    [[ $output == *'the time limit of 2 s is over. These processes ran (more in kept/what.txt):'*'sleep 4444'* && $output == *'sleep 3333'* ]]
    [[ $(<kept/what.txt) == *'sleep 4444'*'waits in'* ]]
    [[ -z $(pgrep -f 'sleep (3333|4444|5555)') ]]
    local started=$SECONDS
    run -3 bash -c 'set -euo pipefail; source "$1/common.sh"; source "$1/time-limit.sh"
        within 60 kept/what.txt bash -c "exit 3"' - "$lib"
    run -0 bash -c 'set -euo pipefail; source "$1/common.sh"; source "$1/time-limit.sh"
        within 60 kept/what.txt true' - "$lib"
    [[ $output == '' && ! -e kept/what.txt ]]
    ((SECONDS - started < 30))
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Measures the cost of a start, compared with an empty JVM, on a device that does nothing: docs/tools.md, docs/benchmarks.md.

usage() {
    cat <<'TEXT'
Usage: scripts/bench start [--count] [RUNS]

Prints the CPU time in milliseconds, of all threads, of the cheapest and the median of RUNS starts (default 20) of

  JVM without flags  a main method that does nothing
  empty JVM          a main method that does nothing, with the flags of scripts/rdma4j
  --version          scripts/rdma4j ib_write_lat --version, which reads the command line and ends
  first contact      scripts/rdma4j ib_write_lat up to a refused connection, after it has created its queues
  first operation    a program with verbs-ffm on the class path, from its start to its first post and poll

"own cache" is with an AOT cache, "no cache" without. The programs take turns. Needs gcc, the headers of libibverbs, and what
"mvn -DskipTests package" builds.

  --count   counts the instructions of the cheapest of RUNS starts (default 3) instead, in the microVM of scripts/softroce:
            they repeat to a percent or two even on a busy machine
TEXT
}

case ${1:-} in
    --help | -h)
        usage
        exit 0
        ;;
esac
count=''
if [[ ${1:-} == --count ]]; then
    count=1
    shift
fi
runs=${1:-$([[ -n $count ]] && echo 3 || echo 20)}
(($# < 2)) && [[ $runs =~ ^[1-9][0-9]{0,5}$ ]] || die -2 'RUNS is one number, from 1 to 999999' 'see scripts/bench start --help'
have gcc || die 'gcc is not installed' 'install it with apt-get install --no-install-recommends gcc libc6-dev libibverbs-dev librdmacm-dev'
for built in verbs-ffm/benchmarks/target/classes/io perftest/target/rdma4j-perftest.jar; do
    [[ -e $RDMA4J_ROOT/$built ]] || die "$built is missing" "build it with (cd $RDMA4J_ROOT && mvn -DskipTests package)"
done

jdk=$(find_jdk 25) || exit 1
java=$jdk/bin/java
if [[ -n $count ]]; then
    set_up_to_count
    # The guest sees no other folder.
    mkdir -p -- "$RDMA4J_ROOT/target"
    work=$(mktemp -d "$RDMA4J_ROOT/target/start-XXXXXX")
else
    work=$(mktemp -d)
fi
trap 'rm -rf -- "$work"' EXIT
"$RDMA4J_ROOT/scripts/lib/benchmark-libraries" "$jdk" "$work/native"

# The cache is made again, on the device that does nothing.
mkdir -p -- "$work/sys/class/infiniband/null0" "$work/classes"
export LD_LIBRARY_PATH=$work/native RDMA4J_SYSFS=$work/sys RDMA4J_CACHE=$work/cache RDMA4J_QUIET=1
printf 'class Empty { public static void main(String[] a) {} }' >"$work/Empty.java"
"$jdk/bin/javac" -d "$work/classes" "$work/Empty.java"
"$jdk/bin/jar" -c -f "$work/programs.jar" -C "$work/classes" . \
    -C "$RDMA4J_ROOT/verbs-ffm/benchmarks/target/classes" io -C "$RDMA4J_ROOT/verbs-ffm/target/classes" io \
    -C "$RDMA4J_ROOT/verbs-ffm/base/target/classes" io
flags=("${TOOL_FLAGS[@]}" -cp "$work/programs.jar")
first=(io.github.rdma4j.verbs.benchmarks.FirstOperation)
"$java" "${flags[@]}" "-XX:AOTCacheOutput=$work/first" "${first[@]}" >/dev/null 2>&1
tool=("$RDMA4J_ROOT/scripts/rdma4j" ib_write_lat)
# A port on which no program listens.
contact=(-d null0 -p 9 --timeout 1 127.0.0.1)

names=('JVM without flags' 'empty JVM' '--version, own cache' 'first contact, own cache' 'first contact, no cache'
    'first operation, own cache' 'first operation, no cache')
command_of() {
    case $1 in
        0) COMMAND=("$java" -cp "$work/programs.jar" Empty) ;;
        1) COMMAND=("$java" "${flags[@]}" Empty) ;;
        2) COMMAND=("${tool[@]}" --version) ;;
        3) COMMAND=("${tool[@]}" "${contact[@]}") ;;
        4) COMMAND=(env RDMA4J_START_CACHE=off "${tool[@]}" "${contact[@]}") ;;
        5) COMMAND=("$java" "${flags[@]}" "-XX:AOTCache=$work/first" "${first[@]}") ;;
        6) COMMAND=("$java" "${flags[@]}" "${first[@]}") ;;
    esac
}
start() {
    command_of "$1"
    "${COMMAND[@]}"
}

# The first start of each is not measured: it creates the cache, and detects errors.
for which in "${!names[@]}"; do
    status=0
    output=$(start "$which" 2>&1) || status=$?
    expected=0
    [[ ${names[which]} != 'first contact'* ]] || expected=1
    ((status == expected)) || die "${names[which]} ended with status $status:" "$output"
done

if [[ -n $count ]]; then
    gcc -O2 -o "$work/counted" -x c - <<'TEXT'
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// counted RUNS COMMAND…: runs it so often, with a mark for softroce --count before and after each.
int main(int count, char **arguments) {
    (void)count;
    for (int runs = atoi(arguments[1]); runs > 0; runs--) {
        sched_get_priority_max(0);
        pid_t child = fork();
        if (child == 0) {
            if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) {
                execvp(arguments[2], arguments + 2);
            }
            _exit(127);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child) {
            return 1;
        }
        sched_get_priority_max(0);
    }
    return 0;
}
TEXT
    {
        printf 'export LD_LIBRARY_PATH=%q RDMA4J_SYSFS=%q RDMA4J_CACHE=%q RDMA4J_QUIET=1\n' "$LD_LIBRARY_PATH" "$RDMA4J_SYSFS" "$RDMA4J_CACHE"
        for which in "${!names[@]}"; do
            command_of "$which"
            printf '%q ' "$work/counted" "$runs" "${COMMAND[@]}"
            printf '\n'
        done
    } >"$work/guest"
    env -u LD_LIBRARY_PATH -u RDMA4J_CACHE -u RDMA4J_SYSFS "$RDMA4J_ROOT/scripts/softroce" --vm --timeout 1500 --count "$work/counts" bash -e "$work/guest"
    printf '| start, millions of instructions, least of %d | outside the kernel | in it | beside an empty JVM |\n|---|---|---|---|\n' "$runs"
    # "mark N", "user N" and "kernel N", before and after each start.
    awk '$1 == "mark" { mark = 1 } mark && $1 == "user" { user = $2 } mark && $1 == "kernel" { print user, $2; mark = 0 }' \
        "$work/counts" >"$work/marks"
    mapfile -t marks <"$work/marks"
    ((${#marks[@]} == 2 * runs * ${#names[@]})) || die "the microVM counted ${#marks[@]} marks instead of $((2 * runs * ${#names[@]}))"
    index=0
    for which in "${!names[@]}"; do
        least=''
        for ((run = 0; run < runs; run++, index += 2)); do
            read -r user kernel <<<"${marks[index]}"
            read -r user_end kernel_end <<<"${marks[index + 1]}"
            ((user = user_end - user, kernel = kernel_end - kernel))
            if [[ -z $least ]] || ((user + kernel < least)); then
                ((least = user + kernel, least_user = user, least_kernel = kernel))
            fi
        done
        [[ ${names[which]} != 'empty JVM' ]] || empty=$least
        printf '| %s | %d | %d | %s |\n' "${names[which]}" $((least_user / 1000000)) $((least_kernel / 1000000)) \
            "$([[ -z ${empty:-} ]] || awk "BEGIN { printf \"%.2f\", $least / $empty }")"
    done
    exit 0
fi
TIMEFORMAT='%U %S'
for ((run = 0; run < runs; run++)); do
    for which in "${!names[@]}"; do
        read -r user system < <({ time start "$which" >/dev/null 2>&1 || true; } 2>&1)
        # Some languages have a comma in there.
        printf '%d\n' $((10#${user/[.,]/} + 10#${system/[.,]/})) >>"$work/times.$which"
    done
done
printf '| start, CPU time of all threads, %d runs | least ms | median ms |\n|---|---|---|\n' "$runs"
for which in "${!names[@]}"; do
    mapfile -t sorted < <(sort -n "$work/times.$which")
    printf '| %s | %d | %d |\n' "${names[which]}" "${sorted[0]}" "${sorted[runs / 2]}"
done

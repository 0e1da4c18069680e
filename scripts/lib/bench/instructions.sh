# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Counts the instructions of an operation of the tools, in Java and in C, in the microVM of scripts/softroce: docs/benchmarks.md.

# shellcheck source=scripts/lib/start-cache.sh
source "$RDMA4J_ROOT/scripts/lib/start-cache.sh"
# shellcheck source=scripts/lib/softroce/count.sh
source "$RDMA4J_ROOT/scripts/lib/softroce/count.sh"

usage() {
    cat <<'TEXT'
Usage: scripts/bench instructions [--built] [--expect=LIMIT]… [OPTION of "rdma4j compare"]…

Builds what is needed and counts the instructions of one operation of the tools, in Java and in C, each with a server in C. The
counts do not depend on the machine's other load. Takes a few minutes.

  --built             uses the classes that are already built
  --expect=LIMIT      exits with status 1 if Java's client executes more than LIMIT, such as 'ib_write_lat:2:user<=692'
  --tools LIST        tools, or all (default ib_write_lat,ib_write_bw)
  --sizes TOOL=LIST   message sizes of a tool
  --help              this text

The exit status is 77 if this machine's QEMU cannot count. RDMA4J_JAVA_OPTIONS can contain flags for the JVM.
TEXT
}

built=''
while (($# > 0)); do
    case $1 in
        --built) built=1 ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) break ;;
    esac
    shift
done
for argument in "$@"; do
    [[ $argument != --expect* || $argument =~ ^--expect=[a-z_]+:[0-9]+:user\<=[0-9]+$ ]] ||
        die -2 "$argument: not a limit such as --expect='ib_write_lat:2:user<=692'" 'see scripts/bench instructions --help'
done

if [[ -z $built ]]; then
    set_up_to_count
    build perftest
else
    JDK=$(find_jdk 25) || exit 1
fi
PATH=$PATH:/usr/sbin:/sbin
count_is_possible || die -77 "instructions cannot be counted: $COUNT_REASON"

jar=$RDMA4J_ROOT/perftest/target/rdma4j-perftest.jar
# -d: also splits at line ends.
read -rd '' -a options <<<"${RDMA4J_JAVA_OPTIONS:-}" || true
# The same as scripts/rdma4j starts a tool. The guest cannot create the cache itself.
start_cache "$JDK" "$jar" "${TOOL_FLAGS[@]}"
mkdir -p -- "$RDMA4J_ROOT/target"
exec "$RDMA4J_ROOT/scripts/softroce" --timeout 1800 --count "$RDMA4J_ROOT/target/instructions" \
    "$JDK/bin/java" "${TOOL_FLAGS[@]}" ${START_CACHE[@]+"${START_CACHE[@]}"} ${options[@]+"${options[@]}"} -cp "$jar:$RDMA4J_ROOT/perftest/comparison/target/test-classes" \
    io.github.rdma4j.perftest.compare.count.InstructionsRun --timeout 600 "$@"

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Measures the cost of verbs-ffm itself, on a device that does nothing, and compares it with C and JNI in the same run:
# docs/benchmarks.md.

usage() {
    cat <<'TEXT'
Usage: scripts/bench verbs [--rounds N] [--write] [-- JMH-ARGUMENT…]
       scripts/bench verbs --latency [--rounds N]
       scripts/bench verbs --endpoints [--rounds N]
       scripts/bench verbs --sums
       scripts/bench verbs --peers
       scripts/bench verbs --recorded

Builds what is needed, measures for a few minutes, and prints a table. Needs no device. Run it on an idle machine.

  --rounds N   JVMs per benchmark (default 3); the best iteration counts. With --latency: rounds of C and Java by turns,
               100 and 24 by default. With --endpoints: rounds of all rows by turns, 30 by default
  --write      also writes the report to docs/records/DATE-bench-verbs.md
  --latency    measures the latency of write, send and read instead, on the devices of scripts/softroce: by a clock that counts
               instructions, then by the wall clock
  --endpoints  measures round trips of endpoints that spin, sleep or poll, beside TCP, on the devices of scripts/softroce
  --sums       counts the instructions of a message of an endpoint, with and without sums (EndpointConfig.integrity), over
               RDMA, TCP, and RDMA with failover, and of a C program with the same protocol; then the
               instructions of round trips with both, and with verbs without endpoints
  --peers      counts the instructions of a round trip between two groups of 64 and of 1,000 endpoints each, and the
               same in C; prints the memory of both processes
  --recorded   counts the instructions of a message of an endpoint while JDK Flight Recorder records, and while it does not
  -- …         runs JMH itself with these arguments, for example:  -- EmptyPoll -prof gc
  --help       this text

RDMA4J_JAVA_OPTIONS can contain flags for the JVMs.
TEXT
}

rounds='' write=() jmh='' latency='' endpoints='' sums='' peers='' recorded=''
while (($# > 0)); do
    case $1 in
        --rounds)
            rounds=${2:-}
            [[ $rounds =~ ^[1-9][0-9]*$ ]] || die -2 '--rounds needs a number from 1' 'see scripts/bench verbs --help'
            shift
            ;;
        --latency) latency=1 ;;
        --endpoints) endpoints=1 ;;
        --sums) sums=1 ;;
        --peers) peers=1 ;;
        --recorded) recorded=1 ;;
        --write) write=("$RDMA4J_ROOT/docs/records/$(date +%F)-bench-verbs.md") ;;
        --help | -h)
            usage
            exit 0
            ;;
        --)
            jmh=1
            shift
            break
            ;;
        *) die -2 "unknown option $1" 'see scripts/bench verbs --help' ;;
    esac
    shift
done

# Options that would be silently ignored.
[[ -z $jmh$latency$endpoints$sums$peers$recorded || ${#write[@]} == 0 ]] || die -2 '--write works only for the report: leave out the other options' 'see scripts/bench verbs --help'
[[ -z $jmh$sums$peers$recorded || -z $rounds ]] || die -2 '--rounds cannot be combined with --sums, --peers, --recorded or arguments for JMH' 'see scripts/bench verbs --help'
[[ $latency$endpoints$sums$peers$recorded$jmh != 11* ]] ||
    die -2 '--latency, --endpoints, --sums, --peers, --recorded and -- exclude each other' 'see scripts/bench verbs --help'

set_up_to_unit_test
[[ -z $latency$endpoints ]] || set_up_to_run
[[ -z $sums$peers$recorded ]] || set_up_to_count
build verbs-ffm/benchmarks
module=$RDMA4J_ROOT/verbs-ffm/benchmarks
native=$module/target/native
"$RDMA4J_ROOT/scripts/lib/benchmark-libraries" "$JDK" "$native"

read -ra options <<<"${RDMA4J_JAVA_OPTIONS:-}"
# JMH itself still uses Unsafe, and the JDK would warn about it in each JVM.
java=("$JDK/bin/java" -XX:-UsePerfData --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
    -Drdma4j.benchmarks.native="$native" -Drdma4j.benchmarks.compiler="$(gcc --version | head -n 1)"
    ${options[@]+"${options[@]}"} -cp "$module/target/classes:$(<"$module/target/test-classpath.txt")")

if [[ -n $latency ]]; then
    # Device, rounds, iterations, iterations to warm up. Longer rounds disturb the wall clock least.
    run=("${java[@]}" io.github.rdma4j.verbs.benchmarks.Latency rxe0)
    printf 'Counting instructions, 1 ns each:\n\n'
    "$RDMA4J_ROOT/scripts/softroce" --vm --icount "${run[@]}" "${rounds:-100}" 30 12000
    printf '\nBy the wall clock:\n\n'
    exec "$RDMA4J_ROOT/scripts/softroce" --vm "${run[@]}" "${rounds:-24}" 250 40000
fi
if [[ -n $endpoints ]]; then
    exec "$RDMA4J_ROOT/scripts/softroce" --vm "${java[@]}" io.github.rdma4j.verbs.benchmarks.RoundTrips 10.99.0.1 "${rounds:-30}"
fi
if [[ -n $sums ]]; then
    # The program waits for the compiler, so compilation ends at a fixed point on one emulated CPU.
    for kind in 'RDMA false' 'RDMA true' 'TCP false' 'TCP true' 'RDMA_WITH_FAILOVER false'; do
        # shellcheck disable=SC2086 # two words
        "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/message-instructions" "${java[@]}" -Xbatch ${COLLECTOR[@]+"${COLLECTOR[@]}"} \
            io.github.rdma4j.verbs.benchmarks.MessageSums $kind 10.99.0.1
    done
    "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/message-instructions" "$native/endpoint-twin" count 10.99.0.1
    for way in endpoints verbs c; do
        "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/message-instructions" "${java[@]}" -Xbatch ${COLLECTOR[@]+"${COLLECTOR[@]}"} \
            io.github.rdma4j.verbs.benchmarks.CountedRoundTrips "$way" 10.99.0.1 rxe0
    done
    exit 0
fi
if [[ -n $peers ]]; then
    for number in 64 1000; do
        "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/message-instructions" "$native/peers-twin" 10.99.0.1 "$number"
        "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/message-instructions" "${java[@]}" -Xbatch ${COLLECTOR[@]+"${COLLECTOR[@]}"} \
            io.github.rdma4j.verbs.benchmarks.CountedPeers 10.99.0.1 "$number"
    done
    exit 0
fi
if [[ -n $recorded ]]; then
    # All events of rdma4j, and no others; with the library's own thresholds, and without.
    all=settings=$RDMA4J_ROOT/docs/rdma4j.jfc
    for recording in 'nothing' "waits from 20 ms on,$all,+rdma4j.EndpointWait#threshold=20ms,+rdma4j.EventWait#threshold=20ms" \
        "every wait,$all"; do
        flags=()
        [[ $recording != *,* ]] || flags=("-XX:StartFlightRecording:${recording#*,}")
        "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/message-instructions" "${java[@]}" -Xbatch ${COLLECTOR[@]+"${COLLECTOR[@]}"} \
            ${flags[@]+"${flags[@]}"} io.github.rdma4j.verbs.benchmarks.Recorded "${recording%%,*}" 10.99.0.1
    done
    exit 0
fi
if [[ -n $jmh ]]; then
    main=(org.openjdk.jmh.Main "$@")
else
    main=(io.github.rdma4j.verbs.benchmarks.Main "${rounds:-3}" ${write[@]+"${write[@]}"})
fi
# The JVMs that JMH starts inherit the flags.
LD_LIBRARY_PATH=$native exec "${java[@]}" "${main[@]}"

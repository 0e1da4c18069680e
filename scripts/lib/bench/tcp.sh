# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Compares our code over TCP with the JDK's sockets and Netty NIO, in one process and without a guest:
# docs/benchmarks.md.

usage() {
    cat <<'TEXT'
Usage: scripts/bench tcp [--machine LIST] [--patterns LIST] [--sizes LIST] [--connections LIST] [--threads LIST]
                         [--rounds N] [--millis N]

Builds what is needed, and measures over the loopback interface, in turn: endpoints with Transport.TCP beside SocketChannel with
blocking calls, and our Netty channel with Transport.TCP beside Netty NIO with one event loop on each side. Prints transfers per
second, the median of the ratios of all rounds with the lowest and the highest one, and the ratio that the project aims at.

  --machine LIST      some of quiet and busy; for busy, the benchmark starts a spinning process for each CPU (quiet,busy)
  --patterns LIST     some of stream, round-trip and netty, which is an echo (stream,round-trip,netty)
  --sizes LIST        bytes of a transfer; a larger one is cut into messages of 65536 bytes (64,8192,1048576)
  --connections LIST  1 to 1000 (1,64)
  --threads LIST      some of platform and virtual; not used for netty (platform,virtual)
  --rounds N          measurements of each side, after one that warms up the compiler (3)
  --millis N          the duration of each measurement, after a warm-up of half that time (150)
  --help              this text

RDMA4J_JAVA_OPTIONS can contain flags for the JVM.
TEXT
}

machine=quiet,busy patterns=stream,round-trip,netty sizes=64,8192,1048576 connections=1,64 threads=platform,virtual rounds=3 millis=150
numbers='[1-9][0-9]{0,6}'
while (($# > 0)); do
    case $1 in
        --machine) words='quiet|busy' ;;
        --patterns) words='stream|round-trip|netty' ;;
        --threads) words='platform|virtual' ;;
        --sizes | --connections) words=$numbers ;;
        --rounds | --millis) words='' ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) die -2 "unknown option $1" 'see scripts/bench tcp --help' ;;
    esac
    if [[ -z $words ]]; then
        [[ ${2:-} =~ ^[1-9][0-9]{0,4}$ ]] || die -2 "$1 needs a number from 1 to 99999" 'see scripts/bench tcp --help'
    else
        allowed=${words//|/, }
        [[ $words != "$numbers" ]] || allowed='numbers from 1 to 9999999'
        [[ ${2:-} =~ ^($words)(,($words))*$ ]] || die -2 "$1 ${2:-}: must be a list of $allowed, separated by commas" 'see scripts/bench tcp --help'
    fi
    declare "${1#--}=$2"
    shift 2
done
for number in ${connections//,/ }; do
    ((number <= 1000)) || die -2 "--connections $number: must be from 1 to 1000" 'see scripts/bench tcp --help'
done

set_up
build verbs-ffm/benchmarks
module=$RDMA4J_ROOT/verbs-ffm/benchmarks
read -ra options <<<"${RDMA4J_JAVA_OPTIONS:-}"
exec "$JDK/bin/java" -XX:-UsePerfData ${COLLECTOR[@]+"${COLLECTOR[@]}"} --enable-native-access=ALL-UNNAMED \
    ${options[@]+"${options[@]}"} -cp "$module/target/classes:$(<"$module/target/test-classpath.txt")" \
    io.github.rdma4j.verbs.benchmarks.tcp.TcpComparison "$machine" "$patterns" "$sizes" "$connections" "$threads" "$rounds" "$millis"

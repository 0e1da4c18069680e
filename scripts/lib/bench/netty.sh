# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Compares an echo of Netty over RDMA with the same over TCP, on the devices of scripts/softroce: docs/benchmarks.md.

usage() {
    cat <<'TEXT'
Usage: scripts/bench netty [--transports LIST] [--registered] [--rounds N] [--seconds N] [--sizes LIST] [--connections LIST]
       scripts/bench netty --count [--transports LIST] [--registered] [--sizes LIST] [--connections LIST]

Builds what is needed and measures an echo of Netty over RDMA and over TCP (NIO). The server and its clients are in one process,
with an event loop each. Prints a table. Run it on an idle machine.

  --count             counts the instructions of a message instead, in the kernel and outside; exact but slow
  --transports LIST   some of rdma, nio and epoll, which is Netty's native code for TCP on x86-64 (rdma,nio)
  --registered        gives RDMA channels buffers in registered memory (RdmaByteBufAllocator)
  --sizes LIST        bytes of a message, 16 to 16777216 (64,8192)
  --connections LIST  1 to 1000 (1,64)
  --rounds N          rounds of RDMA and TCP by turns (5); the table has the median
  --seconds N         the duration of each measurement (1)
  --help              this text

RDMA4J_JAVA_OPTIONS can contain flags for the JVM.
TEXT
}

count='' clock='' registered=false transports=rdma,nio rounds=5 seconds=1 sizes=64,8192 connections=1,64
list='^[1-9][0-9]*(,[1-9][0-9]*)*$'
while (($# > 0)); do
    case $1 in
        --count) count=1 ;;
        --registered) registered=true ;;
        --transports)
            [[ ${2:-} =~ ^(rdma|nio|epoll)(,(rdma|nio|epoll))*$ ]] ||
                die -2 '--transports needs a list of rdma, nio and epoll, separated by commas' 'see scripts/bench netty --help'
            transports=$2
            shift
            ;;
        --rounds | --seconds)
            [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || die -2 "$1 needs a number from 1 to 9999" 'see scripts/bench netty --help'
            declare "${1#--}=$2"
            clock=$1
            shift
            ;;
        --sizes | --connections)
            [[ ${2:-} =~ $list ]] || die -2 "$1 needs numbers, separated by commas" 'see scripts/bench netty --help'
            if [[ $1 == --sizes ]]; then limits='16 to 16777216' low=16 high=16777216; else limits='1 to 1000' low=1 high=1000; fi
            for number in ${2//,/ }; do
                ((${#number} < 9 && number >= low && number <= high)) || die -2 "$1 $number: $limits" 'see scripts/bench netty --help'
            done
            declare "${1#--}=$2"
            shift
            ;;
        --help | -h)
            usage
            exit 0
            ;;
        *) die -2 "unknown option $1" 'see scripts/bench netty --help' ;;
    esac
    shift
done

[[ -z $count || -z $clock ]] || die -2 "--count measures no time: leave out $clock" 'see scripts/bench netty --help'
[[ -z $(tr , '\n' <<<"$transports" | sort | uniq -d) ]] || die -2 "--transports $transports: a transport appears twice" 'see scripts/bench netty --help'
[[ $transports != *epoll* || $(uname -m) == x86_64 ]] || die -2 '--transports epoll works only on x86-64' 'see scripts/bench netty --help'

if [[ -n $count ]]; then set_up_to_count; else set_up_to_run; fi
build verbs-ffm/benchmarks
module=$RDMA4J_ROOT/verbs-ffm/benchmarks
read -ra options <<<"${RDMA4J_JAVA_OPTIONS:-}"
java=("$JDK/bin/java" -XX:-UsePerfData ${COLLECTOR[@]+"${COLLECTOR[@]}"} --enable-native-access=ALL-UNNAMED
    "-Drdma4j.benchmarks.registered=$registered" "-Drdma4j.benchmarks.transports=$transports" ${options[@]+"${options[@]}"}
    -cp "$module/target/classes:$(<"$module/target/test-classpath.txt")")
main=io.github.rdma4j.verbs.benchmarks.netty.NettyEcho
if [[ -n $count ]]; then
    mkdir -p "$RDMA4J_ROOT/target"
    # The program waits for the compiler, so compilation ends at a fixed point on one emulated CPU. The JVM does not
    # recognize this CPU and would copy eight bytes at a time, as on no x86-64 CPU of the last ten years. An event loop
    # never returns. Its frame would be interpreted for 60,000 iterations, longer than until the parts are equal.
    flags=(-Xbatch -XX:Tier3BackEdgeThreshold=5000 -XX:Tier4BackEdgeThreshold=5000)
    [[ $(uname -m) != x86_64 ]] || flags+=(-XX:+UseUnalignedLoadStores)
    echo '| bytes | connections | transport | instructions of a message outside the kernel | in it |'
    echo '|---:|---:|---|---:|---:|'
    # A JVM for each row, as in a real program: code that has used two transports checks the type at each call.
    for size in ${sizes//,/ }; do
        for number in ${connections//,/ }; do
            for transport in ${transports//,/ }; do
                "$RDMA4J_ROOT/scripts/softroce" --count "$RDMA4J_ROOT/target/netty-instructions" "${java[@]}" "${flags[@]}" \
                    "-Drdma4j.benchmarks.transports=$transport" "$main" count 10.99.0.1 "$size" "$number"
            done
        done
    done
    exit 0
fi
exec "$RDMA4J_ROOT/scripts/softroce" --vm "${java[@]}" "$main" clock "$rounds" "$seconds" 10.99.0.1 "$sizes" "$connections"

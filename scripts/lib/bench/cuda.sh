# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Measures the cost of cuda-ffm itself, with the stand-in for libcuda, and compares it with C in the same run:
# docs/benchmarks.md.

usage() {
    cat <<'TEXT'
Usage: scripts/bench cuda [--rounds N] [--write] [-- JMH-ARGUMENT…]

Builds what is needed, measures for a minute, and prints a table. Needs no GPU. Run it on an idle machine.

  --rounds N   JVMs per benchmark, default 3; the best iteration counts
  --write      also writes the report to docs/records/DATE-bench-cuda.md
  -- …         runs JMH itself with these arguments, for example:  -- Calls.javaFlush -prof gc
  --help       this text

RDMA4J_JAVA_OPTIONS can contain flags for the JVMs.
TEXT
}

rounds='' write=() jmh=''
while (($# > 0)); do
    case $1 in
        --rounds)
            rounds=${2:-}
            [[ $rounds =~ ^[1-9][0-9]*$ ]] || die -2 '--rounds needs a number from 1' 'see scripts/bench cuda --help'
            shift
            ;;
        --write) write=("$RDMA4J_ROOT/docs/records/$(date +%F)-bench-cuda.md") ;;
        --help | -h)
            usage
            exit 0
            ;;
        --)
            jmh=1
            shift
            break
            ;;
        *) die -2 "unknown option $1" 'see scripts/bench cuda --help' ;;
    esac
    shift
done

[[ -z $jmh || (-z $rounds && ${#write[@]} == 0) ]] ||
    die -2 '--rounds and --write cannot be combined with arguments for JMH' 'see scripts/bench cuda --help'

set_up_to_unit_test
build cuda-ffm/benchmarks
module=$RDMA4J_ROOT/cuda-ffm/benchmarks
native=$module/target/native
"$RDMA4J_ROOT/scripts/lib/cuda-benchmark-libraries" "$native"

read -ra options <<<"${RDMA4J_JAVA_OPTIONS:-}"
# JMH itself still uses Unsafe, and the JDK would warn about it in each JVM.
java=("$JDK/bin/java" -XX:-UsePerfData --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
    -Dio.github.rdma4j.cuda.library="$native/libcuda-standin.so" -Drdma4j.benchmarks.native="$native"
    -Drdma4j.benchmarks.compiler="$(gcc --version | head -n 1)"
    ${options[@]+"${options[@]}"} -cp "$module/target/classes:$(<"$module/target/test-classpath.txt")")

if [[ -n $jmh ]]; then
    main=(org.openjdk.jmh.Main "$@")
else
    main=(io.github.rdma4j.cuda.benchmarks.Main "${rounds:-3}" ${write[@]+"${write[@]}"})
fi
# The JVMs that JMH starts inherit the flags.
exec "${java[@]}" "${main[@]}"

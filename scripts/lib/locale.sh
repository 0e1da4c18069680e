# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # the variables are for the file that sources this one
#
# The language, the garbage collector and the other flags of a JVM that the caller starts. Needs nothing, and starts no process.
#
#   COLLECTOR  the flag for the serial collector; empty if an environment variable chooses a collector, because a JVM refuses two
#   TOOL_FLAGS the flags of a tool's JVM, the collector's included
#
# Without a language, as in containers, by cron and by ssh, and with one that this machine does
# not have, as ssh brings it from another one, a JVM finds no file whose name is beyond ASCII, its jar included, and prints ? for what
# it cannot say.

# These two bytes are a letter of UTF-8, and letters of most older codes; of no language they are nothing.
locale_letters=$'\xc3\xa4'
if [[ ${#locale_letters} != 1 && $locale_letters != *[[:alpha:]]* ]]; then
    export LC_CTYPE=C.UTF-8
    [[ -z ${LC_ALL:-} ]] || export LC_ALL=C.UTF-8
fi 2>/dev/null # where there is no such locale either
unset locale_letters

COLLECTOR=(-XX:+UseSerialGC)
# A collector may also stand in a file of options.
if [[ " ${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-} ${_JAVA_OPTIONS:-} ${RDMA4J_JAVA_OPTIONS:-} ${JAVA_OPTIONS:-}" =~ \
    [[:space:]](-XX:\+Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC|-XX:Flags=|-XX:VMOptionsFile=|@) ]]; then
    COLLECTOR=()
fi

# The serial collector, unless the user chooses one: 3 % less CPU time for a start than G1, and no threads beside the measuring
# one; a test allocates next to nothing while it measures. UsePerfData: the statistics for jstat are a file in /tmp that is written
# to at every safepoint, so that a slow disk can stop all threads; without, a start takes 1 % less.
# InlineSmallCode: by default the compiler calls what it has compiled to more than 2500 bytes; inlined into the measured loops,
# posting takes some 150 instructions less. Tier3DelayOn: by default code is made that counts no branches while many methods wait for
# the second compiler. For want of counts that one inlines less, and takes branches for dead that are not: a message took 40
# instructions more in two of seven JVMs beside other work, and 480 in one of two with 0 here.
TOOL_FLAGS=(${COLLECTOR[@]+"${COLLECTOR[@]}"} -XX:InlineSmallCode=8000 -XX:Tier3DelayOn=1000 -XX:-UsePerfData --enable-native-access=ALL-UNNAMED)

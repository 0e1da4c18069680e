# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # the variables are for the file that sources this one
#
# The locale, the garbage collector and the other flags of a JVM that the caller starts. Needs nothing, and starts no process.
#
#   COLLECTOR  the flag for the serial collector; empty if an environment variable chooses a collector, because a JVM refuses two
#   TOOL_FLAGS the flags of a tool's JVM, the collector's included
#   JVM_LOG    further flags, which keep the JVM's own messages out of standard output
#
# Without a locale, as in containers, cron and ssh, or with a locale that this machine does not have, as ssh passes it
# on from another machine, a JVM cannot open files with names beyond ASCII, including its jar, and prints ? for other
# characters.

# These two bytes are a letter of UTF-8, and letters of most older codes; of no language they are nothing.
locale_letters=$'\xc3\xa4'
if [[ ${#locale_letters} != 1 && $locale_letters != *[[:alpha:]]* ]]; then
    export LC_CTYPE=C.UTF-8
    [[ -z ${LC_ALL:-} ]] || export LC_ALL=C.UTF-8
fi 2>/dev/null # where there is no such locale either
unset locale_letters

# The tools recognize why an address cannot be used by the C library's message, so messages are in English. LC_ALL would
# overrule LC_MESSAGES.
if [[ -n ${LC_ALL:-} ]]; then
    export LANG=$LC_ALL
    unset "${!LC_@}" # also those that LC_ALL has overruled
fi
export LC_MESSAGES=C

# The JVM removes quotes from the variables that it reads.
locale_flags=" ${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-} ${_JAVA_OPTIONS:-} ${RDMA4J_JAVA_OPTIONS:-} ${JAVA_OPTIONS:-}"
locale_flags=${locale_flags//[\"\']/}
COLLECTOR=(-XX:+UseSerialGC)
# A file of options may also contain a collector. AggressiveHeap is one for the parallel collector.
if [[ $locale_flags =~ \
    [[:space:]](-XX:\+(Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC|AggressiveHeap)|-XX:Flags=|-XX:VMOptionsFile=|@) ]]; then
    COLLECTOR=()
fi

# By default, a JVM prints its warnings to standard output, such as the one that there are no large pages. A user's own -Xlog
# may name another output, which -Xlog:disable would close.
JVM_LOG=(-XX:+DisplayVMOutputToStderr)
[[ $locale_flags == *-Xlog* ]] || JVM_LOG+=(-Xlog:disable -Xlog:all=warning:stderr)
unset locale_flags

# The serial collector, unless the user chooses one: a start needs 3 % less CPU time than with G1, and no threads run
# during a measurement; a test allocates almost nothing while it measures. UsePerfData: the statistics for jstat are a
# file in /tmp that is written at every safepoint, so a slow disk can stop all threads; without it, a start takes 1 %
# less. InlineSmallCode: by default the compiler does not inline compiled code of more than 2500 bytes; inlining it into
# the measured loops saves some 150 instructions per post. Tier3DelayOn: by default, while many methods wait for the
# second compiler, code is compiled without counting branches. Without these counts, the second compiler inlines less,
# and considers branches dead that are not: a message took 40 more instructions in two of seven JVMs on a busy machine,
# and 480 in one of two with 0 here.
TOOL_FLAGS=(${COLLECTOR[@]+"${COLLECTOR[@]}"} -XX:InlineSmallCode=8000 -XX:Tier3DelayOn=1000 -XX:-UsePerfData --enable-native-access=ALL-UNNAMED)

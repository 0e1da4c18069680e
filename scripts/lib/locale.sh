# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # COLLECTOR is for the file that sources this one
#
# The language and the garbage collector of a JVM that the caller starts. Needs nothing, and starts no process.
#
#   COLLECTOR  the flag for the serial collector; empty if an environment variable chooses a collector, because a JVM refuses two
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

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs what tests need on a machine without Maven and without a JDK. Needs common.sh; JDK is set.
#
#   pack_refuse FOLDER      dies when it is there already
#   pack_begin FOLDER       makes it anew; until pack_end it goes with the script, because half of one looks like a whole one
#   pack_jars FOLDER FILE   the jars of the class path in FILE, into FOLDER/lib
#   pack_jdk FOLDER         a Java runtime of JDK in FOLDER/jdk

# What the tests and JUnit need of the JDK.
readonly TEST_MODULES=java.compiler,java.instrument,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml,jdk.httpserver,jdk.jfr,jdk.management,jdk.net,jdk.unsupported

pack_refuse() {
    [[ ! -e $1 ]] || die "$1 is there already" 'name a folder that is not'
}

pack_begin() {
    PACK_FOLDER=$1
    trap 'rm -rf -- "$PACK_FOLDER"' EXIT
    rm -rf -- "$1"
    mkdir -p -- "$1/lib"
}

pack_end() {
    trap - EXIT
}

# The jars of a class path; the modules' own are in their folders.
pack_jars() {
    local folder=$1 entry
    while IFS= read -r entry; do
        if [[ -f $entry && $entry != "$RDMA4J_ROOT"/* ]]; then cp -n -- "$entry" "$folder/lib/"; fi
    done < <(tr ':' '\n' <"$2")
}

pack_jdk() {
    "$JDK/bin/jlink" --add-modules "$TEST_MODULES" --strip-debug --no-header-files --no-man-pages --compress zip-9 \
        --output "$1/jdk"
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs what tests need on a machine without Maven and without a JDK. Needs common.sh; JDK is set.
#
#   pack_refuse FOLDER      dies when it is there already
#   pack_begin FOLDER       makes it again; until pack_end it goes with the script, because half of one looks like a whole one
#   pack_jars FOLDER FILE   the jars of the class path in FILE, into FOLDER/lib
#   pack_jdk FOLDER         a Java runtime of JDK in FOLDER/jdk
#   pack_archive FOLDER     the folder as FOLDER.tar.gz, and prints how many MiB that has

# The modules of the JDK that the tests and JUnit need.
readonly TEST_MODULES=java.compiler,java.instrument,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml,jdk.httpserver,jdk.jfr,jdk.management,jdk.net,jdk.unsupported

pack_refuse() {
    local taken
    for taken in "$1" "$1.tar.gz"; do
        [[ ! -e $taken ]] || die "$taken already exists" 'name a new folder'
    done
}

pack_begin() {
    PACK_FOLDER=$1
    trap 'rm -rf -- "$PACK_FOLDER" "$PACK_FOLDER.tar.gz"' EXIT
    rm -rf -- "$1"
    mkdir -p -- "$1/lib"
}

pack_end() {
    trap - EXIT
}

# Copies the jars of a class path. The modules' own classes are in their folders. Leaves out jars that no packed test
# needs.
pack_jars() {
    local folder=$1 entry
    while IFS= read -r entry; do
        case ${entry##*/} in
            archunit-*) ;;
            # 12 MiB, of which only one file is used.
            echarts-*) pack_echarts "$folder" "$entry" ;;
            *) if [[ -f $entry && $entry != "$RDMA4J_ROOT"/* ]]; then cp -n -- "$entry" "$folder/lib/"; fi ;;
        esac
    done < <(tr ':' '\n' <"$2")
}

pack_echarts() {
    local folder=$1 jar=$2 unpacked
    [[ ! -e $folder/lib/${jar##*/} ]] || return 0
    unpacked=$(mktemp -d)
    (cd -- "$unpacked" && "$JDK/bin/jar" --extract --file "$jar")
    find "$unpacked" -type f ! -path '*/dist/echarts.common.min.js' ! -path '*/LICENSE' ! -path '*/NOTICE' ! -path '*/licenses/*' -delete
    find "$unpacked" -mindepth 1 -type d -empty -delete
    "$JDK/bin/jar" --create --no-manifest --file "$folder/lib/${jar##*/}" -C "$unpacked" .
    rm -rf -- "$unpacked"
}

pack_jdk() {
    # Not compressed: an archive of it is smaller so, and a JVM starts sooner.
    "$JDK/bin/jlink" --add-modules "$TEST_MODULES" --strip-debug --no-header-files --no-man-pages --compress zip-0 \
        --output "$1/jdk"
}

# By gzip, which any machine can undo.
pack_archive() {
    local folder=$1
    tar -C "$(dirname -- "$folder")" -czf "$folder.tar.gz" -- "$(basename -- "$folder")"
    echo $((($(stat -c %s -- "$folder.tar.gz") + 1048575) / 1048576))
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # START_CACHE is for the file that sources this one; once.sh sets work
#
# A cache of loaded and linked classes (JEP 483) that makes the tools start in less than half the time. Needs common.sh.
#
#   start_cache HOME JAR FLAG…  sets START_CACHE to the JVM flags that use the cache for this JAR, JDK and FLAGs, and makes it
#                               first when there is none, which takes two seconds once. Whatever goes wrong: no flags, status 0.
#                               It needs once.sh beside this file, when it makes one.
#
# RDMA4J_START_CACHE: auto (so), use (use it when it is there, but make none), make (make it, and start no tool: for a guest that will
# use it), off.
#
# It is made by a run of its own (StartTraining) before the first tool is started, so that nothing is recorded beside a
# measurement, and none is disturbed by the JVM that writes the cache. Of several first starts at once one makes it, and the
# others run without. One that was made on a machine without RDMA device knows less, and is replaced where there is one.

# The cache at the address that it was made for. By default the JVM takes another one at each start, and changes half the pages
# before it begins, which is a tenth of a start.
START_CACHE_PLACE=(-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0)

start_cache() {
    local home=$1 jar=$2 mode=${RDMA4J_START_CACHE:-auto} folder version='' line name file
    shift 2
    START_CACHE=()
    [[ $mode != off ]] || return 0
    # Who brings a cache of their own, or records one, is not disturbed.
    local variables="${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-} ${_JAVA_OPTIONS:-}" word collector=''
    case " $* $variables " in
        *-XX:AOT* | *-Xshare* | *-XX:SharedArchiveFile* | *-XX:ArchiveClassesAtExit*) return 0 ;;
    esac
    folder=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    folder=${RDMA4J_CACHE:-${folder:+$folder/rdma4j}}/start
    [[ $folder != /start ]] || return 0
    while IFS= read -r line; do
        [[ $line != JAVA_RUNTIME_VERSION=* ]] || version=${line#*=}
    done <"$home/release"
    # A cache serves one collector. Other options leave it as it is.
    for word in $variables; do
        [[ $word != -XX:[+-]Use*GC ]] || collector+=" $word"
    done
    # No other process is started for this: only the name distinguishes the caches.
    start_cache_name "$version $home $jar $*$collector"
    file=$folder/$name
    local devices=("${RDMA4J_SYSFS:-/sys}"/class/infiniband/*)
    if [[ $mode == @(auto|make) && $folder == /* ]]; then
        if [[ -e ${devices[0]} ]]; then
            [[ $file.device -nt $jar ]] || start_cache_make "$home" "$jar" "$file.device" "$@" || true
        else
            [[ $file -nt $jar ]] || start_cache_make "$home" "$jar" "$file" "$@" || true
        fi
    fi
    local one
    for one in "$file.device" "$file"; do
        if [[ -s $one && $one -nt $jar ]]; then
            # A cache that this JVM cannot use after all is ignored without a word.
            START_CACHE=("-XX:AOTCache=$one" "${START_CACHE_PLACE[@]}" -Xlog:aot=off -Xlog:cds=off)
            return 0
        fi
    done
}

# Makes a file's name of TEXT, in the caller's variable name. Of bytes and not of characters: a name may have 255 of them. Of a
# longer text, whose beginning names the JDK and the jar, it has the end and a sum of all.
start_cache_name() {
    local LC_ALL=C i byte sum=0
    name=${1//[^[:alnum:].+-]/_}
    ((${#name} > 200)) || return 0
    for ((i = 0; i < ${#name}; i++)); do
        printf -v byte %d "'${name:i:1}"
        sum=$(((sum * 31 + byte) & 0xffffffffffffff))
    done
    printf -v name '%s-%x' "${name: -180}" "$sum"
}

# Makes FILE; an empty one when that is not possible, so that it is not tried again before the jar changes.
start_cache_make() {
    local home=$1 jar=$2 file=$3
    shift 3
    mkdir -p -- "${file%/*}" 2>/dev/null && [[ -w ${file%/*} ]] && have flock timeout || return 0
    # shellcheck source=scripts/lib/once.sh
    source "${BASH_SOURCE[0]%/*}/once.sh"
    (
        # Ctrl-C also ends the tool, and is no fault of the cache.
        once_begin -n "${file%/*}" || exit 0
        [[ ! $file -nt $jar ]] || exit 0
        say 'preparing a faster start, once'
        # Without the training's profiles (JEP 515): by them the compiler would spend a tenth of the start on what it takes
        # for hot, and what it makes of the measured loops is to follow from these alone. JDK 25 can crash when Ctrl-C comes
        # while it writes the cache: its report does not stay in the user's folder.
        timeout --foreground 120 "$home/bin/java" "$@" -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions \
            -XX:-AOTRecordTraining "-XX:AOTCacheOutput=$work/tree" "-XX:ErrorFile=$work/error" -cp "$jar" \
            io.github.rdma4j.perftest.StartTraining </dev/null >/dev/null 2>&1 || true
        if [[ ! -s $work/tree ]] || ! "$home/bin/java" "${START_CACHE_PLACE[@]}" -version >/dev/null 2>&1; then
            : >"$work/tree"
        fi
        once_keep "${file##*/}"
    ) || { (($? != 130)) || exit 130; }
}

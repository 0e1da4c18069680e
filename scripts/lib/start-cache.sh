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
# A separate run (StartTraining) creates the cache before the first tool starts, so that recording does not affect a
# measurement. If several first starts run concurrently, one creates the cache, and the others run without. A cache that
# was created on a machine without an RDMA device is less complete, and is replaced on a machine with one.

# Maps the cache at the address for which it was created. By default the JVM chooses another address at each start and
# changes half of the pages, which is a tenth of a start.
START_CACHE_PLACE=(-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0)

start_cache() {
    local home=$1 jar=$2 mode=${RDMA4J_START_CACHE:-auto} folder version='' line name file
    shift 2
    START_CACHE=()
    [[ $mode != off ]] || return 0
    # Does not interfere with users who use or record a cache of their own.
    local variables="${JDK_JAVA_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-} ${_JAVA_OPTIONS:-}" word collector=''
    variables=${variables//[\"\']/}
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
        [[ $word != -XX:[+-]@(Use*GC|AggressiveHeap) ]] || collector+=" $word"
    done
    # No other process is started for this: only the name distinguishes the caches.
    start_cache_name "$version $home $jar $*$collector"
    file=$folder/$name
    local devices=("${RDMA4J_SYSFS:-/sys}"/class/infiniband/*)
    if [[ $mode == @(auto|make) && $folder == /* ]]; then
        if [[ -e ${devices[0]} ]]; then
            start_cache_is_fresh "$file.device" "$jar" || start_cache_make "$home" "$jar" "$file.device" "$@" || true
        else
            start_cache_is_fresh "$file" "$jar" || start_cache_make "$home" "$jar" "$file" "$@" || true
        fi
    fi
    local one
    for one in "$file.device" "$file"; do
        if [[ -s $one ]] && start_cache_is_fresh "$one" "$jar"; then
            # The JVM silently ignores a cache that it cannot use.
            START_CACHE=("-XX:AOTCache=$one" "${START_CACHE_PLACE[@]}" -Xlog:aot=off -Xlog:cds=off
                -Xlog:aot=off:stderr -Xlog:cds=off:stderr)
            return 0
        fi
    done
}

# start_cache_stamp FILE: stores in the caller's variable the name of an empty file with the date of the jar of the cache FILE.
start_cache_stamp() {
    stamp=${1%/*}/.${1##*/}.jar
}

# start_cache_is_fresh FILE JAR: whether FILE was made for this JAR. The JVM does not check that before JDK 25.0.4
# (JDK-8377932), and would run the classes of another version. A jar that replaces another one can be older than the cache.
start_cache_is_fresh() {
    local stamp
    start_cache_stamp "$1"
    [[ -e $1 && -e $stamp && ! $2 -nt $stamp && ! $2 -ot $stamp ]]
}

# Stores a file name for TEXT in the caller's variable. Counts bytes and not characters, because a name may have 255
# bytes. The name of a longer text consists of its end and a checksum, because its start contains only the JDK and the
# jar.
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

# Creates FILE; an empty file if that fails, so that there is no second attempt before the jar changes.
start_cache_make() {
    local home=$1 jar=$2 file=$3 stamp
    shift 3
    mkdir -p -- "${file%/*}" 2>/dev/null && [[ -w ${file%/*} ]] && have flock timeout || return 0
    # shellcheck source=scripts/lib/once.sh
    source "${BASH_SOURCE[0]%/*}/once.sh"
    (
        # Ctrl-C also ends the tool, and is no fault of the cache.
        once_begin -n "${file%/*}" || exit 0
        ! start_cache_is_fresh "$file" "$jar" || exit 0
        # Before the training, during which a build may replace the jar.
        touch -r "$jar" "$work/stamp" || exit 0
        # A file system that rounds dates would get a new cache at each start.
        [[ ! $jar -nt $work/stamp && ! $jar -ot $work/stamp ]] || exit 0
        say 'preparing a faster start (once)'
        # Without the training's profiles (JEP 515): with them, the compiler would spend a tenth of the start on code
        # that it considers hot, and the code of the measured loops must depend only on the loops themselves. JDK 25 can
        # crash if Ctrl-C arrives while it writes the cache: its report must not stay in the user's folder.
        timeout --foreground 120 "$home/bin/java" "$@" -XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions \
            -XX:-AOTRecordTraining "-XX:AOTCacheOutput=$work/tree" "-XX:ErrorFile=$work/error" -cp "$jar" \
            io.github.rdma4j.perftest.StartTraining </dev/null >/dev/null 2>&1 || true
        if [[ ! -s $work/tree ]] || ! "$home/bin/java" "${START_CACHE_PLACE[@]}" -version >/dev/null 2>&1; then
            : >"$work/tree"
        fi
        once_keep "${file##*/}"
        start_cache_stamp "$file"
        mv -fT -- "$work/stamp" "$stamp" # last: the stamp of another jar rejects this cache
    ) || { (($? != 130)) || exit 130; }
}

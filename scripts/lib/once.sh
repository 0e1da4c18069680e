# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # work and log are for the commands that build
#
# What is built once, kept in a folder of the cache, and removed when nobody has used it for a month. Needs common.sh and flock.
# Every cache of the project is filled by this file.
#
#   once CACHE NAME TEXT COMMAND…   makes sure that CACHE/NAME, a file or a folder, is there. If it is not, prints TEXT, if any, and
#                        runs COMMAND in a subshell, which builds $work/tree. One process builds, the others wait. Without a tree
#                        nothing is kept, and the status is not 0. COMMAND may write what it has to say later into the file $log
#   once_use ENTRY       true when the entry CACHE/NAME is there; counts as a use
#   once_begin [-n] CACHE   in a subshell: locks CACHE until the subshell ends, and sets work to an empty folder in CACHE that is
#                        removed then. With -n it does not wait for another process: status 1
#   once_keep NAME       moves $work/tree to CACHE/NAME
#
# An entry appears by a rename, so an existing entry is complete, whenever a process is killed. Only the holder of
# CACHE/.lock removes folders of killed builders; programs that a builder has started also hold the lock. An entry is
# removed under CACHE/.use, so never between the moment when another process finds it and the moment when that process
# has marked it as used. ONCE_DAYS: how many days an unused entry is kept, 30 by default.

once() {
    once_use "$1/$2" || once_make "$@"
}

once_use() {
    [[ -e $1 ]] || return 1
    # A cache that cannot be written expires nothing, either.
    { { flock -s 8 && touch -c -- "$1"; } 8>>"${1%/*}/.use" || true; } 2>/dev/null
    [[ -e $1 ]]
}

once_make() (
    once_begin "$1"
    ! once_use "$1/$2" || exit 0
    [[ -z $3 ]] || say "$3 (once)"
    "${@:4}"
    status=$? # where the caller looks at the status, a failure does not end this subshell
    ((status == 0)) || exit "$status"
    once_keep "$2"
)

once_begin() {
    local wait=1
    if [[ $1 == -n ]]; then
        wait=''
        shift
    fi
    cache=$1 log=$1/.log work=''
    trap 'once_end $?' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    exec 9>>"$1/.lock" || exit 1
    if ! flock -n 9; then
        [[ -n $wait ]] || return 1
        say "waiting for another process, which uses $1"
        flock -w 3600 9 || die "another process has used $1 for an hour" "find it with fuser -v $1/.lock"
    fi
    rm -rf --one-file-system -- "$1"/.new.*
    work=$(mktemp -d -- "$1/.new.XXXXXX") || exit 1
    {
        flock 8
        find "$1" -mindepth 1 -maxdepth 1 ! -name '.*' -mtime "+${ONCE_DAYS:-30}" -exec mv -t "$work" -- {} +
    } 8>>"$1/.use" || exit 1
    rm -rf --one-file-system -- "${work:?}"/*
}

# once_end STATUS: checks the disk before the temporary files are removed.
once_end() {
    local left
    if (($1 != 0)) && left=$(room "$cache") && ((left < 256)); then
        warn "the disk of the cache $cache has only $left MiB left. Make room, or set RDMA4J_CACHE to a folder with more."
    fi
    [[ -z $work ]] || rm -rf --one-file-system -- "$work"
}

once_keep() {
    mv -fT -- "$work/tree" "$cache/$1"
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # work is for the file that sources this one
#
# What is made once and kept: a folder of the cache, made by one process while others wait. Needs common.sh.
#
#   once_done FOLDER               true when it is there, whole
#   once_begin CACHE FOLDER WHAT   to be called in a subshell, as its traps and its lock last as long as that: says WHAT is being done,
#                                  and sets work to an empty folder in CACHE, which goes with the subshell. Status 1 where FOLDER is
#                                  there by now
#   once_end FOLDER                $work/tree is whole, with a file "complete" in it: it becomes FOLDER

once_done() {
    [[ -e $1/complete ]]
}

once_begin() {
    exec 9>"$1/.lock" || exit 1
    if ! flock -n 9; then
        say "waits for another process, which is busy with $1"
        flock -w 3600 9 || die "another process has been busy with $1 for an hour" "see which, with: fuser -v $1/.lock"
    fi
    ! once_done "$2" || return 1
    say "$3 (once)"
    rm -rf --one-file-system -- "$1"/.new.* # of one that was killed
    work=$(mktemp -d -- "$1/.new.XXXXXX") || exit 1
    trap 'rm -rf -- "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

once_end() {
    rm -rf -- "$1"
    mv -- "$work/tree" "$1"
}

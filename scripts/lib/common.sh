# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# What every script of this project needs: messages, the project's folder, the cache folder.
# Source it after `set -euo pipefail`; it defines functions and two read-only variables, and does nothing else.
#
#   PROGRAM             name of the running script, used as the prefix of its messages
#   RDMA4J_ROOT         the project's folder (absolute, symbolic links resolved)
#   say TEXT…           a line of progress, on standard error; nothing when RDMA4J_QUIET is set
#   warn TEXT…          a line on standard error, always
#   die [-STATUS] TEXT… the same, then exit with STATUS (default 1); more lines: one argument each
#   cache_dir [SUB]     prints the cache folder (made if missing): $RDMA4J_CACHE, else $XDG_CACHE_HOME/rdma4j,
#                       else ~/.cache/rdma4j; with SUB, the folder of that name in it
#   have COMMAND…       true when each of the commands is on the PATH
#   room FOLDER         prints how many MiB are free there; false when that cannot be known
#   programs_start_in FOLDER   true where files can be made and run, as in no folder that is mounted noexec
#   whole_line SECONDS DESCRIPTOR   sets LINE to the next line from there; false when none has begun within that time. A line that
#                       has begun has ten seconds to end; its beginning is in LINE_BEGUN, and the next call goes on with it

if [[ -n ${RDMA4J_COMMON_SOURCED:-} ]]; then
    return 0
fi
RDMA4J_COMMON_SOURCED=1 # not exported: a script started by this one sources its own copy

PROGRAM=${PROGRAM:-${0##*/}}
unset CDPATH # with it, cd of a relative folder goes elsewhere, and prints where
# Uses few processes, because each adds a millisecond to the start of a tool.
RDMA4J_ROOT=${BASH_SOURCE[0]}
[[ ! -L $RDMA4J_ROOT ]] || RDMA4J_ROOT=$(readlink -f -- "$RDMA4J_ROOT")
[[ $RDMA4J_ROOT == */* ]] || RDMA4J_ROOT=./$RDMA4J_ROOT
RDMA4J_ROOT=$(cd -P -- "${RDMA4J_ROOT%/*}/../.." && pwd -P)
readonly PROGRAM RDMA4J_ROOT

say() {
    [[ -n ${RDMA4J_QUIET:-} ]] || warn "$@"
}

# A closed standard error is no reason to stop.
warn() {
    printf '%s: %s\n' "$PROGRAM" "$*" >&2 2>/dev/null || true
}

die() {
    local status=1
    if [[ ${1:-} =~ ^-[0-9]+$ ]]; then
        status=${1#-}
        shift
    fi
    printf '%s: %s\n' "$PROGRAM" "${1:-stopped}" >&2
    shift || true
    if (($# > 0)); then
        printf '    %s\n' "$@" >&2
    fi
    exit "$status"
}

have() {
    local command
    for command in "$@"; do
        command -v -- "$command" >/dev/null 2>&1 || return 1
    done
}

cache_dir() {
    local base=${RDMA4J_CACHE:-}
    if [[ -z $base ]]; then
        [[ -n ${XDG_CACHE_HOME:-}${HOME:-} ]] || no_cache_dir 'there is no folder for the cache: HOME is not set'
        base=${XDG_CACHE_HOME:-${HOME:-}/.cache}/rdma4j
    fi
    local folder=$base${1:+/$1}
    if ! mkdir -p -- "$folder" 2>/dev/null || [[ ! -w $folder ]]; then
        no_cache_dir "the cache folder $folder cannot be written"
    fi
    (cd -- "$folder" && pwd -P)
}

# In "$(cache_dir)/name" the status is easily lost, and with nothing printed root would work in /. In this there can be nothing.
no_cache_dir() {
    printf '/dev/null\n'
    die "$1" 'set RDMA4J_CACHE to a folder of your own'
}

room() {
    df -P -m -- "$1" 2>/dev/null | awk 'NR == 2 { print $4; found = 1 } END { exit !found }'
}

programs_start_in() {
    local program status=0
    program=$(mktemp -- "$1/.rdma4j-program-XXXXXX" 2>/dev/null) || return 1
    { printf '#!/bin/sh\n' >"$program" && chmod +x "$program" && "$program"; } 2>/dev/null || status=1
    rm -f -- "$program"
    return "$status"
}

LINE_BEGUN=''
# Waits for a byte: a `read` of a line whose timeout passes with its last byte has consumed the line, and reports that
# there was none.
whole_line() {
    local byte='' rest=''
    IFS= read -r -N 1 -t "$1" byte <&"$2" || [[ -n $byte ]] || return 1
    if [[ $byte != $'\n' ]] && ! IFS= read -r -t 10 rest <&"$2"; then
        LINE_BEGUN+=$byte$rest
        return 1
    fi
    LINE=$LINE_BEGUN${byte%$'\n'}$rest LINE_BEGUN=''
}

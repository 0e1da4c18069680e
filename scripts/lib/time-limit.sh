# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs a command with a time limit, and shows what it was doing. Needs common.sh.
#
#   within SECONDS FILE COMMAND…   runs COMMAND. One that goes on for longer is ended with all that it has started, status 124;
#                                  FILE gets what its processes were doing, and standard error the processes
#   descendants PID WITHOUT        prints the processes that PID has started, and their descendants, one a line; not the descendants of WITHOUT

within() {
    local limit=$1 file=$2 status=0 own=$BASHPID guard over
    shift 2
    rm -f -- "$file"
    # A pipe that is empty until the command has ended.
    exec {over}<> <(:)
    guard_of "$own" "$limit" "$file" "$over" &
    guard=$!
    "$@" || status=$?
    # A guard that has started to kill processes kills them all, but the command may end with the first. Two lines,
    # because a read whose timeout passes just when it has read the first one reports that there was none.
    printf '\n\n' >&"$over"
    wait "$guard" || true
    exec {over}>&-
    [[ ! -e $file ]] || status=124
    return "$status"
}

# Has no child while it waits: a child would survive it, and keep this script's output open.
guard_of() {
    local parent=$1 limit=$2 file=$3 over=$4 until=$((SECONDS + $2)) own=$BASHPID processes
    trap - EXIT
    set +e # a process that cannot be described must not keep it from ending the others
    while ((SECONDS < until)); do
        ! read -r -t 1 <&"$over" || return 0
        kill -0 "$parent" 2>/dev/null || return 0
    done
    mapfile -t processes < <(descendants "$parent" "$own")
    mkdir -p -- "$(dirname -- "$file")"
    what_they_do "${processes[@]}" >"$file" 2>&1
    warn "the time limit of $limit s is over. These processes ran (more in $file):"
    ps -o pid=,ppid=,etimes=,stat=,wchan:20=,args= -p "$(IFS=, && printf '%s' "${processes[*]}")" | cut -c 1-200 >&2
    # A function continues with its next command when one is killed.
    while kill -0 "$parent" 2>/dev/null; do
        end_all "$parent" "$own"
        ! read -r -t 1 <&"$over" || return 0
    done
}

# A process that waits for another might start the next one when that ends: stop all before ending one.
end_all() {
    local processes stopped=0
    while mapfile -t processes < <(descendants "$1" "$2") && ((${#processes[@]} > stopped)); do
        stopped=${#processes[@]}
        kill -STOP "${processes[@]}" 2>/dev/null
    done
    kill -KILL "${processes[@]}" 2>/dev/null
}

what_they_do() {
    local process
    for process; do
        printf '\n=== %s\n' "$(ps -o pid=,ppid=,etime=,stat=,args= -p "$process")"
        grep -E '^(State|Threads|SigBlk|SigIgn|SigCgt)' "/proc/$process/status"
        printf 'waits in %s\n' "$(tr '\0' ' ' <"/proc/$process/wchan")"
        ls -l "/proc/$process/fd" | sed -n 's/^.*[0-9] \([0-9]* -> \)/    \1/p'
        if [[ $(readlink -- "/proc/$process/exe") == */bin/java ]]; then
            timeout -k 1 20 "$(readlink -- "/proc/$process/exe" | sed 's:java$:jstack:')" "$process"
        fi
    done
}

descendants() {
    # Not by ps, which an image may lack. A name may have anything in it, also a bracket.
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v root="$1" -v without="$2" '
        { order[NR] = $1; sub(/.*\) /, ""); parent[order[NR]] = $2 }
        END {
            wanted[root] = 1
            # A process may have a smaller number than its parent.
            for (again = 1; again;) {
                again = 0
                for (n = 1; n <= NR; n++)
                    if (!wanted[order[n]] && wanted[parent[order[n]]] && order[n] != without) {
                        wanted[order[n]] = again = 1
                        print order[n]
                    }
            }
        }'
}

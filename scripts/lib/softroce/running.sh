# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The machines of each scripts/softroce --machines that is running, for scripts/softroce on and scripts/softroce wire.
#
# A machine's process has in its environment SOFTROCE_ON: its number, the process of the script that carries its streams, and that
# script's descriptors of two pipes: requests to the guest (vm.sh), and its answers on port 6 (guest-main); and where the
# guest is of another architecture, its JDK.
#
#   machines_running [PID]   a line for each machine, of softroce's process PID alone: that process, the machine's number, the process
#                            of the script that carries its streams, the two descriptors, a process with the machine's environment, the
#                            JDK

machines_running() {
    local file process machine pid request answer jdk parent
    while IFS= read -r file; do
        process=${file%/environ}
        read -r machine pid request answer jdk < <({ tr '\0' '\n' <"$file"; } 2>/dev/null | sed -n 's/^SOFTROCE_ON=//p') || continue
        [[ -e /proc/$pid/fd/$request && -e /proc/$pid/fd/$answer ]] || continue # its last moments
        parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
        [[ -z $parent || (-n ${1:-} && $parent != "$1") ]] || printf '%s %s %s %s %s %s %s\n' \
            "$parent" "$machine" "$pid" "$request" "$answer" "$process" "$jdk"
    done < <(grep -lz '^SOFTROCE_ON=' /proc/[0-9]*/environ 2>/dev/null) | sort -u -k 1,3
}

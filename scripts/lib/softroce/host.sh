# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # variables for the files that source this one; once.sh sets work and log
#
# Running the command on this machine itself, and the choice between that, KVM and emulation. Needs common.sh, time-limit.sh and
# vm.sh.
#
#   host_devices          prints the names of the RDMA devices that the caller can open, in one line; false when there is
#                         none. Devices that it cannot open are named on standard error
#   host_memory_limit     prints what a container may use, in MiB; false when there is no limit
#   host_soft_devices N   makes N SoftRoCE devices on this machine, if it is allowed to and has the module
#   host_run COMMAND…     replaces this script by the command
#   choose_accel          sets ACCEL to kvm, tcg, icount or uml, and ACCEL_REASON to the reason when that is not plain

host_devices() {
    local names=() locked=() verbs node name
    # A container sees all devices of its machine here, including devices that it may not use.
    for verbs in "${RDMA4J_SYSFS:-/sys}"/class/infiniband_verbs/uverbs*; do
        [[ -r $verbs/ibdev ]] || continue
        name=$(<"$verbs/ibdev")
        node=${RDMA4J_DEV:-/dev}/infiniband/${verbs##*/}
        if [[ -r $node && -w $node ]]; then names+=("$name"); else locked+=("$name ($node)"); fi
    done
    ((${#locked[@]} == 0)) || say "cannot open this machine's ${locked[*]}, so they are not used"
    ((${#names[@]} > 0)) && printf '%s\n' "${names[*]}"
}

host_memory_limit() {
    local file limit
    for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
        # 2^60 and more is the older interface's "none".
        if [[ -r $file ]] && limit=$(<"$file") && [[ $limit =~ ^[0-9]{1,18}$ ]]; then
            printf '%d\n' $((limit / 1048576))
            return 0
        fi
    done
    return 1
}

host_soft_devices() {
    local n
    (($1 > 0 && EUID == 0)) && have modprobe ip rdma && modprobe -q rdma_rxe 2>/dev/null || return 1
    modprobe -q rdma_ucm 2>/dev/null || true
    for ((n = 0; n < $1; n++)); do
        host_soft_device "$n" || {
            # Does not leave half of a pair: removing an interface also removes its device and its peer.
            for ((; n >= 0; n--)); do ((n % 2 != 0)) || ip link del "softroce$n" 2>/dev/null || true; done
            return 1
        }
    done
    say "created $1 SoftRoCE devices on this machine; remove them with ip link del softroce0 (2, 4, …)"
}

# host_soft_device N: rxeN, and before an even one the pair of interfaces for it and the next.
host_soft_device() {
    local a=softroce$1 b=softroce$(($1 + 1)) net=10.99.$(($1 / 2))
    if (($1 % 2 == 0)); then
        ip link add "$a" mtu 4200 type veth peer name "$b" mtu 4200 &&
            ip addr add "$net.1/24" dev "$a" && ip addr add "$net.2/24" dev "$b" &&
            ip link set "$a" up && ip link set "$b" up || return 1
    fi
    rdma link add "rxe$1" type rxe netdev "$a"
}

host_run() {
    local extra
    if [[ $MEMLOCK != unlimited ]]; then
        ulimit -l "$MEMLOCK" || die "the locked-memory limit cannot be set to $MEMLOCK KiB" 'run as root, or use a smaller --memlock'
    elif ((EUID == 0)); then
        ulimit -l unlimited 2>/dev/null || true # a container's root may not be allowed to
    fi
    for extra in "${ENV_EXTRA[@]}"; do
        [[ $extra != *=* ]] || export "${extra?}"
    done
    ((TIMEOUT > 0)) || exec "$@"
    host_limited "$@"
}

# The command is a job of this shell, in its process group, so that it owns the terminal. `timeout` would either kill
# only the command, and leave its server running, or take the terminal away from it.
host_limited() {
    local command guard over stdin status=0
    # A pipe that is empty until the command has ended.
    exec {over}<> <(:)
    { exec {stdin}<&0; } 2>/dev/null || exec {stdin}</dev/null
    # A shell's background job would ignore Ctrl-C.
    env --default-signal=INT,QUIT "$@" <&"$stdin" {stdin}<&- {over}>&- &
    command=$!
    host_guard "$command" "$over" </dev/null >/dev/null {stdin}<&- &
    guard=$!
    trap 'kill -INT "$command" 2>/dev/null || true' INT
    trap 'kill -TERM "$command" 2>/dev/null || true' TERM
    trap 'kill -HUP "$command" 2>/dev/null || true' HUP
    {
        wait "$command" || status=$?
        while kill -0 "$command"; do # it was a signal that ended the wait
            status=0
            wait "$command" || status=$?
        done
    } 2>/dev/null # what this shell says of one that was killed
    echo >&"$over"
    wait "$guard" || status=$?
    exit "$status"
}

# Kills the command and everything that it has started at the time limit, with status 124. Also does so when this script
# is killed.
host_guard() {
    local command=$1 over=$2 processes until
    trap '' INT TERM HUP
    ! read -r -t "$TIMEOUT" <&"$over" || return 0
    warn "the time limit of $TIMEOUT s is over"
    # Listed now, because a process whose parent has ended has no known parent any more.
    mapfile -t processes < <(printf '%d\n' "$command" && descendants "$command" '')
    [[ -z $DUMP ]] || what_they_do "${processes[@]}" >"$DUMP" 2>&1 || true
    kill -TERM "${processes[@]}" 2>/dev/null || true
    until=$((SECONDS + 10))
    while ((SECONDS < until)) && kill -0 "${processes[@]}" 2>/dev/null; do # true while one of them is there
        sleep 0.1
    done
    kill -KILL "${processes[@]}" 2>/dev/null || true
    return 124
}

declare -A ACCEL_NAME=([kvm]=KVM [tcg]=TCG [icount]='TCG that counts instructions' [uml]='User-Mode Linux')

kvm_try() {
    if vm_probe kvm; then echo works; else echo hangs; fi
}

kvm_tried() {
    kvm_try >"$work/tree"
}

# /dev/kvm may exist although guests hang (seen under a hypervisor that is itself a guest). So a guest is started once,
# and the result is kept as long as the machine, QEMU and the guest kernel are the same.
choose_accel() {
    local cache answer key
    ACCEL_REASON=
    if [[ -n $ICOUNT ]]; then
        ACCEL=icount
        return
    fi
    if [[ $ACCEL == native ]]; then
        ACCEL=auto
        choose_accel
        [[ $ACCEL != tcg || $ARCH != x86_64 ]] || ACCEL=uml
        return
    elif [[ $ACCEL != auto ]]; then
        return
    fi
    ACCEL=tcg
    if [[ ! -e /dev/kvm ]]; then
        ACCEL_REASON='no KVM'
        return
    elif [[ ! -r /dev/kvm || ! -w /dev/kvm ]]; then
        ACCEL_REASON='KVM: no permission for /dev/kvm'
        return
    fi
    key=$({
        uname -srvm
        grep -m 3 -E '^(model name|CPU (implementer|part))' /proc/cpuinfo
        "$ARCH_QEMU" --version
        printf '%s\n' "$KERNEL_DIR"
    } 2>/dev/null | sha256sum)
    # Without a cache, as in a container, it is tried each time.
    if ! cache=$(cache_dir kvm 2>/dev/null); then
        answer=$(kvm_try)
    else
        once "$cache" "${key:0:20}" "trying whether a guest starts with KVM, up to $VM_PROBE_LIMIT s" kvm_tried
        answer=$(<"$cache/${key:0:20}")
    fi
    if [[ $answer == works ]]; then
        ACCEL=kvm
    else
        ACCEL_REASON='KVM: no guest starts'
    fi
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # variables for the files that source this one; once.sh sets work and log
#
# The guest's kernel as a program of this machine: User-Mode Linux, built at need from the distribution's source package of the
# kernel that the microVM runs, and kept in the cache. Its processes run on the real CPU; what they ask of their kernel costs two
# changes of process. Needs common.sh, once.sh, packages.sh and kernel.sh.
#
#   UML_PACKAGES          what building takes, beside apt
#   uml_get VERSION       makes sure that it is there; sets KERNEL_DIR, with the program "linux" in it, and KERNEL_RELEASE
#   uml_launch_line       sets VM_COMMAND to the command line up to the kernel's own arguments
#   uml_reaper PARENT MACHINE   ends the machine's processes when PARENT is gone; until then it waits
#   uml_cpu               sets UML_CPU to a CPU of this machine that no other one of these guests has, if there is one

UML_NAMESPACE=''
UML_PACKAGES=(gcc libc6-dev make flex bison bc xz-utils)

uml_get() {
    local package version source answer key
    answer=$(kernel_choose "$1") || exit $?
    read -r package version source <<<"$answer"
    key=$({
        declare -f uml_build
        cat -- "$RDMA4J_ROOT/scripts/lib/softroce/uml.config"
    } | sha256sum)
    KERNEL_DIR=$(cache_dir uml)/${version//:/%3a}-${key:0:8}
    if ! once_use "$KERNEL_DIR"; then
        [[ -z $source ]] || kernel_use "$source" || die "the suite $source could not be read" "$APT_SUITE_FAILURE"
        once "${KERNEL_DIR%/*}" "${KERNEL_DIR##*/}" "building User-Mode Linux $version, some minutes" uml_build "$version"
    fi
    KERNEL_RELEASE=$(<"$KERNEL_DIR/complete")
}

# uml_build VERSION
uml_build() {
    local version=$1 name line make
    name=linux-source-$(grep -oE '^[0-9]+\.[0-9]+' <<<"$version")
    require_packages "${UML_PACKAGES[@]}" || exit 1
    kernel_download "$name" "$version"
    mkdir -- "$work/tree" "$work/source"
    dpkg --fsys-tarfile "$work"/*.deb | tar -xO --wildcards './usr/src/*.tar.xz' | tar -xJ -C "$work/source" --strip-components 1
    # Programs that wait for each other take turns of a tick, which UML has fixed at ten milliseconds.
    sed -i '/^config HZ$/,/default/ s/default 100$/default 1000/' "$work/source/arch/um/Kconfig"
    # It saves a program's vector registers in 2696 bytes, and restores them. A machine saves all of them: with AMX
    # 11008 bytes. They are on the kernel's stacks, which uml.config enlarges for this.
    sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/' "$work/source/arch/x86/um/user-offsets.c"
    # A panic ends in signals that the first process of a namespace ignores, forever.
    sed -i '/uml_abort(void)$/,/^}/ s/kill(getpid(), SIGABRT) < 0/getpid() == 1 || &/' "$work/source/arch/um/os-Linux/util.c"
    # A line whose reader is 4 KiB behind is removed from the interrupts, and never added again. It stays there: the
    # buffers also stop it in time. A reader that continues then must not be interrupted by another reader.
    sed -i '/^void line_throttle/,/^}/ { /deactivate_chan/d }
        /^void line_unthrottle/,/^}/ s/chan_interrupt(.*);/{ unsigned long flags; local_irq_save(flags); & local_irq_restore(flags); }/' \
        "$work/source/arch/um/drivers/line.c"
    sed -i '/^static void line_timer_cb/,/^}/ s/chan_interrupt(.*);/{ unsigned long flags; local_irq_save(flags); & local_irq_restore(flags); }/' \
        "$work/source/arch/um/drivers/chan_kern.c"
    cp -- "$RDMA4J_ROOT/scripts/lib/softroce/uml.config" "$work/config"
    make=(make -C "$work/source" ARCH=um KCONFIG_ALLCONFIG="$work/config" "-j$(nproc)")
    {
        "${make[@]}" allnoconfig && "${make[@]}" linux
    } >"$log" 2>&1 </dev/null || die "User-Mode Linux $version could not be built" "the whole output is in $log, and ends with:" "$(tail -n 5 -- "$log")"
    while IFS= read -r line; do
        [[ $line != CONFIG_* ]] || grep -qxF -- "$line" "$work/source/.config" || die "the configuration of Linux $version has no option $line"
    done <"$work/config"
    cp -- "$work/source/linux" "$work/tree/linux"
    strip -- "$work/tree/linux"
    cp -- "$work/source/include/config/kernel.release" "$work/tree/complete"
}

# Kernel and processes of one guest are processes of this machine that wait for each other at each system call. On two
# CPUs, each would wake the other's CPU first, which takes ten times as long. The lock ends with this script.
uml_cpu() {
    local cpus=() part n
    for part in $(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr , ' '); do
        for ((n = ${part%-*}; n <= ${part#*-}; n++)); do cpus+=("$n"); done
    done
    for UML_CPU in "${cpus[@]}"; do
        exec {UML_LOCK}>"$(cache_dir uml)/.cpu-$UML_CPU"
        ! flock -n "$UML_LOCK" || return 0
        exec {UML_LOCK}>&-
    done
    UML_CPU=${cpus[RANDOM % ${#cpus[@]}]}
}

uml_launch_line() {
    local map free
    # Each page that a process has touched can be a separate mapping.
    map=$(</proc/sys/vm/max_map_count)
    if ((map < 1048576)) && { echo 1048576 >/proc/sys/vm/max_map_count; } 2>/dev/null; then
        say "raised vm.max_map_count of this machine from $map to 1048576"
    elif ((map < 1048576)); then
        warn "vm.max_map_count is $map, so large programs may fail in the guest. Raise it as root: sysctl vm.max_map_count=1048576"
    fi
    uml_cpu
    VM_COMMAND=(env "TMPDIR=$(uml_memory_folder)")
    # Its processes are this machine's, and would live on without it: in a process namespace they do not.
    if unshare --pid --fork true 2>/dev/null; then UML_NAMESPACE=1 VM_COMMAND+=(unshare --pid --fork --kill-child); fi
    VM_COMMAND+=(taskset -c "$UML_CPU" "$KERNEL_DIR/linux")
}

# The guest's memory is a file without a name.
uml_memory_folder() {
    local free
    free=$(room /dev/shm) || free=0
    # It is mapped as executable, like any program's memory.
    if ((free >= MEMORY)) && programs_start_in /dev/shm; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi
}

# uml_reaper PARENT MACHINE: without a namespace, kills what PARENT has left running when it was killed. It must not
# keep any pipe open, because other processes wait for the end of each pipe.
uml_reaper() {
    local descriptor
    trap '' INT TERM HUP
    trap - EXIT
    for descriptor in "/proc/$BASHPID/fd"/*; do
        descriptor=${descriptor##*/}
        ((descriptor < 3)) || { exec {descriptor}>&-; } 2>/dev/null
    done
    while kill -0 "$2" && kill -0 "$1"; do sleep 0.5; done
    kill -KILL -- "-$2"
} </dev/null >/dev/null 2>&1

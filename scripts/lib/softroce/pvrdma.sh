# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # variables for and of the files that source this one; once.sh sets work and log
#
# An RDMA adapter on the PCI bus: QEMU's pvrdma. It passes its work to an RDMA device of the machine that runs QEMU, so this machine
# is a guest as well: User-Mode Linux with SoftRoCE, where the same script runs again. The driver is not in Debian's kernel package:
# it is built from the kernel's source package. Needs common.sh, once.sh, packages.sh and kernel.sh.
#
#   pvrdma_options         checks the options, and sets those that the adapter decides
#   pvrdma_get             makes sure that driver and MAD server are in the cache; sets PVRDMA_DRIVER and PVRDMA_MADS
#   pvrdma_run ARGUMENT…   runs this script with these arguments in User-Mode Linux
#   pvrdma_machine         adds the adapter to VM_COMMAND

PVRDMA_MAC=52:54:00:99:00:01
PVRDMA_LINK_LOCAL=fe80::5054:ff:fe99:1 # the address that belongs to it, and the adapter's first GID

pvrdma_options() {
    local excluded=''
    [[ $HOST_ARCH == x86_64 ]] || die -2 "--device pvrdma needs an x86-64 machine, but this one is $(uname -m)"
    [[ $WHERE != host ]] || excluded=--host
    [[ $ACCEL == auto ]] || excluded="--accel $ACCEL"
    [[ $KERNEL == default ]] || excluded="--kernel $KERNEL"
    [[ $TRANSPORT == rxe ]] || excluded="--transport $TRANSPORT"
    [[ ${CPUS:-1} == 1 ]] || excluded="--cpus $CPUS"
    [[ -z $DEVICES ]] || excluded=--devices
    [[ -z $WIRE ]] || excluded=--wire
    [[ -z $PREPARE ]] || excluded=--prepare
    [[ -z $ICOUNT ]] || excluded='--icount and --count'
    [[ -z $NO_IPV6 ]] || excluded=--no-ipv6
    [[ -z ${ARCH_ASKED:-} ]] || excluded="--arch $ARCH_ASKED"
    [[ $MACHINES == 1 ]] || excluded=--machines
    [[ -z $excluded ]] || die -2 "--device pvrdma allows only its own kind of machine: leave out $excluded"
    WHERE=vm ACCEL=tcg CPUS=1 DEVICES=1
}

pvrdma_get() {
    local cache key
    "$ARCH_QEMU" -device help 2>/dev/null | grep -q '^name "pvrdma"' ||
        die "this machine's QEMU has no pvrdma device, which QEMU 9.1 removed" 'use the QEMU of Debian 12'
    key=$({
        printf '%s\n' "$KERNEL_DIR"
        declare -f pvrdma_build
        cat -- "$RDMA4J_ROOT/scripts/lib/softroce/mads.c"
    } | sha256sum)
    cache=$(cache_dir pvrdma) || exit
    once "$cache" "${key:0:20}" "building the driver of pvrdma for Linux $KERNEL_RELEASE" pvrdma_build
    PVRDMA_DRIVER=$cache/${key:0:20}/vmw_pvrdma.ko
    PVRDMA_MADS=$cache/${key:0:20}/mads
}

pvrdma_build() {
    local version=${KERNEL_DIR##*_} series headers package
    version=${version//%3a/:}
    series=$(grep -oE '^[0-9]+\.[0-9]+' <<<"$version")
    headers=$work/headers/usr/src/linux-headers-$KERNEL_RELEASE
    require_packages gcc libc6-dev make xz-utils || exit 1
    mkdir -- "$work/tree" "$work/headers" "$work/source"
    for package in "headers-$KERNEL_RELEASE" "headers-${KERNEL_RELEASE%-amd64}-common" "kbuild-$series"; do
        kernel_download "linux-$package" "$version"
    done
    for package in "$work"/*.deb; do dpkg -x "$package" "$work/headers"; done
    rm -- "$work"/*.deb
    sed -i "s:/usr/src/:$work/headers&:" "$headers/Makefile"
    kernel_download "linux-source-$series" "$version"
    dpkg --fsys-tarfile "$work"/*.deb | tar -xO --wildcards './usr/src/*.tar.xz' |
        tar -xJ -C "$work/source" --strip-components 5 --wildcards '*/drivers/infiniband/hw/vmw_pvrdma/*'
    make -C "$headers" "M=$work/source" CONFIG_INFINIBAND_VMWARE_PVRDMA=m "-j$(nproc)" modules >"$log" 2>&1 </dev/null ||
        die "the driver of pvrdma could not be built" "the whole output is in $log, and ends with:" "$(tail -n 5 -- "$log")"
    strip --strip-debug -o "$work/tree/vmw_pvrdma.ko" "$work/source/vmw_pvrdma.ko"
    cc -O2 -o "$work/tree/mads" "$RDMA4J_ROOT/scripts/lib/softroce/mads.c" || die 'the MAD server of pvrdma could not be compiled'
}

# User-Mode Linux has the memory of the guest within its own.
pvrdma_run() {
    local options=(--quiet --accel uml --devices 1 --timeout 0 --boot-timeout "$BOOT_TIMEOUT" --env SOFTROCE_PVRDMA=1) folder
    [[ -z $MEMORY_GIVEN ]] || options+=(--memory "$((MEMORY + 1024))")
    [[ -z $READ_ONLY ]] || options+=(--read-only)
    for folder in "${WRITABLE[@]}"; do options+=(--writable "$folder"); done
    exec "$here/softroce" "${options[@]}" "$here/softroce" "$@"
}

# The device maps the guest's memory a second time, so the memory must be shared. It looks up each GID of the guest in the table of
# rxe0, but rejects the first entry. So rxe0 has both addresses of the guest in addition to its own link-local one. The adapter is
# behind a port of its own, because a device on the root bus cannot be unplugged. The guest's port 7 is QEMU's monitor.
pvrdma_machine() {
    ip address add "$PVRDMA_LINK_LOCAL/64" dev e0 nodad
    VM_COMMAND=("$PVRDMA_MADS" "${VM_COMMAND[@]}"
        -object "memory-backend-ram,id=memory,size=${MEMORY}M,share=on" -numa 'node,memdev=memory'
        -chardev 'socket,id=mads,fd=3' -device 'pcie-root-port,id=port1,slot=1' -netdev 'hubport,hubid=0,id=none'
        -device "vmxnet3,bus=port1,addr=0.0,multifunction=on,netdev=none,mac=$PVRDMA_MAC"
        -device 'pvrdma,bus=port1,addr=0.1,ibdev=rxe0,netdev=e0,mad-chardev=mads,id=adapter'
        -chardev 'socket,id=monitor,path=softroce,abstract=on,server=on,wait=off' -mon 'chardev=monitor'
        -chardev 'socket,id=c7,path=softroce,abstract=on' -device 'virtserialport,nr=7,chardev=c7')
}

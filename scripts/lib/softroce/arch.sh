# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# The architecture of a guest, and what of QEMU, the kernel and Debian goes with each. Needs common.sh.
#
#   HOST_ARCH            this machine's, as --arch has it; or what uname says, where no guest starts
#   HOST_READ            the number of the system call read(2) there
#   arch_parse VALUE     sets ARCHS to what --arch says, one for all machines or one for each, and ARCH_ASKED to VALUE; or dies
#   arch_of MACHINE      prints the architecture of that machine
#   arch_any native|foreign   true when ARCHS has this machine's architecture; another one
#   arch_use ARCH        sets ARCH to it, at first to this machine's, and
#                          ARCH_FOREIGN   where this machine's programs do not run: 1. The guest is emulated, and has a root file
#                                         system of its own (arm64.sh)
#                          ARCH_DEBIAN    what Debian's packages for it are called
#                          ARCH_QEMU, ARCH_PACKAGE   the program that is such a machine, and the package that has it
#                          ARCH_MACHINE, ARCH_KVM_MACHINE, ARCH_CPU   its options: the machine, the same with KVM, and an emulated processor
#                          ARCH_KERNEL_ARGUMENTS     the console, and what a kernel there need not look for

HOST_ARCH=$(uname -m)
HOST_ARCH=${HOST_ARCH/#aarch64/arm64}
HOST_READ=0
[[ $HOST_ARCH != arm64 ]] || HOST_READ=63
ARCHS=("$HOST_ARCH")

arch_parse() {
    local arch
    ARCH_ASKED=$1
    IFS=, read -r -a ARCHS <<<"$1,"
    for arch in "${ARCHS[@]}"; do
        [[ $arch == x86_64 || $arch == arm64 ]] || die -2 "--arch $1: must be x86_64 or arm64"
        # Of Debian 13 there is a guest for an x86-64 machine only.
        [[ $arch == arm64 || $HOST_ARCH == x86_64 ]] || die -2 "--arch $1: an x86_64 guest needs an x86-64 machine, but this one is $(uname -m)"
    done
}

arch_of() {
    printf '%s\n' "${ARCHS[$1 - 1]:-${ARCHS[0]}}"
}

arch_any() {
    local arch
    for arch in "${ARCHS[@]}"; do
        if [[ $arch == "$HOST_ARCH" ]]; then
            [[ $1 != native ]] || return 0
        else
            [[ $1 != foreign ]] || return 0
        fi
    done
    return 1
}

arch_use() {
    ARCH=$1 ARCH_FOREIGN=''
    [[ $ARCH == "$HOST_ARCH" ]] || ARCH_FOREIGN=1
    case $ARCH in
        x86_64)
            ARCH_DEBIAN=amd64 ARCH_QEMU=qemu-system-x86_64 ARCH_PACKAGE=qemu-system-x86
            ARCH_MACHINE=q35 ARCH_KVM_MACHINE=q35
            # Without erms and fsrm, the kernel and libc copy and clear by words and vectors: an emulator executes `rep
            # movsb` byte by byte.
            ARCH_CPU=max,-erms,-fsrm
            ARCH_KERNEL_ARGUMENTS=(console=ttyS0 tsc=reliable no_timer_check 8250.nr_uarts=1)
            ;;
        arm64)
            ARCH_DEBIAN=arm64 ARCH_QEMU=qemu-system-aarch64 ARCH_PACKAGE=qemu-system-arm
            # KVM has the interrupt controller of the real machine.
            ARCH_MACHINE=virt ARCH_KVM_MACHINE=virt,gic-version=host
            # The CPU of Graviton 2 and Altra. With everything that QEMU can emulate (max: vectors of any length, signed
            # pointers) it is slower, and a JVM crashed because of a corrupted handle (QEMU 7.2).
            ARCH_CPU=neoverse-n1
            ARCH_KERNEL_ARGUMENTS=(console=ttyAMA0)
            ;;
    esac
}

arch_use "$HOST_ARCH"

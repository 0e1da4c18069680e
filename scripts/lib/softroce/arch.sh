# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# The architecture of a guest, and what goes with each. Needs common.sh.
#
#   HOST_ARCH            this machine's
#   arch_parse VALUE     sets ARCHS to what --arch says, one for all machines or one for each, and ARCH_ASKED to VALUE; or dies
#   arch_of MACHINE      prints the architecture of that machine
#   arch_any native|foreign   true when ARCHS has this machine's architecture; another one
#   arch_use ARCH        sets ARCH to it, and
#                          ARCH_FOREIGN   where this machine's programs do not run: 1. The guest is emulated, and has a root file
#                                         system of its own (arm64.sh)
#                          ARCH_QEMU, ARCH_PACKAGE   the program that is such a machine, and the package that has it

HOST_ARCH=x86_64

arch_parse() {
    local arch
    ARCH_ASKED=$1
    IFS=, read -r -a ARCHS <<<"$1,"
    for arch in "${ARCHS[@]}"; do
        [[ $arch == x86_64 || $arch == arm64 ]] || die -2 "--arch $1: not x86_64 or arm64"
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
        x86_64) ARCH_QEMU=qemu-system-x86_64 ARCH_PACKAGE=qemu-system-x86 ;;
        arm64) ARCH_QEMU=qemu-system-aarch64 ARCH_PACKAGE=qemu-system-arm ;;
    esac
}

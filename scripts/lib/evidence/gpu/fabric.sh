# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs the fabric of stand-in adapters. Needs common.sh, gcc, the kernel's headers, libibverbs and its providers.
#
#   FABRIC_PACKAGES      what of Debian it needs
#   pack_fabric FOLDER   into FOLDER/fabric and FOLDER/kernel on x86-64: the stand-in, libibverbs and libmlx5 with what they need, and port, which runs a command there

readonly FABRIC_PACKAGES=(gcc libc6-dev linux-libc-dev libibverbs1 ibverbs-providers)

pack_fabric() {
    local source=$RDMA4J_ROOT/verbs-ffm/src/test/c/mlx5-kernel folder=$1/fabric verbs provider library
    [[ $(uname -m) == x86_64 ]] || return 0 # elsewhere the stand-in was not tried
    mkdir -p -- "$folder/lib" "$1/kernel"
    CC=gcc sh "$source/../kernel/build" mlx5 "$folder/mlx5-kernel.so"
    cp -- "$source/run" "$folder/run"
    cp -- "$source/../kernel/sysfs.sh" "$1/kernel/sysfs.sh"
    cp -- "$RDMA4J_ROOT/scripts/lib/evidence/gpu/fabric-port" "$folder/port"
    verbs=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n 's|.*(libc6,x86-64) => \(.*/libibverbs\.so\.1\)$|\1|p' | head -n 1)
    provider=$(find "${verbs%/*}/libibverbs" -name 'libmlx5-rdmav*.so' 2>/dev/null | head -n 1)
    [[ -n $provider ]] || die 'libibverbs or its provider libmlx5 is not installed' "install ${FABRIC_PACKAGES[*]}"
    cp -L -- "$verbs" "$folder/lib"
    # The library of that name is also the provider.
    cp -L -- "$provider" "$folder/lib/libmlx5.so.1"
    ln -s libmlx5.so.1 "$folder/lib/${provider##*/}"
    # libnl, under the names that the linker searches for.
    ldd -- "$verbs" | sed -n 's|.*\(libnl[^ ]*\) => \([^ ]*\) .*|\1 \2|p' | while read -r library verbs; do
        cp -L -- "$verbs" "$folder/lib/$library"
    done
}

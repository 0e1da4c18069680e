# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A guest for a machine that cannot fetch one, such as a container. Needs common.sh, kernel.sh and initrd.sh.
#
#   prepare VERSION FOLDER   fills FOLDER with vmlinux, initrd and the modules: what RDMA4J_GUEST names later

# The kept modules of these folders: modules that a test of network programs may load. The rest is two thirds of the
# package.
declare -A PREPARE_KEPT=(
    [drivers]=' block infiniband net virtio '
    [fs]=' 9p configfs fscache fuse netfs overlayfs '
    [net]=' 802 8021q 9p bridge core dns_resolver ipv4 ipv6 llc mpls mptcp netfilter netlink packet psample rds sched sctp smc tls unix vmw_vsock xfrm '
)

prepare() {
    local folder=$2 part path
    mkdir -p -- "$folder" && [[ -w $folder ]] || die "--prepare $folder: the folder cannot be written"
    [[ -z $(ls -A -- "$folder") ]] || die "--prepare $folder: the folder is not empty" 'name another folder, or empty it'
    kernel_get "$1"
    initrd_get
    cp -r --reflink=auto -- "$KERNEL_DIR/lib" "$KERNEL_DIR/vmlinux" "$folder/"
    cp -- "$INITRD" "$folder/initrd"
    for part in drivers fs net; do
        for path in "$folder/lib/modules/$KERNEL_RELEASE/kernel/$part"/*; do
            [[ ${PREPARE_KEPT[$part]} == *" ${path##*/} "* ]] || rm -rf -- "$path"
        done
    done
    # depmod creates all of them again.
    rm -f -- "$folder/lib/modules/$KERNEL_RELEASE"/modules.{alias,dep,softdep,symbols}*
    depmod -b "$folder" "$KERNEL_RELEASE"
    chmod -R a+rX,go-w -- "$folder"
    printf '%s\n' "$KERNEL_RELEASE" >"$folder/complete"
    say "Linux $KERNEL_RELEASE is prepared in $folder, $(du -sm -- "$folder" | cut -f 1) MiB"
}

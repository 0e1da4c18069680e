# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # INITRD is for the file that sources this one; once.sh sets work
#
# The guest's initrd: busybox, the modules that it needs before it has a root, guest-boot and guest-main. Built once for
# what goes into it and kept in the cache. Needs common.sh, once.sh and a kernel (kernel.sh).
#
#   initrd_get   sets INITRD to the file

INITRD_ROOT_MODULES=(virtio_pci virtio_console 9pnet_virtio 9p overlay)
INITRD_RDMA_MODULES=(veth rdma_rxe ib_uverbs rdma_ucm)

# initrd_modules FOLDER MODULE…: copies the modules and their dependencies into FOLDER, with names in the order of
# loading. Leaves out modules that an earlier call has copied.
initrd_modules() {
    local folder=$1 module needed kind file name number=100
    shift
    mkdir -p -- "$folder"
    for module in "$@"; do
        needed=$(modprobe -S "$KERNEL_RELEASE" -d "$KERNEL_DIR" --show-depends "$module" 2>&1) ||
            die "Linux $KERNEL_RELEASE in $KERNEL_DIR has no $module:" "$needed" 'delete that folder, and it is fetched again'
        while read -r kind file _; do
            [[ $kind == insmod ]] || continue # "builtin"
            name=${file##*/}
            name=${name%.ko*}
            [[ -z ${INITRD_SEEN[$name]:-} ]] || continue
            INITRD_SEEN[$name]=1
            case $file in
                *.xz) xz -dc -- "$file" ;;
                *.zst) zstd -dcq -- "$file" ;;
                *) cat -- "$file" ;;
            esac >"$folder/$number-$name.ko"
            number=$((number + 1))
        done <<<"$needed"
    done
}

initrd_busybox() {
    if [[ -n ${ARCH_FOREIGN:-} ]]; then printf '%s\n' "$ARM64_ROOT/usr/bin/busybox"; else command -v busybox; fi
}

initrd_build() {
    local root=$work/root here=$RDMA4J_ROOT/scripts/lib/softroce
    declare -A INITRD_SEEN=()
    mkdir -p -- "$root"/{bin,proc,sys,dev,lower,upper,root}
    cp -- "$(initrd_busybox)" "$root/bin/busybox"
    cp -- "$here/guest-boot" "$root/init"
    cp -- "$here/guest-main" "$root/guest-main"
    chmod 755 "$root/init"
    if [[ ${ACCEL:-} != uml ]]; then # which has them built in
        initrd_modules "$root/modules/root" "${INITRD_ROOT_MODULES[@]}"
        if [[ ${DEVICE:-} == pvrdma ]]; then
            initrd_modules "$root/modules/rdma" vmxnet3 ib_uverbs rdma_ucm
            cp -- "$PVRDMA_DRIVER" "$root/modules/rdma/vmw_pvrdma.ko"
        else
            initrd_modules "$root/modules/rdma" "${INITRD_RDMA_MODULES[@]}"
        fi
    fi
    # Not compressed, because an emulated CPU unpacks more slowly than QEMU copies. The output depends only on the input
    # files, because images are compared with images that were built elsewhere.
    find "$root" -exec touch -h -d @0 {} +
    (cd -- "$root" && find . | LC_ALL=C sort | cpio --quiet --reproducible -R 0:0 -o -H newc) >"$work/tree" ||
        die "the guest's initrd could not be written" 'check the free space of the cache folder (RDMA4J_CACHE)'
}

initrd_get() {
    local here=$RDMA4J_ROOT/scripts/lib/softroce key cache
    if [[ $KERNEL_DIR == "${RDMA4J_GUEST:-}" ]]; then
        INITRD=$KERNEL_DIR/initrd
        return
    fi
    key=$({
        printf '%s\n' "$KERNEL_DIR" ${PVRDMA_DRIVER:+"$PVRDMA_DRIVER"}
        cat -- "$(initrd_busybox)" "$here/guest-boot" "$here/guest-main" "$here/initrd.sh"
    } | sha256sum)
    cache=$(cache_dir initrd) || exit
    once "$cache" "${key:0:20}" '' initrd_build
    INITRD=$cache/${key:0:20}
}

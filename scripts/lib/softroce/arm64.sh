# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# The guest of another architecture: aarch64 (--arch arm64), emulated on any machine. Its programs cannot be this machine's, so
# it has a root file system of its own: packages of a Debian that has a JDK 25, fetched by the system's package manager into the
# cache and unpacked there; nothing is installed. This machine's folders that hold no system are put on top of it (guest-main).
# Needs common.sh, packages.sh, apt-suite.sh, kernel.sh.
#
#   ARM64_PACKAGES       what this machine needs for it, beside what each microVM needs
#   arm64_get            makes sure that it is in the cache; sets KERNEL_DIR and KERNEL_RELEASE as kernel_get does, and
#                          ARM64_ROOT     its root file system
#                          ARM64_JDK      its JDK, as the guest sees it
#   arm64_machine        sets VM_COMMAND to the command line that says what machine it is

ARM64_PACKAGES=(qemu-system-arm)

ARM64_SUITE=trixie
# What scripts and tests of ours start, beside the kernel and the initrd's shell. The compiler and the headers are for unit tests.
ARM64_GUEST_PACKAGES=(linux-image-arm64 busybox-static base-files bash coreutils dash diffutils file findutils gawk grep gzip
    hostname iproute2 kmod libc-bin mount procps sed tar util-linux
    rdma-core ibverbs-providers ibverbs-utils libibverbs1 librdmacm1t64 rdmacm-utils perftest
    openjdk-25-jdk-headless gcc libc6-dev libibverbs-dev librdmacm-dev)

arm64_get() {
    local key folder
    key=$({
        printf '%s\n' "$ARM64_SUITE" "${ARM64_GUEST_PACKAGES[@]}"
        declare -f arm64_fetch arm64_finish
    } | sha256sum)
    folder=$(cache_dir arm64)/$ARM64_SUITE-${key:0:8}
    once_done "$folder" || arm64_fetch "$folder"
    ARM64_ROOT=$folder/root
    ARM64_JDK=$(<"$folder/jdk")
    KERNEL_DIR=$folder/kernel
    KERNEL_RELEASE=$(<"$folder/complete")
}

# arm64_fetch FOLDER
arm64_fetch() (
    cache=$(cache_dir arm64) work='' package=''
    kernel_begin "$cache" "$1" "fetching the packages of Debian $ARM64_SUITE for arm64, some 300 MB" || return 0
    packages_need_debian "${ARM64_GUEST_PACKAGES[@]}"
    apt_suite "$ARM64_SUITE" arm64 || die "the packages of Debian $ARM64_SUITE for arm64 cannot be read, of which the guest is made" \
        "$APT_SUITE_FAILURE" 'a machine with a network is needed once; then the cache folder has them'
    log=$cache/fetch.log
    # What other versions of this file have left is not kept for ever.
    find "$cache" -mindepth 1 -maxdepth 1 -name "$ARM64_SUITE-*" -mtime +30 -exec rm -rf -- {} +
    mkdir -p -- "$work/archives/partial" "$work/tree/root/usr"/{bin,sbin,lib}
    apt-get -q -y --download-only --no-install-recommends "${APT_SUITE[@]}" -o "Dir::Cache::Archives=$work/archives" \
        install "${ARM64_GUEST_PACKAGES[@]}" </dev/null >"$log" 2>&1 ||
        die "the package manager could not fetch the packages of Debian $ARM64_SUITE for arm64:" \
            "$(grep '^[EW]:' "$log" | head -n 5)" "the whole output is in $log"
    say 'unpacking them'
    for package in bin sbin lib; do ln -s "usr/$package" "$work/tree/root/$package"; done
    for package in "$work"/archives/*.deb; do
        dpkg --fsys-tarfile "$package" | tar -x -C "$work/tree/root" --keep-directory-symlink --no-same-owner \
            --exclude './usr/lib/jvm/*/jmods' --exclude './usr/lib/linux-image-*' --exclude './usr/share/doc' \
            --exclude './usr/share/man' --exclude './usr/share/locale' "${KERNEL_UNUSED[@]}" ||
            die "$package cannot be unpacked"
    done
    arm64_finish "$work/tree"
    kernel_end "$1"
)

# arm64_finish FOLDER: what the scripts of the packages would have done, as far as anybody misses it.
arm64_finish() {
    local root=$1/root release jdk tool
    release=$(basename -- "$root"/usr/lib/modules/*)
    mkdir -p -- "$1/kernel" "$root"/{dev,proc,sys,run,tmp,root,home,etc,var/tmp}
    chmod 1777 "$root/tmp" "$root/var/tmp"
    [[ -e $root/usr/bin/sh ]] || ln -s dash "$root/usr/bin/sh"
    [[ -e $root/usr/bin/cc ]] || ln -s gcc "$root/usr/bin/cc"
    [[ -e $root/usr/bin/awk ]] || ln -s gawk "$root/usr/bin/awk"
    printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >"$root/etc/passwd"
    printf 'root:x:0:\ntty:x:5:\nnogroup:x:65534:\n' >"$root/etc/group"
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
    printf 'passwd: files\ngroup: files\nhosts: files\n' >"$root/etc/nsswitch.conf"
    jdk=$(echo "$root"/usr/lib/jvm/java-25-*)
    for tool in "$jdk"/bin/*; do ln -sf "${tool#"$root"}" "$root/usr/bin/${tool##*/}"; done
    printf '%s\n' "${jdk#"$root"}" >"$1/jdk"
    depmod -b "$root" "$release"
    ln -s ../root/usr/lib "$1/kernel/lib"
    mv -- "$root/boot/vmlinuz-$release" "$1/kernel/vmlinux"
    rm -rf -- "${root:?}/boot"
    printf '%s\n' "$release" >"$1/complete"
}

# The processor of Graviton 2 and Altra. With all that QEMU can emulate (max: vectors of any length, signed pointers) it is slower, and
# a JVM died of a broken handle (QEMU 7.2).
arm64_machine() {
    VM_COMMAND=(qemu-system-aarch64 -no-user-config -nodefaults -display none -no-reboot -machine virt
        -accel 'tcg,thread=multi,tb-size=512' -cpu neoverse-n1 -smp "$CPUS")
}

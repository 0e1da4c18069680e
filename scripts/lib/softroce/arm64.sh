# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # variables for the files that source this one; once.sh sets work and log
#
# The guest of another architecture: aarch64 (--arch arm64) on an x86-64 machine, emulated. Its programs cannot be this machine's, so
# it has a root file system of its own: packages of a Debian that has a JDK 25, fetched by the system's package manager into the
# cache and unpacked there; nothing is installed. This machine's folders that hold no system are put on top of it (guest-main).
# Needs common.sh, once.sh, packages.sh, apt-suite.sh, debian-root.sh, kernel.sh.
#
#   ARM64_PACKAGES       what this machine needs for it, beside what each microVM needs
#   arm64_get            makes sure that it is in the cache; sets KERNEL_DIR and KERNEL_RELEASE as kernel_get does, and
#                          ARM64_ROOT     its root file system
#                          ARM64_JDK      its JDK, as the guest sees it

ARM64_PACKAGES=(qemu-system-arm)

ARM64_SUITE=trixie
# The kernel, and the packages of the initrd's shell.
ARM64_GUEST_PACKAGES=("${DEBIAN_ROOT_PACKAGES[@]}" linux-image-arm64 busybox-static openjdk-25-jdk-headless)

arm64_get() {
    local key folder cache
    key=$({
        printf '%s\n' "$ARM64_SUITE" "${ARM64_GUEST_PACKAGES[@]}"
        declare -f arm64_fetch arm64_finish debian_root debian_root_finish
    } | sha256sum)
    cache=$(cache_dir arm64) || exit
    folder=$cache/$ARM64_SUITE-${key:0:8}
    once "$cache" "${folder##*/}" "fetching the packages of Debian $ARM64_SUITE for arm64, some 300 MB" arm64_fetch
    ARM64_ROOT=$folder/root
    ARM64_JDK=$(<"$folder/jdk")
    KERNEL_DIR=$folder/kernel
    KERNEL_RELEASE=$(<"$folder/complete")
}

arm64_fetch() {
    DEBIAN_ROOT_WITHOUT=(--exclude './usr/lib/jvm/*/jmods' --exclude './usr/lib/linux-image-*' "${KERNEL_UNUSED[@]}")
    debian_root "$ARM64_SUITE" arm64 "$work" "$work/tree/root" "${ARM64_GUEST_PACKAGES[@]}"
    arm64_finish "$work/tree"
}

# arm64_finish FOLDER: moves the kernel into its own folder, and adds the JDK's programs to the PATH.
arm64_finish() {
    local root=$1/root release jdk tool
    release=$(basename -- "$root"/usr/lib/modules/*)
    mkdir -p -- "$1/kernel"
    jdk=$(echo "$root"/usr/lib/jvm/java-25-*)
    for tool in "$jdk"/bin/*; do ln -sf "${tool#"$root"}" "$root/usr/bin/${tool##*/}"; done
    printf '%s\n' "${jdk#"$root"}" >"$1/jdk"
    depmod -b "$root" "$release"
    ln -s ../root/usr/lib "$1/kernel/lib"
    mv -- "$root/boot/vmlinuz-$release" "$1/kernel/vmlinux"
    rm -rf -- "${root:?}/boot"
    printf '%s\n' "$release" >"$1/complete"
}

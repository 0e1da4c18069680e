# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # work and log: once.sh sets them
#
# A root file system of another Debian, or for another architecture: packages that the system's package manager fetches and that are
# unpacked; nothing is installed, and no script of theirs runs. Needs common.sh, once.sh, packages.sh, apt-suite.sh.
#
#   DEBIAN_ROOT_PACKAGES   what scripts and tests of ours start there. The compiler and the headers are for some tests
#   debian_root SUITE ARCH WORK ROOT PACKAGE…
#                          makes ROOT of these packages of a suite (trixie) for a Debian architecture (amd64), with WORK, a
#                          folder, for what it fetches; called by once. What tar leaves out beside documentation: DEBIAN_ROOT_WITHOUT

# shellcheck disable=SC2034 # read by the files that source this one
DEBIAN_ROOT_PACKAGES=(base-files bash coreutils dash diffutils file findutils gawk grep gzip
    hostname iproute2 kmod libc-bin mount procps sed tar util-linux
    rdma-core ibverbs-providers ibverbs-utils libibverbs1 rdmacm-utils perftest
    gcc libc6-dev libibverbs-dev librdmacm-dev)
DEBIAN_ROOT_WITHOUT=()

debian_root() {
    local suite=$1 arch=$2 work=$3 root=$4 package
    shift 4
    packages_need_debian "$@"
    apt_suite "$suite" "$arch" || die "the package list of Debian $suite for $arch, from which the guest is built, cannot be read" \
        "$APT_SUITE_FAILURE" 'a machine with a network is needed once; then the cache folder has them'
    mkdir -p -- "$work/archives/partial" "$root/usr"/{bin,sbin,lib,lib64}
    fetched apt-get -q -y --download-only --no-install-recommends "${APT_SUITE[@]}" -o "Dir::Cache::Archives=$work/archives" \
        install "$@" >"$log" ||
        die "the package manager could not fetch the packages of Debian $suite for $arch:" \
            "$(grep '^[EW]:' "$log" | head -n 5)" "the whole output is in $log"
    say 'unpacking the packages'
    for package in bin sbin lib lib64; do ln -s "usr/$package" "$root/$package"; done
    for package in "$work"/archives/*.deb; do
        dpkg --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --no-same-owner \
            --exclude './usr/share/doc' --exclude './usr/share/man' --exclude './usr/share/locale' "${DEBIAN_ROOT_WITHOUT[@]}" ||
            die "$package cannot be unpacked"
    done
    debian_root_finish "$root"
}

# debian_root_finish ROOT: does the part of the packages' scripts that is needed.
debian_root_finish() {
    local root=$1
    mkdir -p -- "$root"/{dev,proc,sys,run,tmp,root,home,etc,var/tmp}
    chmod 1777 "$root/tmp" "$root/var/tmp"
    [[ -e $root/usr/bin/sh ]] || ln -s dash "$root/usr/bin/sh"
    [[ -e $root/usr/bin/cc ]] || ln -s gcc "$root/usr/bin/cc"
    [[ -e $root/usr/bin/awk ]] || ln -s gawk "$root/usr/bin/awk"
    printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >"$root/etc/passwd"
    printf 'root:x:0:\ntty:x:5:\nnogroup:x:65534:\n' >"$root/etc/group"
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
    printf 'passwd: files\ngroup: files\nhosts: files\n' >"$root/etc/nsswitch.conf"
}

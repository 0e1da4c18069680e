# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # variables for and of the files that source this one
#
# The guest's kernel: a Debian kernel package, fetched by the system's package manager into the cache and unpacked
# there. Nothing is installed. Needs common.sh, once.sh, packages.sh, apt-suite.sh and an architecture (arch_use of softroce/arch.sh).
#
#   kernel_get VERSION   makes sure that the kernel is in the cache and sets
#                          KERNEL_DIR      its folder, with vmlinux and lib/modules/RELEASE
#                          KERNEL_RELEASE  what `uname -r` says there
#                        VERSION: "default" is what the distribution's linux-image-amd64 (arm64) stands for; else a kernel
#                        package's name, or its version part as in 6.1.0-50, or the beginning of that, as in 6.12:
#                        the newest. If the configured package sources do not have it, it is taken from the cache, then
#                        from the backports of this machine's distribution. "newest": of Debian's unstable suite.
#                        "default" is the one in $RDMA4J_GUEST, where that is set (prepare.sh).

# Options that have apt read one suite only; empty: the configured sources.
KERNEL_APT=()

# kernel_use SUITE: makes apt read only this suite, such as "backports" of this machine's distribution. Status 1 if it
# cannot be read.
kernel_use() {
    apt_suite "$1" || return 1
    KERNEL_APT=("${APT_SUITE[@]}")
}

# Prints the versions that can be fetched, in the format of --kernel, one per line.
kernel_available() {
    apt-cache "${KERNEL_APT[@]}" search --names-only "^linux-image-[0-9].*-$ARCH_DEBIAN\$" 2>/dev/null |
        sed -nE "/-(cloud|rt)-$ARCH_DEBIAN /d; s/^linux-image-([^ ]*)-$ARCH_DEBIAN .*/\1/p" | sort -uV
}

# kernel_newest VERSION < VERSIONS: the newest of the versions that VERSION is the beginning of, as 6.12 is of 6.12.3.
kernel_newest() {
    awk -v wanted="$1" 'index($0, wanted) == 1 && substr($0, length(wanted) + 1) ~ /^([^0-9]|$)/' | sort -V | tail -n 1
}

# kernel_resolve PACKAGE: prints "PACKAGE VERSION" of the package that contains the kernel, following a meta-package's
# dependency; status 1 if there is nothing to fetch.
kernel_resolve() {
    local package=$1 record version depends
    local depth
    for depth in 1 2 3; do
        record=$(apt-cache "${KERNEL_APT[@]}" show --no-all-versions -- "$package" 2>/dev/null) || return 1
        version=$(sed -n 's/^Version: //p' <<<"$record")
        # apt-cache treats an unknown name as a pattern, and shows the matches.
        [[ -n $version && $(sed -n 's/^Package: //p' <<<"$record") == "$package" ]] || return 1
        depends=$(sed -nE 's/^Depends: (.*, *)?(linux-image-[0-9][^ ,]*).*/\2/p' <<<"$record")
        if [[ -z $depends ]]; then
            printf '%s %s\n' "$package" "$version"
            return 0
        fi
        package=$depends
    done
    warn "$1: no kernel found behind $depth dependencies"
    return 1
}

# kernel_is_prepared VERSION: the folder that `softroce --prepare` has made (prepare.sh) serves.
kernel_is_prepared() {
    [[ $1 == default && -n ${RDMA4J_GUEST:-} ]] || return 1
    [[ -e $RDMA4J_GUEST/complete ]] ||
        die "RDMA4J_GUEST=$RDMA4J_GUEST contains no prepared guest" 'make one with scripts/softroce --prepare FOLDER'
}

# Files that no guest can use, as options of tar; most of a kernel package are drivers of desktop hardware.
KERNEL_UNUSED=()
for folder in drivers/{gpu,media,staging,iio,usb,hid,input,scsi,ata,mmc,mtd,platform,bluetooth,hwmon,isdn,leds} \
    drivers/net/{wireless,ethernet,can,usb,wan} drivers/infiniband/hw sound; do
    KERNEL_UNUSED+=(--exclude "*/lib/modules/*/kernel/$folder")
done
unset folder

# kernel_unpack FOLDER DEB...
kernel_unpack() {
    local into=$1 deb release image log
    shift
    mkdir -p -- "$into"
    for deb; do
        log=$({ dpkg --fsys-tarfile "$deb" | tar -x -C "$into" "${KERNEL_UNUSED[@]}" --exclude './usr/share'; } 2>&1) ||
            die "${deb##*/} cannot be unpacked:" "$(head -n 1 <<<"$log")"
    done
    if [[ -d $into/usr/lib/modules ]]; then # packages since Debian 13
        mkdir -p -- "$into/lib"
        mv -- "$into/usr/lib/modules" "$into/lib/modules"
    fi
    release=$(basename -- "$into"/lib/modules/*)
    image=$into/boot/vmlinuz-$release
    [[ -f $image ]] || image=$into/lib/modules/$release/vmlinuz
    depmod -b "$into" "$release"
    "kernel_image_$ARCH" "$image" "$into/vmlinux" || die "the kernel image of $release cannot be unpacked"
    rm -rf -- "${into:?}/boot" "$into/lib/modules/$release/vmlinuz"
    printf '%s\n' "$release" >"$into/complete"
}

# kernel_image_ARCH IMAGE FILE: writes into FILE the kernel that QEMU enters.

# The boot protocol's header says where the compressed ELF image is (Documentation/arch/x86/boot.rst). QEMU enters that image directly
# (PVH): an emulated CPU would need seconds to decompress it.
kernel_image_x86_64() {
    local sectors offset
    sectors=$(od -An -tu1 -j 497 -N 1 -- "$1")
    offset=$(od -An -tu4 -j 584 -N 4 -- "$1")
    tail -c "+$(((sectors + 1) * 512 + offset + 1))" -- "$1" >"$2.payload"
    kernel_decompress "$2.payload" | cat >"$2" && [[ $(od -An -tx1 -N 4 -- "$2") == ' 7f 45 4c 46' ]] || return 1
    rm -- "$2.payload"
}

# It is one already (Documentation/arch/arm64/booting.rst).
kernel_image_arm64() {
    [[ $(od -An -tx1 -j 56 -N 4 -- "$1") == ' 41 52 4d 64' ]] && cp -- "$1" "$2"
}

# Decompresses the beginning of a file; that something follows, which is not compressed data, is no error.
kernel_decompress() {
    local magic
    magic=$(od -An -tx1 -N 4 -- "$1" | tr -d ' ')
    case $magic in
        fd377a58) xz -dc --single-stream <"$1" ;;
        28b52ffd)
            have zstd || die 'the kernel image is compressed with zstd, which is not installed' "install it with: $(install_command zstd)"
            zstd -dcq <"$1" 2>/dev/null || true
            ;;
        1f8b*) gzip -dcq <"$1" 2>/dev/null || true ;;
        *) die "the kernel image has an unknown compression (it begins with $magic)" ;;
    esac
}

# kernel_download PACKAGE VERSION: downloads into $work, from the sources in $KERNEL_APT.
kernel_download() {
    local log
    # As root, apt would first try to pass the download to a user who cannot write here, and warn.
    log=$(cd -- "$work" && fetched apt-get -q -o APT::Sandbox::User=root "${KERNEL_APT[@]}" download "$1=$2") ||
        die "the package manager could not fetch $1 $2:" "$(tail -n 5 <<<"$log")" 'run apt-get update and try again'
}

# kernel_fetch PACKAGE VERSION
kernel_fetch() {
    local part parts
    kernel_download "$1" "$2"
    # Since Linux 7, the image, the modules and their lists are in separate packages.
    mapfile -t parts < <(dpkg-deb -f "$work"/*.deb Depends | grep -oE 'linux-(base|binary|modules)-[0-9][^ ,]*' || true)
    for part in "${parts[@]}"; do kernel_download "$part" "$2"; done
    kernel_unpack "$work/tree" "$work"/*.deb
}

# kernel_find VERSION: prints "PACKAGE VERSION" of the kernel in the current package sources; status 1 if there is none.
kernel_find() {
    local wanted=$1 candidate candidates=("linux-image-$1-$ARCH_DEBIAN" "linux-image-$1" "$1") newest
    [[ $wanted != default ]] || candidates=("linux-image-$ARCH_DEBIAN")
    for candidate in "${candidates[@]}"; do
        kernel_resolve "$candidate" && return
    done
    newest=$(kernel_available | kernel_newest "$wanted")
    [[ -n $newest ]] && kernel_resolve "linux-image-$newest-$ARCH_DEBIAN"
}

# The same for the cache, also on a machine without package lists.
kernel_find_cached() {
    local names newest
    names=$(find "$(cache_dir kernel)" -mindepth 2 -maxdepth 2 -name complete -printf '%h\n' | sed -n "s:.*/linux-image-\(.*-${ARCH_DEBIAN}_\):\1:p")
    if [[ $1 == default ]]; then
        newest=$(sort -V <<<"$names" | tail -n 1)
    else
        newest=$(kernel_newest "$1" <<<"$names")
    fi
    [[ -n $newest ]] && printf '%s %s\n' "linux-image-${newest%%_*}" "${newest#*_}"
}

# kernel_found VERSION: unpacks the kernel of the package sources into $work/tree.
kernel_found() {
    local suite=''
    if [[ $1 == newest ]]; then
        suite=' sid'
        kernel_use sid || die '--kernel newest: the package list of the unstable suite could not be read' "$APT_SUITE_FAILURE"
        set -- default
    fi
    answer=$(kernel_find "$1") || { [[ -z $suite ]] || die "the unstable suite names no kernel (linux-image-$ARCH_DEBIAN)"; exit 1; }
    printf '%s\n' "$answer$suite" >"$work/tree"
}

# Prints the package and version for $1, followed by its suite if that is another one; or dies. apt-cache needs a
# second, so its answer is kept until the package lists change.
kernel_choose() {
    local wanted=$1 cache key answer available
    cache=$(cache_dir choice) || exit
    key=$({ printf '%s\n' "$wanted" "$ARCH_DEBIAN" && stat -c %Y /var/lib/apt/lists /etc/apt; } 2>/dev/null | sha256sum)
    key=${key:0:20}
    if once "$cache" "$key" '' kernel_found "$wanted"; then
        answer=$(<"$cache/$key")
    elif [[ $wanted == newest ]]; then
        exit 1
    elif answer=$(kernel_find_cached "$wanted"); then
        answer=${answer//%3a/:}
    elif [[ $wanted == default ]]; then
        die "the package lists name no kernel (linux-image-$ARCH_DEBIAN)" 'run apt-get update and try again'
    else
        mapfile -t available < <(kernel_available)
        if kernel_use backports && answer=$(kernel_find "$wanted"); then
            answer+=' backports'
        else
            mapfile -t -O "${#available[@]}" available < <(((${#KERNEL_APT[@]} == 0)) || kernel_available)
            die -2 "kernel $wanted: neither the configured package sources nor the backports have it" \
                "they have: ${available[*]:-none}" 'lists that are out of date are renewed by: apt-get update'
        fi
    fi
    printf '%s\n' "$answer"
}

kernel_get() {
    local package version source answer
    if kernel_is_prepared "$1"; then
        KERNEL_DIR=$RDMA4J_GUEST
        KERNEL_RELEASE=$(<"$KERNEL_DIR/complete")
        return
    fi
    answer=$(kernel_choose "$1") || exit $?
    read -r package version source <<<"$answer"
    KERNEL_DIR=$(cache_dir kernel)/${package}_${version//:/%3a}
    if ! once_use "$KERNEL_DIR"; then
        [[ -z $source ]] || kernel_use "$source" || die "the package list of the suite $source could not be read" "$APT_SUITE_FAILURE"
        once "${KERNEL_DIR%/*}" "${KERNEL_DIR##*/}" "fetching the kernel $package $version" kernel_fetch "$package" "$version"
    fi
    KERNEL_RELEASE=$(<"$KERNEL_DIR/complete")
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # variables for the files that source this one; once.sh sets work and log
#
# The plugin of QEMU that counts a guest's instructions. Needs common.sh, once.sh.
#
#   count_is_possible   false when this machine's QEMU takes no such plugin; COUNT_REASON then says why
#   count_compiled      true when it is in the cache
#   count_get           makes sure that it is there; sets COUNT_PLUGIN to its file

COUNT_SOURCE=${BASH_SOURCE[0]%.sh}.c

count_is_possible() {
    local version major
    if [[ $(uname -m) != x86_64 ]]; then
        COUNT_REASON='instructions can be counted only on x86-64 machines'
        return 1
    fi
    version=$(qemu-system-x86_64 --version | sed -nE '1s/^QEMU emulator version ([0-9.]+).*/\1/p')
    major=${version%%.*}
    if [[ ! $(qemu-system-x86_64 -help) =~ $'\n'-plugin\  ]]; then
        COUNT_REASON="this machine's QEMU was built without plugins"
    elif ((major < 6 || major > 8)); then
        COUNT_REASON="QEMU $version has a different plugin interface than versions 6.0 to 8.2"
    else
        return 0
    fi
    return 1
}

count_file() {
    local folder
    folder=$(cache_dir count) || exit
    printf '%s/%s.so\n' "$folder" "$(sha256sum <"$COUNT_SOURCE" | cut -c 1-20)"
}

count_compiled() {
    local file
    file=$(count_file) || exit
    [[ -e $file ]]
}

count_get() {
    COUNT_PLUGIN=$(count_file) || exit
    once "${COUNT_PLUGIN%/*}" "${COUNT_PLUGIN##*/}" '' count_compile
}

count_compile() {
    cc -O2 -shared -fPIC -fvisibility=hidden -o "$work/tree" "$COUNT_SOURCE" ||
        die "the plugin that counts instructions could not be compiled: $COUNT_SOURCE"
}

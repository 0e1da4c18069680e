# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # work and log: once.sh sets them
#
# Packages of a Debian suite that is not among this machine's package sources. Needs common.sh, once.sh, packages.sh.
#
#   apt_suite SUITE [ARCH]
#                        makes APT_SUITE the options with which apt-get and apt-cache see that suite only. SUITE:
#                        "trixie", or "backports" for the backports of this machine's own suite. Status 1 when it cannot be
#                        read; APT_SUITE_FAILURE says why. With ARCH, a Debian architecture as "arm64", they see that one's
#                        packages, as on a machine where none is installed.
#
# Uses the mirror and the keys of this machine's main suite. Lists and sources are in the cache, so the machine's own
# configuration does not change. Each day has its own lists, so that replaced packages are not requested.

# shellcheck disable=SC2034 # read by the file that sources this one
APT_SUITE_FAILURE=

apt_suite() {
    local suite=$1 arch=${2:-} cache name uri codename entry key source record
    # shellcheck disable=SC2016 # fields of apt's, not the shell's variables
    record=$(apt-get indextargets --format '$(RELEASE) $(CODENAME) $(REPO_URI) $(SOURCESENTRY)' \
        'Created-By: Packages' 'Component: main' 'Origin: Debian' 2>/dev/null |
        awk '$2 !~ /-/ && ($1 == $2 || $1 ~ /^(old)*stable$/) { print $2, $3, $4; exit }')
    read -r codename uri entry <<<"$record"
    if [[ -z $entry ]]; then
        APT_SUITE_FAILURE='the package lists of this machine have no main suite of Debian (try: apt-get update)'
        return 1
    fi
    [[ $suite != backports ]] || suite=$codename-backports
    entry=${entry%:*} # without the line's number
    key=$(sed -nE 's/^Signed-By: *(\/[^ ]+).*/\1/Ip; s/^deb .*\[.*signed-by=(\/[^] ,]+).*/\1/Ip' "$entry" | head -n 1)
    source="deb ${key:+[signed-by=$key] }$uri $suite main"
    cache=$(cache_dir apt) || exit
    name=$(sha256sum <<<"$source")
    name=$suite${arch:+-$arch}-$(date +%Y-%m-%d)-${name:0:8}
    APT_SUITE_FAILURE=$(ONCE_DAYS=1 once "$cache" "$name" "reading what $suite has${arch:+ for $arch}" apt_suite_read "$source" "$arch") || return 1
    apt_suite_options "$cache/$name" "$arch"
}

# apt_suite_options FOLDER ARCH
apt_suite_options() {
    local folder=$1 arch=$2
    APT_SUITE=(-o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder" -o APT::Sandbox::User=root)
    if [[ -n $arch ]]; then
        APT_SUITE+=(-o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State=$folder"
            -o "Dir::State::status=$folder/status")
    fi
}

# apt_suite_read SOURCE ARCH: fetches the lists. Prints why that failed.
apt_suite_read() {
    local APT_SUITE
    mkdir -p -- "$work"/tree/{lists,archives}/partial
    printf '%s\n' "$1" >"$work/tree/sources.list"
    : >"$work/tree/status"
    apt_suite_options "$work/tree" "$2"
    fetched apt-get -q "${APT_SUITE[@]}" -o APT::Update::Error-Mode=any update >"$log" || {
        grep '^[EW]:' "$log" | head -n 3
        exit 1
    }
}

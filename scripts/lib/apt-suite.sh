# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packages of a Debian suite that is not among this machine's package sources. Needs common.sh.
#
#   apt_suite SUITE [ARCH]
#                        makes APT_SUITE the options with which apt-get and apt-cache see that suite only. SUITE:
#                        "trixie", or "backports" for those of this machine's own suite. Status 1 when it cannot be
#                        read; APT_SUITE_FAILURE says why. With ARCH, a Debian architecture as "arm64", they see that one's
#                        packages, as on a machine where none is installed.
#
# The mirror and the keys are those of this machine's main suite; lists and sources lie in the cache, so that nothing of
# the machine's own configuration changes.

# shellcheck disable=SC2034 # read by the file that sources this one
APT_SUITE_FAILURE=

apt_suite() {
    local suite=$1 arch=${2:-} folder uri codename entry key stamp record
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
    folder=$(cache_dir apt)/$suite${arch:+-$arch} || exit
    mkdir -p -- "$folder/lists/partial" "$folder/archives/partial"
    stamp="deb ${key:+[signed-by=$key] }$uri $suite main"
    APT_SUITE=(-o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder" -o APT::Sandbox::User=root)
    if [[ -n $arch ]]; then
        : >"$folder/status"
        APT_SUITE+=(-o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State=$folder"
            -o "Dir::State::status=$folder/status")
    fi
    # A day, so that a package that was replaced since is not asked for.
    if [[ ! -e $folder/sources.list || $(<"$folder/sources.list") != "$stamp" ||
        -z $(find "$folder/fetched" -mmin -1440 2>/dev/null) ]]; then
        say "reading what $suite has${arch:+ for $arch}"
        printf '%s\n' "$stamp" >"$folder/sources.list"
        if ! apt-get -q "${APT_SUITE[@]}" -o APT::Update::Error-Mode=any update >"$folder/log" 2>&1; then
            APT_SUITE_FAILURE=$(grep '^[EW]:' "$folder/log" | head -n 3)
            return 1
        fi
        touch -- "$folder/fetched"
    fi
}

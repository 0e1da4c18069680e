# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Debian packages: what is missing, and installing it. Needs common.sh.
#
#   missing_packages PKG…   prints those that are not installed, one a line
#   require_packages PKG…   when some are missing: names them and the command that installs them, status 1; installs them
#                           where PACKAGES_INSTALL is set
#   ensure_packages PKG…    installs the missing ones when run as root, else says what to ask the administrator for
#                           (status 1). Quiet; the package manager's output is shown only when it fails.
#   install_command PKG…    prints the command line that installs them, with sudo when not run as root
#   fetched COMMAND…        runs a command that downloads, and prints what its last run printed. A command that fails runs again
#                           after each of the pauses RDMA4J_FETCH_PAUSES (seconds, "3 10 30" by default), except when no further
#                           run can help: what it asks for does not exist, the disk is full, the code does not compile

missing_packages() {
    local package
    for package in "$@"; do
        # ${Status} is "install ok installed" only when the package is completely there.
        if [[ $(dpkg-query -W -f='${Status}' -- "$package" 2>/dev/null) != 'install ok installed' ]]; then
            printf '%s\n' "$package"
        fi
    done
}

install_command() {
    local sudo=
    ((EUID == 0)) || sudo='sudo '
    printf '%sapt-get install --no-install-recommends %s\n' "$sudo" "$*"
}

packages_need_debian() {
    have dpkg-query apt-get ||
        die 'packages can be installed only on Debian or Ubuntu: dpkg or apt-get is missing' \
            "on this system, install what corresponds to these Debian packages: $*"
}

require_packages() {
    packages_need_debian "$@"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) && return 0
    if [[ -n ${PACKAGES_INSTALL:-} ]]; then
        ensure_packages "${missing[@]}"
        return
    fi
    warn "these packages are not installed: ${missing[*]}"
    printf '    install them with: %s\n' "$(install_command "${missing[@]}")" >&2
    return 1
}

FETCH_IS_HOPELESS='Unable to locate package|no installation candidate|was not found|unmet dependencies|held broken packages'
FETCH_IS_HOPELESS+='|enough free space|No space left|ENOSPC|Permission denied|EACCES|are you root|404|ETARGET|Could not find artifact'
FETCH_IS_HOPELESS+='|COMPILATION ERROR|Compilation failure|test failures|violations|Unknown lifecycle|POM'
# A list that could not be read is why a package is not found.
FETCH_IS_DISTURBED='timed out|[Tt]imeout|Temporary failure|[Cc]onnection (reset|refused|failed|closed)|Could not (resolve|connect|transfer|get lock)'
FETCH_IS_DISTURBED+='|nreachable|ECONN|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|[^0-9](429|50[0-9])[^0-9]|Hash Sum mismatch|Remote host|Premature|Unknown host'

fetched() {
    local output status pause
    for pause in ${RDMA4J_FETCH_PAUSES-3 10 30} ''; do
        status=0
        output=$(LC_ALL=C.UTF-8 LANGUAGE="" "$@" 2>&1 </dev/null) || status=$?
        ((status != 0)) && [[ -n $pause && ($output =~ $FETCH_IS_DISTURBED || ! $output =~ $FETCH_IS_HOPELESS) ]] || break
        say "$1 failed ($(grep -v '^ *$' <<<"$output" | tail -n 1)), trying again in $pause s"
        sleep "$pause"
    done
    [[ -z $output ]] || printf '%s\n' "$output"
    return "$status"
}

# Waits for the lock, which another installation may hold, such as a machine's first-boot update.
apt_get() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

# Package lists that are missing or out of date are the usual cause of a failure: fetches them, and tries once more.
packages_install() {
    local install=(apt_get install -y --no-install-recommends "$@")
    "${install[@]}" >/dev/null 2>&1 || { apt_get update && "${install[@]}"; }
}

ensure_packages() {
    packages_need_debian "$@"
    local missing log
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) && return 0
    if ((EUID != 0)); then
        warn "these packages are not installed: ${missing[*]}"
        printf '    %s\n' 'ask the administrator of this machine to run:' \
            "$(install_command "${missing[@]}" | sed 's/^sudo //')" >&2
        return 1
    fi
    say "installing ${missing[*]}"
    if ! log=$(fetched packages_install "${missing[@]}"); then
        warn "the package manager could not install ${missing[*]}:"
        tail -n 20 <<<"$log" | sed 's/^/    /' >&2
        return 1
    fi
}

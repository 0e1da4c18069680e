# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Debian packages: what is missing, and installing it. Needs common.sh.
#
#   missing_packages PKG…   prints those that are not installed, one a line
#   require_packages PKG…   when some are missing: names them and the command that installs them, status 1
#   ensure_packages PKG…    installs the missing ones when run as root, else says what to ask the administrator for
#                           (status 1). Quiet; the package manager's output is shown only when it fails.
#   install_command PKG…    prints the command line that installs them, with sudo when not run as root

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
        die 'this needs a Debian or Ubuntu system (dpkg and apt-get are not here)' \
            "on another system install what provides these Debian packages: $*"
}

require_packages() {
    packages_need_debian "$@"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) && return 0
    warn "missing: ${missing[*]}"
    printf '    install with: %s\n' "$(install_command "${missing[@]}")" >&2
    return 1
}

ensure_packages() {
    packages_need_debian "$@"
    local missing log status=0
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} == 0)) && return 0
    if ((EUID != 0)); then
        warn "missing: ${missing[*]}"
        printf '    %s\n' 'ask the administrator of this machine to run:' \
            "$(install_command "${missing[@]}" | sed 's/^sudo //')" >&2
        return 1
    fi
    say "installing ${missing[*]}"
    log=$(mktemp)
    # The lock may be held by another installation, such as a machine's first-boot update: wait for it.
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    # Package lists that are missing or out of date are the usual cause of a failure: fetch them, try once more.
    if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >"$log" 2>&1; then
        {
            "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
        } </dev/null >"$log" 2>&1 || status=$?
    fi
    if ((status != 0)); then
        warn "the package manager could not install ${missing[*]}:"
        tail -n 20 -- "$log" | sed 's/^/    /' >&2
        rm -f -- "$log"
        return 1
    fi
    rm -f -- "$log"
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the host asks the guest to do: the shell script that guest-main reads. Needs common.sh, jdk.sh and a kernel.
#
#   request_text ACCEL COMMAND ARG…   prints the request, preceded by its length in bytes

# Names (patterns of `case`) of the variables that travel to the guest; docs/softroce.md names them for the user.
REQUEST_ENVIRONMENT='PATH|HOME|USER|LOGNAME|SHELL|TERM|COLUMNS|LINES|TZ|LANG|LANGUAGE|LC_*|CI|JAVA_HOME|JDK_HOME|
JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|MAVEN_*|M2_HOME|RDMA4J_*|RDMAV_*|IBV_*|RXE_*|UCX_*'

# Prints $1 quoted for any POSIX shell.
request_quote() {
    printf "'%s'" "${1//\'/\'\\\'\'}"
}

# Prints "NAME=VALUE", quoted, for each variable that is passed on. ENV_EXTRA contains the --env options.
request_environment() {
    local name extra pattern
    pattern="^(${REQUEST_ENVIRONMENT//$'\n'/})\$"
    pattern=${pattern//\*/.*}
    while IFS= read -r name; do
        if [[ -n $ARCH_FOREIGN && $name =~ ^(JAVA_HOME|JDK_HOME|RDMA4J_JAVA_HOME|RDMA4J_NEWER_PERFTEST|RDMA4J_BUILT_PERFTEST)$ ]]; then
            continue # programs of this machine
        elif [[ $name =~ $pattern ]]; then
            printf ' '
            request_quote "$name=${!name}"
        fi
    done < <(compgen -e)
    [[ -z $ARCH_FOREIGN ]] || printf ' JAVA_HOME=%s' "$(request_quote "$ARM64_JDK")"
    for extra in "${ENV_EXTRA[@]}"; do
        if [[ $extra != *=* ]]; then
            [[ -v $extra ]] || continue
            extra=$extra=${!extra}
        fi
        printf ' '
        request_quote "$extra"
    done
    # A cache that a guest creates is lost with it, and takes long under emulation: the guest uses this machine's cache
    # (scripts/lib/start-cache.sh).
    [[ -n ${RDMA4J_START_CACHE:-} ]] || printf ' RDMA4J_START_CACHE=use'
    printf ' '
    request_quote "PWD=$PWD"
}

# Prints the JDKs that the command may start: in the usual folders, in the environment and on the PATH, and the JDK
# whose launcher the command is.
request_jdks() {
    local home launcher
    if [[ -n $ARCH_FOREIGN ]]; then
        printf '%s\n' "$ARM64_JDK"
        return
    fi
    {
        installed_jdks
        printf '%s\n' "${JDKS[@]#* }"
        printf '%s\n' "${JAVA_HOME:-}" "${JDK_HOME:-}" "${RDMA4J_JAVA_HOME:-}"
        for launcher in java "$1"; do
            launcher=$(command -v -- "$launcher") || continue
            launcher=$(readlink -f -- "$launcher")
            printf '%s\n' "${launcher%/bin/*}"
        done
    } | sort -u | while IFS= read -r home; do
        if [[ -n $home && -x $home/bin/java && -r $home/release ]]; then
            (cd -- "$home" && pwd -P)
        fi
    done | sort -u
}

request_body() {
    local accel=$1 tag=0 folder flags
    shift
    printf 'prepare() {\n'
    if [[ -n $MACHINE ]]; then
        printf 'hostname machine%d\n' "$MACHINE"
    else
        printf 'hostname %s\n' "$(request_quote "$(uname -n)")"
    fi
    if [[ $accel == uml ]]; then
        # Programs read the frequency of the CPU there; User-Mode Linux does not report it.
        printf 'cpuinfo %s\n' "$(request_quote "$(sed '/^$/q' /proc/cpuinfo)")"
    elif [[ -n $ARCH_FOREIGN ]]; then
        printf 'host_folders\n' # the modules are in its root file system
    else
        printf 'modules %s\n' "$(request_quote "$KERNEL_DIR/lib/modules")"
    fi
    for folder in "${WRITABLE[@]}"; do
        printf 'share share%d %s\n' "$tag" "$(request_quote "$folder")"
        tag=$((tag + 1))
    done
    if [[ -n $MACHINE ]]; then
        printf 'machine %d %d %s %s %d\n' "$MACHINE" "$MACHINES" "$MACHINE_NET" "$TRANSPORT" "${WIRE_MTU:-4200}"
        if [[ -n $WIRE_NETEM ]]; then
            printf 'netem 1%s\n' "$WIRE_NETEM"
        else
            printf 'driver sch_netem\n' # for softroce wire: a guest's kernel cannot fetch it later
        fi
    elif [[ $DEVICE == pvrdma ]]; then
        printf 'adapter\n'
    else
        printf 'devices %d %s %d\n' "$DEVICES" "$TRANSPORT" "${WIRE_MTU:-4200}"
        [[ -z $WIRE ]] || printf 'wire %d%s\n' "$DEVICES" "$WIRE_NETEM"
    fi
    printf 'memlock %s\n' "$MEMLOCK"
    if [[ -n $COUNT ]]; then
        printf 'short_turns 100000\n'
    elif [[ $CPUS == 1 && -z $ICOUNT ]]; then
        printf 'short_turns 500000\n'
    fi
    local flags=''
    case $accel-$JVM_MODE-$ARCH in
        tcg-start-*) flags=-XX:TieredStopAtLevel=1 ;;
        # With one virtual CPU none runs code that another patches, and a JVM is safe as it is; and on aarch64, where an instruction is
        # read as a whole.
        tcg-speed-x86_64) ((CPUS == 1)) || flags=-XX:-TieredCompilation ;;
    esac
    if [[ -n $flags ]]; then
        request_jdks "$1" | while IFS= read -r folder; do
            printf 'jdk %s %s\n' "$(request_quote "$folder")" "$flags"
        done
    fi
    printf '}\ncommand_line() {\n'
    printf 'cd %s || exit 126\n' "$(request_quote "$PWD")"
    # env: a new environment, and signals as a command expects them (a shell's background job ignores SIGINT).
    printf 'exec setsid /usr/bin/env -i --default-signal%s' "$(request_environment)"
    local word
    for word in "$@"; do
        printf ' '
        request_quote "$word"
    done
    printf '\n}\n'
}

request_text() {
    local body length
    body=$(request_body "$@" && printf x)
    body=${body%x}
    length=$(LC_ALL=C && printf '%d' "${#body}") # in bytes
    printf '%d\n%s' "$length" "$body"
}

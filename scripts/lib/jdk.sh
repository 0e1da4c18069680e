# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Finds a JDK. Needs common.sh.
#
#   find_jdk VERSION    prints the home folder of a JDK whose feature version is VERSION or later, looking at
#                       RDMA4J_JAVA_HOME, JAVA_HOME, the java on the PATH, then the usual install folders (where the
#                       lowest version that is enough wins). None: a message that says what to do, and status 1.
#   look_for_jdk VERSION    the same, into FOUND_JDK, without a process of its own: each costs the start of a tool a millisecond
#   installed_jdks      sets JDKS to "VERSION HOME" of each JDK in the usual install folders
#
# RDMA4J_JAVA_HOME is binding: if it is set but unsuitable, that is an error, and no other JDK is tried.

# Sets JDK_VERSION to the feature version (25) of the JDK in HOME, or to nothing, with status 1.
read_jdk_version() {
    # The `release` file is read instead of running java: it costs no JVM start. A folder counts as a JDK, not a
    # runtime image, when it has a compiler.
    local home=$1 line
    JDK_VERSION=''
    [[ -r $home/release && -x $home/bin/java && -x $home/bin/javac ]] || return 1
    while IFS= read -r line; do
        if [[ $line =~ ^JAVA_VERSION=\"(1\.)?([0-9]+) ]]; then
            JDK_VERSION=${BASH_REMATCH[2]}
            return 0
        fi
    done <"$home/release"
    return 1
}

# Where packages, SDKMAN!, asdf, Gradle and IDEs put them.
installed_jdks() {
    local home
    JDKS=()
    for home in /usr/lib/jvm/* /usr/java/* /usr/local/lib/jvm/* /opt/java/* /opt/jdk* /opt/*jdk* /opt/jvm/* \
        /usr/local/openjdk* /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.asdf/installs/java/* \
        "${HOME:-/nonexistent}"/.jdks/* "${HOME:-/nonexistent}"/.gradle/jdks/*; do
        if [[ -d $home && ! -L $home ]] && read_jdk_version "$home"; then
            JDKS+=("$JDK_VERSION $home")
        fi
    done
}

find_jdk() {
    local FOUND_JDK
    look_for_jdk "$1" || return 1
    printf '%s\n' "$FOUND_JDK"
}

look_for_jdk() {
    local wanted=$1 found=() java jdk best='' JDK_VERSION JDKS
    FOUND_JDK=${RDMA4J_JAVA_HOME:-}
    if [[ -n $FOUND_JDK ]]; then
        ! read_jdk_version "$FOUND_JDK" || ((JDK_VERSION < wanted)) || return 0
        warn "RDMA4J_JAVA_HOME=$FOUND_JDK is ${JDK_VERSION:+JDK $JDK_VERSION, }not a JDK $wanted or later"
        return 1
    fi
    FOUND_JDK=${JAVA_HOME:-}
    if [[ -n $FOUND_JDK ]] && read_jdk_version "$FOUND_JDK"; then
        ((JDK_VERSION < wanted)) || return 0
        found+=("$JDK_VERSION $FOUND_JDK")
    fi
    # As "command -v" finds it, which would be a process.
    if hash java 2>/dev/null; then
        java=${BASH_CMDS[java]}
        [[ ! -L $java ]] || java=$(readlink -f -- "$java")
        FOUND_JDK=${java%/*/*}
        if read_jdk_version "$FOUND_JDK"; then
            ((JDK_VERSION < wanted)) || return 0
            found+=("$JDK_VERSION $FOUND_JDK")
        fi
    fi
    installed_jdks
    FOUND_JDK=''
    for jdk in ${JDKS[@]+"${JDKS[@]}"}; do
        if ((${jdk%% *} < wanted)); then
            found+=("$jdk")
        elif [[ -z $FOUND_JDK ]] || ((${jdk%% *} < best)); then
            best=${jdk%% *} FOUND_JDK=${jdk#* }
        fi
    done
    [[ -z $FOUND_JDK ]] || return 0
    warn "no JDK $wanted or later found"
    if ((${#found[@]} > 0)); then
        printf '    these are too old: JDK %s\n' "${found[@]}" | sort -u >&2
    fi
    printf '    %s\n' "install one (https://adoptium.net, or your distribution's package)," \
        "or set RDMA4J_JAVA_HOME to the folder of a JDK $wanted that is installed" >&2
    return 1
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Finds a JDK. Needs common.sh.
#
#   find_jdk VERSION    prints the home folder of a JDK whose feature version is VERSION or later, looking at
#                       RDMA4J_JAVA_HOME, JAVA_HOME, the java on the PATH, then the usual install folders (where the
#                       lowest version that is enough wins). None: a message that says what to do, and status 1.
#   jdk_version HOME    prints the feature version (25) of the JDK in HOME, or nothing and status 1
#
# RDMA4J_JAVA_HOME is an order: when it is set and not good enough, that is an error and nothing else is tried.

jdk_version() {
    # The `release` file is read instead of running java: it costs no JVM start. A folder counts as a JDK, not a
    # runtime image, when it has a compiler.
    local home=$1 line
    [[ -r $home/release && -x $home/bin/java && -x $home/bin/javac ]] || return 1
    while IFS= read -r line; do
        if [[ $line =~ ^JAVA_VERSION=\"(1\.)?([0-9]+) ]]; then
            printf '%s\n' "${BASH_REMATCH[2]}"
            return 0
        fi
    done <"$home/release"
    return 1
}

# Prints "VERSION HOME" for each JDK in the folders where packages, SDKMAN!, asdf, Gradle and IDEs put them.
jdk_installed() {
    local home version
    for home in /usr/lib/jvm/* /usr/java/* /usr/local/lib/jvm/* /opt/java/* /opt/jdk* /opt/*jdk* /opt/jvm/* \
        /usr/local/openjdk* /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.asdf/installs/java/* \
        "${HOME:-/nonexistent}"/.jdks/* "${HOME:-/nonexistent}"/.gradle/jdks/*; do
        [[ -d $home && ! -L $home ]] || continue
        if version=$(jdk_version "$home"); then
            printf '%s %s\n' "$version" "$home"
        fi
    done
}

find_jdk() {
    local wanted=$1 home version found=() java
    if [[ -n ${RDMA4J_JAVA_HOME:-} ]]; then
        version=$(jdk_version "$RDMA4J_JAVA_HOME") || version=
        if [[ -n $version ]] && ((version >= wanted)); then
            printf '%s\n' "$RDMA4J_JAVA_HOME"
            return 0
        fi
        warn "RDMA4J_JAVA_HOME=$RDMA4J_JAVA_HOME is ${version:+JDK $version, }not a JDK $wanted or later"
        return 1
    fi
    if [[ -n ${JAVA_HOME:-} ]] && version=$(jdk_version "$JAVA_HOME"); then
        found+=("$version $JAVA_HOME")
        if ((version >= wanted)); then
            printf '%s\n' "$JAVA_HOME"
            return 0
        fi
    fi
    if java=$(command -v java); then
        java=$(readlink -f -- "$java")
        home=${java%/*/*}
        if version=$(jdk_version "$home"); then
            found+=("$version $home")
            if ((version >= wanted)); then
                printf '%s\n' "$home"
                return 0
            fi
        fi
    fi
    while read -r version home; do
        found+=("$version $home")
        if ((version >= wanted)); then
            printf '%s\n' "$home"
            return 0
        fi
    done < <(jdk_installed | sort -n)
    warn "no JDK $wanted or later found"
    if ((${#found[@]} > 0)); then
        printf '    found only: JDK %s\n' "${found[@]}" | sort -u >&2
    fi
    printf '    %s\n' "install one (https://adoptium.net, or your distribution's package), or" \
        "set RDMA4J_JAVA_HOME to the folder of one that is installed" >&2
    return 1
}

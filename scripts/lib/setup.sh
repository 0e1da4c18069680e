# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Installs what a fresh machine needs to build, run and test this project. Needs common.sh, jdk.sh, packages.sh and, to test,
# softroce/uml.sh.
#
#   set_up_to_run    installs what building, the microVM and the comparison with the C tools and with plain TCP need; sets JDK
#   set_up_to_count  the same, and what counting instructions needs, where that can be installed: as root
#   set_up_to_unit_test   what the tests need that need no device
#   set_up_to_test [PACKAGE…]   what all tests need, and these packages
#   build MODULE     builds and packages a module and what it needs with Maven, without tests

RUN_PACKAGES=(ibverbs-providers libibverbs1 librdmacm1 perftest rdma-core ibverbs-utils
    sockperf iperf3
    busybox-static cpio kmod iproute2 xz-utils)
if [[ $(uname -m) == aarch64 ]]; then RUN_PACKAGES+=(qemu-system-arm); else RUN_PACKAGES+=(qemu-system-x86); fi
# The bindings are checked against the headers and called in the libraries.
UNIT_TEST_PACKAGES=(git gcc libc6-dev libibverbs-dev librdmacm-dev perftest)
# They are also checked for aarch64, by a cross compiler where this machine is none.
[[ $(uname -m) == aarch64 ]] || UNIT_TEST_PACKAGES+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
TEST_PACKAGES=(bats shellcheck openssl)

set_up_to_run() {
    set_up "${RUN_PACKAGES[@]}"
}

set_up_to_count() {
    local packages=("${RUN_PACKAGES[@]}")
    # A compiler for QEMU's plugin. It is optional, so without root nothing is reported: everything else works without
    # it.
    have cc || ((EUID != 0)) || packages+=(gcc libc6-dev)
    set_up "${packages[@]}"
}

set_up_to_unit_test() {
    set_up "${UNIT_TEST_PACKAGES[@]}"
}

set_up_to_test() {
    local packages=("${RUN_PACKAGES[@]}" "${UNIT_TEST_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${UML_PACKAGES[@]}" "$@")
    # For the linter of the workflows. Many have them from elsewhere than Debian, whose npm is three hundred packages.
    have node npm || packages+=(nodejs npm)
    set_up "${packages[@]}"
}

set_up() {
    local packages=("$@")
    # shellcheck disable=SC2034 # read by the script that sources this
    JDK=$(find_jdk 25) || exit 1
    # Maven searches fewer folders than find_jdk, but also this variable.
    export JAVA25_HOME=$JDK
    # Debian's Maven depends on a JDK of its own, so it is installed only if there is no other Maven.
    have mvn || packages+=(maven)
    ensure_packages "${packages[@]}" || exit 1
}

build() {
    local log=$RDMA4J_ROOT/target/build.log lock
    mkdir -p -- "$RDMA4J_ROOT/target" && [[ -w $RDMA4J_ROOT/target ]] ||
        die "the build needs to write to $RDMA4J_ROOT/target, but cannot" 'make the folder writable, or copy the project elsewhere'
    # Two builds in one folder would take each other's classes away.
    exec {lock}>"$RDMA4J_ROOT/target/.build-lock"
    if ! flock -n "$lock"; then
        say "waiting for another build in $RDMA4J_ROOT"
        flock -w 3600 "$lock" || die "another build in $RDMA4J_ROOT has run for an hour" "find its process with fuser -v $RDMA4J_ROOT/target/.build-lock"
    fi
    # As in scripts/test: on the JDK that compiles, and with its first compiler, Maven needs half the CPU time.
    if ! MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" JAVA_HOME=$JDK fetched mvn -B -ntp -T 3 -q -f "$RDMA4J_ROOT/pom.xml" \
        -pl "$1" -am package -DskipTests >"$log"; then
        tail -n 40 -- "$log" >&2
        die "the build failed" "the whole output is in $log"
    fi
    exec {lock}>&-
}

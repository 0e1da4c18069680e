# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs the tools and the tests for a machine with an adapter. Sourced by scripts/evidence.

kind_build() {
    set_up
    build perftest,verbs-ffm/netty,verbs-ffm/campaign,verbs-ffm/benchmarks
}

kind_pack() {
    local folder=$1 module name target
    for module in verbs-ffm/base verbs-ffm cuda-ffm gpudirect verbs-ffm/netty verbs-ffm/campaign verbs-ffm/benchmarks perftest/tools perftest/diagnosis perftest/comparison perftest; do
        target=$RDMA4J_ROOT/$module/target name=${module##*/}
        [[ -d $target/classes ]] || die "$module is not built" 'leave out --built'
        mkdir -p -- "$folder/$name"
        cp -r -- "$target/classes" "$folder/$name/classes"
        case $module in
            verbs-ffm | verbs-ffm/netty) cp -r -- "$target/test-classes" "$folder/$name/test-classes" ;;
        esac
        [[ ! -r $target/test-classpath.txt ]] || pack_jars "$folder" "$target/test-classpath.txt"
    done
    cp -- "$RDMA4J_ROOT/scripts/lib/evidence/adapter/common.sh" "$folder/evidence/"
    cp -- "$RDMA4J_ROOT/scripts/lib/evidence/adapter/rdma4j" "$folder/rdma4j"
}

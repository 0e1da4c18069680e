# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs the GPU tests and benchmarks for a machine with neither Maven nor a compiler. Sourced by scripts/evidence.

# shellcheck source=scripts/lib/evidence/gpu/fabric.sh
source "$RDMA4J_ROOT/scripts/lib/evidence/gpu/fabric.sh"

kind_build() {
    set_up "${FABRIC_PACKAGES[@]}"
    build perftest,cuda-ffm/benchmarks
}

kind_pack() {
    local folder=$1 module target program library
    for module in verbs-ffm/base verbs-ffm cuda-ffm gpudirect perftest/tools perftest/diagnosis perftest/comparison perftest cuda-ffm/benchmarks; do
        target=$RDMA4J_ROOT/$module/target
        [[ -r $target/test-classpath.txt ]] || die "$module is not built" 'leave out --built'
        mkdir -p -- "$folder/${module##*/}"
        cp -r -- "$target/classes" "$folder/${module##*/}/classes"
        case $module in
            verbs-ffm/base | verbs-ffm | cuda-ffm/benchmarks) ;;
            *) cp -r -- "$target/test-classes" "$folder/${module##*/}/test-classes" ;;
        esac
        pack_jars "$folder" "$target/test-classpath.txt"
    done
    cp -- "$RDMA4J_ROOT"/scripts/lib/{evidence/gpu/gpu-tests,locale.sh} "$folder"
    "$RDMA4J_ROOT/scripts/lib/cuda-benchmark-libraries" "$folder/native"
    # The C programs that Java is compared with: the other machine may have no compiler.
    for program in cuda-ffm/src/test/c/{copy-bandwidth,driver-times}.c gpudirect/src/test/c/nccl-allreduce.c; do
        gcc -O2 -Wall -Werror -o "$folder/$(basename -- "$program" .c)" -I "$RDMA4J_ROOT/cuda-ffm/src/test/c" \
            "$RDMA4J_ROOT/$program" -ldl -lpthread
    done
    # For rehearsals, like the stand-in for libcuda.
    for library in nccl cufile; do
        CC=gcc sh "$RDMA4J_ROOT/gpudirect/src/test/c/$library-standin/build" "$folder/native/lib$library-standin.so"
    done
    # A machine with a GPU may have no adapter.
    pack_fabric "$folder"
}

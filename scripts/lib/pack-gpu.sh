# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs the GPU tests for a machine with neither Maven nor a compiler. Needs common.sh, pack-folder.sh and pack-fabric.sh.
#
#   pack_gpu_tests FOLDER   into one that pack_begin has made: the classes and tests of the modules, their jars, gpu-tests, the C programs that Java is compared with, and stand-in adapters

pack_gpu_tests() {
    local folder=$1 module target program
    for module in verbs-ffm cuda-ffm gpudirect perftest; do
        target=$RDMA4J_ROOT/$module/target
        [[ -r $target/test-classpath.txt ]] || die "$module is not built" 'run it without --no-build'
        mkdir -p -- "$folder/$module"
        cp -r -- "$target/classes" "$folder/$module/classes"
        if [[ $module != verbs-ffm ]]; then cp -r -- "$target/test-classes" "$folder/$module/test-classes"; fi
        pack_jars "$folder" "$target/test-classpath.txt"
    done
    cp -- "$RDMA4J_ROOT"/scripts/lib/{gpu-tests,locale.sh} "$folder"
    # The C programs that Java is compared with: the other machine may have no compiler.
    for program in copy-bandwidth driver-times; do
        gcc -O2 -Wall -Werror -o "$folder/$program" "$RDMA4J_ROOT/cuda-ffm/src/test/c/$program.c" -ldl -lpthread
    done
    # A machine with a GPU may have no adapter.
    pack_fabric "$folder"
}

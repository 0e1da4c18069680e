# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packs what runs on a machine with a GPU and neither Maven nor a compiler. Needs common.sh; JDK is set.
#
#   pack_gpu_tests FOLDER   the classes and tests of the modules, their jars, gpu-tests and the C program that copies are compared with
#   pack_jdk FOLDER         a Java runtime of JDK in FOLDER/jdk

# What the tests and JUnit need of the JDK.
readonly GPU_TEST_MODULES=java.compiler,java.instrument,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml,jdk.httpserver,jdk.jfr,jdk.management,jdk.unsupported

pack_gpu_tests() {
    local folder=$1 module target
    mkdir -p -- "$folder/lib"
    for module in verbs-ffm cuda-ffm gpudirect perftest; do
        target=$RDMA4J_ROOT/$module/target
        [[ -r $target/test-classpath.txt ]] || die "$module is not built" 'run it without --no-build'
        mkdir -p -- "$folder/$module"
        cp -r -- "$target/classes" "$folder/$module/classes"
        if [[ $module != verbs-ffm ]]; then cp -r -- "$target/test-classes" "$folder/$module/test-classes"; fi
        pack_jars "$folder" "$target/test-classpath.txt"
    done
    cp -- "$RDMA4J_ROOT/scripts/lib/gpu-tests" "$folder/gpu-tests"
    # The C program that pinned copies are compared with: the other machine may have no compiler.
    gcc -O2 -Wall -Werror -o "$folder/copy-bandwidth" "$RDMA4J_ROOT/cuda-ffm/src/test/c/copy-bandwidth.c" -ldl
}

# The jars of a class path; the modules' own are in their folders.
pack_jars() {
    local folder=$1 entry
    while IFS= read -r entry; do
        if [[ -f $entry && $entry != "$RDMA4J_ROOT"/* ]]; then cp -n -- "$entry" "$folder/lib/"; fi
    done < <(tr ':' '\n' <"$2")
}

pack_jdk() {
    "$JDK/bin/jlink" --add-modules "$GPU_TEST_MODULES" --strip-debug --no-header-files --no-man-pages --compress zip-9 \
        --output "$1/jdk"
}

#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
#
# scripts/generate-bindings without a jextract: a stand-in plays back the committed classes, whole or damaged, and the
# tests check what the script notices. It runs in a copy of the project, so that nothing of the real one can change.
#
# Nothing here needs a build:
# bats file_tags=no-build

# A start of the real JDK compiles the script's program, which takes two seconds. This one has it compiled.
setup_file() {
    local lib=$BATS_TEST_DIRNAME/../lib java
    java=$(source "$lib/common.sh" && source "$lib/jdk.sh" && find_jdk 25)/bin/java
    export COMPILED_JDK=$BATS_FILE_TMPDIR/jdk
    mkdir -p "$COMPILED_JDK/bin"
    printf 'JAVA_VERSION="25"\n' >"$COMPILED_JDK/release"
    "${java}c" -d "$COMPILED_JDK/classes" "$lib/GenerateBindings.java"
    printf '#!/usr/bin/env bash\nexec %q -cp %q "${@/#*.java/GenerateBindings}"\n' "$java" "$COMPILED_JDK/classes" \
        >"$COMPILED_JDK/bin/java"
    chmod +x "$COMPILED_JDK/bin/java"
    ln -s java "$COMPILED_JDK/bin/javac"
}

setup() {
    root=$(cd -- "$BATS_TEST_DIRNAME/../.." && pwd -P)
    project=$BATS_TEST_TMPDIR/project
    verbs='verbs-ffm/src/main/generated'
    cuda='cuda-ffm/src/main/generated'
    cufile='gpudirect/src/main/generated'
    package=io/github/rdma4j/verbs/bindings
    cuda_package=io/github/rdma4j/cuda/bindings
    cufile_package=io/github/rdma4j/gpudirect/storage/bindings
    nccl_package=io/github/rdma4j/gpudirect/nccl/bindings
    export RECORDING=$BATS_TEST_TMPDIR/recording
    mkdir -p "$project/scripts" "$BATS_TEST_TMPDIR/bin"
    cp -r "$root/native-headers" "$project"
    cp -r "$root/scripts/lib" "$root/scripts/generate-bindings" "$project/scripts"
    local generated
    for generated in "$verbs" "$cuda" "$cufile"; do
        mkdir -p "$project/${generated%/*}" "$RECORDING/${generated%/*}"
        cp -r "$root/$generated" "$project/$generated"
        cp -r "$root/$generated" "$RECORDING/$generated"
    done
    mkdir -p "$project/verbs-ffm/src/main/java/$package"
    cp "$root/verbs-ffm/src/main/java/$package"/*.java "$project/verbs-ffm/src/main/java/$package"
    unset JEXTRACT
    export PATH=$BATS_TEST_TMPDIR/bin:$PATH
    headers_have_version 44.0
    cuda_headers "$BATS_TEST_TMPDIR/toolkit" 13000
    export CUDA_HOME=$BATS_TEST_TMPDIR/toolkit
    jextract=$BATS_TEST_TMPDIR/jextract
    fake_jextract
    real_jdk=${RDMA4J_JAVA_HOME:-}
    export RDMA4J_JAVA_HOME=$COMPILED_JDK
}

# cuda_headers HOME NUMBER: the headers of a CUDA toolkit, as far as the script reads them itself.
cuda_headers() {
    mkdir -p "$1/include"
    printf '#define CUDA_VERSION %s\n' "$2" >"$1/include/cuda.h"
    touch "$1/include/cudaTypedefs.h" "$1/include/cufile.h"
}

headers_have_version() {
    program pkg-config "echo 1.14.$1"
}

# program NAME BODY: a command on the PATH.
program() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
    chmod +x "$BATS_TEST_TMPDIR/bin/$1"
}

# fake_jextract [BODY]: a jextract which plays back the recording, then runs BODY in the folder that it wrote to.
fake_jextract() {
    cat >"$jextract" <<EOF
#!/usr/bin/env bash
set -euo pipefail
if [[ \$1 == --version ]]; then
    printf 'jextract 25\nJDK version 25\nLibClang version 14.0.6\n'
    exit
fi
[[ ! -e compile_flags.txt ]] || { echo 'compile_flags.txt was read' >&2; exit 1; }
while ((\$# > 0)); do
    case \$1 in
    --output) output=\$2 ;;
    --include-dir) folder=\${folder:-\$2} ;;
    @*) list=\${1##*/} ;;
    esac
    shift
done
if [[ \$list == driver.args ]]; then
    [[ -e \$folder/cuda.h ]] || { echo "no cuda.h in the folder \$folder" >&2; exit 1; }
    recorded=\$RECORDING/$cuda/$cuda_package output=\$output/$cuda_package
elif [[ \$list == storage.args ]]; then
    [[ -e \$folder/cufile.h ]] || { echo "no cufile.h in the folder \$folder" >&2; exit 1; }
    recorded=\$RECORDING/$cufile/$cufile_package output=\$output/$cufile_package
elif [[ \$list == collectives.args ]]; then
    [[ -e \$folder/nccl.h ]] || { echo "no nccl.h in the folder \$folder" >&2; exit 1; }
    recorded=\$RECORDING/$cufile/$nccl_package output=\$output/$nccl_package
else
    recorded=\$RECORDING/$verbs/$package output=\$output/$package
fi
mkdir -p "\$output"
cd "\$output"
case \$list in
driver.args | storage.args | collectives.args) cp "\$recorded"/* . ;;
types.args)
    cp "\$recorded"/* . && rm LibIbVerbs.java LibRdmaCm.java
    for class in pthread_mutex_t __pthread_mutex_s __pthread_internal_list; do
        printf 'package io.github.rdma4j.verbs.bindings;\nclass %s {}\n' \$class >\$class.java
    done
    ;;
libibverbs.args) cp "\$recorded"/{LibIbVerbs,NativeTypes}.java . ;;
librdmacm.args) cp "\$recorded"/{LibRdmaCm,NativeTypes}.java . ;;
esac
${1:-:}
EOF
    chmod +x "$jextract"
}

generate() {
    run "$project/scripts/generate-bindings" "$@"
    echo "$output"
}

nothing_is_written() {
    diff -r "$project/$verbs" "$root/$verbs"
    diff -r "$project/$cuda" "$root/$cuda"
    diff -r "$project/$cufile" "$root/$cufile"
}

fails_with() {
    [ "$status" -ne 0 ]
    local text
    for text in "$@"; do
        [[ $output == *"$text"* ]]
    done
    nothing_is_written
}

@test "the same output passes the check and is not written again" {
    generate --jextract "$jextract" --check
    [ "$status" -eq 0 ]
    [[ $output == *'rdma-core: the '*' committed classes match the output of jextract'* ]]
    [[ $output == *'cuda: the '*' committed classes match the output of jextract'* ]]
    [[ $output == *'cufile: the '*' committed classes match the output of jextract'* ]]
    [[ $output == *'nccl: the '*' committed classes match the output of jextract'* ]]
    touch -d '2020-01-01' "$project/$verbs/$package/ibv_wc.java"
    generate --jextract "$jextract"
    [ "$status" -eq 0 ]
    [ "$(date -r "$project/$verbs/$package/ibv_wc.java" +%Y)" = 2020 ]
}

@test "what jextract makes for the single elements of arrays is left out" {
    cat >"$BATS_TEST_TMPDIR/elements" <<'EOF'
    private static final VarHandle raw$ELEM_HANDLE = raw$LAYOUT.varHandle(sequenceElement());

    /**
     * Indexed getter for field:
     */
    public static byte raw(MemorySegment struct, long index0) {
        return (byte)raw$ELEM_HANDLE.get(struct, raw$OFFSET, index0);
    }

    /**
     * Indexed setter for field:
     */
    public static void raw(MemorySegment struct, long index0, byte fieldValue) {
        raw$ELEM_HANDLE.set(struct, raw$OFFSET, index0, fieldValue);
    }
EOF
    fake_jextract "[[ ! -e ibv_gid.java ]] || {
        awk -v elements='$BATS_TEST_TMPDIR/elements' '
            { print }
            /return raw.DIMS;/ { getline; print; while ((getline line <elements) > 0) print line }
        ' ibv_gid.java >new && mv new ibv_gid.java && grep -q 'raw.ELEM_HANDLE' ibv_gid.java; }"
    generate --jextract "$jextract" --only rdma-core --check
    [ "$status" -eq 0 ]
}

@test "calls by a pointer are left out, and the layout of a pointer requests native access itself" {
    # As jextract writes them.
    cat >"$BATS_TEST_TMPDIR/calls" <<'EOF'

    private static final MethodHandle UP$MH = CudaHeaders.upcallHandle(PFN_cuInit_v2000.Function.class, "apply", $DESC);

    public static MemorySegment allocate(PFN_cuInit_v2000.Function fi, Arena arena) {
        return Linker.nativeLinker().upcallStub(UP$MH.bindTo(fi), $DESC, arena);
    }

    private static final MethodHandle DOWN$MH = Linker.nativeLinker().downcallHandle($DESC);
}

EOF
    cat >"$BATS_TEST_TMPDIR/pointer" <<'EOF'
    public static final AddressLayout C_POINTER = ((AddressLayout) Linker.nativeLinker().canonicalLayouts().get("void*"))
            .withTargetLayout(MemoryLayout.sequenceLayout(java.lang.Long.MAX_VALUE, C_CHAR));
EOF
    fake_jextract "[[ ! -e PFN_cuInit_v2000.java ]] || {
        sed -i '\$d' PFN_cuInit_v2000.java && sed -i '\$d' PFN_cuInit_v2000.java
        cat '$BATS_TEST_TMPDIR/calls' >>PFN_cuInit_v2000.java
        sed -i -e '/C_POINTER = pointer/{r $BATS_TEST_TMPDIR/pointer
            d}' -e '/AddressLayout pointer()/,/^\$/d' NativeTypes.java
        ! grep -q IllegalCallerException NativeTypes.java; }"
    generate --jextract "$jextract" --only cuda --check
    [ "$status" -eq 0 ]
}

# bats test_tags=long
@test "the compiler takes each set without a warning" {
    export RDMA4J_JAVA_HOME=$real_jdk
    # Classes that are the committed ones are not compiled.
    fake_jextract 'echo "// another version" >>NativeTypes.java'
    generate --jextract "$jextract"
    [ "$status" -eq 0 ]
    [[ $output == *'rdma-core: wrote'*'cuda: wrote'*'cufile: wrote'*'nccl: wrote'* ]]
}

@test "the check shows the difference and changes nothing; without --check it is written" {
    printf '// edited by hand\n' >>"$RECORDING/$verbs/$package/ibv_wc.java"
    generate --jextract "$jextract" --check
    fails_with 'differs from the output of jextract' '+// edited by hand' 'run scripts/generate-bindings'
    generate --jextract "$jextract"
    [ "$status" -eq 0 ]
    diff -r "$project/$verbs" "$RECORDING/$verbs"
}

@test "a committed class that jextract does not make is a difference" {
    printf 'package io.github.rdma4j.verbs.bindings;\nclass leftover {}\n' >"$project/$verbs/$package/leftover.java"
    generate --jextract "$jextract" --check
    [ "$status" -eq 1 ]
    [[ $output == *'-class leftover {}'* ]]
}

# bats test_tags=long
@test "what jextract makes of the mutex does not come beside the class that is written by hand" {
    printf '// so that something is written\n' >>"$RECORDING/$verbs/$package/ibv_wc.java"
    generate --jextract "$jextract" --only rdma-core
    [ "$status" -eq 0 ]
    [ ! -e "$project/$verbs/$package/pthread_mutex_t.java" ]
    printf '// and again\n' >>"$RECORDING/$verbs/$package/ibv_wc.java"
    rm "$project/verbs-ffm/src/main/java/$package/pthread_mutex_t.java"
    generate --jextract "$jextract" --only rdma-core
    [ "$status" -eq 1 ]
    [[ $output == *'does not compile'* ]]
}

@test "JEXTRACT and the PATH are used when no path is given, and a folder is as good as the program" {
    JEXTRACT=$jextract generate --only cuda --check
    [ "$status" -eq 0 ]
    cp "$jextract" "$BATS_TEST_TMPDIR/bin/jextract"
    generate --only cuda --check
    [ "$status" -eq 0 ]
    generate --only cuda --check --jextract "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
}

@test "no jextract: says where to get one" {
    PATH=/usr/bin:/bin generate
    fails_with 'no jextract found' 'https://jdk.java.net/jextract' 'libclang 13, 14 or 15'
}

@test "a path that is no program" {
    generate --jextract /no/such/jextract
    fails_with '/no/such/jextract cannot be run' '--jextract PATH'
    touch "$BATS_TEST_TMPDIR/text"
    generate --jextract "$BATS_TEST_TMPDIR/text"
    fails_with 'text cannot be run'
}

@test "a program that is not jextract, or does not start" {
    generate --jextract /bin/true
    fails_with "does not work"
    printf '#!/bin/sh\necho libclang.so: cannot open >&2; exit 3\n' >"$jextract"
    generate --jextract "$jextract"
    fails_with 'does not work' 'libclang.so: cannot open'
}

@test "unknown or incomplete options" {
    generate --jextract
    fails_with '--jextract needs a path'
    [ "$status" -eq 2 ]
    generate --cuda-home
    fails_with '--cuda-home needs a path'
    generate --only
    fails_with '--only needs the name of a set: rdma-core cuda'
    [ "$status" -eq 2 ]
    generate --only rocm
    fails_with "unknown set 'rocm'" 'choose from: rdma-core cuda'
    [ "$status" -eq 2 ]
    generate --frobnicate
    fails_with 'unknown option --frobnicate' 'see scripts/generate-bindings --help'
    [ "$status" -eq 2 ]
    generate --help
    [ "$status" -eq 0 ]
    [[ $output == Usage:* ]]
}

@test "headers of another version: both versions and the ways out" {
    headers_have_version 50.0
    generate --jextract "$jextract"
    fails_with 'libibverbs are rdma-core 50.0' 'made from 44.0' 'native-headers/rdma-core/version'
}

@test "one set only: the other is neither made nor asked for" {
    headers_have_version 50.0
    printf '// edited by hand\n' >>"$RECORDING/$verbs/$package/ibv_wc.java"
    printf '// edited by hand\n' >>"$RECORDING/$cuda/$cuda_package/CUuuid_st.java"
    generate --jextract "$jextract" --only cuda
    [ "$status" -eq 0 ]
    diff -r "$project/$cuda" "$RECORDING/$cuda"
    diff -r "$project/$verbs" "$root/$verbs"
    headers_have_version 44.0
    cuda_headers "$CUDA_HOME" 12040
    generate --jextract "$jextract" --only=rdma-core
    [ "$status" -eq 0 ]
    diff -r "$project/$verbs" "$RECORDING/$verbs"
}

@test "both sets differ: the check names both" {
    printf '// edited by hand\n' >>"$RECORDING/$verbs/$package/ibv_wc.java"
    printf '// edited by hand\n' >>"$RECORDING/$cuda/$cuda_package/CUuuid_st.java"
    generate --jextract "$jextract" --check
    fails_with "these differ from the output of jextract: $verbs $cuda" 'ibv_wc.java' 'CUuuid_st.java'
}

@test "CUDA headers of another version: both versions and the ways out" {
    cuda_headers "$CUDA_HOME" 12080
    generate --jextract "$jextract"
    fails_with "$CUDA_HOME/include/cuda.h belongs to CUDA 12.8" 'made from 13.0' 'native-headers/cuda/version'
    printf 'nothing\n' >"$CUDA_HOME/include/cuda.h"
    generate --jextract "$jextract"
    fails_with 'does not define CUDA_VERSION' 'install the CUDA toolkit 13.0'
}

@test "CUDA headers are found by --cuda-home, CUDA_HOME, or beside nvcc" {
    cuda_headers "$BATS_TEST_TMPDIR/older" 12080
    local current=$CUDA_HOME
    CUDA_HOME=$BATS_TEST_TMPDIR/older generate --jextract "$jextract" --only cuda --check --cuda-home "$current"
    [ "$status" -eq 0 ]
    generate --jextract "$jextract" --only cuda --check --cuda-home="$BATS_TEST_TMPDIR/older"
    fails_with 'older/include/cuda.h belongs to CUDA 12.8'
    mkdir "$CUDA_HOME/bin"
    printf '#!/bin/sh\n' >"$CUDA_HOME/bin/nvcc"
    chmod +x "$CUDA_HOME/bin/nvcc"
    ln -s "$CUDA_HOME/bin/nvcc" "$BATS_TEST_TMPDIR/bin/nvcc"
    fake_jextract "[[ \$list != driver.args || \$folder == $CUDA_HOME/include ]]"
    unset CUDA_HOME
    generate --jextract "$jextract" --only cuda --check
    [ "$status" -eq 0 ]
}

@test "no CUDA headers in the given folder, or not all of them: where to get them" {
    generate --jextract "$jextract" --cuda-home /no/such/toolkit
    fails_with '/no/such/toolkit/include has no cuda.h' 'install the CUDA toolkit 13.0' 'nvidia-cuda-dev' 'CUDA_HOME=PATH'
    rm "$CUDA_HOME/include/cudaTypedefs.h"
    generate --jextract "$jextract"
    fails_with 'no cudaTypedefs.h' 'install the CUDA toolkit 13.0'
}

@test "headers that are not installed: the packages" {
    program pkg-config 'exit 1'
    program dpkg-query 'exit 1'
    generate --jextract "$jextract"
    fails_with 'not installed' 'apt-get install libibverbs-dev librdmacm-dev'
}

@test "without pkg-config the version is dpkg's" {
    program pkg-config 'exit 1'
    program dpkg-query 'printf 44.0-2'
    generate --jextract "$jextract" --only rdma-core --check
    [ "$status" -eq 0 ]
}

@test "another processor architecture is refused" {
    program uname 'echo aarch64'
    generate --jextract "$jextract"
    fails_with 'this machine is aarch64'
}

@test "names that jextract did not find are named, of each kind" {
    printf -- '--include-function ibv_no_such_function\n' >>"$project/native-headers/rdma-core/libibverbs.args"
    generate --jextract "$jextract"
    fails_with 'rdma-core/libibverbs.args names what the headers do not have' 'function ibv_no_such_function'
    printf -- '--include-%s\n' 'struct no_struct' 'union  no_union # why' 'typedef no_typedef' 'constant NO_CONSTANT' \
        >>"$project/native-headers/rdma-core/types.args"
    cp "$root/native-headers/rdma-core/libibverbs.args" "$project/native-headers/rdma-core"
    generate --jextract "$jextract"
    fails_with 'rdma-core/types.args names' 'type no_struct' 'type no_union' 'type no_typedef' 'constant NO_CONSTANT'
    [[ $output != *IBV_* ]]
    printf -- '--include-%s\n' 'typedef PFN_cuNoSuchFunction_v2000' 'struct CUno_st' 'constant CU_NO_CONSTANT' \
        >>"$project/native-headers/cuda/driver.args"
    generate --jextract "$jextract" --only cuda
    fails_with 'cuda/driver.args names' 'type PFN_cuNoSuchFunction_v2000' 'type CUno_st' 'constant CU_NO_CONSTANT'
    [[ $output != *PFN_cuInit* ]]
}

@test "a stray compile_flags.txt is not read" {
    cd "$BATS_TEST_TMPDIR"
    touch compile_flags.txt "$project/compile_flags.txt" "$project/native-headers/compile_flags.txt" \
        "$project/native-headers/cuda/compile_flags.txt"
    generate --jextract "$jextract" --check
    [ "$status" -eq 0 ]
}

@test "the sign of libclang 16 is recognised" {
    fake_jextract 'echo "// union (unnamed at /usr/include/infiniband/verbs.h:1:1)" >>NativeTypes.java'
    generate --jextract "$jextract"
    fails_with 'libclang 16 or later' 'use one with libclang 13, 14 or 15'
}

@test "jextract's own failure is shown with the file it failed on" {
    fake_jextract 'echo "error: a depends on b which has been excluded" >&2; exit 1'
    generate --jextract "$jextract"
    fails_with 'a depends on b which has been excluded' 'jextract failed on native-headers/' 'add that type'
}

@test "two runs that make one class differently are refused" {
    fake_jextract 'echo "// $list" >>NativeTypes.java'
    generate --jextract "$jextract"
    fails_with 'two of native-headers/rdma-core/*.args make NativeTypes.java, and not the same'
}

@test "output that does not compile is not written" {
    printf 'broken\n' >>"$RECORDING/$verbs/$package/ibv_wc.java"
    generate --jextract "$jextract"
    fails_with 'does not compile'
    printf 'broken\n' >>"$RECORDING/$cuda/$cuda_package/CUuuid_st.java"
    generate --jextract "$jextract" --only cuda
    fails_with 'does not compile'
}

@test "a header of NCCL that is not of the version that is pinned is refused" {
    echo 2.27.3 >"$project/native-headers/nccl/version"
    generate --jextract "$jextract" --only nccl
    fails_with 'belongs to NCCL 2.30.7' 'the file version has 2.27.3'
}

@test "classes of one set are written, and the other set's in the same folder stay" {
    rm -r "${project:?}/$cufile/$nccl_package"
    generate --jextract "$jextract" --only nccl
    [ "$status" -eq 0 ]
    nothing_is_written
}

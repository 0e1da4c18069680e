#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
#
# scripts/generate-bindings without a jextract: a stand-in plays back the committed classes, whole or damaged. What is
# tested is what the script notices. It runs in a copy of the project, so that nothing of the real one can change.

setup() {
    root=$(cd -- "$BATS_TEST_DIRNAME/../.." && pwd -P)
    project=$BATS_TEST_TMPDIR/project
    generated=$project/verbs-ffm/src/main/generated
    package=io/github/rdma4j/verbs/bindings
    mkdir -p "$project/scripts" "$project/verbs-ffm/src/main" "$BATS_TEST_TMPDIR/bin"
    cp -r "$root/native-headers" "$project"
    cp -r "$root/scripts/lib" "$root/scripts/generate-bindings" "$project/scripts"
    cp -r "$root/verbs-ffm/src/main/generated" "$project/verbs-ffm/src/main"
    unset JEXTRACT
    export PATH=$BATS_TEST_TMPDIR/bin:$PATH
    headers_have_version 44.0
    export RECORDING=$BATS_TEST_TMPDIR/recording
    cp -r "$generated" "$RECORDING"
    jextract=$BATS_TEST_TMPDIR/jextract
    fake_jextract
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
    @*) list=\${1##*/} ;;
    esac
    shift
done
mkdir -p "\$output/$package"
cd "\$output/$package"
case \$list in
types.args) cp "\$RECORDING/$package"/* . && rm LibIbVerbs.java LibRdmaCm.java ;;
libibverbs.args) cp "\$RECORDING/$package"/{LibIbVerbs,NativeTypes}.java . ;;
librdmacm.args) cp "\$RECORDING/$package"/{LibRdmaCm,NativeTypes}.java . ;;
esac
${1:-:}
EOF
    chmod +x "$jextract"
}

generate() {
    run "$project/scripts/generate-bindings" "$@"
    echo "$output"
}

fails_with() {
    [ "$status" -ne 0 ]
    local text
    for text in "$@"; do
        [[ $output == *"$text"* ]]
    done
    diff -r "$generated" "$root/verbs-ffm/src/main/generated"
}

@test "the same output passes the check and is not written again" {
    generate --jextract "$jextract" --check
    [ "$status" -eq 0 ]
    [[ $output == *'committed classes are what jextract makes'* ]]
    touch -d '2020-01-01' "$generated/$package/ibv_wc.java"
    generate --jextract "$jextract"
    [ "$status" -eq 0 ]
    [ "$(date -r "$generated/$package/ibv_wc.java" +%Y)" = 2020 ]
}

@test "the check shows the difference and changes nothing; without --check it is written" {
    printf '// edited by hand\n' >>"$RECORDING/$package/ibv_wc.java"
    generate --jextract "$jextract" --check
    fails_with 'is not what jextract makes' '+// edited by hand' 'run scripts/generate-bindings'
    generate --jextract "$jextract"
    [ "$status" -eq 0 ]
    diff -r "$generated" "$RECORDING"
}

@test "a committed class that jextract does not make is a difference" {
    printf 'package io.github.rdma4j.verbs.bindings;\nclass leftover {}\n' >"$generated/$package/leftover.java"
    generate --jextract "$jextract" --check
    [ "$status" -eq 1 ]
    [[ $output == *'-class leftover {}'* ]]
}

@test "JEXTRACT and the PATH are used when no path is given, and a folder is as good as the program" {
    JEXTRACT=$jextract generate --check
    [ "$status" -eq 0 ]
    cp "$jextract" "$BATS_TEST_TMPDIR/bin/jextract"
    generate --check
    [ "$status" -eq 0 ]
    generate --check --jextract "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
}

@test "no jextract: says where to get one" {
    PATH=/usr/bin:/bin generate
    fails_with 'no jextract found' 'https://jdk.java.net/jextract' 'libclang 13, 14 or 15'
}

@test "a path that is no program" {
    generate --jextract /no/such/jextract
    fails_with '/no/such/jextract is not a program' '--jextract PATH'
    touch "$BATS_TEST_TMPDIR/text"
    generate --jextract "$BATS_TEST_TMPDIR/text"
    fails_with 'text is not a program'
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
    generate --frobnicate
    fails_with "what is '--frobnicate'?" 'Usage:'
    [ "$status" -eq 2 ]
    generate --help
    [ "$status" -eq 0 ]
    [[ $output == Usage:* ]]
}

@test "headers of another version: both versions and the ways out" {
    headers_have_version 50.0
    generate --jextract "$jextract"
    fails_with 'libibverbs are rdma-core 50.0' 'made from 44.0' 'native-headers/rdma-core.version'
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
    generate --jextract "$jextract" --check
    [ "$status" -eq 0 ]
}

@test "another processor architecture is refused" {
    program uname 'echo aarch64'
    generate --jextract "$jextract"
    fails_with 'this is aarch64'
}

@test "names that jextract did not find are named, of each kind" {
    printf -- '--include-function ibv_no_such_function\n' >>"$project/native-headers/libibverbs.args"
    generate --jextract "$jextract"
    fails_with 'libibverbs.args names what the headers do not have' 'function ibv_no_such_function'
    printf -- '--include-%s\n' 'struct no_struct' 'union  no_union # why' 'typedef no_typedef' 'constant NO_CONSTANT' \
        >>"$project/native-headers/types.args"
    cp "$root/native-headers/libibverbs.args" "$project/native-headers"
    generate --jextract "$jextract"
    fails_with 'types.args names' 'type no_struct' 'type no_union' 'type no_typedef' 'constant NO_CONSTANT'
    [[ $output != *IBV_* ]]
}

@test "a stray compile_flags.txt is not read" {
    cd "$BATS_TEST_TMPDIR"
    touch compile_flags.txt "$project/compile_flags.txt" "$project/native-headers/compile_flags.txt"
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
    fails_with 'make NativeTypes.java, and not the same'
}

@test "output that does not compile is not written" {
    printf 'broken\n' >>"$RECORDING/$package/ibv_wc.java"
    generate --jextract "$jextract"
    fails_with 'does not compile'
}

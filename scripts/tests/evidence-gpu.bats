#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# scripts/evidence gpu: its options, and how it runs steps, on stand-ins for the steps. The real steps are rehearsed by hand: docs/testing.md.

bats_require_minimum_version 1.5.0

setup() {
    SCRIPTS=$BATS_TEST_DIRNAME/..
    FOLDER=$BATS_TEST_TMPDIR/packed
    OUT=$BATS_TEST_TMPDIR/out
    mkdir -p "$FOLDER/evidence/steps" "$FOLDER/jdk/bin"
    ln -s "$(type -P true)" "$FOLDER/jdk/bin/java"
    cp "$SCRIPTS/lib/evidence/run" "$FOLDER/run"
    cp "$SCRIPTS"/lib/{locale,evidence/*}.sh "$SCRIPTS/lib/evidence/gpu/kind.sh" "$FOLDER/evidence/"
    printf '1.2.3\nabc\n' >"$FOLDER/evidence/version"
}

# step NAME LIMIT COMMANDS: a step that is played.
step() {
    printf '#!/usr/bin/env bash\n# limit: %s\n%s\n' "$2" "$3" >"$FOLDER/evidence/steps/$1"
    chmod +x "$FOLDER/evidence/steps/$1"
}

# A JSON document has to be read by a program that knows JSON; where there is none, the test is skipped.
json_is_valid() {
    if command -v node >/dev/null; then
        node -e 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))' "$1"
    elif command -v python3 >/dev/null; then
        python3 -m json.tool "$1" >/dev/null
    else
        skip 'neither node nor python3'
    fi
}

@test "--help names every option" {
    run -0 "$SCRIPTS/evidence" gpu --help
    for option in --pack --built --out --steps --stand-in --help; do
        [[ $output == *"  $option "* ]]
    done
}

@test "bad options are refused before anything is built" {
    run -2 --separate-stderr "$SCRIPTS/evidence" gpu --gpu
    [[ $stderr == *"unknown option --gpu"* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" gpu --steps 0,12
    [[ $stderr == *"--steps needs numbers from 1 to 11"* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" gpu --out "$BATS_TEST_TMPDIR"
    [[ $stderr == *"already exists"* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" gpu --pack
    [[ $stderr == *"--pack needs a folder"* ]]
    run -1 --separate-stderr "$SCRIPTS/evidence" gpu --built --pack "$BATS_TEST_TMPDIR"
    [[ $stderr == *"already exists"* ]]
    touch "$BATS_TEST_TMPDIR/archive.tar.gz"
    run -1 --separate-stderr "$SCRIPTS/evidence" gpu --built --pack "$BATS_TEST_TMPDIR/archive/"
    [[ $stderr == *"archive.tar.gz already exists"* ]]
}

@test "a kind that is missing or unknown: what there is" {
    run -0 "$SCRIPTS/evidence" --help
    [[ $output == *'  adapter '*'  gpu '* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence"
    [[ $stderr == *'Usage: scripts/evidence adapter|gpu'* ]]
    run -2 --separate-stderr "$SCRIPTS/evidence" tpu
    [[ $stderr == *'unknown kind of evidence: tpu'*'see scripts/evidence --help'* ]]
}

@test "a step that hangs is killed, a failure is reported, and the others run" {
    step 01-hangs 1 'sleep 60'
    step 02-fails 300 'echo "it \"broke\""; exit 1'
    step 03-cannot 300 'echo "not possible here: no wheel"; exit 3'
    # What only root has on its path.
    step 04-works 300 'ldconfig -p >/dev/null && echo well'
    PATH=/usr/bin:/bin run -1 "$FOLDER/run" --out "$OUT"
    json=$(<"$OUT/evidence.json")
    [[ $json == *'"name": "hangs", "state": "failed"'*'"reason": "not done after its limit of 1 s"'* ]]
    [[ $json == *'"name": "fails", "state": "failed"'*'"reason": "status 1: it \"broke\""'* ]]
    [[ $json == *'"name": "cannot", "state": "not-possible"'*'"reason": "not possible here: no wheel"'* ]]
    [[ $json == *'"name": "works", "state": "passed"'* ]]
    [[ $json == *'"rehearsal": false'*'"version": "1.2.3"'*'"commit": "abc"'* ]]
    [[ $(<"$OUT/evidence.md") == *'| 3 | cannot | not possible here |'* ]]
    tar -tzf "$OUT/evidence.tar.gz" | grep -q 'logs/04-works.log'
    json_is_valid "$OUT/evidence.json"
}

@test "a path that cannot be in a class path is refused" {
    local name
    for name in 'a folder' 'a:folder'; do
        mv "$FOLDER" "$BATS_TEST_TMPDIR/$name"
        FOLDER=$BATS_TEST_TMPDIR/$name
        run -1 "$FOLDER/run" --out "$OUT"
        [[ $output == "evidence: the path $FOLDER contains a space or a colon"$'\n'*'move the folder'* && ! -e $OUT ]]
    done
}

@test "Ctrl-C and kill end the step that runs, and no other one begins" {
    local signal status n
    step 01-waits 300 "touch '$BATS_TEST_TMPDIR/began'; sleep 30304.$$"
    step 02-follows 300 "touch '$BATS_TEST_TMPDIR/followed'"
    for signal in INT TERM; do
        rm -rf -- "$BATS_TEST_TMPDIR/began" "$OUT"
        setsid env --default-signal=INT "$FOLDER/run" --out "$OUT" >/dev/null 2>&1 3>&- &
        # The limit is for what never happens.
        for ((n = 0; n < 1200; n++)); do [[ ! -e $BATS_TEST_TMPDIR/began ]] || break; sleep 0.05; done
        # A terminal signals its whole process group.
        kill "-$signal" -- "$([[ $signal != INT ]] || echo -)$!"
        status=0
        wait $! || status=$?
        [[ $status == $((128 + $(kill -l "$signal"))) && ! -e $BATS_TEST_TMPDIR/followed ]]
        run -1 pgrep -f "sleep 30304.$$"
    done
}

@test "what is not possible is no failure, and only the steps asked for run" {
    step 01-fails 300 'exit 1'
    step 02-cannot 300 'exit 3'
    # In a folder with an umlaut a JVM without a language would not find its classes.
    step 10-works 300 'echo "language: ${LC_CTYPE:-$LANG}"'
    LC_ALL=C run -0 "$FOLDER/run" --steps 2,10 --out "$OUT"
    [[ $output != *fails* && $output == *cannot*not-possible* && $output == *works*passed* ]]
    [[ $(<"$OUT/logs/10-works.log") == 'language: C.UTF-8' ]]
}

@test "a rehearsal says so in every output" {
    step 01-works 300 'true'
    run -0 "$FOLDER/run" --stand-in --out "$OUT"
    [[ $output == *'REHEARSAL on the stand-in, no GPU'* ]]
    for file in evidence.json evidence.md logs/01-works.log; do
        grep -q 'REHEARSAL on the stand-in, no GPU' "$OUT/$file"
    done
}

# A compute-sanitizer that is played: it takes the real one's options, runs the command, and prints what the test has set.
sanitizer() {
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    cat >"$BATS_TEST_TMPDIR/bin/compute-sanitizer" <<'TOOL'
#!/usr/bin/env bash
while [[ $1 == --* ]]; do
    [[ $1 != --log-file ]] || log=$2
    shift 2
done
"$@"
printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: %s\n' "$SAYS" >"${log/\%p/$$}"
TOOL
    chmod +x "$BATS_TEST_TMPDIR/bin/compute-sanitizer"
}

@test "compute-sanitizer runs the tests where it is, and its word alone counts" {
    local step=11-sanitizer
    cp "$SCRIPTS/lib/evidence/gpu/steps/$step" "$FOLDER/evidence/steps"
    # Tests of which one fails, in a JVM each for two modules.
    printf '#!/bin/sh\n"$@" echo "tests by $1" && "$@" true\necho "1 passed, 1 failed"\nexit 1\n' >"$FOLDER/gpu-tests"
    chmod +x "$FOLDER/gpu-tests"
    PATH=/usr/bin:/bin run -0 "$FOLDER/run" --out "$OUT"
    [[ $output == *'not-possible'*'no compute-sanitizer, which comes with the CUDA toolkit'* ]]

    sanitizer
    SAYS='0 errors' PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 "$FOLDER/run" --out "$OUT-clean"
    [[ $output == *sanitizer*passed* ]]
    [[ $(<"$OUT-clean/logs/$step.log") == *'tests by '*/compute-sanitizer*'2 of 2 JVMs without an error'* ]]
    SAYS='10 errors' PATH=$BATS_TEST_TMPDIR/bin:$PATH run -1 "$FOLDER/run" --out "$OUT-errors"
    [[ $(<"$OUT-errors/logs/$step.log") == *'ERROR SUMMARY: 10 errors'*'0 of 2 JVMs without an error'* ]]
}

@test "what is personal does not leave the machine" {
    # shellcheck source=scripts/lib/evidence/privacy.sh
    source "$SCRIPTS/lib/evidence/privacy.sh"
    local file=$BATS_TEST_TMPDIR/log
    cat >"$file" <<'TEXT'
Serial Number : 1320121012345
GPU UUID : GPU-c1b2a3d4-0000-1111-2222-333344445555
node7.example.org node7 says hello to carol in /home/carol/work
mac 0c:42:a1:00:11:22 gid fe80:0000:0000:0000:0e42:a1ff:fe00:1122 guid 0c42:a103:0000:1122 at 10.1.2.3
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:99:77:01
[2001:db8:85a3::8a2e:370:7334]:18515 and fe80:0:0:0:e42:a1ff:fe00:1122%eth0
0000:17:00.0 Linux 6.1.0 caroline 12:34:56 java.lang.String::new
rdma-core 50 (libibverbs.so.1.14.50.0) at 10.1.2.3, libnccl.so.2.28.3
TEXT
    strip_personal node7.example.org carol /home/carol "$file"
    run -0 cat "$file"
    for personal in 1320121012345 c1b2a3d4 node7 'to carol' /home/carol 0c:42 fe80 0c42 10.1.2.3 10:99:77 85a3 7334 e42; do
        [[ $output != *"$personal"* ]]
    done
    [[ $output == *'0000:17:00.0 Linux 6.1.0 caroline 12:34:56 java.lang.String::new'* ]]
    [[ $output == *'rdma-core 50 (libibverbs.so.1.14.50.0) at <address>, libnccl.so.2.28.3'* ]]
}

# A browser runs a page's programs only as they were written: with another word in them the charts stay empty.
@test "what a page's programs say is nobody's, and what is beside them is taken out" {
    # shellcheck source=scripts/lib/evidence/privacy.sh
    source "$SCRIPTS/lib/evidence/privacy.sh"
    local page=$BATS_TEST_TMPDIR/page.html log=$BATS_TEST_TMPDIR/log
    cat >"$page" <<'TEXT'
<p>carol at 10.1.2.3</p>
<script type="application/json" id="data">["carol"]</script>
<script>// for carol
f("10.1.2.3")
</script>
<script>carol()</script>
<p>carol</p>
TEXT
    cp "$page" "$log"
    strip_personal '' carol '' "$page" "$log"
    run -0 cat "$page"
    [[ $output == '<p><user> at <address></p>'*'["<user>"]'*'// for carol'*'f("10.1.2.3")'*'<script>carol()</script>'*'<p><user></p>' ]]
    run -0 cat "$log"
    [[ $output != *carol* && $output != *10.1.2.3* ]]
}

@test "what is packed has no jars that nothing there needs, and an archive" {
    # shellcheck source=scripts/lib/evidence/folder.sh
    source "$SCRIPTS/lib/evidence/folder.sh"
    export RDMA4J_ROOT=/nowhere JDK=$BATS_TEST_TMPDIR/jdk
    local jars=$BATS_TEST_TMPDIR/jars folder=$BATS_TEST_TMPDIR/packed
    mkdir -p "$JDK/bin" "$jars"
    touch "$jars"/{archunit-1.5.0,echarts-6.0.0,junit-1}.jar
    # A stand-in for jar: the jar has what the folder contains at the end.
    cat >"$JDK/bin/jar" <<'TOOL'
#!/bin/sh
[ "$1" = --extract ] || { cd "$6" && find . -type f | sort >"$4"; exit; }
mkdir -p x/dist x/lib x/licenses
touch x/dist/echarts.common.min.js x/dist/echarts.js x/lib/a.js x/LICENSE x/licenses/LICENSE-d3
TOOL
    chmod +x "$JDK/bin/jar"
    printf '%s:' "$jars"/*.jar >"$BATS_TEST_TMPDIR/path"
    pack_begin "$folder"
    pack_jars "$folder" "$BATS_TEST_TMPDIR/path"
    pack_jars "$folder" "$BATS_TEST_TMPDIR/path"
    run -0 pack_archive "$folder"
    pack_end
    [[ $output == 1 ]]
    [[ $(tar -tzf "$folder.tar.gz" | sort | tr '\n' ' ') == 'packed/ packed/lib/ packed/lib/echarts-6.0.0.jar packed/lib/junit-1.jar ' ]]
    [[ $(tr '\n' ' ' <"$folder/lib/echarts-6.0.0.jar") == './x/LICENSE ./x/dist/echarts.common.min.js ./x/licenses/LICENSE-d3 ' ]]
}

@test "under a command those tests are left out whose streams wait for the host, and a module that breaks off has failed" {
    local folder=$BATS_TEST_TMPDIR/tests-only
    mkdir -p "$folder"/{jdk/bin,cuda-ffm/test-classes,cuda-ffm/classes}
    cp "$SCRIPTS"/lib/{evidence/gpu/gpu-tests,locale.sh} "$folder"
    touch "$folder/cuda-ffm/test-classes/OneGpuTest.class"
    # A stand-in for java that prints its arguments.
    cat >"$folder/jdk/bin/java" <<'JAVA'
#!/bin/sh
echo "arguments: $*"
[ -n "${BREAKS-}" ] || printf '[         3 tests successful      ]\n[         0 tests failed          ]\n'
JAVA
    chmod +x "$folder/jdk/bin/java"
    run -0 "$folder/gpu-tests"
    [[ $output == *'--include-tag gpu --reports-dir'*'3 passed, 0 failed' ]]
    run -0 "$folder/gpu-tests" env UNDER=1
    [[ $output == *'--include-tag gpu --exclude-tag waits-for-host --reports-dir'*'3 passed, 0 failed' ]]
    BREAKS=1 run -1 "$folder/gpu-tests"
    [[ $output == *'0 passed, 1 failed' ]]
}

#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
#
# The launcher. perftest/ tests the tools themselves.
# shellcheck disable=SC2154  # $stderr is set by `run`

bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd -P)
  rdma4j=$root/scripts/rdma4j
}

@test "lists the tools" {
  run "$rdma4j" --help
  [ "$status" -eq 0 ]
  [[ $output == *ib_write_lat* && $output == *ib_write_bw* ]]
}

@test "hands arguments and exit status through" {
  run "$rdma4j" ib_write_lat --out_json_file="/no such folder/x y.json"
  [ "$status" -eq 2 ]
  [[ $output == *"/no such folder/x y.json cannot be written"* ]]
}

@test "starts with the garbage collector that an environment variable chooses" {
  local variable
  for variable in JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS RDMA4J_JAVA_OPTIONS; do
    RDMA4J_START_CACHE=off run env "$variable=-XX:+UseParallelGC" "$rdma4j" ib_write_bw --version
    [ "$status" -eq 0 ]
    [[ $output == *"Version: "* && $output != *"garbage collectors"* ]]
  done
  local flag
  for flag in '"-XX:+UseG1GC"' "-XX:'+UseG1GC'" -XX:+AggressiveHeap; do
    RDMA4J_START_CACHE=off JAVA_TOOL_OPTIONS=$flag run "$rdma4j" ib_write_bw --version
    [ "$status" -eq 0 ]
  done
}

@test "standard output has no line of the JVM" {
  # The first flag asks for a warning, the second one for a failure.
  JAVA_TOOL_OPTIONS=-XX:SharedArchiveFile=/nowhere run --separate-stderr "$rdma4j" ib_write_bw --version
  [[ $output == "Version: "* && ${#lines[@]} == 1 && $stderr == *nowhere* ]]
  RDMA4J_JAVA_OPTIONS='-XX:+UseG1GC -XX:+UseZGC' run --separate-stderr "$rdma4j" ib_write_bw --version
  [[ $status == 1 && $output == '' && $stderr == *collectors* ]]
}

@test "works from another folder and through a link" {
  ln -s "$rdma4j" "$BATS_TEST_TMPDIR/linked"
  cd /
  # The first start of all says that it prepares a faster one.
  RDMA4J_QUIET=1 run "$BATS_TEST_TMPDIR/linked" ib_write_bw --version
  [ "$status" -eq 0 ]
  [[ $output == "Version: "* ]]
}

@test "no warning about native access" {
  run "$rdma4j" ib_write_lat -d no_such_device localhost
  [ "$status" -eq 1 ]
  [[ $output != *WARNING* ]]
}

@test "the jar alone needs no flag" {
  source "$root/scripts/lib/common.sh"
  source "$root/scripts/lib/jdk.sh"
  run "$(find_jdk 25)/bin/java" -jar "$root/perftest/target/rdma4j-perftest.jar" ib_write_lat -d no_such_device localhost
  [ "$status" -eq 1 ]
  [[ $output != *WARNING* ]]
}

@test "flags for the JVM are handed on, lines of them, too" {
  RDMA4J_JAVA_OPTIONS=$'-XX:+PrintFlagsFinal\n -Xmx123m' run "$rdma4j" --version
  [ "$status" -eq 0 ]
  [[ $output == *"MaxHeapSize"*"= 128974848"* || $output == *"MaxHeapSize"*"= 130023424"* ]]
}

@test "a standard output that cannot be written is reported, and is a failure" {
  run bash -c '"$1" --help >/dev/full' - "$rdma4j"
  [ "$status" -eq 1 ]
  [[ $output == *"not all could be written to standard output: No space left on device"* ]]
}

@test "names beyond ASCII need no locale" {
  mkdir "$BATS_TEST_TMPDIR/ü"
  ln -s "$root/perftest/target/rdma4j-perftest.jar" "$BATS_TEST_TMPDIR/ü/x.jar"
  LC_ALL=C RDMA4J_JAR=$BATS_TEST_TMPDIR/ü/x.jar run "$rdma4j" --version
  [ "$status" -eq 0 ]
  # One that this machine does not have, as ssh brings it along.
  LC_ALL=xx_YY.UTF-8 RDMA4J_JAR=$BATS_TEST_TMPDIR/ü/x.jar run "$rdma4j" --version
  [ "$status" -eq 0 ]
}

@test "a path with a colon is refused" {
  mkdir "$BATS_TEST_TMPDIR/x:y"
  ln -s "$root/perftest/target/rdma4j-perftest.jar" "$BATS_TEST_TMPDIR/x:y/x.jar"
  RDMA4J_JAR=$BATS_TEST_TMPDIR/x:y/x.jar run "$rdma4j" --version
  [ "$status" -eq 1 ]
  [[ $output == *"x:y/x.jar has a colon"*"move or rename the folder"* ]]
}

# The tools recognize why an address cannot be used by the C library's message.
@test "messages are in English in each locale" {
  LC_ALL=C.UTF-8 run bash -c 'source "$1/scripts/lib/locale.sh" && locale' - "$root"
  [ "$status" -eq 0 ]
  [[ $output == *'LC_CTYPE="C.UTF-8"'* || $output == *'LC_CTYPE=C.UTF-8'* ]]
  [[ $output == *$'\nLC_MESSAGES=C\n'* && $output == *$'\nLC_ALL=' ]]
  # What LC_ALL has overruled does not begin to count.
  LC_ALL=C LC_NUMERIC=de_DE.UTF-8 LC_COLLATE=de_DE.UTF-8 run bash -c 'source "$1/scripts/lib/locale.sh" && locale' - "$root"
  [[ $output == *'LC_CTYPE="C.UTF-8"'* && $output != *de_DE* && $output == *$'\nLC_MESSAGES=C\n'* ]]
}

@test "Ctrl-C while the faster start is prepared ends the tool, and the next start prepares it again" {
  mkdir -p "$BATS_TEST_TMPDIR/jdk/bin"
  printf 'JAVA_VERSION="25"\n' >"$BATS_TEST_TMPDIR/jdk/release"
  printf '#!/bin/bash\necho started >>"$STARTED"; [[ $* != *AOTCacheOutput* ]] || exec sleep 30\n' >"$BATS_TEST_TMPDIR/jdk/bin/java"
  chmod +x "$BATS_TEST_TMPDIR/jdk/bin/java"
  cp "$BATS_TEST_TMPDIR/jdk/bin/java" "$BATS_TEST_TMPDIR/jdk/bin/javac"
  touch "$BATS_TEST_TMPDIR/x.jar"
  RDMA4J_JAVA_HOME=$BATS_TEST_TMPDIR/jdk RDMA4J_JAR=$BATS_TEST_TMPDIR/x.jar RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache STARTED=$BATS_TEST_TMPDIR/started \
    setsid env --default-signal=INT "$rdma4j" ib_write_lat localhost >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  until [ -s "$BATS_TEST_TMPDIR/started" ] || ! kill -0 $!; do sleep 0.02; done
  kill -INT -- "-$!"
  status=0
  wait $! || status=$?
  [ "$status" -eq 130 ]
  [ "$(<"$BATS_TEST_TMPDIR/started")" == started ]
  [ -z "$(find "$BATS_TEST_TMPDIR/cache/start" -mindepth 1 ! -empty)" ]
}

# A JDK in $home that makes caches of nothing, a line in the file trainings for each, after it has run the file training.
stand_in_jdk() {
  source "$root/scripts/lib/common.sh"
  source "$root/scripts/lib/start-cache.sh"
  home=$BATS_TEST_TMPDIR/jdk
  mkdir -p "$home/bin"
  echo 'JAVA_RUNTIME_VERSION="25"' >"$home/release"
  cat >"$home/bin/java" <<'JAVA'
#!/bin/bash
for a; do
  [[ $a == -XX:AOTCacheOutput=* ]] || continue
  echo one >>"$BATS_TEST_TMPDIR/trainings"
  [[ ! -e $BATS_TEST_TMPDIR/training ]] || source "$BATS_TEST_TMPDIR/training"
  echo x >"${a#*=}"
done
JAVA
  chmod +x "$home/bin/java"
  unset JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS
}

# Until 25.0.3, JDK 25 takes the classes of an outdated cache instead of the jar's.
@test "a jar that is replaced gets a new cache, even if it is older, and even if it is replaced while its cache is made" {
  stand_in_jdk
  local jar=$BATS_TEST_TMPDIR/x.jar date
  export RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache
  for date in '2 days ago' '3 days ago' '1 day ago' now; do
    touch -d "$date" "$jar"
    start_cache "$home" "$jar"
    [[ ${START_CACHE[0]} == -XX:AOTCache=* ]]
    start_cache "$home" "$jar"
    [[ ${START_CACHE[0]} == -XX:AOTCache=* ]]
  done
  [[ $(wc -l <"$BATS_TEST_TMPDIR/trainings") == 4 ]]
  touch -d '4 days ago' "$jar"
  RDMA4J_START_CACHE=use start_cache "$home" "$jar"
  [[ -z ${START_CACHE[*]} ]]
  echo "touch -d '5 days ago' '$jar'" >"$BATS_TEST_TMPDIR/training"
  start_cache "$home" "$jar"
  [[ -z ${START_CACHE[*]} ]]
}

@test "the cache for a jar with a long name beyond ASCII has a name that a file can have" {
  stand_in_jdk
  local jar
  jar=$BATS_TEST_TMPDIR/$(printf 'ü%.0s' {1..120}).jar
  touch -d yesterday "$jar"
  # What others have left is not kept for ever.
  mkdir -p "$BATS_TEST_TMPDIR/cache/start/.new.killed"
  touch -d '31 days ago' "$BATS_TEST_TMPDIR/cache/start/_old"
  LC_ALL=C.UTF-8 RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache start_cache "$home" "$jar"
  [[ ${START_CACHE[0]} == -XX:AOTCache=* ]]
  [[ $(find "$BATS_TEST_TMPDIR/cache/start" -mindepth 1 ! -name .lock ! -name .use ! -name '.*.jar' | wc -l) == 1 && ! -e $BATS_TEST_TMPDIR/cache/start/_old ]]
  # Another jar with as many options has another one.
  local name other flags
  flags=$(printf -- '-XX:+UseSerialGC %.0s' {1..20})
  start_cache_name "25 /jdk /one.jar $flags"
  other=$name
  start_cache_name "25 /jdk /two.jar $flags"
  [[ $name != "$other" && ${#name} -le 200 ]]
}

@test "gds_bw removes the file that it makes when a signal ends it" {
  "$rdma4j" gpu gds_bw --file "$BATS_TEST_TMPDIR/made" --file-size 8G 3>&- &
  until [ -e "$BATS_TEST_TMPDIR/made" ] || ! kill -0 $!; do sleep 0.02; done
  [ -e "$BATS_TEST_TMPDIR/made" ]
  kill -TERM $!
  wait $! || true
  [ ! -e "$BATS_TEST_TMPDIR/made" ]
}

@test "a missing jar names the command that builds it" {
  RDMA4J_JAR=/no/such.jar run "$rdma4j" --help
  [ "$status" -eq 1 ]
  [[ $output == *"/no/such.jar is missing"* && $output == *"mvn -DskipTests package"* ]]
}

# Milliseconds of CPU time of the cheapest of six runs of a command. Not the time on the clock, which says nothing on a
# machine with other work.
cheapest() {
  local best=999999999 user system
  TIMEFORMAT='%U %S'
  for _ in 1 2 3 4 5 6; do
    read -r user system < <({ time "$@" >/dev/null 2>&1 3>&-; } 2>&1)
    user=$((10#${user/./} + 10#${system/./}))
    ((user >= best)) || best=$user
  done
  echo "$best"
}

# Sets caches. A long name does not begin as a short one does.
caches_made() {
  mapfile -t caches < <(find "$RDMA4J_CACHE/start" -type f ! -name '.*')
}

@test "the first start makes a cache that the next ones use, and starts are faster with it; a new jar gets a new cache" {
  source "$root/scripts/lib/common.sh"
  source "$root/scripts/lib/jdk.sh"
  export RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache RDMA4J_JAR=$BATS_TEST_TMPDIR/x.jar
  cp "$root/perftest/target/rdma4j-perftest.jar" "$RDMA4J_JAR"
  tool=("$rdma4j" ib_write_lat -d no_such_device localhost)
  run "${tool[@]}"
  [ "$status" -eq 1 ]
  [[ $output == *"preparing a faster start (once)"*"no_such_device"* ]]
  caches_made
  [ "${#caches[@]}" -eq 1 ]
  [ -s "${caches[0]}" ]

  # What the launcher adds to the flags cannot be seen from outside, but where the JVM takes its classes from can.
  JDK_JAVA_OPTIONS="-Xlog:class+load:file=$BATS_TEST_TMPDIR/classes" run "${tool[@]}"
  [ "$status" -eq 1 ]
  [[ $output != *"preparing"* ]]
  grep -q 'io.github.rdma4j.perftest.Main source: shared objects file' "$BATS_TEST_TMPDIR/classes"
  # Also other projects' classes: picocli's, as published, are too old for it.
  run grep 'source: .*x.jar' "$BATS_TEST_TMPDIR/classes"
  [ "$status" -eq 1 ]

  with=$(cheapest "${tool[@]}")
  without=$(RDMA4J_START_CACHE=off cheapest "${tool[@]}")
  printf 'class X { public static void main(String[] a) { System.out.println("hello"); } }' >"$BATS_TEST_TMPDIR/X.java"
  java=$(find_jdk 25)/bin
  "$java/javac" -d "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/X.java"
  hello=$(cheapest "$java/java" -cp "$BATS_TEST_TMPDIR" X)
  echo "with $with ms, without $without ms, hello $hello ms"
  ((10 * with < 9 * without))
  ((with < 25 * hello))

  touch -d '1 hour ago' "$RDMA4J_JAR"
  run "${tool[@]}"
  [ "$status" -eq 1 ]
  [[ $output == *"preparing"* ]]
  caches_made
  [ "${#caches[@]}" -eq 1 ]
}

@test "starts do not depend on the cache: none wanted, none possible, a broken one, several at once" {
  export RDMA4J_CACHE=$BATS_TEST_TMPDIR/cache
  tool=("$rdma4j" ib_write_lat -d no_such_device localhost)
  RDMA4J_START_CACHE=off run "${tool[@]}"
  expected=$output
  [ "$status" -eq 1 ]
  [ ! -e "$RDMA4J_CACHE" ]
  RDMA4J_START_CACHE=use run "${tool[@]}"
  [ "$output" == "$expected" ]
  [ ! -e "$RDMA4J_CACHE" ]
  RDMA4J_CACHE=/proc/no/such/folder run "${tool[@]}"
  [ "$output" == "$expected" ]
  HOME='' XDG_CACHE_HOME='' RDMA4J_CACHE='' run "${tool[@]}"
  [ "$output" == "$expected" ]

  for i in 1 2 3; do
    RDMA4J_QUIET=1 "${tool[@]}" >"$BATS_TEST_TMPDIR/$i" 2>&1 3>&- &
  done
  wait
  for i in 1 2 3; do
    [ "$(<"$BATS_TEST_TMPDIR/$i")" == "$expected" ]
  done
  caches_made
  [ "${#caches[@]}" -eq 1 ]
  [ -z "$(find "$RDMA4J_CACHE/start" -name '.new.*')" ]

  head -c 100000 "${caches[0]}" >"$BATS_TEST_TMPDIR/part"
  mv "$BATS_TEST_TMPDIR/part" "${caches[0]}"
  run "${tool[@]}"
  [ "$status" -eq 1 ]
  [ "$output" == "$expected" ]
}

@test "a missing libibverbs names the package, an unreachable server is reported within the time limit" {
  # In the guest, so that this machine keeps its library. 10.99.0.77 is on the guest's own veth, and nobody has it.
  run "$root/scripts/softroce" --vm --accel native --quiet bash -c '
    "$1" ib_write_lat -d rxe0 --no-warm-up --timeout 2 10.99.0.77; echo "status $?"
    rm -f $(/sbin/ldconfig -p | sed -n "s/.*libibverbs.so.1.* => //p")
    "$1" ib_write_lat -d rxe0 127.0.0.1; echo "status $?"' - "$rdma4j"
  [ "$status" -eq 0 ]
  [[ $output == *10.99.0.77*"status 1"*"libibverbs.so.1"*"apt-get install libibverbs1"*"status 1"* ]]
}

#!/usr/bin/env bats
# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
#
# The launcher. What the tools themselves do is tested in perftest/.

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

@test "works from another folder and through a link" {
  ln -s "$rdma4j" "$BATS_TEST_TMPDIR/linked"
  cd /
  run "$BATS_TEST_TMPDIR/linked" ib_write_bw --version
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

@test "flags for the JVM are handed on" {
  RDMA4J_JAVA_OPTIONS='-XX:+PrintFlagsFinal -Xmx123m' run "$rdma4j" --version
  [ "$status" -eq 0 ]
  [[ $output == *"MaxHeapSize"*"= 128974848"* || $output == *"MaxHeapSize"*"= 130023424"* ]]
}

@test "a missing jar names the command that builds it" {
  RDMA4J_JAR=/no/such.jar run "$rdma4j" --help
  [ "$status" -eq 1 ]
  [[ $output == *"/no/such.jar is missing"* && $output == *"mvn -DskipTests package"* ]]
}

@test "starts within a second of the JVM's own start" {
  source "$root/scripts/lib/common.sh"
  source "$root/scripts/lib/jdk.sh"
  java=$(find_jdk 25)/bin/java
  "$java" -version 2>/dev/null # into the page cache
  "$rdma4j" ib_write_lat --help >/dev/null
  local begin=${EPOCHREALTIME/./} middle end
  "$java" -version 2>/dev/null
  middle=${EPOCHREALTIME/./}
  "$rdma4j" ib_write_lat --help >/dev/null
  end=${EPOCHREALTIME/./}
  (((end - middle) - (middle - begin) < 1000000))
}

@test "a missing libibverbs names the package, an unreachable server is told within the time limit" {
  # In the guest, so that this machine keeps its library. 10.99.0.77 is on the guest's own veth, and nobody has it.
  run "$root/scripts/softroce" --vm --quiet bash -c '
    "$1" ib_write_lat -d rxe0 --no-warm-up --timeout 2 10.99.0.77; echo "status $?"
    rm -f $(/sbin/ldconfig -p | sed -n "s/.*libibverbs.so.1.* => //p")
    "$1" ib_write_lat -d rxe0 127.0.0.1; echo "status $?"' - "$rdma4j"
  [ "$status" -eq 0 ]
  [[ $output == *10.99.0.77*"status 1"*"libibverbs.so.1"*"apt-get install libibverbs1"*"status 1"* ]]
}

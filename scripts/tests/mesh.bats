# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # $stderr is set by `run`
#
# rdma4j mesh on four machines of User-Mode Linux, started by Slurm. Runs with scripts/test --full; MeshDeviceTest is the short form.

bats_require_minimum_version 1.5.0

# bats test_tags=long
@test "srun starts a mesh, whose report names the slow, the lossy and the dead link, and its page shows them" {
    [[ -x /usr/sbin/slurmctld && -x /usr/sbin/munged ]] || skip 'needs slurm-wlm and munge'
    local scripts=$BATS_TEST_DIRNAME/.. folder=$BATS_TEST_TMPDIR/cluster
    mkdir "$folder"
    # A guest needs the JVM's files, and a folder that all guests write to.
    run --separate-stderr "$scripts/softroce" --accel uml --machines 4 --keep-going --writable "$folder" --timeout 900 \
        "$scripts/lib/slurm-machine" "$folder" '1-3:rate 5mbit,3-4:loss 2%,2-4:loss 100%' \
        srun -N4 --ntasks-per-node=1 "$scripts/rdma4j" mesh -n 60 -s 16384 --repeats 2 --arrival 300 --timeout 120 --out_json "$folder/mesh.json"
    echo "$output"
    echo "$stderr"
    [[ $output == *"- link machine1–machine3: "*"bandwidth 0."* && $output == *"- link machine3–machine4: it loses packets: "* ]]
    [[ $output == *'- link machine2–machine4: it could not be measured: '* ]]
    run -0 "$scripts/rdma4j" report "$folder/mesh.json" --out "$folder/mesh.html"
    [[ $(grep -c 'class="failed"' "$folder/mesh.html") -ge 2 ]]
}

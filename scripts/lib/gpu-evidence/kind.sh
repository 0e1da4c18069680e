# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# What is special to evidence of a GPU; evidence/run and evidence/options.sh say what of it they need.

NAME=gpu-evidence
TITLE='Evidence of a machine with a GPU'
TARGET='the machine with the GPU'
MODULES=(verbs-ffm cuda-ffm gpudirect perftest benchmarks)
LAST_STEP=10
EXAMPLE_STEPS=1,4,6
OPTIONS_SYNOPSIS='[--stand-in]'
stand_in=''

kind_usage() {
    cat <<'TEXT'
Collects what this machine says of rdma4j on its first NVIDIA GPU, in ten steps, and writes evidence.md, evidence.json, logs and
evidence.tar.gz, which is there to be mailed. Needs no network and no root, and changes nothing.
TEXT
}

kind_options_usage() {
    cat <<'TEXT'
  --stand-in      a rehearsal on the stand-ins for libcuda and libnccl, which are no GPU; the output says so
TEXT
}

kind_option() {
    [[ $1 == --stand-in ]] || return 1
    stand_in=1 taken=1
}

kind_prepare() {
    JAVA_OPTIONS+=" -Drdma4j.test.copyBandwidth=$FOLDER/copy-bandwidth"
    if [[ -n $stand_in ]]; then
        REHEARSAL='REHEARSAL on the stand-in, no GPU'
        JAVA_OPTIONS+=" -Dio.github.rdma4j.cuda.library=$FOLDER/native/libcuda-standin.so"
        JAVA_OPTIONS+=" -Dio.github.rdma4j.nccl.library=$FOLDER/native/libnccl-standin.so"
        export RDMA4J_NCCL_STANDIN=cuda=$FOLDER/native/libcuda-standin.so
    fi
}

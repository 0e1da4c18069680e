# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# What is special to evidence of a GPU; evidence/run and evidence/options.sh say what of it they need.

TITLE='Evidence of a machine with a GPU'
TARGET='the machine with the GPU'
MODULES=(base verbs-ffm cuda-ffm gpudirect tools diagnosis comparison perftest benchmarks)
LAST_STEP=11
EXAMPLE_STEPS=1,4,6
OPTIONS_SYNOPSIS='[--stand-in]'
stand_in='' NCCL='' CUFILE=''

kind_usage() {
    cat <<'TEXT'
Tests rdma4j on the first NVIDIA GPU of this machine, in eleven steps, and writes evidence.md, evidence.json, logs, and
evidence.tar.gz to mail. It needs neither network nor root, and changes nothing.
TEXT
}

kind_options_usage() {
    cat <<'TEXT'
  --stand-in      a rehearsal without a GPU, on the stand-ins for libcuda, libnccl and libcufile; the output says so
TEXT
}

kind_option() {
    [[ $1 == --stand-in ]] || return 1
    stand_in=1 taken=1
}

# Finds a library of NVIDIA that does not belong to the driver: where the linker finds it, or in NVIDIA's Python
# packages, whose folders no linker searches (PyTorch installs them). Prints nothing if there is none.
nvidia_library() {
    local name=$1 library_path=${LD_LIBRARY_PATH-} folder
    ldconfig -p 2>/dev/null | sed -n "s|.*=> \\(.*/$name\\)\$|\\1|p" | head -n 1 | grep . && return
    for folder in ${library_path//:/ } $(python_folders); do
        [[ -r $folder/$name ]] || continue
        printf '%s\n' "$folder/$name"
        return
    done
}

python_folders() {
    python3 -c 'import glob, sys
for path in sys.path: print(*glob.glob(path + "/nvidia/*/lib"), sep="\n")' 2>/dev/null || true
}

kind_prepare() {
    JAVA_OPTIONS+=" -Drdma4j.test.copyBandwidth=$FOLDER/copy-bandwidth -Drdma4j.test.ncclAllReduce=$FOLDER/nccl-allreduce"
    if [[ -n $stand_in ]]; then
        REHEARSAL='REHEARSAL on the stand-in, no GPU'
        JAVA_OPTIONS+=" -Dio.github.rdma4j.cuda.library=$FOLDER/native/libcuda-standin.so"
        JAVA_OPTIONS+=" -Dio.github.rdma4j.nccl.library=$FOLDER/native/libnccl-standin.so"
        export RDMA4J_NCCL_STANDIN=cuda=$FOLDER/native/libcuda-standin.so
        export RDMA4J_MLX5_CUDA=$FOLDER/native/libcuda-standin.so
        NCCL=$FOLDER/native/libnccl-standin.so
        JAVA_OPTIONS+=" -Dio.github.rdma4j.cufile.library=$FOLDER/native/libcufile-standin.so"
        export RDMA4J_CUFILE_STANDIN=cuda=$FOLDER/native/libcuda-standin.so
        CUFILE=$FOLDER/native/libcufile-standin.so
    else
        NCCL=$(nvidia_library libnccl.so.2)
        [[ -z $NCCL ]] || JAVA_OPTIONS+=" -Dio.github.rdma4j.nccl.library=$NCCL"
        CUFILE=$(nvidia_library libcufile.so.0)
        [[ -z $CUFILE ]] || JAVA_OPTIONS+=" -Dio.github.rdma4j.cufile.library=$CUFILE"
    fi
    export NCCL CUFILE
}

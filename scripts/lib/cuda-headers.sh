# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Where the headers of the CUDA driver API are. Needs common.sh.
#
#   find_cuda_headers [HOME]   prints the folder of cuda.h: in HOME when given, else in $CUDA_HOME, else next to the nvcc
#                              on the PATH or in the usual folders, the pinned version first.
#                              Status 1, and nothing printed, when there are none
#   cuda_headers_version DIR   prints the version that cuda.h in DIR says, such as 13.0
#   cuda_headers_remedy        prints how to get them, one line each

readonly CUDA_VERSION_FILE=$RDMA4J_ROOT/native-headers/cuda/version

cuda_headers_version() {
    local number
    number=$(sed -nE 's/^#define[[:space:]]+CUDA_VERSION[[:space:]]+([0-9]+).*/\1/p' "$1/cuda.h" | head -n 1)
    [[ -n $number ]] || return 1
    printf '%d.%d\n' $((number / 1000)) $((number % 1000 / 10))
}

find_cuda_headers() {
    local wanted=${1:-${CUDA_HOME:-}} pinned folder nvcc found='' folders=()
    pinned=$(<"$CUDA_VERSION_FILE")
    if [[ -n $wanted ]]; then
        [[ -f $wanted/include/cuda.h ]] || return 1
        (cd -- "$wanted/include" && pwd -P)
        return
    fi
    if nvcc=$(command -v nvcc); then
        folders+=("$(dirname -- "$(dirname -- "$(readlink -f -- "$nvcc")")")")
    fi
    folders+=("/usr/local/cuda-$pinned" /usr/local/cuda /usr/local/cuda-* /usr)
    for folder in "${folders[@]}"; do
        [[ -f $folder/include/cuda.h ]] || continue
        folder=$(cd -- "$folder/include" && pwd -P)
        if [[ $(cuda_headers_version "$folder") == "$pinned" ]]; then
            found=$folder
            break
        fi
        found=${found:-$folder}
    done
    [[ -n $found ]] && printf '%s\n' "$found"
}

cuda_headers_remedy() {
    local pinned
    pinned=$(<"$CUDA_VERSION_FILE")
    printf '%s\n' "install the CUDA toolkit $pinned (its headers are enough: no driver and no GPU is needed) or a package" \
        "of your distribution with cuda.h of that version, such as Debian's nvidia-cuda-dev (non-free); where it is" \
        'not found, give --cuda-home PATH or set CUDA_HOME=PATH, the folder that has include/cuda.h in it'
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# The options that scripts/gpu-evidence and a packed folder's gpu-evidence share. Needs `die`.
#
#   usage COMMAND           prints the help
#   evidence_option ARG…    takes the option that comes first, and sets taken to how many arguments it is; dies for one it does not know

out='' steps='' stand_in='' taken=0

usage() {
    cat <<TEXT
Usage: $1 [--out DIR] [--steps 1,4,6] [--stand-in]

Collects what this machine says of rdma4j on its first NVIDIA GPU, in ten steps, and writes evidence.md, evidence.json, logs and
evidence.tar.gz, which is there to be mailed. Needs no network and no root, and changes nothing.

  --out DIR       where to; a new folder, else evidence-DATE here
  --steps 1,4,6   these steps only
  --stand-in      a rehearsal on the stand-in for libcuda, which is no GPU; the output says so
  --help          this text

Exit status: 0 nothing failed, 1 a step failed, 2 the command line makes no sense.
TEXT
}

evidence_option() {
    taken=2
    case $1 in
        --out)
            out=${2:-}
            [[ -n $out ]] || die -2 '--out needs a folder' 'see --help'
            [[ ! -e $out ]] || die -2 "$out is there already" 'name a folder that is not'
            ;;
        --steps)
            steps=${2:-}
            [[ $steps =~ ^([1-9]|10)(,([1-9]|10))*$ ]] || die -2 '--steps needs numbers from 1 to 10, such as 1,4,6' 'see --help'
            ;;
        --stand-in)
            stand_in=1
            taken=1
            ;;
        *) die -2 "unknown option $1" 'see --help' ;;
    esac
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# The options that scripts/evidence and the program in a packed folder share. Needs `die`, and of a kind (kind.sh) LAST_STEP, EXAMPLE_STEPS, OPTIONS_SYNOPSIS, kind_usage, kind_options_usage and
# kind_option.
#
#   usage COMMAND           prints the help
#   evidence_option ARG…    takes the option that comes first, and sets taken to how many arguments it is; dies for one it does not know

out='' steps='' taken=0

usage() {
    printf 'Usage: %s [--out DIR] [--steps %s] %s\n\n' "$1" "$EXAMPLE_STEPS" "$OPTIONS_SYNOPSIS"
    kind_usage
    cat <<TEXT

  --out DIR       the new folder for the results (default: evidence-DATE in this folder)
  --steps $EXAMPLE_STEPS   only these steps
$(kind_options_usage)
  --help          this text

Exit status: 0 nothing failed, 1 a step failed, 2 wrong command line.
TEXT
}

evidence_option() {
    local number
    taken=2
    case $1 in
        --out)
            out=${2:-}
            [[ -n $out ]] || die -2 '--out needs a folder' 'see --help'
            [[ ! -e $out ]] || die -2 "$out already exists" 'name a new folder'
            ;;
        --steps)
            steps=${2:-}
            [[ $steps =~ ^[1-9][0-9]?(,[1-9][0-9]?)*$ ]] || steps=0
            for number in ${steps//,/ }; do
                ((number >= 1 && number <= LAST_STEP)) ||
                    die -2 "--steps needs numbers from 1 to $LAST_STEP, such as $EXAMPLE_STEPS" 'see --help'
            done
            ;;
        *) kind_option "$@" || die -2 "unknown option $1" 'see --help' ;;
    esac
}

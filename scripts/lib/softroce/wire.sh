# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# softroce --wire: the faults of the wire between the two devices of a pair, or between machines. guest-main applies
# them. Needs common.sh.
#
#   wire_parse VALUE   sets WIRE to VALUE, WIRE_NETEM to the arguments of tc's netem, WIRE_MTU to the interfaces' MTU; or dies

WIRE='' WIRE_NETEM='' WIRE_MTU=''
WIRE_KEYS=('keys: loss=1% delay=1ms reorder=5% duplicate=1% corrupt=1% rate=1gbit mtu=1500, with commas between them'
    'units: % up to 100; us, ms, s up to 10s; kbit, mbit, gbit; mtu 576 to 9000')

# wire_percent VALUE: above 0 and up to 100, with up to three decimals
wire_percent() {
    [[ $1 =~ ^(100|[0-9]{1,2}(\.[0-9]{1,3})?)%$ && ! $1 =~ ^[0.]+%$ ]]
}

# wire_time VALUE: from 1us to 10s
wire_time() {
    [[ $1 =~ ^([1-9][0-9]{0,6})(us|ms|s)$ ]] || return 1
    case ${BASH_REMATCH[2]} in
        us) ((BASH_REMATCH[1] <= 10000000)) ;;
        ms) ((BASH_REMATCH[1] <= 10000)) ;;
        s) ((BASH_REMATCH[1] <= 10)) ;;
    esac
}

wire_parse() {
    local part key value parts=() seen=' '
    WIRE=$1 WIRE_NETEM='' WIRE_MTU=''
    IFS=, read -r -a parts <<<"$1,"
    ((${#parts[@]} > 0)) || die -2 "--wire '$1': there is no setting in it" "${WIRE_KEYS[@]}"
    for part in "${parts[@]}"; do
        key=${part%%=*} value=${part#*=}
        [[ $seen != *" $key "* ]] || die -2 "--wire $1: $key appears twice" "${WIRE_KEYS[@]}"
        seen+="$key "
        case $key in
            loss | duplicate | corrupt | reorder) wire_percent "$value" ;;
            delay) wire_time "$value" ;;
            rate) [[ $value =~ ^[1-9][0-9]{0,2}[kmg]bit$ ]] ;;
            mtu) [[ $value =~ ^[0-9]{3,4}$ ]] && ((10#$value >= 576 && 10#$value <= 9000)) ;;
            *) die -2 "--wire $1: unknown key '$key'" "${WIRE_KEYS[@]}" ;;
        esac || die -2 "--wire $1: '$part' is not valid" "${WIRE_KEYS[@]}"
        if [[ $key == mtu ]]; then
            WIRE_MTU=$((10#$value))
        else
            WIRE_NETEM+=" $key $value"
        fi
    done
    # netem lets these overtake the others, which wait.
    [[ $seen != *' reorder '* || $seen == *' delay '* ]] || die -2 "--wire $1: reorder needs a delay" \
        'the packets that are reordered go at once, and overtake those that wait: add delay=1ms'
}

# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # variables for the files that source this one
#
# What is special to evidence of an adapter; evidence/run and evidence/options.sh say what of it they need. Steps find DEVICE, the
# RDMA device, or nothing if none has an active port 1; ADDRESS, the IPv4 address of its interface, or nothing; EFA, not empty if it
# is an Elastic Fabric Adapter; PEER; C_TOOLS, the folder of the C tools, or nothing; and common.sh beside this file.

TITLE='Evidence of a machine with an RDMA adapter'
TARGET='the machine with the adapter'
MODULES=(base verbs-ffm cuda-ffm gpudirect netty campaign benchmarks tools diagnosis comparison perftest)
LAST_STEP=10
EXAMPLE_STEPS=1,2,5
OPTIONS_SYNOPSIS='[--device NAME] [--peer HOST]'
device='' peer=''

kind_usage() {
    cat <<'TEXT'
Tests rdma4j on one RDMA device of this machine, in ten steps, and writes evidence.md, evidence.json, logs, and evidence.tar.gz to
mail. Both ends of all transfers are on this machine, except in step 10. It needs neither network nor root, changes nothing, and
takes 15 to 30 minutes.
TEXT
}

kind_options_usage() {
    cat <<'TEXT'
  --device NAME   the RDMA device (default: the first one whose port 1 is active, adapters before software devices)
  --peer HOST     step 10 tests the path to HOST, where `rdma4j doctor --serve` runs; the packed folder contains that program
TEXT
}

kind_option() {
    case $1 in
        --device)
            device=${2:-}
            [[ $device =~ ^[A-Za-z0-9_.-]+$ ]] || die -2 '--device needs the name of an RDMA device, such as mlx5_0' 'see --help'
            ;;
        --peer)
            peer=${2:-}
            [[ $peer =~ ^[][A-Za-z0-9_.:%-]+$ ]] || die -2 '--peer needs a host or HOST:PORT' 'see --help'
            ;;
        *) return 1 ;;
    esac
}

# Where the kernel's lists are, for tests.
SYSFS=${RDMA4J_SYSFS:-/sys}

kind_prepare() {
    PEER=$peer C_TOOLS='' ADDRESS='' EFA=''
    if [[ -n $device ]]; then
        [[ -d $SYSFS/class/infiniband/$device ]] ||
            die -2 "there is no RDMA device $device" "this machine has: $(ls "$SYSFS/class/infiniband" 2>/dev/null | tr '\n' ' ')"
        DEVICE=$device
    else
        DEVICE=$(first_device)
    fi
    if [[ -n $DEVICE ]]; then
        is_adapter "$DEVICE" || REHEARSAL="REHEARSAL on $DEVICE, a software device and no adapter"
        ADDRESS=$(address_of "$DEVICE")
        ! is_efa "$DEVICE" || EFA=yes
        JAVA_OPTIONS+=" -Drdma4j.test.device=$DEVICE${ADDRESS:+ -Drdma4j.test.address=$ADDRESS}"
    fi
    ! type -P ib_write_lat >/dev/null || C_TOOLS=$(dirname -- "$(type -P ib_write_lat)")
    printf 'device %s, address %s, C tools in %s\n' "${DEVICE:-(none with an active port 1)}" "${ADDRESS:-(none)}" "${C_TOOLS:-(none)}"
    export DEVICE ADDRESS EFA PEER C_TOOLS SYSFS
}

# Only a device on a bus has hardware.
is_adapter() {
    [[ -e $SYSFS/class/infiniband/$1/device ]]
}

# AWS's Elastic Fabric Adapter, which has SRD instead of reliable connections.
is_efa() {
    [[ $(readlink -- "$SYSFS/class/infiniband/$1/device/driver") == */efa ]]
}

first_device() {
    local path name software=''
    for path in "$SYSFS"/class/infiniband/*; do
        name=${path##*/}
        grep -qs ACTIVE "$path/ports/1/state" || continue
        if is_adapter "$name"; then
            printf '%s' "$name"
            return
        fi
        software=${software:-$name}
    done
    printf '%s' "$software"
}

# The first IPv4 address of an interface of a device: of RoCE its GIDs name it, of InfiniBand it is IPoIB's, of the same function.
address_of() {
    local interface address
    for interface in $(cat "$SYSFS/class/infiniband/$1"/ports/1/gid_attrs/ndevs/* 2>/dev/null | sort -u) \
        $(ls "$SYSFS/class/infiniband/$1/device/net" 2>/dev/null); do
        address=$(ip -o -4 addr show dev "$interface" 2>/dev/null | sed -nE 's|.* inet ([0-9.]+)/.*|\1|p' | head -n 1)
        if [[ -n $address ]]; then
            printf '%s' "$address"
            return
        fi
    done
}

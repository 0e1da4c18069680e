# SPDX-FileCopyrightText: 2026 the rdma4j authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# The sysfs of a machine with one RDMA device on the PCI bus.
#
#   make_sysfs FOLDER NAME DRIVER MODALIAS NODE_TYPE GUID   GUID as four groups of four digits

make_sysfs() {
    pci=$1/devices/pci0000:00/0000:01:00.0
    mkdir -p "$pci/infiniband/$2/ports/1/gids" "$pci/infiniband/$2/ports/1/gid_attrs/types" "$pci/infiniband/$2/ports/1/pkeys" \
        "$pci/infiniband_verbs/uverbs0" "$1/class/infiniband" "$1/class/infiniband_verbs" "$1/bus/pci/drivers/$3"
    ln -sfn "../../../bus/pci/drivers/$3" "$pci/driver"
    printf '%s\n' "$4" >"$pci/modalias"

    tree=$pci/infiniband/$2
    ln -sfn ../.. "$tree/device"
    ln -sfn "../../devices/pci0000:00/0000:01:00.0/infiniband/$2" "$1/class/infiniband/$2"
    printf '%s\n' "$5" >"$tree/node_type"
    printf '%s\n' "$6" >"$tree/node_guid"
    printf 'fe80:0000:0000:0000:%s\n' "$6" >"$tree/ports/1/gids/0"
    printf 'IB/RoCE v1\n' >"$tree/ports/1/gid_attrs/types/0"
    printf '0xffff\n' >"$tree/ports/1/pkeys/0"

    tree=$pci/infiniband_verbs/uverbs0
    ln -sfn ../.. "$tree/device"
    ln -sfn ../../devices/pci0000:00/0000:01:00.0/infiniband_verbs/uverbs0 "$1/class/infiniband_verbs/uverbs0"
    printf '%s\n' "$2" >"$tree/ibdev"
    printf '1\n' >"$tree/abi_version"
    printf '6\n' >"$1/class/infiniband_verbs/abi_version"
    # The numbers of /dev/null, which is what the device's file is.
    printf '1:3\n' >"$tree/dev"
}

// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * One entry of a port's GID table ({@code struct ibv_gid_entry}).
 *
 * @param gid the GID
 * @param index its index, what tools call {@code -x} or {@code sgid_index}
 * @param port the port, from 1
 * @param type how its packets travel
 * @param networkInterfaceIndex the network interface ({@code ifindex}) behind it, 0 if there is none
 * @since 0.1.0
 */
public record GidEntry(Gid gid, int index, int port, GidType type, int networkInterfaceIndex) {
    /** The greatest index that a queue pair can name, with eight bits; tables can be longer. */
    public static final int MAX_USABLE_INDEX = 255;
}

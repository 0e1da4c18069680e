// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

/**
 * How a {@link ConnectionId} belongs to a multicast group ({@code enum rdma_cm_mc_join_flags}).
 *
 * @since 0.1.0
 */
public enum MulticastMembership {
    /** Sends to the group and receives from it. */
    FULL_MEMBER(0),
    /** Sends to the group only; the group's packets are not delivered here because of it. */
    SEND_ONLY_FULL_MEMBER(1);

    private final int code;

    MulticastMembership(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}

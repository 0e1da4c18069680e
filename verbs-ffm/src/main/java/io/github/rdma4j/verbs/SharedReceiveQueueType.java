// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;

/**
 * The type of a shared receive queue ({@code enum ibv_srq_type}).
 *
 * @since 0.1.0
 */
public enum SharedReceiveQueueType {
    /** The receives of any number of queue pairs of one protection domain. */
    BASIC(RdmaHeaders.IBV_SRQT_BASIC()),
    /** The receives of an {@link XrcDomain}: the sender names the queue by its {@link SharedReceiveQueue#number()}. */
    XRC(RdmaHeaders.IBV_SRQT_XRC()),
    /** The adapter chooses the buffer by a tag of the message; see {@link TagList}. */
    TAG_MATCHING(RdmaHeaders.IBV_SRQT_TM());

    private final int code;

    SharedReceiveQueueType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}

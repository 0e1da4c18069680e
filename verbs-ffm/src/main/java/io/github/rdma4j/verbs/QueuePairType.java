// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** The service that a queue pair gives ({@code enum ibv_qp_type}). */
public enum QueuePairType {
    /** Reliable connection: in order, acknowledged, every operation. */
    RC(2);

    private final int code;

    QueuePairType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}

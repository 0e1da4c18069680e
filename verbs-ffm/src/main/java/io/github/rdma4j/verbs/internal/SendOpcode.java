// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;

/** The values of {@code enum ibv_wr_opcode}; integers, because posting only compares and stores them. */
public final class SendOpcode {
    public static final int RDMA_WRITE = RdmaHeaders.IBV_WR_RDMA_WRITE();
    public static final int RDMA_WRITE_WITH_IMMEDIATE = RdmaHeaders.IBV_WR_RDMA_WRITE_WITH_IMM();
    public static final int SEND = RdmaHeaders.IBV_WR_SEND();
    public static final int SEND_WITH_IMMEDIATE = RdmaHeaders.IBV_WR_SEND_WITH_IMM();
    public static final int RDMA_READ = RdmaHeaders.IBV_WR_RDMA_READ();
    public static final int COMPARE_AND_SWAP = RdmaHeaders.IBV_WR_ATOMIC_CMP_AND_SWP();
    public static final int FETCH_AND_ADD = RdmaHeaders.IBV_WR_ATOMIC_FETCH_AND_ADD();
    public static final int LOCAL_INVALIDATE = RdmaHeaders.IBV_WR_LOCAL_INV();
    public static final int BIND_MEMORY_WINDOW = RdmaHeaders.IBV_WR_BIND_MW();
    public static final int SEND_WITH_INVALIDATE = RdmaHeaders.IBV_WR_SEND_WITH_INV();
    public static final int SEGMENTED_SEND = RdmaHeaders.IBV_WR_TSO();
    /** In verbs.h since rdma-core 45. */
    public static final int FLUSH = 14;

    public static final int ATOMIC_WRITE = RdmaHeaders.IBV_WR_ATOMIC_WRITE();

    private static final String[] NAMES = {
        "RDMA write",
        "RDMA write with immediate",
        "send",
        "send with immediate",
        "RDMA read",
        "compare-and-swap",
        "fetch-and-add",
        "local invalidate",
        "memory window binding",
        "send with invalidate",
        "segmented send",
        "driver's own operation",
        "operation 12",
        "operation 13",
        "flush",
        "atomic write"
    };

    private SendOpcode() {}

    public static String name(int opcode) {
        return NAMES[opcode];
    }

    public static String withArticle(int opcode) {
        return (NAMES[opcode].startsWith("a") || NAMES[opcode].startsWith("R") ? "an " : "a ") + NAMES[opcode];
    }

    /** Returns a set of opcodes as bits. */
    public static int mask(int... opcodes) {
        int mask = 0;
        for (int opcode : opcodes) {
            mask |= 1 << opcode;
        }
        return mask;
    }
}

// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.internal.DescriptorCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Notifies SoftRoCE's driver of requests in a send queue, by the command to post no request, written to the device
 * ({@code IB_USER_VERBS_CMD_POST_SEND} of {@code rdma/ib_user_verbs.h}). Its bytes never change, so they are written
 * once. The driver transmits within the call, and the call orders all earlier stores before it.
 */
final class RxeDoorbell {
    /** {@code struct ib_uverbs_cmd_hdr} and {@code struct ib_uverbs_post_send}. */
    static final long COMMAND_BYTES = 32;

    static final long COMMAND = 0;
    static final long IN_WORDS = 4;
    static final long OUT_WORDS = 6;
    static final long RESPONSE = 8;
    static final long HANDLE = 16;
    static final long REQUEST_COUNT = 20;
    static final long ENTRY_COUNT = 24;
    static final long REQUEST_BYTES = 28;

    /** {@code IB_USER_VERBS_CMD_POST_SEND}. */
    static final int POST_SEND = 28;

    /** {@code struct ib_uverbs_post_send_resp}, which the kernel writes after the command. */
    static final long RESPONSE_BYTES = 4;

    private final int commandDescriptor;
    private final long command;

    /**
     * Writes the command.
     *
     * @param arena an arena that is closed when no thread can be in {@link #ring()}
     * @param commandDescriptor the command descriptor of the device
     * @param queuePair the {@code struct ibv_qp}
     */
    RxeDoorbell(Arena arena, int commandDescriptor, MemorySegment queuePair) {
        this.commandDescriptor = commandDescriptor;
        MemorySegment memory = arena.allocate(COMMAND_BYTES + Long.BYTES, Long.BYTES);
        memory.set(ValueLayout.JAVA_INT, COMMAND, POST_SEND);
        memory.set(ValueLayout.JAVA_SHORT, IN_WORDS, (short) (COMMAND_BYTES / Integer.BYTES));
        memory.set(ValueLayout.JAVA_SHORT, OUT_WORDS, (short) (RESPONSE_BYTES / Integer.BYTES));
        memory.set(ValueLayout.JAVA_LONG, RESPONSE, memory.address() + COMMAND_BYTES);
        memory.set(ValueLayout.JAVA_INT, HANDLE, ibv_qp.handle(queuePair));
        memory.set(ValueLayout.JAVA_INT, REQUEST_COUNT, 0);
        memory.set(ValueLayout.JAVA_INT, ENTRY_COUNT, 0);
        memory.set(ValueLayout.JAVA_INT, REQUEST_BYTES, (int) ibv_send_wr.sizeof());
        this.command = memory.address();
    }

    /** {@return 0 or an errno; EINVAL if the queue pair's state does not allow posting} */
    int ring() {
        return DescriptorCalls.writeCommand(commandDescriptor, command, COMMAND_BYTES);
    }
}

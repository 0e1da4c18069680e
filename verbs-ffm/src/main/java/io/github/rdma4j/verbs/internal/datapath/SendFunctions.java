// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;

/** Posts through the provider's function, ibv_post_send(3). */
public final class SendFunctions extends SendPath {
    private final MemorySegment function;
    private final boolean critical;
    private final long queuePair;
    /** The queue pair's register, if other queue pairs must know that it is shared; otherwise null. */
    private final Mlx5Register register;

    private int calls;

    /**
     * Creates the path of one queue pair.
     *
     * @param function the provider's entry in {@code ibv_context_ops}
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp}
     */
    public SendFunctions(MemorySegment function, boolean critical, long queuePair) {
        this(function, critical, queuePair, null);
    }

    SendFunctions(MemorySegment function, boolean critical, long queuePair, Mlx5Register register) {
        this.function = function;
        this.critical = critical;
        this.queuePair = queuePair;
        this.register = register;
    }

    @Override
    public int post(SendRequests requests) {
        int result = HotCalls.postSend(function, critical, queuePair, requests.address(), requests.badRequestAddress());
        if (critical) {
            HotCalls.letStop(++calls);
        }
        return Math.abs(result);
    }

    @Override
    public int forget(IntSupplier call, boolean forGood) {
        int result = call.getAsInt();
        if (result == 0 && forGood && register != null) {
            register.give();
        }
        return result;
    }
}

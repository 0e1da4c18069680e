// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaResource;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * A call of NCCL whose arguments are checked, and which has not been made yet.
 *
 * @param connection the connection of the call
 * @param call the call with its arguments, for messages
 * @param nativeCall makes the call; must not wait for a lock, because the context was made current for it
 * @param uses memory and streams that must stay open until NCCL has put the work into the stream
 * @param after called when NCCL has accepted the call, before waiting for it
 * @param failed called if the call or another one of its group has failed
 */
record Step(
        Connection connection,
        Call call,
        IntSupplier nativeCall,
        List<CudaResource> uses,
        Runnable after,
        Runnable failed) {
    /** A call in words, composed only if it fails. */
    interface Call {
        String words();
    }

    static final Runnable NOTHING = () -> {};

    Step(Connection connection, Call call, IntSupplier nativeCall, CudaResource... uses) {
        this(connection, call, nativeCall, List.of(uses), NOTHING, NOTHING);
    }
}

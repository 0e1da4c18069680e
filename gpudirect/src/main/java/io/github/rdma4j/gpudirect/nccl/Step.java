// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaResource;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * One call of NCCL that is checked and not made yet.
 *
 * @param connection whose call it is
 * @param call with its arguments, for messages
 * @param nativeCall makes it; blocks for no lock, since the context was made current for it
 * @param uses memory and streams that must stay open until NCCL has put the work into the stream
 * @param after called when NCCL has taken it, before it is waited for
 * @param failed called if it has failed, or others of its group have
 */
record Step(
        Connection connection,
        Call call,
        IntSupplier nativeCall,
        List<CudaResource> uses,
        Runnable after,
        Runnable failed) {
    /** A call in words: put together only if it fails. */
    interface Call {
        String words();
    }

    static final Runnable NOTHING = () -> {};

    Step(Connection connection, Call call, IntSupplier nativeCall, CudaResource... uses) {
        this(connection, call, nativeCall, List.of(uses), NOTHING, NOTHING);
    }
}

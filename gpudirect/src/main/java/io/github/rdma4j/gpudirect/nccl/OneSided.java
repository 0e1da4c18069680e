// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.nccl.bindings.ncclWaitSignalDesc_t;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Writes to windows, and signals. Uses the one signal and the one context that NCCL has by default. */
final class OneSided {
    private static final int SIGNAL = 0;
    private static final int CONTEXT = 0;
    private static final int FLAGS = 0;

    private OneSided() {}

    static void put(
            NcclCommunicator communicator,
            DeviceSlice from,
            NcclDataType type,
            int peer,
            NcclWindow window,
            long offset,
            CudaStream stream) {
        Library library = communicator.connection().library;
        long count = Checks.elements(communicator, "from", from, type);
        Checks.rank("peer", peer, communicator.ranks());
        if (window.communicator() != communicator) {
            throw new IllegalArgumentException("%s is not of %s".formatted(window, communicator));
        }
        if (offset < 0) {
            throw new IllegalArgumentException("offset %d: 0 or more".formatted(offset));
        }
        library.require(NcclFunction.PUT_SIGNAL);
        long handle = window.handle();
        communicator.queue(
                NcclFunction.PUT_SIGNAL,
                () -> "ncclPutSignal(count=%d, %s, peer=%d, offset=%d)".formatted(count, type, peer, offset),
                (send, none, at, on) -> library.calls()
                        .call(
                                NcclFunction.PUT_SIGNAL,
                                send,
                                count,
                                type.code(),
                                peer,
                                handle,
                                offset,
                                SIGNAL,
                                CONTEXT,
                                FLAGS,
                                at,
                                on),
                from,
                null,
                stream);
    }

    static void signal(NcclCommunicator communicator, int peer, CudaStream stream) {
        Library library = communicator.connection().library;
        Checks.rank("peer", peer, communicator.ranks());
        communicator.queue(
                NcclFunction.SIGNAL,
                () -> "ncclSignal(peer=%d)".formatted(peer),
                (send, none, at, on) -> library.calls().call(NcclFunction.SIGNAL, peer, SIGNAL, CONTEXT, FLAGS, at, on),
                null,
                null,
                stream);
    }

    static void waitSignal(NcclCommunicator communicator, int peer, int signals, CudaStream stream) {
        Library library = communicator.connection().library;
        Checks.rank("peer", peer, communicator.ranks());
        if (signals < 1) {
            throw new IllegalArgumentException("%d signals: 1 or more".formatted(signals));
        }
        communicator.queue(
                NcclFunction.WAIT_SIGNAL,
                () -> "ncclWaitSignal(peer=%d, signals=%d)".formatted(peer, signals),
                (send, none, at, on) -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment wait = ncclWaitSignalDesc_t.allocate(arena);
                        ncclWaitSignalDesc_t.opCnt(wait, signals);
                        ncclWaitSignalDesc_t.peer(wait, peer);
                        ncclWaitSignalDesc_t.sigIdx(wait, SIGNAL);
                        ncclWaitSignalDesc_t.ctx(wait, CONTEXT);
                        return library.calls().call(NcclFunction.WAIT_SIGNAL, 1, wait.address(), at, on);
                    }
                },
                null,
                null,
                stream);
    }
}

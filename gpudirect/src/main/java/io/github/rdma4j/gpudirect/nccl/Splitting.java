// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Creates communicators from an existing one: with the ranks of a colour (ncclCommSplit), or without some ranks
 * (ncclCommShrink). {@link Creation} creates the others.
 */
final class Splitting {
    /** Creates a communicator from the parent. */
    private interface Creator {
        int call(Connection made, long config);
    }

    private final NcclCommunicator parent;
    private final Connection connection;
    private final NcclConfig config;

    Splitting(NcclCommunicator parent, Connection connection, NcclConfig config) {
        this.parent = parent;
        this.connection = connection;
        this.config = config;
    }

    NcclCommunicator split(int color, int key) {
        if (color < 0) {
            throw new IllegalArgumentException("color %d: 0 or more".formatted(color));
        }
        return child(
                NcclFunction.COMM_SPLIT,
                "ncclCommSplit(color=%d, key=%d)".formatted(color, key),
                (made, struct) -> connection
                        .library
                        .calls()
                        .call(NcclFunction.COMM_SPLIT, connection.handle(), color, key, made.slot(), struct));
    }

    /** Takes part without joining a new communicator. */
    void leave() {
        connection.library.require(NcclFunction.COMM_SPLIT);
        long none = connection.arena().allocate(ValueLayout.JAVA_LONG).address();
        NcclGroup.submit(new Step(
                connection,
                () -> "ncclCommSplit(NCCL_SPLIT_NOCOLOR)",
                () -> connection
                        .library
                        .calls()
                        .call(
                                NcclFunction.COMM_SPLIT,
                                connection.handle(),
                                NcclHeaders.NCCL_SPLIT_NOCOLOR(),
                                0,
                                none,
                                0L)));
    }

    /** The excluded ranks are at least one, and not this one. */
    NcclCommunicator shrink(List<Integer> excluded, boolean abort) {
        MemorySegment list = connection
                .arena()
                .allocateFrom(
                        ValueLayout.JAVA_INT,
                        excluded.stream().mapToInt(Integer::intValue).toArray());
        int flags = abort ? NcclHeaders.NCCL_SHRINK_ABORT() : NcclHeaders.NCCL_SHRINK_DEFAULT();
        return child(
                NcclFunction.COMM_SHRINK,
                "ncclCommShrink(without %s)".formatted(excluded),
                (made, struct) -> connection
                        .library
                        .calls()
                        .call(
                                NcclFunction.COMM_SHRINK,
                                connection.handle(),
                                list.address(),
                                excluded.size(),
                                made.slot(),
                                struct,
                                flags));
    }

    private NcclCommunicator child(NcclFunction function, String words, Creator creator) {
        connection.library.require(function);
        connection.requireOpen();
        NcclCommunicator made = new NcclCommunicator(connection.library, parent.context(), config, -1, -1);
        Connection own = made.connection();
        MemorySegment struct = config.struct(connection.library, own.arena());
        made.start(connection, () -> words, () -> creator.call(own, struct.address()));
        if (!NcclGroup.isOpen() && connection.mode == NcclMode.BOUNDED) {
            boolean there = false;
            try {
                own.lock();
                try {
                    own.settle(() -> words, connection.timeout);
                } finally {
                    own.unlock();
                }
                there = true;
            } finally {
                if (!there) {
                    made.drop();
                }
            }
        }
        return made;
    }
}

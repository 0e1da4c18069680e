// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_rwq_ind_table;
import io.github.rdma4j.verbs.bindings.ibv_rwq_ind_table_init_attr;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A table of receive work queues ({@code struct ibv_rwq_ind_table}, ibv_create_rwq_ind_table(3)): the hash of a packet,
 * see {@link ReceiveHashConfig}, selects the entry and so the queue.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class ReceiveWorkQueueTable extends Resource {
    private final DeviceContext context;
    private final List<WorkQueue> queues;
    private final MemorySegment table;

    ReceiveWorkQueueTable(DeviceContext context, List<WorkQueue> queues) {
        super(Resource.concat(context, queues.toArray(Resource[]::new)));
        this.context = context;
        this.queues = queues;
        queues.forEach(Resource::requireOpen);
        try (Arena arena = Arena.ofConfined()) {
            this.table = ExtendedVerb.CREATE_RWQ_IND_TABLE.create(
                    "ibv_create_rwq_ind_table(%s, %d queues)"
                            .formatted(context.device().name(), queues.size()),
                    context.segment(),
                    context.segment(),
                    attributes(queues.stream().map(WorkQueue::handle).toList(), arena));
        }
    }

    static void check(DeviceContext context, List<WorkQueue> queues) {
        int size = queues.size();
        if (Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException(
                    "a table of %d queues: their number must be a power of two".formatted(size));
        }
        int limit = context.extendedAttributes().receiveHashing().maxIndirectionTableSize();
        if (limit > 0 && size > limit) {
            throw new IllegalArgumentException("a table of %d queues: device %s allows at most %d"
                    .formatted(size, context.device().name(), limit));
        }
        for (WorkQueue queue : queues) {
            if (queue.protectionDomain().context() != context) {
                throw new IllegalArgumentException(queue + " is not of the same device context as the table");
            }
        }
    }

    static MemorySegment attributes(List<Long> handles, SegmentAllocator allocator) {
        MemorySegment pointers = allocator.allocate(ValueLayout.JAVA_LONG, handles.size());
        for (int i = 0; i < handles.size(); i++) {
            pointers.setAtIndex(ValueLayout.JAVA_LONG, i, handles.get(i));
        }
        MemorySegment attributes = ibv_rwq_ind_table_init_attr.allocate(allocator);
        ibv_rwq_ind_table_init_attr.log_ind_tbl_size(attributes, Integer.numberOfTrailingZeros(handles.size()));
        ibv_rwq_ind_table_init_attr.ind_tbl(attributes, pointers);
        return attributes;
    }

    DeviceContext context() {
        return context;
    }

    /** {@return the queues by entry} */
    public List<WorkQueue> queues() {
        return queues;
    }

    /** {@return the number that adapters and tools use for the table} */
    public int number() {
        return locked(() -> ibv_rwq_ind_table.ind_tbl_num(table.reinterpret(ibv_rwq_ind_table.sizeof())));
    }

    MemorySegment segment() {
        return table;
    }

    @Override
    public long handle() {
        requireOpen();
        return table.address();
    }

    @Override
    void release() {
        Failures.check(
                "ibv_destroy_rwq_ind_table(" + context.device().name() + ")",
                ExtendedVerb.DESTROY_RWQ_IND_TABLE.call(context.segment(), table));
    }

    /** {@return size and device} */
    @Override
    public String toString() {
        return "table of %d receive work queues of %s"
                .formatted(queues.size(), context.device().name());
    }
}
